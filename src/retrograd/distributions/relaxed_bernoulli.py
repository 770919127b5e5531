"""RelaxedBernoulli, and its logits."""

from __future__ import annotations

import retrograd as torch

from . import constraints
from ._pointwise import SigmoidTransform
from .distribution import Distribution
from .transformed_distribution import TransformedDistribution
from .utils import OfRelaxedBase, ProbsOrLogits, broadcast_all, clamp_probs

__all__ = ["LogitRelaxedBernoulli", "RelaxedBernoulli"]


class LogitRelaxedBernoulli(ProbsOrLogits, Distribution):
    """`(logits + log(u / (1 - u))) / temperature` for uniform u.

    The logit of a RelaxedBernoulli number (Maddison, Mnih and Teh, 2017).
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.real
    _parts = ("probs", "logits", "_param", "temperature")
    _shared = ("temperature",)

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self.temperature = temperature
        self._take(probs, logits)
        super().__init__(self._param.size(), validate_args=validate_args)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        p = clamp_probs(self.probs.expand(shape))
        u = clamp_probs(torch.rand(shape, dtype=p.dtype, device=p.device))
        return (u.log() - (-u).log1p() + p.log() - (-p).log1p()) / self.temperature

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        logits, value = broadcast_all(self.logits, value)
        diff = logits - value.mul(self.temperature)
        return self.temperature.log() + diff - 2 * diff.exp().log1p()


class RelaxedBernoulli(OfRelaxedBase, TransformedDistribution):
    """Numbers between 0 and 1 that become Bernoulli's 0 or 1 as `temperature` goes to 0.

    Samples are differentiable in probs (or logits): the binary Concrete distribution of Maddison,
    Mnih and Teh (2017), the Gumbel softmax of Jang, Gu and Poole (2017) for two outcomes.

    temperature is a positive tensor. Give probs or logits; ValueError for both or neither.

    >>> import retrograd as torch
    >>> d = torch.distributions.RelaxedBernoulli(torch.tensor(0.5), torch.tensor([0.1, 0.9]))
    >>> d.rsample().shape
    torch.Size([2])
    """

    arg_constraints = {"probs": constraints.unit_interval, "logits": constraints.real}
    support = constraints.unit_interval
    has_rsample = True
    _parts = ()

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        super().__init__(LogitRelaxedBernoulli(temperature, probs, logits), SigmoidTransform(),
                         validate_args=validate_args)
