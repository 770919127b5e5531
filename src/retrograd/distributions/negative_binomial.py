"""NegativeBinomial."""

from __future__ import annotations

import retrograd as torch

from ..nn.functional import logsigmoid
from . import constraints
from .distribution import Distribution
from .gamma import Gamma
from .utils import ProbsOrLogits, lazy_property

__all__ = ["NegativeBinomial"]


class NegativeBinomial(ProbsOrLogits, Distribution):
    """How many trials succeed before r of them fail, each with probability `probs`.

    `p(k) = Gamma(k + r) / (k! Gamma(r)) (1 - probs)^r probs^k`, r being `total_count`, which need
    not be whole. A sample is a Poisson number whose rate is a Gamma number. Give probs or logits;
    ValueError for both or neither.

    total_count and probs (0 to below 1), or logits, broadcast. Samples are whole floats, without a
    gradient; the mean is r probs / (1 - probs).

    >>> import retrograd as torch
    >>> torch.distributions.NegativeBinomial(3.0, torch.tensor(0.5)).mean
    tensor(3.)
    """

    arg_constraints = {"total_count": constraints.greater_than_eq(0),
                       "probs": constraints.half_open_interval(0.0, 1.0),
                       "logits": constraints.real}
    support = constraints.nonnegative_integer
    _parts = ("total_count", "probs", "logits", "_param")

    def __init__(self, total_count, probs=None, logits=None, validate_args=None):
        (self.total_count,) = self._take(probs, logits, total_count)
        super().__init__(self._param.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.total_count * torch.exp(self.logits)

    @property
    def mode(self):
        return ((self.total_count - 1) * self.logits.exp()).floor().clamp(min=0.0)

    @property
    def variance(self):
        return self.mean / torch.sigmoid(-self.logits)

    @lazy_property
    def _gamma(self):
        return Gamma(self.total_count, torch.exp(-self.logits), validate_args=False)

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return torch.poisson(self._gamma.sample(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        r = self.total_count
        powers = r * logsigmoid(-self.logits) + value * logsigmoid(self.logits)
        choices = -torch.lgamma(r + value) + torch.lgamma(1.0 + value) + torch.lgamma(r)
        return powers - choices.masked_fill(r + value == 0.0, 0.0)
