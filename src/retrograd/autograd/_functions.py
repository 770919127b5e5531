"""Older custom Functions that PyTorch still has."""

from __future__ import annotations

import math

from .function import Function

__all__ = ["Resize"]


class Resize(Function):
    """``Resize.apply(tensor, sizes)``: the elements in another shape, as a copy.

    Raises RuntimeError if the number of elements differs.
    """

    @staticmethod
    def forward(ctx, tensor, sizes):
        ctx.shape = tensor.shape
        if math.prod(sizes) != tensor.numel():
            raise RuntimeError(
                f"requested resize to {'x'.join(map(str, sizes))} ({math.prod(sizes)} elements in "
                f"total), but the given tensor has a size of {'x'.join(map(str, tensor.shape))} "
                f"({tensor.numel()} elements). autograd's resize can only change the shape of a "
                "given tensor, while preserving the number of elements. "
            )
        return tensor.clone().reshape(sizes)

    @staticmethod
    def backward(ctx, grad_output):
        return grad_output.reshape(ctx.shape), None
