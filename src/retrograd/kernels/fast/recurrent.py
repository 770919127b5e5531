"""Recurrent layers: some sequences of a batch at a time, through all their steps.

Sequences do not depend on each other, so threads share the batch. The matrix of the recurrence is
packed into panels once; a step multiplies the states of a chunk by it and finishes the gates while
they are in the cache.
"""

from __future__ import annotations

import numpy as np

from .. import fast
from ..blocks import aligned
from . import scalar as s
from .compiling import Count, Part, Whole, kernel, scalar
from .copies import fills
from .elementwise import dense
from .tile import PANEL, ROWS, lanes, product

FEW, MANY = 8, 16          # sequences of a chunk: each reads the whole matrix in every step
LONG = 1 << 20             # elements of a matrix that every step waits for, even of few sequences


def lstm_steps(gates, cells, hs, w_hh, bias, h, c, reverse):
    """See kernels.recurrent."""
    if not taken(gates, w_hh, bias, h, c) or waits(gates, w_hh):
        return None
    room = Room(gates, w_hh.T)
    lstm(room.sequences, gates, cells, hs, room.panels, dense(bias), dense(h), dense(c), room.rows,
         room.result, int(reverse), chunk=room.chunk)
    return hs


def lstm_steps_backward(gates, cells, g, dh, dc, w_hh, first, reverse):
    """See kernels.recurrent."""
    if not taken(gates, w_hh, g, dh, dc, first) or waits(gates, w_hh):
        return None
    room, d = Room(gates, w_hh), np.empty_like(gates)
    lstm_backward(room.sequences, gates, cells, gradient(g, dh), dh, dc, room.panels, dense(first),
                  d, room.rows, room.result, int(reverse), chunk=room.chunk)
    return d


def gru_steps(gates, hidden, hs, w_hh, bias, inner, h, reverse):
    """See kernels.recurrent."""
    if not taken(gates, w_hh, bias, inner, h):
        return None
    room = Room(gates, w_hh.T)
    gru(room.sequences, gates, hidden, hs, room.panels, dense(bias), dense(inner), dense(h),
        room.rows, room.result, int(reverse), chunk=room.chunk)
    return hs


def gru_steps_backward(gates, hidden, g, dh, w_hh, hs, first, reverse):
    """See kernels.recurrent."""
    if not taken(gates, w_hh, g, dh, hs, first):
        return None
    room, d, inner = Room(gates, w_hh), np.empty_like(gates), np.empty_like(hidden)
    gru_backward(room.sequences, gates, hidden, gradient(g, dh), dh, room.panels, dense(hs),
                 dense(first), d, inner, room.rows, room.result, int(reverse), chunk=room.chunk)
    return d, inner


def rnn_steps(hs, w_hh, bias, h, relu, reverse):
    """See kernels.recurrent."""
    if not taken(hs, w_hh, bias, h):
        return None
    room = Room(hs, w_hh.T)
    rnn(room.sequences, hs, room.panels, dense(bias), dense(h), room.rows, room.result, int(relu),
        int(reverse), chunk=room.chunk)
    return hs


def rnn_steps_backward(hs, g, dh, w_hh, relu, reverse):
    """See kernels.recurrent."""
    if not taken(hs, w_hh, g, dh):
        return None
    room, d = Room(hs, w_hh), np.empty_like(hs)
    rnn_backward(room.sequences, hs, gradient(g, dh), dh, room.panels, d, room.rows, room.result,
                 int(relu), int(reverse), chunk=room.chunk)
    return d


def taken(changed, *others):
    """Whether all are of one floating dtype, and the array that is written into as it should."""
    return changed.dtype.char in "fd" and changed.flags.carray \
        and all(a is None or a.dtype is changed.dtype for a in others)


def waits(gates, matrix):
    """Whether a single sequence waits for memory, which OpenBLAS's threads read together."""
    return gates.shape[1] == 1 and matrix.size >= LONG


def gradient(g, like):
    """The gradient of the outputs, contiguous; an empty array where there is none."""
    return np.empty((0, 0, 0), like.dtype) if g is None else dense(g)


