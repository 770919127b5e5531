"""Activation functions and their gradients."""

from __future__ import annotations

from . import scalar as s
from .elementwise import elementwise


@elementwise
def silu(x):
    """x * sigmoid(x)."""
    return x * s.sigmoid(x)


@elementwise
def silu_backward(g, x):
    """g times the derivative of `silu`."""
    y = s.sigmoid(x)
    return g * (y * (1 + x * (1 - y)))
