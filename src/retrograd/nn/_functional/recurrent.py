"""Recurrent networks: layers stacked, in one direction or two, over padded or packed sequences."""
from __future__ import annotations

import retrograd as torch
from retrograd.nn._functional._operators import ops
from retrograd.nn._functional.dropout import dropout
from retrograd.ops.addmm import linear
from retrograd.ops.recurrent import CELLS, gru_cell, lstm_cell, steps
from retrograd.ops.support import unusual

__all__ = ["CELLS", "gru_cell", "layers", "lstm_cell"]


def layers(mode, input, state, weights, has_biases, num_layers, drop, training, bidirectional,
           batch_sizes=None, by_cells=False):
    """Every layer of an RNN over time-first `input` (T, N, C), or packed data with `batch_sizes`.

    `state` is a hidden tensor (layers * directions, N, H), or (h, c) for an LSTM; `weights` a flat
    list in PyTorch's order; `by_cells` asks for single steps.  Returns (output, final state of the
    same form).
    """
    if batch_sizes is None and not input.shape[0]:
        raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
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
            if batch_sizes is None:
                run = _by_cells if by_cells else _layer
                output, last = run(mode, input, first, own, direction == 1)
            else:
                output, last = _packed_steps(CELLS[mode], input, first, own, direction == 1,
                                             batch_sizes)
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


def _has_own_node(mode, t):
    """Whether PyTorch records one node for a layer, instead of those of its steps."""
    return mode == "LSTM" and t._data.dtype.char == "f"


def batch_before_steps(output, mode):
    """(T, N, H) -> (N, T, H), recorded by the name that PyTorch has."""
    if mode == "LSTM" or output.__class__ is not torch.Tensor:
        return output.transpose(0, 1)
    return ops.transposed(output, 0, 1)


def _layer(mode, input, state, weights, reverse):
    """One layer in one direction: by its own operator where the tensors are plain ones."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    pair = isinstance(state, tuple)
    hx, cx = state if pair else (state, None)
    tensors = (input, w_ih, w_hh, b_ih, b_hh, hx, cx)
    dtype = input._data.dtype
    plain = w_hr is None and input._data.size and dtype.char in "fd" and all(
        [t is None or not unusual(t._flags) and t._data.dtype is dtype for t in tensors])
    if not plain:
        return _by_cells(mode, input, state, weights, reverse)
    layer = ops.recurrent_layer if _has_own_node(mode, input) else ops.stepped_layer
    output, h, c, *_ = layer(*tensors, mode, reverse)
    return output, ((h, c) if pair else h)


def _by_cells(mode, input, state, weights, reverse):
    return steps(CELLS[mode], input, state, weights, reverse)


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
