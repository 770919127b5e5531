"""torch.functional: some of torch's functions under an older name."""

from __future__ import annotations

import retrograd as torch

NAMES = (
    "atleast_1d", "atleast_2d", "atleast_3d", "block_diag", "broadcast_shapes",
    "broadcast_tensors", "cartesian_prod", "cdist", "chain_matmul", "einsum", "istft", "lu",
    "meshgrid", "norm", "pca_lowrank", "split", "stft", "svd_lowrank", "tensordot", "unique",
    "unique_consecutive", "unravel_index",
)
__all__ = sorted(NAMES)  # pyright: ignore


def __dir__() -> list[str]:
    return sorted(NAMES)


def __getattr__(name: str) -> object:
    if name in NAMES:
        return getattr(torch, name)
    raise AttributeError(f"module 'torch.functional' has no attribute {name!r}")
