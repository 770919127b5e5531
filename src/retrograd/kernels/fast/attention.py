"""Attention by tiles of queries and keys: no matrix of all scores is ever in memory.

A block of queries meets one group of keys after another (Dao et al., 2022, "FlashAttention"), so
that scores stay in the first cache. Scores are kept transposed, with a row for each key and a
column for each query of the block: softmax then works on whole rows at once, and every product is
one of strips. Queries, keys and values are read where they are, as a model's view of one product
has them. The gradient computes the scores again.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .. import fast
from ..attention import LOWEST
from ..blocks import aligned
from ..layout import empty_like
from . import scalar as s
from .attention_one import close, no_mask, numbers_added, place, taken
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
from .strip import add_turned, multiply, turn
from .tile import BYTES, lanes

QUERIES = 128      # of a block, at most
NARROW = 64        # numbers of a key, for so many queries to lie in the first cache beside them
KEYS = 64          # of a group: what is summed over them is summed in its own precision
SHARES = 4         # parts of all the queries that threads share, where heads are fewer


def flash_attention(query, key, value, attn_mask, is_causal, scale):
    """See kernels.attention. For two queries NumPy's products read keys and values at the speed of
    memory, without transposing them; for one query another kernel does."""
    if not taken(query, key, value) or query.shape[-2] <= 2:
        return None
    room = Room(query, key, value, attn_mask, is_causal)
    given = [close(a) for a in (query, key, value)]
    output = empty_like(given[0])
    logsumexp = np.empty((room.turns.size, room.span), query.dtype)
    attend(logsumexp, room.turns, *given, output, room.mask,
           room.reach, steps(*given, output, room.mask), room.rows(room.width + KEYS + 4),
           int(is_causal), room.shares, scale, LOWEST[query.dtype.char], chunk=room.chunk)
    return output, logsumexp.reshape(*query.shape[:2], -1)[..., :query.shape[2]]


def flash_attention_backward(g, query, key, value, output, logsumexp, attn_mask, is_causal, scale):
    """See kernels.attention."""
    if not taken(query, key, value) or g.dtype is not query.dtype:
        return None
    room = Room(query, key, value, attn_mask, is_causal)
    given = [close(a) for a in (g, query, key, value, output)]
    made = [turned_heads(given[1], 1), *(turned_heads(a, room.shares) for a in given[2:4])]
    means, logs = np.zeros((2, room.turns.size, room.span), query.dtype)
    logs.reshape(*query.shape[:2], -1)[..., :query.shape[2]] = logsumexp
    attend_backward(
        logs, means, room.turns, *given, *made,
        room.mask, room.reach, steps(*given, *made, room.mask),
        room.rows(2 * room.width + 2 * KEYS + 2), int(is_causal), room.shares, scale,
        chunk=room.chunk)
    if (room.reach < room.keys).any() and not np.isfinite(means.sum()):
        return None                  # blocks skip what whole products multiply by 0
    return tuple([summed(a, len(query)) for a in made])


def turned_heads(a, shares):
    """(shares N, heads, L, E) for `a` (N, heads, L, E), in memory (shares N, L, heads, E)."""
    n, heads, size, width = a.shape
    return np.empty((shares * n, size, heads, width), a.dtype).transpose(0, 2, 1, 3)


def summed(a, images):
    """(N, heads, L, E), the sum of the shares."""
    if len(a) == images:
        return a
    rows = a.transpose(0, 2, 1, 3)
    return rows.reshape(-1, images, *rows.shape[1:]).sum(0).transpose(0, 2, 1, 3)


def steps(*arrays):
    """Bytes from image to image, head to head and row to row of each; and the heads of an image."""
    return steps_of(tuple([(a.shape[:3], a.strides[:3]) for a in arrays]))


@lru_cache(maxsize=64)
def steps_of(layouts):
    each = [[step if n > 1 else 0 for n, step in zip(*layout, strict=True)] for layout in layouts]
    return np.array([*each, (layouts[0][0][1], 0, 0)])


class Room:
    """Shapes of a call, and the memory that a chunk of heads works in."""

    def __init__(self, query, key, value, mask, is_causal):
        self.dtype, self.width, self.keys = query.dtype, query.shape[3], key.shape[2]
        (self.block, self.shares, self.span, self.chunk, self.turns) = shared(
            query.shape[0] * query.shape[1], query.shape[2],
            queries(query.shape[2], self.width, is_causal), lanes(self.dtype), fast.threads)
        self.parts = -(-self.turns.size // self.chunk)
        self.mask = (no_mask(self.dtype) if mask is None
                     else numbers_added(mask, self.dtype, self.keys))
        self.reach = self.reached(query, key, value, mask, is_causal)

    def reached(self, query, key, value, mask, is_causal):
        """How many keys each block of queries reads: later ones are hidden from all its queries. Of
        two groups of keys, to look for the last one takes longer than to read it."""
        if is_causal:
            return reached_causally(query.shape[2], self.keys, self.block)
        one_for_all = (self.keys > 2 * KEYS and mask is not None and mask.dtype == bool
                       and mask.shape[1:] == (self.keys,))
        if one_for_all and all(np.isfinite(a.sum()) for a in (query, key, value)):
            return self.keys - np.array([mask[n:n + self.block].any(0)[::-1].argmax()
                                         for n in range(0, query.shape[2], self.block)])
        return reached_by_all(query.shape[2], self.keys, self.block)

    def rows(self, count):
        """Memory for `count` rows, with a number for each query of a block, for each chunk."""
        return aligned((self.parts, count, self.block), self.dtype)


def queries(length, width, is_causal):
    """Queries of a block: few of causal ones, as half of what lies on the diagonal is hidden."""
    size = QUERIES if width <= NARROW else QUERIES // 2
    while is_causal and size > QUERIES // 4 and length < 8 * size:
        size //= 2
    return min(size, length)


@lru_cache(maxsize=64)
def shared(heads, length, size, vector, threads):
    """How threads share the queries of all heads, in blocks of about `size` queries.

    Returns (queries of a block, in whole vectors; shares that each head is cut into; queries of a
    share; shares that make a chunk of the kernel; the numbers of all shares of all heads).
    """
    block = -(-size // vector) * vector
    blocks = -(-length // block)
    each = -(-blocks // -(-SHARES // heads))                # blocks of a share
    shares = -(-blocks // each)
    turns = np.arange(heads * shares)
    return block, shares, each * block, -(-turns.size // (4 * threads)), turns


@lru_cache(maxsize=64)
def reached_by_all(length, keys, block):
    return np.full(-(-length // block), keys)            # what is hidden counts as 0 times inf


@lru_cache(maxsize=64)
def reached_causally(length, keys, block):
    return np.minimum(np.arange(0, length, block) + block, min(keys, length))


# --------------------------------------------------------------------------- compiled

@routine
def narrowed(room, size):
    """As much of a matrix's memory as it needs with `size` columns, in whole vectors."""
    vector = BYTES // room.itemsize
    whole = (size + vector - 1) // vector * vector
    return array_at(address_of(room), (room.shape[0], whole), room.dtype)


