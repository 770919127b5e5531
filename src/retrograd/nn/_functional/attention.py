"""Attention of several heads with their projections, on scaled dot products."""
from __future__ import annotations

import math

import retrograd as torch
from retrograd._warnings import warn
from retrograd.nn._functional.activation import softmax
from retrograd.nn._functional.dropout import dropout
from retrograd.nn._functional.pad import pad
from retrograd.ops.addmm import linear
from retrograd.ops.attention import scaled_dot_product_attention


def _canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    """A boolean mask as an additive one: -inf where True."""
    if mask is None:
        return None
    if mask.dtype != torch.bool and not mask.is_floating_point():
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warn(f"Support for mismatched {mask_name} and {other_name} "
             "is deprecated. Use same type for both instead.")
    if mask.is_floating_point():
        return mask
    return torch.zeros_like(mask, dtype=target_type).masked_fill_(mask, -math.inf)


def _none_or_dtype(input):
    return None if input is None else input.dtype


def _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads):
    """Check the dimensions; whether the input has a batch dimension."""
    batched = query.dim() == 3
    if query.dim() not in (2, 3):
        raise AssertionError("query should be unbatched 2D or batched 3D tensor but received "
                             f"{query.dim()}-D query tensor")
    kind, other, n = ("batched", "unbatched", 3) if batched else ("unbatched", "batched", 2)
    if key.dim() != n or value.dim() != n:
        raise AssertionError(f"For {kind} ({n}-D) `query`, expected `key` and `value` to be {n}-D "
                             f"but found {key.dim()}-D and {value.dim()}-D tensors respectively")
    if key_padding_mask is not None and key_padding_mask.dim() != n - 1:
        raise AssertionError(f"For {kind} ({n}-D) `query`, expected `key_padding_mask` to be "
                             f"`None` or {n - 1}-D but found {key_padding_mask.dim()}-D tensor "
                             "instead")
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(f"For {kind} ({n}-D) `query`, expected `attn_mask` to be `None`, "
                                 f"2-D or 3-D but found {attn_mask.dim()}-D tensor instead")
        if not batched and attn_mask.dim() == 3:
            expected = (num_heads, query.shape[0], key.shape[0])
            if tuple(attn_mask.shape) != expected:
                raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got "
                                     f"{attn_mask.shape}")
    return batched


def _in_projection_packed(q, k, v, w, b=None):
    """q, k and v each times its third of the packed weight."""
    size = q.size(-1)
    if k is v:
        if q is k:      # self-attention: one product
            packed = linear(q, w, b).unflatten(-1, (3, size))      # (L, N, E) -> (L, N, 3, E)
            packed = packed.unsqueeze(0).transpose(0, -2)          # -> (3, L, N, 1, E)
            packed = packed.squeeze(-2).contiguous()               # -> (3, L, N, E)
            return packed[0], packed[1], packed[2]
        w_q, w_kv = w.split([size, size * 2])
        b_q, b_kv = (None, None) if b is None else b.split([size, size * 2])
        q = linear(q, w_q, b_q)
        kv = linear(k, w_kv, b_kv).unflatten(-1, (2, size)).unsqueeze(0).transpose(0, -2)
        kv = kv.squeeze(-2).contiguous()
        return q, kv[0], kv[1]
    w_q, w_k, w_v = w.chunk(3)
    b_q, b_k, b_v = (None, None, None) if b is None else b.chunk(3)
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    return linear(q, w_q, b_q), linear(k, w_k, b_k), linear(v, w_v, b_v)


def _separate_projection(query, key, value, weights, bias):
    """q, k and v by a weight each, and a third of the packed bias."""
    for name, weight in zip("qkv", weights, strict=True):
        if weight is None:
            raise AssertionError(
                f"use_separate_proj_weight is True but {name}_proj_weight is None")
    biases = (None, None, None) if bias is None else bias.chunk(3)
    return _in_projection(query, key, value, *weights, *biases)


def _projected(query, key, value, separate_weights, weight, bias):
    """Queries, keys and values by three weights, or by one that holds all three."""
    _check_key_value(key, value, separate_weights is not None)
    if separate_weights is not None:
        return _separate_projection(query, key, value, separate_weights, bias)
    if weight is None:
        raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
    return _in_projection_packed(query, key, value, weight, bias)


