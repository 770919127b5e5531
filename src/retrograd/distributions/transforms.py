"""Transforms y = f(x) of random values, with log |dy/dx|.

The parts: inverting, caching and composing transforms (`_transform`); transforms of single
numbers (`_pointwise`), of vectors and matrices (`_matrices`), and of the pieces of a tensor
(`_pieces`).

>>> import retrograd as torch
>>> from retrograd.distributions.transforms import AffineTransform, ExpTransform
>>> t = AffineTransform(1.0, 2.0)
>>> x = torch.tensor(3.0)
>>> t(x), t.inv(t(x)), t.log_abs_det_jacobian(x, t(x))
(tensor(7.), tensor(3.), tensor(0.6931))
"""

from ._matrices import (
    CorrCholeskyTransform,
    LowerCholeskyTransform,
    PositiveDefiniteTransform,
    SoftmaxTransform,
    StickBreakingTransform,
)
from ._pieces import CatTransform, StackTransform
from ._pointwise import (
    AbsTransform,
    AffineTransform,
    CumulativeDistributionTransform,
    ExpTransform,
    PowerTransform,
    SigmoidTransform,
    SoftplusTransform,
    TanhTransform,
)
from ._pointwise import clipped_sigmoid as _clipped_sigmoid  # noqa: F401
from ._transform import (
    ComposeTransform,
    IndependentTransform,
    ReshapeTransform,
    Transform,
    _InverseTransform,  # noqa: F401
    identity_transform,
)

__all__ = [
    "AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform",
    "CumulativeDistributionTransform", "ExpTransform", "IndependentTransform",
    "LowerCholeskyTransform", "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform",
    "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform",
    "StickBreakingTransform", "TanhTransform", "Transform", "identity_transform",
]
