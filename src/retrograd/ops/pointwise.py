"""Elementwise functions of one operand: exponentials, trigonometry, squashing, signs, rounding."""

from __future__ import annotations

import math

import numpy as np

from .._callers import written
from . import samples as S
from .declare import F as T
from .declare import composite, op
from .formulas import both, conjugated, floated, pow_gradient, scaled
from .out import fill_checked
from .public import alias, method, public

# --------------------------------------------------------------------------- exponentials, roots

op("exp(self)", "ExpBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, result: g * F.conj(result),
    jvp  = "elementwise")

op("exp2(self)", "Exp2Backward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, result: g * F.conj(result) * 0.6931471805599453,
    jvp  = "elementwise")

op("expm1(self)", "Expm1Backward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, result: g * F.conj(result + 1),
    jvp  = "elementwise")

op("log(self)", "LogBackward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, self: g / F.conj(self),
    jvp  = "elementwise")

op("log2(self)", "Log2Backward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, self: g / (F.conj(self) * 0.6931471805599453),
    jvp  = "elementwise")

op("log10(self)", "Log10Backward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, self: g / (F.conj(self) * 2.302585092994046),
    jvp  = "elementwise")

op("log1p(self)", "Log1PBackward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, self: g / F.conj(self + 1),
    jvp  = "elementwise")

op("square(self)", "PowBackward0", inplace=True, samples=S.singles,
    self = lambda F, g, self: pow_gradient(F, g, self, 2),
    jvp  = "elementwise")

op("sqrt(self)", "SqrtBackward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, result: g / F.conj(2 * result),
    jvp  = "elementwise")

op("rsqrt(self)", "RsqrtBackward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, result: -0.5 * g * F.conj(result * result * result),
    jvp  = "elementwise")

# --------------------------------------------------------------------------- trigonometry

op("sin(self)", "SinBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, self: g * F.conj(F.cos(self)),
    jvp  = "elementwise")

op("cos(self)", "CosBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, self: g * -F.conj(F.sin(self)),
    jvp  = "elementwise")

op("tan(self)", "TanBackward0", floats=True, inplace=True, samples=S.units,
    self = lambda F, g, result: g * F.conj(1 + result * result),
    jvp  = "elementwise")

op("asin(self)", "AsinBackward0", floats=True, inplace=True, samples=S.units,
    self = lambda F, g, self: g * F.conj(F.rsqrt(1 - self * self)),
    jvp  = "elementwise")

op("acos(self)", "AcosBackward0", floats=True, inplace=True, samples=S.units,
    self = lambda F, g, self: g * -F.conj(F.rsqrt(1 - self * self)),
    jvp  = "elementwise")

op("atan(self)", "AtanBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, self: g / F.conj(self * self + 1),
    jvp  = "elementwise")

op("sinh(self)", "SinhBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, self: g * F.conj(F.cosh(self)),
    jvp  = "elementwise")

op("cosh(self)", "CoshBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, self: g * F.conj(F.sinh(self)),
    jvp  = "elementwise")

op("asinh(self)", "AsinhBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, self: g * F.conj(F.rsqrt(self * self + 1)),
    jvp  = "elementwise")

# + 0.0 makes 0.0 of -0.0, so that the derivative of acosh at -1 is inf, as in PyTorch, not -inf.
op("acosh(self)", "AcoshBackward0", floats=True, inplace=True, samples=S.above_one,
    self = lambda F, g, self: g * (F.conj(F.rsqrt(self - 1) * F.rsqrt(self + 1))
                                   if F.is_complex(self) else
                                   F.rsqrt((self - 1) * (self + 1) + 0.0)),
    jvp  = "elementwise")

op("atanh(self)", "AtanhBackward0", floats=True, inplace=True, samples=S.units,
    self = lambda F, g, self: g / F.conj(1 - self * self),
    jvp  = "elementwise")

op("atan2(self, other)", "Atan2Backward0", broadcasts=True, floats=True, inplace=True,
    samples=S.positive_pairs,
    self  = lambda F, g, self, other: g * other * angle_scale(F, self, other, g),
    other = lambda F, g, self, other: -g * self * angle_scale(F, self, other, g),
    jvp   = lambda F, self, other, self_t, other_t:
                both(scaled(self_t, other * angle_scale(F, self, other, self_t, other_t)),
                     scaled(other_t, -(self * angle_scale(F, self, other, self_t, other_t)))))


