"""Tracer and symbolic_trace: a module's program, recorded by running it on Proxies."""

from __future__ import annotations

import builtins
import functools
import inspect
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import retrograd as torch

from ..nn.modules.container import Sequential
from ..nn.modules.module import Module
from ..nn.parameter import Parameter
from .graph import Graph
from .graph_module import GraphModule
from .node import BASE_TYPES, Argument
from .proxy import ParameterProxy, Proxy, TracerBase

__all__ = ["Tracer", "is_fx_tracing", "symbolic_trace", "wrap"]

_wrapped: dict[tuple[int, str], dict] = {}  # globals in which calls of a name become Nodes
_tracing = False


def is_fx_tracing() -> bool:
    """Whether a program is being traced."""
    return _tracing


def wrap(fn_or_name: str | Callable) -> Any:
    """Record calls of a function of this module as single Nodes, without tracing into it.

    Used at the top of a module, by the function's name or as its decorator.

    Raises:
        RuntimeError: neither a function nor a name.
    """
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or "
                           "string name")
    name = fn_or_name if isinstance(fn_or_name, str) else fn_or_name.__name__
    namespace = sys._getframe(1).f_globals
    _wrapped[id(namespace), name] = namespace
    return fn_or_name


class Tracer(TracerBase):
    """Records a module's forward, or a function; `is_leaf_module` says what becomes one Node.

    >>> import retrograd as torch
    >>> net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    >>> [node.name for node in torch.fx.Tracer().trace(net).nodes]
    ['input_1', '_0', '_1', 'output']
    """

    proxy_buffer_attributes = False     # whether what is done with buffers is recorded, too

    def __init__(self, autowrap_modules: tuple = (math,), autowrap_functions: tuple = (),
                 param_shapes_constant: bool = False) -> None:
        """Calls of functions of `autowrap_modules` and of `autowrap_functions` become single Nodes.

        With `param_shapes_constant` programs may branch on the shapes of parameters.
        """
        self._whole = {id(function) for module in autowrap_modules
                       for name, function in vars(module).items()
                       if not name.startswith("_") and callable(function)}
        self._whole.update(map(id, autowrap_functions))
        self._search = autowrap_modules
        self.param_shapes_constant = param_shapes_constant

    def is_leaf_module(self, m: Module, module_qualified_name: str) -> bool:
        """Whether calls of a module become single Nodes: torch.nn's do, but for Sequential."""
        home = type(m).__module__.replace("retrograd", "torch", 1)
        return home.startswith(("torch.nn", "torch.ao.nn")) and not isinstance(m, Sequential)

    def path_of_module(self, mod: Module) -> str:
        """A submodule's name; NameError if it is none."""
        for name, module in self.root.named_modules():
            if module is mod:
                return name
        raise NameError("module is not installed as a submodule")

    def call_module(self, m: Module, forward: Callable, args: tuple, kwargs: dict) -> Any:
        """Called for each call of a submodule; `forward` runs it on Proxies."""
        name = self.path_of_module(m)
        if self.is_leaf_module(m, name):
            return self.create_proxy("call_module", name, args, kwargs)
        return forward(*args, **kwargs)

    def getattr(self, attr: str, attr_val: Any, parameter_proxy_cache: dict) -> Any:
        """Called for each parameter and buffer that is read; a buffer stays the tensor it is."""
        recorded = torch.Tensor if self.proxy_buffer_attributes else Parameter
        name = self._names.get(id(attr_val)) if isinstance(attr_val, recorded) else None
        if name is None:
            return attr_val
        if name not in parameter_proxy_cache:
            of_known_shape = self.param_shapes_constant and isinstance(attr_val, Parameter)
            parameter_proxy_cache[name] = self.create_proxy(
                "get_attr", name, (), {},
                proxy_factory_fn=(lambda node: ParameterProxy(self, node, name, attr_val))
                if of_known_shape else None)
        return parameter_proxy_cache[name]

    def create_arg(self, a: Any) -> Argument:
        if isinstance(a, torch.Tensor):
            name = self._names.get(id(a))
            if name is None:
                number = 0
                while hasattr(self.root, name := f"_tensor_constant{number}"):
                    number += 1
                setattr(self.root, name, a)
                self._names[id(a)] = name
            return self.create_node("get_attr", name, (), {})
        if isinstance(a, Module):
            return self.create_node("get_attr", self.path_of_module(a), (), {})
        return super().create_arg(a)

    def trace(self, root: Module | Callable, concrete_args: dict | None = None) -> Graph:
        """The Graph of a module or a function; `concrete_args` are values that arguments have."""
        self.root = root if isinstance(root, Module) else Module()
        function = type(root).forward if isinstance(root, Module) else root
        self.graph = Graph(tracer_cls=type(self))
        named = (*self.root.named_parameters(remove_duplicate=False),
                 *self.root.named_buffers(remove_duplicate=False))
        self._names = {id(tensor): name for name, tensor in named}
        for name, module in self.root.named_modules():
            for key, value in vars(module).items():
                if isinstance(value, torch.Tensor):
                    self._names.setdefault(id(value), f"{name}.{key}" if name else key)
        with _patched(self, function):
            called, values = self._arguments(function, root, concrete_args or {})
            annotated = getattr(called, "__annotations__", {}).get("return")
            self.create_node("output", "output", (self.create_arg(called(*values)),), {},
                             type_expr=annotated)
        return self.graph

    def _arguments(self, function: Any, root: Any, concrete: dict) -> tuple[Callable, list]:
        """What to call, and its arguments: `*args` and `**kwargs` are one Proxy each."""
        plain = inspect.unwrap(function)
        signature = inspect.signature(plain).parameters
        code = plain.__code__
        flags = (inspect.CO_VARARGS, "*"), (inspect.CO_VARKEYWORDS, "**")
        stars = [star for flag, star in flags if code.co_flags & flag]
        fixed = code.co_argcount + code.co_kwonlyargcount
        values: list = [root] if isinstance(root, Module) else []
        specialized = 0
        for name in code.co_varnames[len(values):fixed]:
            default = signature[name].default
            given = () if default is signature[name].empty else (default,)
            if name in concrete:
                specialized += 1
                values.append(self._specialized(name, specialized, concrete[name], given))
            else:
                values.append(self.create_proxy("placeholder", name, given, {},
                                                type_expr=plain.__annotations__.get(name)))
        for star, name in zip(stars, code.co_varnames[fixed:], strict=False):
            values.append(self.create_proxy("placeholder", star + name, (), {}))
        if len(values) == code.co_argcount:
            return function, values
        positional = code.replace(co_argcount=len(values), co_kwonlyargcount=0,
                                  co_posonlyargcount=0, co_flags=code.co_flags & ~(
                                      inspect.CO_VARARGS | inspect.CO_VARKEYWORDS))
        return FunctionType(positional, plain.__globals__, closure=plain.__closure__), values

    def _specialized(self, name: str, number: int, value: Any, default: tuple) -> Any:
        given = self.create_proxy("placeholder", f"{name}_{number}", default, {})
        if isinstance(value, BASE_TYPES) and value is not None:
            torch._assert(given == value, f"{name} has been specialized to have value {value} but "
                                          "got another value")
        return value


