"""One recurrent layer over all time steps, and its gradients, for LSTM, GRU and plain RNN.

x is (T, N, C); weights are PyTorch's: w_ih (gates * H, C), w_hh (gates * H, H).  The products with
the inputs of all steps, and those that give the weights' gradients, are one matrix product each;
what must be done step by step is in `..._steps` and `..._steps_backward`, which have compiled
twins.  The gradients need the gates (T, N, gates * H), and `beside` them, (k, T, N, H), an LSTM's c
and tanh(c), or a GRU's W_hn h + b_hn.
"""

from __future__ import annotations

import numpy as np

from .. import kernels as K

BESIDE = {"LSTM": 2, "GRU": 1}          # arrays like the output that are kept beside the gates
STEPS = 4                               # so many products make up for copying the weights


def recurrent_layer(x, w_ih, w_hh, b_ih, b_hh, hx, cx, mode, reverse):
    """-> (outputs (T, N, H), last h, last c, gates, beside); c is h where the mode has none."""
    steps, batch, width = x.shape
    shape = steps, batch, w_hh.shape[1]
    gates = K.mm(x.reshape(steps * batch, width), w_ih.T).reshape(steps, batch, -1)
    hs = gates if mode not in BESIDE else np.empty(shape, x.dtype)
    beside = np.empty((BESIDE.get(mode, 0), *shape), x.dtype)
    end = 0 if reverse else -1
    if mode == "LSTM":
        K.lstm_steps(gates, beside, hs, w_hh, _bias(gates, b_ih, b_hh), hx, cx, reverse)
        return hs, hs[end].copy(), beside[0, end].copy(), gates, beside
    if mode == "GRU":
        bias, inner = _gru_bias(gates, b_ih, b_hh, shape[2])
        K.gru_steps(gates, beside[0], hs, w_hh, bias, inner, hx, reverse)
    else:
        K.rnn_steps(hs, w_hh, _bias(hs, b_ih, b_hh), hx, mode == "RNN_RELU", reverse)
        gates = beside  # they become the output, and are not kept twice
    return hs, hs[end].copy(), hs[end].copy(), gates, beside


def _bias(gates, b_ih, b_hh):
    return np.zeros(gates.shape[2], gates.dtype) if b_ih is None else b_ih + b_hh


def _gru_bias(gates, b_ih, b_hh, size):
    """What the gates begin with, and what W_hn h does."""
    if b_ih is None:
        bias = _bias(gates, b_ih, b_hh)
        return bias, bias[:size]
    bias = b_ih.copy()
    bias[:2 * size] += b_hh[:2 * size]
    return bias, b_hh[2 * size:]


def _order(steps, reverse):
    return range(steps - 1, -1, -1) if reverse else range(steps)


def _sigmoid(a):
    """In place, by the tangent: no overflow."""
    a *= 0.5
    np.tanh(a, out=a)
    a *= 0.5
    a += 0.5


def _turned(w_hh, hs):
    """The transposed weights, copied where there are steps enough to make up for it."""
    return w_hh.T.copy() if len(hs) >= STEPS else w_hh.T


def _parts(a, size):
    """The last axis cut into pieces of `size`."""
    return [a[..., k:k + size] for k in range(0, a.shape[-1], size)]


def lstm_steps(gates, cells, hs, w_hh, bias, h, c, reverse):
    """hs (T, N, H) from W_ih x in `gates`, which become i, f, g, o; `cells` gets c and tanh(c).

    i, f, o = sigmoid(W_ih x + W_hh h + b), g = tanh(the same); c = f c + i g, h = o tanh(c).
    """
    size = hs.shape[2]
    product, term = np.empty_like(gates[0]), np.empty_like(hs[0])
    # sigmoid(a) = tanh(a / 2) / 2 + 1 / 2: halved before, i, f and o share one tanh with g
    scale, shift = np.repeat(np.array([[0.5, 0.5, 1, 0.5], [0.5, 0.5, 0, 0.5]], hs.dtype), size, 1)
    gates += bias
    gates *= scale
    transposed = w_hh.T * scale
    parts, now, squashed = _parts(gates, size), cells[0], cells[1]
    for t in _order(len(hs), reverse):
        a = gates[t]
        np.dot(h, transposed, out=product)
        a += product
        np.tanh(a, out=a)
        a *= scale
        a += shift
        i, f, g, o = [part[t] for part in parts]
        c = np.multiply(f, c, out=now[t])
        np.multiply(i, g, out=term)
        c += term
        h = np.multiply(o, np.tanh(c, out=squashed[t]), out=hs[t])
    return hs


