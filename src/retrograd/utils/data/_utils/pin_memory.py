"""Pinning what a batch holds; there is no accelerator to pin it for."""

from __future__ import annotations

from typing import Any

from ...._tensor import Tensor
from ..._pytree import tree_map_only


def pin_memory(data: Any, device: Any = None) -> Any:
    """`data`, its tensors pinned: by its own method if it has one."""
    if hasattr(data, "pin_memory"):
        return data.pin_memory()
    return tree_map_only(Tensor, lambda t: t.pin_memory(), data)
