"""RelaxedOneHotCategorical, and its logarithm."""

from __future__ import annotations

import retrograd as torch

from . import constraints
from ._pointwise import ExpTransform
from .categorical import Categorical
from .distribution import Distribution
from .transformed_distribution import TransformedDistribution
from .utils import OfRelaxedBase, broadcast_all, clamp_probs

__all__ = ["ExpRelaxedCategorical", "RelaxedOneHotCategorical"]


class ExpRelaxedCategorical(Distribution):
    """`log_softmax((logits + g) / temperature)` for Gumbel noise g.

    The logarithm of a RelaxedOneHotCategorical vector (Maddison, Mnih and Teh, 2017).
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.real_vector
    has_rsample = True
    _parts = ("temperature", "_categorical")
    _shared = ("temperature",)

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        self._categorical = Categorical(probs, logits)
        self.temperature = temperature
        super().__init__(self._categorical.batch_shape, self._categorical.param_shape[-1:],
                         validate_args=validate_args)

    def _new(self, *args, **kwargs):
        return self._categorical._new(*args, **kwargs)

    @property
    def param_shape(self):
        return self._categorical.param_shape

    @property
    def logits(self):
        return self._categorical.logits

    @property
    def probs(self):
        return self._categorical.probs

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        u = torch.rand(shape, dtype=self.logits.dtype, device=self.logits.device)
        gumbels = -((-(clamp_probs(u).log())).log())
        scores = (self.logits + gumbels) / self.temperature
        return scores - scores.logsumexp(dim=-1, keepdim=True)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        k = self._categorical._num_events
        logits, value = broadcast_all(self.logits, value)
        log_scale = (torch.full_like(self.temperature, float(k)).lgamma()
                     - self.temperature.log().mul(-(k - 1)))
        score = logits - value.mul(self.temperature)
        return (score - score.logsumexp(dim=-1, keepdim=True)).sum(-1) + log_scale


class RelaxedOneHotCategorical(OfRelaxedBase, TransformedDistribution):
    """Vectors that add up to 1 and become one-hot as `temperature` goes to 0.

    Samples are differentiable in probs (or logits): the Concrete distribution of Maddison, Mnih and
    Teh (2017), the Gumbel softmax of Jang, Gu and Poole (2017).

    temperature is a positive tensor. probs (or logits) of shape (*, K) give values of shape (K,);
    ValueError for both or neither.

    >>> import retrograd as torch
    >>> d = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5), torch.ones(3))
    >>> torch.allclose(d.rsample().sum(), torch.tensor(1.))
    True
    """

    arg_constraints = {"probs": constraints.simplex, "logits": constraints.real_vector}
    support = constraints.simplex
    has_rsample = True
    _parts = ()

    def __init__(self, temperature, probs=None, logits=None, validate_args=None):
        base = ExpRelaxedCategorical(temperature, probs, logits, validate_args=validate_args)
        super().__init__(base, ExpTransform(), validate_args=validate_args)
