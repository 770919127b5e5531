"""Convolutions without unfolding: products in registers of weights and what lies in planes.

An image's planes (see planes.py) are the right matrix of a product, the weights the left one. A
tile of results for all outputs is made at once: of so many kernel elements at a time that their
part of the planes stays in the fastest cache.
"""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from .. import conv as plain
from ..layout import like
from .compiling import Part, Whole, kernel, routine
from .conv_channels import write_channels
from .planes import fill, layout, pack, unpack
from .tile import (
    BYTES,
    ROWS,
    TALL,
    low_one,
    low_three,
    low_two,
    tall_one,
    tall_three,
    tall_two,
)

UNITS = 16         # of work: each has planes of its own
FEWEST = 8         # units, where images can be shared
DEPTH = 128        # kernel elements whose numbers are in the cache at once
WORK = 1 << 14     # weights in a chunk


def convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups):
    """See kernels.conv."""
    if transposed:
        shape = plain.transposed_shape(x.shape, w.shape, stride, padding, dilation, output_padding,
                                       groups)
        y = spread(x, w, shape, stride, padding, dilation, groups, b)
    else:
        shape = plain.output_shape(x.shape, w.shape, stride, padding, dilation)
        y = correlate(x, w, shape, stride, padding, dilation, groups, b)
    return None if y is None else like(y, x)


