"""Convolutions with an output in each lane: points of a padded image times rows of weights.

A tile is a few results' points, wherever they lie, and two vectors of outputs. For each channel and
kernel element it multiplies the numbers at the points, moved by the element's offset, and a row of
weights. So nothing is wasted however short rows are or whatever the stride is. Where the points
and the rows are, `readings.py` says.

What tiles leave, outputs side by side for each position, is turned to channels of positions.
"""

from __future__ import annotations

import numpy as np

from ..blocks import aligned
from .compiling import Whole, address_of, kernel, routine
from .planes import fill
from .readings import at_once
from .tile import (
    BYTES,
    POINTS,
    ROWS,
    pair_one,
    pair_two,
    point_one,
    point_two,
    points_one,
    points_two,
    some_one,
    some_two,
    transpose_some,
    transpose_to,
)


def write_points(x, w, y, b, plan):
    """y = the correlation of x with w that is planned, plus b."""
    x, w = np.ascontiguousarray(x), np.ascontiguousarray(w)
    groups = w.size // (plan.numbers[0] * plan.numbers[1] * plan.taps)
    bias = np.zeros((groups, plan.width), x.dtype)
    if b is not None:
        bias[:, :plan.numbers[0]] = b.reshape(groups, -1)
    rows = aligned((plan.numbers[6] * bias.size,), x.dtype)
    lay_rows(plan.jobs, w.reshape(-1), rows, plan.targets, plan.laying, chunk=plan.chunk)
    points_of_units(plan.units, x.reshape(*x.shape[:2], -1), y.reshape(*y.shape[:2], -1), rows,
                    bias, plan.sources, plan.places, plan.cuts, plan.classes, plan.pieces,
                    plan.offsets, plan.rows, plan.numbers, chunk=at_once(plan.units))


# --------------------------------------------------------------------------- compiled

@kernel
def lay_rows(jobs, w: Whole, rows: Whole, targets: Whole, numbers: Whole):
    """Weights of a few outputs as rows: for each kernel element and channel, one in each place."""
    along, across, taps, deep = numbers[0], numbers[1], numbers[2], numbers[3]
    zero, item, vector = w.dtype.type(0), w.itemsize, BYTES // w.itemsize
    for j in range(len(jobs)):
        at, start, wide, count, channels = jobs[j]
        table = address_of(targets[0 if channels == deep else 1])
        number = taps
        if across == taps:          # elements follow on each other from channel to channel
            number, channels = taps * channels, 1
        for c in range(channels):
            for o in range(0, wide, vector):
                for k in range(0, number, vector):
                    transpose_to(zero, address_of(rows) + (at + c * wide + o) * item,
                                 wide * item, table + k * 8,
                                 address_of(w) + (start + c * across + k + o * along) * item,
                                 along * item, min(vector, number - k), min(vector, count - o))


@routine
def tiles_of_points(like, out, step, places, count, start, pitch, planes, sources, offsets, rows,
                    depth, two):
    """Outputs, one vector or two, of `count` results: those of start, and `depth` products more."""
    r = 0
    while r < count:
        to, source = places + r * 8, sources + r * 8
        if count - r >= POINTS:
            if two:
                points_two(like, out, step, to, start, pitch, planes, source, offsets, rows, depth)
            else:
                points_one(like, out, step, to, start, pitch, planes, source, offsets, rows, depth)
            r += POINTS
        elif count - r >= ROWS:
            if two:
                some_two(like, out, step, to, start, pitch, planes, source, offsets, rows, depth)
            else:
                some_one(like, out, step, to, start, pitch, planes, source, offsets, rows, depth)
            r += ROWS
        elif count - r >= 2:
            if two:
                pair_two(like, out, step, to, start, pitch, planes, source, offsets, rows, depth)
            else:
                pair_one(like, out, step, to, start, pitch, planes, source, offsets, rows, depth)
            r += 2
        else:
            if two:
                point_two(like, out, step, to, start, pitch, planes, source, offsets, rows, depth)
            else:
                point_one(like, out, step, to, start, pitch, planes, source, offsets, rows, depth)
            r += 1


