"""TransformedDistribution."""

from __future__ import annotations

from typing import Any

import retrograd as torch

from . import constraints
from ._transform import ComposeTransform, Transform
from .distribution import Distribution
from .independent import Independent
from .utils import _sum_rightmost

__all__ = ["TransformedDistribution"]


class TransformedDistribution(Distribution):
    """The distribution of `y = t(x)` for x of base_distribution.

    `log p(y) = log p(x) - log |dy/dx|` at `x = t.inv(y)`. transforms is one Transform or a
    list, applied in its order; else ValueError.

    >>> import retrograd as torch
    >>> from retrograd.distributions import ExpTransform, Normal, TransformedDistribution
    >>> log_normal = TransformedDistribution(Normal(0.0, 1.0), ExpTransform())
    >>> log_normal.log_prob(torch.tensor(2.0))
    tensor(-1.8523)
    """

    arg_constraints = {}
    _parts = ("transforms",)

    def __init__(self, base_distribution, transforms, validate_args=None):
        if isinstance(transforms, Transform):
            transforms = [transforms]
        elif not isinstance(transforms, list):
            raise ValueError(f"transforms must be a Transform or list, but was {transforms}")
        elif not all(isinstance(t, Transform) for t in transforms):
            raise ValueError("transforms must be a Transform or a list of Transforms")
        self.transforms = transforms
        whole = ComposeTransform(transforms)
        need, got = whole.domain.event_dim, whole.codomain.event_dim
        base_event = len(base_distribution.event_shape)
        shape = base_distribution.batch_shape + base_distribution.event_shape
        if len(shape) < need:
            raise ValueError("base_distribution needs to have shape with size at least "
                             f"{need}, but got {shape}.")
        forward = whole.forward_shape(shape)
        expanded = whole.inverse_shape(forward)     # the transforms' parameters may be larger
        if shape != expanded:
            base_distribution = base_distribution.expand(expanded[:len(expanded) - base_event])
        if need > base_event:
            base_distribution = Independent(base_distribution, need - base_event)
        self.base_dist = base_distribution
        cut = len(forward) - max(got, base_event + got - need)
        super().__init__(forward[:cut], forward[cut:], validate_args=validate_args)

    def expand(self, batch_shape, _instance=None):
        owner = next(c for c in type(self).__mro__ if "_parts" in vars(c))
        new = self._get_checked_instance(owner, _instance)
        shape = torch.Size(batch_shape) + self.event_shape
        for t in reversed(self.transforms):
            shape = t.inverse_shape(shape)
        new.base_dist = self.base_dist.expand(shape[:len(shape) - len(self.base_dist.event_shape)])
        return super().expand(batch_shape, _instance=new)

    def _support(self):
        if not self.transforms:
            return self.base_dist.support
        support = self.transforms[-1].codomain
        extra = len(self.event_shape) - support.event_dim
        return constraints.independent(support, extra) if extra > 0 else support

    support: Any = constraints.dependent_property(_support, is_discrete=False)
    has_rsample: Any = property(lambda self: self.base_dist.has_rsample)

    def sample(self, sample_shape=()):
        with torch.no_grad():
            return self._forward(self.base_dist.sample(sample_shape))

    def rsample(self, sample_shape=()):
        return self._forward(self.base_dist.rsample(sample_shape))

    def _forward(self, x):
        for t in self.transforms:
            x = t(x)
        return x

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        event_dim = len(self.event_shape)
        log_det = 0.0
        for t in reversed(self.transforms):
            x = t.inv(value)
            event_dim += t.domain.event_dim - t.codomain.event_dim
            log_det = log_det - _sum_rightmost(t.log_abs_det_jacobian(x, value),
                                               event_dim - t.domain.event_dim)
            value = x
        return log_det + _sum_rightmost(self.base_dist.log_prob(value),
                                        event_dim - len(self.base_dist.event_shape))

    def _monotonize_cdf(self, value):
        """1 - value where the transforms decrease."""
        sign = 1
        for t in self.transforms:
            sign = sign * t.sign
        if isinstance(sign, int) and sign == 1:
            return value
        return sign * (value - 0.5) + 0.5

    def cdf(self, value):
        for t in reversed(self.transforms):
            value = t.inv(value)
        if self._validate_args:
            self.base_dist._validate_sample(value)
        return self._monotonize_cdf(self.base_dist.cdf(value))

    def icdf(self, value):
        return self._forward(self.base_dist.icdf(self._monotonize_cdf(value)))
