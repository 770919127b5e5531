"""Arithmetic that NumPy does in several passes: in one."""

from __future__ import annotations

import math

import numpy as np

from .compiling import Number
from .elementwise import as_in, dense, elementwise
from .scalar import HALF, ONE, ZERO, choose


@elementwise
def plus(x, y, alpha: Number):
    return x + y * alpha


@elementwise
def minus(x, y, alpha: Number):
    return x - y * alpha


def add_scaled(x, y, alpha, out=None):
    return plus(x, y, as_in(x, alpha), out=out)


def sub_scaled(x, y, alpha, out=None):
    return minus(x, y, as_in(x, alpha), out=out)


@elementwise
def addcmul(x, y, z, value: Number):
    return x + y * z * value


@elementwise
def addcdiv(x, y, z, value: Number):
    return x + y / z * value


@elementwise
def lerp(x, y, weight):
    way = y - x
    return choose(abs(weight) < HALF, x + weight * way, y - way * (ONE - weight))


@elementwise
def lerp_scalar(x, y, weight: Number):
    way = y - x
    return choose(abs(weight) < HALF, x + weight * way, y - way * (ONE - weight))


@elementwise
def rsqrt(x):
    return ONE / math.sqrt(x)


@elementwise
def reciprocal(x):
    return ONE / x


@elementwise
def hypot_single(x, y):
    """The squares of float32 fit in float64."""
    a, b = np.float64(x), np.float64(y)
    infinite = (abs(a) == math.inf) | (abs(b) == math.inf)
    return choose(infinite, math.inf, math.sqrt(a * a + b * b))


@elementwise
def hypot_double(x, y):
    """Both are divided by a power of two near the larger one: no square that counts over- or
    underflows."""
    a, b = abs(x), abs(y)
    exponent = choose(a > b, a, b).view(np.int64) >> 52          # of infinity and nan the largest
    exponent = choose(exponent > 2045, 2045, choose(exponent < 1, 1, exponent))
    size = np.int64(exponent << 52).view(np.float64)
    scale = np.int64((2046 - exponent) << 52).view(np.float64)
    a, b = a * scale, b * scale
    infinite = (a == math.inf) | (b == math.inf)
    return choose(infinite, math.inf, math.sqrt(a * a + b * b) * size)


def hypot(x, y, out=None):
    shape = np.broadcast(x, y).shape
    if x.dtype.char not in "fd" or x.dtype is not y.dtype \
            or out is not None and (out.shape != shape or not out.flags.carray):
        return None
    x, y = (dense(a) if a.shape == shape else np.full(shape, a) for a in (x, y))
    return (hypot_single if x.dtype.char == "f" else hypot_double)(x, y, out=out)


@elementwise
def sgn(x):
    return choose(x > ZERO, ONE, choose(x < ZERO, -ONE, ZERO))


sign = sgn


@elementwise
def round(x):
    return np.rint(x)


@elementwise
def to_multiple(x, scale: Number):
    return np.rint(x / scale) * scale


@elementwise
def to_fraction(x, scale: Number):
    return np.rint(x * scale) / scale


def round_decimals(x, decimals, out=None):
    scale = 10.0 ** abs(decimals)
    if x.dtype.char not in "efd" or scale > np.finfo(x.dtype).max:
        return None
    return (to_fraction if decimals > 0 else to_multiple)(x, scale, out=out)


@elementwise
def frac(x):
    return x - np.trunc(x)


@elementwise
def finite(x, nan: Number, high: Number, low: Number):
    x = choose(x == math.inf, high, choose(x == -math.inf, low, x))
    return choose(x != x, nan, x)


def nan_to_num(x, nan=0.0, posinf=None, neginf=None, out=None):
    if x.dtype.char not in "fd" or any(isinstance(n, str) for n in (nan, posinf, neginf)):
        return None
    largest = float(np.finfo(x.dtype).max)
    return finite(x, 0.0 if nan is None else nan, largest if posinf is None else posinf,
                  -largest if neginf is None else neginf, out=out)
