"""Softmax and its logarithm over the last dimension, forward and backward in two passes."""

from __future__ import annotations

import math

import numpy as np

from .compiling import kernel
from .rows import as_rows, chunk_of, largest, total
from .scalar import exp


@kernel
def softmax_rows(x, y):
    """exp(x - top) / sum(exp(x - top)) of each row."""
    for i in range(len(x)):
        row, out = x[i], y[i]
        top = largest(row)
        for j in range(row.size):
            out[j] = exp(row[j] - top)
        share = x.dtype.type(total(out))
        for j in range(row.size):
            out[j] /= share


@kernel
def softmax_backward_rows(g, y, out):
    """y * (g - sum(g * y)) of each row."""
    for i in range(len(g)):
        row, weight, slope = g[i], y[i], out[i]
        for j in range(row.size):
            slope[j] = row[j] * weight[j]
        mean = g.dtype.type(total(slope))
        for j in range(row.size):
            slope[j] -= weight[j] * mean


@kernel
def log_softmax_rows(x, y):
    """x - top - log(sum(exp(x - top))) of each row."""
    for i in range(len(x)):
        row, out = x[i], y[i]
        top = largest(row)
        for j in range(row.size):
            out[j] = exp(row[j] - top)
        log = x.dtype.type(math.log(total(out)))
        for j in range(row.size):
            out[j] = row[j] - top - log


@kernel
def log_softmax_backward_rows(g, y, out):
    """g - exp(y) * sum(g) of each row."""
    for i in range(len(g)):
        row, weight, slope = g[i], y[i], out[i]
        whole = g.dtype.type(total(row))
        for j in range(row.size):
            slope[j] = row[j] - exp(weight[j]) * whole


def over_rows(loop, *arrays, dim):
    """The result of a kernel of rows; None unless `dim` is the last one."""
    rows = as_rows(*arrays) if dim == arrays[0].ndim - 1 else None
    if rows is None:
        return None
    out = np.empty(arrays[0].shape, arrays[0].dtype)
    loop(*rows, out.reshape(rows[0].shape), chunk=chunk_of(rows[0]))
    return out


def softmax_dim(x, dim):
    return over_rows(softmax_rows, x, dim=dim)


def softmax_backward(g, result, dim):
    return over_rows(softmax_backward_rows, g, result, dim=dim)


def log_softmax_dim(x, dim):
    return over_rows(log_softmax_rows, x, dim=dim)


def log_softmax_backward(g, result, dim):
    return over_rows(log_softmax_backward_rows, g, result, dim=dim)
