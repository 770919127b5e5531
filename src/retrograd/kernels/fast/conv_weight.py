"""The gradient of a convolution's weights: a product of images and the results' gradient.

The right matrix is the gradient of the results, copied so that each position's outputs lie side by
side; the left one, a number for each channel, kernel element and position, is read where it lies in
padded images (see readings.py). Where weights are few, units of work divide the images among them
and add their sums; elsewhere they divide the channels. Elements of 3 x 3 need fewer products by
winograd_weight.py, where that suits.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..layout import as_rows, channels_last, moved
from ..patches import side_by_side
from . import panels
from .channels_last import each_channel_weight, takes_each
from .compiling import Whole, address_of, kernel, routine
from .conv import at_each_position, met, taken
from .conv_channels import channel_weights
from .planes import fill, layout
from .points_last import copy_parts, fill_last
from .readings import Reading, correlation_axes, cuts
from .reduce import sum_dim
from .tile import (
    BYTES,
    POINTS,
    ROWS,
    few_one,
    few_two,
    sum_one,
    sum_two,
    sums_one,
    sums_two,
    transpose,
    transpose_some,
)
from .winograd_weight import suits_weights, weights_by_squares

UNITS = 16         # of work
FEW = 4            # results of an image: windows side by side are one product for all images
STEPS = 256        # results whose products are added at a time
MANY = 1 << 16     # weights from which on units do not share the images
DEEP, THIN = 512, 128       # weights of an output that a unit should have, and must have


def correlate_weight(g, x, w_shape, stride, padding, dilation, groups):
    """See kernels.conv."""
    few = math.prod(g.shape[2:]) < FEW and side_by_side(w_shape, stride, padding, dilation,
                                                        g.shape[2:], groups)
    if few or not taken(x, g, w_shape):
        return None
    if at_each_position(x, w_shape, g.shape, stride, padding, groups) and g.flags.c_contiguous:
        result = product_of_planes(g, x)
        if result is not None:
            return np.ascontiguousarray(result).reshape(w_shape)
    if suits_weights(x, w_shape, g.shape[2:], stride, padding, dilation, groups):
        result = weights_by_squares(g, x, padding)
        if result is not None:
            return result
    last = channels_last(x)
    if last and takes_each(x, w_shape, groups):
        return each_channel_weight(x, g, w_shape, stride, padding, dilation)
    if w_shape[1] == 1 and w_shape[0] == groups:
        x, stride = met(x, w_shape[2:], stride, padding)
        x, g = np.ascontiguousarray(x), np.ascontiguousarray(g)
        lay = layout(x.itemsize, 1, w_shape[2:], stride, padding, dilation, x.shape[2:],
                     g.shape[2:])
        result = channel_weights(x.reshape(*x.shape[:2], -1), g.reshape(*g.shape[:2], -1), lay)
        if not np.isfinite(result).all():       # perhaps by what lies between rows
            return None
    else:
        plan = weight_plan(x.itemsize, x.shape, w_shape, g.shape[2:], stride, padding, dilation,
                           groups, last)
        result = product_of_units(x, g, plan)
        if last:
            return moved(result.reshape(w_shape[0], *w_shape[2:], w_shape[1]), -1, 1)
    return result.reshape(w_shape)


def product_of_planes(g, x):
    """The sum of (O, P) (P, I) over images, by the tiles of panels.py where they suit; else None.

    A panel is for those channels that are more.
    """
    planes = [a.reshape(*a.shape[:2], -1) for a in (g, x)]
    left, right = sorted(planes, key=np.size)
    images, positions, item = len(left), left.shape[2], x.itemsize
    if positions < panels.DEPTH or not panels.suits(left.shape[1], positions, right.shape[1], item,
                                                    item, images):
        return None
    each = panels.product(left, right.swapaxes(1, 2))
    result = each.sum(0) if images > 1 else each[0]
    return result if left is planes[0] else result.T


def bias_gradient(g):
    """See kernels.conv."""
    images, channels = g.shape[:2]
    if not g.size:
        return None
    if channels_last(g):
        return sum_dim(as_rows(g).reshape(-1, channels), 0, False)
    sums = sum_dim(np.ascontiguousarray(g).reshape(images * channels, -1), 1, False)
    return None if sums is None else sums.reshape(images, channels).sum(0)


class WeightPlan:
    """All that the product knows of a convolution before it sees its numbers.

    units: (first image, images, where sums go, first channel and end, first block of outputs and
    end). Those that share an image have other sums. With `last` the channels of x lie innermost;
    the sums are ordered by kernel elements, then channels, else the other way round.
    """

    def __init__(self, itemsize, x_shape, w_shape, out, stride, padding, dilation, groups, last):
        images, share, taps = x_shape[0], w_shape[1], math.prod(w_shape[2:])
        outputs, vector = w_shape[0] // groups, BYTES // itemsize
        self.wide = vector if outputs <= vector else 2 * vector
        self.blocks = -(-outputs // self.wide)
        alone = math.prod(w_shape) > MANY       # sums of all weights for each image are too many
        some = images if alone else -(-images // UNITS)
        shared = -(-UNITS // -(-images // some))
        channels = cuts(share, min(shared, share * taps // DEEP))
        parts = cuts(self.blocks, -(-shared // len(channels)))
        channels = cuts(share, min(-(-shared // len(parts)), share * taps // THIN))
        self.units = np.array([
            (n, min(some, images - n), n // some, *c, *o)
            for n in range(0, images, some) for c in channels for o in parts], np.int64)
        together = min(some, -(-STEPS // math.prod(out)))
        axes = correlation_axes(w_shape[2:], stride, padding, dilation, out)
        place = itemsize, x_shape[1], w_shape[2:], x_shape[2:], out, axes, together, last
        read = Reading(*place)
        if not read.as_given:                # planes have the channels of a unit, of a group
            read = Reading(itemsize, max(end - c for c, end in channels), *place[2:])
        alike, = read.classes
        self.sources, self.rows, self.last = alike.sources, read.rows, last
        offsets = np.add.outer(np.arange(share) * read.between * itemsize, alike.offsets)
        self.offsets = (offsets.T if last else offsets).ravel()
        self.sums = (-(-images // some), groups * self.blocks, share * taps, self.wide)
        self.numbers = np.array([groups, share, outputs, taps, read.channel, together,
                                 read.as_given, read.image, self.blocks, math.prod(out)], np.int64)


weight_plan = lru_cache(maxsize=256)(WeightPlan)


def product_of_units(x, g, plan):
    """The gradient, (outputs, channels * taps)."""
    sums = np.empty(plan.sums, x.dtype)
    if plan.last:
        x, g, run = as_rows(x), as_rows(g), weights_by_position
    else:
        x, g, run = np.ascontiguousarray(x), np.ascontiguousarray(g), weights_of_units
        x, g = x.reshape(*x.shape[:2], -1), g.reshape(*g.shape[:2], -1)
    run(plan.units, x, g, sums, plan.offsets, plan.sources, plan.rows, plan.numbers, chunk=1)
    groups, outputs = plan.numbers[0], plan.numbers[2]
    _, blocks, depth, wide = plan.sums
    result = np.empty((blocks, wide, depth), x.dtype)
    turn_back(np.arange(blocks), sums, result, chunk=1)
    return np.ascontiguousarray(result.reshape(groups, -1, depth)[:, :outputs])


# --------------------------------------------------------------------------- compiled

@routine
def room_in_lines(x, blocks, rows, wide):
    """Room for blocks of rows, whole vectors of which do not lie across lines of the cache."""
    size, vector = blocks * rows * wide, BYTES // x.itemsize
    room = np.empty(size + vector, x.dtype)
    first = -(address_of(room) // x.itemsize) % vector
    return room[first:first + size].reshape(blocks, rows, wide)


@routine
def lay_turned(g, turned, start, first, end):
    """Results' gradients (outputs, numbers) as (blocks, positions, outputs of a block)."""
    item, vector, wide, count = g.itemsize, BYTES // g.itemsize, turned.shape[2], g.shape[1]
    for block in range(first, end):
        for o in range(block * wide, min(g.shape[0], (block + 1) * wide), vector):
            for w in range(0, count, vector):
                to = address_of(turned[block, start + w]) + (o - block * wide) * item
                transpose(g.dtype.type(0), to, wide * item, address_of(g[o, w:]), count * item,
                          count - w, g.shape[0] - o)


