"""Which dtypes a kernel takes: half precision is computed in float32, integers are refused."""

from __future__ import annotations

from functools import wraps

import numpy as np

from . import fast
from .checks import not_implemented

SINGLE = np.dtype("float32")


def _cast(a, dtype):
    return a.astype(dtype, copy=False)


_cast_by_size = fast.either("cast", _cast)


def in_dtype(a, dtype):
    """The numbers of `a` in a dtype; `a` itself if that is the one it has."""
    return a if a.dtype is dtype else _cast_by_size(a, dtype)


def is_half(dtype):
    """Whether dtype is float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind not in "iub"


def widened(a):
    """Half precision as float32, anything else as it is."""
    known = isinstance(a, (np.ndarray, np.generic))
    return in_dtype(a, SINGLE) if known and is_half(a.dtype) else a


def floating(label, also=""):
    """Make a kernel take float32 and float64, and half precision by way of float32.

    `also` has the characters of other dtypes that it takes; the rest raise NotImplementedError.
    """
    taken = "fd" + also

    def decorate(kernel):
        @wraps(kernel)
        def run(x, *rest):
            if x.dtype.char in taken:
                return kernel(x, *rest)
            if not is_half(x.dtype):
                refuse(label, x.dtype)
            result = kernel(widened(x), *map(widened, rest))
            return narrowed(result, x.dtype)
        return run
    return decorate


def check_single(label, dtype):
    """Refuse what is neither float32 nor float64."""
    if dtype.char not in "fd":
        refuse(label, dtype)


def check_floating(label, dtype):
    """Refuse what is neither float32, float64 nor half precision."""
    if dtype.char not in "fd" and not is_half(dtype):
        refuse(label, dtype)


def narrowed(result, dtype):
    if isinstance(result, tuple):
        return tuple(narrowed(r, dtype) for r in result)
    return in_dtype(result, dtype) if result.dtype == SINGLE else result


def refuse(label, dtype):
    """Raise PyTorch's error for a dtype that a kernel does not take."""
    raise not_implemented(label, dtype)
