"""Reads and writes at index arrays that come with their tensors' versions (`indices.arrays`)."""

from __future__ import annotations

import numpy as np

from .index import index, index_put


def read_at(a, indices):
    return index(a, indices.arrays)


def write_at(a, values, indices, accumulate, *, out=None):
    return index_put(a, indices.arrays, values, accumulate, out=out)


def scatter_at(g, shape, indices):
    """Zeros of `shape` with `g` added at the indices."""
    return index_put(np.zeros(shape, g.dtype), indices.arrays, g, True)


def clear_at(a, indices):
    """`a` with zeros at the indices."""
    return index_put(a, indices.arrays, np.zeros((), a.dtype))
