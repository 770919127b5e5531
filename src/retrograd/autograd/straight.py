"""Backward passes written out, for graphs of a shape that has come often.

NOTE [straight passes]
    A training loop sends gradients through graphs of one shape, step after step. When a small one
    has come OFTEN times, its pass is written out as a function that has neither loop nor heap: it
    takes the nodes out of each other's edges, compares their classes with those that it was
    written for, and calls one after the other. If a graph differs nothing has run yet, and the
    engine's loop takes it. Only operators' nodes and leaves without hooks are written out: no code
    of the program runs meanwhile, and nobody can tell when which node ran.
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

_passes: dict = {}          # (class of the root, number of its output) -> a function of `write`
_seen: dict = {}            # the same -> how many of such graphs the loop took


def straight_pass(edge, g) -> bool:
    """Whether a pass was written out for the graph at `edge`, and has sent `g` through it."""
    root, nr = edge
    found = _passes.get((root.__class__, nr))
    return found is not None and found(root, g)


def note_shape(edge, arrivals) -> None:
    """Count a graph that the loop takes, and now and then write its pass out for the next."""
    root, nr = edge
    key = root.__class__, nr
    seen = _seen[key] = _seen.get(key, 0) + 1
    often, more = divmod(seen, OFTEN)
    if more == 0 and often & (often - 1) == 0 and root.edges \
            and all([can_be_written(n, n is root, arrivals) for n in arrivals]):
        _passes[key] = write(root, nr, arrivals)


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


def write(root, nr, arrivals):
    """The function of (node, gradient) that sends a gradient through a graph like that of `root`,
    and returns whether the graph was like it."""
    text = Text(arrivals)
    for node in arrivals:
        if node.edges:
            text.take_apart(node)
    for node in sorted([n for n in arrivals if n.edges], key=lambda n: -n._seq):
        text.run(node)
    given = ["d0" if k == nr else "None" for k in range(root.n_outputs)]
    lines = ["def straight(n0, d0):",
             "    try:", *[f"        {line}" for line in text.nodes],
             "    except (AttributeError, ValueError):          # no node, or of other edges",
             "        return False",
             f"    if {text.differs()}: return False",
             f"    d0 = [{', '.join(given)}]" if root.n_outputs > 1 else "",
             *[f"    {line}" for line in text.calls],
             "    return True"]
    scope = {"classes": tuple(text.classes.values()), "ndarray": ndarray, "unusual": unusual,
             "summed": summed, "getrefcount": getrefcount, "LOCAL": LOCAL}
    name = f"{PACKAGE}<pass from {root.name()}>"          # a frame of this package, in tracebacks
    source = "\n".join(lines)
    linecache.cache[name] = len(source), None, source.splitlines(True), name
    exec(compile(source, name, "exec"), scope)
    return scope["straight"]


class Text:
    """The lines of a pass. Nodes are n0, n1 ... there, their edges e0, e1 ..., what has arrived at
    them d0, d1 ..."""

    def __init__(self, arrivals):
        self.number = {node: k for k, node in enumerate(arrivals)}
        self.left = {node: 0 for node in arrivals}        # gradients that it still gets
        self.classes, self.again = {}, {}                 # names -> classes; -> names of the same
        self.begun: set = set()
        self.nodes, self.calls = [], []

    def take_apart(self, node):
        """Names for the nodes that this one leads to."""
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
        """The condition that a graph is another."""
        classes = "".join([f"{name}.__class__, " for name in self.classes])
        nodes = ", ".join([f"n{k}" for k in self.number.values()])
        tests = [f"({classes}) != classes", f"len({{{nodes}}}) != {len(self.number)}"]
        return " or ".join(tests + [f"{a} is not {b}" for a, b in self.again.items()])

    def run(self, node):
        """Call a node, and hand on the gradients of its inputs."""
        k, names, sums, leaves = self.number[node], [], [], []
        for i, n in enumerate(node.edges):
            if n is None:
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
                leaves += [f"if {d} is not None: n{self.number[n]}"
                           f".accumulate({d}, False, getrefcount({d}) <= LOCAL)", f"del {d}"]
        call = f"n{k}.run(d{k}, e{k})"
        if node.n_outputs == 1:                           # else it is the root, and gets a list
            call += f" if d{k}.__class__ is ndarray else unusual(n{k}, d{k}, e{k})"
        self.calls += [f"{', '.join(names)}, = {call}",
                       f"n{k}._saved = None", f"del d{k}", *sums, *leaves]


def unusual(node, g, edges):
    """What a node makes of a gradient that is no array yet, or none."""
    g = completed(g)
    return (None,) * len(edges) if g is None else node.run(g, edges)


def _references_of_a_local_array():
    def accumulate(d, create, references):
        return references
    d = np.empty(1)
    return accumulate(d, False, getrefcount(d))       # as a pass asks: `d` is an argument already


LOCAL = _references_of_a_local_array()
