"use strict";
/* The page: what is open, where we look, which step of the backward pass we are at, what is
   selected. Everything on the screen follows from these by draw(), look(), showStep(), details(). */

const model = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);
const canvas = byId("canvas"), scene = byId("scene");
const SVG = "http://www.w3.org/2000/svg";
const framed = window.top !== window;          // in a notebook: the wheel belongs to the notebook

const state = {
  open: new Set(model.groups.filter(g => g.open).map(g => g.id)),
  view: {x: 0, y: 0, k: 1},
  step: model.steps.length,
  selected: null,                              // "b12" or "g3"
  matches: [], match: -1,
  playing: 0,
};
let drawn = null;                              // what layout() returned
let shownAs = [];                              // for each box the key of what stands for it
let painted = new Map();                       // what each element showed last, to leave it if the same

// ------------------------------------------------------------------ the pass, looked up by box

const pass = {
  stepOf: new Map(model.steps.map((s, k) => [s.box, k])),
  incoming: model.boxes.map(() => []),         // wires whose gradient arrives at the box
  outgoing: model.boxes.map(() => []),         // wires that end at the box: where it sends gradients
  sentAt: new Map(),                           // wire -> the step that sends along it
  filledAt: new Map(),
};
model.wires.forEach((wire, k) => {
  if (wire.flows) pass.incoming[wire.from].push(k);
  pass.outgoing[wire.to].push(k);
});
model.steps.forEach((step, k) => {
  for (const flow of step.sent || []) pass.sentAt.set(flow.wire, {step: k, flow});
  for (const box of step.fills || []) pass.filledAt.set(box, k);
});
/* A named tensor passes the gradient on to the operation that made it, at once. */
for (const box of model.boxes.filter(b => b.kind === "tensor")) {
  const maker = pass.outgoing[box.id][0];
  const from = maker === undefined ? undefined : pass.stepOf.get(model.wires[maker].from);
  if (from !== undefined) {
    const step = model.steps[from];
    pass.sentAt.set(maker, {step: from, flow: {wire: maker, brief: step.arrived && step.arrived.brief}});
  }
}

const arrivals = model.boxes.map(box => pass.incoming[box.id].map(w => pass.sentAt.get(w))
  .filter(Boolean).map(s => s.step));          // the steps in which gradients reach the box
const makerStep = model.boxes.map(box => box.kind !== "tensor" ? undefined
  : pass.stepOf.get(model.wires[pass.outgoing[box.id][0]].from));

/* How a box stands after `n` steps: visited, freed, holding .grad, and how many gradients arrived. */
function stateOf(box, n) {
  const at = pass.stepOf.get(box.id), done = at !== undefined && at < n;
  const fills = pass.filledAt.get(box.id), due = arrivals[box.id].length;
  let here = 0;
  for (const step of arrivals[box.id]) if (step < n) here += 1;
  return {
    done, here, due,
    freed: Boolean(box.freed) || done && Boolean(model.steps[at].frees),
    active: n > 0 && (at === n - 1 || makerStep[box.id] === n - 1),
    full: fills !== undefined ? fills < n || Boolean(box.before)
      : Boolean(box.grad) && (!model.steps.length || Boolean(box.before)),
    filledNow: fills !== undefined && fills === n - 1,
  };
}

// ------------------------------------------------------------------ drawing

function draw(anchor) {
  const before = anchor && placeOf(anchor);
  drawn = layout(model, state.open);
  shownAs = model.boxes.map(box => standing(model, state.open, box).key);
  scene.innerHTML = drawScene(model, drawn);
  painted = new Map();
  measureParts();
  const after = anchor && placeOf(anchor);
  if (before && after) {
    state.view.x += (before.x + before.w / 2 - after.x - after.w / 2) * state.view.k;
    state.view.y += (before.y - after.y) * state.view.k;
  }
  look();
  showStep();
  paint();
  mark();
}

function placeOf(key) {
  if (!drawn) return null;
  const id = Number(key.slice(1));
  return key[0] === "b" ? drawn.boxes.get(id) : drawn.groups.get(id);
}

