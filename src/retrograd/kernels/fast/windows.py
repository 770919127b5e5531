"""Pooling by maximum, and the sparse maps along an axis that averages and resizing are made of."""

from __future__ import annotations

import math

import numpy as np

from .. import pool as plain
from ..conv import meeting
from ..layout import like
from .compiling import Part, Whole, kernel, scalar
from .scalar import choose

WORK = 1 << 14         # elements in a chunk


def max_pool_2d(x, kernel, stride, padding, dilation, ceil_mode):
    """See kernels.pool; also of three dimensions."""
    if x.dtype.char not in "fd" or 0 in x.shape:
        return None
    sizes = list(zip(x.shape[2:], kernel, stride, padding, dilation, strict=True))
    out = [plain.pooled_size(*size, ceil_mode) for size in sizes]
    if min(out) < 1:
        return None
    lead = 3 - len(sizes)
    numbers = np.array([(1, 1, 1, 0, 1, 1)] * lead
                       + [(*size, m) for size, m in zip(sizes, out, strict=True)], np.int64)
    planes = math.prod(x.shape[:2])
    best, which = (np.empty((*x.shape[:2], *out), dtype) for dtype in (x.dtype, np.int64))
    chunk = max(1, WORK // math.prod(x.shape[2:]))
    n, k, s, p, d = sizes[-1]
    met = [meeting(i * d - p, s, n, out[-1])[0] for i in range(k)]
    spans = np.array([(results.start, results.stop) for results in met])    # by kernel column
    lines = np.empty((-(-planes // chunk), out[-1]), np.int32)
    largest_of_windows(np.ascontiguousarray(x).reshape(planes, -1), best.reshape(planes, -1),
                       which.reshape(planes, -1), lines, numbers, spans, chunk=chunk)
    return like(best, x), like(which, x)


max_pool_3d = max_pool_2d


def max_pool_backward(g, indices, x, apart):
    """See kernels.pool."""
    if g.dtype.char not in "fd" or 0 in g.shape:
        return None
    planes = math.prod(x.shape[:2])
    total = np.zeros(x.shape, g.dtype)
    flat = total.reshape(planes, -1)
    scatter_planes(flat, np.ascontiguousarray(g).reshape(planes, -1),
                   np.ascontiguousarray(indices).reshape(planes, -1),
                   chunk=max(1, WORK // flat.shape[1]))
    return total


def apply_map(x, axis, direction):
    """See kernels.axismap."""
    size = direction.size
    if x.dtype.char not in "fd" or not x.size or not size:
        return None
    starts, sources, weights = direction.by_row
    inner = math.prod(x.shape[axis + 1:])
    y = np.empty((*x.shape[:axis], size, *x.shape[axis + 1:]), x.dtype)
    lines = np.ascontiguousarray(x).reshape(-1, x.shape[axis], inner)
    sum_of_lines(lines, y.reshape(-1, size, inner), starts, sources, weights.astype(x.dtype),
                 chunk=max(1, WORK // (size * inner)))
    return y


# --------------------------------------------------------------------------- compiled

@scalar
def first_inside(start, spacing):
    """The first of start, start + spacing, ... that is not negative."""
    return start if start >= 0 else start + -(start // spacing) * spacing


@scalar
def keep_larger(values, best, places, start, stride):
    """Every so many of `values`, where larger than best, or nan, and their places."""
    if stride == 1:
        keep_each(values, best, places, start, 1)
    elif stride == 2:
        keep_each(values, best, places, start, 2)
    else:
        keep_each(values, best, places, start, stride)


@scalar
def keep_each(values, best, places, start, stride):
    place, step = np.int32(start), np.int32(stride)
    for w in range(best.size):
        value, before, old = values[w * stride], best[w], places[w]
        better = (value > before) | (value != value)
        best[w] = choose(better, value, before)
        places[w] = choose(better, place, old)
        place = np.int32(place + step)


@scalar
def largest_of_row(plane, best, which, lines, d, h, numbers, spans):
    """The maxima of a row of windows, and where they are in the plane."""
    n_d, n_h, n_w = numbers[0, 0], numbers[1, 0], numbers[2, 0]
    stride, padding, spacing = numbers[2, 2], numbers[2, 3], numbers[2, 4]
    low_d = d * numbers[0, 2] - numbers[0, 3]
    low_h = h * numbers[1, 2] - numbers[1, 3]
    first = (first_inside(low_d, numbers[0, 4]) * n_h + first_inside(low_h, numbers[1, 4])) * n_w
    for w in range(best.size):
        best[w] = -np.inf
        lines[w] = first + first_inside(w * stride - padding, spacing)
    for k_d in range(numbers[0, 1]):
        at_d = low_d + k_d * numbers[0, 4]
        if at_d < 0 or at_d >= n_d:
            continue
        for k_h in range(numbers[1, 1]):
            at_h = low_h + k_h * numbers[1, 4]
            if at_h < 0 or at_h >= n_h:
                continue
            row = (at_d * n_h + at_h) * n_w
            for k_w in range(numbers[2, 1]):
                begin, end = spans[k_w, 0], spans[k_w, 1]
                if begin < end:
                    start = row + k_w * spacing - padding + begin * stride
                    keep_larger(plane[start:], best[begin:end], lines[begin:end], start, stride)
    for w in range(best.size):
        which[w] = lines[w]


@kernel
def largest_of_windows(x, best, which, lines: Part, numbers: Whole, spans: Whole):
    m_d, m_h, m_w = numbers[0, 5], numbers[1, 5], numbers[2, 5]
    for i in range(len(x)):
        for d in range(m_d):
            for h in range(m_h):
                at = (d * m_h + h) * m_w
                largest_of_row(x[i], best[i, at:at + m_w], which[i, at:at + m_w], lines, d, h,
                               numbers, spans)


@kernel
def scatter_planes(total, g, indices):
    for i in range(len(total)):
        plane, values, places = total[i], g[i], indices[i]
        for j in range(values.size):
            plane[places[j]] += values[j]


@kernel
def sum_of_lines(x, y, starts: Whole, sources: Whole, weights: Whole):
    inner = x.shape[2]
    for i in range(len(x)):
        for row in range(y.shape[1]):
            begin, end = starts[row], starts[row + 1]
            if inner == 1:
                total = x.dtype.type(0)
                for e in range(begin, end):
                    total += weights[e] * x[i, sources[e], 0]
                y[i, row, 0] = total
                continue
            line = y[i, row]
            for j in range(inner):
                line[j] = 0
            for e in range(begin, end):
                weight, source = weights[e], x[i, sources[e]]
                for j in range(inner):
                    line[j] += weight * source[j]
