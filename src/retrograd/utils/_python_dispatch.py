"""TorchDispatchMode: sees every operator that runs, below autograd."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from .._ops import _under_way
from .._state import state
from .._tensor import WRAPPER, Tensor
from ..ops.aten_args import Shown
from ..ops.calls import Call, Mode
from ..ops.special_modes import flatten


class TorchDispatchMode(Mode):
    """In the block, each operator calls `__torch_dispatch__(func, types, args, kwargs)`.

    func is the operator, as torch.ops.aten.mm.default; `func(*args, **(kwargs or {}))` runs it.
    Operators are those of the graph (see `retrograd.ops.overloads`); views made by split() and
    similar functions, creation of tensors, and the formulas of a backward pass on arrays are not
    seen.

    >>> import retrograd as torch
    >>> from retrograd.utils._python_dispatch import TorchDispatchMode
    >>> class Names(TorchDispatchMode):
    ...     def __torch_dispatch__(self, func, types, args=(), kwargs=None):
    ...         print(func)
    ...         return func(*args, **(kwargs or {}))
    >>> x = torch.ones(2, 2)
    >>> with Names():
    ...     y = torch.nn.functional.softmax(x @ x, -1) + 1
    aten.mm.default
    aten._softmax.default
    aten.add.Tensor
    """

    def __init__(self, _dispatch_key: Any = None) -> None:
        pass

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise NotImplementedError

    def called(self, call: Call) -> Any:
        shown = Shown(call.op, call.args, call.kwargs)

        def run(*args: Any, **kwargs: Any) -> Any:
            args, kwargs = shown.taken(args, kwargs)
            kind = type(call)
            return kind(call.overload, call.function, args, kwargs, call.repeatable, call.op).run()

        before = _under_way.functions
        _under_way.functions = {**before, call.overload: run}
        try:
            tensors = flatten([*shown.args, *shown.kwargs.values()])
            types = tuple(dict.fromkeys(type(t) for t in tensors
                                        if hasattr(type(t), "__torch_dispatch__")))
            operator = call.overload._operator
            rule = None if operator is None else operator.in_modes.get(type(self))
            if rule is not None:
                return rule(self, call.overload, types, shown.args, shown.kwargs)
            return self.__torch_dispatch__(call.overload, types, shown.args, shown.kwargs)
        finally:
            _under_way.functions = before


def _get_current_dispatch_mode() -> Mode | None:
    """The innermost mode of this thread."""
    return state.on_call


def _get_current_dispatch_mode_stack() -> list[Mode]:
    """The modes of this thread, the innermost last."""
    stack, mode = [], state.on_call
    while mode is not None:
        stack.insert(0, mode)
        mode = mode.outer
    return stack


@contextmanager
def _disable_current_modes() -> Iterator[list[Mode]]:
    before, state.on_call = state.on_call, None
    try:
        yield []
    finally:
        state.on_call = before


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """Whether t is a wrapper tensor whose class says which tensors it is made of."""
    return (isinstance(t, Tensor) and t._flags & WRAPPER != 0
            and hasattr(t, "__tensor_flatten__") and hasattr(t, "__tensor_unflatten__"))


def transform_subclass(t: Any, callback: Callable, outer_size: Any = None,
                       outer_stride: Any = None) -> Any:
    """The same wrapper tensor with callback(name, tensor) in place of each tensor in it."""
    names, context = t.__tensor_flatten__()
    inner = {name: callback(name, getattr(t, name)) for name in names}
    return type(t).__tensor_unflatten__(
        inner, context, t.size() if outer_size is None else outer_size,
        t.stride() if outer_stride is None else outer_stride)


def return_and_correct_aliasing(func: Any, args: Any, kwargs: Any, out: Any) -> Any:
    """What `__torch_dispatch__` returns: the tensor written to, where func writes; else out.

    Views of wrapper tensors share nothing that retrograd knows of.
    """
    if func.overloadpacket.__name__.endswith("_") and not func.__name__.startswith("_"):
        return args[0]
    return (kwargs or {}).get("out", out)
