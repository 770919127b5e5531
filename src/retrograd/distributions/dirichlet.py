"""Dirichlet."""

from __future__ import annotations

import retrograd as torch

from ..autograd import Function
from ..autograd.function import once_differentiable
from ..nn.functional import one_hot
from . import constraints
from .exp_family import ExponentialFamily

__all__ = ["Dirichlet"]


def _Dirichlet_backward(x, concentration, grad_output):
    """The gradient of a sample x, by `dx/da = -(dF/da) / p(x)` of each marginal F."""
    total = concentration.sum(-1, True).expand_as(concentration)
    slope = torch._dirichlet_grad(x, concentration, total)
    return slope * (grad_output - (x * grad_output).sum(-1, True))


class _Dirichlet(Function):

    @staticmethod
    def forward(ctx, concentration):
        x = torch._sample_dirichlet(concentration)
        ctx.save_for_backward(x, concentration)
        return x

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        x, concentration = ctx.saved_tensors
        return _Dirichlet_backward(x, concentration, grad_output)


class Dirichlet(ExponentialFamily):
    """Vectors of nonnegative numbers that add up to 1: `p(x) = prod x_i^(a_i - 1) / B(a)`.

    a is `concentration`, of at least one dimension (else ValueError), and
    `B(a) = prod Gamma(a_i) / Gamma(sum a_i)`. Samples differentiate implicitly (Figurnov,
    Mohamed and Mnih, 2018).

    A concentration of shape (*, K) gives a batch of shape (*) and values of shape (K,). The mean is
    a_i / sum a.

    >>> import retrograd as torch
    >>> torch.distributions.Dirichlet(torch.ones(3)).log_prob(torch.full((3,), 1 / 3)).exp()
    tensor(2.)
    """

    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    _parts = ("concentration",)

    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        shape = concentration.shape
        super().__init__(shape[:-1], shape[-1:], validate_args=validate_args)

    def rsample(self, sample_shape=()):
        return _Dirichlet.apply(self.concentration.expand(self._extended_shape(sample_shape)))

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        a = self.concentration
        return (torch.xlogy(a - 1.0, value).sum(-1) + torch.lgamma(a.sum(-1))
                - torch.lgamma(a).sum(-1))

    @property
    def mean(self):
        return self.concentration / self.concentration.sum(-1, True)

    @property
    def mode(self):
        excess = (self.concentration - 1).clamp(min=0.0)
        mode = excess / excess.sum(-1, True)
        corner = (self.concentration < 1).all(-1)       # the density is largest in a corner
        mode[corner] = one_hot(mode[corner].argmax(-1), mode.shape[-1]).to(mode)
        return mode

    @property
    def variance(self):
        total = self.concentration.sum(-1, True)
        return self.concentration * (total - self.concentration) / (total.pow(2) * (total + 1))

    def entropy(self):
        a, k = self.concentration, self.concentration.size(-1)
        total = a.sum(-1)
        return (torch.lgamma(a).sum(-1) - torch.lgamma(total) - (k - total) * torch.digamma(total)
                - ((a - 1.0) * torch.digamma(a)).sum(-1))

    @property
    def _natural_params(self):
        return (self.concentration,)

    def _log_normalizer(self, x):
        return x.lgamma().sum(-1) - torch.lgamma(x.sum(-1))
