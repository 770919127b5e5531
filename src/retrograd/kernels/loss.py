"""Losses with gradients of their own. Reductions: 0 none, 1 mean, 2 sum."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from . import fast, pointwise
from .activation import log_softmax_dim
from .checks import INT64, all_below
from .half import check_floating, check_single, floating, in_dtype, is_half, narrowed, widened
from .layout import arranged
from .sums import FEW, multiples, number, sum_of, sum_over

TINY = 1e-12              # the least denominator of binary cross entropy's slope
EXACT = 1 << 24           # float32 counts exactly up to here


def reduced(losses, reduction, *operands):
    """The losses, in the operands' memory order, their mean or their sum."""
    if reduction == 0:
        return arranged(losses, *operands) if operands else losses
    if is_half(losses.dtype):            # their own sum would stop growing, or be infinite
        return narrowed(reduced(widened(losses), reduction), losses.dtype)
    if reduction == 2 or losses.size:
        total = sum_of(losses) if losses.dtype.char in "fd" else losses.sum()
        return np.asarray(total if reduction == 2 else total / total.dtype.type(losses.size))
    return np.full((), np.nan, losses.dtype)


def rounded_difference(x, y):
    """x - y in half precision, as float32."""
    return widened(narrowed(widened(x) - widened(y), x.dtype))


def mse_loss(x, target, reduction):
    """(x - target)^2; half precision is rounded after each step, as PyTorch rounds it."""
    if x.dtype.char not in "fd":
        check_floating("mse_cpu", x.dtype)
        difference = rounded_difference(x, target)
        return reduced(narrowed(difference * difference, x.dtype), reduction, x, target)
    difference = x - target
    if reduction and difference.size:
        flat = difference.ravel()
        total = np.square(flat, out=flat).sum()
        return np.asarray(total / flat.dtype.type(flat.size) if reduction == 1 else total)
    return reduced(difference * difference, reduction, x, target)


@floating("smooth_l1_cpu")
def smooth_l1_loss(x, target, reduction, beta):
    """d^2 / (2 beta) where d = |x - target| < beta, d - beta / 2 elsewhere."""
    d = np.asarray(np.abs(x - target))
    if beta == 0:
        return reduced(d, reduction, x, target)
    low = np.minimum(d, beta)                # low (d - low / 2) / beta: both pieces in one
    d -= low / 2
    d *= low
    d /= beta
    return reduced(d, reduction, x, target)


clamp_numbers = fast.either("clamp_numbers", pointwise.clamp_numbers)


def smooth_slope(d, beta):
    """The derivative of `smooth_l1_loss` by the difference."""
    return clamp_numbers(d / beta, -1, 1) if beta else np.sign(d)


def huber_slope(d, delta):
    """The derivative of `huber_loss` by the difference."""
    return clamp_numbers(d, -delta, delta)


def mse_slope(x, y, g):
    """The gradient of (x - y)^2 for x; that of the loss is a number or an array like x.

    Half precision is rounded after each step, too: by way of float32, since NumPy takes 70
    nanoseconds to round a tiny product.
    """
    if is_half(x.dtype):
        return narrowed(rounded_difference(x, y) * widened(2 * g), x.dtype)
    return (x - y) * (2 * g)


@floating("huber_cpu")
def huber_loss(x, target, reduction, delta):
    """d^2 / 2 where d = |x - target| <= delta, delta (d - delta / 2) elsewhere."""
    d = np.asarray(np.abs(x - target))
    low = np.minimum(d, delta)               # low (d - low / 2): both pieces in one
    d -= low / 2
    d *= low
    return reduced(d, reduction, x, target)


SHORT = 1 << 10          # numbers, whose argmin() is there sooner than min()


@floating("binary_cross_entropy")
def binary_cross_entropy(x, target, weight, reduction):
    """-(t log x + (1 - t) log(1 - x)) * weight, each logarithm at least -100."""
    for a in (x, target):
        if not _probabilities(a):
            raise _no_probability(x, target)
    with np.errstate(divide="ignore"):
        log, log_rest = np.maximum(np.log(x), -100), np.maximum(np.log1p(-x), -100)
    losses = (target - 1) * log_rest - target * log
    return reduced(losses if weight is None else losses * weight, reduction)


