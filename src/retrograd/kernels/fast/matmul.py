"""Matrix products: in tiles of our own where these are quicker (NOTE [panels] in panels.py);
elsewhere the pool shares blocks of the result, each computed by NumPy's own OpenBLAS.

OpenBLAS has threads of its own, which after a product spin for a long time waiting for the next
one: with ours beside them there are more threads than processors. So here it is asked for blocks,
on one thread each. Which blocks depends on the number of threads, as in OpenBLAS; the terms of each
sum are added in the same order.

NOTE [few rows]
    Where a has few rows and b is transposed, as in x @ weight.T, OpenBLAS copies the whole of b
    before it begins, which takes longer than the product. There are two ways round that: so few
    columns at a time that it reads them as they lie (SMALL), or b.T a.T, for which it copies b four
    times as fast; we then transpose the result.
"""

from __future__ import annotations

import ctypes
from functools import cache, lru_cache

import numpy as np
from llvmlite import ir

from ..._blas import alone, routine
from .. import fast
from ..matmul import FEW
from . import panels
from .compiling import Count, Part, Whole, address_of, kernel, turns
from .lazy import intrinsic, types
from .strip import multiply as strips
from .strip import turn
from .tile import BYTES, copy, lanes, transpose_some

SHARED = 1 << 20            # a block has at least so many multiplications
NARROW = 48                 # and so many rows or columns
LARGE = 1 << 16             # the most elements of a transposed left matrix that strips read
# Products of up to so many elements and multiplications OpenBLAS computes without copying b
SMALL = 1200, 10**6
ROOM = 1 << 17              # elements of a block that is transposed afterwards
LONG = 256                  # sums of so many terms are worth transposing the result
ROW_MAJOR, AS_IS, TURNED = 101, 111, 112                # cblas.h
NOTHING = {char: np.empty(0, char) for char in "fd"}


@cache
def library():
    """Where OpenBLAS's functions for products in float32 and float64 lie; or None."""
    found = {char: routine(f"cblas_{name}gemm") for char, name in (("f", "s"), ("d", "d"))}
    if None in found.values():
        return None
    return {char: ctypes.cast(f, ctypes.c_void_p).value for char, f in found.items()}


def layout(rows, columns, row, column, item):
    """A matrix in the BLAS's terms: transposed or not, and elements from line to line; or None."""
    if column == item and row >= columns * item and row % item == 0:
        return AS_IS, row // item
    if row == item and column >= rows * item and column % item == 0:
        return TURNED, column // item
    return None


@lru_cache(1 << 10)
def layouts(a_shape, a_strides, b_shape, b_strides, item):
    """The layouts of two factors, or None if the BLAS cannot read one of them."""
    found = [layout(*shape[-2:], *strides[-2:], item)
             for shape, strides in ((a_shape, a_strides), (b_shape, b_strides))]
    return None if None in found else found


def product(a, b, bias=None):
    """a b (+ bias): (n, k) (k, m) (m,) -> (n, m), or a stack of such products without a bias."""
    dtype, item = a.dtype, a.itemsize
    if dtype.char not in "fd" or b.dtype is not dtype or not (a.size and b.size):
        return None
    (n, k), m = a.shape[-2:], b.shape[-1]
    if bias is not None and (
            bias.dtype is not dtype or bias.shape != (m,) or bias.strides != (item,)):
        return None
    if item in b.strides[-2:] and panels.suits(
            n, k, m, b.strides[-2], item, len(a) if a.ndim == 3 else 1, a.strides[-1]):
        return panels.product(a, b, bias)
    found = layouts(a.shape, a.strides, b.shape, b.strides, item)
    if found is None:                       # as of the gradient of a sum, one number
        a, b = (x if layout(*x.shape[-2:], *x.strides[-2:], item) else x.copy() for x in (a, b))
        found = layouts(a.shape, a.strides, b.shape, b.strides, item)
    if a.ndim == 2 and (n == 1 or m == 1):
        return whole(a, b, bias)            # NumPy asks the BLAS for a vector: it copies nothing
    left, right = found
    few = a.ndim == 2 and n <= FEW and left[0] == AS_IS and right[0] == TURNED
    columns = at_once(n, k) if few else 0
    turn = few and not columns and k >= LONG
    stripped = a.ndim == 3 and thin(n, k, m, len(a), left[0], right[0], dtype)
    quicker = stripped and (right[0] == TURNED or m < k and left[0] == AS_IS)   # on one thread, too
    if library() is None or fast.threads == 1 and not quicker and bias is None and not (
            columns or turn):
        return None             # NumPy calls the BLAS as well
    if a.ndim == 2 and not columns and not turn and n * k * m < fast.TILES:
        return whole(a, b, bias)
    out = np.empty((*a.shape[:-1], m), dtype)
    if stripped:
        by_strips(a, b, out)
    elif turn:
        turned_product(a, b, out, bias, left[1], right[1])
    else:
        in_parts(a, b, out, bias, left, right, columns)
    return out


