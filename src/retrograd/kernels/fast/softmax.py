"""Softmax and its logarithm, forward and backward in two passes; logsumexp."""

from __future__ import annotations

import math

import numpy as np

from .compiling import kernel, routine, scalar
from .half import NAMES, READERS, WRITERS, in_single
from .rows import as_rows, chunk_of, largest, total
from .scalar import choose, exp

BLOCK = 256             # columns


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


def half_log_softmax_rows(kind):
    """log_softmax_rows of what is rounded to half precision: the sum and the logarithm are, too."""
    read, write = READERS[kind], WRITERS[kind]

    def rows(x, y):
        for i in range(len(x)):
            row, out = x[i], y[i]
            top = largest(row)
            for j in range(row.size):
                out[j] = exp(row[j] - top)
            whole = np.float32(total(out))
            rounded = read(write(whole))
            log = read(write(np.float32(math.log(whole if rounded == np.inf else rounded))))
            for j in range(row.size):
                out[j] = row[j] - top - log

    rows.__name__ = f"log_softmax_rows_{NAMES[kind]}"        # code on disk goes by the name
    return kernel(rows)


HALF_ROWS = {kind: half_log_softmax_rows(kind) for kind in READERS}


@kernel
def log_softmax_backward_rows(g, y, out):
    """g - exp(y) * sum(g) of each row."""
    for i in range(len(g)):
        row, weight, slope = g[i], y[i], out[i]
        whole = g.dtype.type(total(row))
        for j in range(row.size):
            slope[j] = row[j] - exp(weight[j]) * whole


# Over a dimension that is not the last, of x (outer, n, inner): a block of columns at a time.

@routine
def tops(x, start, top):
    """The largest of each column of a block; nan if one is."""
    top[:] = -math.inf
    for j in range(len(x)):
        row = x[j, start:start + top.size]
        for k in range(top.size):
            top[k] = choose((row[k] > top[k]) | (row[k] != row[k]), row[k], top[k])


@kernel
def softmax_columns(x, y):
    top, whole = np.empty(BLOCK, x.dtype), np.empty(BLOCK)
    for i in range(len(x)):
        for start in range(0, x.shape[2], BLOCK):
            stop = min(start + BLOCK, x.shape[2])
            tops(x[i], start, top[:stop - start])
            whole[:] = 0
            for j in range(x.shape[1]):
                row, out = x[i, j, start:stop], y[i, j, start:stop]
                for k in range(row.size):
                    out[k] = exp(row[k] - top[k])
                    whole[k] += out[k]
            for k in range(stop - start):
                top[k] = whole[k]
            for j in range(x.shape[1]):
                out = y[i, j, start:stop]
                for k in range(out.size):
                    out[k] /= top[k]


@kernel
def log_softmax_columns(x, y):
    top, whole = np.empty(BLOCK, x.dtype), np.empty(BLOCK)
    for i in range(len(x)):
        for start in range(0, x.shape[2], BLOCK):
            stop = min(start + BLOCK, x.shape[2])
            tops(x[i], start, top[:stop - start])
            whole[:] = 0
            for j in range(x.shape[1]):
                row, out = x[i, j, start:stop], y[i, j, start:stop]
                for k in range(row.size):
                    out[k] = row[k] - top[k]
                    whole[k] += exp(out[k])
            for k in range(stop - start):
                top[k] = math.log(whole[k])
            for j in range(x.shape[1]):
                out = y[i, j, start:stop]
                for k in range(out.size):
                    out[k] -= top[k]


@kernel
def softmax_backward_columns(g, y, out):
    mean, whole = np.empty(BLOCK, g.dtype), np.empty(BLOCK)
    for i in range(len(g)):
        for start in range(0, g.shape[2], BLOCK):
            stop = min(start + BLOCK, g.shape[2])
            whole[:] = 0
            for j in range(g.shape[1]):
                row, weight = g[i, j, start:stop], y[i, j, start:stop]
                for k in range(row.size):
                    whole[k] += row[k] * weight[k]
            for k in range(stop - start):
                mean[k] = whole[k]
            for j in range(g.shape[1]):
                row, weight, slope = g[i, j, start:stop], y[i, j, start:stop], out[i, j, start:stop]
                for k in range(row.size):
                    slope[k] = weight[k] * (row[k] - mean[k])


