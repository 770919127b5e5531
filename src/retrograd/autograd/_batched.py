"""autograd.grad(is_grads_batched=True): a batch of gradients through one graph, all at once."""

from __future__ import annotations

from typing import Any

from .._tensor import Tensor
from .gradients import NOT_SCALAR

MISMATCH = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
    "dimension. The sizes of the remaining dimensions are expected to match the shape of "
    "corresponding output, but a mismatch was detected: grad_output[{k}] has a shape of {got} and "
    "output[{k}] has a shape of {want}. If you only want some tensors in `grad_output` to be "
    "considered batched, consider using vmap.")


def grad_batched(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused,
                 materialize_grads) -> Any:
    """The gradients for each slice of the grad_outputs' first dimension: vmap of grad()."""
    from .._vmap_internals import _vmap
    from . import grad
    if grad_outputs is None:
        raise RuntimeError(NOT_SCALAR)
    rows = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)
    for k, (out, g) in enumerate(zip(outputs, rows, strict=True)):
        if g is not None and g._data.shape[1:] != out._data.shape:
            raise RuntimeError(MISMATCH.format(k=k, got=g.shape[2:], want=out.shape))
    given = [k for k, g in enumerate(rows) if g is not None]

    def of_slices(*some):
        full: list[Any] = [None] * len(rows)
        for k, g in zip(given, some, strict=True):
            full[k] = g
        return grad(outputs, inputs, full, retain_graph, create_graph, allow_unused=allow_unused,
                    materialize_grads=materialize_grads)
    return _vmap(of_slices, allow_none_pass_through=True)(*(rows[k] for k in given))
