"""Sampling of images at fractional positions, and its gradients: no tap is written out.

Places are taken a block at a time: of a block the taps along each axis, then their combinations,
the pixels with their weights and slopes, then all channels with them.
"""

from __future__ import annotations

import numpy as np

from ..gridsample import BICUBIC, NEAREST, REFLECTION, ZEROS
from .compiling import Count, Whole, kernel, routine, scalar
from .gridsample import usable
from .scalar import HALF, ONE, THREE, TWO, ZERO, choose

BLOCK = 256             # places
FAR, FAR_OUT = np.float32(2**31), np.float32(-10)
FOUR, FIVE, EIGHT, TEN = map(np.float32, (4, 5, 8, 10))
SHARPNESS = np.float32(-0.75)           # of cubic interpolation


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


@scalar
def cubic(x):
    """Keys' cubic convolution at distance x: (weight, slope)."""
    a, far = SHARPNESS, abs(x)
    near = far <= ONE
    weight = choose(near, ((a + TWO) * far - (a + THREE)) * far * far + ONE,
                    ((a * far - FIVE * a) * far + EIGHT * a) * far - FOUR * a)
    slope = choose(near, (THREE * (a + TWO) * far - TWO * (a + THREE)) * far,
                   (THREE * a * far - TEN * a) * far + EIGHT * a)
    return weight, choose(x < ZERO, -slope, slope)


@scalar
def whole(at, one):
    """A place as an integer; what is far outside or not a number stays outside."""
    return np.int64(choose(abs(at) < FAR, at, FAR_OUT * one))


@routine
def confine(places, size, padding, align, slopes):
    """Move places into the image as the padding says; multiply the slopes by the slope of that."""
    zero, one = places.dtype.type(0), places.dtype.type(1)
    last, shift = places.dtype.type(size) - one, zero if align else one * HALF
    if padding == REFLECTION:
        for p in range(places.size):
            places[p], way = reflected(places[p], -shift, last + shift)
            slopes[p] *= way
    if padding != ZEROS:
        for p in range(places.size):
            at = places[p]
            slopes[p] = choose((at > zero) & (at < last), slopes[p], zero)
            places[p] = choose(at > zero, choose(at < last, at, last), zero)         # nan: 0


@routine
def find_along(coordinates, size, mode, padding, align, at, weight, slope, room):
    """Of coordinates from -1 to 1, the taps along an axis: pixels, weights, slopes (taps, places).

    room: for three numbers of each place.
    """
    zero, one, n = weight.dtype.type(0), weight.dtype.type(1), weight.dtype.type(size)
    scale, shift = (n - one) * HALF if align else n * HALF, zero if align else one * HALF
    count = coordinates.size
    places, changes, taps = room[0][:count], room[1][:count], room[2][:count]
    for p in range(count):
        places[p] = (coordinates[p] + one) * scale - shift
        changes[p] = scale
    if mode == BICUBIC:
        for t in range(4):
            beyond = weight.dtype.type(t - 1)
            for p in range(count):
                low = np.floor(places[p])
                weight[t, p], change = cubic(places[p] - low - beyond)
                taps[p], slope[t, p] = low + beyond, change * scale
            confine(taps, size, padding, align, changes)
            for p in range(count):
                at[t, p] = whole(taps[p], one)
        return
    confine(places, size, padding, align, changes)
    for p in range(count):
        low = np.rint(places[p]) if mode == NEAREST else np.floor(places[p])
        at[0, p] = whole(low, one)
        part = places[p] - low
        weight[0, p] = one if mode == NEAREST else one - part
        slope[0, p] = zero if mode == NEAREST else -changes[p]
        taps[p] = part
    for t in range(1, len(at)):
        for p in range(count):
            at[t, p], weight[t, p], slope[t, p] = at[0, p] + 1, taps[p], changes[p]


