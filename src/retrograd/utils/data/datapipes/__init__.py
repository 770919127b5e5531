"""Data pipes: datasets that are built by chaining, `pipe.shuffle().map(f).batch(4)`.

The pipes of streams are in `iter`, those of samples by index in `map`.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    if name in ("iter", "map"):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.utils.data.datapipes' has no attribute {name!r}")