@routine
def block_of_results(lines, block, images, planes, bias, rows, sources, places, cuts, classes,
                     pieces, offsets, numbers, low, high):
    """Lines of the outputs from low to high for the results of a block, of some images."""
    zero, item, width, channels, deep = (lines.dtype.type(0), lines.itemsize, lines.shape[1],
                                         numbers[1], numbers[7])
    depth, step = numbers[6], width * item
    out = address_of(lines) - block * numbers[8] * step
    for o in range(low * item, high * item, 2 * BYTES):
        wide = min(2 * BYTES, step - o)
        for c in range(0, channels, deep):
            some = min(deep, channels - c)
            panel = rows + o * depth + c * (depth // channels) * wide
            plane = planes + c * numbers[2] * item
            for k in range(classes.shape[1]):
                source, count, piece, end = classes[0 if some == deep else 1, k]
                first = source + cuts[k, block]
                stop = source + min(cuts[k, block + 1], count * images)
                if first >= stop:
                    continue
                for p in range(piece, end):
                    start, pitch = (out + o, step) if c or p > piece else (address_of(bias) + o, 0)
                    tiles_of_points(zero, out + o, step, address_of(places) + first * 8,
                                    stop - first, start, pitch, plane,
                                    address_of(sources) + first * 8,
                                    address_of(offsets) + pieces[p, 0] * 8,
                                    panel + pieces[p, 1] * wide, pieces[p, 2], wide > BYTES)


@routine
def turn_results(y, first, low, high, lines, begin, end):
    """Lines of outputs, those from low to high of results `begin` to `end` of several images, to
    channels of y."""
    item, vector, results = y.itemsize, BYTES // y.itemsize, y.shape[2]
    step = lines.shape[1] * item
    for o in range(low, high, vector):
        p = begin
        while p < end:
            n, at = p // results, p % results
            width = min(vector, end - p, results - at)
            transpose_some(y.dtype.type(0), address_of(y[n, first + o, at:]), results * item,
                           address_of(lines[p - begin, o:]), step, min(vector, high - o), width)
            p += width


@routine
def is_filled(work, u, together):
    """Whether the unit before had the images that unit u reads, and left the planes filled."""
    return u > 0 and work[u, 1] <= together and work[u - 1, 0] == work[u, 0]


@kernel
def points_of_units(work, x: Whole, y: Whole, rows: Whole, bias: Whole, sources: Whole,
                    places: Whole, cuts: Whole, classes: Whole, pieces: Whole, offsets: Whole,
                    image_rows: Whole, numbers: Whole):
    outputs, channels, channel, together = numbers[0], numbers[1], numbers[2], numbers[3]
    as_given, image, item = numbers[4], numbers[5], x.itemsize
    planes = np.zeros(0 if as_given else together * image, x.dtype)
    lines, block = np.empty((numbers[8] + BYTES // item, bias.shape[1]), x.dtype), numbers[8]
    for u in range(len(work)):
        first, count, _, _, low, high, top, bottom = work[u]
        for n in range(first, first + count, together):
            images = min(together, first + count - n)
            base = address_of(x[n]) if as_given else address_of(planes)
            if not (as_given or is_filled(work, u, together) and work[u - 1, 6] == top):
                for i in range(images):
                    fill(x[n + i], planes[i * image:], image_rows[top:bottom], channel, 1)
            for g in range(len(bias)):
                source = base + g * channels * channel * item
                weights = address_of(rows) + g * bias.shape[1] * numbers[6] * item
                for b in range(work[u, 2], work[u, 3]):
                    begin, end = b * block, min((b + 1) * block, images * y.shape[2])
                    if begin < end:
                        block_of_results(lines, b, images, source, bias[g], weights, sources,
                                         places, cuts, classes, pieces, offsets, numbers, low,
                                         high)
                        turn_results(y[n:], g * outputs, low, min(high, outputs), lines, begin,
                                     end)
