"""memory(): the graphs that are alive, what they hold, and who keeps them alive.

The objects come from Python's garbage collector, which knows every node; names come from the
variables of all running functions and, where those do not lead to a tensor, from its referrers.
"""

from __future__ import annotations

import gc
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from types import CellType, FrameType, FunctionType, GeneratorType, ModuleType
from typing import Any

from .._tensor import Tensor
from ..autograd.node import AccumulateGrad, Node
from . import reading
from .names import Names
from .places import forget_locals, is_library, outwards
from .words import counted, size


@dataclass
class Line:
    """What one line of the program (or, untraced, one operator) made of a graph."""

    where: str
    nodes: int
    bytes: int


@dataclass
class Graph:
    """Connected nodes: how many, the bytes they hold, by line, and who keeps them alive."""

    nodes: int
    bytes: int
    lines: list[Line]
    kept_by: list[str]


@dataclass
class Memory:
    """What `memory()` returns; prints as a table, shows as HTML in a notebook."""

    graphs: list[Graph] = field(default_factory=list)
    traced: bool = True

    @property
    def nodes(self) -> int:
        """Nodes of all graphs."""
        return sum(g.nodes for g in self.graphs)

    @property
    def bytes(self) -> int:
        """Bytes held for backward by all graphs."""
        return sum(g.bytes for g in self.graphs)

    def to_dict(self) -> dict[str, Any]:
        """The same as plain lists, strings and numbers."""
        return {"nodes": self.nodes, "bytes": self.bytes, "graphs": [asdict(g) for g in
                                                                     self.graphs]}

    def __str__(self):
        if not self.graphs:
            return "no graph is alive"
        lines = [f"{counted(len(self.graphs), 'live graph')}, {counted(self.nodes, 'node')}, "
                 f"{size(self.bytes)} held for backward"]
        for number, graph in enumerate(self.graphs[:SHOWN], 1):
            lines.append(f"graph {number}: {counted(graph.nodes, 'node')}, {size(graph.bytes)}")
            lines += [f"    {part.where}  ({counted(part.nodes, 'node')}, {size(part.bytes)})"
                      for part in graph.lines[:5]]
            lines.append(f"  kept alive by {', '.join(graph.kept_by[:6]) or 'something unnamed'}")
        if len(self.graphs) > SHOWN:
            lines.append(f"... and {len(self.graphs) - SHOWN} more")
        if not self.traced:
            lines.append("(lines of the program are known for what runs inside "
                         "`with torch.debug.trace():`)")
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from .pages import preformatted
        return preformatted(str(self))


SHOWN = 10               # the most graphs that are printed


def memory() -> Memory:
    """Every graph that is alive: its nodes, the bytes they hold, and who keeps it alive.

    Graphs that share nothing but leaves are counted apart; the largest comes first. Bytes are those
    of saved tensors that are no leaf's own memory.

    >>> import retrograd as torch
    >>> w = torch.ones(1000, requires_grad=True)
    >>> losses = []
    >>> with torch.debug.trace():
    ...     for _ in range(3):
    ...         losses.append(w.exp().sum())
    >>> graph = next(g for g in torch.debug.memory().graphs if "losses[0]" in g.kept_by)
    >>> graph.nodes, graph.bytes
    (2, 4000)
    >>> print(graph.lines[0].where)                 # doctest: +ELLIPSIS
    <doctest...>:3  losses.append(w.exp().sum())
    """
    # type(o), as asking an arbitrary object for its __class__ may run its code
    nodes = [o for o in gc.get_objects() if issubclass(type(o), Node) and hasattr(o, "edges")
             and not isinstance(o, AccumulateGrad)]
    named, parts = _named(), [(part, heads_of(part)) for part in components(nodes)]
    holders = Holders([n for part, heads in parts for n in heads[:3]
                       if not any(id(n) in named for n in part)])
    graphs = [_graph(part, heads, named, holders) for part, heads in parts]
    holders.known.clear()
    traced = all(reading.place_of(n) is not None for n in nodes)
    return Memory(sorted(graphs, key=lambda g: -g.bytes), traced)


def _named() -> dict[int, str]:
    """The names of variables that hold a result of a node, by the node's id."""
    frames = all_frames()
    names = Names(frames)
    forget_locals(frames)
    named = dict(names.by_node)
    for t in names.objects.values():                 # a view's node is not its _grad_fn
        if isinstance(t, Tensor) and t._base is not None and t._view_node is not None:
            named.setdefault(id(t._view_node), names.by_id[id(t)])
    return named


def all_frames() -> list[FrameType]:
    """The frames of the user's files, of all threads."""
    return [f for frame in sys._current_frames().values() for f in outwards(frame)
            if not is_library(f.f_code.co_filename)]


def components(nodes: list[Node]) -> list[list[Node]]:
    """The nodes, in groups that edges connect (not by way of leaves)."""
    group = {id(n): n for n in nodes}
    leader = {key: key for key in group}

    def find(key):
        while leader[key] != key:
            leader[key] = key = leader[leader[key]]
        return key
    for n in nodes:
        for e in n.edges:
            if id(e) in leader:
                leader[find(id(e))] = find(id(n))
    parts: dict[int, list[Node]] = {}
    for n in nodes:
        parts.setdefault(find(id(n)), []).append(n)
    return list(parts.values())


