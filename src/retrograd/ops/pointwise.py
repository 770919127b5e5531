"""Elementwise operators: arithmetic, powers, exponentials, trigonometry, comparisons."""

from __future__ import annotations

import numpy as np

from . import samples as S
from .declare import F as T
from .declare import op
from .formulas import both, conj_number, or_zero, pow_gradient, scaled, tie_share
from .out import fill_checked
from .public import public

# --------------------------------------------------------------------------- arithmetic

op("add(self, other)", "AddBackward0", broadcasts=True, inplace=True, public=False,
    samples=S.pairs,
    self  = lambda F, g: g,
    other = lambda F, g: g,
    jvp   = lambda F, self, other, self_t, other_t: both(self_t, other_t))

op("add_scaled(self, other | alpha)", "AddBackward0", broadcasts=True, inplace=True, public=False,
    samples=S.with_consts(S.pairs, 2.5),
    self  = lambda F, g: g,
    other = lambda F, g, alpha: g * conj_number(alpha),
    jvp   = lambda F, self, other, self_t, other_t, alpha:
                both(self_t, scaled(other_t, alpha)))

op("sub(self, other)", "SubBackward0", broadcasts=True, inplace=True, public=False,
    samples=S.pairs,
    self  = lambda F, g: g,
    other = lambda F, g: -g,
    jvp   = lambda F, self, other, self_t, other_t: both(self_t, scaled(other_t, -1)))

op("sub_scaled(self, other | alpha)", "SubBackward0", broadcasts=True, inplace=True, public=False,
    samples=S.with_consts(S.pairs, 2.5),
    self  = lambda F, g: g,
    other = lambda F, g, alpha: g * -conj_number(alpha),
    jvp   = lambda F, self, other, self_t, other_t, alpha:
                both(self_t, scaled(other_t, -alpha)))

op("rsub(self, other)", "RsubBackward1", broadcasts=True, public=False, samples=S.pairs,
    self  = lambda F, g: -g,
    other = lambda F, g: g,
    jvp   = lambda F, self, other, self_t, other_t: both(other_t, scaled(self_t, -1)))

op("mul(self, other)", "MulBackward0", broadcasts=True, inplace=True, samples=S.pairs,
    self  = lambda F, g, other: g * F.conj(other),
    other = lambda F, g, self:  g * F.conj(self),
    jvp   = lambda F, self, other, self_t, other_t:
                both(scaled(self_t, other), scaled(other_t, self)))

op("div(self, other)", "DivBackward0", broadcasts=True, floats=True, inplace=True, public=False,
    samples=S.positive_pairs,
    self  = lambda F, g, other: g / F.conj(other),
    other = lambda F, g, self, other: -g * F.conj(self / other / other),
    jvp   = lambda F, self, other, self_t, other_t:
                both(scaled(self_t, 1 / other), scaled(other_t, -self / other / other)))

op("neg(self)", "NegBackward0", inplace=True, samples=S.singles,
    self = lambda F, g: -g,
    jvp  = "linear")

op("reciprocal(self)", "ReciprocalBackward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, result: -g * F.conj(result * result),
    jvp  = "elementwise")

op("square(self)", "PowBackward0", inplace=True, samples=S.singles,
    self = lambda F, g, self: g * 2 * F.conj(self),
    jvp  = "elementwise")

op("pow_scalar(self | exponent)", "PowBackward0", inplace=True, public=False,
    samples=lambda: [(a, p) for a, in S.positive() for p in (2, 3, 0.5, -1.5, 1, 0)],
    self = lambda F, g, self, exponent: pow_gradient(F, g, self, exponent),
    jvp  = "elementwise")

op("pow(self, other)", "PowBackward1", broadcasts=True, inplace=True, public=False,
    samples=S.positive_pairs,
    self  = lambda F, g, self, other:
                g * F.conj(other * F.pow(self, other - 1) * (other != 0)),
    other = lambda F, g, self, other, result:
                g * F.conj(F.where((self == 0) & (other >= 0), 0, result * F.log(self))),
    jvp   = lambda F, self, other, self_t, other_t:
                both(scaled(self_t, other * F.pow(self, other - 1)),
                       scaled(other_t, F.pow(self, other) * F.log(self))))

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

op("acosh(self)", "AcoshBackward0", floats=True, inplace=True, samples=S.above_one,
    self = lambda F, g, self: g * F.conj(F.rsqrt(self - 1) * F.rsqrt(self + 1)),
    jvp  = "elementwise")

op("atanh(self)", "AtanhBackward0", floats=True, inplace=True, samples=S.units,
    self = lambda F, g, self: g / F.conj(1 - self * self),
    jvp  = "elementwise")

op("atan2(self, other)", "Atan2Backward0", broadcasts=True, floats=True, inplace=True,
    samples=S.positive_pairs,
    self  = lambda F, g, self, other: g * other / (self * self + other * other),
    other = lambda F, g, self, other: g * -self / (self * self + other * other),
    jvp   = lambda F, self, other, self_t, other_t:
                both(scaled(self_t, other / (self * self + other * other)),
                       scaled(other_t, -self / (self * self + other * other))))

# --------------------------------------------------------------------------- squashing functions

op("sigmoid(self)", "SigmoidBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, result: F.sigmoid_backward(g, result),
    jvp  = "elementwise")

