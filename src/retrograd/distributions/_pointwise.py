"""Transforms of single numbers."""

from __future__ import annotations

import math

import retrograd as torch

from ..nn.functional import softplus
from . import constraints
from ._transform import Plain, Transform
from .utils import broadcast_all, lazy_property

__all__ = [
    "AbsTransform", "AffineTransform", "CumulativeDistributionTransform", "ExpTransform",
    "PowerTransform", "SigmoidTransform", "SoftplusTransform", "TanhTransform", "clipped_sigmoid",
]


class ExpTransform(Plain):
    """`y = exp(x)`; `log dy/dx = x`.

    All real numbers to the positive ones.

    >>> import retrograd as torch
    >>> torch.distributions.ExpTransform()(torch.tensor([0.0]))
    tensor([1.])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x):
        return x.exp()

    def _inverse(self, y):
        return y.log()

    def log_abs_det_jacobian(self, x, y):
        return x


class PowerTransform(Transform):
    """`y = x ** exponent`; `dy/dx = exponent y / x`.

    Positive numbers to positive ones; exponent is a number or a tensor.

    >>> import retrograd as torch
    >>> torch.distributions.PowerTransform(torch.tensor(2.0))(torch.tensor([3.0]))
    tensor([9.])
    """

    domain = constraints.positive
    codomain = constraints.positive
    bijective = True
    _args = ("exponent",)

    def __init__(self, exponent, cache_size=0):
        super().__init__(cache_size=cache_size)
        (self.exponent,) = broadcast_all(exponent)

    @lazy_property
    def sign(self):
        return self.exponent.sign()

    def __eq__(self, other):
        return (isinstance(other, PowerTransform)
                and bool(self.exponent.eq(other.exponent).all()))

    def _call(self, x):
        return x.pow(self.exponent)

    def _inverse(self, y):
        return y.pow(1 / self.exponent)

    def log_abs_det_jacobian(self, x, y):
        return (self.exponent * y / x).abs().log()

    def forward_shape(self, shape):
        return torch.broadcast_shapes(shape, self.exponent.shape)

    inverse_shape = forward_shape


def clipped(p):
    """p kept off 0 and 1 by the least that its dtype can represent."""
    finfo = torch.finfo(p.dtype)
    return p.clamp(min=finfo.tiny, max=1.0 - finfo.eps)


def clipped_sigmoid(x):
    """sigmoid(x), never 0 or 1."""
    return clipped(torch.sigmoid(x))


class SigmoidTransform(Plain):
    """`y = 1 / (1 + exp(-x))`; `dy/dx = sigmoid(x) sigmoid(-x)`.

    All real numbers to those between 0 and 1; `inv` is the logit.

    >>> import retrograd as torch
    >>> torch.distributions.SigmoidTransform()(torch.tensor([0.0]))
    tensor([0.5000])
    """

    domain = constraints.real
    codomain = constraints.unit_interval
    bijective = True
    sign = +1

    def _call(self, x):
        return clipped_sigmoid(x)

    def _inverse(self, y):
        y = clipped(y)
        return y.log() - (-y).log1p()

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x) - softplus(x)


class SoftplusTransform(Plain):
    """`y = log(1 + exp(x))`; `dy/dx = sigmoid(x)`.

    All real numbers to the positive ones; y is x where x exceeds 20.

    >>> import retrograd as torch
    >>> torch.distributions.SoftplusTransform()(torch.tensor([0.0]))
    tensor([0.6931])
    """

    domain = constraints.real
    codomain = constraints.positive
    bijective = True
    sign = +1

    def _call(self, x):
        return softplus(x)

    def _inverse(self, y):
        return (-y).expm1().neg().log() + y

    def log_abs_det_jacobian(self, x, y):
        return -softplus(-x)


class TanhTransform(Plain):
    """`y = tanh(x)`; `dy/dx = 4 / (exp(x) + exp(-x))^2`.

    To go back and forth without losing digits near 1 and -1, use a cache.

    All real numbers to those between -1 and 1.

    >>> import retrograd as torch
    >>> torch.distributions.TanhTransform().inv(torch.tensor([0.0]))
    tensor([0.])
    """

    domain = constraints.real
    codomain = constraints.interval(-1.0, 1.0)
    bijective = True
    sign = +1

    def _call(self, x):
        return x.tanh()

    def _inverse(self, y):
        return torch.atanh(y)

    def log_abs_det_jacobian(self, x, y):
        return 2.0 * (math.log(2.0) - x - softplus(-2.0 * x))


class AbsTransform(Plain):
    """`y = |x|`; the inverse returns the nonnegative x.

    It has no Jacobian, as two x give the same y.

    >>> import retrograd as torch
    >>> torch.distributions.AbsTransform()(torch.tensor([-2.0]))
    tensor([2.])
    """

    domain = constraints.real
    codomain = constraints.positive

    def _call(self, x):
        return x.abs()

    def _inverse(self, y):
        return y


def _same(a, b):
    """Whether two numbers or tensors are equal everywhere."""
    equal = a == b
    return equal if isinstance(equal, bool) else bool(equal.all())


class AffineTransform(Transform):
    """`y = loc + scale x`; `|dy/dx| = |scale|`.

    loc, scale      numbers or tensors
    event_dim       how many of the last dimensions make one value

    >>> import retrograd as torch
    >>> torch.distributions.AffineTransform(1.0, 2.0)(torch.tensor([3.0]))
    tensor([7.])
    """

    bijective = True
    _args = ("loc", "scale", "event_dim")

    def __init__(self, loc, scale, event_dim=0, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.loc = loc
        self.scale = scale
        self._event_dim = event_dim

    @property
    def event_dim(self):
        return self._event_dim

    @constraints.dependent_property(is_discrete=False)
    def domain(self):
        if self.event_dim == 0:
            return constraints.real
        return constraints.independent(constraints.real, self.event_dim)

    codomain = domain

    def __eq__(self, other):
        return (isinstance(other, AffineTransform) and _same(self.loc, other.loc)
                and _same(self.scale, other.scale))

    @property
    def sign(self):
        if isinstance(self.scale, (int, float)):
            return (self.scale > 0) - (self.scale < 0)
        return self.scale.sign()

    def _call(self, x):
        return self.loc + self.scale * x

    def _inverse(self, y):
        return (y - self.loc) / self.scale

    def log_abs_det_jacobian(self, x, y):
        if isinstance(self.scale, (int, float)):
            result = torch.full_like(x, math.log(abs(self.scale)))
        else:
            result = torch.abs(self.scale).log()
        shape = x.shape
        if self.event_dim:
            result = result.view((*result.shape[:-self.event_dim], -1)).sum(-1)
            shape = shape[:-self.event_dim]
        return result.expand(shape)

    def forward_shape(self, shape):
        return torch.broadcast_shapes(shape, getattr(self.loc, "shape", ()),
                                      getattr(self.scale, "shape", ()))

    inverse_shape = forward_shape


class CumulativeDistributionTransform(Transform):
    """`y = distribution.cdf(x)`: its values, made uniform; dy/dx is the density.

    x has values of the distribution, y lies between 0 and 1; `inv` is the distribution's icdf. A
    Gaussian copula is one of these of a Normal, and the inverse of another.

    >>> import retrograd as torch
    >>> normal = torch.distributions.Normal(0.0, 1.0)
    >>> torch.distributions.CumulativeDistributionTransform(normal)(torch.tensor([0.0]))
    tensor([0.5000])
    """

    bijective = True
    codomain = constraints.unit_interval
    sign = +1
    _args = ("distribution",)

    def __init__(self, distribution, cache_size=0):
        super().__init__(cache_size=cache_size)
        self.distribution = distribution

    @property
    def domain(self):
        return self.distribution.support

    def _call(self, x):
        return self.distribution.cdf(x)

    def _inverse(self, y):
        return self.distribution.icdf(y)

    def log_abs_det_jacobian(self, x, y):
        return self.distribution.log_prob(x)
