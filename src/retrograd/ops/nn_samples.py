"""Samples: inputs on which the tests check operators of neural networks."""

from __future__ import annotations

from .samples import normal


def convolutions():
    """(input, weight, bias, stride, padding, dilation, transposed, output padding, groups)."""
    return [
        (normal(2, 4, 5), normal(6, 2, 3, seed=1), normal(6), (2,), (1,), (1,), False, (0,), 2),
        (normal(2, 4, 5), normal(4, 3, 2, seed=1), normal(6), (2,), (1,), (1,), True, (1,), 2),
        (normal(1, 2, 4, 5), normal(3, 2, 2, 3, seed=1), normal(3), (1, 2), (1, 0), (2, 1), False,
         (0, 0), 1),
    ]


def pools():
    """(input, kernel, stride, padding, dilation, ceil_mode) in two dimensions."""
    return [(normal(2, 3, 5, 6), (2, 3), (2, 2), (1, 0), (1, 1), False),
            (normal(1, 2, 6, 5), (2, 2), (3, 2), (0, 1), (2, 1), True)]


def pools_3d():
    return [(normal(1, 2, 3, 4, 3), (2, 2, 2), (1, 2, 1), (1, 0, 0), (1, 1, 2), False)]


def adaptive_pools(dims):
    """(input, output_size) in two or three dimensions."""
    return lambda: [(normal(1, 2, 5, 4), (2, 3))] if dims == 2 else [
        (normal(1, 1, 3, 4, 3), (2, 3, 2))]


EPS = 1e-5


def standardized():
    """(g, x, mean, 1 / sqrt(var + EPS), dims)"""
    def of(g, x, dims):
        return g, x, x.mean(dims, keepdims=True), (x.var(dims, keepdims=True) + EPS) ** -0.5, dims
    return [of(normal(2, 5), normal(2, 5, seed=1), (1,)),
            of(normal(3, 2, 4), normal(3, 2, 4, seed=1), (0, 2))]
