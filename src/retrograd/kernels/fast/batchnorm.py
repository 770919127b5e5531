"""Batch normalisation: statistics of a channel over planes, (N, C, size), or columns, (N, C)."""

from __future__ import annotations

import math

import numpy as np

from .. import norm as plain
from ..half import is_half
from ..layout import as_rows, channels_last, moved
from . import batchnorm_few
from .compiling import Part, Whole, kernel
from .elementwise import dense
from .half import in_single
from .norm import (
    channel_sums,
    flat,
    native_group_norm_backward,
    native_group_norm_of,
    same_dtype,
    squares,
)
from .reduce import floats
from .rows import WORK, chunk_of, total

UNUSED = np.empty((2, 0))           # no sums are made in evaluation


@kernel
def plane_totals(x, out):
    """x (N, C, size) -> (N, C)"""
    for i in range(len(x)):
        for c in range(x.shape[1]):
            out[i, c] = total(x[i, c])


@kernel
def plane_squares(x, out, mean: Whole):
    for i in range(len(x)):
        for c in range(x.shape[1]):
            out[i, c] = squares(x[i, c], mean[c])


@kernel
def scale_planes(x, y, mean: Whole, scale: Whole, shift: Whole):
    """(x - mean) * scale + shift of each channel."""
    for i in range(len(x)):
        for c in range(x.shape[1]):
            row, out = x[i, c], y[i, c]
            m, a, b = mean[c], scale[c], shift[c]
            for j in range(row.size):
                out[j] = (row[j] - m) * a + b


@kernel
def plane_slopes(g, x, level, along, mean: Whole):
    """sum(g) and sum(g * (x - mean)) of each plane."""
    for i in range(len(x)):
        for c in range(x.shape[1]):
            level[i, c], along[i, c] = channel_sums(g[i, c], x[i, c], mean[c])


@kernel
def planes_backward(g, x, gx, mean: Whole, factor: Whole, low: Whole, tilt: Whole):
    """factor * (g - low - (x - mean) * tilt)"""
    for i in range(len(x)):
        for c in range(x.shape[1]):
            up, row, out = g[i, c], x[i, c], gx[i, c]
            m, f, a, b = mean[c], factor[c], low[c], tilt[c]
            for j in range(row.size):
                out[j] = f * (up[j] - a - (row[j] - m) * b)


@kernel
def column_squares(x, out: Part, mean: Whole):
    out[:] = 0
    for i in range(len(x)):
        for c in range(out.size):
            out[c] += (x[i, c] - mean[c]) * (x[i, c] - mean[c])


@kernel
def scale_columns(x, y, mean: Whole, scale: Whole, shift: Whole):
    for i in range(len(x)):
        for c in range(x.shape[1]):
            y[i, c] = (x[i, c] - mean[c]) * scale[c] + shift[c]


@kernel
def column_slopes(g, x, level: Part, along: Part, mean: Whole):
    level[:], along[:] = 0, 0
    for i in range(len(x)):
        for c in range(x.shape[1]):
            level[c] += g[i, c]
            along[c] += g[i, c] * (x[i, c] - mean[c])


@kernel
def columns_backward(g, x, gx, mean: Whole, factor: Whole, low: Whole, tilt: Whole):
    for i in range(len(x)):
        for c in range(x.shape[1]):
            gx[i, c] = factor[c] * (g[i, c] - low[c] - (x[i, c] - mean[c]) * tilt[c])


def by_channel(x):
    """(N, C, ...) -> (N, C, size), or (N, C)."""
    n, c = x.shape[:2]
    return x.reshape(n, c) if x.size == n * c else x.reshape(n, c, -1)


def columns_of(x):
    """(N, C, *space) as (positions, C): without a copy, where channels lie innermost."""
    return as_rows(x).reshape(-1, x.shape[1])


def like_columns(y, x):
    """y, columns, in the shape of x."""
    return None if y is None else moved(y.reshape(len(x), *x.shape[2:], -1), -1, 1)


