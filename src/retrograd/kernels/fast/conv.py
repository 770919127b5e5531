"""Convolutions without unfolding: tiles read the padded input where it lies.

An image is copied into padded planes, one for each residue of the stride. There each kernel element
meets one unbroken run of a plane for all results of the image, and a convolution is a product whose
right matrix has a row for each channel and kernel element, at a known offset: `row_of_tiles`. A run
also passes over the few positions between one row of results and the next; these are left out when
results are collected. The gradient of the weights is the same product turned round: `rows_of_sums`.
"""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product

import numpy as np

from .. import conv as plain
from ..layout import like
from .compiling import Part, Whole, kernel, routine, scalar_sums
from .tile import BYTES, ROWS, TAPS, VECTORS, lanes, row_of_tiles, rows_of_sums

CHUNKS = 16        # of images: each has planes of its own
BLOCK = 16         # tiles of a row of tiles that is collected at once
STEPS = 256        # results whose products are added to the weights' gradient at a time
LARGEST = 1 << 16  # weights from which on chunks are fewer, as each has a gradient of its own


class Layout:
    """Planes of an image and what a run meets in them; three spatial axes.

    numbers: what kernels are told. offsets: bytes to the run of each channel and kernel element.
    """

    def __init__(self, itemsize, channels, kernel, stride, padding, dilation, space, out):
        self.kernel = kernel
        ends = [(m - 1) * s + (k - 1) * d for m, s, k, d in zip(out, stride, kernel, dilation,
                                                               strict=True)]
        plane = [end // s + 1 for end, s in zip(ends, stride, strict=True)]
        pad, spill = padding[2], 0
        if stride == (1, 1, 1) and pad > 0:     # the next row's padding serves as this one's
            shared = max(pad + space[2], ends[2] + 1 - pad, out[2])
            plane[2], spill = shared, max(0, ends[2] + 1 - shared)
        size = math.prod(plane)
        self.channel = size * math.prod(stride) + spill
        self.run = ((out[0] - 1) * plane[1] + out[1] - 1) * plane[2] + out[2]
        self.slack = VECTORS * BYTES // itemsize
        taps = []
        for k in product(*map(range, kernel)):
            which = start = 0
            for i, d, s, p in zip(k, dilation, stride, plane, strict=True):
                which, start = which * s + i * d % s, start * p + i * d // s
            taps.append(which * size + start)
        self.offsets = np.add.outer(np.arange(channels) * self.channel, taps).ravel() * itemsize
        self.numbers = [*space, *stride, *padding, *plane, *out, self.channel, self.run]


@lru_cache(maxsize=256)
def layout(itemsize, channels, kernel, stride, padding, dilation, space, out):
    lead = 3 - len(kernel)
    sizes = ((1,) * lead + tuple(v) for v in (kernel, stride))
    rest = ((1,) * lead + tuple(v) for v in (dilation, space, out))
    return Layout(itemsize, channels, *sizes, (0,) * lead + tuple(padding), *rest)


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
    places = [0, *steps_of(y_shape[2:])]
    return y if write_correlation(x, w, y, places, stride, padding, dilation, groups, b,
                                  y_shape[2:]) else None


def spread(g, w, x_shape, stride, padding, dilation, groups, b=None):
    """See kernels.conv: a correlation of g for each residue of positions to the stride."""
    if not taken(g, w, x_shape) or not np.isfinite(w).all():
        return None
    turned = w.reshape(groups, -1, *w.shape[1:]).swapaxes(1, 2)
    turned = turned.reshape(-1, *turned.shape[2:])
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
        weights = turned[(slice(None), slice(None), *elements)]
        places = [sum(s * t for s, t in zip(starts, steps, strict=True)),
                  *(t * s for t, s in zip(steps, stride, strict=True))]
        write_correlation(g, weights, x, places, (1,) * len(begin), begin, spacing, groups, b,
                          counts)
    return x


def correlate_weight(g, x, w_shape, stride, padding, dilation, groups):
    """See kernels.conv."""
    if not taken(x, g, w_shape):
        return None
    x, stride = met(x, w_shape[2:], stride, padding)
    x, g = np.ascontiguousarray(x), np.ascontiguousarray(g)
    images, share, outputs = len(x), w_shape[1], w_shape[0] // groups
    lay = layout(x.itemsize, share, w_shape[2:], stride, padding, dilation, x.shape[2:],
                 g.shape[2:])
    numbers = np.array([*lay.numbers, groups, 0, 0, 0, 0], np.int64)
    chunk = -(-images // (CHUNKS if math.prod(w_shape) < LARGEST else 4))
    parts = -(-images // chunk)
    planes = np.zeros((parts, x.shape[1] * lay.channel + lay.slack), x.dtype)
    flat_x, flat_g = x.reshape(images, x.shape[1], -1), g.reshape(images, g.shape[1], -1)
    if share == outputs == 1:
        total = np.zeros((parts, groups, lay.offsets.size), x.dtype)
        lines = np.zeros((parts, lay.run), x.dtype)
        channel_weights(flat_x, flat_g, planes, lines, total, lay.offsets, numbers,
                        chunk=chunk)
        result = total.sum(0)
    else:
        vectors = 1 if outputs <= lanes(x.dtype) else 2
        wide = vectors * lanes(x.dtype)
        offsets = np.append(lay.offsets, np.zeros(-lay.offsets.size % TAPS, np.int64))
        total = np.zeros((parts, groups, -(-outputs // wide), offsets.size, wide), x.dtype)
        turned = np.zeros((parts, total.shape[2], lay.run, wide), x.dtype)
        weights_of_images(flat_x, flat_g, planes, turned, total, offsets, numbers, chunk=chunk)
        total = total.sum(0)[:, :, :lay.offsets.size]            # (G, blocks, C/G * k, wide)
        result = total.swapaxes(2, 3).reshape(groups, -1, lay.offsets.size)[:, :outputs]
    if not np.isfinite(result).all():       # perhaps by what lies between rows
        return None
    return np.ascontiguousarray(result).reshape(w_shape)


def taken(x, w, out_shape):
    """Whether there is a kernel for these; one image alone is left to the threads of the BLAS."""
    return (x.dtype.char in "fd" and w.dtype is x.dtype and len(x) > 1
            and math.prod(out_shape) > 0 and x.size > 0 and w.size > 0)


def met(x, kernel, stride, padding):
    """x without what a kernel of one element steps over, and the stride that is left."""
    alone = [k == 1 and p == 0 for k, p in zip(kernel, padding, strict=True)]
    hops = (slice(None, None, s if only else 1) for s, only in zip(stride, alone, strict=True))
    left = tuple(1 if only else s for s, only in zip(stride, alone, strict=True))
    return x[(slice(None), slice(None), *hops)], left


def steps_of(space):
    """Distances between neighbours along each axis of an image's channel."""
    return [math.prod(space[i + 1:]) for i in range(len(space))]


def write_correlation(x, w, y, places, stride, padding, dilation, groups, b, out):
    """The correlation of x and w at some of the positions of y: start and steps in a channel."""
    x = np.ascontiguousarray(x)
    images, share, outputs = len(x), w.shape[1], w.shape[0] // groups
    lay = layout(x.itemsize, share, w.shape[2:], tuple(stride), tuple(padding), tuple(dilation),
                 x.shape[2:], tuple(out))
    numbers = [*lay.numbers, groups, places[0], *(0,) * (4 - len(places)), *places[1:]]
    numbers = np.array(numbers, np.int64)
    chunk = -(-images // CHUNKS)
    parts = -(-images // chunk)
    planes = np.zeros((parts, x.shape[1] * lay.channel + lay.slack), x.dtype)
    bias = np.zeros(w.shape[0], x.dtype) if b is None else np.ascontiguousarray(b, x.dtype)
    flat_x, flat_y = x.reshape(images, x.shape[1], -1), y.reshape(images, y.shape[1], -1)
    if share == outputs == 1:
        lines = np.empty((parts, 1, lay.run), x.dtype)
        weights = np.ascontiguousarray(w).reshape(groups, -1)
        correlate_channels(flat_x, flat_y, planes, lines, weights, bias, lay.offsets, numbers,
                           chunk=chunk)
        return True
    blocks = -(-outputs // ROWS)
    panels = np.zeros((groups, blocks * ROWS, lay.offsets.size), x.dtype)
    panels[:, :outputs] = w.reshape(groups, outputs, -1)
    panels = panels.reshape(groups, blocks, ROWS, -1).swapaxes(2, 3)
    lines = np.empty((parts, ROWS, BLOCK * lay.slack), x.dtype)
    correlate_images(flat_x, flat_y, planes, lines, np.ascontiguousarray(panels), bias,
                     lay.offsets, numbers, chunk=chunk)
    return True


# --------------------------------------------------------------------------- compiled

@routine
def fill(x, planes, numbers):
    """Copy an image, (C, D * H * W), into its planes; the padding stays as it is."""
    d_size, h_size, w_size = numbers[0], numbers[1], numbers[2]
    s_d, s_h, s_w = numbers[3], numbers[4], numbers[5]
    p_d, p_h, p_w = numbers[6], numbers[7], numbers[8]
    n_d, n_h, n_w = numbers[9], numbers[10], numbers[11]
    size, channel = n_d * n_h * n_w, numbers[15]
    for c in range(x.shape[0]):
        for d in range(d_size):
            i_d, r_d = (d + p_d) // s_d, (d + p_d) % s_d
            if i_d < 0 or i_d >= n_d:
                continue
            for h in range(h_size):
                i_h, r_h = (h + p_h) // s_h, (h + p_h) % s_h
                if i_h < 0 or i_h >= n_h:
                    continue
                source = (d * h_size + h) * w_size
                for r_w in range(s_w):
                    first = (r_w - p_w) % s_w
                    i_w = (first + p_w) // s_w
                    if i_w < 0:
                        first, i_w = first - i_w * s_w, 0
                    count = min((w_size - first + s_w - 1) // s_w, n_w - i_w)
                    start = (c * channel + ((r_d * s_h + r_h) * s_w + r_w) * size
                             + (i_d * n_h + i_h) * n_w + i_w)
                    if count <= 0:
                        continue
                    target, line = planes[start:start + count], x[c, source + first:]
                    if s_w == 1:
                        for i in range(count):
                            target[i] = line[i]
                    else:
                        for i in range(count):
                            target[i] = line[i * s_w]


@routine
def collect(lines, begin, end, y, first, count, bias, numbers):
    """Results `begin` to `end` of a run, to where they belong in y, plus bias."""
    n_h, n_w, m_d, m_h, m_w = numbers[10], numbers[11], numbers[12], numbers[13], numbers[14]
    at, t_d, t_h, t_w = numbers[18], numbers[19], numbers[20], numbers[21]
    q = begin
    while q < end:
        row, w = q // n_w, q % n_w
        d, h = row // n_h, row % n_h
        length = min(end - q, n_w - w)
        if w < m_w and h < m_h and d < m_d:
            kept = min(length, m_w - w)
            place = at + d * t_d + h * t_h + w * t_w
            for o in range(count):
                added = bias[first + o]
                target, line = y[first + o, place:], lines[o, q - begin:]
                if t_w == 1:
                    for i in range(kept):
                        target[i] = line[i] + added
                else:
                    for i in range(kept):
                        target[i * t_w] = line[i] + added
        q += length


@kernel
def correlate_images(x, y, planes: Part, lines: Part, panels: Whole, bias: Whole, offsets: Whole,
                     numbers: Whole):
    groups, blocks, count = panels.shape[:3]
    item, run, outputs = x.itemsize, numbers[16], y.shape[1] // groups
    share = x.shape[1] // groups * numbers[15]
    for n in range(len(x)):
        fill(x[n], planes, numbers)
        for g in range(groups):
            for begin in range(0, run, lines.shape[1]):
                end = min(run, begin + lines.shape[1])
                for block in range(blocks):
                    panel = (g * blocks + block) * count * ROWS
                    row_of_tiles(x.dtype.type(0), lines.ctypes.data, lines.shape[1] * item,
                                 panels.ctypes.data + panel * item, ROWS * item,
                                 planes.ctypes.data + (g * share + begin) * item,
                                 offsets.ctypes.data, count, item, end - begin)
                    collect(lines, begin, end, y[n], g * outputs + block * ROWS,
                            min(ROWS, outputs - block * ROWS), bias, numbers)


@kernel
def correlate_channels(x, y, planes: Part, lines: Part, weights: Whole, bias: Whole,
                       offsets: Whole, numbers: Whole):
    run, channel, item = numbers[16], numbers[15], x.itemsize
    line = lines[0]
    for n in range(len(x)):
        fill(x[n], planes, numbers)
        for c in range(x.shape[1]):
            for k in range(weights.shape[1]):
                start, weight = c * channel + offsets[k] // item, weights[c, k]
                source = planes[start:start + run]
                if k == 0:
                    for q in range(run):
                        line[q] = weight * source[q]
                else:
                    for q in range(run):
                        line[q] += weight * source[q]
            collect(lines, 0, run, y[n], c, 1, bias, numbers)


@routine
def lay_out(g, turned, numbers):
    """Results (O, M) as runs, channels innermost; what lies between rows stays as it is.

    turned: (blocks, run, channels of a block).
    """
    n_h, n_w, m_d, m_h, m_w = numbers[10], numbers[11], numbers[12], numbers[13], numbers[14]
    wide = turned.shape[2]
    for d in range(m_d):
        for h in range(m_h):
            start, source = (d * n_h + h) * n_w, (d * m_h + h) * m_w
            for o in range(g.shape[0]):
                line, into = g[o, source:source + m_w], turned[o // wide, start:start + m_w]
                at = o % wide
                for w in range(m_w):
                    into[w, at] = line[w]


@kernel
def weights_of_images(x, g, planes: Part, turned: Part, total: Part, offsets: Whole,
                      numbers: Whole):
    groups, blocks, count, wide = total.shape
    item, run, outputs = x.itemsize, numbers[16], g.shape[1] // total.shape[0]
    share = x.shape[1] // groups * numbers[15]
    for n in range(len(x)):
        fill(x[n], planes, numbers)
        for i in range(groups):
            lay_out(g[n, i * outputs:(i + 1) * outputs], turned, numbers)
            base = planes.ctypes.data + i * share * item
            for begin in range(0, run, STEPS):
                steps = min(STEPS, run - begin)
                for block in range(blocks):
                    out = total.ctypes.data + (i * blocks + block) * count * wide * item
                    b = turned.ctypes.data + (block * run + begin) * wide * item
                    rows_of_sums(x.dtype.type(0), out, wide * item, base + begin * item,
                                 offsets.ctypes.data, b, wide * item, steps, count)


@scalar_sums
def dot(x, y):
    total = x.dtype.type(0)
    for i in range(x.size):
        total += x[i] * y[i]
    return total


@kernel
def channel_weights(x, g, planes: Part, lines: Part, total: Part, offsets: Whole, numbers: Whole):
    run, channel, item = numbers[16], numbers[15], x.itemsize
    for n in range(len(x)):
        fill(x[n], planes, numbers)
        for c in range(x.shape[1]):
            lay_out(g[n, c:c + 1], lines.reshape(1, run, 1), numbers)
            for k in range(offsets.size):
                start = c * channel + offsets[k] // item
                for q in range(0, run, STEPS):
                    stop = min(run, q + STEPS)
                    total[c, k] += dot(planes[start + q:start + stop], lines[q:stop])
