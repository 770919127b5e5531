"""Rows taken and added by index. Each row of a result is summed by one thread, in order."""

from __future__ import annotations

import math

import numpy as np

from ..checks import all_below
from ..layout import moved
from .compiling import Whole, address_of, kernel
from .elementwise import dense
from .rows import chunk_of


@kernel
def add_to_rows(out, whole: Whole, index: Whole, rows: Whole):
    """out[index[k]] += rows[k], for those rows of `whole` that `out` is."""
    first = (address_of(out) - address_of(whole)) // (out.itemsize * out.shape[1])
    for k in range(index.size):
        at = index[k] - first
        if 0 <= at < len(out):
            total = out[at]
            for j in range(total.size):
                total[j] += rows[k, j]


@kernel
def add_product_rows(out, whole: Whole, rows: Whole, columns: Whole, values: Whole, b: Whole):
    """out[rows[k]] += values[k] * b[columns[k]], for those rows of `whole` that `out` is."""
    first = (address_of(out) - address_of(whole)) // (out.itemsize * out.shape[1])
    for k in range(rows.size):
        at = rows[k] - first
        if 0 <= at < len(out):
            total, share, row = out[at], values[k], b[columns[k]]
            for j in range(total.size):
                total[j] += share * row[j]


@kernel
def add_places(out, places: Whole, values: Whole):
    for k in range(places.size):
        out[places[k]] += values[k]


@kernel
def gather_rows(x, index, out):
    for i in range(len(x)):
        for j in range(index.shape[1]):
            out[i, j] = x[i, index[i, j]]


@kernel
def add_in_rows(out, index, src):
    for i in range(len(out)):
        for j in range(index.shape[1]):
            out[i, index[i, j]] += src[i, j]


@kernel
def add_to_columns(out, index: Whole, columns):
    """out[:, index[k]] += columns[:, k]"""
    for i in range(len(out)):
        for k in range(index.size):
            out[i, index[k]] += columns[i, k]


@kernel
def put_in_rows(out, index, src):
    for i in range(len(out)):
        for j in range(index.shape[1]):
            out[i, index[i, j]] = src[i, j]


def scatter(self, index, src, dim, reduce=None):
    alone = reduce is None and isinstance(src, np.ndarray)
    return scattered(put_in_rows, self, index, src, dim) if alone else None


def scatter_add(self, index, src, dim):
    return scattered(add_in_rows, self, index, src, dim)


def scattered(write, self, index, src, dim):
    """For the last dimension, all rows of which are written to."""
    if dim not in (-1, self.ndim - 1) or self.ndim < 2 or index.shape != src.shape \
            or self.shape[:-1] != index.shape[:-1] or self.dtype is not src.dtype:
        return None
    out, src, index = np.array(self, order="C"), dense(src), dense(index)
    if not usable(out, index, src) or index.dtype.char != "l" \
            or not in_bounds(index, self.shape[-1]):
        return None
    rows = out.reshape(-1, self.shape[-1])
    write(rows, index.reshape(len(rows), -1), src.reshape(len(rows), -1), chunk=chunk_of(rows))
    return out


def usable(*arrays):
    return all(a.dtype.char in "fdl" and a.flags.carray for a in arrays)


def add_rows(out, index, rows):
    """out[index] += rows: (V, ...), (K,), (K, ...) -> (V, ...)."""
    if 1 < out.ndim and not out.flags.carray and (turned := moved(out, 0, -1)).flags.carray:
        return out if add_columns(turned, index, dense(moved(rows, 0, -1))) else None
    rows = dense(rows)
    if out.dtype is not rows.dtype or not usable(out, index, rows) or index.dtype.char != "l" \
            or not in_bounds(index, len(out)):
        return None
    width = math.prod(out.shape[1:])
    if width == 1:
        add_places(out.reshape(-1), index, rows.reshape(-1), chunk=out.size)
        return out
    whole = out.reshape(-1, width)
    add_to_rows(whole, whole, index, rows.reshape(-1, width), chunk=share_of(whole))
    return out


def add_columns(out, index, columns):
    """out[..., index] += columns; whether it was done."""
    if out.dtype is not columns.dtype or not usable(out, index, columns) \
            or index.dtype.char != "l" or not in_bounds(index, out.shape[-1]):
        return False
    out = out.reshape(-1, out.shape[-1])
    add_to_columns(out, index, columns.reshape(len(out), -1), chunk=chunk_of(out))
    return True


def share_of(out):
    """How many rows of what is added to make a chunk: each chunk reads all of the index."""
    return -(-len(out) // min(8, max(1, out.shape[1] // 16)))


def add_products(out, rows, columns, values, b):
    """out[rows] += values * b[columns]: (V, n), (K,), (K,), (K,), (W, n) -> (V, n)."""
    rows, columns, values, b = map(dense, (rows, columns, values, b))
    if (values.dtype is not out.dtype or b.dtype is not out.dtype or not out.size
            or not usable(out, rows, columns, values, b) or rows.dtype.char + columns.dtype.char
            != "ll" or not in_bounds(rows, len(out)) or not in_bounds(columns, len(b))):
        return None
    add_product_rows(out, out, rows, columns, values, b, chunk=share_of(out))
    return out


def gather(self, index, dim):
    """For the last dimension."""
    if dim not in (-1, self.ndim - 1) or self.shape[:-1] != index.shape[:-1] or self.ndim < 2:
        return None
    index = dense(index)                               # often one row or column expanded
    if not usable(self, index) or index.dtype.char != "l" \
            or not in_bounds(index, self.shape[-1]):
        return None
    out = np.empty(index.shape, self.dtype)
    rows = self.reshape(-1, self.shape[-1])
    gather_rows(rows, index.reshape(len(rows), -1), out.reshape(len(rows), -1),
                chunk=chunk_of(rows))
    return out


def in_bounds(index, size):
    return index.size > 0 and all_below(index, size)


def add_at(out, places, values):
    """out[places] += values for vectors; places are in bounds."""
    if out.dtype is not values.dtype or not usable(out, places, values):
        return None
    add_places(out, places, values, chunk=out.size)
    return out
