"""Convolutions of 3 x 3 elements with four ninths of the multiplications.

NOTE [winograd]
    Four neighbouring results, 2 x 2, are sums over channels of 36 products of 4 x 4 numbers d of an
    image and 3 x 3 weights g. Winograd (1980) needs 16:

        y = A' (sum over channels of (G g G') * (B' d B)) A,

    elementwise where the star is (Lavin and Gray 2016, "Fast algorithms for convolutional neural
    networks", F(2 x 2, 3 x 3)). B and A only add and subtract, and G halves; a result depends on no
    numbers but its own 3 x 3. So little is lost: with sums of DEPTH channels at a time the error
    is 0.8 to 1.15 of PyTorch's, which adds products directly. But an infinity may make nans of
    results that are infinite: where one is not finite, the direct product is computed instead.

    The squares of 2 x 2 results are the positions of an image, numbered row by row, with one left
    out after each row. For some positions, in a row, the 16 matrices of transformed images,
    (channels, positions), are multiplied by the 16 of transformed weights, (outputs, channels), by
    the tiles of NOTE [panels]. The lanes of a vector are positions: with the even and odd rows and
    columns of an image apart, its numbers for them follow on each other.

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
from .lazy import intrinsic, types
from .panels import columns_of, copy_narrow, vectors_of
from .tile import BYTES, WIDE, Tile, lanes, llvm_type, plus, scaled

LANES = lanes("f")
POINTS = 16             # products for four results
PANEL = panels.VECTORS * LANES
DEPTH = LANES           # channels that are summed one after the other
GROUP = 24              # outputs that meet the transformed images at a time
NUMBERS = 1 << 17       # of transformed images in a block of positions, at most; one panel at least
POSITIONS = 256         # in a block, at most
LEAST, PRODUCTS = 8, 1 << 20        # channels, and outputs; products that are worth it
GAIN, RUN = 1.75, 40    # multiplications saved, and positions of an image, that are worth it
NEAR, RESULTS = 1 << 15, 1 << 10    # weights that a cache holds when transformed; of an output
                                    # channel that are worth transforming more
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


def suits_squares(x, w_shape, outputs, stride, padding, dilation, groups, space):
    """Whether such a convolution takes less time so: many products, and planes that fill tiles."""
    if (x.dtype.char != "f" or w_shape[2:] != (3, 3) or groups != 1 or not WIDE
            or {*stride, *dilation} != {1} or max(padding) > 2 or channels_last(x)):
        return False
    channels, results = x.shape[1], len(x) * math.prod(space)
    pairs, run = channels * outputs, -(-space[0] // 2) * (-(-space[1] // 2) + 1)
    return (min(channels, outputs) >= LEAST and results * pairs * 9 >= PRODUCTS
            and run >= RUN and 9 * math.prod(space) >= GAIN * POINTS * run
            and (pairs <= NEAR or results >= RESULTS))


def transformed(w, outputs, channels, output, channel, first):
    """G g G' of all weights in the order in which they are read: (groups of outputs, POINTS, parts
    of the channels, GROUP, DEPTH). Outputs and channels lie so many numbers apart; the elements of
    a kernel begin with the first or, if it is 8, the last."""
    groups, parts = -(-outputs // GROUP), -(-channels // DEPTH)
    weights = np.empty((groups, POINTS, parts, GROUP, DEPTH), np.float32)
    transform_weights(np.arange(groups), np.ascontiguousarray(w), weights, outputs, output,
                      channels, channel, first, chunk=-(-groups // fast.threads))
    return weights


def results(x, weights, outputs, b, padding, space):
    bias = np.zeros(outputs, x.dtype) if b is None else np.ascontiguousarray(b, x.dtype)
    units, pitch, room, chunk = plan(len(x), x.shape[1], outputs, space, fast.threads)
    y, spoilt = np.empty((len(x), outputs, *space), x.dtype), np.zeros(1, np.int64)
    write_tiles(units, np.ascontiguousarray(x), y, weights, bias, *padding, pitch,
                np.empty((-(-len(units) // chunk), room), x.dtype), ZEROS, spoilt, chunk=chunk)
    return None if spoilt[0] else y


@lru_cache(maxsize=256)
def plan(images, channels, outputs, space, threads):
    """Units of work, (first image, images, first position and end of each, first output and end);
    positions in a row, numbers of room for one; units of a chunk."""
    height, width = (-(-size // 2) for size in space)
    run = height * (width + 1)
    most = min(POSITIONS, max(PANEL, NUMBERS // (POINTS * channels) // PANEL * PANEL))
    if 2 * run <= most:                     # the weights are read once for several images
        together = max(1, min(most // run, images // (2 * threads)))
        size, pitch = run, run * together + 2 * LANES
    else:
        together, size = 1, -(-run // -(-run // most))
        size += -size % LANES
        pitch = size
    pitch -= pitch % LANES
    firsts = range(0, run, size)
    shares = -(-threads // (-(-images // together) * len(firsts)))
    share = -(-outputs // (GROUP * shares)) * GROUP
    units = np.array([(n, min(together, images - n), p, min(run, p + size), o,
                       min(outputs, o + share))
                      for n in range(0, images, together) for p in firsts
                      for o in range(0, outputs, share)], np.int64)
    plane = (size // (width + 1) + 3) * (width + 1) + 2 * LANES
    room = (POINTS * ((channels + GROUP) * pitch + 2 * LANES) + 4 * plane + 4 * (size + LANES)
            + 2 * LANES)
    return units, pitch, room, -(-len(units) // (4 * threads))


# --------------------------------------------------------------------------- compiled

@intrinsic
def deal(typingctx, like, first, second, source, count):
    """Of `count` numbers, two vectors or less, the even ones to one address, the odd to another."""
    def codegen(context, builder, signature, args):
        like, first, second, source, count = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        size, one = tile.vector.count, ir.Constant(count.type, 1)
        low = tile.load_some(source, tile.first_lanes(count))
        rest = builder.sub(count, ir.Constant(count.type, size))
        high = tile.load_some(plus(builder, source, BYTES), tile.first_lanes(rest))
        for parity, to in enumerate((first, second)):
            picked = ir.Constant(ir.VectorType(ir.IntType(32), size),
                                 list(range(parity, 2 * size, 2)))
            half = builder.ashr(count if parity else builder.add(count, one), one)
            tile.store_some(to, builder.shuffle_vector(low, high, picked), tile.first_lanes(half))
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 4), codegen


@intrinsic
def put(typingctx, like, to, source, count):
    """`count` numbers, a vector of them or less, to another address."""
    def codegen(context, builder, signature, args):
        like, to, source, count = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        mask = tile.first_lanes(count)
        tile.store_some(to, tile.load_some(source, mask), mask)
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 3), codegen


@intrinsic
def enter(typingctx, like, to, hop, source, plane, row):
    """B' d B of a vector of positions, its numbers `hop` apart. The four planes of even and odd
    rows and columns are `plane` apart, their rows `row`."""
    def codegen(context, builder, signature, args):
        like, to, hop, source, plane, row = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)

        def number(i, j):
            at = builder.add(source, scaled(builder, plane, 2 * (i % 2) + j % 2))
            at = builder.add(at, scaled(builder, row, i // 2))
            return tile.load(tile.vector, plus(builder, at, j // 2 * tile.size))

        def differences(d):
            return (builder.fsub(d[0], d[2]), builder.fadd(d[1], d[2]), builder.fsub(d[2], d[1]),
                    builder.fsub(d[1], d[3]))
        columns = [differences([number(i, j) for i in range(4)]) for j in range(4)]
        for i in range(4):
            for j, value in enumerate(differences([column[i] for column in columns])):
                tile.store(builder.add(to, scaled(builder, hop, 4 * i + j)), [value])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 5), codegen


@intrinsic
def leave(typingctx, like, to, row, source, hop, bias, some, watch):
    """A' m A + bias of a vector of positions, whose numbers are `hop` apart: two rows of results,
    `row` apart. Those of the first `some` positions that are not finite make nans of the vector at
    `watch`."""
    def codegen(context, builder, signature, args):
        like, to, row, source, hop, bias, some, watch = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        size = tile.vector.count
        more, meant = tile.in_every_lane(bias), tile.first_lanes(some)

        def sums(m):
            return (builder.fadd(builder.fadd(m[0], m[1]), m[2]),
                    builder.fsub(builder.fsub(m[1], m[2]), m[3]))
        columns = [sums([tile.load(tile.vector,
                                   builder.add(source, scaled(builder, hop, 4 * i + j)))
                         for i in range(4)]) for j in range(4)]
        seen = tile.load(tile.vector, watch)
        for i in range(2):
            values = [builder.fadd(value, more) for value in sums([c[i] for c in columns])]
            for half in range(2):
                mixed = [k // 2 + half * size // 2 + k % 2 * size for k in range(size)]
                order = ir.Constant(ir.VectorType(ir.IntType(32), size), mixed)
                at = builder.add(to, scaled(builder, row, i))
                tile.store(plus(builder, at, half * BYTES), [builder.shuffle_vector(*values,
                                                                                    order)])
            for value in values:
                known = builder.select(meant, value, tile.zero)
                seen = builder.fadd(seen, builder.fmul(known, tile.zero))
        tile.store(watch, [seen])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 4, like, types.int64, types.int64), codegen


@intrinsic
def weigh(typingctx, like, to, hop, source, element, channel, some):
    """G g G' of a vector of channels, of which there are `some`, its numbers `hop` apart."""
    def codegen(context, builder, signature, args):
        like, to, hop, source, element, channel, some = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        mask = tile.first_lanes(some)
        half = ir.Constant(tile.vector, [0.5] * tile.vector.count)

        def number(i, j):
            at = builder.add(source, scaled(builder, element, 3 * i + j))
            return tile.numbers_apart(at, channel, mask)

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


