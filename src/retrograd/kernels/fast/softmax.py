"""Softmax and its logarithm, forward and backward in two passes; logsumexp."""

from __future__ import annotations

import math

import numpy as np

from .compiling import EXACT, Count, Kernel, address_of, kernel, routine, scalar
from .copies import HIGH, turn
from .half import NAMES, READERS, WRITERS, in_single
from .rows import COSTLY, WORK, as_rows, chunk_of, largest, total
from .scalar import choose, exp, exp_below_0, log_above_1

BLOCK = 256             # columns that are computed side by side
FEW = 64                # a matrix of fewer columns is laid beside others to fill a block
SUMMED = 32             # so many elements of a column are added in float32, these sums in float64
LONG = 64               # rows of so many elements need no group: each has a loop of its own
GROUP = 1024            # elements of a group of shorter rows, whose exp is one loop
SHORT = 160             # rows of up to so many bytes are transposed, HIGH at a time


# NOTE [short rows] A loop over ten numbers does not vectorise: exp of one row takes as long as exp
# of a hundred rows together. So rows lie side by side in vectors, n numbers each, and what needs no
# sum is done for a group of them at once. Where there are many, shorter than SHORT, squares of them
# are turned in registers: vectors then hold a number of each of many rows, and no sum is left to be
# made of a vector. Rows of 4 to 32 numbers take a quarter to a half of the time.

def kernel_of_rows(function):
    return Kernel(function, fastmath=EXACT, alike=True)


