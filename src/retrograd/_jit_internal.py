"""torch._jit_internal: the markers by which libraries prepare code for TorchScript."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from .jit import _overload as _overload
from .jit import _overload_method as _overload_method
from .jit import export, ignore, is_scripting, unused

__all__ = ["Final", "export", "ignore", "is_scripting", "unused"]


def _copy_to_script_wrapper(fn: Callable) -> Callable:
    return fn


def boolean_dispatch(arg_name: str, arg_index: int, default: bool, if_true: Callable,
                     if_false: Callable, module_name: str, func_name: str) -> Callable:
    """A function that is `if_true` or `if_false` by what its argument `arg_name` says."""

    def fn(*args: Any, **kwargs: Any) -> Any:
        if arg_name in kwargs:
            chosen = kwargs[arg_name]
        else:
            chosen = args[arg_index] if len(args) > arg_index else default
        return (if_true if chosen else if_false)(*args, **kwargs)

    fn.__name__ = func_name
    fn.__module__ = module_name
    return fn
