"""The `__torch_function__` protocol as libraries use it; see NOTE [__torch_function__].

>>> import retrograd as torch
>>> class Metres(torch.Tensor):
...     pass
>>> (torch.ones(2).as_subclass(Metres) + 1)
Metres([2., 2.])
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from importlib import import_module
from types import FunctionType
from typing import Any

from . import _torch_function as protocol
from ._tensor import Tensor

__all__ = [
    "get_ignored_functions",
    "get_overridable_functions",
    "get_testing_overrides",
    "handle_torch_function",
    "has_torch_function",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "redispatch_function",
    "resolve_name",
    "wrap_torch_function",
]


def is_tensor_like(inp: object) -> bool:
    """Whether `inp` is a Tensor, or an object of a type that has `__torch_function__`.

    >>> import retrograd as torch
    >>> torch.overrides.is_tensor_like(torch.ones(1)), torch.overrides.is_tensor_like(1.0)
    (True, False)
    """
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def has_torch_function(relevant_args: Any) -> bool:
    """Whether the class of one of the arguments takes part in the protocol, and may now.

    >>> import retrograd as torch
    >>> torch.overrides.has_torch_function((torch.ones(1),))
    False
    """
    if not isinstance(relevant_args, Iterable):
        raise TypeError("expected a sequence")
    if protocol.local.passing:
        protocol.local.passing = False
        return False
    if not protocol.local.subclasses:
        return bool(protocol.local.modes)
    return bool(protocol.local.modes) or any(
        type(arg) is not Tensor and protocol.overrides(type(arg)) for arg in relevant_args)


def has_torch_function_unary(value: object) -> bool:
    """`has_torch_function` of one argument.

    >>> import retrograd as torch
    >>> torch.overrides.has_torch_function_unary(torch.ones(1))
    False
    """
    if type(value) is Tensor and not protocol.local.modes and not protocol.local.passing:
        return False
    return has_torch_function((value,))


def has_torch_function_variadic(*relevant_args: object) -> bool:
    """`has_torch_function` of the arguments.

    >>> import retrograd as torch
    >>> torch.overrides.has_torch_function_variadic(torch.ones(1), 2)
    False
    """
    return has_torch_function(relevant_args)


def handle_torch_function(public_api: Callable, relevant_args: Any, *args: Any,
                          **kwargs: Any) -> Any:
    """Let the arguments' `__torch_function__` compute `public_api(*args, **kwargs)`.

    The first that does not return NotImplemented decides; TypeError if none does.

    >>> import retrograd as torch
    >>> from retrograd.overrides import handle_torch_function, has_torch_function
    >>> def twice(x):
    ...     if has_torch_function((x,)):
    ...         return handle_torch_function(twice, (x,), x)
    ...     return x * 2
    >>> class Loud(torch.Tensor):
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args=(), kwargs=None):
    ...         return func.__name__
    >>> twice(torch.ones(1)), twice(torch.ones(1).as_subclass(Loud))
    (tensor([2.]), 'twice')
    """
    found = [arg for arg in protocol.overriding(relevant_args)
             if type(arg) is not Tensor and protocol.local.subclasses]
    result = protocol.dispatch(public_api, found, args, kwargs)
    if result is NotImplemented:
        raise protocol.no_implementation(public_api, found)
    return result


def wrap_torch_function(dispatcher: Callable) -> Callable:
    """Decorate a function so that the arguments `dispatcher` picks may override it.

    >>> import retrograd as torch
    >>> from retrograd.overrides import wrap_torch_function
    >>> @wrap_torch_function(lambda x: (x,))
    ... def twice(x):
    ...     return x * 2
    >>> twice(torch.ones(1))
    tensor([2.])
    """

    def decorate(function: Callable) -> Callable:
        @functools.wraps(function)
        def wrapped(*args: Any, **kwargs: Any) -> Any:
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def redispatch_function(func: Callable, types: Any, args: tuple, kwargs: dict | None) -> Any:
    """What `func` itself computes: it does not ask the classes of its arguments again.

    The functions that it calls do, so that a class sees what happens inside. Results are not made
    instances of the class.

    >>> import retrograd as torch
    >>> class Loud(torch.Tensor):
    ...     @classmethod
    ...     def __torch_function__(cls, func, types, args, kwargs=None):
    ...         print(func.__name__)
    ...         return torch.overrides.redispatch_function(func, types, args, kwargs)
    >>> torch.ones(2).as_subclass(Loud).mul(3)
    mul
    tensor([3., 3.])
    """
    return protocol.passed(func, args, kwargs or {})


class TorchFunctionMode:
    """A block in which every function of the package is handed to `__torch_function__`.

    A subclass's method gets (function, types, args, kwargs); calls that it makes itself go to the
    modes around it. `with` it, or call `super().__torch_function__` for the usual result.

    >>> import retrograd as torch
    >>> class Names(torch.overrides.TorchFunctionMode):
    ...     def __torch_function__(self, func, types, args=(), kwargs=None):
    ...         print(func.__name__)
    ...         return func(*args, **(kwargs or {}))
    >>> with Names():
    ...     x = torch.zeros(2).exp()
    zeros
    exp
    """

    def __torch_function__(self, func: Callable, types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        raise NotImplementedError

    def __enter__(self) -> TorchFunctionMode:
        protocol.arm()
        protocol.local.modes = (*protocol.local.modes, self)
        return self

    def __exit__(self, *exc: object) -> None:
        protocol.local.modes = protocol.local.modes[:-1]

    @classmethod
    def push(cls, *args: Any, **kwargs: Any) -> TorchFunctionMode:
        """An instance, to enter."""
        return cls(*args, **kwargs)


class BaseTorchFunctionMode(TorchFunctionMode):
    """A mode that changes nothing."""

    def __torch_function__(self, func: Callable, types: Any, args: Any = (),
                           kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


def _get_current_function_mode() -> TorchFunctionMode | None:
    modes = protocol.local.modes
    return modes[-1] if modes else None


def _get_current_function_mode_stack() -> list[TorchFunctionMode]:
    return list(protocol.local.modes)


_enable_torch_function = protocol.Enabled


# --------------------------------------------------------------------------- what can be overridden

def _functions_of(home: Any) -> dict[Any, str]:
    """The functions of a module or of Tensor, operators and getters of properties among them."""
    found: dict[Any, str] = {}
    for name in dir(home):
        value = getattr(home, name, None)
        if isinstance(value, property):
            found[value.__get__] = f"{name}.__get__"
        elif isinstance(value, FunctionType) and (name[0] != "_" or name.endswith("__")):
            found.setdefault(value, name)
    return found


def _homes() -> dict[str, Any]:
    modules = ("", ".nn.functional", ".linalg", ".fft", ".special")
    return {**{f"torch{m}": import_module(f"retrograd{m}") for m in modules},
            "torch.Tensor": Tensor}


@functools.cache
def get_overridable_functions() -> dict[Any, list[Callable]]:
    """The functions that ask `__torch_function__`, by where they are: a module or Tensor.

    >>> import retrograd as torch
    >>> torch.add in torch.overrides.get_overridable_functions()[torch]
    True
    """
    protocol.arm()
    return {home: [f for f in _functions_of(home) if protocol.asks(f)]
            for home in _homes().values()}


@functools.cache
def get_ignored_functions() -> set[Callable]:
    """The functions that do not ask `__torch_function__`, such as those that only look.

    >>> import retrograd as torch
    >>> torch.is_tensor in torch.overrides.get_ignored_functions()
    True
    """
    protocol.arm()
    return {function for home in _homes().values() for function in _functions_of(home)
            if not protocol.asks(function)}


def get_testing_overrides() -> dict[Callable, Callable]:
    """For each overridable function one with its parameters that returns -1.

    >>> import retrograd as torch
    >>> torch.overrides.get_testing_overrides()[torch.add](1, 2)
    -1
    """
    return {function: _minus_one(function)
            for functions in get_overridable_functions().values() for function in functions}


def _minus_one(function: Callable) -> Callable:
    getter = function.__name__ == "__get__"
    signature = inspect.signature((lambda self: -1) if getter else function)

    def override(*args: Any, **kwargs: Any) -> int:
        signature.bind(*args, **kwargs)
        return -1

    override.__signature__ = signature      # pyright: ignore
    return override


def is_tensor_method_or_property(func: Callable) -> bool:
    """Whether `func` is found on Tensor under its name.

    >>> import retrograd as torch
    >>> torch.overrides.is_tensor_method_or_property(torch.Tensor.add)
    True
    """
    name = getattr(func, "__name__", "")
    return name == "__get__" or (bool(name) and getattr(Tensor, name, None) is func)


@functools.cache
def _names() -> dict[Any, str]:
    """The public name of every function; the first of several, those in torch before others."""
    named: dict[Any, str] = {}
    for where, home in _homes().items():
        for function, name in _functions_of(home).items():
            named.setdefault(function, f"{where}.{name}")
    return named


def resolve_name(f: Callable) -> str | None:
    """The public name of a function of the package, such as "torch.exp"; None if unknown.

    >>> import retrograd as torch
    >>> torch.overrides.resolve_name(torch.add)
    'torch.add'
    """
    if f in _names():
        return _names()[f]
    module = getattr(f, "__module__", None) or ""
    name = getattr(f, "__name__", None)
    if name is None or module.partition(".")[0] not in ("torch", "retrograd"):
        return None
    return f"{module}.{name}".replace("retrograd", "torch", 1)
