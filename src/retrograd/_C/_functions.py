"""torch._C._functions: the nodes of leaves, and nodes that refuse a gradient or drop it."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from ..autograd.function import Function
from ..autograd.node import AccumulateGrad as AccumulateGrad
from ..autograd.once import Error, delayed_error

__all__ = ["AccumulateGrad", "DelayedError", "UndefinedGrad"]


class DelayedError(Error):
    """Makes tensors that raise `message` when they are differentiated."""

    def __init__(self, message: str, num_inputs: int) -> None:
        self.message, self.n_outputs = message, num_inputs

    def __call__(self, *inputs: Tensor) -> Any:
        marked = delayed_error(self.message, inputs)
        return marked[0] if len(marked) == 1 else tuple(marked)


class _Dropped(Function):
    @staticmethod
    def forward(ctx: Any, *inputs: Tensor) -> Any:
        made = tuple(t.view_as(t) for t in inputs)
        return made[0] if len(made) == 1 else made

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> Any:
        return (None,) * len(grads)


class UndefinedGrad:
    """Makes tensors that pass no gradient on."""

    def __call__(self, *inputs: Tensor) -> Any:
        return _Dropped.apply(*inputs)
