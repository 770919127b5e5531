"""Special functions by SciPy's loops, if it is installed: one pass where ours make dozens.

Importing `scipy.special` takes a fifth of a second, once. Without it, igamma of ten numbers takes
half a millisecond each time. For many numbers our vectorised passes can be quicker, so `most` says
up to how many elements SciPy is used. With RETROGRAD_FAST=0 in the environment it is not used at
all.
"""

from __future__ import annotations

import functools
import math

import numpy as np

from . import fast

FEW = 1 << 10


@functools.cache
def loop(name: str):
    """SciPy's function of this name, or None."""
    if fast.forbidden():
        return None
    try:
        from scipy import special
    except ImportError:
        return None
    return getattr(special, name)


def by_scipy(name: str, most=math.inf, kinds="fd", wide=False):
    """Make a kernel leave up to `most` elements of these dtypes to SciPy's function `name`.

    With `wide` float32 is computed by its loop for float64, since its own loses digits.
    """
    def decorate(kernel):
        @functools.wraps(kernel)
        def run(*arrays):
            few = arrays[0].size <= most and all([a.dtype.char in kinds for a in arrays])
            found = loop(name) if few else None
            if found is None:
                return kernel(*arrays)
            if wide:
                return np.asarray(found(*arrays, dtype=np.float64), arrays[0].dtype)
            return np.asarray(found(*arrays))
        return run
    return decorate
