"""What attention masks of tensors are computed under: indices of one element may be tensors."""

from __future__ import annotations

from contextlib import nullcontext

__all__ = ["TransformGetItemToIndex"]


class TransformGetItemToIndex(nullcontext):
    """A with block that does nothing: a tensor indexes as such, under vmap too."""
