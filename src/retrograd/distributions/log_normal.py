"""LogNormal."""

from __future__ import annotations

from . import constraints
from ._pointwise import ExpTransform
from .normal import Normal
from .transformed_distribution import TransformedDistribution

__all__ = ["LogNormal"]


class LogNormal(TransformedDistribution):
    """`exp(x)` for x of `Normal(loc, scale)`, with mean exp(loc + scale^2 / 2).

    `p(y) = exp(-(log y - loc)^2 / (2 scale^2)) / (y scale sqrt(2 pi))` for y > 0.

    loc (any number) and scale (positive) broadcast. Samples are differentiable in both.

    >>> import retrograd as torch
    >>> torch.distributions.LogNormal(0.0, 1.0).mean
    tensor(1.6487)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _parts = ()

    def __init__(self, loc, scale, validate_args=None):
        super().__init__(Normal(loc, scale, validate_args=validate_args), ExpTransform(),
                         validate_args=validate_args)

    @property
    def loc(self):
        return self.base_dist.loc

    @property
    def scale(self):
        return self.base_dist.scale

    @property
    def mean(self):
        return (self.loc + self.scale.pow(2) / 2).exp()

    @property
    def mode(self):
        return (self.loc - self.scale.square()).exp()

    @property
    def variance(self):
        square = self.scale.pow(2)
        return square.expm1() * (2 * self.loc + square).exp()

    def entropy(self):
        return self.base_dist.entropy() + self.loc
