"""Gradients of activation functions and of softmax, as operators.

backward(create_graph=True) records them by these names, which are PyTorch's. Each is linear in the
gradient that comes in, so for that input its own gradient is the operator once more, or, of a
function of whole rows, its transpose. For self it needs the function's second derivative.
"""

from __future__ import annotations

import math

from . import samples as S
from .declare import op
from .formulas import both, rounded_once, scaled

CUBE, ROOT = 0.044715, math.sqrt(2 / math.pi)       # of gelu by tanh: tanh(ROOT (x + CUBE x^3))


def with_a_gradient(*consts):
    return S.with_consts(lambda: S.pairs()[:1], *consts)


def tangent(moved, self_t, slope):
    """Of g f'(x): the operator's value for the tangent of g, and g f''(x) times that of x."""
    return both(moved, scaled(self_t, slope))


# --------------------------------------------------------------------------- softmax

op("softmax_backward(grad_output, output | dim)", "SoftmaxBackwardDataBackward0", public=False,
    contiguous=True, samples=with_a_gradient(1),
    grad_output = lambda F, g, output, dim: F.softmax_backward(g, output, dim),
    output      = rounded_once(lambda F, g, grad_output, output, dim:
                      g * (grad_output - F.sum_dim(output * grad_output, dim, True))
                      - grad_output * F.sum_dim(output * g, dim, True)),
    jvp = lambda F, grad_output, output, grad_output_t, output_t, dim: both(
              None if grad_output_t is None else F.softmax_backward(grad_output_t, output, dim),
              None if output_t is None else
              output_t * (grad_output - F.sum_dim(output * grad_output, dim, True))
              - output * F.sum_dim(output_t * grad_output, dim, True)))

op("log_softmax_backward(grad_output, output | dim)", "LogSoftmaxBackwardDataBackward0",
    public=False, contiguous=True, samples=with_a_gradient(1),
    grad_output = rounded_once(lambda F, g, output, dim:
                      g - F.sum_dim(g * F.exp(output), dim, True)),
    output      = rounded_once(lambda F, g, grad_output, output, dim:
                      -(g * F.exp(output) * F.sum_dim(grad_output, dim, True))),
    jvp = lambda F, grad_output, output, grad_output_t, output_t, dim: both(
              None if grad_output_t is None else F.log_softmax_backward(grad_output_t, output, dim),
              None if output_t is None else
              -(output_t * F.exp(output) * F.sum_dim(grad_output, dim, True))))

# --------------------------------------------------------------------------- smooth functions

op("gelu_backward(grad_output, self | approximate)", "GeluBackwardBackward0", public=False,
    samples=lambda: [(*pair, way) for pair in S.pairs()[:1] for way in ("none", "tanh")],
    grad_output = lambda F, g, self, approximate: F.gelu_backward(g, self, approximate),
    self        = rounded_once(lambda F, g, grad_output, self, approximate:
                      g * grad_output * gelu_curvature(F, self, approximate)),
    jvp = lambda F, grad_output, self, grad_output_t, self_t, approximate: tangent(
              None if grad_output_t is None else F.gelu_backward(grad_output_t, self, approximate),
              self_t, grad_output * gelu_curvature(F, self, approximate)))


def gelu_curvature(F, x, approximate):
    """The second derivative of gelu: (2 - x^2) phi(x), phi the normal density; or, by tanh,
    (1 - t^2) (u' - x t u'^2 + x u'' / 2) with t = tanh(u)."""
    if approximate == "tanh":
        x = F.clamp_numbers(x, -10, 10)     # beyond t is 1 or -1
        square = x * x
        t, slope = F.tanh(ROOT * x * (1 + CUBE * square)), ROOT * (1 + 3 * CUBE * square)
        return (1 - t * t) * (slope * (1 - x * t * slope) + 3 * CUBE * ROOT * square)
    square = x * x
    return (2 - square) * F.exp(-0.5 * square) * (1 / math.sqrt(2 * math.pi))


