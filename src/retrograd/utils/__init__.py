"""Utilities; the submodules are imported when first asked for."""

from __future__ import annotations

import importlib
from types import ModuleType

_SUBMODULES = ("checkpoint", "data", "dlpack", "hooks", "tensorboard", "_pytree")


def __getattr__(name: str) -> ModuleType:
    if name in _SUBMODULES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
