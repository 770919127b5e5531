"""torch._C._functorch: what libraries ask about tensors that may stand for a batch."""

from __future__ import annotations

from typing import Any

from .._refused import refused
from .._state import state
from .._tensor import BATCHED, Tensor

__all__ = ["is_batchedtensor", "is_functorch_wrapped_tensor", "is_gradtrackingtensor",
           "is_legacy_batchedtensor", "maybe_current_level"]


def is_batchedtensor(tensor: Tensor) -> bool:
    """Whether vmap has put it in the place of a batch."""
    return bool(tensor._flags & BATCHED)


is_functorch_wrapped_tensor = is_batchedtensor


def is_gradtrackingtensor(tensor: Tensor) -> bool:
    """Whether grad(), vjp() or jvp() is under way, and it was given to that or made in it."""
    from ..func.captured import within
    return state.transform is not None and within(state.transform, tensor)


def maybe_current_level() -> int | None:
    """How many transforms of torch.func the thread is in, or None outside of them."""
    return state.transforms or None


def is_legacy_batchedtensor(tensor: Tensor) -> bool:
    """False: there is one vmap."""
    return False


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module 'torch._C._functorch' has no attribute {name!r}")
    return refused("torch._C._functorch", name)
