"""Backward passes written out, for graphs whose shape has come often.

NOTE [straight passes]
    A training loop sends gradients through graphs of one shape, step after step. When such a graph
    has come OFTEN times, its pass is written out as a function without loop or heap: it finds the
    nodes by their edges, compares their classes with those that it was written for, and calls one
    after the other. If the graph differs, nothing has run yet, and the engine's loop takes over.
    Only leaves and the nodes of operators, of split() and the like, and of writes into views are
    written out, and only without hooks: no user code runs meanwhile, so nothing can tell when which
    node ran, and the pass needs no Task. Each kind of request has a function of its own: is the
    graph kept, is the pass recorded, for which leaves does grad() want gradients? An operator's
    `with_input` runs two nodes at once, its own and the one that its gradient goes to: this happens
    at the second node's turn, if nothing else sends that node a gradient.
"""

from __future__ import annotations

import linecache
from sys import getrefcount

import numpy as np

from .._callers import PACKAGE
from .gradients import added_in_place, completed, ndarray, summed
from .node import AccumulateGrad
from .views import AsStridedBackward0, CopySlices
from .walks import count_arrivals

OFTEN = 100                 # passes through a shape, before it is written out
LONGEST = 1000              # nodes: each takes a tenth of a millisecond to compile

# Python keeps frames in blocks of 16 KiB, and a frame that nearly fills one makes each call out of
# it map and unmap another. So a pass with more than LARGE variables asks for a stack of BLOCK
# words, which fit only into a block of their own.
LARGE = 512
BLOCK = 1 << 11

KEPT = 4                    # passes that begin alike, as those of several losses may
FIRST = 16                  # nodes by which graphs that begin alike are told apart
SHAPES = 1 << 10            # that are counted

_passes: dict = {}          # (class of the root, what is asked ...) -> functions of `write`
_seen: dict = {}            # the same, or with the first classes -> how many the loop took
_written: dict = {}         # the same with the first classes -> the function written last


def straight_pass(edge, g, keep, create, targets):
    """run() from one edge, if a pass was written out for such a graph; else None."""
    root, nr = edge
    for straight in _passes.get((root.__class__, nr, keep, create, len(targets)), ()):
        found = straight(root, g, targets)
        if found is not None:
            return found
    return None


def note_shape(edge, keep, create, wanted, targets) -> None:
    """Count a graph that goes through the loop; at 100, 200, 400 ... write its pass out."""
    root, nr = edge
    key = root.__class__, nr, keep, create, len(targets)
    seen = _seen[key] = _seen.get(key, 0) + 1
    shape = key
    if seen > OFTEN:                    # one was written out, perhaps for another loss
        if len(_seen) > SHAPES:
            _seen.clear()
            _written.clear()
        shape = key, *first_classes(root)
        seen = _seen[shape] = _seen.get(shape, 0) + 1
        if shape in _written and _written[shape] not in _passes[key]:
            return remember(key, _written[shape])
    often, more = divmod(seen, OFTEN)
    if more or often & (often - 1) or not root.edges:
        return None
    arrivals = count_arrivals([edge])
    if (len(arrivals) <= LONGEST and all([n in arrivals and not n.edges for n, _ in targets])
            and all([can_be_written(n) for n in arrivals])):
        straight = write(Text(edge, arrivals, keep, create, wanted, targets))
        _written[key, *first_classes(root)] = straight
        remember(key, straight)
    return None


def remember(key, straight) -> None:
    """Try this pass first for graphs that begin so, and let the one that is tried last go."""
    _passes[key] = (straight, *_passes.get(key, ()))[:KEPT]


def first_classes(root):
    """The classes of the first nodes of a graph, from the root on."""
    nodes = [root]
    for node in nodes:
        if len(nodes) >= FIRST:
            break
        nodes += [n for n in node.edges if n is not None]
    return [n.__class__ for n in nodes]


def can_be_written(node) -> bool:
    """Whether `node` has no hooks and belongs to a leaf, an operator, parts, a view whose base was
    written to, or a write into a view by such a node."""
    cls = node.__class__
    if cls is AccumulateGrad or cls is AsStridedBackward0:
        return True
    if cls is CopySlices:
        cls = node._saved.__class__
    own = vars(cls)                     # other classes have hooks, or code of the program
    return ("operator" in own or "joins_parts" in own) and node.edges


def gets_one(node, arrivals) -> bool:
    """Whether only one gradient arrives at a node."""
    return arrivals.get(node, 1) == 1


