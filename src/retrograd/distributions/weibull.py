"""Weibull."""

from __future__ import annotations

import retrograd as torch

from . import constraints
from ._pointwise import AffineTransform, PowerTransform
from .exponential import Exponential
from .transformed_distribution import TransformedDistribution
from .utils import broadcast_all, euler_constant

__all__ = ["Weibull"]


class Weibull(TransformedDistribution):
    """`P(X > x) = exp(-(x / scale)^k)`, k = `concentration`: a power of an exponential number.

    scale and concentration are positive, and broadcast. The mean is scale Gamma(1 + 1 / k). Samples
    are differentiable in both.

    >>> import retrograd as torch
    >>> torch.distributions.Weibull(1.0, 1.0).mean
    tensor(1.)
    """

    arg_constraints = {"scale": constraints.positive, "concentration": constraints.positive}
    support = constraints.positive
    _parts = ("scale", "concentration")

    def __init__(self, scale, concentration, validate_args=None):
        self.scale, self.concentration = broadcast_all(scale, concentration)
        super().__init__(Exponential(torch.ones_like(self.scale), validate_args=validate_args),
                         self._made_by(), validate_args=validate_args)

    def _made_by(self):
        self.concentration_reciprocal = self.concentration.reciprocal()
        return [PowerTransform(exponent=self.concentration_reciprocal),
                AffineTransform(loc=0, scale=self.scale)]

    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape, _instance)
        new.transforms = new._made_by()
        return new

    @property
    def mean(self):
        return self.scale * torch.exp(torch.lgamma(1 + self.concentration_reciprocal))

    @property
    def mode(self):
        k = self.concentration
        return self.scale * ((k - 1) / k) ** k.reciprocal()

    @property
    def variance(self):
        inverse = self.concentration_reciprocal
        return self.scale.pow(2) * (torch.exp(torch.lgamma(1 + 2 * inverse))
                                    - torch.exp(2 * torch.lgamma(1 + inverse)))

    def entropy(self):
        inverse = self.concentration_reciprocal
        return euler_constant * (1 - inverse) + torch.log(self.scale * inverse) + 1
