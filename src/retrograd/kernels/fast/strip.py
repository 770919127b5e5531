"""Products of matrices whose rows lie anywhere, for blocks that are in the cache already.

Nothing is copied or padded: rows of a may begin any number of bytes apart, and so may its numbers.
The work is done by strips, tiles (see tile.py) of as many rows as the registers allow.

Addresses are integers; steps count bytes.
"""

from __future__ import annotations

from llvmlite import ir

from .compiling import address_of, array_at, routine
from .lazy import intrinsic, types
from .tile import BYTES, INT, WIDE, Tile, llvm_type, plus, scaled

HEIGHTS = {1: 8, 2: 8, 3: 4, 4: 4} if WIDE else {1: 8, 2: 4, 3: 4}      # vectors: rows of a tile
MOST = len(HEIGHTS)


def strip(rows, vectors, partial=False):
    """The intrinsic below, for a height and a width. A `partial` one is of the first `some` bytes
    of a vector: no others are read or written."""
    @intrinsic
    def strip_of(typingctx, like, out, out_row, a, a_row, a_step, b, b_row, count, some, kept):
        """out = a b: for each k < count, the numbers k of rows of a times row k of b.

        It is added to the first `kept` bytes of each vector that is there: only at the end, as
        short sums are the exact ones.
        """
        def codegen(context, builder, signature, args):
            _, out, out_row, a, a_row, a_step, b, b_row, count, some, kept = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, vectors)
            starts = [builder.add(a, scaled(builder, a_row, r)) for r in range(rows)]

            def first(size):
                return tile.first_lanes(builder.sdiv(size, ir.Constant(INT, tile.size)))
            meant, there = partial and first(some), first(kept)

            def terms(k):
                along = builder.mul(k, a_step)
                numbers = [tile.number(builder.add(start, along), 0) for start in starts]
                row = builder.add(b, builder.mul(k, b_row))
                return numbers, [tile.load_some(row, meant)] if partial else tile.vectors_at(row)
            tile.run(count, [tile.zero] * (rows * vectors), terms)
            for r in range(rows):
                row = builder.add(out, scaled(builder, out_row, r))
                sums = tile.plus_sums([tile.load_some(plus(builder, row, v * BYTES), there)
                                       for v in range(vectors)], r)
                if partial:
                    tile.store_some(row, *sums, meant)
                else:
                    tile.store(row, sums)
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 10), codegen
    return strip_of


def column(vectors, partial=False):
    """Strips of one width, from top to bottom."""
    height = HEIGHTS[vectors]
    high, low = (strip(rows, vectors, partial) for rows in (height, 1))

    @routine
    def rows_of_strips(like, out, out_row, a, a_row, a_step, b, b_row, count, rows, some, kept):
        r = 0
        while r + height <= rows:
            high(like, out + r * out_row, out_row, a + r * a_row, a_row, a_step, b, b_row, count,
                 some, kept)
            r += height
        while r < rows:
            low(like, out + r * out_row, out_row, a + r * a_row, a_row, a_step, b, b_row, count,
                some, kept)
            r += 1
    return rows_of_strips


one, two, three, widest = (column(min(v, MOST)) for v in (1, 2, 3, 4))
part = column(1, partial=True)


@routine
def multiply(like, out, out_row, a, a_row, a_step, b, b_row, count, rows, width, keep):
    """out = a b, or out += a b if `keep`: `rows` rows of `width` bytes, `count` products."""
    vectors, some, kept = width // BYTES, width % BYTES, BYTES if keep else 0
    for done in range(0, vectors, MOST):
        left, at = vectors - done, done * BYTES
        if left >= MOST:
            widest(like, out + at, out_row, a, a_row, a_step, b + at, b_row, count, rows, 0, kept)
        elif left == 3:
            three(like, out + at, out_row, a, a_row, a_step, b + at, b_row, count, rows, 0, kept)
        elif left == 2:
            two(like, out + at, out_row, a, a_row, a_step, b + at, b_row, count, rows, 0, kept)
        else:
            one(like, out + at, out_row, a, a_row, a_step, b + at, b_row, count, rows, 0, kept)
    if some:
        at = vectors * BYTES
        part(like, out + at, out_row, a, a_row, a_step, b + at, b_row, count, rows, some,
             some if keep else 0)


@intrinsic
def turn_square(typingctx, factor, into, into_row, rows, row):
    """A square of as many rows as a vector has numbers, times `factor`, its rows as columns."""
    def codegen(context, builder, signature, args):
        factor, into, into_row, rows, row = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        factors = tile.in_every_lane(factor)
        for r, line in enumerate(turned_square(tile, rows, row)):
            tile.store(builder.add(into, scaled(builder, into_row, r)),
                       [builder.fmul(line, factors)])
        return context.get_dummy_value()
    return types.void(factor, *[types.int64] * 4), codegen


@intrinsic
def add_turned(typingctx, like, into, into_row, rows, row):
    """Add the columns of such a square to rows."""
    def codegen(context, builder, signature, args):
        _, into, into_row, rows, row = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        for r, line in enumerate(turned_square(tile, rows, row)):
            at = builder.add(into, scaled(builder, into_row, r))
            tile.store(at, [builder.fadd(*tile.vectors_at(at), line)])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 4), codegen


def turned_square(tile, rows, row):
    """The columns of a square whose rows begin `row` bytes apart."""
    return tile.turned([
        tile.load(tile.vector, tile.builder.add(rows, scaled(tile.builder, row, r)))
        for r in range(tile.vector.count)])


@routine
def turn(rows, row, size, factor, into):
    """`size` rows, times factor, as the first columns of `into`; the other columns become 0."""
    width, count = into.shape
    vector = BYTES // into.itemsize
    whole, wide = size // vector * vector, width // vector * vector
    for i in range(0, whole, vector):
        for e in range(0, wide, vector):
            turn_square(factor, address_of(into) + (e * count + i) * into.itemsize,
                        count * into.itemsize, rows + i * row + e * into.itemsize, row)
    for e in range(width):
        into[e, whole:] = 0
    for i in range(size):
        line = array_at(rows + i * row, (width,), into.dtype)
        for e in range(wide if i < whole else 0, width):
            into[e, i] = line[e] * factor
