"""Losses of a difference: summed in one pass, of blocks in float64."""

from __future__ import annotations

import numpy as np

from .compiling import Number, Part, kernel, scalar, scalar_sums
from .elementwise import alike, elementwise
from .rows import BLOCK, WORK
from .scalar import HALF


def of_difference(formula):
    """The kernel of a loss with one parameter: (input, target, reduction, parameter)."""
    function = scalar(formula)

    def each(x, y, c: Number):
        return function(x - y, c)

    @scalar_sums
    def block_sum(x, y, c):
        whole = x.dtype.type(0)
        for j in range(x.size):
            whole += function(x[j] - y[j], c)
        return whole

    def totals(x, y, part: Part, c: Number):
        part[0] = 0
        for start in range(0, x.size, BLOCK):
            stop = start + BLOCK
            part[0] += block_sum(x[start:stop], y[start:stop], c)
    each.__name__, totals.__name__ = formula.__name__, f"{formula.__name__}_totals"
    apart, together = elementwise(each), kernel(totals)

    def run(x, target, reduction, c=1.0):
        if reduction == 0:
            return apart(x, target, c)
        flat = alike(x, target)
        if flat is None or not x.size:
            return None
        parts = np.empty((-(-x.size // WORK), 1))
        together(*flat, parts, c, chunk=WORK)
        whole = parts.sum()
        return np.asarray(whole / x.size if reduction == 1 else whole, x.dtype)
    return run


@of_difference
def smooth_l1(d, beta):
    size = abs(d)
    return HALF * d * d / beta if size < beta else size - HALF * beta


@of_difference
def huber_loss(d, delta):
    size = abs(d)
    return HALF * d * d if size <= delta else delta * (size - HALF * delta)


def smooth_l1_loss(x, target, reduction, beta=1.0):
    return smooth_l1(x, target, reduction, beta) if beta else None
