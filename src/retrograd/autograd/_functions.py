"""Older custom Functions that PyTorch still has."""

from __future__ import annotations

from ..ops.memory import check_resize
from .function import Function

__all__ = ["Resize"]


class Resize(Function):
    """`Resize.apply(tensor, sizes)`: the elements in another shape, as a copy.

    Raises RuntimeError if the number of elements differs.
    """

    @staticmethod
    def forward(ctx, tensor, sizes):
        ctx.shape = tensor.shape
        check_resize(tensor, sizes)
        return tensor.clone().reshape(sizes)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.reshape(ctx.shape), None
