"""Chi2."""

from __future__ import annotations

from . import constraints
from .gamma import Gamma

__all__ = ["Chi2"]


class Chi2(Gamma):
    """The sum of the squares of `df` standard normal numbers: `Gamma(df / 2, 1 / 2)`.

    df is positive, and need not be whole. The mean is df, the variance 2 df. Samples differentiate
    implicitly, as those of Gamma.

    >>> import retrograd as torch
    >>> torch.distributions.Chi2(torch.tensor(3.0)).mean
    tensor(3.)
    """

    arg_constraints = {"df": constraints.positive}
    _parts = ()

    def __init__(self, df, validate_args=None):
        super().__init__(0.5 * df, 0.5, validate_args=validate_args)

    @property
    def df(self):
        return self.concentration * 2
