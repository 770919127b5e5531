"""ContinuousBernoulli."""

from __future__ import annotations

import math

import retrograd as torch

from ..nn.functional import binary_cross_entropy_with_logits
from . import constraints
from .exp_family import ExponentialFamily
from .utils import (
    ProbsOrLogits,
    broadcast_all,
    clamp_probs,
    lazy_property,
    logits_to_probs,
    one_of_two,
)

__all__ = ["ContinuousBernoulli"]


class ContinuousBernoulli(ProbsOrLogits, ExponentialFamily):
    """Numbers between 0 and 1: `p(x) = C(probs) probs^x (1 - probs)^(1 - x)`.

    `C = 2 atanh(1 - 2 probs) / (1 - 2 probs)`, 2 at 1/2, near which (within `lims`) C and what
    follows from it are computed by their Taylor series (Loaiza-Ganem and Cunningham, 2019).
    Give probs or logits; ValueError for both or neither.

    Samples are differentiable in probs (or logits): the inverse of the cdf, of uniform numbers.

    >>> import retrograd as torch
    >>> torch.distributions.ContinuousBernoulli(torch.tensor(0.5)).cdf(torch.tensor(0.25))
    tensor(0.2500)
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    _mean_carrier_measure = 0
    has_rsample = True
    _parts = ("probs", "logits", "_param", "_lims")

    def __init__(self, probs=None, logits=None, lims=(0.499, 0.501), validate_args=None):
        one_of_two(probs, logits)
        if probs is not None:
            (probs,) = broadcast_all(probs)
            if validate_args is not None and not constraints.unit_interval.check(probs).all():
                raise ValueError("The parameter probs has invalid values")
            probs = clamp_probs(probs)
        self._take(probs, logits)
        self._lims = lims
        super().__init__(self._param.size(), validate_args=validate_args)

    @lazy_property
    def probs(self):
        return clamp_probs(logits_to_probs(self.logits, is_binary=True))

    def _outside_unstable_region(self):
        return (self.probs <= self._lims[0]) | (self.probs > self._lims[1])

    def _cut_probs(self):
        """probs, or the lower limit for those too near to 1/2."""
        lowest = self._lims[0] * torch.ones_like(self.probs)
        return torch.where(self._outside_unstable_region(), self.probs, lowest)

    def _cont_bern_log_norm(self):
        """log C."""
        p = self._cut_probs()
        low = torch.where(p <= 0.5, p, torch.zeros_like(p))
        high = torch.where(p >= 0.5, p, torch.ones_like(p))
        exact = (torch.log(torch.abs(torch.log1p(-p) - torch.log(p)))
                 - torch.where(p <= 0.5, torch.log1p(-2.0 * low), torch.log(2.0 * high - 1.0)))
        x = (self.probs - 0.5).pow(2)
        taylor = math.log(2.0) + (4.0 / 3.0 + 104.0 / 45.0 * x) * x
        return torch.where(self._outside_unstable_region(), exact, taylor)

    @property
    def mean(self):
        p = self._cut_probs()
        exact = p / (2.0 * p - 1.0) + 1.0 / (torch.log1p(-p) - torch.log(p))
        x = self.probs - 0.5
        taylor = 0.5 + (1.0 / 3.0 + 16.0 / 45.0 * x.pow(2)) * x
        return torch.where(self._outside_unstable_region(), exact, taylor)

    @property
    def variance(self):
        p = self._cut_probs()
        exact = (p * (p - 1.0) / (1.0 - 2.0 * p).pow(2)
                 + 1.0 / (torch.log1p(-p) - torch.log(p)).pow(2))
        x = (self.probs - 0.5).pow(2)
        taylor = 1.0 / 12.0 - (1.0 / 15.0 - 128.0 / 945.0 * x) * x
        return torch.where(self._outside_unstable_region(), exact, taylor)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        return self.icdf(torch.rand(shape, dtype=self.probs.dtype, device=self.probs.device))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        return (-binary_cross_entropy_with_logits(logits, value, reduction="none")
                + self._cont_bern_log_norm())

    def cdf(self, value):
        if self._validate_args:
            self._validate_sample(value)
        p = self._cut_probs()
        exact = (p.pow(value) * (1.0 - p).pow(1.0 - value) + p - 1.0) / (2.0 * p - 1.0)
        inside = torch.where(self._outside_unstable_region(), exact, value)
        inside = torch.where(value >= 1.0, torch.ones_like(value), inside)
        return torch.where(value <= 0.0, torch.zeros_like(value), inside)

    def icdf(self, value):
        p = self._cut_probs()
        exact = ((torch.log1p(-p + value * (2.0 * p - 1.0)) - torch.log1p(-p))
                 / (torch.log(p) - torch.log1p(-p)))
        return torch.where(self._outside_unstable_region(), exact, value)

    def entropy(self):
        log_0, log_1 = torch.log1p(-self.probs), torch.log(self.probs)
        return self.mean * (log_0 - log_1) - self._cont_bern_log_norm() - log_0

    @property
    def _natural_params(self):
        return (self.logits,)

    def _log_normalizer(self, x):
        """`log((exp(x) - 1) / x)`."""
        stable = (x <= self._lims[0] - 0.5) | (x > self._lims[1] - 0.5)
        cut = torch.where(stable, x, (self._lims[0] - 0.5) * torch.ones_like(x))
        exact = torch.log(torch.abs(torch.special.expm1(cut))) - torch.log(torch.abs(cut))
        taylor = 0.5 * x + x.pow(2) / 24.0 - x.pow(4) / 2880.0
        return torch.where(stable, exact, taylor)