@routine
def keep_inside(at, weight, slope, size, step):
    """Weights and slopes of taps outside become 0, or stay nan; pixels lie `step` apart."""
    zero, one = weight.dtype.type(0), weight.dtype.type(1)
    for p in range(at.size):
        inside = (at[p] >= 0) & (at[p] < size)
        share = choose(inside, one, zero)
        at[p] = choose(inside, at[p], 0) * step
        weight[p] *= share
        slope[p] *= share


@routine
def find_taps(grid, sizes, mode, padding, align, along, pixels, weights, slopes):
    """Of these places: pixels (taps, places), the weights and their slopes along each axis.

    along: for pixels, weights and slopes along each axis, and for their numbers.
    """
    at, weight, slope, room = along
    count, dims, taps, step = len(grid), sizes.size, at.shape[1], 1
    for d in range(dims - 1, -1, -1):
        find_along(grid[:, dims - 1 - d], sizes[d], mode, padding, align, at[d], weight[d],
                   slope[d], room)
        for t in range(taps):
            keep_inside(at[d, t, :count], weight[d, t], slope[d, t], sizes[d], step)
        step *= sizes[d]
    for t in range(pixels.shape[0]):
        for d in range(dims):
            k = t // taps ** (dims - 1 - d) % taps
            for p in range(count):
                pixels[t, p] = pixels[t, p] + at[d, k, p] if d else at[d, k, p]
                weights[t, p] = weights[t, p] * weight[d, k, p] if d else weight[d, k, p]
            for e in range(slopes.shape[0]):
                factor = slope[d, k] if e == d else weight[d, k]
                for p in range(count):
                    slopes[e, t, p] = slopes[e, t, p] * factor[p] if d else factor[p]


@scalar
def room_along(dims, mode, like):
    """`along` for `find_taps`."""
    taps = 4 if mode == BICUBIC else 1 if mode == NEAREST else 2
    return (np.empty((dims, taps, BLOCK), np.int64), np.empty((dims, taps, BLOCK), like.dtype),
            np.empty((dims, taps, BLOCK), like.dtype), np.empty((3, BLOCK), like.dtype))


# The inner loops of the two kernels below: compiled into them, as numbers' functions are.

@scalar
def weighted_sums(plane, pixels, weights, values):
    """values[p] = the sum over taps t of plane[pixels[t, p]] weights[t, p]; one tap, or fours."""
    taps, count = pixels.shape[0], values.size
    if taps == 1:
        for p in range(count):
            values[p] = plane[pixels[0, p]] * weights[0, p]
    for t in range(0, taps - 3, 4):
        for p in range(count):
            four = plane[pixels[t, p]] * weights[t, p] \
                + plane[pixels[t + 1, p]] * weights[t + 1, p] \
                + plane[pixels[t + 2, p]] * weights[t + 2, p] \
                + plane[pixels[t + 3, p]] * weights[t + 3, p]
            values[p] = values[p] + four if t else four


@scalar
def clear_nan(weights, count):
    """What is nan, is outside: no weight."""
    for t in range(weights.shape[0]):
        for p in range(count):
            if weights[t, p] != weights[t, p]:
                weights[t, p] = ZERO


@scalar
def add_to_plane(values, pixels, weights, plane):
    """The transpose of `weighted_sums`, added to the plane."""
    for p in range(values.size):
        for t in range(pixels.shape[0]):
            plane[pixels[t, p]] += values[p] * weights[t, p]


@scalar
def add_products(values, pixels, plane, sums):
    """Add what the gradient of a weight is by this plane: values[p] plane[pixels[t, p]]."""
    for t in range(pixels.shape[0]):
        for p in range(values.size):
            sums[t, p] += values[p] * plane[pixels[t, p]]


