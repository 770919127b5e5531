"""Older names of torch.vmap."""

from __future__ import annotations

import warnings

from .func import vmap as _func_vmap
from .func.vmap import older_vmap

__all__ = ["vmap"]


def _vmap(func, in_dims=0, out_dims=0, allow_none_pass_through: bool = False):
    """The vmap of PyTorch's own checks: `func` may call any Function, and return None if allowed.

    Raises RuntimeError where a random number is drawn.
    """
    return older_vmap(func, in_dims, out_dims, allow_none_pass_through)


def vmap(func, in_dims=0, out_dims=0):
    """Deprecated: use torch.vmap."""
    warnings.warn(
        "Please use `torch.vmap` instead of `torch._vmap_internals.vmap`.",
        FutureWarning,
        stacklevel=2,
    )
    return _func_vmap(func, in_dims, out_dims)
