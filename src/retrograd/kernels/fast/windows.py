"""Max pooling, and the sparse maps along an axis from which averages and resizing are built."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .. import pool as plain
from ..axismap import rows_of_channels
from ..layout import as_rows, channels_last, empty_last, like
from .compiling import Part, Whole, address_of, kernel, turns
from .picks import largest_of, largest_of_channels, sum_of, sum_of_channels
from .scan import max_dim
from .tile import BYTES, lanes

WORK = 1 << 14         # elements in a chunk
TABLE = 1 << 18        # the most taps (sources of all results) in a table for all axes at once
# What else takes time, in taps: to add one row to another takes as long as ROW of them, and
# another one for every ADDED elements of the row.
ROW, ADDED = 32, 8
SPARSE = 16            # a tap takes twice as long where those of neighbours lie so far apart
PAYS = 1.5             # all axes at once may take so many times as long as one after the other
MORE = 1.25            # ... and add so many times as many rows of channels, as no sums are written
CHAIN = 256            # the most taps of a vector of channels, each of which waits for the last


def max_pool_2d(x, kernel, stride, padding, dilation, ceil_mode):
    """See kernels.pool; also of three dimensions."""
    out = plain.pooled_shape(x.shape[2:], kernel, stride, padding, dilation, ceil_mode)
    return by_table(x, out, plain.window_table, kernel, stride, padding, dilation)


def adaptive_max_pool_2d(x, out):
    """See kernels.pool; also of three dimensions."""
    if math.prod(out) == 1 and x.dtype.char in "fd" and x.flags.carray and x.size:
        return of_planes(x, out)
    return by_table(x, out, plain.adaptive_table)


def of_planes(x, out):
    """The largest of each plane; None for large ones and where one is nan (the last is meant)."""
    found = max_dim(x.reshape(math.prod(x.shape[:2]), -1), 1, False)
    if found is None or np.isnan(found[0]).any():
        return None
    return tuple([a.reshape(*x.shape[:2], *out) for a in found])


def by_table(x, out, make, *windows):
    """Maxima and their places in windows that see what make()'s table (windows, taps) says."""
    if x.dtype.char not in "fd" or 0 in x.shape:
        return None
    vector, space = lanes(x.dtype), x.shape[2:]
    channels = x.shape[1] >= vector and channels_last(x)
    table = table_of(make, 0 if channels else vector, space, *windows, out)
    if table is None:
        return None
    if channels:
        return by_channels(x, out, table)
    planes, shape = x.shape[0] * x.shape[1], (*x.shape[:2], *out)
    best, which = np.empty(shape, x.dtype), np.empty(shape, np.int64)
    chunk = max(1, WORK // max(math.prod(space), table.size))
    last = -(-planes // chunk), vector
    largest_by_table(np.ascontiguousarray(x).reshape(planes, -1), best.reshape(planes, -1),
                     which.reshape(planes, -1), np.empty(last, x.dtype), np.empty(last, np.int64),
                     table, chunk=chunk)
    return like(best, x), like(which, x)


def by_channels(x, out, table):
    """by_table() where channels lie innermost: vectors of them."""
    best, which = (empty_last((*x.shape[:2], *out), dtype) for dtype in (x.dtype, np.int64))
    results = len(x) * len(table)
    largest_channels(turns(results), as_rows(x), as_rows(best).reshape(results, -1),
                     as_rows(which).reshape(results, -1), table,
                     chunk=max(1, WORK // (x.shape[1] * table.shape[1])))
    return best, which


@lru_cache(maxsize=32)
def table_of(make, vector, *windows):
    """columns() of the table that make(*windows) gives, or its rows where `vector` is 0; None if it
    is empty, or none."""
    table = make(*windows)
    if table is None or table.size == 0:
        return None
    return columns(table, vector, np.int32) if vector else table.astype(np.int32)


def columns(table, vector, dtype):
    """The table with a row for each tap, as many columns as fill vectors."""
    turned = np.zeros((table.shape[1], -(-len(table) // vector) * vector), dtype)
    turned[:, :len(table)] = table.T
    return turned


max_pool_3d, adaptive_max_pool_3d = max_pool_2d, adaptive_max_pool_2d


def max_pool_backward(g, indices, x, apart):
    """See kernels.pool."""
    if g.dtype.char not in "fd" or 0 in g.shape:
        return None
    if rows_of_channels(x):
        total = empty_last(x.shape, g.dtype)
        scatter_channels(as_rows(total), as_rows(g), as_rows(indices), chunk=1)
        return total
    planes = math.prod(x.shape[:2])
    total = np.empty(x.shape, g.dtype)
    flat = total.reshape(planes, -1)
    scatter_planes(flat, np.ascontiguousarray(g).reshape(planes, -1),
                   np.ascontiguousarray(indices).reshape(planes, -1),
                   chunk=max(1, WORK // flat.shape[1]))
    return total


def apply_maps(x, maps, transposed=False):
    """See kernels.axismap: all axes in one pass, where that is not slower than one by one."""
    maps = tuple(m.direction(transposed) if m is not None else None for m in maps)
    if x.dtype.char not in "fd" or None in maps or not x.size:
        return None
    channels = len(maps) == x.ndim - 2 and rows_of_channels(x)
    if channels and x.shape[1] < lanes(x.dtype):
        return None
    table, weights = joint_table(maps, x.shape[-len(maps):], x.dtype, channels)
    if table is None:
        return None
    if channels:
        return mapped_channels(x, tuple([m.size for m in maps]), table, weights)
    y = np.empty((*x.shape[:-len(maps)], *(m.size for m in maps)), x.dtype)
    size, count = math.prod(x.shape[-len(maps):]), math.prod(m.size for m in maps)
    mapped(np.ascontiguousarray(x).reshape(-1, size), y.reshape(-1, count), table, weights)
    return like(y, x)


def mapped(x, y, table, weights):
    """Fill the rows of y with weighted sums over those of x."""
    chunk = max(1, WORK // max(x.shape[1], table.size))
    last = np.empty((-(-len(x) // chunk), lanes(x.dtype)), x.dtype)
    sums_by_table(x, y, last, table, weights, chunk=chunk)


def mapped_channels(x, out, table, weights):
    """apply_maps() where channels lie innermost."""
    y, results = empty_last((*x.shape[:2], *out), x.dtype), len(x) * len(table)
    sums_of_channels(turns(results), as_rows(x), as_rows(y).reshape(results, -1), table, weights,
                     chunk=max(1, WORK // (x.shape[1] * table.shape[1])))
    return y


@lru_cache(maxsize=32)
def joint_table(maps, space, dtype, channels=False):
    """(places, weights) of every tap of maps along all axes at once, as columns() or, for
    `channels`, as rows; (None, None) if one map after the other takes less time."""
    each, out = [m.padded for m in maps], [m.size for m in maps]
    taps, count = [places.shape[1] for places, _ in each], math.prod(out)
    together = count * math.prod(taps)
    if channels:
        many = math.prod(taps) > CHAIN or together > MORE * rows_added(taps, space, out)
    else:
        slower = 1 + space[-1] / out[-1] / SPARSE
        many = count < lanes(dtype) or together * slower > PAYS * apart(taps, space, out)
    if many or together > TABLE:
        return None, None
    places, weights = np.zeros((1, 1), np.int32), np.ones((1, 1), dtype)
    for (place, weight), n in zip(each, space, strict=True):
        shape = len(places) * len(place), -1
        place, weight = place[None, :, None], weight[None, :, None]
        places = (places[:, None, :, None] * n + place).reshape(shape)
        weights = (weights[:, None, :, None] * weight).reshape(shape)
    if channels:
        return places.astype(np.int32), weights.astype(dtype)
    vector = lanes(dtype)
    return columns(places, vector, np.int32), columns(weights, vector, dtype)


def rows_added(taps, space, out):
    """How many rows of channels maps add one by one."""
    return sum(math.prod(out[:i + 1]) * math.prod(space[i + 1:]) * taps[i] for i in range(len(out)))


def apart(taps, space, out):
    """How long maps take one after the other, measured in taps: all but the last add rows."""
    last = len(out) - 1
    rows = [math.prod(out[:i + 1]) * math.prod(space[i + 1:last]) for i in range(last)]
    return (math.prod(out) * taps[last]
            + sum(map(math.prod, zip(rows, taps, strict=False))) * (ROW + space[last] / ADDED))


def apply_map(x, axis, direction):
    """See kernels.axismap."""
    size = direction.size
    if x.dtype.char not in "fd" or not x.size or not size:
        return None
    inner = math.prod(x.shape[axis + 1:])
    y = np.empty((*x.shape[:axis], size, *x.shape[axis + 1:]), x.dtype)
    table, weights = joint_table((direction,), x.shape[axis:axis + 1], x.dtype) \
        if inner == 1 else (None, None)
    if table is not None:
        mapped(np.ascontiguousarray(x).reshape(-1, x.shape[axis]), y.reshape(-1, size), table,
               weights)
        return y
    starts, sources, weights = direction.by_row
    lines = np.ascontiguousarray(x).reshape(-1, x.shape[axis], inner)
    sum_of_lines(lines, y.reshape(-1, size, inner), starts, sources, weights.astype(x.dtype),
                 chunk=max(1, WORK // (size * inner)))
    return y


# --------------------------------------------------------------------------- compiled

@kernel
def largest_by_table(x, best, which, last: Part, last_which: Part, table: Whole):
    item, taps, step = x.itemsize, table.shape[0], table.shape[1] * 4
    count, vector = best.shape[1], last.size
    whole = count // vector * vector
    for i in range(len(x)):
        plane, at = address_of(x[i]), address_of(table)
        for j in range(0, whole, vector):
            largest_of(x.dtype.type(0), plane, at + j * 4, step, taps,
                       address_of(best[i]) + j * item, address_of(which[i]) + j * 8)
        if whole < count:
            largest_of(x.dtype.type(0), plane, at + whole * 4, step, taps, address_of(last),
                       address_of(last_which))
            for j in range(whole, count):
                best[i, j], which[i, j] = last[j - whole], last_which[j - whole]


@kernel
def largest_channels(results, x: Whole, best, which, table: Whole):
    """The results of these numbers, (images, results of an image), over x (images, places,
    channels). A last vector that is not whole ends with the last channel."""
    item, taps, count, vector = x.itemsize, table.shape[1], best.shape[1], BYTES // x.itemsize
    image, row = results[0] // len(table), results[0] % len(table)
    for i in range(len(best)):
        plane, places = address_of(x[image]), address_of(table[row])
        values, found = address_of(best[i]), address_of(which[i])
        for c in range(0, count, vector):
            first = min(c, count - vector)
            largest_of_channels(x.dtype.type(0), plane + first * item, places, count * item, taps,
                                values + first * item, found + first * 8)
        row += 1
        if row == len(table):
            image, row = image + 1, 0


@kernel
def sums_by_table(x, y, last: Part, table: Whole, weights: Whole):
    item, taps, step = x.itemsize, table.shape[0], table.shape[1] * 4
    count, vector = y.shape[1], last.size
    whole = count // vector * vector
    for i in range(len(x)):
        plane, at, weight = address_of(x[i]), address_of(table), address_of(weights)
        for j in range(0, whole, vector):
            sum_of(x.dtype.type(0), plane, at + j * 4, weight + j * item, step, taps,
                   address_of(y[i]) + j * item)
        if whole < count:
            sum_of(x.dtype.type(0), plane, at + whole * 4, weight + whole * item, step, taps,
                   address_of(last))
            for j in range(whole, count):
                y[i, j] = last[j - whole]


@kernel
def sums_of_channels(results, x: Whole, y, table: Whole, weights: Whole):
    """As largest_channels."""
    item, taps, count, vector = x.itemsize, table.shape[1], y.shape[1], BYTES // x.itemsize
    image, row = results[0] // len(table), results[0] % len(table)
    for i in range(len(y)):
        plane, places = address_of(x[image]), address_of(table[row])
        weight, sums = address_of(weights[row]), address_of(y[i])
        for c in range(0, count, vector):
            first = min(c, count - vector) * item
            sum_of_channels(x.dtype.type(0), plane + first, places, weight, count * item, taps,
                            sums + first)
        row += 1
        if row == len(table):
            image, row = image + 1, 0


@kernel
def scatter_planes(total, g, indices):
    for i in range(len(total)):
        plane, values, places = total[i], g[i], indices[i]
        plane[:] = 0
        for j in range(values.size):
            plane[places[j]] += values[j]


@kernel
def scatter_channels(total, g, indices):
    """(images, positions, channels)"""
    for i in range(len(total)):
        image, channels = total[i].reshape(-1), total.shape[2]
        image[:] = 0
        for j in range(g.shape[1]):
            values, places = g[i, j], indices[i, j]
            for c in range(channels):
                image[places[c] * channels + c] += values[c]


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
