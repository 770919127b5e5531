"""Scaled dot-product attention on (..., L, E), (..., S, E), (..., S, Ev)."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from . import fast
from .activation import softmax_by_size
from .half import floating
from .layout import empty_like
from .matmul import batches
from .sharing import share_products

SCORES = 1 << 16      # scores computed at once: a few such arrays fit in the cache
HEIGHT = 64           # the least rows of scores of a block, for the sake of the products
LOWEST = {char: float(np.finfo(char).min) for char in "fd"}


@floating("flash_attention", round_first=True)     # an error of log is one of exp(score - log)
def flash_attention(query, key, value, attn_mask, is_causal, scale):
    """softmax(query key^T scale + mask) value; -> output, log of the softmax's denominators.

    The output has the memory order of the query, whose dimensions a model may have exchanged.
    """
    alone = query.shape[-2] == 1
    return (of_one if alone else of_several)(query, key, value, attn_mask, is_causal, scale)


def of_several(query, key, value, attn_mask, is_causal, scale):
    """flash_attention() by products of blocks."""
    output = _like_query(query)
    if _at_once(query, key):
        later, mask = _added(query, key, attn_mask, is_causal)
        return output, _attend(query, key, value, later, mask, scale, output)
    logs = np.empty(query.shape[:-1], query.dtype)
    cut = _cut(query, key, value, attn_mask, is_causal)

    def work(part, rows):
        keys, values, out, log = (a[part] for a in (key, value, output, logs))
        for at in rows:
            to, later, mask = cut(part, at)
            log[..., at] = _attend(query[part][..., at, :], keys[..., to, :], values[..., to, :],
                                   later, mask, scale, out[..., at, :])
    _over_heads(work, query, key, value)
    return output, logs


def attention_of_one(query, key, value, attn_mask, is_causal, scale):
    """flash_attention() of a single query for each head."""
    return of_several(query, key, value, attn_mask, is_causal, scale)


of_one = fast.either("attention_of_one", attention_of_one)


def _attend(query, key, value, later, mask, scale, out):
    """Attention of some rows, into `out`; -> log of the softmax's denominators."""
    scores = _scores(query, key, later, mask, scale)
    top = np.maximum.reduce(scores, -1, keepdims=True)
    scores -= np.maximum(top, LOWEST[scores.dtype.char])
    np.exp(scores, out=scores)
    # at least exp(0), except for a row with nothing to attend to: that becomes zero
    total = np.maximum(np.add.reduce(scores, -1, keepdims=True), 1)
    np.matmul(scores, value, out=out)
    out /= total
    return (np.log(total) + top)[..., 0]


def _at_once(query, key):
    """Whether the scores of all heads fit in the cache."""
    return math.prod(query.shape[:-1]) * key.shape[-2] <= SCORES


def attention_and_weights(query, key, value, scale):
    """softmax(query key^T scale) value, and the softmax itself, (..., L, S)."""
    weights = softmax_by_size(_scores(query, key, None, None, scale), query.ndim - 1)
    return batches(weights, value), weights