function look() {
  const {x, y, k} = state.view;
  scene.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
  canvas.classList.toggle("far", k < 0.5);
  canvas.classList.toggle("farther", k < 0.22);
  canvas.classList.toggle("farthest", k < 0.05);
  hideFarAway();
}

/* What a large graph has out of sight is taken out of the drawing. It is done for an area three times
   as high and wide as the window, and again only when the window leaves that area. */
let parts = [];                                // {el, x0, y0, x1, y1, hidden} of all that is drawn
let area = null;

function measureParts() {
  const boxes = [...drawn.boxes].map(([id, p]) => [byId(`b${id}`), p]);
  const groups = [...drawn.groups].filter(([id]) => id).map(([id, p]) => [byId(`g${id}`), p]);
  parts = [...boxes, ...groups].map(([el, p]) => ({el, x0: p.x, y0: p.y, x1: p.x + p.w, y1: p.y + p.h, hidden: false}));
  for (const el of scene.querySelectorAll(".header")) {
    const p = drawn.groups.get(Number(el.dataset.group));
    parts.push({el, x0: p.x, y0: p.y, x1: p.x + p.w, y1: p.y + HEADER, hidden: false});
  }
  drawn.lines.forEach((line, k) => {
    const xs = line.points.map(p => p.x), ys = line.points.map(p => p.y);
    parts.push({el: byId(`l${k}`), x0: Math.min(...xs), y0: Math.min(...ys), x1: Math.max(...xs), y1: Math.max(...ys), hidden: false});
  });
  area = null;
}

function hideFarAway() {
  const {x, y, k} = state.view, w = canvas.clientWidth / k, h = canvas.clientHeight / k;
  const left = -x / k, top = -y / k;
  if (area && left >= area.x0 && top >= area.y0 && left + w <= area.x1 && top + h <= area.y1 && w > area.w / 3) return;
  area = {x0: left - w, y0: top - h, x1: left + 2 * w, y1: top + 2 * h, w};
  for (const part of parts) {
    const hidden = part.x1 < area.x0 || part.x0 > area.x1 || part.y1 < area.y0 || part.y0 > area.y1;
    if (hidden !== part.hidden) {
      part.hidden = hidden;
      part.el.style.display = hidden ? "none" : "";
    }
  }
}

const SMALLEST = 0.001;

function fit() {
  const {clientWidth: w, clientHeight: h} = canvas;
  const wide = (w - 24) / drawn.width, high = (h - 24) / drawn.height;
  const k = Math.max(SMALLEST, Math.min(1.25, wide, high));
  state.view = {k, x: (w - drawn.width * k) / 2, y: Math.max(12, (h - drawn.height * k) / 2)};
  look();
}

/* To begin with: large enough to read, from the top, even if not all can be seen. */
function fitReadably() {
  fit();
  if (state.view.k >= 0.6) return;
  const w = canvas.clientWidth, k = Math.max(0.6, Math.min(1, (w - 24) / drawn.width));
  const loss = drawn.boxes.get(model.steps.length ? model.steps[0].box : -1);
  const centre = loss ? loss.x + loss.w / 2 : drawn.width / 2;
  state.view = {k, x: drawn.width * k <= w ? (w - drawn.width * k) / 2 : w / 2 - centre * k, y: 12};
  look();
}

function zoom(factor, x, y) {
  const v = state.view, k = Math.max(SMALLEST, Math.min(4, v.k * factor));
  v.x = x - (x - v.x) * k / v.k;
  v.y = y - (y - v.y) * k / v.k;
  v.k = k;
  look();
}

function centre(key) {
  const p = placeOf(key);
  if (!p) return;
  const v = state.view, w = canvas.clientWidth, h = canvas.clientHeight;
  if (v.k < 0.5) v.k = 0.8;
  v.x = w / 2 - (p.x + p.w / 2) * v.k;
  v.y = h / 2 - (p.y + Math.min(p.h, h / v.k) / 2) * v.k;
  look();
}