def write(text):
    """The function of (node, gradient, targets) that sends a gradient through a graph like that of
    `text`; it returns what arrives at the targets, or None if the graph is not like it."""
    for node in text.number:
        if node.edges:
            text.take_apart(node)
    for node in sorted([n for n in text.reached if n.edges], key=lambda n: -n._seq):
        text.run(node)
    lines = ["def straight(n0, d0, targets):",
             "    try:", *[f"        {line}" for line in text.nodes],
             f"        if {text.differs()}: return None",
             "    except (AttributeError, ValueError):          # no node, or of other edges",
             "        return None",
             "    found = {}",
             *[f"    {line}" for line in text.calls],
             "    return found"]
    scope = {"classes": tuple(text.classes.values()), "ndarray": ndarray, "summed": summed,
             "run_unusual": run_unusual, "run_apart": run_apart, "getrefcount": getrefcount,
             "added_in_place": added_in_place, "LOCAL": LOCAL}
    name = f"{PACKAGE}<pass from {text.root.name()}>"     # a frame of this package, in tracebacks
    source = "\n".join(lines)
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    exec(compile(source, name, "exec"), scope)
    straight = scope["straight"]
    if len(straight.__code__.co_varnames) > LARGE:
        straight.__code__ = straight.__code__.replace(co_stacksize=BLOCK)
    return straight


