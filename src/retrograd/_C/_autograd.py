"""torch._C._autograd: what libraries ask about saved tensors."""

from __future__ import annotations

from typing import Any

from .._refused import refused
from .._state import state
from ..autograd.saved import SavedTensor as SavedTensor

__all__ = ["SavedTensor"]


def _saved_tensors_hooks_is_enabled() -> bool:
    """Whether saved_tensors_hooks() may be used now."""
    return state.saved_hooks_disabled is None


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch._C._autograd' has no attribute {name!r}")
    return refused("torch._C._autograd", name)