def multi_head_attention_forward(
    query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v,
    add_zero_attn, dropout_p, out_proj_weight, out_proj_bias, training=True,
    key_padding_mask=None, need_weights=True, attn_mask=None, use_separate_proj_weight=False,
    q_proj_weight=None, k_proj_weight=None, v_proj_weight=None, static_k=None, static_v=None,
    average_attn_weights=True, is_causal=False,
):
    """Attention of `num_heads` heads: project, attend, project back (Vaswani et al. 2017).

    query (L, N, E) or (L, E), key and value (S, N, .); returns the output (L, N, E) and, with
    `need_weights`, the attention weights (N, L, S), averaged over heads or (N, heads, L, S).
    nn.MultiheadAttention keeps the weights and calls this. Raises AssertionError for sizes that do
    not fit.

    >>> import retrograd as torch
    >>> x, w, b = torch.ones(3, 1, 4), torch.ones(12, 4), torch.zeros(12)
    >>> output, weights = torch.nn.functional.multi_head_attention_forward(
    ...     x, x, x, 4, 2, w, b, None, None, False, 0.0, torch.eye(4), torch.zeros(4))
    >>> output.shape, weights[0, 0]
    (torch.Size([3, 1, 4]), tensor([0.3333, 0.3333, 0.3333]))
    """
    batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        query, key, value = _with_batch(query, key, value)
        if key_padding_mask is not None:
            key_padding_mask = key_padding_mask.unsqueeze(0)
    tgt_len, bsz, embed_dim = query.shape
    attn_mask, key_padding_mask, is_causal = _additive_masks(
        attn_mask, key_padding_mask, is_causal, need_weights, query.dtype)
    head_dim = _head_dim(embed_dim, embed_dim_to_check, num_heads)
    weights = (q_proj_weight, k_proj_weight, v_proj_weight) if use_separate_proj_weight else None
    q, k, v = _projected(query, key, value, weights, in_proj_weight, in_proj_bias)
    attn_mask = _batched_mask(attn_mask, tgt_len, key.shape[0], bsz * num_heads)

    if bias_k is not None and bias_v is not None:
        k, v = _with_learned(k, v, bias_k, bias_v, static_k, static_v)    # (S + 1, N, E)
        attn_mask, key_padding_mask = _one_more(attn_mask), _one_more(key_padding_mask)
    q = q.view(tgt_len, bsz * num_heads, head_dim).transpose(0, 1)    # (N heads, L, E / heads)
    k = _heads(k, static_k, "static_k", bsz, num_heads, head_dim)     # (N heads, S, E / heads)
    v = _heads(v, static_v, "static_v", bsz, num_heads, head_dim)
    if add_zero_attn:
        k, v = (torch.cat([t, t.new_zeros(bsz * num_heads, 1, head_dim)], dim=1) for t in (k, v))
        attn_mask, key_padding_mask = _one_more(attn_mask), _one_more(key_padding_mask)
    attn_mask = _merged(attn_mask, key_padding_mask, bsz, num_heads, k.size(1))
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        output, weights = _attend_step_by_step(q, k, v, attn_mask, dropout_p, is_causal)
        weights = weights.view(bsz, num_heads, tgt_len, k.size(1))
        weights = weights.mean(dim=1) if average_attn_weights else weights
    else:
        output, weights = _attend(q, k, v, attn_mask, dropout_p, is_causal, num_heads), None
    output = linear(output.view(tgt_len * bsz, embed_dim), out_proj_weight, out_proj_bias)
    output = output.view(tgt_len, bsz, output.size(1))                # (L N, E) -> (L, N, E)
    if batched:
        return output, weights
    return output.squeeze(1), weights.squeeze(0) if need_weights else None


def _with_learned(k, v, bias_k, bias_v, static_k, static_v):
    """k and v with one more key and value, the same for every example."""
    if static_k is not None:
        raise AssertionError("bias cannot be added to static key.")
    if static_v is not None:
        raise AssertionError("bias cannot be added to static value.")
    return (torch.cat([k, bias_k.repeat(1, k.size(1), 1)]),
            torch.cat([v, bias_v.repeat(1, k.size(1), 1)]))


def _with_batch(query, key, value):
    """The three with a batch of one; those that are the same tensor stay so."""
    same_kv, same_q = key is value, query is key
    query = query.unsqueeze(1)
    key = query if same_q else key.unsqueeze(1)
    return query, key, key if same_kv else value.unsqueeze(1)


def _additive_masks(attn_mask, key_padding_mask, is_causal, need_weights, dtype):
    """Both masks as ones to add, None where the hint is_causal is enough; and whether it holds."""
    key_padding_mask = _canonical_mask(key_padding_mask, "key_padding_mask",
                                       _none_or_dtype(attn_mask), "attn_mask", dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the "
                           "Transformer module method `generate_square_subsequent_mask` to create "
                           "this mask.")
    if is_causal and key_padding_mask is None and not need_weights:
        return None, None, True         # enough for the fused function
    attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", dtype, False)
    return attn_mask, key_padding_mask, is_causal and key_padding_mask is None


