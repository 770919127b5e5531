"""TorchDispatchMode: a look at every operator that runs, below autograd."""

from __future__ import annotations

from typing import Any

from .._ops import _under_way
from .._state import state
from ..ops.calls import Call, Mode


class TorchDispatchMode(Mode):
    """In the block, each operator calls ``__torch_dispatch__(func, types, args, kwargs)``.

    func is the operator, as torch.ops.aten.mm.default; ``func(*args, **(kwargs or {}))`` runs it.
    Operators are those of the graph (see `retrograd.ops.overloads`); views made by split() and its
    kin, creation of tensors and the formulas of a backward pass on arrays are not seen.

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
        def run(*args: Any, **kwargs: Any) -> Any:
            kind = type(call)
            return kind(call.overload, call.function, args, kwargs, call.repeatable).run()

        before = _under_way.functions
        _under_way.functions = {**before, call.overload: run}
        try:
            operator = call.overload._operator
            rule = None if operator is None else operator.in_modes.get(type(self))
            if rule is not None:
                return rule(self, call.overload, (), call.args, call.kwargs)
            return self.__torch_dispatch__(call.overload, (), call.args, call.kwargs)
        finally:
            _under_way.functions = before


def _get_current_dispatch_mode() -> Mode | None:
    """The innermost mode of this thread."""
    return state.on_call


def is_traceable_wrapper_subclass(t: Any) -> bool:
    """False: no tensor wraps others."""
    return False
