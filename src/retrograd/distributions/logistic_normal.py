"""LogisticNormal."""

from __future__ import annotations

from . import constraints
from ._matrices import StickBreakingTransform
from .normal import Normal
from .transformed_distribution import TransformedDistribution

__all__ = ["LogisticNormal"]


class LogisticNormal(TransformedDistribution):
    """K normal numbers, turned into K + 1 that add up to 1 by StickBreakingTransform.

    loc and scale (positive) of shape (*, K) give a batch of shape (*) and values of shape (K + 1,).
    Samples are differentiable in both. There is no formula for the mean and the entropy.

    >>> import retrograd as torch
    >>> d = torch.distributions.LogisticNormal(torch.zeros(3), torch.ones(3))
    >>> d.sample().shape
    torch.Size([4])
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.simplex
    has_rsample = True
    _parts = ()

    def __init__(self, loc, scale, validate_args=None):
        base = Normal(loc, scale, validate_args=validate_args)
        if not base.batch_shape:
            base = base.expand([1])
        super().__init__(base, StickBreakingTransform(), validate_args=validate_args)

    @property
    def loc(self):
        return self.base_dist.base_dist.loc

    @property
    def scale(self):
        return self.base_dist.base_dist.scale