def _head_dim(embed_dim, expected, num_heads):
    if embed_dim != expected:
        raise AssertionError(f"was expecting embedding dimension of {expected}, but got "
                             f"{embed_dim}")
    head_dim = embed_dim // num_heads
    if head_dim * num_heads != embed_dim:
        raise AssertionError(f"embed_dim {embed_dim} not divisible by num_heads {num_heads}")
    return head_dim


def _merged(attn_mask, key_padding_mask, bsz, num_heads, src_len):
    """The sum of the masks, (1 or N heads, L or 1, S)."""
    if key_padding_mask is None:
        return attn_mask
    _check_key_padding_mask(key_padding_mask, src_len, bsz)
    key_padding_mask = (key_padding_mask.view(bsz, 1, 1, src_len)
                        .expand(-1, num_heads, -1, -1)
                        .reshape(bsz * num_heads, 1, src_len))
    return key_padding_mask if attn_mask is None else attn_mask + key_padding_mask


def _attend_step_by_step(q, k, v, attn_mask, dropout_p, is_causal):
    """The output (L, N heads, E / heads), and the weights (N heads, L, S)."""
    if is_causal and attn_mask is None:
        raise AssertionError("FIXME: is_causal not implemented for need_weights")
    scaled = q * math.sqrt(1.0 / float(q.shape[2]))
    if attn_mask is None:                       # (N heads, L, .)(N heads, ., S) -> (N heads, L, S)
        weights = torch.bmm(scaled, k.transpose(-2, -1))
    else:
        weights = torch.baddbmm(attn_mask, scaled, k.transpose(-2, -1))
    weights = softmax(weights, dim=-1)
    if dropout_p > 0.0:
        weights = dropout(weights, p=dropout_p)
    return torch.bmm(weights, v).transpose(0, 1).contiguous(), weights


def _attend(q, k, v, attn_mask, dropout_p, is_causal, num_heads):
    """The output alone, (L, N, heads, E / heads), by the fused function."""
    rows, tgt_len, head_dim = q.shape
    bsz, src_len = rows // num_heads, k.size(1)
    if attn_mask is not None:
        if attn_mask.size(0) == 1:
            attn_mask = attn_mask.unsqueeze(0)
        else:
            attn_mask = attn_mask.view(bsz, num_heads, -1, src_len)
    q = q.view(bsz, num_heads, tgt_len, head_dim)
    k = k.view(bsz, num_heads, src_len, head_dim)
    v = v.view(bsz, num_heads, src_len, head_dim)
    output = scaled_dot_product_attention(q, k, v, attn_mask, dropout_p, is_causal)
    return output.permute(2, 0, 1, 3).contiguous()       # (N, heads, L, .) -> (L, N, heads, .)


def _check_key_value(key, value, separate):
    if separate:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match "
                                 f"value's {value.shape[:2]}")
    elif key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def _check_key_padding_mask(key_padding_mask, src_len, bsz):
    for k, n in enumerate((bsz, src_len)[:key_padding_mask.dim()]):
        if key_padding_mask.size(k) != n:
            raise AssertionError(f"Expected key_padded_mask.shape[{k}] to be {n}, but got "
                                 f"{key_padding_mask.size(k)}")
    if tuple(key_padding_mask.shape) != (bsz, src_len):
        raise AssertionError(f"expecting key_padding_mask shape of {(bsz, src_len)}, but got "
                             f"{key_padding_mask.shape}")


def _batched_mask(mask, tgt_len, src_len, rows):
    """The mask with a first dimension of 1 or `rows`, after a check of its shape."""
    if mask is None:
        return None
    if mask.dim() == 2:
        if tuple(mask.shape) != (tgt_len, src_len):
            raise RuntimeError(f"The shape of the 2D attn_mask is {mask.shape}, but should be "
                               f"{(tgt_len, src_len)}.")
        return mask.unsqueeze(0)
    if mask.dim() != 3:
        raise RuntimeError(f"attn_mask's dimension {mask.dim()} is not supported")
    if tuple(mask.shape) != (rows, tgt_len, src_len):
        raise RuntimeError(f"The shape of the 3D attn_mask is {mask.shape}, but should be "
                           f"{(rows, tgt_len, src_len)}.")
    return mask


def _one_more(mask):
    """The mask with a column of zeros for the added key."""
    return None if mask is None else pad(mask, (0, 1))


def _heads(projected, static, name, bsz, num_heads, head_dim):
    """(S, N, E) -> (N heads, S, E / heads), or the static tensor after a check."""
    if static is None:
        rows = projected.shape[0]
        return projected.view(rows, bsz * num_heads, head_dim).transpose(0, 1)
    if static.size(0) != bsz * num_heads:
        raise AssertionError(f"expecting {name}.size(0) of {bsz * num_heads}, but got "
                             f"{static.size(0)}")
    if static.size(2) != head_dim:
        raise AssertionError(f"expecting {name}.size(2) of {head_dim}, but got {static.size(2)}")
    return static
