"""Node: one step of a traced program."""

from __future__ import annotations

import builtins
import operator
import types
from collections.abc import Callable
from typing import Any

import retrograd as torch

from .._ops import OpOverload, OpOverloadPacket

__all__ = ["Node", "has_side_effect", "map_aggregate", "map_arg"]

Argument = Any
Target = Any
_HOMES = ("", "nn.functional", "linalg", "special", "fft", "nn.init")     # of functions


def map_aggregate(a: Argument, fn: Callable[[Any], Any]) -> Any:
    """`fn` of each part of nested tuples, lists, dicts and slices."""
    if isinstance(a, tuple):
        parts = [map_aggregate(each, fn) for each in a]
        return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
    if isinstance(a, list):
        return [map_aggregate(each, fn) for each in a]
    if isinstance(a, dict):
        return {k: map_aggregate(v, fn) for k, v in a.items()}
    if isinstance(a, slice):
        return slice(*(map_aggregate(each, fn) for each in (a.start, a.stop, a.step)))
    return fn(a)


def map_arg(a: Argument, fn: Callable[[Node], Any]) -> Any:
    """`fn` of each Node in nested containers; other values stay.

    >>> import retrograd as torch
    >>> import retrograd.fx
    >>> a, b = torch.fx.Graph().placeholder('a'), [1, (2,)]
    >>> torch.fx.map_arg((a, b), lambda node: node.name)
    ('a', [1, (2,)])
    """
    return map_aggregate(a, lambda each: fn(each) if isinstance(each, Node) else each)


_EFFECTS: set[Callable] = set()     # functions with side effects


def has_side_effect(fn: Callable) -> Callable:
    """`fn`, whose calls `Graph.eliminate_dead_code` will leave.

    >>> import retrograd as torch
    >>> torch.fx.has_side_effect(print)
    <built-in function print>
    """
    _EFFECTS.add(fn)
    return fn


for _name in ("normal", "bernoulli", "poisson", "multinomial", "rand", "randn", "randint",
              "randperm", "rand_like", "randn_like", "randint_like", "_assert", "_assert_async"):
    has_side_effect(getattr(torch, _name))
has_side_effect(operator.setitem)


def _writes(target: Target) -> bool:
    """Whether this is an operator of PyTorch's that writes to an argument: add_, add.out."""
    if not isinstance(target, OpOverload):
        return False
    name = target.overloadpacket.__name__
    return target._overloadname == "out" or name.endswith("_") and not name.endswith("__")


def qualified_name(function: Callable) -> str:
    """How generated code names a function: torch.relu, operator.add."""
    name = getattr(function, "__name__", type(function).__name__)
    if getattr(builtins, name, None) is function:
        return name
    if getattr(operator, name, None) is function or function is operator.getitem:
        return f"operator.{name}"
    for home in _HOMES:
        if getattr(torch if not home else operator.attrgetter(home)(torch), name, None) is function:
            return f"torch.{home}.{name}" if home else f"torch.{name}"
    return f"{getattr(function, '__module__', None) or '_unknown'}.{name}"


def type_name(annotation: Any) -> str:
    """How a listing names an annotation: int, torch.Tensor, typing.List[int]."""
    if isinstance(annotation, type):
        return f"{annotation.__module__}.{annotation.__qualname__}".removeprefix("builtins.")
    return "..." if annotation is ... else repr(annotation)


