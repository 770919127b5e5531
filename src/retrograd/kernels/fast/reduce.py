"""Sums, products and extremes: of all elements, of rows, of columns, of columns of each matrix.

Float64 holds sums until they are complete.
"""

from __future__ import annotations

import math
from collections import namedtuple
from functools import lru_cache, partial

import numpy as np

from ..._blas import alone
from .. import fast, reduce, sums
from ..half import is_half, widened
from ..layout import inverse, memory_order
from ..narrow import unrepeated
from ..shape import in_order
from .columns import FLAT, are_few, sums_of_few
from .compiling import Part, Whole, kernel, scalar, scalar_sums
from .elementwise import dense, without_gaps
from .half import BITS, NAMES, READERS, cast_any, narrowed
from .rows import BLOCK, WORK, as_it_is, chunk_of, largest, smallest, total_by
from .scalar import choose

# Rows of fewer than SHORT elements are summed by a product with ones, as fast as by a kernel. In an
# array of MUCH elements or more, which no cache holds, OpenBLAS takes two to three times as long:
# there only rows of fewer than LINE are. Columns are summed by a product if there are LINE or more.
SHORT, LINE = 64, 16
MUCH = 1 << 22
# A thread's share of the columns, where up to FLAT rows of half precision are added up
STRETCH = 1024
# At least so many sums are kept side by side, to fill vectors, also if there are fewer columns
WIDE = 64
# Rows of up to so many elements are worth a kernel, or copying where there are gaps between them:
# NumPy's loop, which it begins anew for each row, takes longer
NARROW = 256

Sums = namedtuple("Sums", "all rows columns between")

SINGLE = np.dtype("float32")


def add_up_by(read):
    """For kernels: the sums of the columns of a matrix that is given as a vector."""
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
                room[j] += (((read(a[j]) + read(b[j])) + (read(c[j]) + read(d[j])))
                            + ((read(p[j]) + read(q[j])) + (read(r[j]) + read(s[j]))))
        for i in range(whole, x.size, size):
            rest = x[i:i + size]
            for j in range(rest.size):
                room[j] += read(rest[j])
    return add_up


def sums_by(read, name=""):
    """The kernels that add numbers which `read` makes of an array's elements."""
    total, add_up = total_by(read), add_up_by(read)

    def part_totals(x, part: Part):
        part[0] = total(x)

    def row_totals(x, out):
        for i in range(len(x)):
            out[i] = total(x[i])

    def column_totals(x, part: Part):
        add_up(x.reshape(-1), part)

    def sums_between(x, room: Part, out):
        """x (rows, n * columns), where `room` is for one or more times the columns of `out`."""
        columns = out.shape[1]
        for i in range(len(x)):
            add_up(x[i], room)
            for k in range(columns):
                for j in range(k + columns, room.size, columns):
                    room[k] += room[j]
                out[i, k] = room[k]

    return Sums(*[named(f, name) for f in (part_totals, row_totals, column_totals, sums_between)])


def named(function, ending):
    """A kernel by the function's name and this ending."""
    function.__name__ += ending
    return kernel(function)


def sums_of_stretches_by(read, name):
    """The kernel that adds up few rows, for some columns after others."""
    def sums_of_stretches(starts, x: Whole, out: Whole):
        for start in starts:
            totals, first = out[start:start + STRETCH], len(x) % 8
            for j in range(totals.size):
                totals[j] = 0
            for i in range(first):
                row = x[i, start:]
                for j in range(totals.size):
                    totals[j] += read(row[j])
            for i in range(first, len(x), 8):
                a, b, c, d = x[i, start:], x[i + 1, start:], x[i + 2, start:], x[i + 3, start:]
                p, q, r, s = x[i + 4, start:], x[i + 5, start:], x[i + 6, start:], x[i + 7, start:]
                for j in range(totals.size):
                    totals[j] += (((read(a[j]) + read(b[j])) + (read(c[j]) + read(d[j])))
                                + ((read(p[j]) + read(q[j])) + (read(r[j]) + read(s[j]))))
    return named(sums_of_stretches, name)


# By the dtype's character. Half precision is given as its bits, and its sums are float32.
SUMS = {"f": (floats := sums_by(as_it_is)), "d": floats,
        **{kind: sums_by(read, f"_{NAMES[kind]}") for kind, read in READERS.items()}}
# Of floats of few rows columns.py makes them
STRETCHES = {kind: sums_of_stretches_by(read, f"_{NAMES[kind]}") for kind, read in READERS.items()}


