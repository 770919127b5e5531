"""Gumbel."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from ._pointwise import AffineTransform, ExpTransform
from .transformed_distribution import TransformedDistribution
from .uniform import Uniform
from .utils import broadcast_all, euler_constant

__all__ = ["Gumbel"]


class Gumbel(TransformedDistribution):
    """`p(x) = exp(y - exp(y)) / scale` with `y = (loc - x) / scale`; x = loc - scale
    log(-log u) for uniform u.

    loc (any number) and scale (positive) broadcast. The mean is loc + scale times Euler's constant,
    the variance pi^2 scale^2 / 6. Samples are differentiable in both.

    >>> import retrograd as torch
    >>> torch.distributions.Gumbel(0.0, 1.0).mean
    tensor(0.5772)
    """

    arg_constraints = {"loc": constraints.real, "scale": constraints.positive}
    support = constraints.real
    _parts = ("loc", "scale")

    def __init__(self, loc, scale, validate_args=None):
        self.loc, self.scale = broadcast_all(loc, scale)
        finfo = torch.finfo(self.loc.dtype)
        base = Uniform(torch.full_like(self.loc, finfo.tiny),
                       torch.full_like(self.loc, 1 - finfo.eps), validate_args=validate_args)
        log = ExpTransform().inv
        transforms = [log, AffineTransform(loc=0, scale=-torch.ones_like(self.scale)),
                      log, AffineTransform(loc=loc, scale=-self.scale)]
        super().__init__(base, transforms, validate_args=validate_args)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (self.loc - value) / self.scale
        return (y - y.exp()) - self.scale.log()

    @property
    def mean(self):
        return self.loc + self.scale * euler_constant

    @property
    def mode(self):
        return self.loc

    @property
    def stddev(self):
        return math.pi / math.sqrt(6) * self.scale

    @property
    def variance(self):
        return self.stddev.pow(2)

    def entropy(self):
        return self.scale.log() + (1 + euler_constant)
