"""Multinomial."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from .binomial import Binomial
from .categorical import Categorical
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["Multinomial"]


class Multinomial(Distribution):
    """How often each of K outcomes occurs in n trials: `p(x) = n! prod probs_k^x_k / x_k!`.

    n is `total_count`, one int (else NotImplementedError). log_prob takes n from the value. Give
    probs or logits.

    probs (or logits) of shape (*, K) give a batch of shape (*) and values of shape (K,). Samples
    are whole floats, without a gradient; the mean is n probs.

    >>> import retrograd as torch
    >>> d = torch.distributions.Multinomial(2, torch.tensor([0.5, 0.5]))
    >>> d.log_prob(torch.tensor([1., 1.])).exp()
    tensor(0.5000)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    total_count: int
    _parts = ("total_count", "_categorical", "_binomial")

    def __init__(self, total_count=1, probs=None, logits=None, validate_args=None):
        if not isinstance(total_count, int):
            raise NotImplementedError("inhomogeneous total_count is not supported")
        self.total_count = total_count
        self._categorical = Categorical(probs=probs, logits=logits)
        self._binomial = Binomial(total_count=total_count, probs=self.probs)
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:],
                         validate_args=validate_args)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=1)
    def support(self):
        return constraints.multinomial(self.total_count)

    @property
    def logits(self):
        return self._categorical.logits

    @property
    def probs(self):
        return self._categorical.probs

    @property
    def param_shape(self):
        return self._categorical.param_shape

    @property
    def mean(self):
        return self.probs * self.total_count

    @property
    def variance(self):
        return self.total_count * self.probs * (1 - self.probs)

    def sample(self, sample_shape=()):
        sample_shape = torch.Size(sample_shape)
        drawn = self._categorical.sample(torch.Size((self.total_count,)) + sample_shape)
        drawn = drawn.movedim(0, -1)                                        # (..., n)
        counts = drawn.new_zeros(self._extended_shape(sample_shape))        # (..., K)
        counts.scatter_add_(-1, drawn, torch.ones_like(drawn))
        return counts.type_as(self.probs)

    def entropy(self):
        # each x_k is binomial: H = n H(probs) - log n! + sum_k E log x_k!
        n = torch.tensor(self.total_count)
        support = self._binomial.enumerate_support(expand=False)[1:]
        probs = torch.exp(self._binomial.log_prob(support))
        return (n * self._categorical.entropy() - torch.lgamma(n + 1)
                + (probs * torch.lgamma(support + 1)).sum([0, -1]))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        logits = logits.masked_fill((value == 0) & (logits == -math.inf), 0)    # 0 log 0 is 0
        return (torch.lgamma(value.sum(-1) + 1) - torch.lgamma(value + 1).sum(-1)
                + (logits * value).sum(-1))
