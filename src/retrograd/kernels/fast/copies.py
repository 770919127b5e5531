"""Copies that NumPy makes an element at a time: reversed rows, triangles, borders.

Of any dtype, by bits.
"""

from __future__ import annotations

import numpy as np

from .. import resize
from ..layout import like
from .compiling import Count, Whole, kernel
from .elementwise import CHUNK
from .rows import chunk_of

BITS = {n: np.dtype(f"u{n}") for n in (1, 2, 4, 8)}


@kernel
def reversed_rows(x, out):
    last = np.uintp(x.shape[1] - 1)          # unsigned: no place counts from the end
    for i in range(len(x)):
        for j in range(x.shape[1]):
            out[i, j] = x[i, last - np.uintp(j)]


@kernel
def lower_rows(turns, x, out, height: Count, diagonal: Count):
    """The elements up to the diagonal; `height` rows make a matrix."""
    for i in range(len(x)):
        end = min(max(turns[i] % height + diagonal + 1, 0), x.shape[1])
        for j in range(end):
            out[i, j] = x[i, j]
        for j in range(end, x.shape[1]):
            out[i, j] = 0


@kernel
def upper_rows(turns, x, out, height: Count, diagonal: Count):
    """The elements from the diagonal on."""
    for i in range(len(x)):
        start = min(max(turns[i] % height + diagonal, 0), x.shape[1])
        for j in range(start):
            out[i, j] = 0
        for j in range(start, x.shape[1]):
            out[i, j] = x[i, j]


def rows_of(a):
    """The bits of `a` as a matrix of its last dimension, or None."""
    if not a.flags.carray or not a.size or a.ndim < 1 or a.itemsize not in BITS:
        return None
    return a.view(BITS[a.itemsize]).reshape(-1, a.shape[-1])


def flip(a, dims):
    """Along the last dimension alone; others are copied whole rows at a time anyhow."""
    rows = rows_of(a)
    if rows is None or tuple(dims) not in ((-1,), (a.ndim - 1,)):
        return None
    out = np.empty(a.shape, a.dtype)
    reversed_rows(rows, rows_of(out), chunk=chunk_of(rows))
    return out


def tril(a, diagonal=0):
    return triangle(lower_rows, a, diagonal)


def triu(a, diagonal=0):
    return triangle(upper_rows, a, diagonal)


def triangle(loop, a, diagonal):
    rows = rows_of(a)
    if rows is None or a.ndim < 2:
        return None
    out = np.empty(a.shape, a.dtype)
    loop(np.arange(len(rows)), rows, rows_of(out), a.shape[-2], int(diagonal),
         chunk=chunk_of(rows))
    return out


@kernel
def padded_planes(x, y, rows: Whole, columns: Whole, left: Count):
    """(n, h, w) -> (n, H, W): rows and columns say what is shown, the middle in order."""
    width = x.shape[2]
    for i in range(len(x)):
        for r in range(rows.size):
            source, line = x[i, rows[r]], y[i, r]
            middle, end = line[left:left + width], line[left + width:]
            for j in range(left):
                line[j] = source[columns[j]]
            for j in range(width):
                middle[j] = source[j]
            for j in range(end.size):
                end[j] = source[columns[left + width + j]]


def padded(mode):
    """The twin of the paddings of one or two dimensions."""
    def pad(x, pads):
        count = len(pads)
        sizes = x.shape[x.ndim - count:]
        if x.dtype.kind == "b" or x.itemsize not in BITS or not x.size \
                or not resize.reaches(sizes, pads, mode):
            return None
        sizes, pads = (1,) * (2 - count) + sizes, ((0, 0),) * (2 - count) + tuple(pads)
        rows, columns = (resize.padded_places(n, *pair, mode)
                         for n, pair in zip(sizes, pads, strict=True))
        y = np.empty((*x.shape[:x.ndim - count], *(len(rows), len(columns))[2 - count:]), x.dtype)
        bits = BITS[x.itemsize]
        padded_planes(np.ascontiguousarray(x).view(bits).reshape(-1, *sizes),
                      y.view(bits).reshape(-1, len(rows), len(columns)), rows,
                      columns.astype(np.uintp), pads[1][0],
                      chunk=max(1, CHUNK // (len(rows) * len(columns))))
        return like(y, x)
    return pad


reflect_1d = reflect_2d = padded("reflect")
replicate_1d = replicate_2d = padded("replicate")
