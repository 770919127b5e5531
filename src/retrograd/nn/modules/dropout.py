"""Dropout layers: active in training, the identity in evaluation."""
from __future__ import annotations

from retrograd.nn import functional as F
from retrograd.nn._borrowed import borrows
from retrograd.nn._functional.dropout import check_probability
from retrograd.nn.modules.module import Module

__all__ = ["Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout", "FeatureAlphaDropout"]

__getattr__ = borrows(__name__)


class _DropoutNd(Module):
    __constants__ = ["p", "inplace"]

    def __init__(self, p=0.5, inplace=False):
        super().__init__()
        check_probability(p)
        self.p = p
        self.inplace = inplace

    def extra_repr(self):
        return f"p={self.p}, inplace={self.inplace}"


class Dropout(_DropoutNd):
    """Zero each element with probability p and scale the others by 1 / (1 - p), in training.

    (*) -> (*).

    In evaluation, after `eval()`, it is the identity. Raises ValueError for a p outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.Dropout(0.5).eval()(torch.ones(2))
    tensor([1., 1.])
    """

    def forward(self, input):
        return F.dropout(input, self.p, self.training, self.inplace)


class Dropout1d(_DropoutNd):
    """Zero whole channels of (N, C, L) or (C, L), each with probability p, in training.

    The others are scaled by 1 / (1 - p) (Tompson et al. 2015). In evaluation it is the identity.
    Raises ValueError for a p outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.Dropout1d(0.5).eval()(torch.ones(1, 2, 2)).shape
    torch.Size([1, 2, 2])
    """

    def forward(self, input):
        return F.dropout1d(input, self.p, self.training, self.inplace)


class Dropout2d(_DropoutNd):
    """Zero whole channels of (N, C, H, W), each with probability p, in training.

    The others are scaled by 1 / (1 - p) (Tompson et al. 2015). In evaluation it is the identity.
    Raises ValueError for a p outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.Dropout2d(0.5).eval()(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2])
    """

    def forward(self, input):
        return F.dropout2d(input, self.p, self.training, self.inplace)


class Dropout3d(_DropoutNd):
    """Zero whole channels of (N, C, D, H, W) or (C, D, H, W), each with probability p, in training.

    The others are scaled by 1 / (1 - p) (Tompson et al. 2015). In evaluation it is the identity.
    Raises ValueError for a p outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.Dropout3d(0.5).eval()(torch.ones(1, 2, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    def forward(self, input):
        return F.dropout3d(input, self.p, self.training, self.inplace)


class AlphaDropout(_DropoutNd):
    """Dropout that keeps mean and variance of SELU activations (Klambauer et al. 2017).

    (*) -> (*). In training each element becomes SELU's limit -1.7581 with probability p, and all
    are then scaled and shifted to mean 0 and variance 1. In evaluation it is the identity. Raises
    ValueError for a p outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.AlphaDropout(0.5).eval()(torch.ones(2))
    tensor([1., 1.])
    """

    def forward(self, input):
        return F.alpha_dropout(input, self.p, self.training, self.inplace)


class FeatureAlphaDropout(_DropoutNd):
    """AlphaDropout of whole channels, each dropped with probability p in training.

    (N, C, ...) of the same shape. In evaluation it is the identity. Raises ValueError for a p
    outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.FeatureAlphaDropout(0.5).eval()(torch.ones(1, 2, 2)).shape
    torch.Size([1, 2, 2])
    """

    def forward(self, input):
        return F.feature_alpha_dropout(input, self.p, self.training, self.inplace)
