"""Calls of operators, shown to the modes of the thread as they happen.

NOTE [calls]
    Selective checkpointing and TorchDispatchMode want to see each operator that runs, and to put a
    kept result in place of a second computation, while the graph is recorded as usual. No operator
    asks whether someone looks: `arm` exchanges the code of the operators' functions (see
    _entries.py) when the first mode is entered. From then on a call looks at `state.on_call`: None,
    or the innermost Mode. It sees declared operators, not the functions that consist of them, as
    PyTorch's modes do below autograd; an operator that runs inside another is not shown.
    A kept result is recorded by running the operator's own code with its kernel exchanged for one
    that returns that result.
"""

from __future__ import annotations

import inspect
import threading
from functools import partial
from typing import Any

from .. import _ops
from .._entries import intercept, outer_frame
from .._state import features, state
from . import declare
from .overloads import overload_name
from .special_modes import with_kernel

_armed = False
_lock = threading.Lock()


class Call:
    """A call of an operator that is about to run.

    op          the declared operator; None for one that a program has made
    repeatable  whether a kept result may stand for another run: not for views, which share their
                input's memory, nor for writes and random numbers, which do more than return
    """

    __slots__ = ("overload", "function", "args", "kwargs", "repeatable", "op")

    def __init__(self, overload, function, args, kwargs, repeatable, op=None):
        self.overload, self.function, self.repeatable = overload, function, repeatable
        self.args, self.kwargs, self.op = args, kwargs, op

    def run(self) -> Any:
        """The operator's result, computed through the outer modes."""
        if state.on_call is not None:
            return show(self)
        return self.function(*self.args, **self.kwargs)

    def with_result(self, result) -> Any:
        """Record the call as if its kernel had just computed `result`, a Tensor or several."""
        several = isinstance(result, tuple)
        arrays = tuple([t._data for t in result]) if several else result._data

        def kept(*_args, **_kwargs):
            return arrays

        return with_kernel(self.function, kept)(*self.args, **self.kwargs)


class CustomCall(Call):
    """A call of an operator that a program has made; a Function around it records it."""

    __slots__ = ()

    def with_result(self, result) -> Any:
        return result


class Mode:
    """A block in which this thread's calls of operators become calls of `called`."""

    outer: Mode | None = None

    def __enter__(self) -> Mode:
        arm()
        features.count("recording", 1)
        self.outer, state.on_call = state.on_call, self
        return self

    def __exit__(self, *exc: object) -> None:
        state.on_call = self.outer
        features.count("recording", -1)

    def called(self, call: Call) -> Any:
        """The result of a call; outer modes see what this method does."""
        return call.run()


def show(call: Call) -> Any:
    """The result of a call, from the thread's innermost mode if it has one."""
    mode = state.on_call
    if mode is None:
        return call.run()
    state.on_call = mode.outer
    try:
        return mode.called(call)
    finally:
        state.on_call = mode


def arm() -> None:
    """Let every operator look at `state.on_call` from now on."""
    global _armed
    with _lock:
        if not _armed:
            _armed = True
            for op in declare.REGISTRY.values():
                if op.built is not None:
                    _enter(op)
            declare.when_built.append(_enter)


def _enter(op) -> None:
    op.built[op.name].__globals__["getframe"] = outer_frame
    for name in (op.name, "dunder", op.name + "_", "dunder_"):
        if name in op.built:
            innermost = inspect.unwrap(op.built[name])     # below __torch_function__ and autocast
            intercept(innermost, partial(_shown, op, name.endswith("_")))


def _shown(op, in_place, original, args, kwargs):
    if state.on_call is None:
        return original(*args, **kwargs)
    name, overload = overload_name(op, args, in_place)
    repeatable = not (in_place or op.view or "stream" in op.consts or kwargs.get("out") is not None)
    overload = getattr(_ops.packet("aten", name), overload)
    return show(Call(overload, original, args, kwargs, repeatable, op))
