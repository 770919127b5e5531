"""Sampling of images at fractional positions, in two and three dimensions."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from .pool import scatter_add

BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)


def grid_sampler_2d_of(x, grid, interpolation_mode, padding_mode, align_corners):
    """x (N, C, *space) at grid (N, *out, dims), positions in [-1, 1], last axis first."""
    n, c = x.shape[:2]
    y = np.zeros((n, c, *grid.shape[1:-1]), x.dtype)
    for index, inside, weight, _ in _taps(x, grid, interpolation_mode, padding_mode, align_corners):
        y += _read(x, index) * (inside * weight)[:, None]
    return y


grid_sampler_3d_of = grid_sampler_2d_of


def grid_sampler_backward(g, x, grid, interpolation_mode, padding_mode, align_corners, need):
    """Gradients with respect to x and grid (None where not needed)."""
    n, c = x.shape[:2]
    size = math.prod(x.shape[2:])
    gx = np.zeros((n * c, size), x.dtype) if need[0] else None
    ggrid = np.zeros(grid.shape, grid.dtype) if need[1] else None
    for index, inside, weight, slopes in _taps(
        x, grid, interpolation_mode, padding_mode, align_corners
    ):
        if gx is not None:
            values = g * (inside * weight)[:, None]
            at = np.broadcast_to(index[:, None], values.shape).reshape(n * c, -1)
            gx += scatter_add(values.reshape(n * c, -1), at, n * c, size)
        if ggrid is not None and slopes is not None:
            along = (g * _read(x, index)).sum(1) * inside
            for d, slope in enumerate(slopes):
                ggrid[..., len(slopes) - 1 - d] += along * slope
    return None if gx is None else gx.reshape(x.shape), ggrid


def grid_sampler_backward_input(g, x, grid, interpolation_mode, padding_mode, align_corners):
    """The gradient with respect to x alone."""
    return grid_sampler_backward(
        g, x, grid, interpolation_mode, padding_mode, align_corners, (True, False)
    )[0]


def grid_sampler_backward_grid(g, x, grid, interpolation_mode, padding_mode, align_corners):
    """The gradient with respect to grid alone."""
    return grid_sampler_backward(
        g, x, grid, interpolation_mode, padding_mode, align_corners, (False, True)
    )[1]


def affine_grid_of(theta, size, align_corners):
    """Each pixel's place under theta (N, s, s + 1): -> (N, *size[2:], s), x first."""
    base = _base_grid(size[2:], align_corners, theta.dtype)
    grid = base @ theta.swapaxes(1, 2)                    # (P, s + 1)(N, s + 1, s) -> (N, P, s)
    return grid.reshape(size[0], *size[2:], len(size) - 2)


def affine_grid_backward(g, size, align_corners):
    """The transpose of `affine_grid_of`: (N, *size[2:], s) -> (N, s, s + 1)."""
    base = _base_grid(size[2:], align_corners, g.dtype)
    return g.reshape(size[0], len(base), -1).swapaxes(1, 2) @ base


def _base_grid(lengths, align_corners, dtype):
    """Homogeneous coordinates of every pixel, -1 to 1, x first: (P, s + 1)."""
    axes = []
    for n in lengths:
        steps = np.linspace(-1, 1, n, dtype=dtype) if n > 1 else np.zeros(1, dtype)
        axes.append(steps if align_corners else steps * dtype.type((n - 1) / n))
    columns = [*reversed(np.meshgrid(*axes, indexing="ij")), np.ones(lengths, dtype)]
    return np.stack(columns, -1).reshape(-1, len(axes) + 1)


def _read(x, index):
    n, c = x.shape[:2]
    flat = x.reshape(n, c, -1)
    at = np.broadcast_to(index.reshape(n, 1, -1), (n, c, index[0].size))
    return np.take_along_axis(flat, at, 2).reshape(n, c, *index.shape[1:])


def _taps(x, grid, mode, padding, align_corners):
    """(flat index, inside, weight, slopes of the weight along the axes) of each pixel."""
    space = x.shape[2:]
    dims = len(space)
    axes = [
        _axis_taps(grid[..., dims - 1 - d], space[d], mode, padding, align_corners)
        for d in range(dims)
    ]
    for choice in product(*axes):
        inside = np.ones(grid.shape[:-1], bool)
        index = np.zeros(grid.shape[:-1], np.int64)
        for (at, _, _), n in zip(choice, space, strict=True):
            good = (at >= 0) & (at < n)
            inside &= good
            index = index * n + np.where(good, at, 0)
        weights = [w for _, w, _ in choice]
        slopes = None
        if mode != NEAREST:
            slopes = [
                math.prod(weights[:d] + weights[d + 1 :], start=choice[d][2]) for d in range(dims)
            ]
        yield index, inside, math.prod(weights), slopes


def _axis_taps(coordinate, n, mode, padding, align_corners):
    """(index, weight, derivative of the weight by the coordinate) along one axis."""
    at, slope = _unnormalize(coordinate, n, align_corners)
    if mode == BICUBIC:
        low = np.floor(at)
        taps = []
        for i in range(-1, 3):
            place, _ = _confine(low + i, n, padding, align_corners)
            weight, change = _cubic(at - low - i)
            taps.append((_whole(place), weight, change * slope))
        return taps
    at, confined = _confine(at, n, padding, align_corners)
    slope = slope * confined
    if mode == NEAREST:
        one = np.ones_like(at)
        return [(_whole(np.rint(at)), one, None)]
    low = np.floor(at)
    part = at - low
    return [(_whole(low), 1 - part, -slope), (_whole(low) + 1, part, slope)]


def _unnormalize(coordinate, n, align_corners):
    if align_corners:
        half = (n - 1) / 2
        return (coordinate + 1) * coordinate.dtype.type(half), half
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
    """Positions as integers; what is far outside or not a number stays outside."""
    return np.where(np.abs(at) < 2**31, at, -10).astype(np.int64)


def _cubic(x, a=-0.75):
    """Keys' cubic convolution at distance x, and its derivative."""
    sign, x = np.sign(x), np.abs(x)
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    d_near = (3 * (a + 2) * x - 2 * (a + 3)) * x
    d_far = (3 * a * x - 10 * a) * x + 8 * a
    return np.where(x <= 1, near, far), np.where(x <= 1, d_near, d_far) * sign
