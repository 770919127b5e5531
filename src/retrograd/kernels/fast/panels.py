"""Matrix products in tiles that stay in registers, where OpenBLAS leaves a processor's time unused.

NOTE [panels]
    A tile is six rows high and four vectors wide: 24 sums, which leaves registers for four vectors
    of b and a number of a, and keeps both units busy that multiply and add. What it needs of b, a
    panel as wide as the tile, is copied first, so that rows of b follow on each other, and then
    serves all rows of a block. Numbers of a are read where they lie. Sums of more than DEPTH terms
    are made in parts, so that a panel stays in the cache. A last panel that is no whole one is
    made of narrow ones, a vector wide.

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

# AMD's processors are not among them: OpenBLAS is not behind there, and nothing was measured
OURS = WIDE and not llvmlite.binding.get_host_cpu_name().startswith("znver")
FEW, FEW_OF_TURNED = 4, 24  # rows
PAGE = 1 << 12              # bytes from which on each number of a column of a is in another page
DEPTH = 192                 # terms of a sum that are added at once, at most
VECTORS = 4                 # of a wide panel
HIGH, NARROW_HIGH = 6, 12   # rows of a tile of a wide panel, and of a narrow one
NEAR = 1 << 18              # numbers of a that a block reads again and again: a cache holds them
BLOCK = 96                  # rows of a block, at least: fewer are not worth copying a panel
ZEROS = {char: np.zeros(VECTORS * lanes(char), char) for char in "fd"}


def suits(n, k, m, a_step, b_row, item) -> bool:
    """Whether (n, k) (k, m), with rows of b or numbers of a row of a as many bytes apart, is worth
    tiles: it has to fill them, and they serve few rows worse than what NOTE [few rows] tells."""
    rows, least = (FEW_OF_TURNED, fast.TILES >> 2) if b_row == item else (FEW, fast.TILES)
    return OURS and n >= rows and m * item >= VECTORS * BYTES and n * k * m >= least \
        and (a_step < PAGE or k <= DEPTH)


def product(a, b, bias=None):
    """a b (+ bias): (n, k) (k, m) (m,) -> (n, m), or a stack of such products. Rows or columns of b
    are contiguous."""
    char, out = a.dtype.char, np.empty((*a.shape[:-1], b.shape[-1]), a.dtype)
    if a.ndim == 2:
        a, b, stacked = a[None], b[None], out[None]
    else:
        stacked = out
    cuts, turns, rooms, chunk = plan(*a.shape, b.shape[2], lanes(a.dtype), fast.threads)
    multiply(turns, *a.shape[1:], b.shape[2], *cuts, *a.strides, *b.strides,
             0 if bias is None else bias.itemsize, a, b, stacked,
             ZEROS[char] if bias is None else bias, np.empty(rooms, char), chunk=chunk)
    return out


@lru_cache(1 << 10)
def plan(stack, n, k, m, vector, threads):
    """How products are cut: panels of a product, blocks of a panel and their rows, terms of a
    panel; the blocks' numbers; the room for panels, one a chunk of blocks; blocks of a chunk."""
    width = VECTORS * vector
    across = -(-m // width)
    wanted = -(-threads // stack)           # rows were mostly made, and will be read, by one thread
    height = min(-(-n // max(1, min(wanted, n // BLOCK))), max(BLOCK, NEAR // k))
    height += -height % NARROW_HIGH
    down = -(-n // height)
    depth = -(-k // -(-k // DEPTH))
    turns = np.arange(stack * across * down)
    chunk = -(-turns.size // threads)                   # neighbours share rows of a, or a panel
    room = (depth + -depth % vector) * width + vector
    return (across, down, height, depth), turns, (-(-turns.size // chunk), room), chunk


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


@kernel
def multiply(blocks, n: Count, k: Count, m: Count, across: Count, down: Count, height: Count,
             depth: Count, a_hop: Count, a_row: Count, a_step: Count, b_hop: Count, b_row: Count,
             b_step: Count, bias_step: Count, a: Whole, b: Whole, c: Whole, bias: Whole,
             room: Part):
    """The blocks of these numbers: of each product, the rows of the first panel come first."""
    like, item, vector = c.dtype.type(0), c.itemsize, BYTES // c.itemsize
    panel = address_of(room) + -address_of(room) % BYTES      # no vector in two lines of the cache
    step, width = m * item, VECTORS * vector
    for block in blocks:
        at, rest = block // (across * down), block % (across * down)
        top, left = rest // across * height, rest % across * width
        rows, columns = min(height, n - top), min(width, m - left)
        size = width if columns == width else vector
        for first in range(0, k, depth):
            count = min(depth, k - first)
            numbers = address_of(a) + at * a_hop + top * a_row + first * a_step
            for j in range(0, columns, size):
                out = address_of(c) + ((at * n + top) * m + left + j) * item
                start, pitch = out, step
                if first == 0:
                    start, pitch = address_of(bias) + (left + j) * bias_step, 0
                some = min(size, columns - j)
                fill(like, panel, address_of(b) + at * b_hop + first * b_row + (left + j) * b_step,
                     b_row, b_step, count, some, size, vector)
                if size == width:
                    wide_column(like, out, step, start, pitch, numbers, a_row, a_step, panel,
                                count, some, rows)
                else:
                    narrow_column(like, out, step, start, pitch, numbers, a_row, a_step, panel,
                                  count, some, rows)
