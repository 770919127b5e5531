"""Recurrent layers as compositions: a cell stepped over time, layers stacked, two directions.

The products with the inputs of all time steps are one matrix product; only those with the hidden
state are made step by step.
"""
from __future__ import annotations

import retrograd as torch
from retrograd.nn._functional.conv import linear
from retrograd.nn._functional.dropout import dropout


def lstm_cell(gates_in, state, w_hh, b_hh, w_hr=None):
    """One step: (W_ih x + b_ih, (h, c)) -> (h, c); gates in the order i, f, g, o.

    i, f, o are sigmoids, g a tanh; c' = f c + i g, h' = o tanh(c'), projected by `w_hr` if given.
    """
    h, c = state
    i, f, g, o = (gates_in + linear(h, w_hh, b_hh)).chunk(4, -1)
    c = f.sigmoid() * c + i.sigmoid() * g.tanh()
    h = o.sigmoid() * c.tanh()
    return (h if w_hr is None else linear(h, w_hr)), c


def gru_cell(gates_in, h, w_hh, b_hh, w_hr=None):
    """One step: r, z sigmoids, n = tanh(n_in + r n_h), h' = (h - n) z + n."""
    r_in, z_in, n_in = gates_in.chunk(3, -1)
    r_h, z_h, n_h = linear(h, w_hh, b_hh).chunk(3, -1)
    r = (r_h + r_in).sigmoid()
    z = (z_h + z_in).sigmoid()
    n = (n_in + n_h * r).tanh()
    return (h - n) * z + n


def rnn_tanh_cell(gates_in, h, w_hh, b_hh, w_hr=None):
    """One step: tanh(W_ih x + b_ih + W_hh h + b_hh)."""
    return (linear(h, w_hh, b_hh) + gates_in).tanh()


def rnn_relu_cell(gates_in, h, w_hh, b_hh, w_hr=None):
    """One step: relu(W_ih x + b_ih + W_hh h + b_hh)."""
    return (linear(h, w_hh, b_hh) + gates_in).relu()


CELLS = {"LSTM": lstm_cell, "GRU": gru_cell, "RNN_TANH": rnn_tanh_cell, "RNN_RELU": rnn_relu_cell}


def layers(mode, input, state, weights, has_biases, num_layers, drop, training, bidirectional,
           batch_sizes=None):
    """Every layer of an RNN over time-first `input` (T, N, C), or packed data with `batch_sizes`.

    `state` is a hidden tensor (layers * directions, N, H), or (h, c) for an LSTM; `weights` a flat
    list in PyTorch's order.  Returns (output, final state of the same form).
    """
    cell = CELLS[mode]
    directions = 2 if bidirectional else 1
    per = len(weights) // (num_layers * directions)
    pair = isinstance(state, tuple)
    final = []
    for layer in range(num_layers):
        outputs = []
        for direction in range(directions):
            k = layer * directions + direction
            own = _named(weights[k * per:(k + 1) * per], has_biases)
            first = tuple(s[k] for s in state) if pair else state[k]
            run = _steps if batch_sizes is None else _packed_steps
            output, last = run(cell, input, first, own, direction == 1, batch_sizes)
            outputs.append(output)
            final.append(last)
        input = outputs[0] if directions == 1 else torch.cat(outputs, -1)
        if drop > 0 and training and layer < num_layers - 1:
            input = dropout(input, drop, True)
    if pair:
        return input, tuple(torch.stack([f[i] for f in final]) for i in range(2))
    return input, torch.stack(final)


def _named(group, has_biases):
    """(w_ih, w_hh, b_ih, b_hh, w_hr) of one layer and direction; None for what is absent."""
    group = list(group)
    w_ih, w_hh = group[:2]
    b_ih, b_hh = group[2:4] if has_biases else (None, None)
    rest = group[4:] if has_biases else group[2:]
    return w_ih, w_hh, b_ih, b_hh, (rest[0] if rest else None)


def _steps(cell, input, state, weights, reverse, batch_sizes=None):
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    gates = linear(input, w_ih, b_ih).unbind(0)
    outputs = []
    for x in (reversed(gates) if reverse else gates):
        state = cell(x, state, w_hh, b_hh, w_hr)
        outputs.append(state[0] if isinstance(state, tuple) else state)
    if reverse:
        outputs.reverse()
    return torch.stack(outputs, 0), state


def _packed_steps(cell, data, state, weights, reverse, batch_sizes):
    """As _steps, on packed data: the first batch_sizes[t] sequences are alive at step t."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    sizes = batch_sizes.tolist()
    gates = linear(data, w_ih, b_ih).split(sizes, 0)
    order = range(len(sizes) - 1, -1, -1) if reverse else range(len(sizes))
    pair = isinstance(state, tuple)
    states = state if pair else (state,)
    initial = states
    states = tuple(s[:sizes[order[0]]] for s in initial) if reverse else states
    ended = []           # states of sequences that are over, shortest first
    outputs = []
    for t in order:
        alive, now = sizes[t], states[0].size(0)
        if alive > now:           # backwards in time, longer sequences end first: more begin
            states = tuple(torch.cat([s, i[now:alive]])
                           for s, i in zip(states, initial, strict=True))
        elif alive < now:
            ended.append(tuple(s[alive:] for s in states))
            states = tuple(s[:alive] for s in states)
        made = cell(gates[t], states if pair else states[0], w_hh, b_hh, w_hr)
        states = made if pair else (made,)
        outputs.append(states[0])
    if reverse:
        outputs.reverse()
    parts = [states, *reversed(ended)]
    last = tuple(torch.cat([p[i] for p in parts]) if ended else states[i]
                 for i in range(len(states)))
    return torch.cat(outputs, 0), (last if pair else last[0])
