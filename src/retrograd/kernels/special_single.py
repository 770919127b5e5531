"""Special functions of float32 arrays: computed in float64 without branches, rounded once.

The float64 functions of `special.py` have a polynomial for each piece of the axis. For random
arguments, sorting them into the pieces costs more than evaluating the polynomials. For float32's 24
bits one formula is exact enough over a wider range. For a block with arguments outside that range
the function returns None, and the block is left to `special.py`.
"""

import functools
import math

import numpy as np

from . import special_tables as tables

HALF_LOG_2PI = 0.5 * math.log(2 * math.pi)
BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730)       # B(2), B(4) ...
STIRLING = tuple(b / (2 * k * (2 * k - 1)) for k, b in enumerate(BERNOULLI, 1))
DIGAMMA = tuple(b / (2 * k) for k, b in enumerate(BERNOULLI, 1))


@functools.cache
def shorter(name, terms):
    """A table's polynomial on [-1, 1] with fewer terms: its Chebyshev series cut off."""
    from numpy.polynomial import chebyshev
    whole = chebyshev.poly2cheb(getattr(tables, name))
    return tuple(chebyshev.cheb2poly(whole[:terms]).tolist())


def horner(coefficients, t):
    """The polynomial at t, lowest power first."""
    value = t * coefficients[-1]
    value += coefficients[-2]
    for c in coefficients[-3::-1]:
        value *= t
        value += c
    return value


def erfc(x):
    """exp(-x^2) times a polynomial in (|x| - 3.75) / (|x| + 3.75), reflected below zero."""
    a = np.abs(x)
    t = a + 3.75
    np.divide(-7.5, t, t)
    t += 1
    value = horner(tables.ERFCX_SINGLE, t)
    np.multiply(a, -a, t)
    value *= np.exp(t, t)
    a *= 2
    a += 1
    value /= a
    return np.where(x < 0, 2 - value, value)


def erfinv(x):
    """x times a polynomial in log(1 - x^2); beyond |x| = 0.975 the finer pieces."""
    from .special import _erfinv
    square = x * x
    w = np.negative(np.log(np.subtract(1, square, square), square), square)
    far = ~(w < 3)
    t = w / 1.5
    t -= 1
    value = horner(shorter("ERFINV_CENTER", 12), t)
    value *= x
    if far.any():
        value[far] = _erfinv(x[far], w[far])
    return value


def moderate(x):
    """Whether all of x lies where eight steps of the recurrence reach the asymptotic series."""
    return x.size and x.min() > 0 and x.max() < 1e20


def lgamma(x):
    """Stirling's series at x + 8, less the logarithm of x (x + 1) ... (x + 7)."""
    if not moderate(x):
        return None
    pairs = x * (x + 7)                              # (x + k)(x + 7 - k) = pairs + k (7 - k)
    product = pairs * (pairs + 6) * (pairs + 10) * (pairs + 12)
    y = x + 8
    value = (y - 0.5) * np.log(y)
    value -= y
    value -= np.log(product, product)
    value += HALF_LOG_2PI
    inverse = 1 / y
    square = inverse * inverse
    value += inverse * horner(STIRLING, square)
    value[(x == 1) | (x == 2)] = 0
    return value


def digamma(x):
    """log and its series at x + 8, less 1/x + 1/(x + 1) ... + 1/(x + 7)."""
    if not moderate(x):
        return None
    pairs = x * (x + 7)
    total = sum(1 / (pairs + c) for c in (0, 6, 10, 12))
    total *= 2 * x + 7
    y = x + 8
    inverse = 1 / y
    square = inverse * inverse
    value = np.log(y)
    value -= 0.5 * inverse
    value -= square * horner(DIGAMMA, square)
    return value - total


def trigamma(x):
    """1/x^2 + ... + 1/(x + 7)^2 and the series at x + 8."""
    if not moderate(x):
        return None
    pairs = x * (x + 7)
    twice = (2 * x + 7) ** 2
    inverse = 1 / (x + 8)
    square = inverse * inverse
    value = inverse + 0.5 * square
    for b in BERNOULLI:
        inverse = inverse * square
        value += b * inverse
    for c in (0, 6, 10, 12):
        pair = pairs + c
        value += (twice - 2 * pair) / (pair * pair)
    return value
