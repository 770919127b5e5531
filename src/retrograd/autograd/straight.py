"""Backward passes written out, for graphs of a shape that has come often.

NOTE [straight passes]
    A training loop sends gradients through graphs of one shape, step after step. When such a graph
    has come OFTEN times, its pass is written out as a function that has neither loop nor heap: it
    takes the nodes out of each other's edges, compares their classes with those that it was
    written for, and calls one after the other. If a graph differs nothing has run yet, and the
    engine's loop takes it. Only operators' nodes and leaves without hooks are written out: no code
    of the program runs meanwhile, so that nobody can tell when which node ran, and the pass needs
    no Task. There is a function for each way of asking: whether the graph is kept, whether the pass
    is recorded, and for which leaves grad() wants gradients.
"""

from __future__ import annotations

import linecache
from sys import getrefcount

import numpy as np

from .._callers import PACKAGE
from .gradients import completed, ndarray, summed
from .node import AccumulateGrad

OFTEN = 100                 # passes through a shape, before it is written out
LONGEST = 1000              # nodes: each takes a tenth of a millisecond to compile

KEPT = 2                    # passes that begin alike, as those of two losses may

_passes: dict = {}          # (class of the root, what is asked ...) -> functions of `write`
_seen: dict = {}            # the same -> how many of such graphs the loop took


def straight_pass(edge, g, keep, create, targets):
    """run() from one edge, if a pass was written out for such a graph; else None."""
    root, nr = edge
    for straight in _passes.get((root.__class__, nr, keep, create, len(targets)), ()):
        found = straight(root, g, targets)
        if found is not None:
            return found
    return None


def note_shape(edge, arrivals, keep, create, wanted, targets) -> None:
    """Count a graph that goes through the loop; at 100, 200, 400 ... write its pass out."""
    root, nr = edge
    key = root.__class__, nr, keep, create, len(targets)
    seen = _seen[key] = _seen.get(key, 0) + 1
    often, more = divmod(seen, OFTEN)
    if more == 0 and often & (often - 1) == 0 and root.edges \
            and all([n in arrivals and not n.edges for n, _ in targets]) \
            and all([can_be_written(n, n is root, arrivals) for n in arrivals]):
        straight = write(root, nr, Text(arrivals, keep, create, wanted, targets))
        _passes[key] = (straight, *_passes.get(key, ()))[:KEPT]


def can_be_written(node, is_root, arrivals) -> bool:
    """Whether `node` is a leaf's, or an operator's with one output, and nobody has hooks on it."""
    cls = node.__class__
    if cls is AccumulateGrad:
        return True
    plain = "operator" in vars(cls) and node.edges       # other classes have hooks, or their own
    return plain and (is_root or node._numbers is None and node.n_outputs == 1) and (
        node.part is None or gets_one(node.edges[0], arrivals))     # else see added_in_place


def gets_one(node, arrivals) -> bool:
    """Whether one gradient arrives at a node, no more."""
    arrived = arrivals.get(node)
    return arrived is None or arrived[0] == 1


def write(root, nr, text):
    """The function of (node, gradient, targets) that sends a gradient through a graph like that of
    `root`; it returns what arrives at the targets, or None if the graph is not like it."""
    for node in text.number:
        if node.edges:
            text.take_apart(node)
    for node in sorted([n for n in text.reached if n.edges], key=lambda n: -n._seq):
        text.run(node)
    given = ["d0" if k == nr else "None" for k in range(root.n_outputs)]
    lines = ["def straight(n0, d0, targets):",
             "    try:", *[f"        {line}" for line in text.nodes],
             "    except (AttributeError, ValueError):          # no node, or of other edges",
             "        return None",
             f"    if {text.differs()}: return None",
             f"    d0 = [{', '.join(given)}]" if root.n_outputs > 1 else "",
             "    found = {}",
             *[f"    {line}" for line in text.calls],
             "    return found"]
    scope = {"classes": tuple(text.classes.values()), "ndarray": ndarray, "unusual": unusual,
             "summed": summed, "getrefcount": getrefcount, "LOCAL": LOCAL}
    name = f"{PACKAGE}<pass from {root.name()}>"          # a frame of this package, in tracebacks
    source = "\n".join(lines)
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    exec(compile(source, name, "exec"), scope)
    return scope["straight"]


class Text:
    """The source of a pass: node k is `nk`, its edges are `ek`, its gradient is `dk`."""

    def __init__(self, arrivals, keep, create, wanted, targets):
        self.keep, self.create = keep, create
        self.number = {node: k for k, node in enumerate(arrivals)}
        self.left = {node: 0 for node in arrivals}        # gradients that it still gets
        self.targets = {n for n, _ in targets}
        self.reached = arrivals.keys() if wanted is None else wanted | self.targets
        self.classes, self.again = {}, {}                 # names -> classes; -> names of the same
        self.begun: set = set()
        self.nodes, self.calls = [], []

    def take_apart(self, node):
        """Lines that read a node's edges, and the names of the nodes at their ends."""
        k, names = self.number[node], []
        for i, n in enumerate(node.edges):
            name = f"o{k}_{i}"                            # nothing, or met before
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
        if self.targets:
            places = ", ".join([f"(n{self.number[n]}, 0)" for n in self.targets])
            tests += [f"targets != {{{places}}}"]
        return " or ".join(tests)

    def run(self, node):
        """Call a node, and hand on the gradients of its inputs."""
        k, names, sums, leaves = self.number[node], [], [], []
        for i, n in enumerate(node.edges):
            if n is None or n not in self.reached:
                names.append("_")
                continue
            d, x = f"d{self.number[n]}", f"x{i}"
            if n in self.begun:
                names.append(x)
                sums += [f"if {d} is None: {d} = {x}",
                         f"elif {x} is not None: {d} = summed({d}, {x})", f"del {x}"]
            else:
                self.begun.add(n)
                names.append(d)
            self.left[n] -= 1
            if self.left[n] == 0 and not n.edges:
                leaves += self.arrive(n, d)
        edges = self.edges_of(node)
        if edges != f"e{k}":                              # as the loop does: see restricted()
            self.calls.append(f"n{k}.unpack_all()")
        self.calls += [f"{', '.join(names)}, = {self.call(node, edges)}",
                       "" if self.keep else f"n{k}._saved = None", f"del d{k}", *sums, *leaves]

    def call(self, node, edges):
        """The call of a node, as source. Only the root's gradient is known to be an array."""
        k = self.number[node]
        if self.create:
            made, known = f"n{k}.run_graph(d{k}, {edges})", f"d{k} is not None"
        else:
            made, known = f"n{k}.run(d{k}, {edges})", f"d{k}.__class__ is ndarray"
        other = (f"(None,) * {len(node.edges)}" if self.create
                 else f"unusual(n{k}, d{k}, {edges})")
        return made if k == 0 else f"{made} if {known} else {other}"

    def edges_of(self, node):
        """The edges, with None in place of those beyond which nothing is wanted."""
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


def unusual(node, g, edges):
    """Run a node whose gradient is a NumPy scalar or None."""
    g = completed(g)
    return (None,) * len(edges) if g is None else node.run(g, edges)


def _references_of_a_local_array():
    def accumulate(d, create, references):
        return references
    d = np.empty(1)
    return accumulate(d, False, getrefcount(d))       # as a pass asks: `d` is an argument already


LOCAL = _references_of_a_local_array()