def gru_steps(gates, hidden, hs, w_hh, bias, inner, h, reverse):
    """hs from W_ih x in `gates`, which become r, z, n; `hidden` gets W_hn h + inner.

    r, z = sigmoid(W_ih x + W_hh h + b), n = tanh(W_in x + b + r (W_hn h + inner)), and then
    h = n + z (h - n).
    """
    size = hs.shape[2]
    product, term, transposed = np.empty_like(gates[0]), np.empty_like(hs[0]), _turned(w_hh, hs)
    gates += bias
    both, (rs, zs, ns) = gates[..., :2 * size], _parts(gates, size)
    outer, last = product[:, :2 * size], product[:, 2 * size:]
    for t in _order(len(hs), reverse):
        np.dot(h, transposed, out=product)
        a, n = both[t], ns[t]
        a += outer
        _sigmoid(a)
        np.multiply(rs[t], np.add(last, inner, out=hidden[t]), out=term)
        n += term
        np.tanh(n, out=n)
        np.subtract(h, n, out=term)
        term *= zs[t]
        h = np.add(term, n, out=hs[t])
    return hs


def rnn_steps(hs, w_hh, bias, h, relu, reverse):
    """tanh or relu of W_ih x + W_hh h + bias, in place of the W_ih x in `hs`."""
    product, transposed = np.empty_like(hs[0]), _turned(w_hh, hs)
    hs += bias
    for t in _order(len(hs), reverse):
        a = hs[t]
        a += np.dot(h, transposed, out=product)
        h = np.maximum(a, 0, out=a) if relu else np.tanh(a, out=a)
    return hs


# --------------------------------------------------------------------------- gradients

def recurrent_layer_backward(gs, need, x, w_ih, w_hh, b_ih, b_hh, hx, cx, output, gates, beside,
                             mode, reverse):
    """Gradients of x, w_ih, w_hh, b_ih, b_hh, hx, cx from those of (outputs, last h, last c)."""
    steps, batch, width = x.shape
    size = hx.shape[1]
    g_out, g_h, g_c = gs[:3]
    dh = np.zeros_like(hx) if g_h is None else g_h.copy()
    dc = inner = None
    if mode == "LSTM":
        dc = np.zeros_like(cx) if g_c is None else g_c.copy()
        d = K.lstm_steps_backward(gates, beside, g_out, dh, dc, w_hh, cx, reverse)
    else:
        if g_c is not None:
            dh += g_c                                        # the same tensor as h
        if mode == "GRU":
            d, inner = K.gru_steps_backward(gates, beside[0], g_out, dh, w_hh, output, hx, reverse)
        else:
            d = K.rnn_steps_backward(output, g_out, dh, w_hh, mode == "RNN_RELU", reverse)
    rows = d.reshape(steps * batch, -1)
    of_bias = K.sum_dim(rows, (0,), False) if b_ih is not None and (need[3] or need[4]) else None
    return (
        K.mm(rows, w_ih).reshape(x.shape) if need[0] else None,
        K.mm(rows.T, x.reshape(steps * batch, width)) if need[1] else None,
        _of_states(d, inner, output, hx, size, reverse) if need[2] else None,
        of_bias if need[3] else None,
        _of_inner_bias(of_bias, inner, size) if need[4] and of_bias is not None else None,
        dh if need[5] else None,
        dc if need[6] else None,
    )