def elements(a):
    """What the kernels of SUMS are given of an array."""
    return a.view(BITS) if a.dtype.itemsize == 2 else a


def dtype_of_sums(a):
    return SINGLE if a.dtype.itemsize == 2 else a.dtype


def repeats(a):
    """Whether an array is expanded: a reduction then takes what it repeats once."""
    return not a.flags.carray and 0 in a.strides and 0 < unrepeated(a).size < a.size


def of_repeated(reduction, times, a, dim, keepdim):
    """reduction(a, dim, keepdim) of an expanded array: times(res, count) makes it of the result
    for what is repeated, if that is joined `count` times; None changes nothing."""
    one, dims = unrepeated(a), dim if isinstance(dim, tuple) else (dim,)
    alone = all(one.shape[d] == 1 for d in dims)               # nothing to join: no call for each
    res = widened(one) if alone else reduction(one, dim, True)
    count = math.prod([a.shape[d] // one.shape[d] for d in dims])
    if times and count > 1:
        res = times(res, count)
    out = np.empty([1 if d in dims else n for d, n in enumerate(a.shape)], res.dtype)
    out[...] = res
    return out if keepdim else out.squeeze(dims)


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
    if a.dtype.char in SUMS and repeats(a):
        one = unrepeated(a)
        whole = total_of(one)
        whole = reduce.sum_all(widened(one)) if whole is None else whole
        return np.asarray(whole * (a.size // one.size))
    char, a = a.dtype.char, without_gaps(in_memory(a))
    if char not in SUMS or not a.flags.carray:
        return None
    parts = np.empty((-(-a.size // WORK), 1))
    SUMS[char].all(elements(a.reshape(-1)), parts, chunk=WORK)
    whole = parts.reshape(()) if len(parts) == 1 else parts.sum()
    return np.asarray(whole, dtype_of_sums(a))


def in_memory(a):
    """`a`, or if it has no gaps its transpose that lies row by row."""
    order = None if a.flags.carray else memory_order(a)
    return a if order is None else a.transpose(order)


def over_laid(twin, a, dim, keepdim):
    """The twin's result for an array that does not lie row by row: for its transpose that does, or
    a copy where its rows lie apart and are short. None for long rows that lie apart."""
    order = memory_order(a)
    if a.flags.carray or (
            order is None and a.shape[-1] > NARROW and a.strides[-1] == a.itemsize):
        return None
    if order is None:
        return twin(in_order(a), dim, keepdim)
    dims = dim if isinstance(dim, tuple) else (dim,)
    res = twin(a.transpose(order), tuple([order.index(d) for d in dims]), True)
    if res is None:
        return None
    res = res.transpose(inverse(order))
    return res if keepdim else res.squeeze(dims)


def sum_dim(a, dim, keepdim, dtype=None):
    if a.dtype.char not in SUMS or dtype not in (None, a.dtype):
        return None
    res = sums_over(a, dim, keepdim)
    return res if res is None else narrowed(res, a.dtype)


def sums_over(a, dim, keepdim):
    """The sums over `dim`; those of half precision in float32."""
    if a.flags.carray:
        way, joined, shape = way_to_reduce(a.shape, dim, keepdim)
        return way and SUM[way](a.reshape(joined)).reshape(shape)
    if repeats(a):
        return of_repeated(sums_of_once, np.multiply, a, dim, keepdim)
    res = over_laid(sums_over, a, dim, keepdim)
    if res is None and is_half(a.dtype) and a.size:
        return sums_over(cast_any(a, SINGLE), dim, keepdim)
    return res


def sums_of_once(a, dim, keepdim):
    """sums_over() of whatever an array repeats, also where no kernel adds it up."""
    res = sums_over(a, dim, keepdim)
    return reduce.sum_dim(widened(a), dim, keepdim) if res is None else res


@lru_cache(1 << 10)
def way_to_reduce(shape, dim, keepdim):
    """Which function reduces over `dim` (see SUM), the shape it is given, and the result's.

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
        return "rows", (-1, size), kept
    if outer == count:
        return "columns", (-1, math.prod(kept)), kept
    if inner + outer == count:
        return "outer", (-1, math.prod(kept), size), kept
    if dims[-1] - dims[0] == count - 1:
        after = math.prod(shape[dims[-1] + 1:])
        return "middle", (math.prod(shape[:dims[0]]), -1, after), kept
    return None, None, None


def mean_dim(a, dim, keepdim):
    if dim is None:
        return mean_all(a)
    res = sums_over(a, dim, keepdim) if a.dtype.char in SUMS else None
    if res is None:
        return None
    res /= res.dtype.type(a.size // max(res.size, 1))
    return narrowed(res, a.dtype)


def sum_to(g, shape):
    if g.size == math.prod(shape):                         # at most sizes of 1 to drop
        return g.reshape(shape)
    if g.size and not any(g.strides) and g.dtype.char in SUMS:            # one number expanded
        one = dtype_of_sums(g).type(g.flat[0])
        return np.full(shape, one * (g.size // math.prod(shape)), g.dtype)
    lead = g.ndim - len(shape)
    dims = (*range(lead), *(lead + k for k, n in enumerate(shape) if n == 1 != g.shape[lead + k]))
    res = sum_all(g) if set(shape) <= {1} else sum_dim(g, dims, False)
    return None if res is None else res.reshape(shape)


def row_sums(rows):
    short = SHORT if rows.size < MUCH else LINE
    if rows.shape[1] < short and rows.dtype.itemsize != 2:
        return sums.row_sums(rows)
    out = np.empty(len(rows), dtype_of_sums(rows))
    SUMS[rows.dtype.char].rows(elements(rows), out, chunk=chunk_of(rows))
    return out


def wide(columns):
    """Columns enough to fill vectors: those of one row or of several."""
    return columns * max(1, WIDE // max(columns, 1))


def outer_sums(x):
    """Over the first and the last of three dimensions."""
    rows, columns, size = x.shape
    return row_sums(x.reshape(-1, size)).reshape(-1, columns).sum(0)


def sums_of_middle(x):
    if are_few(x):
        return sums_of_few(x)
    rows, n, columns = x.shape
    if x.size < 2 * fast.SHARED and columns >= LINE and n <= sums.PIECE \
            and n * columns < sums.THREADED and x.dtype.itemsize != 2:
        return sums.column_sums(x)
    out = np.empty((rows, columns), dtype_of_sums(x))
    chunk = max(1, WORK // (n * columns))
    room = np.empty((-(-rows // chunk), wide(columns)))
    SUMS[x.dtype.char].between(elements(x.reshape(rows, -1)), room, out, chunk=chunk)
    return out


def column_sums(rows):
    if are_few(rows[None]):
        return sums_of_few(rows[None])[0]
    columns = rows.shape[1]
    if rows.size < fast.SHARED:
        by_product = len(rows) <= sums.PIECE and columns >= LINE and rows.dtype.itemsize != 2
        return alone(sums.column_sums, rows) if by_product else sums_of_middle(rows[None])[0]
    if len(rows) <= FLAT and rows.dtype.char in STRETCHES:
        out = np.empty(columns, dtype_of_sums(rows))
        starts = np.arange(0, columns, STRETCH)
        STRETCHES[rows.dtype.char](starts, elements(rows), out, chunk=1)
        return out
    chunk = -(-max(chunk_of(rows), math.isqrt(len(rows))) // 8) * 8         # as add_up adds
    parts = np.empty((-(-len(rows) // chunk), wide(columns)))
    SUMS[rows.dtype.char].columns(elements(rows), parts, chunk=chunk)
    return parts.reshape(-1, columns).sum(0).astype(dtype_of_sums(rows))


SUM = {"rows": row_sums, "columns": column_sums, "outer": outer_sums, "middle": sums_of_middle}


@scalar_sums
def block_product(x):
    """In float64: numbers on the way from float32's least to 0 would take a hundred times as long.
    """
    whole = 1.0
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


Extremes = namedtuple("Extremes", "rows middle combined")


def extremes_by(of_row, better, combined):
    """The kernels of the extremes of rows and of columns, `better` giving that of two numbers."""
    better = scalar(better)

    def of_rows(x, out):
        for i in range(len(x)):
            out[i] = of_row(x[i])

    def between(x, room: Part, out):
        """As sums_between."""
        columns = out.shape[1]
        for i in range(len(x)):
            row = x[i]
            first = min(room.size, row.size)
            for j in range(first):
                room[j] = row[j]
            whole = first + (row.size - first) // (4 * room.size) * (4 * room.size)
            for start in range(first, whole, 4 * room.size):
                a, b = row[start:], row[start + room.size:]
                c, d = row[start + 2 * room.size:], row[start + 3 * room.size:]
                for j in range(room.size):
                    room[j] = better(better(better(a[j], b[j]), better(c[j], d[j])), room[j])
            for start in range(whole, row.size, room.size):
                rest = row[start:start + room.size]
                for j in range(rest.size):
                    room[j] = better(rest[j], room[j])
            for k in range(columns):
                for j in range(k + columns, first, columns):
                    room[k] = better(room[j], room[k])
                out[i, k] = room[k]

    name = combined.__name__
    return Extremes(named(of_rows, f"_{name}"), named(between, f"_{name}"), combined)


MAXIMA = extremes_by(largest, lambda x, y: choose((x > y) | (x != x), x, y), np.maximum)
MINIMA = extremes_by(smallest, lambda x, y: choose((x < y) | (x != x), x, y), np.minimum)


def prod_all(a, dtype=None):
    a, count = in_memory(a), 1
    if a.dtype.char not in "fd" or dtype is not None:
        return None
    if repeats(a):
        one = in_order(unrepeated(a))
        a, count = one, a.size // one.size
    if not a.flags.carray:
        return None
    parts = np.empty((-(-a.size // WORK), 1))
    part_products(a.reshape(-1), parts, chunk=WORK)
    return np.asarray(parts.prod() ** count, a.dtype)


def prod_dim(a, dim, keepdim, dtype=None):
    """Over the last dimension, or any of an expanded array."""
    if a.dtype.char not in "fd" or dtype is not None:
        return None
    if repeats(a):
        return of_repeated(fast.large("prod_dim", reduce.prod_dim), np.power, a, dim, keepdim)
    if dim != a.ndim - 1:
        return None
    if not a.flags.carray:
        return over_laid(prod_dim, a, dim, keepdim) if memory_order(a) is None else None
    rows = a.reshape(-1, a.shape[-1])
    out = np.empty(len(rows), a.dtype)
    row_products(rows, out, chunk=chunk_of(rows))
    return out.reshape(a.shape[:-1] + (1,) * keepdim)


def amax(a, dim, keepdim):
    return extremes(MAXIMA, a, dim, keepdim)


def amin(a, dim, keepdim):
    return extremes(MINIMA, a, dim, keepdim)


def extremes(kernels, a, dim, keepdim):
    """Over the last dimensions; over the first ones, or neighbours between, where rows are narrow.
    """
    if a.dtype.char not in "fd" or not a.size or not a.ndim:
        return None
    if repeats(a):
        return of_repeated(partial(extremes_of_once, kernels), None, a, dim, keepdim)
    if not a.flags.carray:
        return over_laid(partial(extremes, kernels), a, dim, keepdim)
    way, joined, shape = way_to_reduce(a.shape, dim, keepdim)
    if way not in ("rows", "columns", "middle") or way != "rows" and joined[-1] > NARROW:
        return None
    x = a.reshape(joined)
    if way == "rows":
        out = np.empty(len(x), a.dtype)
        kernels.rows(x, out, chunk=chunk_of(x))
        return out.reshape(shape)
    return (extremes_of_columns if way == "columns" else extremes_of_middle)(kernels, x) \
        .reshape(shape)


def extremes_of_once(kernels, a, dim, keepdim):
    res = extremes(kernels, a, dim, keepdim)
    return kernels.combined.reduce(a, dim, keepdims=keepdim) if res is None else res


def extremes_of_middle(kernels, x):
    """(rows, n, columns) -> (rows, columns)"""
    rows, n, columns = x.shape
    out = np.empty((rows, columns), x.dtype)
    chunk = max(1, WORK // (n * columns))
    room = np.empty((-(-rows // chunk), wide(columns)), x.dtype)
    kernels.middle(x.reshape(rows, -1), room, out, chunk=chunk)
    return out


def extremes_of_columns(kernels, x):
    """(n, columns) -> (columns): of pieces of the rows first, which threads share."""
    n, columns = x.shape
    pieces = min(math.isqrt(n), -(-x.size // WORK))
    whole = n // pieces * pieces
    parts = extremes_of_middle(kernels, x[:whole].reshape(pieces, -1, columns))
    return kernels.combined.reduce(np.concatenate([parts, x[whole:]]), 0)


def linalg_vector_norm(a, ord, dim, keepdim):
    """The 2-norm of all elements, or over the last dimensions; over any of an expanded array."""
    dims, count = sorted(dim), len(dim)
    if ord != 2 or a.dtype.char not in "fd" or not count:
        return None
    if repeats(a):
        res = of_repeated(lambda a, dim, keepdim: reduce.linalg_vector_norm(a, ord, dim, keepdim),
                          lambda res, count: res * math.sqrt(count), a, dim, keepdim)
        return abs(res)                                        # of single numbers, too
    if dims != list(range(a.ndim - count, a.ndim)) \
            or math.prod(a.shape[a.ndim - count:]) == 1:      # no square of a number alone
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
