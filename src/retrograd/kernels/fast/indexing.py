"""Rows taken and added by index. Each row of a result is summed by one thread, in order."""

from __future__ import annotations

import math

import numpy as np

from ..checks import all_below
from ..layout import moved
from .compiling import Whole, address_of, kernel, scalar
from .elementwise import dense
from .rows import WORK, chunk_of
from .scalar import choose


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


def along(touch):
    """The kernel that does touch(x, other, p, q) for each place along the middle dimension of
    x (outer, n, inner): p is the place in x, q that of its index, which is also one in `other`;
    both in planes, or rows, as vectors. An index (outer, m, 1) names rows of x."""
    one = scalar(touch)

    def loop(x, index, other):
        n, inner, m, width = x.shape[1], x.shape[2], index.shape[1], index.shape[2]
        flat, places, others = x.reshape(-1), index.reshape(-1), other.reshape(-1)
        for i in range(len(x)):
            plane, named = flat[i * n * inner:(i + 1) * n * inner], places[i * m * width:]
            values = others[i * m * inner:(i + 1) * m * inner]
            if inner == 1:
                for j in range(m):
                    one(plane, values, named[j], j)
            elif width == 1:
                for j in range(m):
                    row = plane[named[j] * inner:]
                    for k in range(inner):
                        one(row, values[j * inner:], k, k)
            else:
                for j in range(m):
                    for k in range(inner):
                        one(plane, values, named[j * inner + k] * inner + k, j * inner + k)
    loop.__name__ = f"{touch.__name__}_along"
    return kernel(loop)


@along
def take(x, out, p, q):
    out[q] = x[p]


@along
def add(out, src, p, q):
    out[p] += src[q]


@along
def put(out, src, p, q):
    out[p] = src[q]


@along
def multiply(out, src, p, q):
    out[p] *= src[q]


@along
def keep_larger(out, src, p, q):
    """The larger one, or nan."""
    out[p] = choose((src[q] > out[p]) | (src[q] != src[q]), src[q], out[p])


@along
def keep_smaller(out, src, p, q):
    """The smaller one, or nan."""
    out[p] = choose((src[q] < out[p]) | (src[q] != src[q]), src[q], out[p])


COMBINING = {"sum": add, "mean": add, "prod": multiply, "amax": keep_larger, "amin": keep_smaller}


@kernel
def add_to_columns(out, index: Whole, columns):
    """out[:, index[k]] += columns[:, k]"""
    for i in range(len(out)):
        for k in range(index.size):
            out[i, index[k]] += columns[i, k]


def add_along(index, src, out, dim):
    """out[index[i][j]][j] += src[i][j] for dim 0, likewise for the others."""
    return changed_along(add, index, src, out, dim)


def put_along(index, src, out, dim):
    """out[index[i][j]][j] = src[i][j] for dim 0, or = src, a number."""
    if src.__class__ is not np.ndarray:
        src = np.full(index.shape, src, out.dtype)
    return changed_along(put, index, src, out, dim)


def combine_along(index, src, out, dim, reduce, *rounding):
    """out[index[i][j]][j] = what `reduce` makes of it and src[i][j], for dim 0."""
    return changed_along(COMBINING[reduce], index, src, out, dim)


def changed_along(loop, index, src, out, dim):
    if out.dtype is not src.dtype or index.shape != src.shape or not out.flags.carray:
        return None
    planes = in_planes(dim, index, out, src)
    if planes is None:
        return None
    places, x, other = planes
    loop(x, places, other, chunk=planes_of(x))
    return out


def planes_of(x):
    """How many planes of x make a chunk."""
    return max(1, WORK // (x.shape[1] * x.shape[2]))


def in_planes(dim, index, x, *others):
    """Arrays as (outer, n, inner) around `dim`, the index as (outer, n, 1) where it is expanded
    beyond; None unless it lies within x, and has its shape but for `dim`."""
    if not x.ndim or x.ndim != index.ndim or index.dtype.char != "l":
        return None
    dim %= x.ndim
    outer, after = x.shape[:dim], x.shape[dim + 1:]
    if index.shape[:dim] != outer or index.shape[dim + 1:] != after or not x.size:
        return None
    inner = math.prod(after)
    rows = inner > 1 and not any(index.strides[dim + 1:])
    if rows:
        index = index[(..., *(0,) * len(after))]
    arrays = dense(index), x, *map(dense, others)
    if not usable(*arrays) or not in_bounds(arrays[0], x.shape[dim]):
        return None
    outer, inners = math.prod(outer), (1 if rows else inner, *[inner] * (1 + len(others)))
    return [a.reshape(outer, a.shape[dim], n) for a, n in zip(arrays, inners, strict=True)]


def usable(*arrays):
    for a in arrays:
        if a.dtype.char not in "fdl" or not a.flags.carray:
            return False
    return True


def add_rows(out, index, rows):
    """out[index] += rows: (V, ...), (K,), (K, ...) -> (V, ...)."""
    index = dense(index)                             # one of nonzero() is a column of a table
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
    planes = in_planes(dim, index, self)
    if planes is None:
        return None
    out, (places, x) = np.empty(index.shape, self.dtype), planes
    each = out.reshape(len(x), places.shape[1], -1)
    take(x, places, each, chunk=planes_of(each))
    return out


def in_bounds(index, size):
    return index.size > 0 and all_below(index, size)


def add_at(out, places, values):
    """out[places] += values for vectors; places are in bounds."""
    if out.dtype is not values.dtype or not usable(out, places, values):
        return None
    add_places(out, places, values, chunk=out.size)
    return out
