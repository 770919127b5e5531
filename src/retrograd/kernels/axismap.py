"""Sparse linear maps along one axis: padding, pooling by averages and resizing are made of them."""

from __future__ import annotations

import numpy as np


class AxisMap:
    """y[row] += weight * x[col] for each entry, along one axis of an array.

    Entries are grouped into taps in which no row and no column occurs twice, so that a tap is one
    sliced (or indexed) multiply and add. `taps` says how, where the caller knows a grouping that
    turns into slices; otherwise entries are ranked. Weights of None are ones.
    """

    def __init__(self, size_out, size_in, rows, cols, weights=None, taps=None):
        self.shape = (size_out, size_in)
        self._entries = (np.asarray(rows), np.asarray(cols), weights, taps)
        self._forward = self._backward = None

    def apply(self, x, axis):
        """The map along `axis` of x, whose length becomes shape[0]."""
        if self._forward is None:
            rows, cols, weights, taps = self._entries
            self._forward = _taps(rows, cols, weights, _ranks(rows) if taps is None else taps)
        return _apply(x, axis, self.shape[0], self._forward)

    def apply_transposed(self, g, axis):
        """The transposed map along `axis` of g, whose length becomes shape[1]."""
        if self._backward is None:
            rows, cols, weights, taps = self._entries
            self._backward = _taps(cols, rows, weights, _ranks(cols) if taps is None else taps)
        return _apply(g, axis, self.shape[1], self._backward)


def apply_maps(x, maps, transposed=False):
    """One map (or None) for each of the last axes of x, in turn."""
    for i, m in enumerate(maps):
        if m is not None:
            axis = x.ndim - len(maps) + i
            x = m.apply_transposed(x, axis) if transposed else m.apply(x, axis)
    return x


def _apply(x, axis, size, taps):
    y = None
    lead = (slice(None),) * axis
    for rows, cols, weights, complete in taps:
        part = x[(*lead, cols)]
        if weights is not None:
            part = part * weights.astype(x.dtype).reshape(-1, *(1,) * (x.ndim - axis - 1))
        if y is None and complete:
            y = np.array(part, order="C", subok=False)
            continue
        if y is None:
            y = np.zeros((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype)
        y[(*lead, rows)] += part
    if y is None:
        y = np.zeros((*x.shape[:axis], size, *x.shape[axis + 1 :]), x.dtype)
    return y


def _ranks(rows):
    """How many entries of the same row came before each entry."""
    order = np.argsort(rows, kind="stable")
    counts = np.bincount(rows) if rows.size else np.zeros(0, int)
    ranks = np.empty_like(order)
    ranks[order] = np.arange(rows.size) - np.repeat(np.cumsum(counts) - counts, counts)
    return ranks


def _taps(rows, cols, weights, taps):
    size = rows.max(initial=-1) + 1
    found = []
    for t in np.unique(taps):
        chosen = np.flatnonzero(taps == t)
        chosen = chosen[np.argsort(rows[chosen], kind="stable")]
        r, c = rows[chosen], cols[chosen]
        w = None if weights is None else weights[chosen]
        found.append((_as_slice(r), _as_slice(c), w, r.size))
    full = max((n for *_, n in found), default=0)
    found.sort(key=lambda tap: -tap[3])  # stable: a tap that covers every row comes first
    return [(r, c, w, n == full == size and _covers(r, size)) for r, c, w, n in found]


def _covers(rows, size):
    return isinstance(rows, slice) and rows.start == 0 and rows.step == 1


def _as_slice(index):
    """The slice that an evenly rising index is, or the index itself."""
    if index.size == 1:
        return slice(int(index[0]), int(index[0]) + 1, 1)
    step = int(index[1] - index[0])
    if step > 0 and (np.diff(index) == step).all():
        return slice(int(index[0]), int(index[-1]) + 1, step)
    return index
