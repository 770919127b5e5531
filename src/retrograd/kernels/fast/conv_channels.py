"""Convolutions of each channel by itself: sums of shifted rows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .compiling import Part, Whole, address_of, kernel
from .planes import fill, layout, unpack
from .tile import BYTES, eight_vectors, nine_dots, one_dot, three_dots

WORK = 1 << 15         # numbers in a chunk
EIGHT = 8              # vectors of a tile


def write_channels(x, y, w, lay, places, bias, rows, step):
    """The correlation of (N, C, numbers) with w, (C, taps), at some places of y."""
    run, planes = len_of_run(lay), lay.channel + EIGHT * lay.lanes
    segments, begins = lay.segments(places, 1 << 40)
    chunk = max(1, WORK // lay.channel)
    parts = -(-x.shape[0] * x.shape[1] // chunk)
    numbers = np.array([lay.channel, step, places[3]], np.int64)
    which = np.arange(x.shape[0] * x.shape[1]) % x.shape[1]
    channels_by_themselves(x.reshape(len(which), 1, -1), y.reshape(len(which), -1), which,
                           np.zeros((parts, planes), x.dtype), np.empty((parts, run), x.dtype),
                           w, bias, lay.offsets, rows, segments, numbers, chunk=chunk)


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
    chunk = max(1, channels // 16)
    parts = -(-channels // chunk)
    run = -(-lay.run // lay.lanes) * lay.lanes
    total = np.zeros((channels, lay.offsets.size, lay.lanes), x.dtype)
    sums_of_channels(np.arange(channels), total, x, g,
                     np.zeros((parts, lay.channel + lay.lanes), x.dtype),
                     np.zeros((parts, run), x.dtype), lay.offsets, lay.rows,
                     lay.result_rows[:, [1, 0, 2]].copy(), numbers, chunk=chunk)
    return total.sum(2)


def len_of_run(lay):
    """Numbers of a run, in whole tiles."""
    return -(-lay.run // (EIGHT * lay.lanes)) * EIGHT * lay.lanes


# --------------------------------------------------------------------------- compiled

@kernel
def channels_by_themselves(x, y, which, planes: Part, line: Part, w: Whole, bias: Whole,
                           offsets: Whole, rows: Whole, segments: Whole, numbers: Whole):
    zero, item = x.dtype.type(0), x.itemsize
    for i in range(len(x)):
        c = which[i]
        fill(x[i], planes, rows, numbers[0], numbers[1])
        for q in range(0, line.size * item, EIGHT * BYTES):
            eight_vectors(zero, address_of(line) + q, 0, address_of(w[c]), item,
                          address_of(planes) + q, address_of(offsets), offsets.size)
        unpack(address_of(y[i]), 0, 0, 1, address_of(line), 0, bias[c:], segments, 0,
               len(segments), numbers[2])


@kernel
def sums_of_channels(which, total, x: Whole, g: Whole, planes: Part, line: Part, offsets: Whole,
                     rows: Whole, results: Whole, numbers: Whole):
    zero = x.dtype.type(0)
    taps, count = offsets.size, line.size * x.itemsize // BYTES
    for i in range(len(which)):
        c, out = which[i], address_of(total[i])
        for n in range(len(x)):
            fill(x[n, c:c + 1], planes, rows, numbers[0], numbers[1])
            fill(g[n, c:c + 1], line, results, 0, 1)
            k = 0
            while k < taps:
                to, at = out + k * BYTES, address_of(offsets) + k * 8
                if taps - k >= 9:
                    nine_dots(zero, to, address_of(planes), at, address_of(line), count)
                    k += 9
                elif taps - k >= 3:
                    three_dots(zero, to, address_of(planes), at, address_of(line), count)
                    k += 3
                else:
                    one_dot(zero, to, address_of(planes), at, address_of(line), count)
                    k += 1
