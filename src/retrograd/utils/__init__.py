"""Utilities; the submodules are imported when first asked for."""

from __future__ import annotations

import importlib
from types import ModuleType


def __getattr__(name: str) -> ModuleType:
    full_name = f"{__name__}.{name}"
    try:
        if not name.startswith("__"):
            return importlib.import_module(full_name)
    except ModuleNotFoundError as missing:
        if missing.name != full_name:
            raise
    raise AttributeError(f"module 'torch.utils' has no attribute {name!r}")