class Text:
    """The source of a pass: node k is `nk`, its edges are `ek`, its gradient is `dk`; the
    gradients of a node with several outputs are `dk_0`, `dk_1` ..."""

    def __init__(self, edge, arrivals, keep, create, wanted, targets):
        self.root, self.keep, self.create = edge[0], keep, create
        self.number = {node: k for k, node in enumerate(arrivals)}
        self.arrivals, self.left = arrivals, dict.fromkeys(arrivals, 0)    # left: still to come
        self.before: dict = {}                            # nodes -> those that run with them
        self.targets = {n for n, _ in targets}
        self.reached = arrivals.keys() if wanted is None else wanted | self.targets
        self.classes, self.again = {}, {}                 # names -> classes; -> names of the same
        self.arrived = {edge: "d0"}                       # edges -> names of gradients
        self.nodes, self.calls = [], []

    def take_apart(self, node):
        """Lines that read a node's edges, and the names of the nodes at their ends."""
        k, names = self.number[node], []
        if node.__class__ is CopySlices:
            self.classes[f"n{k}._saved"] = node._saved.__class__
        for i, n in enumerate(node.edges):
            name = f"o{k}_{i}"                            # of None, or of a node met before
            if n is not None and self.left[n] == 0:
                name = f"n{self.number[n]}"
            elif n is not None:
                self.again[name] = f"n{self.number[n]}"
            if n is not None:
                self.left[n] += 1
            names.append(name)
            self.classes[name] = n.__class__
        self.nodes += [f"e{k} = n{k}.edges", f"{', '.join(names)}, = e{k}"]

    def differs(self):
        """The test, as source, whether a graph differs from the one this was written for."""
        classes = "".join([f"{name}.__class__, " for name in self.classes])
        nodes = ", ".join([f"n{k}" for k in self.number.values()])
        tests = [f"({classes}) != classes", f"len({{{nodes}}}) != {len(self.number)}"]
        tests += [f"{a} is not {b}" for a, b in self.again.items()]
        for n, k in self.number.items():
            if "n_outputs" in vars(n):                    # others of its class may have more
                tests.append(f"n{k}.n_outputs != {n.n_outputs}")
            if any([leads_to_one_of_several(m) for m in n.edges]):
                tests.append(f"n{k}._numbers != {n._numbers}")
        if self.targets:
            places = ", ".join([f"(n{self.number[n]}, 0)" for n in self.targets])
            tests += [f"targets != {{{places}}}"]
        return " or ".join(tests)

    def run(self, node):
        """Call a node, and hand on the gradients of its inputs."""
        if self.runs_with_input(node):
            self.before[node.edges[0]] = node
            self.arrived[node.edges[0], 0] = self.arrived[node, 0]
            return
        names, sums, leaves = self.results(node)
        edges = self.edges_of(node)
        if edges != f"e{self.number[node]}":              # as the loop does: see restricted()
            self.calls.append(f"n{self.number[node]}.unpack_all()")
        arrived = [self.arrived.get((node, nr)) for nr in range(node.n_outputs)]
        own = [d for d in arrived if d is not None]
        call = [f"{', '.join(names)}, = {self.call(node, arrived, own, edges)}"]
        if sums and node.part is not None and not self.create:
            call, sums = self.in_place(node, own[0], call + sums), []
        done = [node, self.before[node]] if node in self.before else [node]
        freed = [f"n{self.number[n]}._saved = None" for n in done if not self.keep]
        self.calls += [*call, *freed, f"del {', '.join(own)}", *sums, *leaves]

    def results(self, node):
        """The names that a node's results get; lines that add those which are not the first to
        arrive where they go; lines for the leaves whose gradients are complete with them."""
        names, sums, leaves = [], [], []
        for i, (n, nr) in enumerate(node.inputs()):
            if n is None or n not in self.reached:
                names.append("_")
                continue
            d, x = self.arrived.get((n, nr)), f"x{i}"
            if d is None:
                d = f"d{self.number[n]}" + (f"_{nr}" if n.n_outputs > 1 else "")
                self.arrived[n, nr] = d
                names.append(d)
            else:
                names.append(x)
                sums += [f"if {d} is None: {d} = {x}",
                         f"elif {x} is not None: {d} = summed({d}, {x})", f"del {x}"]
            self.left[n] -= 1
            if self.left[n] == 0 and not n.edges:
                leaves += self.arrive(n, d)
        return names, sums, leaves

    def in_place(self, node, g, otherwise):
        """Lines that add the gradient `g` of a part in place, or else run the lines `otherwise`."""
        total = self.arrived[node.inputs()[0]]
        mine = f"getrefcount({total}) <= LOCAL and {total}.base is None"
        return [f"if not added_in_place(n{self.number[node]}, {g}, ({total}, {mine})):",
                *[f"    {line}" for line in otherwise]]

    def runs_with_input(self, node):
        """Whether its operator has a function that also runs the node of its first edge."""
        both, (n, *others) = node.operator and node.operator.with_input, node.edges
        arrived = [nr for nr in range(node.n_outputs) if (node, nr) in self.arrived]
        return (both is not None and not self.create and n in self.reached and not any(others)
                and arrived == [0] and n.name() == both[0] and gets_one(n, self.arrivals))

    def call(self, node, arrived, own, edges):
        """The call of a node, as source."""
        k = self.number[node]
        if node in self.before:
            n = f"n{self.number[self.before[node]]}"
            args = f"({n}, n{k}, {arrived[0]}, {edges})"
            return f"{n}.operator.with_input[1]{args} or run_apart{args}"
        g = arrived[0] if node.n_outputs == 1 else f"[{', '.join(map(str, arrived))}]"
        made = f"n{k}.{'run_graph' if self.create else 'run'}({g}, {edges})"
        other = f"run_unusual(n{k}, {g}, {edges}, {self.create})"
        if len(own) > 1:
            return other
        known = " is not None" if self.create else ".__class__ is ndarray"
        return f"{made} if {own[0]}{known} else {other}"

    def edges_of(self, node):
        """The edges, with None for those that lead to nothing wanted."""
        if all([n is None or n in self.reached for n in node.edges]):
            return f"e{self.number[node]}"
        return "(" + "".join([f"n{self.number[n]}, " if n in self.reached else "None, "
                              for n in node.edges]) + ")"

    def arrive(self, leaf, d):
        """Add the gradient `d` to that of a leaf, or note it for a target."""
        n = f"n{self.number[leaf]}"
        if leaf in self.targets:
            done = f"found[{n}, 0] = {d}"
        else:
            mine = "False" if self.create else f"getrefcount({d}) <= LOCAL"
            done = f"{n}.accumulate({d}, {self.create}, {mine})"
        return [f"if {d} is not None: {done}", f"del {d}"]


def leads_to_one_of_several(node) -> bool:
    """Whether an edge to `node` also needs the number of an output."""
    return node is not None and (node.n_outputs > 1 or "n_outputs" in vars(node))


def run_unusual(node, g, edges, create):
    """Run a node whose gradient is a NumPy scalar, None or a list, one for each output."""
    g = completed(g, node)
    if g is None:
        return (None,) * len(edges)
    return node.run_graph(g, edges) if create else node.run(g, edges)


def run_apart(node, following, g, edges):
    """Run a node, and the one at its first edge, where `with_input` did not do both at once."""
    g = [g] + [None] * (node.n_outputs - 1) if node.n_outputs > 1 else g
    g = run_unusual(node, g, node.edges, False)[0]
    return run_unusual(following, g, edges, False)


def _references_of_a_local_array():
    def accumulate(d, create, references):
        return references
    d = np.empty(1)
    return accumulate(d, False, getrefcount(d))       # as in `arrive`: `d` is also an argument


LOCAL = _references_of_a_local_array()
