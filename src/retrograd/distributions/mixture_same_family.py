"""MixtureSameFamily."""

from __future__ import annotations

import retrograd as torch

from . import constraints
from .categorical import Categorical
from .distribution import Distribution

__all__ = ["MixtureSameFamily"]


class MixtureSameFamily(Distribution):
    """`p(x) = sum_k probs_k p_k(x)`.

    mixture_distribution is a Categorical of K, component_distribution a batch whose last dimension
    is K; ValueError if they do not fit together.

    The component's batch_shape is (*, K), the batch's (*). Samples have no gradient. The variance
    is that of the means plus the mean of the variances.

    >>> import retrograd as torch
    >>> from retrograd.distributions import Categorical, MixtureSameFamily, Normal
    >>> half = Categorical(torch.ones(2))
    >>> MixtureSameFamily(half, Normal(torch.tensor([-1., 3.]), torch.ones(2))).mean
    tensor(1.)
    """

    arg_constraints = {}
    has_rsample = False
    _parts = ("_mixture_distribution", "_component_distribution", "_num_component",
              "_event_ndims")

    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        if not isinstance(mixture_distribution, Categorical):
            raise ValueError(" The Mixture distribution needs to be an  instance of "
                             "torch.distributions.Categorical")
        if not isinstance(component_distribution, Distribution):
            raise ValueError("The Component distribution needs to be an instance of "
                             "torch.distributions.Distribution")
        self._mixture_distribution = mixture_distribution
        self._component_distribution = component_distribution
        mixtures = mixture_distribution.batch_shape
        batch_shape = component_distribution.batch_shape[:-1]
        for i, j in zip(reversed(mixtures), reversed(batch_shape), strict=False):
            if i != j and 1 not in (i, j):
                raise ValueError(f"`mixture_distribution.batch_shape` ({mixtures}) is not "
                                 "compatible with `component_distribution.batch_shape`"
                                 f"({batch_shape})")
        chosen = mixture_distribution.logits.shape[-1]
        components = component_distribution.batch_shape[-1]
        if chosen != components:
            raise ValueError(f"`mixture_distribution component` ({chosen}) does not equal "
                             f"`component_distribution.batch_shape[-1]` ({components})")
        self._num_component = chosen
        event_shape = component_distribution.event_shape
        self._event_ndims = len(event_shape)
        super().__init__(batch_shape, event_shape, validate_args=validate_args)

    @constraints.dependent_property
    def support(self):
        return constraints.MixtureSameFamilyConstraint(self._component_distribution.support)

    @property
    def mixture_distribution(self):
        return self._mixture_distribution

    @property
    def component_distribution(self):
        return self._component_distribution

    @property
    def mean(self):
        return self._mixed(self.component_distribution.mean)

    @property
    def variance(self):
        components = self.component_distribution
        of_means = (components.mean - self._pad(self.mean)).pow(2.0)
        return self._mixed(components.variance) + self._mixed(of_means)

    def _mixed(self, values):
        """The components' values, weighted: (..., K, event) -> (..., event)."""
        probs = self._pad_mixture_dimensions(self.mixture_distribution.probs)
        return (probs * values).sum(-1 - self._event_ndims)

    def cdf(self, x):
        below = self.component_distribution.cdf(self._pad(x))
        return (below * self.mixture_distribution.probs).sum(-1)

    def log_prob(self, x):
        if self._validate_args:
            self._validate_sample(x)
        log_prob = self.component_distribution.log_prob(self._pad(x))
        log_weight = torch.log_softmax(self.mixture_distribution.logits, dim=-1)
        return torch.logsumexp(log_prob + log_weight, dim=-1)

    def sample(self, sample_shape=()):
        sample_shape = torch.Size(sample_shape)
        with torch.no_grad():
            k_dim = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            samples = self.component_distribution.sample(sample_shape)
            chosen = chosen.reshape(chosen.shape + (1,) * (self._event_ndims + 1))
            chosen = chosen.repeat((1,) * (len(chosen.shape) - self._event_ndims)
                                   + self.event_shape)
            return torch.gather(samples, k_dim, chosen).squeeze(k_dim)

    def _pad(self, x):
        """x with a dimension for the components."""
        return x.unsqueeze(-1 - self._event_ndims)

    def _pad_mixture_dimensions(self, x):
        """x of the mixture's shape, with the missing batch and event dimensions."""
        of_mixture = len(self.mixture_distribution.batch_shape)
        missing = 0 if of_mixture == 1 else len(self.batch_shape) - of_mixture
        return x.reshape(x.shape[:-1] + (1,) * missing + x.shape[-1:] + (1,) * self._event_ndims)

    def __repr__(self):
        return (f"MixtureSameFamily(\n  {self.mixture_distribution},\n  "
                f"{self.component_distribution})")
