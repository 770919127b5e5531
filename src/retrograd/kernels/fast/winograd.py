"""Convolutions of 3 x 3 elements with four ninths of the multiplications.

NOTE [winograd]
    Four neighbouring results, 2 x 2, are sums over channels of 36 products of 4 x 4 numbers d of an
    image and 3 x 3 weights g. Winograd (1980) needs 16:

        y = A' (sum over channels of (G g G') * (B' d B)) A,

    elementwise where the star is (Lavin and Gray 2016, "Fast algorithms for convolutional neural
    networks", F(2 x 2, 3 x 3)). B and A only add and subtract, and G halves; a result depends on no
    numbers but its own 3 x 3. So little is lost: with sums of DEPTH channels at a time the error
    is 0.8 to 1.1 of that of PyTorch, which adds products directly. But an infinity may make nans of
    results that are infinite: where one is not finite, the direct product is computed instead.

    For some squares of 2 x 2 results the 16 matrices of transformed images, (squares, channels),
    are multiplied by the 16 of transformed weights, (channels, outputs), by the tiles of NOTE
    [panels]. The lanes of a vector are channels, or outputs: of some rows of an image the channels
    are first laid side by side, and of results the outputs, which are turned in the end.

Addresses are integers; steps count bytes.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from llvmlite import ir

from .. import fast
from ..layout import channels_last
from . import panels
from .compiling import Count, Part, Whole, address_of, kernel, routine
from .copies import turn
from .lazy import intrinsic, types
from .panels import columns_of, vectors_of
from .tile import BYTES, WIDE, Tile, lanes, llvm_type, scaled, transpose

LANES = lanes("f")
POINTS = 16             # products for four results
PANEL = panels.VECTORS * LANES      # outputs of a panel of weights
DEPTH = 16              # channels that are summed one after the other
SQUARES = 64            # of results at a time, if a row of an image has no more
LEAST, PRODUCTS = 8, 1 << 20        # channels, and outputs; products that are worth it
GAIN = 1.7              # direct products for each that is done, at least
NEAR, SPARED = 1 << 15, 1600        # weights that a cache holds when transformed; products that
                                    # make up for transforming one of more
ZEROS = panels.ZEROS["f"]


def correlate_squares(x, w, b, padding, space):
    """The results, of this height and width, of images and weights, (O, I, 3, 3), plus b; or None,
    where one of them is not finite."""
    outputs, channels = w.shape[:2]
    weights = transformed(w, outputs, channels, 9 * channels, 9, 0)
    return results(x, weights, outputs, b, padding, space)


def spread_squares(g, w, b, padding, space):
    """The images, of this height and width, to whose places w spreads the results g; or None."""
    channels, outputs = w.shape[:2]
    weights = transformed(w, outputs, channels, 9, 9 * outputs, 8)
    return results(g, weights, outputs, b, tuple(2 - p for p in padding), space)


def suits_squares(x, w_shape, space, stride, padding, dilation, groups, least=LEAST, spared=SPARED):
    """Whether a convolution takes less time so: many products, in planes that fill squares; of more
    weights than NEAR, not less than `spared` products each that are spared."""
    if (x.dtype.char != "f" or w_shape[2:] != (3, 3) or groups != 1 or not WIDE
            or {*stride, *dilation} != {1} or max(padding) > 2 or channels_last(x)):
        return False
    weights, direct = math.prod(w_shape[:2]), 9 * len(x) * math.prod(space)
    done = POINTS * len(x) * math.prod(-(-size // 2) for size in space)
    return (min(w_shape[:2]) >= least and direct * weights >= PRODUCTS and direct >= GAIN * done
            and (weights <= NEAR or direct - done >= spared))


def transformed(w, outputs, channels, output, channel, first):
    """G g G' of all weights in the order in which they are read: panels of (POINTS, channels, PANEL
    outputs or less). Outputs and channels lie so many numbers apart; the elements of a kernel begin
    with the first or, if it is 8, the last."""
    wide = outputs + -outputs % LANES
    weights = np.empty(POINTS * channels * wide, np.float32)
    firsts = np.arange(0, outputs, LANES)
    transform_weights(firsts, np.ascontiguousarray(w), weights, outputs, output, channels, channel,
                      first, chunk=-(-len(firsts) // fast.threads))
    return weights


def results(x, weights, outputs, b, padding, space):
    bias = np.zeros(outputs + LANES, x.dtype)
    if b is not None:
        bias[:outputs] = b
    units, room, chunk = plan(len(x), x.shape[1], outputs, space, fast.threads)
    y, spoilt = np.empty((len(x), outputs, *space), x.dtype), np.zeros(1, np.int64)
    write_squares(units, np.ascontiguousarray(x), y, weights, bias, *padding,
                  np.empty((-(-len(units) // chunk), room), x.dtype), ZEROS, spoilt, chunk=chunk)
    return None if spoilt[0] else y


@lru_cache(maxsize=256)
def plan(images, channels, outputs, space, threads):
    """Units of work, (first image, images, first row of squares and end); numbers of room for one;
    units of a chunk."""
    high, wide = (-(-size // 2) for size in space)
    together = max(1, min(SQUARES // (high * wide), -(-images // threads)))
    band = min(high, max(1, SQUARES // wide))
    band = -(-high // -(-high // band))
    units = np.array([(n, min(together, images - n), r, min(high, r + band))
                      for n in range(0, images, together) for r in range(0, high, band)], np.int64)
    squares, deep = together * band * wide, channels + -channels % LANES
    room = (POINTS * (squares * (deep + PANEL) + 2 * LANES)
            + ((2 * band + 2) * (2 * wide + 2) + LANES) * deep
            + (2 * band * (space[1] + 1) + LANES) * PANEL + 2 * LANES)
    return units, room, -(-len(units) // (4 * threads))


def differences(builder, d):
    """B' times a column d."""
    return (builder.fsub(d[0], d[2]), builder.fadd(d[1], d[2]), builder.fsub(d[2], d[1]),
            builder.fsub(d[1], d[3]))


