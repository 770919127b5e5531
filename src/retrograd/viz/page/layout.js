"use strict";
/* Where everything goes. Pure: from the model and the set of open groups to coordinates, so that the
   page and the still picture share it.

   Each open group is laid out by itself (dagre), and is then one box of the group around it: a few
   dozen boxes at a time, however large the graph. What leads into or out of a group passes through
   a port on its upper or lower edge, so that every level sees only its own boxes and ports. */

const CHAR = 7.25; // width of a character of the 12 px monospaced font
const SMALL = 6.05; // and of the 10 px one
const HEADER = 26; // height of an open group's title
const PAD = 14;

function plainTitle(box) {
  const title = box.title;
  return title.length > 34 ? title.slice(0, 33) + "…" : title;
}

/* A parameter inside a Module is called there as the Module calls it: "weight"; one that several
   parts share stands in a Module around them, as "encoder.weight". */
function shownTitle(box, model) {
  const title = box.title;
  const path = [];
  for (let g = model.groups[box.group]; g.parent !== undefined; g = model.groups[g.parent])
    if (g.type) path.unshift(g.label);
  if (box.kind !== "leaf" || model.groups[box.group].parent === undefined) return plainTitle(box);
  const prefix = `${path.join(".")}.`;
  return title.startsWith(prefix)
    ? title.slice(prefix.length)
    : title.slice(title.lastIndexOf(".") + 1);
}

function shapeText(value) {
  if (!value) return "";
  const shape = value.shape.length === 1 ? `(${value.shape[0]},)` : `(${value.shape.join(", ")})`;
  return value.dtype === "float32" ? shape : `${shape} ${value.dtype}`;
}

function placeText(box) {
  if (!box.place) return "";
  const file = box.place.file;
  return `${file.slice(file.lastIndexOf("/") + 1)}:${box.place.line}`;
}

function secondLine(box) {
  const place = box.kind === "operation" ? placeText(box) : "";
  return [shapeText(box.value), place].filter(Boolean).join("  ");
}

/* What a tensor is to autograd; a parameter is told by its colour. */
function thirdLine(box, model) {
  const flags = box.flags || [];
  if (model.failed === box.id) return "✕ failed here";
  if (box.kind === "leaf") return flags.includes("parameter") ? "" : "leaf · requires_grad";
  if (box.kind === "constant") return "leaf · no grad";
  if (box.kind === "tensor")
    return flags.includes("retains_grad") ? "non-leaf · retains_grad" : "non-leaf";
  return "";
}

function groupTitle(group) {
  const type = group.type && group.type !== group.label ? `: ${group.type}` : "";
  return group.label + type;
}

function boxSize(box, model) {
  const marks = box.kind === "leaf" || box.kind === "tensor" ? 22 : 0;
  const wide = Math.max(
    shownTitle(box, model).length * CHAR + marks,
    Math.max(secondLine(box).length, thirdLine(box, model).length) * SMALL,
  );
  const round = box.kind === "operation" || box.kind === "failure" ? 20 : 30;
  return { w: Math.max(64, Math.ceil(wide + round)), h: thirdLine(box, model) ? 52 : 40 };
}

function closedSize(group) {
  const times = group.count ? Math.max(5, ` ×${group.count}`.length) : 0;
  const wide = Math.max(
    (groupTitle(group).length + times) * CHAR + 34,
    group.summary.length * SMALL + 24,
  );
  return { w: Math.max(110, Math.ceil(wide)), h: 46 };
}

/* What a group holds, counted once. */
function summarize(model) {
  for (const box of model.boxes) if (box.place !== undefined) box.place = model.places[box.place];
  for (const group of model.groups) {
    group.members = [];
    group.groups = [];
    group.operations = group.parameters = 0;
  }
  for (const group of model.groups) {
    if (group.parent !== undefined) model.groups[group.parent].groups.push(group.id);
  }
  for (const box of model.boxes) {
    model.groups[box.group].members.push(box.id);
    for (let g = model.groups[box.group]; g; g = model.groups[g.parent]) {
      if (box.kind === "operation") g.operations += 1;
      if ((box.flags || []).includes("parameter")) g.parameters += 1;
    }
  }
  for (const group of model.groups) {
    const words = [`${group.operations} op${group.operations === 1 ? "" : "s"}`];
    if (group.parameters)
      words.push(`${group.parameters} param${group.parameters === 1 ? "" : "s"}`);
    if (group.saved) words.push(group.saved);
    group.summary = words.join(" · ");
  }
}

