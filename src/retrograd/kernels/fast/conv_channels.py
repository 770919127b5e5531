"""Convolutions of each channel by itself: sums of shifted rows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .compiling import Part, Whole, address_of, kernel, routine
from .planes import fill, layout, unpack
from .tile import BYTES, eight_vectors, four_vectors, nine_dots, one_dot, three_dots

WORK = 1 << 15         # numbers in a chunk
EIGHT = 8              # vectors of a tile
AHEAD = 1 << 10        # numbers in planes that are filled before they are read


def write_channels(x, y, w, lay, places, bias, rows, step):
    """The correlation of (N, C, numbers) with w, (C, taps), at some places of y."""
    which, planes, lines, segments, numbers, chunk = plan(lay, places, step, *x.shape[:2])
    channels_by_themselves(x.reshape(len(which), 1, -1), y.reshape(len(which), -1), which,
                           np.zeros(planes, x.dtype), np.empty(lines, x.dtype), w, bias,
                           lay.offsets, rows, segments, numbers, chunk=chunk)


@lru_cache(maxsize=256)
def plan(lay, places, step, images, channels):
    """The weights of each channel of each image, the shapes of planes and of lines for a chunk's
    runs, the segments of a run, numbers for the kernel, channels in a chunk."""
    ahead, chunk = filled_ahead(lay), max(1, WORK // lay.channel)
    parts = -(-images * channels // chunk)
    numbers = np.array([lay.channel, step, places[3], ahead, -(-lay.run // lay.lanes)], np.int64)
    return (np.arange(images * channels) % channels,
            (parts, ahead, lay.channel + EIGHT * lay.lanes), (parts, ahead, len_of_run(lay)),
            lay.segments(places, 1 << 40)[0], numbers, chunk)


def write_channels_apart(g, w, x, stride, padding, dilation, b):
    """The transpose of a correlation with a stride: one without, of g with zeros in between."""
    kernel, g = w.shape[2:], np.ascontiguousarray(g)
    wide = tuple((n - 1) * s + 1 for n, s in zip(g.shape[2:], stride, strict=True))
    begin = tuple(d * (k - 1) - p for d, k, p in zip(dilation, kernel, padding, strict=True))
    lay = layout(g.itemsize, 1, kernel, (1,) * len(kernel), begin, dilation, wide, x.shape[2:])
    bias = np.zeros(len(w), x.dtype) if b is None else np.ascontiguousarray(b, x.dtype)
    turned = np.ascontiguousarray(w.reshape(len(w), -1)[:, ::-1])
    rows, step = rows_apart(lay, (1, 1, *stride)[-3:]), -stride[-1] if stride[-1] > 1 else 1
    places = 0, lay.out[1] * lay.out[2], lay.out[2], 1
    write_channels(g.reshape(*g.shape[:2], -1), x.reshape(*x.shape[:2], -1), turned, lay, places,
                   bias, rows, step)


@lru_cache(maxsize=64)
def rows_apart(lay, stride):
    """Where the rows of an image go that lie so far apart in that of the layout."""
    source, place, count = lay.rows.T
    (d, h), w = np.divmod(source // lay.space[2], lay.space[1]), source % lay.space[2]
    skipped = -w % stride[2]
    count = np.maximum(0, (count - skipped - 1) // stride[2] + 1)
    space = [(n - 1) // s + 1 for n, s in zip(lay.space, stride, strict=True)]
    row = (d // stride[0] * space[1] + h // stride[1]) * space[2] + (w + skipped) // stride[2]
    kept = (d % stride[0] == 0) & (h % stride[1] == 0) & (count > 0)
    rows = np.stack([row, place + skipped, count], 1)[kept]
    return rows[np.argsort(rows[:, 2], kind="stable")]


def channel_weights(x, g, lay):
    """The gradient of w, (C, taps)."""
    images, channels = x.shape[:2]
    numbers = np.array([lay.channel, lay.stride[2]], np.int64)
    chunk, ahead = max(1, channels // 16), min(images, filled_ahead(lay))
    parts = -(-channels // chunk)
    run = -(-lay.run // lay.lanes) * lay.lanes
    total = np.zeros((channels, lay.offsets.size, lay.lanes), x.dtype)
    sums_of_channels(np.arange(channels), total, x, g,
                     np.zeros((parts, ahead, lay.channel + lay.lanes), x.dtype),
                     np.zeros((parts, ahead, run), x.dtype), lay.offsets, lay.rows,
                     lay.result_rows[:, [1, 0, 2]].copy(), numbers, chunk=chunk)
    return total.sum(2)


def filled_ahead(lay):
    """How many planes are filled before the first is read: what has just been written by rows
    cannot be read across them for a while."""
    return max(1, min(EIGHT, AHEAD // lay.channel))


def len_of_run(lay):
    """Numbers of a run, in whole tiles."""
    return -(-lay.run // (EIGHT * lay.lanes)) * EIGHT * lay.lanes


# --------------------------------------------------------------------------- compiled

@kernel
def channels_by_themselves(x, y, which, planes: Part, lines: Part, w: Whole, bias: Whole,
                           offsets: Whole, rows: Whole, segments: Whole, numbers: Whole):
    zero, item, ahead = x.dtype.type(0), x.itemsize, numbers[3]
    for first in range(0, len(x), ahead):
        end = min(first + ahead, len(x))
        for i in range(first, end):
            fill(x[i], planes[i - first], rows, numbers[0], numbers[1])
        for i in range(first, end):
            at, to = address_of(planes[i - first]), address_of(lines[i - first])
            weights, vectors = address_of(w[which[i]]), numbers[4]
            while vectors > 0:
                if vectors > EIGHT // 2:
                    eight_vectors(zero, to, 0, weights, item, at, address_of(offsets), offsets.size)
                else:
                    four_vectors(zero, to, 0, weights, item, at, address_of(offsets), offsets.size)
                at, to, vectors = at + EIGHT * BYTES, to + EIGHT * BYTES, vectors - EIGHT
        for i in range(first, end):
            unpack(address_of(y[i]), 0, 0, 1, address_of(lines[i - first]), 0, bias[which[i]:],
                   segments, 0, len(segments), numbers[2])


@kernel
def sums_of_channels(which, total, x: Whole, g: Whole, planes: Part, lines: Part, offsets: Whole,
                     rows: Whole, results: Whole, numbers: Whole):
    zero, ahead = x.dtype.type(0), len(planes)
    count = lines.shape[1] * x.itemsize // BYTES
    for i in range(len(which)):
        c = which[i]
        for first in range(0, len(x), ahead):
            end = min(first + ahead, len(x))
            for n in range(first, end):
                fill(x[n, c:c + 1], planes[n - first], rows, numbers[0], numbers[1])
                fill(g[n, c:c + 1], lines[n - first], results, 0, 1)
            for n in range(first, end):
                add_dots(zero, address_of(total[i]), address_of(planes[n - first]), offsets,
                         address_of(lines[n - first]), count)


@routine
def add_dots(like, out, planes, offsets, line, count):
    """Add to the sums of each kernel element, vectors of them, what a plane's products are."""
    taps, k = offsets.size, 0
    while k < taps:
        to, at = out + k * BYTES, address_of(offsets) + k * 8
        if taps - k >= 9:
            nine_dots(like, to, planes, at, line, count)
            k += 9
        elif taps - k >= 3:
            three_dots(like, to, planes, at, line, count)
            k += 3
        else:
            one_dot(like, to, planes, at, line, count)
            k += 1