op("sigmoid_backward(grad_output, output)", "SigmoidBackwardBackward0", public=False,
    samples=lambda: [(a, 1 / (1 + np.exp(-b))) for a, b in S.pairs()[:1]],
    grad_output = lambda F, g, output: F.sigmoid_backward(g, output),
    output      = lambda F, g, grad_output, output: g * F.conj(grad_output * (1 - 2 * output)),
    jvp = lambda F, grad_output, output, grad_output_t, output_t:
              both(scaled(grad_output_t, output * (1 - output)),
                     scaled(output_t, grad_output * (1 - 2 * output))))

op("tanh(self)", "TanhBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, result: F.tanh_backward(g, result),
    jvp  = "elementwise")

op("tanh_backward(grad_output, output)", "TanhBackwardBackward0", public=False,
    samples=lambda: [(a, np.tanh(b)) for a, b in S.pairs()[:1]],
    grad_output = lambda F, g, output: F.tanh_backward(g, output),
    output      = lambda F, g, grad_output, output: g * F.conj(grad_output * -2 * output),
    jvp = lambda F, grad_output, output, grad_output_t, output_t:
              both(scaled(grad_output_t, 1 - output * output),
                     scaled(output_t, grad_output * -2 * output)))

op("relu(self)", "ReluBackward0", inplace=True, samples=S.singles,
    self = lambda F, g, result: F.threshold_backward(g, result, 0),
    jvp  = "elementwise")

op("threshold_backward(grad_output, self | threshold)", "ThresholdBackwardBackward0", public=False,
    samples=S.with_consts(lambda: S.pairs()[:1], 0),
    grad_output = lambda F, g, self, threshold: F.threshold_backward(g, self, threshold),
    jvp = lambda F, grad_output, self, grad_output_t, self_t, threshold:
              scaled(grad_output_t, self > threshold))

# --------------------------------------------------------------------------- signs and kinks

op("abs(self)", "AbsBackward0", inplace=True, samples=S.singles,
    self = lambda F, g, self: g * F.sgn(self),
    jvp  = lambda F, self, self_t: F.real(self_t * F.conj(F.sgn(self))))

op("sign(self)", "SignBackward0", inplace=True, samples=S.singles,
    self = lambda F, g: F.zeros_like(g),
    jvp  = "elementwise")

op("sgn(self)", "SgnBackward0", inplace=True, samples=S.singles,
    self = lambda F, g: F.zeros_like(g),
    jvp  = "elementwise")

for _name, _grad_fn in (("floor", "FloorBackward0"), ("ceil", "CeilBackward0"),
                        ("trunc", "TruncBackward0")):
    op(f"{_name}(self)", _grad_fn, inplace=True, samples=S.singles,
       self = lambda F, g: F.zeros_like(g),
       jvp  = "elementwise")

op("maximum(self, other)", "MaximumBackward0", broadcasts=True, samples=S.pairs,
    self  = lambda F, g, self, other: tie_share(F, g, self, other, self > other),
    other = lambda F, g, self, other: tie_share(F, g, self, other, other > self),
    jvp   = lambda F, self, other, self_t, other_t:
                both(tie_share(F, self_t, self, other, self > other),
                       tie_share(F, other_t, self, other, other > self)))

op("minimum(self, other)", "MinimumBackward0", broadcasts=True, samples=S.pairs,
    self  = lambda F, g, self, other: tie_share(F, g, self, other, self < other),
    other = lambda F, g, self, other: tie_share(F, g, self, other, other < self),
    jvp   = lambda F, self, other, self_t, other_t:
                both(tie_share(F, self_t, self, other, self < other),
                       tie_share(F, other_t, self, other, other < self)))

op("where(condition, self, other)", "WhereBackward0", broadcasts=True, masks=("condition",),
    public=False,
    samples=lambda: [(a > 0, b, c) for a, b, c in S.triples()],
    self  = lambda F, g, condition: F.where(condition, g, 0),
    other = lambda F, g, condition: F.where(condition, 0, g),
    jvp   = lambda F, condition, self, other, condition_t, self_t, other_t:
                F.where(condition, or_zero(self_t, other_t), or_zero(other_t, self_t)))

# --------------------------------------------------------------------------- complex numbers

op("conj(self)", "ConjBackward0", public=False, samples=S.singles,
    self = lambda F, g: F.conj(g),
    jvp  = "linear")

# --------------------------------------------------------------------------- without a gradient

for _name in ("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_xor"):
    op(f"{_name}(self, other)", broadcasts=True, samples=S.pairs)
for _name in ("isnan", "isfinite", "isinf", "logical_not"):
    op(f"{_name}(self)", samples=S.singles)


# --------------------------------------------------------------------------- public functions

@public
def add(input, other, *, alpha=1, out=None):
    """input + alpha * other, broadcast; dtypes promote.

    >>> import retrograd as torch
    >>> torch.add(torch.tensor([1., 2.]), 10, alpha=2)
    tensor([21., 22.])
    """
    res = T.add(input, other) if alpha == 1 else T.add_scaled(input, other, alpha)
    return res if out is None else fill_checked("add", out, res)


@public
def sub(input, other, *, alpha=1, out=None):
    """input - alpha * other, broadcast; dtypes promote."""
    res = T.sub(input, other) if alpha == 1 else T.sub_scaled(input, other, alpha)
    return res if out is None else fill_checked("sub", out, res)
