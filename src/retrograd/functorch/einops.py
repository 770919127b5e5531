"""rearrange, where functorch has it."""

from ..func import rearrange

__all__ = ["rearrange"]
