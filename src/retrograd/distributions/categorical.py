"""Categorical."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from .distribution import Distribution
from .utils import lazy_property, logits_to_probs, one_of_two, probs_to_logits

__all__ = ["Categorical"]


class Categorical(Distribution):
    """One of 0, ..., K - 1: `p(k) = probs_k`.

    Give probs, which are divided by their sum over the last dimension, or logits, from which their
    logsumexp is subtracted; ValueError for both, neither, or no dimension.

    Of shape (*, K) they give a batch of shape (*). Samples are int64, without a gradient; there is
    no mean (nan).

    >>> import retrograd as torch
    >>> d = torch.distributions.Categorical(torch.tensor([1., 1., 2.]))
    >>> d.log_prob(torch.tensor(2)).exp()
    tensor(0.5000)
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    has_enumerate_support = True
    _parts = ("probs", "logits", "_param", "_num_events")

    def __init__(self, probs=None, logits=None, validate_args=None):
        one_of_two(probs, logits)
        if probs is not None:
            if probs.dim() < 1:
                raise ValueError("`probs` parameter must be at least one-dimensional.")
            self.probs = self._param = probs / probs.sum(-1, keepdim=True)
        else:
            if logits.dim() < 1:
                raise ValueError("`logits` parameter must be at least one-dimensional.")
            self.logits = self._param = logits - logits.logsumexp(dim=-1, keepdim=True)
        self._num_events = self._param.size()[-1]
        super().__init__(self._param.size()[:-1], validate_args=validate_args)

    def _new(self, *args, **kwargs):
        return self._param.new(*args, **kwargs)

    @constraints.dependent_property(is_discrete=True, event_dim=0)
    def support(self):
        return constraints.integer_interval(0, self._num_events - 1)

    @lazy_property
    def logits(self):
        return probs_to_logits(self.probs)

    @lazy_property
    def probs(self):
        return logits_to_probs(self.logits)

    @property
    def param_shape(self):
        return self._param.size()

    @property
    def mean(self):
        return torch.full(self._extended_shape(), math.nan, dtype=self.probs.dtype,
                          device=self.probs.device)

    @property
    def mode(self):
        return self.probs.argmax(dim=-1)

    variance = mean

    def sample(self, sample_shape=()):
        sample_shape = torch.Size(sample_shape)
        rows = self.probs.reshape(-1, self._num_events)
        drawn = torch.multinomial(rows, sample_shape.numel(), True).T
        return drawn.reshape(self._extended_shape(sample_shape))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        value, logits = torch.broadcast_tensors(value.long().unsqueeze(-1), self.logits)
        return logits.gather(-1, value[..., :1]).squeeze(-1)

    def entropy(self):
        lowest = torch.finfo(self.logits.dtype).min         # so that 0 log 0 is 0
        return -(self.logits.clamp(min=lowest) * self.probs).sum(-1)

    def enumerate_support(self, expand=True):
        values = torch.arange(self._num_events, dtype=torch.long, device=self._param.device)
        values = values.view((-1,) + (1,) * len(self._batch_shape))
        return values.expand((-1, *self._batch_shape)) if expand else values
