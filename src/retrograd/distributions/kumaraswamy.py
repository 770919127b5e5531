"""Kumaraswamy."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from ._pointwise import AffineTransform, PowerTransform
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Kumaraswamy"]


class Kumaraswamy(TransformedDistribution):
    """`P(X <= x) = 1 - (1 - x^a)^b`, close to Beta(a, b) and simpler (Kumaraswamy, 1980).

    a is `concentration1`, b `concentration0`.

    Both are positive, and broadcast; values lie between 0 and 1. Samples are differentiable in
    both.

    >>> import retrograd as torch
    >>> torch.distributions.Kumaraswamy(1.0, 1.0).cdf(torch.tensor(0.25))
    tensor(0.2500)
    """

    arg_constraints = {"concentration1": constraints.positive,
                       "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    _parts = ("concentration1", "concentration0")

    def __init__(self, concentration1, concentration0, validate_args=None):
        self.concentration1, self.concentration0 = broadcast_all(concentration1, concentration0)
        base = Uniform(torch.full_like(self.concentration0, 0),
                       torch.full_like(self.concentration0, 1), validate_args=validate_args)
        transforms = [PowerTransform(exponent=self.concentration0.reciprocal()),
                      AffineTransform(loc=1.0, scale=-1.0),
                      PowerTransform(exponent=self.concentration1.reciprocal())]
        super().__init__(base, transforms, validate_args=validate_args)

    def _moment(self, n):
        """`E x^n = b B(1 + n / a, b)`."""
        b, x = self.concentration0, 1 + n / self.concentration1
        return b * torch.exp(torch.lgamma(x) + torch.lgamma(b) - torch.lgamma(x + b))

    @property
    def mean(self):
        return self._moment(1)

    @property
    def mode(self):
        a, b = self.concentration1, self.concentration0
        log_mode = b.reciprocal() * (-b).log1p() - (-b * a).log1p()
        return log_mode.masked_fill((b < 1) | (a < 1), math.nan).exp()

    @property
    def variance(self):
        return self._moment(2) - self.mean.pow(2)

    def entropy(self):
        a, b = self.concentration1, self.concentration0
        harmonic = torch.digamma(b + 1) + euler_constant
        return ((1 - b.reciprocal()) + (1 - a.reciprocal()) * harmonic - torch.log(a)
                - torch.log(b))
