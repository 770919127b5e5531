"""Switches for recording: no_grad, enable_grad, set_grad_enabled, inference_mode.

Each is a context manager and a decorator, and acts on the calling thread alone.
"""

from __future__ import annotations

import functools
import inspect
import threading
import warnings
from collections.abc import Callable
from typing import Any

from .._state import features, set_recording, state

__all__ = [
    "enable_grad",
    "enforce_grad_layout_policy",
    "inference_mode",
    "no_grad",
    "set_grad_enabled",
    "set_multithreading_enabled",
]


class _Switches(threading.local):
    """The thread's other switches; only that of views has an effect on a CPU."""

    multithreading = True
    view_replay = False         # see NOTE [views] in views.py
    grad_layout = True


_switches = _Switches()


def is_grad_enabled() -> bool:
    """Whether operators record a graph in this thread.

    >>> import retrograd as torch
    >>> with torch.no_grad():
    ...     torch.is_grad_enabled()
    False
    """
    return state.grad or state.asked


def _set_grad_mode(on: bool) -> None:
    """Switch grad mode; inside inference_mode this is remembered, but nothing is recorded."""
    state.asked = on and state.inference
    set_recording(on and not state.inference)


def is_inference_mode_enabled() -> bool:
    """Whether this thread is inside `inference_mode`.

    >>> import retrograd as torch
    >>> with torch.inference_mode():
    ...     torch.is_inference_mode_enabled()
    True
    """
    return state.inference


def is_multithreading_enabled() -> bool:
    """The value last given to `set_multithreading_enabled` in this thread.

    >>> import retrograd as torch
    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     torch.autograd.grad_mode.is_multithreading_enabled()
    False
    """
    return _switches.multithreading


def is_view_replay_enabled() -> bool:
    """Whether in-place writes to views always replay the chain of views.

    >>> import retrograd as torch
    >>> torch.autograd.grad_mode.is_view_replay_enabled()
    False
    """
    return _switches.view_replay


def _require_bool(function: str, value: object) -> None:
    if not isinstance(value, bool):
        kind = type(value).__name__
        raise TypeError(f"{function}(): argument 'enabled' (position 1) must be bool, not {kind}")


def _resume_under(make_mode, function):
    """Make generators of `function` that run under a fresh mode at every resume."""

    @functools.wraps(function)
    def generator(*args, **kwargs):
        inner = function(*args, **kwargs)
        try:
            with make_mode():
                out = next(inner)
            while True:
                try:
                    sent = yield out
                except GeneratorExit:
                    with make_mode():
                        inner.close()
                    raise
                except BaseException as thrown:
                    with make_mode():
                        out = inner.throw(thrown)
                else:
                    with make_mode():
                        out = inner.send(sent)
        except StopIteration as stop:
            return stop.value

    return generator


