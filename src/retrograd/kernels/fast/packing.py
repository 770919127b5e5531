"""Products of large matrices by our own tiles, for processors whose OpenBLAS leaves time unused.

NOTE [packed products]
    A tile, TALL rows of two vectors' columns, stays in registers while a part of the inner
    dimension runs. For it b is copied into panels, [k][column], of two vectors' columns: a panel
    stays in the nearest cache while all rows of a pass by it. Rows of a are read where they lie;
    if a is turned they are copied first, into groups, [k][row], of as many rows as a vector has
    numbers, and so are rows that do not make up a tile. What is missing to a whole group or panel
    is filled with zeros. Where rows are few a panel would cost more than it saves: b is read where
    it lies.

A sum has one accumulator for each DEPTH of its terms and adds these in order, whatever the block
and the thread: results do not depend on the number of threads.

Addresses are integers, steps count bytes.
"""

from __future__ import annotations

import llvmlite.binding
import numpy as np

from .. import fast
from .compiling import Count, Part, Whole, address_of, kernel, routine
from .later import intrinsic, types
from .strip import strip
from .tile import BYTES, WIDE, Tile, llvm_type, transpose

TALL = 8                    # rows of a tile: 16 sums under way
DEPTH = 1024                # bytes of a row of a that are taken at a time, at most
HIGH = 1 << 19              # bytes of a that are taken at a time: they stay in the second cache
FEW = 48                    # rows for which b is not worth packing
BESIDE = 128                # columns for which a turned a is not worth packing

# AMD's processors: not measured, and there OpenBLAS is not behind the library that PyTorch calls
OURS = WIDE and not llvmlite.binding.get_host_cpu_name().startswith("znver")
LEAST = 16                  # rows, terms and columns
MOST = 1 << 29              # multiplications times bytes of a number: below, b and c fit in a cache
TURNS = np.arange(1 << 10)


def pays(n, k, m, item):
    """Whether products (n, k) (k, m) take less time here than in OpenBLAS.

    Small ones it computes without a copy; of large ones it keeps more in the caches.
    """
    return OURS and min(n, k, m) >= LEAST and fast.COPIED < n * k * m < MOST // item


