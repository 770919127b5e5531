"""Sums and extremes over dimensions.

NOTE [sums by products]
    The quickest way to sum few floating-point numbers is a product with ones: the BLAS adds rows
    three to eight times as fast as NumPy, and columns up to 25 times. It keeps only a few partial
    sums, which would lose digits in long rows; so rows of more than PIECE elements are left to
    NumPy's pairwise sums.

NOTE [short rows]
    NumPy starts its loop anew for every row of a reduction, which takes as long as 15 additions or
    35 comparisons. If there are many short rows (points in space, scores of ten classes), their
    columns are joined instead, each in one vectorised call, which is up to 40 times faster.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial

import numpy as np

from .._blas import alone
from .half import is_half, narrowed, widened
from .narrow import reduced

# From this many elements of a matrix on OpenBLAS wakes its threads for a product with a vector
THREADED = 9216
# A product with ones adds a row as exactly as PyTorch does if it has at most PIECE elements, and as
# exactly as NumPy does if it has at most ROW. In arrays of fewer than THREADED elements PIECE is
# the limit, since NumPy, which starts its loop anew for every row, would take long; in others ROW.
PIECE, ROW = 1024, 256
# NOTE [short rows] is for rows of at most SHORT elements, if there are ROWS times as many rows as a
# row has elements. No array of up to FEW elements has so many: it is not even looked at.
SHORT, ROWS = 16, 64
FEW = 4 * ROWS


def sum_over(a, dim, dtype=None, keepdims=False):
    """Sums over `dim`: one axis, a tuple of axes, or None for all."""
    if dim.__class__ is tuple and len(dim) == 1:
        dim, = dim
    last = a.ndim - 1
    if dim == last and dtype is None and few(a):
        return sums_kept(a, dim) if keepdims else row_sums(a)
    if dtype is None or dtype == a.dtype:
        if dim.__class__ is tuple and a.size >= THREADED and len(
                runs := neighbours(dim, a.ndim)) > 1:
            for run in reversed(runs):
                a = sum_over(a, run, dtype, keepdims=True)
            return a if keepdims else np.squeeze(a, dim)
        if a.size and a.dtype.char in "fd":
            if dim == last - 1 and last > 0 and fits_product(a):
                res = column_sums(a)
                return res.reshape(*a.shape[:-2], 1, a.shape[-1]) if keepdims else res
            longest = PIECE if a.size < THREADED else ROW
            if dim in (last, -1) and last >= 0 and a.shape[-1] <= longest:
                res = row_sums(a)
                return res.reshape(*a.shape[:-1], 1) if keepdims else res
        if joins_columns(a, dim):
            return joined(np.add, a, keepdims)
        if (res := reduced(np.add, a, dim)) is not None:
            return res if keepdims else res.squeeze(dim)
    return np.add.reduce(a, dim, dtype, keepdims=keepdims)


@lru_cache(256)
def neighbours(dims, ndim):
    """These dimensions in groups of neighbours: NumPy is slow to reduce over others at once."""
    runs = []
    for d in sorted([d % ndim for d in dims]):
        if runs and d == runs[-1][-1] + 1:
            runs[-1] += d,
        else:
            runs.append((d,))
    return runs


def few(a):
    """Whether these are so few numbers, in at least one dimension, that one product adds them."""
    return 0 < a.size <= FEW and a.dtype.char in "fd" and a.ndim > 0


def fits_product(a):
    """Whether a product with ones sums the columns of `a`'s matrices quickly and exactly enough."""
    return a.size < THREADED or a.flags.c_contiguous and (
        a.shape[-2] <= PIECE or a.shape[-2] * a.shape[-1] < THREADED)


def sum_of(a):
    """The sum of all elements of float32 or float64."""
    if a.size <= PIECE:
        return a.reshape(-1).dot(ones(a.size, a.dtype.char))
    return np.add.reduce(a, None)


def row_sums(a):
    """Sums over the last dimension of float32 or float64: (..., n) -> (...)."""
    n = a.shape[-1]
    rows, one = a if a.ndim <= 2 else a.reshape(-1, n), ones(n, a.dtype.char)
    res = rows.dot(one) if a.size < THREADED else alone(rows.dot, one)
    return res if a.ndim <= 2 else res.reshape(a.shape[:-1])


