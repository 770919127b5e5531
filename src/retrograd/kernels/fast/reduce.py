"""Sums: of all elements, of rows, of columns. Float64 holds them until they are complete."""

from __future__ import annotations

import math

import numpy as np

from .compiling import Part, kernel, scalar_sums
from .elementwise import dense
from .rows import BLOCK, WORK, chunk_of, largest, total

WIDE = 64           # sums that are collected side by side, where fewer would not fill vectors


@kernel
def part_totals(x, part: Part):
    part[0] = total(x)


@kernel
def row_totals(x, out):
    for i in range(len(x)):
        out[i] = total(x[i])


@kernel
def column_totals(x, part: Part):
    part[:] = 0
    fours = len(x) // 4 * 4
    for i in range(0, fours, 4):
        a, b, c, d = x[i], x[i + 1], x[i + 2], x[i + 3]
        for j in range(part.size):
            part[j] += (np.float64(a[j]) + b[j]) + (np.float64(c[j]) + d[j])
    for i in range(fours, len(x)):
        for j in range(part.size):
            part[j] += x[i, j]


@kernel
def sums_between(x, room: Part, out):
    """x (rows, n * columns), where `room` is for one or more times the columns of `out`."""
    columns, size = out.shape[1], room.size
    for i in range(len(x)):
        row = x[i]
        whole = row.size // size * size
        room[:] = 0
        for j in range(0, whole, size):
            part = row[j:j + size]
            for k in range(size):
                room[k] += part[k]
        for k in range(whole, row.size):
            room[k - whole] += row[k]
        for k in range(columns):
            for j in range(k + columns, size, columns):
                room[k] += room[j]
            out[i, k] = room[k]