def packed_product(a, b, out, bias, parts, size, by_rows):
    """out = a b + bias: matrices, or stacks of them, whose rows or columns are contiguous. Each is
    cut into `parts` of `size` rows or columns; a bias that is empty is none."""
    (n, k), m, item = a.shape[-2:], b.shape[-1], a.itemsize
    a_hop, a_row, a_step = a.strides if a.ndim == 3 else (0, *a.strides)
    b_hop, b_row, b_step = b.strides if b.ndim == 3 else (0, *b.strides)
    count, lanes = parts * (len(a) if a.ndim == 3 else 1), BYTES // item
    depth = -(-k // -(-k * item // DEPTH))
    high = min(size if by_rows else n, HIGH // (depth * item))
    high += -high % lanes
    grouped = lanes if a_step == item or m <= BESIDE else high
    chunk = -(-count // (4 * fast.threads))
    room = np.empty((-(-count // chunk), lanes * (1 + 2 * (depth + lanes + TALL) + lanes)
                     + grouped * depth), a.dtype)
    multiply_packed(TURNS[:count] if count <= len(TURNS) else np.arange(count), n, k, m, parts,
                    size, by_rows, high, depth, a_hop, a_row, a_step, b_hop, b_row, b_step,
                    a, b, out, bias, room, chunk=chunk)


# --------------------------------------------------------------------------- compiled

wide, narrow = strip(TALL, 2, False), strip(TALL, 1, False)
wide_add, narrow_add = strip(TALL, 2, True), strip(TALL, 1, True)


@intrinsic
def copy_padded(typingctx, like, to, source, count):
    """A vector of the first `count` numbers there, and zeros."""
    def codegen(context, builder, signature, args):
        _, to, source, count = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        tile.store(to, [tile.load_some(source, tile.first_lanes(count))])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 3), codegen


def copy_of(vectors):
    @intrinsic
    def copy_vectors(typingctx, like, to, source):
        """So many vectors."""
        def codegen(context, builder, signature, args):
            _, to, source = args
            tile = Tile(builder, llvm_type(signature.args[0]), 1, vectors)
            tile.store(to, tile.vectors_at(source))
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 2), codegen
    return copy_vectors


copy_one, copy_two = copy_of(1), copy_of(2)


@intrinsic
def copy_first(typingctx, like, to, source, count):
    """The first `count` numbers of a vector: no others are read or written."""
    def codegen(context, builder, signature, args):
        _, to, source, count = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        mask = tile.first_lanes(count)
        tile.store_some(to, tile.load_some(source, mask), mask)
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 3), codegen


@routine
def copy_rows(zero, item, to, to_row, source, row, rows, columns):
    """Rows of up to two vectors."""
    size = BYTES // item
    for i in range(rows):
        for v in range(2):
            copy_first(zero, to + i * to_row + v * BYTES, source + i * row + v * BYTES,
                       max(0, min(size, columns - v * size)))


@routine
def pack(zero, item, to, vectors, source, across, along, lines, count):
    """`lines` lines of `count` numbers, a line in each lane: [count][lane], 0 where there is none.

    Numbers of a line lie `along` apart, lines `across`; either is the size of a number.
    """
    size, row = BYTES // item, vectors * BYTES
    if across == item and lines == vectors * size:
        for k in range(count):
            if vectors == 2:
                copy_two(zero, to + k * row, source + k * along)
            else:
                copy_one(zero, to + k * row, source + k * along)
    elif across == item:
        for k in range(count):
            for v in range(vectors):
                copy_padded(zero, to + k * row + v * BYTES, source + k * along + v * BYTES,
                            max(0, min(size, lines - v * size)))
    else:
        for k in range(0, count, size):
            for v in range(vectors):
                transpose(zero, to + k * row + v * BYTES, row,
                          source + v * size * across + k * item, across, min(size, count - k),
                          max(0, min(size, lines - v * size)))


@routine
def tile(zero, item, out, out_row, a, a_row, a_step, b, b_row, rows, columns, count, keep, room):
    """out (+)= a b for the rows and columns of a tile, or fewer; `room` is for a whole one."""
    size = BYTES // item
    if rows == TALL and columns == 2 * size:
        if keep:
            wide_add(zero, out, out_row, a, a_row, a_step, b, b_row, count)
        else:
            wide(zero, out, out_row, a, a_row, a_step, b, b_row, count)
    elif rows == TALL and columns == size:
        if keep:
            narrow_add(zero, out, out_row, a, a_row, a_step, b, b_row, count)
        else:
            narrow(zero, out, out_row, a, a_row, a_step, b, b_row, count)
    else:
        if keep:                                    # added in the same order as elsewhere
            copy_rows(zero, item, room, 2 * BYTES, out, out_row, rows, columns)
            wide_add(zero, room, 2 * BYTES, a, a_row, a_step, b, b_row, count)
        else:
            wide(zero, room, 2 * BYTES, a, a_row, a_step, b, b_row, count)
        copy_rows(zero, item, out, out_row, room, 2 * BYTES, rows, columns)


@routine
def part(zero, item, out, out_row, a, a_row, a_step, b, b_row, b_step, rows, columns, count, keep,
         panel, edge, group):
    """out (+)= a b for one part of the inner dimension."""
    size = BYTES // item
    whole = rows - rows % TALL if a_step == item or columns <= BESIDE else 0
    for i in range(whole, rows, size):
        pack(zero, item, group + (i - whole) * count * item, 1, a + i * a_row, a_row, a_step,
             min(size, rows - i), count)
    for j in range(0, columns, 2 * size):
        wanted, right, step = min(2 * size, columns - j), b + j * b_step, b_row
        if rows > FEW or b_step != item or wanted % size:
            pack(zero, item, panel, 2, right, b_step, b_row, wanted, count)
            right, step = panel, 2 * BYTES
        for i in range(0, whole, TALL):
            tile(zero, item, out + i * out_row + j * item, out_row, a + i * a_row, a_row, a_step,
                 right, step, TALL, wanted, count, keep, edge)
        for i in range(whole, rows, TALL):
            at = i - whole
            tile(zero, item, out + i * out_row + j * item, out_row,
                 group + at // size * size * count * item + at % size * item, item, BYTES,
                 right, step, min(TALL, rows - i), wanted, count, keep, edge)


@kernel
def multiply_packed(blocks, n: Count, k: Count, m: Count, parts: Count, size: Count,
                    by_rows: Count, high: Count, depth: Count, a_hop: Count, a_row: Count,
                    a_step: Count, b_hop: Count, b_row: Count, b_step: Count, a: Whole,
                    b: Whole, c: Whole, bias: Whole, room: Part):
    """The blocks of these numbers, `high` rows and `depth` terms at a time."""
    item, zero = c.itemsize, c.dtype.type(0)
    lanes = BYTES // item
    panel = (address_of(room) + BYTES - 1) // BYTES * BYTES
    edge = panel + (depth + lanes) * 2 * BYTES
    group = edge + TALL * 2 * BYTES
    for block in blocks:
        at, begin = block // parts, block % parts * size
        rows = min(size, n - begin) if by_rows else n
        columns = m if by_rows else min(size, m - begin)
        left, right = address_of(a) + at * a_hop, address_of(b) + at * b_hop
        into = address_of(c) + at * n * m * item
        if by_rows:
            left += begin * a_row
            into += begin * m * item
        else:
            right += begin * b_step
            into += begin * item
        if bias.size:
            first = address_of(bias) + (0 if by_rows else begin * item)
            for i in range(rows):
                for j in range(0, columns, lanes):
                    copy_first(zero, into + (i * m + j) * item, first + j * item,
                               min(lanes, columns - j))
        for start in range(0, k, depth):
            count, keep = min(depth, k - start), int(start > 0 or bias.size > 0)
            for top in range(0, rows, high):
                part(zero, item, into + top * m * item, m * item,
                     left + top * a_row + start * a_step, a_row, a_step,
                     right + start * b_row, b_row, b_step, min(high, rows - top), columns, count,
                     keep, panel, edge, group)


