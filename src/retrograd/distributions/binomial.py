"""Binomial."""

from __future__ import annotations

import retrograd as torch

from . import constraints
from .distribution import Distribution
from .utils import ProbsOrLogits

__all__ = ["Binomial"]


def _clamp_by_zero(x):
    """max(x, 0), with the gradient 1/2 at 0."""
    return (x.clamp(min=0) + x - x.clamp(max=0)) / 2


class Binomial(ProbsOrLogits, Distribution):
    """How many of n trials succeed: `p(k) = n! / (k! (n - k)!) probs^k (1 - probs)^(n - k)`.

    n is `total_count`. Give probs, or logits = log(probs / (1 - probs)); ValueError for both or
    neither. Its values can be listed, and the entropy summed, only where n is the same throughout
    the batch (else NotImplementedError).

    total_count and probs (0 to 1), or logits, broadcast. Samples are whole floats, without a
    gradient; the mean is n probs, the variance n probs (1 - probs).

    >>> import retrograd as torch
    >>> torch.distributions.Binomial(2, torch.tensor(0.5)).log_prob(torch.tensor(1.)).exp()
    tensor(0.5000)
    """

    arg_constraints = {"total_count": constraints.nonnegative_integer,
                       "probs": constraints.unit_interval, "logits": constraints.real}
    has_enumerate_support = True
    _parts = ("total_count", "probs", "logits", "_param")

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        (self.total_count,) = self._take(probs, logits, total_count)
        super().__init__(self._param.size(), validate_args=validate_args)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self.total_count)

    @property
    def mean(self):
        return self.total_count * self.probs

    @property
    def mode(self):
        return ((self.total_count + 1) * self.probs).floor().clamp(max=self.total_count)

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        with torch.no_grad():
            return torch.binomial(self.total_count.expand(shape), self.probs.expand(shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        n, logits = self.total_count, self.logits
        # n log(1 + exp(logits)), which is -n log(1 - probs), so that exp cannot overflow
        softplus = n * _clamp_by_zero(logits) + n * torch.log1p(torch.exp(-torch.abs(logits)))
        return (value * logits - torch.lgamma(value + 1) - torch.lgamma(n - value + 1)
                - (softplus - torch.lgamma(n + 1)))

    def _common_count(self, what):
        most = int(self.total_count.max())
        if self.total_count.min() != most:
            raise NotImplementedError(f"Inhomogeneous total count not supported by `{what}`.")
        return most

    def entropy(self):
        self._common_count("entropy")
        log_prob = self.log_prob(self.enumerate_support(False))
        return -(torch.exp(log_prob) * log_prob).sum(0)

    def enumerate_support(self, expand=True):
        count = self._common_count("enumerate_support")
        values = torch.arange(1 + count, dtype=self._param.dtype, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values
