"""Attention by blocks of queries: no matrix of all scores is ever in memory.

Scores of a block lie turned, a row of QUERIES numbers for each key, (S, QUERIES): softmax then
works on whole rows at once, and every product is one of tiles. The gradient computes the scores
again.
"""

from __future__ import annotations

import math

import numpy as np

from . import scalar as s
from .compiling import Count, Number, Part, Whole, kernel, routine
from .tile import ROWS, TAPS, lanes, row_of_tiles, rows_of_sums

QUERIES = 64       # of a block
CHUNKS = 16        # of heads: each has memory of its own
SUMMED = 64        # keys whose exponentials are summed in their own precision


def flash_attention(query, key, value, attn_mask, is_causal, scale):
    """See kernels.attention."""
    if attn_mask is not None or not taken(query, key, value):
        return None
    room = Room(query, key)
    output = np.empty(query.shape, query.dtype)
    logsumexp = np.empty(query.shape[:-1], query.dtype)
    attend(room.rows(query), room.rows(key), room.rows(value), room.rows(output),
           logsumexp.reshape(room.heads, -1), room.turned(room.keys),
           room.array(room.keys, room.wide), room.turned(QUERIES),
           room.array(room.keys, QUERIES), room.array(3, QUERIES),
           room.array(QUERIES, room.wide), room.offsets(QUERIES), room.offsets(room.wide),
           int(is_causal), scale, chunk=room.chunk)
    return output, logsumexp