class Node:
    """A step of a Graph; made by the Graph's methods.

    Attributes:
        op: "placeholder", "get_attr", "call_function", "call_module", "call_method" or "output".
        target: the function, or the name of the method, module, attribute or argument.
        args, kwargs: its arguments, in which Nodes stand for their results.
        users: the Nodes that use its result, as the keys of a dict.
        type: what the program's annotation says of the result, or None.
        name: of its result, unique in the graph.
        meta: what passes note about it.

    >>> import retrograd as torch
    >>> import retrograd.fx
    >>> net = torch.fx.symbolic_trace(lambda x: x + 1)
    >>> [(node.op, node.name, node.args) for node in net.graph.nodes]
    [('placeholder', 'x', ()), ('call_function', 'add', (x, 1)), ('output', 'output', (add,))]
    """

    def __init__(self, graph: Any, name: str, op: str, target: Target, args: tuple,
                 kwargs: dict, type_expr: Any = None) -> None:
        self.graph, self.name, self.op, self.target = graph, name, op, target
        self.type = type_expr
        self.meta: dict = {}
        self.users: dict[Node, None] = {}
        self._args: tuple = ()
        self._kwargs: dict = {}
        self._set(args, kwargs)

    @property
    def args(self) -> tuple:
        return self._args

    @args.setter
    def args(self, args: tuple) -> None:
        self._set(args, self._kwargs)

    @property
    def kwargs(self) -> dict:
        return self._kwargs

    @kwargs.setter
    def kwargs(self, kwargs: dict) -> None:
        self._set(self._args, kwargs)

    def _set(self, args: tuple, kwargs: dict) -> None:
        for node in self.all_input_nodes:
            node.users.pop(self, None)
        self._args, self._kwargs = tuple(args), dict(kwargs)
        for node in self.all_input_nodes:
            node.users[self] = None

    @property
    def all_input_nodes(self) -> list[Node]:
        """The Nodes whose results this one uses, each once."""
        found: dict[Node, None] = {}
        map_arg((self._args, self._kwargs), lambda node: found.setdefault(node))
        return list(found)

    @property
    def next(self) -> Node:
        """The next Node."""
        return self.graph._neighbour(self, 1)

    @property
    def prev(self) -> Node:
        """The previous Node."""
        return self.graph._neighbour(self, -1)

    def prepend(self, x: Node) -> None:
        """Move `x` directly before this Node."""
        self.graph._move(x, self, 0)

    def append(self, x: Node) -> None:
        """Move `x` directly after this Node."""
        self.graph._move(x, self, 1)

    def update_arg(self, idx: int, arg: Argument) -> None:
        """Replace a positional argument."""
        self.args = (*self._args[:idx], arg, *self._args[idx + 1:])

    def insert_arg(self, idx: int, arg: Argument) -> None:
        """Insert a positional argument."""
        self.args = (*self._args[:idx], arg, *self._args[idx:])

    def update_kwarg(self, key: str, arg: Argument) -> None:
        """Set a keyword argument."""
        self.kwargs = {**self._kwargs, key: arg}

    def replace_all_uses_with(self, replace_with: Node,
                              delete_user_cb: Callable[[Node], bool] = lambda user: True,
                              *, propagate_meta: bool = False) -> list[Node]:
        """Let the users of this Node use another one instead; returns those users."""
        if propagate_meta:
            replace_with.meta.update(self.meta)
        users = [user for user in self.users if delete_user_cb(user)]
        for user in users:
            user.replace_input_with(self, replace_with)
        return users

    def replace_input_with(self, old_input: Node, new_input: Node) -> None:
        """Use `new_input` wherever this Node uses `old_input`."""
        def exchange(node: Node) -> Node:
            return new_input if node is old_input else node

        self._set(map_arg(self._args, exchange), map_arg(self._kwargs, exchange))

    def is_impure(self, impure_random: bool = True) -> bool:
        """Whether the Node must stay even if nothing uses its result."""
        if self.op == "call_function":
            target = self.target
            if isinstance(target, OpOverloadPacket):
                return target in _EFFECTS or _writes(target.default)
            return target in _EFFECTS or _writes(target)
        if self.op == "call_module":
            return getattr(self.graph.owning_module.get_submodule(self.target), "_is_impure",
                           False)
        return self.op in ("placeholder", "output")

    def format_node(self) -> str:
        """One line that describes the Node."""
        if self.op == "output":
            return f"return {self._args[0]}"
        shown = self._pretty_target()
        typed = "" if self.type is None else f"{type_name(self.type)} "
        head = f"%{self.name} : {typed}[num_users={len(self.users)}] = {self.op}[target={shown}]"
        if self.op == "placeholder":
            return head + (f"(default={self._args[0]})" if self._args else "")
        if self.op == "get_attr":
            return head
        args, kwargs = map_arg((self._args, self._kwargs), _Percent)
        pairs = ", ".join(f"{k}: {v}" for k, v in kwargs.items())
        listed = ", ".join(map(str, args)) + "," * (len(args) == 1)
        return f"{head}(args = ({listed}), kwargs = {{{pairs}}})"

    def _pretty_target(self) -> str:
        if isinstance(self.target, str):
            return self.target
        name = qualified_name(self.target)
        return name if "." in name else f"builtins.{name}"

    def __repr__(self) -> str:
        return self.name


class _Percent:
    def __init__(self, node: Node) -> None:
        self.node = node

    def __repr__(self) -> str:
        return f"%{self.node.name}"


BASE_TYPES = (str, int, float, bool, complex, types.EllipsisType, type(None), range)
