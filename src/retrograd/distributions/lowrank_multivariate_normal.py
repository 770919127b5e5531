"""LowRankMultivariateNormal."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from .distribution import Distribution
from .multivariate_normal import _batch_mahalanobis, _batch_mv, log_diagonal
from .utils import _standard_normal, lazy_property

__all__ = ["LowRankMultivariateNormal"]


def _plus_identity(K):
    return K + torch.eye(K.shape[-1], dtype=K.dtype, device=K.device)


def _batch_capacitance_tril(W, D):
    """The Cholesky factor of `I + W^T D^-1 W`."""
    return torch.linalg.cholesky(_plus_identity(torch.matmul(W.mT / D.unsqueeze(-2), W)))


def _batch_lowrank_logdet(W, D, capacitance_tril):
    """`log det(W W^T + D) = log det(I + W^T D^-1 W) + log det D`."""
    return 2 * log_diagonal(capacitance_tril) + D.log().sum(-1)


def _batch_lowrank_mahalanobis(W, D, x, capacitance_tril):
    """`x^T (W W^T + D)^-1 x`, the inverse by Woodbury's identity."""
    within = _batch_mv(W.mT / D.unsqueeze(-2), x)
    return (x.pow(2) / D).sum(-1) - _batch_mahalanobis(capacitance_tril, within)


class LowRankMultivariateNormal(Distribution):
    """Normal vectors of length n whose covariance is `W W^T + diag(D)`.

    W is cov_factor (..., n, m), D cov_diag (..., n). By the identities of Woodbury and of the
    matrix determinant lemma only m x m matrices are inverted. ValueError for shapes that do not
    fit.

    loc has shape (*, n), and D is positive. Samples, `loc + W e + sqrt(D) f` with normal e of
    length m and f of length n, are differentiable in all three.

    >>> import retrograd as torch
    >>> d = torch.distributions.LowRankMultivariateNormal(
    ...     torch.zeros(2), torch.tensor([[1.], [0.]]), torch.ones(2))
    >>> d.variance
    tensor([2., 1.])
    """

    arg_constraints = {"loc": constraints.real_vector,
                       "cov_factor": constraints.independent(constraints.real, 2),
                       "cov_diag": constraints.independent(constraints.positive, 1)}
    support = constraints.real_vector
    has_rsample = True
    _parts = ("loc", "cov_factor", "cov_diag", "_unbroadcasted_cov_factor",
              "_unbroadcasted_cov_diag", "_capacitance_tril")
    _shared = ("_unbroadcasted_cov_factor", "_unbroadcasted_cov_diag", "_capacitance_tril")

    def __init__(self, loc, cov_factor, cov_diag, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        event_shape = loc.shape[-1:]
        if cov_factor.dim() < 2:
            raise ValueError("cov_factor must be at least two-dimensional, with optional leading "
                             "batch dimensions")
        if cov_factor.shape[-2:-1] != event_shape:
            raise ValueError("cov_factor must be a batch of matrices with shape "
                             f"{event_shape[0]} x m")
        if cov_diag.shape[-1:] != event_shape:
            raise ValueError(f"cov_diag must be a batch of vectors with shape {event_shape}")
        try:
            loc_, self.cov_factor, diag_ = torch.broadcast_tensors(
                loc.unsqueeze(-1), cov_factor, cov_diag.unsqueeze(-1))
        except RuntimeError as error:
            raise ValueError(f"Incompatible batch shapes: loc {loc.shape}, cov_factor "
                             f"{cov_factor.shape}, cov_diag {cov_diag.shape}") from error
        self.loc = loc_[..., 0]
        self.cov_diag = diag_[..., 0]
        self._unbroadcasted_cov_factor = cov_factor
        self._unbroadcasted_cov_diag = cov_diag
        self._capacitance_tril = _batch_capacitance_tril(cov_factor, cov_diag)
        super().__init__(self.loc.shape[:-1], event_shape, validate_args=validate_args)

    @property
    def _factors(self):
        return self._unbroadcasted_cov_factor, self._unbroadcasted_cov_diag

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        W, D = self._factors
        return (W.pow(2).sum(-1) + D).expand(self._batch_shape + self._event_shape)

    def _matrices(self, matrix):
        return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)

    @lazy_property
    def scale_tril(self):
        # W W^T + D = sqrt(D) (I + D^-1/2 W W^T D^-1/2) sqrt(D)
        W, D = self._factors
        root = D.sqrt().unsqueeze(-1)
        scaled = W / root
        inner = _plus_identity(torch.matmul(scaled, scaled.mT))
        return self._matrices(root * torch.linalg.cholesky(inner))

    @lazy_property
    def covariance_matrix(self):
        W, D = self._factors
        return self._matrices(torch.matmul(W, W.mT) + torch.diag_embed(D))

    @lazy_property
    def precision_matrix(self):
        # Woodbury: D^-1 - D^-1 W (I + W^T D^-1 W)^-1 W^T D^-1
        W, D = self._factors
        A = torch.linalg.solve_triangular(self._capacitance_tril, W.mT / D.unsqueeze(-2),
                                          upper=False)
        return self._matrices(torch.diag_embed(D.reciprocal()) - A.mT @ A)

    def rsample(self, sample_shape=()):
        W, D = self._factors
        shape = self._extended_shape(sample_shape)
        dtype, device = self.loc.dtype, self.loc.device
        eps_W = _standard_normal(shape[:-1] + W.shape[-1:], dtype, device)
        eps_D = _standard_normal(shape, dtype, device)
        return self.loc + _batch_mv(W, eps_W) + D.sqrt() * eps_D

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        distance = _batch_lowrank_mahalanobis(*self._factors, value - self.loc,
                                              self._capacitance_tril)
        log_det = _batch_lowrank_logdet(*self._factors, self._capacitance_tril)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + log_det + distance)

    def entropy(self):
        log_det = _batch_lowrank_logdet(*self._factors, self._capacitance_tril)
        entropy = 0.5 * (self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + log_det)
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
