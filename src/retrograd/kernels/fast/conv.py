"""Convolutions without unfolding: images times weights in registers, where they lie.

A kernel of one element is a matrix that multiplies an image's planes: by the tiles of panels.py
where they suit. One of 3 x 3 elements needs fewer products by winograd.py, where that suits. Else,
where outputs fill vectors, they are the lanes (points.py). Elsewhere the positions are: an image's
planes (planes.py) are the right matrix of a product, the weights the left one, and a tile of the
run is computed for all outputs, of so many kernel elements at a time that their part of the planes
stays in the fastest cache.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product

import numpy as np

from .. import conv as plain
from .. import fast
from ..layout import channels_last, empty_last, like
from ..matmul import bmm, mm
from ..patches import side_by_side
from . import panels
from .channels_last import each_channel, takes_each
from .compiling import Part, Whole, address_of, kernel, routine
from .conv_channels import write_channels, write_channels_apart
from .planes import fill, layout, unpack
from .points import is_filled, write_points
from .points_last import write_points_last
from .readings import Plan, at_once, correlation_axes, shares, spread_axes
from .tile import (
    BYTES,
    ROWS,
    TALL,
    lanes,
    low_one,
    low_three,
    low_two,
    tall_one,
    tall_three,
    tall_two,
)
from .winograd import correlate_squares, spread_squares, suits_squares

DEPTH = 128        # products that are summed one after the other: see readings.py
WORK = 1 << 14     # weights in a chunk
IDLE = 1 << 19     # products that take as long as laying an image out in planes
ROW, SIGNAL = 28, 1000      # positions of a row that waste little of their vectors; of a long one
APART = 4          # products with zeros for each other one, that take less than places apart do


def convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups):
    """See kernels.conv."""
    if transposed:
        shape = plain.transposed_shape(x.shape, w.shape, stride, padding, dilation, output_padding,
                                       groups)
        y = spread(x, w, shape, stride, padding, dilation, groups, b)
    else:
        shape = plain.output_shape(x.shape, w.shape, stride, padding, dilation)
        y = correlate(x, w, shape, stride, padding, dilation, groups, b)
    return None if y is None else like(y, x, w)


def correlate(x, w, y_shape, stride, padding, dilation, groups, b=None):
    """See kernels.conv."""
    if not taken(x, w, y_shape):
        return None
    if at_each_position(x, w.shape, y_shape, stride, padding, groups):
        y = product_of_planes(w.reshape(w.shape[:2]), x, b)
        if y is not None:
            return y
    if suits_squares(x, w.shape, y_shape[2:], stride, padding, dilation, groups):
        y = correlate_squares(x, w, b, padding, y_shape[2:])
        if y is not None:
            return y
    last, taps = channels_last(x), math.prod(w.shape[2:])
    if last and takes_each(x, w.shape, groups):
        axes = correlation_axes(w.shape[2:], stride, padding, dilation, y_shape[2:])
        return each_channel(x, w, y_shape, b, tuple(axes))
    each = y_shape[0] * math.prod(y_shape[2:]) * x.shape[1] * taps
    if are_lanes(len(w) // groups, x.dtype, each, y_shape, stride, last):
        plan = correlation_plan(x.itemsize, x.shape, w.shape, y_shape[2:], stride, padding,
                                dilation, groups, last, last and channels_last(w))
        return from_points(x, w, y_shape, b, plan, last)
    y = np.empty(y_shape, x.dtype)
    x, stride = met(x, w.shape[2:], stride, padding)
    weights = Weights(w, len(w) // groups, w.shape[1], (w.shape[1] * taps, taps), np.arange(taps))
    write_correlation(x, weights, w.shape[2:], y, (0, *steps_of(y_shape[2:])), stride, padding,
                      dilation, b, y_shape[2:])
    return y


def spread(g, w, x_shape, stride, padding, dilation, groups, b=None):
    """See kernels.conv: a correlation of g for each residue of positions to the stride."""
    if not taken(g, w, x_shape):
        return None
    if at_each_position(g, w.shape, x_shape, stride, padding, groups):
        x = product_of_planes(w.reshape(w.shape[:2]).T, g, b)
        if x is not None:
            return x
    if not np.isfinite(w).all() or side_by_side(
            w.shape, stride, padding, dilation, g.shape[2:], groups):
        return None
    outputs, share = len(w) // groups, w.shape[1]
    if suits_squares(g, w.shape, x_shape[2:], stride, padding, dilation, groups):
        x = spread_squares(g, w, b, padding, x_shape[2:])
        if x is not None:
            return x
    if outputs == share == 1 and 1 < math.prod(stride) <= APART:
        x = np.empty(x_shape, g.dtype)
        write_channels_apart(g, w, x, stride, padding, dilation, b)
        return x
    last = channels_last(g)
    if last and takes_each(g, w.shape, groups):
        axes = spread_axes(w.shape[2:], stride, padding, dilation, x_shape[2:])
        if axes is not None:
            return each_channel(g, w, x_shape, b, tuple(axes))
    each = g.size * math.prod(w.shape[2:])
    if are_lanes(share, g.dtype, each, x_shape, stride, last):
        plan = spread_plan(g.itemsize, g.shape, w.shape, x_shape[2:], stride, padding, dilation,
                           groups, last, last and channels_last(w))
        if plan is not None:
            return from_points(g, w, x_shape, b, plan, last)
    return spread_by_residues(g, w, x_shape, stride, padding, dilation, groups, b)


def spread_by_residues(g, w, x_shape, stride, padding, dilation, groups, b):
    """The positions of one residue to the stride meet the same elements of `w`: for these alone it
    is a correlation of `g`."""
    taps, x = math.prod(w.shape[2:]), np.empty(x_shape, g.dtype)
    gaps, parts = classes_of(w.shape[2:], x_shape[2:], stride, padding, dilation)
    if gaps:
        x[...] = 0 if b is None else b.reshape(-1, *(1,) * (x.ndim - 2))
    for places, counts, elements, shape, begin, spacing in parts:
        weights = Weights(w, w.shape[1], len(w) // groups, (taps, w.shape[1] * taps), elements)
        write_correlation(g, weights, shape, x, places, (1,) * len(begin), begin, spacing, b,
                          counts)
    return x


@lru_cache(maxsize=256)
def classes_of(kernel, space, stride, padding, dilation):
    """Whether some positions meet no kernel element; of each residue of the others: start and
    steps, their numbers along the axes, the elements, their numbers along the axes, padding and
    dilation."""
    elements_of = np.arange(math.prod(kernel)).reshape(kernel)
    steps, gaps, parts = steps_of(space), False, []
    each = zip(kernel, stride, padding, dilation, strict=True)
    for alike in product(*(plain.residues(*axis) for axis in each)):
        positions, elements, begin, spacing = zip(*alike, strict=True)
        if None in elements:
            gaps = True
            continue
        starts, counts = zip(*((s.start, len(range(*s.indices(n)))) for s, n in
                               zip(positions, space, strict=True)), strict=True)
        if not all(counts):
            continue
        chosen = elements_of[elements]
        places = (sum(s * t for s, t in zip(starts, steps, strict=True)),
                  *(t * s for t, s in zip(steps, stride, strict=True)))
        parts.append((places, counts, chosen.ravel(), chosen.shape, begin, spacing))
    return gaps, parts


def at_each_position(x, w_shape, y_shape, stride, padding, groups):
    """Whether a kernel of one element meets every position, whose channels lie in planes."""
    return (groups == 1 and math.prod(w_shape[2:]) == 1 and not any(padding)
            and x.shape[2:] == y_shape[2:] and set(stride) == {1} and x.flags.c_contiguous)


def product_of_planes(w, x, b):
    """(O, I) times the planes of (N, I, ...), plus b; None where vectors of outputs suit better:
    for large weights that meet few positions."""
    planes = x.reshape(*x.shape[:2], -1)
    (n, k), m = w.shape, planes.shape[2]
    if panels.suits(n, k, m, planes.strides[1], x.itemsize):
        y = panels.product(np.broadcast_to(w, (len(x), n, k)), planes, b, of_rows=True)
        return y.reshape(len(x), n, *x.shape[2:])
    if n * k * m >= fast.TILES and fills_lanes(n, x.dtype):
        return None
    y = bmm(np.broadcast_to(w, (len(x), n, k)), planes) if len(x) > 1 else mm(w, planes[0])
    if b is not None:
        y += b[:, None]
    return y.reshape(len(x), n, *x.shape[2:])


@lru_cache(maxsize=256)
def correlation_plan(itemsize, x_shape, w_shape, out, stride, padding, dilation, groups, last,
                     weights_last):
    """`last`: the channels of x lie innermost in memory, and those of w, if they do so, too."""
    outputs, share = w_shape[0] // groups, w_shape[1]
    group, output, channel, element = weight_steps(w_shape, groups, weights_last)
    axes = correlation_axes(w_shape[2:], stride, padding, dilation, out)
    return Plan(itemsize, BYTES // itemsize, (groups, outputs, share),
                (group, output, channel, element), x_shape[0], w_shape[2:], x_shape[2:], out, axes,
                last)


@lru_cache(maxsize=256)
def spread_plan(itemsize, g_shape, w_shape, out, stride, padding, dilation, groups, last,
                weights_last):
    """None if some position meets no kernel element."""
    axes = spread_axes(w_shape[2:], stride, padding, dilation, out)
    if axes is None:
        return None
    outputs, share = w_shape[0] // groups, w_shape[1]
    group, output, channel, element = weight_steps(w_shape, groups, weights_last)
    return Plan(itemsize, BYTES // itemsize, (groups, share, outputs),
                (group, channel, output, element), g_shape[0], w_shape[2:], g_shape[2:], out, axes,
                last)


def weight_steps(w_shape, groups, last):
    """How far apart in w groups, outputs, channels and kernel elements lie."""
    taps, (outputs, share) = math.prod(w_shape[2:]), w_shape[:2]
    steps = (1, share) if last else (taps, 1)
    return outputs // groups * share * taps, share * taps, *steps


def from_points(x, w, y_shape, b, plan, last):
    """The planned correlation; its channels lie innermost if those of x do."""
    if last:
        y = empty_last(y_shape, x.dtype)
        write_points_last(x, w, y, b, plan)
    else:
        y = np.empty(y_shape, x.dtype)
        write_points(x, w, y, b, plan)
    return y


def taken(x, w, out_shape):
    """Whether there is a kernel for these."""
    return (x.dtype.char in "fd" and w.dtype is x.dtype and math.prod(out_shape) > 0
            and x.size > 0 and w.size > 0)


def fills_lanes(outputs, dtype, each=math.inf):
    """Whether vectors of outputs waste less than rows of positions do, or less than laying these
    out takes; `each` is how many products one output channel takes in all."""
    idle = -outputs % lanes(dtype)
    return idle <= outputs / 4 or idle * each < IDLE


def are_lanes(outputs, dtype, each, shape, stride, last):
    """Whether outputs fill the lanes better than a row's positions do, which are preferred in long
    signals, whose results are not turned then, and where one vector of outputs would be multiplied
    faster than loaded. With `last` nothing is turned in any case."""
    least = ROW if outputs <= lanes(dtype) else SIGNAL if len(shape) == 3 else math.inf
    by_rows = not last and shape[-1] >= least and set(stride) == {1}
    return not by_rows and fills_lanes(outputs, dtype, each)


def met(x, kernel, stride, padding):
    """x without what a kernel of one element steps over, and the stride that is left."""
    if 1 not in kernel:
        return x, stride
    alone = [k == 1 and p == 0 for k, p in zip(kernel, padding, strict=True)]
    hops = (slice(None, None, s if only else 1) for s, only in zip(stride, alone, strict=True))
    left = tuple(1 if only else s for s, only in zip(stride, alone, strict=True))
    return x[(slice(None), slice(None), *hops)], left


@lru_cache(maxsize=256)
def steps_of(space):
    """Distances between neighbours along each axis of an image's channel."""
    return tuple(math.prod(space[i + 1:]) for i in range(len(space)))


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

    def rows(self):
        """(groups, taps), of groups of one output and one channel."""
        return self.flat.reshape(-1, self.group).take(self.taps, 1)

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


