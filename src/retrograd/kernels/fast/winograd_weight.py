"""The gradient of weights of 3 x 3 elements with four ninths of the multiplications.

By NOTE [winograd], results are y = A' (U * V) A, with U = G w G' and V = B' d B. So for gradients
g of 2 x 2 results the gradient of the weights is

    G' (sum over squares of results of (A g A') * V) G,

sixteen products (outputs, squares) (squares, channels). Here the lanes of a vector are channels,
or outputs: of some rows of an image, channels are first laid side by side.

Addresses are integers; steps count bytes.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from llvmlite import ir

from .. import fast
from . import panels
from .compiling import Count, Part, Whole, address_of, kernel
from .lazy import intrinsic, types
from .panels import columns_of
from .readings import cuts
from .tile import BYTES, Tile, llvm_type, scaled, transpose_some
from .winograd import LANES, POINTS, ZEROS, enter, lay, suits_squares

BLOCK = panels.VECTORS * LANES      # channels, and outputs, of a unit, at most
SQUARES = 32            # of results at a time, if a row of an image has no more
DEPTH = 64              # squares that are summed one after the other
UNITS = 8               # of work, at least, if there are so many rows
LEAST, SPARED = 32, 3000        # channels, and outputs; products spared for a weight of many


def suits_weights(*convolution):
    """As `suits_squares`, of the images: it takes more channels and products to be worth it."""
    return suits_squares(*convolution, LEAST, SPARED)


def weights_by_squares(g, x, padding):
    """(outputs, channels, 3, 3); None where a number is not finite."""
    g, x = np.ascontiguousarray(g), np.ascontiguousarray(x)
    outputs, channels = g.shape[1], x.shape[1]
    units, shares, band, room = plan(len(x), channels, outputs, g.shape[2:])
    sums = np.empty((shares, outputs, 9, channels + -channels % LANES), x.dtype)
    chunk = -(-len(units) // (4 * fast.threads))
    add_squares(units, x, g, sums, *padding, band, ZEROS,
                np.empty((-(-len(units) // chunk), room), x.dtype), chunk=chunk)
    result = np.empty((outputs, channels, 9), x.dtype)
    add_shares(result, np.arange(outputs), sums, chunk=max(1, (1 << 14) // channels))
    return result.reshape(outputs, channels, 3, 3) if np.isfinite(result).all() else None


@lru_cache(maxsize=256)
def plan(images, channels, outputs, space):
    """Units of work, (first image, images, first row of squares and end, where sums go, first
    output and end, first channel and end); how many sums; rows of squares at a time; numbers of
    room for a unit."""
    high, wide = (-(-size // 2) for size in space)
    blocks = [(o, min(outputs, o + BLOCK), c, min(channels, c + BLOCK))
              for o in range(0, outputs, BLOCK) for c in range(0, channels, BLOCK)]
    wanted = -(-UNITS // len(blocks))
    parts = [(n, end - n, *rows) for n, end in cuts(images, wanted)
             for rows in cuts(high, -(-wanted // images))]
    units = np.array([(*part, i, *block) for i, part in enumerate(parts) for block in blocks],
                     np.int64)
    band = min(high, max(1, SQUARES // wide))
    squares = POINTS * (band * wide + 1) * 2 * BLOCK
    lines = (2 * band + 2) * (2 * wide + 2) + LANES
    return units, len(parts), band, squares + POINTS * BLOCK * BLOCK + 2 * lines * BLOCK + LANES


# --------------------------------------------------------------------------- compiled

@intrinsic
def enter_results(typingctx, like, to, hop, source, line, row):
    """A g A' of a vector of outputs, in the same way."""
    def codegen(context, builder, signature, args):
        like, to, hop, source, line, row = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)

        def spread(y):
            return y[0], builder.fadd(*y), builder.fsub(*y), builder.fneg(y[1])
        rows = [builder.add(source, scaled(builder, line, i)) for i in range(2)]
        columns = [spread([
            tile.load(tile.vector, builder.add(at, scaled(builder, row, j))) for at in rows])
            for j in range(2)]
        for i in range(4):
            for j, value in enumerate(spread([column[i] for column in columns])):
                tile.store(builder.add(to, scaled(builder, hop, 4 * i + j)), [value])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 5), codegen


