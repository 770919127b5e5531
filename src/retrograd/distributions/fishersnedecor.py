"""FisherSnedecor."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from .distribution import Distribution
from .gamma import Gamma
from .utils import broadcast_all

__all__ = ["FisherSnedecor"]


class FisherSnedecor(Distribution):
    """The F distribution: `(X1 / df1) / (X2 / df2)` for X1, X2 of Chi2(df1), Chi2(df2).

    With `r = df1 / df2`: `p(x) = r^(df1/2) x^(df1/2 - 1) (1 + r x)^(-(df1 + df2)/2) /
    B(df1/2, df2/2)`.

    df1 and df2 are positive, and broadcast. The mean, df2 / (df2 - 2), is nan for df2 up to 2, the
    variance for df2 up to 4. Samples differentiate implicitly.

    >>> import retrograd as torch
    >>> torch.distributions.FisherSnedecor(2.0, 4.0).mean
    tensor(2.)
    """

    arg_constraints = {"df1": constraints.positive, "df2": constraints.positive}
    support = constraints.positive
    has_rsample = True
    _parts = ("df1", "df2", "_gamma1", "_gamma2")

    def __init__(self, df1, df2, validate_args=None):
        self.df1, self.df2 = broadcast_all(df1, df2)
        self._gamma1 = Gamma(self.df1 * 0.5, self.df1)
        self._gamma2 = Gamma(self.df2 * 0.5, self.df2)
        super().__init__(self.df1.size(), validate_args=validate_args)

    @property
    def mean(self):
        df2 = self.df2.masked_fill(self.df2 <= 2, math.nan)
        return df2 / (df2 - 2)

    @property
    def mode(self):
        mode = (self.df1 - 2) / self.df1 * self.df2 / (self.df2 + 2)
        return mode.masked_fill(self.df1 <= 2, math.nan)

    @property
    def variance(self):
        df2 = self.df2.masked_fill(self.df2 <= 4, math.nan)
        return (2 * df2.pow(2) * (self.df1 + df2 - 2)
                / (self.df1 * (df2 - 2).pow(2) * (df2 - 4)))

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        numerator = self._gamma1.rsample(sample_shape).view(shape)
        denominator = self._gamma2.rsample(sample_shape).view(shape)
        tiny = torch.finfo(denominator.dtype).tiny
        return (numerator / denominator.clamp(min=tiny)).clamp(min=tiny)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        a, b, r = self.df1 * 0.5, self.df2 * 0.5, self.df1 / self.df2
        return ((a + b).lgamma() - a.lgamma() - b.lgamma()
                + (a * r.log() + (a - 1) * torch.log(value))
                - (a + b) * torch.log1p(r * value))
