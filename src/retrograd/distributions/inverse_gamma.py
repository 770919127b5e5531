"""InverseGamma."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from ._pointwise import PowerTransform
from .gamma import Gamma
from .transformed_distribution import TransformedDistribution

__all__ = ["InverseGamma"]


class InverseGamma(TransformedDistribution):
    """`1 / x` for x of `Gamma(concentration, rate)`.

    `p(y) = rate^a y^(-a - 1) exp(-rate / y) / Gamma(a)` with a = concentration.

    Both are positive, and broadcast. The mean, rate / (a - 1), is infinite for a up to 1, the
    variance for a up to 2. Samples differentiate implicitly.

    >>> import retrograd as torch
    >>> torch.distributions.InverseGamma(3.0, 1.0).mean
    tensor(0.5000)
    """

    arg_constraints = {"concentration": constraints.positive, "rate": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _parts = ()

    def __init__(self, concentration, rate, validate_args=None):
        base = Gamma(concentration, rate, validate_args=validate_args)
        super().__init__(base, PowerTransform(-base.rate.new_ones(())),
                         validate_args=validate_args)

    @property
    def concentration(self):
        return self.base_dist.concentration

    @property
    def rate(self):
        return self.base_dist.rate

    @property
    def mean(self):
        a = self.concentration
        return torch.where(a > 1, self.rate / (a - 1), math.inf)

    @property
    def mode(self):
        return self.rate / (self.concentration + 1)

    @property
    def variance(self):
        a = self.concentration
        return torch.where(a > 2, self.rate.square() / ((a - 1).square() * (a - 2)), math.inf)

    def entropy(self):
        a = self.concentration
        return a + self.rate.log() + a.lgamma() - (1 + a) * a.digamma()
