"""Matrix products in tiles that stay in registers, where OpenBLAS leaves a processor's time unused.

NOTE [panels]
    A tile is six rows high and four vectors wide: 24 sums, which leaves registers for four vectors
    of b and a number of a, and keeps both units busy that multiply and add. The part of b that it
    needs, a panel as wide as the tile, is copied first, so that its rows are contiguous, and then
    serves all rows of a block. Numbers of a are read where they lie. Sums of more than DEPTH terms
    are made in parts, so that a panel stays in the cache. A last panel that is no whole one is made
    of narrow ones, a vector wide.

Addresses are integers; steps count bytes.
"""

from __future__ import annotations

from functools import lru_cache

import llvmlite.binding
import numpy as np

from .. import fast
from .compiling import Count, Part, Whole, address_of, kernel, routine
from .lazy import intrinsic, types
from .tile import BYTES, WIDE, Tile, lanes, llvm_type, scaled, transpose

FEW, FEW_OF_TURNED = 4, 24  # rows
PAGE = 1 << 12              # bytes from which on each number of a column of a is in another page
FAR = 1 << 18               # bytes in which numbers lie that a processor does not find at once
SEVERAL = 12                # vectors of a row of b
DEPTH = 192                 # terms of a sum that are added at once, at most
VECTORS = 4                 # of a wide panel
HIGH, NARROW_HIGH = 6, 12   # rows of a tile of a wide panel, and of a narrow one
AMD = llvmlite.binding.get_host_cpu_name().startswith("znver")
NEAR = 1 << (20 if AMD else 18)     # numbers of a that a block reads again and again: a cache holds
BLOCK = 96                  # rows of a block, at least: fewer are not worth copying a panel
LOW = 24                    # the same where threads would have nothing to do
ZEROS = {char: np.zeros(VECTORS * lanes(char), char) for char in "fd"}


def suits(n, k, m, a_step, b_row, item) -> bool:
    """Whether (n, k) (k, m), with rows of b or numbers of a row of a as many bytes apart, is worth
    tiles: it has to fill them, and few rows are better served as in NOTE [few rows]."""
    rows, least = (FEW_OF_TURNED, fast.TILES >> 2) if b_row == item else (FEW, fast.TILES)
    return WIDE and n >= rows and m * item >= VECTORS * BYTES and n * k * m >= least \
        and (a_step < PAGE or k <= DEPTH or is_far(k, m, a_step, item))


def product(a, b, bias=None):
    """a b (+ bias): (n, k) (k, m) (m,) -> (n, m), or a stack of such products. Rows or columns of b
    are contiguous."""
    char, out = a.dtype.char, np.empty((*a.shape[:-1], b.shape[-1]), a.dtype)
    if a.ndim == 2:
        a, b, stacked = a[None], b[None], out[None]
    else:
        stacked = out
    turned = a.strides[1] == a.itemsize and is_far(a.shape[2], b.shape[2], a.strides[2], a.itemsize)
    cuts, turns, rooms, chunk = plan(*a.shape, b.shape[2], lanes(a.dtype), fast.threads, turned)
    multiply(turns, *a.shape[1:], b.shape[2], *cuts, *a.strides, *b.strides,
             0 if bias is None else bias.itemsize, a, b, stacked,
             ZEROS[char] if bias is None else bias, *[np.empty(room, char) for room in rooms],
             chunk=chunk)
    return out


def is_far(k, m, a_step, item):
    """Whether the numbers of a row of a lie in more pages than a processor finds at once, and serve
    several panels: then they are copied first."""
    return min(k, DEPTH) * a_step > FAR and m >= SEVERAL * BYTES // item


