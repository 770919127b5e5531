"""The arithmetic of updates on raw arrays, in place: the namespace of ordinary steps.

Names and rounding are PyTorch's CPU operators'. `_tensors.py` holds the same names on Tensors.
Temporaries are not kept: on the short slices that updates run on, allocating is free.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

absolute = np.abs
clip = np.clip
equal = np.equal
maximum = np.maximum
multiply = np.multiply
sign = np.sign
sqrt = np.sqrt
where = np.where


@lru_cache(maxsize=256)
def constant(number, dtype):
    """A Python number as the 0-d array that an operation would convert it to, every time."""
    return np.array(number, dtype=dtype)


def copy_(x, source):
    x[...] = source


def mul_(x, factor):
    """x = x factor."""
    np.multiply(x, constant(factor, x.dtype), x)


def lerp_(x, end, weight):
    """x = x + weight (end - x), computed from the nearer side."""
    step = np.subtract(end, x)
    if weight < 0.5:
        np.add(x, np.multiply(step, constant(weight, x.dtype)), x)
    else:
        np.subtract(end, np.multiply(step, constant(1 - weight, x.dtype)), x)


def add_(x, y, alpha):
    """x = x + alpha y."""
    np.add(x, y if alpha == 1 else np.multiply(y, constant(alpha, x.dtype)), x)


def addcmul_(x, a, b, value):
    """x = x + value a b."""
    np.add(x, np.multiply(np.multiply(a, constant(value, x.dtype)), b), x)


def addcdiv_(x, a, b, value):
    """x = x + value a / b."""
    np.add(x, np.divide(np.multiply(a, constant(value, x.dtype)), b), x)


def real(x):
    """A complex array as reals with a last axis of 2, sharing memory."""
    return x[..., np.newaxis].view(x.real.dtype)


def value(scalar):
    """What a 0-d state Tensor holds."""
    return float(scalar._data)


def assign(scalar, number):
    """Set a 0-d state Tensor."""
    scalar._data[...] = number
