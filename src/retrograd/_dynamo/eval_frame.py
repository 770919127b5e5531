"""torch._dynamo.eval_frame: what libraries ask of it."""

from __future__ import annotations

from . import OptimizedModule as OptimizedModule

__all__ = ["OptimizedModule", "is_dynamo_supported"]


def is_dynamo_supported() -> bool:
    """False."""
    return False
