"""Graph: a traced program as a list of Nodes, and as Python code."""

from __future__ import annotations

import builtins
import keyword
import operator
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import GenericAlias, UnionType
from typing import Any

import retrograd as torch

from .node import Argument, Node, Target, map_arg, qualified_name, type_name

__all__ = ["Graph", "PythonCode"]

_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**",
    "matmul": "@", "lshift": "<<", "rshift": ">>", "and_": "&", "or_": "|", "xor": "^", "eq": "==",
    "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}
_INFIX_OF = {getattr(operator, name): sign for name, sign in _INFIX.items()}
_GENERIC_OF = {generic.__origin__: generic for generic in (
    getattr(typing, name) for name in ("List", "Dict", "Set", "FrozenSet", "Tuple", "Type"))}
_PREFIX_OF = {operator.neg: "-", operator.pos: "+", operator.invert: "~"}


@dataclass
class PythonCode:
    """Source of a forward function, and the names that it takes from outside."""

    src: str
    globals: dict[str, Any] = field(default_factory=dict)


class Graph:
    """The steps of a program in the order they run.

    >>> import operator
    >>> import retrograd as torch
    >>> graph = torch.fx.Graph()
    >>> x = graph.placeholder("x")
    >>> doubled = graph.call_function(operator.mul, (x, 2))
    >>> _ = graph.output(doubled)
    >>> torch.fx.GraphModule(torch.nn.Module(), graph)(torch.ones(1))
    tensor([2.])
    """

    def __init__(self, owning_module: Any = None, tracer_cls: Any = None,
                 tracer_extras: Any = None) -> None:
        self.owning_module = owning_module
        self._tracer_cls = tracer_cls
        self._nodes: list[Node] = []
        self._names: set[str] = set()
        self._numbers: dict[str, int] = {}  # the last that a name has got
        self._at: int | None = None         # where new nodes go; None: at the end

    @property
    def nodes(self) -> _NodeList:
        return _NodeList(self)

    # ---- making nodes

    def create_node(self, op: str, target: Target, args: tuple | None = None,
                    kwargs: dict | None = None, name: str | None = None,
                    type_expr: Any = None) -> Node:
        """A new Node at the end, or where `inserting_before` or `inserting_after` says."""
        unique = self._unique(name if name is not None else self._candidate(op, target))
        node = Node(self, unique, op, target, args or (), kwargs or {}, type_expr)
        if self._at is None:
            self._nodes.append(node)
        else:
            self._nodes.insert(self._at, node)
            self._at += 1
        return node

    def placeholder(self, name: str, type_expr: Any = None, default_value: Any = ...) -> Node:
        """An argument of the program."""
        args = () if default_value is ... else (default_value,)
        return self.create_node("placeholder", name, args, type_expr=type_expr)

    def get_attr(self, qualified_name: str, type_expr: Any = None) -> Node:
        """An attribute of the module, such as a parameter."""
        return self.create_node("get_attr", qualified_name, type_expr=type_expr)

    def call_function(self, the_function: Callable, args: tuple | None = None,
                      kwargs: dict | None = None, type_expr: Any = None,
                      name: str | None = None) -> Node:
        """A function's call."""
        return self.create_node("call_function", the_function, args, kwargs, name, type_expr)

    def call_method(self, method_name: str, args: tuple | None = None,
                    kwargs: dict | None = None, type_expr: Any = None) -> Node:
        """A call of a method of the first argument."""
        return self.create_node("call_method", method_name, args, kwargs, type_expr=type_expr)

    def call_module(self, module_name: str, args: tuple | None = None,
                    kwargs: dict | None = None, type_expr: Any = None) -> Node:
        """A call of a submodule."""
        return self.create_node("call_module", module_name, args, kwargs, type_expr=type_expr)

    def output(self, result: Argument, type_expr: Any = None) -> Node:
        """What the program returns."""
        return self.create_node("output", "output", (result,), type_expr=type_expr)

    def node_copy(self, node: Node, arg_transform: Callable = lambda node: node) -> Node:
        """A copy of another graph's Node, whose Nodes `arg_transform` translates."""
        args, kwargs = map_arg((node.args, node.kwargs), arg_transform)
        copy = self.create_node(node.op, node.target, args, kwargs, node.name, node.type)
        copy.meta = dict(node.meta)
        return copy

    def graph_copy(self, g: Graph, val_map: dict[Node, Node], return_output_node: bool = False):
        """Copies of another graph's Nodes, kept in `val_map`; what stands for its output."""
        for node in g.nodes:
            if node in val_map:
                continue
            if node.op == "output":
                result = map_arg(node.args[0], val_map.__getitem__)
                return (result, node) if return_output_node else result
            val_map[node] = self.node_copy(node, val_map.__getitem__)
        return None

    def __deepcopy__(self, memo: dict) -> Graph:
        copy = Graph(tracer_cls=self._tracer_cls)
        copied: dict[Node, Node] = {}
        for node in self._nodes:
            copied[node] = copy.node_copy(node, copied.__getitem__)
        memo[id(self)] = copy
        return copy

    # ---- places

    def _neighbour(self, node: Node, step: int) -> Node:
        return self._nodes[self._nodes.index(node) + step]

    def _move(self, node: Node, beside: Node, offset: int) -> None:
        if node is not beside:
            self._nodes.remove(node)
            self._nodes.insert(self._nodes.index(beside) + offset, node)

    def inserting_before(self, n: Node | None = None) -> _InsertPoint:
        """A block whose new Nodes go before `n` (None: at the beginning)."""
        return _InsertPoint(self, 0 if n is None else self._nodes.index(n))

    def inserting_after(self, n: Node | None = None) -> _InsertPoint:
        """A block whose new Nodes go after `n` (None: at the end)."""
        return _InsertPoint(self, len(self._nodes) if n is None else self._nodes.index(n) + 1)

    def erase_node(self, to_erase: Node) -> None:
        """Remove a Node; RuntimeError if another uses it."""
        if to_erase.users:
            raise RuntimeError(f"Tried to erase Node {to_erase} but it still had "
                               f"{len(to_erase.users)} users in the graph: {to_erase.users}!")
        at = self._nodes.index(to_erase)
        if self._at is not None and at < self._at:
            self._at -= 1
        to_erase.args, to_erase.kwargs = (), {}
        del self._nodes[at]

    def eliminate_dead_code(self, is_impure_node: Callable[[Node], bool] | None = None) -> bool:
        """Remove Nodes that nothing uses; True if there were any."""
        before = len(self._nodes)
        for node in reversed(self._nodes.copy()):
            kept = node.is_impure() if is_impure_node is None else is_impure_node(node)
            if not node.users and not kept:
                self.erase_node(node)
        return len(self._nodes) < before

    def find_nodes(self, *, op: str, target: Target = None, sort: bool = True) -> list[Node]:
        """The Nodes with this op, and for calls with this target."""
        return [n for n in self._nodes if n.op == op and (target is None or n.target == target)]

    def output_node(self) -> Node:
        """The Node that returns."""
        return next(n for n in reversed(self._nodes) if n.op == "output")

    def lint(self) -> None:
        """Raise RuntimeError unless every Node comes after what it uses, and attributes exist."""
        seen: set[Node] = set()
        for node in self._nodes:
            for used in node.all_input_nodes:
                if used.graph is not self:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' does not belong to "
                                       "this Graph, but was used as an argument!")
                if used not in seen:
                    raise RuntimeError(f"Argument '{used}' of Node '{node}' was used before it "
                                       "has been defined! Please check that Nodes in the graph "
                                       f"are topologically ordered\n{self}")
            seen.add(node)
            if self.owning_module is not None and node.op in ("get_attr", "call_module"):
                operator.attrgetter(node.target)(self.owning_module)

    # ---- names

    def _candidate(self, op: str, target: Target) -> str:
        """A name for a result: the function's, method's or module's, in snake case."""
        if op == "call_function":
            target = getattr(target, "__name__", type(target).__name__)
        text = str(target).replace(".", "_")
        return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", text).lower()

    def _unique(self, name: str) -> str:
        """`name`, followed by the first number that makes it unique if it is taken."""
        name = re.sub(r"[^0-9a-zA-Z_]+", "_", name) or "_unnamed"
        name = f"_{name}" if name[0].isdigit() else name
        found = re.fullmatch(r"(.*?)_(\d+)", name)
        base, number = (found[1], int(found[2])) if found else (name, 0)
        if self._is_taken(name):
            number = max(number, self._numbers.get(base, 0))
            while self._is_taken(name):
                number += 1
                name = f"{base}_{number}"
        self._numbers[base] = max(number, self._numbers.get(base, 0))
        self._names.add(name)
        return name

    def _is_taken(self, name: str) -> bool:
        return (name in self._names or keyword.iskeyword(name) or hasattr(builtins, name)
                or name in ("torch", "self", "inf", "nan", "device"))

    # ---- text

    def __str__(self) -> str:
        return "\n    ".join(["graph():", *(node.format_node() for node in self._nodes)])

    def print_tabular(self) -> None:
        """Print the Nodes as a table."""
        rows = [("opcode", "name", "target", "args", "kwargs")]
        rows += [tuple(map(str, (n.op, n.name, n.target, n.args, n.kwargs))) for n in self._nodes]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        rows.insert(1, tuple("-" * width for width in widths))
        for row in rows:
            print("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())

    def python_code(self, root_module: str = "self", **options: Any) -> PythonCode:
        """The program as source, with `root_module` for the module's name."""
        return _Writer(self, root_module).write()


class _NodeList:
    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __len__(self) -> int:
        return len(self._graph._nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self._graph._nodes.copy())      # which may be changed meanwhile

    def __reversed__(self) -> Iterator[Node]:
        return reversed(self._graph._nodes.copy())


class _InsertPoint:
    def __init__(self, graph: Graph, at: int) -> None:
        self._graph, self._before = graph, graph._at
        graph._at = at

    def __enter__(self) -> None:
        return None

    def __exit__(self, *exc: object) -> None:
        self._graph._at = self._before


class _Writer:
    """Writes a graph as a Python function; values are forgotten after their last use."""

    def __init__(self, graph: Graph, root: str) -> None:
        self.graph, self.root = graph, root
        self.globals: dict[str, Any] = {"torch": torch, "inf": float("inf"), "nan": float("nan"),
                                        "device": torch.device}
        self.last: dict[Node, list[Node]] = {}      # node: the ones it is the last to use
        seen: set[Node] = set()
        for node in reversed(graph._nodes):
            for used in node.all_input_nodes:
                if used not in seen:
                    seen.add(used)
                    self.last.setdefault(node, []).append(used)

    def write(self) -> PythonCode:
        inputs, lines, returned = [self.root], [], ""
        for node in self.graph._nodes:
            if node.op == "placeholder":
                inputs.append(self.parameter(node, lines))
                continue
            if node.op == "output":
                lines.append(f"return {self.value(node.args[0])}")
                if node.type is not None:
                    returned = f" -> {self.annotation(node.type)}"
                continue
            line = f"{node.name}{self.typed(node)} = {self.expression(node)}"
            dead = [used.name for used in self.last.get(node, [])]
            if not node.users:
                dead.append(node.name)
            lines.append(line + (f";  {' = '.join(dead)} = None" if dead else ""))
        body = "".join(f"    {line}\n" for line in lines or ["pass"])
        head = f"def forward({', '.join(inputs)}){returned}:"
        return PythonCode(f"\n\n\n{head}\n{body}    ", self.globals)

    def parameter(self, node: Node, lines: list[str]) -> str:
        free = str(node.target)
        bare = free.lstrip("*")
        if bare != node.name:
            lines.append(f"{node.name} = {bare}")
        return free + self.typed(node) + (f" = {self.value(node.args[0])}" if node.args else "")

    def typed(self, node: Node) -> str:
        return "" if node.type is None else f" : {self.annotation(node.type)}"

    def annotation(self, a: Any) -> str:
        parts = [self.annotation(part) for part in getattr(a, "__args__", ())]
        if isinstance(a, UnionType):
            return "|".join(parts)
        origin = getattr(a, "__origin__", None)
        if origin is None:
            return self.reachable(type_name(a), a)
        if origin is Callable and parts:        # whose arguments are not those between its brackets
            return self.name_for(repr(a), a)
        if parts and not isinstance(a, GenericAlias):
            origin = _GENERIC_OF.get(origin, origin)
        head = self.reachable(type_name(origin), origin)
        return f"{head}[{','.join(parts)}]" if parts else head

    def expression(self, node: Node) -> str:
        if node.op == "get_attr":
            return self.path(node.target)
        if node.op == "call_module":
            return f"{self.path(node.target)}({self.arguments(node.args, node.kwargs)})"
        if node.op == "call_method":
            owner = self.value(node.args[0])
            return f"{owner}.{node.target}({self.arguments(node.args[1:], node.kwargs)})"
        return self.call(node)

    def call(self, node: Node) -> str:
        target, args = node.target, node.args
        if not node.kwargs and len(args) == 2 and target in _INFIX_OF:
            return f"{self.value(args[0])} {_INFIX_OF[target]} {self.value(args[1])}"
        if not node.kwargs and len(args) == 1 and target in _PREFIX_OF:
            return f"{_PREFIX_OF[target]}{self.value(args[0])}"
        if target is operator.getitem and len(args) == 2:
            return f"{self.value(args[0])}[{self.value(args[1])}]"
        if target is getattr and len(args) == 2 and str(args[1]).isidentifier():
            return f"{self.value(args[0])}.{args[1]}"
        return f"{self.function(target)}({self.arguments(args, node.kwargs)})"

    def function(self, target: Callable) -> str:
        return self.reachable(qualified_name(target), target)

    def reachable(self, name: str, value: Any) -> str:
        if getattr(builtins, name, None) is value:
            return name
        if name.startswith("torch."):
            try:
                if operator.attrgetter(name.partition(".")[2])(torch) is value:
                    return name
            except AttributeError:
                pass
        return self.name_for(name, value)

    def name_for(self, name: str, value: Any) -> str:
        base = free = re.sub(r"[^0-9a-zA-Z_]+", "_", name)
        number = 0
        while self.globals.get(free, value) is not value:
            number += 1
            free = f"{base}_{number}"
        self.globals[free] = value
        return free

    def arguments(self, args: tuple, kwargs: dict) -> str:
        return ", ".join([*map(self.value, args),
                          *(f"{k} = {self.value(v)}" for k, v in kwargs.items())])

    def path(self, target: str) -> str:
        text = self.root
        for part in target.split("."):
            text = f"{text}.{part}" if part.isidentifier() and not keyword.iskeyword(part) \
                else f'getattr({text}, "{part}")'
        return text

    def value(self, a: Argument) -> str:
        if isinstance(a, Node):
            return a.name
        if isinstance(a, tuple):
            if hasattr(a, "_fields"):
                return f"{self.name_for(type(a).__name__, type(a))}({self.arguments(a, {})})"
            return f"({', '.join(map(self.value, a))}{',' * (len(a) == 1)})"
        if isinstance(a, list):
            return f"[{', '.join(map(self.value, a))}]"
        if isinstance(a, dict):
            return "{" + ", ".join(f"{k!r}: {self.value(v)}" for k, v in a.items()) + "}"
        if isinstance(a, slice):
            return f"slice({self.value(a.start)}, {self.value(a.stop)}, {self.value(a.step)})"
        if callable(a):
            return self.function(a)
        return repr(a)
