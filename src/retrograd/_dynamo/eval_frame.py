"""torch._dynamo.eval_frame: what libraries ask of it."""

from __future__ import annotations

__all__ = ["OptimizedModule", "is_dynamo_supported"]


class OptimizedModule:
    """The class of compiled modules: no object is one."""


def is_dynamo_supported() -> bool:
    """False."""
    return False