def _of_states(d, inner, hs, first, size, reverse):
    """The gradient of w_hh: d times the state that each step began with."""
    if inner is None:
        return _with_states(d, hs, first, reverse)
    return np.concatenate((_with_states(d[..., :2 * size], hs, first, reverse),
                           _with_states(inner, hs, first, reverse)))


def _with_states(d, hs, first, reverse):
    begun, later, states = (d[-1], d[:-1], hs[1:]) if reverse else (d[0], d[1:], hs[:-1])
    rows = later.reshape(-1, d.shape[2])
    made = K.mm(rows.T, states.reshape(-1, hs.shape[2]))
    made += K.mm(begun.T, first)
    return made


def _of_inner_bias(of_bias, inner, size):
    of_bias = of_bias.copy()
    if inner is not None:
        of_bias[2 * size:] = K.sum_dim(inner, (0, 1), False)
    return of_bias


def _shifted(states, first, reverse):
    """The state before each step."""
    before = np.empty_like(states)
    if reverse:
        before[-1], before[:-1] = first, states[1:]
    else:
        before[0], before[1:] = first, states[:-1]
    return before


def lstm_steps_backward(gates, cells, g_out, dh, dc, w_hh, first, reverse):
    """Gradients of what went into the gates (T, N, 4 H); dh and dc become those of h and c."""
    c, squashed = cells
    steps, batch, size = c.shape
    i, f, g, o = _parts(gates, size)
    # the slopes of i, f and g, times what these multiply
    slopes = np.empty((steps, batch, 3, size), c.dtype)
    np.multiply(g * i, 1 - i, out=slopes[:, :, 0])
    np.multiply(_shifted(c, first, reverse) * f, 1 - f, out=slopes[:, :, 1])
    np.multiply(i, 1 - g * g, out=slopes[:, :, 2])
    of_o = squashed * o * (1 - o)
    of_c = o * (1 - squashed * squashed)
    d, term, across = np.empty_like(gates), np.empty_like(dh), dc[:, None]
    first_3, last = d.reshape(steps, batch, 4, size)[:, :, :3], d[..., 3 * size:]
    for t in _order(steps, not reverse):
        if g_out is not None:
            dh += g_out[t]
        dc += np.multiply(dh, of_c[t], out=term)
        np.multiply(slopes[t], across, out=first_3[t])
        np.multiply(dh, of_o[t], out=last[t])
        dc *= f[t]
        np.dot(d[t], w_hh, out=dh)
    return d


def gru_steps_backward(gates, hidden, g_out, dh, w_hh, hs, first, reverse):
    """Gradients of what went into the gates (T, N, 3 H), and of W_hn h + b_hn; dh becomes h's."""
    steps, batch, size = hidden.shape
    r, z, n = _parts(gates, size)
    of_n = (1 - z) * (1 - n * n)
    of_z = (_shifted(hs, first, reverse) - n) * z * (1 - z)
    of_r = hidden * r * (1 - r)
    d, inner = np.empty_like(gates), np.empty_like(hidden)
    d_r, d_z, d_n = _parts(d, size)
    outer, product = d[..., :2 * size], np.empty_like(dh)
    w_outer, w_inner = w_hh[:2 * size], w_hh[2 * size:]
    for t in _order(steps, not reverse):
        if g_out is not None:
            dh += g_out[t]
        new = np.multiply(dh, of_n[t], out=d_n[t])
        np.multiply(dh, of_z[t], out=d_z[t])
        np.multiply(new, of_r[t], out=d_r[t])
        np.multiply(new, r[t], out=inner[t])
        dh *= z[t]
        dh += np.dot(outer[t], w_outer, out=product)
        dh += np.dot(inner[t], w_inner, out=product)
    return d, inner


def rnn_steps_backward(hs, g_out, dh, w_hh, relu, reverse):
    """Gradients of what went into tanh or relu; dh becomes that of h."""
    slope = (hs > 0).astype(hs.dtype) if relu else 1 - hs * hs
    d = np.empty_like(hs)
    for t in _order(len(hs), not reverse):
        if g_out is not None:
            dh += g_out[t]
        np.dot(np.multiply(dh, slope[t], out=d[t]), w_hh, out=dh)
    return d
