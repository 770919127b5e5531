"""One step of an LSTM or a GRU from its gates, (N, gates * H), and the gradients of that step.

`work` keeps the activated gates and what the gradients need beside them: i, f, g, o, (N, 4 H), and
tanh(c) of an LSTM; r, z, n, (N, 3 H), of a GRU.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np


@lru_cache(maxsize=64)
def _rows(size, dtype):
    """For i, f, g, o: factor and term by which a tanh becomes a sigmoid, and 1 for the tanh.

    sigmoid(a) = tanh(a / 2) / 2 + 1 / 2
    """
    rows = np.array([[0.5, 0.5, 1, 0.5], [0.5, 0.5, 0, 0.5], [0, 0, 1, 0]], dtype)
    return np.repeat(rows, size, 1)


def cut(work, like):
    """The gates and tanh(c) in an LSTM's `work`."""
    n, size = like.shape
    end = 4 * like.size
    return work[:end].reshape(n, 4 * size), work[end:].reshape(n, size)


def fused_lstm_cell(a, b, c):
    """-> (h, c, work) from the gates a + b."""
    size = c.shape[1]
    scale, shift, _ = _rows(size, c.dtype)
    work = np.empty(5 * c.size, c.dtype)
    gates, squashed = cut(work, c)
    np.add(a, b, gates)
    np.multiply(gates, scale, gates)
    np.tanh(gates, gates)
    np.multiply(gates, scale, gates)
    np.add(gates, shift, gates)
    now = gates[:, size:2 * size] * c
    now += gates[:, :size] * gates[:, 2 * size:3 * size]
    return gates[:, 3 * size:] * np.tanh(now, squashed), now, work


def lstm_cell_slopes(work, gh, gc, a, b, c):
    """Gradients of a, b and c; gh or gc may be None."""
    size = c.shape[1]
    gates, squashed = cut(work, c)
    i, f, g, o = [gates[:, k:k + size] for k in range(0, 4 * size, size)]
    slopes = gates + _rows(size, c.dtype)[2]               # 1 - y^2 of a tanh, y - y^2 of a sigmoid
    slopes *= 1 - gates
    if gh is None:
        dc = gc
    else:
        dc = squashed * squashed
        dc *= o
        np.subtract(o, dc, dc)
        dc *= gh
        if gc is not None:
            dc += gc
    parts = np.empty_like(gates)
    np.multiply(g, dc, parts[:, :size])
    np.multiply(c, dc, parts[:, size:2 * size])
    np.multiply(i, dc, parts[:, 2 * size:3 * size])
    np.multiply(squashed, 0 if gh is None else gh, parts[:, 3 * size:])
    slopes *= parts
    return slopes, slopes, f * dc


def fused_gru_cell(a, b, h):
    """-> (h, work) from W_ih x + b_ih and W_hh h + b_hh."""
    size = h.shape[1]
    work = a + b
    both, n = work[:, :2 * size], work[:, 2 * size:]
    gates = both * 0.5
    np.tanh(gates, gates)
    gates *= 0.5
    np.add(gates, 0.5, both)
    np.multiply(work[:, :size], b[:, 2 * size:], n)
    n += a[:, 2 * size:]
    new = np.tanh(n)
    n[...] = new
    now = h - new
    now *= work[:, size:2 * size]
    now += new
    return now, work


def gru_cell_slopes(work, g, a, b, h):
    """Gradients of a, b and h."""
    size = h.shape[1]
    r, z, n = [work[:, k:k + size] for k in range(0, 3 * size, size)]
    slopes = 1 - work
    left = slopes[:, size:2 * size]
    dn = left * g
    np.multiply(dn, h - n, left)
    slopes *= work
    dn *= 1 - n * n
    slopes[:, 2 * size:] = dn
    first = slopes[:, :size]
    first *= b[:, 2 * size:]
    first *= dn
    inner = slopes.copy()
    np.multiply(dn, r, inner[:, 2 * size:])
    return slopes, inner, g * z
