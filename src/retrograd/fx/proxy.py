"""Proxy: stands for a value while a program is traced, and records what is done with it."""

from __future__ import annotations

import dis
import operator
import sys
from collections.abc import Iterator
from types import FunctionType, MethodDescriptorType
from typing import Any

import retrograd as torch

from .._torch_function import arm
from .graph import Graph
from .node import BASE_TYPES, Argument, Node, Target

__all__ = ["Attribute", "GraphAppendingTracer", "ParameterProxy", "Proxy", "TraceError",
           "TracerBase"]

_UNPACK = dis.opmap["UNPACK_SEQUENCE"]


class TraceError(ValueError):
    """What a traced program does cannot be recorded."""


class TracerBase:
    """Makes Nodes of what happens to Proxies."""

    graph: Graph

    def create_node(self, kind: str, target: Target, args: tuple, kwargs: dict,
                    name: str | None = None, type_expr: Any = None) -> Node:
        """A Node at the end of the graph."""
        return self.graph.create_node(kind, target, args, kwargs, name, type_expr)

    def proxy(self, node: Node) -> Proxy:
        """The Proxy of a Node's result."""
        return Proxy(node, self)

    def create_proxy(self, kind: str, target: Target, args: tuple, kwargs: dict,
                     name: str | None = None, type_expr: Any = None,
                     proxy_factory_fn: Any = None) -> Proxy:
        """A Node whose arguments are values of the program; returns the Proxy of its result."""
        node = self.create_node(kind, target, self.create_arg(tuple(args)),
                                self.create_arg(dict(kwargs)), name, type_expr)
        return (proxy_factory_fn or self.proxy)(node)

    def create_arg(self, a: Any) -> Argument:
        """A value as a Node's argument; NotImplementedError for types that none can have."""
        if isinstance(a, Proxy):
            return a.node
        if isinstance(a, tuple):
            parts = [self.create_arg(each) for each in a]
            return type(a)(*parts) if hasattr(a, "_fields") else tuple(parts)
        if isinstance(a, list):
            return [self.create_arg(each) for each in a]
        if isinstance(a, dict):
            return {k: self.create_arg(v) for k, v in a.items()}
        if isinstance(a, slice):
            return slice(*map(self.create_arg, (a.start, a.stop, a.step)))
        if isinstance(a, (*BASE_TYPES, torch.dtype, torch.device, torch.layout,
                          torch.memory_format, FunctionType)) or callable(a):
            return a
        raise NotImplementedError(f"argument of type: {type(a)}")

    def to_bool(self, obj: Proxy) -> bool:
        """Called where a program branches on a Proxy."""
        raise TraceError("symbolically traced variables cannot be used as inputs to control flow")

    def iter(self, obj: Proxy) -> Iterator:
        """Called where a program iterates: `a, b = proxy` is known to take two items."""
        frame = sys._getframe(2)
        code = frame.f_code.co_code
        if code[frame.f_lasti] == _UNPACK:
            return (obj[i] for i in range(code[frame.f_lasti + 1]))  # pyright: ignore
        raise TraceError("Proxy object cannot be iterated. This can be attempted when the Proxy "
                         "is used in a loop or as a *args or **kwargs function argument. See the "
                         "torch.fx docs on pytorch.org for a more detailed explanation of what "
                         "types of control flow can be traced, and check out the Proxy docstring "
                         "for help troubleshooting Proxy iteration errors")

    def keys(self, obj: Proxy) -> Any:
        """Asked for `**proxy`."""
        return Attribute(obj, "keys")()


