"""Sampling of images at fractional positions, and its gradients: no tap is written out.

Places are taken a block at a time: of a block the taps along each axis, then their combinations,
the pixels with their weights and slopes, then all channels with them.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..gridsample import BICUBIC, NEAREST, REFLECTION, ZEROS
from .compiling import Count, Part, Whole, address_of, kernel, routine, scalar
from .draw import fma
from .gridsample import usable
from .lazy import intrinsic, types
from .scalar import HALF, ONE, THREE, TWO, ZERO, choose
from .tile import BYTES, Tile, copy_even, llvm_type, scaled

BLOCK = 256             # places
CHUNKS = 8              # of images
TAPS = 2, 1, 4          # along an axis, by mode
FAR, FAR_OUT = np.float32(2**31), np.float32(-10)
FOUR, FIVE, EIGHT, TEN = map(np.float32, (4, 5, 8, 10))
INTEGERS = {"f": np.int32, "d": np.int64}     # of pixels: as large as the numbers
SHARPNESS = np.float32(-0.75)           # of cubic interpolation


@scalar
def reflected(at, low, high):
    """(where it is when the border is a mirror, the slope of that)"""
    span = high - low
    twice, moved = span + span, abs(at - low)
    extra = moved - np.floor(moved / twice) * twice
    back = extra > span
    place, slope = choose(back, twice - extra, extra) + low, choose(back != (at < low), -ONE, ONE)
    return choose(span == ZERO, ZERO * span, place), choose(span == ZERO, ZERO, slope)


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
    """A place; one outside for what is far outside or not a number."""
    return choose(abs(at) < FAR, at, FAR_OUT * one)


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
def take_column(grid, axis, column):
    """Coordinates along an axis of the first places of a grid, side by side."""
    dims, item, vector = grid.shape[1], grid.itemsize, BYTES // grid.itemsize
    first = address_of(grid) + axis * item
    for p in range(0, column.size, vector if dims == 2 else 1):
        if dims == 2:
            copy_even(grid.dtype.type(0), address_of(column) + p * item, first + 2 * p * item,
                      min(vector, column.size - p))
        else:
            column[p] = grid[p, axis]


@routine
def find_along(places, size, step, plane, mode, padding, align, wanted, at, weight, slope, room):
    """Of coordinates from -1 to 1, the taps along an axis: pixels (`step` apart), weights and, if
    wanted, slopes (taps, places).

    Positions are rounded as in kernels.gridsample: product and sum at once in a plane; elsewhere
    they are in loops of their own, so that the compiler cannot join them. room: for two numbers of
    each place.
    """
    zero, one, n = weight.dtype.type(0), weight.dtype.type(1), weight.dtype.type(size)
    integer = at.dtype.type
    scale, shift = (n - one) * HALF if align else n * HALF, zero if align else one * HALF
    count = places.size
    changes, taps = room[0][:count], room[1][:count]
    grown, factor, part = choose(plane, one, scale / HALF), choose(plane, scale, one), (
        choose(plane, one, one * HALF))
    for p in range(count):
        places[p] = (places[p] + one) * grown
    for p in range(count):
        places[p] = fma(places[p], factor, -shift / part) * part
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
                at[t, p] = integer(whole(taps[p], one))
    else:
        confine(places, size, padding, align, changes)
        for p in range(count):
            low = np.rint(places[p]) if mode == NEAREST else np.floor(places[p])
            at[0, p] = integer(whole(low, one))
            part = places[p] - low
            weight[0, p] = one if mode == NEAREST else one - part
            taps[p] = part
        for p in range(count if len(at) > 1 else 0):
            at[1, p], weight[1, p] = integer(at[0, p] + integer(1)), taps[p]
        for t in range(len(at) if wanted else 0):
            factor = zero if mode == NEAREST else weight.dtype.type(2 * t - 1)
            for p in range(count):
                slope[t, p] = factor * changes[p]
    for t in range(len(at)):
        keep_inside(at[t, :count], weight[t], slope[t, :count if wanted else 0], size, step)


@routine
def keep_inside(at, weight, slope, size, step):
    """Weights and slopes of taps outside become 0, or stay nan; pixels lie `step` apart."""
    zero, one, none = weight.dtype.type(0), weight.dtype.type(1), at.dtype.type(0)
    size, step = at.dtype.type(size), at.dtype.type(step)
    for p in range(slope.size):
        slope[p] *= choose((at[p] >= none) & (at[p] < size), one, zero)
    for p in range(at.size):
        inside = (at[p] >= none) & (at[p] < size)
        weight[p] *= choose(inside, one, zero)
        at[p] = at.dtype.type(choose(inside, at[p], none) * step)


@routine
def find_taps(grid, sizes, mode, padding, align, wanted, taps, integers, numbers):
    """Of these places: the pixels, weights and, if wanted, slopes of all taps, in the room for
    them; see `room_for`."""
    count, dims, step = len(grid), sizes.size, 1
    each, every = dims * taps, taps ** dims
    weight, slope, room = numbers, numbers[each:2 * each], numbers[2 * each:2 * each + 3]
    pixels, weights = integers[each:], numbers[2 * each + 3:]
    slopes = weights[every:]
    for d in range(dims - 1, -1, -1):
        take_column(grid, dims - 1 - d, room[2, :count])
        find_along(room[2, :count], sizes[d], step, dims == 2, mode, padding, align, wanted,
                   integers[d * taps:(d + 1) * taps], weight[d * taps:], slope[d * taps:], room)
        step *= sizes[d]
    before = taps           # taps along all axes but those to come, the last of which are new
    for d in range(1, dims):
        pixel, share = (pixels, weights) if d > 1 else (integers, weight)
        for t in range(before * taps - 1, -1, -1):
            k = d * taps + t % taps
            combine(pixel[t // taps, :count], integers[k], pixels[t], share[t // taps], weight[k],
                    weights[t])
        for e in range(dims if wanted else 0):
            given = slopes[e * every:] if d > 1 else weight if e else slope
            factors = slope if e == d else weight
            for t in range(before * taps - 1, -1, -1):
                multiply(given[t // taps, :count], factors[d * taps + t % taps],
                         slopes[e * every + t])
        before *= taps


@scalar
def combine(pixel, at, pixels, share, weight, weights):
    """Pixels and weights of a pair of taps, of which one may be the result."""
    for p in range(pixel.size):
        pixels[p] = pixels.dtype.type(pixel[p] + at[p])
        weights[p] = share[p] * weight[p]


@scalar
def multiply(given, factor, products):
    for p in range(given.size):
        products[p] = given[p] * factor[p]


@intrinsic
def weighted_vector(typingctx, like, to, plane, pixels, weights, taps, count):
    """`count` numbers, a vector of them or less: the sums over taps of the plane's numbers at
    `pixels`, times weights; of each tap these are BLOCK numbers further on."""
    def codegen(context, builder, signature, args):
        _, to, plane, pixels, weights, taps, count = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)

        def terms(k):
            along = scaled(builder, k, BLOCK * tile.size)
            return ([tile.picked(plane, builder.add(pixels, along))],
                    tile.vectors_at(builder.add(weights, along)))
        tile.run(taps, [tile.zero], terms)
        tile.store_some(to, tile.sums[0], tile.first_lanes(count))
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 6), codegen


@intrinsic
def add_picked(typingctx, like, sums, values, plane, pixels, count):
    """Add to a vector of sums so many values times the plane's numbers at `pixels`."""
    def codegen(context, builder, signature, args):
        _, sums, values, plane, pixels, count = args
        tile = Tile(builder, llvm_type(signature.args[0]), 1, 1)
        values = tile.load_some(values, tile.first_lanes(count))
        products = builder.fmul(values, tile.picked(plane, pixels))
        tile.store(sums, [builder.fadd(*tile.vectors_at(sums), products)])
        return context.get_dummy_value()
    return types.void(like, *[types.int64] * 5), codegen