def summed(of_planes, of_columns, count, arrays, *rest):
    """`count` sums of each channel, as float64: (count, C)."""
    x = arrays[0]
    chunk = 1 if x.ndim == 3 else max(chunk_of(x), math.isqrt(len(x)))
    parts = np.empty((count, -(-len(x) // chunk), x.shape[1]))
    (of_planes if x.ndim == 3 else of_columns)(*arrays, *parts, *rest, chunk=chunk)
    return parts.sum(1)


def filled(of_planes, of_columns, *arrays):
    x = arrays[0]
    if x.ndim == 3:
        of_planes(*arrays, chunk=1)
    else:
        of_columns(*arrays, chunk=chunk_of(x))


def native_batch_norm_of(x, weight, bias, running_mean, running_var, training, momentum, eps):
    if is_half(x.dtype):
        written = (running_mean, running_var) if training else ()
        if any(a is not None and is_half(a.dtype) for a in written):
            return None                    # a copy in float32 would be written to
        return in_single(native_batch_norm_of, x, weight, bias, running_mean, running_var,
                         training, momentum, eps)
    if channels_last(x):
        y, *saved = native_batch_norm_of(columns_of(x), weight, bias, running_mean, running_var,
                                         training, momentum, eps) or (None,)
        return None if y is None else (like_columns(y, x), *saved)
    if x.dtype.char not in "fd" or not x.flags.carray or not x.size \
            or not same_dtype(x, weight, bias, running_mean, running_var):
        return None
    if x.size <= WORK:
        return of_few(x, weight, bias, running_mean, running_var, training, momentum, eps)
    planes, real, c = by_channel(x), x.dtype.type, x.shape[1]
    if plain.alone(x, training, running_mean):
        y, *saved = native_group_norm_of(*plain.of_channels(x, weight, bias, eps)) or (None,)
        return None if y is None else (y, *(a.reshape(c) for a in saved))
    if training:
        count = x.size // c
        mean = (summed(plane_totals, floats.columns, 1, (planes,))[0] / count).astype(x.dtype)
        var = summed(plane_squares, column_squares, 1, (planes,), mean)[0] / count
        var = var.astype(x.dtype)
        rstd = 1 / np.sqrt(var + real(eps))
        move(running_mean, mean, momentum)
        move(running_var, var * (count / max(count - 1, 1)), momentum)
        saved = mean, rstd
    else:
        mean, rstd = running_mean, 1 / np.sqrt(running_var + real(eps))
        saved = np.empty(0, x.dtype), np.empty(0, x.dtype)
    y = np.empty(x.shape, x.dtype)
    filled(scale_planes, scale_columns, planes, by_channel(y), mean,
           rstd * flat(weight, c, 1, x.dtype), flat(bias, c, 0, x.dtype))
    return y, *saved


def of_few(x, weight, bias, running_mean, running_var, training, momentum, eps):
    """`native_batch_norm_of` by one kernel."""
    c, dtype = x.shape[1], x.dtype
    y, rstd = np.empty(x.shape, dtype), np.empty(c, dtype)
    if training:
        mean, sums = np.empty(c, dtype), np.empty((2, c))
        if running_mean is None:
            running_mean, running_var = np.empty((2, c), dtype)
    else:
        mean, sums = running_mean, UNUSED
    batchnorm_few.forward(by_channel(x), by_channel(y), mean, rstd, running_mean, running_var,
                          flat(weight, c, 1, dtype), flat(bias, c, 0, dtype), sums, momentum, eps,
                          bool(training), chunk=len(x))
    return (y, mean, rstd) if training else (y, np.empty(0, dtype), np.empty(0, dtype))


def few_backward(g, x, weight, mean, spread, training, eps, mask):
    """`native_batch_norm_backward` by one kernel."""
    c, gx = x.shape[1], np.empty(x.shape, x.dtype)
    gw, gb = np.empty((2, c), x.dtype)
    batchnorm_few.backward(by_channel(g), by_channel(x), by_channel(gx), gw, gb, mean, spread,
                           flat(weight, c, 1, x.dtype), np.empty((3, c)), eps, bool(training),
                           chunk=len(x))
    return (gx if mask[0] else None, gw if mask[1] and weight is not None else None,
            gb if mask[2] else None)


def native_batch_norm_backward(g, x, weight, running_mean, running_var, save_mean, save_rstd,
                               training, eps, mask):
    if channels_last(x):
        found = native_batch_norm_backward(columns_of(g), columns_of(x), weight, running_mean,
                                           running_var, save_mean, save_rstd, training, eps, mask)
        return found and (like_columns(found[0], x), *found[1:])
    mean, rstd = (save_mean, save_rstd) if training else (running_mean, running_var)
    g = dense(g)
    if x.dtype.char not in "fd" or not x.flags.carray or not x.size \
            or not same_dtype(x, weight, mean, rstd, g):
        return None
    if x.size <= WORK:
        return few_backward(g, x, weight, mean, rstd, training, eps, mask)
    if plain.alone(x, training, running_mean):
        return native_group_norm_backward(
            g, *plain.of_channels_backward(x, weight, save_mean, save_rstd, mask))
    g_planes, planes, c = by_channel(g), by_channel(x), x.shape[1]
    if not training:
        rstd = 1 / np.sqrt(running_var + x.dtype.type(eps))
    level, along = summed(plane_slopes, column_slopes, 2, (g_planes, planes), mean)
    gx, factor = None, rstd * flat(weight, c, 1, x.dtype)
    if mask[0]:
        gx, count = np.empty(x.shape, x.dtype), x.size // c
        if training:
            filled(planes_backward, columns_backward, g_planes, planes, by_channel(gx), mean,
                   factor, (level / count).astype(x.dtype),
                   (along / count * rstd * rstd).astype(x.dtype))
        else:
            zeros = np.zeros(c, x.dtype)
            filled(scale_planes, scale_columns, g_planes, by_channel(gx), zeros, factor, zeros)
    return (gx, (along * rstd).astype(x.dtype) if mask[1] and weight is not None else None,
            level.astype(x.dtype) if mask[2] else None)


def move(running, value, momentum):
    """running + momentum * (value - running), in place."""
    if running is not None:
        running *= 1 - momentum
        running += (momentum * value).astype(running.dtype, copy=False)
