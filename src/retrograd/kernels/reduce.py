"""Sums and other reductions over dimensions."""

from __future__ import annotations

import numpy as np

_sum = np.add.reduce


def sum_to(g, shape):
    """Undo broadcasting: sum `g` down to `shape`."""
    if g.shape == shape:
        return g
    lead = g.ndim - len(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape)
                                      if n == 1 and g.shape[i + lead] != 1)
    return _sum(g, axes, keepdims=True, dtype=g.dtype).reshape(shape)


def _accumulator(a, dtype):
    """The dtype to sum in: integers and bools in int64."""
    return dtype if dtype is not None or a.dtype.kind not in "biu" else np.dtype("int64")


def sum_all(a, dtype=None):
    return _sum(a, None, dtype=_accumulator(a, dtype))


def sum_dim(a, dim, keepdim, dtype=None):
    return _sum(a, dim, dtype=_accumulator(a, dtype), keepdims=keepdim)


def mean_all(a):
    return _sum(a, None) / a.dtype.type(a.size)


def mean_dim(a, dim, keepdim):
    return np.mean(a, dim, keepdims=keepdim)