/* Move only if the box is out of sight. */
function bringIntoSight(key) {
  const p = placeOf(key), v = state.view;
  if (!p) return;
  const left = p.x * v.k + v.x, top = p.y * v.k + v.y, w = canvas.clientWidth, h = canvas.clientHeight;
  const low = window.innerWidth <= 760 && !byId("details").classList.contains("idle") ? h * 0.45 : h;
  if (left < 10 || left + p.w * v.k > w - 10) v.x = w / 2 - (p.x + p.w / 2) * v.k;
  if (top < 20 || top + p.h * v.k > low - 20) v.y = low / 2 - (p.y + p.h / 2) * v.k;
  look();
}

// ------------------------------------------------------------------ steps

function setStep(n, follow) {
  state.step = Math.max(0, Math.min(model.steps.length, n));
  showStep();
  if (follow && state.step > 0) bringIntoSight(shownAs[model.steps[state.step - 1].box]);
  if (!state.selected) details();
}

function showStep() {
  if (!model.steps.length) return;
  const n = state.step, done = new Map(), total = new Map(), active = new Set();
  for (const box of model.boxes) {
    const s = stateOf(box, n), key = shownAs[box.id];
    if (box.kind === "operation") {
      total.set(key, (total.get(key) || 0) + 1);
      if (s.done) done.set(key, (done.get(key) || 0) + 1);
    }
    if (s.active) active.add(key);
    if (drawn.boxes.has(box.id)) showBox(box, s);
  }
  for (const [id, place] of drawn.groups) {
    if (!place.open) showGroup(id, done.get(`g${id}`) || 0, total.get(`g${id}`), active.has(`g${id}`));
  }
  drawn.lines.forEach((line, k) => showLine(line, k, n));
  byId("slider").value = n;
  byId("count").textContent = `${n} / ${model.steps.length}`;
  byId("story").innerHTML = story(n);
}

/* Whether an element must be touched: most stay as they are from step to step. */
function isNew(key, look) {
  if (painted.get(key) === look) return false;
  painted.set(key, look);
  return true;
}

function showBox(box, s) {
  const key = `b${box.id}`, waiting = !s.done && s.here > 0 && s.here < s.due, lit = s.active || s.filledNow;
  if (!isNew(key, `${s.done} ${s.freed} ${lit} ${waiting} ${s.full} ${s.here}`)) return;
  const el = byId(key), ring = el.querySelector(".grad");
  el.classList.toggle("visited", s.done);
  el.classList.toggle("freed", s.freed);
  el.classList.toggle("active", lit);
  el.classList.toggle("waiting", waiting);
  if (ring) ring.classList.toggle("full", s.full);
  el.querySelector(".sum").textContent =
    s.due > 1 && s.here > 0 ? (s.here < s.due ? `${s.here} of ${s.due}` : `Σ ${s.due}`) : "";
}

function showGroup(id, done, total, active) {
  if (!isNew(`g${id}`, `${done} ${active}`)) return;
  const el = byId(`g${id}`), bar = el.querySelector(".progress");
  el.classList.toggle("active", active);
  el.classList.toggle("freed", total > 0 && done === total && !model.keeps);
  bar.setAttribute("width", total ? bar.dataset.width * done / total : 0);
}

function showLine(line, k, n) {
  let sent = 0, past = 0, hot = false;
  for (const w of line.wires) {
    const s = pass.sentAt.get(w);
    if (!s) continue;
    sent += 1;
    if (s.step < n) past += 1;
    if (s.step === n - 1) hot = true;
  }
  const done = !hot && sent > 0 && past === sent;
  if (!isNew(`l${k}`, `${hot} ${done}`)) return;
  const classes = byId(`l${k}`).classList;
  classes.toggle("hot", hot);
  classes.toggle("done", done);
}

const code = text => `<code>${escaped(text)}</code>`;
const link = box => `<a data-show="b${box.id}">${code(box.title)}</a>`;
const where = place => place ? ` at ${escaped(place.file)}:${place.line}` : "";

