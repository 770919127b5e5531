"""Triangular systems a X = b, a panel of X's columns at a time.

A panel, as wide as a tile of NOTE [panels], is copied to where its rows follow on each other. From
the first row on (the last one, of an upper triangle) a tile of rows gets the products with all that
were solved before, which is most of the work, then the few within the tile. What is solved is kept
with the opposite sign, so that products are only added.

Addresses are integers; steps count bytes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from llvmlite import ir

from .. import fast
from ..shape import in_order
from .compiling import Count, Part, Whole, address_of, kernel, routine, turns
from .lazy import intrinsic, types
from .panels import DEPTH, copy_narrow, tile_of
from .tile import BYTES, INT, WIDE, Tile, copy, lanes, llvm_type, transpose, transpose_some

HIGH, VECTORS = (6, 4) if WIDE else (4, 3)      # rows and vectors of a tile of a wide panel
NARROW_HIGH = 12        # rows of a tile of a narrow one
FAR, SEVERAL = 512, 4   # rows and panels from which on a triangle is copied that lies in columns
MOST = 1 << 20          # numbers of a panel


def linalg_solve_triangular(self, other, upper, left, unitriangular):
    """X with self X = other, or X self = other; as self^T X^T = other^T."""
    if self.dtype.char not in "fd" or self.dtype is not other.dtype or not other.size \
            or not (self.flags.aligned and other.flags.aligned):
        return None
    if self.shape[:-2] != other.shape[:-2]:
        batch = np.broadcast_shapes(self.shape[:-2], other.shape[:-2])
        self, other = (np.broadcast_to(x, (*batch, *x.shape[-2:])) for x in (self, other))
    shape, item = other.shape, other.itemsize
    a, b = self.reshape(-1, *self.shape[-2:]), other.reshape(-1, *shape[-2:])
    if not left:
        a, b, upper = a.swapaxes(1, 2), b.swapaxes(1, 2), not upper
    if item not in b.strides[1:]:
        b = np.ascontiguousarray(b)
    out = np.empty(shape, other.dtype)
    x = out.reshape(-1, *shape[-2:])
    n, m = b.shape[1:]
    wide, count, room, chunk = plan(len(b), n, m, lanes(b.dtype), fast.threads)
    if room[1] > MOST:
        return None
    if a.strides[2] != item and n >= FAR and m >= SEVERAL * wide:
        a = in_order(a)
    blocks = turns(count)
    solve(blocks, n, m, wide, int(upper), int(unitriangular), *a.strides, *b.strides,
          *(x if left else x.swapaxes(1, 2)).strides, a, b, x, np.empty(room, b.dtype), chunk=chunk)
    return out


@lru_cache(1 << 10)
def plan(stack, n, m, vector, threads):
    """The width of a panel; how many there are; room for one, one a chunk; panels of a chunk."""
    wide = vector if m <= vector else VECTORS * vector
    count = stack * -(-m // wide)
    chunk = -(-count // (threads if n * n * m * stack >= fast.PRODUCT else 1))
    room = (n + -n % vector) * wide + vector
    return wide, count, (-(-count // chunk), room), chunk


# --------------------------------------------------------------------------- compiled

def dividing(vectors):
    """The intrinsic below, for a number of vectors."""
    @intrinsic
    def divide(typingctx, like, row, pivot, unit):
        """The row at this address, divided by the number at another, with the other sign; with
        `unit` that number is 1."""
        def codegen(context, builder, signature, args):
            _, row, pivot, unit = args
            tile = Tile(builder, llvm_type(signature.args[0]), 1, vectors)
            known = builder.icmp_signed("!=", unit, ir.Constant(INT, 0))
            with builder.if_else(known) as (ones, others):
                with ones:
                    tile.store(row, [builder.fneg(v) for v in tile.vectors_at(row)])
                with others:
                    number = builder.fneg(tile.number(pivot, 0))
                    tile.store(row, [builder.fdiv(v, number) for v in tile.vectors_at(row)])
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 3), codegen
    return divide


def panel_of(height, vectors):
    """The solver of a panel of so many vectors, by tiles of so many rows."""
    tile, one = (tile_of(rows, vectors, whole=True) for rows in (height, 1))
    divide = dividing(vectors)
    width, size = vectors * BYTES, BYTES

    @routine
    def panel(like, b, a, a_row, a_step, n, upper, unit):
        for done in range(0, n, height):
            count = min(height, n - done)
            top = n - done - count if upper else done
            first = top + count if upper else 0                  # of the rows that are solved
            for part in range(first, first + done, DEPTH):
                terms, r = min(DEPTH, first + done - part), top
                if count == height:
                    tile(like, b + r * width, width, b + r * width, width,
                         a + r * a_row + part * a_step, a_row, a_step, b + part * width, width,
                         terms, size)
                    r += count
                while r < top + count:
                    one(like, b + r * width, width, b + r * width, width,
                        a + r * a_row + part * a_step, a_row, a_step, b + part * width, width,
                        terms, size)
                    r += 1
            for step in range(count):
                r = top + (count - 1 - step if upper else step)
                known = r + 1 if upper else top
                if step:
                    one(like, b + r * width, width, b + r * width, width,
                        a + r * a_row + known * a_step, a_row, a_step, b + known * width, width,
                        step, size)
                divide(like, b + r * width, a + r * (a_row + a_step), unit)
    return panel


wide_panel, narrow_panel = panel_of(HIGH, VECTORS), panel_of(NARROW_HIGH, 1)
divide_vector = dividing(1)


@routine
def copy_in(like, to, source, row, step, n, size, width, vector):
    """A panel of `size` columns, then zeros up to its width; rows or columns are contiguous."""
    item = BYTES // vector
    for j in range(0, width, vector):
        some = min(vector, max(0, size - j))
        if step == item:
            for i in range(n):
                copy_narrow(like, to + (i * width + j) * item, source + i * row + j * item, some)
        else:
            for i in range(0, n, vector):
                transpose(like, to + (i * width + j) * item, width * item,
                          source + i * item + j * step, step, min(vector, n - i), some)


@routine
def change_signs(like, vectors, count):
    """Of so many vectors."""
    for i in range(count):
        divide_vector(like, vectors + i * BYTES, vectors, 1)


@routine
def copy_out(like, to, row, step, source, n, size, width, vector):
    """The other way round."""
    item = BYTES // vector
    if step == item:
        for i in range(n):
            copy(to + i * row, source + i * width * item, size * item)
    else:
        for j in range(0, size, vector):
            for i in range(0, n, vector):
                transpose_some(like, to + i * item + j * step, step,
                               source + (i * width + j) * item, width * item,
                               min(vector, size - j), min(vector, n - i))


@kernel
def solve(blocks, n: Count, m: Count, width: Count, upper: Count, unit: Count,
          a_hop: Count, a_row: Count, a_step: Count, b_hop: Count, b_row: Count, b_step: Count,
          x_hop: Count, x_row: Count, x_step: Count, a: Whole, b: Whole, x: Whole, room: Part):
    """The panels of these numbers, those of one system after the other."""
    like, vector, across = x.dtype.type(0), BYTES // x.itemsize, -(-m // width)
    work = address_of(room) + -address_of(room) % BYTES
    for block in blocks:
        at, left = block // across, block % across * width
        size, matrix = min(width, m - left), address_of(a) + at * a_hop
        copy_in(like, work, address_of(b) + at * b_hop + left * b_step, b_row, b_step, n, size,
                width, vector)
        if width == vector:
            narrow_panel(like, work, matrix, a_row, a_step, n, upper, unit)
        else:
            wide_panel(like, work, matrix, a_row, a_step, n, upper, unit)
        change_signs(like, work, n * (width // vector))
        copy_out(like, address_of(x) + at * x_hop + left * x_step, x_row, x_step, work, n, size,
                 width, vector)
