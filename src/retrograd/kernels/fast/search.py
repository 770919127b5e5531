"""Searching in sorted rows: many values at once, each halving the part of the row it may lie in.

A search alone waits for each number that it reads. Here sixteen go on side by side and take the
same number of steps, so that the processor reads for all of them at once.
"""

from __future__ import annotations

import math

import numpy as np

from .compiling import Count, Whole, kernel, scalar
from .scalar import choose

BESIDE = 16               # searches
STEPS = 1 << 14           # in a chunk
KINDS = "fdli"


@scalar
def before(number, value, right):
    """Whether a value belongs behind this number: behind its equals, too, if `right` is not 0."""
    return choose(right != 0, not number > value, not number >= value)


@scalar
def search(row, values, places, right, at):
    """places[i] = how many numbers of the row lie before values[i]; `at` has room for BESIDE."""
    for first in range(0, values.size, BESIDE):
        count = min(BESIDE, values.size - first)
        at[:] = 0
        left = row.size
        while left > 1:
            half = left >> 1
            for i in range(count):
                middle = at[i] + np.int32(half)
                at[i] = choose(before(row[middle - 1], values[first + i], right), middle, at[i])
            left -= half
        for i in range(count):
            places[first + i] = at[i] + before(row[at[i]], values[first + i], right)


@kernel
def search_one(values, places, row: Whole, right: Count):
    search(row, values, places, right, np.empty(BESIDE, np.int32))


@kernel
def search_rows(values, places, rows, right: Count):
    at = np.empty(BESIDE, np.int32)
    for r in range(len(rows)):
        search(rows[r], values[r], places[r], right, at)


def places_among(values, boundaries, right):
    """How many of the boundaries lie before each value; None for nan, whose order NumPy knows."""
    size = boundaries.shape[-1]
    if (values.dtype is not boundaries.dtype or values.dtype.char not in KINDS
            or not 0 < size < 1 << 31 or np.isnan(boundaries[..., -1]).any()):
        return None
    places = np.empty(values.shape, np.int64)
    values, boundaries = np.ascontiguousarray(values), np.ascontiguousarray(boundaries)
    steps = size.bit_length()
    if boundaries.ndim == 1:
        search_one(values.reshape(-1), places.reshape(-1), boundaries, right,
                   chunk=math.ceil(STEPS / steps / BESIDE) * BESIDE)
    else:
        many = values.shape[-1]
        search_rows(values.reshape(-1, many), places.reshape(-1, many),
                    boundaries.reshape(-1, size), right, chunk=max(1, STEPS // (steps * many)))
    return places
