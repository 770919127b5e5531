"""Searching and counting inside vmap, where what is searched differs from slice to slice.

Each function here is what a public one becomes: `pairs` are its positional arguments below the
vmap, each with whether it has the batch in dimension 0; so has the result.
"""

from __future__ import annotations

import numpy as np

from .. import kernels as K
from .._tensor import wrap
from .batching import at_level, in_layers, layers, physical, size_of, top_level, wrap_batch
from .rules import lifted, reshape
from .support import operand


def search(function, pairs, kwargs, level):
    """searchsorted: rows of a batch, each with the values of its slice."""
    size = size_of(level)
    rows, values = (lifted(operand(v), has, size).contiguous() for v, has in pairs)
    if kwargs.get("sorter") is not None:
        kwargs["sorter"] = lifted(*at_level(kwargs["sorter"], level), size)
    if rows._data.ndim > 2:
        return function(rows, values, **kwargs)
    flat = reshape(values, (size, values._data.size // max(size, 1)))
    return reshape(function(rows, flat, **kwargs), values._data.shape)


def among(function, pairs, kwargs, level):
    """isin: each element compared with all of its slice's."""
    size = size_of(level)
    elements, tests = (lifted(operand(v), has, size) for v, has in pairs[:2])
    each = reshape(elements, (size, elements._data.size // max(size, 1), 1))
    tests = reshape(tests, (size, 1, tests._data.size // max(size, 1)))
    found = reshape((each == tests).any(2), elements._data.shape)
    return found.logical_not() if kwargs.get("invert") else found


def histogram(function, pairs, kwargs, level):
    """histc: the bins of all slices in one row."""
    value, outer = layers(pairs[0][0])
    lead = value._data.shape[:len(outer) + 1]
    rows = value._data.reshape(int(np.prod(lead)), -1) if value._data.size else \
        np.empty((int(np.prod(lead)), 0), value._data.dtype)
    counts = K.histc_rows(rows, *(v for v, _ in pairs[1:]), **kwargs)
    return in_layers(wrap(counts.reshape(*lead, counts.shape[1])), outer)


def count(function, input, weights, minlength):
    """bincount: the numbers of all slices in one row."""
    level = top_level([t for t in (input, weights) if t is not None])
    size = size_of(level)
    # raises bincount's error, if there is one
    K.bincount(np.zeros(input._data.shape, input._data.dtype), None, minlength)
    highest = physical(input)._data.max(-1, initial=-1)
    lengths = np.maximum(highest + 1, minlength).reshape(-1).tolist()
    if len(set(lengths)) > 1:
        other = next(k for k, n in enumerate(lengths) if n != lengths[0])
        raise RuntimeError(f"stack expects each tensor to be equal size, but got [{lengths[0]}] at "
                           f"entry 0 and [{lengths[other]}] at entry {other}")
    n = lengths[0]
    rows = lifted(*at_level(input, level), size) + wrap(np.arange(size)[:, None] * n)
    if weights is not None:
        weights = lifted(*at_level(weights, level), size).reshape(-1)
    counts = function(rows.reshape(-1), weights, size * n)
    return wrap_batch(reshape(counts, (size, n)), level)