# The inner loops of the two kernels below: compiled into them, as numbers' functions are.

@scalar
def weighted_sums(plane, pixels, weights, values):
    """values[p] = the sum over taps t of plane[pixels[t, p]] weights[t, p]."""
    zero, item = values.dtype.type(0), values.itemsize
    for p in range(0, values.size, BYTES // item):
        weighted_vector(zero, address_of(values) + p * item, address_of(plane),
                        address_of(pixels) + p * item, address_of(weights) + p * item,
                        len(weights), values.size - p)


@scalar
def clear_nan(weights, count):
    """What is nan, is outside: no weight."""
    for t in range(weights.shape[0]):
        for p in range(count):
            weights[t, p] = choose(weights[t, p] == weights[t, p], weights[t, p], ZERO)


@scalar
def add_to_plane(values, pixels, weights, plane):
    """The transpose of `weighted_sums`, added to the plane."""
    for p in range(values.size):
        for t in range(len(weights)):
            plane[pixels[t, p]] += values[p] * weights[t, p]


@scalar
def add_products(values, pixels, plane, sums):
    """Add what the gradient of a weight is by this plane: values[p] plane[pixels[t, p]]."""
    zero, item = values.dtype.type(0), values.itemsize
    for t in range(len(sums)):
        for p in range(0, values.size, BYTES // item):
            add_picked(zero, address_of(sums[t]) + p * item, address_of(values) + p * item,
                       address_of(plane), address_of(pixels[t]) + p * item, values.size - p)


@scalar
def total_slopes(sums, slopes, totals):
    """totals[p, d] = the sum over taps t of sums[t, p] slopes[d, t, p]; dimensions in reverse."""
    (count, dims), taps = totals.shape, len(sums)
    for d in range(dims):
        for p in range(count):
            slopes[d * taps, p] *= sums[0, p]
        for t in range(1, taps):
            for p in range(count):
                slopes[d * taps, p] += sums[t, p] * slopes[d * taps + t, p]
        for p in range(count):
            totals[p, dims - 1 - d] = slopes[d * taps, p]


@kernel
def sample(x, grid, out, sizes: Whole, integers: Part, numbers: Part, mode: Count, padding: Count,
           align: Count, taps: Count):
    """x (N, C, S), grid (N, P, dims), out (N, C, P); sizes: integers as large as x's numbers"""
    each, every = sizes.size * taps, taps ** sizes.size
    pixels, weights = integers[each:], numbers[2 * each + 3:]
    for n in range(len(x)):
        for first in range(0, out.shape[2], BLOCK):
            count = min(BLOCK, out.shape[2] - first)
            find_taps(grid[n, first:first + count], sizes, mode, padding, align, False, taps,
                      integers, numbers)
            for c in range(x.shape[1]):
                weighted_sums(x[n, c], pixels, weights[:every], out[n, c, first:first + count])


@kernel
def spread(g, x, grid, to_x, to_grid, sizes: Whole, integers: Part, numbers: Part, mode: Count,
           padding: Count, align: Count, taps: Count):
    """The gradients of `sample`; an array without elements is not wanted."""
    dims, wanted = sizes.size, to_grid.size > 0 and mode != NEAREST
    each, every = dims * taps, taps ** dims
    pixels, room = integers[each:], numbers[2 * each + 3:]
    weights, slopes, sums = room[:every], room[every:], room[(1 + dims) * every:]
    for n in range(len(g)):
        for first in range(0, g.shape[2], BLOCK):
            count = min(BLOCK, g.shape[2] - first)
            find_taps(grid[n, first:first + count], sizes, mode, padding, align, wanted, taps,
                      integers, numbers)
            for t in range(len(sums)):
                for p in range(BLOCK):
                    sums[t, p] = ZERO
            if padding == ZEROS:
                clear_nan(weights, count)
            for c in range(x.shape[1]):
                values = g[n, c, first:first + count]
                if to_x.size:
                    add_to_plane(values, pixels, weights, to_x[n, c])
                if wanted:
                    add_products(values, pixels, x[n, c], sums)
            if wanted:
                total_slopes(sums, slopes, to_grid[n, first:first + count])


@lru_cache(maxsize=64)
def room_for(images, space, char, mode, wanted):
    """The space as sizes; shapes of the room for the taps of a block of places, integers and
    numbers, for each chunk of images; how many images and how many taps along an axis these are.

    integers: for the pixels of the taps along each axis, and of all taps. numbers: for the weights
    along each axis, their slopes, three numbers of each place; for the weights of all taps, and if
    wanted their slopes along each axis and sums.
    """
    dims, taps, chunk = len(space), TAPS[mode], -(-images // CHUNKS)
    each, every, chunks = dims * taps, taps ** dims, -(-images // chunk)
    rows = 2 * each + 3 + every * (2 + dims if wanted else 1)
    return (np.array(space, INTEGERS[char]), (chunks, each + every, BLOCK), (chunks, rows, BLOCK),
            chunk, taps)


def grid_sampler_2d_of(x, grid, interpolation_mode, padding_mode, align_corners, orders=None):
    x, grid = np.ascontiguousarray(x), np.ascontiguousarray(grid)
    if orders is not None or not usable(x, grid):
        return None
    (n, c, *_), space = x.shape, x.shape[2:]
    sizes, whole, real, chunk, taps = room_for(n, space, x.dtype.char, interpolation_mode, False)
    out = np.empty((n, c, *grid.shape[1:-1]), x.dtype)
    sample(x.reshape(n, c, -1), grid.reshape(n, -1, len(space)), out.reshape(n, c, -1), sizes,
           np.zeros(whole, sizes.dtype), np.empty(real, x.dtype), interpolation_mode, padding_mode,
           align_corners, taps, chunk=chunk)
    return out if finite(out) or finite(x) else None


def finite(a):
    """Whether all numbers are finite, and their squares; images of others are NumPy's kernels'."""
    return math.isfinite(np.vdot(a, a))


grid_sampler_3d_of = grid_sampler_2d_of


def grid_sampler_backward(g, x, grid, interpolation_mode, padding_mode, align_corners, orders,
                          need):
    x, grid = np.ascontiguousarray(x), np.ascontiguousarray(grid)
    if orders is not None or not usable(x, grid) or g.dtype is not x.dtype:
        return None
    (n, c, *_), space = x.shape, x.shape[2:]
    sizes, whole, real, chunk, taps = room_for(n, space, x.dtype.char, interpolation_mode, need[1])
    places = grid.reshape(n, -1, len(space))
    to_x = np.zeros((n, c, x[0, 0].size if need[0] else 0), x.dtype)
    to_grid = np.zeros((n, places.shape[1] if need[1] else 0, len(space)), x.dtype)
    spread(np.ascontiguousarray(g).reshape(n, c, -1), x.reshape(n, c, -1), places, to_x, to_grid,
           sizes, np.zeros(whole, sizes.dtype), np.empty(real, x.dtype), interpolation_mode,
           padding_mode, align_corners, taps, chunk=chunk)
    if not finite(to_grid) and not finite(x):
        return None
    return (to_x.reshape(x.shape) if need[0] else None,
            to_grid.reshape(grid.shape) if need[1] else None)
