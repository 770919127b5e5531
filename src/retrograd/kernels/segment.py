"""Reductions over consecutive pieces of a dimension."""

import math

import numpy as np

from .checks import as_intp

UFUNCS = {"sum": np.add, "mean": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}
EMPTY = {"sum": 0.0, "mean": 0.0, "prod": 1.0, "max": -np.inf, "min": np.inf}


def rows_of(offsets, length):
    """Starts and ends of all pieces among the rows of all batches laid end to end."""
    base = np.arange(math.prod(offsets.shape[:-1]))[:, None] * length
    flat = offsets.reshape(-1, offsets.shape[-1]) + base              # (batches, pieces + 1)
    return flat[:, :-1].reshape(-1), flat[:, 1:].reshape(-1)


def segment_reduce(data, offsets, reduce, axis, initial):
    """data[..., offsets[i]:offsets[i + 1], ...] reduced, for each i and each batch.

    data (*batch, n, *rest), offsets (*batch, pieces + 1) -> (*batch, pieces, *rest)
    """
    n, rest = data.shape[axis], data.shape[axis + 1:]
    starts, ends = rows_of(offsets, n)
    start = EMPTY[reduce] if initial is None else initial
    out = np.full((len(starts), *rest), start, data.dtype)
    some = ends > starts
    if some.any():
        last = np.zeros((1, *rest), data.dtype)
        rows = np.concatenate([data.reshape(math.prod(data.shape[:axis + 1]), *rest), last])
        places = np.stack([starts[some], ends[some]], 1).reshape(-1)
        found = UFUNCS[reduce].reduceat(rows, as_intp(places), axis=0)[::2]
        out[some] = UFUNCS[reduce](out[some], found)
    if reduce == "mean":
        out[some] /= (ends - starts)[some].reshape(-1, *(1,) * len(rest)).astype(data.dtype)
        if initial is None:
            out[~some] = np.nan
    return out.reshape(*offsets.shape[:-1], max(offsets.shape[-1] - 1, 0), *rest)


def segment_reduce_backward(g, result, data, offsets, reduce, axis, initial):
    """The gradient of data; equal maxima share theirs."""
    n, rest = data.shape[axis], data.shape[axis + 1:]
    starts, ends = rows_of(offsets, n)
    rows = data.reshape(math.prod(data.shape[:axis + 1]), *rest)
    lengths = as_intp(ends - starts)
    owner = np.repeat(np.arange(len(starts)), lengths)               # the piece of each row used
    used = np.arange(len(owner)) + (starts - np.cumsum(lengths) + lengths)[owner]
    g = g.reshape(-1, *rest)
    if reduce == "mean":
        g = g / lengths.clip(1).reshape(-1, *(1,) * len(rest)).astype(g.dtype)
    g = g.take(owner, 0)
    if reduce in ("max", "min", "prod"):
        x, result = rows[used], result.reshape(-1, *rest)[owner]
    if reduce in ("max", "min"):
        taken = np.isnan(x) | (x == result)
        count = np.zeros((len(starts), *rest), g.dtype)
        np.add.at(count, owner, taken)
        g = np.where(taken, g / np.maximum(count[owner], 1), 0)
    elif reduce == "prod":
        g = g * _others(x, result, owner, 1 if initial is None else initial)
    if len(used) == len(rows):                           # the pieces leave nothing out
        return g.reshape(data.shape)
    grad = np.zeros_like(rows)
    grad[used] = g
    return grad.reshape(data.shape)


def _others(x, result, owner, initial):
    """The product of the other rows of each row's piece."""
    with np.errstate(divide="ignore", invalid="ignore"):
        others = result / x
    special = (x == 0) | np.isnan(x)
    for piece in np.unique(owner[special.any(tuple(range(1, special.ndim)))]):
        mine = np.flatnonzero(owner == piece)
        for k in mine:
            rest = np.prod(x[mine[mine != k]], axis=0) * initial
            others[k] = np.where(special[k], rest, others[k])
    return others
