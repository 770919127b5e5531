"""Cauchy."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Cauchy"]


class Cauchy(Distribution):
    """`p(x) = 1 / (pi scale (1 + ((x - loc) / scale)^2))`; it has no mean.

    loc (any number) and scale (positive) broadcast. Samples are differentiable in both. The mean
    and the variance are nan and inf; the entropy is log(4 pi scale).

    >>> import retrograd as torch
    >>> torch.distributions.Cauchy(0.0, 1.0).cdf(torch.tensor(1.0))
    tensor(0.7500)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _parts = ("loc", "scale")

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        super().__init__(self.loc.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.loc.new_full(self._extended_shape(), math.nan)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        return self.loc.new_full(self._extended_shape(), math.inf)

    def rsample(self, sample_shape=()):
        eps = self.loc.new_empty(self._extended_shape(sample_shape)).cauchy_()
        return self.loc + eps * self.scale

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return (-math.log(math.pi) - self.scale.log()
                - (((value - self.loc) / self.scale) ** 2).log1p())

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return torch.atan((value - self.loc) / self.scale) / math.pi + 0.5

    def icdf(self, value):
        return torch.tan(math.pi * (value - 0.5)) * self.scale + self.loc

    def entropy(self):
        return math.log(4 * math.pi) + self.scale.log()
