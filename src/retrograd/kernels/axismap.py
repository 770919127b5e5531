"""Sparse linear maps along one axis: padding, average pooling and resizing are such maps."""

from __future__ import annotations

import math
from functools import cached_property, lru_cache

import numpy as np

from .. import kernels
from . import fast
from .layout import channels_last, like, moved
from .sums import column_sums
from .windows import FEW, gathered, joined

CHANNELS = 8            # that take less time in rows than to be copied to planes and back


class AxisMap:
    """y[row] += weight * x[col] for each entry, along one axis of an array.

    Entries are grouped into taps. In a tap no row occurs twice (no column, for the transpose), so
    that it takes one multiplication and one addition of arrays; these are slices if the indices
    rise evenly. Weights of None are ones.
    """

    def __init__(self, size_out, size_in, rows, cols, weights=None, taps=None):
        self.shape = (size_out, size_in)
        self._forward = Direction(size_out, rows, cols, weights, taps)
        self._backward = Direction(size_in, cols, rows, weights, taps)

    def direction(self, transposed):
        """The map itself, or its transpose."""
        return self._backward if transposed else self._forward

    def apply(self, x, axis):
        """The map along `axis` of x, whose length becomes shape[0]."""
        return kernels.apply_map(x, axis, self._forward)

    def apply_transposed(self, g, axis):
        """The transposed map along `axis` of g, whose length becomes shape[1]."""
        return kernels.apply_map(g, axis, self._backward)


class Direction:
    """One direction of an AxisMap, to an axis of `size`."""

    def __init__(self, size, rows, cols, weights, taps):
        self.size, self._entries = size, (rows, cols, weights, taps)

    @cached_property
    def taps(self):
        return _taps(*self._entries)

    @cached_property
    def by_row(self):
        """Where the entries of each row begin, and the columns and weights of all of them."""
        rows, cols, weights, _ = self._entries
        order = np.argsort(rows, kind="stable")
        starts = np.append(0, np.cumsum(np.bincount(rows, minlength=self.size)))
        weights = np.ones(rows.size) if weights is None else weights[order]
        return starts.astype(np.int64), cols[order].astype(np.int64), weights

    @cached_property
    def padded(self):
        """Columns and weights of each row, (size, taps); where a row has fewer, 0 and nan."""
        starts, cols, weights = self.by_row
        taps = np.arange(np.diff(starts).max(initial=1))
        at = starts[:-1, None] + taps
        there = at < starts[1:, None]
        at[~there] = 0
        if not cols.size:
            return np.zeros(at.shape, np.int64), np.full(at.shape, np.nan)
        return np.where(there, cols[at], 0), np.where(there, weights[at], np.nan)


def rows_of_channels(x):
    """Whether channels lie innermost, and are enough for a loop over them."""
    return x.ndim > 2 and x.shape[1] >= CHANNELS and channels_last(x)


def apply_maps(x, maps, transposed=False):
    """One map (or None) for each of the last axes of x, in turn."""
    dims = len(maps)
    last = dims == x.ndim - 2 and rows_of_channels(x)           # which the maps add up
    by_rows = last and fast.has("apply_map") and x.size >= fast.limit("apply_map")
    if 0 < x.size <= FEW and x.dtype.char in "fd" and not by_rows:
        found = _table_of(tuple(maps), x.shape[x.ndim - dims:], transposed, x.dtype)
        if found is not None and found[0].size * math.prod(x.shape[:-dims]) <= FEW:
            return like(_by_table(x, dims, *found), x)
    y = moved(x, 1, -1) if last else x
    for i, m in enumerate(maps):
        if m is not None:
            axis = x.ndim - len(maps) + i - last
            y = m.apply_transposed(y, axis) if transposed else m.apply(y, axis)
    if maps.count(None) == len(maps):
        return x.copy(order="K")                                # never the input's own memory
    return moved(y, -1, 1) if last else like(y, x)


@lru_cache(maxsize=128)
def _table_of(maps, space, transposed, dtype):
    """Maps of the last axes as a table of windows.py: (table, edge, weights, shape of the result).

    Weights of None are ones. None for a table that is too large.
    """
    places, factors, out = [], [], []
    for m, n in zip(maps, space, strict=True):
        cols, weights = m.direction(transposed).padded if m is not None \
            else (np.arange(n)[:, None], np.ones((n, 1)))
        missing = np.isnan(weights)
        places.append(np.where(missing, -1, cols).T)
        factors.append(np.where(missing, 1, weights).T)
        out.append(len(cols))
    if math.prod(space) == 0 or not 0 < math.prod([at.size for at in places]) <= FEW:
        return None
    weights = 1.0
    for i, factor in enumerate(factors):
        shape = [1] * (2 * len(out))
        shape[i], shape[len(out) + i] = factor.shape
        weights = weights * factor.reshape(shape)
    table, edge = joined(places, space)
    weights = weights.reshape(table.shape).astype(dtype)
    return table, edge, (None if (weights == 1).all() else weights), tuple(out)


def _by_table(x, dims, table, edge, weights, out):
    """The sums of x over its last axes that _table_of() describes."""
    lead = x.ndim - dims
    seen = gathered(x, table, edge, lead)
    if weights is not None:
        seen *= weights
    sums = column_sums(seen) if len(table) > 1 else seen
    return sums.reshape(*x.shape[:lead], *out)


def apply_map(x, axis, direction):
    """A Direction of a map along one axis of x."""
    y, lead, size = None, (slice(None),) * axis, direction.size
    for rows, cols, weights in direction.taps:
        part = x[(*lead, cols)] if isinstance(cols, slice) else x.take(cols, axis)
        if weights is not None:
            part = part * weights.astype(x.dtype).reshape(-1, *(1,) * (x.ndim - axis - 1))
        whole = isinstance(rows, slice) and rows == slice(0, size, 1)
        if y is None and whole and part.base is None:
            y = part
            continue
        if y is None:
            y = np.zeros((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype)
        y[(*lead, rows)] += part
    return np.zeros((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype) if y is None else y


def _taps(rows, cols, weights, taps):
    """(rows, columns, weights) of each tap, by the given numbers or by how often rows repeat."""
    taps = _ranks(rows) if taps is None else taps
    return [_tap(rows, cols, weights, taps == t) for t in np.unique(taps)]


def _ranks(rows):
    """How many entries of the same row came before each entry."""
    order = np.argsort(rows, kind="stable")
    counts = np.bincount(rows) if rows.size else np.zeros(0, int)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(rows.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return ranks


def _tap(rows, cols, weights, chosen):
    rows, cols = rows[chosen], cols[chosen]
    order = np.argsort(rows, kind="stable")
    if weights is not None:
        weights = weights[chosen][order]
    return _as_slice(rows[order]), _as_slice(cols[order]), weights


def _as_slice(index):
    """The slice that an evenly rising index is, or the index itself."""
    if index.size == 1:
        return slice(int(index[0]), int(index[0]) + 1, 1)
    step = int(index[1] - index[0])
    if step > 0 and (np.diff(index) == step).all():
        return slice(int(index[0]), int(index[-1]) + 1, step)
    return index
