"""HalfCauchy."""

from __future__ import annotations

import math

import retrograd as torch

from ._half import Half
from .cauchy import Cauchy

__all__ = ["HalfCauchy"]


class HalfCauchy(Half):
    """`p(x) = 2 / (pi scale (1 + (x / scale)^2))`: the absolute value of a Cauchy number.

    scale is positive, values are not negative. The mean and the variance are infinite. Samples are
    differentiable in scale.

    >>> import retrograd as torch
    >>> torch.distributions.HalfCauchy(1.0).cdf(torch.tensor(1.0))
    tensor(0.5000)
    """

    whole = Cauchy

    @property
    def mean(self):
        return self.scale.new_full(self._extended_shape(), math.inf)

    @property
    def variance(self):
        return self.base_dist.variance

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value = torch.as_tensor(value, dtype=self.scale.dtype, device=self.scale.device)
        return torch.where(value >= 0, self.base_dist.log_prob(value) + math.log(2), -math.inf)