def flash_attention_backward(g, query, key, value, output, logsumexp, attn_mask, is_causal, scale):
    """See kernels.attention."""
    if attn_mask is not None or not taken(query, key, value) or g.dtype is not query.dtype:
        return None
    if not all(map(finite, (g, query, key, value))):
        return None                  # blocks meet 0 times infinity where whole products do not
    room = Room(query, key)
    made = [np.empty(a.shape, a.dtype) for a in (query, key, value)]
    sums = (room.wide // room.block, room.keys, room.block)
    attend_backward(
        room.rows(g), room.rows(query), room.rows(key), room.rows(value), room.rows(output),
        np.ascontiguousarray(logsumexp).reshape(room.heads, -1), *map(room.rows, made),
        room.turned(room.keys), room.turned(room.keys), room.array(room.keys, room.wide),
        room.turned(QUERIES), room.turned(QUERIES), room.array(QUERIES, room.wide),
        room.array(QUERIES, room.wide), room.array(room.keys, QUERIES),
        room.array(room.keys, QUERIES), room.array(2, QUERIES), room.array(*sums),
        room.array(*sums), room.array(QUERIES, room.wide), room.offsets(QUERIES),
        room.offsets(room.wide), np.arange(room.keys) * QUERIES * query.itemsize,
        int(is_causal), scale, chunk=room.chunk)
    return tuple(made)


def finite(a):
    """Whether the sum is finite, and with it (unless it overflows) every element."""
    return np.isfinite(np.add.reduce(a, None))


def taken(query, key, value):
    dtypes = {a.dtype for a in (query, key, value)}
    return len(dtypes) == 1 and query.dtype.char in "fd" and query.shape[-1] == value.shape[-1]


class Room:
    """Shapes of a call, and the memory that a chunk of heads works in."""

    def __init__(self, query, key):
        self.dtype, self.width = query.dtype, query.shape[-1]
        self.heads = math.prod(query.shape[:-2])
        vector = lanes(self.dtype)
        self.block = vector if self.width <= vector else 2 * vector      # columns summed at once
        self.wide = -(-self.width // self.block) * self.block
        self.keys = -(-key.shape[-2] // TAPS) * TAPS
        self.chunk = -(-self.heads // CHUNKS)

    def rows(self, a):
        """(..., L, E) -> (heads, L, E)."""
        return np.ascontiguousarray(a).reshape(self.heads, *a.shape[-2:])

    def array(self, *shape):
        return np.zeros((-(-self.heads // self.chunk), *shape), self.dtype)

    def turned(self, rows):
        """For vectors side by side: (E, rows)."""
        return self.array(self.width, rows)

    def offsets(self, width):
        """Bytes to each row of this width."""
        return np.arange(max(self.keys, self.width)) * width * self.dtype.itemsize


# --------------------------------------------------------------------------- compiled

@routine
def turn(rows, scale, into):
    """Rows (n, E), times scale, as the columns of `into`; the other columns become 0."""
    for e in range(into.shape[0]):
        for i in range(rows.shape[0]):
            into[e, i] = rows[i, e] * scale
        for i in range(rows.shape[0], into.shape[1]):
            into[e, i] = 0


@routine
def widen(rows, scale, into):
    """Rows (n, E), times scale, at the beginning of `into`, whose other rows become 0."""
    for i in range(into.shape[0]):
        if i < rows.shape[0]:
            for e in range(rows.shape[1]):
                into[i, e] = rows[i, e] * scale
        else:
            for e in range(rows.shape[1]):
                into[i, e] = 0


@routine
def products(turned, queries, scores, offsets, limit, size):
    """scores[k, q] = turned[:, k] . queries[:, q], for k < limit and q < size."""
    item = turned.itemsize
    for k in range(0, limit, ROWS):
        row_of_tiles(turned.dtype.type(0), scores.ctypes.data + k * QUERIES * item, QUERIES * item,
                     turned.ctypes.data + k * item, turned.shape[1] * item, queries.ctypes.data,
                     offsets.ctypes.data, turned.shape[0], item, size)


@routine
def gathered(scores, rows, out, offsets, limit, size, width):
    """out[q] = the sum of scores[k, q] * rows[k] over k < limit, for q < size."""
    item = scores.itemsize
    for q in range(0, size, ROWS):
        row_of_tiles(scores.dtype.type(0), out.ctypes.data + q * out.shape[1] * item,
                     out.shape[1] * item, scores.ctypes.data + q * item, QUERIES * item,
                     rows.ctypes.data, offsets.ctypes.data, limit, item, width)


@routine
def spread_over(scores, rows, sums, offsets, limit, size):
    """sums[k] += the sum of scores[k, q] * rows[q] over q < size, for k < limit, by columns."""
    item, wide = scores.itemsize, sums.shape[2]
    for block in range(sums.shape[0]):
        rows_of_sums(scores.dtype.type(0), sums.ctypes.data + block * sums.shape[1] * wide * item,
                     wide * item, scores.ctypes.data, offsets.ctypes.data,
                     rows.ctypes.data + block * wide * item, rows.shape[1] * item, size, limit)


@routine
def hide_later(scores, begin, limit):
    """-inf where the key comes after the query."""
    for k in range(begin + 1, limit):
        for q in range(min(k - begin, QUERIES)):
            scores[k, q] = -np.inf


@routine
def softmax_of_columns(scores, limit, lines):
    """Exponentials in place of scores; lines: their maxima, sums and room."""
    top, total, part = lines[0], lines[1], lines[2]
    for q in range(QUERIES):
        top[q], total[q] = scores[0, q], 0
    for k in range(1, limit):
        row = scores[k]
        for q in range(QUERIES):
            now, value = top[q], row[q]
            top[q] = value if value > now else now
    for begin in range(0, limit, SUMMED):
        for q in range(QUERIES):
            part[q] = 0
        for k in range(begin, min(begin + SUMMED, limit)):
            row = scores[k]
            for q in range(QUERIES):
                power = s.exp(row[q] - top[q])
                row[q] = power
                part[q] += power
        for q in range(QUERIES):
            total[q] += part[q]


@kernel
def attend(query, key, value, output, logsumexp, keys: Part, values: Part, turned: Part,
           scores: Part, lines: Part, result: Part, by_query: Whole, by_row: Whole, causal: Count,
           scale: Number):
    one = query.dtype.type(1)
    for h in range(len(query)):
        turn(key[h], one, keys)
        widen(value[h], one, values)
        for begin in range(0, query.shape[1], QUERIES):
            size = min(QUERIES, query.shape[1] - begin)
            limit = min(key.shape[1], begin + size) if causal else key.shape[1]
            turn(query[h, begin:begin + size], scale, turned)
            products(keys, turned, scores, by_query, limit, size)
            if causal:
                hide_later(scores, begin, limit)
            softmax_of_columns(scores, limit, lines)
            gathered(scores, values, result, by_row, limit, size, query.shape[2])
            for q in range(size):
                share, into, row = one / lines[1, q], output[h, begin + q], result[q]
                for e in range(query.shape[2]):
                    into[e] = row[e] * share
                logsumexp[h, begin + q] = lines[0, q] + np.log(lines[1, q])


@routine
def slopes(scores, products_, lines, begin, limit, causal):
    """Probabilities in place of scores, and their gradients times them in place of products."""
    for k in range(limit):
        row, other = scores[k], products_[k]
        hidden = min(max(k - begin, 0), QUERIES) if causal else 0
        for q in range(QUERIES):
            p = s.exp(row[q] - lines[0, q])
            row[q], other[q] = p, p * (other[q] - lines[1, q])
        for q in range(hidden):
            row[q] = other[q] = 0
    for k in range(limit, min(-(-limit // TAPS) * TAPS, len(scores))):
        for q in range(QUERIES):
            scores[k, q] = products_[k, q] = 0


@routine
def copy_sums(sums, into):
    for i in range(into.shape[0]):
        for e in range(into.shape[1]):
            into[i, e] = sums[e // sums.shape[2], i, e % sums.shape[2]]


@kernel
def attend_backward(g, query, key, value, output, logsumexp, g_query, g_key, g_value, keys: Part,
                    values: Part, key_rows: Part, turned: Part, turned_g: Part, query_rows: Part,
                    g_rows: Part, scores: Part, moved: Part, lines: Part, key_sums: Part,
                    value_sums: Part, result: Part, by_query: Whole, by_row: Whole,
                    by_key: Whole, causal: Count, scale: Number):
    one, width = query.dtype.type(1), query.shape[2]
    for h in range(len(query)):
        turn(key[h], one, keys)
        turn(value[h], one, values)
        widen(key[h], one, key_rows)
        key_sums[:] = 0
        value_sums[:] = 0
        for begin in range(0, query.shape[1], QUERIES):
            size = min(QUERIES, query.shape[1] - begin)
            end = begin + size
            limit = min(key.shape[1], end) if causal else key.shape[1]
            turn(query[h, begin:end], scale, turned)
            turn(g[h, begin:end], one, turned_g)
            widen(query[h, begin:end], scale, query_rows)
            widen(g[h, begin:end], one, g_rows)
            lines[:] = 0
            for q in range(size):
                lines[0, q] = logsumexp[h, begin + q]
                for e in range(width):
                    lines[1, q] += g[h, begin + q, e] * output[h, begin + q, e]
            products(keys, turned, scores, by_query, limit, QUERIES)
            products(values, turned_g, moved, by_query, limit, QUERIES)
            slopes(scores, moved, lines, begin, limit, causal)
            spread_over(scores, g_rows, value_sums, by_key, limit, QUERIES)
            spread_over(moved, query_rows, key_sums, by_key, limit, QUERIES)
            gathered(moved, key_rows, result, by_row, limit, size, width)
            for q in range(size):
                for e in range(width):
                    g_query[h, begin + q, e] = result[q, e] * scale
        copy_sums(key_sums, g_key[h])
        copy_sums(value_sums, g_value[h])