@contextmanager
def _patched(tracer: Tracer, traced: Callable) -> Iterator[None]:
    """Inside, the tracer sees calls of modules and wrapped functions, and reads of attributes."""
    global _tracing
    call, get = Module.__call__, Module.__getattr__
    parameters: dict = {}

    @functools.wraps(call)
    def traced_call(module: Module, *args: Any, **kwargs: Any) -> Any:
        return tracer.call_module(module, lambda *a, **k: call(module, *a, **k), args, kwargs)

    @functools.wraps(get)
    def traced_get(module: Module, name: str) -> Any:
        return tracer.getattr(name, get(module, name), parameters)

    wrapped = [(space, name, space.get(name, getattr(builtins, name, None)))
               for (_, name), space in _wrapped.items()]
    whole, own = tracer._whole, inspect.unwrap(traced).__globals__
    names = wrapped.copy()
    if isinstance(tracer.root, GraphModule):        # its code has names of its own for them
        whole = whole | {id(function) for *_, function in wrapped}
        names += [(own, name, function) for _, name, function in wrapped
                  if getattr(builtins, name, None) is function]
    for space in (*(module.__dict__ for module in tracer._search), own):
        names += [(space, name, value) for name, value in space.items() if id(value) in whole]
    places = {(id(space), name): (space, name, function, name in space)
              for space, name, function in names}
    Module.__call__, Module.__getattr__ = traced_call, traced_get  # type: ignore[method-assign]
    for space, name, function, _ in places.values():
        space[name] = _recorded(function, tracer)
    before, _tracing = _tracing, True
    try:
        yield
    finally:
        _tracing = before
        Module.__call__, Module.__getattr__ = call, get  # type: ignore[method-assign]
        for space, name, function, was_there in places.values():
            if was_there:
                space[name] = function
            else:
                del space[name]


def _recorded(function: Callable, tracer: Tracer) -> Callable:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        found: list = []
        torch.fx.node.map_aggregate((args, kwargs),
                                    lambda v: found.append(v) if isinstance(v, Proxy) else None)
        if not found:
            return function(*args, **kwargs)
        return tracer.create_proxy("call_function", function, args, kwargs)

    return wrapper


def symbolic_trace(root: Module | Callable, concrete_args: dict | None = None) -> GraphModule:
    """A GraphModule of a module or a function, recorded by running it on Proxies.

    >>> import retrograd as torch
    >>> traced = torch.fx.symbolic_trace(lambda x: torch.relu(x) + 1)
    >>> print(traced.code.strip())
    def forward(self, x):
        relu = torch.relu(x);  x = None
        add = relu + 1;  relu = None
        return add

    Raises:
        TraceError: the program branches on values.
    """
    tracer = Tracer()
    graph = tracer.trace(root, concrete_args)
    name = type(root).__name__ if isinstance(root, Module) else root.__name__
    return GraphModule(tracer.root, graph, name)