def column_sums(a):
    """Sums over the last dimension but one of float32 or float64: (..., n, m) -> (..., m)."""
    one = ones(a.shape[-2], a.dtype.char)
    if a.size < THREADED:
        return one.dot(a) if a.ndim == 2 else np.matmul(one, a)
    return alone(one.dot if a.ndim == 2 else partial(np.matmul, one), a)


def sums_kept(a, dim):
    """Sums of a few numbers along `dim`, beside which they broadcast: (..., n) -> (..., 1)."""
    if dim == a.ndim - 1:
        return a.dot(column_of_ones(a.shape[-1], a.dtype.char))
    if dim == a.ndim - 2:
        return np.matmul(column_of_ones(a.shape[-2], a.dtype.char).T, a)
    return np.add.reduce(a, dim, keepdims=True)


def tops(a, dim):
    """The largest of a few numbers along `dim`, in a shape that broadcasts with them.

    (..., n) -> (..., 1), or (...) for a single row. It is found by NumPy's argmax, which takes a
    fifth of the time that its max takes for a row.
    """
    if dim != a.ndim - 1:
        return np.maximum.reduce(a, dim, keepdims=True)
    if a.size == a.shape[-1]:
        return a[..., a.argmax()]
    return a.take(a.argmax(-1, keepdims=True) + row_starts(a.shape))


@lru_cache(256)
def row_starts(shape):
    """Where each row begins among all elements: (..., n) -> (..., 1)."""
    return multiples(math.prod(shape[:-1]), shape[-1]).reshape(*shape[:-1], 1)


@lru_cache(256)
def multiples(count, step):
    """The first `count` multiples of `step`, from 0 on."""
    return np.arange(count) * step


@lru_cache(256)
def ones(n, char):
    """(n): the vector of a product that adds rows or columns."""
    return np.ones(n, char)


@lru_cache(256)
def column_of_ones(n, char):
    return np.ones((n, 1), char)


@lru_cache(256)
def number(value, dtype):
    """A Python number as an array without dimensions, with which NumPy's ufuncs take half the time.

    For -0.0 it is 0.0, since the cache cannot tell the two apart.
    """
    return np.array(value or 0, dtype)


def max_over(a, dim, keepdims=False):
    """The largest elements over `dim`: an axis, a tuple of axes, or None for all."""
    if is_half(a.dtype):
        return narrowed(max_over(widened(a), dim, keepdims), a.dtype)
    if joins_columns(a, dim):
        return joined(np.maximum, a, keepdims)
    if dim is not None and (res := reduced(np.maximum, a, dim)) is not None:
        return res if keepdims else res.squeeze(dim)
    return np.maximum.reduce(a, dim, keepdims=keepdims)


def min_over(a, dim, keepdims=False):
    """The least elements, like max_over()."""
    if is_half(a.dtype):
        return narrowed(min_over(widened(a), dim, keepdims), a.dtype)
    if joins_columns(a, dim):
        return joined(np.minimum, a, keepdims)
    if dim is not None and (res := reduced(np.minimum, a, dim)) is not None:
        return res if keepdims else res.squeeze(dim)
    return np.minimum.reduce(a, dim, keepdims=keepdims)


def joins_columns(a, dim):
    """Whether `dim` is the last dimension and NOTE [short rows] holds."""
    if a.size <= FEW:
        return False
    last, n = a.ndim - 1, a.shape[-1]
    return (1 < n <= SHORT and a.size >= ROWS * n * n and a.dtype.char in "fdFD"
            and (dim == last or dim == (last,) or dim == -1))


def joined(ufunc, a, keepdims):
    """ufunc over short rows, column by column: see NOTE [short rows]."""
    res = ufunc(a[..., 0], a[..., 1])
    for k in range(2, a.shape[-1]):
        ufunc(res, a[..., k], out=res)
    return res.reshape(*a.shape[:-1], 1) if keepdims else res
