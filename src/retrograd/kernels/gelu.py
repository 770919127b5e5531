"""The Gaussian error linear unit: x times the normal distribution function."""

from __future__ import annotations

import math

import numpy as np

from .blocks import by_blocks
from .half import floating

ROOT = math.sqrt(2 / math.pi)

# The normal distribution by tanh: since Phi(x) - 1/2 and tanh are both odd functions, there is an
# even function P(x^2) with Phi(x) = (1 + tanh(x P(x^2))) / 2. RISE is the shortest polynomial for
# P, highest power first, that gives Phi within 3e-8, which is float32's own error in
# 1 + erf(x / sqrt 2). tanh and products are NumPy's fastest loops. The polynomial has no zero, and
# where it overflows tanh is 1, as it should be.
RISE = [np.array(c, np.float32) for c in (
    1.7561703e-09, -1.3226332e-07, 3.9647443e-06, -5.5306195e-05, -3.2594977e-05,
    0.036333084, 0.79788494)]
HALF, PEAK = np.array(0.5, np.float32), np.array(1 / math.sqrt(2 * math.pi), np.float32)


@floating("GeluKernelImpl")
def gelu_by(x, approximate="none"):
    """x * Phi(x), or its tanh approximation (Hendrycks and Gimpel 2016)."""
    if approximate == "tanh":
        return 0.5 * x * (1 + np.tanh(_inner(x)))
    if x.dtype == np.float32:
        return by_blocks(_gelu32, 2, x)
    return x * _distribution(x)


@floating("GeluBackwardKernelImpl")
def gelu_backward(g, x, approximate="none"):
    """g times the derivative of `gelu_by`."""
    if approximate == "tanh":
        t = np.tanh(_inner(x))
        return g * (0.5 * (1 + t) + 0.5 * x * (1 - t * t) * (ROOT * (1 + 3 * 0.044715 * x * x)))
    if x.dtype == np.float32:
        return by_blocks(_slope32, 2, x, g)
    density = np.exp(-0.5 * x * x) * (1 / math.sqrt(2 * math.pi))
    return g * (_distribution(x) + x * density)


def _inner(x):
    return ROOT * (x + 0.044715 * x * x * x)


def _distribution(x):
    from .special import erf

    return 0.5 * (1 + erf(x * math.sqrt(0.5)))


def _distribution32(x, square, phi):
    """square = x^2, phi = Phi(x); all numbers are arrays, which NumPy takes faster."""
    np.multiply(x, x, square)
    np.multiply(square, RISE[0], phi)
    for c in RISE[1:-1]:
        np.add(phi, c, phi)
        np.multiply(phi, square, phi)
    np.add(phi, RISE[-1], phi)
    np.multiply(phi, x, phi)
    np.tanh(phi, phi)
    np.multiply(phi, HALF, phi)
    np.add(phi, HALF, phi)


def _gelu32(out, x, square, phi):
    """x Phi(x), 0 at -inf"""
    _distribution32(x, square, phi)
    np.multiply(phi, x, out)
    if _overflows(square):
        np.copyto(out, 0, where=x == -np.inf)


def _slope32(out, x, g, square, phi):
    """g (Phi(x) + x phi(x))"""
    _distribution32(x, square, phi)
    overflows = _overflows(square)
    np.multiply(square, -HALF, square)
    np.exp(square, square)
    np.multiply(square, x, square)
    np.multiply(square, PEAK, square)
    if overflows:
        np.copyto(square, 0, where=np.isinf(x))
    np.add(phi, square, phi)
    np.multiply(phi, g, out)


def _overflows(square):
    """Whether some x may be infinite."""
    return square.size and not np.maximum.reduce(square) < np.inf