@routine
def products(rows, row, limit, turned, scores):
    """scores[k, q] = rows[k] . turned[:, q], for k < limit."""
    item, width = turned.itemsize, turned.shape[1] * turned.itemsize
    multiply(turned.dtype.type(0), address_of(scores), width, rows, row, item, address_of(turned),
             width, turned.shape[0], limit, width, False)


@routine
def gather(scores, size, rows, row, limit, sums, sums_row, width):
    """sums[q] += the sum of scores[k, q] * rows[k] over k < limit, for q < size."""
    item = scores.itemsize
    multiply(scores.dtype.type(0), sums, sums_row, address_of(scores), item,
             scores.shape[1] * item, rows, row, limit, size, width * item, True)


@routine
def spread(scores, limit, rows, row, size, sums, sums_row, width):
    """sums[k] += the sum of scores[k, q] * rows[q] over q < size, for k < limit."""
    item = scores.itemsize
    multiply(scores.dtype.type(0), sums, sums_row, address_of(scores), scores.shape[1] * item,
             item, rows, row, size, limit, width * item, True)


@routine
def hide(scores, size, limit, rows, row):
    """Add the mask, a row of it for each query, `row` bytes apart; 0: one row for all."""
    count, item = scores.shape[1], scores.itemsize
    if row == 0:
        added = array_at(rows, (limit,), scores.dtype)
        for k in range(limit):
            for q in range(count):
                scores[k, q] += added[k]
        return
    vector = BYTES // item
    high, wide = size // vector * vector, limit // vector * vector
    for q in range(0, high, vector):
        for k in range(0, wide, vector):
            add_turned(scores.dtype.type(0), address_of(scores) + (k * count + q) * item,
                       count * item, rows + q * row + k * item, row)
    for q in range(size):
        added = array_at(rows + q * row, (limit,), scores.dtype)
        for k in range(wide if q < high else 0, limit):
            scores[k, q] += added[k]


