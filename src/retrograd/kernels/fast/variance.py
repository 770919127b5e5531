"""Variances of rows, and of all numbers in chunks that stay in the cache for their second pass."""

from __future__ import annotations

import numpy as np

from ..reduce import has_infinity
from .compiling import Number, Part, kernel, scalar
from .norm import offsets, squares
from .rows import as_rows, chunk_of

CHUNK = 1 << 13


@scalar
def moments(x, first):
    """sum(x - first), and sum((x - mean)^2): of the rounded mean, and then of the true one."""
    off = offsets(x, first)
    mean = x.dtype.type(first + off / x.size)
    lost = first - mean + off / x.size
    return off, squares(x, mean) - x.size * lost * lost


@kernel
def chunk_moments(x, sums: Part, first: Number):
    """The moments of a chunk, whose offsets are from the `first` of all numbers."""
    sums[0], sums[1] = moments(x, x.dtype.type(first))


@kernel
def row_moments(x, out):
    for i in range(len(x)):
        out[i] = moments(x[i], x[i, 0])[1]


def of_all(x):
    """sum((x - mean)^2) of a vector: of its chunks, and of their means (Chan et al., 1979)."""
    sums = np.empty((-(-x.size // CHUNK), 2))
    chunk_moments(x, sums, x.item(0), chunk=CHUNK)
    if len(sums) == 1:
        return sums[0, 1]
    off, around = sums.T
    counts = np.full(len(sums), CHUNK)
    counts[-1] = x.size - CHUNK * (len(sums) - 1)
    apart = off / counts - off.sum() / x.size
    return around.sum() + counts.dot(apart * apart)


def var(x, dim, correction, keepdim):
    dims = dim if dim.__class__ is tuple else (dim,)
    if x.dtype.char not in "fd" or not x.flags.carray or not x.size or not x.ndim:
        return None
    if len(dims) == x.ndim:
        whole, kept, count = of_all(x.reshape(-1)), (), x.size
    elif dims == (x.ndim - 1,):
        rows, = as_rows(x)
        whole, kept, count = np.empty(len(rows)), x.shape[:-1], rows.shape[1]
        row_moments(rows, whole, chunk=chunk_of(rows))
    else:
        return None
    res = np.asarray(whole / np.float64(max(count - correction, 0))).astype(x.dtype)
    if x.dtype.char == "f" and has_infinity(res):
        return None
    return res.reshape(*kept, *(1,) * len(dims)) if keepdim else res.reshape(kept)
