"""The arithmetic of updates on 16-bit arrays: the names of `_arrays.py`.

An operator rounds its result to 16 bits but computes it in float32, as PyTorch's do.
"""

from __future__ import annotations

from functools import wraps

import numpy as np

from . import _arrays
from ._arrays import (  # noqa: F401  the rest of the namespace
    absolute,
    assign,
    clip,
    copy_,
    equal,
    maximum,
    multiply,
    sign,
    sqrt,
    value,
)


def _in_float32(function):
    @wraps(function)
    def rounded(x, *args):
        wide = [a.astype(np.float32) if isinstance(a, np.ndarray) else a for a in (x, *args)]
        function(*wide)
        x[...] = wide[0]

    return rounded


def add_(x, y, alpha):
    """x + alpha y; of all factors, this one is rounded to 16 bits, too."""
    _add(x, y, float(_arrays.constant(alpha, x.dtype)))


def where(condition, x, y):
    """x or y, of the dtype of y."""
    return np.where(condition, x, y).astype(y.dtype)


_add = _in_float32(_arrays.add_)
mul_ = _in_float32(_arrays.mul_)
lerp_ = _in_float32(_arrays.lerp_)
addcmul_ = _in_float32(_arrays.addcmul_)
addcdiv_ = _in_float32(_arrays.addcdiv_)