op("softplus_backward(grad_output, self | beta, threshold)", "SoftplusBackwardBackward0",
    public=False, samples=with_a_gradient(1.5, 2.0),
    grad_output = lambda F, g, self, beta, threshold: F.softplus_backward(g, self, beta, threshold),
    self        = rounded_once(lambda F, g, grad_output, self, beta, threshold:
                      g * grad_output * softplus_curvature(F, self, beta, threshold)),
    jvp = lambda F, grad_output, self, grad_output_t, self_t, beta, threshold: tangent(
              None if grad_output_t is None else
              F.softplus_backward(grad_output_t, self, beta, threshold),
              self_t, grad_output * softplus_curvature(F, self, beta, threshold)))


def softplus_curvature(F, x, beta, threshold):
    s = F.sigmoid(x * beta)
    return F.where(x * beta > threshold, 0, s * (1 - s) * beta)


op("log_sigmoid_backward(grad_output, self)", "LogSigmoidBackwardBackward0", public=False,
    samples=with_a_gradient(),
    grad_output = lambda F, g, self: F.log_sigmoid_backward(g, self),
    self        = rounded_once(lambda F, g, grad_output, self:
                      g * grad_output * log_sigmoid_curvature(F, self)),
    jvp = lambda F, grad_output, self, grad_output_t, self_t: tangent(
              None if grad_output_t is None else F.log_sigmoid_backward(grad_output_t, self),
              self_t, grad_output * log_sigmoid_curvature(F, self)))


def log_sigmoid_curvature(F, x):
    s = F.sigmoid(x)
    return s * (s - 1)


# --------------------------------------------------------------------------- kinks

op("elu_backward(grad_output, self_or_result | alpha, scale, input_scale, is_result)",
    "EluBackwardBackward0", public=False,
    samples=lambda: [(*pair, 1.5, 2.0, 0.5, by_result) for pair in S.pairs()[:1]
                     for by_result in (False, True)],
    grad_output    = lambda F, g, self_or_result, alpha, scale, input_scale, is_result:
                         F.elu_backward(g, self_or_result, alpha, scale, input_scale, is_result),
    self_or_result = rounded_once(
        lambda F, g, grad_output, self_or_result, alpha, scale, input_scale, is_result:
            g * grad_output * elu_curvature(F, self_or_result, alpha, scale, input_scale,
                                            is_result)),
    jvp = lambda F, grad_output, self_or_result, grad_output_t, self_or_result_t, alpha, scale,
                 input_scale, is_result: tangent(
              None if grad_output_t is None else
              F.elu_backward(grad_output_t, self_or_result, alpha, scale, input_scale, is_result),
              self_or_result_t, grad_output * elu_curvature(F, self_or_result, alpha, scale,
                                                            input_scale, is_result)))


def elu_curvature(F, x, alpha, scale, input_scale, is_result):
    """The derivative of elu's slope, by self or by the result; 0 at 0."""
    if is_result:
        return F.where(x < 0, input_scale, F.zeros_like(x))
    low = F.where(x < 0, x, 0)
    return F.where(x < 0, alpha * scale * input_scale ** 2 * F.exp(low * input_scale), 0)


op("hardswish_backward(grad_output, self)", "HardswishBackwardBackward0", public=False,
    samples=with_a_gradient(),
    grad_output = lambda F, g, self: F.hardswish_backward(g, self),
    self        = rounded_once(lambda F, g, grad_output, self:
                      F.where((self > -3) & (self < 3), g * grad_output / 3, 0)),
    jvp = lambda F, grad_output, self, grad_output_t, self_t: tangent(
              None if grad_output_t is None else F.hardswish_backward(grad_output_t, self),
              self_t, F.where((self > -3) & (self < 3), grad_output / 3, 0)))

# These functions are made of lines, so that their gradients are constant in self. Their own
# gradient by self is zero; it is not missing.

op("leaky_relu_backward(grad_output, self | negative_slope)", "LeakyReluBackwardBackward0",
    public=False, samples=with_a_gradient(0.1),
    grad_output = lambda F, g, self, negative_slope: F.leaky_relu_backward(g, self, negative_slope),
    self        = lambda F, g: F.zeros_like(g),
    jvp = lambda F, grad_output, self, grad_output_t, self_t, negative_slope:
              None if grad_output_t is None else
              F.leaky_relu_backward(grad_output_t, self, negative_slope))