def heads_of(part: list[Node]) -> list[Node]:
    """The nodes that no other node leads to."""
    inner = {id(e) for n in part for e in n.edges}
    return [n for n in part if id(n) not in inner]


def _graph(part: list[Node], heads: list[Node], named: dict[int, str], holders: Holders) -> Graph:
    by_line: dict[str, list[Node]] = {}
    for n in part:
        where = reading.place_of(n)
        label = f"{where}  {where.text}" if where else f"{reading.operator_name(n)}()"
        by_line.setdefault(label, []).append(n)
    own = reading.leaf_memory(part)
    lines = [Line(label, len(made), reading.bytes_held(made, own))
             for label, made in by_line.items()]
    lines.sort(key=lambda line: (-line.bytes, -line.nodes))
    kept = [named[id(n)] for n in (*heads, *part) if id(n) in named]
    if not kept:
        kept = [name for n in heads[:3] for name in holders.of_results(n)]
    return Graph(len(part), reading.bytes_held(part, own), lines, list(dict.fromkeys(kept)))


class Holders:
    """Who holds the results of these nodes, and who holds those holders.

    To ask the garbage collector who refers to an object takes a walk over all objects there are.
    So there is one walk for all nodes, one for all their results, and then one for each holder;
    several results usually share one.
    """

    def __init__(self, nodes: list[Node]):
        self.known: dict[int, tuple[Any, list]] = {}     # id -> the object, what refers to it
        self.ours: set[int] = set()                      # ids of the lists made here
        if nodes:
            self.look_up(nodes)
            self.look_up([t for n in nodes for t in self.results(n)])

    def look_up(self, things: list) -> None:
        """Find what refers to these things, all in one walk."""
        found: dict[int, list] = {id(thing): [] for thing in things}
        for o in gc.get_objects():
            for thing in gc.get_referents(o):
                if id(thing) in found:
                    found[id(thing)].append(o)
        self.ours |= {id(things), *map(id, found.values())}
        for thing in things:
            self.note(thing, found[id(thing)])

    def referrers(self, thing: Any) -> list:
        """What refers to a thing."""
        if id(thing) not in self.known:
            self.note(thing, gc.get_referrers(thing))
        return self.known[id(thing)][1]

    def note(self, thing: Any, referrers: list) -> None:
        """Keep what refers to a thing, except running functions and what this object keeps."""
        entry = self.known[id(thing)] = thing, [
            o for o in referrers if id(o) not in self.ours and not isinstance(o, FrameType)
            and not (isinstance(o, GeneratorType) and o.gi_code.co_filename == __file__)]
        self.ours |= {id(entry), id(entry[1])}

    def results(self, node: Node) -> list[Tensor]:
        """The tensors that a node made, as far as they are alive."""
        return [t for t in self.referrers(node) if isinstance(t, Tensor)]

    def of_results(self, node: Node) -> list[str]:
        """Descriptions of what holds a tensor that a node made, where no variable does."""
        return [name for t in self.results(node) for name in [next(self.of(t), None)] if name]

    def of(self, thing: Any, depth: int = 4) -> Iterator[str]:
        """Descriptions of what refers to an object: "Trainer.total", "a list of 5 in losses"."""
        if depth == 0:
            return
        for holder in self.referrers(thing):
            if isinstance(holder, Node) or holder is thing:
                continue
            if isinstance(holder, ModuleType):
                yield holder.__name__
            elif isinstance(holder, dict):
                yield from self._of_dict(holder, thing, depth)
            elif isinstance(holder, (list, tuple, set)):
                outer = next((h for h in self.of(holder, depth - 1)), None)
                kind = f"a {type(holder).__name__} of {len(holder)}"
                if outer is not None:
                    yield f"{kind} in {outer}"
            elif isinstance(holder, CellType):
                yield from self._of_cell(holder)
            elif isinstance(holder, GeneratorType) and holder.gi_frame is not None:
                key = _key(holder.gi_frame.f_locals, thing)
                yield f"{key}, a variable of the generator {holder.__name__}()"
            elif hasattr(holder, "__dict__") and not isinstance(holder,
                                                                (type, FunctionType, Tensor)):
                key = _key(vars(holder), thing)
                if key is not None:
                    yield f"{type(holder).__name__}.{key}"

    def _of_dict(self, table: dict, thing: Any, depth: int) -> Iterator[str]:
        key = _key(table, thing)
        if key is None:
            return
        if "__name__" in table and "__builtins__" in table:
            yield str(key)
            return
        for owner in self.referrers(table):
            if isinstance(owner, type) and owner.__dict__.get(key) is thing:
                yield f"{owner.__name__}.{key}"
                return
            if getattr(owner, "__dict__", None) is table:
                yield f"{type(owner).__name__}.{key}"
                return
        outer = next(self.of(table, depth - 1), None)
        if outer is not None:
            yield f"{outer}[{key!r}]"

    def _of_cell(self, cell: Any) -> Iterator[str]:
        for function in self.referrers(cell):
            if isinstance(function, tuple):
                for owner in self.referrers(function):
                    if isinstance(owner, FunctionType) and owner.__closure__ is function:
                        place = [c is cell for c in function].index(True)
                        yield (f"{owner.__code__.co_freevars[place]}, a variable of "
                               f"{owner.__name__}()")


def _key(table: dict, thing: Any) -> Any:
    return next((k for k, v in list(table.items()) if v is thing), None)
