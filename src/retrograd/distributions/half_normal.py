"""HalfNormal."""

from __future__ import annotations

import math

from ._half import Half
from .normal import Normal

__all__ = ["HalfNormal"]


class HalfNormal(Half):
    """`p(x) = 2 exp(-x^2 / (2 scale^2)) / (scale sqrt(2 pi))`: the absolute value of a normal
    number.

    scale is positive, values are not negative. The mean is scale sqrt(2 / pi). Samples are
    differentiable in scale.

    >>> import retrograd as torch
    >>> torch.distributions.HalfNormal(1.0).mean
    tensor(0.7979)
    """

    whole = Normal

    @property
    def mean(self):
        return self.scale * math.sqrt(2 / math.pi)

    @property
    def variance(self):
        return self.scale.pow(2) * (1 - 2 / math.pi)
