"""Rounding to the numbers that a quantized tensor could hold."""

from __future__ import annotations

import numpy as np


def fake_quantize_per_tensor_affine_cachemask(a, scale, zero_point, quant_min, quant_max):
    """(the rounded numbers, which of them lay in the range).

    The q-th of the numbers is (q - zero_point) * scale, for q from quant_min to quant_max.
    """
    scale, zero_point = np.float32(scale), np.float32(zero_point)
    q, inside = _in_range(np.rint(a * (1 / scale)) + zero_point, quant_min, quant_max)
    return ((q.astype(np.float32) - zero_point) * scale).astype(a.dtype), inside


def fake_quantize_per_channel_affine_cachemask(a, scale, zero_point, axis, quant_min, quant_max):
    """The same with a scale and a zero point for each slice along `axis`."""
    shape = [1] * a.ndim
    shape[axis] = a.shape[axis]
    before = zero_point.dtype.kind == "f"           # it is added before rounding, not after
    scale, zero_point = (x.astype(np.float32).reshape(shape) for x in (scale, zero_point))
    q = a * (1 / scale)
    q = np.rint(q + zero_point) if before else np.rint(q) + zero_point
    q, inside = _in_range(q, quant_min, quant_max)
    return ((q - zero_point) * scale).astype(a.dtype), inside


def _in_range(q, quant_min, quant_max):
    """(the nearest numbers of the range, the least for nan; which lay in it)."""
    inside = (q >= quant_min) & (q <= quant_max)
    return np.fmin(np.fmax(q, np.float32(quant_min)), np.float32(quant_max)), inside


fake_quantize_per_tensor_affine_cachemask_tensor_qparams = fake_quantize_per_tensor_affine_cachemask
