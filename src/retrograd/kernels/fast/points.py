"""Convolutions with an output in each lane: points of a padded image times rows of weights.

A tile is a few results' points, wherever they lie, and two vectors of outputs. For each channel and
kernel element it multiplies the numbers at the points, moved by the element's offset, and a row of
weights. So nothing is wasted however short rows are or whatever the stride is. The transpose of a
strided convolution is several convolutions of the same image, one for each residue of positions.

What tiles leave, outputs side by side for each position, is turned to channels of positions.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product

import numpy as np

from .. import conv as plain
from .compiling import Part, Whole, address_of, kernel, routine
from .planes import fill
from .tile import (
    BYTES,
    POINTS,
    ROWS,
    point_one,
    point_two,
    points_one,
    points_two,
    some_one,
    some_two,
    transpose_some,
)

BLOCK = 192        # results, at least, whose outputs are computed before they are turned
UNITS = 16         # of work: each has images of its own
FEWEST = 8         # units, where images can be shared
DEPTH = 144        # products that are summed one after the other, lest roundings add up
COPYING = 64       # products that cost a few times as much as copying an element
WORK = 1 << 14     # weights in a chunk


class Reading:
    """How results find their numbers in the padded image.

    Each axis has one class of positions or more: (first, step, count; where the first one's window
    begins in the image, distance of windows, of kernel elements; which elements these are). Classes
    of positions are all combinations: (sources begin, their number, offsets begin, their number).
    The sources of `together` images follow on each other, that are `apart` channels apart.
    """

    def __init__(self, itemsize, channels, apart, kernel, space, out, axes, together):
        self.out, self.results = out, math.prod(out)
        self.low = [max(0, *(-c[3] for c in axis)) for axis in axes]
        self.space = [max(low + n, *(low + c[3] + (c[2] - 1) * c[4] + (len(c[6]) - 1) * c[5] + 1
                                     for c in axis))
                      for axis, n, low in zip(axes, space, self.low, strict=True)]
        self.as_given = tuple(self.space) == tuple(space)
        self.channel, self.together = math.prod(self.space), together
        self.image = apart * self.channel
        self.rows = self.rows_of(space)
        self.numbers = np.arange(math.prod(kernel)).reshape(kernel)
        found = [self.find(*zip(*alike, strict=True), itemsize, channels)
                 for alike in product(*axes)]
        sources, places, offsets, self.taps = zip(*found, strict=True)
        self.classes = np.stack([f(a.size for a in arrays) for arrays in (sources, offsets)
                                 for f in (starts_of, sizes_of)], 1)
        self.sources, self.places, self.offsets = map(np.concatenate, (sources, places, offsets))

    def find(self, first, step, count, begin, hop, spacing, elements, itemsize, channels):
        """Sources (in bytes), places, offsets (in bytes) and taps of a class of positions."""
        begin = [b + low for b, low in zip(begin, self.low, strict=True)]
        images = np.arange(self.together)
        source = np.add.outer(images * self.image, flat(count, begin, hop, self.space)).ravel()
        place = np.add.outer(images * self.results, flat(count, first, step, self.out)).ravel()
        taps = flat([len(e) for e in elements], [0] * len(count), spacing, self.space)
        offsets = np.add.outer(np.arange(channels) * self.channel, taps).ravel()
        return (source * itemsize, place, offsets * itemsize,
                self.numbers[np.ix_(*elements)].ravel())

    def rows_of(self, space):
        """(source, place, length) of the rows of a channel."""
        lengths = space[:-1] if len(space) > 1 else (1,)
        source = np.arange(math.prod(lengths)) * space[-1]
        low = self.low if len(space) > 1 else [0, *self.low]
        ends = self.space if len(space) > 1 else [1, *self.space]
        place = flat(lengths, low[:-1], [1] * len(lengths), ends[:-1]) * ends[-1] + low[-1]
        return np.stack([source, place, np.full(len(source), space[-1])], 1)


def starts_of(sizes):
    return np.cumsum([0, *sizes])[:-1]


def sizes_of(sizes):
    return np.array(list(sizes))


def flat(counts, first, step, space):
    """Flat indices into `space` of a grid: so many along each axis, from `first` by `step`."""
    total = np.zeros((1,), np.int64)
    for n, f, s, size in zip(counts, first, step, space, strict=True):
        total = (total[:, None] * size + f + np.arange(n) * s).ravel()
    return total


reading = lru_cache(maxsize=256)(Reading)


def correlation_axes(kernel, stride, padding, dilation, out):
    return tuple(((0, 1, m, -p, s, d, tuple(range(k))),) for k, s, p, d, m in zip(
        kernel, stride, padding, dilation, out, strict=True))


@lru_cache(maxsize=256)
def spread_axes(kernel, stride, padding, dilation, out):
    """The axes of a transpose; None if some position meets no kernel element."""
    axes = []
    for k, s, p, d, m in zip(kernel, stride, padding, dilation, out, strict=True):
        axis = []
        for positions, elements, begin, spacing in plain.residues(k, s, p, d):
            count = len(range(m)[positions])
            if count and elements is None:
                return None
            if count:
                axis.append((positions.start, s, count, -begin, 1, spacing,
                             tuple(range(k)[elements])))
        axes.append(tuple(axis))
    return tuple(axes)


def write_points(x, w, y, axes, b, steps, shape):
    """y = the correlation of x with w along `axes`, plus b.

    steps: from group to group, output to output and channel to channel of w; shape: (groups,
    outputs of a group, channels of a group).
    """
    x = np.ascontiguousarray(x)
    groups, outputs, channels = shape
    results = math.prod(y.shape[2:])
    together = min(-(-BLOCK // results), -(-len(x) // FEWEST))
    read = reading(x.itemsize, channels, groups * channels, w.shape[2:], x.shape[2:], y.shape[2:],
                   axes, together)
    lanes = BYTES // x.itemsize
    width = -(-outputs // lanes) * lanes
    bias = np.zeros((groups, width), x.dtype)
    if b is not None:
        bias[:, :outputs] = b.reshape(groups, outputs)
    rows, begins = rows_of_weights(w, read, steps, shape, width)
    block = together * results if len(read.classes) > 1 else max(BLOCK, POINTS)
    work = 1 << 40 if read.as_given else outputs * len(read.numbers.ravel())
    units = shares(len(x), together, -(-together * results // block), work)
    planes = np.zeros((len(units), 1 if read.as_given else together * read.image), x.dtype)
    lines = np.empty((len(units), block + lanes, width), x.dtype)
    numbers = np.array([outputs, channels, read.channel, together, block, read.as_given, read.image,
                        len(rows) // groups], np.int64)
    points_of_units(units, x.reshape(*x.shape[:2], -1), y.reshape(*y.shape[:2], -1), planes, lines,
                    rows, bias, read.sources, read.places, read.offsets,
                    np.column_stack([read.classes, begins]), read.rows, numbers, chunk=1)


def rows_of_weights(w, read, steps, shape, width):
    """Rows for tiles, all in one array: groups, classes, vectors of outputs, elements, outputs.

    And where each class begins in a group's share.
    """
    groups, outputs, channels = shape
    flat_w, lanes = np.ascontiguousarray(w).reshape(-1), BYTES // w.itemsize
    depths = [channels * len(taps) for taps in read.taps]
    begins = starts_of(depths) * width
    rows = np.zeros(groups * sum(depths) * width, w.dtype)
    jobs, elements = [], np.concatenate(read.taps)
    firsts = starts_of(map(len, read.taps))
    for depth, begin, first, taps in zip(depths, begins, firsts, read.taps, strict=True):
        for g in range(groups):
            for o in range(0, outputs, 2 * lanes):
                wide = min(2 * lanes, width - o)
                jobs.append((g * sum(depths) * width + begin + o * depth,
                             g * steps[0] + o * steps[1], wide, min(wide, outputs - o), first,
                             len(taps)))
    order = in_order(read.taps)
    if order == 1 and steps[2] == len(elements):     # channels follow on each other like taps
        jobs, channels = [(*job[:-1], depths[0]) for job in jobs], 1
    lay_rows(np.array(jobs, np.int64), flat_w, rows, elements,
             np.array([*steps, channels, order], np.int64),
             chunk=max(1, WORK // (max(depths) * 16)))
    return rows, begins


def in_order(taps):
    """1 if there is one class, whose elements are all of a kernel's; -1 if in reverse; else 0."""
    if len(taps) > 1:
        return 0
    every = np.arange(len(taps[0]))
    return 1 if (taps[0] == every).all() else -1 if (taps[0] == every[::-1]).all() else 0


