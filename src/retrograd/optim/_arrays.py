"""The arithmetic of updates on raw arrays, in place: the namespace of ordinary steps.

Names and rounding are PyTorch's CPU operators'. ``_tensors.py`` holds the same names on Tensors.
Temporaries are not kept: on the short slices that updates run on, allocating is free.
"""

from __future__ import annotations

import numpy as np

absolute = np.abs
clip = np.clip
equal = np.equal
maximum = np.maximum
multiply = np.multiply
sign = np.sign
sqrt = np.sqrt
where = np.where


def copy_(x, source):
    x[...] = source


def lerp_(x, end, weight):
    """x + weight (end - x), from the nearer side."""
    step = end - x
    if weight < 0.5:
        step *= weight
        x += step
    else:
        step *= 1 - weight
        np.subtract(end, step, x)


def add_(x, y, alpha):
    """x + alpha y."""
    x += y * alpha


def addcmul_(x, a, b, value):
    """x + value a b."""
    step = a * value
    step *= b
    x += step


def addcdiv_(x, a, b, value):
    """x + value a / b."""
    step = a * value
    step /= b
    x += step


def real(x):
    """A complex array as reals with a last axis of 2, sharing memory."""
    return x[..., np.newaxis].view(x.real.dtype)


def value(scalar):
    """What a 0-d state Tensor holds."""
    return float(scalar._data)


def assign(scalar, number):
    """Set a 0-d state Tensor."""
    scalar._data[...] = number
