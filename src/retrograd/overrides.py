"""What libraries ask about PyTorch's ``__torch_function__`` protocol.

retrograd's operators do not look for ``__torch_function__``: subclasses of Tensor are computed on
as plain tensors. So ``has_torch_function`` answers what PyTorch would, and
``handle_torch_function`` calls the protocol for functions that ask for it themselves.
"""

from __future__ import annotations

import functools

from ._tensor import Tensor

__all__ = [
    "TorchFunctionMode",
    "handle_torch_function",
    "has_torch_function",
    "has_torch_function_unary",
    "has_torch_function_variadic",
    "is_tensor_like",
    "is_tensor_method_or_property",
    "resolve_name",
    "wrap_torch_function",
]


def is_tensor_like(inp) -> bool:
    """Whether ``inp`` is a Tensor, or an object of a type that has ``__torch_function__``.

    >>> import retrograd as torch
    >>> torch.overrides.is_tensor_like(torch.ones(1)), torch.overrides.is_tensor_like(1.0)
    (True, False)
    """
    return isinstance(inp, Tensor) or hasattr(type(inp), "__torch_function__")


def _overrides(value) -> bool:
    own = getattr(type(value), "__torch_function__", None)
    return own is not None and own is not getattr(Tensor, "__torch_function__", None)


def has_torch_function(relevant_args) -> bool:
    """Whether one of the arguments overrides ``__torch_function__``."""
    return any(map(_overrides, relevant_args))


def has_torch_function_unary(value) -> bool:
    """``has_torch_function`` of one argument."""
    return _overrides(value)


def has_torch_function_variadic(*relevant_args) -> bool:
    """``has_torch_function`` of the arguments."""
    return has_torch_function(relevant_args)


def _in_order(relevant_args) -> list:
    """One argument of each overriding type: as they come, subclasses before their bases."""
    found: list = []
    for arg in relevant_args:
        if not _overrides(arg) or any(type(arg) is type(other) for other in found):
            continue
        position = next(
            (i for i, other in enumerate(found) if issubclass(type(arg), type(other))), len(found)
        )
        found.insert(position, arg)
    return found


def handle_torch_function(public_api, relevant_args, *args, **kwargs):
    """Let the arguments' ``__torch_function__`` compute ``public_api(*args, **kwargs)``.

    The first that does not return NotImplemented decides; TypeError if none does.
    """
    overriding = _in_order(relevant_args)
    types = tuple(map(type, overriding))
    for arg in overriding:
        result = arg.__torch_function__(public_api, types, args, kwargs)
        if result is not NotImplemented:
            return result
    name = f"{public_api.__module__}.{public_api.__name__}"
    raise TypeError(
        f"no implementation found for '{name}' on types that implement __torch_function__: "
        f"{[type(arg) for arg in overriding]}"
    )


def wrap_torch_function(dispatcher):
    """Decorate a function so that the arguments ``dispatcher`` picks may override it."""

    def decorate(function):
        @functools.wraps(function)
        def wrapped(*args, **kwargs):
            relevant = dispatcher(*args, **kwargs)
            if has_torch_function(relevant):
                return handle_torch_function(wrapped, relevant, *args, **kwargs)
            return function(*args, **kwargs)

        return wrapped

    return decorate


def is_tensor_method_or_property(func) -> bool:
    """Whether ``func`` is found on Tensor under its name."""
    name = getattr(func, "__name__", "")
    return name == "__get__" or (bool(name) and getattr(Tensor, name, None) is func)


def resolve_name(f) -> str | None:
    """The public name of a function of the package, such as "torch.exp"; None if unknown."""
    name = getattr(f, "__name__", None)
    if name is None:
        return None
    if getattr(Tensor, name, None) is f:
        return f"torch.Tensor.{name}"
    module = getattr(f, "__module__", None) or ""
    return f"{module}.{name}" if module.partition(".")[0] in ("torch", "retrograd") else None


class TorchFunctionMode:
    """A block in which PyTorch would pass every operator to ``__torch_function__``.

    Raises:
        NotImplementedError: it is entered; operators here do not ask.
    """

    def __torch_function__(self, func, types, args=(), kwargs=None):
        raise NotImplementedError("TorchFunctionMode.__torch_function__ is to be overridden")

    def __enter__(self):
        raise NotImplementedError(f"{type(self).__name__}: retrograd does not pass operators to "
                                  "a TorchFunctionMode")

    def __exit__(self, *exc_info):
        return None
