"""Images as convolutions read them: padded planes, and where results find their numbers there.

An image is copied into padded planes, one for each residue of the stride. There each kernel element
meets one unbroken run of a plane for all results of the image, and a convolution is a product whose
right matrix has a row for each channel and kernel element, at a known offset. A run also passes
over the few positions between one row of results and the next.

NOTE [segments] The run is computed in tiles. The results in a tile form segments, of a vector or
less, that are contiguous both in the tile and in the result: (first column, place, length).
"""

from __future__ import annotations

import math
from functools import cached_property, lru_cache
from itertools import product

import numpy as np

from .compiling import address_of, array_at, routine
from .tile import BYTES, VECTORS, copy_even, copy_some


class Layout:
    """Planes of an image and what a run meets in them; three spatial axes.

    offsets: bytes to the run of each channel and kernel element. channel: numbers in the planes of
    one; run: numbers in a run; rows: (source, place in the planes, length) of a channel's rows.
    """

    def __init__(self, itemsize, channels, kernel, stride, padding, dilation, space, out):
        self.space, self.stride, self.padding, self.out = space, stride, padding, out
        ends = [(m - 1) * s + (k - 1) * d for m, s, k, d in zip(out, stride, kernel, dilation,
                                                               strict=True)]
        plane = [end // s + 1 for end, s in zip(ends, stride, strict=True)]
        pad, spill = padding[2], 0
        if stride == (1, 1, 1) and pad > 0:     # the next row's padding serves as this one's
            shared = max(pad + space[2], ends[2] + 1 - pad, out[2])
            plane[2], spill = shared, max(0, ends[2] + 1 - shared)
        self.plane, size = plane, math.prod(plane)
        self.channel = size * math.prod(stride) + spill
        self.run = ((out[0] - 1) * plane[1] + out[1] - 1) * plane[2] + out[2]
        self.lanes = BYTES // itemsize
        self.tile = self.slack = VECTORS * self.lanes
        self.taps = math.prod(kernel)
        # a kernel of one element that visits each position once: the image is its own planes
        self.same = (space == out and self.taps == 1 and not any(padding) and set(stride) == {1})
        taps = []
        for k in product(*map(range, kernel)):
            which = start = 0
            for i, d, s, p in zip(k, dilation, stride, plane, strict=True):
                which, start = which * s + i * d % s, start * p + i * d // s
            taps.append(which * size + start)
        self.offsets = np.add.outer(np.arange(channels) * self.channel, taps).ravel() * itemsize

    @cached_property
    def result_rows(self):
        """(start in a run, source in the result, length) of rows of results."""
        if self.same:
            return np.array([(0, 0, self.run)], np.int64)
        d, h = (a.ravel() for a in np.indices(self.out[:2]))
        return np.stack([(d * self.plane[1] + h) * self.plane[2],
                         (d * self.out[1] + h) * self.out[2], np.full(d.size, self.out[2])], 1)

    @cached_property
    def rows(self):
        (n_d, n_h, n_w), (s_d, s_h, s_w), pad = self.plane, self.stride, self.padding
        d, h, r = np.ix_(*(np.arange(n) for n in (self.space[0], self.space[1], s_w)))
        first = (r - pad[2]) % s_w
        i_w = (first + pad[2]) // s_w
        first, i_w = first - np.minimum(i_w, 0) * s_w, np.maximum(i_w, 0)
        (i_d, r_d), (i_h, r_h) = np.divmod(d + pad[0], s_d), np.divmod(h + pad[1], s_h)
        count = np.minimum(-((first - self.space[2]) // s_w), n_w - i_w)
        source = (d * self.space[1] + h) * self.space[2] + first
        which = (r_d * s_h + r_h) * s_w + r
        target = ((which * n_d + i_d) * n_h + i_h) * n_w + i_w
        kept = (0 <= i_d) & (i_d < n_d) & (0 <= i_h) & (i_h < n_h) & (count > 0)
        rows = np.stack(np.broadcast_arrays(source, target, count), -1)
        rows = rows[np.broadcast_to(kept, rows.shape[:3])].astype(np.int64)
        return rows[np.argsort(rows[:, 2], kind="stable")]

    @lru_cache(maxsize=64)      # noqa: B019 (layouts are kept anyway)
    def segments(self, places, wide):
        """(segments, where each tile's begin), of tiles of `wide` columns: see NOTE [segments].

        places: where the first result goes and how far apart its neighbours are along each axis.
        """
        d, h, w = np.ix_(*map(np.arange, self.out))
        column = (((d * self.plane[1] + h) * self.plane[2]) + w).ravel()
        place = (places[0] + d * places[1] + h * places[2] + w * places[3]).ravel()
        tile = column // wide
        new = np.ones(len(tile), bool)
        new[1:] = (np.diff(column) != 1) | (np.diff(place) != places[3]) | (np.diff(tile) != 0)
        start = np.flatnonzero(new)
        within = np.arange(len(new)) - np.repeat(start, np.diff(start, append=len(new)))
        start = np.flatnonzero(within % self.lanes == 0)
        length = np.diff(start, append=len(new))
        begins = np.searchsorted(tile[start], np.arange(int(tile[-1]) + 2))
        segments = np.stack((column[start] % wide, place[start], length), 1)
        segments = segments[np.lexsort((length, tile[start]))]
        return segments.astype(np.int64), begins.astype(np.int64)


@lru_cache(maxsize=256)
def layout(itemsize, channels, kernel, stride, padding, dilation, space, out):
    lead = 3 - len(kernel)
    sizes = ((1,) * lead + tuple(v) for v in (kernel, stride))
    rest = ((1,) * lead + tuple(v) for v in (dilation, space, out))
    return Layout(itemsize, channels, *sizes, (0,) * lead + tuple(padding), *rest)


# --------------------------------------------------------------------------- compiled

@routine
def fill(x, planes, rows, channel, step):
    """Copy an image, (C, D * H * W), into its planes; the padding stays as it is.

    Rows of one length follow on each other, so that the mask of their ends is made once.
    """
    begin = 0
    while begin < len(rows):
        count, end = rows[begin, 2], begin + 1
        while end < len(rows) and rows[end, 2] == count:
            end += 1
        for c in range(x.shape[0]):
            copy_rows(x[c], planes[c * channel:], rows, begin, end, count, step)
        begin = end


@routine
def copy_rows(x, planes, rows, begin, end, count, step):
    """`count` numbers of each of these rows, of which every `step`-th is taken; or all, and they
    are laid -step apart."""
    zero, item, vector = x.dtype.type(0), x.itemsize, BYTES // x.itemsize
    at, to, tail = address_of(x), address_of(planes), count % vector
    if step < 0:
        for r in range(begin, end):
            target, line = planes[rows[r, 1]:], x[rows[r, 0]:rows[r, 0] + count]
            for i in range(count):
                target[-i * step] = line[i]
        return
    if step > 2:
        for r in range(begin, end):
            target, line = planes[rows[r, 1]:rows[r, 1] + count], x[rows[r, 0]:]
            for i in range(count):
                target[i] = line[i * step]
        return
    for r in range(begin, end):
        for i in range(0, count - tail, vector):
            target, source = to + (rows[r, 1] + i) * item, at + (rows[r, 0] + i * step) * item
            if step == 1:
                copy_some(zero, target, source, zero, vector)
            else:
                copy_even(zero, target, source, vector)
    if tail > 0:
        last = count - tail
        for r in range(begin, end):
            target, source = to + (rows[r, 1] + last) * item, at + (rows[r, 0] + last * step) * item
            if step == 1:
                copy_some(zero, target, source, zero, tail)
            else:
                copy_even(zero, target, source, tail)


@routine
def unpack(y, distance, first, count, lines, pitch, bias, segments, begin, end, step):
    """A tile's results, in `count` lines, plus bias to their places in y.

    Channels of y lie `distance` apart. Segments of one length follow on each other.
    """
    zero, item = bias.dtype.type(0), bias.itemsize
    while begin < end:
        length, stop = segments[begin, 2], begin + 1
        while stop < end and segments[stop, 2] == length:
            stop += 1
        for o in range(count):
            to, source = y + (first + o) * distance * item, lines + o * pitch
            for s in range(begin, stop):
                place, column = to + segments[s, 1] * item, source + segments[s, 0] * item
                if step == 1:
                    copy_some(zero, place, column, bias[first + o], length)
                else:
                    add_apart(place, step, column, length, bias[first + o])
        begin = stop


@routine
def add_apart(to, step, source, length, number):
    """A line plus a number to places `step` apart."""
    target = array_at(to, (length * step,), type(number))
    line = array_at(source, (length,), type(number))
    for i in range(length):
        target[i * step] = line[i] + number