/* The open groups around a box, outermost first, and what stands for it: the box or a closed group. */
function standing(model, open, box) {
  const around = [];
  for (let g = model.groups[box.group]; g; g = model.groups[g.parent]) around.unshift(g);
  const closed = around.findIndex(g => !open.has(g.id));
  if (closed < 0) return { levels: around.map(g => g.id), key: `b${box.id}` };
  return { levels: around.slice(0, closed).map(g => g.id), key: `g${around[closed].id}` };
}

/* For each open group the edges at its own level: {from, to, net, wires}. A net is
   all that leads from one box: it names the ports on its way. */
function localEdges(model, open, stands) {
  const levels = new Map([...open].map(id => [id, new Map()]));
  const add = (level, from, to, net, wire, name = "") => {
    const edges = levels.get(level);
    const key = `${net} ${from}>${to} ${name}`;
    if (!edges.has(key)) edges.set(key, { from, to, net, wires: [] });
    edges.get(key).wires.push(wire);
  };
  model.wires.forEach((wire, index) => {
    const a = stands[wire.from];
    const b = stands[wire.to];
    if (a.key === b.key) return;
    let shared = 0;
    while (shared < a.levels.length && a.levels[shared] === b.levels[shared]) shared += 1;
    const child = (side, k) => (k < side.levels.length ? `g${side.levels[k]}` : side.key);
    for (let k = a.levels.length - 1; k >= shared; k -= 1) {
      add(a.levels[k], child(a, k + 1), `o:${a.key}`, a.key, index);
    }
    add(
      a.levels[shared - 1],
      child(a, shared),
      child(b, shared),
      a.key,
      index,
      a.key[0] + b.key[0] === "bb" && shared === a.levels.length && shared === b.levels.length
        ? index
        : "",
    );
    for (let k = shared; k < b.levels.length; k += 1) {
      add(b.levels[k], `i:${a.key}`, child(b, k + 1), a.key, index);
    }
  });
  return levels;
}

/* Levels that look the same (the rounds of a loop) are laid out once, and none of them again when
   another group opens. What is kept has members by their position, not their name. */
const levelsSeen = new Map();

/* One open group by itself: places of its members and ports, relative to its own corner. */
function layoutLevel(id, edges, sizes, keys) {
  const position = new Map(keys.map((key, k) => [key, `m${k}`]));
  const nets = new Map();
  const neutral = key => {
    if (position.has(key)) return position.get(key);
    const net = key.slice(2);
    if (!nets.has(net)) nets.set(net, nets.size);
    return `${key[0]}:${nets.get(net)}`;
  };
  const names = new Map(keys.map(key => [key, neutral(key)]));
  const plain = [];
  for (const [key, edge] of edges) {
    for (const end of [edge.from, edge.to]) if (!names.has(end)) names.set(end, neutral(end));
    plain.push({
      key,
      from: names.get(edge.from),
      to: names.get(edge.to),
      name: `e${plain.length}`,
    });
  }
  const widths = keys.map(key => sizes.get(key));
  const look = JSON.stringify([id === 0, widths, plain.map(e => [e.from, e.to])]);
  if (!levelsSeen.has(look)) levelsSeen.set(look, arrange(id !== 0, widths, plain));
  const found = levelsSeen.get(look);
  const places = new Map(keys.map((key, k) => [key, { ...found.places[k] }]));
  const ports = new Map(
    [...names]
      .filter(([key]) => key[1] === ":")
      .map(([key, name]) => [key, { ...found.ports.get(name) }]),
  );
  const bends = new Map(plain.map((e, k) => [e.key, found.bends[k].map(p => ({ ...p }))]));
  return { w: found.w, h: found.h, places, ports, bends, edges };
}

/* dagre's part: members m0, m1, ... of these sizes, ports i:0, o:0, ..., edges between them. */
function arrange(titled, sizes, edges) {
  const g = new dagre.graphlib.Graph({ multigraph: true });
  const ports = new Set();
  g.setGraph({ rankdir: "TB", nodesep: 18, edgesep: 12, ranksep: rowGap(sizes, edges) });
  const members = sizes.map((size, k) => {
    g.setNode(`m${k}`, { width: size.w, height: size.h });
    return `m${k}`;
  });
  for (const { from, to } of edges) {
    for (const end of [from, to]) {
      if (end[1] === ":" && !ports.has(end)) {
        ports.add(end);
        g.setNode(end, { width: 6, height: 1 });
      }
    }
  }
  const above = longest(edges, "to", "from");
  const below = longest(edges, "from", "to");
  for (const { from, to, name } of edges) {
    const far = from[1] === ":" ? above(to) : to[1] === ":" ? below(from) : 1;
    g.setEdge(from, to, { weight: 1, minlen: Math.max(1, far) }, name);
  }
  dagre.layout(g);
  return collect(g, titled, members, ports, edges);
}

