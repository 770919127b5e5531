"""Sampling of images at fractional positions, in two and three dimensions."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import product

import numpy as np

from . import fast
from .fma import FUSED, multiply_add
from .half import check_floating
from .pool import scatter_add
from .ranges import linspace

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)
FEW = 1 << 14        # the most pixels whose places in affine_grid are kept for the next call


def grid_sampler_2d_of(x, grid, interpolation_mode, padding_mode, align_corners, orders=None):
    """x (N, C, *space) at grid (N, *out, dims), positions in [-1, 1], last axis first.

    With `orders`, derivatives of it: so many times along each axis of space.
    """
    label = "grid_sampler_2d_cpu_kernel_impl" if x.ndim == 4 else "grid_sampler3d_cpu"
    check_floating(label, x.dtype)
    modes = interpolation_mode, padding_mode, align_corners
    index, weight, inside, _ = _taps(x, grid, modes, orders)
    y = fast.either("grid_values", grid_values)(_flat(x), index, weight)
    if not np.isfinite(y).all():
        y = values_inside(_flat(x), index, weight, inside)
    return y.reshape(*x.shape[:2], *grid.shape[1:-1])


grid_sampler_3d_of = grid_sampler_2d_of


def grid_sampler_backward(
    g, x, grid, interpolation_mode, padding_mode, align_corners, orders, need
):
    """Gradients with respect to x and grid (None where not needed)."""
    modes = interpolation_mode, padding_mode, align_corners
    index, weight, inside, slopes = _taps(x, grid, modes, orders)
    gx, ggrid, g, flat = None, None, _flat(g), _flat(x)
    if need[0]:
        weight = np.where(inside, weight, 0)  # at a place that is nan the weight was nan, too
        gx = fast.either("grid_spread", grid_spread)(g, index, weight, flat.shape[2])
        gx = gx.reshape(x.shape)
    if need[1]:
        ggrid = np.zeros(grid.shape, grid.dtype)
        if interpolation_mode != NEAREST:
            along = fast.either("grid_along", grid_along)(g, flat, index)
            along = np.where(inside, along, 0)          # times 0, what is nan would stay nan
            for d, slope in enumerate(slopes):
                ggrid[..., len(slopes) - 1 - d] = (along * slope).sum(2).reshape(grid.shape[:-1])
    return gx, ggrid


def grid_values(x, index, weight):
    """The sum of weight * x[index] over the taps: (N, C, S), (N, P, T), (N, P, T) -> (N, C, P)."""
    y = np.zeros((*x.shape[:2], index.shape[1]), x.dtype)
    for t in range(index.shape[2]):
        y += _read(x, index[:, :, t]) * weight[:, None, :, t]
    return y


def values_inside(x, index, weight, inside):
    """grid_values of images with infinite numbers or nan, for which 0 times the number is not 0:
    taps outside add nothing, unless their weight is nan."""
    y, counts = np.zeros((*x.shape[:2], index.shape[1]), x.dtype), inside | np.isnan(weight)
    for t in range(index.shape[2]):
        share = _read(x, index[:, :, t]) * weight[:, None, :, t]
        y += np.where(counts[:, None, :, t], share, 0)
    return y


def grid_spread(g, index, weight, size):
    """The transpose of `grid_values`: (N, C, P), (N, P, T), (N, P, T) -> (N, C, S)."""
    n, c, places = g.shape
    gx = np.zeros((n * c, size), g.dtype)
    for t in range(index.shape[2]):
        values = (g * weight[:, None, :, t]).reshape(n * c, places)
        at = np.broadcast_to(index[:, None, :, t], g.shape).reshape(n * c, places)
        gx += scatter_add(values, at, n * c, size)
    return gx.reshape(n, c, size)


def grid_along(g, x, index):
    """The sum of g * x[index] over the channels: (N, C, P), (N, C, S), (N, P, T) -> (N, P, T)."""
    return np.stack([(g * _read(x, index[:, :, t])).sum(1) for t in range(index.shape[2])], 2)


def grid_sampler_2d_backward_input(g, x, grid, *modes):
    """The gradient with respect to x alone."""
    return grid_sampler_backward(g, x, grid, *modes, (True, False))[0]


def grid_sampler_2d_backward_grid(g, x, grid, *modes):
    """The gradient with respect to grid alone."""
    return grid_sampler_backward(g, x, grid, *modes, (False, True))[1]


grid_sampler_3d_backward_input = grid_sampler_2d_backward_input
grid_sampler_3d_backward_grid = grid_sampler_2d_backward_grid


def affine_grid_of(theta, size, align_corners):
    """Each pixel's place under theta (N, s, s + 1): -> (N, *size[2:], s), x first."""
    base = _base_grid(size[2:], align_corners, theta.dtype)
    grid = base @ theta.swapaxes(1, 2)                    # (P, s + 1)(N, s + 1, s) -> (N, P, s)
    return grid.reshape(size[0], *size[2:], len(size) - 2).astype(theta.dtype, copy=False)