/* What happened in the last step, in words. */
function story(n) {
  if (n === 0) {
    const first = model.steps[0], box = model.boxes[first.box];
    return `Before the backward pass. It will start at ${link(box)}`
      + (first.arrived ? ` with the gradient <span class="hot">${escaped(first.arrived.brief)}</span>.` : ".");
  }
  const step = model.steps[n - 1], box = model.boxes[step.box];
  const due = pass.incoming[box.id].map(w => pass.sentAt.get(w)).filter(Boolean);
  const words = [link(box) + where(box.place)];
  if (step.arrived) {
    const sum = due.length > 1 ? `the sum of ${due.length} gradients` : "a gradient";
    words.push(`got ${sum} ${code(shapeText(step.arrived))}, `
      + `<span class="hot">${escaped(step.arrived.brief)}</span>`);
  }
  if (step.failed) return `${words.join(" ")} <b class="hot">and failed</b>: ${escaped(firstLine(model.error))}`;
  const sent = step.sent || [];
  if (sent.length) words.push("and sent " + sent.map(flow => {
    const to = model.boxes[model.wires[flow.wire].from];
    return `${escaped(flow.brief)} to ${link(to)}`;
  }).join(", "));
  const filled = (step.fills || []).map(id => model.boxes[id]);
  const ends = [];
  if (filled.length) ends.push(filled.map(b => `<span class="hot">${code(b.title + ".grad")}</span> is ${b.before ? "added to" : "filled"}`).join(", "));
  if (step.frees) ends.push("What it saved is freed");
  return [words.join(" "), ...ends].map(sentence => `${sentence}.`).join(" ");
}

const firstLine = text => text.split("\n")[0];

function play() {
  if (state.playing) return pause();
  if (state.step >= model.steps.length) setStep(0, true);
  const wait = Math.max(40, Math.min(900, 20000 / model.steps.length));
  state.playing = setInterval(() => {
    setStep(state.step + 1, true);
    if (state.step >= model.steps.length) pause();
  }, wait);
  byId("play").textContent = "❚❚";
}

function pause() {
  clearInterval(state.playing);
  state.playing = 0;
  byId("play").textContent = "▶";
}

// ------------------------------------------------------------------ groups

function toggleGroup(id) {
  if (state.open.has(id)) state.open.delete(id);
  else state.open.add(id);
  draw(`g${id}`);
}

function openAll(yes) {
  state.open = new Set(yes ? model.groups.map(g => g.id) : [0]);
  draw();
  fitReadably();
  const now = state.selected || state.step && shownAs[model.steps[state.step - 1].box];
  if (now) bringIntoSight(now);
}

/* Open whatever hides a box. */
function reveal(box) {
  let changed = false;
  for (let g = model.groups[box.group]; g; g = model.groups[g.parent]) {
    if (!state.open.has(g.id)) { state.open.add(g.id); changed = true; }
  }
  if (changed) draw();
}

// ------------------------------------------------------------------ selection and its details

function select(key) {
  state.selected = key;
  mark();
  details();
}

function show(key) {
  if (key[0] === "b") reveal(model.boxes[Number(key.slice(1))]);
  select(key);
  centre(key);
}

function mark() {
  for (const el of scene.querySelectorAll(".selected, .match, .chosen")) el.classList.remove("selected", "match", "chosen");
  const chosen = state.selected && byId(state.selected);
  if (chosen) {
    chosen.classList.add("selected");
    drawn.lines.forEach((line, k) => {
      if (line.net === state.selected || line.to === state.selected) byId(`l${k}`).classList.add("chosen");
    });
  }
  for (const box of state.matches) {
    const el = byId(shownAs[box.id]);
    if (el) el.classList.add("match");
  }
}

function details() {
  const aside = byId("details"), key = state.selected;
  aside.classList.toggle("idle", !key);
  const close = '<button class="close" data-close="1" aria-label="Close">✕</button>';
  if (!key) aside.innerHTML = legend();
  else if (key[0] === "g") aside.innerHTML = close + groupDetails(model.groups[Number(key.slice(1))]);
  else aside.innerHTML = close + boxDetails(model.boxes[Number(key.slice(1))]);
}

const rows = pairs => `<table>${pairs.filter(p => p[1] !== undefined && p[1] !== "")
  .map(([name, value]) => `<tr><td>${name}</td><td>${value}</td></tr>`).join("")}</table>`;

