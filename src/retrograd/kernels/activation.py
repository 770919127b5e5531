"""Activation functions and softmax, with the backward functions that profit from fewer passes."""

from __future__ import annotations

import math

import numpy as np

from . import fast
from .blocks import by_lines, line_sums
from .checks import complex_beside
from .choose import choose
from .half import check_floating, floating, in_dtype, is_half, narrowed, refuse, widened
from .pointwise import ONE, ZERO, clamp_numbers, sigmoid
from .sums import few, max_over, number, sum_over, sums_kept, tops


def softmax_dim(x, dim):
    """exp(x) / sum(exp(x)) along dim."""
    if few(x):
        y = x - tops(x, dim)
        np.exp(y, y)
        y /= sums_kept(y, dim)
        return y
    if x.size == 0:
        return x.copy()
    check_softmax("softmax", x, dim)
    if is_half(x.dtype):
        return softmax_dim(widened(x), dim).astype(x.dtype)
    y = by_lines(_softmax_lines, 1, dim, x)
    if y is not None:
        return y
    y = x - max_over(x, dim, keepdims=True)
    if y.__class__ is np.ndarray:
        np.exp(y, out=y)
    else:
        y = np.exp(y)
    y /= sum_over(y, dim, keepdims=True)
    return y


def _softmax_lines(out, x, scratch):
    np.subtract(x, max_over(x, 1, keepdims=True), scratch)
    np.exp(scratch, scratch)
    np.divide(scratch, line_sums(scratch), out)


def check_softmax(name, x, dim):
    if x.dtype.kind in "biuc":
        last = "_lastdim" if dim == x.ndim - 1 or x.ndim == 0 else ""
        refuse(f"{name}{last}_kernel_impl", x.dtype)


softmax_by_size = fast.either("softmax_dim", softmax_dim)


def safe_softmax_dim(x, dim):
    """softmax_dim, but zeros where all of x is -inf."""
    y = softmax_by_size(x, dim)
    first = y[(slice(None),) * dim + (0,)] if y.ndim and y.size else y
    if np.isnan(first).any():
        y = np.where(np.isneginf(x).all(dim, keepdims=True), y.dtype.type(0), y)
    return y


@floating("softmax_backward")
def softmax_backward(g, result, dim):
    """result * (g - sum(g * result)) along dim."""
    if few(g):
        y = g * result
        y -= result * sums_kept(y, dim)
        return y
    y = by_lines(_softmax_slopes, 1, dim, g, result)
    if y is not None:
        return y
    y = g * result
    y -= result * sum_over(y, dim, keepdims=True)
    return y


def _softmax_slopes(out, g, y, scratch):
    np.multiply(g, y, scratch)
    np.subtract(g, line_sums(scratch), scratch)
    np.multiply(scratch, y, out)


def log_softmax_dim(x, dim):
    """x - log(sum(exp(x))) along dim."""
    if few(x):
        y = x - tops(x, dim)
        y -= np.log(sums_kept(np.exp(y), dim))
        return y
    if x.size == 0:
        return x.copy()
    check_softmax("log_softmax", x, dim)
    if is_half(x.dtype):
        by_rows = dim == x.ndim - 1
        y = (_half_log_softmax_rows(widened(x), x.dtype) if by_rows
             else log_softmax_dim(widened(x), dim))
        return in_dtype(y, x.dtype)
    y = by_lines(_log_softmax_lines, 2, dim, x)
    if y is not None:
        return y
    y = x - max_over(x, dim, keepdims=True)
    y -= np.log(sum_over(np.exp(y), dim, keepdims=True))
    return y


def _log_softmax_lines(out, x, below, scratch):
    np.subtract(x, max_over(x, 1, keepdims=True), below)
    np.exp(below, scratch)
    np.subtract(below, np.log(line_sums(scratch)), out)


def _half_log_softmax_rows(x, dtype):
    """log_softmax along the last dimension, which the caller rounds to the half precision `dtype`.

    PyTorch also rounds the sum and its logarithm. Here a sum that would become infinite is not
    rounded.
    """
    y = x - max_over(x, -1, keepdims=True)
    sums = sum_over(np.exp(y), -1, keepdims=True)
    with np.errstate(over="ignore"):
        rounded = sums.astype(dtype).astype(x.dtype)
    logs = np.log(np.where(np.isinf(rounded), sums, rounded))
    y -= logs.astype(dtype).astype(x.dtype)
    return y


