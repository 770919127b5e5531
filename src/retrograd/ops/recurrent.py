"""Recurrent layers: one operator for a layer and direction, and the cells it is made of.

The operator's gradients run on arrays.  Where they are differentiated again, or under modes that
the operator has no rule for, the layer is composed of its cells instead.
"""

from __future__ import annotations

from .._state import state
from . import nn_samples as S
from .declare import F as T
from .declare import composite, op
from .matmul import linear


def samples():
    for mode, gates in (("LSTM", 4), ("GRU", 3), ("RNN_TANH", 1)):
        for reverse in (False, True):
            yield (S.normal(3, 2, 4), S.normal(gates * 3, 4), S.normal(gates * 3, 3),
                   S.normal(gates * 3), S.normal(gates * 3, seed=1), S.normal(2, 3),
                   S.normal(2, 3, seed=1) if mode == "LSTM" else None, mode, reverse)


op("recurrent_layer(input, w_ih, w_hh, b_ih?, b_hh?, hx, cx? | mode, reverse)",
   "MkldnnRnnLayerBackward0", public=False, outputs=("output", "hy", "cy", "work"),
   nondiff=("work",), samples=lambda: list(samples()),
   joint=lambda F, gs, need, input, w_ih, w_hh, b_ih, b_hh, hx, cx, output, work, mode, reverse:
             F.recurrent_layer_backward(gs, need, input, w_ih, w_hh, b_ih, b_hh, hx, cx, output,
                                        work, mode, reverse))


@composite
def recurrent_layer_backward(gs, need, input, w_ih, w_hh, b_ih, b_hh, hx, cx, output, work, mode,
                             reverse):
    """The gradients, of Tensors: those of the composition, taken with a graph of their own."""
    from ..autograd import grad

    given = (input, w_ih, w_hh, b_ih, b_hh, hx, cx)
    was, state.grad = state.grad, True
    try:
        # views, so that the derivative stops here also where one input was made from another
        inputs = [None if t is None else T.view(t, tuple(t._data.shape)) for t in given]
        made = composed(*inputs, mode, reverse)
        pairs = [(t, g) for t, g in zip(made, gs[:3], strict=True) if g is not None]
        wanted = [k for k, t in enumerate(inputs) if need[k] and t is not None and t.requires_grad]
        found = grad([t for t, _ in pairs], [inputs[k] for k in wanted], [g for _, g in pairs],
                     create_graph=was, allow_unused=True)
    finally:
        state.grad = was
    result = [None] * len(given)
    for k, g in zip(wanted, found, strict=True):
        result[k] = g
    return tuple(result)


def composed(input, w_ih, w_hh, b_ih, b_hh, hx, cx, mode, reverse):
    """recurrent_layer by its cells: (outputs, last h, last c)."""
    hidden = hx if cx is None else (hx, cx)
    outputs, last = steps(CELLS[mode], input, hidden, (w_ih, w_hh, b_ih, b_hh, None), reverse)
    return (outputs, *last) if cx is not None else (outputs, last, last)


def steps(cell, input, hidden, weights, reverse):
    """The cell over time: (outputs (T, N, H), last hidden state)."""
    w_ih, w_hh, b_ih, b_hh, w_hr = weights
    gates = linear(input, w_ih, b_ih).unbind(0)
    outputs = []
    for x in (reversed(gates) if reverse else gates):
        hidden = cell(x, hidden, w_hh, b_hh, w_hr)
        outputs.append(hidden[0] if isinstance(hidden, tuple) else hidden)
    if reverse:
        outputs.reverse()
    return T.stack(outputs, 0), hidden


# --------------------------------------------------------------------------- cells

def lstm_cell(gates_in, hidden, w_hh, b_hh, w_hr=None):
    """One step: (W_ih x + b_ih, (h, c)) -> (h, c); gates in the order i, f, g, o.

    i, f, o are sigmoids, g a tanh; c' = f c + i g, h' = o tanh(c'), projected by `w_hr` if given.
    """
    h, c = hidden
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
