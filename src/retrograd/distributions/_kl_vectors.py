"""Divergences of normal vectors: `(log det Q - log det P + tr(Q^-1 P) + d^T Q^-1 d - n) / 2`.

P and Q are the covariances, d the difference of the means, n the length. A covariance is given by
its Cholesky factor L, or as W W^T + D.
"""

from __future__ import annotations

import retrograd as torch

from .kl import register_kl
from .lowrank_multivariate_normal import (
    LowRankMultivariateNormal,
    _batch_lowrank_logdet,
    _batch_lowrank_mahalanobis,
)
from .multivariate_normal import MultivariateNormal, _batch_mahalanobis, log_diagonal


def _norm(matrix):
    """The sum of the squares of a matrix's entries: tr(M M^T)."""
    return matrix.pow(2).sum((-2, -1))


class _Full:
    """A covariance L L^T."""

    def __init__(self, distribution):
        self.L = distribution._unbroadcasted_scale_tril

    def log_det(self):
        return 2 * log_diagonal(self.L)

    def roots(self):
        """Matrices R with the sum of R R^T the covariance."""
        return [self.L]

    def trace_of_solved(self, R):
        """`tr(C^-1 R R^T)`."""
        return _norm(torch.linalg.solve_triangular(self.L, R, upper=False))

    def distance(self, x):
        return _batch_mahalanobis(self.L, x)


class _LowRank:
    """A covariance W W^T + D; C is the Cholesky factor of I + W^T D^-1 W."""

    def __init__(self, distribution):
        self.W = distribution._unbroadcasted_cov_factor
        self.D = distribution._unbroadcasted_cov_diag
        self.C = distribution._capacitance_tril

    def log_det(self):
        return _batch_lowrank_logdet(self.W, self.D, self.C)

    def roots(self):
        return [self.W, torch.diag_embed(self.D.sqrt())]

    def trace_of_solved(self, R):
        A = torch.linalg.solve_triangular(self.C, self.W.mT / self.D.unsqueeze(-2), upper=False)
        return _norm(R * self.D.rsqrt().unsqueeze(-1)) - _norm(A.matmul(R))

    def distance(self, x):
        return _batch_lowrank_mahalanobis(self.W, self.D, x, self.C)


def _register(kind_p, kind_q, names):
    @register_kl(kind_p, kind_q)
    def kl(p, q):
        if p.event_shape != q.event_shape:
            raise ValueError(f"KL-divergence between two {names} with" + " " * 26
                             + "different event shapes cannot be computed")
        P, Q = COVARIANCE[kind_p](p), COVARIANCE[kind_q](q)
        trace = sum(Q.trace_of_solved(R) for R in P.roots())
        return 0.5 * (Q.log_det() - P.log_det() + trace + Q.distance(q.loc - p.loc)
                      - p.event_shape[0])


COVARIANCE = {MultivariateNormal: _Full, LowRankMultivariateNormal: _LowRank}
_register(MultivariateNormal, MultivariateNormal, "Multivariate Normals")
_register(MultivariateNormal, LowRankMultivariateNormal, "(Low Rank) Multivariate Normals")
_register(LowRankMultivariateNormal, MultivariateNormal, "(Low Rank) Multivariate Normals")
_register(LowRankMultivariateNormal, LowRankMultivariateNormal, "Low Rank Multivariate Normals")
