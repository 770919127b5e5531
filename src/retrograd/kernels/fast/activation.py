"""Activation functions and their gradients, with a parameter or without."""

from __future__ import annotations

import math

from . import scalar as s
from .compiling import Number
from .elementwise import elementwise
from .scalar import HALF, ONE, THREE, ZERO, f32

SIX = f32(6)
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
    return s.choose(x < ZERO, ZERO, x) - s.finite_tail(size) * s.normal_tail(size)


@elementwise
def gelu_slope(g, x):
    """g * (Phi(x) + x * phi(x))"""
    size = abs(x)
    below = s.normal_tail(size)
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
def elu(x, alpha: Number, scale: Number, input_scale: Number):
    low = s.expm1(x * input_scale) * (alpha * scale)
    return s.choose(x > ZERO, x * scale, low)


@elementwise
def elu_slope(g, x, alpha: Number, scale: Number, input_scale: Number):
    low = g * (alpha * scale * input_scale) * s.exp(x * input_scale)
    return s.choose(x > ZERO, g * scale, low)


def elu_self(g, x, alpha, scale, input_scale):
    return elu_slope(g, x, alpha, scale, input_scale)


@elementwise
def softplus_by(x, beta: Number, threshold: Number):
    return s.choose(x * beta > threshold, x, s.softplus(x * beta) / beta)


def softplus(x, beta=1, threshold=20):
    return softplus_by(x, beta, threshold)


@elementwise
def softplus_self(g, x, beta: Number, threshold: Number):
    return s.choose(x * beta > threshold, g, g * s.sigmoid(x * beta))


@elementwise
def log_sigmoid(x):
    return -s.softplus(-x)


@elementwise
def log_sigmoid_self(g, x):
    return g * s.sigmoid(-x)


@elementwise
def celu_by(x, alpha: Number):
    return s.choose(x > ZERO, x, s.expm1(x / alpha) * alpha)


def celu(x, alpha=1.0, out=None):
    return celu_by(x, alpha, out=out)


@elementwise
def celu_self(g, x, alpha: Number):
    return s.choose(x > ZERO, g, g * s.exp(x / alpha))


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
def hardswish_self(g, x):
    return s.choose(x <= -THREE, ZERO, s.choose(x < THREE, g * (x / THREE + HALF), g))


@elementwise
def mish(x):
    return x * s.tanh(s.softplus(x))


@elementwise
def hardtanh_backward(g, x, low: Number, high: Number):
    return s.choose((x <= low) | (x >= high), ZERO, g)