# --------------------------------------------------------------------------- compiled

@intrinsic
def enter(typingctx, like, to, hop, source, line, row):
    """B' d B of a vector of channels, its numbers `hop` apart. Rows of an image are `line` apart,
    columns `row`."""
    def codegen(context, builder, signature, args):
        like, to, hop, source, line, row = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        rows = [builder.add(source, scaled(builder, line, i)) for i in range(4)]
        columns = [differences(builder, [
            tile.load(tile.vector, builder.add(at, scaled(builder, row, j))) for at in rows])
            for j in range(4)]
        for i in range(4):
            for j, value in enumerate(differences(builder, [column[i] for column in columns])):
                tile.store(builder.add(to, scaled(builder, hop, 4 * i + j)), [value])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 5), codegen


@intrinsic
def leave(typingctx, like, to, line, row, source, hop, bias, watch):
    """A' m A + bias of a vector of outputs, whose numbers are `hop` apart: 2 x 2 results, in rows
    `line` and columns `row` apart. What is not finite makes nans of the vector at `watch`."""
    def codegen(context, builder, signature, args):
        like, to, line, row, source, hop, bias, watch = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        more, seen = (tile.load(tile.vector, at) for at in (bias, watch))

        def sums(m):
            return (builder.fadd(builder.fadd(m[0], m[1]), m[2]),
                    builder.fsub(builder.fsub(m[1], m[2]), m[3]))
        columns = [sums([tile.load(tile.vector,
                                   builder.add(source, scaled(builder, hop, 4 * i + j)))
                         for i in range(4)]) for j in range(4)]
        for i in range(2):
            at = builder.add(to, scaled(builder, line, i))
            for j, value in reversed([*enumerate(sums([c[i] for c in columns]))]):
                value = builder.fadd(value, more)
                tile.store(builder.add(at, scaled(builder, row, j)), [value])
                seen = builder.fadd(seen, builder.fmul(value, tile.zero))
        tile.store(watch, [seen])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 7), codegen


@intrinsic
def weigh(typingctx, like, to, hop, source, element, output, some):
    """G g G' of a vector of outputs, of which there are `some`, its numbers `hop` apart."""
    def codegen(context, builder, signature, args):
        like, to, hop, source, element, output, some = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        mask = tile.first_lanes(some)
        half = ir.Constant(tile.vector, [0.5] * tile.vector.count)

        def number(i, j):
            at = builder.add(source, scaled(builder, element, 3 * i + j))
            return tile.numbers_apart(at, output, mask)

        def halves(g):
            ends = builder.fadd(g[0], g[2])
            both = builder.fadd(ends, g[1]), builder.fsub(ends, g[1])
            return g[0], *[builder.fmul(x, half) for x in both], g[2]
        columns = [halves([number(i, j) for i in range(3)]) for j in range(3)]
        for i in range(4):
            for j, value in enumerate(halves([column[i] for column in columns])):
                tile.store(builder.add(to, scaled(builder, hop, 4 * i + j)), [value])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 6), codegen


@intrinsic
def zero_vector(typingctx, like, to):
    def codegen(context, builder, signature, args):
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        tile.store(args[1], [tile.zero])
        return context.get_dummy_value()
    return types.void(like, types.int64), codegen


@intrinsic
def is_spoilt(typingctx, like, watch):
    """Whether there is a nan in the vector at `watch`."""
    def codegen(context, builder, signature, args):
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        seen = tile.load(tile.vector, args[1])
        kind = ir.VectorType(ir.IntType(1), tile.vector.count)
        function = builder.module.declare_intrinsic(
            f"llvm.vector.reduce.or.v{tile.vector.count}i1",
            fnty=ir.FunctionType(ir.IntType(1), [kind]))
        return builder.call(function, [builder.fcmp_unordered("uno", seen, seen)])
    return types.boolean(like, types.int64), codegen