@floating("log_softmax_backward")
def log_softmax_backward(g, result, dim):
    """g - exp(result) * sum(g) along dim."""
    if few(g):
        y = np.exp(result)
        y *= sums_kept(g, dim)
        return g - y
    y = by_lines(_log_softmax_slopes, 1, dim, g, result)
    if y is not None:
        return y
    y = np.exp(result)
    y *= sum_over(g, dim, keepdims=True)
    return g - y


def _log_softmax_slopes(out, g, y, scratch):
    np.exp(y, scratch)
    np.multiply(scratch, line_sums(g), scratch)
    np.subtract(g, scratch, out)


@floating("silu_cpu", also="FD")
def silu(x, out=None):
    """x * sigmoid(x)."""
    res = np.asarray(np.negative(x))
    np.exp(res, res)
    res += ONE.get(x.dtype, 1)
    return np.divide(x, res, res if out is None else out)


@floating("silu_backward_cpu", also="FD")
def silu_backward(g, x):
    """g times the derivative of `silu`."""
    s = sigmoid(x)
    slope = np.asarray(1 - s)
    slope *= x
    slope += 1
    slope *= s
    if slope.dtype.kind == "c":
        np.conjugate(slope, slope)
    return np.multiply(slope, g, slope)


@floating("mish_cpu")
def mish(x, out=None):
    """x * tanh(log(1 + exp(x))) = x * n / (n + 2) with n = e (e + 2), e = exp(x)."""
    e = np.asarray(np.minimum(x, 20))                # from there on n / (n + 2) is 1
    np.exp(e, e)
    e *= e + 2
    res = np.asarray(e + 2)
    np.divide(e, res, res)
    return np.multiply(x, res, res if out is None else out)


@floating("softplus_cpu")
def softplus(x, beta=1, threshold=20):
    """log(1 + exp(beta x)) / beta; x itself where beta x exceeds the threshold."""
    if beta.__class__ is complex or threshold.__class__ is complex:
        complex_beside(x.dtype)
    scaled = x if beta == 1 else x * beta
    if few(x) and beta == 1 and x.item(x.argmax()) <= threshold:
        res = np.exp(x)
        return np.log1p(res, res)
    res = np.log1p(np.exp(np.minimum(scaled, threshold)))
    return choose(scaled > threshold, x, res if beta == 1 else res / beta)


@floating("elu_cpu")
def elu(x, alpha=1.0, scale=1.0, input_scale=1.0, out=None):
    """scale * x above 0, scale * alpha * (exp(input_scale * x) - 1) below."""
    if (alpha * scale * input_scale).__class__ is complex:
        complex_beside(x.dtype)
    zero = ZERO[x.dtype]
    low = np.asarray(np.minimum(zero, x))  # with the operands in this order -0.0 stays -0.0
    if input_scale != 1:
        low *= input_scale
    np.expm1(low, low)
    if alpha * scale != 1:
        low *= alpha * scale
    if not math.isfinite(alpha * scale):
        return given(np.where(x < 0, low, x * scale), out)
    high = np.maximum(zero, x)
    return np.add(low, high if scale == 1 else high * scale, out=out)      # one of the two is 0


def given(result, out):
    """The result, in the memory of `out` if that is given."""
    if out is None:
        return result
    out[...] = result
    return out


def celu(x, alpha=1.0, out=None):
    """x above 0, alpha * (exp(x / alpha) - 1) below."""
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    return elu(x, alpha, 1.0, 1.0 / alpha, out)


@floating("leaky_relu_cpu")
def leaky_relu(x, negative_slope=0.01, out=None):
    """x above 0, negative_slope * x below."""
    if negative_slope.__class__ is complex:
        complex_beside(x.dtype)
    if 0 < negative_slope <= 1:
        return np.maximum(x, x * negative_slope, out=out)
    return given(choose(x > 0, x, x * negative_slope), out)


def leaky_relu_backward(g, x, negative_slope):
    """g above 0, negative_slope * g below."""
    if is_half(g.dtype):
        return narrowed(leaky_relu_backward(widened(g), x, negative_slope), g.dtype)
    return choose(x > 0, g, g * negative_slope)


def hardtanh_backward(g, x, min_val, max_val):
    """g inside (min_val, max_val), 0 outside."""
    return choose((x > min_val) & (x < max_val), g, 0)                   # 0 where x is nan


