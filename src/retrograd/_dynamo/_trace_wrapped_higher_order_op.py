"""The block in which libraries compute attention masks, so that tensors can be indices."""

from __future__ import annotations

from contextlib import nullcontext

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex(nullcontext):
    """A with block that does nothing: a tensor can be an index anyway, under vmap too."""