def affine_grid_backward(g, size, align_corners):
    """The transpose of `affine_grid_of`: (N, *size[2:], s) -> (N, s, s + 1)."""
    base = _base_grid(size[2:], align_corners, g.dtype)
    return g.reshape(size[0], len(base), -1).swapaxes(1, 2) @ base


def _base_grid(lengths, align_corners, dtype):
    """Homogeneous coordinates of every pixel, -1 to 1, x first: (P, s + 1)."""
    make = _kept_grid if math.prod(lengths) <= FEW else _kept_grid.__wrapped__
    return make(lengths, align_corners, dtype)


@lru_cache(maxsize=16)
def _kept_grid(lengths, align_corners, dtype):
    """_base_grid(), kept for the next call: of few pixels, NumPy's calls are nearly all of it."""
    axes = []
    for n in lengths:
        steps = linspace(-1, 1, n, dtype) if n > 1 else np.zeros(1, dtype)
        axes.append(steps if align_corners else steps * dtype.type(n - 1) / dtype.type(n))
    columns = [*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(lengths, dtype)]
    return np.stack(columns, -1).reshape(-1, len(axes) + 1)


def _flat(x):
    """(N, C, *space) -> (N, C, S)"""
    return x.reshape(*x.shape[:2], math.prod(x.shape[2:]))


def _read(x, index):
    """x[index] of each channel: (N, C, S), (N, P) -> (N, C, P)"""
    n, c = x.shape[:2]
    planes = np.arange(n * c).reshape(n, c, 1) * x.shape[2]
    return x.reshape(-1).take(index[:, None] + planes)


def _taps(x, grid, modes, orders):
    """Of each pixel's taps, (N, P, T): flat index, weight (0 outside), whether they are inside;
    and the slopes of the weight along each axis."""
    space = x.shape[2:]
    dims, shape = len(space), (grid.shape[0], math.prod(grid.shape[1:-1]))
    axes = [
        _axis_taps(grid[..., dims - 1 - d], space[d], dims == 2, *modes,
                   orders[d] if orders else 0)
        for d in range(dims)
    ]
    found = []
    for choice in product(*axes):
        inside = np.ones(grid.shape[:-1], bool)
        index = np.zeros(grid.shape[:-1], np.int64)
        for (at, _, _), n in zip(choice, space, strict=True):
            good = (at >= 0) & (at < n)
            inside &= good
            index = index * n + np.where(good, at, 0)
        weights = [w for _, w, _ in choice]
        slopes = [math.prod(weights[:d] + weights[d + 1 :], start=choice[d][2])
                  for d in range(dims)]
        found.append((index, inside * math.prod(weights), inside, *slopes))
    index, weight, inside, *slopes = (
        np.stack([a.reshape(shape) for a in each], 2) for each in zip(*found, strict=True))
    return index, weight, inside, slopes


