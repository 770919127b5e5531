"""Bessel functions and their modified kind, in one pass: the formulas of kernels/bessel.py.

A loop vectorises where every number takes the same way, so both formulas of a function, near 0 and
far from it, are computed for each. For float32 the tables' polynomials are cut to as many terms as
its digits need; both precisions compute in float64.
"""

from __future__ import annotations

import math
from types import FunctionType

import numpy as np

from .. import bessel
from .. import special_tables as tables
from ..special_single import shorter
from .compiling import scalar
from .elementwise import elementwise, where_usual
from .scalar import by_type, choose, exp, polynomial
from .special import FAR, LEAST, log, wave

# How many terms of a table leave out less than 1e-10 of what it approximates
TERMS = {"I0E": 21, "I0E_FAR": 10, "I1E": 20, "I1E_FAR": 10, "K0": 7, "K0_FAR": 11, "K1": 8,
         "K1_FAR": 11, "J0": 13, "J1": 12, "Y0": 13, "Y1": 12, "P0": 5, "Q0": 7, "P1": 5, "Q1": 6}
IN_SINGLE = {name: polynomial(*[shorter(name, terms)[::-1]] * 2) for name, terms in TERMS.items()}
IN_DOUBLE = {name: polynomial(*[getattr(tables, name)[::-1]] * 2) for name in TERMS}
I0E, I0E_FAR, I1E, I1E_FAR, K0, K0_FAR, K1, K1_FAR, J0, J1, Y0, Y1, P0, Q0, P1, Q1 = \
    IN_SINGLE.values()         # in a function @with_tables: those of its argument's precision
PER_PI = 2 / math.pi


def with_tables(function):
    """A function of x that evaluates tables: the short ones for a float32, else whole ones."""
    whole = {**function.__globals__, **IN_DOUBLE}
    return by_type(function, FunctionType(function.__code__, whole, function.__name__))


# ---------------------------------------------------------------- modified Bessel functions

@with_tables
def scaled_i0(x):
    """exp(-|x|) i0(x), a float64."""
    a = abs(np.float64(x))
    low, high = choose(a > 8, 8.0, a), choose(a > 8, a, 8.0)
    return choose(a > 8, I0E_FAR(16 / high - 1) / math.sqrt(high), I0E(low / 4 - 1))


@with_tables
def scaled_i1(x):
    a = abs(np.float64(x))
    low, high = choose(a > 8, 8.0, a), choose(a > 8, a, 8.0)
    size = choose(a > 8, I1E_FAR(16 / high - 1) / math.sqrt(high), low * I1E(low / 4 - 1))
    return math.copysign(size, x)


@elementwise
def i0e(x):
    return scaled_i0(x)


@elementwise
def i1e(x):
    return scaled_i1(x)


@elementwise
def i0(x):
    return exp(abs(np.float64(x))) * scaled_i0(x)


@elementwise
def i1(x):
    return exp(abs(np.float64(x))) * scaled_i1(x)


modified_bessel_i0, modified_bessel_i1 = i0, i1


@with_tables
def scaled_k0(x):
    """exp(x) k0(x) for x >= LEAST."""
    a = np.float64(x)
    low, high = choose(a > 2, 2.0, a), choose(a > 2, a, 2.0)
    power = exp(low)
    near = power * (K0(low * low / 2 - 1) - log(low / 2) * power * I0E(low / 4 - 1))
    return choose(a > 2, K0_FAR(4 / high - 1) / math.sqrt(high), near)


@with_tables
def scaled_k1(x):
    a = np.float64(x)
    low, high = choose(a > 2, 2.0, a), choose(a > 2, a, 2.0)
    power = exp(low)
    near = power * (K1(low * low / 2 - 1) / low + log(low / 2) * power * low * I1E(low / 4 - 1))
    return choose(a > 2, K1_FAR(4 / high - 1) / math.sqrt(high), near)


@where_usual(bessel.scaled_modified_bessel_k0, LEAST, math.inf)
def scaled_modified_bessel_k0(x):
    return scaled_k0(x)