@routine
def add_products(like, out, planes, offsets, count, sources, b, steps, two):
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
def weights_of_units(work, x: Whole, g: Whole, sums: Whole, offsets: Whole, sources: Whole,
                     rows: Whole, numbers: Whole):
    groups, share, outputs, taps = numbers[0], numbers[1], numbers[2], numbers[3]
    together, as_given, item, results = numbers[5], numbers[6], x.itemsize, g.shape[2]
    wide, zero = sums.shape[3], x.dtype.type(0)
    planes = np.zeros(0 if as_given else together * numbers[7], x.dtype)
    turned = room_in_lines(x, numbers[8], together * results + BYTES // item, wide)
    if outputs < numbers[8] * wide:     # what memory happens to hold may be subnormal, and slow
        clear(turned[numbers[8] - 1])
    for u in range(len(work)):
        begin, count, part, low, high, block, end = work[u]
        for i in range(groups):
            for b in range(block, end):
                clear(sums[part, i * numbers[8] + b, low * taps:high * taps])
        for n in range(begin, begin + count, together):
            some = min(together, begin + count - n)
            for i in range(groups):
                first = i * share + low
                base = address_of(x[n, first]) if as_given else address_of(planes)
                for k in range(some):
                    if not as_given:
                        fill(x[n + k, first:first + high - low], planes[k * numbers[7]:], rows,
                             numbers[4], 1)
                    lay_turned(g[n + k, i * outputs:(i + 1) * outputs], turned, k * results, block,
                               end)
                parts = (some * results + STEPS - 1) // STEPS
                for part_of in range(parts):
                    p = some * results * part_of // parts
                    steps = some * results * (part_of + 1) // parts - p
                    for b in range(block, end):
                        to = sums[part, i * numbers[8] + b, low * taps:]
                        add_products(zero, address_of(to), base, address_of(offsets),
                                     (high - low) * taps, address_of(sources[p:]),
                                     address_of(turned[b, p]), steps, wide * item > BYTES)


@kernel
def weights_by_position(work, x: Whole, g: Whole, sums: Whole, offsets: Whole, sources: Whole,
                        rows: Whole, numbers: Whole):
    """weights_of_units() where channels lie innermost."""
    groups, share, outputs, taps = numbers[0], numbers[1], numbers[2], numbers[3]
    together, as_given, item, results = numbers[5], numbers[6], x.itemsize, numbers[9]
    wide, zero, channels = sums.shape[3], x.dtype.type(0), x.shape[2]
    planes = np.zeros(0 if as_given else together * numbers[7], x.dtype)
    row = channels if as_given else numbers[7] // numbers[4]       # channels of a position
    lines = room_in_lines(x, numbers[8], together * results, wide)
    lines[:] = 0
    for u in range(len(work)):
        begin, count, part, low, high, block, end = work[u]
        alone = 1 if high - low == share else taps      # of elements whose sums are neighbours
        for i in range(groups):
            for b in range(block, end):
                total = sums[part, i * numbers[8] + b]
                for k in range(taps):
                    clear(total[k * share + low:k * share + high])
        for n in range(begin, begin + count, together):
            some = min(together, begin + count - n)
            for i in range(groups):
                first = i * share + low
                base = address_of(planes)
                if as_given:
                    base = address_of(x[n]) + first * item
                for k in range(some):
                    if not as_given:
                        fill_last(x[n + k].reshape(-1), planes[k * numbers[7]:], rows, channels,
                                  first, high - low, row)
                    lay_outputs(g[n + k], lines, k * results, i * outputs, outputs, block, end)
                parts = (some * results + STEPS - 1) // STEPS
                for part_of in range(parts):
                    p = some * results * part_of // parts
                    steps = some * results * (part_of + 1) // parts - p
                    for b in range(block, end):
                        total = sums[part, i * numbers[8] + b]
                        for k in range(alone):
                            at = k * share
                            add_products(zero, address_of(total[at + low]), base,
                                         address_of(offsets[at:]),
                                         (high - low) * (taps // alone), address_of(sources[p:]),
                                         address_of(lines[b, p]), steps, wide * item > BYTES)


@routine
def lay_outputs(g, lines, start, first, outputs, block, end):
    """The outputs of a group, by positions, as (blocks, positions, outputs of a block)."""
    wide, item = lines.shape[2], g.itemsize
    for b in range(block, end):
        copy_parts(g.dtype.type(0), address_of(lines[b, start]), wide * item,
                   address_of(g) + (first + b * wide) * item, g.shape[1] * item, len(g),
                   min(wide, outputs - b * wide), item)


@routine
def clear(rows):
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            rows[i, j] = 0


@kernel
def turn_back(blocks, sums: Whole, result):
    """All sums of a block added up, (rows, wide) turned to (wide, rows)."""
    zero, item, vector = sums.dtype.type(0), sums.itemsize, BYTES // sums.itemsize
    for i in range(len(blocks)):
        total, count = sums[0, blocks[i]], result.shape[2]
        for part in range(1, len(sums)):
            add_rows(total, sums[part, blocks[i]])
        for o in range(0, result.shape[1], vector):
            for k in range(0, count, vector):
                transpose_some(zero, address_of(result[i, o, k:]), count * item,
                               address_of(total[k, o:]), total.shape[1] * item, vector,
                               min(vector, count - k))


@routine
def add_rows(total, rows):
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            total[i, j] += rows[i, j]
