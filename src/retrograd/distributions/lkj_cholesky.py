"""LKJCholesky."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from .beta import Beta
from .distribution import Distribution
from .utils import broadcast_all

__all__ = ["LKJCholesky"]


class LKJCholesky(Distribution):
    """Cholesky factors L of correlation matrices: `p(L L^T)` is proportional to `det(L
    L^T)^(concentration - 1)`.

    1 is uniform over correlation matrices; more favours the identity. Sampled by the onion method
    of Lewandowski, Kurowicka and Joe (2009), section 3.2. ValueError if dim is below 2.

    >>> import retrograd as torch
    >>> L = torch.distributions.LKJCholesky(3).sample()
    >>> torch.allclose((L @ L.T).diagonal(), torch.ones(3))
    True
    """

    arg_constraints = {"concentration": constraints.positive}
    support = constraints.corr_cholesky
    _parts = ("dim", "concentration", "_beta")

    def __init__(self, dim, concentration=1.0, validate_args=None):
        if dim < 2:
            raise ValueError("Expected dim to be an integer greater than or equal to 2. "
                             f"Found dim={dim}.")
        self.dim = dim
        (self.concentration,) = broadcast_all(concentration)
        # The squared length of row i left of the diagonal, i = 1 .. dim - 1; row 0 has none.
        i = torch.arange(dim - 1, dtype=self.concentration.dtype, device=self.concentration.device)
        i = torch.cat([i.new_zeros((1,)), i])
        largest = self.concentration + 0.5 * (dim - 2)
        self._beta = Beta(i + 0.5, largest.unsqueeze(-1) - 0.5 * i)
        super().__init__(self.concentration.size(), torch.Size((dim, dim)), validate_args)

    def sample(self, sample_shape=()):
        with torch.no_grad():
            y = self._beta.sample(sample_shape).unsqueeze(-1)
            direction = torch.randn(self._extended_shape(sample_shape), dtype=y.dtype,
                                    device=y.device).tril(-1)
            direction = direction / direction.norm(dim=-1, keepdim=True)
            direction[..., 0, :].fill_(0.0)
            rows = torch.sqrt(y) * direction
            rest = 1 - (rows ** 2).sum(-1)
            diagonal = rest.clamp(min=torch.finfo(rows.dtype).tiny).sqrt()
            return rows + torch.diag_embed(diagonal)

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        # p(L) = prod_{i=2..D} L_ii^(D - i + 2 (concentration - 1)) / Z, Z as on page 1999 there
        n = self.dim - 1
        i = torch.arange(2, self.dim + 1, device=self.concentration.device)
        power = 2 * (self.concentration - 1).unsqueeze(-1) + self.dim - i
        diagonal = value.diagonal(dim1=-1, dim2=-2)[..., 1:]
        alpha = self.concentration + 0.5 * n
        log_z = (0.5 * n * math.log(math.pi) + torch.mvlgamma(alpha - 0.5, n)
                 - torch.lgamma(alpha) * n)
        return (power * diagonal.log()).sum(-1) - log_z