@where_usual(bessel.scaled_modified_bessel_k1, LEAST, math.inf)
def scaled_modified_bessel_k1(x):
    return scaled_k1(x)


@where_usual(bessel.modified_bessel_k0, LEAST, math.inf)
def modified_bessel_k0(x):
    return scaled_k0(x) * exp(-np.float64(x))


@where_usual(bessel.modified_bessel_k1, LEAST, math.inf)
def modified_bessel_k1(x):
    return scaled_k1(x) * exp(-np.float64(x))


# ---------------------------------------------------------------- Bessel functions

@scalar
def above_8(x):
    a = np.float64(x)
    return choose(a > 8, a, 8.0)


@scalar
def up_to_8(x):
    a = np.float64(x)
    return choose(a > 8, 8.0, a)


@scalar
def phase_form(p, q, c, s, a):
    """What j and y of a > 8 have in common, from the cosine and the sine of their phase."""
    return (p * c - q * s) / math.sqrt(math.pi * a)


@with_tables
def far_of_j0(x):
    """The phase is x - pi / 4: its waves are sums of those of x itself."""
    a = above_8(x)
    t, cosine, sine = 128 / (a * a) - 1, wave(a, 1), wave(a, 0)
    return phase_form(P0(t), Q0(t) / a, cosine + sine, sine - cosine, a)


@with_tables
def far_of_y0(x):
    """The same a quarter later: the sine stands where the cosine was, minus the cosine there."""
    a = above_8(x)
    t, cosine, sine = 128 / (a * a) - 1, wave(a, 1), wave(a, 0)
    return phase_form(P0(t), Q0(t) / a, sine - cosine, -cosine - sine, a)


@with_tables
def far_of_j1(x):
    """The phase is x - 3 pi / 4."""
    a = above_8(x)
    t, cosine, sine = 128 / (a * a) - 1, wave(a, 1), wave(a, 0)
    return phase_form(P1(t), Q1(t) / a, sine - cosine, -sine - cosine, a)


@with_tables
def far_of_y1(x):
    a = above_8(x)
    t, cosine, sine = 128 / (a * a) - 1, wave(a, 1), wave(a, 0)
    return phase_form(P1(t), Q1(t) / a, -sine - cosine, cosine - sine, a)


@with_tables
def near_of_j0(x):
    a = up_to_8(x)
    return J0(a * a / 32 - 1)


@with_tables
def near_of_j1(x):
    a = up_to_8(x)
    return a * J1(a * a / 32 - 1)


@with_tables
def near_of_y0(x):
    a = up_to_8(x)
    t = a * a / 32 - 1
    return Y0(t) + PER_PI * log(a) * J0(t)


@with_tables
def near_of_y1(x):
    a = up_to_8(x)
    t = a * a / 32 - 1
    return a * Y1(t) + PER_PI * (log(a) * a * J1(t) - 1 / a)


@where_usual(bessel.bessel_j0, -FAR, FAR)
def bessel_j0(x):
    x = abs(x)
    return choose(x > 8, far_of_j0(x), near_of_j0(x))


@where_usual(bessel.bessel_j1, -FAR, FAR)
def bessel_j1(x):
    a = abs(x)
    size = choose(a > 8, far_of_j1(a), near_of_j1(a))
    return choose(x < 0, -size, size)


@where_usual(bessel.bessel_y0, LEAST, FAR)
def bessel_y0(x):
    return choose(x > 8, far_of_y0(x), near_of_y0(x))


@where_usual(bessel.bessel_y1, LEAST, FAR)
def bessel_y1(x):
    return choose(x > 8, far_of_y1(x), near_of_y1(x))


@where_usual(bessel.spherical_bessel_j0, -FAR, FAR)
def spherical_bessel_j0(x):
    a = np.float64(x)
    square, below = a * a, choose(a == 0, 1.0, a)
    return choose(abs(a) < 1e-3, 1 - square / 6 * (1 - square / 20), wave(a, 0) / below)
