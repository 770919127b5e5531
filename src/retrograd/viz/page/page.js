"use strict";
/* The page: what is open, where we look, which step of the backward pass we are at, what is
   selected. Everything on the screen follows from these by draw(), look(), showStep(), details(). */

const canvas = byId("canvas");
const scene = byId("scene");
const framed = window.top !== window; // in a notebook: the wheel belongs to the notebook

const state = {
  open: new Set(model.groups.filter(g => g.open).map(g => g.id)),
  view: { x: 0, y: 0, k: 1 },
  step: model.steps.length,
  selected: null, // "b12" or "g3"
  matches: [],
  match: -1,
  playing: 0,
};
let drawn = null; // what layout() returned
let room = { w: 0, h: 0 }; // the canvas: asked for seldom, since that lays out all that is drawn
let shownAs = []; // for each box the key of what stands for it
let painted = new Map(); // what each element showed last, to leave it if the same

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
  const { x, y, k } = state.view;
  scene.setAttribute("transform", `translate(${x} ${y}) scale(${k})`);
  canvas.classList.toggle("far", k < 0.5);
  canvas.classList.toggle("farther", k < 0.22);
  canvas.classList.toggle("farthest", k < 0.05);
  hideFarAway();
}

/* What a large graph has out of sight is taken out of the page (an element that is only hidden slows
   every zoom). It is done for an area three times as high and wide as the window, and again only
   when the window leaves that area. */
let parts = []; // {el, gap, x0, y0, x1, y1, hidden} of all that is drawn; gap: what keeps its place
let elements = new Map(); // by the id, also of those that are out of sight
let area = null;

const addPart = (el, x0, y0, x1, y1) => {
  parts.push({ el, gap: document.createComment(""), x0, y0, x1, y1, hidden: false });
  if (el.id) elements.set(el.id, el);
};

