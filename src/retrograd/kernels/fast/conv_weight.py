"""The gradient of a convolution's weights: a product of images and the results' gradient.

Of the right matrix, the gradient of the results, each position's outputs are laid side by side; the
left one, a number for each channel, kernel element and position, is read where it lies in padded
images (see points.py). Units of work share the images where weights are few, and add what they
found; or else the channels.
"""

from __future__ import annotations

import math

import numpy as np

from ..patches import side_by_side
from .compiling import Part, Whole, address_of, kernel, routine
from .conv import met, taken
from .conv_channels import channel_weights
from .planes import fill, layout
from .points import correlation_axes, reading
from .reduce import sum_dim
from .tile import (
    BYTES,
    POINTS,
    ROWS,
    few_one,
    few_two,
    lanes,
    sum_one,
    sum_two,
    sums_one,
    sums_two,
    transpose,
)

UNITS = 16         # of work that share the images
STEPS = 256        # results whose products are added at a time
MANY = 1 << 16     # weights from which on units share the channels
FEWEST = 64        # channels of a unit


def correlate_weight(g, x, w_shape, stride, padding, dilation, groups):
    """See kernels.conv."""
    if not taken(x, g, w_shape) or side_by_side(w_shape, stride, padding, dilation,
                                                g.shape[2:], groups):
        return None
    g = np.ascontiguousarray(g)
    if w_shape[1] == 1 and w_shape[0] == groups:
        x, stride = met(x, w_shape[2:], stride, padding)
        x = np.ascontiguousarray(x)
        lay = layout(x.itemsize, 1, w_shape[2:], stride, padding, dilation, x.shape[2:],
                     g.shape[2:])
        result = channel_weights(x.reshape(*x.shape[:2], -1), g.reshape(*g.shape[:2], -1), lay)
        if not np.isfinite(result).all():       # perhaps by what lies between rows
            return None
    else:
        axes = correlation_axes(w_shape[2:], stride, padding, dilation, g.shape[2:])
        result = product_of_units(np.ascontiguousarray(x), g, w_shape, axes, groups)
    return result.reshape(w_shape)


def bias_gradient(g):
    """See kernels.conv."""
    images, channels = g.shape[:2]
    if not g.size:
        return None
    sums = sum_dim(np.ascontiguousarray(g).reshape(images * channels, -1), 1, False)
    return None if sums is None else sums.reshape(images, channels).sum(0)


