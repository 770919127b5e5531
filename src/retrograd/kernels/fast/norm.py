"""Normalisations: the statistics of a row, and gradients, in two passes over it."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from ..layout import like
from .compiling import Number, Part, Whole, kernel, scalar, scalar_sums
from .elementwise import dense
from .rows import BLOCK, WORK

KEPT = 1 << 12          # elements of a row of ones that is kept for the next layer without weights


@scalar_sums
def block_squares(x, mean):
    part = x.dtype.type(0)
    for j in range(x.size):
        part += (x[j] - mean) * (x[j] - mean)
    return part


@scalar
def squares(x, mean):
    """sum((x - mean)^2)"""
    whole = 0.0
    for start in range(0, x.size, BLOCK):
        whole += block_squares(x[start:start + BLOCK], mean)
    return whole


@scalar_sums
def block_offsets(x, first):
    part = x.dtype.type(0)
    for j in range(x.size):
        part += x[j] - first
    return part


@scalar
def offsets(x, first):
    """sum(x - first), 0 for equal numbers however their mean is rounded."""
    whole = 0.0
    for start in range(0, x.size, BLOCK):
        whole += block_offsets(x[start:start + BLOCK], first)
    return whole


@kernel
def standardize(x, y, mean, rstd, weight: Whole, bias: Whole, eps: Number):
    """(x - mean) * rstd * weight + bias of each row, rstd = 1 / sqrt(var + eps)."""
    real = x.dtype.type
    for i in range(len(x)):
        row, out = x[i], y[i]
        m = real(row[0] + offsets(row, row[0]) / row.size)
        r = real(1 / math.sqrt(squares(row, m) / row.size + eps))
        mean[i], rstd[i] = m, r
        for j in range(row.size):
            out[j] = (row[j] - m) * r * weight[j] + bias[j]


@scalar_sums
def slopes(g, x, weight, mean):
    """sum(g * weight) and sum(g * weight * (x - mean))."""
    level = along = x.dtype.type(0)
    for j in range(x.size):
        level += g[j] * weight[j]
        along += g[j] * weight[j] * (x[j] - mean)
    return level, along


@kernel
def standardize_backward(g, x, mean, rstd, gx, weight: Whole, gw: Part, gb: Part):
    """gx = rstd * (g w - mean(g w) - z mean(g w z)) of each row, with z = (x - mean) * rstd.

    gw and gb collect g * z and g, summed over the rows of a chunk.
    """
    real = x.dtype.type
    gw[:], gb[:] = 0, 0
    for i in range(len(x)):
        up, row, out, m, r = g[i], x[i], gx[i], mean[i], rstd[i]
        level = along = 0.0
        for start in range(0, row.size, BLOCK):
            stop = start + BLOCK
            a, b = slopes(up[start:stop], row[start:stop], weight[start:stop], m)
            level, along = level + a, along + b
        low, tilt = real(level / row.size), real(along / row.size * r * r)
        for j in range(row.size):
            off = row[j] - m
            out[j] = r * (up[j] * weight[j] - low - off * tilt)
            gw[j] += up[j] * off * r
            gb[j] += up[j]


def native_layer_norm_of(x, weight, bias, normalized_shape, eps):
    if x.dtype.char not in "fd" or not x.size or not same_dtype(x, weight, bias):
        return None
    shape, kept, chunk = rows_of(x.shape, len(normalized_shape))
    count, size = shape
    y, (mean, rstd) = np.empty(x.shape, x.dtype), np.empty((2, count), x.dtype)
    standardize(dense(x).reshape(shape), y.reshape(shape), mean, rstd,
                flat(weight, size, 1, x.dtype), flat(bias, size, 0, x.dtype), eps, chunk=chunk)
    return y, mean.reshape(kept), rstd.reshape(kept)


@lru_cache(1 << 10)
def rows_of(shape, width):
    """The shape (rows, elements of the last `width` dimensions), that of what is kept of each row,
    and rows of a chunk."""
    lead = len(shape) - width
    rows = math.prod(shape[:lead]), math.prod(shape[lead:])
    return rows, shape[:lead] + (1,) * width, max(1, WORK // rows[1])


def native_layer_norm_backward(g, x, normalized_shape, mean, rstd, weight, bias, mask):
    if x.dtype.char not in "fd" or g.dtype is not x.dtype or not x.size \
            or not same_dtype(x, weight, bias, mean, rstd):
        return None
    shape, _, chunk = rows_of(x.shape, len(normalized_shape))
    (count, size), chunk, gx = shape, 4 * chunk, np.empty(x.shape, x.dtype)
    gw, gb = [np.empty((-(-count // chunk), size), x.dtype) for _ in "wb"]
    standardize_backward(dense(g).reshape(shape), dense(x).reshape(shape), mean.reshape(-1),
                         rstd.reshape(-1), gx.reshape(shape), flat(weight, size, 1, x.dtype),
                         gw, gb, chunk=chunk)
    return (gx if mask[0] else None,
            summed(gw, weight) if mask[1] and weight is not None else None,
            summed(gb, bias) if mask[2] and bias is not None else None)


def summed(parts, weight):
    """The sum of what chunks of rows (chunks, size) add to the gradient of a weight."""
    return (parts.sum(0) if len(parts) > 1 else parts).reshape(weight.shape)


def same_dtype(x, *others):
    for a in others:
        if a is not None and (a.dtype is not x.dtype or not a.flags.carray):
            return False
    return True


def flat(weight, size, default, dtype):
    """A weight as a vector; where there is none, a vector of `default`, which changes nothing."""
    if weight is not None:
        return weight if weight.ndim == 1 else weight.reshape(-1)
    return (constant if size <= KEPT else np.full)(size, default, dtype)


@lru_cache(16)
def constant(size, number, dtype):
    """np.full, for kernels to read: kept, as it takes as long as small rows do."""
    return np.full(size, number, dtype)


# --------------------------------------------------------------------------- groups of channels

@kernel
def standardize_groups(x, y, mean, rstd, weight: Whole, bias: Whole, eps: Number):
    """(x - mean) * rstd * weight + bias, with the mean and rstd of each group of channels.

    x (N, groups, channels, size); weight and bias (groups, channels).
    """
    real = x.dtype.type
    count = x.shape[2] * x.shape[3]
    for i in range(len(x)):
        for k in range(x.shape[1]):
            level = spread = 0.0
            first = x[i, k, 0, 0]
            for c in range(x.shape[2]):
                level += offsets(x[i, k, c], first)
            m = real(first + level / count)
            for c in range(x.shape[2]):
                spread += squares(x[i, k, c], m)
            r = real(1 / math.sqrt(spread / count + eps))
            mean[i, k], rstd[i, k] = m, r
            for c in range(x.shape[2]):
                row, out = x[i, k, c], y[i, k, c]
                scale = r * weight[k, c]
                shift = bias[k, c]
                for j in range(row.size):
                    out[j] = (row[j] - m) * scale + shift


@scalar_sums
def channel_slopes(g, x, mean):
    """sum(g) and sum(g * (x - mean))"""
    level = along = x.dtype.type(0)
    for j in range(x.size):
        level += g[j]
        along += g[j] * (x[j] - mean)
    return level, along


@scalar
def channel_sums(g, x, mean):
    level = along = 0.0
    for start in range(0, x.size, BLOCK):
        a, b = channel_slopes(g[start:start + BLOCK], x[start:start + BLOCK], mean)
        level, along = level + a, along + b
    return level, along


@kernel
def standardize_groups_backward(g, x, gx, mean, rstd, gw, gb, weight: Whole):
    """gx, and for each image what it adds to the gradients of weight and bias."""
    real = x.dtype.type
    count = x.shape[2] * x.shape[3]
    for i in range(len(x)):
        for k in range(x.shape[1]):
            m, r = mean[i, k], rstd[i, k]
            level = along = 0.0
            for c in range(x.shape[2]):
                a, b = channel_sums(g[i, k, c], x[i, k, c], m)
                gb[i, k, c], gw[i, k, c] = a, b * r
                level += a * weight[k, c]
                along += b * weight[k, c]
            low, tilt = real(level / count), real(along / count * r * r)
            for c in range(x.shape[2]):
                up, row, out, w = g[i, k, c], x[i, k, c], gx[i, k, c], weight[k, c]
                for j in range(row.size):
                    out[j] = r * (up[j] * w - low - (row[j] - m) * tilt)


def native_group_norm_of(x, weight, bias, n, c, size, groups, eps):
    if x.dtype.char not in "fd" or not x.size or not same_dtype(x, weight, bias):
        return None
    given, x = x, dense(x)
    y = np.empty(x.shape, x.dtype)
    mean, rstd = np.empty((2, n, groups), x.dtype)
    if size == 1:                       # no pictures: a group is standardized as one long channel
        shape = n, groups, 1, c // groups
        one, zero = (constant(groups, k, x.dtype).reshape(groups, 1) for k in (1, 0))
        standardize_groups(x.reshape(shape), y.reshape(shape), mean, rstd, one, zero, eps,
                           chunk=max(1, WORK // c))
        rows = y.reshape(n, c)
        if weight is not None:
            rows *= weight
        if bias is not None:
            rows += bias
        return y, mean, rstd
    shape = n, groups, c // groups, size
    standardize_groups(x.reshape(shape), y.reshape(shape), mean, rstd,
                       flat(weight, c, 1, x.dtype).reshape(shape[1:3]),
                       flat(bias, c, 0, x.dtype).reshape(shape[1:3]), eps, chunk=1)
    return like(y, given), mean, rstd


def native_group_norm_backward(g, x, mean, rstd, weight, n, c, size, groups, mask):
    g, x = dense(g), dense(x)
    if x.dtype.char not in "fd" or not x.size or not same_dtype(x, weight, mean, rstd, g) \
            or size == 1:
        return None
    shape = n, groups, c // groups, size
    gx = np.empty(x.shape, x.dtype)
    gw, gb = np.empty((2, *shape[:3]))
    standardize_groups_backward(g.reshape(shape), x.reshape(shape), gx.reshape(shape), mean, rstd,
                                gw, gb, flat(weight, c, 1, x.dtype).reshape(shape[1:3]), chunk=1)
    return (gx if mask[0] else None,
            of_channels(gw, x.dtype) if mask[1] and weight is not None else None,
            of_channels(gb, x.dtype) if mask[2] else None)


def of_channels(sums, dtype):
    """What images (N, groups, channels) add, as a vector."""
    return sums.sum(0).astype(dtype).reshape(-1)
