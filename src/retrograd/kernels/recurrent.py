"""One recurrent layer over all time steps, and its gradients, for LSTM, GRU and plain RNN.

x is (T, N, C); weights are PyTorch's: w_ih (gates * H, C), w_hh (gates * H, H).  The products with
the inputs of all steps, and those that give the weights' gradients, are one matrix product each.
`work` keeps what the gradients need, stacked over time.
"""

from __future__ import annotations

import numpy as np


def recurrent_layer(x, w_ih, w_hh, b_ih, b_hh, hx, cx, mode, reverse):
    """-> (outputs (T, N, H), last h, last c, work); c is h where the mode has none."""
    steps, batch, width = x.shape
    gates = x.reshape(steps * batch, width) @ w_ih.T
    if b_ih is not None:
        gates += b_ih
        if mode != "GRU":
            gates += b_hh
    gates = gates.reshape(steps, batch, -1)
    order = range(steps - 1, -1, -1) if reverse else range(steps)
    hs = np.empty((steps, batch, w_hh.shape[1]), x.dtype)
    turned = w_hh.T.copy()
    if mode == "LSTM":
        h, c, work = _lstm(gates, turned, hx, cx, hs, order)
    elif mode == "GRU":
        h, work = _gru(gates, turned, b_hh, hx, hs, order)
        c = h
    else:
        h, work = _rnn(gates, turned, hx, hs, order, mode)
        c = h
    return hs, h.copy(), c.copy(), work


def _sigmoid(a):
    """In place, by the tangent: no overflow."""
    a *= 0.5
    np.tanh(a, out=a)
    a *= 0.5
    a += 0.5


def _lstm(gates, turned, h, c, hs, order):
    steps, batch, size = hs.shape
    work = np.empty((6, steps, batch, size), hs.dtype)       # i, f, g, o, c, tanh(c)
    product, term = np.empty_like(gates[0]), np.empty_like(hs[0])
    # sigmoid(a) = tanh(a / 2) / 2 + 1 / 2: halved before, i, f and o share one tanh with g
    scale, shift = np.repeat(np.array([[0.5, 0.5, 1, 0.5], [0.5, 0.5, 0, 0.5]], hs.dtype), size, 1)
    gates *= scale
    turned *= scale
    for t in order:
        a = gates[t]
        np.dot(h, turned, out=product)
        a += product
        np.tanh(a, out=a)
        a *= scale
        a += shift
        i, f, g, o = (a[:, k * size:(k + 1) * size] for k in range(4))
        now, squashed = work[4, t], work[5, t]
        np.multiply(f, c, out=now)
        np.multiply(i, g, out=term)
        now += term
        np.tanh(now, out=squashed)
        h = np.multiply(o, squashed, out=hs[t])
        c = now
    work[:4] = gates.reshape(steps, batch, 4, size).transpose(2, 0, 1, 3)
    return h, c, work


def _gru(gates, turned, b_hh, h, hs, order):
    steps, batch, size = hs.shape
    work = np.empty((4, steps, batch, size), hs.dtype)       # r, z, n, W_hn h + b_hn
    product, term = np.empty_like(gates[0]), np.empty_like(hs[0])
    for t in order:
        a = gates[t]
        np.dot(h, turned, out=product)
        if b_hh is not None:
            product += b_hh
        both = a[:, :2 * size]
        both += product[:, :2 * size]
        _sigmoid(both)
        r, z, n = (a[:, k * size:(k + 1) * size] for k in range(3))
        work[3, t] = product[:, 2 * size:]
        np.multiply(r, work[3, t], out=term)
        n += term
        np.tanh(n, out=n)
        np.subtract(h, n, out=term)
        term *= z
        h = np.add(term, n, out=hs[t])
    work[:3] = gates.reshape(steps, batch, 3, size).transpose(2, 0, 1, 3)
    return h, work


def _rnn(gates, turned, h, hs, order, mode):
    product = np.empty_like(hs[0])
    for t in order:
        np.dot(h, turned, out=product)
        product += gates[t]
        if mode == "RNN_TANH":
            h = np.tanh(product, out=hs[t])
        else:
            h = np.maximum(product, 0, out=hs[t])
    return h, np.empty((0,), hs.dtype)