@routine
def hide_later(scores, before, size, limit):
    """-inf where the key comes after the query: key k is `before` places before query k."""
    for k in range(max(before + 1, 0), limit):
        scores[k, :min(k - before, size)] = -np.inf


@routine
def meet(keys, row, count, queries, scores, size, mask, mask_row, masked, causal, before):
    """scores[k, q] = keys[k] . queries[:, q], and what is hidden: see hide() and hide_later()."""
    products(keys, row, count, queries, scores)
    if masked:
        hide(scores, size, count, mask, mask_row)
    if causal:
        hide_later(scores, before, size, count)


@routine
def exponentials(scores, limit, lines):
    """Exponentials, less the largest score so far, in place of scores.

    lines: the largest scores, the sums of exponentials, and what those of earlier keys are
    multiplied by, as the largest scores grow. Returns whether they have grown.
    """
    count, grown = scores.shape[1], False
    top, total, factor = lines[0, :count], lines[1, :count], lines[2, :count]
    part = lines[3, :count]
    for q in range(count):
        factor[q], part[q] = top[q], 0
    for k in range(limit):
        row = scores[k]
        for q in range(row.size):
            now, value = top[q], row[q]
            top[q] = value if value > now else now
    for q in range(top.size):
        grown |= top[q] > factor[q]
    if grown:
        for q in range(top.size):
            factor[q] = s.exp_below_0(factor[q] - top[q])
            total[q] *= factor[q]
    for k in range(limit):
        row = scores[k]
        for q in range(row.size):
            power = s.exp_below_0(row[q] - top[q])
            row[q] = power
            part[q] += power
    for q in range(part.size):
        total[q] += part[q]
    return grown


@routine
def scale_rows(rows, row, size, width, factors):
    """rows[q] *= factors[q]."""
    for q in range(size):
        line = array_at(rows + q * row, (width,), factors.dtype)
        factor = factors[q]
        for e in range(width):
            line[e] *= factor


@routine
def clear(rows, row, count, like, width):
    for i in range(count):
        array_at(rows + i * row, (width,), like.dtype)[:] = 0