@floating("binary_cross_entropy")
def entropy_slope(x, target):
    """The derivative of binary_cross_entropy's losses: (x - t) / (x - x^2)."""
    room = (1 - x) * x
    return (x - target) / np.maximum(room, room.dtype.type(TINY))


def _probabilities(a):
    """Whether all numbers are between 0 and 1."""
    if a.size < SHORT:
        return not a.size or (a.item(a.argmin()) >= 0 and a.item(a.argmax()) <= 1)
    return a.min() >= 0 and a.max() <= 1


def _no_probability(x, target):
    """The error for the first element that is no probability, of the input or of the target."""
    outside = [np.append(~((a >= 0) & (a <= 1)), True).argmax() for a in (x, target)]
    name = "input" if outside[0] <= outside[1] else "target"
    return RuntimeError(f"all elements of {name} should be between 0 and 1")


@floating("log_sigmoid_cpu")
def binary_cross_entropy_with_logits_of(x, target, weight, pos_weight, reduction):
    """binary_cross_entropy of sigmoid(x), the target's part weighted by pos_weight."""
    log_rest = np.log1p(np.exp(-np.abs(x))) + np.maximum(-x, 0)  # -log(sigmoid(x))
    if pos_weight is not None:
        log_rest = log_rest * ((pos_weight - 1) * target + 1)
    losses = (1 - target) * x + log_rest
    losses = losses if weight is None else losses * weight
    return in_dtype(reduced(losses, reduction, target, x), target.dtype)


@floating("soft_margin_loss", also="FD")
def soft_margin_loss(x, target, reduction):
    """log(1 + exp(-target * x))."""
    return reduced(np.log1p(np.exp(-target * x)), reduction)


@floating("nll_loss_out_frame")
def nll_loss_forward(x, target, weight, reduction, ignore_index):
    """-weight[t] * x[t] for x (C,), (N, C) or (N, C, *space); -> loss, total weight.

    The mean divides by the sum of the weights of the targets that are not ignored.
    """
    if _all_count(x, target, ignore_index):
        picked, total = x.take(_picks(target, x.shape)), target.size
        if weight is not None:
            scale = weight.take(target)
            picked, total = picked * scale, sum_of(scale)
        if reduction == 0:
            return -picked, np.zeros((), x.dtype)
        if total:
            loss = 0 - sum_of(picked)                           # and not -0.0
            return np.asarray(loss / total if reduction == 1 else loss), np.asarray(total, x.dtype)
    counted = target != ignore_index
    safe = np.where(counted, target, number(0, target.dtype))
    _check_classes(safe, x.shape[0] if x.ndim == 1 else x.shape[1])
    picked = _at_classes(x, safe)
    scale = _class_weights(counted, safe, weight, x.dtype)
    losses = np.where(counted, -picked * scale, number(0, x.dtype))
    if reduction == 0:
        return losses, np.zeros((), x.dtype)
    loss, total = np.add.reduce(losses, None), np.add.reduce(scale, None)
    if reduction == 1:
        if total:
            loss = loss / total
        else:
            with np.errstate(invalid="ignore", divide="ignore"):
                loss = loss / total
    return np.asarray(loss, x.dtype), np.asarray(total)


nll_loss2d_forward = nll_loss_forward


def cross_entropy_of_classes(x, target, reduction, ignore_index):
    """log_softmax of the rows of x (N, C), and nll_loss_forward of it for classes (N):
    -> (N, C), loss, total weight."""
    scores = np.ascontiguousarray(_log_softmax(x, 1))
    return scores, *_of_classes(scores, target, None, reduction, ignore_index)


_log_softmax = fast.either("log_softmax_dim", log_softmax_dim)
_of_classes = fast.either("nll_loss_forward", nll_loss_forward)


def nll_loss_backward(g, target, weight, total, x, reduction, ignore_index):
    """Gradient of `nll_loss_forward` with respect to x, and in its shape."""
    n = target.size
    if reduction and x.ndim > 1 and weight is None and n < EXACT and total.item() == n:
        return _slopes(x, target, -g.item() / max(n, 1) if reduction == 1 else -g.item(), None,
                       None)
    values = -g
    if reduction == 1:
        with np.errstate(invalid="ignore", divide="ignore"):
            values = values / total
    return _slopes(x, target, values, weight, ignore_index)


