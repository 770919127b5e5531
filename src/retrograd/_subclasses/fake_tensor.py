"""Tensors without data, which PyTorch traces programs with: there are none."""

from __future__ import annotations

from contextlib import nullcontext

__all__ = ["FakeTensor", "is_fake", "unset_fake_temporarily"]

unset_fake_temporarily = nullcontext        # no mode makes them, so none is left


class FakeTensor:
    """The class of such tensors: no object is one."""


def is_fake(x: object) -> bool:
    """False."""
    return False