/* The height between two rows: more where many wide members lead to one, whose lines would lie flat
   on each other. */
function rowGap(sizes, edges) {
  const widths = new Map();
  for (const { from, to } of edges) {
    const width = from[0] === "m" ? sizes[Number(from.slice(1))].w : 0;
    widths.set(to, (widths.get(to) || 0) + width);
  }
  const widest = [...widths.values()].reduce((a, b) => Math.max(a, b), 0);
  return Math.max(34, Math.min(150, widest / 25));
}

/* The length of the longest way that ends at a member, so that a port, which belongs to the edge of
   its group, is put beyond all that leads there, and its lines past it. */
function longest(edges, end, start) {
  const next = new Map();
  const known = new Map();
  for (const edge of edges) {
    if (!next.has(edge[end])) next.set(edge[end], []);
    next.get(edge[end]).push(edge[start]);
  }
  return member => {
    const stack = [member];
    while (stack.length) {
      const last = stack[stack.length - 1];
      const unknown = (next.get(last) || []).filter(m => !known.has(m));
      if (unknown.length) stack.push(...unknown);
      else {
        known.set(last, Math.max(0, ...(next.get(last) || []).map(m => known.get(m) + 1)));
        stack.pop();
      }
    }
    return known.get(member);
  };
}

/* The upper and lower edge of each row of boxes, by its middle, on which bends and ports lie too. */
function rowsOf(nodes) {
  const rows = new Map();
  for (const n of nodes) {
    const [upper, lower] = rows.get(Math.round(n.y)) || [Infinity, -Infinity];
    const half = n.height / 2;
    rows.set(Math.round(n.y), [Math.min(upper, n.y - half), Math.max(lower, n.y + half)]);
  }
  return rows;
}

/* A bend, or a port, in the middle of a row of boxes, as one bend above the row and one below: a line
   that turned within the row would run behind the boxes beside it. */
function pastRow({ x, y }, rows) {
  const row = rows.get(Math.round(y));
  return row ? row.map(edge => ({ x, y: edge })) : [{ x, y }];
}

function collect(g, titled, members, ports, edges) {
  const nodes = members.map(m => g.node(m));
  const rows = rowsOf(nodes);
  const above = titled ? HEADER + 8 : PAD;
  const bends = edges.map(e => {
    const points = g.edge(e.from, e.to, e.name).points.slice(1, -1);
    const found = points.length > 1 ? points.flatMap(p => pastRow(p, rows)) : [];
    const first = ports.has(e.from) ? pastRow(g.node(e.from), rows).slice(1) : [];
    const last = ports.has(e.to) ? pastRow(g.node(e.to), rows).slice(0, -1) : [];
    return [...first, ...found, ...last];
  });
  const xs = [
    ...bends.flat().flatMap(p => [p.x - 4, p.x + 4]),
    ...[...ports].flatMap(p => [g.node(p).x - 4, g.node(p).x + 4]),
    ...nodes.flatMap(n => [n.x - n.width / 2, n.x + n.width / 2]),
  ];
  const left = xs.reduce((a, b) => Math.min(a, b), Infinity);
  const right = xs.reduce((a, b) => Math.max(a, b), -Infinity);
  const upper = nodes.reduce((a, n) => Math.min(a, n.y - n.height / 2), Infinity);
  const lower = nodes.reduce((a, n) => Math.max(a, n.y + n.height / 2), -Infinity);
  for (const p of ports) g.node(p).y = Math.max(upper - 4, Math.min(lower + 4, g.node(p).y));
  if (!nodes.length) return { w: 2 * PAD, h: above + PAD, places: [], ports: new Map(), bends };
  const dx = PAD - left;
  const dy = above - upper;
  for (const p of bends.flat()) {
    p.x += dx;
    p.y += dy;
  }
  return {
    w: right - left + 2 * PAD,
    h: lower - upper + above + PAD,
    bends,
    places: nodes.map(n => ({
      x: n.x + dx - n.width / 2,
      y: n.y + dy - n.height / 2,
      w: n.width,
      h: n.height,
    })),
    ports: new Map([...ports].map(p => [p, { x: g.node(p).x + dx, y: g.node(p).y + dy }])),
  };
}

