"""Activation functions and their gradients, with a parameter or without."""

from __future__ import annotations

import math

import numpy as np

from ..shape import in_order
from . import scalar as s
from .compiling import Number, kernel, scalar
from .elementwise import as_in, dense, elementwise, orders
from .rows import chunk_of
from .scalar import HALF, ONE, THREE, TWO, ZERO, f32

SIX, TWENTY = f32(6), f32(20)
SIXTH = f32(1 / 6)         # PyTorch rounds it to float32


@elementwise
def relu(x):
    return ZERO if x < ZERO else x           # nan and -0 stay


@elementwise
def threshold_backward(g, x, threshold: Number):
    return ZERO if x <= threshold else g


@elementwise
def leaky_relu(x, slope: Number):
    return s.choose(x > ZERO, x, x * slope)


@elementwise
def leaky_relu_backward(g, x, slope: Number):
    return s.choose(x > ZERO, g, g * slope)


@elementwise
def silu(x):
    return x * s.sigmoid(x)


@elementwise
def silu_backward(g, x):
    y = s.sigmoid(x)
    return g * (y * (ONE + x * (ONE - y)))


@elementwise
def gelu(x):
    """x * Phi(x)"""
    size = abs(x)
    return s.choose(x < ZERO, ZERO, x) - s.finite_tail(size) * s.short_tail(size)


@elementwise
def gelu_slope(g, x):
    """g * (Phi(x) + x * phi(x))"""
    size = abs(x)
    below = s.short_tail(size)
    near = math.copysign(s.finite_tail(size), x)
    return g * (s.choose(x < ZERO, below, ONE - below) + near * s.normal_density(size))


@elementwise
def gelu_tanh(x):
    return HALF * x * (ONE + s.tanh(s.gelu_inner(x)))


@elementwise
def gelu_tanh_slope(g, x):
    t = s.tanh(s.gelu_inner(x))
    return g * (HALF * (ONE + t) + HALF * x * (ONE - t * t) * s.gelu_inner_slope(x))


def gelu_by(x, approximate="none"):
    return gelu_tanh(x) if approximate == "tanh" else gelu(x)


def gelu_backward(g, x, approximate="none"):
    return gelu_tanh_slope(g, x) if approximate == "tanh" else gelu_slope(g, x)


@elementwise
def elu_by(x, alpha: Number, scale: Number, input_scale: Number):
    low = s.expm1(x * input_scale) * (alpha * scale)
    return s.choose(x < ZERO, low, x * scale)             # -0.0 stays as it is


def elu(x, alpha=1.0, scale=1.0, input_scale=1.0, out=None):
    return elu_by(x, alpha, scale, input_scale, out=out)


@elementwise
def elu_slope(g, x, alpha: Number, scale: Number, input_scale: Number):
    low = g * (alpha * scale * input_scale) * s.exp(x * input_scale)
    return s.choose(x > ZERO, g * scale, low)


@elementwise
def elu_slope_by_result(g, y, bottom: Number, scale: Number, input_scale: Number):
    return s.choose(y > ZERO, g * scale, g * input_scale * (s.choose(y >= ZERO, ZERO, y) + bottom))


def elu_backward(g, x, alpha, scale, input_scale, is_result):
    if is_result:
        return elu_slope_by_result(g, x, alpha * scale, scale, input_scale)
    return elu_slope(g, x, alpha, scale, input_scale)


@elementwise
def softplus_by(x, beta: Number, threshold: Number):
    return s.choose(x * beta > threshold, x, s.softplus(x * beta) / beta)


def softplus(x, beta=1, threshold=20):
    return softplus_by(x, beta, threshold)


@elementwise
def softplus_backward(g, x, beta: Number, threshold: Number):
    return s.choose(x * beta > threshold, g, g * s.sigmoid(x * beta))


@elementwise
def log_sigmoid(x):
    return ZERO - s.softplus(-x)                           # 0, not -0, at infinity


@elementwise
def log_sigmoid_backward(g, x):
    return g * s.sigmoid(-x)


@elementwise
def celu_by(x, alpha: Number):
    return s.choose(x < ZERO, s.expm1(x / alpha) * alpha, x)


def celu(x, alpha=1.0, out=None):
    return celu_by(x, alpha, out=out)


@elementwise
def hardsigmoid(x):
    return s.choose(x + THREE < ZERO, ZERO, s.choose(x > THREE, SIX, x + THREE)) / SIX


@elementwise
def hardsigmoid_self(g, x):
    return s.choose((x > -THREE) & (x < THREE), g * SIXTH, ZERO)


@elementwise
def hardswish(x):
    return x * s.choose(x + THREE < ZERO, ZERO, s.choose(x > THREE, SIX, x + THREE)) / SIX


@elementwise
def hardswish_backward(g, x):
    return s.choose(x <= -THREE, ZERO, s.choose(x >= THREE, g, g * (x / THREE + HALF)))


