"""Tensors without data, which PyTorch traces programs with: there are none."""

from __future__ import annotations

__all__ = ["FakeTensor", "is_fake"]


class FakeTensor:
    """The class of such tensors: no object is one."""


def is_fake(x: object) -> bool:
    """False."""
    return False
