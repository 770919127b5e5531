"""Scaled dot-product attention: softmax(query key^T * scale + mask) value.

PyTorch's graph has one node for it where its fused kernel applies (`fused` says where), and else
the nodes of products and a softmax. Both are here: the operator flash_attention, whose node keeps
the output and the logarithms of softmax's denominators instead of the (L, S) weights (Dao et al.
2022), and `composed`.
"""

from __future__ import annotations

import math

import numpy as np

from .. import kernels as K
from .._tensor import wrap
from .._torch_function import would_ask
from ..kernels.attention import SCORES, added_mask, attention_and_weights
from ..kernels.half import is_half
from . import nn_samples as S
from .addmm import fit_layer
from .declare import F as T
from .declare import composite, op
from .dims import wrap_dim
from .formulas import both, in_single
from .nn_checks import cpp_name
from .public import native
from .support import unobserved

op("flash_attention(query, key, value, attn_mask? | is_causal, scale)",
   "ScaledDotProductFlashAttentionForCpuBackward0", public=False,
   outputs=("output", "logsumexp"), nondiff=("logsumexp",),
   samples=lambda: [(S.normal(1, 2, 3, 4), S.normal(1, 2, 5, 4, seed=1),
                     S.normal(1, 2, 5, 4, seed=2), None, causal, 0.5) for causal in (False, True)],
   joint=lambda F, g, need, query, key, value, output, logsumexp, attn_mask, is_causal, scale:
             (*F.flash_attention_backward(g, query, key, value, output, logsumexp, attn_mask,
                                          is_causal, scale), None),
   jvp=lambda F, query, key, value, attn_mask, query_t, key_t, value_t, attn_mask_t, is_causal,
              scale:
           (attention_tangent(F, query, key, value, attn_mask, query_t, key_t, value_t, attn_mask_t,
                              is_causal, scale), None))


def attention_tangent(F, query, key, value, mask, query_t, key_t, value_t, mask_t, is_causal,
                      scale):
    """O' = P' V + P V', where P' = P (S' - sum(P S')): softmax is its own transpose.

    A mask of numbers is part of the scores S.
    """
    last = len(query.shape) - 1
    scores = (query * scale) @ F.transpose(key, last - 1, last)
    raw = [None if t is None else getattr(t, "_data", t) for t in (scores, mask)]
    added = joined_mask(*raw, is_causal)
    if added is not None and scores is not raw[0]:
        added = wrap(added)
    p = F.safe_softmax_dim(scores if added is None else scores + added, last)
    moved = None
    if query_t is not None:
        moved = (query_t * scale) @ F.transpose(key, last - 1, last)
    if key_t is not None:
        moved = both(moved, (query * scale) @ F.transpose(key_t, last - 1, last))
    if mask_t is not None:
        moved = both(moved, F.expand(mask_t, scores.shape))
    tangent = None if moved is None else F.softmax_backward(moved, p, last) @ value
    return tangent if value_t is None else both(tangent, p @ value_t)


@composite
@in_single
def flash_attention_backward(g, query, key, value, output, logsumexp, attn_mask, is_causal, scale):
    """The gradients of attention, of Tensors."""
    scores = query @ last_swapped(key) * scale
    mask = joined_mask(scores._data, None if attn_mask is None else attn_mask._data, is_causal)
    if mask is not None:
        scores = scores + wrap(mask)
    p = T.safe_softmax_dim(scores, scores._data.ndim - 1)
    slope = T.softmax_backward(g @ last_swapped(value), p, scores._data.ndim - 1) * scale
    return slope @ key, last_swapped(slope) @ query, last_swapped(p) @ g


def last_swapped(t):
    """(..., a, b) -> (..., b, a)"""
    return T.transpose(t, t._data.ndim - 2, t._data.ndim - 1)


def joined_mask(scores, mask, is_causal):
    """What to add to scores: 0 or -inf for boolean masks and causality."""
    total = None if mask is None else added_mask(mask, scores.dtype)
    if is_causal:
        later = np.triu(np.full(scores.shape[-2:], -np.inf, scores.dtype), 1)
        total = later if total is None else total + later
    return total


@native
def scaled_dot_product_attention(query, key, value, attn_mask=None, dropout_p=0.0,
                                 is_causal=False, *, scale=None, enable_gqa=False):
    """softmax(query key^T * scale + mask) value: (..., L, E), (..., S, E), (..., S, Ev).

    The result is (..., L, Ev) (Vaswani et al. 2017). scale is 1 / sqrt(E) where it is None. A
    boolean mask keeps what is True, another, of the query's dtype or float32, is added. is_causal
    lets position i attend to no later one; a mask beside it, for 4-d inputs without dropout alone,
    stays in force. dropout_p is the probability that a weight is dropped. enable_gqa repeats heads
    of key and value. Raises RuntimeError for inputs that do not fit together.

    >>> import retrograd as torch
    >>> q = torch.ones(1, 2, 4)
    >>> torch.nn.functional.scaled_dot_product_attention(q, q, q).shape
    torch.Size([1, 2, 4])
    """
    check(query, key, value, attn_mask)
    scale = 1 / math.sqrt(query._data.shape[-1]) if scale is None else scale
    if enable_gqa:
        key, value = repeated(query, key), repeated(query, value)
    recorded = attn_mask is not None and attn_mask._flags & 1
    if attn_mask is not None and not recorded and attn_mask._data.dtype == np.float32:
        attn_mask = attn_mask.double() if query._data.dtype == np.float64 else attn_mask
    if fused(query, key, value, attn_mask, dropout_p, recorded):
        return T.flash_attention(query, key, value, attn_mask, is_causal, scale)[0]
    return composed(query, key, value, attn_mask, dropout_p, is_causal, scale)