class Room:
    """The memory a chunk of sequences works in, and the matrix that its rows are multiplied by."""

    def __init__(self, gates, matrix):
        batch = gates.shape[1]
        # how many sequences share a chunk changes no result: each has its own sums
        share = -(-batch // (ROWS * fast.threads)) * ROWS
        least = FEW if matrix.size < LONG else ROWS
        self.chunk = MANY if batch >= 2 * MANY else min(max(share, least), MANY)
        self.sequences = np.arange(batch)
        self.panels = packed(matrix)
        places = -(-batch // self.chunk), min(self.chunk, batch)
        self.rows = np.empty((*places, matrix.shape[0]), gates.dtype)
        self.result = np.empty((*places, self.panels.shape[0] * self.panels.shape[2]), gates.dtype)


def packed(matrix):
    """A matrix (K, N) as panels (N / width, K, width), 0 where N is no multiple of the width."""
    count, size = matrix.shape
    width = PANEL * lanes(matrix.dtype)
    panels = -(-size // width)
    if size % width:
        matrix, given = np.zeros((count, panels * width), matrix.dtype), matrix
        matrix[:, :size] = given
    result = aligned((panels, count, width), matrix.dtype)
    in_panels = matrix.reshape(count, panels, width).swapaxes(0, 1)
    if not fills(result, in_panels):
        result[...] = in_panels
    return result


# --------------------------------------------------------------------------- compiled

@scalar
def add_sigmoid(x, a, b):
    for j in range(x.size):
        x[j] = s.sigmoid(x[j] + a[j] + b[j])


@scalar
def add_tanh(x, a, b):
    for j in range(x.size):
        x[j] = s.tanh(x[j] + a[j] + b[j])


@scalar
def next_cell(i, f, g, c, out):
    for j in range(out.size):
        out[j] = f[j] * c[j] + i[j] * g[j]


@scalar
def tanh_of(x, out):
    for j in range(out.size):
        out[j] = s.tanh(x[j])


@scalar
def multiply(a, b, out):
    for j in range(out.size):
        out[j] = a[j] * b[j]


@scalar
def copy(a, out):
    for j in range(out.size):
        out[j] = a[j]


@scalar
def add_to(out, a):
    for j in range(out.size):
        out[j] += a[j]


@kernel
def lstm(sequences, gates: Whole, cells: Whole, hs: Whole, panels: Whole, bias: Whole, h: Whole,
         c: Whole, rows: Part, result: Part, reverse: Count):
    steps, size, first = len(gates), hs.shape[2], sequences[0]
    for r in range(len(sequences)):
        copy(h[first + r], rows[r])
    for step in range(steps):
        t = steps - 1 - step if reverse else step
        before = t + 1 if reverse else t - 1
        product(rows, panels, result, len(sequences))
        for r in range(len(sequences)):
            n = first + r
            a, p, now, squashed = gates[t, n], result[r], cells[0, t, n], cells[1, t, n]
            add_sigmoid(a[:2 * size], p[:2 * size], bias[:2 * size])
            add_tanh(a[2 * size:3 * size], p[2 * size:3 * size], bias[2 * size:3 * size])
            add_sigmoid(a[3 * size:], p[3 * size:4 * size], bias[3 * size:])
            next_cell(a[:size], a[size:2 * size], a[2 * size:3 * size],
                      cells[0, before, n] if step else c[n], now)
            tanh_of(now, squashed)
            multiply(a[3 * size:], squashed, hs[t, n])
            copy(hs[t, n], rows[r])


@scalar
def add_slope_of_cell(dh, squashed, o, out):
    one = o.dtype.type(1)
    for j in range(out.size):
        out[j] += dh[j] * o[j] * (one - squashed[j] * squashed[j])


@scalar
def slope_of_gate(d, factor, y, out):
    """d * factor * (the slope of the sigmoid whose value is y)"""
    one = y.dtype.type(1)
    for j in range(out.size):
        out[j] = d[j] * factor[j] * (y[j] * (one - y[j]))


@scalar
def slope_of_tanh(d, factor, y, out):
    """d * factor * (the slope of the tanh whose value is y)"""
    one = y.dtype.type(1)
    for j in range(out.size):
        out[j] = d[j] * factor[j] * (one - y[j] * y[j])


@kernel
def lstm_backward(sequences, gates: Whole, cells: Whole, g: Whole, dh: Whole, dc: Whole,
                  panels: Whole, c: Whole, d: Whole, rows: Part, result: Part, reverse: Count):
    steps, size, first = len(gates), dh.shape[1], sequences[0]
    for r in range(len(sequences)):
        copy(dh[first + r], result[r, :size])
    for step in range(steps):
        t = step if reverse else steps - 1 - step
        before = t + 1 if reverse else t - 1
        for r in range(len(sequences)):
            n = first + r
            a, out, down, cell = gates[t, n], rows[r], result[r, :size], dc[n]
            i, f, new, o = (a[:size], a[size:2 * size], a[2 * size:3 * size], a[3 * size:])
            if len(g):
                add_to(down, g[t, n])
            slope_of_gate(down, cells[1, t, n], o, out[3 * size:])
            add_slope_of_cell(down, cells[1, t, n], o, cell)
            slope_of_gate(cell, new, i, out[:size])
            slope_of_gate(cell, cells[0, before, n] if step < steps - 1 else c[n], f,
                          out[size:2 * size])
            slope_of_tanh(cell, i, new, out[2 * size:3 * size])
            multiply(cell, f, cell)
            copy(out, d[t, n])
        product(rows, panels, result, len(sequences))
    for r in range(len(sequences)):
        copy(result[r, :size], dh[first + r])


@scalar
def add_and_keep(x, b, out):
    for j in range(out.size):
        out[j] = x[j] + b[j]


@scalar
def new_state(x, bias, r, hidden):
    """tanh(x + bias + r * hidden), in place of x"""
    for j in range(x.size):
        x[j] = s.tanh(x[j] + bias[j] + r[j] * hidden[j])


@scalar
def between(h, z, n, out):
    for j in range(out.size):
        out[j] = (h[j] - n[j]) * z[j] + n[j]


@kernel
def gru(sequences, gates: Whole, hidden: Whole, hs: Whole, panels: Whole, bias: Whole,
        inner: Whole, h: Whole, rows: Part, result: Part, reverse: Count):
    steps, size, first = len(gates), hs.shape[2], sequences[0]
    for r in range(len(sequences)):
        copy(h[first + r], rows[r])
    for step in range(steps):
        t = steps - 1 - step if reverse else step
        product(rows, panels, result, len(sequences))
        for r in range(len(sequences)):
            n = first + r
            a, p, row = gates[t, n], result[r], rows[r]
            add_sigmoid(a[:2 * size], p[:2 * size], bias[:2 * size])
            add_and_keep(p[2 * size:3 * size], inner, hidden[t, n])
            new_state(a[2 * size:], bias[2 * size:], a[:size], hidden[t, n])
            between(row, a[size:2 * size], a[2 * size:], hs[t, n])
            copy(hs[t, n], row)


@scalar
def slope_of_new(d, z, n, out):
    one = z.dtype.type(1)
    for j in range(out.size):
        out[j] = d[j] * (one - z[j]) * (one - n[j] * n[j])


@scalar
def slope_of_update(d, h, z, n, out):
    one = z.dtype.type(1)
    for j in range(out.size):
        out[j] = d[j] * (h[j] - n[j]) * (z[j] * (one - z[j]))


@kernel
def gru_backward(sequences, gates: Whole, hidden: Whole, g: Whole, dh: Whole, panels: Whole,
                 hs: Whole, h: Whole, d: Whole, inner: Whole, rows: Part, result: Part,
                 reverse: Count):
    steps, size, first = len(gates), dh.shape[1], sequences[0]
    for step in range(steps):
        t = step if reverse else steps - 1 - step
        before = t + 1 if reverse else t - 1
        for r in range(len(sequences)):
            n = first + r
            a, out, row, down = gates[t, n], d[t, n], rows[r], dh[n]
            reset, z, new = a[:size], a[size:2 * size], a[2 * size:]
            if step:
                add_to(down, result[r, :size])
            if len(g):
                add_to(down, g[t, n])
            slope_of_new(down, z, new, out[2 * size:])
            slope_of_update(down, hs[before, n] if step < steps - 1 else h[n], z, new,
                            out[size:2 * size])
            slope_of_gate(out[2 * size:], hidden[t, n], reset, out[:size])
            multiply(out[2 * size:], reset, inner[t, n])
            copy(out[:2 * size], row[:2 * size])
            copy(inner[t, n], row[2 * size:])
            multiply(down, z, down)
        product(rows, panels, result, len(sequences))
    for r in range(len(sequences)):
        add_to(dh[first + r], result[r, :size])


@kernel
def rnn(sequences, hs: Whole, panels: Whole, bias: Whole, h: Whole, rows: Part, result: Part,
        relu: Count, reverse: Count):
    steps, size, first = len(hs), hs.shape[2], sequences[0]
    for r in range(len(sequences)):
        copy(h[first + r], rows[r])
    for step in range(steps):
        t = steps - 1 - step if reverse else step
        product(rows, panels, result, len(sequences))
        for r in range(len(sequences)):
            n = first + r
            p, out = result[r, :size], hs[t, n]
            if relu:
                for j in range(size):
                    x = out[j] + p[j] + bias[j]
                    out[j] = 0 if x < 0 else x
            else:
                add_tanh(out, p, bias)
            copy(out, rows[r])


@kernel
def rnn_backward(sequences, hs: Whole, g: Whole, dh: Whole, panels: Whole, d: Whole, rows: Part,
                 result: Part, relu: Count, reverse: Count):
    steps, size, first, one = len(hs), hs.shape[2], sequences[0], hs.dtype.type(1)
    for r in range(len(sequences)):
        copy(dh[first + r], result[r, :size])
    for step in range(steps):
        t = step if reverse else steps - 1 - step
        for r in range(len(sequences)):
            n = first + r
            y, down, row = hs[t, n], result[r, :size], rows[r]
            if len(g):
                add_to(down, g[t, n])
            if relu:
                for j in range(size):
                    row[j] = down[j] * (one if y[j] > 0 else 0)
            else:
                for j in range(size):
                    row[j] = down[j] * (one - y[j] * y[j])
            copy(row, d[t, n])
        product(rows, panels, result, len(sequences))
    for r in range(len(sequences)):
        copy(result[r, :size], dh[first + r])
