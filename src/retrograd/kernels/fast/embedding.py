"""Sums and maxima of bags of rows, without writing the rows out."""

from __future__ import annotations

import numpy as np

from .compiling import Whole, kernel
from .indexing import in_bounds, usable

ROWS = 16               # bags, or rows of a gradient, in a chunk


@kernel
def sum_bags(out, starts, ends, index: Whole, weight: Whole, scale: Whole, padding: Whole):
    """out[b] = the sum of scale[k] * weight[index[k]] for k from starts[b] to ends[b]."""
    for b in range(len(out)):
        total = out[b]
        total[:] = 0
        for k in range(starts[b], ends[b]):
            row = index[k]
            if row == padding[0]:
                continue
            if scale.size:
                for j in range(total.size):
                    total[j] += weight[row, j] * scale[k]
            else:
                for j in range(total.size):
                    total[j] += weight[row, j]


@kernel
def largest_in_bags(out, which, starts, ends, index: Whole, weight: Whole, padding: Whole):
    """The maxima of each bag, 0 of an empty one, and the rows that have them, -1."""
    for b in range(len(out)):
        best, at, empty = out[b], which[b], True
        best[:] = 0
        at[:] = -1
        for k in range(starts[b], ends[b]):
            row = index[k]
            if row == padding[0]:
                continue
            for j in range(best.size):
                value = weight[row, j]
                if empty or value > best[j] or (value != value and best[j] == best[j]):
                    best[j] = value
                    at[j] = row
            empty = False


def bag_sums(out, starts, ends, indices, weight, scale, padding_idx):
    scale = np.empty(0, weight.dtype) if scale is None else scale
    if not usable(out, starts, ends, indices, weight, scale) or weight.dtype is not scale.dtype \
            or not in_bounds(indices, len(weight)):
        return None
    sum_bags(out, starts, ends, indices, weight, scale, np.array([padding_idx]), chunk=ROWS)
    return out


def bag_maxima(out, which, starts, ends, indices, weight, padding_idx):
    if not usable(out, starts, ends, indices, weight) or not in_bounds(indices, len(weight)):
        return None
    largest_in_bags(out, which, starts, ends, indices, weight, np.array([padding_idx]), chunk=ROWS)
    return out, which


@kernel
def add_bags_to_rows(places, out, index: Whole, bags: Whole, g: Whole):
    """out[index[k]] += g[bags[k]], for the rows of `out` that `places` numbers."""
    first, last = places[0], places[-1]
    for k in range(index.size):
        at = index[k]
        if first <= at <= last:
            total, row = out[at - first], bags[k]
            for j in range(total.size):
                total[j] += g[row, j]


def bag_spread(g, indices, bags, num_weights):
    """(B, D), (K,), (K,) -> (V, D): the transpose of `bag_sums`."""
    if not usable(g, indices, bags) or not in_bounds(indices, num_weights):
        return None
    out = np.zeros((num_weights, g.shape[1]), g.dtype)
    parts = min(8, max(1, g.shape[1] // 16))           # every part reads all of the index
    add_bags_to_rows(np.arange(num_weights), out, indices, bags, g, chunk=-(-num_weights // parts))
    return out
