"""Batch normalisation of a few thousand numbers, where a pass takes less time than its call: one
kernel, on one thread, makes all passes and the steps between them that elsewhere are NumPy's.

x is (N, C, size) or (N, C): `x.ndim` is known when a kernel is compiled, and so is its branch.
`sums` is (2, C) of float64, or (3, C).
"""

from __future__ import annotations

import math

from .compiling import Count, Number, Whole, kernel, scalar
from .norm import channel_sums, offsets, squares


@scalar
def finite(number):
    """The number, or 0 in place of infinity or nan."""
    return number if abs(number) < math.inf else 0


@scalar
def mean_of(x, mean, sums):
    """The mean of each channel: its first number, 0 if not finite, plus the mean offset from it."""
    sums[:] = 0
    for c in range(mean.size):
        if x.ndim == 2:
            mean[c] = finite(x[0, c])
        else:
            mean[c] = finite(x[0, c, 0])
    for i in range(len(x)):
        for c in range(mean.size):
            if x.ndim == 2:
                sums[0, c] += x[i, c] - mean[c]
            else:
                sums[0, c] += offsets(x[i, c], mean[c])
    for c in range(mean.size):
        mean[c] += sums[0, c] / (x.size // mean.size)


@scalar
def squares_of(x, mean, sums):
    """sums[1] = sum((x - mean)^2) of each channel."""
    for i in range(len(x)):
        for c in range(mean.size):
            if x.ndim == 2:
                sums[1, c] += (x[i, c] - mean[c]) * (x[i, c] - mean[c])
            else:
                sums[1, c] += squares(x[i, c], mean[c])


@kernel
def forward(x: Whole, y: Whole, mean: Whole, rstd: Whole, running_mean: Whole, running_var: Whole,
            weight: Whole, bias: Whole, sums: Whole, momentum: Number, eps: Number,
            training: Count):
    """A forward pass. In training it moves the running statistics, else `mean` is one of them."""
    real = x.dtype.type
    count = x.size // mean.size
    if training:
        mean_of(x, mean, sums)
        squares_of(x, mean, sums)
    for c in range(mean.size):
        if training:
            var = real(sums[1, c] / count)
            running_mean[c] = running_mean[c] * (1 - momentum) + momentum * mean[c]
            running_var[c] = (running_var[c] * (1 - momentum)
                              + momentum * real(sums[1, c] / max(count - 1, 1)))
        else:
            var = running_var[c]
        rstd[c] = 1 / math.sqrt(var + eps)
    for i in range(len(x)):
        for c in range(mean.size):
            if x.ndim == 2:
                y[i, c] = (x[i, c] - mean[c]) * (rstd[c] * weight[c]) + bias[c]
            else:
                row, out, m, scale, shift = x[i, c], y[i, c], mean[c], rstd[c] * weight[c], bias[c]
                for j in range(row.size):
                    out[j] = (row[j] - m) * scale + shift


@kernel
def backward(g: Whole, x: Whole, gx: Whole, gw: Whole, gb: Whole, mean: Whole, spread: Whole,
             weight: Whole, sums: Whole, eps: Number, training: Count):
    """A backward pass: factor * (g - low - (x - mean) * tilt), where low and tilt are what the
    batch's own statistics move by. `spread` is 1 / the standard deviation in training, else the
    running variance."""
    real = x.dtype.type
    sums[:] = 0
    for i in range(len(x)):
        for c in range(mean.size):
            if x.ndim == 2:
                sums[0, c] += g[i, c]
                sums[1, c] += g[i, c] * (x[i, c] - mean[c])
            else:
                level, along = channel_sums(g[i, c], x[i, c], mean[c])
                sums[0, c] += level
                sums[1, c] += along
    count = x.size // mean.size
    for c in range(mean.size):
        rstd = spread[c] if training else real(1 / math.sqrt(spread[c] + eps))
        gw[c], gb[c] = sums[1, c] * rstd, sums[0, c]
        sums[0, c], sums[1, c] = sums[0, c] / count, sums[1, c] / count * rstd * rstd
        sums[2, c] = rstd * weight[c]
    for i in range(len(x)):
        for c in range(mean.size):
            if x.ndim == 2:
                moved = real(sums[0, c]) + (x[i, c] - mean[c]) * real(sums[1, c])
                gx[i, c] = real(sums[2, c]) * (g[i, c] - moved if training else g[i, c])
            else:
                up, row, out, m = g[i, c], x[i, c], gx[i, c], mean[c]
                low, tilt, factor = real(sums[0, c]), real(sums[1, c]), real(sums[2, c])
                for j in range(row.size):
                    moved = low + (row[j] - m) * tilt
                    out[j] = factor * (up[j] - moved if training else up[j])
