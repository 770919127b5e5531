"""Functions whose calls a feature wants to see, at no cost before it asks.

Subclasses with `__torch_function__` and autocast look at the arguments of public functions. A
test in each function would be paid for by every program. Instead the function's code is replaced
when the feature is first used: from then on, whoever holds the function, under whatever name, calls
the feature first.
"""

from __future__ import annotations

import linecache
import sys
from collections.abc import Callable
from functools import cache
from types import CodeType, FunctionType
from typing import Any

from ._callers import is_own


@cache
def _entry_code(free_variables: tuple[str, ...]) -> CodeType:
    """Code that hands its arguments on to `_around`.

    A function's code must have as many free variables as the one it replaces.
    """
    free = ", ".join(free_variables)
    lines = [f"def outside({free}):",
             "    def entry(*_args, _around, _original, **_kwargs):",
             *([f"        if 0: ({free},)"] if free else []),
             "        return _around(_original, _args, _kwargs)",
             "    return entry"]
    scope: dict[str, Any] = {}
    name = f"{__file__} <entry {free}>"          # of the package, and with lines for tracebacks
    linecache.cache[name] = (0, None, [f"{line}\n" for line in lines], name)
    exec(compile("\n".join(lines), name, "exec"), scope)
    return scope["outside"](*free_variables).__code__


def intercept(function: FunctionType, around: Callable) -> None:
    """Let every call of `function` become `around(original, args, kwargs)`."""
    original = FunctionType(function.__code__, function.__globals__, function.__name__,
                            function.__defaults__, function.__closure__)
    original.__kwdefaults__ = function.__kwdefaults__
    original.__module__, original.__qualname__ = function.__module__, function.__qualname__
    original.__dict__.update(function.__dict__)
    function.__kwdefaults__ = {"_around": around, "_original": original}
    function.__defaults__ = None
    function.__code__ = _entry_code(function.__code__.co_freevars)
    function.__wrapped__ = original         # inspect.signature looks here


def outer_frame(depth: int) -> Any:
    """sys._getframe for operators, which note who writes: it skips the frames in between."""
    frame = sys._getframe(depth + 1)
    while is_own(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    return frame
