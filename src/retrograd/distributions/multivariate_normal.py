"""MultivariateNormal."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from .distribution import Distribution
from .utils import _standard_normal, lazy_property

__all__ = ["MultivariateNormal"]


def _batch_mv(bmat, bvec):
    """Matrix times vector, for batches of both that broadcast."""
    return torch.matmul(bmat, bvec.unsqueeze(-1)).squeeze(-1)


def _batch_mahalanobis(bL, bx):
    """`x^T (L L^T)^-1 x`: the length of `L^-1 x`, squared.

    Leading dimensions that only x has become columns of one triangular solve.
    """
    samples = max(bx.dim() - bL.dim() + 1, 0)
    columns = bx.flatten(0, samples - 1) if samples else bx.unsqueeze(0)    # (S, ..., n)
    solved = torch.linalg.solve_triangular(bL, columns.movedim(0, -1), upper=False)
    squares = solved.pow(2).sum(-2).movedim(-1, 0)                          # (S, ...)
    return squares.reshape(bx.shape[:samples] + squares.shape[1:])


def _precision_to_scale_tril(P):
    """L with `L L^T = P^-1`: P's Cholesky factor from the last row up, inverted."""
    factor = torch.linalg.cholesky(torch.flip(P, (-2, -1)))
    inverse = torch.transpose(torch.flip(factor, (-2, -1)), -2, -1)
    eye = torch.eye(P.shape[-1], dtype=P.dtype, device=P.device)
    return torch.linalg.solve_triangular(inverse, eye, upper=False)


def log_diagonal(tril):
    """The sum of the logarithms of the diagonal: half the log-determinant of `L L^T`."""
    return tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)


class CovarianceForms:
    """A covariance matrix, its inverse, or its Cholesky factor, from the one that was given."""

    def _take_form(self, param, name, batch_shape):
        setattr(self, name, param.expand(batch_shape + (-1, -1)))

    @staticmethod
    def _factor(covariance_matrix, precision_matrix, scale_tril):
        if scale_tril is not None:
            return scale_tril
        if covariance_matrix is not None:
            return torch.linalg.cholesky(covariance_matrix)
        return _precision_to_scale_tril(precision_matrix)

    def _matrices(self, matrix):
        n = self._event_shape[-1]
        return matrix.expand(self._batch_shape + (n, n))

    @lazy_property
    def scale_tril(self):
        return self._matrices(self._unbroadcasted_scale_tril)

    @lazy_property
    def covariance_matrix(self):
        factor = self._unbroadcasted_scale_tril
        return self._matrices(torch.matmul(factor, factor.mT))

    @lazy_property
    def precision_matrix(self):
        return self._matrices(torch.cholesky_inverse(self._unbroadcasted_scale_tril))


class MultivariateNormal(CovarianceForms, Distribution):
    """Normal vectors with mean `loc` and covariance matrix C.

    `p(x) = exp(-(x - loc)^T C^-1 (x - loc) / 2) / sqrt(det(2 pi C))`

    Give C as covariance_matrix, its inverse precision_matrix, or its lower Cholesky factor
    scale_tril, with which everything is computed. ValueError unless exactly one is given.

    loc has shape (*, n), the matrix (*, n, n); the batches broadcast. Samples, `loc + L e` with L
    the Cholesky factor and e normal, are differentiable.

    >>> import retrograd as torch
    >>> d = torch.distributions.MultivariateNormal(torch.zeros(2), torch.eye(2))
    >>> d.log_prob(torch.zeros(2))
    tensor(-1.8379)
    """

    arg_constraints = {"loc": constraints.real_vector,
                       "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite,
                       "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True
    _parts = ("loc", "covariance_matrix", "precision_matrix", "scale_tril",
              "_unbroadcasted_scale_tril")
    _shared = ("_unbroadcasted_scale_tril",)

    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None,
                 validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {"covariance_matrix": covariance_matrix, "scale_tril": scale_tril,
                 "precision_matrix": precision_matrix}
        given = {name: param for name, param in given.items() if param is not None}
        if len(given) != 1:
            raise ValueError("Exactly one of covariance_matrix or precision_matrix or "
                             "scale_tril may be specified.")
        ((name, param),) = given.items()
        if param.dim() < 2:
            raise ValueError(f"{name} matrix must be at least two-dimensional, with optional "
                             "leading batch dimensions".replace("matrix matrix", "matrix"))
        batch_shape = torch.broadcast_shapes(param.shape[:-2], loc.shape[:-1])
        self._take_form(param, name, batch_shape)
        self.loc = loc.expand(batch_shape + (-1,))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self._factor(covariance_matrix, precision_matrix,
                                                      scale_tril)

    @property
    def mean(self):
        return self.loc

    @property
    def mode(self):
        return self.loc

    @property
    def variance(self):
        squares = self._unbroadcasted_scale_tril.pow(2).sum(-1)
        return squares.expand(self._batch_shape + self._event_shape)

    def rsample(self, sample_shape=()):
        shape = self._extended_shape(sample_shape)
        eps = _standard_normal(shape, self.loc.dtype, self.loc.device)
        return self.loc + _batch_mv(self._unbroadcasted_scale_tril, eps)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        distance = _batch_mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        n = self.loc.shape[-1]
        return (-0.5 * (n * math.log(2 * math.pi) + distance)
                - log_diagonal(self._unbroadcasted_scale_tril))

    def entropy(self):
        n = self.loc.shape[-1]
        entropy = (0.5 * n * (1.0 + math.log(2 * math.pi))
                   + log_diagonal(self._unbroadcasted_scale_tril))
        return entropy.expand(self._batch_shape) if self._batch_shape else entropy
