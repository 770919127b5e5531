"""Scaled dot-product attention on (..., L, E), (..., S, E), (..., S, Ev)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .half import floating
from .layout import empty_like

LOWEST = {char: float(np.finfo(char).min) for char in "fd"}


@floating("flash_attention")
def flash_attention(query, key, value, attn_mask, is_causal, scale):
    """softmax(query key^T scale + mask) value; -> output, log of the softmax's denominators.

    The output lies in memory as the query does, which a model may have turned.
    """
    scores = _scores(query, key, attn_mask, is_causal, scale)
    top = np.maximum.reduce(scores, -1, keepdims=True)
    scores -= np.maximum(top, LOWEST[scores.dtype.char])
    np.exp(scores, out=scores)
    # at least exp(0), but for a row with nothing to attend to: that becomes zero
    total = np.maximum(np.add.reduce(scores, -1, keepdims=True), 1)
    output = np.matmul(scores, value, out=_like_query(query))
    output /= total
    return output, (np.log(total) + top)[..., 0]


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
    p = _scores(query, key, attn_mask, is_causal, scale)
    p -= np.maximum(logsumexp, LOWEST[p.dtype.char])[..., None]
    np.exp(p, out=p)
    g_value = np.matmul(p.swapaxes(-1, -2), g, out=_like_rows(value))
    scores = g @ value.swapaxes(-1, -2)
    scores -= (g * output).sum(-1, keepdims=True)
    scores *= p
    scores *= scale
    g_query = np.matmul(scores, key, out=_like_rows(query))
    return g_query, np.matmul(scores.swapaxes(-1, -2), query, out=_like_rows(key)), g_value


def _like_rows(a):
    """(..., heads, L, E), in memory (..., L, heads, E)."""
    *lead, heads, size, width = a.shape
    return np.empty((*lead, size, heads, width), a.dtype).swapaxes(-2, -3)


def _scores(query, key, attn_mask, is_causal, scale):
    scores = (query * float(scale)) @ key.swapaxes(-1, -2)
    if is_causal:
        scores += _later(*scores.shape[-2:], scores.dtype)
    if attn_mask is not None:
        scores += added_mask(attn_mask, scores.dtype)
    return scores


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