function numbersOf(what, hot) {
  if (!what) return "";
  const trouble = ["nan", "inf"].filter(k => what[k])
    .map(k => `<span class="bad">${what[k]} ${k}</span>`).join(", ");
  const share = what.zero ? `${Math.round(what.zero * 1000) / 10} %` : "";
  const one = what.shape.length === 0;
  const pairs = [["shape", code(shapeText(what) || "()")], ["dtype", what.dtype]];
  if (!one) pairs.push(["norm", what.norm], ["mean ± std", what.mean === undefined ? undefined
    : `${what.mean} ± ${what.std}`], ["min … max", what.min === undefined ? undefined
    : `${what.min} … ${what.max}`], ["zeros", share], ["sampled", what.sampled && `${what.sampled} elements for zeros and the bars`]);
  pairs.push(["trouble", trouble]);
  return rows(pairs) + (what.numbers ? `<pre>${escaped(what.numbers)}</pre>` : "") + bars(what.hist, hot);
}

function bars(hist, hot) {
  if (!hist) return "";
  const rects = [...hist].map((digit, k) => `<rect x="${k * 5}" y="${9 - digit}" width="4" height="${digit}"/>`);
  return `<svg class="hist${hot ? " hot" : ""}" viewBox="0 0 ${hist.length * 5} 9" preserveAspectRatio="none">${rects.join("")}</svg>`;
}

function codeOf(place) {
  return place ? `<h3>line</h3><div>${escaped(place.file)}:${place.line}`
    + `${place.function && place.function !== "<module>" ? ` in ${escaped(place.function)}` : ""}</div>`
    + (place.text ? `<pre>${escaped(place.text)}</pre>` : "") : "";
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
  const s = stateOf(box, state.step), at = pass.stepOf.get(box.id);
  const flags = (box.flags || []).map(f => [f, f === "retains_grad" ? "strong" : ""]);
  if (s.freed) flags.push(["freed", ""]);
  if (model.failed === box.id) flags.push(["failed here", "bad"]);
  let html = `<h2>${escaped(box.title)}</h2>`
    + (groupPath(box) ? `<div>in ${escaped(groupPath(box))}</div>` : "")
    + (flags.length ? `<div class="flags">${flags.map(([f, c]) => `<span class="flag ${c}">${escaped(f)}</span>`).join("")}</div>` : "");
  html += codeOf(box.place);
  if (box.formulas) html += `<h3>operator</h3>${code(box.formulas)}`;
  html += gradientDetails(box, at);
  html += box.value ? `<h3>${box.kind === "operation" ? "result" : "value"}</h3>${numbersOf(box.value)}` : "";
  html += savedDetails(box, s);
  return html + neighbours(box);
}

function gradientDetails(box, at) {
  let html = "";
  const step = at === undefined ? undefined : model.steps[at];
  if (step && step.arrived && (at < state.step)) {
    html += `<h3>gradient that arrived (step ${at + 1})</h3>${numbersOf(step.arrived, true)}`;
  }
  const sent = pass.incoming[box.id].map(w => [w, pass.sentAt.get(w)]).filter(p => p[1]);
  if (sent.length > 1) {
    html += `<h3>summed from ${sent.length} branches</h3>` + rows(sent.map(([w, s]) =>
      [link(model.boxes[model.wires[w].to]), s.step < state.step ? escaped(s.flow.brief || "") : "not yet"]));
  }
  const keeps = (box.flags || []).some(f => f === "retains_grad") || box.kind === "leaf";
  if (keeps) {
    const full = stateOf(box, state.step).full, held = full && pass.filledAt.get(box.id) >= state.step ? box.before : box.grad;
    html += "<h3>.grad</h3>" + (full ? numbersOf(held, true) : "<div>None</div>");
  } else if (box.kind === "tensor") {
    html += "<h3>.grad</h3><div>None: not a leaf, and retain_grad() was not called</div>";
  }
  return html;
}

function savedDetails(box, s) {
  if (!box.saved) return box.kind === "operation" && box.freed
    ? "<h3>saved for backward</h3><div>freed by an earlier backward pass</div>" : "";
  return `<h3>saved for backward${s.freed ? " (freed)" : ""}</h3>` + rows(box.saved.map(one =>
    [code(one.name), `${code(shapeText(one) || "()")} ${one.size}`
      + (one.own ? " (a leaf's own memory)" : "")
      + (one.changed ? ' <span class="bad">changed in place since</span>' : "")]));
}

