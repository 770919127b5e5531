"""Bilinear and nearest sampling of pictures, and its gradients: no tap is written out.

Places are taken a block at a time: the pixels and weights of a block, then all channels with them.
"""

from __future__ import annotations

import numpy as np

from ..gridsample import BICUBIC, NEAREST, REFLECTION, ZEROS
from .compiling import Count, kernel, routine, scalar
from .gridsample import usable
from .scalar import HALF, ONE, TWO, ZERO, choose

BLOCK = 256             # places
FAR, FAR_OUT = np.float32(2**31), np.float32(-10)


@scalar
def reflected(at, low, high):
    """(where it is when the border is a mirror, the slope of that)"""
    span = high - low
    slope = choose(at < low, -ONE, ONE)
    if span == ZERO:
        return ZERO * span, ZERO
    moved = abs(at - low)
    turns, extra = np.floor(moved / span), np.fmod(moved, span)
    if np.fmod(turns, TWO) == ZERO:
        return extra + low, slope
    return high - extra, -slope


@routine
def find_places(coordinates, size, nearest, padding, align, first, part, slope):
    """Of coordinates from -1 to 1: the pixel at or before each, how far beyond it the place is, and
    the slope of that."""
    zero, one, n = part.dtype.type(0), part.dtype.type(1), part.dtype.type(size)
    last, scale = n - one, (n - one) * HALF if align else n * HALF
    shift = zero if align else one * HALF
    for p in range(part.size):
        part[p] = (coordinates[p] + one) * scale - shift
        slope[p] = scale
    if padding == REFLECTION:
        for p in range(part.size):
            part[p], way = reflected(part[p], -shift, last + shift)
            slope[p] *= way
    if padding != ZEROS:
        for p in range(part.size):
            at = part[p]
            slope[p] = choose((at > zero) & (at < last), slope[p], zero)
            part[p] = choose(at > zero, choose(at < last, at, last), zero)         # nan: 0
    for p in range(part.size):
        at = part[p]
        low = np.rint(at) if nearest else np.floor(at)
        first[p] = np.int64(choose(abs(low) < FAR, low, FAR_OUT * one))
        part[p] = at - low


@routine
def find_taps(grid, columns, rows, width, height, nearest, padding, align, pixels, inside, weights,
              slopes):
    """Of these places: pixels (taps, places), whether they are inside, the weights and their
    slopes by x and y; outside these are 0."""
    count = len(grid)
    left, beyond, by_x = columns[0][:count], columns[1][:count], columns[2][:count]
    top, below, by_y = rows[0][:count], rows[1][:count], rows[2][:count]
    find_places(grid[:, 0], width, nearest, padding, align, left, beyond, by_x)
    find_places(grid[:, 1], height, nearest, padding, align, top, below, by_y)
    zero, one = weights.dtype.type(0), weights.dtype.type(1)
    for t in range(pixels.shape[0]):
        lower, right = t // 2, t % 2
        sign_x, sign_y = one if right else -one, one if lower else -one
        for p in range(count):
            i, j = top[p] + lower, left[p] + right
            good_row, good_column = (i >= 0) & (i < height), (j >= 0) & (j < width)
            pixels[t, p] = choose(good_row, i, 0) * width + choose(good_column, j, 0)
            inside[t, p] = good_row & good_column
            share = choose(good_row & good_column, one, zero)              # nan stays
            across = beyond[p] if right else one - beyond[p]
            down = below[p] if lower else one - below[p]
            weights[t, p] = share if nearest else share * (down * across)
            slopes[0, t, p] = share * (down * (by_x[p] * sign_x))
            slopes[1, t, p] = share * (across * (by_y[p] * sign_y))


@scalar
def room(real):
    """For one axis of the places of a block."""
    return np.empty(BLOCK, np.int64), np.empty(BLOCK, real), np.empty(BLOCK, real)


@kernel
def sample(x, grid, out, height: Count, width: Count, nearest: Count, padding: Count,
           align: Count):
    """x (N, C, H * W), grid (N, P, 2), out (N, C, P)"""
    taps = 1 if nearest else 4
    pixels, inside = np.empty((taps, BLOCK), np.int64), np.empty((taps, BLOCK), np.bool_)
    weights, slopes = np.empty((taps, BLOCK), x.dtype), np.empty((2, taps, BLOCK), x.dtype)
    columns, rows = room(x.dtype), room(x.dtype)
    for n in range(len(x)):
        for first in range(0, out.shape[2], BLOCK):
            count = min(BLOCK, out.shape[2] - first)
            find_taps(grid[n, first:first + count], columns, rows, width, height, nearest,
                      padding, align, pixels, inside, weights, slopes)
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
    weights, slopes = np.empty((taps, BLOCK), x.dtype), np.empty((2, taps, BLOCK), x.dtype)
    columns, rows = room(x.dtype), room(x.dtype)
    along = np.empty((taps, BLOCK), x.dtype)
    for n in range(len(g)):
        for first in range(0, g.shape[2], BLOCK):
            count = min(BLOCK, g.shape[2] - first)
            find_taps(grid[n, first:first + count], columns, rows, width, height, nearest,
                      padding, align, pixels, inside, weights, slopes)
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
                        by_x += along[t, p] * slopes[0, t, p]
                        by_y += along[t, p] * slopes[1, t, p]
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