@scalar
def group(n):
    """How many numbers a group has: as many whole rows of n as fit in GROUP, at least one."""
    return n * max(1, GROUP // n)


@scalar
def exp_of_rows(x, y, n, top):
    """y = exp(x - top), and `top`, the largest of each row."""
    for i in range(x.size // n):
        row, out = x[i * n:i * n + n], y[i * n:i * n + n]
        top[i] = most = largest(row)
        if n >= LONG:
            for j in range(out.size):
                out[j] = exp_below_0(row[j] - most)
        else:
            for j in range(out.size):
                out[j] = row[j] - most
    if n < LONG:
        for j in range(y.size):
            y[j] = exp_below_0(y[j])


@kernel_of_rows
def softmax_rows(x, y, n: Count):
    """exp(x - top) / sum(exp(x - top)) of each row."""
    top, step = np.empty(GROUP, x.dtype), group(n)
    for start in range(0, x.size, step):
        out = y[start:start + step]
        exp_of_rows(x[start:start + step], out, n, top)
        for i in range(0, out.size, n):
            row = out[i:i + n]
            share = x.dtype.type(1 / total(row))        # a division takes as long as all of exp
            for j in range(row.size):
                row[j] *= share


@kernel_of_rows
def softmax_backward_rows(g, y, out, n: Count):
    """y * (g - sum(g * y)) of each row."""
    for i in range(0, g.size, n):
        row, weight, slope = g[i:i + n], y[i:i + n], out[i:i + n]
        for j in range(slope.size):
            slope[j] = row[j] * weight[j]
        mean = g.dtype.type(total(slope))
        for j in range(slope.size):
            slope[j] -= weight[j] * mean


def kernel_of_log_rows(name, log_of):
    """x - top - log(sum(exp(x - top))) of each row; `log_of` takes the sum."""
    log_of = scalar(log_of)

    def rows(x, y, n: Count):
        top, step = np.empty(GROUP, x.dtype), group(n)
        for start in range(0, x.size, step):
            part, out = x[start:start + step], y[start:start + step]
            exp_of_rows(part, out, n, top)
            for i in range(out.size // n):
                row, known, most = out[i * n:i * n + n], part[i * n:i * n + n], top[i]
                log_sum = x.dtype.type(log_of(total(row)))
                for j in range(row.size):
                    row[j] = known[j] - most - log_sum

    rows.__name__ = name                                # code on disk goes by the name
    return kernel_of_rows(rows)


def log(whole):
    return math.log(whole)


def log_in_half(kind):
    """The logarithm of what is rounded to half precision: the sum and the result are, too."""
    read, write = READERS[kind], WRITERS[kind]

    def log_of(whole):
        rounded = read(write(np.float32(whole)))
        return read(write(np.float32(math.log(whole if rounded == np.inf else rounded))))
    return log_of


log_softmax_rows = kernel_of_log_rows("log_softmax_rows", log)
HALF_ROWS = {kind: kernel_of_log_rows(f"log_softmax_rows_{NAMES[kind]}", log_in_half(kind))
             for kind in READERS}


@kernel_of_rows
def log_softmax_backward_rows(g, y, out, n: Count):
    """g - exp(y) * sum(g) of each row."""
    step = group(n)
    for start in range(0, g.size, step):
        part, weight, slope = g[start:start + step], y[start:start + step], out[start:start + step]
        for j in range(slope.size):
            slope[j] = exp(weight[j])
        for i in range(0, part.size, n):
            row, share = part[i:i + n], slope[i:i + n]
            whole = g.dtype.type(total(row))
            for j in range(share.size):
                share[j] = row[j] - share[j] * whole


# Over a dimension that is not the last, of x (outer, n, inner): a block of columns at a time. For
# each column of the block, `top` has its largest number (and then what its results are multiplied
# or lessened by), `part` a sum of SUMMED numbers, in their own precision, `whole` the sum of these
# in float64.

@routine
def tops(x, start, top):
    """The largest of each column of a block; nan if one is."""
    top[:] = -math.inf
    for j in range(len(x)):
        row = x[j, start:start + top.size]
        for k in range(top.size):
            top[k] = choose((row[k] > top[k]) | (row[k] != row[k]), row[k], top[k])


@routine
def softmax_block(x, y, start, top, part, whole):
    """The columns from `start` on, as many as `top` has room for."""
    stop = start + top.size
    tops(x, start, top)
    whole[:] = 0
    for first in range(0, len(x), SUMMED):
        part[:] = 0
        for j in range(first, min(first + SUMMED, len(x))):
            row, out = x[j, start:stop], y[j, start:stop]
            for k in range(row.size):
                out[k] = exp_below_0(row[k] - top[k])
                part[k] += out[k]
        for k in range(top.size):
            whole[k] += part[k]
    for k in range(top.size):
        top[k] = 1 / whole[k]
    for j in range(len(x)):
        out = y[j, start:stop]
        for k in range(out.size):
            out[k] *= top[k]


@routine
def log_softmax_block(x, y, start, top, part, whole):
    stop = start + top.size
    tops(x, start, top)
    whole[:] = 0
    for first in range(0, len(x), SUMMED):
        part[:] = 0
        for j in range(first, min(first + SUMMED, len(x))):
            row, out = x[j, start:stop], y[j, start:stop]
            for k in range(row.size):
                out[k] = row[k] - top[k]
                part[k] += exp_below_0(out[k])
        for k in range(top.size):
            whole[k] += part[k]
    for k in range(top.size):
        top[k] = log_above_1(whole[k])
    for j in range(len(x)):
        out = y[j, start:stop]
        for k in range(out.size):
            out[k] -= top[k]


@routine
def beside(x, first, count, lines):
    """lines[j] = the numbers x[i, j], of `count` arrays from the first on, beside each other."""
    inner = x.shape[2]
    for i in range(count):
        for j in range(x.shape[1]):
            for k in range(inner):
                lines[j, i * inner + k] = x[first + i, j, k]


@routine
def apart(lines, first, count, y):
    """What beside() does, undone."""
    inner = y.shape[2]
    for i in range(count):
        for j in range(y.shape[1]):
            for k in range(inner):
                y[first + i, j, k] = lines[j, i * inner + k]


@scalar
def at_a_time(x):
    """How many arrays of few columns make lines that are worth vectors; 0 if one does."""
    inner = x.shape[2]
    return min(BLOCK, WORK // x.shape[1]) // inner if inner < FEW else 0


def kernel_of_columns(name, block):
    """`block` of all columns of x, some at a time."""
    def columns(x, y):
        top, part, whole = np.empty(BLOCK, x.dtype), np.empty(BLOCK, x.dtype), np.empty(BLOCK)
        some, inner = at_a_time(x), x.shape[2]
        if some > 1:
            width = some * inner
            lines, made = (np.empty((x.shape[1], width), x.dtype),
                           np.empty((x.shape[1], width), x.dtype))
            for first in range(0, len(x), some):
                count = min(some, len(x) - first)
                beside(x, first, count, lines)
                size = count * inner
                block(lines, made, 0, top[:size], part[:size], whole[:size])
                apart(made, first, count, y)
        else:
            for i in range(len(x)):
                for start in range(0, inner, BLOCK):
                    size = min(BLOCK, inner - start)
                    block(x[i], y[i], start, top[:size], part[:size], whole[:size])

    columns.__name__ = name
    return kernel(columns)


softmax_columns = kernel_of_columns("softmax_columns", softmax_block)
log_softmax_columns = kernel_of_columns("log_softmax_columns", log_softmax_block)


def kernel_of_short_rows(name, block):
    """`block` of rows that are turned to be its columns: see NOTE [short rows]."""
    def rows(x, y, n: Count):
        zero, item = x.dtype.type(0), x.itemsize
        turned, made = np.zeros((n, HIGH), x.dtype), np.empty((n, HIGH), x.dtype)
        top, part, whole = np.empty(HIGH, x.dtype), np.empty(HIGH, x.dtype), np.empty(HIGH)
        along, across = n * item, HIGH * item
        for first in range(0, x.size, n * HIGH):
            count, at = min(HIGH, (x.size - first) // n), first * item
            turn(zero, item, address_of(turned), across, address_of(x) + at, along, n, count)
            block(turned, made, 0, top, part, whole)
            turn(zero, item, address_of(y) + at, along, address_of(made), across, count, n)

    rows.__name__ = name
    return kernel_of_rows(rows)


softmax_short_rows = kernel_of_short_rows("softmax_short_rows", softmax_block)
log_softmax_short_rows = kernel_of_short_rows("log_softmax_short_rows", log_softmax_block)


@routine
def softmax_backward_block(g, y, out, start, mean, whole):
    stop = start + mean.size
    whole[:] = 0
    for j in range(len(g)):
        row, weight = g[j, start:stop], y[j, start:stop]
        for k in range(row.size):
            whole[k] += row[k] * weight[k]
    for k in range(mean.size):
        mean[k] = whole[k]
    for j in range(len(g)):
        row, weight, slope = g[j, start:stop], y[j, start:stop], out[j, start:stop]
        for k in range(row.size):
            slope[k] = weight[k] * (row[k] - mean[k])


@routine
def log_softmax_backward_block(g, y, out, start, sums, whole):
    stop = start + sums.size
    whole[:] = 0
    for j in range(len(g)):
        row = g[j, start:stop]
        for k in range(row.size):
            whole[k] += row[k]
    for k in range(sums.size):
        sums[k] = whole[k]
    for j in range(len(g)):
        row, log, slope = g[j, start:stop], y[j, start:stop], out[j, start:stop]
        for k in range(row.size):
            slope[k] = row[k] - exp(log[k]) * sums[k]


def kernel_of_slopes(name, block):
    """The same for the gradient."""
    def columns(g, y, out):
        sums, whole = np.empty(BLOCK, g.dtype), np.empty(BLOCK)
        some, inner = at_a_time(g), g.shape[2]
        if some > 1:
            width = some * inner
            lines, values, made = (np.empty((g.shape[1], width), g.dtype),
                                   np.empty((g.shape[1], width), g.dtype),
                                   np.empty((g.shape[1], width), g.dtype))
            for first in range(0, len(g), some):
                count = min(some, len(g) - first)
                beside(g, first, count, lines)
                beside(y, first, count, values)
                size = count * inner
                block(lines, values, made, 0, sums[:size], whole[:size])
                apart(made, first, count, out)
        else:
            for i in range(len(g)):
                for start in range(0, inner, BLOCK):
                    size = min(BLOCK, inner - start)
                    block(g[i], y[i], out[i], start, sums[:size], whole[:size])

    columns.__name__ = name
    return kernel(columns)


softmax_backward_columns = kernel_of_slopes("softmax_backward_columns", softmax_backward_block)
log_softmax_backward_columns = kernel_of_slopes("log_softmax_backward_columns",
                                                log_softmax_backward_block)


@scalar
def finite(number, zero):
    """The number, or 0 in place of infinity: inf - inf would be nan."""
    return choose(abs(number) < math.inf, number, zero)


@kernel
def logsumexp_rows(x, y):
    """log(sum(exp(x - top))) + top of each row, y a column. See NOTE [short rows]."""
    n, zero = x.shape[1], x.dtype.type(0)
    part, few = np.empty(GROUP, x.dtype), max(1, GROUP // n)
    for first in range(0, len(x), few):
        rows = x[first:first + few]
        for i in range(len(rows)):
            y[first + i, 0] = finite(largest(rows[i]), zero)
        whole = 0.0
        for start in range(0, n, GROUP):
            count = min(GROUP, n - start)
            for i in range(len(rows)):
                row, top = rows[i, start:start + count], y[first + i, 0]
                out = part[i * count:i * count + count]
                for j in range(count):
                    out[j] = row[j] - top
            for j in range(len(rows) * count):
                part[j] = exp_below_0(part[j])
            if few == 1:
                whole += total(part[:count])
        for i in range(len(rows)):
            if few > 1:
                whole = total(part[i * n:i * n + n])
            y[first + i, 0] += math.log(whole)


@kernel
def logsumexp_columns(x, y):
    top, part, whole = np.empty(BLOCK, x.dtype), np.empty(BLOCK, x.dtype), np.empty(BLOCK)
    for i in range(len(x)):
        for start in range(0, x.shape[2], BLOCK):
            stop = min(start + BLOCK, x.shape[2])
            tops(x[i], start, top[:stop - start])
            for k in range(stop - start):
                top[k] = finite(top[k], x.dtype.type(0))
            whole[:] = 0
            for first in range(0, x.shape[1], SUMMED):
                part[:] = 0
                for j in range(first, min(first + SUMMED, x.shape[1])):
                    row = x[i, j, start:stop]
                    for k in range(row.size):
                        part[k] += exp_below_0(row[k] - top[k])
                for k in range(stop - start):
                    whole[k] += part[k]
            for k in range(stop - start):
                y[i, 0, start + k] = log_above_1(whole[k]) + top[k]


def over(by_rows, by_columns, dim, x, *more, by_short=None):
    """The result of a kernel of rows, where `dim` is the last one but for sizes of 1, or of
    columns."""
    shape, dtype = x.shape, x.dtype
    if dtype.char not in "fd" or not shape or not x.size:
        return None
    out, n = np.empty(shape, dtype), shape[dim]
    last, chunk = dim == len(shape) - 1 or math.prod(shape[dim + 1:]) == 1, COSTLY // n * n or n
    if by_short is not None and n * dtype.itemsize <= SHORT and x.size >= n * HIGH:
        by_rows = by_short
    if last and by_rows.run(chunk, (x, *more, out, n)):
        return out
    rows = as_rows(x, *more, width=len(shape) - dim)
    if rows is None:
        return None
    if last:
        by_rows(*(a.reshape(-1) for a in (*rows, out)), n, chunk=chunk)
    else:
        columns = len(rows[0]), n, -1
        by_columns(*(a.reshape(columns) for a in (*rows, out)), chunk=chunk_of(rows[0], COSTLY))
    return out


def softmax_dim(x, dim):
    return over(softmax_rows, softmax_columns, dim, x, by_short=softmax_short_rows)


def softmax_backward(g, result, dim):
    return over(softmax_backward_rows, softmax_backward_columns, dim, g, result)


def log_softmax_dim(x, dim):
    if x.dtype.itemsize != 2:
        return over(log_softmax_rows, log_softmax_columns, dim, x,
                    by_short=log_softmax_short_rows)
    rows = HALF_ROWS.get(x.dtype.char, log_softmax_rows)
    return in_single(lambda wide: over(rows, log_softmax_columns, dim, wide), x)


def log_softmax_backward(g, result, dim):
    return over(log_softmax_backward_rows, log_softmax_backward_columns, dim, g, result)


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
        logsumexp_rows(x, out, chunk=chunk_of(x, COSTLY))
    else:
        chunk, x = chunk_of(x, COSTLY), x.reshape(len(x), shape[d], -1)
        out = np.empty((len(x), 1, x.shape[2]), x.dtype)
        logsumexp_columns(x, out, chunk=chunk)
    return out.reshape((*shape[:d], *(1,) * keepdim, *shape[d + 1:]))
