"""Convolutions of each channel by itself where channels lie innermost in memory: sums of vectors.

A vector of channels at a position is the sum of the image's vectors under the kernel, each times
the weights of that kernel element. Positions near the border leave out what would meet padding, so
that images are read where they lie: see Axis in readings.py.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from llvmlite import ir

from ..layout import as_rows, empty_last
from .compiling import Whole, address_of, kernel
from .lazy import intrinsic, types
from .readings import Reading, correlation_axes
from .tile import BYTES, INT, TALL, Tile, lanes, llvm_type, plus

RUN = 1 << 13      # numbers of the positions that are computed before the next ones
WORK = 1 << 15     # numbers in a chunk
UNITS = 16         # of work, of the gradient of weights
STEPS = 256        # products that are summed one after the other


def takes_each(x, w_shape, groups):
    """Whether each channel has its own kernel, and they fill a vector."""
    return w_shape[1] == 1 and w_shape[0] == groups >= lanes(x.dtype)


def each_channel(x, w, y_shape, b, axes):
    """The correlation of x with w along these axes, plus b."""
    y, channels = empty_last(y_shape, x.dtype), len(w)
    plan = each_plan(x.itemsize, x.shape, w.shape[2:], y_shape[2:], axes)
    weights = np.ascontiguousarray(w.reshape(channels, -1).T)
    bias = np.zeros(channels, x.dtype) if b is None else np.ascontiguousarray(b, x.dtype)
    rows = as_rows(y)
    if plan.gaps:
        rows[...] = bias
    sums_of_vectors(plan.units, as_rows(x), rows, weights, bias, *plan.tables, chunk=plan.chunk)
    return y


def each_channel_weight(x, g, w_shape, stride, padding, dilation):
    """The gradient of w, (C, 1, *kernel)."""
    axes = correlation_axes(w_shape[2:], stride, padding, dilation, g.shape[2:])
    plan = each_plan(x.itemsize, x.shape, w_shape[2:], g.shape[2:], tuple(axes))
    channels, width = w_shape[0], lanes(x.dtype)
    vectors, taps = -(-channels // width), math.prod(w_shape[2:])
    units = weight_units(len(x), vectors)
    sums = np.zeros((units[-1, 2] + 1, taps, vectors, width), x.dtype)
    products_of_vectors(units, as_rows(x), as_rows(g), sums, plan.classes, *plan.tables, chunk=1)
    total = sums.sum(0).reshape(taps, -1)
    first = channels // width * width           # the last vector begins where it ends with them
    total = np.concatenate([total[:, :first], total[:, vectors * width - channels + first:]], 1)
    return np.ascontiguousarray(total.T).reshape(w_shape)


@lru_cache(maxsize=64)
def weight_units(images, vectors):
    """(first image, images, where sums go, first vector, end)"""
    some = -(-images // UNITS)
    parts = min(vectors, UNITS // -(-images // some))
    cuts = [vectors * i // parts for i in range(parts + 1)]
    return np.array([(n, min(some, images - n), n // some, cuts[i], cuts[i + 1])
                     for n in range(0, images, some) for i in range(parts)], np.int64)


class EachPlan:
    """Where vectors meet, in bytes. classes: (first source, end, first offset, end) of positions
    that meet the same kernel elements; units: (image, first source, end, first offset, end)."""

    def __init__(self, itemsize, x_shape, kernel, out, axes):
        images, channels = x_shape[:2]
        space, row = x_shape[2:], channels * itemsize
        parts = [[part for axis in several for part in axis.within(n)]
                 for several, n in zip(axes, space, strict=True)]
        met = [tuple(part for part in axis if part.elements) for axis in parts]
        self.gaps = any(len(m) < len(p) for m, p in zip(met, parts, strict=True))
        found = [] if not all(met) else Reading(itemsize, channels, kernel, space, out, met, 1,
                                                last=True).classes
        ends = [np.cumsum([0, *(len(getattr(c, name)) for c in found)])
                for name in ("places", "taps")]
        self.classes = np.stack([e[s:len(e) - 1 + s] for e in ends for s in (0, 1)], 1)
        self.tables = [np.concatenate([getattr(c, name) for c in found] or [np.empty(0, np.int64)])
                       * scale for name, scale in (("sources", 1), ("places", row), ("offsets", 1),
                                                   ("taps", row))]
        some = max(TALL, RUN // channels // TALL * TALL)
        self.units = np.array([(n, i, min(i + some, end), *taps)
                               for n in range(images)
                               for first, end, *taps in self.classes.tolist()
                               for i in range(first, end, some)], np.int64).reshape(-1, 5)
        work = math.prod(out) * images * channels // WORK
        self.chunk = max(1, len(self.units) // max(1, work))


each_plan = lru_cache(maxsize=64)(EachPlan)


# --------------------------------------------------------------------------- compiled

def vectors_tile(rows):
    """The intrinsic below, for a number of positions."""
    @intrinsic
    def tile_of(typingctx, like, out, places, bias, a, sources, offsets, b, weights, count):
        """Vectors at out + places[r]: that at bias, and the sum over k of those at
        a + sources[r] + offsets[k] times that at b + weights[k]."""
        def codegen(context, builder, signature, args):
            _, out, places, bias, a, sources, offsets, b, weights, count = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, 1)

            def integer(table, k):
                return tile.load(INT, builder.add(table, builder.mul(k, ir.Constant(INT, 8))))
            starts = [builder.add(a, tile.load(INT, plus(builder, sources, 8 * r)))
                      for r in range(rows)]

            def terms(k):
                offset = integer(offsets, k)
                read = [tile.vectors_at(builder.add(start, offset))[0] for start in starts]
                return read, tile.vectors_at(builder.add(b, integer(weights, k)))
            tile.run(count, tile.vectors_at(bias) * rows, terms)
            for r in range(rows):
                place = tile.load(INT, plus(builder, places, 8 * r))
                tile.store(builder.add(out, place), [tile.sums[r]])
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 9), codegen
    return tile_of


def products_tile(rows):
    """The intrinsic below, for a number of kernel elements."""
    @intrinsic
    def tile_of(typingctx, like, out, step, a, sources, offsets, b, places, count):
        """Vectors at out + r * step: they grow by the sum over k of those at
        a + sources[k] + offsets[r] times that at b + places[k]."""
        def codegen(context, builder, signature, args):
            _, out, step, a, sources, offsets, b, places, count = args
            tile = Tile(builder, llvm_type(signature.args[0]), rows, 1)
            starts = [builder.add(a, tile.load(INT, plus(builder, offsets, 8 * r)))
                      for r in range(rows)]

            def terms(k):
                along = builder.mul(k, ir.Constant(INT, 8))
                source, place = (tile.load(INT, builder.add(table, along))
                                 for table in (sources, places))
                read = [tile.vectors_at(builder.add(start, source))[0] for start in starts]
                return read, tile.vectors_at(builder.add(b, place))
            tile.run(count, [tile.zero] * rows, terms)
            for r in range(rows):
                to = builder.add(out, builder.mul(step, ir.Constant(INT, r)))
                tile.store(to, tile.plus_sums(tile.vectors_at(to), r))
            return context.get_dummy_value()
        return types.void(like, *[types.int64] * 8), codegen
    return tile_of


tall_vectors, two_vectors, one_vector = (vectors_tile(rows) for rows in (TALL, 2, 1))
nine_products, three_products, one_product = (products_tile(rows) for rows in (9, 3, 1))


@kernel
def sums_of_vectors(work, x: Whole, y: Whole, w: Whole, bias: Whole, sources: Whole, places: Whole,
                    offsets: Whole, taps: Whole):
    like, row = x.dtype.type(0), bias.size * x.itemsize
    for u in range(len(work)):
        n, first, end, piece, last = work[u]
        count, given = last - piece, address_of(offsets) + piece * 8
        weights = address_of(taps) + piece * 8
        for v in range(0, row, BYTES):
            v = min(v, row - BYTES)
            out, a = address_of(y[n]) + v, address_of(x[n]) + v
            b, begin, p = address_of(w) + v, address_of(bias) + v, first
            while p < end:
                to, at = address_of(places) + p * 8, address_of(sources) + p * 8
                if end - p >= TALL:
                    tall_vectors(like, out, to, begin, a, at, given, b, weights, count)
                    p += TALL
                elif end - p >= 2:
                    two_vectors(like, out, to, begin, a, at, given, b, weights, count)
                    p += 2
                else:
                    one_vector(like, out, to, begin, a, at, given, b, weights, count)
                    p += 1


@kernel
def products_of_vectors(work, x: Whole, g: Whole, sums: Whole, classes: Whole, sources: Whole,
                        places: Whole, offsets: Whole, taps: Whole):
    like, row = x.dtype.type(0), x.shape[2] * x.itemsize
    step = sums.shape[2] * BYTES
    for u in range(len(work)):
        first, count, part, low, high = work[u]
        for n in range(first, first + count):
            for i in range(len(classes)):
                begin, end, piece, last = classes[i]
                for p in range(begin, end, STEPS):
                    some = min(STEPS, end - p)
                    at, to = address_of(sources) + p * 8, address_of(places) + p * 8
                    for v in range(low, high):
                        beside = min(v * BYTES, row - BYTES)
                        a, b = address_of(x[n]) + beside, address_of(g[n]) + beside
                        out, k = address_of(sums[part]) + v * BYTES, piece
                        while k < last:
                            into, given = out + taps[k] // row * step, address_of(offsets) + k * 8
                            if last - k >= 9 and taps[k + 8] - taps[k] == 8 * row:
                                nine_products(like, into, step, a, at, given, b, to, some)
                                k += 9
                            elif last - k >= 3 and taps[k + 2] - taps[k] == 2 * row:
                                three_products(like, into, step, a, at, given, b, to, some)
                                k += 3
                            else:
                                one_product(like, into, step, a, at, given, b, to, some)
                                k += 1
