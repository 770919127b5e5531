"use strict";
/* The panel beside the drawing: what is known of a box, of a group, and what the signs mean. */

function details() {
  const aside = byId("details");
  const key = state.selected;
  aside.classList.toggle("idle", !key);
  const close = '<button class="close" data-close="1" aria-label="Close">✕</button>';
  if (!key) aside.innerHTML = legend();
  else if (key[0] === "g")
    aside.innerHTML = close + groupDetails(model.groups[Number(key.slice(1))]);
  else aside.innerHTML = close + boxDetails(model.boxes[Number(key.slice(1))]);
}

const rows = pairs =>
  `<table>${pairs
    .filter(p => p[1] !== undefined && p[1] !== "")
    .map(([name, value]) => `<tr><td>${name}</td><td>${value}</td></tr>`)
    .join("")}</table>`;

function numbersOf(what, hot) {
  if (!what) return "";
  const trouble = ["nan", "inf"]
    .filter(k => what[k])
    .map(k => `<span class="bad">${what[k]} ${k}</span>`)
    .join(", ");
  const share = what.zero ? `${Math.round(what.zero * 1000) / 10} %` : "";
  const one = what.shape.length === 0;
  const pairs = [
    ["shape", code(shapeText(what) || "()")],
    ["dtype", what.dtype],
  ];
  if (!one)
    pairs.push(
      ["norm", what.norm],
      ["mean ± std", what.mean === undefined ? undefined : `${what.mean} ± ${what.std}`],
      ["min … max", what.min === undefined ? undefined : `${what.min} … ${what.max}`],
      ["zeros", share],
      ["sampled", what.sampled && `${what.sampled} elements for zeros and the bars`],
    );
  pairs.push(["trouble", trouble]);
  const single = what.shape.every(n => n === 1) ? what.brief : "";
  const numbers = what.numbers || single;
  return rows(pairs) + (numbers ? `<pre>${escaped(numbers)}</pre>` : "") + bars(what.hist, hot);
}

function bars(hist, hot) {
  if (!hist) return "";
  const rects = [...hist].map(
    (digit, k) => `<rect x="${k * 5}" y="${9 - digit}" width="4" height="${digit}"/>`,
  );
  return `<svg class="hist${hot ? " hot" : ""}" viewBox="0 0 ${hist.length * 5} 9" preserveAspectRatio="none">${rects.join("")}</svg>`;
}

function codeOf(place) {
  return place
    ? `<h3>line</h3><div>${escaped(place.file)}:${place.line}` +
        `${place.function && place.function !== "<module>" ? ` in ${escaped(place.function)}` : ""}</div>` +
        (place.text ? `<pre>${escaped(place.text)}</pre>` : "")
    : "";
}

/* The groups around a box, outermost first; repeats and runs say nothing of their own. */
function groupPath(box) {
  const names = [];
  for (let g = model.groups[box.group]; g; g = model.groups[g.parent]) {
    if (g.kind === "module" || g.kind === "round") names.unshift(g.label);
  }
  return names.join(".");
}

function boxDetails(box) {
  const s = stateOf(box, state.step);
  const at = pass.stepOf.get(box.id);
  const flags = (box.flags || []).map(f => [f, f === "retains_grad" ? "strong" : ""]);
  if (s.freed) flags.push(["freed", ""]);
  if (model.failed === box.id) flags.push(["failed here", "bad"]);
  let html =
    `<h2>${escaped(box.title)}</h2>` +
    (groupPath(box) ? `<div>in ${escaped(groupPath(box))}</div>` : "") +
    (flags.length
      ? `<div class="flags">${flags.map(([f, c]) => `<span class="flag ${c}">${escaped(f)}</span>`).join("")}</div>`
      : "");
  html += codeOf(box.place);
  if (box.formulas) html += `<h3>operator</h3>${code(box.formulas)}`;
  html += gradientDetails(box, at);
  html += box.value
    ? `<h3>${box.kind === "operation" ? "result" : "value"}</h3>${numbersOf(box.value)}`
    : "";
  html += savedDetails(box, s);
  return html + neighbours(box);
}

function gradientDetails(box, at) {
  let html = "";
  const step = at === undefined ? undefined : model.steps[at];
  if (step && step.arrived && at < state.step) {
    html += `<h3>gradient that arrived (step ${at + 1})</h3>${numbersOf(step.arrived, true)}`;
  }
  const sent = pass.incoming[box.id].map(w => [w, pass.sentAt.get(w)]).filter(p => p[1]);
  if (sent.length > 1) {
    html +=
      `<h3>summed from ${sent.length} branches</h3>` +
      rows(
        sent.map(([w, s]) => [
          link(model.boxes[model.wires[w].to]),
          s.step < state.step ? escaped(s.flow.brief || "") : "not yet",
        ]),
      );
  }
  const keeps = (box.flags || []).some(f => f === "retains_grad") || box.kind === "leaf";
  if (keeps) {
    const full = stateOf(box, state.step).full;
    const held = full && pass.filledAt.get(box.id) >= state.step ? box.before : box.grad;
    html += "<h3>.grad</h3>" + (full ? numbersOf(held, true) : "<div>None</div>");
  } else if (box.kind === "tensor") {
    html += "<h3>.grad</h3><div>None: not a leaf, and retain_grad() was not called</div>";
  }
  return html;
}

function savedDetails(box, s) {
  if (!box.saved)
    return box.kind === "operation" && box.freed
      ? "<h3>saved for backward</h3><div>freed by an earlier backward pass</div>"
      : "";
  return (
    `<h3>saved for backward${s.freed ? " (freed)" : ""}</h3>` +
    rows(
      box.saved.map(one => [
        code(one.name),
        `${code(shapeText(one) || "()")} ${one.size}` +
          (one.own ? " (a leaf's own memory)" : "") +
          (one.changed ? ' <span class="bad">changed in place since</span>' : ""),
      ]),
    )
  );
}

