"""Bilinear and nearest sampling of pictures, and its gradients: no tap is written out.

Places are taken a block at a time: the pixels and weights of a block, then all channels with them.
"""

from __future__ import annotations

import numpy as np

from ..gridsample import BICUBIC, BORDER, NEAREST, REFLECTION
from .compiling import Count, kernel, routine, scalar
from .gridsample import usable
from .scalar import HALF, ONE, TWO, ZERO

BLOCK = 256             # places
FAR = np.float32(2**31)


@scalar
def reflected(at, low, high):
    """(where it is when the border is a mirror, the slope of that)"""
    span = high - low
    if span == ZERO:
        return ZERO * at, ZERO * at
    slope = -ONE if at < low else ONE
    moved = abs(at - low)
    turns, extra = np.floor(moved / span), np.fmod(moved, span)
    if np.fmod(turns, TWO) == ZERO:
        return extra + low, slope
    return high - extra, -slope


@scalar
def position(coordinate, size, padding, align):
    """(the place in pixels that a coordinate from -1 to 1 means, the slope of that)"""
    if align:
        slope = (size - ONE) * HALF
        at = (coordinate + ONE) * slope
        low, high = ZERO, size - ONE
    else:
        slope = size * HALF
        at = ((coordinate + ONE) * size - ONE) * HALF
        low, high = -HALF, size - HALF
    if padding == REFLECTION:
        at, way = reflected(at, low, high)
        slope *= way
    if padding == REFLECTION or padding == BORDER:
        last = size - ONE
        if not (at > ZERO and at < last):
            slope = ZERO * size
        if at != at or at < ZERO:
            at = ZERO * size
        elif at > last:
            at = last
    return at, slope


@routine
def find_taps(grid, first, count, height, width, nearest, padding, align, pixels, inside, weights,
              slopes):
    """Of places first .. first + count: pixels (taps, count), whether they are inside, the weights
    and their slopes by x and y; outside these are 0."""
    real = grid.dtype.type
    for p in range(count):
        x, by_x = position(grid[first + p, 0], real(width), padding, align)
        y, by_y = position(grid[first + p, 1], real(height), padding, align)
        left, top = (np.rint(x), np.rint(y)) if nearest else (np.floor(x), np.floor(y))
        right_part, lower_part = x - left, y - top
        column = np.int64(left) if abs(left) < FAR else -10
        row = np.int64(top) if abs(top) < FAR else -10
        for t in range(pixels.shape[0]):
            lower, right = t // 2, t % 2
            i, j = row + lower, column + right
            good_row, good_column = 0 <= i < height, 0 <= j < width
            pixels[t, p] = (i if good_row else 0) * width + (j if good_column else 0)
            inside[t, p] = good_row and good_column
            share = ONE if inside[t, p] else ZERO              # nan stays
            across = right_part if right else ONE - right_part
            down = lower_part if lower else ONE - lower_part
            weights[t, p] = share if nearest else share * (down * across)
            slopes[t, p, 0] = share * (down * (by_x if right else -by_x))
            slopes[t, p, 1] = share * (across * (by_y if lower else -by_y))


@kernel
def sample(x, grid, out, height: Count, width: Count, nearest: Count, padding: Count,
           align: Count):
    """x (N, C, H * W), grid (N, P, 2), out (N, C, P)"""
    taps = 1 if nearest else 4
    pixels, inside = np.empty((taps, BLOCK), np.int64), np.empty((taps, BLOCK), np.bool_)
    weights, slopes = np.empty((taps, BLOCK), x.dtype), np.empty((taps, BLOCK, 2), x.dtype)
    for n in range(len(x)):
        for first in range(0, out.shape[2], BLOCK):
            count = min(BLOCK, out.shape[2] - first)
            find_taps(grid[n], first, count, height, width, nearest, padding, align, pixels,
                      inside, weights, slopes)
            for c in range(x.shape[1]):
                plane, values = x[n, c], out[n, c, first:first + count]
                if nearest:
                    for p in range(count):
                        values[p] = plane[pixels[0, p]] * weights[0, p]
                else:
                    for p in range(count):
                        values[p] = plane[pixels[0, p]] * weights[0, p] \
                            + plane[pixels[1, p]] * weights[1, p] \
                            + plane[pixels[2, p]] * weights[2, p] \
                            + plane[pixels[3, p]] * weights[3, p]


@kernel
def spread(g, x, grid, to_x, to_grid, height: Count, width: Count, nearest: Count, padding: Count,
           align: Count):
    """The gradients of `sample`; an array without elements is not wanted."""
    taps = 1 if nearest else 4
    pixels, inside = np.empty((taps, BLOCK), np.int64), np.empty((taps, BLOCK), np.bool_)
    weights, slopes = np.empty((taps, BLOCK), x.dtype), np.empty((taps, BLOCK, 2), x.dtype)
    along = np.empty((taps, BLOCK), x.dtype)
    for n in range(len(g)):
        for first in range(0, g.shape[2], BLOCK):
            count = min(BLOCK, g.shape[2] - first)
            find_taps(grid[n], first, count, height, width, nearest, padding, align, pixels,
                      inside, weights, slopes)
            along[:] = ZERO
            for c in range(g.shape[1]):
                values = g[n, c, first:first + count]
                if to_x.size:
                    plane = to_x[n, c]
                    for p in range(count):
                        for t in range(taps):
                            weight = weights[t, p] if inside[t, p] else ZERO
                            plane[pixels[t, p]] += values[p] * weight
                if to_grid.size and not nearest:
                    plane = x[n, c]
                    for t in range(taps):
                        for p in range(count):
                            along[t, p] += values[p] * plane[pixels[t, p]]
            if to_grid.size and not nearest:
                for p in range(count):
                    by_x = by_y = x.dtype.type(0)
                    for t in range(taps):
                        by_x += along[t, p] * slopes[t, p, 0]
                        by_y += along[t, p] * slopes[t, p, 1]
                    to_grid[n, first + p, 0] = by_x
                    to_grid[n, first + p, 1] = by_y


def grid_sampler_2d_of(x, grid, interpolation_mode, padding_mode, align_corners, orders=None):
    if interpolation_mode == BICUBIC or orders is not None or not usable(x, grid):
        return None
    n, c, height, width = x.shape
    places = grid.reshape(n, -1, 2)
    out = np.empty((n, c, places.shape[1]), x.dtype)
    sample(x.reshape(n, c, -1), places, out, height, width, interpolation_mode == NEAREST,
           padding_mode, align_corners, chunk=1)
    return out.reshape(n, c, *grid.shape[1:-1])


def grid_sampler_backward(g, x, grid, interpolation_mode, padding_mode, align_corners, orders,
                          need):
    if x.ndim != 4 or interpolation_mode == BICUBIC or orders is not None \
            or not usable(x, grid) or g.dtype is not x.dtype:
        return None
    n, c, height, width = x.shape
    places = grid.reshape(n, -1, 2)
    to_x = np.zeros((n, c, height * width if need[0] else 0), x.dtype)
    to_grid = np.zeros((n, places.shape[1] if need[1] else 0, 2), x.dtype)
    spread(np.ascontiguousarray(g).reshape(n, c, -1), x.reshape(n, c, -1), places, to_x, to_grid,
           height, width, interpolation_mode == NEAREST, padding_mode, align_corners, chunk=1)
    return (to_x.reshape(x.shape) if need[0] else None,
            to_grid.reshape(grid.shape) if need[1] else None)
