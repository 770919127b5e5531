"""Scaled dot-product attention on (..., L, E), (..., S, E), (..., S, Ev)."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .half import floating
from .layout import empty_like
from .sharing import share_products

SCORES = 1 << 16      # that are computed at once: a few such arrays fit in the cache
HEIGHT = 64           # rows of them at least, for the sake of the products
LOWEST = {char: float(np.finfo(char).min) for char in "fd"}


@floating("flash_attention")
def flash_attention(query, key, value, attn_mask, is_causal, scale):
    """softmax(query key^T scale + mask) value; -> output, log of the softmax's denominators.

    The output lies in memory as the query does, which a model may have turned.
    """
    output, logs = _like_query(query), np.empty(query.shape[:-1], query.dtype)
    added = _added(query, key, value, attn_mask, is_causal)

    def work(part, rows):
        keys, values, out, log = (a[part] for a in (key, value, output, logs))
        for at in rows:
            to = _seen(at, added)
            scores = _scores(query[part][..., at, :], keys[..., to, :], added, part, at, scale)
            top = np.maximum.reduce(scores, -1, keepdims=True)
            scores -= np.maximum(top, LOWEST[scores.dtype.char])
            np.exp(scores, out=scores)
            # at least exp(0), but for a row with nothing to attend to: that becomes zero
            total = np.maximum(np.add.reduce(scores, -1, keepdims=True), 1)
            block = np.matmul(scores, values[..., to, :], out=out[..., at, :])
            block /= total
            log[..., at] = (np.log(total) + top)[..., 0]
    _over_heads(work, query, key, value)
    return output, logs


def _over_heads(work, query, key, value):
    """work(part, rows) for parts of the leading dimensions, which threads share, and slices that
    cut the rows of the part: the scores of each stay in the cache."""
    *lead, count, _ = query.shape
    width = key.shape[-2]
    head, inner = count * width, count * width * math.prod(lead[1:])
    parts, height = [()], max(count, 1)
    same = key.shape[:-2] == value.shape[:-2] == tuple(lead)
    if lead and same and inner * lead[0] > SCORES:
        if inner <= SCORES:
            step = SCORES // inner
            parts = [(slice(i, i + step),) for i in range(0, lead[0], step)]
        else:
            parts = [*np.ndindex(*lead)]
            height = count if head <= SCORES else max(HEIGHT, SCORES // width)
    rows = [slice(i, min(i + height, count)) for i in range(0, max(count, 1), height)]
    share_products(lambda: lambda part: work(part, rows), parts)


def _like_query(query):
    """Memory in the order of the query where its rows lie close, else in the ordinary one."""
    close = query.strides[-1] == query.itemsize
    return empty_like(query) if close else np.empty(query.shape, query.dtype)


@floating("flash_attention_backward")
def flash_attention_backward(
    g, query, key, value, output, logsumexp, attn_mask, is_causal, scale
):
    """Gradients with respect to query, key and value; the probabilities are computed again.

    (N, heads, L, E) lie in memory as (N, L, heads, E): a model's view turns them back.
    """
    g_query, g_key, g_value = (_like_rows(a) for a in (query, key, value))
    added = _added(query, key, value, attn_mask, is_causal)

    def work(part, rows):
        of_key, of_value = g_key[part], g_value[part]
        of_key[...] = of_value[...] = 0
        for at in rows:
            to = _seen(at, added)
            keys, values = key[part][..., to, :], value[part][..., to, :]
            asked, slope, out, log = (a[part][..., at, :] for a in (query, g, output, logs))
            p = _scores(asked, keys, added, part, at, scale)
            p -= log
            np.exp(p, out=p)
            of_value[..., to, :] += p.swapaxes(-1, -2) @ slope
            scores = slope @ values.swapaxes(-1, -2)
            scores -= (slope * out).sum(-1, keepdims=True)
            scores *= p
            scores *= scale
            np.matmul(scores, keys, out=g_query[part][..., at, :])
            of_key[..., to, :] += scores.swapaxes(-1, -2) @ asked
    logs = np.maximum(logsumexp, LOWEST[logsumexp.dtype.char])[..., None]
    _over_heads(work, query, key, value)
    return g_query, g_key, g_value


def _like_rows(a):
    """(..., heads, L, E), in memory (..., L, heads, E)."""
    *lead, heads, size, width = a.shape
    return np.empty((*lead, size, heads, width), a.dtype).swapaxes(-2, -3)


def _scores(query, key, added, part, rows, scale):
    """The scores of these rows of a part for its first keys; `added` is what _added() gives."""
    scores = (query * float(scale)) @ key.swapaxes(-1, -2)
    later, mask, _ = added
    count = scores.shape[-1]
    if later is not None:
        scores += later[rows, :count]
    if mask is not None:
        scores += added_mask(mask[part][..., rows, :count], scores.dtype)
    return scores


def _added(query, key, value, mask, is_causal):
    """What is added to scores, or None: -inf where the key comes after the query; the mask. And
    whether the keys that come after all queries can be left out: none of them makes a nan."""
    shape = query.shape[-2], key.shape[-2]
    if mask is not None:
        mask = np.broadcast_to(mask, (*np.broadcast_shapes(
            query.shape[:-2], key.shape[:-2], mask.shape[:-2]), *shape))
    if not is_causal:
        return None, mask, False
    finite = all(np.isfinite(a).all() for a in (key, value))
    return _later(*shape, query.dtype), mask, finite


def _seen(rows, added):
    """The keys that these rows see."""
    return slice(rows.stop if added[2] else None)


def added_mask(mask, dtype):
    """What is added to scores: a mask as it is, or of a boolean one 0 for True, -inf for False."""
    if mask.dtype != bool:
        return mask
    with np.errstate(divide="ignore"):
        return np.log(mask, dtype=dtype)


FEW = 256             # positions


def _later(rows, cols, dtype):
    """-inf where the key comes after the query, 0 elsewhere. Of few positions it is a corner of one
    matrix: those of a text that grows are new at every step."""
    if max(rows, cols) <= FEW:
        return _triangle(FEW, FEW, dtype)[:rows, :cols]
    return _triangle(rows, cols, dtype)


@lru_cache(maxsize=8)
def _triangle(rows, cols, dtype):
    return np.triu(np.full((rows, cols), -np.inf, dtype), 1)
