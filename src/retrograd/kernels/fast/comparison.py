"""The larger and the smaller, clamping and choosing, with the gradients that go to the chosen."""

from __future__ import annotations

import math

import numpy as np

from .compiling import Number, kernel
from .elementwise import CHUNK, alike, as_in, elementwise
from .pointwise import arithmetic
from .scalar import HALF, ZERO, choose


@arithmetic
def maximum(x, y):
    return choose((x >= y) | (x != x), x, y)


@arithmetic
def minimum(x, y):
    return choose((x <= y) | (x != x), x, y)


@elementwise
def where_larger(g, x, y):
    """g where x is larger, half of it where they are equal."""
    return choose(x == y, HALF * g, choose(x < y, ZERO, g))


@elementwise
def where_smaller(g, x, y):
    return choose(x == y, HALF * g, choose(x > y, ZERO, g))


def maximum_self(g, x, y):
    return where_larger(g, x, y) if x.shape == y.shape else None


def maximum_other(g, x, y):
    return where_smaller(g, x, y) if x.shape == y.shape else None


minimum_self, minimum_other = maximum_other, maximum_self


@elementwise
def clamp(x, low: Number, high: Number):
    x = choose(x < low, low, x)
    return choose(x > high, high, x)


@elementwise
def clamp_slope(g, x, low: Number, high: Number):
    return choose((x >= low) & (x <= high), g, ZERO)


def clamp_numbers(x, min, max, out=None):
    return clamp(x, *bounds(x, min, max), out=out)


def clamp_min_number(x, min, out=None):
    return clamp(x, *bounds(x, min, None), out=out)


def clamp_max_number(x, max, out=None):
    return clamp(x, *bounds(x, None, max), out=out)


def hardtanh(x, min=-1.0, max=1.0, out=None):
    return clamp_numbers(x, min, max, out)


def clamp_numbers_self(g, x, min, max):
    return clamp_slope(g, x, *bounds(x, min, max))


def clamp_min_number_self(g, x, min):
    return clamp_slope(g, x, *bounds(x, min, None))


def clamp_max_number_self(g, x, max):
    return clamp_slope(g, x, *bounds(x, None, max))


def bounds(x, min, max):
    return as_in(x, -math.inf if min is None else min), as_in(x, math.inf if max is None else max)


@kernel
def choose_arrays(condition, x, y, out):
    for i in range(out.size):
        out[i] = choose(condition[i] != 0, x[i], y[i])


@kernel
def choose_or_number(x, condition, out, number: Number):
    for i in range(out.size):
        out[i] = choose(condition[i] != 0, x[i], number)


@kernel
def number_or_choose(x, condition, out, number: Number):
    for i in range(out.size):
        out[i] = choose(condition[i] != 0, number, x[i])


def where(condition, x, y):
    """For a bool condition and arrays of its shape; x or y may also be a number."""
    first, second = isinstance(x, np.ndarray), isinstance(y, np.ndarray)
    like = x if first else y
    if condition.dtype.char != "?" or condition.shape != np.shape(like) \
            or not condition.flags.carray:
        return None
    flat = alike(x, y) if first and second else alike(like)
    number = x if second else y
    if flat is None or not (first and second) and number.__class__ not in (int, float):
        return None
    out, bits = np.empty(like.shape, like.dtype), condition.reshape(-1).view(np.uint8)
    if first and second:
        choose_arrays(bits, *flat, out.reshape(-1), chunk=CHUNK)
    else:
        loop = choose_or_number if first else number_or_choose
        loop(*flat, bits, out.reshape(-1), float(number), chunk=CHUNK)
    return out
