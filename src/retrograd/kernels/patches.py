"""Convolutions whose windows lie side by side, like a patch embedding's: one matrix product.

The windows of such an image are the image itself in another order, so nothing is unfolded. A single
window along an axis counts, too: that of a kernel that covers the image, or of a transposed
convolution of one pixel.
"""

from __future__ import annotations

import math

import numpy as np

from .layout import moved
from .matmul import mm

WIDE = 8          # copying pays if so many numbers of a window lie side by side
FEW = 4           # or if there are so many channels, whatever the window


def side_by_side(w_shape, stride, padding, dilation, out, groups):
    """Whether windows neither overlap nor reach into padding; `out` counts them along each axis."""
    channels, *kernel = w_shape[1:]
    if groups != 1 or any(padding) or math.prod(kernel) == 1 \
            or kernel[-1] < WIDE and channels > FEW and set(out) != {1}:
        return False
    return all(m == 1 and d == 1 or k == s and d == 1
               for k, s, d, m in zip(kernel, stride, dilation, out, strict=True))


def correlate(x, w, out, b=None):
    """(N, C, *space), (O, C, *kernel), how many windows -> (N, O, *out)"""
    y = mm(windows(x, w.shape[2:], out), w.reshape(len(w), -1).T)        # (N windows, O)
    if b is not None:
        y += b
    y = y.reshape(len(x), math.prod(out), len(w)).swapaxes(1, 2)
    return np.ascontiguousarray(y).reshape(len(x), len(w), *out)


def spread(g, w, x_shape):
    """(N, O, *out), (O, C, *kernel) -> (N, C, *space)"""
    kernel, out = w.shape[2:], g.shape[2:]
    x = np.empty(x_shape, g.dtype)
    inside = tuple(slice(m * k) for m, k in zip(out, kernel, strict=True))
    if any(m * k < n for m, k, n in zip(out, kernel, x_shape[2:], strict=True)):
        x[...] = 0
    parts = mm(rows_of(g), w.reshape(len(w), -1))                        # (N windows, C taps)
    count = len(kernel)
    parts = parts.reshape(len(g), *out, x_shape[1], *kernel)
    order = [0, count + 1, *(a for d in range(count) for a in (d + 1, count + 2 + d))]
    x[:, :, *inside] = parts.transpose(order).reshape(*x_shape[:2], *(
        m * k for m, k in zip(out, kernel, strict=True)))
    return x


def correlate_weight(g, x, w_shape):
    """(N, O, *out), (N, C, *space) -> (O, C, *kernel)"""
    return mm(rows_of(g).T, windows(x, w_shape[2:], g.shape[2:])).reshape(w_shape)


def rows_of(g):
    """(N, O, *out) -> (N windows, O)"""
    return moved(g, 1, -1).reshape(-1, g.shape[1])


def windows(x, kernel, out):
    """(N, C, *space) -> (N windows, C taps)"""
    count = len(kernel)
    inside = tuple(slice(m * k) for m, k in zip(out, kernel, strict=True))
    cut = x[:, :, *inside].reshape(*x.shape[:2], *(
        n for pair in zip(out, kernel, strict=True) for n in pair))
    order = [0, *range(2, 2 * count + 2, 2), 1, *range(3, 2 * count + 3, 2)]
    return cut.transpose(order).reshape(len(x) * math.prod(out), x.shape[1] * math.prod(kernel))