function measureParts() {
  parts = [];
  elements = new Map();
  const add = (el, p, h = p.h) => addPart(el, p.x, p.y, p.x + p.w, p.y + h);
  for (const [id, p] of drawn.boxes) add(byId(`b${id}`), p);
  for (const [id, p] of drawn.groups) if (id) add(byId(`g${id}`), p);
  for (const el of scene.querySelectorAll(".header"))
    add(el, drawn.groups.get(Number(el.dataset.group)), HEADER);
  drawn.lines.forEach((line, k) => {
    const xs = line.points.map(p => p.x);
    const ys = line.points.map(p => p.y);
    addPart(byId(`l${k}`), Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
  });
  area = null;
}

function hideFarAway() {
  const { x, y, k } = state.view;
  const w = room.w / k;
  const h = room.h / k;
  const left = -x / k;
  const top = -y / k;
  if (
    area &&
    left >= area.x0 &&
    top >= area.y0 &&
    left + w <= area.x1 &&
    top + h <= area.y1 &&
    w > area.w / 3
  )
    return;
  area = { x0: left - w, y0: top - h, x1: left + 2 * w, y1: top + 2 * h, w };
  for (const part of parts) {
    const hidden = part.x1 < area.x0 || part.x0 > area.x1 || part.y1 < area.y0 || part.y0 > area.y1;
    if (hidden === part.hidden) continue;
    part.hidden = hidden;
    if (hidden) part.el.replaceWith(part.gap);
    else part.gap.replaceWith(part.el);
  }
}

const SMALLEST = 0.001;

/* The view that shows all. */
function whole() {
  const { w, h } = room;
  const wide = (w - 24) / drawn.width;
  const high = (h - 24) / drawn.height;
  const k = Math.max(SMALLEST, Math.min(1.25, wide, high));
  return { k, x: (w - drawn.width * k) / 2, y: Math.max(12, (h - drawn.height * k) / 2) };
}

function fit() {
  state.view = whole();
  look();
}

/* To begin with: large enough to read, from the top, even if not all can be seen. */
function fitReadably() {
  state.view = whole();
  if (state.view.k < 0.6) {
    const w = room.w;
    const k = Math.max(0.6, Math.min(1, (w - 24) / drawn.width));
    const loss = drawn.boxes.get(model.steps.length ? model.steps[0].box : -1);
    const centre = loss ? loss.x + loss.w / 2 : drawn.width / 2;
    state.view = {
      k,
      x: drawn.width * k <= w ? (w - drawn.width * k) / 2 : w / 2 - centre * k,
      y: 12,
    };
  }
  look();
}

function zoom(factor, x, y) {
  const v = state.view;
  const k = Math.max(SMALLEST, Math.min(4, v.k * factor));
  v.x = x - ((x - v.x) * k) / v.k;
  v.y = y - ((y - v.y) * k) / v.k;
  v.k = k;
  look();
}

function centre(key) {
  const p = placeOf(key);
  if (!p) return;
  const v = state.view;
  const { w, h } = room;
  if (v.k < 0.5) v.k = 0.8;
  v.x = w / 2 - (p.x + p.w / 2) * v.k;
  v.y = h / 2 - (p.y + Math.min(p.h, h / v.k) / 2) * v.k;
  look();
}

/* Move only if the box is out of sight. */
function bringIntoSight(key) {
  const p = placeOf(key);
  const v = state.view;
  if (!p) return;
  const left = p.x * v.k + v.x;
  const top = p.y * v.k + v.y;
  const { w, h } = room;
  const low =
    window.innerWidth <= 760 && !byId("details").classList.contains("idle") ? h * 0.45 : h;
  if (left < 10 || left + p.w * v.k > w - 10) v.x = w / 2 - (p.x + p.w / 2) * v.k;
  if (top < 20 || top + p.h * v.k > low - 20) v.y = low / 2 - (p.y + p.h / 2) * v.k;
  look();
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
  const now = state.selected || (state.step && shownAs[model.steps[state.step - 1].box]);
  if (now) bringIntoSight(now);
}

/* Open whatever hides a box. */
function reveal(box) {
  let changed = false;
  for (let g = model.groups[box.group]; g; g = model.groups[g.parent]) {
    if (!state.open.has(g.id)) {
      state.open.add(g.id);
      changed = true;
    }
  }
  if (changed) draw();
}

// ------------------------------------------------------------------ selection

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
  for (const el of elements.values()) el.classList.remove("selected", "match", "chosen");
  const chosen = state.selected && elements.get(state.selected);
  if (chosen) {
    chosen.classList.add("selected");
    drawn.lines.forEach((line, k) => {
      if (line.net === state.selected || line.to === state.selected)
        elements.get(`l${k}`).classList.add("chosen");
    });
  }
  for (const box of state.matches) elements.get(shownAs[box.id]).classList.add("match");
}

// ------------------------------------------------------------------ colour

const measures = {
  grad: box => {
    const at = pass.stepOf.get(box.id);
    const g = at === undefined ? box.grad : model.steps[at].arrived;
    return spread2(g);
  },
  value: box => spread2(box.value),
  saved: box => (box.saved || []).reduce((sum, s) => sum + (s.own ? 0 : s.bytes), 0) || undefined,
};

/* Root mean square: comparable between shapes. */
function spread2(what) {
  if (!what || typeof what.norm !== "number") return undefined;
  return (
    what.norm /
      Math.sqrt(
        Math.max(
          1,
          what.shape.reduce((a, b) => a * b, 1),
        ),
      ) || undefined
  );
}

function paint() {
  const measure = measures[byId("colour").value];
  const best = new Map();
  for (const el of elements.values()) el.classList.remove("heat");
  if (!measure) return;
  for (const box of model.boxes) {
    const value = measure(box);
    const key = shownAs[box.id];
    if (value !== undefined) best.set(key, Math.max(best.get(key) || 0, value));
  }
  const logs = [...best.values()].map(Math.log);
  const low = Math.min(...logs);
  const high = Math.max(...logs);
  for (const [key, value] of best) {
    const el = elements.get(key);
    const share = high > low ? (Math.log(value) - low) / (high - low) : 0.5;
    el.classList.add("heat");
    el.style.setProperty(
      "--heat",
      `color-mix(in oklab, var(--hot) ${Math.round(8 + 62 * share)}%, var(--card))`,
    );
  }
}

// ------------------------------------------------------------------ search

