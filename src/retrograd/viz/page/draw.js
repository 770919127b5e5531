"use strict";
/* The drawing as SVG text: the page puts it into itself, the still picture is it. */

function escaped(text) {
  return String(text)
    .replace(/&/g, "&amp;")
    .replace(/</g, "&lt;")
    .replace(/>/g, "&gt;")
    .replace(/"/g, "&quot;");
}

const round = number => Math.round(number * 10) / 10;

/* Through the points from top to bottom, leaving and arriving upright. */
function curve(points) {
  let d = `M${round(points[0].x)} ${round(points[0].y)}`;
  for (let k = 1; k < points.length; k += 1) {
    const a = points[k - 1];
    const b = points[k];
    const middle = round((a.y + b.y) / 2);
    d +=
      Math.abs(a.x - b.x) < 0.5
        ? `L${round(b.x)} ${round(b.y)}`
        : `C${round(a.x)} ${middle} ${round(b.x)} ${middle} ${round(b.x)} ${round(b.y)}`;
  }
  return d;
}

/* What many use (the weights of a loop) would cover all with lines: they are drawn faintly. */
const MANY = 4;

function drawLine(line, index, model, uses) {
  const still = line.wires.some(w => model.wires[w].flows) ? "" : " still";
  const faint = uses.get(`${line.level} ${line.net}`) >= MANY ? " faint" : "";
  const begins = line.begins ? " begins" : ""; // where a gradient's arrow ends
  const head = line.arrow ? ' marker-end="url(#head)"' : "";
  return `<path id="l${index}" class="wire${still}${faint}${begins}" d="${curve(line.points)}"${head}/>`;
}

function boxClass(box) {
  const words = ["box", box.kind];
  const flags = box.flags || [];
  if (flags.includes("parameter")) words.push("parameter");
  if (box.freed) words.push("freed");
  return words.join(" ");
}

/* "MulBackward0" with its second half dimmed. */
function titleText(title) {
  const at = title.search(/Backward\d*$/);
  if (at <= 0) return escaped(title);
  return `${escaped(title.slice(0, at))}<tspan class="dim">${escaped(title.slice(at))}</tspan>`;
}

function drawBox(box, place, model) {
  const { w, h } = place;
  const middle = w / 2;
  const second = secondLine(box);
  const third = thirdLine(box, model);
  const radius = { operation: 7, failure: 7, leaf: 3, constant: 3, tensor: 20 }[box.kind];
  const holds = (box.flags || []).some(
    f => (f === "requires_grad" && box.kind === "leaf") || f === "retains_grad",
  );
  const failed = model.failed === box.id;
  return (
    `<g id="b${box.id}" class="${boxClass(box)}${failed ? " failed" : ""}"` +
    ` transform="translate(${round(place.x)} ${round(place.y)})">` +
    `<title>${escaped(tooltip(box))}</title>` +
    `<rect class="shape" width="${round(w)}" height="${h}" rx="${radius}"/>` +
    `<text class="name" x="${round(middle)}" y="${second ? 17 : 24}">` +
    `${titleText(shownTitle(box, model))}</text>` +
    (second ? `<text class="small" x="${round(middle)}" y="31">${escaped(second)}</text>` : "") +
    (third
      ? `<text class="small${failed ? " failure-mark" : ""}" x="${round(middle)}" y="44">${third}</text>`
      : "") +
    (holds
      ? `<circle class="grad${box.grad ? " full" : ""}" cx="${round(w - 12)}" cy="12" r="4.5"/>`
      : "") +
    `<text class="sum" x="${round(w)}" y="${h + 11}"></text></g>`
  );
}

function tooltip(box) {
  const lines = [box.title, (box.flags || []).join(", "), secondLine(box)];
  if (box.place) lines.push(box.place.text);
  return lines.filter(Boolean).join("\n");
}

function drawGroup(group, place) {
  const { x, y, w, h } = place;
  const title = escaped(groupTitle(group));
  const times = group.count ? `<tspan class="times"> ×${group.count}</tspan>` : "";
  const at = `id="g${group.id}" transform="translate(${round(x)} ${round(y)})"`;
  if (place.open) {
    if (group.id === 0) return "";
    return (
      `<g ${at} class="group open ${group.kind}">` +
      `<rect class="shell" width="${round(w)}" height="${round(h)}" rx="10"/></g>`
    );
  }
  const behind = group.count
    ? `<rect class="behind" x="6" y="6" width="${round(w)}" height="${h}" rx="9"/>` +
      `<rect class="behind" x="3" y="3" width="${round(w)}" height="${h}" rx="9"/>`
    : "";
  return (
    `<g ${at} class="group closed ${group.kind}">${behind}` +
    `<title>${title}: ${escaped(group.summary)}</title>` +
    `<rect class="shape" width="${round(w)}" height="${h}" rx="9"/>` +
    `<rect class="progress" x="8" y="${h - 6}" width="0" height="2.5" rx="1.2"` +
    ` data-width="${round(w - 16)}"/>` +
    `<text class="group-name" x="${round(w / 2)}" y="19">▸ ${title}${times}</text>` +
    `<text class="small" x="${round(w / 2)}" y="34">${escaped(group.summary)}</text></g>`
  );
}

/* The title of an open group, above the lines that come in. */
function drawHeader(group, { x, y, w }) {
  const times = group.count ? `<tspan class="times"> ×${group.count}</tspan>` : "";
  return (
    `<g class="header" data-group="${group.id}" transform="translate(${round(x)} ${round(y)})">` +
    `<rect class="strip" width="${round(w)}" height="${HEADER}" rx="10"/>` +
    `<text class="group-name" x="12" y="17">▾ ${escaped(groupTitle(group))}${times}</text></g>`
  );
}

const HEADS =
  '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6.5"' +
  ' markerHeight="6.5" orient="auto"><path class="head" d="M0 0.5L8 4L0 7.5z"/></marker>' +
  '<marker id="hot-head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="5" markerHeight="5"' +
  ' orient="auto-start-reverse"><path class="hot-head" d="M0 0.5L8 4L0 7.5z"/></marker></defs>';

/* Shells first, then lines, then what stands on them. */
function drawScene(model, drawn) {
  const out = [];
  const uses = new Map();
  for (const line of drawn.lines) {
    const source = `${line.level} ${line.net}`;
    uses.set(source, (uses.get(source) || 0) + 1);
  }
  for (const [id, place] of drawn.groups)
    if (place.open) out.push(drawGroup(model.groups[id], place));
  drawn.lines.forEach((line, k) => out.push(drawLine(line, k, model, uses)));
  for (const [id, place] of drawn.groups)
    if (place.open && id) out.push(drawHeader(model.groups[id], place));
  for (const [id, place] of drawn.groups)
    if (!place.open) out.push(drawGroup(model.groups[id], place));
  for (const [id, place] of drawn.boxes) out.push(drawBox(model.boxes[id], place, model));
  return out.join("");
}

/* The still picture: what the page shows first, with a line of text above. */
function stillPicture(model, style) {
  const open = new Set(model.groups.filter(g => g.open).map(g => g.id));
  for (const step of model.steps) if (step.frees) model.boxes[step.box].freed = true;
  const drawn = layout(model, open);
  const top = 34;
  const width = Math.ceil(Math.max(drawn.width, 28 + model.heading.length * SMALL));
  const height = Math.ceil(drawn.height + top);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="retrograd still" width="${width}"` +
    ` height="${height}" viewBox="0 0 ${width} ${height}" role="img"` +
    ` aria-label="${escaped(model.heading)}"><style>${style}</style>` +
    `<rect class="paper" width="${width}" height="${height}"/>${HEADS}` +
    `<text class="small heading" x="14" y="21">${escaped(model.heading)}</text>` +
    `<g transform="translate(${round((width - drawn.width) / 2)} ${top})">` +
    `${drawScene(model, drawn)}</g></svg>\n`
  );
}
