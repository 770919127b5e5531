"""Of the normal distribution and of entropy: quantiles, logarithms of tails, -x log(x)."""

from __future__ import annotations

import math

import numpy as np

from .. import special
from .compiling import kernel, scalar
from .elementwise import where_usual
from .scalar import choose
from .special import (
    CENTRAL,
    HALF_ROOT,
    LEAST,
    MOST,
    center,
    exp_of_minus_square,
    far_root,
    in_float64,
    log,
    scaled_tail,
)

ROOT_2 = math.sqrt(2)


def ndtri(p):
    return in_float64(ndtri, quantiles, p)


@kernel
def quantiles(p, out):
    """sqrt(2) erfinv(2 p - 1): its pieces in w = -log(4 p (1 - p)), see kernels/special.py."""
    rare = False
    for i in range(out.size):
        a = np.float64(p[i])
        y = 4 * a * (1 - a)
        rare |= not y > CENTRAL
        w = -log(choose(y > CENTRAL, y, 1.0))
        out[i] = ROOT_2 * (2 * a - 1) * center(w / 1.5 - 1)
    if rare:
        for i in range(out.size):
            a = np.float64(p[i])
            if not 4 * a * (1 - a) > CENTRAL:
                out[i] = far_quantile(a)


@scalar
def far_quantile(p):
    if not 0 <= p <= 1:
        return math.nan
    if p == 0 or p == 1:
        return math.copysign(math.inf, p - 0.5)
    w = -(math.log(4) + math.log(p) + math.log1p(-p))
    return math.copysign(ROOT_2 * far_root(w), p - 0.5)


@where_usual(special.log_ndtr, -1e150, 1e150)
def log_ndtr(x):
    """Below -1 the logarithm of the tail; above it log(1 - q) of the other tail's q.

    What the difference 1 - q loses is made good by the slope of the logarithm.
    """
    y = np.float64(x) * HALF_ROOT
    a = abs(y)
    tail = scaled_tail(a) / 2
    small = exp_of_minus_square(a) * tail
    q = choose(x < 0, 1 - small, small)                             # 1 - ndtr(x)
    left = 1 - choose(x < -1, 0.0, q)
    return choose(x < -1, log(tail) - y * y, log(left) - (q - (1 - left)) / left)


@where_usual(special.entr, LEAST, MOST)
def entr(x):
    a = np.float64(x)
    return -a * log(a)

