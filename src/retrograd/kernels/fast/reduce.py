"""Sums: of all elements, of rows, of columns. Float64 holds them until they are complete."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..._blas import alone
from .. import fast, fold
from ..layout import inverse, memory_order
from .compiling import Part, kernel, scalar, scalar_sums
from .elementwise import dense
from .half import BITS, NAMES, READERS, narrowed
from .rows import BLOCK, WORK, chunk_of, largest, total

LINE = 16           # columns that a product with ones adds as fast as the kernels, or faster
WIDE = 64           # sums that are collected side by side, where fewer would not fill vectors


@kernel
def part_totals(x, part: Part):
    part[0] = total(x)


def half_totals(kind):
    """part_totals of the bits of half precision."""
    reader = READERS[kind]

    @scalar_sums
    def block_total(x):
        part = np.float32(0)
        for j in range(x.size):
            part += reader(x[j])
        return part

    def totals(x, part: Part):
        part[0] = 0
        for start in range(0, x.size, BLOCK):
            part[0] += block_total(x[start:start + BLOCK])
    totals.__name__ = f"part_totals_{NAMES[kind]}"
    return kernel(totals)


TOTALS = {"f": part_totals, "d": part_totals, **{kind: half_totals(kind) for kind in READERS}}


@kernel
def row_totals(x, out):
    for i in range(len(x)):
        out[i] = total(x[i])


@scalar
def add_up(x, room):
    """room[k] = the sum of all x[k + n * room.size]: eight in x's precision, then in room's."""
    size = room.size
    whole = x.size // (8 * size) * 8 * size
    room[:] = 0
    for i in range(0, whole, 8 * size):
        a, b, c, d = x[i:], x[i + size:], x[i + 2 * size:], x[i + 3 * size:]
        p, q, r, s = x[i + 4 * size:], x[i + 5 * size:], x[i + 6 * size:], x[i + 7 * size:]
        for j in range(size):
            room[j] += (((a[j] + b[j]) + (c[j] + d[j]))
                        + ((p[j] + q[j]) + (r[j] + s[j])))
    for i in range(whole, x.size, size):
        rest = x[i:i + size]
        for j in range(rest.size):
            room[j] += rest[j]


@kernel
def column_totals(x, part: Part):
    add_up(x.reshape(-1), part)


@kernel
def sums_between(x, room: Part, out):
    """x (rows, n * columns), where `room` is for one or more times the columns of `out`."""
    columns = out.shape[1]
    for i in range(len(x)):
        add_up(x[i], room)
        for k in range(columns):
            for j in range(k + columns, room.size, columns):
                room[k] += room[j]
            out[i, k] = room[k]


def sum_all(a, dtype=None):
    whole = total_of(a) if dtype in (None, a.dtype) else None
    return None if whole is None else narrowed(whole, a.dtype)


def mean_all(a):
    whole = total_of(a)
    if whole is None:
        return None
    return narrowed(np.asarray(whole / whole.dtype.type(a.size)), a.dtype)


def total_of(a):
    """The sum of all elements; of half precision in float32."""
    char, a = a.dtype.char, in_memory(a)
    if char not in TOTALS or not a.flags.carray:
        return None
    parts, flat = np.empty((-(-a.size // WORK), 1)), a.reshape(-1)
    TOTALS[char](flat if char in "fd" else flat.view(BITS), parts, chunk=WORK)
    return np.asarray(parts.sum(), a.dtype if char in "fd" else np.float32)


def in_memory(a):
    """`a`, or if it has no gaps its transpose that lies row by row."""
    order = None if a.flags.carray else memory_order(a)
    return a if order is None else a.transpose(order)


def over_turned(twin, a, dim, keepdim):
    """The twin's result for an array without gaps that does not lie row by row; else None."""
    order = memory_order(a)
    if order is None or a.flags.carray:
        return None
    dims = dim if isinstance(dim, tuple) else (dim,)
    res = twin(a.transpose(order), tuple([order.index(d) for d in dims]), True)
    if res is None:
        return None
    res = res.transpose(inverse(order))
    return res if keepdim else res.squeeze(dims)


