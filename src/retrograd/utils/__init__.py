"""Utilities; the submodules are imported when first used."""

from __future__ import annotations

import importlib
from types import ModuleType
from typing import Any


def swap_tensors(t1: Any, t2: Any) -> None:
    """Exchange everything about two tensors except their identity: data, class and attributes.

    Raises RuntimeError where that would be noticed: for views, for tensors that a weak reference or
    a recorded graph leads to, and for classes with different slots.

    >>> import retrograd as torch
    >>> a, b = torch.tensor([1.]), torch.tensor([2.])
    >>> torch.utils.swap_tensors(a, b)
    >>> a, b
    (tensor([2.]), tensor([1.]))
    """
    from .._swap import swap
    swap(t1, t2)


def __getattr__(name: str) -> ModuleType:
    full_name = f"{__name__}.{name}"
    try:
        if not name.startswith("__"):
            return importlib.import_module(full_name)
    except ModuleNotFoundError as missing:
        if missing.name != full_name:
            raise
    raise AttributeError(f"module 'torch.utils' has no attribute {name!r}")


def __dir__() -> list[str]:
    from pkgutil import iter_modules

    return ["swap_tensors", *(name for _, name, _ in iter_modules(__path__) if name[0] != "_")]
