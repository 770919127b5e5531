"""Handles that take a hook out of the dictionary that holds it."""

from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from typing import Any

__all__ = ["RemovableHandle"]


class RemovableHandle:
    """Removes one hook from a dictionary of hooks, and from any ``extra_dict`` under the same id.

    The dictionaries are held weakly; removing twice, or after they are gone, does nothing. As a
    context manager the handle removes its hook on exit.

    >>> hooks = OrderedDict()
    >>> handle = RemovableHandle(hooks)
    >>> hooks[handle.id] = print
    >>> handle.remove()
    >>> len(hooks)
    0
    """

    id: int
    _ids = itertools.count()

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        self.hooks_dict_ref = weakref.ref(hooks_dict)
        self.id = next(RemovableHandle._ids)
        if extra_dict is None:
            extra_dict = []
        elif isinstance(extra_dict, dict):
            extra_dict = [extra_dict]
        self.extra_dict_ref = tuple(weakref.ref(d) for d in extra_dict)

    @property
    def _hook_dicts(self) -> list[dict]:
        found = (ref() for ref in (self.hooks_dict_ref, *self.extra_dict_ref))
        return [d for d in found if d is not None]

    def remove(self) -> None:
        for hooks in self._hook_dicts:
            hooks.pop(self.id, None)

    def __getstate__(self) -> tuple:
        return self.hooks_dict_ref(), self.id, tuple(ref() for ref in self.extra_dict_ref)

    def __setstate__(self, state: tuple) -> None:
        hooks, self.id, *extra = state
        alive = OrderedDict() if hooks is None else hooks
        self.hooks_dict_ref = weakref.ref(alive)
        dicts = extra[0] if extra else ()
        self.extra_dict_ref = tuple(weakref.ref(OrderedDict() if d is None else d) for d in dicts)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, exc_type: object, exc_value: object, traceback: object) -> None:
        self.remove()
