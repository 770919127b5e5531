"""Arithmetic of two arrays that broadcast, one line of the result at a time.

A line is a run of neighbours in the result, along which each array either advances or stays at one
number. Lines are often short (points in space, a few channels), and Numba's loops would take them
number by number; so the code for a line's vectors, and for the part of a vector that is left, is
written in LLVM's own language.
"""

from __future__ import annotations

import math
from collections import namedtuple
from functools import lru_cache

import numpy as np
from llvmlite import ir

from ..layout import dense_order, inverse
from . import ufuncs
from .compiling import Count, Kernel, Whole, address_of, data, turns
from .elementwise import CHUNK
from .lazy import intrinsic, types
from .tile import BYTES, Tile, llvm_type

BEGUN = 8               # numbers that take as long as to begin a line


def larger(builder, x, y):
    """x where it is larger or nan, else y."""
    first = builder.or_(builder.fcmp_ordered(">=", x, y), builder.fcmp_unordered("uno", x, x))
    return builder.select(first, x, y)


def smaller(builder, x, y):
    """x where it is smaller or nan, else y."""
    first = builder.or_(builder.fcmp_ordered("<=", x, y), builder.fcmp_unordered("uno", x, x))
    return builder.select(first, x, y)


# LLVM's instructions for two vectors
INSTRUCTIONS = {"add": ir.IRBuilder.fadd, "sub": ir.IRBuilder.fsub, "mul": ir.IRBuilder.fmul,
                "div": ir.IRBuilder.fdiv, "maximum": larger, "minimum": smaller}


def vector_of(instruction, x_moves, y_moves):
    """The intrinsics below, for one of INSTRUCTIONS: of a whole vector, and of a part.

    An array that does not move along a line is one number there.
    """
    @intrinsic
    def whole(typingctx, like, to, x, y):
        """to = x `instruction` y, addresses of vectors."""
        def codegen(context, builder, signature, args):
            _, to, x, y = args
            tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
            values = [tile.vectors_at(at)[0] if moves else tile.number(at, 0)
                      for at, moves in ((x, x_moves), (y, y_moves))]
            tile.store(to, [instruction(builder, *values)])
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 3), codegen

    @intrinsic
    def some(typingctx, like, to, x, y, count):
        """The first `count` numbers of it."""
        def codegen(context, builder, signature, args):
            _, to, x, y, count = args
            tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
            mask = tile.first_lanes(count)
            values = [tile.load_some(at, mask) if moves else tile.number(at, 0)
                      for at, moves in ((x, x_moves), (y, y_moves))]
            tile.store_some(to, instruction(builder, *values), mask)
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 4), codegen
    return whole, some