def self_attention(x, heads, batch_first, weight, bias, out_weight, out_bias, need_weights):
    """Attention of x to itself by `heads` heads, between two linear layers, and its weights.

    It is one step in place of some thirty, if nothing is recorded and no tool would see these
    steps; otherwise the result is None.
    x is (N, L, E) with batch_first, else (L, N, E). weight (3 E, E) and bias (3 E) make query, key
    and value, out_weight (E, E) and out_bias (E) the output. The weights are (N, heads, L, L), or
    None unless `need_weights`.
    """
    tensors = (x, weight, bias, out_weight, out_bias)
    flags = 0
    for t in tensors:
        if t is None:
            return None
        flags |= t._flags
    a, w, b, out_w, out_b = [t._data for t in tensors]
    if (not unobserved(flags) or would_ask(tensors)
            or a.ndim != 3 or not fit_layer(a, w, b) or not fit_layer(a, out_w, out_b)):
        return None
    first, second, width = a.shape
    batch, step = (0, 1) if batch_first else (1, 0)
    if need_weights and heads * a.shape[batch] * a.shape[step] ** 2 > SCORES:
        return None
    packed = K.addmm(b, a.reshape(-1, width), w.T, 1, 1)                    # (N L, 3 E)
    packed = packed.reshape(first, second, 3, heads, width // heads)
    q, k, v = packed.transpose(2, batch, 3, step, 4)                        # (N, heads, L, .)
    scale = (width // heads) ** -0.5
    if need_weights:
        y, weights = attention_and_weights(q, k, v, scale)
    else:
        y, weights = K.flash_attention(q, k, v, None, False, scale)[0], None
    y = y.transpose(0, 2, 1, 3) if batch_first else y.transpose(2, 0, 1, 3)
    y = y.reshape(-1, width)                                                # (N L, E)
    output = wrap(K.addmm(out_b, y, out_w.T, 1, 1).reshape(a.shape))
    return output, weights if weights is None else wrap(weights)


def fused(query, key, value, attn_mask, dropout_p, recorded):
    """Whether PyTorch takes its fused kernel on the CPU."""
    q, k, v = query._data, key._data, value._data
    if dropout_p or recorded or not (q.size and k.size and v.size):
        return False
    q, k, v = q.shape, k.shape, v.shape
    if attn_mask is not None and (attn_mask._data.ndim not in (2, 4) or any(
            n not in (1, size) for n, size in zip(attn_mask._data.shape[::-1], (
                k[-2], q[-2], *q[-3::-1]), strict=False))):
        return False
    return len(q) == 4 and k == v and q[:2] == k[:2] and q[3] == k[3]


def composed(query, key, value, attn_mask, dropout_p, is_causal, scale):
    """Attention step by step, half precision in single precision; no mask beside is_causal."""
    if is_causal and attn_mask is not None:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set "
                           "when is_causal=True")
    if is_half(query._data.dtype):
        return composed(query.float(), key.float(), value.float(), attn_mask, dropout_p, is_causal,
                        scale).to(query.dtype)
    root = math.sqrt(abs(scale))
    scores = (query * root) @ (last_swapped(key) * math.copysign(root, scale))
    if attn_mask is not None and attn_mask._data.dtype == bool:
        kept, lost = (wrap(np.array(x, scores._data.dtype)) for x in (0, -np.inf))
        attn_mask = T.where(attn_mask, kept, lost)
    if is_causal:
        attn_mask = wrap(joined_mask(scores._data, None, True))
    if attn_mask is not None:
        scores = scores + attn_mask
    p = T.safe_softmax_dim(scores, scores._data.ndim - 1)
    if dropout_p > 1:
        raise RuntimeError("dropout probability has to be between 0 and 1, but got "
                           f"{dropout_p:g}")
    if dropout_p > 0:
        from ..nn.functional import dropout
        p = dropout(p, dropout_p)
    return p @ value


def repeated(query, t):
    """t with each head repeated until there are as many as query has."""
    for x in (query, t):
        wrap_dim(-3, x._data.ndim)
    heads, have = query._data.shape[-3], t._data.shape[-3]
    if have == 0 or heads % have:
        raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
    if heads == have:
        return t
    shape = t._data.shape
    at = t._data.ndim - 2
    wide = T.expand(T.unsqueeze(t, at), (*shape[:at], heads // have, *shape[at:]))
    return T.reshape(wide, (*shape[:-3], heads, *shape[-2:]))


def check(query, key, value, attn_mask):
    """Raise what PyTorch raises for inputs that do not fit together."""
    q, k, v = query._data, key._data, value._data
    if not q.dtype == k.dtype == v.dtype:
        names = [cpp_name(t) for t in (query, key, value)]
        raise RuntimeError("Expected query, key, and value to have the same dtype, but got "
                           f"query.dtype: {names[0]} key.dtype: {names[1]} and value.dtype: "
                           f"{names[2]} instead.")
    if q.ndim < 2 or k.ndim < 2 or v.ndim < 2:
        raise RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, but "
                           f"got query.dim: {q.ndim} key.dim: {k.ndim} and value.dim: "
                           f"{v.ndim} instead.")
    if attn_mask is None:
        return
    if attn_mask._data.dtype not in (bool, np.float32, q.dtype):
        raise RuntimeError("Expected attn_mask dtype to be bool or float or to match query dtype, "
                           f"but got attn_mask.dtype: {cpp_name(attn_mask)} and  query.dtype: "
                           f"{cpp_name(query)} instead.")
