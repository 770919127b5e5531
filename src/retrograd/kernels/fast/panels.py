"""Matrix products in tiles that stay in registers, where OpenBLAS leaves a processor's time unused.

NOTE [panels]
    A tile is six rows high and four vectors wide: 24 sums, which leaves registers for four vectors
    of b and a number of a, and keeps both units busy that multiply and add. The part of b that it
    needs, a panel as wide as the tile, is copied first, so that its rows are contiguous. The last
    panels have as many vectors as there are columns left, and tiles of more rows.

    A thread computes parts of the result, whose sums stay in the second cache (Goto and van de
    Geijn 2008). It adds DEPTH terms or more at a time: copies the panels of b for all columns of
    the part, then lets HEIGHT rows of a meet one panel after the other. So memory is read once for
    a part; a panel comes from the second cache, and serves those rows from the first. Numbers of a
    are read where they lie, but are copied, too, where those of a row lie far apart.

Addresses are integers; steps count bytes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .. import fast
from .compiling import Count, Part, Whole, address_of, kernel, routine
from .lazy import intrinsic, types
from .tile import BYTES, WIDE, Tile, lanes, llvm_type, scaled, transpose

FEW, FEW_OF_TURNED = 4, 24  # rows
MANY_OF_TURNED = 64         # rows of each of several products
PAGE = 1 << 12              # bytes from which on each number of a row of a is in another page
SEVERAL, MANY = 32, 64      # vectors of a row of b, for which such rows, or all, are worth copying
BEYOND = 1 << 23            # bytes of a that no cache near to the processor holds
NEAR = 1 << 20              # bytes of a that the second cache holds
OWN = 32                    # terms of a sum for which OpenBLAS takes as long as for beginning it
DEPTH, DEEP = 128, 256      # terms that are added at once, at most; of rows that are contiguous
VECTORS = 4                 # of a wide panel
HEIGHTS = 12, 12, 8, 6      # rows of a tile of one vector, of two ... of VECTORS
HEIGHT = 96                 # rows that meet one panel after the other
ROWS, ROOM = 512, 1024      # rows of a part, and of all its panels, at most
BLOCK = 96                  # rows of a part, at least: fewer are not worth copying panels
LOW = 24                    # the same where threads would have nothing to do
ZEROS = {char: np.zeros(VECTORS * lanes(char), char) for char in "fd"}


def suits(n, k, m, b_row, item, stack=1, a_step=0) -> bool:
    """Whether (n, k) (k, m), with rows of b so many bytes apart, is worth tiles, or a stack of such
    products: it has to fill them, and few rows are better served as in NOTE [few rows]. Numbers of
    a row of a lie `a_step` bytes apart, where it matters."""
    if not WIDE:
        return False
    turned = b_row == item
    if m * item < VECTORS * BYTES:
        least = fast.TILES >> 1 if turned else fast.TILES
        return a_step > 0 and n * (k + OWN) * m >= least and serves_narrow(n, k, m, a_step, item)
    rows, least = (FEW_OF_TURNED, fast.TILES >> 2) if turned else (FEW, fast.TILES)
    return n >= rows and n * k * m * (stack if turned and n >= MANY_OF_TURNED else 1) >= least


def serves_narrow(n, k, m, a_step, item):
    """Whether results narrower than a panel are worth tiles: of many rows, for which half a vector
    is enough if they are short. Numbers of a row that lie apart are read from a cache, or
    (measured) in steps of whole pages."""
    if n < FEW_OF_TURNED:
        return False
    if a_step == item:
        return m * item >= (BYTES if n < k else BYTES >> 1)
    near = n * k * item <= NEAR or a_step % PAGE == 0
    return m * item >= 2 * BYTES and near


def product(a, b, bias=None, of_rows=False):
    """a b (+ bias): (n, k) (k, m) (m,) -> (n, m), or a stack of such products. Rows or columns of b
    are contiguous. With `of_rows` there is a bias for each row of a."""
    char = "f" if a.dtype.kind == "i" else a.dtype.char             # see NOTE [pairs]
    if bias is None:
        bias, steps = ZEROS[char], (0, 0)
    elif of_rows:
        bias = np.repeat(bias, VECTORS * lanes(bias.dtype)).reshape(len(bias), -1)
        steps = bias.strides[0], 0
    else:
        steps = 0, bias.itemsize
    step = a.strides[-1]
    turned = a.strides[-2] == a.itemsize and worth_turning(*a.shape[-2:], b.shape[-1], step,
                                                           a.itemsize)
    shape, numbers, turns, room, rows, chunk = told(a.shape, a.strides, b.shape, b.strides, char,
                                                    step == a.itemsize, turned, fast.threads)
    out = stacked = np.empty(shape, char)
    if a.ndim == 2:
        a, b, stacked = a[None], b[None], out[None]
    multiply(turns, *numbers, *steps, a, b, stacked, bias, np.empty(room, char),
             np.empty(rows, char) if turned else rows, chunk=chunk)
    return out


@lru_cache(1 << 10)
def told(a_shape, a_strides, b_shape, b_strides, char, dense, turned, threads):
    """What `multiply` is told of factors like these: the result's shape; sizes and steps; numbers
    of the parts; room for panels; that for turned rows, or an array of none; parts of a chunk."""
    (n, k), m = a_shape[-2:], b_shape[-1]
    stack = a_shape[0] if len(a_shape) == 3 else 1
    cuts, turns, (room, rows), chunk = plan(stack, n, k, m, lanes(char), threads,
                                            DEEP if dense else DEPTH, turned)
    steps = [*(0,) * (3 - len(a_shape)), *a_strides, *(0,) * (3 - len(b_shape)), *b_strides]
    return ((*a_shape[:-1], m), (n, k, m, *cuts, *steps), turns, room,
            rows if turned else np.empty(rows, char), chunk)


def worth_turning(n, k, m, a_step, item):
    """Whether rows of a, whose numbers lie apart, are copied in less time than they cost where they
    are: for many panels; for fewer, if the numbers lie in pages of their own, and beyond the caches
    (where, measured, steps of whole pages cost nothing)."""
    vectors = m * item // BYTES
    return vectors >= MANY or a_step >= PAGE and (
        vectors >= SEVERAL or n * k * item >= BEYOND and a_step % PAGE != 0)


def plan(stack, n, k, m, vector, threads, deep, turned):
    """How products are cut: parts of a product, down and across; rows and columns of one, and terms
    at a time; the parts' numbers; the rooms for panels and for turned rows, one a chunk of parts;
    parts of a chunk."""
    width = VECTORS * vector
    panels = -(-m // width)
    wanted = -(-threads // stack)           # rows were mostly made, and will be read, by one thread
    by_rows = max(1, min(wanted, n // (BLOCK if stack * panels >= threads else LOW)))
    down = -(-n // ROWS)
    rows = -(-n // (down + -down % by_rows))            # each thread has as many
    rows += -rows % HEIGHTS[0]
    down = -(-n // rows)
    depth = -(-k // -(-k // deep))
    depth += -depth % vector
    beside = -(-panels // (ROOM // deep))
    beside += -beside % -(-wanted // down)
    columns = -(-panels // beside) * width
    across = -(-m // columns)
    turns = np.arange(stack * down * across)
    chunk = -(-turns.size // threads)                   # neighbours share rows of a, or panels
    chunks = -(-turns.size // chunk)
    room = (rows + -rows % vector) * (depth + vector) if turned else 0
    return ((down, across, rows, columns, depth), turns,
            ((chunks, depth * columns + vector), (chunks, room)), chunk)


# --------------------------------------------------------------------------- compiled

def tile_of(rows, vectors, whole=False):
    """The intrinsic below, for a height and a width; `some` numbers of a row are written, or the
    whole of it."""
    @intrinsic
    def tile(typingctx, like, out, step, start, pitch, a, a_row, a_step, panel, panel_row, count,
             some):
        """out = start + a panel: for each k < count, the numbers k of rows of a times row k."""
        def codegen(context, builder, signature, args):
            _, out, step, start, pitch, a, a_row, a_step, panel, panel_row, count, some = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, vectors)
            starts = [builder.add(a, scaled(builder, a_row, r)) for r in range(rows)]

            def terms(k):
                along = builder.mul(k, a_step)
                numbers = [tile.number(builder.add(row, along), 0) for row in starts]
                return numbers, tile.vectors_at(builder.add(panel, builder.mul(k, panel_row)))
            if vectors == VECTORS:               # what the sums are added to is far, if anything is
                for r in range(rows):
                    tile.fetch(builder.add(start, scaled(builder, pitch, r)))
            tile.run(count, [tile.zero] * (rows * vectors), terms)
            masks = tile.masks(some)
            for r in range(rows):
                row, begin = (builder.add(at, scaled(builder, hop, r))
                              for at, hop in ((out, step), (start, pitch)))
                if whole:
                    tile.store(row, tile.plus_sums(tile.vectors_at(begin), r))
                else:
                    tile.store_masked(row, tile.plus_sums(tile.load_masked(begin, masks), r), masks)
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 11), codegen
    return tile


def column_of(height, vectors, whole=False):
    """Tiles from top to bottom, for all rows of a block and one panel."""
    high, pair, low = (tile_of(rows, vectors, whole) for rows in (height, 2, 1))

    @routine
    def column(like, out, step, start, pitch, a, a_row, a_step, panel, panel_row, count, some,
               rows):
        r = 0
        while r + height <= rows:
            high(like, out + r * step, step, start + r * pitch, pitch, a + r * a_row, a_row, a_step,
                 panel, panel_row, count, some)
            r += height
        while r + 2 <= rows:
            pair(like, out + r * step, step, start + r * pitch, pitch, a + r * a_row, a_row, a_step,
                 panel, panel_row, count, some)
            r += 2
        if r < rows:
            low(like, out + r * step, step, start + r * pitch, pitch, a + r * a_row, a_row, a_step,
                panel, panel_row, count, some)
    return column


column_of_one, column_of_two, column_of_three, whole_column = (
    column_of(height, vectors, whole=vectors == VECTORS)
    for vectors, height in enumerate(HEIGHTS, 1))


@routine
def columns_of(like, out, step, start, pitch, a, a_row, a_step, panel, panel_row, count, some, rows,
               vectors):
    """The column of a panel of so many vectors."""
    if vectors == VECTORS:
        whole_column(like, out, step, start, pitch, a, a_row, a_step, panel, panel_row, count, some,
                     rows)
    elif vectors == 3:
        column_of_three(like, out, step, start, pitch, a, a_row, a_step, panel, panel_row, count,
                        some, rows)
    elif vectors == 2:
        column_of_two(like, out, step, start, pitch, a, a_row, a_step, panel, panel_row, count,
                      some, rows)
    else:
        column_of_one(like, out, step, start, pitch, a, a_row, a_step, panel, panel_row, count,
                      some, rows)


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
            for j in range(0, width, vector):
                copy_narrow(like, panel + (i * width + j) * item, source + i * row + j * item,
                            size - j)


@routine
def vectors_of(columns, vector):
    """How many vectors wide the next panel is where so many columns are left."""
    if columns >= VECTORS * vector:
        return VECTORS
    return min(VECTORS - 1, (columns + vector - 1) // vector)


@routine
def fill_all(like, panels, source, row, column, depth, count, columns, vector):
    """The panels of so many columns: `count` rows of b, where a panel has room for `depth`."""
    item, left = BYTES // vector, 0
    while left < columns:
        width = vectors_of(columns - left, vector) * vector
        fill(like, panels + left * depth * item, source + left * column, row, column, count,
             min(width, columns - left), width, vector)
        left += width


@routine
def meet(like, out, step, start, pitch, start_step, a, a_row, a_step, rows, panels, depth, count,
         columns, vector):
    """out = start + a b, of so many rows of a and all panels; numbers of start may be one."""
    item, left = BYTES // vector, 0
    while left < columns:
        vectors = vectors_of(columns - left, vector)
        some = min(vectors * vector, columns - left)
        to, first = out + left * item, start + left * start_step
        panel = panels + left * depth * item
        columns_of(like, to, step, first, pitch, a, a_row, a_step, panel, vectors * BYTES, count,
                   some, rows, vectors)
        left += vectors * vector


@routine
def turn_rows(like, to, step, source, a_step, rows, count, vector):
    """`rows` rows of `count` numbers that lie `a_step` apart, next to each other; rows of `to` lie
    `step` apart."""
    item = BYTES // vector
    for i in range(0, rows, vector):
        for j in range(0, count, vector):
            transpose(like, to + i * step + j * item, step, source + i * item + j * a_step, a_step,
                      min(vector, rows - i), min(vector, count - j))


@kernel
def multiply(parts, n: Count, k: Count, m: Count, down: Count, across: Count, height: Count,
             width: Count, depth: Count, a_hop: Count, a_row: Count, a_step: Count, b_hop: Count,
             b_row: Count, b_step: Count, bias_row: Count, bias_step: Count, a: Whole, b: Whole,
             c: Whole, bias: Whole, room: Part, turned: Part):
    """The parts of these numbers: of each product, the first rows come first."""
    like, item, vector = a.dtype.type(0), c.itemsize, BYTES // c.itemsize
    panels = address_of(room) + -address_of(room) % BYTES     # no vector in two lines of the cache
    step = m * item
    for part in parts:
        at, rest = part // (down * across), part % (down * across)
        top, left = rest // across * height, rest % across * width
        rows, columns = min(height, n - top), min(width, m - left)
        out = address_of(c) + ((at * n + top) * m + left) * item
        for first in range(0, k, depth):
            count = min(depth, k - first)
            fill_all(like, panels, address_of(b) + at * b_hop + first * b_row + left * b_step,
                     b_row, b_step, depth, count, columns, vector)
            numbers, row, hop = address_of(a) + at * a_hop + top * a_row + first * a_step, a_row, \
                a_step
            if turned.size:
                turn_rows(like, address_of(turned), (depth + vector) * item, numbers, a_step, rows,
                          count, vector)
                numbers, row, hop = address_of(turned), (depth + vector) * item, item
            start, pitch, start_step = out, step, item
            if first == 0:
                start = address_of(bias) + top * bias_row + left * bias_step
                pitch, start_step = bias_row, bias_step
            for r in range(0, rows, HEIGHT):
                meet(like, out + r * step, step, start + r * pitch, pitch, start_step,
                     numbers + r * row, row, hop, min(HEIGHT, rows - r), panels, depth, count,
                     columns, vector)
