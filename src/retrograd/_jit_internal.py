"""torch._jit_internal: the markers by which libraries prepare code for TorchScript."""

from __future__ import annotations

from typing import Any, Callable, Dict, Final, List, Optional, Tuple, Union  # noqa: UP035
from weakref import WeakKeyDictionary

from .jit import _overload as _overload
from .jit import _overload_method as _overload_method
from .jit import export, ignore, is_scripting, unused

# Programs copied from older versions of torch.nn take their type hints from here, too.
__all__ = ["Any", "BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Callable", "Dict",
           "Final", "List", "Optional", "Tuple", "Union", "export", "ignore", "is_scripting",
           "unused"]


class _BroadcastingList:
    """The type hint for a list that a single value may stand for: no type at run time."""

    def __getitem__(self, types: Any) -> None:
        return None


BroadcastingList1 = BroadcastingList2 = BroadcastingList3 = _BroadcastingList()


def _copy_to_script_wrapper(fn: Callable) -> Callable:
    return fn


boolean_dispatched: WeakKeyDictionary[Callable, dict] = WeakKeyDictionary()     # what it made


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
    boolean_dispatched[fn] = {"if_true": if_true, "if_false": if_false, "index": arg_index,
                              "default": default, "arg_name": arg_name}
    return fn