def angle_scale(F, x, y, *like):
    """1 / (x^2 + y^2), and 0 at the origin, where atan2 has no derivative."""
    return F.inverse_square(floated(F, x, *like), floated(F, y, *like))


@composite
def inverse_square(x, y):
    """1 / (x^2 + y^2) of Tensors, and 0 where that is infinite."""
    inverse = T.reciprocal(x * x + y * y)
    return T.masked_fill(inverse, inverse == math.inf, 0)


# --------------------------------------------------------------------------- squashing functions

op("sigmoid(self)", "SigmoidBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, result: F.sigmoid_backward(g, result),
    jvp  = "elementwise")

op("sigmoid_backward(grad_output, output)", "SigmoidBackwardBackward0", public=False,
    samples=lambda: [(a, 1 / (1 + np.exp(-b))) for a, b in S.pairs()[:1]],
    grad_output = lambda F, g, output: F.sigmoid_backward(g, F.conj(output)),
    output      = lambda F, g, grad_output, output:
                      F.conj(g) * grad_output * F.conj(1 - 2 * output),
    jvp = lambda F, grad_output, output, grad_output_t, output_t:
              both(scaled(grad_output_t, F.conj(output * (1 - output))),
                   scaled(conjugated(F, output_t), grad_output * F.conj(1 - 2 * output))))

op("tanh(self)", "TanhBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, result: F.tanh_backward(g, result),
    jvp  = "elementwise")

op("tanh_backward(grad_output, output)", "TanhBackwardBackward0", public=False,
    samples=lambda: [(a, np.tanh(b)) for a, b in S.pairs()[:1]],
    grad_output = lambda F, g, output: F.tanh_backward(g, F.conj(output)),
    output      = lambda F, g, grad_output, output: F.conj(g) * grad_output * F.conj(-2 * output),
    jvp = lambda F, grad_output, output, grad_output_t, output_t:
              both(scaled(grad_output_t, F.conj(1 - output * output)),
                   scaled(conjugated(F, output_t), grad_output * F.conj(-2 * output))))

op("relu(self)", "ReluBackward0", inplace=True, samples=S.singles,
    self = lambda F, g, result: F.threshold_backward(g, result, 0),
    jvp  = "elementwise")

op("threshold_backward(grad_output, self | threshold)", "ThresholdBackwardBackward0", public=False,
    samples=S.with_consts(lambda: S.pairs()[:1], 0),
    grad_output = lambda F, g, self, threshold: F.threshold_backward(g, self, threshold),
    self        = lambda F, g: F.zeros_like(g),
    jvp = lambda F, grad_output, self, grad_output_t, self_t, threshold:
              scaled(grad_output_t, ~(self <= threshold)))

# --------------------------------------------------------------------------- signs and kinks

op("abs(self)", "AbsBackward0", inplace=True, samples=S.singles,
    self = lambda F, g, self: g * F.sgn(self),
    jvp  = lambda F, self, self_t: F.real(self_t * F.conj(F.sgn(self))))

op("sign(self)", "SignBackward0", inplace=True, samples=S.singles,
    self = lambda F, g: F.zeros_like(g),
    jvp  = "elementwise")

op("sgn(self)", "SgnBackward0", inplace=True, samples=S.singles,
    self = lambda F, g, self, result: sgn_gradient(F, g, self, result),
    jvp  = lambda F, self, self_t, result: sgn_gradient(F, self_t, self, result))

op("neg(self)", "NegBackward0", inplace=True, samples=S.singles,
    self = lambda F, g: -g,
    jvp  = "linear")

for _name, _grad_fn in (("floor", "FloorBackward0"), ("ceil", "CeilBackward0"),
                        ("trunc", "TruncBackward0")):
    op(f"{_name}(self)", _grad_fn, inplace=True, samples=S.singles,
       self = lambda F, g: F.zeros_like(g),
       jvp  = "elementwise")

op("round(self)", "RoundBackward0", inplace=True, public=False, samples=S.singles,
    self = lambda F, g: F.zeros_like(g),
    jvp  = "elementwise")