function neighbours(box) {
  const inputs = pass.outgoing[box.id].map(w => model.wires[w]);
  const users = model.wires.filter(w => w.from === box.id);
  const list = (title, pairs) => pairs.length ? `<h3>${title}</h3>` + rows(pairs.slice(0, 30)) : "";
  return list("from", inputs.map(w => [w.slot ? code(w.slot) : "", link(model.boxes[w.from])]))
    + list("used by", users.map(w => [link(model.boxes[w.to]), w.slot ? `as ${code(w.slot)}` : ""]));
}

const counted = n => n === 1 ? "a parameter of the Modules at work" : `${n} parameters of the Modules at work`;

/* The parameters inside a group, with the norms of their values and gradients. */
function parametersOf(group) {
  const inside = new Set([group.id]);
  for (const g of model.groups) if (inside.has(g.parent)) inside.add(g.id);       // outer ones come first
  const leaves = model.boxes.filter(b => b.kind === "leaf" && inside.has(b.group));
  if (!leaves.length) return "";
  const norm = what => what && what.norm !== undefined ? what.norm : "";
  const lines = leaves.slice(0, 80).map(b => `<tr><td><a data-show="b${b.id}">${code(b.title)}</a></td>`
    + `<td>${norm(b.value)}</td><td>${b.grad ? norm(b.grad) : "None"}</td></tr>`);
  return `<h3>leaves</h3><table><tr><td>norm of</td><td>value</td><td>.grad</td></tr>${lines.join("")}</table>`
    + (leaves.length > 80 ? `<p>and ${leaves.length - 80} more</p>` : "");
}

function groupDetails(group) {
  const kinds = {module: "Module", repeat: "repeated", round: "one round", run: "operations in a row"};
  return `<h2>${escaped(groupTitle(group))}${group.count ? ` ×${group.count}` : ""}</h2>`
    + rows([["", kinds[group.kind] || ""], ["operations", group.operations], ["parameters", group.parameters],
            ["saved", group.saved || ""]])
    + `<p><button data-toggle="${group.id}">${state.open.has(group.id) ? "close" : "open"} the group</button></p>`
    + parametersOf(group);
}

function legend() {
  const key = (kind, text, circle) => `<div class="key"><svg width="54" height="22"><g class="${kind}">`
    + `<rect class="shape" x="1" y="1" width="52" height="20" rx="${kind.includes("tensor") ? 10 : kind.includes("operation") ? 6 : 2}"/>`
    + (circle ? `<circle class="grad ${circle}" cx="44" cy="11" r="4.5"/>` : "") + `</g></svg><span>${text}</span></div>`;
  const has = f => model.boxes.some(f);
  const parameters = has(b => (b.flags || []).includes("parameter"));
  const others = has(b => b.kind === "leaf" && !b.flags.includes("parameter"));
  const leaf = others || !parameters ? "box leaf" : "box leaf parameter";
  return `<h2>${escaped(model.title)}</h2><div>${escaped(model.heading.slice(model.title.length + 2))}</div>`
    + (model.place && model.place.text ? `<pre>${escaped(model.place.text)}</pre>` : "")
    + (model.note ? `<p>${escaped(model.note)}</p>` : "")
    + (model.missing.length ? `<h3>not in this graph</h3><p>${counted(model.missing.length)}, which got no gradient from it:</p>`
      + rows(model.missing.slice(0, 40).map(name => [code(name), ""])) : "")
    + "<h3>what you see</h3>"
    + key("box operation", "operation: a node of the graph, its <code>grad_fn</code>")
    + (parameters ? key("box leaf parameter", "parameter: a leaf of a Module", " ") : "")
    + (others ? key("box leaf", "leaf that requires grad", " ") : "")
    + key(leaf, "○ its .grad is None", " ") + key(leaf, "● its .grad is filled", "full")
    + (has(b => b.kind === "tensor") ? key("box tensor", "tensor in between, with the program's name; ○ if it retains its gradient") : "")
    + (has(b => b.kind === "constant") ? key("box constant", "needs no gradient") : "")
    + key("box operation freed", "freed: what it saved is gone")
    + (model.steps.length ? "<p>Move the slider, or press → and ←, to follow the backward pass.</p>"
      : "<p>To follow a backward pass step by step, ask for <code>graph(loss, backward=True)</code>, or run it under <code>viz.record()</code>.</p>");
}

