"""The order of dimensions in memory: results of image operators keep their input's."""

from __future__ import annotations

import numpy as np


def channels_last(x) -> bool:
    """Whether the strides of (N, C, *space), two or three in space, put the channels innermost.

    Where sizes of 1 leave it open, the ordinary order is meant.
    """
    if x.ndim not in (4, 5) or x.flags.c_contiguous or x.strides[1] == 0:
        return False
    least = 0
    for d in (1, *range(x.ndim - 1, 1, -1), 0):
        size, stride = x.shape[d], x.strides[d]
        if size == 0 or stride < least or d == 0 and least == x.strides[1]:
            return False
        least = stride * size if size > 1 else stride
    return True


def dense_order(x) -> list[int]:
    """x's dimensions from the outermost in memory to the innermost.

    A dimension that repeats its elements (stride 0) has no place of its own and stays where it is.
    """
    order = list(range(x.ndim - 1, -1, -1))     # the innermost first
    for i in range(1, x.ndim):
        for j in range(i - 1, -1, -1):
            inner, outer = x.strides[order[j]], x.strides[order[i]]
            if 0 in (inner, outer):
                continue
            if inner < outer:
                break
            if inner > outer or x.shape[order[j]] > x.shape[order[i]]:
                order[i], order[j] = order[j], order[i]
                i = j
    return order[::-1]


def like(y, *inputs):
    """y with its channels innermost in memory if those of an input are."""
    if not any(map(channels_last, inputs)):
        return y
    out = np.moveaxis(np.empty((y.shape[0], *y.shape[2:], y.shape[1]), y.dtype), -1, 1)
    out[...] = y
    return out