def nll_slopes(x, target, values, weight, ignore_index):
    """An array like x that is zero except at each target, where it holds a value times the weight
    of the class. The value is one for all (a float or a 0-d array) or one for each target; it is 0
    where the target is ignored. Without a `weight` all classes weigh 1; an `ignore_index` of None
    ignores none."""
    if ignore_index is not None and _all_count(x, target, ignore_index):
        values = values if weight is None else values * weight.take(target)
    elif ignore_index is not None:
        counted = target != ignore_index
        target = np.where(counted, target, 0)
        scale = _class_weights(counted, target, weight, x.dtype)
        with np.errstate(invalid="ignore"):
            values = np.where(counted, values * scale, 0)
    slopes = np.zeros(x.shape, x.dtype)
    if x.ndim == 1:
        slopes[target] = values
    else:
        slopes.reshape(-1)[_picks(target, x.shape)] = values
    return slopes


_slopes = fast.either("nll_slopes", nll_slopes)


def cross_entropy_slopes(y, target, value, ignore_index):
    """log_softmax_backward(nll_slopes): the gradient of what y (N, C) is the log_softmax of, where
    the class of each row gets `value`, unless it is ignored. None: none is."""
    slopes, value = np.exp(y), y.dtype.type(value)
    if ignore_index is None:
        slopes *= value
    else:
        counted = target != ignore_index
        value, target = np.where(counted, value, 0), np.where(counted, target, 0)
        slopes *= value[:, None]
    np.subtract(0, slopes, out=slopes)                          # 0 - 0 is no -0
    slopes.reshape(-1)[_picks(target, y.shape)] += value
    return slopes


def nll_loss_gather(x, target, weight, total, reduction, ignore_index):
    """The transpose of `nll_loss_backward`: what a change of x does to the loss."""
    counted = target != ignore_index
    safe = np.where(counted, target, 0)
    scale = _class_weights(counted, safe, weight, x.dtype)
    losses = np.where(counted, -_at_classes(x, safe) * scale, x.dtype.type(0))
    if reduction == 0:
        return losses
    loss = losses.sum()
    return np.asarray(loss / total if reduction == 1 else loss, x.dtype)


def _all_count(x, target, ignore_index):
    """Whether every target is a class that counts, as in most steps."""
    if x.ndim < 2 or target.size == 0 or 0 <= ignore_index < x.shape[1]:
        return False
    return all_below(target, x.shape[1])


def _picks(target, shape):
    """Where each target lies in the flattened (N, C, *space)."""
    target = target.astype(INT64, copy=False)
    if len(shape) == 2:
        rows, classes = shape
        if rows <= FEW:
            return multiples(rows, classes) + target
        return np.arange(0, rows * classes, classes or 1) + target
    size = math.prod(shape[2:])
    starts = _class_starts if target.size <= FEW else _class_starts.__wrapped__
    return starts(shape[0], shape[1], size).reshape(target.shape) + target * size


@lru_cache(256)
def _class_starts(count, classes, size):
    """Where the first class of each of (N, *space) lies: (N, size)."""
    return (np.arange(count) * (classes * size))[:, None] + np.arange(size)


def _check_classes(target, classes):
    """IndexError unless each target is one of `classes` classes."""
    if not all_below(target, classes):
        wrong = target[(target < 0) | (target >= classes)].flat[0]
        raise IndexError(f"Target {wrong} is out of bounds.")


def _at_classes(x, target):
    if x.ndim == 1:
        return x[target]
    return x.reshape(-1).take(_picks(target, x.shape))


def _class_weights(counted, safe, weight, dtype):
    if weight is None:
        return counted.astype(dtype)
    return np.where(counted, weight[safe], 0).astype(dtype, copy=False)


