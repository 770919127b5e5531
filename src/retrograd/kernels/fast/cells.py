"""One step of an LSTM or a GRU, some rows at a time. See kernels.cells."""

from __future__ import annotations

import numpy as np

from ..cells import cut
from . import scalar as s
from .compiling import Count, kernel, scalar
from .elementwise import dense
from .recurrent import (
    add_slope_of_cell,
    between,
    copy,
    multiply,
    next_cell,
    slope_of_gate,
    slope_of_new,
    slope_of_tanh,
    slope_of_update,
    taken,
    tanh_of,
)

BLOCK = 1 << 13        # numbers of a chunk


def chunk_of(gates):
    return max(1, BLOCK // gates.shape[1])


def fused_lstm_cell(a, b, c):
    if not taken(a, b, c):
        return None
    work = np.empty(5 * c.size, c.dtype)
    h, now = np.empty(c.shape, c.dtype), np.empty(c.shape, c.dtype)
    gates, squashed = cut(work, c)
    lstm_cell(a, dense(b), dense(c), gates, squashed, h, now, chunk=chunk_of(a))
    return h, now, work


def lstm_cell_slopes(work, gh, gc, a, b, c):
    if not taken(work, gh, gc, c):
        return None
    gates, squashed = cut(work, c)
    d, dc = np.empty_like(gates), np.empty(c.shape, c.dtype)
    given = int(gh is not None) + 2 * int(gc is not None)
    lstm_cell_backward(gates, squashed, dense(c if gh is None else gh),
                       dense(c if gc is None else gc), dense(c), d, dc, given,
                       chunk=chunk_of(gates))
    return d, d, dc


def fused_gru_cell(a, b, h):
    if not taken(a, b, h):
        return None
    work, now = np.empty_like(a), np.empty(h.shape, h.dtype)
    gru_cell(a, dense(b), dense(h), work, now, chunk=chunk_of(a))
    return now, work


def gru_cell_slopes(work, g, a, b, h):
    if not taken(work, g, b, h):
        return None
    d, inner, dh = np.empty_like(work), np.empty_like(work), np.empty(h.shape, h.dtype)
    gru_cell_backward(work, dense(g), dense(b), dense(h), d, inner, dh, chunk=chunk_of(work))
    return d, inner, dh


# --------------------------------------------------------------------------- compiled

@scalar
def sigmoid_of_sum(a, b, out):
    for j in range(out.size):
        out[j] = s.sigmoid(a[j] + b[j])


@scalar
def tanh_of_sum(a, b, out):
    for j in range(out.size):
        out[j] = s.tanh(a[j] + b[j])


@kernel
def lstm_cell(a, b, c, gates, squashed, h, now):
    size = c.shape[1]
    for r in range(len(a)):
        y = gates[r]
        sigmoid_of_sum(a[r, :2 * size], b[r, :2 * size], y[:2 * size])
        tanh_of_sum(a[r, 2 * size:3 * size], b[r, 2 * size:3 * size], y[2 * size:3 * size])
        sigmoid_of_sum(a[r, 3 * size:], b[r, 3 * size:], y[3 * size:])
        next_cell(y[:size], y[size:2 * size], y[2 * size:3 * size], c[r], now[r])
        tanh_of(now[r], squashed[r])
        multiply(y[3 * size:], squashed[r], h[r])


@kernel
def lstm_cell_backward(gates, squashed, gh, gc, c, d, dc, given: Count):
    """`given`: 1 if there is a gradient gh, and 2 more if there is gc."""
    size = c.shape[1]
    for r in range(len(gates)):
        y, out, cell = gates[r], d[r], dc[r]
        i, f, g, o = y[:size], y[size:2 * size], y[2 * size:3 * size], y[3 * size:]
        if given & 2:
            copy(gc[r], cell)
        else:
            cell[:] = 0
        if given & 1:
            slope_of_gate(gh[r], squashed[r], o, out[3 * size:])
            add_slope_of_cell(gh[r], squashed[r], o, cell)
        else:
            out[3 * size:] = 0
        slope_of_gate(cell, g, i, out[:size])
        slope_of_gate(cell, c[r], f, out[size:2 * size])
        slope_of_tanh(cell, i, g, out[2 * size:3 * size])
        multiply(cell, f, cell)


@kernel
def gru_cell(a, b, h, work, now):
    size = h.shape[1]
    for k in range(len(a)):
        y = work[k]
        r, n = y[:size], y[2 * size:]
        sigmoid_of_sum(a[k, :2 * size], b[k, :2 * size], y[:2 * size])
        multiply(r, b[k, 2 * size:], n)
        tanh_of_sum(a[k, 2 * size:], n, n)
        between(h[k], y[size:2 * size], n, now[k])


@kernel
def gru_cell_backward(work, g, b, h, d, inner, dh):
    size = h.shape[1]
    for k in range(len(work)):
        y, out = work[k], d[k]
        r, z, n, new = y[:size], y[size:2 * size], y[2 * size:], out[2 * size:]
        slope_of_new(g[k], z, n, new)
        slope_of_update(g[k], h[k], z, n, out[size:2 * size])
        slope_of_gate(new, b[k, 2 * size:], r, out[:size])
        copy(out[:2 * size], inner[k, :2 * size])
        multiply(new, r, inner[k, 2 * size:])
        multiply(g[k], z, dh[k])