def hardshrink_backward(g, x, lambd):
    """0 inside [-lambd, lambd], g outside."""
    return choose(np.abs(x) > lambd, g, 0)                               # 0 where x is nan


softshrink_backward = hardshrink_backward


@floating("softplus_backward_cpu")
def softplus_backward(g, x, beta, threshold):
    """g times the derivative of `softplus`."""
    return choose(x * beta > threshold, g, g * sigmoid(x * beta))


@floating("log_sigmoid_backward_cpu")
def log_sigmoid_backward(g, x):
    """g times the derivative of `log_sigmoid`."""
    return g * sigmoid(-x)


@floating("elu_backward_cpu")
def elu_backward(g, x, alpha, scale, input_scale, is_result):
    """g times the derivative of `elu`, whose argument or, with is_result, whose result is x."""
    if is_result:
        return choose(x > 0, g * scale, g * input_scale * (choose(x >= 0, 0, x) + alpha * scale))
    low = g * (alpha * scale * input_scale) * np.exp(choose(x >= 0, 0, x) * input_scale)
    return choose(x > 0, g * scale, low)


@floating("hardswish_backward_cpu")
def hardswish_backward(g, x):
    """g times the derivative of `hardswish`."""
    return choose(x <= -3, 0, choose(x >= 3, g, g * (x / 3 + 0.5)))


@floating("prelu_cpu")
def prelu_kernel(x, weight):
    """x above 0, weight * x below."""
    return choose(x > 0, x, x * weight)


def prelu_backward(g, x, weight):
    """g where x is above 0, weight * g below."""
    return choose(x > 0, g, g * weight)


@floating("hardtanh", also="bhilqB?")
def hardtanh(x, min_val=-1.0, max_val=1.0, out=None):
    """x clamped to [min_val, max_val]."""
    if x.dtype.char in "fd":
        return clamp_numbers(x, min_val, max_val, out)
    if x.dtype.kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if x.dtype.char == "B" and min(min_val, max_val) < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    return x.clip(x.dtype.type(min_val), x.dtype.type(max_val))


@floating("hardsigmoid_cpu")
def hardsigmoid(x, out=None):
    """clamp(x + 3, 0, 6) / 6."""
    res = np.asarray(x + number(3, x.dtype))
    clamp_numbers(res, 0, 6, res)
    return np.divide(res, number(6, x.dtype), res if out is None else out)


@floating("hardswish_cpu")
def hardswish(x, out=None):
    """x * hardsigmoid(x)."""
    res = np.asarray(x + number(3, x.dtype))
    clamp_numbers(res, 0, 6, res)
    res *= x
    return np.divide(res, number(6, x.dtype), res if out is None else out)


def hardshrink(x, lambd=0.5):
    """x outside [-lambd, lambd], 0 inside; half precision compares with a rounded lambd."""
    check_floating("hardshrink_cpu", x.dtype)
    lambd = x.dtype.type(0 + lambd)            # a TypeError, not text read as a number
    return choose(np.abs(x) <= np.asarray(lambd), 0, x)


@floating("softshrink_check")
def softshrink(x, lambd=0.5):
    """x moved towards 0 by lambd."""
    return np.copysign(x - clamp_numbers(x, -lambd, lambd), x)


@floating("threshold_cpu", also="bhilqB")
def threshold(x, threshold, value):
    """x above the threshold, value elsewhere."""
    if threshold.__class__ is complex or value.__class__ is complex:
        complex_beside(x.dtype)
    return choose(x <= threshold, x.dtype.type(value), x)


@floating("log_sigmoid_cpu")
def log_sigmoid(x):
    """-log(1 + exp(-x))."""
    return np.minimum(x, 0) - np.log1p(np.exp(-np.abs(x)))


@floating("glu_cpu")
def glu_dim(x, dim):
    """a * sigmoid(b), x = (a, b) halved along dim."""
    before, half = (slice(None),) * (dim % x.ndim), x.shape[dim] // 2
    return x[*before, :half] * sigmoid(x[*before, half:])


@floating("glu_backward_cpu")
def glu_backward(g, x, dim):
    """(g s, g a s (1 - s)) joined along dim, x = (a, b), s = sigmoid(b)."""
    before, half = (slice(None),) * (dim % x.ndim), x.shape[dim] // 2
    s = sigmoid(x[*before, half:])
    return np.concatenate([g * s, g * x[*before, :half] * s * (1 - s)], dim)