op("round_decimals(self | decimals)", "RoundBackward1", inplace=True, public=False,
    samples=S.with_consts(S.singles, 2),
    self = lambda F, g: F.zeros_like(g),
    jvp  = "elementwise")

op("frac(self)", "FracBackward0", inplace=True, samples=S.singles,
    self = lambda F, g: g,
    jvp  = "elementwise")

op("deg2rad(self)", "Deg2RadBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g: g * (math.pi / 180),
    jvp  = "elementwise")

op("rad2deg(self)", "Rad2DegBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g: g * (180 / math.pi),
    jvp  = "elementwise")

op("nan_to_num(self | nan=0.0, posinf=None, neginf=None)", "NanToNumBackward0", inplace=True,
    of_complex=False,
    samples=S.singles,
    self = lambda F, g, self: F.where(F.isfinite(self), g, 0),
    jvp  = "elementwise")

op("sinc(self)", "SincBackward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, self: g * F.conj(sinc_slope(F, self)),
    jvp  = "elementwise")

op("signbit(self)", samples=S.singles)
for _name in ("isnan", "isfinite", "isinf", "isposinf", "isneginf", "isreal"):
    op(f"{_name}(self)", samples=S.singles)


def sgn_gradient(F, g, x, sgn):
    """d(z / |z|) = (g - sgn * Re(g conj(sgn))) / |z|... halved twice; zero for real x and at 0."""
    if not F.is_complex(x):
        return F.zeros_like(g)
    along = F.real(g * F.conj(sgn))
    return F.where(x == 0, 0, (g - sgn * along) / F.abs(x))


def sinc_slope(F, x):
    """d(sin(pi x) / (pi x)), zero where x is tiny; at 0 the series, whose derivative is right."""
    angle = x * math.pi
    square = angle * x                         # 0 where x is tiny
    slope = (F.cos(angle) * angle - F.sin(angle)) / F.where(square == 0, 1, square)
    return F.where(square == 0, 0 - x * (x == 0) * (math.pi ** 2 / 3), slope)


# --------------------------------------------------------------------------- public functions

@public
def round(input, *, decimals=None, out=None):
    """The nearest integers, halves to even; or the nearest numbers with `decimals` digits.

    `decimals` counts the digits after the point. Negative `decimals` round to tens, hundreds and so
    on. The gradient is 0. Raises NotImplementedError for integers with `decimals`.

    >>> import retrograd as torch
    >>> torch.round(torch.tensor([0.5, 1.5, 2.4]))
    tensor([0., 2., 2.])
    """
    res = T.round(input) if decimals is None else T.round_decimals(input, decimals)
    return res if out is None else fill_checked("round", out, res, input)


@method
def abs_(self):
    """abs in place; RuntimeError for complex tensors.

    >>> import retrograd as torch
    >>> torch.tensor([-1., 2.]).abs_()
    tensor([1., 2.])
    """
    if self._data.dtype.kind == "c":
        raise RuntimeError("In-place abs is not supported for complex tensors.")
    return written(T.abs_(self), "abs_")


@method
def round_(self, *, decimals=None):
    """`round` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `round` raises, and RuntimeError where self cannot
    hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([1.26, -0.5]).round_(decimals=1)
    tensor([ 1.3000, -0.5000])
    """
    res = T.round_(self) if decimals is None else T.round_decimals_(self, decimals)
    return written(res, "round_")


@public
def positive(input):
    """The tensor itself; RuntimeError for bool tensors.

    >>> import retrograd as torch
    >>> torch.positive(torch.tensor([1., -2.]))
    tensor([ 1., -2.])
    """
    if input._data.dtype.kind == "b":
        raise RuntimeError("The `+` operator, on a bool tensor is not supported.")
    return input


method(positive, name="__pos__")

for _new, _old in (("absolute", "abs"), ("negative", "neg"), ("fix", "trunc"), ("arcsin", "asin"),
                   ("arccos", "acos"), ("arctan", "atan"), ("arcsinh", "asinh"),
                   ("arccosh", "acosh"), ("arctanh", "atanh"), ("arctan2", "atan2")):
    alias(_new, _old)
    alias(_new + "_", _old + "_")
