"""autograd.grad(is_grads_batched=True): a batch of gradients through one graph."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._tensor import Tensor, wrap

MISMATCH = (
    "If `is_grads_batched=True`, we interpret the first dimension of each grad_output as the batch "
    "dimension. The sizes of the remaining dimensions are expected to match the shape of "
    "corresponding output, but a mismatch was detected: grad_output[{k}] has a shape of {got} and "
    "output[{k}] has a shape of {want}. If you only want some tensors in `grad_output` to be "
    "considered batched, consider using vmap.")


def grad_batched(outputs, inputs, grad_outputs, retain_graph, create_graph, allow_unused,
                 materialize_grads) -> Any:
    """The gradients for each slice of the grad_outputs' first dimension, stacked."""
    from ..ops.join import stack
    from . import grad
    rows = (grad_outputs,) if isinstance(grad_outputs, Tensor) else tuple(grad_outputs)
    for k, (out, g) in enumerate(zip(outputs, rows, strict=True)):
        if g is not None and g._data.shape[1:] != out._data.shape:
            raise RuntimeError(MISMATCH.format(k=k, got=g.shape[1:], want=out.shape))
    n = next(g._data.shape[0] for g in rows if g is not None)
    keep = create_graph if retain_graph is None else retain_graph
    found = []
    for i in range(n):
        last = i == n - 1
        found.append(grad(outputs, inputs, [None if g is None else g[i] for g in rows],
                          retain_graph=keep or not last, create_graph=create_graph,
                          allow_unused=allow_unused, materialize_grads=materialize_grads))
    columns = zip(*found, strict=True)
    return tuple(None if all(c is None for c in column) else stack(_filled(column))
                 for column in columns)


def _filled(column):
    """The rows of one input's gradient, zeros where a row did not reach it."""
    like = next(c for c in column if c is not None)
    zeros = np.zeros_like(like._data)
    return [wrap(zeros) if c is None else c for c in column]
