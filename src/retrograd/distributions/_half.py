"""Half: the distribution of |x| for an x that is symmetric around 0."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from ._pointwise import AbsTransform
from .transformed_distribution import TransformedDistribution


class Half(TransformedDistribution):
    """`p(x) = 2 q(x)` for x >= 0, where q is the density of `whole(0, scale)`."""

    arg_constraints = {"scale": constraints.positive}
    support = constraints.nonnegative
    has_rsample = True
    _parts = ()
    whole: type

    def __init__(self, scale, validate_args=None):
        super().__init__(self.whole(0, scale, validate_args=False), AbsTransform(),
                         validate_args=validate_args)

    @property
    def scale(self):
        return self.base_dist.scale

    @property
    def mode(self):
        return torch.zeros_like(self.scale)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return 2 * self.base_dist.cdf(value) - 1

    def icdf(self, prob):
        return self.base_dist.icdf((prob + 1) / 2)

    def entropy(self):
        return self.base_dist.entropy() - math.log(2)
