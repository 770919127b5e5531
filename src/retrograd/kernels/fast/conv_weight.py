"""The gradient of a convolution's weights: a product of planes and the results' gradient.

Of the right matrix, the gradient of the results, each position's outputs are laid side by side; the
left one is read from planes, a number for each channel and kernel element. Units of work share the
images where weights are few, and add what they found; or else the channels.
"""

from __future__ import annotations

import math

import numpy as np

from .compiling import Part, Whole, kernel, routine
from .conv import met, taken
from .conv_channels import channel_weights
from .planes import fill, layout, pack
from .tile import BYTES, TAPS, rows_of_sums, transpose

UNITS = 16         # of work that share the images
STEPS = 256        # results whose products are added at a time
DEPTH = 64         # kernel elements whose numbers are packed at a time
PACKED = 256       # results that are packed together, at least
MANY = 1 << 16     # weights from which on units share the channels


def correlate_weight(g, x, w_shape, stride, padding, dilation, groups):
    """See kernels.conv."""
    if not taken(x, g, w_shape):
        return None
    x, stride = met(x, w_shape[2:], stride, padding)
    x, g = np.ascontiguousarray(x), np.ascontiguousarray(g)
    lay = layout(x.itemsize, w_shape[1], w_shape[2:], stride, padding, dilation, x.shape[2:],
                 g.shape[2:])
    x, g = x.reshape(*x.shape[:2], -1), g.reshape(*g.shape[:2], -1)
    if w_shape[1] == 1 and w_shape[0] == groups:
        result = channel_weights(x, g, lay)
    else:
        result = product_of_units(x, g, lay, w_shape, groups)
    if not np.isfinite(result).all():       # perhaps by what lies between rows
        return None
    return result.reshape(w_shape)