@intrinsic
def leave(typingctx, like, to, step, source, hop):
    """G' m G of a vector of channels, whose numbers are `hop` apart: nine, `step` apart."""
    def codegen(context, builder, signature, args):
        like, to, step, source, hop = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        half = ir.Constant(tile.vector, [0.5] * tile.vector.count)

        def elements(m):
            both, apart = (builder.fmul(f(m[1], m[2]), half)
                           for f in (builder.fadd, builder.fsub))
            return builder.fadd(m[0], both), apart, builder.fadd(both, m[3])
        columns = [elements([
            tile.load(tile.vector, builder.add(source, scaled(builder, hop, 4 * i + j)))
            for i in range(4)]) for j in range(4)]
        for i in range(3):
            for j, value in enumerate(elements([column[i] for column in columns])):
                tile.store(builder.add(to, scaled(builder, step, 3 * i + j)), [value])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 4), codegen


@kernel
def add_squares(units, x: Whole, g: Whole, sums: Whole, top: Count, left: Count, band: Count,
                zeros: Whole, room: Part):
    like, (height, width), (high, far) = x.dtype.type(0), x.shape[2:], g.shape[2:]
    wide, plane, result = (far + 1) // 2, height * width * 4, high * far * 4
    for u in range(len(units)):
        n, images, start, stop, share, o, last, c, end = units[u]
        vectors, outputs = (end - c + LANES - 1) // LANES, (last - o + LANES - 1) // LANES
        row, row_o = vectors * BYTES, outputs * BYTES
        line, line_o = (2 * wide + 2) * row, 2 * wide * row_o
        hop, hop_o = band * wide * row + BYTES, band * wide * row_o + BYTES
        hop_s = (last - o) * row
        images_at = address_of(room) + -address_of(room) % BYTES
        results_at = images_at + POINTS * hop
        sums_at = results_at + POINTS * hop_o
        lines = sums_at + POINTS * hop_s
        lines_o = lines + (2 * band + 2) * line + LANES * row
        begun = False
        for i in range(n, n + images):
            for r in range(start, stop, band):
                rows = min(band, stop - r)
                lay(like, lines, line, row, address_of(x) + (i * x.shape[1] + c) * plane, plane,
                    height, width, 2 * r - top, 2 * rows + 2, left, end - c)
                lay(like, lines_o, line_o, row_o, address_of(g) + (i * g.shape[1] + o) * result,
                    result, high, far, 2 * r, 2 * rows, 0, last - o)
                for s in range(rows * wide):
                    down, across = s // wide * 2, s % wide * 2
                    for v in range(0, row, BYTES):
                        enter(like, images_at + s * row + v, hop,
                              lines + down * line + across * row + v, line, row)
                    for v in range(0, row_o, BYTES):
                        enter_results(like, results_at + s * row_o + v, hop_o,
                                      lines_o + down * line_o + across * row_o + v, line_o, row_o)
                for s in range(0, rows * wide, DEPTH):
                    count = min(DEPTH, rows * wide - s)
                    for k in range(POINTS):
                        out = sums_at + k * hop_s
                        first, pitch = (out, row) if begun else (address_of(zeros), 0)
                        columns_of(like, out, row, first, pitch,
                                   results_at + k * hop_o + s * row_o, 4, row_o,
                                   images_at + k * hop + s * row, row, count, vectors * LANES,
                                   last - o, vectors)
                    begun = True
        step = sums.shape[3] * 4
        for k in range(o, last):
            for v in range(vectors):
                leave(like, address_of(sums[share, k]) + (c + v * LANES) * 4, step,
                      sums_at + (k - o) * row + v * BYTES, hop_s)


@kernel
def add_shares(result, outputs, sums: Whole):
    """The sums of all shares, (outputs, 9, channels), with the nine elements innermost."""
    like, channels, wide = result.dtype.type(0), result.shape[1], sums.shape[3]
    for i in range(len(outputs)):
        total = sums[0, outputs[i]]
        for share in range(1, len(sums)):
            more = sums[share, outputs[i]]
            for k in range(9):
                for c in range(wide):
                    total[k, c] += more[k, c]
        for c in range(0, channels, LANES):
            transpose_some(like, address_of(result[i, c]), 36, address_of(total) + c * 4, wide * 4,
                           min(LANES, channels - c), 9)
