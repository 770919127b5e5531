"""Arithmetic, functions of single numbers, and gradients that are products."""

from __future__ import annotations

import math

import numpy as np

from . import scalar as s
from .compiling import Kernel, Number, Whole, scalar
from .elementwise import CHUNK, elementwise
from .scalar import ONE, THREE, TWO


def arithmetic(formula):
    """The twin of an operator of two arrays: the second of the same shape, a number, or a row."""
    function, name = scalar(formula), formula.__name__

    def number(x, y: Number):
        return function(x, y)

    def rows(x, out, y: Whole):
        for i in range(len(x)):
            for j in range(y.size):
                out[i, j] = function(x[i, j], y[j])
    number.__name__, rows.__name__ = f"{name}_number", f"{name}_rows"
    with_array, with_number, with_row = elementwise(formula), elementwise(number), Kernel(rows)

    def run(x, y):
        if x.dtype.char not in "fd":
            return None
        if y.ndim == 0:
            return with_number(x, float(y)) if y.dtype is x.dtype else None
        if x.shape == y.shape:
            return with_array(x, y)
        if (x.shape[x.ndim - y.ndim:] != y.shape or y.dtype is not x.dtype
                or not (x.flags.carray and y.flags.carray)):
            return None
        out = np.empty(x.shape, x.dtype)
        shape = -1, y.size
        with_row(x.reshape(shape), out.reshape(shape), y.reshape(-1),
                 chunk=max(1, CHUNK // y.size))
        return out
    return run


@arithmetic
def add(x, y):
    return x + y


@arithmetic
def sub(x, y):
    return x - y


@arithmetic
def mul(x, y):
    return x * y


@arithmetic
def div(x, y):
    return x / y


def is_number(g, x):
    """Whether a gradient of x is one number expanded, as a sum's is."""
    return g.ndim > 0 and not any(g.strides) and g.shape == x.shape


def number_of(g):
    return g[(0,) * g.ndim]


def product(g, x):
    return mul(x, number_of(g)) if is_number(g, x) else mul(g, x)


exp_self = mul_self = mul_other = product


@elementwise
def exp(x):
    return s.exp(x)


@elementwise
def tanh(x):
    return s.tanh(x)


@elementwise
def sigmoid(x):
    return s.sigmoid(x)


@elementwise
def sigmoid_backward(g, result):
    return g * (ONE - result) * result


@elementwise
def tanh_backward(g, result):
    return g * (ONE - result * result)


@elementwise
def erf(x):
    return s.erf(x)


@elementwise
def neg(x):
    return -x


@elementwise
def abs(x):
    return np.abs(x)


@elementwise
def sqrt(x):
    return math.sqrt(x)


@elementwise
def square(x):
    return x * x


@elementwise
def cube(x):
    return x * x * x


def pow_scalar(x, exponent):
    return {2: square, 3: cube, 0.5: sqrt}.get(exponent, decline)(x)


def decline(*args):
    return None


@elementwise
def square_slope(g, x):
    return g * (TWO * x)


@elementwise
def cube_slope(g, x):
    return g * (THREE * (x * x))


def pow_scalar_self(g, x, exponent):
    if exponent == 2:
        return mul(x, 2 * number_of(g)) if is_number(g, x) else square_slope(g, x)
    return cube_slope(g, x) if exponent == 3 else None


@elementwise
def div_slope(g, x, y):
    return -g * (x / y / y)


def div_self(g, y):
    return div(g, y)


def div_other(g, x, y):
    return div_slope(g, x, y)


@elementwise
def sqrt_slope(g, result):
    return g / (TWO * result)


def sqrt_self(g, result):
    return sqrt_slope(g, result)


def sub_other(g):
    return neg(g)