function search(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  state.matches = words.length
    ? model.boxes.filter(box => {
        const place = box.place ? `${box.place.file}:${box.place.line} ${box.place.text}` : "";
        const all = [box.title, groupPath(box), place, shapeText(box.value), ...(box.flags || [])]
          .join(" ")
          .toLowerCase();
        return words.every(w => all.includes(w));
      })
    : [];
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
  return { x: event.clientX - corner.left, y: event.clientY - corner.top };
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
    const was = Math.hypot(last.x - other.x, last.y - other.y);
    const is = Math.hypot(now.x - other.x, now.y - other.y);
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
  const box = event.target.closest(".box");
  const group = event.target.closest(".closed, .header");
  if (box) select(box.id);
  else if (group) {
    const id = Number(group.dataset.group || group.id.slice(1));
    toggleGroup(id);
    select(`g${id}`);
  } else select(null);
});
canvas.addEventListener(
  "wheel",
  event => {
    if (framed && !event.ctrlKey) return;
    event.preventDefault();
    const { x, y } = within(event);
    zoom(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0016)), x, y);
  },
  { passive: false },
);

document.addEventListener("click", event => {
  const target = event.target.closest("[data-show], [data-toggle], [data-close]");
  if (!target) return;
  if (target.dataset.show) show(target.dataset.show);
  else if (target.dataset.toggle) {
    toggleGroup(Number(target.dataset.toggle));
    details();
  } else select(null);
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
  const dark =
    root.contains("dark") ||
    (!root.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
  root.toggle("dark", !dark);
  root.toggle("light", dark);
}

const keys = {
  ArrowRight: () => setStep(state.step + 1, true),
  ArrowLeft: () => setStep(state.step - 1, true),
  Home: () => setStep(0, true),
  End: () => setStep(model.steps.length, true),
  " ": () => model.steps.length && play(),
  "/": () => byId("search").focus(),
  j: () => walk(1),
  k: () => walk(-1),
  o: () => openAll(true),
  c: () => openAll(false),
  f: fit,
  0: fit,
  "+": () => zoom(1.25, room.w / 2, room.h / 2),
  "=": () => zoom(1.25, room.w / 2, room.h / 2),
  "-": () => zoom(0.8, room.w / 2, room.h / 2),
  t: toggleTheme,
  "?": () => byId("keys").showModal(),
  Enter: () =>
    state.selected &&
    state.selected[0] === "g" &&
    (toggleGroup(Number(state.selected.slice(1))), details()),
  Escape: () => {
    byId("search").value = "";
    search("");
    select(null);
  },
};

document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("keys").open) return;
  const field = event.target;
  if (field.id === "search") {
    if (event.key === "Enter") nextMatch(event.shiftKey ? -1 : 1);
    else if (event.key === "Escape") {
      keys.Escape();
      field.blur();
    }
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
byId("slider").addEventListener("input", event => {
  pause();
  setStep(Number(event.target.value), true);
});
byId("first").addEventListener("click", () => setStep(0, true));
byId("back").addEventListener("click", () => setStep(state.step - 1, true));
byId("next").addEventListener("click", () => setStep(state.step + 1, true));
byId("play").addEventListener("click", play);

function measureRoom() {
  room = { w: canvas.clientWidth, h: canvas.clientHeight };
}

new ResizeObserver(() => {
  measureRoom();
  look();
}).observe(canvas);

// ------------------------------------------------------------------ begin

byId("title").textContent = model.title;
byId("facts").textContent = model.heading.slice(model.title.length + 2);
if (model.error) {
  byId("error").hidden = false;
  byId("error").innerHTML =
    `<b>${escaped(firstLine(model.error))}</b>${escaped(model.error.slice(firstLine(model.error).length))}`;
}
if (model.steps.length) {
  byId("steps").hidden = false;
  byId("slider").max = model.steps.length;
}
canvas.insertAdjacentHTML("afterbegin", HEADS);
if (model.failed !== null) {
  for (let g = model.groups[model.boxes[model.failed].group]; g; g = model.groups[g.parent])
    state.open.add(g.id);
}
measureRoom();
draw();
details();
fitReadably();
if (model.failed !== null) {
  if (window.innerWidth > 760) select(`b${model.failed}`);
  bringIntoSight(`b${model.failed}`);
}
