"""StudentT."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from .chi2 import Chi2
from .distribution import Distribution
from .utils import _standard_normal, broadcast_all

__all__ = ["StudentT"]


class StudentT(Distribution):
    """`loc + scale x / sqrt(c / df)` for x standard normal and c of Chi2(df).

    With `y = (t - loc) / scale`: `p(t) = (1 + y^2 / df)^(-(df + 1) / 2) / (scale sqrt(df)
    B(1/2, df/2))`. The mean is nan for df up to 1, the variance infinite for df up to 2.

    df and scale are positive, loc is any number; all broadcast. Samples are differentiable.

    >>> import retrograd as torch
    >>> torch.distributions.StudentT(torch.tensor(4.0)).variance
    tensor(2.)
    """

    arg_constraints = {"df": constraints.positive, "loc": constraints.real,
                       "scale": constraints.positive}
    support = constraints.real
    has_rsample = True
    _parts = ("df", "loc", "scale", "_chi2")

    def __init__(self, df, loc=0.0, scale=1.0, validate_args=None):
        self.df, self.loc, self.scale = broadcast_all(df, loc, scale)
        self._chi2 = Chi2(self.df)
        super().__init__(self.df.size(), validate_args=validate_args)

    @property
    def mean(self):
        return self.loc.masked_fill(self.df <= 1, math.nan)

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        df = torch.where(self.df > 2, self.df, 3.0)
        variance = (self.scale.pow(2) * df / (df - 2)).masked_fill(self.df <= 2, math.inf)
        return variance.masked_fill(self.df <= 1, math.nan)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        x = _standard_normal(shape, self.df.dtype, self.df.device)
        c = self._chi2.rsample(sample_shape)
        return self.loc + self.scale * (x * torch.rsqrt(c / self.df))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        y = (value - self.loc) / self.scale
        log_z = (self.scale.log() + 0.5 * self.df.log() + 0.5 * math.log(math.pi)
                 + torch.lgamma(0.5 * self.df) - torch.lgamma(0.5 * (self.df + 1.0)))
        return -0.5 * (self.df + 1.0) * torch.log1p(y ** 2.0 / self.df) - log_z

    def entropy(self):
        half, more = 0.5 * self.df, 0.5 * (self.df + 1)
        log_beta = torch.lgamma(half) + math.lgamma(0.5) - torch.lgamma(more)
        return (self.scale.log() + more * (torch.digamma(more) - torch.digamma(half))
                + 0.5 * self.df.log() + log_beta)
