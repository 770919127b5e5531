"""Elementwise arithmetic and functions. A NumPy ufunc is its own kernel where one exists."""

from __future__ import annotations

import numpy as np

add, sub, mul, div = np.add, np.subtract, np.multiply, np.true_divide
neg, exp, expm1, log, log1p, log2, log10 = (np.negative, np.exp, np.expm1, np.log, np.log1p, np.log2,
                                            np.log10)
sin, cos, tan, asin, acos, atan, atan2 = (np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan,
                                          np.arctan2)
sinh, cosh, tanh, asinh, acosh, atanh = (np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh,
                                         np.arctanh)
sqrt, exp2, hypot = np.sqrt, np.exp2, np.hypot
maximum, minimum, fmax, fmin = np.maximum, np.minimum, np.fmax, np.fmin
floor, ceil, trunc, round = np.floor, np.ceil, np.trunc, np.rint
eq, ne, lt, le, gt, ge = (np.equal, np.not_equal, np.less, np.less_equal, np.greater,
                          np.greater_equal)
isnan, isfinite, isinf = np.isnan, np.isfinite, np.isinf
logical_and, logical_or, logical_xor, logical_not = (np.logical_and, np.logical_or, np.logical_xor,
                                                     np.logical_not)
copysign, nextafter, logaddexp, logaddexp2 = np.copysign, np.nextafter, np.logaddexp, np.logaddexp2
zeros_like, ones_like = np.zeros_like, np.ones_like


def add_scaled(a, b, alpha):
    return a + alpha * b


def sub_scaled(a, b, alpha):
    return a - alpha * b


def rsub(a, b):
    return b - a


def conj(a):
    return np.conjugate(a) if a.dtype.kind == "c" else a


def conj_physical(a):
    return np.conjugate(a)


def real(a):
    return a.real


def imag(a):
    return a.imag


def where(condition, a, b):
    return np.where(condition, a, b)


def abs(a):
    return np.abs(a)


def sgn(a):
    """x / |x|, and 0 at 0."""
    return np.sign(a)


sign = sgn


def reciprocal(a):
    return 1 / a


def rsqrt(a):
    return 1 / np.sqrt(a)


def square(a):
    return a * a


def pow(a, b):
    """a ** b; small integer exponents by multiplication, which np.power does 200 times slower."""
    return np.power(a, b)


def pow_scalar(a, exponent):
    if exponent == 2:
        return a * a
    if exponent == 3:
        return a * a * a
    if exponent == 1:
        return a.copy()
    if exponent == 0.5 and a.dtype.kind in "fc":
        return np.sqrt(a)
    if exponent == -1 and a.dtype.kind in "fc":
        return 1 / a
    if exponent == 0:
        return np.ones_like(a)
    return np.power(a, exponent)


def sigmoid(a):
    """1 / (1 + exp(-x)), by exp(-|x|) so that nothing overflows."""
    if a.dtype.kind == "c":
        return 1 / (1 + np.exp(-a))
    e = np.exp(-np.abs(a))
    return np.where(a >= 0, 1, e) / (1 + e)


def sigmoid_backward(g, result):
    return g * (1 - result.conj()) * result.conj()


def relu(a):
    return np.maximum(a, 0)


def threshold_backward(g, a, threshold):
    return g * (a > threshold)


def tanh_backward(g, result):
    return g * (1 - result * result)


def clamp(a, min=None, max=None):
    if min is not None:
        a = np.maximum(a, min)
    return a if max is None else np.minimum(a, max)


def lerp(a, b, weight):
    return a + weight * (b - a)


def addcmul(a, t1, t2, value):
    return a + value * t1 * t2


def addcdiv(a, t1, t2, value):
    return a + value * t1 / t2


def positive(a):
    return a