@elementwise
def mish(x):
    """x tanh(log(1 + e)), e = exp(x): the tanh is n / (n + 2), n = e (e + 2), and 1 from 20 on."""
    e = s.exp(x)
    n = e * (e + TWO)
    return s.choose(x > TWENTY, x, x * (n / (n + TWO)))


@elementwise
def hardtanh_backward(g, x, low: Number, high: Number):
    return s.choose((x > low) & (x < high), g, ZERO)


@elementwise
def threshold(x, limit: Number, value: Number):
    return s.choose(x <= limit, value, x)


@elementwise
def hardshrink_by(x, width: Number):
    return s.choose((x >= -width) & (x <= width), ZERO, x)


def hardshrink(x, lambd):
    return hardshrink_by(x, as_in(x, lambd))


@elementwise
def softshrink(x, width: Number):
    inside = s.choose(x > width, width, s.choose(x < -width, -width, x))
    return math.copysign(x - inside, x)


@elementwise
def hardshrink_backward(g, x, width: Number):
    return s.choose((x > width) | (x < -width), g, ZERO)


softshrink_backward = hardshrink_backward


# --------------------------------------------------------------------------- of rows

@kernel
def prelu_rows(x, weight, out):
    for i in range(len(x)):
        for j in range(x.shape[1]):
            out[i, j] = s.choose(x[i, j] > ZERO, x[i, j], x[i, j] * weight[i])


@kernel
def prelu_slopes(g, x, weight, out):
    for i in range(len(x)):
        for j in range(x.shape[1]):
            out[i, j] = s.choose(x[i, j] > ZERO, g[i, j], g[i, j] * weight[i])


def prelu_kernel(x, weight):
    if weight.size == 1 and weight.dtype is x.dtype:
        return leaky_relu(x, float(weight.item()))
    return by_channel(prelu_rows, weight, x)


def prelu_backward(g, x, weight):
    if weight.size == 1 and weight.dtype is x.dtype:
        return leaky_relu_backward(g, x, float(weight.item()))
    return by_channel(prelu_slopes, weight, g, x)


def by_channel(loop, weight, *arrays):
    """For a weight for each channel: (1, C, 1, ...)."""
    shape, channels = arrays[0].shape, weight.size
    arrays = [dense(a) for a in arrays]
    if any(a.dtype.char not in "fd" or a.dtype is not weight.dtype or a.shape != shape
           for a in arrays) or not math.prod(shape):
        return None
    if weight.ndim != len(shape) or weight.shape[1:2] != shape[1:2] or channels != shape[1]:
        return None
    rows = shape[0] * channels
    out = np.empty(shape, arrays[0].dtype)
    flat = [a.reshape(rows, -1) for a in (*arrays, out)]
    loop(*flat[:-1], np.resize(weight, rows), flat[-1], chunk=chunk_of(flat[0]))
    return out


@kernel
def glu_rows(x, out):
    """x (rows, 2, n)"""
    for i in range(len(x)):
        for j in range(x.shape[2]):
            out[i, j] = x[i, 0, j] * s.sigmoid(x[i, 1, j])


@scalar
def gate_slopes(g, a, b, of_a, of_b):
    for j in range(g.size):
        of_a[j] = s.sigmoid(b[j])
    for j in range(g.size):
        of_b[j] = g[j] * a[j] * (of_a[j] * (ONE - of_a[j]))
    for j in range(g.size):
        of_a[j] *= g[j]


@kernel
def glu_slopes(g, x, out):
    for i in range(len(x)):
        gate_slopes(g[i], x[i, 0], x[i, 1], out[i, 0], out[i, 1])


def glu_dim(x, dim):
    if x.dtype.char not in "fd" or not x.size or 0 in x.strides:
        return None
    if not x.flags.carray:
        order, back = orders(x.strides)
        return glu_dim(in_order(x.transpose(order)), order.index(dim)).transpose(back)
    out = np.empty(x.shape[:dim] + (x.shape[dim] // 2,) + x.shape[dim + 1:], x.dtype)
    halves = x.reshape(math.prod(x.shape[:dim]), 2, -1)
    glu_rows(halves, out.reshape(len(halves), -1), chunk=chunk_of(halves[:, 0]))
    return out


def glu_backward(g, x, dim):
    if x.dtype.char not in "fd" or not x.size or g.dtype is not x.dtype or 0 in x.strides:
        return None
    if not x.flags.carray:
        order, back = orders(x.strides)
        return glu_backward(g.transpose(order), in_order(x.transpose(order)),
                            order.index(dim)).transpose(back)
    out, halves = np.empty(x.shape, x.dtype), x.reshape(math.prod(x.shape[:dim]), 2, -1)
    rows = dense(g).reshape(len(halves), -1)
    glu_slopes(rows, halves, out.reshape(halves.shape), chunk=chunk_of(rows))
    return out