@scalar
def total_slopes(sums, slopes, totals):
    """totals[p, d] = the sum over taps t of sums[t, p] slopes[d, t, p]; dimensions in reverse."""
    count, dims = totals.shape
    for d in range(dims):
        for p in range(count):
            slopes[d, 0, p] *= sums[0, p]
        for t in range(1, len(sums)):
            for p in range(count):
                slopes[d, 0, p] += sums[t, p] * slopes[d, t, p]
        for p in range(count):
            totals[p, dims - 1 - d] = slopes[d, 0, p]


@kernel
def sample(x, grid, out, sizes: Whole, mode: Count, padding: Count, align: Count):
    """x (N, C, S), grid (N, P, dims), out (N, C, P)"""
    along = room_along(sizes.size, mode, x)
    taps = along[0].shape[1] ** sizes.size
    pixels, weights = np.empty((taps, BLOCK), np.int64), np.empty((taps, BLOCK), x.dtype)
    slopes = np.empty((0, taps, BLOCK), x.dtype)
    for n in range(len(x)):
        for first in range(0, out.shape[2], BLOCK):
            count = min(BLOCK, out.shape[2] - first)
            find_taps(grid[n, first:first + count], sizes, mode, padding, align, along, pixels,
                      weights, slopes)
            for c in range(x.shape[1]):
                weighted_sums(x[n, c], pixels, weights, out[n, c, first:first + count])


@kernel
def spread(g, x, grid, to_x, to_grid, sizes: Whole, mode: Count, padding: Count, align: Count):
    """The gradients of `sample`; an array without elements is not wanted."""
    dims = sizes.size if to_grid.size else 0
    along = room_along(sizes.size, mode, x)
    taps = along[0].shape[1] ** sizes.size
    pixels, weights = np.empty((taps, BLOCK), np.int64), np.empty((taps, BLOCK), x.dtype)
    slopes, sums = np.empty((dims, taps, BLOCK), x.dtype), np.empty((taps, BLOCK), x.dtype)
    for n in range(len(g)):
        for first in range(0, g.shape[2], BLOCK):
            count = min(BLOCK, g.shape[2] - first)
            find_taps(grid[n, first:first + count], sizes, mode, padding, align, along, pixels,
                      weights, slopes)
            sums[:] = ZERO
            if padding == ZEROS:
                clear_nan(weights, count)
            for c in range(x.shape[1]):
                values = g[n, c, first:first + count]
                if to_x.size:
                    add_to_plane(values, pixels, weights, to_x[n, c])
                if dims and mode != NEAREST:
                    add_products(values, pixels, x[n, c], sums)
            if dims and mode != NEAREST:
                total_slopes(sums, slopes, to_grid[n, first:first + count])


def grid_sampler_2d_of(x, grid, interpolation_mode, padding_mode, align_corners, orders=None):
    if orders is not None or not usable(x, grid):
        return None
    n, c, *space = x.shape
    places = grid.reshape(n, -1, len(space))
    out = np.empty((n, c, places.shape[1]), x.dtype)
    sample(x.reshape(n, c, -1), places, out, np.array(space), interpolation_mode, padding_mode,
           align_corners, chunk=1)
    return out.reshape(n, c, *grid.shape[1:-1])


grid_sampler_3d_of = grid_sampler_2d_of


def grid_sampler_backward(g, x, grid, interpolation_mode, padding_mode, align_corners, orders,
                          need):
    if orders is not None or not usable(x, grid) or g.dtype is not x.dtype:
        return None
    n, c, *space = x.shape
    places = grid.reshape(n, -1, len(space))
    to_x = np.zeros((n, c, x[0, 0].size if need[0] else 0), x.dtype)
    to_grid = np.zeros((n, places.shape[1] if need[1] else 0, len(space)), x.dtype)
    spread(np.ascontiguousarray(g).reshape(n, c, -1), x.reshape(n, c, -1), places, to_x, to_grid,
           np.array(space), interpolation_mode, padding_mode, align_corners, chunk=1)
    return (to_x.reshape(x.shape) if need[0] else None,
            to_grid.reshape(grid.shape) if need[1] else None)
