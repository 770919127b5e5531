"""Arithmetic, functions of single numbers, and gradients that are products."""

from __future__ import annotations

import llvmlite.binding
import numpy as np

from .. import fast, pointwise
from ..half import is_half
from ..shape import expand
from . import scalar as s
from . import ufuncs
from .compiling import Number, scalar
from .elementwise import as_laid, elementwise, laid_alike
from .lines import by_lines, lines_of
from .scalar import ONE, THREE, TWO

WIDE = llvmlite.binding.get_host_cpu_features().get("avx512dq")       # NumPy has loops for it


def is_floating(x):
    return x.dtype.char in "fd" or is_half(x.dtype)


def arithmetic(formula):
    """The twin of an operator of two arrays: compiled for floats of one shape, for a number, and
    for arrays that broadcast; for all else NumPy's loop."""
    def number(x, y: Number):
        return function(x, y)

    function = scalar(formula)
    number.__name__ = f"{formula.__name__}_number"
    with_array, with_number = elementwise(formula), elementwise(number)
    lines = lines_of(formula.__name__)
    loop, ufunc = getattr(ufuncs, formula.__name__), getattr(pointwise, formula.__name__)

    def run(x, y, out=None):
        res, half = None, is_half(x.dtype)
        if half and y.ndim and x.shape != y.shape and y.dtype is x.dtype and out is None:
            shape = np.broadcast(x, y).shape
            x, y = (a if a.shape == shape else np.full(shape, a) for a in (x, y))
        alike, wide = x.shape == y.shape, x.dtype.char in "fd"
        whole = x.flags.c_contiguous and (not y.ndim or alike and y.flags.c_contiguous)
        if half and not whole and (alike or not y.ndim):
            res = as_laid(run, (x, y), 2 if y.ndim else 1, out)
            if res is not None:
                return res
        if wide and whole and (fast.threads == 1 or x.size < fast.SHARED // 2):
            return None               # one pass, as NumPy's; entered sooner than a loop of NumPy's
        turned = wide and not whole and (alike or not y.ndim) and out is None
        if turned and (laid := laid_alike(x, y)):
            *laid, back = laid
            res = run(*laid)
            if res is None and fast.threads > 1 and x.size >= fast.SHARED // 2:
                res = loop(*laid)
            return None if res is None else res.transpose(back)     # NumPy keeps their order, too
        if y.ndim and whole or alike and not wide:
            res = with_array(x, y, out=out)
        elif whole and (wide and y.dtype is x.dtype or half and y.dtype.char in "feE"):
            res = with_number(x, float(y), out=out)
        else:
            res = by_lines(lines, x, y, out)
            if res is None and alike and wide and out is None:
                res = as_laid(of_whole, (x, y), 2)              # two orders: one of them is copied
        return loop(x, y, out=out) if res is None else res

    def of_whole(x, y, out):
        res = run(x, y)
        return ufuncs.at_once(ufunc, x, y) if res is None else res
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


def product(g, x):
    """A gradient that is a product; complex numbers would need the conjugate."""
    if not is_floating(x):
        return None
    if g.ndim and not any(g.strides):               # one number, as of the gradient of a sum
        one = g[(slice(0, 1),) * g.ndim].reshape(())
        res = mul(x, one)
        return expand(np.multiply(x, one) if res is None else res, g.shape)
    return mul(g, x)


exp_self = mul_self = mul_other = product


@elementwise
def exp(x):
    return s.exp(x)


@elementwise
def own_tanh(x):
    return s.tanh(x)


def tanh(x, out=None):
    """NumPy's own loop takes two thirds of our time where it has one of 512-bit vectors."""
    if WIDE and x.dtype.char == "f" and x.flags.c_contiguous:
        return ufuncs.shared(np.tanh, x, out=out)
    return own_tanh(x, out=out)


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


def abs(x, out=None):
    return ufuncs.shared(np.abs, x, out=out) if is_floating(x) else None


def square(x, out=None):
    return ufuncs.shared(np.square, x, out=out) if is_floating(x) else None


@elementwise
def cube(x):
    return x * x * x


@elementwise
def inverse_square(x):
    return ONE / (x * x)


def pow_scalar(x, exponent, out=None):
    if is_floating(x) and exponent in (2, 0.5):
        return ufuncs.shared(np.square if exponent == 2 else np.sqrt, x, out=out)
    if exponent == 3 and x.dtype.char != "E":                # bfloat16 is rounded after each
        return cube(x, out=out)
    return inverse_square(x, out=out) if exponent == -2 else None


@elementwise
def square_slope(g, x):
    return g * (TWO * x)


@elementwise
def cube_slope(g, x):
    return g * (THREE * (x * x))


def pow_scalar_self(g, x, exponent):
    if exponent == 2:
        one = g.size > 0 and g.shape == x.shape and not any(g.strides)    # a number expanded
        return product(x, 2 * g.flat[0]) if one else square_slope(g, x)
    return cube_slope(g, x) if exponent == 3 and x.itemsize > 2 else None


@elementwise
def div_slope(g, x, y):
    return -g * (x / y / y)


def div_self(g, y):
    return div(g, y) if is_floating(y) else None


def div_other(g, x, y):
    if not is_floating(y):
        return None
    if g.shape == x.shape == y.shape:
        return div_slope(g, x, y)
    divided = fast.large("div", np.divide)
    return fast.large("mul", np.multiply)(g, divided(divided(x, y), -y))


@elementwise
def sqrt_slope(g, result):
    return g / (TWO * result)


def sqrt_self(g, result):
    return sqrt_slope(g, result)


def rsub(x, y):
    return sub(y, x)


def sub_other(g):
    return ufuncs.neg(g)


rsub_self = sub_other