@routine
def clear(like, begin, end):
    """Zeros from one address to another, in whole vectors."""
    for at in range(begin, end, BYTES):
        zero_vector(like, at)


@routine
def panel_width(outputs, o):
    """Outputs in the panel that begins with output o."""
    return vectors_of(outputs - o, LANES) * LANES


@kernel
def transform_weights(firsts, w: Whole, weights: Whole, outputs: Count, output: Count,
                      channels: Count, channel: Count, first: Count):
    """For vectors of outputs from these on."""
    like, element = w.dtype.type(0), 4 if first == 0 else -4
    for o in firsts:
        start = 0
        while start + panel_width(outputs, start) <= o:
            start += panel_width(outputs, start)
        wide = panel_width(outputs, start)
        to = address_of(weights) + (start * POINTS * channels + o - start) * 4
        for c in range(channels):
            weigh(like, to + c * wide * 4, channels * wide * 4,
                  address_of(w) + (o * output + c * channel + first) * 4, element, output * 4,
                  outputs - o)


@routine
def lay(like, to, line, row, source, plane, height, width, first, rows, left, channels):
    """Rows of an image from `first` on, `line` apart, with their channels side by side; what lies
    outside of the image is 0. A row's last square may reach into the next row, which follows."""
    for h in range(first, first + rows):
        if 0 <= h < height:
            done = left * row
            clear(like, to, to + done)
            for w in range(0, width, LANES):
                for c in range(0, channels, LANES):
                    transpose(like, to + done + c * 4, row, source + c * plane
                              + (h * width + w) * 4, plane, min(LANES, width - w),
                              min(LANES, channels - c))
                done += LANES * row
            clear(like, to + done, to + line)
        else:
            clear(like, to, to + line)
        to += line


@routine
def multiply(like, sums, hop_s, images, hop, row, weights, zeros, squares, channels, wide):
    """The POINTS products for a panel of outputs: (squares, channels) (channels, wide)."""
    for k in range(POINTS):
        out, panel = sums + k * hop_s, weights + k * channels * wide * 4
        for c in range(0, channels, DEPTH):
            start, start_row = (out, wide * 4) if c else (zeros, 0)
            columns_of(like, out, wide * 4, start, start_row, images + k * hop + c * 4, row, 4,
                       panel + c * wide * 4, wide * 4, min(DEPTH, channels - c), wide, squares,
                       wide // LANES)


@kernel
def write_squares(units, x: Whole, y: Whole, weights: Whole, bias: Whole, top: Count, left: Count,
                  room: Part, zeros: Whole, spoilt: Whole):
    like, channels, outputs = x.dtype.type(0), x.shape[1], y.shape[1]
    (height, width), (high, far) = x.shape[2:], y.shape[2:]
    wide, plane, result = (far + 1) // 2, height * width * 4, high * far * 4
    row = (channels + LANES - 1) // LANES * BYTES
    line = (2 * wide + 2) * row
    images = address_of(room) + -address_of(room) % BYTES
    for u in range(len(units)):
        n, count, start, stop = units[u]
        rows = stop - start
        some, below = rows * wide, min(2 * rows, high - 2 * start)
        hop, hop_s = count * some * row + BYTES, count * some * PANEL * 4 + BYTES
        sums = images + POINTS * hop
        watch = sums + POINTS * hop_s
        lines = watch + BYTES
        turned = lines + (2 * rows + 2) * line + LANES * row
        clear(like, watch, watch + BYTES)
        for i in range(count):
            lay(like, lines, line, row, address_of(x) + (n + i) * channels * plane, plane, height,
                width, 2 * start - top, 2 * rows + 2, left, channels)
            for s in range(some):
                at = lines + s // wide * 2 * line + s % wide * 2 * row
                for v in range(0, row, BYTES):
                    enter(like, images + (i * some + s) * row + v, hop, at + v, line, row)
        o = 0
        while o < outputs:
            across = panel_width(outputs, o)
            multiply(like, sums, hop_s, images, hop, row,
                     address_of(weights) + o * POINTS * channels * 4, address_of(zeros),
                     count * some, channels, across)
            for i in range(count):
                for s in range(some):
                    r, c = s // wide * 2, s % wide * 2
                    apart = across * 4 if c + 1 < far else 0
                    for v in range(0, across, LANES):
                        leave(like, turned + ((r * far + c) * across + v) * 4, far * across * 4,
                              apart, sums + ((i * some + s) * across + v) * 4, hop_s,
                              address_of(bias) + (o + v) * 4, watch)
                turn(like, 4, address_of(y) + ((n + i) * outputs + o) * result
                     + 2 * start * far * 4, result, turned, across * 4, min(across, outputs - o),
                     below * far)
            o += across
        if is_spoilt(like, watch):
            spoilt[0] = 1
