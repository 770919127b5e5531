"""Arithmetic, functions of single numbers, and gradients that are products."""

from __future__ import annotations

import math

import llvmlite.binding
import numpy as np

from .. import fast, pointwise
from ..half import is_half
from ..shape import in_order
from . import scalar as s
from . import ufuncs
from .compiling import Number, scalar
from .elementwise import as_laid, elementwise, laid_alike
from .lines import by_lines, lines_of
from .scalar import ONE, THREE, TWO, ZERO

LOWEST = np.float32(-65504)                     # of the finite numbers of float16

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
        if x.dtype.char in "fd":
            return of_floats(x, y, out)
        res = of_half(x, y, out) if is_half(x.dtype) else None
        return loop(x, y, out=out) if res is None else res

    def of_floats(x, y, out):
        alike = x.shape == y.shape
        if alike or not y.ndim:
            if x.flags.c_contiguous and y.flags.c_contiguous:
                return of_whole(x, y, out)
            if out is None and (laid := laid_alike(x, y)):
                *laid, back = laid
                res = of_whole(*laid)
                return None if res is None else res.transpose(back)   # NumPy keeps the order, too
        res = by_lines(lines, x, y, out)
        if res is None and alike and out is None:                  # two orders: one is copied
            res = as_laid(combined, (x, y), 2)
        return loop(x, y, out=out) if res is None else res

    def combined(x, y, out):
        res = of_whole(x, y)
        return ufunc(x, y) if res is None else res

    def of_whole(x, y, out=None):
        """x of floats beside y of the same shape, or beside one number, both contiguous."""
        if fast.threads == 1 or x.size < fast.SHARED // 2:
            return None               # one pass, as NumPy's; entered sooner than a loop of NumPy's
        res = None
        if y.ndim:
            res = with_array(x, y, out=out)
        elif y.dtype is x.dtype:
            res = with_number(x, float(y), out=out)
        return loop(x, y, out=out) if res is None else res

    def of_half(x, y, out):
        if y.ndim and x.shape != y.shape and y.dtype is x.dtype and out is None:
            shape = np.broadcast(x, y).shape
            x, y = (a if a.shape == shape else np.full(shape, a) for a in (x, y))
        if y.ndim and x.shape != y.shape:
            return None
        if not (x.flags.c_contiguous and y.flags.c_contiguous):
            res = as_laid(run, (x, y), 2 if y.ndim else 1, out)
            if res is not None:
                return res
        if y.ndim:
            return with_array(x, y, out=out)
        whole = x.flags.c_contiguous and y.dtype.char in "feE"
        return with_number(x, float(y), out=out) if whole else None
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
        return written_out(np.multiply(x, one) if res is None else res, g.shape)
    return mul(g, x)


def written_out(a, shape):
    """An array expanded to a shape, with memory for each element: hooks may write to gradients."""
    return a if a.shape == shape else in_order(np.broadcast_to(a, shape))


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


@elementwise
def root_of_float16(x):
    """C's pow(x, 0.5), by which PyTorch computes float16's: 0.0 of -0.0 and inf of -inf."""
    return s.choose(x < LOWEST, -x, math.sqrt(x + ZERO))


def pow_scalar(x, exponent, out=None):
    if exponent == 0.5 and x.dtype.char == "e":
        return root_of_float16(x, out=out)
    if is_floating(x) and exponent in (2, 0.5):
        return ufuncs.shared(np.square if exponent == 2 else np.sqrt, x, out=out)
    if exponent == 3 and x.dtype.char != "E":                # bfloat16 is rounded after each
        return cube(x, out=out)
    if exponent == -2 and x.dtype.char != "E":
        return inverse_square(x, out=out)
    return None


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
    """-g, of which one number may be expanded, as in the gradient of a sum."""
    if any(g.strides):
        return ufuncs.neg(g) if g.size >= fast.SHARED else None
    return written_out(np.negative(g[(slice(0, 1),) * g.ndim]), g.shape)


rsub_self = neg_self = sub_other


@elementwise
def bell(g, x, height: Number):
    return g * s.exp(-x * x) * height


def erf_self(g, x):
    return bell(g, x, 2 / math.sqrt(math.pi))


def erfc_self(g, x):
    return bell(g, x, -2 / math.sqrt(math.pi))


@elementwise
def reciprocal_self(g, y):
    return -g * y * y
