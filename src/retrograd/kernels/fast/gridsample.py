"""Reading images at the taps of a grid, and back: see kernels.gridsample."""

from __future__ import annotations

import numpy as np

from ..checks import INT64
from .compiling import Count, Whole, kernel


@kernel
def read_rows(turns, x, y, index: Whole, weight: Whole, channels: Count):
    for r in range(len(turns)):
        n, row, zero = turns[r] // channels, x[r], x.dtype.type(0)
        for p in range(y.shape[1]):
            total = zero
            for t in range(index.shape[2]):
                total += row[index[n, p, t]] * weight[n, p, t]
            y[r, p] = total


@kernel
def spread_rows(turns, g, x, index: Whole, weight: Whole, channels: Count):
    for r in range(len(turns)):
        n, row = turns[r] // channels, x[r]
        row[:] = 0
        for p in range(g.shape[1]):
            for t in range(index.shape[2]):
                row[index[n, p, t]] += g[r, p] * weight[n, p, t]


@kernel
def along_channels(g, x, index, out):
    for n in range(len(g)):
        out[n] = 0
        for c in range(g.shape[1]):
            row = x[n, c]
            for p in range(g.shape[2]):
                for t in range(index.shape[2]):
                    out[n, p, t] += g[n, c, p] * row[index[n, p, t]]


def usable(a, b):
    """Whether kernels can read both arrays."""
    return (a.dtype is b.dtype and a.dtype.char in "fd" and a.size > 0 and b.size > 0
            and a.flags.carray and b.flags.carray)


def grid_values(x, index, weight):
    if not usable(x, weight) or index.dtype != INT64:
        return None
    n, c, size = x.shape
    y = np.empty((n * c, index.shape[1]), x.dtype)
    read_rows(np.arange(n * c), x.reshape(n * c, size), y, index, weight, c, chunk=1)
    return y.reshape(n, c, -1)


def grid_spread(g, index, weight, size):
    if not usable(g, weight) or index.dtype != INT64 or not size:
        return None
    n, c, places = g.shape
    x = np.empty((n * c, size), g.dtype)
    spread_rows(np.arange(n * c), g.reshape(n * c, places), x, index, weight, c, chunk=1)
    return x.reshape(n, c, size)


def grid_along(g, x, index):
    if not usable(g, x) or index.dtype != INT64:
        return None
    out = np.empty(index.shape, g.dtype)
    along_channels(g, x, index, out, chunk=1)
    return out