def recurrent_layer_backward(gs, need, x, w_ih, w_hh, b_ih, b_hh, hx, cx, output, work, mode,
                             reverse):
    """Gradients of x, w_ih, w_hh, b_ih, b_hh, hx, cx from those of (outputs, last h, last c)."""
    steps, batch, width = x.shape
    g_out, g_h, g_c = gs[:3]
    order = range(steps) if reverse else range(steps - 1, -1, -1)
    before = _shifted(output, hx, reverse)                   # the h each step began with
    dh = np.zeros_like(hx) if g_h is None else g_h.copy()
    dc = None
    if mode == "LSTM":
        dc = np.zeros_like(cx) if g_c is None else g_c.copy()
        d_in, dh, dc = _lstm_back(g_out, dh, dc, w_hh, cx, work, order, reverse)
        d_hidden = d_in
    elif g_c is not None:
        dh += g_c                                            # the same tensor as h
    if mode == "GRU":
        d_in, d_hidden, dh = _gru_back(g_out, dh, w_hh, before, work, order)
    elif mode != "LSTM":
        d_in, dh = _rnn_back(g_out, dh, w_hh, output, order, mode)
        d_hidden = d_in
    rows, hidden_rows = (d.reshape(steps * batch, -1) for d in (d_in, d_hidden))
    return (
        (rows @ w_ih).reshape(x.shape) if need[0] else None,
        rows.T @ x.reshape(steps * batch, width) if need[1] else None,
        hidden_rows.T @ before.reshape(steps * batch, -1) if need[2] else None,
        rows.sum(0) if b_ih is not None and need[3] else None,
        hidden_rows.sum(0) if b_hh is not None and need[4] else None,
        dh if need[5] else None,
        dc if cx is not None and need[6] else None,
    )


def _shifted(states, first, reverse):
    """The state before each step."""
    before = np.empty_like(states)
    if reverse:
        before[-1], before[:-1] = first, states[1:]
    else:
        before[0], before[1:] = first, states[:-1]
    return before


def _lstm_back(g_out, dh, dc, w_hh, cx, work, order, reverse):
    i, f, g, o, c, squashed = work
    steps, batch, size = c.shape
    slopes = np.empty((steps, batch, 3, size), c.dtype)      # of i, f, g, times what they multiply
    np.multiply(g * i, 1 - i, out=slopes[:, :, 0])
    np.multiply(_shifted(c, cx, reverse) * f, 1 - f, out=slopes[:, :, 1])
    np.multiply(i, 1 - g * g, out=slopes[:, :, 2])
    of_o = squashed * o * (1 - o)
    of_c = o * (1 - squashed * squashed)
    d = np.empty((steps, batch, 4, size), c.dtype)
    for t in order:
        if g_out is not None:
            dh += g_out[t]
        dc += dh * of_c[t]
        np.multiply(slopes[t], dc[:, None], out=d[t, :, :3])
        np.multiply(dh, of_o[t], out=d[t, :, 3])
        dc *= f[t]
        np.dot(d[t].reshape(batch, -1), w_hh, out=dh)
    return d, dh, dc


def _gru_back(g_out, dh, w_hh, before, work, order):
    r, z, n, hidden = work
    steps, batch, size = r.shape
    of_n = (1 - z) * (1 - n * n)
    of_z = (before - n) * z * (1 - z)
    of_r = hidden * r * (1 - r)
    d_in = np.empty((steps, batch, 3, size), r.dtype)
    d_hidden = np.empty_like(d_in)
    product = np.empty_like(dh)
    for t in order:
        if g_out is not None:
            dh += g_out[t]
        np.multiply(dh, of_n[t], out=d_in[t, :, 2])
        np.multiply(dh, of_z[t], out=d_in[t, :, 1])
        np.multiply(d_in[t, :, 2], of_r[t], out=d_in[t, :, 0])
        d_hidden[t, :, :2] = d_in[t, :, :2]
        np.multiply(d_in[t, :, 2], r[t], out=d_hidden[t, :, 2])
        dh *= z[t]
        np.dot(d_hidden[t].reshape(batch, -1), w_hh, out=product)
        dh += product
    return d_in, d_hidden, dh


def _rnn_back(g_out, dh, w_hh, output, order, mode):
    slope = 1 - output * output if mode == "RNN_TANH" else (output > 0).astype(output.dtype)
    d = np.empty_like(output)
    for t in order:
        if g_out is not None:
            dh += g_out[t]
        np.multiply(dh, slope[t], out=d[t])
        np.dot(d[t], w_hh, out=dh)
    return d, dh