function neighbours(box) {
  const withShape = other => `${link(other)} ${escaped(shapeText(other.value))}`;
  const inputs = pass.outgoing[box.id].map(w => model.wires[w]);
  const users = model.wires.filter(w => w.from === box.id);
  const list = (title, pairs) =>
    pairs.length ? `<h3>${title}</h3>` + rows(pairs.slice(0, 30)) : "";
  return (
    list(
      "from",
      inputs.map(w => [w.slot ? code(w.slot) : "", withShape(model.boxes[w.from])]),
    ) +
    list(
      "used by",
      users.map(w => [link(model.boxes[w.to]), w.slot ? `as ${code(w.slot)}` : ""]),
    )
  );
}

const counted = n =>
  n === 1 ? "a parameter of the Modules at work" : `${n} parameters of the Modules at work`;

/* The parameters inside a group, with the norms of their values and gradients. */
function parametersOf(group) {
  const inside = new Set([group.id]);
  for (const g of model.groups) if (inside.has(g.parent)) inside.add(g.id); // outer ones come first
  const leaves = model.boxes.filter(b => b.kind === "leaf" && inside.has(b.group));
  if (!leaves.length) return "";
  const norm = what => (what && what.norm !== undefined ? what.norm : "");
  const lines = leaves
    .slice(0, 80)
    .map(
      b =>
        `<tr><td><a data-show="b${b.id}">${code(b.title)}</a></td>` +
        `<td>${norm(b.value)}</td><td>${b.grad ? norm(b.grad) : "None"}</td></tr>`,
    );
  return (
    `<h3>leaves</h3><table><tr><td>norm of</td><td>value</td><td>.grad</td></tr>${lines.join("")}</table>` +
    (leaves.length > 80 ? `<p>and ${leaves.length - 80} more</p>` : "")
  );
}

function groupDetails(group) {
  const kinds = {
    module: "Module",
    repeat: "repeated",
    round: "one round",
    run: "operations in a row",
  };
  return (
    `<h2>${escaped(groupTitle(group))}${group.count ? ` ×${group.count}` : ""}</h2>` +
    rows([
      ["", kinds[group.kind] || ""],
      ["operations", group.operations],
      ["parameters", group.parameters],
      ["saved", group.saved || ""],
    ]) +
    `<p><button data-toggle="${group.id}">${state.open.has(group.id) ? "close" : "open"} the group</button></p>` +
    parametersOf(group)
  );
}

function legend() {
  const key = (kind, text, circle) =>
    `<div class="key"><svg width="54" height="22"><g class="${kind}">` +
    `<rect class="shape" x="1" y="1" width="52" height="20" rx="${kind.includes("tensor") ? 10 : kind.includes("operation") ? 6 : 2}"/>` +
    (circle ? `<circle class="grad ${circle}" cx="44" cy="11" r="4.5"/>` : "") +
    `</g></svg><span>${text}</span></div>`;
  const has = f => model.boxes.some(f);
  const parameters = has(b => (b.flags || []).includes("parameter"));
  const others = has(b => b.kind === "leaf" && !b.flags.includes("parameter"));
  const leaf = others || !parameters ? "box leaf" : "box leaf parameter";
  return (
    `<h2>${escaped(model.title)}</h2><div>${escaped(model.heading.slice(model.title.length + 2))}</div>` +
    (model.place && model.place.text ? `<pre>${escaped(model.place.text)}</pre>` : "") +
    (model.note ? `<p>${escaped(model.note)}</p>` : "") +
    (model.missing.length
      ? `<h3>not in this graph</h3><p>${counted(model.missing.length)}, which got no gradient from it:</p>` +
        model.missing
          .slice(0, 40)
          .map(name => `<div>${code(name)}</div>`)
          .join("") +
        model.cuts
          .map(
            cut =>
              `<p>${code(cut.place.file + ":" + cut.place.line)} cuts off ${cut.names.slice(0, 4).map(code).join(", ")}` +
              `${cut.names.length > 4 ? ` and ${cut.names.length - 4} more` : ""}:</p>` +
              `<pre>${escaped(cut.place.text)}</pre><div>${escaped(cut.what)}</div>`,
          )
          .join("")
      : "") +
    "<h3>what you see</h3>" +
    key("box operation", "operation: a node of the graph, its <code>grad_fn</code>") +
    (parameters ? key("box leaf parameter", "parameter: a leaf of a Module") : "") +
    (others ? key("box leaf", "leaf that requires grad") : "") +
    key(leaf, "○ its .grad is None", " ") +
    key(leaf, "● its .grad is filled", "full") +
    (has(b => b.kind === "tensor")
      ? key(
          "box tensor",
          "tensor in between, with the program's name; ○ if it retains its gradient",
          " ",
        )
      : "") +
    (has(b => b.kind === "constant") ? key("box constant", "needs no gradient") : "") +
    key("box operation freed", "freed: what it saved is gone") +
    (arrivals.some(steps => steps.length > 1)
      ? "<p>Σ 2 below a box: it was used twice, and the two gradients have been added.</p>"
      : "") +
    (model.steps.length
      ? "<p>Move the slider, or press → and ←, to follow the backward pass.</p>"
      : "<p>To follow a backward pass step by step, ask for <code>graph(loss, backward=True)</code>, or run it under <code>viz.record()</code>.</p>")
  );
}
