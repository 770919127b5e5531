"""Special functions under PyTorch's names in torch.special.

>>> import retrograd as torch
>>> torch.special.gammaln(torch.tensor([1., 4.]))
tensor([0.0000, 1.7918])
"""

from __future__ import annotations

from typing import Any

from .ops.declare import REGISTRY
from .ops.pointwise import round as _round_to
from .ops.public import reporting as _reporting
from .ops.special import ndtr as _ndtr

ndtr = _reporting(_ndtr, "ndtr", __name__, "special_ndtr")


def _round(input, *, decimals=0, out=None):
    """The nearest number with `decimals` digits after the point, halves to even: torch.round.

    >>> import retrograd as torch
    >>> torch.special.round(torch.tensor([0.25, 1.75]), decimals=1)
    tensor([0.2000, 1.8000])
    """
    return _round_to(input, decimals=decimals, out=out)


round = _reporting(_round, "round", __name__, "special_round")

# Functions that the package has under another name.
_ELSEWHERE = {
    "expit": "sigmoid", "gammainc": "igamma", "gammaincc": "igammac", "gammaln": "lgamma",
    "psi": "digamma", "multigammaln": "mvlgamma",
    **{n: n for n in ("digamma", "exp2", "expm1", "log1p", "logsumexp", "log_softmax", "softmax",
                      "polygamma", "sinc", "erf", "erfc", "erfinv", "i0", "logit",
                      "xlogy")},
}
__all__ = sorted(  # pyright: ignore[reportUnsupportedDunderAll]
    {"ndtr", "round", *_ELSEWHERE, *(op.name for op in REGISTRY.values() if op.in_special)})


def __getattr__(name: str) -> Any:
    if name in _ELSEWHERE:
        import retrograd
        found = getattr(retrograd, _ELSEWHERE[name])
        found = _reporting(found, name, __name__, f"special_{name}")
    elif name in REGISTRY and REGISTRY[name].in_special:
        found = REGISTRY[name].fn
    else:
        raise AttributeError(f"module 'torch.special' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__():
    return __all__