@lru_cache(1 << 10)
def plan(stack, n, k, m, vector, threads, turned):
    """How products are cut: panels of a product, blocks of a panel and their rows, terms of a
    panel; the blocks' numbers; the rooms for a panel and for a block's turned rows, one a chunk of
    blocks; blocks of a chunk."""
    width = VECTORS * vector
    across = -(-m // width)
    wanted = -(-threads // stack)           # rows were mostly made, and will be read, by one thread
    least = BLOCK if stack * across >= threads else LOW
    wanted = max(1, min(wanted, n // least))
    down = -(-n // max(BLOCK, NEAR // k))
    height = -(-n // (down + -down % wanted))           # each thread has as many
    height += -height % NARROW_HIGH
    down = -(-n // height)
    depth = -(-k // -(-k // DEPTH))
    turns = np.arange(stack * across * down)
    chunk = -(-turns.size // threads)                   # neighbours share rows of a, or a panel
    room = (depth + -depth % vector) * width + vector
    rows = (height + -height % vector) * (k + -k % vector + vector) if turned else 0
    chunks = -(-turns.size // chunk)
    return (across, down, height, depth), turns, ((chunks, room), (chunks, rows)), chunk


# --------------------------------------------------------------------------- compiled

def tile_of(rows, vectors):
    """The intrinsic below, for a height and a width; of one vector `some` numbers are written."""
    @intrinsic
    def tile(typingctx, like, out, step, start, pitch, a, a_row, a_step, panel, count, some):
        """out = start + a panel: for each k < count, the numbers k of rows of a times row k."""
        def codegen(context, builder, signature, args):
            _, out, step, start, pitch, a, a_row, a_step, panel, count, some = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, vectors)
            starts = [builder.add(a, scaled(builder, a_row, r)) for r in range(rows)]

            def terms(k):
                along = builder.mul(k, a_step)
                numbers = [tile.number(builder.add(row, along), 0) for row in starts]
                return numbers, tile.vectors_at(
                    builder.add(panel, scaled(builder, k, vectors * BYTES)))
            tile.run(count, [tile.zero] * (rows * vectors), terms)
            mask = tile.first_lanes(some)
            for r in range(rows):
                row, begin = (builder.add(at, scaled(builder, hop, r))
                              for at, hop in ((out, step), (start, pitch)))
                if vectors == 1:
                    value, = tile.plus_sums([tile.load_some(begin, mask)], r)
                    tile.store_some(row, value, mask)
                else:
                    tile.store(row, tile.plus_sums(tile.vectors_at(begin), r))
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 10), codegen
    return tile


def column_of(height, vectors):
    """Tiles from top to bottom, for all rows of a block and one panel."""
    high, pair, low = (tile_of(rows, vectors) for rows in (height, 2, 1))

    @routine
    def column(like, out, step, start, pitch, a, a_row, a_step, panel, count, some, rows):
        r = 0
        while r + height <= rows:
            high(like, out + r * step, step, start + r * pitch, pitch, a + r * a_row, a_row, a_step,
                 panel, count, some)
            r += height
        while r + 2 <= rows:
            pair(like, out + r * step, step, start + r * pitch, pitch, a + r * a_row, a_row, a_step,
                 panel, count, some)
            r += 2
        if r < rows:
            low(like, out + r * step, step, start + r * pitch, pitch, a + r * a_row, a_row, a_step,
                panel, count, some)
    return column


wide_column, narrow_column = column_of(HIGH, VECTORS), column_of(NARROW_HIGH, 1)


@intrinsic
def copy_wide(typingctx, like, to, source):
    """A row of a wide panel, from one address to another."""
    def codegen(context, builder, signature, args):
        tile = Tile(builder, llvm_type(signature.args[0]), 1, VECTORS)
        tile.store(args[1], tile.vectors_at(args[2]))
        return context.get_dummy_value()
    return types.void(like, types.int64, types.int64), codegen


@intrinsic
def copy_narrow(typingctx, like, to, source, count):
    """A row of a narrow panel, of which `count` numbers are read; the others are 0."""
    def codegen(context, builder, signature, args):
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        tile.store(args[1], [tile.load_some(args[2], tile.first_lanes(args[3]))])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 3), codegen


@routine
def fill(like, panel, source, row, column, depth, size, width, vector):
    """The panel: `depth` rows and `size` columns of b, then zeros up to its width."""
    item = BYTES // vector
    if column != item:                      # columns of b are contiguous
        for j in range(0, width, vector):
            for i in range(0, depth, vector):
                transpose(like, panel + (i * width + j) * item, width * item,
                          source + i * item + j * column, column,
                          min(vector, depth - i), min(vector, max(0, size - j)))
    elif size == VECTORS * vector:
        for i in range(depth):
            copy_wide(like, panel + i * width * item, source + i * row)
    else:
        for i in range(depth):
            copy_narrow(like, panel + i * width * item, source + i * row, size)


@routine
def turn_rows(like, to, step, source, a_step, rows, k, vector):
    """`rows` rows of k numbers that lie `a_step` apart, next to each other; rows of `to` lie `step`
    apart."""
    item = BYTES // vector
    for i in range(0, rows, vector):
        for j in range(0, k, vector):
            transpose(like, to + i * step + j * item, step, source + i * item + j * a_step, a_step,
                      min(vector, rows - i), min(vector, k - j))


@kernel
def multiply(blocks, n: Count, k: Count, m: Count, across: Count, down: Count, height: Count,
             depth: Count, a_hop: Count, a_row: Count, a_step: Count, b_hop: Count, b_row: Count,
             b_step: Count, bias_step: Count, a: Whole, b: Whole, c: Whole, bias: Whole,
             room: Part, turned: Part):
    """The blocks of these numbers: of each product, the rows of the first panel come first."""
    like, item, vector = c.dtype.type(0), c.itemsize, BYTES // c.itemsize
    panel = address_of(room) + -address_of(room) % BYTES      # no vector in two lines of the cache
    step, width, ready = m * item, VECTORS * vector, -1
    for block in blocks:
        at, rest = block // (across * down), block % (across * down)
        top, left = rest // across * height, rest % across * width
        rows, columns = min(height, n - top), min(width, m - left)
        size = width if columns == width else vector
        begin, row, hop = address_of(a) + at * a_hop + top * a_row, a_row, a_step
        if turned.size:
            row, hop = turned.size // (height + -height % vector) * item, item
            if block // across != ready:
                turn_rows(like, address_of(turned), row, begin, a_step, rows, k, vector)
                ready = block // across
            begin = address_of(turned)
        for first in range(0, k, depth):
            count = min(depth, k - first)
            numbers = begin + first * hop
            for j in range(0, columns, size):
                out = address_of(c) + ((at * n + top) * m + left + j) * item
                start, pitch = out, step
                if first == 0:
                    start, pitch = address_of(bias) + (left + j) * bias_step, 0
                some = min(size, columns - j)
                fill(like, panel, address_of(b) + at * b_hop + first * b_row + (left + j) * b_step,
                     b_row, b_step, count, some, size, vector)
                if size == width:
                    wide_column(like, out, step, start, pitch, numbers, row, hop, panel,
                                count, some, rows)
                else:
                    narrow_column(like, out, step, start, pitch, numbers, row, hop, panel,
                                  count, some, rows)