@kernel
def log_softmax_backward_columns(g, y, out):
    total_g, whole = np.empty(BLOCK, g.dtype), np.empty(BLOCK)
    for i in range(len(g)):
        for start in range(0, g.shape[2], BLOCK):
            stop = min(start + BLOCK, g.shape[2])
            whole[:] = 0
            for j in range(g.shape[1]):
                row = g[i, j, start:stop]
                for k in range(row.size):
                    whole[k] += row[k]
            for k in range(stop - start):
                total_g[k] = whole[k]
            for j in range(g.shape[1]):
                row, log, slope = g[i, j, start:stop], y[i, j, start:stop], out[i, j, start:stop]
                for k in range(row.size):
                    slope[k] = row[k] - exp(log[k]) * total_g[k]


@scalar
def finite(number, zero):
    """The number, or 0 in place of infinity, from which to subtract itself would be nan."""
    return choose(abs(number) < math.inf, number, zero)


@kernel
def logsumexp_rows(x, y):
    """log(sum(exp(x - top))) + top of each row, y a column."""
    part = np.empty(BLOCK, x.dtype)
    for i in range(len(x)):
        top, whole = finite(largest(x[i]), x.dtype.type(0)), 0.0
        for start in range(0, x.shape[1], BLOCK):
            row = x[i, start:start + BLOCK]
            for j in range(row.size):
                part[j] = exp(row[j] - top)
            whole += total(part[:row.size])
        y[i, 0] = math.log(whole) + top


@kernel
def logsumexp_columns(x, y):
    top, whole = np.empty(BLOCK, x.dtype), np.empty(BLOCK)
    for i in range(len(x)):
        for start in range(0, x.shape[2], BLOCK):
            stop = min(start + BLOCK, x.shape[2])
            tops(x[i], start, top[:stop - start])
            for k in range(stop - start):
                top[k] = finite(top[k], x.dtype.type(0))
            whole[:] = 0
            for j in range(x.shape[1]):
                row = x[i, j, start:stop]
                for k in range(row.size):
                    whole[k] += exp(row[k] - top[k])
            for k in range(stop - start):
                y[i, 0, start + k] = math.log(whole[k]) + top[k]


def over(loops, *arrays, dim):
    """The result of a kernel of rows, where `dim` is the last one, or of columns."""
    first = arrays[0]
    if not first.ndim:
        return None
    by_rows, by_columns = loops
    rows = as_rows(*arrays, width=first.ndim - dim)
    if rows is None:
        return None
    out = np.empty(first.shape, first.dtype)
    if dim == first.ndim - 1:
        by_rows(*rows, out.reshape(rows[0].shape), chunk=chunk_of(rows[0]))
    else:
        shape = len(rows[0]), first.shape[dim], -1
        by_columns(*(a.reshape(shape) for a in (*rows, out)), chunk=chunk_of(rows[0]))
    return out


def softmax_dim(x, dim):
    return over((softmax_rows, softmax_columns), x, dim=dim)


def softmax_backward(g, result, dim):
    return over((softmax_backward_rows, softmax_backward_columns), g, result, dim=dim)


def log_softmax_dim(x, dim):
    rows = HALF_ROWS.get(x.dtype.char, log_softmax_rows)
    return in_single(lambda wide: over((rows, log_softmax_columns), wide, dim=dim), x)


def log_softmax_backward(g, result, dim):
    return over((log_softmax_backward_rows, log_softmax_backward_columns), g, result, dim=dim)


def logsumexp(x, dim, keepdim):
    if len(dim) != 1 or not x.ndim:
        return None
    d, = dim
    rows = as_rows(x, width=x.ndim - d)
    if rows is None:
        return None
    x, shape = rows[0], x.shape
    if d == len(shape) - 1:
        out = np.empty((len(x), 1), x.dtype)
        logsumexp_rows(x, out, chunk=chunk_of(x))
    else:
        chunk, x = chunk_of(x), x.reshape(len(x), shape[d], -1)
        out = np.empty((len(x), 1, x.shape[2]), x.dtype)
        logsumexp_columns(x, out, chunk=chunk)
    return out.reshape(*shape[:d], *(1,) * keepdim, *shape[d + 1:])