@kernel
def transform_weights(groups, w: Whole, weights: Whole, outputs: Count, output: Count,
                      channels: Count, channel: Count, first: Count):
    like, element, hop = w.dtype.type(0), 4 if first == 0 else -4, weights.shape[2] * GROUP * BYTES
    for group in groups:
        to = address_of(weights) + group * POINTS * hop
        for o in range(group * GROUP, min(outputs, (group + 1) * GROUP)):
            for c in range(0, channels, DEPTH):
                weigh(like, to + c // DEPTH * GROUP * BYTES + (o - group * GROUP) * BYTES, hop,
                      address_of(w) + (o * output + c * channel + first) * 4, element, channel * 4,
                      channels - c)


@routine
def clear(like, to, count):
    """Zeros, so many numbers or a few more."""
    for i in range(0, count, LANES):
        copy_narrow(like, to + i * 4, to, 0)


@routine
def lay(like, planes, plane, x, first, rows, height, width, wide, top, left):
    """A channel's rows, from `first` on, into the planes of even and odd rows and columns; what
    lies outside of the image stays as it is."""
    for i in range(rows):
        h = first + i - top
        if 0 <= h < height:
            to = planes + i % 2 * 2 * plane + i // 2 * wide * 4
            even = to + left % 2 * plane + left // 2 * 4
            odd = to + (left + 1) % 2 * plane + (left + 1) // 2 * 4
            source = x + h * width * 4
            for w in range(0, width, 2 * LANES):
                deal(like, even + w * 2, odd + w * 2, source + w * 4, min(2 * LANES, width - w))


