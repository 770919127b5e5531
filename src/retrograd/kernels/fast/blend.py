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
def hypot_single(x, y):
    """The squares of float32 fit in float64."""
    a, b = np.float64(x), np.float64(y)
    infinite = (abs(a) == math.inf) | (abs(b) == math.inf)
    return choose(infinite, math.inf, math.sqrt(a * a + b * b))


def hypot(x, y, out=None):
    shape = np.broadcast(x, y).shape
    if x.dtype.char != "f" or out is not None and (out.shape != shape or not out.flags.carray):
        return None
    x, y = (dense(a) if a.shape == shape else np.full(shape, a) for a in (x, y))
    return hypot_single(x, y, out=out)


@elementwise
def sgn(x):
    return choose(x > ZERO, ONE, choose(x < ZERO, -ONE, ZERO))


sign = sgn


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