def correlate(x, w, y_shape, stride, padding, dilation, groups, b=None):
    """See kernels.conv."""
    if not taken(x, w, y_shape):
        return None
    x, stride = met(x, w.shape[2:], stride, padding)
    y = np.empty(y_shape, x.dtype)
    taps = math.prod(w.shape[2:])
    weights = Weights(w, len(w) // groups, w.shape[1], (w.shape[1] * taps, taps), np.arange(taps))
    write_correlation(x, weights, w.shape[2:], y, (0, *steps_of(y_shape[2:])), stride, padding,
                      dilation, groups, b, y_shape[2:])
    return y


def spread(g, w, x_shape, stride, padding, dilation, groups, b=None):
    """See kernels.conv: a correlation of g for each residue of positions to the stride."""
    if not taken(g, w, x_shape) or not np.isfinite(w).all():
        return None
    taps = math.prod(w.shape[2:])
    numbers = np.arange(taps).reshape(w.shape[2:])
    each = zip(w.shape[2:], stride, padding, dilation, strict=True)
    classes = [tuple(zip(*alike, strict=True))
               for alike in product(*(plain.residues(*axis) for axis in each))]
    x = np.empty(x_shape, g.dtype)
    if any(None in elements for _, elements, _, _ in classes):
        x[...] = 0 if b is None else b.reshape(-1, *(1,) * (x.ndim - 2))
    steps = steps_of(x_shape[2:])
    for positions, elements, begin, spacing in classes:
        if None in elements:
            continue
        starts, counts = zip(*((s.start, len(range(*s.indices(n)))) for s, n in
                               zip(positions, x_shape[2:], strict=True)), strict=True)
        if not all(counts):
            continue
        chosen = numbers[elements]
        weights = Weights(w, w.shape[1], len(w) // groups, (taps, w.shape[1] * taps),
                          chosen.ravel())
        places = (sum(s * t for s, t in zip(starts, steps, strict=True)),
                  *(t * s for t, s in zip(steps, stride, strict=True)))
        write_correlation(g, weights, chosen.shape, x, places, (1,) * len(begin), begin, spacing,
                          groups, b, counts)
    return x


def taken(x, w, out_shape):
    """Whether there is a kernel for these."""
    return (x.dtype.char in "fd" and w.dtype is x.dtype and math.prod(out_shape) > 0
            and x.size > 0 and w.size > 0)


def met(x, kernel, stride, padding):
    """x without what a kernel of one element steps over, and the stride that is left."""
    alone = [k == 1 and p == 0 for k, p in zip(kernel, padding, strict=True)]
    hops = (slice(None, None, s if only else 1) for s, only in zip(stride, alone, strict=True))
    left = tuple(1 if only else s for s, only in zip(stride, alone, strict=True))
    return x[(slice(None), slice(None), *hops)], left


def steps_of(space):
    """Distances between neighbours along each axis of an image's channel."""
    return [math.prod(space[i + 1:]) for i in range(len(space))]


class Weights:
    """The left matrix of a product for each group: (outputs, channels * taps), taken from w.

    steps: from output to output and from channel to channel in w. taps: the elements of its kernel.
    """

    def __init__(self, w, outputs, channels, steps, taps):
        self.flat = np.ascontiguousarray(w).reshape(-1)
        self.group = outputs * channels * math.prod(w.shape[2:])
        self.outputs, self.channels, self.steps, self.taps = outputs, channels, steps, taps
        self.depth = channels * len(taps)
        self.part = -(-self.depth // -(-self.depth // DEPTH))

    def matrix(self):
        """(groups * outputs, depth)."""
        starts = np.add.outer(np.arange(0, self.flat.size, self.group),
                              np.arange(self.outputs) * self.steps[0]).ravel()
        columns = np.add.outer(np.arange(self.channels) * self.steps[1], self.taps).ravel()
        return self.flat[starts[:, None] + columns]

    def panels(self):
        """(groups, parts of depth, blocks of rows, depth of a part, rows of a block): what tiles
        read, in this order; a row for each group."""
        groups = self.flat.size // self.group
        tall = -(-max(self.outputs - ROWS, 0) // TALL) if TALL > ROWS else -(-self.outputs // TALL)
        heights = [TALL] * tall + [ROWS] * (tall * TALL < self.outputs)
        panels = np.zeros((groups, sum(heights) * self.depth), self.flat.dtype)
        blocks = [(i * panels.shape[1], r * TALL, i * self.group + r * TALL * self.steps[0],
                   height, min(height, self.outputs - r * TALL))
                  for i in range(groups) for r, height in enumerate(heights)]
        numbers = np.array([*self.steps, self.channels, self.part, sum(heights)], np.int64)
        lay_panels(np.array(blocks, np.int64), self.flat, panels.reshape(-1), self.taps, numbers,
                   chunk=max(1, WORK // (self.depth * TALL)))
        return panels


def write_correlation(x, w, kernel, y, places, stride, padding, dilation, groups, b, out):
    """The correlation of x and w at some of the positions of y: start and steps in a channel."""
    x = np.ascontiguousarray(x)
    places = (places[0], *(0,) * (4 - len(places)), *places[1:])
    lay = layout(x.itemsize, w.channels, tuple(kernel), tuple(stride), tuple(padding),
                 tuple(dilation), x.shape[2:], tuple(out))
    bias = np.zeros(y.shape[1], x.dtype) if b is None else np.ascontiguousarray(b, x.dtype)
    flat_x, flat_y = x.reshape(*x.shape[:2], -1), y.reshape(*y.shape[:2], -1)
    if w.channels == w.outputs == 1:
        write_channels(flat_x, flat_y, w.matrix(), lay, places, bias)
        return
    packed = images_packed(lay, w.outputs, len(x))
    image, total = x.shape[1] * lay.channel, math.prod(lay.out)
    segments, begins = lay.segments(places, packed, image, flat_y[0].size, lay.tile)
    units = shares(len(x), packed, len(begins) - 1)
    columns = total if packed else lay.run
    planes = np.zeros((len(units), max(1, packed) * image + lay.slack), x.dtype)
    panels = w.panels()
    lines = np.empty((len(units), panels.shape[1] // w.depth * lay.tile + lay.slack), x.dtype)
    panel = np.empty((len(units), w.part * lay.tile + lay.slack if packed else 1), x.dtype)
    numbers = np.array([w.outputs, w.depth, w.part, lay.channel, stride[-1], places[3], columns,
                        packed, lay.same, flat_y.shape[2]], np.int64)
    apart = np.arange(w.part) * (lay.tile * x.itemsize)
    correlate_units(units, flat_x, flat_y, planes, lines, panel, panels, bias, lay.offsets, apart,
                    lay.rows, segments, begins, numbers, np.zeros(lay.tile, x.dtype), chunk=1)


def images_packed(lay, outputs, images):
    """How many images' results are packed together; 0: they are read as the run goes.

    Counts instructions for one kernel element: a product takes as many as results fill vectors,
    for each output; packing two or three for each segment.
    """
    if lay.same:
        return 0
    total, rows = math.prod(lay.out), math.prod(lay.out[:2])
    count = min(-(-images // 4), -(-8 * lay.tile // total))
    packed = -(-count * total // lay.lanes) / count * outputs
    packing = 3 * rows * (lay.out[2] / lay.lanes + 1)
    return count if packed + packing < -(-lay.run // lay.lanes) * outputs else 0


def shares(images, packed, tiles):
    """Units of work: (first image, images, first tile, end of tiles)."""
    if packed:
        count = packed
    else:
        count = -(-images // UNITS)
    parts = min(tiles, -(-FEWEST // -(-images // count)))
    cuts = [tiles * i // parts for i in range(parts + 1)]
    return np.array([(n, min(count, images - n), cuts[i], cuts[i + 1])
                     for n in range(0, images, count) for i in range(parts)], np.int64)


# --------------------------------------------------------------------------- compiled

@kernel
def lay_panels(blocks, w: Whole, panels: Whole, taps: Whole, numbers: Whole):
    for b in range(len(blocks)):
        group, row, start, height, count = blocks[b]
        depth, part, k = numbers[2] * taps.size, numbers[3], 0
        for c in range(numbers[2]):
            for t in range(taps.size):
                begin = k // part * part
                at = (group + begin * numbers[4] + row * min(part, depth - begin)
                      + (k - begin) * height)
                source = start + c * numbers[1] + taps[t]
                for r in range(count):
                    panels[at + r] = w[source + r * numbers[0]]
                k += 1


@routine
def tiles_of_outputs(like, lines, pitch, start, apart, weights, b, offsets, depth, outputs, vectors,
                     item):
    """For each output a line of results: `depth` kernel elements are added to those of start."""
    for r in range(0, outputs, TALL):
        low = TALL > ROWS and outputs - r <= ROWS
        a, out, first = weights + r * depth * item, lines + r * pitch, start + r * apart
        if low and vectors == 3:
            low_three(like, out, pitch, first, apart, a, ROWS * item, b, offsets, depth)
        elif low and vectors == 2:
            low_two(like, out, pitch, first, apart, a, ROWS * item, b, offsets, depth)
        elif low:
            low_one(like, out, pitch, first, apart, a, ROWS * item, b, offsets, depth)
        elif vectors == 3:
            tall_three(like, out, pitch, first, apart, a, TALL * item, b, offsets, depth)
        elif vectors == 2:
            tall_two(like, out, pitch, first, apart, a, TALL * item, b, offsets, depth)
        else:
            tall_one(like, out, pitch, first, apart, a, TALL * item, b, offsets, depth)


@routine
def correlate_tiles(y, planes, lines, panel, weights, bias, first, offsets, apart, segments, begins,
                    numbers, zeros, begin, end, columns):
    """The results of a group's outputs, `first` and on, in some tiles."""
    outputs, whole, depth = numbers[0], numbers[1], numbers[2]
    zero, item, tile = bias.dtype.type(0), bias.itemsize, zeros.size
    vector, pitch = BYTES // bias.itemsize, zeros.size * bias.itemsize
    height = (outputs + ROWS - 1) // ROWS * ROWS
    for t in range(begin, end):
        size = min(tile, columns - t * tile)
        if size <= 0:
            break
        for k in range(0, whole, depth):
            count = min(depth, whole - k)
            if numbers[7]:
                pack(zero, panel, planes, offsets, k, count, segments, begins[t], begins[t + 1],
                     item, pitch)
                source, at = panel, apart.ctypes.data
            else:
                source, at = planes + t * pitch, offsets.ctypes.data + k * 8
            start, distance = (lines, pitch) if k else (zeros.ctypes.data, 0)
            tiles_of_outputs(zero, lines, pitch, start, distance, weights + k * height * item,
                             source, at, count, outputs, (size + vector - 1) // vector, item)
        unpack(y, numbers[9], first, outputs, lines, pitch, bias, segments, begins[t],
               begins[t + 1], size, numbers[5])


@kernel
def correlate_units(work, x: Whole, y: Whole, planes: Part, lines: Part, panel: Part,
                    panels: Whole, bias: Whole, offsets: Whole, apart: Whole, rows: Whole,
                    segments: Whole, begins: Whole, numbers: Whole, zeros: Whole):
    channel, item, groups = numbers[3], x.itemsize, panels.shape[0]
    together = max(1, numbers[7])
    image = x.shape[1] * channel
    for u in range(len(work)):
        first, count = work[u, 0], work[u, 1]
        for n in range(first, first + count, together):
            base, columns = planes.ctypes.data, numbers[6] * (count if numbers[7] else 1)
            if numbers[8] and n + 1 < len(x):
                base = x[n].ctypes.data
            else:
                for i in range(min(together, first + count - n)):
                    fill(x[n + i], planes[i * image:], rows, channel, numbers[4])
            for g in range(groups):
                share = g * (x.shape[1] // groups) * channel * item
                correlate_tiles(y[n].ctypes.data, base + share, lines.ctypes.data,
                                panel.ctypes.data, panels[g].ctypes.data, bias, g * numbers[0],
                                offsets, apart, segments, begins, numbers, zeros, work[u, 2],
                                work[u, 3], columns)
