"""Sparse linear maps along one axis: padding, pooling by averages and resizing are made of them."""

from __future__ import annotations

import numpy as np

from .layout import like


class AxisMap:
    """y[row] += weight * x[col] for each entry, along one axis of an array.

    Entries are grouped into taps in which no row and no column occurs twice, so that a tap is one
    multiply and add, mostly of slices, in either direction. Weights of None are ones.
    """

    def __init__(self, size_out, size_in, rows, cols, weights=None, taps=None):
        self.shape = (size_out, size_in)
        if taps is None:
            taps = _ranks(rows) * size_out + _ranks(cols)
        self._taps = [_tap(rows, cols, weights, taps == t) for t in np.unique(taps)]

    def apply(self, x, axis):
        """The map along `axis` of x, whose length becomes shape[0]."""
        return _apply(x, axis, self.shape[0], self._taps)

    def apply_transposed(self, g, axis):
        """The transposed map along `axis` of g, whose length becomes shape[1]."""
        return _apply(g, axis, self.shape[1], [(c, r, w) for r, c, w in self._taps])


def apply_maps(x, maps, transposed=False):
    """One map (or None) for each of the last axes of x, in turn."""
    y = x
    for i, m in enumerate(maps):
        if m is not None:
            axis = x.ndim - len(maps) + i
            y = m.apply_transposed(y, axis) if transposed else m.apply(y, axis)
    return like(y, x) if y is not x else x.copy(order="K")      # never the input's own memory


def _apply(x, axis, size, taps):
    y = np.zeros((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype)
    lead = (slice(None),) * axis
    for rows, cols, weights in taps:
        part = x[(*lead, cols)]
        if weights is not None:
            part = part * weights.astype(x.dtype).reshape(-1, *(1,) * (x.ndim - axis - 1))
        y[(*lead, rows)] += part
    return y


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