def sum_all(a, dtype=None):
    if a.dtype.char not in "fd" or not a.flags.carray or dtype not in (None, a.dtype):
        return None
    parts = np.empty((-(-a.size // WORK), 1))
    part_totals(a.reshape(-1), parts, chunk=WORK)
    return np.asarray(parts.sum(), a.dtype)


def mean_all(a):
    whole = sum_all(a)
    return None if whole is None else whole / a.dtype.type(a.size)


def sum_dim(a, dim, keepdim, dtype=None):
    """For the last dimensions, the first ones or both, or neighbours between; else it declines."""
    dims = sorted(dim if isinstance(dim, tuple) else (dim,))
    count = len(dims)
    if a.dtype.char not in "fd" or not a.flags.carray or dtype not in (None, a.dtype) or not count:
        return None
    if dims == list(range(a.ndim - count, a.ndim)):
        kept = a.shape[:a.ndim - count]
        size = math.prod(a.shape[a.ndim - count:])
        res = row_sums(a.reshape(-1, size))
    elif dims == list(range(count)):
        kept = a.shape[count:]
        res = column_sums(a.reshape(-1, math.prod(kept)))
    elif dims == list(range(dims[0], dims[0] + count)):
        before, after = a.shape[:dims[0]], a.shape[dims[0] + count:]
        kept = before + after
        res = sums_of_middle(a.reshape(math.prod(before), -1, math.prod(after)))
    else:
        inner = next((k for k in range(count) if dims[count - 1 - k] != a.ndim - 1 - k), count)
        outer = count - inner
        if not inner or dims[:outer] != list(range(outer)):
            return None
        kept = a.shape[outer:a.ndim - inner]
        size = math.prod(a.shape[a.ndim - inner:])
        res = row_sums(a.reshape(-1, size)).reshape(-1, math.prod(kept)).sum(0)
    if keepdim:
        kept = tuple(1 if d in dims else n for d, n in enumerate(a.shape))
    return res.reshape(kept)


def mean_dim(a, dim, keepdim):
    if dim is None:
        return mean_all(a)
    res = sum_dim(a, dim, keepdim)
    if res is not None:
        res /= a.dtype.type(a.size // max(res.size, 1))
    return res


def sum_to(g, shape):
    if g.shape == shape:
        return g
    if g.size and not any(g.strides) and g.dtype.char in "fd":            # one number expanded
        return np.full(shape, g.flat[0] * (g.size // math.prod(shape)), g.dtype)
    lead = g.ndim - len(shape)
    dims = (*range(lead), *(lead + k for k, n in enumerate(shape) if n == 1 != g.shape[lead + k]))
    res = sum_all(g) if set(shape) <= {1} else sum_dim(g, dims, False)
    return None if res is None else res.reshape(shape)


def row_sums(rows):
    out = np.empty(len(rows), rows.dtype)
    row_totals(rows, out, chunk=chunk_of(rows))
    return out


def sums_of_middle(x):
    rows, n, columns = x.shape
    out = np.empty((rows, columns), x.dtype)
    chunk = max(1, WORK // (n * columns))
    room = np.empty((-(-rows // chunk), columns * max(1, WIDE // columns)))
    sums_between(x.reshape(rows, -1), room, out, chunk=chunk)
    return out


def column_sums(rows):
    chunk = max(chunk_of(rows), math.isqrt(len(rows)))
    parts = np.empty((-(-len(rows) // chunk), rows.shape[1]))
    column_totals(rows, parts, chunk=chunk)
    return parts.sum(0).astype(rows.dtype)


@scalar_sums
def block_product(x):
    whole = x.dtype.type(1)
    for j in range(x.size):
        whole *= x[j]
    return whole


@kernel
def row_products(x, out):
    for i in range(len(x)):
        out[i] = block_product(x[i])


@kernel
def part_products(x, part: Part):
    part[0] = block_product(x)


@kernel
def part_squares(x, part: Part):
    part[0] = 0
    for start in range(0, x.size, BLOCK):
        part[0] += block_squares(x[start:start + BLOCK])


@scalar_sums
def block_squares(x):
    whole = x.dtype.type(0)
    for j in range(x.size):
        whole += x[j] * x[j]
    return whole


@kernel
def row_norms(x, out):
    for i in range(len(x)):
        whole = 0.0
        for start in range(0, x.shape[1], BLOCK):
            whole += block_squares(x[i, start:start + BLOCK])
        out[i] = math.sqrt(whole)


@kernel
def row_maxima(x, out):
    for i in range(len(x)):
        out[i] = largest(x[i])


def prod_all(a, dtype=None):
    if a.dtype.char not in "fd" or not a.flags.carray or dtype is not None:
        return None
    parts = np.empty((-(-a.size // WORK), 1), a.dtype)
    part_products(a.reshape(-1), parts, chunk=WORK)
    return np.asarray(parts.prod())


def prod_dim(a, dim, keepdim, dtype=None):
    """Over the last dimension."""
    if dim != a.ndim - 1 or a.dtype.char not in "fd" or not a.flags.carray or dtype is not None:
        return None
    rows = a.reshape(-1, a.shape[-1])
    out = np.empty(len(rows), a.dtype)
    row_products(rows, out, chunk=chunk_of(rows))
    return out.reshape(a.shape[:-1] + (1,) * keepdim)


def amax(a, dim, keepdim):
    """Over the last dimension."""
    if dim not in (a.ndim - 1, (a.ndim - 1,)) or a.dtype.char not in "fd" or not a.flags.carray:
        return None
    rows = a.reshape(-1, a.shape[-1])
    out = np.empty(len(rows), a.dtype)
    row_maxima(rows, out, chunk=chunk_of(rows))
    return out.reshape(a.shape[:-1] + (1,) * keepdim)


def linalg_vector_norm(a, ord, dim, keepdim):
    """The 2-norm of all elements, or over the last dimensions."""
    dims, count = sorted(dim), len(dim)
    if ord != 2 or a.dtype.char not in "fd" or not count \
            or dims != list(range(a.ndim - count, a.ndim)):
        return None
    a = dense(a)
    if count == a.ndim:
        parts = np.empty((-(-a.size // WORK), 1))
        part_squares(a.reshape(-1), parts, chunk=WORK)
        res = np.asarray(math.sqrt(parts.sum()), a.dtype)
    else:
        rows = a.reshape(-1, math.prod(a.shape[a.ndim - count:]))
        res = np.empty(len(rows), a.dtype)
        row_norms(rows, res, chunk=chunk_of(rows))
    return res.reshape(a.shape[:a.ndim - count] + (1,) * (count * keepdim))