op("hardtanh_backward(grad_output, self | min_val, max_val)", "HardtanhBackwardBackward0",
    public=False, samples=with_a_gradient(-1.0, 1.0),
    grad_output = lambda F, g, self, min_val, max_val:
                      F.hardtanh_backward(g, self, min_val, max_val),
    self        = lambda F, g: F.zeros_like(g),
    jvp = lambda F, grad_output, self, grad_output_t, self_t, min_val, max_val:
              None if grad_output_t is None else
              F.hardtanh_backward(grad_output_t, self, min_val, max_val))

op("hardshrink_backward(grad_output, self | lambd)", "HardshrinkBackwardBackward0", public=False,
    samples=with_a_gradient(0.5),
    grad_output = lambda F, g, self, lambd: F.hardshrink_backward(g, self, lambd),
    self        = lambda F, g: F.zeros_like(g),
    jvp = lambda F, grad_output, self, grad_output_t, self_t, lambd:
              None if grad_output_t is None else F.hardshrink_backward(grad_output_t, self, lambd))

op("softshrink_backward(grad_output, self | lambd)", "SoftshrinkBackwardBackward0", public=False,
    samples=with_a_gradient(0.5),
    grad_output = lambda F, g, self, lambd: F.softshrink_backward(g, self, lambd),
    self        = lambda F, g: F.zeros_like(g),
    jvp = lambda F, grad_output, self, grad_output_t, self_t, lambd:
              None if grad_output_t is None else F.softshrink_backward(grad_output_t, self, lambd))

op("prelu_backward(grad_output, self, weight)", "PreluKernelBackwardBackward0", public=False,
    broadcasts=True, samples=lambda: S.triples()[:2],
    grad_output = lambda F, g, self, weight: F.prelu_backward(g, self, weight),
    weight      = lambda F, g, grad_output, self: g * F.where(self > 0, 0, grad_output),
    self        = lambda F, g: F.zeros_like(g),
    jvp = lambda F, grad_output, self, weight, grad_output_t, self_t, weight_t: both(
              None if grad_output_t is None else F.prelu_backward(grad_output_t, self, weight),
              None if weight_t is None else F.where(self > 0, 0, grad_output * weight_t)))

# --------------------------------------------------------------------------- gates

op("glu_backward(grad_output, self | dim)", "GluBackwardBackward0", public=False,
    samples=lambda: [(a[:1], b, 0) for a, b in S.pairs()[:1]],
    grad_output = rounded_once(lambda F, g, self, dim: gated(F, g, self, dim)),
    self        = rounded_once(lambda F, g, grad_output, self, dim:
                      gate_curvatures(F, g, grad_output, self, dim)),
    jvp = lambda F, grad_output, self, grad_output_t, self_t, dim: both(
              None if grad_output_t is None else F.glu_backward(grad_output_t, self, dim),
              None if self_t is None else gate_curvatures(F, self_t, grad_output, self, dim)))


def halves(F, x, dim):
    n = x.shape[dim]
    return F.slice_dim(x, dim, 0, n // 2, 1), F.slice_dim(x, dim, n // 2, n, 1)


def gated(F, t, x, dim):
    """What becomes of the change t of x = (a, b): t_a s + t_b a s (1 - s), s = sigmoid(b)."""
    (a, b), (a_t, b_t) = halves(F, x, dim), halves(F, t, dim)
    s = F.sigmoid(b)
    return a_t * s + a * s * (1 - s) * b_t


def gate_curvatures(F, t, g, x, dim):
    """The second derivatives of a s, s = sigmoid(b), times g and the change t of x = (a, b)."""
    (a, b), (a_t, b_t) = halves(F, x, dim), halves(F, t, dim)
    s = F.sigmoid(b)
    slope = g * s * (1 - s)
    return F.cat([slope * b_t, slope * (a_t + a * (1 - 2 * s) * b_t)], dim)
