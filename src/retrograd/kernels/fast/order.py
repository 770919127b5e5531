"""Sorting along short dimensions, such as pairs of nodes or three channels of many pixels.

NumPy starts its sort anew for each few numbers. Here neighbours are compared and exchanged in a
fixed order, without branches, for a whole line of columns at once; equal numbers stay as they are.
"""

from __future__ import annotations

import math

import numpy as np

from ..layout import by_strides, inverse
from ..shape import in_order
from .compiling import Count, Part, kernel, scalar
from .rows import WORK
from .scalar import choose
from .scan import NUMBERS

MOST = 8                # numbers that are sorted by exchanges
LINE = 64               # columns that are sorted at once, of several blocks if these have fewer


@scalar
def wrong(first, second, descending):
    """Whether two neighbours have to change places; nan comes after all numbers."""
    lower, upper = choose(descending, second, first), choose(descending, first, second)
    return (lower > upper) | ((lower != lower) & (upper == upper))


@scalar
def exchange(values, places, count, n, down):
    """Sort the columns of n rows of so many numbers, which follow one another."""
    for end in range(n - 1, 0, -1):
        for j in range(end):
            line, below = values[j * count:], values[(j + 1) * count:]
            at, at_below = places[j * count:], places[(j + 1) * count:]
            for k in range(count):
                a, b, p, q = line[k], below[k], at[k], at_below[k]
                swap = wrong(a, b, down)
                line[k], below[k] = choose(swap, b, a), choose(swap, a, b)
                at[k], at_below[k] = choose(swap, q, p), choose(swap, p, q)


@kernel
def sorted_columns(x, values, places, descending: Count):
    """x (blocks, n, columns), each column of a block."""
    n, count = x.shape[1], x.shape[2]
    for i in range(len(x)):
        for j in range(n):
            values[i, j], places[i, j] = x[i, j], j
        exchange(values[i].reshape(-1), places[i].reshape(-1), count, n, descending != 0)


@kernel
def sorted_few_columns(x, values, places, line: Part, at: Part, descending: Count):
    """The same with few columns, or one: those of several blocks side by side in `line`."""
    n, columns = x.shape[1], x.shape[2]
    most = line.size // (n * columns)
    for start in range(0, len(x), most):
        blocks = min(most, len(x) - start)
        for k in range(columns):
            for i in range(blocks):
                for j in range(n):
                    to = (j * columns + k) * blocks + i
                    line[to], at[to] = x[start + i, j, k], j
        exchange(line, at, blocks * columns, n, descending != 0)
        for k in range(columns):
            for i in range(blocks):
                for j in range(n):
                    by = (j * columns + k) * blocks + i
                    values[start + i, j, k], places[start + i, j, k] = line[by], at[by]


def sort(self, dim=-1, descending=False):
    """(values, places) along a short dimension; None for others."""
    if self.dtype.char not in NUMBERS or not self.size or not self.ndim \
            or not 1 < self.shape[dim] <= MOST or 0 in self.strides:
        return None
    dim %= self.ndim
    if not self.flags.carray:                         # in its order in memory, as PyTorch's result
        order = by_strides(self.strides)
        found = sort(in_order(self.transpose(order)), order.index(dim), descending)
        return tuple([a.transpose(inverse(order)) for a in found])
    count, inner = self.shape[dim], math.prod(self.shape[dim + 1:])
    values, places = np.empty(self.shape, self.dtype), np.empty(self.shape, np.int64)
    arrays = [a.reshape(-1, count, inner) for a in (self, values, places)]
    chunk = max(1, WORK // (count * inner))
    if inner >= LINE:
        sorted_columns(*arrays, int(descending), chunk=chunk)
        return values, places
    room = -(-len(arrays[0]) // chunk), max(1, LINE // inner) * count * inner
    sorted_few_columns(*arrays, np.empty(room, self.dtype), np.empty(room, np.int64),
                       int(descending), chunk=chunk)
    return values, places
