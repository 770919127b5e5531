"""Distances of all pairs of rows, and back: sums in float64, over the columns of a transpose."""

from __future__ import annotations

import math

import numpy as np

from .compiling import SUMS, Count, Kernel, Number, Whole, kernel, scalar, turns
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


BLOCK = 128             # numbers that are summed in their own precision, in several parts at once


# The slope of the distance r by a difference d is factor(r) * slope(d, r): what does not depend on
# d is computed once for all columns.
@scalar
def one(r):
    return ONE


@scalar
def inverse(r):
    return choose(r == ZERO, ZERO, ONE / choose(r == ZERO, ONE, r))


@scalar
def difference(d, r, p):
    return d


@scalar
def sign(d, r, p):
    return choose(d > ZERO, ONE, choose(d < ZERO, -ONE, choose(d == ZERO, ZERO, d)))


@scalar
def sign_of_largest(d, r, p):
    return sign(d, r, p) * choose(abs(d) == r, ONE, ZERO)


@scalar
def power_of_share(d, r, p):
    if r == ZERO or d == ZERO:
        return ZERO
    return sign(d, r, p) * (abs(d) / r) ** (p - ONE)


def norm(name, add, finish, factor, slope):
    """The kernels of one p: distances between rows, and their gradient unless it is 0."""
    def distances(turns, x: Whole, y: Whole, out: Whole, power: Whole, pairs: Count):
        """x (batch, rows, columns), y (batch, columns, others), out (batch * rows * others), or
        of `pairs` of one x only those above the diagonal. `power` is an array, of p alone: a Number
        would be an integer, as `turns` are."""
        totals, p = np.empty(y.shape[2]), power[0]
        for turn in turns:
            batch, row = turn // x.shape[1], turn % x.shape[1]
            first, start = (row + 1, before(row, totals.size)) if pairs else (0, turn * totals.size)
            total, result = totals[first:], out[start + first:]
            total[:] = 0
            for k in range(y.shape[1]):
                value, other = x[batch, row, k], y[batch, k, first:]
                for j in range(total.size):
                    total[j] = add(total[j], abs(value - other[j]), p)
            for j in range(total.size):
                result[j] = finish(total[j], p)

    def slopes(out, turns, g, r, x: Whole, y: Whole, p: Number):
        """out (batch * rows, columns)"""
        weights = np.empty(g.shape[1], g.dtype)
        for i in range(len(out)):
            batch, row = turns[i] // x.shape[1], turns[i] % x.shape[1]
            for j in range(weights.size):
                weights[j] = g[i, j] * factor(r[i, j])
            for k in range(out.shape[1]):
                value, total = x[batch, row, k], 0.0
                for start in range(0, weights.size, BLOCK):
                    weight, other, distance = (
                        weights[start:start + BLOCK], y[batch, k, start:start + BLOCK],
                        r[i, start:start + BLOCK])
                    part = g.dtype.type(0)
                    for j in range(weight.size):
                        part += weight[j] * slope(value - other[j], distance[j], p)
                    total += part
                out[i, k] = total
    distances.__name__, slopes.__name__ = f"distances_{name}", f"slopes_{name}"
    return kernel(distances), slope and Kernel(slopes, fastmath=SUMS)


@scalar
def before(i, n):
    """Where the pairs of row i among n begin, row by row, less i + 1."""
    return i * n - i * (i + 1) // 2 - i - 1


NORMS = {0.0: norm("0", nonzero, itself, None, None), 1.0: norm("1", plus, itself, one, sign),
         2.0: norm("2", plus_square, root, inverse, difference),
         math.inf: norm("inf", larger, itself, one, sign_of_largest)}
ANY_NORM = norm("p", plus_power, pth_root, one, power_of_share)


def usable(*arrays):
    dtype = arrays[0].dtype
    return dtype.char in "fd" and all(a.dtype is dtype and a.size for a in arrays)


def stacked(x):
    """(..., rows, columns) -> (batch, rows, columns), contiguous."""
    return np.ascontiguousarray(x).reshape(-1, *x.shape[-2:])


def columns_first(x):
    """(..., rows, columns) -> (batch, columns, rows), contiguous."""
    return np.ascontiguousarray(stacked(x).swapaxes(1, 2))


def fill_distances(out, x1, x2, p, pairs=False):
    if not usable(out, x1, x2) or not out.flags.carray:
        return None
    rows, others = x1.size // x1.shape[-1], x2.shape[-2]
    NORMS.get(p, ANY_NORM)[0](turns(rows), stacked(x1), columns_first(x2), out.reshape(-1),
                              np.array([p], np.float64), pairs,
                              chunk=chunk_of(others, x1.shape[-1]))
    return out


def fill_pair_distances(out, x, p):
    return fill_distances(out, x, x, p, pairs=True)


def cdist_backward(g, x1, x2, p, result):
    if not usable(g, x1, x2, result):
        return None
    if p == 0:
        return np.zeros_like(x1)
    out = np.empty((math.prod(x1.shape[:-1]), x1.shape[-1]), g.dtype)
    g, result = (stacked(a).reshape(len(out), -1) for a in (g, result))
    NORMS.get(p, ANY_NORM)[1](out, turns(len(out)), g, result, stacked(x1), columns_first(x2),
                              p, chunk=chunk_of(g.shape[1], x1.shape[-1]))
    return out.reshape(x1.shape)


def chunk_of(others, columns):
    return max(1, WORK // (others * columns))


@kernel
def squares_of_pairs(turns, pairs: Whole, others: Whole, square: Whole, second: Whole):
    """The symmetric squares of two arrays of pairs, but for the diagonals."""
    n = len(square)
    for i in turns:
        start = before(i, n)
        for j in range(i + 1, n):
            square[i, j] = square[j, i] = pairs[start + j]
        for j in range(i + 1, n):
            second[i, j] = second[j, i] = others[start + j]


def pdist_backward(g, x, p, result):
    if not usable(g, x, result):
        return None
    n = len(x)
    squares = [np.zeros((n, n), x.dtype) for _ in range(2)]
    squares_of_pairs(np.arange(n), np.ascontiguousarray(g), np.ascontiguousarray(result), *squares,
                     chunk=max(1, WORK // n))
    return cdist_backward(squares[0], x, x, p, squares[1])