@routine
def multiply(like, sums, pitch, images, weights, zeros, positions, channels, rows):
    """One of the POINTS products, for so many outputs: (rows, channels) (channels, positions)."""
    part = GROUP * BYTES
    left = 0
    while left < positions:
        vectors = vectors_of(positions - left, LANES)
        some, out = min(vectors * LANES, positions - left), sums + left * 4
        for c in range(0, channels, DEPTH):
            start, start_row = (out, pitch) if c else (zeros, 0)
            columns_of(like, out, pitch, start, start_row, weights + c // DEPTH * part, BYTES, 4,
                       images + left * 4 + c * pitch, pitch, min(DEPTH, channels - c), some, rows,
                       vectors)
        left += vectors * LANES


@routine
def write_rows(like, to, high, far, lines, line, begin, end, wide, row, rows):
    """The results of positions from `begin` to `end`, in so many rows: for each two rows of an
    image, of which `lines` has the upper one, and the lower one `line` bytes further."""
    for r in range(row, row + rows):
        start, stop = max(begin, r * wide), min(end, r * wide + wide - 1)
        column, source = 2 * (start - r * wide), lines + (start - begin) * 8
        taken = min(2 * (stop - start), far - column)
        for below in range(min(2, high - 2 * r)):
            at = to + ((2 * r + below) * far + column) * 4
            for i in range(0, taken, LANES):
                put(like, at + i * 4, source + below * line + i * 4, taken - i)


@kernel
def write_tiles(units, x: Whole, y: Whole, weights: Whole, bias: Whole, top: Count, left: Count,
                pitch: Count, room: Part, zeros: Whole, spoilt: Whole):
    like, channels, outputs, pitch = x.dtype.type(0), x.shape[1], y.shape[1], pitch * 4
    (height, width), (high, far) = x.shape[2:], y.shape[2:]
    image, result, wide = height * width * 4, high * far * 4, (far + 1) // 2 + 1
    hop, sums_hop = channels * pitch + BYTES, GROUP * pitch + BYTES     # no multiple of a page
    transformed = address_of(room) + -address_of(room) % BYTES
    for u in range(len(units)):
        n, count, begin, end, first, last = units[u]
        row, size = begin // wide, end - begin
        used = (count * size + LANES - 1) // LANES * LANES
        rows = (end - 1) // wide - row + 1
        sums = transformed + POINTS * hop
        planes = sums + POINTS * sums_hop
        plane, line = ((rows + 1) * wide + 2 * LANES) * 4, (size + LANES) * 8
        lines = planes + 4 * plane
        watch = lines + 2 * line
        clear(like, planes, plane)
        clear(like, watch, LANES)
        for i in range(count):
            for c in range(channels):
                lay(like, planes, plane, address_of(x) + ((n + i) * channels + c) * image,
                    2 * row, 2 * rows + 2, height, width, wide, top, left)
                for p in range(0, size, LANES):
                    enter(like, transformed + c * pitch + (i * size + p) * 4, hop,
                          planes + (begin - row * wide + p) * 4, plane, wide * 4)
        for o in range(first, last, GROUP):
            some = min(GROUP, last - o)
            for k in range(POINTS):
                multiply(like, sums + k * sums_hop, pitch, transformed + k * hop,
                         address_of(weights[o // GROUP, k]), address_of(zeros), used, channels,
                         some)
            for i in range(count):
                for r in range(some):
                    for p in range(0, size, LANES):
                        leave(like, lines + p * 8, line, sums + r * pitch + (i * size + p) * 4,
                              sums_hop, bias[o + r], size - p, watch)
                    write_rows(like, address_of(y) + ((n + i) * outputs + o + r) * result, high,
                               far, lines, line, begin, end, wide, row, rows)
        if is_spoilt(like, watch):
            spoilt[0] = 1


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
