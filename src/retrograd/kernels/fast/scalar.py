"""Functions of one number, written so that a loop over them vectorises: no branches, no tables.

A function is written once, for x and the constants `c` of x's precision. Each comes within 2 units
in the last place of the true value, keeps nan, and has the right limits; tests/test_fast.py
measures it.
"""

from __future__ import annotations

import math
from collections import namedtuple

import numpy as np
from numba import types
from numba.extending import overload

from .compiling import EXACT, OPTIONS, scalar

Constants = namedtuple("Constants", "log2_e ln2_high ln2_low lowest highest one half two exp_terms "
                                    "tanh_terms tanh_small tanh_is_1")
f32, f64 = np.float32, np.float64
JIT = {**OPTIONS, "fastmath": EXACT}

SINGLE = Constants(
    log2_e=f32(1 / math.log(2)), ln2_high=f32(0.693359375), ln2_low=f32(-2.12194440e-4),
    lowest=f32(-104), highest=f32(89), one=f32(1), half=f32(0.5), two=f32(2),
    exp_terms=tuple(map(f32, (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                              1.6666665459e-1, 5.0000001201e-1))),
    tanh_terms=tuple(map(f32, (2.37076564e-3, -8.41007080e-3, 2.17883220e-2, -5.39615518e-2,
                               1.33333129e-1, -3.33333332e-1))),
    tanh_small=f32(0.6), tanh_is_1=f32(10))
DOUBLE = Constants(
    log2_e=1 / math.log(2), ln2_high=6.93145751953125e-1, ln2_low=1.42860682030941723212e-6,
    lowest=-746.0, highest=710.0, one=1.0, half=0.5, two=2.0,
    exp_terms=tuple(1 / math.factorial(k) for k in range(13, 1, -1)),
    tanh_terms=(-1.7547890666551244e-5, 8.027820757157066e-5, -2.313575327394412e-4,
                5.876940011895119e-4, -1.455373600581824e-3, 3.5920682252205335e-3,
                -8.863230545034696e-3, 2.1869488283011353e-2, -5.396825396115901e-2,
                1.333333333332432e-1, -3.3333333333333304e-1),
    tanh_small=0.55, tanh_is_1=20.0)
MAGIC_32, MAGIC_64 = f32(1.5 * 2**23), f64(1.5 * 2**52)    # n + MAGIC has n in its last bits


def by_precision(function):
    """function(x, constants) as a function of x, for use in kernels."""
    general = scalar(function)

    def of(x):
        """Only compiled code calls it."""

    @overload(of, jit_options=JIT)
    def choose(x):
        if x == types.float32:
            return lambda x: general(x, SINGLE)
        if x == types.float64:
            return lambda x: general(x, DOUBLE)
        return None
    return of


def power_of_2(n):
    """2^n for a whole number n: its last bits become the exponent."""


@overload(power_of_2, jit_options=JIT)
def _power_of_2(n):
    def single(n):
        bits = np.float32(n + MAGIC_32).view(np.int32)
        return np.int32((bits + 127) << 23).view(np.float32)

    def double(n):
        bits = np.float64(n + MAGIC_64).view(np.int64)
        return np.int64((bits + 1023) << 52).view(np.float64)
    return single if n == types.float32 else double


@scalar
def polynomial(x, terms):
    """Horner's rule, highest power first."""
    y = terms[0]
    for term in terms[1:]:
        y = y * x + term
    return y


@scalar
def split(x, c):
    """n and exp(r) - 1, where x = n ln 2 + r and |r| <= ln(2) / 2."""
    n = np.floor(x * c.log2_e + c.half)
    r = x - n * c.ln2_high - n * c.ln2_low
    return n, polynomial(r, c.exp_terms) * (r * r) + r


@by_precision
def exp(x, c):
    x = c.highest if x > c.highest else x
    x = c.lowest if x < c.lowest else x
    n, less_1 = split(x, c)
    half = np.floor(n * c.half)              # in two steps: 2^n may be no normal number
    return (less_1 + c.one) * power_of_2(half) * power_of_2(n - half)


@by_precision
def tanh(x, c):
    """Near 0 a polynomial; else 1 - 2 / (exp(2|x|) + 1) with the sign of x."""
    size = abs(x)
    square = size * size
    near = polynomial(square, c.tanh_terms) * square * size + size
    size = c.tanh_is_1 if size > c.tanh_is_1 else size
    n, less_1 = split(size + size, c)
    far = c.one - c.two / (power_of_2(n) * (less_1 + c.one) + c.one)
    return math.copysign(near if size < c.tanh_small else far, x)


@by_precision
def sigmoid(x, c):
    """1 / (1 + exp(-x)); where exp overflows, 1 / inf is the 0 it should be."""
    return c.one / (c.one + exp(-x))
