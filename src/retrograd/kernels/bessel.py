"""Bessel functions, modified Bessel functions and the Airy function, on NumPy alone."""

import numpy as np

from . import special_tables as tables
from .by_scipy import FEW, by_scipy
from .special import elementwise, pieces_of, piecewise, poly


# ---------------------------------------------------------------- modified Bessel functions
@by_scipy("i0", FEW)
@elementwise
def i0(x):
    """The modified Bessel function of the first kind, order 0."""
    a = np.abs(x)
    return np.exp(a) * _i0e(a)


@by_scipy("i0e", FEW)
@elementwise
def i0e(x):
    """`exp(-abs(x)) * i0(x)`."""
    return _i0e(np.abs(x))


@by_scipy("i1", FEW)
@elementwise
def i1(x):
    """The modified Bessel function of the first kind, order 1."""
    return np.exp(np.abs(x)) * _i1e(x)


@by_scipy("i1e", FEW)
@elementwise
def i1e(x):
    """`exp(-abs(x)) * i1(x)`."""
    return _i1e(x)


def _i0e(a):
    return piecewise(
        (a > 8) * 1,
        a,
        lambda a: poly(tables.I0E, a / 4 - 1),
        lambda a: poly(tables.I0E_FAR, 16 / a - 1) / np.sqrt(a),
    )


def _i1e(x):
    value = piecewise(
        (np.abs(x) > 8) * 1,
        np.abs(x),
        lambda a: a * poly(tables.I1E, a / 4 - 1),
        lambda a: poly(tables.I1E_FAR, 16 / a - 1) / np.sqrt(a),
    )
    return np.copysign(value, x)


modified_bessel_i0, modified_bessel_i1 = i0, i1


@by_scipy("k0", FEW)
@elementwise
def modified_bessel_k0(x):
    """The modified Bessel function of the second kind, order 0."""
    return _k0e(x) * np.exp(-x)


@by_scipy("k0e", FEW)
@elementwise
def scaled_modified_bessel_k0(x):
    """`exp(x) * modified_bessel_k0(x)`."""
    return _k0e(x)


@by_scipy("k1", FEW)
@elementwise
def modified_bessel_k1(x):
    """The modified Bessel function of the second kind, order 1."""
    return _k1e(x) * np.exp(-x)


@by_scipy("k1e", FEW)
@elementwise
def scaled_modified_bessel_k1(x):
    """`exp(x) * modified_bessel_k1(x)`."""
    return _k1e(x)


def _k0e(x):
    def near(x):
        return np.exp(x) * (
            poly(tables.K0, x * x / 2 - 1) - np.log(x / 2) * np.exp(x) * _i0e(np.abs(x))
        )

    value = piecewise(
        (x > 2) * 1, x, near, lambda x: poly(tables.K0_FAR, 4 / x - 1) / np.sqrt(x)
    )
    return _second_kind(x, value, np.inf)


def _k1e(x):
    def near(x):
        return np.exp(x) * (
            poly(tables.K1, x * x / 2 - 1) / x + np.log(x / 2) * np.exp(x) * _i1e(x)
        )

    value = piecewise(
        (x > 2) * 1, x, near, lambda x: poly(tables.K1_FAR, 4 / x - 1) / np.sqrt(x)
    )
    return _second_kind(x, value, np.inf)


def _second_kind(x, value, at_zero):
    return np.where(x == 0, at_zero, np.where(x < 0, np.nan, value))


# ---------------------------------------------------------------- Bessel functions
@by_scipy("j0")
@elementwise
def bessel_j0(x):
    """The Bessel function of the first kind, order 0."""
    return _bessel(np.abs(x), 0, _j0_near, 1)


@by_scipy("j1")
@elementwise
def bessel_j1(x):
    """The Bessel function of the first kind, order 1."""
    return np.sign(x) * _bessel(np.abs(x), 1, _j1_near, 1)


@by_scipy("y0")
@elementwise
def bessel_y0(x):
    """The Bessel function of the second kind, order 0; nan for negative x."""
    return _second_kind(x, _bessel(np.abs(x), 0, _y0_near, 0), -np.inf)


@by_scipy("y1")
@elementwise
def bessel_y1(x):
    """The Bessel function of the second kind, order 1; nan for negative x."""
    return _second_kind(x, _bessel(np.abs(x), 1, _y1_near, 0), -np.inf)


def _j0_near(x):
    return poly(tables.J0, x * x / 32 - 1)


def _j1_near(x):
    return x * poly(tables.J1, x * x / 32 - 1)


def _y0_near(x):
    return poly(tables.Y0, x * x / 32 - 1) + 2 / np.pi * np.log(x) * _j0_near(x)


def _y1_near(x):
    return x * poly(tables.Y1, x * x / 32 - 1) + 2 / np.pi * (np.log(x) * _j1_near(x) - 1 / x)


def _bessel(x, order, near, first_kind):
    """near up to 8; beyond it the two-term phase form that J and Y share."""

    def far(x):
        t = 128 / (x * x) - 1
        p = poly(getattr(tables, f"P{order}"), t)
        q = poly(getattr(tables, f"Q{order}"), t) / x
        # cos and sin of x - pi/4 (order 0) or x - 3 pi/4 (order 1), from those of x itself
        cosine, sine = np.cos(x), np.sin(x)
        if order == 0:
            c, s = cosine + sine, sine - cosine
        else:
            c, s = sine - cosine, -sine - cosine
        mixed = p * c - q * s if first_kind else p * s + q * c
        return mixed / np.sqrt(np.pi * x)

    return np.where(x == np.inf, 0.0, piecewise((x > 8) * 1, x, near, far))


@elementwise
def spherical_bessel_j0(x):
    """`sin(x) / x`."""
    value = np.sin(x) / x
    if ((a := np.abs(x)) < 1e-3).any() or np.isinf(a).any():
        small = 1 - x * x / 6 * (1 - x * x / 20)
        value = np.where(a < 1e-3, small, np.where(a == np.inf, 0.0, value))
    return value


@elementwise
def airy_ai(x):
    """The Airy function Ai; nan at infinity, as in PyTorch."""
    x = np.where(np.isinf(x), np.nan, x)
    return piecewise(
        pieces_of(x, -8, -4, 0, 4),
        x,
        _airy_negative,
        lambda x: poly(tables.AIRY_M8, (x + 6) / 2),
        lambda x: poly(tables.AIRY_M4, (x + 2) / 2),
        lambda x: poly(tables.AIRY_0, (x - 2) / 2),
        _airy_positive,
    )


def _airy_positive(x):
    z = 2 / 3 * x * np.sqrt(x)
    return poly(tables.AIRY_FAR, 32 / (3 * z) - 1) * np.exp(-z) / np.sqrt(np.sqrt(x))


def _airy_negative(x):
    z = 2 / 3 * -x * np.sqrt(-x)
    t = 4096 / (9 * z * z) - 1
    p, q = poly(tables.AIRY_P, t), poly(tables.AIRY_Q, t) / z
    phase = z - np.pi / 4
    return (p * np.cos(phase) + q * np.sin(phase)) / np.sqrt(np.pi * np.sqrt(-x))
