"""Wishart."""

from __future__ import annotations

import math
import warnings

import retrograd as torch

from . import constraints
from .chi2 import Chi2
from .exp_family import ExponentialFamily
from .multivariate_normal import CovarianceForms, log_diagonal
from .utils import lazy_property

__all__ = ["Wishart"]


def _mvdigamma(x, p):
    """The logarithmic derivative of the multivariate gamma function."""
    if not x.gt((p - 1) / 2).all():
        raise AssertionError("Wrong domain for multivariate digamma function.")
    halves = torch.arange(p, dtype=x.dtype, device=x.device) / 2
    return torch.digamma(x.unsqueeze(-1) - halves).sum(-1)


class Wishart(CovarianceForms, ExponentialFamily):
    """`sum_{i=1..df} x_i x_i^T` for normal vectors x_i of p numbers with covariance V.

    `p(X) = det(X)^((df - p - 1)/2) exp(-tr(V^-1 X)/2) / (2^(df p/2) det(V)^(df/2)
    Gamma_p(df/2))`; df > p - 1 need not be whole (else ValueError).

    Give V as covariance_matrix, its inverse precision_matrix, or its lower Cholesky factor
    scale_tril. Samples are Bartlett's (1933): `L A A^T L^T` with the square roots of chi-squared
    numbers on A's diagonal and normal numbers below.

    df of shape (*) and a matrix of shape (*, p, p) give a batch of shape (*) and values of shape
    (p, p). The mean is df V. Samples are differentiable.

    >>> import retrograd as torch
    >>> torch.distributions.Wishart(torch.tensor(4.), torch.eye(2)).mean
    tensor([[4., 0.],
            [0., 4.]])
    """

    support = constraints.positive_definite
    has_rsample = True
    _mean_carrier_measure = 0
    _parts = ("df", "covariance_matrix", "precision_matrix", "scale_tril",
              "_unbroadcasted_scale_tril")

    def __init__(self, df, covariance_matrix=None, precision_matrix=None, scale_tril=None,
                 validate_args=None):
        given = {"covariance_matrix": covariance_matrix, "scale_tril": scale_tril,
                 "precision_matrix": precision_matrix}
        given = {name: param for name, param in given.items() if param is not None}
        if len(given) != 1:
            raise AssertionError("Exactly one of covariance_matrix or precision_matrix or "
                                 "scale_tril may be specified.")
        ((name, param),) = given.items()
        if param.dim() < 2:
            raise ValueError("scale_tril must be at least two-dimensional, with optional leading "
                             "batch dimensions")
        if isinstance(df, (int, float)):
            batch_shape = torch.Size(param.shape[:-2])
            self.df = torch.tensor(df, dtype=param.dtype, device=param.device)
        else:
            batch_shape = torch.broadcast_shapes(param.shape[:-2], df.shape)
            self.df = df.expand(batch_shape)
        p = param.shape[-1]
        if self.df.le(p - 1).any():
            raise ValueError(f"Value of df={df} expected to be greater than ndim - 1 = {p - 1}.")
        self._take_form(param, name, batch_shape)
        if self.df.lt(p).any():
            warnings.warn("Low df values detected. Singular samples are highly likely to occur "
                          "for ndim - 1 < df < ndim.", stacklevel=2)
        super().__init__(batch_shape, param.shape[-2:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self._factor(
            covariance_matrix, precision_matrix, scale_tril)

    @property
    def arg_constraints(self):
        return {"covariance_matrix": constraints.positive_definite,
                "precision_matrix": constraints.positive_definite,
                "scale_tril": constraints.lower_cholesky,
                "df": constraints.greater_than(self.event_shape[-1] - 1)}

    def _expanded(self, name, batch_shape):
        if name == "_unbroadcasted_scale_tril":
            return self.__dict__[name].expand(batch_shape + self._event_shape)
        return super()._expanded(name, batch_shape)

    @lazy_property
    def _dist_chi2(self):
        """Chi2 of df, df - 1, ..., df - p + 1 degrees of freedom."""
        factor = self._unbroadcasted_scale_tril
        i = torch.arange(self._event_shape[-1], dtype=factor.dtype, device=factor.device)
        return Chi2(self.df.unsqueeze(-1) - i.expand((*self._batch_shape, -1)))

    def _per_matrix(self, numbers):
        return numbers.expand(self._batch_shape).reshape((*self._batch_shape, 1, 1))

    @property
    def mean(self):
        return self._per_matrix(self.df) * self.covariance_matrix

    @property
    def mode(self):
        factor = self.df - self._event_shape[-1] - 1
        factor = factor.masked_fill(factor <= 0, math.nan)
        return self._per_matrix(factor) * self.covariance_matrix

    @property
    def variance(self):
        V = self.covariance_matrix
        diagonal = V.diagonal(dim1=-2, dim2=-1)
        outer = diagonal.unsqueeze(-1) * diagonal.unsqueeze(-2)
        return self._per_matrix(self.df) * (V.pow(2) + outer)

    def _bartlett_sampling(self, sample_shape=()):
        p = self._event_shape[-1]
        diagonal = self._dist_chi2.rsample(sample_shape).sqrt()
        diagonal = diagonal.clamp(min=torch.finfo(diagonal.dtype).eps)
        noise = diagonal.diag_embed(dim1=-2, dim2=-1)
        i, j = torch.tril_indices(p, p, offset=-1)
        noise[..., i, j] = torch.randn((*sample_shape, *self._batch_shape, p * (p - 1) // 2),
                                       dtype=noise.dtype, device=noise.device)
        factor = self._unbroadcasted_scale_tril @ noise
        return factor @ factor.mT

    def _any_of_batch(self, flags):
        """For each sample, whether the flag of any member of its batch is set."""
        return flags.flatten(-len(self._batch_shape)).any(-1) if self._batch_shape else flags

    def rsample(self, sample_shape=(), max_try_correction=None):
        sample = self._bartlett_sampling(torch.Size(sample_shape))
        # PyTorch takes the regular samples for singular here, warns, and draws them again.
        # The draws are as good; to stay in step with its generator they are repeated all the same.
        again = self._any_of_batch(self.support.check(sample))
        for _ in range(10 if max_try_correction is None else max_try_correction):
            if not again.any():
                break
            new = self._bartlett_sampling(again[again].shape)
            sample[again] = new
            again = again.masked_scatter(again, self._any_of_batch(~self.support.check(new)))
        return sample

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        nu, p, factor = self.df, self._event_shape[-1], self._unbroadcasted_scale_tril
        trace = torch.cholesky_solve(value, factor).diagonal(dim1=-2, dim2=-1).sum(dim=-1)
        return (-nu * (p * math.log(2) / 2 + log_diagonal(factor)) - torch.mvlgamma(nu / 2, p=p)
                + (nu - p - 1) / 2 * torch.linalg.slogdet(value).logabsdet - trace / 2)

    def entropy(self):
        nu, p = self.df, self._event_shape[-1]
        return ((p + 1) * (p * math.log(2) / 2 + log_diagonal(self._unbroadcasted_scale_tril))
                + torch.mvlgamma(nu / 2, p=p) - (nu - p - 1) / 2 * _mvdigamma(nu / 2, p=p)
                + nu * p / 2)

    @property
    def _natural_params(self):
        return -self.precision_matrix / 2, (self.df - self._event_shape[-1] - 1) / 2

    def _log_normalizer(self, x, y):
        p = self._event_shape[-1]
        half = y + (p + 1) / 2
        return (half * (-torch.linalg.slogdet(-2 * x).logabsdet + math.log(2) * p)
                + torch.mvlgamma(half, p=p))
