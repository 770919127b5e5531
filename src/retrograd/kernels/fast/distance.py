"""Distances of all pairs of rows, and back: sums in float64, over the columns of a transpose."""

from __future__ import annotations

import math

import numpy as np

from .compiling import SUMS, Kernel, Number, Whole, kernel, scalar
from .rows import WORK
from .scalar import ONE, ZERO, choose


@scalar
def nonzero(total, size, p):
    return total + choose(size != ZERO, 1.0, 0.0)


@scalar
def plus(total, size, p):
    return total + size


@scalar
def plus_square(total, size, p):
    return total + np.float64(size) * size


@scalar
def larger(total, size, p):
    return choose((size > total) | (size != size), np.float64(size), total)


@scalar
def plus_power(total, size, p):
    return total + np.float64(size) ** p


@scalar
def itself(total, p):
    return total


@scalar
def root(total, p):
    return math.sqrt(total)


@scalar
def pth_root(total, p):
    return total ** (1 / np.float64(p))


# The slope of the distance r by one difference d.
@scalar
def sign(d, r, p):
    return choose(d > ZERO, ONE, choose(d < ZERO, -ONE, choose(d == ZERO, ZERO, d)))


@scalar
def share(d, r, p):
    return choose(r == ZERO, ZERO, d / choose(r == ZERO, ONE, r))


@scalar
def sign_of_largest(d, r, p):
    return sign(d, r, p) * choose(abs(d) == r, ONE, ZERO)


@scalar
def power_of_share(d, r, p):
    if r == ZERO or d == ZERO:
        return ZERO
    return sign(d, r, p) * (abs(d) / r) ** (p - ONE)


def norm(name, add, finish, slope):
    """The kernels of one p: distances between rows, and their gradient unless it is 0."""
    def distances(out, turns, x: Whole, y: Whole, p: Number):
        """x (batch, rows, columns), y (batch, columns, others), out (batch * rows, others)"""
        totals = np.empty(y.shape[2])
        for r in range(len(out)):
            batch, row = turns[r] // x.shape[1], turns[r] % x.shape[1]
            totals[:] = 0
            for k in range(y.shape[1]):
                value = x[batch, row, k]
                for j in range(totals.size):
                    totals[j] = add(totals[j], abs(value - y[batch, k, j]), p)
            for j in range(totals.size):
                out[r, j] = finish(totals[j], p)

    def slopes(out, turns, g, r, x: Whole, y: Whole, p: Number):
        """out (batch * rows, columns)"""
        for i in range(len(out)):
            batch, row = turns[i] // x.shape[1], turns[i] % x.shape[1]
            for k in range(out.shape[1]):
                value, total = x[batch, row, k], 0.0
                for j in range(g.shape[1]):
                    total += g[i, j] * slope(value - y[batch, k, j], r[i, j], p)
                out[i, k] = total
    distances.__name__, slopes.__name__ = f"distances_{name}", f"slopes_{name}"
    return kernel(distances), slope and Kernel(slopes, fastmath=SUMS)


NORMS = {0.0: norm("0", nonzero, itself, None), 1.0: norm("1", plus, itself, sign),
         2.0: norm("2", plus_square, root, share),
         math.inf: norm("inf", larger, itself, sign_of_largest)}
ANY_NORM = norm("p", plus_power, pth_root, power_of_share)


def usable(*arrays):
    dtype = arrays[0].dtype
    return dtype.char in "fd" and all(a.dtype is dtype and a.size for a in arrays)


def stacked(x):
    """(..., rows, columns) -> (batch, rows, columns), contiguous."""
    return np.ascontiguousarray(x).reshape(-1, *x.shape[-2:])


def columns_first(x):
    """(..., rows, columns) -> (batch, columns, rows), contiguous."""
    return np.ascontiguousarray(stacked(x).swapaxes(1, 2))


def fill_distances(out, x1, x2, p):
    if not usable(out, x1, x2) or not out.flags.carray:
        return None
    rows = out.reshape(-1, out.shape[-1])
    NORMS.get(p, ANY_NORM)[0](rows, np.arange(len(rows)), stacked(x1), columns_first(x2), p,
                              chunk=chunk_of(rows.shape[1], x1.shape[-1]))
    return out


def cdist_backward(g, x1, x2, p, result):
    if not usable(g, x1, x2, result):
        return None
    if p == 0:
        return np.zeros_like(x1)
    out = np.empty((math.prod(x1.shape[:-1]), x1.shape[-1]), g.dtype)
    g, result = (stacked(a).reshape(len(out), -1) for a in (g, result))
    NORMS.get(p, ANY_NORM)[1](out, np.arange(len(out)), g, result, stacked(x1), columns_first(x2),
                              p, chunk=chunk_of(g.shape[1], x1.shape[-1]))
    return out.reshape(x1.shape)


def chunk_of(others, columns):
    return max(1, WORK // (others * columns))


@kernel
def pairs_of_square(turns, x: Whole, pairs: Whole):
    """x[i, j] for i < j, row by row."""
    n = len(x)
    for i in turns:
        start = i * n - i * (i + 1) // 2 - i - 1
        for j in range(i + 1, n):
            pairs[start + j] = x[i, j]


@kernel
def square_of_pairs(turns, pairs: Whole, out):
    """The symmetric square of them; 0 on the diagonal."""
    n = out.shape[1]
    for r in range(len(turns)):
        i = turns[r]
        out[r, i] = 0
        for j in range(i):
            out[r, j] = pairs[j * n - j * (j + 1) // 2 + i - j - 1]
        for j in range(i + 1, n):
            out[r, j] = pairs[i * n - i * (i + 1) // 2 + j - i - 1]


def fill_pair_distances(out, x, p):
    if not usable(out, x) or not out.flags.carray:
        return None
    n = len(x)
    apart = fill_distances(np.empty((n, n), x.dtype), x, x, p)
    pairs_of_square(np.arange(n), apart, out, chunk=max(1, WORK // n))
    return out


def pdist_backward(g, x, p, result):
    if not usable(g, x, result):
        return None
    n = len(x)
    squares = [np.empty((n, n), x.dtype) for _ in range(2)]
    for pairs, out in zip((g, result), squares, strict=True):
        square_of_pairs(np.arange(n), np.ascontiguousarray(pairs), out, chunk=max(1, WORK // n))
    return cdist_backward(squares[0], x, x, p, squares[1])
