"""Arguments for every twin, of a given dtype: `retrograd warmup` and the tests call with them."""

from __future__ import annotations

import numpy as np

from . import TWINS


def normal(dtype, *shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def plain(dtype):
    """One argument, or a gradient and what it belongs to."""
    g, x = normal(dtype, 8, 9, seed=1), normal(dtype, 8, 9)
    return g, x


def calls(name: str, dtype) -> list[tuple]:
    """The argument lists on which the kernel `name` is tried."""
    g, x = plain(dtype)
    if name in ("exp", "tanh", "sigmoid", "silu"):
        return [(x,)]
    return [(g, x)]


def warm_up(dtypes=("float32", "float64")) -> int:
    """Compile every twin for these dtypes, or load it; how many there are."""
    from . import twin
    for dtype in dtypes:
        for name in TWINS:
            for args in calls(name, dtype):
                twin(name)(*args)
    return len(TWINS)