def product_of_units(x, g, lay, w_shape, groups):
    """The gradient, (outputs, channels * taps)."""
    share, outputs, span = w_shape[1], w_shape[0] // groups, lay.run
    wide = (1 if outputs <= lay.lanes else 2) * lay.lanes
    blocks, depth = -(-outputs // wide), share * lay.taps
    units, channels = shares(len(x), share, math.prod(w_shape))
    together, rows = 0, lay.result_rows
    segments = np.zeros((0, 4), np.int64)
    if packing_pays(lay, outputs):
        total = math.prod(lay.out)
        together = min(len(x), -(-PACKED // total))
        span, rows = together * total, np.array([(0, 0, total)], np.int64)
        segments, _ = lay.segments((0, 0, 0, 1), together, channels * lay.channel, total, span)
    sums = np.zeros((units[:, 2].max() + 1, groups, blocks, -(-depth // TAPS) * TAPS, wide),
                    x.dtype)
    planes = np.zeros((len(units), (max(1, together) * channels + TAPS) * lay.channel + lay.slack),
                      x.dtype)
    turned = np.zeros((len(units), blocks, span + lay.lanes, wide), x.dtype)
    pitch = span + lay.lanes
    panel = np.empty((len(units), DEPTH * pitch if together else 1), x.dtype)
    numbers = np.array([groups, share, outputs, lay.taps, lay.channel, lay.stride[2], together,
                        lay.same, span, channels], np.int64)
    offsets = np.append(lay.offsets, np.zeros(TAPS, np.int64))
    weights_of_units(units, x, g, planes, turned, panel, sums, offsets,
                     np.arange(DEPTH) * (pitch * x.itemsize), lay.rows, rows, segments, numbers,
                     chunk=1)
    sums = sums[0] if len(sums) == 1 else sums.sum(0)
    result = np.empty((groups * blocks, wide, depth), x.dtype)
    turn_back(result, sums.reshape(groups * blocks, -1, wide), chunk=1)
    return np.ascontiguousarray(result.reshape(groups, -1, depth)[:, :outputs])


def packing_pays(lay, outputs):
    """Whether results without what lies between rows are worth packing: see conv.py."""
    rows, total = math.prod(lay.out[:2]), math.prod(lay.out)
    packing = 3 * rows * (lay.out[2] / lay.lanes + 1)
    return not lay.same and total * outputs / lay.lanes + packing < lay.run * outputs / lay.lanes


def shares(images, share, weights):
    """Units of work (first image, images, where sums go, first channel, end), and most channels."""
    if weights <= MANY or share < 2 * TAPS:
        count = -(-images // UNITS)
        starts = range(0, images, count)
        return np.array([(n, min(count, images - n), i, 0, share)
                         for i, n in enumerate(starts)], np.int64), share
    channels = max(TAPS, -(-share // UNITS // TAPS) * TAPS)
    return np.array([(0, images, 0, c, min(c + channels, share))
                     for c in range(0, share, channels)], np.int64), channels


# --------------------------------------------------------------------------- compiled

@routine
def lay_turned(g, turned, start, rows):
    """Results' gradients (outputs, numbers) as (blocks, positions, outputs of a block)."""
    item, vector, wide = g.itemsize, BYTES // g.itemsize, turned.shape[2]
    distance = g.shape[1] * item
    for r in range(len(rows)):
        for block in range(turned.shape[0]):
            for o in range(block * wide, min(g.shape[0], (block + 1) * wide), vector):
                for w in range(0, rows[r, 2], vector):
                    to = turned[block, start + rows[r, 0] + w].ctypes.data
                    transpose(g.dtype.type(0), to + (o - block * wide) * item, wide * item,
                              g.ctypes.data + o * distance + (rows[r, 1] + w) * item, distance,
                              rows[r, 2] - w, g.shape[0] - o)


@routine
def add_products(sums, planes, panel, turned, offsets, apart, segments, numbers, first, depth,
                 steps):
    """Add to the sums of kernel elements `first` and on, `depth` of them, what the planes give."""
    zero, item, wide = sums.dtype.type(0), sums.itemsize, sums.shape[2]
    pitch = turned.shape[1] * item
    if numbers[6]:
        for k in range(0, depth, apart.size):
            count = min(apart.size, depth - k)
            pack(zero, panel, planes, offsets, k, count, segments, 0, len(segments), item, pitch)
            for block in range(sums.shape[0]):
                rows_of_sums(zero, sums[block, first + k].ctypes.data, wide * item, panel,
                             apart.ctypes.data, turned[block].ctypes.data, wide * item, steps,
                             count)
        return
    for begin in range(0, steps, STEPS):
        for block in range(sums.shape[0]):
            rows_of_sums(zero, sums[block, first].ctypes.data, wide * item, planes + begin * item,
                         offsets.ctypes.data, turned[block, begin].ctypes.data, wide * item,
                         min(STEPS, steps - begin), depth)


@kernel
def weights_of_units(work, x: Whole, g: Whole, planes: Part, turned: Part, panel: Part,
                     sums: Whole, offsets: Whole, apart: Whole, rows: Whole, results: Whole,
                     segments: Whole, numbers: Whole):
    groups, share, outputs, taps, channel = (numbers[0], numbers[1], numbers[2], numbers[3],
                                             numbers[4])
    together, image = max(1, numbers[6]), numbers[9] * numbers[4]
    for u in range(len(work)):
        begin, count, part, low, high = work[u]
        for n in range(begin, begin + count, together):
            some = min(together, begin + count - n)
            for i in range(groups):
                first, base = i * share, planes.ctypes.data
                if numbers[7] and n + 1 < len(x):
                    base = x[n, first + low].ctypes.data
                for k in range(some):
                    if base == planes.ctypes.data:
                        fill(x[n + k, first + low:first + high], planes[k * image:], rows,
                             channel, numbers[5])
                    lay_turned(g[n + k, i * outputs:(i + 1) * outputs], turned,
                               k * g.shape[2], results)
                steps = some * g.shape[2] if numbers[6] else numbers[8]
                add_products(sums[part, i], base, panel.ctypes.data, turned, offsets, apart,
                             segments, numbers, low * taps, (high - low) * taps, steps)


@kernel
def turn_back(result, sums):
    """Sums (rows, wide) as (wide, rows)."""
    zero, item, vector = sums.dtype.type(0), sums.itemsize, BYTES // sums.itemsize
    corner = np.empty((vector, vector), sums.dtype)
    for b in range(len(result)):
        count = result.shape[2]
        for o in range(0, result.shape[1], vector):
            for k in range(0, count, vector):
                source = sums[b, k, o:].ctypes.data
                width = min(vector, count - k)
                if width == vector:
                    transpose(zero, result[b, o, k:].ctypes.data, count * item, source,
                              sums.shape[2] * item, vector, vector)
                    continue
                transpose(zero, corner.ctypes.data, vector * item, source, sums.shape[2] * item,
                          vector, width)
                for i in range(vector):
                    for j in range(width):
                        result[b, o + i, k + j] = corner[i, j]