/* The whole drawing: absolute places of boxes and groups, and a line for each local edge. */
function layout(model, open) {
  if (!model.groups[0].summary) summarize(model);
  const stands = model.boxes.map(box => standing(model, open, box));
  const shown = new Set([0]); // open groups all of whose surroundings are open
  for (const g of model.groups)
    if (g.parent !== undefined && shown.has(g.parent) && open.has(g.id)) shown.add(g.id);
  const levels = localEdges(model, shown, stands);
  const levelOf = new Map();
  const sizes = new Map();
  for (const id of [...shown].sort((a, b) => b - a)) {
    // inner groups have higher numbers
    const group = model.groups[id];
    const keys = [];
    for (const b of group.members) {
      keys.push(`b${b}`);
      sizes.set(`b${b}`, boxSize(model.boxes[b], model));
    }
    for (const c of group.groups) {
      keys.push(`g${c}`);
      if (!shown.has(c)) sizes.set(`g${c}`, closedSize(model.groups[c]));
    }
    const level = layoutLevel(id, levels.get(id), sizes, keys);
    const wide = groupTitle(group).length * CHAR + 60;
    if (id !== 0 && level.w < wide) shift(level, wide);
    levelOf.set(id, level);
    sizes.set(`g${id}`, { w: level.w, h: level.h });
  }
  const drawn = {
    width: sizes.get("g0").w,
    height: sizes.get("g0").h,
    boxes: new Map(),
    groups: new Map(),
    lines: [],
  };
  const stack = [[0, 0, 0]];
  while (stack.length) {
    const [id, x, y] = stack.pop();
    const level = levelOf.get(id);
    drawn.groups.set(id, { x, y, w: level.w, h: level.h, open: true });
    for (const [key, p] of level.places) {
      const place = { x: x + p.x, y: y + p.y, w: p.w, h: p.h };
      const number = Number(key.slice(1));
      if (key[0] === "b") drawn.boxes.set(number, place);
      else if (shown.has(number)) stack.push([number, place.x, place.y]);
      else drawn.groups.set(number, { ...place, open: false });
    }
    drawn.lines.push(...linesOf(id, level, levelOf, shown, x, y));
  }
  return drawn;
}

function shift(level, wide) {
  const by = (wide - level.w) / 2;
  for (const p of level.places.values()) p.x += by;
  for (const p of level.ports.values()) p.x += by;
  for (const points of level.bends.values()) for (const p of points) p.x += by;
  level.w = wide;
}

/* Where the edges of a level begin and end. Several that end at one box spread along its top. */
function linesOf(id, level, levelOf, shown, x, y) {
  const arriving = new Map();
  const lines = [];
  const inside = (key, port) => {
    const id = Number(key.slice(1));
    return key[0] === "g" && shown.has(id) ? levelOf.get(id).ports.get(port).x : undefined;
  };
  for (const [key, edge] of level.edges) {
    const net = edge.net;
    const line = { ...edge, level: id, points: [], arrow: edge.to[1] !== ":" };
    line.bends = level.bends.get(key);
    if (edge.from[1] === ":") {
      const port = level.ports.get(edge.from);
      line.start = { x: port.x, y: 0 };
      line.bends = [port, ...line.bends];
    } else {
      const p = level.places.get(edge.from);
      const at = inside(edge.from, `o:${net}`);
      line.start = { x: at === undefined ? p.x + p.w / 2 : p.x + at, y: p.y + p.h };
      line.begins = at === undefined;
    }
    if (edge.to[1] === ":") {
      const port = level.ports.get(edge.to);
      line.end = { x: port.x, y: level.h };
      line.bends = [...line.bends, port];
    } else {
      const p = level.places.get(edge.to);
      const at = inside(edge.to, `i:${net}`);
      line.end = { x: at === undefined ? p.x + p.w / 2 : p.x + at, y: p.y };
      if (at === undefined) {
        if (!arriving.has(edge.to)) arriving.set(edge.to, []);
        arriving.get(edge.to).push(line);
      } else line.arrow = false;
    }
    lines.push(line);
  }
  for (const [key, several] of arriving) spread(several, level.places.get(key));
  for (const line of lines) {
    line.points = [line.start, ...line.bends, line.end].map(p => ({ x: p.x + x, y: p.y + y }));
  }
  return lines;
}

function spread(lines, place) {
  if (lines.length < 2) return;
  const lastX = line => (line.bends.length ? line.bends[line.bends.length - 1] : line.start).x;
  lines.sort((a, b) => lastX(a) - lastX(b));
  const gap = Math.min(22, (place.w - 24) / (lines.length - 1));
  lines.forEach((line, k) => {
    line.end.x = place.x + place.w / 2 + (k - (lines.length - 1) / 2) * gap;
  });
}