def multi_margin_loss_of(x, target, weight, p, margin, reduction):
    """sum over j != t of weight[t] * max(0, margin - x[t] + x[j])^p / C."""
    check_single("multi_margin_loss_cpu_kernel", x.dtype)
    gap, _ = _margins(x, target, margin)
    losses = sum_over(gap if p == 1 else gap**p, 1) / x.dtype.type(gap.shape[1])
    if weight is not None:
        losses = losses * weight[target.reshape(-1)]
    return reduced(losses.reshape(target.shape), reduction)


def multi_margin_loss_backward(g, x, target, weight, p, margin, reduction):
    """Gradient of `multi_margin_loss_of` with respect to x."""
    gap, at_target = _margins(x, target, margin)
    rows, classes = gap.shape
    slope = (gap > 0).astype(x.dtype) if p == 1 else 2 * gap
    slope /= x.dtype.type(classes)
    if weight is not None:
        slope *= weight[target.reshape(-1, 1)]
    slope.reshape(-1)[at_target] = -sum_over(slope, 1)
    slope *= g / x.dtype.type(rows) if reduction == 1 else g.reshape(-1, 1)
    return slope.reshape(x.shape)


def classes_of(x):
    """The length of the last axis; a number is one class."""
    return x.shape[-1] if x.ndim else 1


def _margins(x, target, margin):
    """max(0, margin - x[t] + x[j]), 0 for j = t: (N, C); and where the targets are in all of it."""
    rows = np.ascontiguousarray(x.reshape(-1, classes_of(x)))     # written flat below
    if not all_below(target, rows.shape[1]):
        raise RuntimeError("target out of range")
    at_target = np.arange(0, rows.size, rows.shape[1]) + target.reshape(-1)
    gap = (margin - rows.reshape(-1).take(at_target))[:, None] + rows
    np.fmax(gap, number(0, gap.dtype), out=gap)                   # a nan counts as nothing
    gap.reshape(-1)[at_target] = 0
    return gap, at_target


def multilabel_margin_loss_forward(x, target, reduction):
    """sum over targets t and non-targets j of max(0, 1 - (x[t] - x[j])) / C; -> loss, is_target.

    A row's targets end at its first -1.
    """
    check_single("multilabel_margin_loss_forward_out_frame", x.dtype)
    gap, is_target = _label_margins(x, target)
    count, classes, _ = gap.shape
    losses = sum_over(gap.reshape(count, classes * classes), 1) / x.dtype.type(classes)
    losses = reduced(losses.reshape(x.shape[:-1]), reduction)
    return losses, is_target.reshape(x.shape).astype(x.dtype)


def multilabel_margin_loss_backward(g, x, target, reduction):
    """Gradient of `multilabel_margin_loss_forward` with respect to x."""
    gap, _ = _label_margins(x, target)
    classes = classes_of(x)
    slope = (gap > 0).astype(x.dtype) / x.dtype.type(classes)
    rows = np.ascontiguousarray(slope.sum(1))  # towards each non-target
    labels = np.maximum(target.reshape(-1, classes), 0)
    np.subtract.at(rows.reshape(-1), _in_rows(labels, classes).reshape(-1),
                   slope.sum(2).reshape(-1))
    g = np.broadcast_to(g / x.dtype.type(len(rows)) if reduction == 1 else g, x.shape[:-1])
    return (rows * g.reshape(-1, 1)).reshape(x.shape)


def _in_rows(labels, classes):
    """Where the classes named in each row, (N, any), lie in the flattened (N, classes)."""
    return np.arange(0, len(labels) * classes, classes)[:, None] + labels


def _label_margins(x, target):
    """(N, targets, classes) of max(0, 1 - x[t] + x[j]), 0 where t or j does not count."""
    rows, labels = x.reshape(-1, classes_of(x)), target.reshape(-1, classes_of(x))
    valid = np.logical_and.accumulate(labels >= 0, axis=1)
    places = _in_rows(labels, rows.shape[1])        # of -1, too: what is found there is not used
    is_target = np.zeros(rows.shape, bool)
    is_target.reshape(-1)[places[valid]] = True
    gap = (1 - rows.reshape(-1).take(places))[:, :, None] + rows[:, None, :]
    np.fmax(gap, number(0, gap.dtype), out=gap)
    np.copyto(gap, 0, where=valid[:, :, None] <= is_target[:, None, :])     # not valid, or a target
    return gap, is_target
