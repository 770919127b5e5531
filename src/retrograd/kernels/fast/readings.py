"""Where each result of a convolution reads its numbers, and which unit of work computes it.

The positions along an axis fall into classes that meet the same kernel elements: the residues of a
transposed convolution's positions to the stride, or the positions near a border, which leave out
the products with padding. The classes of an image are all combinations of those of its axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import accumulate, pairwise, product
from typing import NamedTuple

import numpy as np

from .. import conv as plain
from .. import fast
from .tile import POINTS

BLOCK = 192        # results, about, whose outputs are computed before they are turned
UNITS = 16         # of work: each has images of its own
FEWEST = 8         # units, where images can be shared
COPYING = 64       # products that cost a few times as much as copying an element
DEPTH = 144        # products that are summed one after the other, lest roundings add up
TOGETHER = 4 * DEPTH        # products with the weights of a block of channels
WORK = 1 << 14     # weights in a chunk
HEAVY = 1 << 20    # bytes of a group's weights: too many to be read again for each small image
BORDERS = 0.95     # of the time: classes for borders pay where no more is left,
DEEP = 16          # and as many channels or more
CLASSES = 64       # of an image, about: each adds 0.1 ms to the plan
# What is left of a class's positions when tiles are full takes as long as so many in a full one
REST = (0, 3, 3.5, 6.5, 4.5, 7.5, 8, 11)


@dataclass(frozen=True)
class Axis:
    """A class of positions along an axis.

    They are first, first + step ... Their windows begin at begin, begin + hop ... in the image, and
    have these elements of the kernel, `spacing` apart.
    """

    first: int
    step: int
    count: int
    begin: int
    hop: int
    spacing: int
    elements: tuple

    def end(self):
        """Where the last window ends."""
        window = (len(self.elements) - 1) * self.spacing + 1
        return self.begin + (self.count - 1) * self.hop + window

    def within(self, size, most=math.inf):
        """The parts of this class whose windows have the same elements within the image; where
        these are more than `most`, neighbours are joined, which adds products with padding."""
        at, taps = self.begin + np.arange(self.count) * self.hop, len(self.elements)
        low = np.clip(-(at // self.spacing), 0, taps)
        high = np.clip((size - 1 - at) // self.spacing + 1, 0, taps)
        starts = np.flatnonzero(np.diff(low, prepend=-1) | np.diff(high, prepend=-1)).tolist()
        bands = list(pairwise([*starts, self.count]))

        def products(i, end):
            return (end - i) * (high[i] - low[end - 1])       # both fall along the axis
        while len(bands) > most:
            added = [products(i, end) - products(i, middle) - products(middle, end)
                     for (i, middle), (_, end) in pairwise(bands)]
            k = added.index(min(added))
            bands[k:k + 2] = [(bands[k][0], bands[k + 1][1])]
        return tuple(Axis(self.first + i * self.step, self.step, end - i,
                          int(at[i] + low[end - 1] * self.spacing), self.hop, self.spacing,
                          self.elements[low[end - 1]:high[i]])
                     for i, end in bands)


def correlation_axes(kernel, stride, padding, dilation, out):
    return [(Axis(0, 1, m, -p, s, d, tuple(range(k))),) for k, s, p, d, m in zip(
        kernel, stride, padding, dilation, out, strict=True)]


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
                axis.append(Axis(positions.start, s, count, -begin, 1, spacing,
                                 tuple(range(k)[elements])))
        axes.append(tuple(axis))
    return axes


def without_borders(axes, space, channels, images):
    """The axes with classes for the borders of an image, as many as take the least time, where that
    saves enough; so many images are computed together."""
    if channels < DEEP or any(len(axis) > 1 for axis in axes):
        return axes
    most = int(CLASSES ** (1 / len(axes)) + 0.5)
    parts = [axis[0].within(n, most) for axis, n in zip(axes, space, strict=True)]
    if not all(c.elements for p in parts for c in p):
        return axes
    numbers = {max(map(len, parts)) // 2, 3} - {0}
    choices = [parts, *([axis[0].within(n, few) for axis, n in zip(axes, space, strict=True)]
                        for few in numbers)]
    best = min(choices, key=lambda choice: time_of(choice, images))
    return best if time_of(best, images) <= BORDERS * time_of(axes, images) else axes


def time_of(axes, images):
    """What the tiles of all classes take, in products of full tiles."""
    return sum(math.prod(len(c.elements) for c in alike)
               * time_of_tiles(images * math.prod(c.count for c in alike))
               for alike in product(*axes))


def time_of_tiles(positions):
    full, rest = divmod(positions, POINTS)
    return full * POINTS + REST[rest]


class Class(NamedTuple):
    """Positions of an image: where their windows begin (in bytes), the places of their results,
    and of the elements of their windows the offsets (in bytes) and which these are."""

    sources: np.ndarray
    places: np.ndarray
    offsets: np.ndarray
    taps: np.ndarray


class Reading:
    """Padded images, and the classes of positions that read them.

    The positions of `together` images follow on each other, that are `apart` channels apart.
    rows: (source, place, length) of a channel's rows. Neighbouring positions are `step` numbers
    apart, channels `between`; with `last` the channels of a position lie side by side.
    """

    def __init__(self, itemsize, apart, kernel, space, out, axes, together, last=False):
        self.low = [max(0, *(-c.begin for c in axis)) for axis in axes]
        self.space = [max(low + n, *(low + c.end() for c in axis))
                      for axis, n, low in zip(axes, space, self.low, strict=True)]
        self.as_given = tuple(self.space) == tuple(space)
        self.channel, self.together = math.prod(self.space), together
        self.image, self.results = apart * self.channel, math.prod(out)
        self.step, self.between = (apart, 1) if last else (1, self.channel)
        self.rows = self.rows_of(space)
        numbers = np.arange(math.prod(kernel)).reshape(kernel)
        self.classes = [self.find(alike, out, itemsize, numbers) for alike in product(*axes)]

    def find(self, axes, out, itemsize, numbers):
        images, counts = np.arange(self.together), [a.count for a in axes]
        begins = [a.begin + low for a, low in zip(axes, self.low, strict=True)]
        source = flat(counts, begins, [a.hop for a in axes], self.space)
        place = flat(counts, [a.first for a in axes], [a.step for a in axes], out)
        sizes, zeros = [len(a.elements) for a in axes], [0] * len(axes)
        offsets = flat(sizes, zeros, [a.spacing for a in axes], self.space)
        return Class(np.add.outer(images * self.image, source * self.step).ravel() * itemsize,
                     np.add.outer(images * self.results, place).ravel(),
                     offsets * self.step * itemsize,
                     numbers[np.ix_(*(a.elements for a in axes))].ravel())

    def rows_read(self, first, end, unit):
        """The rows, or parts of them, that an image's results from `first` to `end` read; numbers
        that are neighbours in a row lie `unit` bytes apart."""
        low, high = [], []
        for c in self.classes:
            sources = c.sources[slice(*np.searchsorted(c.places, (first, end)))]
            if sources.size:
                low.append(sources.min() + c.offsets.min())
                high.append(sources.max() + c.offsets.max())
        source, place, length = self.rows.T
        begin = np.maximum(place, min(low) // unit)
        length = np.minimum(place + length, max(high) // unit + 1) - begin
        return np.stack([source + begin - place, begin, length], 1)[length > 0]

    def rows_of(self, space):
        lengths = space[:-1] if len(space) > 1 else (1,)
        source = np.arange(math.prod(lengths)) * space[-1]
        low = self.low if len(space) > 1 else [0, *self.low]
        ends = self.space if len(space) > 1 else [1, *self.space]
        place = flat(lengths, low[:-1], [1] * len(lengths), ends[:-1]) * ends[-1] + low[-1]
        return np.stack([source, place, np.full(len(source), space[-1])], 1)


def flat(counts, first, step, space):
    """Flat indices into `space` of a grid: so many along each axis, from `first` by `step`."""
    total = np.zeros((1,), np.int64)
    for n, f, s, size in zip(counts, first, step, space, strict=True):
        total = (total[:, None] * size + f + np.arange(n) * s).ravel()
    return total


def cuts(count, parts):
    """(start, end) of `parts` parts, or as many as there can be; one at least."""
    parts = max(1, min(count, parts))
    return list(pairwise(count * i // parts for i in range(parts + 1)))


def shares_of_outputs(images, blocks, width, wide):
    """Units of work as of `shares` that have all images and `wide` outputs each, or some such."""
    count = -(-width // wide)
    parts = min(count, FEWEST)
    return np.array([(0, images, 0, blocks, begin * wide, min(width, end * wide))
                     for begin, end in cuts(count, parts)], np.int64)


def shares(images, together, blocks, work):
    """Units of work: (first image, images, first block, end of blocks).

    An image is not shared by so many units that each would do little more than copy it: work is the
    number of products for each of its elements.
    """
    count = -(-images // UNITS // together) * together
    parts = min(blocks, -(-FEWEST // -(-images // count)), max(1, work // COPYING))
    return np.array([(n, min(count, images - n), *ends)
                     for n in range(0, images, count) for ends in cuts(blocks, parts)], np.int64)


def at_once(units):
    """Units in a chunk: where there is one thread, those of an image, which is then copied once."""
    return max(1, int((units[:, 0] == units[0, 0]).sum())) if fast.threads == 1 else 1


class Plan:
    """All that `write_points` knows of a convolution before it sees its numbers.

    steps: in the weights, from group to group, output, channel and kernel element.
    The weights of a group lie as rows: by panels of outputs, blocks of `deep` channels, elements of
    the kernel in some order, channels. A class of positions reads them by pieces, runs of rows:
    (first offset, first row, how many). classes has, for whole blocks of channels and for the last:
    (first source, sources of an image, first piece, end of pieces). Results are computed in blocks;
    of a class's sources, cuts says which belong to each. units: (first image, images, first block,
    end of blocks, first output, end of outputs, first of the image's rows, end of rows).
    """

    def __init__(self, itemsize, lanes, shape, steps, images, kernel, space, out, axes, last):
        groups, outputs, channels = shape
        self.taps, results = math.prod(kernel), math.prod(out)
        self.width, wide = -(-outputs // lanes) * lanes, 2 * lanes
        heavy = results < BLOCK and outputs * channels * self.taps * itemsize > HEAVY
        self.together = min(-(-BLOCK // results), images if heavy else -(-images // FEWEST))
        axes = without_borders(axes, space, channels, self.together)
        read = Reading(itemsize, groups * channels, kernel, space, out, axes, self.together, last)
        blocks = max(1, round(self.together * results / BLOCK))
        block = -(-self.together * results // (blocks * lanes)) * lanes     # whole vectors of them
        blocks = -(-self.together * results // block)
        if heavy:
            self.units = shares_of_outputs(images, blocks, self.width, wide)
        else:
            work = 1 << 40 if read.as_given else outputs * self.taps
            units = shares(images, self.together, blocks, work)
            self.units = np.insert(units, [4, 4], (0, self.width), axis=1)
        self.lay_rows_read(read, block, itemsize * read.step)
        mean = sum(c.places.size * c.taps.size for c in read.classes) // (self.together * results)
        together = TOGETHER if results < BLOCK else DEPTH     # planes of few channels stay near
        deep = -(-channels // -(-channels * mean // together))
        self.numbers = np.array([outputs, channels, read.between, self.together, read.as_given,
                                 read.image, channels * self.taps, deep, block, results,
                                 read.step], np.int64)
        self.sources, self.places = (np.concatenate([getattr(c, name) for c in read.classes])
                                     for name in ("sources", "places"))
        ends = np.arange(blocks + 1) * block
        self.cuts = np.stack([np.searchsorted(c.places, ends) for c in read.classes])
        self.lay_pieces(read, (deep, channels % deep or deep), itemsize, steps[3] > 1)
        self.jobs = self.blocks_of_weights(shape, steps, wide, deep)
        self.laying = np.array([*steps[1:3], self.taps, deep, steps[3]], np.int64)
        self.chunk = max(1, WORK // (wide * deep * self.taps))

    def lay_rows_read(self, read, block, unit):
        """The rows that units of work copy, and for each unit which: those that it reads, if it may
        have a part of an image."""
        whole, parts, rows = self.together > 1 or read.as_given, self.units[:, 2:4].tolist(), {}
        for first, end in map(tuple, parts):
            if (first, end) not in rows:
                rows[first, end] = (read.rows if whole
                                    else read.rows_read(first * block, end * block, unit))
        ends = dict(zip(rows, accumulate(map(len, rows.values())), strict=True))
        spans = [(ends[part] - len(rows[part]), ends[part]) for part in map(tuple, parts)]
        self.rows = np.concatenate(list(rows.values()))
        self.units = np.column_stack([self.units, spans])

    def lay_pieces(self, read, depths, itemsize, weights_last):
        """classes, pieces, their offsets, and where the weights of a block of channels go, in the
        order of their memory."""
        longest_first = sorted(read.classes, key=lambda c: -len(c.taps))
        order = dict.fromkeys(t for c in longest_first for t in c.taps.tolist())
        line = np.empty(self.taps, np.int64)         # of each element of the kernel
        line[[*order, *(set(range(self.taps)) - set(order))]] = np.arange(self.taps)
        pieces, offsets, classes, at = [], [], [], 0
        for deep in depths:
            channels, source = np.arange(deep), 0
            for c in read.classes:
                ordered, begin = np.argsort(line[c.taps]), len(pieces)
                rows = np.add.outer(line[c.taps[ordered]] * deep, channels).ravel()
                offsets.append(np.add.outer(c.offsets[ordered],
                                            channels * read.between * itemsize).ravel())
                pieces += [(at + i, rows[i], count) for i, count in runs_of(rows)]
                classes.append((source, len(c.sources) // read.together, begin, len(pieces)))
                source, at = source + len(c.sources), at + len(rows)
        self.classes = np.array(classes, np.int64).reshape(2, -1, 4)
        self.pieces, self.offsets = np.array(pieces, np.int64), np.concatenate(offsets)
        self.targets = np.zeros((2, depths[0] * self.taps + BLOCK), np.int64)   # tiles look beyond
        for targets, deep in zip(self.targets, depths, strict=True):
            order = np.add.outer(line * deep, np.arange(deep))
            targets[:deep * self.taps] = (order if weights_last else order.T).ravel()

    def blocks_of_weights(self, shape, steps, most, deep):
        """(row, first weight, outputs in a row, of these real, channels) of blocks of weights."""
        groups, outputs, channels = shape
        return np.array([
            ((g * self.width + o) * channels * self.taps + c * self.taps * wide,
             g * steps[0] + o * steps[1] + c * steps[2], wide, min(wide, outputs - o),
             min(deep, channels - c))
            for g in range(groups) for o in range(0, outputs, most)
            for wide in (min(most, self.width - o),) for c in range(0, channels, deep)], np.int64)


def runs_of(rows):
    """(start, length) of runs of neighbours in rising `rows`, DEPTH long or less."""
    starts = [0, *(np.flatnonzero(np.diff(rows) != 1) + 1).tolist(), len(rows)]
    for start, end in pairwise(starts):
        parts = -(-(end - start) // DEPTH)
        cuts = [start + (end - start) * i // parts for i in range(parts + 1)]
        yield from ((a, b - a) for a, b in pairwise(cuts))