@kernel
def attend(logsumexp, turns, query: Whole, key: Whole, value: Whole, output: Whole, mask: Whole,
           reach: Whole, step: Whole, room: Part, causal: Count, shares: Count, scale: Number,
           lowest: Number):
    """output = softmax(scale query key^T) value, for some heads: (L, E) (S, E) (S, E) -> (L, E).

    The running maximum and sum of each query's scores are in `lines`; where the maximum grows, what
    has been added to the output is scaled down.
    """
    one, item = room.dtype.type(1), room.itemsize
    length, width, block = query.shape[2], query.shape[3], room.shape[1]
    turned, scores, lines = room[:width], room[width:width + KEYS], room[width + KEYS:]
    q_row, k_row, v_row, o_row, mask_row, _ = step[:, 2]
    per_image, span = step[-1, 0], logsumexp.shape[1]
    for i, turn_of in enumerate(turns):
        h, first = turn_of // shares, turn_of % shares * span
        q_head = place(address_of(query), step[0], per_image, h)
        k_head = place(address_of(key), step[1], per_image, h)
        v_head = place(address_of(value), step[2], per_image, h)
        o_head = place(address_of(output), step[3], per_image, h)
        hidden = place(address_of(mask), step[4], per_image, h)
        for begin in range(first, min(first + span, length), block):
            size = min(block, length - begin)
            limit = reach[begin // block]
            queries, powers = narrowed(turned, size), narrowed(scores, size)
            turn(q_head + begin * q_row, q_row, size, turned.dtype.type(scale), queries)
            out = o_head + begin * o_row
            clear(out, o_row, size, turned, width)
            lines[0], lines[1] = lowest, 0
            for at in range(0, limit, KEYS):
                count = min(KEYS, limit - at)
                meet(k_head + at * k_row, k_row, count, queries, powers, size,
                     hidden + begin * mask_row + at * item, mask_row, mask.size, causal, begin - at)
                if exponentials(powers, count, lines):
                    scale_rows(out, o_row, size, width, lines[2])
                gather(powers, size, v_head + at * v_row, v_row, count, out, o_row, width)
            for q in range(size):
                top, total = lines[0, q], lines[1, q]
                logsumexp[i, begin - first + q] = top + np.log(total)
                lines[2, q] = one / (one if total == 0 else total)
            scale_rows(out, o_row, size, width, lines[2])


@scalar_sums
def dot(a, b, count):
    total = a.dtype.type(0)
    for e in range(count):
        total += a[e] * b[e]
    return total


@routine
def note(g, g_row, output, o_row, size, width, logsumexp, means, lines):
    """Note in `lines`, for each query, the logsumexp of its scores and sum(g * output) of its row.

    The latter, which `means` gets too, is the mean of g value^T, weighted by the probabilities.
    """
    lines[:] = 0
    for q in range(size):
        lines[0, q] = 0 if logsumexp[q] == -np.inf else logsumexp[q]
        lines[1, q] = means[q] = dot(
            array_at(g + q * g_row, (width,), means.dtype),
            array_at(output + q * o_row, (width,), means.dtype), width)


@routine
def slopes(scores, moved, limit, lines, scale):
    """Probabilities in place of scores, and in place of `moved` the slopes of scaled scores."""
    top, mean = lines[0, :scores.shape[1]], lines[1, :scores.shape[1]]
    for k in range(limit):
        row, other = scores[k], moved[k]
        for q in range(row.size):
            p = s.exp_below_0(row[q] - top[q])
            row[q], other[q] = p, p * (other[q] - mean[q]) * scale


@kernel
def attend_backward(logsumexp, means, turns, g: Whole, query: Whole, key: Whole, value: Whole,
                    output: Whole, g_query: Whole, g_key: Whole, g_value: Whole, mask: Whole,
                    reach: Whole, step: Whole, room: Part, causal: Count, shares: Count,
                    scale: Number):
    """With P the probabilities, row by row of the queries (products as in mathematics):

        g_value = P^T g          slopes = scale P (g value^T - mean), mean = sum(g output) of a row
        g_query = slopes key     g_key = slopes^T query
    """
    real, item = room.dtype.type, room.itemsize
    length, keys, width, block = query.shape[2], key.shape[2], query.shape[3], room.shape[1]
    turned, turned_g, lines = room[:width], room[width:2 * width], room[2 * width:2 * width + 2]
    scores, moved = room[2 * width + 2:][:KEYS], room[2 * width + 2 + KEYS:]
    g_row, q_row, k_row, v_row, o_row, gq_row, gk_row, gv_row, mask_row, _ = step[:, 2]
    per_image, span, heads = step[-1, 0], logsumexp.shape[1], query.shape[0] * query.shape[1]
    for i, turn_of in enumerate(turns):
        h, share = turn_of // shares, turn_of % shares
        first = share * span
        g_head = place(address_of(g), step[0], per_image, h)
        q_head = place(address_of(query), step[1], per_image, h)
        k_head = place(address_of(key), step[2], per_image, h)
        v_head = place(address_of(value), step[3], per_image, h)
        o_head = place(address_of(output), step[4], per_image, h)
        gq_head = place(address_of(g_query), step[5], per_image, h)
        gk_head = place(address_of(g_key), step[6], per_image, h + share * heads)
        gv_head = place(address_of(g_value), step[7], per_image, h + share * heads)
        hidden = place(address_of(mask), step[8], per_image, h)
        clear(gk_head, gk_row, keys, turned, width)
        clear(gv_head, gv_row, keys, turned, width)
        for begin in range(first, min(first + span, length), block):
            size = min(block, length - begin)
            limit = reach[begin // block]
            q_rows, g_rows = q_head + begin * q_row, g_head + begin * g_row
            queries, slope = narrowed(turned, size), narrowed(turned_g, size)
            powers, changes = narrowed(scores, size), narrowed(moved, size)
            turn(q_rows, q_row, size, real(scale), queries)
            turn(g_rows, g_row, size, real(1), slope)
            note(g_rows, g_row, o_head + begin * o_row, o_row, size, width,
                 logsumexp[i, begin - first:], means[i, begin - first:], lines)
            gq_rows = gq_head + begin * gq_row
            clear(gq_rows, gq_row, size, turned, width)
            for at in range(0, limit, KEYS):
                count = min(KEYS, limit - at)
                k_rows, v_rows = k_head + at * k_row, v_head + at * v_row
                meet(k_rows, k_row, count, queries, powers, size,
                     hidden + begin * mask_row + at * item, mask_row, mask.size, causal, begin - at)
                products(v_rows, v_row, count, slope, changes)
                slopes(powers, changes, count, lines, real(scale))
                spread(powers, count, g_rows, g_row, size, gv_head + at * gv_row, gv_row, width)
                spread(changes, count, q_rows, q_row, size, gk_head + at * gk_row, gk_row, width)
                gather(changes, size, k_rows, k_row, count, gq_rows, gq_row, width)
