"""Arithmetic of an array of many short rows, such as points, with one row or one column.

NOTE [narrow rows]
    NumPy begins its inner loop anew for each row, which takes as long as computing dozens of
    elements. So the single row is repeated until it fills a line, and the many rows are read as
    lines of that length: for rows of two or three elements this takes a tenth of the time.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

LINE = 256              # elements of a line, about
NARROW = 32             # with rows of so many elements NumPy loses little
FEW = 4                 # up to so many columns are filled one by one; a line has more rows
LEAST = 1 << 13         # arrays of so many elements are worth laying out a line,
REDUCED = 1 << 11       # and reductions of so many are worth a second step


@lru_cache(256)
def at_once(count, columns):
    """How many of `count` rows make a line, so that all lines have as many; 0 if none fit."""
    fitting = range(LINE // columns, FEW, -1)
    return next((k for k in fitting if count % k == 0), 0)


def are_narrow(a, least=LEAST) -> bool:
    """Whether these are many rows of few numbers that lie in order."""
    return (a.size >= least and a.ndim > 1 and 1 < a.shape[-1] < NARROW and a.flags.c_contiguous
            and a.__class__ is np.ndarray)


def line_of(row):
    """A single row as often as it fits into a line."""
    return np.tile(row.reshape(-1), LINE // row.size)


def combined(ufunc, a, few, out=None):
    """ufunc(a, few), where `few` broadcasts: (..., m, n) with (n), (..., 1, n) or (..., m, 1)."""
    if not (few.ndim and are_narrow(a) and few.dtype == a.dtype and few.shape[-1] <= a.shape[-1]
            and (out is None or out.flags.c_contiguous)):
        return ufunc(a, few, out=out)
    columns = a.shape[-1]
    if few.size == few.shape[-1] == columns:
        return beside_one(ufunc, a, few, out)
    if columns <= FEW and few.shape == (*a.shape[:-1], 1):
        return beside_column(ufunc, a, few, out)
    rows = at_once(a.shape[-2], columns) if few.shape == (*a.shape[:-2], 1, columns) else 0
    if not rows:
        return ufunc(a, few, out=out)
    shape = *a.shape[:-2], a.shape[-2] // rows, rows * columns
    lines = np.tile(few, rows)
    res = ufunc(a.reshape(shape), lines, out=None if out is None else out.reshape(shape))
    return res.reshape(a.shape) if out is None else out


def beside_one(ufunc, a, row, out=None):
    """ufunc(a, row): (..., n), (n,) -> (..., n)."""
    line, flat = line_of(row), a.reshape(-1)
    whole = flat.size // line.size * line.size
    res = np.empty(a.shape, ufunc(flat[:1], line[:1]).dtype) if out is None else out
    to = res.reshape(-1)
    ufunc(flat[:whole].reshape(-1, line.size), line, out=to[:whole].reshape(-1, line.size))
    ufunc(flat[whole:], line[:flat.size - whole], out=to[whole:])
    return res


def beside_column(ufunc, a, column, out=None):
    """ufunc(a, column): (..., n), (..., 1) -> (..., n)."""
    parts = [ufunc(a[..., k], column[..., 0]) for k in range(a.shape[-1])]
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
    if not any(values.strides):                     # one number
        out[...] = values[(0,) * values.ndim] if values.size else values
        return
    columns = out.shape[-1]
    narrow, once = are_narrow(out), unrepeated(values)
    if narrow and columns <= FEW and once.shape[-1] == 1:
        for k in range(columns):                    # all alike
            out[..., k] = once[..., 0]
    elif narrow and once.size == columns == once.shape[-1]:
        line, to = line_of(once), out.reshape(-1)
        whole = to.size // line.size * line.size
        to[:whole].reshape(-1, line.size)[...] = line
        to[whole:] = line[:to.size - whole]
    elif narrow and once.shape == (*out.shape[:-2], 1, columns) and (
            rows := at_once(out.shape[-2], columns)):
        out.reshape(*out.shape[:-2], out.shape[-2] // rows, -1)[...] = np.tile(once, rows)
    else:
        out[...] = values


def unrepeated(a):
    """What an array repeats, without repetitions: dimensions that it is expanded in have size 1."""
    return a if all(a.strides) else a[tuple([slice(None if s else 1) for s in a.strides])]


def reduced(ufunc, a, dim):
    """ufunc.reduce(a, dim, keepdims=True) where `dim` is the last but one, or all but the last;
    None for other dimensions, and if the rows are not narrow and many."""
    if not are_narrow(a, REDUCED) or a.dtype.char not in "fdl":
        return None
    last, columns = a.ndim - 1, a.shape[-1]
    dims = tuple(sorted([d % a.ndim for d in (dim if dim.__class__ is tuple else (dim,))]))
    if dims == tuple(range(last)):
        res = reduced_matrix(ufunc, a.reshape(-1, columns)).reshape((1,) * last + (columns,))
    elif dims == (last - 1,) and (rows := at_once(a.shape[-2], columns)):
        lines = ufunc.reduce(a.reshape(*a.shape[:-2], -1, rows * columns), -2)
        res = ufunc.reduce(lines.reshape(*a.shape[:-2], rows, columns), -2, keepdims=True)
    else:
        res = None
    return res


def reduced_matrix(ufunc, a):
    """ufunc.reduce(a, 0)"""
    rows, columns = a.shape
    several = LINE // columns
    whole = rows // several * several
    lines = ufunc.reduce(a[:whole].reshape(-1, several * columns), 0)
    res = ufunc.reduce(lines.reshape(several, columns), 0)
    return res if whole == rows else ufunc(res, ufunc.reduce(a[whole:], 0))
