"""Rows taken and added by index. Each row of a result is summed by one thread, in order."""

from __future__ import annotations

import math

import numpy as np

from .compiling import Whole, kernel
from .elementwise import dense
from .rows import chunk_of


@kernel
def add_rows(places, out, index: Whole, rows: Whole):
    """out[index[k]] += rows[k], for the rows of `out` that `places` numbers."""
    first, last = places[0], places[-1]
    for k in range(index.size):
        at = index[k]
        if first <= at <= last:
            total = out[at - first]
            for j in range(total.size):
                total[j] += rows[k, j]


@kernel
def add_places(out, places: Whole, values: Whole):
    for k in range(places.size):
        out[places[k]] += values[k]


@kernel
def gather_rows(x, index, out):
    for i in range(len(x)):
        for j in range(index.shape[1]):
            out[i, j] = x[i, index[i, j]]


def usable(*arrays):
    return all(a.dtype.char in "fdl" and a.flags.carray for a in arrays)


def scattered(out, index, rows):
    """Add rows (K, D) to out (V, D) by index, (K,) and in bounds; returns out."""
    parts = min(8, max(1, rows.shape[1] // 16))        # every part reads all of the index
    add_rows(np.arange(len(out)), out, index, rows, chunk=-(-len(out) // parts))
    return out


def embedding_dense_backward(g, indices, num_weights, padding_idx=-1, scale_grad_by_freq=False):
    g = dense(g)
    if scale_grad_by_freq or not usable(g, indices) or not num_weights:
        return None
    out = np.zeros((num_weights, g.shape[-1]), g.dtype)
    scattered(out, indices.reshape(-1), g.reshape(-1, g.shape[-1]))
    if padding_idx >= 0:
        out[padding_idx] = 0
    return out


def index_add(self, index, source, dim, alpha=1):
    """For the first dimension."""
    source = dense(source)
    if dim != 0 or alpha != 1 or self.ndim < 2 or self.dtype is not source.dtype \
            or not usable(self, index, source) or source.shape != (index.size, *self.shape[1:]) \
            or index.dtype.char != "l" or not in_bounds(index, len(self)):
        return None
    out, size = self.copy(), math.prod(self.shape[1:])
    scattered(out.reshape(-1, size), index.reshape(-1), source.reshape(-1, size))
    return out


def gather(self, index, dim):
    """For the last dimension."""
    if dim not in (-1, self.ndim - 1) or self.shape[:-1] != index.shape[:-1] or self.ndim < 2 \
            or not usable(self, index) or index.dtype.char != "l" \
            or not in_bounds(index, self.shape[-1]):
        return None
    out = np.empty(index.shape, self.dtype)
    rows = self.reshape(-1, self.shape[-1])
    gather_rows(rows, index.reshape(len(rows), -1), out.reshape(len(rows), -1),
                chunk=chunk_of(rows))
    return out


def in_bounds(index, size):
    return index.size > 0 and 0 <= index.min() and index.max() < size


def add_at(out, places, values):
    """out[places] += values for vectors; places are in bounds."""
    if out.dtype is not values.dtype or not usable(out, places, values):
        return None
    add_places(out, places, values, chunk=out.size)
    return out
