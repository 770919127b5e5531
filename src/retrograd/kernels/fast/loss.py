"""Losses of pairs, summed in one pass, blocks in float64; and losses of one class a row."""

from __future__ import annotations

import math

import numpy as np

from ..checks import INT64
from ..loss import reduced
from ..shape import contiguous
from .compiling import Count, Number, Part, Whole, kernel, scalar, scalar_sums
from .elementwise import alike, dense, elementwise
from .rows import BLOCK, COSTLY, WORK
from .scalar import HALF, ONE, TWO, softplus
from .softmax import exp, group, log_softmax_rows


def of_pairs(formula):
    """The kernel of a loss with one parameter: (input, target, reduction, parameter)."""
    function = scalar(formula)

    def each(x, y, c: Number):
        return function(x, y, c)

    @scalar_sums
    def block_sum(x, y, c):
        whole = x.dtype.type(0)
        for j in range(x.size):
            whole += function(x[j], y[j], c)
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
        if x.shape != target.shape:
            return None
        flat = alike(contiguous(x), contiguous(target))
        if flat is None or not x.size:
            return None
        parts = np.empty((-(-x.size // WORK), 1))
        together(*flat, parts, c, chunk=WORK)
        whole = parts.sum()
        return np.asarray(whole / x.size if reduction == 1 else whole, x.dtype)
    return run


@of_pairs
def squares(x, y, _):
    return (x - y) * (x - y)


def mse_loss(x, target, reduction):
    return squares(x, target, reduction) if x.dtype.char in "fd" else None


@elementwise
def slope_by_number(x, y, g: Number):
    return (x - y) * (TWO * g)


@elementwise
def slope_by_each(x, y, g):
    return (x - y) * (TWO * g)


def mse_slope(x, y, g):
    """See kernels.loss."""
    if x.dtype.char not in "fd":
        return None
    return slope_by_each(x, y, g) if g.ndim else slope_by_number(x, y, float(g))


@of_pairs
def smooth_l1(x, y, beta):
    d, size = x - y, abs(x - y)
    return HALF * d * d / beta if size < beta else size - HALF * beta


@of_pairs
def huber_loss(x, y, delta):
    d, size = x - y, abs(x - y)
    return HALF * d * d if size <= delta else delta * (size - HALF * delta)


def smooth_l1_loss(x, target, reduction, beta=1.0):
    return smooth_l1(x, target, reduction, beta) if beta else None


@of_pairs
def entropy_of_logits(x, target, _):
    return (ONE - target) * x + softplus(-x)


@elementwise
def weighted_entropy_of_logits(x, target, pos_weight):
    return (ONE - target) * x + softplus(-x) * ((pos_weight - ONE) * target + ONE)


def binary_cross_entropy_with_logits_of(x, target, weight, pos_weight, reduction):
    """See kernels.loss."""
    if weight is not None:
        return None
    if pos_weight is None:
        return entropy_of_logits(x, target, reduction)
    of_each = np.array(np.broadcast_to(pos_weight, x.shape), order="C")
    losses = weighted_entropy_of_logits(x, target, of_each)
    return None if losses is None else reduced(losses, reduction)


# Of classes: x is rows of scores or, where there are weights, ignored classes or a class for each
# place, (images, classes, places); a few rows take less time without the latter's arguments.
# `counted` and `wrong` reveal a target that is no class; NumPy's kernel then raises the error.

@scalar
def row_losses(x, target, ignored, sums):
    """sums = (how many targets are classes, minus the sum of x[i, target[i]])"""
    counted, whole = 0, 0.0
    for i in range(len(x)):
        t = target[i]
        if 0 <= t < x.shape[1] and t != ignored:
            counted += 1
            whole -= x[i, t]
    sums[0], sums[1] = counted, whole


@kernel
def losses_of_rows(x, target, ignored: Count, sums: Part):
    row_losses(x, target, ignored, sums)


log_softmax = log_softmax_rows.body


@kernel
def log_softmax_losses(x, scores, target, ignored: Count, sums: Part):
    """The log_softmax of each row, and row_losses of it."""
    log_softmax(x.reshape(-1), scores.reshape(-1), x.shape[1])
    row_losses(scores, target, ignored, sums)


@kernel
def row_slopes(out, target, value: Number, counted: Part):
    """`value` at each row's class, 0 elsewhere."""
    counted[0] = 0
    for i in range(len(out)):
        row, t = out[i], target[i]
        for j in range(row.size):
            row[j] = 0
        if 0 <= t < row.size:
            row[t] = value
            counted[0] += 1


@kernel
def slopes_of_scores(y, target, out, value: Number, ignored: Count):
    """`value` at each row's class, minus exp(y) times it; 0 for a row that is ignored."""
    rows = group(y.shape[1]) // y.shape[1]
    for start in range(0, len(y), rows):
        power, slope = y[start:start + rows].reshape(-1), out[start:start + rows].reshape(-1)
        for j in range(slope.size):
            slope[j] = exp(power[j])
        for i in range(start, min(start + rows, len(y))):
            row, t = out[i], target[i]
            weight = value if t != ignored else y.dtype.type(0)
            for j in range(row.size):
                row[j] = y.dtype.type(0) - row[j] * weight
            if 0 <= t < row.size:
                row[t] += weight


@kernel
def class_losses(x, target, losses, weight: Whole, ignored: Count, sums: Whole):
    """losses[i, j] = -weight[t] x[i, t, j] for each target t, and 0 where it is ignored.

    `losses` may have no columns, if they are not asked for. sums = (targets that are no class, the
    sum of the losses, the sum of the weights).
    """
    wrong, whole, total = 0, 0.0, 0.0
    for i in range(len(x)):
        for j in range(x.shape[2]):
            t, loss = target[i, j], x.dtype.type(0)
            if t != ignored:
                if 0 <= t < x.shape[1]:
                    share = weight[t] if weight.size else x.dtype.type(1)
                    loss = -x[i, t, j] * share
                    whole += loss
                    total += share
                else:
                    wrong += 1
            if losses.shape[1]:
                losses[i, j] = loss
    sums[0], sums[1], sums[2] = wrong, whole, total


@kernel
def class_slopes(out, target, values, wrong: Part, weight: Whole, value: Number, some: Count,
                 ignored: Count):
    """out[i, t, j] = value * weight[t] for each target t, and 0 elsewhere.

    Instead of `value` each place has its own, if `values` has columns. `some`: whether there are
    targets, equal to `ignored`, to be left out.
    """
    wrong[0] = 0
    for i in range(len(out)):
        image = out[i].reshape(-1)
        for k in range(image.size):
            image[k] = 0
        for j in range(out.shape[2]):
            t = target[i, j]
            if some and t == ignored:
                continue
            if 0 <= t < out.shape[1]:
                share = weight[t] if weight.size else out.dtype.type(1)
                out[i, t, j] = (values[i, j] if values.shape[1] else value) * share
            else:
                wrong[0] += 1


def nll_loss_forward(x, target, weight, reduction, ignore_index):
    if weight is None and reduction and are_rows(x, target):
        sums = np.empty((1, 2))
        losses_of_rows(x, target, ignore_index, sums, chunk=len(x))
        reduced = over_rows(sums, len(x), x.dtype, reduction)
        if reduced is not None:
            return reduced
    images = images_of(x, target, weight)
    if images is None:
        return None
    n, _, places = images.shape
    losses, sums = np.empty((n, 0 if reduction else places), x.dtype), np.empty(3)
    class_losses(images, target.reshape(n, places), losses, weights_of(x, weight), ignore_index,
                 sums, chunk=n)
    wrong, whole, total = sums.tolist()
    if wrong or not total and reduction == 1:
        return None
    if reduction == 0:
        return losses.reshape(target.shape), np.zeros((), x.dtype)
    return np.array(whole / total if reduction == 1 else whole, x.dtype), np.array(total, x.dtype)


nll_loss2d_forward = nll_loss_forward


def over_rows(sums, n, dtype, reduction):
    """The loss and the total weight, if each of n rows has a class that counts."""
    (counted, whole), = sums.tolist() if len(sums) == 1 else (sums.sum(0).tolist(),)
    if counted != n:
        return None
    return np.array(whole / n if reduction == 1 else whole, dtype), np.array(n, dtype)


def cross_entropy_of_classes(x, target, reduction, ignore_index):
    if not reduction or len(x) != len(target):
        return None
    (n, width), dtype = x.shape, x.dtype
    chunk = COSTLY // width or 1
    out, sums = np.empty((n, width), dtype), np.empty((-(-n // chunk), 2))
    if not log_softmax_losses.run(chunk, (x, out, target, ignore_index, sums)):
        if not are_rows(x, target):
            return None
        log_softmax_losses(x, out, target, ignore_index, sums, chunk=chunk)
    reduced = over_rows(sums, n, dtype, reduction)
    return reduced and (out, *reduced)


def cross_entropy_slopes(y, target, value, ignore_index):
    (n, width), dtype = y.shape, y.dtype
    if n != len(target):
        return None
    out, chunk = np.empty((n, width), dtype), COSTLY // width or 1
    ignore_index = -1 if ignore_index is None else ignore_index
    if not slopes_of_scores.run(chunk, (y, target, out, value, ignore_index)):
        if not are_rows(y, target):
            return None
        slopes_of_scores(y, target, out, value, ignore_index, chunk=chunk)
    return out


def nll_slopes(x, target, values, weight, ignore_index):
    if values.__class__ is float:
        out, counted, n = np.empty(x.shape, x.dtype), np.empty((1, 1)), len(x)
        args = out, target, values, counted
        if n == len(target) and row_slopes.run(n, args):
            return out if counted.item() == n else None
        if are_rows(x, target):
            row_slopes(*args, chunk=n)
            return out if counted.item() == n else None
        values = np.array(values, x.dtype)
    images = images_of(x, target, weight)
    if images is None or values.dtype is not x.dtype or values.shape not in ((), target.shape):
        return None
    out = np.empty(x.shape, x.dtype)
    (n, _, places), chunk = images.shape, max(1, WORK // max(1, math.prod(images.shape[1:])))
    wrong = np.empty((-(-n // chunk), 1))
    class_slopes(out.reshape(images.shape), target.reshape(n, places),
                 dense(values).reshape(n, places) if values.ndim else np.empty((n, 0), x.dtype),
                 wrong, weights_of(x, weight), 0.0 if values.ndim else values.item(),
                 ignore_index is not None, ignore_index or 0, chunk=chunk)
    return None if wrong.any() else out


def are_rows(x, target):
    """Whether x is numbers (N, classes), and there is a class for each row."""
    return (x.ndim == 2 and x.size and target.shape == x.shape[:1] and target.dtype is INT64
            and x.dtype.char in "fd" and x.flags.carray and target.flags.carray)


def images_of(x, target, weight):
    """x (N, classes, *space) as (N, classes, places), if there is a class for each place."""
    if (x.ndim < 2 or not x.size or target.shape != x.shape[:1] + x.shape[2:]
            or target.dtype is not INT64 or x.dtype.char not in "fd"
            or weight is not None and (weight.dtype is not x.dtype or weight.shape != x.shape[1:2])
            or not (x.flags.carray and target.flags.carray)):
        return None
    return x.reshape(*x.shape[:2], -1)


def weights_of(x, weight):
    return np.empty(0, x.dtype) if weight is None else dense(weight)