def lines_of(name):
    """The kernel that computes some lines of x and y, and writes them behind where `first` begins.

    x and y are the addresses of the array objects, id(x), and `first` is the first line of the
    result. The number of a line, in `turns`, means a column, a row and a block. `width`, `columns`
    and `rows` are counts; x_step, x_column, x_row and x_block are the bytes from one number, line,
    row or block of x to the next.
    """
    instruction = INSTRUCTIONS[name]
    whole, some = vector_of(instruction, True, True)
    whole_by_number, some_by_number = vector_of(instruction, True, False)
    number_by_whole, number_by_some = vector_of(instruction, False, True)

    def lines(turns, x: Count, y: Count, first: Whole, width: Count, columns: Count, rows: Count,
              x_step: Count, x_column: Count, x_row: Count, x_block: Count,
              y_step: Count, y_column: Count, y_row: Count, y_block: Count,
              step: Count, to_column: Count, to_row: Count, to_block: Count):
        zero, item = first.dtype.type(0), first.itemsize
        rest, turn = width % (BYTES // item), turns[0]
        full = (width - rest) * item
        column, row, block = turn % columns, turn // columns % rows, turn // columns // rows
        to = address_of(first) + column * to_column + row * to_row + block * to_block
        at_x = data(x) + column * x_column + row * x_row + block * x_block
        at_y = data(y) + column * y_column + row * y_row + block * y_block
        for _ in turns:
            if x_step == 0:
                for j in range(0, full, BYTES):
                    number_by_whole(zero, to + j, at_x, at_y + j)
                if rest:
                    number_by_some(zero, to + full, at_x, at_y + full, rest)
            elif y_step == 0:
                for j in range(0, full, BYTES):
                    whole_by_number(zero, to + j, at_x + j, at_y)
                if rest:
                    some_by_number(zero, to + full, at_x + full, at_y, rest)
            else:
                for j in range(0, full, BYTES):
                    whole(zero, to + j, at_x + j, at_y + j)
                if rest:
                    some(zero, to + full, at_x + full, at_y + full, rest)
            to, at_x, at_y, column = to + to_column, at_x + x_column, at_y + y_column, column + 1
            if column == columns:
                column, row = 0, row + 1
                to += to_row - columns * to_column
                at_x, at_y = at_x + x_row - columns * x_column, at_y + y_row - columns * y_column
                if row == rows:
                    row = 0
                    to += to_block - rows * to_row
                    at_x, at_y = at_x + x_block - rows * x_row, at_y + y_block - rows * y_row
    lines.__name__ = f"{name}_lines"
    return Kernel(lines)


def by_lines(kernel, x, y, out=None):
    """What a kernel of lines makes of two arrays, in a new one or in `out`, which is x; None where
    it cannot."""
    x, y = np.asarray(x), np.asarray(y)            # a scalar of NumPy's has no address of elements
    if x.dtype is not y.dtype or x.dtype.char not in "fd" \
            or not (x.flags.aligned and y.flags.aligned):
        return None
    found = plan(x.shape, x.strides, y.shape, y.strides, x.itemsize, out is not None)
    if found is None:
        return None
    shape, turned, lines, sizes_and_steps = found
    res = np.empty(shape, x.dtype) if out is None else out
    kernel(turns(lines), id(x), id(y), res[(0,) * (res.ndim - 1)], *sizes_and_steps,
           chunk=max(1, CHUNK // max(sizes_and_steps[0], BEGUN)))
    return res.transpose(turned) if turned else res


Laid = namedtuple("Laid", ("shape", "strides"))


@lru_cache(1 << 10)
def plan(x_shape, x_strides, y_shape, y_strides, item, in_place):
    """The shape of the result's memory and its transposition (None: as it lies), its lines, and
    what the kernel is told of them; None where a line is not dense.

    The result's dimensions become (blocks, rows, columns, width), a line has all of its width.
    """
    shape = np.broadcast_shapes(x_shape, y_shape)
    if in_place and shape != x_shape:
        return None
    steps = [tuple(ufuncs.steps_in(*of, shape))
             for of in ((x_shape, x_strides), (y_shape, y_strides))]
    order = None if in_place else turned_order(shape, steps)
    if order is not None:
        shape, *steps = ([a[d] for d in order] for a in (shape, *steps))
    out_steps = x_strides if in_place else [item * math.prod(shape[k + 1:])
                                            for k in range(len(shape))]
    groups = ufuncs.merged(shape, [*steps, out_steps])
    groups = [(1, 0, 0, 0)] * (4 - len(groups)) + groups
    sizes, x_steps, y_steps, out_steps = zip(*reversed(groups), strict=True)
    if len(groups) > 4 or 0 in shape or out_steps[0] != item \
            or {x_steps[0], y_steps[0]} not in ({item}, {0, item}):
        return None                                 # {0}: expanded both, a line is one number
    return (shape, order and inverse(order), math.prod(sizes[1:]),
            (*sizes[:3], *x_steps, *y_steps, *out_steps))


def turned_order(shape, steps):
    """The dimensions of the result as PyTorch has them in memory, the outermost first, as those of
    images with their channels innermost; None for the ordinary order, and where sizes of 1 leave it
    open."""
    order = None if 1 in shape else dense_order(*(Laid(shape, own) for own in steps))
    return None if order == [*range(len(shape))] else order
