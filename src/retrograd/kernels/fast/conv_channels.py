"""Convolutions of each channel by itself: sums of shifted rows."""

from __future__ import annotations

import numpy as np

from .compiling import Part, Whole, address_of, kernel
from .planes import fill, unpack
from .tile import BYTES, eight_vectors, nine_dots, one_dot, three_dots

WORK = 1 << 15         # numbers in a chunk
EIGHT = 8              # vectors of a tile


def write_channels(x, y, w, lay, places, bias):
    """The correlation of (N, C, numbers) with w, (C, taps), at some places of y."""
    run, planes = len_of_run(lay), lay.channel + EIGHT * lay.lanes
    segments, begins = lay.segments(places, 1 << 40)
    chunk = max(1, WORK // lay.channel)
    parts = -(-x.shape[0] * x.shape[1] // chunk)
    numbers = np.array([lay.channel, lay.stride[2], places[3]], np.int64)
    which = np.arange(x.shape[0] * x.shape[1]) % x.shape[1]
    channels_by_themselves(x.reshape(len(which), 1, -1), y.reshape(len(which), -1), which,
                           np.zeros((parts, planes), x.dtype), np.empty((parts, run), x.dtype),
                           w, bias, lay.offsets, lay.rows, segments, numbers, chunk=chunk)


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