def sum_dim(a, dim, keepdim, dtype=None):
    if a.dtype.char not in "fd" or dtype not in (None, a.dtype):
        return None
    if not a.flags.carray:
        return over_turned(sum_dim, a, dim, keepdim)
    way, joined, shape = way_to_sum(a.shape, dim, keepdim)
    return way and way(a.reshape(joined)).reshape(shape)


@lru_cache(1 << 10)
def way_to_sum(shape, dim, keepdim):
    """The function that sums over `dim`, the shape it is given, and the result's.

    There are functions for the last dimensions, the first ones or both, or neighbours between.
    """
    dims, last = sorted(dim if isinstance(dim, tuple) else (dim,)), len(shape) - 1
    count = len(dims)
    kept = tuple(n if d not in dims else 1 for d, n in enumerate(shape) if keepdim or d not in dims)
    inner = next((k for k in range(count) if dims[-1 - k] != last - k), count)
    outer = next((k for k in range(count) if dims[k] != k), count)
    size = math.prod(shape[last + 1 - inner:])
    if not count:
        return None, None, None
    if inner == count:
        return row_sums, (-1, size), kept
    if outer == count:
        return column_sums, (-1, math.prod(kept)), kept
    if inner + outer == count:
        return outer_sums, (-1, math.prod(kept), size), kept
    if dims[-1] - dims[0] == count - 1:
        after = math.prod(shape[dims[-1] + 1:])
        return sums_of_middle, (math.prod(shape[:dims[0]]), -1, after), kept
    return None, None, None


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
    if rows.shape[1] <= fold.ROW:
        return fold.row_sums(rows)
    out = np.empty(len(rows), rows.dtype)
    row_totals(rows, out, chunk=chunk_of(rows))
    return out


def wide(columns):
    """Columns enough to fill vectors: those of one row or of several."""
    return columns * max(1, WIDE // max(columns, 1))


def outer_sums(x):
    """Over the first and the last of three dimensions."""
    rows, columns, size = x.shape
    return row_sums(x.reshape(-1, size)).reshape(-1, columns).sum(0)


def sums_of_middle(x):
    rows, n, columns = x.shape
    if x.size < 2 * fast.SHARED and columns >= LINE and n <= fold.PIECE \
            and n * columns < fold.ALONE:
        return fold.column_sums(x)
    out = np.empty((rows, columns), x.dtype)
    chunk = max(1, WORK // (n * columns))
    room = np.empty((-(-rows // chunk), wide(columns)))
    sums_between(x.reshape(rows, -1), room, out, chunk=chunk)
    return out


def column_sums(rows):
    columns = rows.shape[1]
    if rows.size < fast.SHARED:
        return alone(fold.column_sums, rows) if len(rows) <= fold.PIECE and columns >= LINE \
            else sums_of_middle(rows[None])[0]
    chunk = max(chunk_of(rows), math.isqrt(len(rows)))
    parts = np.empty((-(-len(rows) // chunk), wide(columns)))
    column_totals(rows, parts, chunk=chunk)
    return parts.reshape(-1, columns).sum(0).astype(rows.dtype)


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
    a = in_memory(a)
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
    a = dense(in_memory(a) if count == a.ndim else a)
    if count == a.ndim:
        parts = np.empty((-(-a.size // WORK), 1))
        part_squares(a.reshape(-1), parts, chunk=WORK)
        res = np.asarray(math.sqrt(parts.sum()), a.dtype)
    else:
        rows = a.reshape(-1, math.prod(a.shape[a.ndim - count:]))
        res = np.empty(len(rows), a.dtype)
        row_norms(rows, res, chunk=chunk_of(rows))
    return res.reshape(a.shape[:a.ndim - count] + (1,) * (count * keepdim))
