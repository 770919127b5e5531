"""Sorting along short dimensions, such as pairs of nodes or three channels of many pixels.

NumPy starts its sort anew for each few numbers. Here neighbours are compared and exchanged in a
fixed order, without branches, for a whole line of columns at once; equal numbers stay as they are.
"""

from __future__ import annotations

import math

import numpy as np

from .compiling import Count, kernel, scalar
from .rows import WORK
from .scalar import choose
from .scan import NUMBERS

MOST = 8                # numbers that are sorted by exchanges


@scalar
def wrong(first, second, descending):
    """Whether two neighbours have to change places; nan comes after all numbers."""
    lower, upper = choose(descending, second, first), choose(descending, first, second)
    return (lower > upper) | ((lower != lower) & (upper == upper))


@kernel
def sorted_columns(x, values, places, descending: Count):
    """x (blocks, n, columns), each column of a block."""
    down, n = descending != 0, x.shape[1]
    for i in range(len(x)):
        for j in range(n):
            values[i, j], places[i, j] = x[i, j], j
        for end in range(n - 1, 0, -1):
            for j in range(end):
                line, below = values[i, j], values[i, j + 1]
                at, at_below = places[i, j], places[i, j + 1]
                for k in range(line.size):
                    a, b, p, q = line[k], below[k], at[k], at_below[k]
                    swap = wrong(a, b, down)
                    line[k], below[k] = choose(swap, b, a), choose(swap, a, b)
                    at[k], at_below[k] = choose(swap, q, p), choose(swap, p, q)


@kernel
def sorted_rows(x, values, places, descending: Count):
    """x (rows, n)"""
    down, n = descending != 0, x.shape[1]
    for i in range(len(x)):
        for j in range(n):
            values[i, j], places[i, j] = x[i, j], j
        for end in range(n - 1, 0, -1):
            for j in range(end):
                a, b, p, q = values[i, j], values[i, j + 1], places[i, j], places[i, j + 1]
                swap = wrong(a, b, down)
                values[i, j], values[i, j + 1] = choose(swap, b, a), choose(swap, a, b)
                places[i, j], places[i, j + 1] = choose(swap, q, p), choose(swap, p, q)


def sort(self, dim=-1, descending=False):
    """(values, places) along a short dimension; None for others."""
    if self.dtype.char not in NUMBERS or not self.flags.carray or not self.size or not self.ndim \
            or not 1 < self.shape[dim] <= MOST:
        return None
    dim %= self.ndim
    count, inner = self.shape[dim], math.prod(self.shape[dim + 1:])
    shape = (-1, count, inner) if inner > 1 else (-1, count)
    values, places = np.empty(self.shape, self.dtype), np.empty(self.shape, np.int64)
    loop = sorted_columns if inner > 1 else sorted_rows
    loop(self.reshape(shape), values.reshape(shape), places.reshape(shape), int(descending),
         chunk=max(1, WORK // (count * inner)))
    return values, places

