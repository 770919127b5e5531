"""Convolutions of few elements, for which calls take longer than arithmetic: see windows.py.

Arguments are those of `conv.py`, float32 or float64.
"""

from __future__ import annotations

import math

import numpy as np

from .sums import sum_of
from .windows import few, gathered, seeing, seen


def takes(a, b, kernel, windows):
    """Whether these are two arrays of one dtype, and `a` has few windows."""
    return b.dtype is a.dtype and few(a, kernel, windows)


def correlate(x, w, y_shape, stride, padding, dilation, groups, b=None):
    """See conv.correlate."""
    windows = _windows(x, w.shape[2:], y_shape[2:], stride, padding, dilation, groups)
    y = np.matmul(w.reshape(groups, -1, windows.shape[2]), windows)    # (N, G, O/G, results)
    y = y.reshape(y_shape)
    if b is not None:
        y += b.reshape(-1, *(1,) * (y.ndim - 2))
    return y


def spread(g, w, x_shape, stride, padding, dilation, groups):
    """See conv.spread; None where a weight is not finite, which must not meet what lies beyond
    the edge of g."""
    if not math.isfinite(sum_of(w)):
        return None
    table, edge = seeing(w.shape[2:], x_shape[2:], g.shape[2:], stride, padding, dilation)
    share = w.shape[1]
    turned = w.reshape(groups, -1, share, len(table)).swapaxes(1, 2)   # (G, C/G, O/G, taps)
    results = gathered(g, table, edge).reshape(len(g), groups, -1, table.shape[1])
    return np.matmul(turned.reshape(groups, share, -1), results).reshape(x_shape)


def correlate_weight(g, x, w_shape, stride, padding, dilation, groups):
    """See conv.correlate_weight."""
    windows = _windows(x, w_shape[2:], g.shape[2:], stride, padding, dilation, groups)
    parts = g.reshape(len(g), groups, -1, windows.shape[3])            # (N, G, O/G, results)
    each = np.matmul(parts, windows.swapaxes(2, 3))
    return (each[0] if len(each) == 1 else np.add.reduce(each)).reshape(w_shape)


def _windows(x, kernel, out, stride, padding, dilation, groups):
    """What each result sees: (N, C, *space) -> (N, G, C/G * taps, results)."""
    table, edge = seen(kernel, x.shape[2:], out, stride, padding, dilation)
    if len(table) == 1 and not edge and x.shape[2:] == out:
        return x.reshape(len(x), groups, -1, table.size)     # a 1x1 kernel visits each place once
    return gathered(x, table, edge).reshape(len(x), groups, -1, table.shape[1])