def _run_under(make_mode, function):
    """Wrap `function` so that each call runs under a fresh mode."""
    if inspect.isgeneratorfunction(function):
        return _resume_under(make_mode, function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        with make_mode():
            return function(*args, **kwargs)

    return call


class _DecoratorContextManager:
    """A context manager whose instances decorate functions and generators."""

    def __call__(self, orig_func: Any) -> Any:
        if not inspect.isclass(orig_func):
            return _run_under(self.clone, orig_func)
        warnings.warn(
            "Decorating classes is deprecated and will be disabled in future versions. "
            "You should only decorate functions or methods. To preserve the current "
            "behavior of class decoration, you can directly decorate the `__init__` "
            "method and nothing else.",
            FutureWarning,
            stacklevel=2,
        )
        return _run_under(self.clone, lambda *args, **kwargs: orig_func(*args, **kwargs))

    def __enter__(self) -> None:
        raise NotImplementedError

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        raise NotImplementedError

    def clone(self):
        """A fresh, equal mode: a decorated function enters one at each call."""
        return self.__class__()


class _NoParamDecoratorContextManager(_DecoratorContextManager):
    """A mode without parameters: `@no_grad` works as `@no_grad()` does."""

    def __new__(cls, orig_func: Callable | None = None) -> Any:
        mode = super().__new__(cls)
        return mode if orig_func is None else mode(orig_func)


class no_grad(_NoParamDecoratorContextManager):
    """Record nothing in this block or function: results of operators do not require grad.

    It holds for the current thread. Factory functions called with `requires_grad=True` still
    make leaves that require grad.

    >>> import retrograd as torch
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.no_grad():
    ...     (x * 2).requires_grad
    False
    >>> @torch.no_grad()
    ... def double(x):
    ...     return x * 2
    >>> double(x).requires_grad
    False
    """

    def __enter__(self) -> None:
        self.prev = is_grad_enabled()
        _set_grad_mode(False)

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        state.grad = self.prev and not state.inference           # first: see NOTE [interrupts]
        _set_grad_mode(self.prev)


class enable_grad(_NoParamDecoratorContextManager):
    """Record in this block or function, even inside `no_grad`.

    >>> import retrograd as torch
    >>> with torch.no_grad(), torch.enable_grad():
    ...     torch.is_grad_enabled()
    True
    """

    def __enter__(self) -> None:
        self.prev = is_grad_enabled()
        _set_grad_mode(True)

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        state.grad = self.prev and not state.inference           # first: see NOTE [interrupts]
        _set_grad_mode(self.prev)


class set_grad_enabled(_DecoratorContextManager):
    """Record if `mode` is true: a function, a context manager and a decorator.

    Takes effect when called; as a context manager it restores the former mode at the end.
    Raises TypeError unless `mode` is a bool.

    >>> import retrograd as torch
    >>> with torch.set_grad_enabled(False):
    ...     torch.is_grad_enabled()
    False
    """

    def __init__(self, mode: bool) -> None:
        _require_bool("set_grad_enabled", mode)
        self.prev = is_grad_enabled()
        self.mode = mode
        _set_grad_mode(mode)

    def __call__(self, orig_func: Any) -> Any:
        _set_grad_mode(self.prev)
        return super().__call__(orig_func)

    def __enter__(self) -> None:
        _set_grad_mode(self.mode)

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        state.grad = self.prev and not state.inference           # first: see NOTE [interrupts]
        _set_grad_mode(self.prev)

    def __repr__(self) -> str:
        return f"torch.autograd.grad_mode.set_grad_enabled(mode={self.mode})"

    def clone(self) -> set_grad_enabled:
        return self.__class__(self.mode)


class inference_mode(_DecoratorContextManager):
    """Record nothing and mark new tensors as inference tensors, which autograd refuses later.

    `inference_mode(False)` leaves inference mode and records, inside `no_grad` too.

    >>> import retrograd as torch
    >>> with torch.inference_mode():
    ...     torch.is_inference_mode_enabled(), torch.is_grad_enabled()
    (True, False)
    """

    def __new__(cls, mode=True):
        if isinstance(mode, bool):
            return super().__new__(cls)
        return cls()(mode)

    def __init__(self, mode: bool = True) -> None:
        self.mode = mode

    def __enter__(self) -> None:
        self.prev = state.inference, is_grad_enabled()
        features.count("creation_modes", self.mode - state.inference)
        state.inference = self.mode
        _set_grad_mode(not self.mode)

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        less, state.inference = self.prev[0] - state.inference, self.prev[0]
        _set_grad_mode(self.prev[1])
        features.count("creation_modes", less)           # last: see NOTE [interrupts]

    def clone(self) -> inference_mode:
        return self.__class__(self.mode)


class _Switch(_DecoratorContextManager):
    """A remembered switch: takes effect when made, is restored at the end of the block."""

    name = ""

    def __init__(self, mode: bool) -> None:
        _require_bool(f"set_{self.name}_enabled", mode)
        self.prev = getattr(_switches, self.name)
        self.mode = mode
        setattr(_switches, self.name, mode)

    def __call__(self, orig_func: Any) -> Any:
        setattr(_switches, self.name, self.prev)
        return super().__call__(orig_func)

    def __enter__(self) -> None:
        setattr(_switches, self.name, self.mode)

    def __exit__(self, exc_type, exc_value, traceback) -> None:
        setattr(_switches, self.name, self.prev)

    def clone(self):
        return self.__class__(self.mode)


class set_multithreading_enabled(_Switch):
    """Allow device threads in backward. On a CPU backward runs in the calling thread anyway.

    >>> import retrograd as torch
    >>> with torch.autograd.set_multithreading_enabled(False):
    ...     (torch.ones(1, requires_grad=True) * 2).backward()
    """

    name = "multithreading"


class enforce_grad_layout_policy(_Switch):
    """Ask that gradients keep the strides of their leaf. Here they always do.

    >>> import retrograd as torch
    >>> w = torch.ones(2, 3).t().requires_grad_()
    >>> with torch.autograd.grad_mode.enforce_grad_layout_policy(True):
    ...     (w * w).sum().backward()
    >>> w.stride() == w.grad.stride()
    True
    """

    name = "grad_layout"

    def __init__(self, enable: bool = True) -> None:
        super().__init__(enable)


class _force_original_view_tracking(_Switch):
    """Ask that in-place writes to views replay the chain of views."""

    name = "view_replay"


class _unsafe_preserve_version_counter(_DecoratorContextManager):
    """Hide writes to `tensors` inside the block from the version checks of backward."""

    def __init__(self, tensors) -> None:
        self.tensors = tensors if isinstance(tensors, tuple) else (tensors,)
        if any(t.is_inference() for t in self.tensors):
            raise RuntimeError("Inference tensors do not track version counter.")
        self.versions = tuple(t._cell[0] for t in self.tensors)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc_info) -> None:
        for tensor, version in zip(self.tensors, self.versions, strict=True):
            tensor._cell[0] = version

    def clone(self) -> _unsafe_preserve_version_counter:
        return self.__class__(self.tensors)
