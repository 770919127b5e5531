"""GeneralizedPareto."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["GeneralizedPareto"]


class GeneralizedPareto(Distribution):
    """The excess over a high threshold: `P(X > x) = (1 + k z)^(-1/k)`, `z = (x - loc) / scale`.

    k is `concentration`; for k = 0 it is the exponential `exp(-z)`, and for k < 0 values end at
    `loc - scale / k` (Pickands, 1975).

    loc and concentration are any numbers, scale is positive; all broadcast. Samples are
    differentiable. The mean is nan for k from 1 on, the variance for k from 1/2 on.

    >>> import retrograd as torch
    >>> torch.distributions.GeneralizedPareto(0.0, 1.0, 0.5).mean
    tensor(2.)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive,
                       "concentration": constraints.real}
    has_rsample = True
    _parts = ("loc", "scale", "concentration")

    def __init__(self, loc, scale, concentration, validate_args=None):
        self.loc, self.scale, self.concentration = broadcast_all(loc, scale, concentration)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=False, event_dim=0)
    def support(self):
        end = torch.where(self.concentration < 0, self.loc - self.scale / self.concentration,
                          math.inf)
        return constraints.interval(self.loc, end)

    def _exponential(self):
        """Where k is 0 (or nearly), and k with those places set to 1."""
        k = self.concentration
        zero = torch.isclose(k, torch.zeros_like(k))
        return zero, torch.where(zero, torch.ones_like(k), k)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.loc.dtype, device=self.loc.device))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        exponential, k = self._exponential()
        power = 1 / k + torch.ones_like(z)
        other = torch.where(power == 0, power, power * torch.log1p(k * z))
        return -self.scale.log() - torch.where(exponential, z, other)

    def log_survival_function(self, value):
        """`log P(X > value)`."""
        if self._validate_args:
            self._validate_sample(value)
        z = self._z(value)
        exponential, k = self._exponential()
        return torch.where(exponential, -z, -torch.log1p(k * z) / k)

    def log_cdf(self, value):
        """`log P(X <= value)`."""
        return torch.log1p(-torch.exp(self.log_survival_function(value)))

    def cdf(self, value):
        return torch.exp(self.log_cdf(value))

    def icdf(self, value):
        exponential, k = self._exponential()
        log_survival = torch.log1p(-value)
        return torch.where(exponential, self.loc - self.scale * log_survival,
                           self.loc + self.scale / k * torch.expm1(-k * log_survival))

    def _z(self, x):
        return (x - self.loc) / self.scale

    @property
    def mean(self):
        finite = self.concentration < 1
        k = torch.where(finite, self.concentration, 0.5)
        return torch.where(finite, self.loc + self.scale / (1 - k), math.nan)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        finite = self.concentration < 0.5
        k = torch.where(finite, self.concentration, 0.25)
        return torch.where(finite, self.scale ** 2 / ((1 - k) ** 2 * (1 - 2 * k)), math.nan)

    def entropy(self):
        return torch.log(self.scale) + self.concentration + 1
