"""Special functions under PyTorch's names in torch.special.

>>> import retrograd as torch
>>> torch.special.gammaln(torch.tensor([1., 4.]))
tensor([0.0000, 1.7918])
"""

from __future__ import annotations

from typing import Any

from . import kernels
from .ops.declare import F as T
from .ops.special import ndtr

__all__ = ["ndtr"]

# Functions that the package has under another name.
_ELSEWHERE = {
    "expit": "sigmoid", "gammainc": "igamma", "gammaincc": "igammac", "gammaln": "lgamma",
    "psi": "digamma", "multigammaln": "mvlgamma",
    **{n: n for n in ("digamma", "exp2", "expm1", "log1p", "logsumexp", "log_softmax", "softmax",
                      "polygamma", "round", "sinc", "erf", "erfc", "erfinv", "i0", "logit",
                      "xlogy")},
}

_HERE = frozenset((
    "airy_ai", "bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "chebyshev_polynomial_t",
    "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w", "entr", "erfcx",
    "hermite_polynomial_h", "hermite_polynomial_he", "i0e", "i1", "i1e", "laguerre_polynomial_l",
    "legendre_polynomial_p", "log_ndtr", "modified_bessel_i0", "modified_bessel_i1",
    "modified_bessel_k0", "modified_bessel_k1", "ndtri", "scaled_modified_bessel_k0",
    "scaled_modified_bessel_k1", "shifted_chebyshev_polynomial_t",
    "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
    "shifted_chebyshev_polynomial_w", "spherical_bessel_j0", "xlog1py", "zeta",
))


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        import retrograd
        found = getattr(retrograd, _ELSEWHERE[name])
    elif name in _HERE:
        found = getattr(T, name)
        if found.__doc__ is None:
            found.__doc__ = getattr(kernels, name).__doc__
    else:
        raise AttributeError(f"module 'torch.special' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__():
    return sorted({*__all__, *_ELSEWHERE, *_HERE})
