"""trace(): each new node remembers the line of the user's file, and the Module, that made it.

NOTE [what a trace keeps]
    A node's `_line` is (code object, offset, Call or None). A Call says which Module's forward was
    running and inside which other; it refers to Modules weakly, so tracing makes no cycle (a
    Module may hold a tensor of the graph) and keeps nothing alive. Stopping a trace leaves the
    lines on the nodes that have them.
"""

from __future__ import annotations

import functools
import sys
import threading
import weakref

from .._callers import is_own
from .._state import features
from ..nn.modules.module import Module

_getframe = sys._getframe


class _Here(threading.local):
    """The call of a Module that this thread is in."""

    call = None


_here = _Here()


class Call:
    """One call of a Module's forward, and the one it was made from."""

    __slots__ = ("module", "outer")

    def __init__(self, module, outer):
        self.module, self.outer = weakref.ref(module), outer

    def path(self) -> str:
        """The Module's name, from the outermost one that was called: "layers.0.linear"."""
        module, call = self.module(), self
        while call.outer is not None:
            call = call.outer
        root = call.module()
        if module is None or root is None:
            return ""
        found = (name for name, inside in root.named_modules() if inside is module)
        return next(found, "") or type(module).__name__


def note(node) -> None:
    """Note on a new node which line of the user's program made it; called by `finish`."""
    frame = _getframe(2)                # this, finish, the operator
    while is_own(frame.f_code.co_filename):
        outer = frame.f_back
        if outer is None:
            break
        frame = outer
    node._line = (frame.f_code, frame.f_lasti, _here.call)


def _in_call(call_module):
    """Module.__call__ that tells `note` where it is."""

    @functools.wraps(call_module)
    def call(self, *args, **kwargs):
        outer = _here.call
        _here.call = Call(self, outer)
        try:
            return call_module(self, *args, **kwargs)
        finally:
            _here.call = outer
    return call


class _Tracing:
    """How many traces are on, and what they replaced."""

    lock = threading.Lock()
    count = 0
    call_module = None


def start(listener=note) -> None:
    """Begin to note lines, in all threads. `listener` is called with each new node."""
    with _Tracing.lock:
        _Tracing.count += 1
        features.count("recording", 1)
        features.trace = listener
        if _Tracing.count == 1:
            _Tracing.call_module = Module.__call__
            Module.__call__ = _in_call(Module.__call__)


def stop() -> None:
    """Undo one start()."""
    with _Tracing.lock:
        _Tracing.count -= 1
        features.count("recording", -1)
        if _Tracing.count == 0:
            features.trace = None
            Module.__call__ = _Tracing.call_module


class trace:
    """In this block, remember for every node of a graph the line of your file that made it.

    Errors, `explain`, `memory` and the pictures of `retrograd.viz` then name lines that they
    otherwise have to leave out. `retrograd run --trace script.py` traces a whole program. All
    threads are traced. Costs about half a microsecond for each recorded operator.

    >>> import retrograd as torch
    >>> from retrograd.debug.reading import place_of
    >>> x = torch.ones(2, requires_grad=True)
    >>> with torch.debug.trace():
    ...     y = x * 2
    >>> place_of(y.grad_fn).text
    'y = x * 2'
    """

    def __enter__(self) -> trace:
        start()
        return self

    def __exit__(self, *exc_info) -> None:
        stop()

    def __call__(self, function):
        """As a decorator: trace every call of `function`."""
        @functools.wraps(function)
        def traced(*args, **kwargs):
            with trace():
                return function(*args, **kwargs)
        return traced