// ------------------------------------------------------------------ colour

const measures = {
  grad: box => { const at = pass.stepOf.get(box.id); const g = at === undefined ? box.grad : model.steps[at].arrived; return spread2(g); },
  value: box => spread2(box.value),
  saved: box => (box.saved || []).reduce((sum, s) => sum + (s.own ? 0 : s.bytes), 0) || undefined,
};

/* Root mean square: comparable between shapes. */
function spread2(what) {
  if (!what || typeof what.norm !== "number") return undefined;
  return what.norm / Math.sqrt(Math.max(1, what.shape.reduce((a, b) => a * b, 1))) || undefined;
}

function paint() {
  const measure = measures[byId("colour").value], best = new Map();
  for (const el of scene.querySelectorAll(".heat")) el.classList.remove("heat");
  if (!measure) return;
  for (const box of model.boxes) {
    const value = measure(box), key = shownAs[box.id];
    if (value !== undefined) best.set(key, Math.max(best.get(key) || 0, value));
  }
  const logs = [...best.values()].map(Math.log), low = Math.min(...logs), high = Math.max(...logs);
  for (const [key, value] of best) {
    const el = byId(key), share = high > low ? (Math.log(value) - low) / (high - low) : 0.5;
    if (!el) continue;
    el.classList.add("heat");
    el.style.setProperty("--heat", `color-mix(in oklab, var(--hot) ${Math.round(8 + 62 * share)}%, var(--card))`);
  }
}

// ------------------------------------------------------------------ search

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  state.matches = words.length ? model.boxes.filter(box => {
    const place = box.place ? `${box.place.file}:${box.place.line} ${box.place.text}` : "";
    const all = [box.title, groupPath(box), place, shapeText(box.value), ...(box.flags || [])].join(" ").toLowerCase();
    return words.every(w => all.includes(w));
  }) : [];
  state.match = -1;
  byId("matches").textContent = words.length ? `${state.matches.length} found` : "";
  mark();
}

function nextMatch(by) {
  const n = state.matches.length;
  if (!n) return;
  state.match = (state.match + by + n) % n;
  byId("matches").textContent = `${state.match + 1} of ${n}`;
  show(`b${state.matches[state.match].id}`);
}

// ------------------------------------------------------------------ mouse, fingers, keys

const pointers = new Map();
let moved = false;

/* Where an event is, from the canvas's corner. */
function within(event) {
  const corner = canvas.getBoundingClientRect();
  return {x: event.clientX - corner.left, y: event.clientY - corner.top};
}

canvas.addEventListener("pointerdown", event => {
  pointers.set(event.pointerId, within(event));
  moved = false;
});
canvas.addEventListener("pointermove", event => {
  const last = pointers.get(event.pointerId);
  if (!last) return;
  const now = within(event);
  if (!moved && Math.hypot(now.x - last.x, now.y - last.y) < 4) return;
  if (!moved) canvas.setPointerCapture(event.pointerId);
  moved = true;
  canvas.classList.add("dragging");
  if (pointers.size === 2) {
    const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
    const was = Math.hypot(last.x - other.x, last.y - other.y), is = Math.hypot(now.x - other.x, now.y - other.y);
    zoom(is / was, (now.x + other.x) / 2, (now.y + other.y) / 2);
  } else {
    state.view.x += now.x - last.x;
    state.view.y += now.y - last.y;
    look();
  }
  pointers.set(event.pointerId, now);
});
for (const name of ["pointerup", "pointercancel", "pointerleave"]) {
  canvas.addEventListener(name, event => {
    pointers.delete(event.pointerId);
    canvas.classList.remove("dragging");
  });
}
canvas.addEventListener("click", event => {
  if (moved) return;
  const box = event.target.closest(".box"), group = event.target.closest(".closed, .header");
  if (box) select(box.id);
  else if (group) {
    const id = Number(group.dataset.group || group.id.slice(1));
    toggleGroup(id);
    select(`g${id}`);
  } else select(null);
});
canvas.addEventListener("wheel", event => {
  if (framed && !event.ctrlKey) return;
  event.preventDefault();
  const {x, y} = within(event);
  zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), x, y);
}, {passive: false});

