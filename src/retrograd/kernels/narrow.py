"""A row of few numbers beside many such rows, as of points, or of tables of few columns.

NOTE [narrow rows] NumPy begins its inner loop anew for each row, which takes as long as computing
with dozens of numbers. So the one row is repeated until it fills a line, and the many are read as
lines of that length: for rows of two or three numbers that takes a tenth of the time.
"""

from __future__ import annotations

import math

import numpy as np

LINE = 256              # numbers, about, in a line
NARROW = 32             # numbers in a row from which on NumPy loses little
FEW = 4                 # columns that are quickly filled one by one
LEAST = 1 << 13         # numbers in all that make up for laying out a line,
REDUCED = 1 << 11       # and for reducing twice


def are_narrow(a, row) -> bool:
    """Whether these are many rows of few numbers, and one such row of the same dtype."""
    return (a.size >= LEAST and a.ndim > 1 and 1 < a.shape[-1] < NARROW and a.flags.c_contiguous
            and row.ndim > 0 and row.size == row.shape[-1] == a.shape[-1] and row.dtype == a.dtype
            and a.__class__ is np.ndarray)


def line_of(row):
    """The row as often as it fits into a line."""
    return np.tile(row.reshape(-1), LINE // row.size)


def combined(ufunc, a, row, out=None):
    """ufunc(a, row): (..., n), (n,) -> (..., n); or of whatever else broadcasts."""
    if not (are_narrow(a, row) and (out is None or out.flags.c_contiguous)):
        if a.shape[-1:] != row.shape[-1:] == (1,) and row.shape == (*a.shape[:-1], 1):
            return by_columns(ufunc, a, row, out)
        return ufunc(a, row, out=out)
    line, flat = line_of(row), a.reshape(-1)
    whole = flat.size // line.size * line.size
    first = ufunc(flat[:1], line[:1])
    res = np.empty(a.shape, first.dtype) if out is None else out
    to = res.reshape(-1)
    ufunc(flat[:whole].reshape(-1, line.size), line, out=to[:whole].reshape(-1, line.size))
    ufunc(flat[whole:], line[:flat.size - whole], out=to[whole:])
    return res


def by_columns(ufunc, a, column, out=None):
    """ufunc(a, column): (..., n), (..., 1) -> (..., n)."""
    if a.size < LEAST or a.shape[-1] > FEW or a.__class__ is not np.ndarray:
        return ufunc(a, column, out=out)
    column = column[..., 0]
    parts = [ufunc(a[..., k], column) for k in range(a.shape[-1])]
    res = np.empty(a.shape, parts[0].dtype) if out is None else out
    for k, part in enumerate(parts):
        res[..., k] = part
    return res


def laid_out(values, shape):
    """An array that broadcasts to `shape`; written out there, if its rows are narrow and many."""
    if values.shape == shape or values.ndim != len(shape) or not (
            1 < shape[-1] < NARROW and math.prod(shape) >= LEAST):
        return values
    res = np.empty(shape, values.dtype)
    write(res, values)
    return res


def write(out, values) -> None:
    """out[...] = values, which broadcast."""
    columns = out.shape[-1] if out.ndim else 1
    if not any(values.strides):                     # one number
        out[...] = values[(0,) * values.ndim] if values.size else values
    elif out.size < LEAST or not 1 < columns < NARROW:
        out[...] = values
    elif columns <= FEW and (values.shape[-1] == 1 or not values.strides[-1]):
        for k in range(columns):                    # all alike
            out[..., k] = values[..., 0]
    elif are_narrow(out, row := row_of(values)):
        line, to = line_of(row), out.reshape(-1)
        whole = to.size // line.size * line.size
        to[:whole].reshape(-1, line.size)[...] = line
        to[whole:] = line[:to.size - whole]
    else:
        out[...] = values


def row_of(a):
    """The row that an array repeats; all of it, if its rows differ."""
    lead = zip(a.strides[:-1], a.shape[:-1], strict=True)
    return a if any(n != 1 and s for s, n in lead) else a[(0,) * (a.ndim - 1)]


def reduced(ufunc, a):
    """ufunc.reduce(a, 0) of a matrix; None if its rows are not narrow and many."""
    if a.ndim != 2 or a.size < REDUCED or not (
            1 < a.shape[1] < NARROW and a.dtype.char in "fdl" and a.flags.c_contiguous
            and a.__class__ is np.ndarray):
        return None
    rows, columns = a.shape
    several = LINE // columns
    whole = rows // several * several
    res = ufunc.reduce(a[:whole].reshape(-1, several * columns), 0).reshape(several, columns)
    res = ufunc.reduce(res, 0)
    return res if whole == rows else ufunc(res, ufunc.reduce(a[whole:], 0))
