"""Losses of a difference, summed in one pass, of blocks in float64; the loss of a class a row."""

from __future__ import annotations

import numpy as np

from ..checks import INT64
from .compiling import Count, Number, Part, Whole, kernel, scalar, scalar_sums
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


# Of classes: all rows at once, as few numbers are read. What is not a class, or is left out, is for
# NumPy's kernel: `status` says how many rows were counted.

@kernel
def class_total(x, target, ignored: Count, status: Whole):
    """(rows that count, minus the sum of x[i, target[i]])."""
    whole, counted = 0.0, 0
    for i in range(len(x)):
        t = target[i]
        if 0 <= t < x.shape[1] and t != ignored:
            whole -= x[i, t]
            counted += 1
    status[0], status[1] = counted, whole


@kernel
def class_slopes(out, target, value: Number, status: Whole):
    """`value` at each row's class, 0 elsewhere."""
    for i in range(len(out)):
        row, t = out[i], target[i]
        for j in range(row.size):
            row[j] = 0
        if 0 <= t < row.size:
            row[t] = value
            status[0] += 1


def nll_loss_forward(x, target, weight, reduction, ignore_index):
    if weight is not None or reduction == 0 or not classes_of_rows(x, target):
        return None
    status = np.empty(2)
    class_total(x, target, ignore_index, status, chunk=len(x))
    counted, whole = status.tolist()
    if counted != len(x):
        return None
    n = np.array(len(x), x.dtype)
    return np.array(whole / counted if reduction == 1 else whole, x.dtype), n


def nll_slopes(x, target, value):
    if not classes_of_rows(x, target):
        return None
    out, status = np.empty(x.shape, x.dtype), np.zeros(1)
    class_slopes(out, target, value, status, chunk=len(x))
    return out if status[0] == len(x) else None


def classes_of_rows(x, target):
    """Whether these are numbers (N, C) and a class for each row."""
    return (x.ndim == 2 and x.size and target.shape == x.shape[:1] and target.dtype is INT64
            and x.dtype.char in "fd" and x.flags.carray and target.flags.carray)
