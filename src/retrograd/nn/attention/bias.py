"""Causal masks that know their kind: CausalBias for nn.functional.scaled_dot_product_attention."""
from __future__ import annotations

from enum import IntEnum, auto

import retrograd as torch
from retrograd._warnings import warn
from retrograd.nn import functional as F

__all__ = ["causal_upper_left", "causal_lower_right", "CausalVariant", "CausalBias"]


class CausalVariant(IntEnum):
    """At which corner the diagonal of a mask that is not square begins."""

    UPPER_LEFT = auto()
    LOWER_RIGHT = auto()


class CausalBias(torch.Tensor):
    """The attention mask of seq_len_q queries that see no later ones of seq_len_kv keys."""

    def __new__(cls, variant, seq_len_q, seq_len_kv):
        return torch.empty(0).as_subclass(cls)

    def __init__(self, variant, seq_len_q, seq_len_kv):
        if not isinstance(variant, CausalVariant):
            raise AssertionError(f"variant must be a CausalVariant, got {type(variant).__name__}")
        self.variant, self.seq_len_q, self.seq_len_kv = variant, seq_len_q, seq_len_kv
        if seq_len_q > seq_len_kv and variant == CausalVariant.LOWER_RIGHT:
            warn("Lower right causal bias will produce NaNs in the output when "
                 "seq_len_q > seq_len_kv!")

    def _materialize(self, device=None):
        """The mask: True where a key is seen."""
        lower_right = self.variant == CausalVariant.LOWER_RIGHT
        seen = torch.ones(self.seq_len_q, self.seq_len_kv, dtype=torch.bool, device=device)
        return seen.tril(self.seq_len_kv - self.seq_len_q if lower_right else 0)

    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func is F.scaled_dot_product_attention:
            return _attend(*args, **(kwargs or {}))
        return super().__torch_function__(func, types, args, kwargs)

    def __repr__(self):
        return repr(self._materialize())


def _attend(query, key, value, attn_mask, dropout_p=0.0, is_causal=False, **rest):
    if is_causal:
        raise ValueError("CausalBias should not be used with causal=True")
    square = attn_mask.seq_len_q == attn_mask.seq_len_kv
    causal = square or attn_mask.variant == CausalVariant.UPPER_LEFT
    mask = None if causal else attn_mask._materialize(query.device)
    return F.scaled_dot_product_attention(query, key, value, mask, dropout_p, causal, **rest)


def causal_upper_left(*size):
    """The mask of `size` (queries, keys) whose diagonal begins at the first query and key.

    >>> from retrograd.nn.attention.bias import causal_upper_left
    >>> causal_upper_left(2, 3)
    tensor([[ True, False, False],
            [ True,  True, False]])
    """
    if len(size) != 2:
        raise AssertionError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size):
    """The mask of `size` (queries, keys) whose diagonal ends at the last query and key.

    >>> from retrograd.nn.attention.bias import causal_lower_right
    >>> causal_lower_right(2, 3)
    tensor([[ True,  True, False],
            [ True,  True,  True]])
    """
    if len(size) != 2:
        raise AssertionError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
