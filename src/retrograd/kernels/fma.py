"""Fused multiply-add, a * b + c rounded once, as in PyTorch's compiled loops."""

from __future__ import annotations

import math

import numpy as np

from .sums import number


def fma_f32(a, b, c):
    """a * b + c of float32 values: exact product and sum in float64, rounded once to float32."""
    wide = np.multiply(a, b, dtype=np.float64)
    wide += c
    return wide.astype(np.float32)


def _split(x):
    high = x * 134217729.0  # 2^27 + 1 (Veltkamp)
    high = high - (high - x)
    return high, x - high


def fma_f64(a, b, c):
    """a * b + c in float64 rounded once, rare ties aside: exact product and sum (Dekker, 1971)."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _split(a), _split(b)
    lost = ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low
    total = product + c
    if not np.count_nonzero(lost):
        return total
    back = total - product
    lost = lost + ((product - (total - back)) + (c - back))
    # beyond 2^996 the halves overflow; there the product is rounded before the sum
    return np.where(np.isfinite(lost), total + lost, total)


def multiply_add(a, b, c):
    """a * b + c, rounded twice: for the dtypes that are not in `FUSED`."""
    return a * b + c


FUSED = {"f": fma_f32, "d": fma_f64}           # by the dtype's character


def fma_whole(i, b, c):
    """i * b + c in float64 rounded once, rare ties aside, for whole numbers i below 2^26 and a
    number b: the products with both halves of b are exact."""
    high, low = map(np.array, _split(b))
    if c.__class__ is not np.ndarray:
        c = np.array(c, np.float64)
    product = i * high
    total = product + c
    back = total - product
    lost = product - (total - back)
    lost += c - back
    lost += i * low
    lost += total
    return lost


def scale_shift(x, scale, shift):
    """x * scale + shift in x's dtype, float32 or float64, as PyTorch's compiled loops fuse it."""
    if (scale, shift) == (1, 0):
        return x
    if not shift:                       # adding 0 is exact, so the product alone is rounded once
        return x * number(scale, x.dtype) + number(0, x.dtype)      # 0.0 where that is -0.0
    if x.dtype.char == "f":
        return fma_f32(x, x.dtype.type(scale), x.dtype.type(shift))
    scale, shift = number(scale, x.dtype), number(shift, x.dtype)
    if math.frexp(scale)[0] == 0.5 and scale > 1e-200:          # the product with 2^k is exact
        return x * scale + shift
    return fma_f64(x, scale, shift)
