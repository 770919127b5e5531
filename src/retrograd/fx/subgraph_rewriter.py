"""replace_pattern: another program in place of each part of a graph that looks like a pattern."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from ..nn.modules.module import Module
from ._symbolic_trace import symbolic_trace
from .graph import Graph
from .graph_module import GraphModule
from .node import Node, map_arg

__all__ = ["Match", "replace_pattern"]


class Match(NamedTuple):
    """A part that was replaced: the pattern's last Node, and what stood for each of its Nodes."""

    anchor: Node
    nodes_map: dict[Node, Node]


def replace_pattern(gm: GraphModule, pattern: Callable | GraphModule,
                    replacement: Callable | GraphModule) -> list[Match]:
    """Let `replacement` compute what `pattern` computes, wherever it stands in the graph of `gm`.

    Both are functions or Modules with the same arguments, and are traced. The pattern's arguments
    stand for anything, its other Nodes for those of the same kind, target and arguments. Parts
    whose inner values are used elsewhere are left, and so are those that overlap an earlier one.
    Returns the parts replaced.

    >>> import retrograd as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> found = torch.fx.replace_pattern(
    ...     traced, lambda a: torch.relu(a), lambda a: torch.sigmoid(a))
    >>> len(found), traced(torch.zeros(1))
    (1, tensor([1.5000]))
    """
    wanted, new = _graph_of(pattern), _graph_of(replacement)
    _take_modules(gm, replacement)
    matches = _find(gm.graph, wanted)
    replaced: dict[Node, Node] = {}         # a later part may begin with an earlier one's result
    for match in matches:
        _replace(gm.graph, wanted, new, match, replaced)
    gm.recompile()
    gm.delete_all_unused_submodules()
    return matches


def _graph_of(program: Any) -> Graph:
    return program.graph if isinstance(program, GraphModule) else symbolic_trace(program).graph


def _take_modules(gm: GraphModule, replacement: Any) -> None:
    """Give `gm` the submodules and parameters that the replacement names."""
    if isinstance(replacement, Module):
        for name, module in replacement.named_children():
            if name not in gm._modules:
                gm.add_submodule(name, module)
        for name, parameter in replacement.named_parameters(recurse=False):
            if name not in gm._parameters:
                gm.register_parameter(name, parameter)


def _find(graph: Graph, wanted: Graph) -> list[Match]:
    result = wanted.output_node().args[0]
    if not isinstance(result, Node):
        raise NotImplementedError("replace_pattern: a pattern has to return one value")
    matches, taken = [], set()
    for node in graph.nodes:
        found: dict[Node, Node] = {}
        if _same(result, node, found) and _is_closed(result, found):
            inner = {n for p, n in found.items() if p.op not in ("placeholder", "get_attr")}
            if not inner & taken:
                taken |= inner
                matches.append(Match(result, found))
    return matches


def _same(wanted: Any, given: Any, found: dict[Node, Node]) -> bool:
    """Whether `given` looks like `wanted`; notes what stands for its Nodes in `found`."""
    if isinstance(wanted, (tuple, list)):
        return isinstance(given, (tuple, list)) and len(wanted) == len(given) and all(
            _same(w, g, found) for w, g in zip(wanted, given, strict=True))
    if isinstance(wanted, dict):
        return isinstance(given, dict) and wanted.keys() == given.keys() and all(
            _same(w, given[key], found) for key, w in wanted.items())
    if not isinstance(wanted, Node):
        return type(wanted) is type(given) and wanted == given
    if wanted in found:
        return found[wanted] is given
    if wanted.op == "placeholder":
        found[wanted] = given
        return True
    if not isinstance(given, Node) or (wanted.op, wanted.target) != (given.op, given.target):
        return False
    found[wanted] = given
    return _same(wanted.args, given.args, found) and _same(wanted.kwargs, given.kwargs, found)


def _is_closed(result: Node, found: dict[Node, Node]) -> bool:
    """Whether nothing outside uses what the part computes on its way."""
    inside = set(map(id, found.values()))
    return all(id(user) in inside for wanted, node in found.items()
               if wanted is not result and wanted.op not in ("placeholder", "get_attr")
               for user in node.users)


def _replace(graph: Graph, wanted: Graph, new: Graph, match: Match, replaced: dict) -> None:
    given = [match.nodes_map.get(n) for n in wanted.nodes if n.op == "placeholder"]
    copies: dict[Node, Any] = {}
    last = match.nodes_map[match.anchor]
    with graph.inserting_before(last):
        for node in new.nodes:
            if node.op == "placeholder":
                value = given[len(copies)]
                copies[node] = replaced.get(value, value) if isinstance(value, Node) else value
            elif node.op != "output":
                copies[node] = graph.node_copy(node, copies.__getitem__)
    result = map_arg(new.output_node().args[0], copies.__getitem__)
    last.replace_all_uses_with(result)
    replaced[last] = result
    inner = {n for w, n in match.nodes_map.items() if w.op not in ("placeholder", "get_attr")}
    for node in reversed(list(graph.nodes)):
        if node in inner:
            graph.erase_node(node)
