"""Attention of one query, as in decoding word by word: keys and values are read once, where they
lie, and nothing is transposed."""

from __future__ import annotations

from functools import cache, lru_cache

import numpy as np

from .. import fast
from ..attention import LOWEST, added_mask
from ..layout import empty_like
from . import scalar as s
from .compiling import (
    Count,
    Number,
    Part,
    Whole,
    address_of,
    array_at,
    kernel,
    routine,
    scalar_sums,
)

GROUP = 64         # keys whose values are summed in their own precision
SHARED = 1 << 17   # multiplications from which on threads share the heads


def attention_of_one(query, key, value, mask, is_causal, scale):
    """See kernels.attention."""
    if not taken(query, key, value):
        return None
    given = [close(a) for a in (query, key, value)]
    n, heads, _, width = query.shape
    keys = key.shape[2]
    mask = no_mask(query.dtype) if mask is None else numbers_added(mask, query.dtype, keys)
    output = empty_like(given[0])
    turns = heads_of(n * heads)
    logsumexp = np.empty(turns.size, query.dtype)
    small = turns.size * keys * width < SHARED
    chunk = turns.size if small else -(-turns.size // (2 * fast.threads))
    room = np.empty((-(-turns.size // chunk), keys + width), query.dtype)
    layout = steps_of(*[a.strides for a in given], output.strides, steps_of_mask(mask))
    attend_one(logsumexp, turns, *given, output, mask, layout, room, int(is_causal), scale,
               LOWEST[query.dtype.char], chunk=chunk)
    return output, logsumexp.reshape(n, heads, 1)


def taken(query, key, value):
    shapes = query.shape, key.shape, value.shape
    return (query.dtype.char in "fd" and query.dtype is key.dtype is value.dtype
            and query.ndim == 4 and 0 not in query.shape + key.shape
            and shapes[0][:2] == shapes[1][:2] and shapes[1] == shapes[2]
            and query.shape[3] == key.shape[3])


def close(a):
    """`a`, copied if there are gaps between the numbers of a row."""
    return a if a.strides[3] == a.itemsize else np.ascontiguousarray(a)


def numbers_added(mask, dtype, keys):
    """A mask as what is added to scores: (1 or N, 1 or heads, 1 or L, S), not copied."""
    mask = mask[tuple([slice(None if step else 1) for step in mask.strides])]     # expanded
    mask = added_mask(mask, dtype)
    mask = mask.reshape((1,) * (4 - mask.ndim) + mask.shape)
    if mask.shape[3] == keys:
        return close(mask)
    return np.ascontiguousarray(np.broadcast_to(mask, (*mask.shape[:3], keys)))


def steps_of_mask(mask):
    """The mask's strides, 0 where one row or matrix serves all."""
    if mask.size == 0:
        return 0, 0, 0, 0
    return tuple([n > 1 and step for n, step in zip(mask.shape, mask.strides, strict=True)])


@cache
def no_mask(dtype):
    return np.empty((1, 1, 1, 0), dtype)


@lru_cache(maxsize=64)
def steps_of(*strides):
    return np.array(strides)


@lru_cache(maxsize=16)
def heads_of(count):
    return np.arange(count)


@routine
def place(a, step, heads, h):
    """The address of head h; arrays with one head or image for all have steps of 0."""
    return a + h // heads * step[0] + h % heads * step[1]


@scalar_sums
def meet(q, rows, row, scale, scores):
    """The scores of a query's keys, which lie `row` bytes apart; four at a time, for the query to
    be read once."""
    zero, size = q.dtype.type(0), q.size
    fours = scores.size // 4 * 4
    for k in range(0, fours, 4):
        at = rows + k * row
        a = array_at(at, (size,), q.dtype)
        b = array_at(at + row, (size,), q.dtype)
        c = array_at(at + 2 * row, (size,), q.dtype)
        d = array_at(at + 3 * row, (size,), q.dtype)
        of_a, of_b, of_c, of_d = zero, zero, zero, zero
        for e in range(size):
            of_a += q[e] * a[e]
            of_b += q[e] * b[e]
            of_c += q[e] * c[e]
            of_d += q[e] * d[e]
        scores[k], scores[k + 1] = of_a * scale, of_b * scale
        scores[k + 2], scores[k + 3] = of_c * scale, of_d * scale
    for k in range(fours, scores.size):
        a = array_at(rows + k * row, (size,), q.dtype)
        total = zero
        for e in range(size):
            total += q[e] * a[e]
        scores[k] = total * scale


@scalar_sums
def exponentials(scores, top):
    """Exponentials in place of scores; -> their sum."""
    total = scores.dtype.type(0)
    for k in range(scores.size):
        power = s.exp_below_0(scores[k] - top)
        scores[k] = power
        total += power
    return total


@routine
def gather(scores, rows, row, part, out):
    """out = the sum of scores[k] rows[k], by groups of keys."""
    out[:] = 0
    for begin in range(0, scores.size, GROUP):
        end = min(begin + GROUP, scores.size)
        part[:] = 0
        fours = begin + (end - begin) // 4 * 4
        for k in range(begin, fours, 4):
            at = rows + k * row
            a = array_at(at, (part.size,), part.dtype)
            b = array_at(at + row, (part.size,), part.dtype)
            c = array_at(at + 2 * row, (part.size,), part.dtype)
            d = array_at(at + 3 * row, (part.size,), part.dtype)
            for e in range(part.size):
                part[e] += ((scores[k] * a[e] + scores[k + 1] * b[e])
                            + (scores[k + 2] * c[e] + scores[k + 3] * d[e]))
        for k in range(fours, end):
            a = array_at(rows + k * row, (part.size,), part.dtype)
            for e in range(part.size):
                part[e] += scores[k] * a[e]
        for e in range(part.size):
            out[e] += part[e]


@kernel
def attend_one(logsumexp, turns, query: Whole, key: Whole, value: Whole, output: Whole,
               mask: Whole, step: Whole, room: Part, causal: Count, scale: Number,
               lowest: Number):
    one, dtype = room.dtype.type(1), room.dtype
    heads, width, keys = query.shape[1], query.shape[3], key.shape[2]
    scores, part = room[:keys], room[keys:]
    for i, h in enumerate(turns):
        q = array_at(place(address_of(query), step[0], heads, h), (width,), dtype)
        out = array_at(place(address_of(output), step[3], heads, h), (width,), dtype)
        meet(q, place(address_of(key), step[1], heads, h), step[1, 2], scale, scores)
        if mask.size:
            added = array_at(place(address_of(mask), step[4], heads, h), (keys,), dtype)
            for k in range(keys):
                scores[k] += added[k]
        if causal:
            for k in range(1, keys):
                scores[k] = -np.inf
        top = lowest
        for k in range(keys):
            if not scores[k] <= top:
                top = scores[k]
        total = exponentials(scores, top)
        logsumexp[i] = top + np.log(total)
        gather(scores, place(address_of(value), step[2], heads, h), step[2, 2], part, out)
        factor = one / (one if total == 0 else total)
        for e in range(width):
            out[e] *= factor