document.addEventListener("click", event => {
  const target = event.target.closest("[data-show], [data-toggle], [data-close]");
  if (!target) return;
  if (target.dataset.show) show(target.dataset.show);
  else if (target.dataset.toggle) { toggleGroup(Number(target.dataset.toggle)); details(); }
  else select(null);
});

/* j and k go through what is seen, in the order of the forward pass. */
function walk(by) {
  const order = [...new Set(shownAs)];
  const at = state.selected ? order.indexOf(state.selected) : by > 0 ? -1 : 0;
  select(order[(at + by + order.length) % order.length]);
  bringIntoSight(state.selected);
}

function toggleTheme() {
  const root = document.documentElement.classList;
  const dark = root.contains("dark") || !root.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches;
  root.toggle("dark", !dark);
  root.toggle("light", dark);
}

const keys = {
  ArrowRight: () => setStep(state.step + 1, true), ArrowLeft: () => setStep(state.step - 1, true),
  Home: () => setStep(0, true), End: () => setStep(model.steps.length, true),
  " ": () => model.steps.length && play(), "/": () => byId("search").focus(),
  j: () => walk(1), k: () => walk(-1), o: () => openAll(true), c: () => openAll(false),
  f: fit, "0": fit, "+": () => zoom(1.25, canvas.clientWidth / 2, canvas.clientHeight / 2),
  "=": () => zoom(1.25, canvas.clientWidth / 2, canvas.clientHeight / 2),
  "-": () => zoom(0.8, canvas.clientWidth / 2, canvas.clientHeight / 2),
  t: toggleTheme, "?": () => byId("keys").showModal(),
  Enter: () => state.selected && state.selected[0] === "g" && (toggleGroup(Number(state.selected.slice(1))), details()),
  Escape: () => { byId("search").value = ""; search(""); select(null); },
};

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const field = event.target;
  if (field.id === "search") {
    if (event.key === "Enter") nextMatch(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") { keys.Escape(); field.blur(); }
    return;
  }
  if (field.tagName === "SELECT") return;
  if ((event.key === "Enter" || event.key === " ") && field.tagName === "BUTTON") return;
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});

byId("search").addEventListener("input", event => search(event.target.value));
byId("colour").addEventListener("change", paint);
byId("open-all").addEventListener("click", () => openAll(true));
byId("close-all").addEventListener("click", () => openAll(false));
byId("fit").addEventListener("click", fit);
byId("theme").addEventListener("click", toggleTheme);
byId("help").addEventListener("click", () => byId("keys").showModal());
byId("slider").addEventListener("input", event => { pause(); setStep(Number(event.target.value), true); });
byId("first").addEventListener("click", () => setStep(0, true));
byId("back").addEventListener("click", () => setStep(state.step - 1, true));
byId("next").addEventListener("click", () => setStep(state.step + 1, true));
byId("play").addEventListener("click", play);

// ------------------------------------------------------------------ begin

byId("title").textContent = model.title;
byId("facts").textContent = model.heading.slice(model.title.length + 2);
if (model.error) {
  byId("error").hidden = false;
  byId("error").innerHTML = `<b>${escaped(firstLine(model.error))}</b>${escaped(model.error.slice(firstLine(model.error).length))}`;
}
if (model.steps.length) {
  byId("steps").hidden = false;
  byId("slider").max = model.steps.length;
}
canvas.insertAdjacentHTML("afterbegin", HEADS);
if (model.failed !== null) {
  for (let g = model.groups[model.boxes[model.failed].group]; g; g = model.groups[g.parent]) state.open.add(g.id);
}
draw();
details();
fitReadably();
if (model.failed !== null) {
  select(`b${model.failed}`);
  bringIntoSight(`b${model.failed}`);
}