def whole(a, b, bias):
    """a b (+ bias) by one call, on one thread."""
    out = alone(a.dot, b)
    if bias is not None:
        out += bias
    return out


def at_once(n, k):
    """How many columns OpenBLAS takes without copying; 0 if they are too few to be worth it."""
    most = min(SMALL[0] // n, SMALL[1] // (n * k))
    return most - most % 16 if most >= NARROW else 0


def in_parts(a, b, out, bias, left, right, columns):
    """out = a b (+ bias) by parts, each computed by OpenBLAS: of so many columns, unless 0."""
    (n, k), m, item = a.shape[-2:], b.shape[-1], a.itemsize
    stack = len(a) if a.ndim == 3 else 1
    parts, size, by_rows = cut(n, k, m, stack)
    if columns:
        size, by_rows = min(m, columns), 0
        parts = -(-m // size)
    hops = (a.strides[0], b.strides[0], n * m * item) if a.ndim == 3 else (0, 0, 0)
    steps = (a.strides[-2], 0, m * item) if by_rows else (0, b.strides[-1], item)
    count, char = parts * stack, a.dtype.char
    alone(multiply, turns(count), library()[char],
          *left, *right, n, k, m, parts, size, by_rows, *hops, *steps, a, b, out,
          NOTHING[char] if bias is None else bias, chunk=max(1, SHARED // 4 // (n * k * m)))


def thin(n, k, m, stack, left, right, dtype):
    """Whether strips serve better than the BLAS: matrices narrow or with short sums, as those of
    attention, in whole vectors."""
    vector = lanes(dtype)
    return (stack > 1 and min(k, m) <= 64 and max(n, k, m) <= 1024 and m % vector == 0
            and (left == AS_IS or n * k <= LARGE) and (right == AS_IS or k % vector == 0))


def by_strips(a, b, out):
    """out = a b for stacks of thin matrices."""
    (stack, n, k), m, item = a.shape, b.shape[2], a.itemsize
    turned = b.strides[2] != item
    chunk = -(-stack // (4 * fast.threads))
    room = np.empty((-(-stack // chunk), k, m) if turned else (-(-stack // chunk), 0, 0), a.dtype)
    multiply_strips(turns(stack), n, k, m,
                    *a.strides, b.strides[0], b.strides[2 if turned else 1], a, b, out, room,
                    chunk=chunk)


def cut(n, k, m, stack):
    """Into how many parts each product is cut, their rows or columns, and whether they are rows.

    One part a thread, as the BLAS copies the whole of the other factor for each; none where the
    threads get equally many products. Rows unless they are few: then their factor is the smaller.
    """
    by_rows = 2 * n >= m
    long = n if by_rows else m
    wanted = fast.threads if stack % fast.threads else 1
    parts = max(1, min(wanted, n * k * m // SHARED, long // NARROW))
    size = -(-long // parts)
    size += -size % 16 if parts > 1 else 0
    return -(-long // size), size, int(by_rows)


def turned_product(a, b, out, bias, lda, ldb):
    """out = a b + bias by way of b.T a.T, one part a thread."""
    (n, k), m = a.shape, b.shape[1]
    size = min(ROOM // n, -(-m // fast.threads))
    parts = -(-m // size)
    char = a.dtype.char
    alone(multiply_turned, np.arange(parts), library()[char], lda, ldb, n, k, m, size,
          b.strides[1], a, b, out, NOTHING[char] if bias is None else bias,
          np.empty((parts, size * n), char), chunk=1)


# --------------------------------------------------------------------------- compiled

@intrinsic
def gemm(typingctx, address, beta, left, right, n, m, k, a, lda, b, ldb, c, ldc):
    """cblas_?gemm at this address: c = a b + beta c."""
    def codegen(context, builder, signature, args):
        address, beta, left, right, n, m, k, a, lda, b, ldb, c, ldc = args
        real = beta.type
        flag, size, at = ir.IntType(32), ir.IntType(64), ir.IntType(8).as_pointer()
        kind = ir.FunctionType(ir.VoidType(), [
            flag, flag, flag, size, size, size, real, at, size, at, size, real, at, size])
        flags = [builder.trunc(x, flag) for x in (left, right)]
        a, b, c = (builder.inttoptr(x, at) for x in (a, b, c))
        builder.call(builder.inttoptr(address, kind.as_pointer()), [
            ir.Constant(flag, ROW_MAJOR), *flags, n, m, k, ir.Constant(real, 1), a, lda, b, ldb,
            beta, c, ldc])
        return context.get_dummy_value()
    count = types.int64
    return types.void(count, beta, *[count] * 11), codegen


@kernel
def multiply(blocks, address: Count, left: Count, lda: Count, right: Count, ldb: Count,
             n: Count, k: Count, m: Count, parts: Count, size: Count, by_rows: Count,
             a_hop: Count, b_hop: Count, c_hop: Count, a_step: Count, b_step: Count,
             c_step: Count, a: Whole, b: Whole, c: Whole, bias: Whole):
    """The blocks of these numbers. The hops are the bytes from product to product, the steps those
    from row (or column) of a block to the next."""
    item = c.itemsize
    for block in blocks:
        at, begin = block // parts, block % parts * size
        rows = min(size, n - begin) if by_rows else n
        columns = m if by_rows else min(size, m - begin)
        into = address_of(c) + at * c_hop + begin * c_step
        if bias.size:
            first = address_of(bias) + (0 if by_rows else begin * item)
            for i in range(rows):
                copy(into + i * m * item, first, columns * item)
        gemm(address, c.dtype.type(bias.size > 0), left, right, rows, columns, k,
             address_of(a) + at * a_hop + begin * a_step, lda,
             address_of(b) + at * b_hop + begin * b_step, ldb, into, m)


@kernel
def multiply_turned(blocks, address: Count, lda: Count, ldb: Count, n: Count, k: Count, m: Count,
                    size: Count, step: Count, a: Whole, b: Whole, c: Whole, bias: Whole,
                    room: Part):
    """c = a b + bias for the blocks of `size` columns with these numbers; `room` is for one."""
    item, zero, vector = c.itemsize, c.dtype.type(0), BYTES // c.itemsize
    for block in blocks:
        begin = block * size
        columns, to = min(size, m - begin), address_of(c) + begin * item
        gemm(address, zero, AS_IS, TURNED, columns, n, k, address_of(b) + begin * step, ldb,
             address_of(a), lda, address_of(room), n)
        for i in range(0, n, vector):
            for j in range(0, columns, vector):
                transpose_some(zero, to + (i * m + j) * item, m * item,
                               address_of(room) + (j * n + i) * item, n * item,
                               min(vector, n - i), min(vector, columns - j))
        if bias.size:
            part = bias[begin:begin + columns]
            for i in range(n):
                row = c[i, begin:begin + columns]
                for j in range(part.size):
                    row[j] += part[j]


@kernel
def multiply_strips(turns, n: Count, k: Count, m: Count, a_hop: Count, a_row: Count,
                    a_step: Count, b_hop: Count, b_row: Count, a: Whole, b: Whole, c: Whole,
                    room: Part):
    """The products of these numbers; `room` is for a turned b, if it has to be turned."""
    item, one = c.itemsize, c.dtype.type(1)
    for at in turns:
        right, row = address_of(b) + at * b_hop, b_row
        if room.size:
            turn(right, row, m, one, room)
            right, row = address_of(room), m * item
        strips(one, address_of(c) + at * n * m * item, m * item, address_of(a) + at * a_hop,
               a_row, a_step, right, row, k, n, m * item, False)