def _over_heads(work, query, key, value):
    """work(part, rows) for parts of the leading dimensions, which threads share, and for slices of
    the part's rows that are so short that their scores stay in the cache."""
    *lead, count, _ = query.shape
    width = key.shape[-2]
    head, inner = count * width, count * width * math.prod(lead[1:])
    parts, height = [()], max(count, 1)
    same = key.shape[:-2] == value.shape[:-2] == tuple(lead)
    if lead and same:
        if inner <= SCORES:
            step = SCORES // inner
            parts = [(slice(i, i + step),) for i in range(0, lead[0], step)]
        else:
            parts = [*np.ndindex(*lead)]
            height = count if head <= SCORES else max(HEIGHT, SCORES // width)
    rows = [slice(i, min(i + height, count)) for i in range(0, max(count, 1), height)]
    share_products(lambda: lambda part: work(part, rows), parts)


def _like_query(query):
    """Memory in the order of the query if its rows have no gaps, else in the ordinary order."""
    close = query.strides[-1] == query.itemsize
    return empty_like(query) if close else np.empty(query.shape, query.dtype)


@floating("flash_attention_backward")
def flash_attention_backward(
    g, query, key, value, output, logsumexp, attn_mask, is_causal, scale
):
    """Gradients with respect to query, key and value; the probabilities are computed again.

    (N, heads, L, E) lie in memory as (N, L, heads, E): a model's view turns them back.
    """
    grads = g_query, g_key, g_value = [_like_rows(a) for a in (query, key, value)]
    logs = np.maximum(logsumexp, LOWEST[logsumexp.dtype.char])[..., None]
    if _at_once(query, key):
        later, mask = _added(query, key, attn_mask, is_causal)
        _slopes(g, query, key, value, output, logs, later, mask, scale, *grads)
        return g_query, g_key, g_value
    cut = _cut(query, key, value, attn_mask, is_causal)

    def work(part, rows):
        of_key, of_value = g_key[part], g_value[part]
        of_key[...] = of_value[...] = 0
        for at in rows:
            to, later, mask = cut(part, at)
            asked, slope, out, log, of_asked = (
                a[part][..., at, :] for a in (query, g, output, logs, g_query))
            more = _slopes(slope, asked, key[part][..., to, :], value[part][..., to, :], out, log,
                           later, mask, scale, of_asked)
            of_key[..., to, :] += more[0]
            of_value[..., to, :] += more[1]
    _over_heads(work, query, key, value)
    return g_query, g_key, g_value


def _slopes(g, query, key, value, output, logs, later, mask, scale, g_query, g_key=None,
            g_value=None):
    """The gradients of some rows of the query, into `g_query`; -> those of key and value."""
    p = _scores(query, key, later, mask, scale)
    p -= logs
    np.exp(p, out=p)
    g_value = np.matmul(p.swapaxes(-1, -2), g, out=g_value)
    scores = g @ value.swapaxes(-1, -2)
    scores -= (g * output).sum(-1, keepdims=True)
    scores *= p
    scores *= scale
    np.matmul(scores, key, out=g_query)
    return np.matmul(scores.swapaxes(-1, -2), query, out=g_key), g_value


def _like_rows(a):
    """(..., heads, L, E), in memory (..., L, heads, E)."""
    *lead, heads, size, width = a.shape
    return np.empty((*lead, size, heads, width), a.dtype).swapaxes(-2, -3)


def _scores(query, key, later, mask, scale):
    """The scores of some rows, with -inf for keys that come later, and a mask added."""
    scores = (query * float(scale)) @ key.swapaxes(-1, -2)
    if later is not None:
        np.fmin(scores, later, out=scores)       # an infinite score or a nan is hidden, too
    if mask is not None:
        scores += added_mask(mask, scores.dtype)
    return scores


def _added(query, key, mask, is_causal):
    """What hides scores and what is added to them, each or None: see _later(); the mask."""
    later = _later(query.shape[-2], key.shape[-2], query.dtype) if is_causal else None
    return later, mask


def _cut(query, key, value, mask, is_causal):
    """A function of a part and its rows: the keys that they see, and what is added to their scores.

    Keys that come after all of the rows are left out if none of them makes a nan.
    """
    later, mask = _added(query, key, mask, is_causal)
    fewer = is_causal and all(np.isfinite(a).all() for a in (key, value))
    if mask is not None:
        mask = np.broadcast_to(mask, (*np.broadcast_shapes(
            query.shape[:-2], key.shape[:-2], mask.shape[:-2]), query.shape[-2], key.shape[-2]))

    def cut(part, rows):
        to = slice(rows.stop if fewer else None)
        return (to, None if later is None else later[rows, to],
                None if mask is None else mask[part][..., rows, to])
    return cut


def added_mask(mask, dtype):
    """What is added to scores: a mask as it is, or of a boolean one 0 for True, -inf for False."""
    if mask.dtype != bool:
        return mask
    with np.errstate(divide="ignore"):
        return np.log(mask, dtype=dtype)


FEW = 256             # positions for which the triangle is kept


def _later(rows, cols, dtype):
    """-inf where the key comes after the query, and nan, which fmin() ignores, elsewhere.

    For few positions it is a corner of one matrix that is kept, since a text that grows would need
    a new matrix at every step.
    """
    if max(rows, cols) <= FEW:
        return _triangle(FEW, FEW, dtype)[:rows, :cols]
    return _triangle(rows, cols, dtype)


@lru_cache(maxsize=8)
def _triangle(rows, cols, dtype):
    return np.where(np.tri(rows, cols, dtype=bool), dtype.type(np.nan), dtype.type(-np.inf))
