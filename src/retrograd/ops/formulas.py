"""Pieces that formulas share; they work on arrays and on Tensors alike.

Tangents of inputs that carry none are None, so forward-mode rules add with `both`.
"""

from __future__ import annotations


def both(a, b):
    """a + b, where either may be None."""
    if a is None or b is None:
        return b if a is None else a
    return a + b


def scaled(t, factor):
    """t * factor, or None for a tangent that is not there."""
    return None if t is None else t * factor


def or_zero(t, other):
    """`t`, or zeros as `other` where it is None."""
    return other * 0 if t is None else t


def tie_share(F, g, a, b, wins):
    """The part of `g` that goes to the winner of max or min; a tie is split in half."""
    if g is None:
        return None
    return F.where(a == b, g / 2, g) * F.where(wins | (a == b), 1, 0)


def conj_number(value):
    """The conjugate of a Python number."""
    return value.conjugate() if isinstance(value, complex) else value


def pow_gradient(F, g, x, exponent):
    """d(x ** exponent) for a number `exponent`; zero for exponent 0, also at x = 0."""
    if exponent == 0:
        return F.zeros_like(g)
    exponent = conj_number(exponent)
    return g * (exponent * F.conj(F.pow_scalar(x, exponent - 1)))
