"""MultiheadAttention (Vaswani et al. 2017); activation.py gives it its public place."""
from __future__ import annotations

import retrograd as torch
from retrograd.nn import functional as F
from retrograd.nn import init
from retrograd.nn.modules.linear import NonDynamicallyQuantizableLinear
from retrograd.nn.modules.module import Module
from retrograd.nn.parameter import Parameter
from retrograd.ops.attention import self_attention

__all__ = ["MultiheadAttention"]


def _time_first(query, key, value):
    """Each (N, T, E) as (T, N, E). What was one tensor stays one: self-attention is known by it."""
    queries = query.transpose(1, 0)
    keys = queries if query is key is value else key.transpose(1, 0)
    return queries, keys, keys if key is value else value.transpose(1, 0)


class MultiheadAttention(Module):
    """`num_heads` attentions side by side, each on its own projection of query, key and value.

    Called with query (L, N, E), key (S, N, kdim) and value (S, N, vdim) it returns the output
    (L, N, E) and the weights (N, L, S), None unless need_weights (Vaswani et al. 2017).

    Args:
        embed_dim: size of the query and of the output; a multiple of `num_heads`.
        dropout: probability of zeroing attention weights in training.
        kdim, vdim: sizes of key and value where they differ from `embed_dim`.
        add_bias_kv, add_zero_attn: append a learned, or a zero, key and value.
        batch_first: (N, L, E) instead of (L, N, E).

    Raises ValueError and AssertionError for sizes that do not fit each other.

    >>> import retrograd as torch
    >>> attention = torch.nn.MultiheadAttention(4, 2)
    >>> x = torch.zeros(3, 1, 4)
    >>> [tuple(t.shape) for t in attention(x, x, x)]
    [(3, 1, 4), (1, 3, 3)]
    """

    __constants__ = ["batch_first"]

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, add_bias_kv=False,
                 add_zero_attn=False, kdim=None, vdim=None, batch_first=False, device=None,
                 dtype=None):
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError("embed_dim and num_heads must be greater than 0, got "
                             f"embed_dim={embed_dim} and num_heads={num_heads} instead")
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = kdim if kdim is not None else embed_dim
        self.vdim = vdim if vdim is not None else embed_dim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def table(*shape):
            return Parameter(torch.empty(shape, device=device, dtype=dtype))

        if not self._qkv_same_embed_dim:
            self.q_proj_weight = table(embed_dim, embed_dim)
            self.k_proj_weight = table(embed_dim, self.kdim)
            self.v_proj_weight = table(embed_dim, self.vdim)
            self.register_parameter("in_proj_weight", None)
        else:
            self.in_proj_weight = table(3 * embed_dim, embed_dim)
            for name in ("q_proj_weight", "k_proj_weight", "v_proj_weight"):
                self.register_parameter(name, None)
        if bias:
            self.in_proj_bias = table(3 * embed_dim)
        else:
            self.register_parameter("in_proj_bias", None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias,
                                                        device=device, dtype=dtype)
        self.bias_k = table(1, 1, embed_dim) if add_bias_kv else None
        self.bias_v = table(1, 1, embed_dim) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        if self._qkv_same_embed_dim:
            init.xavier_uniform_(self.in_proj_weight)
        else:
            init.xavier_uniform_(self.q_proj_weight)
            init.xavier_uniform_(self.k_proj_weight)
            init.xavier_uniform_(self.v_proj_weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        if self.bias_k is not None:
            init.xavier_normal_(self.bias_k)
        if self.bias_v is not None:
            init.xavier_normal_(self.bias_v)

    def __setstate__(self, state):
        state.setdefault("_qkv_same_embed_dim", True)
        super().__setstate__(state)

    def forward(self, query, key, value, key_padding_mask=None, need_weights=True, attn_mask=None,
                average_attn_weights=True, is_causal=False):
        masked = attn_mask is not None or key_padding_mask is not None or is_causal
        if query is key is value and not masked and self._is_plain():
            found = self_attention(query, self.num_heads, self.batch_first, self.in_proj_weight,
                                   self.in_proj_bias, self.out_proj.weight, self.out_proj.bias,
                                   need_weights)
            if found is not None:
                output, weights = found
                averaged = need_weights and average_attn_weights
                return output, weights.mean(dim=1) if averaged else weights
        batched = query.dim() == 3
        key_padding_mask = F._canonical_mask(
            key_padding_mask, "key_padding_mask", F._none_or_dtype(attn_mask), "attn_mask",
            query.dtype)
        attn_mask = F._canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, False)
        if self.batch_first and batched:
            query, key, value = _time_first(query, key, value)
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight,
            self.in_proj_bias, self.bias_k, self.bias_v, self.add_zero_attn, self.dropout,
            self.out_proj.weight, self.out_proj.bias, training=self.training,
            key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim,
            q_proj_weight=self.q_proj_weight, k_proj_weight=self.k_proj_weight,
            v_proj_weight=self.v_proj_weight, average_attn_weights=average_attn_weights,
            is_causal=is_causal)
        if self.batch_first and batched:
            return output.transpose(1, 0), weights
        return output, weights

    def _is_plain(self):
        """Whether nothing is dropped, and no keys are added."""
        return not (self.training and self.dropout or self.add_zero_attn
                    or self.bias_k is not None or self.bias_v is not None)

    def merge_masks(self, attn_mask, key_padding_mask, query):
        """One mask for both, with its kind: 0 attention, 1 padding, 2 both."""
        kind, merged = None, None
        if key_padding_mask is not None:
            kind, merged = 1, key_padding_mask
        if attn_mask is not None:
            batch, seq = query.shape[:2]
            kind = 2
            if attn_mask.dim() == 3:
                merged = attn_mask.view(batch, -1, seq, seq)
            else:
                merged = attn_mask.view(1, 1, seq, seq).expand(batch, self.num_heads, -1, -1)
            if key_padding_mask is not None:
                padding = key_padding_mask.view(batch, 1, 1, seq).expand(-1, self.num_heads, -1,
                                                                         -1)
                merged = merged + padding
        return merged, kind
