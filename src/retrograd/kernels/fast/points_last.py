"""Convolutions of images whose channels lie innermost in memory: the points of points.py.

There a kernel element meets neighbouring numbers for all channels, and the outputs of a position
are a row of the result: nothing is turned. The gradient of the weights sums, for vectors of
outputs, over positions.
"""

from __future__ import annotations

import numpy as np

from ..blocks import aligned
from ..layout import as_rows
from .compiling import Whole, address_of, kernel, routine
from .points import block_of_results, is_filled, lay_rows
from .readings import at_once
from .tile import BYTES, copy_some, transpose_to


def write_points_last(x, w, y, b, plan):
    """y = the correlation of x with w that is planned, plus b; x and y lie by positions."""
    groups = w.size // (plan.numbers[0] * plan.numbers[1] * plan.taps)
    bias = np.zeros((groups, plan.width), x.dtype)
    if b is not None:
        bias[:, :plan.numbers[0]] = b.reshape(groups, -1)
    rows = aligned((plan.numbers[6] * bias.size,), x.dtype)
    rows[...] = 0
    if plan.laying[4] > 1:              # those of w lie innermost, too
        w, lay = as_rows(w), lay_rows_last
    else:
        w, lay = np.ascontiguousarray(w), lay_rows
    lay(plan.jobs, w.reshape(-1), rows, plan.targets, plan.laying, chunk=plan.chunk)
    points_by_position(plan.units, as_rows(x).reshape(len(x), -1), as_rows(y).reshape(len(y), -1),
                       rows, bias, plan.sources, plan.places, plan.cuts, plan.classes, plan.pieces,
                       plan.offsets, plan.rows, plan.numbers, chunk=at_once(plan.units))


# --------------------------------------------------------------------------- compiled

@kernel
def lay_rows_last(jobs, w: Whole, rows: Whole, targets: Whole, numbers: Whole):
    """lay_rows() for weights whose channels lie innermost, in a correlation or in its transpose
    (whose outputs are these channels)."""
    along, across, taps, deep, element = (numbers[0], numbers[1], numbers[2], numbers[3],
                                          numbers[4])
    zero, item, vector = w.dtype.type(0), w.itemsize, BYTES // w.itemsize
    for j in range(len(jobs)):
        at, start, wide, count, channels = jobs[j]
        table, times = targets[0 if channels == deep else 1], taps
        if along == 1:
            for k in range(taps):
                for c in range(channels):
                    copy_row(rows, at + table[k * channels + c] * wide, w,
                             start + k * element + c * across, count)
            continue
        if channels == element:     # channels follow on each other from element to element
            times, channels = 1, taps * channels
        for k in range(times):
            for o in range(0, wide, vector):
                for c in range(0, channels, vector):
                    transpose_to(zero, address_of(rows) + (at + o) * item, wide * item,
                                 address_of(table[k * channels + c:]),
                                 address_of(w) + (start + k * element + c + o * along) * item,
                                 along * item, min(vector, channels - c), min(vector, count - o))


@routine
def copy_row(into, at, source, start, count):
    target, line = into[at:at + count], source[start:start + count]
    for i in range(count):
        target[i] = line[i]


@routine
def copy_parts(like, to, step, source, distance, count, width, item):
    """`count` rows of `width` numbers, `distance` apart, to rows `step` apart: addresses, bytes."""
    vector = BYTES // item
    tail = width % vector
    for o in range(0, width - tail, vector):
        for p in range(count):
            copy_some(like, to + p * step + o * item, source + p * distance + o * item, like,
                      vector)
    if tail:
        o = width - tail
        for p in range(count):
            copy_some(like, to + p * step + o * item, source + p * distance + o * item, like, tail)


@routine
def fill_last(x, planes, rows, channels, first, count, row):
    """Copy `count` channels, `first` and on, of an image by positions of so many channels into a
    padded one, whose positions lie `row` apart; the padding stays as it is."""
    for r in range(len(rows)):
        source, place, length = rows[r]
        if count == channels:
            copy_row(planes, place * row, x, source * channels, length * count)
        else:
            item = x.itemsize
            copy_parts(x.dtype.type(0), address_of(planes) + place * row * item, row * item,
                       address_of(x) + (source * channels + first) * item, channels * item, length,
                       count, item)


@kernel
def points_by_position(work, x: Whole, y: Whole, rows: Whole, bias: Whole, sources: Whole,
                       places: Whole, cuts: Whole, classes: Whole, pieces: Whole, offsets: Whole,
                       image_rows: Whole, numbers: Whole):
    outputs, channels, together = numbers[0], numbers[1], numbers[3]
    as_given, image, results, all_channels = numbers[4], numbers[5], numbers[9], numbers[10]
    zero, item, block, row = x.dtype.type(0), x.itemsize, numbers[8], len(bias) * outputs
    planes = np.zeros(0 if as_given else together * image, x.dtype)
    lines = np.empty((block + BYTES // item, bias.shape[1]), x.dtype)
    for u in range(len(work)):
        first, count, _, _, low, high, top, bottom = work[u]
        for n in range(first, first + count, together):
            images = min(together, first + count - n)
            base = address_of(x[n]) if as_given else address_of(planes)
            if not (as_given or is_filled(work, u, together) and work[u - 1, 6] == top):
                for i in range(images):
                    fill_last(x[n + i], planes[i * image:], image_rows[top:bottom], all_channels,
                              0, all_channels, all_channels)
            for g in range(len(bias)):
                weights = address_of(rows) + g * bias.shape[1] * numbers[6] * item
                for b in range(work[u, 2], work[u, 3]):
                    begin, end = b * block, min((b + 1) * block, images * results)
                    if begin < end:
                        block_of_results(lines, b, images, base + g * channels * item, bias[g],
                                         weights, sources, places, cuts, classes, pieces, offsets,
                                         numbers, low, high)
                        to = address_of(y[n]) + (begin * row + g * outputs + low) * item
                        copy_parts(zero, to, row * item, address_of(lines) + low * item,
                                   lines.shape[1] * item, end - begin, min(high, outputs) - low,
                                   item)