def shares(images, together, blocks, work):
    """Units of work: (first image, images, first block, end of blocks).

    An image is not shared by so many that each had little to do besides copying it: work is the
    number of products for each of its elements.
    """
    count = -(-images // UNITS // together) * together
    parts = min(blocks, -(-FEWEST // -(-images // count)), max(1, work // COPYING))
    cuts = [blocks * i // parts for i in range(parts + 1)]
    return np.array([(n, min(count, images - n), cuts[i], cuts[i + 1])
                     for n in range(0, images, count) for i in range(parts)], np.int64)


# --------------------------------------------------------------------------- compiled

@kernel
def lay_rows(jobs, w: Whole, rows: Whole, taps: Whole, numbers: Whole):
    """Weights of a few outputs as rows: for each channel and tap, an output in each place."""
    along, across, channels, order = numbers[1], numbers[2], numbers[3], numbers[4]
    for j in range(len(jobs)):
        at, start, wide, count, first, number = jobs[j]
        for c in range(channels):
            if order != 0:
                turn_taps(rows, at, wide * order, w, start + c * across, along, number, count)
                at += number * wide
                continue
            for t in range(first, first + number):
                source = start + c * across + taps[t]
                for o in range(count):
                    rows[at + o] = w[source + o * along]
                at += wide


@routine
def turn_taps(rows, at, step, w, start, along, number, count):
    """A channel's weights, `number` of each of `count` outputs, as rows of outputs."""
    item, vector = w.itemsize, BYTES // w.itemsize
    if step < 0:
        at -= (number - 1) * step
    for t in range(0, number, vector):
        for o in range(0, count, vector):
            transpose_some(w.dtype.type(0), address_of(rows) + (at + t * step + o) * item,
                           step * item, address_of(w) + (start + t + o * along) * item,
                           along * item, min(vector, number - t), min(vector, count - o))


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
        else:
            if two:
                point_two(like, out, step, to, start, pitch, planes, source, offsets, rows, depth)
            else:
                point_one(like, out, step, to, start, pitch, planes, source, offsets, rows, depth)
            r += 1


@routine
def block_of_results(lines, begin, end, share, planes, bias, rows, sources, places, offsets,
                     classes):
    """Lines of outputs for the results `begin` to `end` of each class.

    share: the part of each class's results, as (of how many images, how many there are).
    """
    zero, item, width = lines.dtype.type(0), lines.itemsize, lines.shape[1]
    step, wide = width * item, 2 * BYTES
    for c in range(len(classes)):
        first, depth = classes[c, 0], classes[c, 3]
        at = address_of(offsets) + classes[c, 2] * 8
        stop = min(end, classes[c, 1] // share[0] * share[1])
        out = address_of(lines) - begin * step
        parts = (depth + DEPTH - 1) // DEPTH
        for o in range(0, step, wide):
            row, panel = min(wide, step - o), rows + classes[c, 4] * item + o * depth
            for part in range(parts):
                k = depth * part // parts
                start, pitch = (out + o, step) if part else (address_of(bias) + o, 0)
                tiles_of_points(zero, out + o, step, address_of(places) + (first + begin) * 8,
                                stop - begin, start, pitch, planes,
                                address_of(sources) + (first + begin) * 8, at + k * 8,
                                panel + k * row, depth * (part + 1) // parts - k,
                                step - o > BYTES)


@routine
def turn_results(y, first, outputs, lines, begin, end):
    """Lines of outputs, of results `begin` to `end` of several images, to channels of y."""
    item, vector, results = y.itemsize, BYTES // y.itemsize, y.shape[2]
    step = lines.shape[1] * item
    for o in range(0, outputs, vector):
        p = begin
        while p < end:
            n, at = p // results, p % results
            width = min(vector, end - p, results - at)
            transpose_some(y.dtype.type(0), address_of(y[n, first + o, at:]), results * item,
                           address_of(lines[p - begin, o:]), step, min(vector, outputs - o),
                           width)
            p += width


@kernel
def points_of_units(work, x: Whole, y: Whole, planes: Part, lines: Part, rows: Whole, bias: Whole,
                    sources: Whole, places: Whole, offsets: Whole, classes: Whole,
                    image_rows: Whole, numbers: Whole):
    outputs, channels, channel, together = numbers[0], numbers[1], numbers[2], numbers[3]
    block, as_given, item = numbers[4], numbers[5], x.itemsize
    for u in range(len(work)):
        first, count = work[u, 0], work[u, 1]
        for n in range(first, first + count, together):
            images = min(together, first + count - n)
            base = address_of(x[n]) if as_given else address_of(planes)
            if not as_given:
                for i in range(images):
                    fill(x[n + i], planes[i * numbers[6]:], image_rows, channel, 1)
            for g in range(len(bias)):
                source = base + g * channels * channel * item
                weights = address_of(rows) + g * numbers[7] * item
                for b in range(work[u, 2], work[u, 3]):
                    begin, end = b * block, min((b + 1) * block, images * y.shape[2])
                    if begin < end:
                        block_of_results(lines, begin, end, (together, images), source, bias[g],
                                         weights, sources, places, offsets, classes)
                        turn_results(y[n:], g * outputs, outputs, lines, begin, end)