class GraphAppendingTracer(TracerBase):
    """Appends to a Graph what is done with Proxies, outside a trace."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph


class Proxy:
    """A value of the program being traced.

    >>> import retrograd as torch
    >>> graph = torch.fx.Graph()
    >>> x = torch.fx.Proxy(graph.placeholder("x"))
    >>> (torch.relu(x) + 1).node
    add
    """

    def __init__(self, node: Node, tracer: TracerBase | None = None) -> None:
        arm()           # from now on the package's functions look for Proxies
        self.tracer = GraphAppendingTracer(node.graph) if tracer is None else tracer
        self.node = node

    def __repr__(self) -> str:
        return f"Proxy({self.node.name})"

    def __getattr__(self, k: str) -> Attribute:
        return Attribute(self, k)

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", "__call__", (self, *args), kwargs)

    def __iter__(self) -> Iterator:
        return self.tracer.iter(self)

    def __bool__(self) -> bool:
        return self.tracer.to_bool(self)

    def __len__(self) -> int:
        raise RuntimeError("'len' is not supported in symbolic tracing by default. If you want "
                           "this call to be recorded, please call torch.fx.wrap('len') at module "
                           "scope")

    def keys(self) -> Any:
        """Asked for `**proxy`."""
        return self.tracer.keys(self)

    @classmethod
    def __torch_function__(cls, orig_method: Any, types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if orig_method is torch.einsum and isinstance(args[1], (list, tuple)):
            args = (args[0], *args[1])      # of its two ways to be called, one is recorded
        tracer = _tracer_of((args, kwargs))
        name = getattr(orig_method, "__name__", "")
        if getattr(torch.Tensor, name, None) is orig_method and not _is_function(name, orig_method):
            return tracer.create_proxy("call_method", name, args, kwargs)
        if isinstance(orig_method, MethodDescriptorType):
            return tracer.create_proxy("call_method", name, args, kwargs)
        return tracer.create_proxy("call_function", orig_method, args, kwargs)


def _is_function(name: str, function: Any) -> bool:
    return getattr(torch, name, None) is function


def _tracer_of(values: Any) -> TracerBase:
    for value in values.values() if isinstance(values, dict) else values:
        if isinstance(value, Proxy):
            return value.tracer
        if isinstance(value, (tuple, list, dict)):
            found = _tracer_of(value)
            if found is not None:
                return found
    return None  # type: ignore[return-value]


class Attribute(Proxy):
    """proxy.name: a method to call, or a value once it is used as one."""

    def __init__(self, root: Proxy, attr: str) -> None:
        self.root, self.attr, self.tracer = root, attr, root.tracer
        self._node: Node | None = None

    @property
    def node(self) -> Node:  # type: ignore[override]
        if self._node is None:
            self._node = self.tracer.create_proxy("call_function", getattr,
                                                  (self.root, self.attr), {}).node
        return self._node

    def __call__(self, *args: Any, **kwargs: Any) -> Proxy:
        return self.tracer.create_proxy("call_method", self.attr, (self.root, *args), kwargs)


class ParameterProxy(Proxy):
    """A Proxy of a parameter whose shape a trace takes as it is: programs may branch on it."""

    def __init__(self, tracer: TracerBase, node: Node, name: str, param: torch.Tensor) -> None:
        super().__init__(node, tracer)
        self.name, self.param = name, param

    def __repr__(self) -> str:
        return f"ParameterProxy({self.name})"

    @property
    def shape(self) -> torch.Size:
        return self.param.shape

    @property
    def ndim(self) -> int:
        return self.param.ndim

    def size(self) -> torch.Size:
        return self.param.size()

    def dim(self) -> int:
        return self.param.dim()

    def numel(self) -> int:
        return self.param.numel()

    nelement = numel


def _operator(function: Any, reflected: bool = False) -> Any:
    def apply(self: Proxy, *others: Any) -> Proxy:
        args = (*others, self) if reflected else (self, *others)
        return self.tracer.create_proxy("call_function", function, args, {})
    return apply


for _name in ("add", "sub", "mul", "floordiv", "truediv", "mod", "pow", "lshift", "rshift",
              "and_", "or_", "xor", "matmul"):
    _bare = _name.strip("_")
    setattr(Proxy, f"__{_bare}__", _operator(getattr(operator, _name)))
    setattr(Proxy, f"__r{_bare}__", _operator(getattr(operator, _name), reflected=True))
for _name in ("eq", "ne", "lt", "le", "gt", "ge", "neg", "pos", "invert", "abs", "getitem"):
    setattr(Proxy, f"__{_name}__", _operator(getattr(operator, _name)))
Proxy.__hash__ = object.__hash__  # type: ignore[method-assign]
