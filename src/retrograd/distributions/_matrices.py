"""Transforms whose values are vectors or matrices."""

from __future__ import annotations

import math

import retrograd as torch

from ..nn.functional import logsigmoid, pad, softplus
from . import constraints
from ._pointwise import clipped_sigmoid
from ._transform import Plain, Transform
from .utils import tril_matrix_to_vec, vec_to_tril_matrix

__all__ = ["CorrCholeskyTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform",
           "SoftmaxTransform", "StickBreakingTransform"]


def _need(shape, dims):
    if len(shape) < dims:
        raise ValueError("Too few dimensions on input")


class SoftmaxTransform(Plain):
    """`y = exp(x) / sum exp(x)`, a simplex; not injective, `log y` is the inverse it takes.

    Suits coordinate-wise optimization; for densities use StickBreakingTransform.

    (*, K) -> (*, K), without a Jacobian.

    >>> import retrograd as torch
    >>> torch.distributions.SoftmaxTransform()(torch.zeros(2))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex

    def _call(self, x):
        weights = (x - x.max(-1, True)[0]).exp()
        return weights / weights.sum(-1, True)

    def _inverse(self, y):
        return y.log()

    def forward_shape(self, shape):
        _need(shape, 1)
        return shape

    inverse_shape = forward_shape


class StickBreakingTransform(Plain):
    """A stick of length 1; piece i takes the part z_i = sigmoid(x_i - log(K - i)) of the rest.

    `y_i = z_i (1 - z_1) ... (1 - z_{i-1})`, and y_{K+1} is what remains: K numbers become K + 1
    that add up to 1, and zeros become equal parts. (The transform of Stan's simplex type.)

    (*, K) -> (*, K + 1); `log |det dy/dx|` has shape (*).

    >>> import retrograd as torch
    >>> torch.distributions.StickBreakingTransform()(torch.zeros(1))
    tensor([0.5000, 0.5000])
    """

    domain = constraints.real_vector
    codomain = constraints.simplex
    bijective = True

    def _call(self, x):
        z = clipped_sigmoid(x - self._left(x).log())
        rest = (1 - z).cumprod(-1)
        return pad(z, [0, 1], value=1) * pad(rest, [1, 0], value=1)

    def _inverse(self, y):
        broken = y[..., :-1]
        rest = (1 - broken.cumsum(-1)).clamp(min=torch.finfo(y.dtype).tiny)
        return broken.log() - rest.log() + self._left(broken).log()

    @staticmethod
    def _left(x):
        """K, K - 1, ..., 1: how many pieces are still to come after each."""
        return x.shape[-1] + 1 - x.new_ones(x.shape[-1]).cumsum(-1)

    def log_abs_det_jacobian(self, x, y):
        x = x - self._left(x).log()     # d y_i / d x_i = y_i (1 - z_i), and dy/dx is triangular
        return (-x + logsigmoid(x) + y[..., :-1].log()).sum(-1)

    def forward_shape(self, shape):
        _need(shape, 1)
        return shape[:-1] + (shape[-1] + 1,)

    def inverse_shape(self, shape):
        _need(shape, 1)
        return shape[:-1] + (shape[-1] - 1,)


class LowerCholeskyTransform(Plain):
    """The lower triangle of a square matrix, its diagonal exponentiated.

    (*, n, n) -> (*, n, n). Not injective: what stands above the diagonal is dropped, and `inv` puts
    zeros there. It has no Jacobian.

    >>> import retrograd as torch
    >>> torch.distributions.LowerCholeskyTransform()(torch.tensor([[0., 9.], [2., 0.]]))
    tensor([[1., 0.],
            [2., 1.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.lower_cholesky

    def _call(self, x):
        return x.tril(-1) + x.diagonal(dim1=-2, dim2=-1).exp().diag_embed()

    def _inverse(self, y):
        return y.tril(-1) + y.diagonal(dim1=-2, dim2=-1).log().diag_embed()


class PositiveDefiniteTransform(Plain):
    """`L L^T` with L from LowerCholeskyTransform.

    (*, n, n) -> (*, n, n), positive definite. Not injective, without a Jacobian; `inv` takes the
    Cholesky factor and the logarithm of its diagonal.

    >>> import retrograd as torch
    >>> torch.distributions.PositiveDefiniteTransform()(torch.tensor([[0., 9.], [2., 0.]]))
    tensor([[1., 2.],
            [2., 5.]])
    """

    domain = constraints.independent(constraints.real, 2)
    codomain = constraints.positive_definite

    def _call(self, x):
        factor = LowerCholeskyTransform()(x)
        return factor @ factor.mT

    def _inverse(self, y):
        return LowerCholeskyTransform().inv(torch.linalg.cholesky(y))


class CorrCholeskyTransform(Transform):
    """D (D - 1) / 2 numbers to the Cholesky factor of a D x D correlation matrix.

    `z = tanh(x)` are partial correlations, filled row by row below the diagonal; each row is
    a point of the unit sphere whose squares are broken off a stick:
    `y_ij = z_ij sqrt((1 - z_i1^2) ... (1 - z_i,j-1^2))`, and the diagonal takes what remains.
    (Lewandowski, Kurowicka and Joe, 2009; the transform of Stan's cholesky_factor_corr.)

    (*, D (D - 1) / 2) -> (*, D, D); ValueError for a length that is not of that form.

    >>> import retrograd as torch
    >>> torch.distributions.CorrCholeskyTransform()(torch.zeros(1))
    tensor([[1., 0.],
            [0., 1.]])
    """

    domain = constraints.real_vector
    codomain = constraints.corr_cholesky
    bijective = True

    def _call(self, x):
        eps = torch.finfo(x.dtype).eps
        z = vec_to_tril_matrix(x.tanh().clamp(min=-1 + eps, max=1 - eps), diag=-1)
        rest = (1 - z ** 2).sqrt().cumprod(-1)
        z = z + torch.eye(z.shape[-1], dtype=z.dtype, device=z.device)
        return z * pad(rest[..., :-1], [1, 0], value=1)

    def _inverse(self, y):
        rest = 1 - (y * y).cumsum(-1)
        rest = pad(rest[..., :-1], [1, 0], value=1)
        z = tril_matrix_to_vec(y, diag=-1) / tril_matrix_to_vec(rest, diag=-1).sqrt()
        return (z.log1p() - z.neg().log1p()) / 2

    def log_abs_det_jacobian(self, x, y, intermediates=None):
        # dy/dz is triangular with the square roots of what is left of the stick on its diagonal.
        rest = tril_matrix_to_vec(1 - (y * y).cumsum(-1), diag=-2)
        of_tanh = -2 * (x + softplus(-2 * x) - math.log(2.0)).sum(-1)
        return 0.5 * rest.log().sum(-1) + of_tanh

    def forward_shape(self, shape):
        _need(shape, 1)
        n = shape[-1]
        d = round((0.25 + 2 * n) ** 0.5 + 0.5)
        if d * (d - 1) // 2 != n:
            raise ValueError("Input is not a flattened lower-diagonal number")
        return shape[:-1] + (d, d)

    def inverse_shape(self, shape):
        _need(shape, 2)
        if shape[-2] != shape[-1]:
            raise ValueError("Input is not square")
        d = shape[-1]
        return shape[:-2] + (d * (d - 1) // 2,)