def product_of_units(x, g, w_shape, axes, groups):
    """The gradient, (outputs, channels * taps)."""
    share, outputs, results = w_shape[1], w_shape[0] // groups, math.prod(g.shape[2:])
    vector, depth = lanes(x.dtype), math.prod(w_shape[1:])
    wide = vector if outputs <= vector else 2 * vector
    units, channels = shares(len(x), share, math.prod(w_shape))
    together = min(units[0, 1], -(-STEPS // results))
    place = x.itemsize, share, x.shape[1], w_shape[2:], x.shape[2:], g.shape[2:], axes, together
    read = reading(*place)
    if not read.as_given:                # planes have the channels of a unit, of a group
        read = reading(*place[:2], channels, *place[3:])
    blocks = -(-outputs // wide)
    sums = np.zeros((units[:, 2].max() + 1, groups, blocks, depth, wide), x.dtype)
    planes = np.zeros((len(units), 1 if read.as_given else together * read.image), x.dtype)
    turned = np.empty((len(units), blocks, together * results + vector, wide), x.dtype)
    numbers = np.array([groups, share, outputs, math.prod(w_shape[2:]), read.channel, together,
                        read.as_given, read.image], np.int64)
    weights_of_units(units, x.reshape(*x.shape[:2], -1), g.reshape(*g.shape[:2], -1), planes,
                     turned, sums, read.offsets, read.sources, read.rows, numbers, chunk=1)
    sums = sums[0] if len(sums) == 1 else sums.sum(0)
    result = np.empty((groups * blocks, wide, depth), x.dtype)
    turn_back(result, sums.reshape(groups * blocks, -1, wide), chunk=1)
    return np.ascontiguousarray(result.reshape(groups, -1, depth)[:, :outputs])


def shares(images, share, weights):
    """Units of work (first image, images, where sums go, first channel, end), and most channels."""
    if weights <= MANY or share < 2 * FEWEST:
        count = -(-images // UNITS)
        starts = range(0, images, count)
        return np.array([(n, min(count, images - n), i, 0, share)
                         for i, n in enumerate(starts)], np.int64), share
    channels = max(FEWEST, -(-share // UNITS))
    return np.array([(0, images, 0, c, min(c + channels, share))
                     for c in range(0, share, channels)], np.int64), channels


# --------------------------------------------------------------------------- compiled

@routine
def lay_turned(g, turned, start):
    """Results' gradients (outputs, numbers) as (blocks, positions, outputs of a block)."""
    item, vector, wide, count = g.itemsize, BYTES // g.itemsize, turned.shape[2], g.shape[1]
    for block in range(turned.shape[0]):
        for o in range(block * wide, min(g.shape[0], (block + 1) * wide), vector):
            for w in range(0, count, vector):
                to = address_of(turned[block, start + w]) + (o - block * wide) * item
                transpose(g.dtype.type(0), to, wide * item, address_of(g[o, w:]), count * item,
                          count - w, g.shape[0] - o)


@routine
def add_products(like, out, planes, offsets, count, sources, b, steps, two, item):
    """Add to the sums of `count` kernel elements the products of some positions."""
    r, row = 0, BYTES * (2 if two else 1)
    while r < count:
        to, at = out + r * row, offsets + r * 8
        if count - r >= POINTS:
            if two:
                sums_two(like, to, planes, at, sources, b, steps)
            else:
                sums_one(like, to, planes, at, sources, b, steps)
            r += POINTS
        elif count - r >= ROWS:
            if two:
                few_two(like, to, planes, at, sources, b, steps)
            else:
                few_one(like, to, planes, at, sources, b, steps)
            r += ROWS
        else:
            if two:
                sum_two(like, to, planes, at, sources, b, steps)
            else:
                sum_one(like, to, planes, at, sources, b, steps)
            r += 1


@kernel
def weights_of_units(work, x: Whole, g: Whole, planes: Part, turned: Part, sums: Whole,
                     offsets: Whole, sources: Whole, rows: Whole, numbers: Whole):
    groups, share, outputs, taps = numbers[0], numbers[1], numbers[2], numbers[3]
    together, as_given, item, results = numbers[5], numbers[6], x.itemsize, g.shape[2]
    wide, zero = turned.shape[2], x.dtype.type(0)
    for u in range(len(work)):
        begin, count, part, low, high = work[u]
        for n in range(begin, begin + count, together):
            some = min(together, begin + count - n)
            for i in range(groups):
                first = i * share + low
                base = address_of(x[n, first]) if as_given else address_of(planes)
                for k in range(some):
                    if not as_given:
                        fill(x[n + k, first:first + high - low], planes[k * numbers[7]:], rows,
                             numbers[4], 1)
                    lay_turned(g[n + k, i * outputs:(i + 1) * outputs], turned, k * results)
                parts = (some * results + STEPS - 1) // STEPS
                for part_of in range(parts):
                    p = some * results * part_of // parts
                    steps = some * results * (part_of + 1) // parts - p
                    for block in range(turned.shape[0]):
                        add_products(zero, address_of(sums[part, i, block, low * taps]), base,
                                     address_of(offsets), (high - low) * taps,
                                     address_of(sources[p:]), address_of(turned[block, p]), steps,
                                     wide * item > BYTES, item)


@kernel
def turn_back(result, sums):
    """Sums (rows, wide) as (wide, rows)."""
    zero, item, vector = sums.dtype.type(0), sums.itemsize, BYTES // sums.itemsize
    corner = np.empty((vector, vector), sums.dtype)
    for b in range(len(result)):
        count = result.shape[2]
        for o in range(0, result.shape[1], vector):
            for k in range(0, count, vector):
                source = address_of(sums[b, k, o:])
                width = min(vector, count - k)
                if width == vector:
                    transpose(zero, address_of(result[b, o, k:]), count * item, source,
                              sums.shape[2] * item, vector, vector)
                    continue
                transpose(zero, address_of(corner), vector * item, source, sums.shape[2] * item,
                          vector, width)
                for i in range(vector):
                    for j in range(width):
                        result[b, o + i, k + j] = corner[i, j]
