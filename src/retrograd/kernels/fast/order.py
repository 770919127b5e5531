"""Sorting; equal numbers keep their order.

Along short dimensions, such as pairs of nodes or three channels of many pixels, NumPy starts its
sort anew for each few numbers. Here neighbours are compared and exchanged in a fixed order, without
branches, for a whole line of columns at once.

Long rows of float32, such as scores of words, are sorted by their digits (radix sort), from the
lowest digit to the highest: each pass counts how often a digit occurs, and moves the numbers behind
those of smaller digits. That compares nothing.
"""

from __future__ import annotations

import math

import numpy as np

from ..shape import in_order
from .compiling import Count, Part, kernel, kernel_as_written, scalar
from .elementwise import orders
from .rows import WORK
from .scalar import choose
from .scan import NUMBERS

MOST = 8                # numbers that are sorted by exchanges
LINE = 64               # columns that are sorted at once, of several blocks if these have fewer
LONG = 512              # elements of a row from which on to count its digits takes less time
WIDE = 1 << 13          # ... and three digits of 11 bits take less than four of 8


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


@scalar
def key_of(x, descending):
    """A whole number below 2^32 that grows with x, or falls; -0.0 is 0.0, nan the largest."""
    bits = np.int64((x + np.float32(0)).view(np.int32))
    key = bits ^ 0x80000000 if bits >= 0 else ~bits
    key = 0xFFFFFFFF if x != x else key & 0xFFFFFFFF
    return key ^ 0xFFFFFFFF if descending else key


@kernel_as_written
def sorted_by_digits(x, values, places, descending: Count, bits: Count):
    """x (rows, n), float32, by digits of so many bits; a key and its place lie in one integer."""
    n, digits, last = x.shape[1], (31 + bits) // bits, (1 << bits) - 1
    ordered, before = np.empty(n, np.int64), np.empty(n, np.int64)
    starts = np.empty((digits, last + 1), np.int64)
    for i in range(len(x)):
        starts[:] = 0
        for j in range(n):
            key = key_of(x[i, j], descending != 0)
            ordered[j] = key << 31 | j
            for d in range(digits):
                starts[d, key >> d * bits & last] += 1
        for d in range(digits):
            total = 0
            for digit in range(last + 1):
                count = starts[d, digit]
                starts[d, digit] = total
                total += count
            ordered, before = before, ordered
            for j in range(n):
                digit = before[j] >> 31 + d * bits & last
                ordered[starts[d, digit]] = before[j]
                starts[d, digit] += 1
        for j in range(n):
            places[i, j] = ordered[j] & 0x7FFFFFFF
            values[i, j] = x[i, places[i, j]]


def sort(self, dim=-1, descending=False):
    """(values, places) along a short dimension, or of long rows; None for others."""
    if self.dtype.char not in NUMBERS or not self.size or not self.ndim or 0 in self.strides:
        return None
    dim %= self.ndim
    if self.flags.carray and self.dtype.char == "f" and dim == self.ndim - 1 \
            and LONG <= self.shape[dim] < 1 << 31:
        return sort_rows(self, descending)
    if not 1 < self.shape[dim] <= MOST:
        return None
    if not self.flags.carray:                         # in its order in memory, as PyTorch's result
        order, back = orders(self.strides)
        found = sort(in_order(self.transpose(order)), order.index(dim), descending)
        return tuple([a.transpose(back) for a in found])
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


def sort_rows(x, descending):
    """Long rows of float32, by their digits."""
    count = x.shape[-1]
    values, places = np.empty(x.shape, x.dtype), np.empty(x.shape, np.int64)
    sorted_by_digits(*[a.reshape(-1, count) for a in (x, values, places)], int(descending),
                     8 if count < WIDE else 11, chunk=max(1, WORK // count))
    return values, places
