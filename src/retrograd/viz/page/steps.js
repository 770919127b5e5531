"use strict";
/* The backward pass: what has happened after so many steps, on the drawing and in words. */

const model = JSON.parse(document.getElementById("data").textContent);
const byId = id => document.getElementById(id);

const pass = {
  stepOf: new Map(model.steps.map((s, k) => [s.box, k])),
  incoming: model.boxes.map(() => []), // wires whose gradient arrives at the box
  outgoing: model.boxes.map(() => []), // wires that end at the box: where it sends gradients
  sentAt: new Map(), // wire -> the step that sends along it
  filledAt: new Map(),
};
model.wires.forEach((wire, k) => {
  if (wire.flows) pass.incoming[wire.from].push(k);
  pass.outgoing[wire.to].push(k);
});
model.steps.forEach((step, k) => {
  for (const flow of step.sent || []) pass.sentAt.set(flow.wire, { step: k, flow });
  for (const box of step.fills || []) pass.filledAt.set(box, k);
});
/* A named tensor passes the gradient on to the operation that made it, at once. */
for (const box of model.boxes.filter(b => b.kind === "tensor")) {
  const maker = pass.outgoing[box.id][0];
  const from = maker === undefined ? undefined : pass.stepOf.get(model.wires[maker].from);
  const brief = from === undefined ? undefined : (model.steps[from].outputs || {})[box.id];
  if (brief !== undefined) pass.sentAt.set(maker, { step: from, flow: { wire: maker, brief } });
}

const arrivals = model.boxes.map(box =>
  pass.incoming[box.id]
    .map(w => pass.sentAt.get(w))
    .filter(Boolean)
    .map(s => s.step),
); // the steps in which gradients reach the box
const makerStep = model.boxes.map(box =>
  box.kind !== "tensor" ? undefined : pass.stepOf.get(model.wires[pass.outgoing[box.id][0]].from),
);

/* How a box stands after `n` steps: visited, freed, holding .grad, and how many gradients arrived. */
function stateOf(box, n) {
  const at = pass.stepOf.get(box.id);
  const done = at !== undefined && at < n;
  const fills = pass.filledAt.get(box.id);
  const due = arrivals[box.id].length;
  let here = 0;
  for (const step of arrivals[box.id]) if (step < n) here += 1;
  return {
    done,
    here,
    due,
    freed: Boolean(box.freed) || (done && Boolean(model.steps[at].frees)),
    active: n > 0 && (at === n - 1 || makerStep[box.id] === n - 1),
    full:
      fills !== undefined
        ? fills < n || Boolean(box.before)
        : Boolean(box.grad) && (!model.steps.length || Boolean(box.before)),
    filledNow: fills !== undefined && fills === n - 1,
  };
}

function setStep(n, follow) {
  state.step = Math.max(0, Math.min(model.steps.length, n));
  showStep();
  if (follow && state.step > 0) bringIntoSight(shownAs[model.steps[state.step - 1].box]);
  if (!state.selected) details();
}

function showStep() {
  if (!model.steps.length) return;
  const n = state.step;
  const done = new Map();
  const total = new Map();
  const active = new Set();
  for (const box of model.boxes) {
    const s = stateOf(box, n);
    const key = shownAs[box.id];
    if (box.kind === "operation") {
      total.set(key, (total.get(key) || 0) + 1);
      if (s.done) done.set(key, (done.get(key) || 0) + 1);
    }
    if (s.active) active.add(key);
    if (drawn.boxes.has(box.id)) showBox(box, s);
  }
  for (const [id, place] of drawn.groups) {
    if (!place.open)
      showGroup(id, done.get(`g${id}`) || 0, total.get(`g${id}`), active.has(`g${id}`));
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
  const key = `b${box.id}`;
  const waiting = !s.done && s.here > 0 && s.here < s.due;
  const lit = s.active || s.filledNow;
  if (!isNew(key, `${s.done} ${s.freed} ${lit} ${waiting} ${s.full} ${s.here}`)) return;
  const el = elements.get(key);
  const ring = el.querySelector(".grad");
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
  const el = elements.get(`g${id}`);
  const bar = el.querySelector(".progress");
  el.classList.toggle("active", active);
  el.classList.toggle("freed", total > 0 && done === total && !model.keeps);
  bar.setAttribute("width", total ? (bar.dataset.width * done) / total : 0);
}

function showLine(line, k, n) {
  let sent = 0;
  let past = 0;
  let hot = false;
  for (const w of line.wires) {
    const s = pass.sentAt.get(w);
    if (!s) continue;
    sent += 1;
    if (s.step < n) past += 1;
    if (s.step === n - 1) hot = true;
  }
  const done = !hot && sent > 0 && past === sent;
  if (!isNew(`l${k}`, `${hot} ${done}`)) return;
  const classes = elements.get(`l${k}`).classList;
  classes.toggle("hot", hot);
  classes.toggle("done", done);
}

const code = text => `<code>${escaped(text)}</code>`;
const link = box => `<a data-show="b${box.id}">${code(box.title)}</a>`;
const where = place => (place ? ` at ${escaped(place.file)}:${place.line}` : "");

/* What happened in the last step, in words. */
function story(n) {
  if (n === 0) {
    const first = model.steps[0];
    const box = model.boxes[first.box];
    return (
      `Before the backward pass. It will start at ${link(box)}` +
      (first.arrived
        ? ` with the gradient <span class="hot">${escaped(first.arrived.brief)}</span>.`
        : ".")
    );
  }
  const step = model.steps[n - 1];
  const box = model.boxes[step.box];
  const due = pass.incoming[box.id].map(w => pass.sentAt.get(w)).filter(Boolean);
  const words = [link(box) + where(box.place)];
  if (step.arrived) {
    const sum = due.length > 1 ? `the sum of ${due.length} gradients` : "a gradient";
    words.push(
      `got ${sum} ${code(shapeText(step.arrived))}, ` +
        `<span class="hot">${escaped(step.arrived.brief)}</span>`,
    );
  }
  if (step.failed)
    return `${words.join(" ")} <b class="hot">and failed</b>: ${escaped(cutShort(firstLine(model.error)))}`;
  const sent = step.sent || [];
  if (sent.length)
    words.push(
      "and sent " +
        fewOf(sent, flow => {
          const to = model.boxes[model.wires[flow.wire].from];
          return `${escaped(flow.brief)} to ${link(to)}`;
        }),
    );
  const filled = (step.fills || []).map(id => model.boxes[id]);
  const ends = [];
  if (filled.length)
    ends.push(
      fewOf(
        filled,
        b =>
          `<span class="hot">${code(b.title + ".grad")}</span> is ${b.before ? "added to" : "filled"}`,
      ),
    );
  if (step.frees) ends.push("What it saved is freed");
  return [words.join(" "), ...ends].map(sentence => `${sentence}.`).join(" ");
}

/* The first few of many things, in words, and how many more there are: the drawing shows them all. */
function fewOf(things, words) {
  const said = things.slice(0, things.length > MOST_LISTED + 1 ? MOST_LISTED : undefined).map(words);
  const more = things.length - said.length;
  return said.join(", ") + (more ? `, and ${more} more` : "");
}

const MOST_LISTED = 5;
const firstLine = text => text.split("\n")[0];
const cutShort = text => (text.length > 120 ? text.slice(0, 119) + "…" : text);

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