def write_correlation(x, w, kernel, y, places, stride, padding, dilation, b, out):
    """The correlation of x and w at some of the positions of y: start and steps in a channel."""
    x = np.ascontiguousarray(x)
    places = (places[0], *(0,) * (4 - len(places)), *places[1:])
    lay = layout(x.itemsize, w.channels, tuple(kernel), tuple(stride), tuple(padding),
                 tuple(dilation), x.shape[2:], tuple(out))
    bias = np.zeros(y.shape[1], x.dtype) if b is None else np.ascontiguousarray(b, x.dtype)
    flat_x, flat_y = x.reshape(*x.shape[:2], -1), y.reshape(*y.shape[:2], -1)
    if w.channels == w.outputs == 1:
        write_channels(flat_x, flat_y, w.rows(), lay, places, bias, lay.rows, lay.stride[2])
        return
    image = x.shape[1] * lay.channel
    segments, begins = lay.segments(places, lay.tile)
    work = 1 << 40 if lay.same else w.outputs * len(w.taps)
    units = shares(len(x), 1, len(begins) - 1, work)
    chunk = at_once(units)
    chunks = -(-len(units) // chunk)
    planes = np.zeros((chunks, image + lay.slack), x.dtype)
    panels = w.panels()
    lines = np.empty((chunks, panels.shape[1] // w.depth * lay.tile + lay.slack), x.dtype)
    numbers = np.array([w.outputs, w.depth, w.part, lay.channel, stride[-1], places[3], lay.run,
                        lay.same, flat_y.shape[2]], np.int64)
    correlate_units(units, flat_x, flat_y, planes, lines, panels, bias, lay.offsets, lay.rows,
                    segments, begins, numbers, np.zeros(lay.tile, x.dtype), chunk=chunk)


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
def correlate_tiles(y, planes, lines, weights, bias, first, offsets, segments, begins, numbers,
                    zeros, begin, end):
    """The results of a group's outputs, `first` and on, in some tiles."""
    outputs, whole, part, run = numbers[0], numbers[1], numbers[2], numbers[6]
    zero, item, tile = bias.dtype.type(0), bias.itemsize, zeros.size
    vector, pitch = BYTES // bias.itemsize, zeros.size * bias.itemsize
    height = (outputs + ROWS - 1) // ROWS * ROWS
    for t in range(begin, end):
        size = min(tile, run - t * tile)
        for k in range(0, whole, part):
            start, distance = (lines, pitch) if k else (address_of(zeros), 0)
            tiles_of_outputs(zero, lines, pitch, start, distance, weights + k * height * item,
                             planes + t * pitch, address_of(offsets) + k * 8, min(part, whole - k),
                             outputs, (size + vector - 1) // vector, item)
        unpack(y, numbers[8], first, outputs, lines, pitch, bias, segments, begins[t],
               begins[t + 1], numbers[5])


@kernel
def correlate_units(work, x: Whole, y: Whole, planes: Part, lines: Part, panels: Whole,
                    bias: Whole, offsets: Whole, rows: Whole, segments: Whole, begins: Whole,
                    numbers: Whole, zeros: Whole):
    channel, item, groups = numbers[3], x.itemsize, panels.shape[0]
    share = x.shape[1] // groups * channel * item
    for u in range(len(work)):
        first, count, begin, end = work[u]
        for n in range(first, first + count):
            base = address_of(planes)
            if numbers[7] and n + 1 < len(x):       # the last vector may reach into the next image
                base = address_of(x[n])
            elif not is_filled(work, u, 1):
                fill(x[n], planes, rows, channel, numbers[4])
            for g in range(groups):
                correlate_tiles(address_of(y[n]), base + g * share, address_of(lines),
                                address_of(panels[g]), bias, g * numbers[0], offsets, segments,
                                begins, numbers, zeros, begin, end)