def _axis_taps(coordinate, n, plane, mode, padding, align_corners, order):
    """(index, weight, its derivative by the coordinate) along one axis.

    For order k, the k-th derivative of the weight and the one after it.
    """
    at, slope = _unnormalize(coordinate, n, align_corners, plane)
    if mode == BICUBIC:
        low = np.floor(at)
        taps = []
        for i in range(-1, 3):
            place, _ = _confine(low + i, n, padding, align_corners)
            weight, change = (
                _cubic(at - low - i, k) * slope**k for k in (order, order + 1)
            )
            taps.append((_whole(place), weight, change))
        return taps
    at, confined = _confine(at, n, padding, align_corners)
    slope = slope * confined
    zero = np.zeros_like(at)
    if mode == NEAREST:
        return [(_whole(np.rint(at)), np.ones_like(at) if order == 0 else zero, zero)]
    low = np.floor(at)
    part = at - low
    left, right = [1 - part, -slope, zero, zero], [part, slope, zero, zero]
    k = min(order, 2)
    return [(_whole(low), *left[k : k + 2]), (_whole(low) + 1, *right[k : k + 2])]


def _unnormalize(coordinate, n, align_corners, plane):
    """Positions in pixels, and their derivative; in a `plane` rounded as by PyTorch's vector loop.

    Grids of affine_grid() meet pixels exactly, where the last bit decides which slope is taken.
    """
    if align_corners:
        half = (n - 1) / 2
        return (coordinate + 1) * coordinate.dtype.type(half), half
    if plane:
        fma, kind = FUSED.get(coordinate.dtype.char, multiply_add), coordinate.dtype.type
        return fma(coordinate + 1, kind(n / 2), kind(-0.5)), n / 2
    return ((coordinate + 1) * n - 1) / 2, n / 2


def _confine(at, n, padding, align_corners):
    """Positions moved into the image as the padding mode says, and the derivative of that."""
    slope = np.ones_like(at)
    if padding == ZEROS:
        return at, slope
    if padding == REFLECTION:
        low, high = (0.0, n - 1.0) if align_corners else (-0.5, n - 0.5)
        at, slope = _reflect(at, low, high)
    slope = slope * ((at > 0) & (at < n - 1))
    return np.where(np.isnan(at), 0, np.clip(at, 0, n - 1)), slope


def _reflect(at, low, high):
    span = high - low
    if span == 0:
        return np.zeros_like(at), np.zeros_like(at)
    moved = at - at.dtype.type(low)
    slope = np.where(moved < 0, -1, 1).astype(at.dtype)
    moved = np.abs(moved)
    turns, extra = np.floor(moved / span), np.fmod(moved, at.dtype.type(span))
    even = turns % 2 == 0
    where = np.where(even, extra + at.dtype.type(low), at.dtype.type(high) - extra)
    return where, np.where(even, slope, -slope)


def _whole(at):
    """Positions as integers; those far outside, and nan, get an integer outside of the image."""
    return np.where(np.abs(at) < 2**31, at, -10).astype(np.int64)


def _cubic(x, order):
    """A derivative of Keys' cubic convolution at distance x."""
    a, sign, x = -0.75, np.sign(x), np.abs(x)
    near, far = [a + 2, -(a + 3), 0.0, 1.0], [a, -5 * a, 8 * a, -4 * a]
    for _ in range(order):
        near, far = _derivative(near), _derivative(far)
    return np.where(x <= 1, _polynomial(near, x), _polynomial(far, x)) * sign**order


def _derivative(coefficients):
    """Of a polynomial, the highest power first."""
    top = len(coefficients) - 1
    return [c * (top - k) for k, c in enumerate(coefficients[:-1])]


def _polynomial(coefficients, x):
    res = np.zeros_like(x)
    for c in coefficients:
        res = res * x + c
    return res
