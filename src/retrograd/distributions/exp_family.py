"""ExponentialFamily."""

from __future__ import annotations

from typing import Any

import retrograd as torch

from .distribution import Distribution
from .utils import Undeclared

__all__ = ["ExponentialFamily"]


class ExponentialFamily(Distribution):
    """A distribution `p(x) = exp(<t(x), theta> - A(theta) + k(x))`.

    A subclass gives theta (`_natural_params`), A (`_log_normalizer`) and the expected value of
    k (`_mean_carrier_measure`). As the gradient of A is the expected value of t, the entropy is
    `A(theta) - <theta, dA/dtheta> - E k` (Nielsen and Nock, 2010), and the divergence of two
    members of a family is the Bregman divergence of A.

    `batch_shape` and `event_shape` are those of Distribution.

    >>> import retrograd as torch
    >>> from retrograd import distributions as D
    >>> isinstance(D.Normal(0., 1.), D.ExponentialFamily)
    True
    >>> D.Normal(0., 1.).entropy()
    tensor(1.4189)
    """

    _natural_params: Any = Undeclared("theta, a tuple of tensors")
    _mean_carrier_measure: Any = Undeclared("E k")

    def _log_normalizer(self, *natural_params):
        raise NotImplementedError

    def entropy(self):
        thetas = [theta.detach().requires_grad_() for theta in self._natural_params]
        normalizer = self._log_normalizer(*thetas)
        slopes = torch.autograd.grad(normalizer.sum(), thetas, create_graph=True)
        result = normalizer - self._mean_carrier_measure
        for theta, slope in zip(thetas, slopes, strict=True):
            result = result - (theta * slope).reshape((*self._batch_shape, -1)).sum(-1)
        return result
