"""Recurrent layers: one operator for a layer and direction, and the cells it is made of.

The operator's gradients run on arrays.  Where they are differentiated again, or under modes for
which the operator has no rule, the layer is composed of its cells instead.
"""

from __future__ import annotations

from .._state import set_recording, state
from . import nn_samples as S
from .addmm import linear
from .declare import F as T
from .declare import composite, op


def samples():
    for mode, gates in (("LSTM", 4), ("GRU", 3), ("RNN_TANH", 1)):
        for reverse in (False, True):
            yield (S.normal(3, 2, 4), S.normal(gates * 3, 4), S.normal(gates * 3, 3),
                   S.normal(gates * 3), S.normal(gates * 3, seed=1), S.normal(2, 3),
                   S.normal(2, 3, seed=1) if mode == "LSTM" else None, mode, reverse)


# PyTorch has one node for a layer of an LSTM of float32; those of others end in the node that
# stacks what the steps gave.
for _name, _node in (("recurrent_layer", "MkldnnRnnLayerBackward0"),
                     ("stepped_layer", "StackBackward0")):
    op(f"{_name}(input, w_ih, w_hh, b_ih?, b_hh?, hx, cx? | mode, reverse)", _node, public=False,
       kernel="recurrent_layer", outputs=("output", "hy", "cy", "gates", "beside"),
       nondiff=("gates", "beside"), samples=lambda: list(samples()),
       joint=lambda F, gs, need, input, w_ih, w_hh, b_ih, b_hh, hx, cx, output, gates, beside,
                 mode, reverse: F.recurrent_layer_backward(gs, need, input, w_ih, w_hh, b_ih, b_hh,
                                                           hx, cx, output, gates, beside, mode,
                                                           reverse))


@composite
def recurrent_layer_backward(gs, need, input, w_ih, w_hh, b_ih, b_hh, hx, cx, output, gates, beside,
                             mode, reverse):
    """The gradients, of Tensors: those of the composition, taken with a graph of their own."""
    from ..autograd import grad

    given = (input, w_ih, w_hh, b_ih, b_hh, hx, cx)
    was = state.grad
    try:
        set_recording(True)
        # views, so that the derivative stops here also where one input was made from another
        inputs = [None if t is None else T.view(t, tuple(t._data.shape)) for t in given]
        made = composed(*inputs, mode, reverse)
        pairs = [(t, g) for t, g in zip(made, gs[:3], strict=True) if g is not None]
        wanted = [k for k, t in enumerate(inputs) if need[k] and t is not None and t.requires_grad]
        found = grad([t for t, _ in pairs], [inputs[k] for k in wanted], [g for _, g in pairs],
                     create_graph=was, allow_unused=True)
    finally:
        state.grad = was                     # first: see NOTE [interrupts]
        set_recording(was)
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

def cell_samples():
    for gates, kept in ((4, 3), (3, 3)):
        yield S.normal(2, gates * kept), S.normal(2, gates * kept, seed=1), S.normal(2, kept)


op("fused_lstm_cell(input_gates, hidden_gates, cx)", "ThnnFusedLstmCellBackward0", public=False,
   outputs=("hy", "cy", "workspace"), nondiff=("workspace",),
   samples=lambda: list(cell_samples())[:1],
   joint=lambda F, gs, need, input_gates, hidden_gates, cx, workspace:
             F.lstm_cell_slopes(workspace, gs[0], gs[1], input_gates, hidden_gates, cx))

op("fused_gru_cell(input_gates, hidden_gates, hx)", "AddBackward0", public=False,
   outputs=("hy", "workspace"), nondiff=("workspace",),
   samples=lambda: list(cell_samples())[1:],
   joint=lambda F, gs, need, input_gates, hidden_gates, hx, workspace:
             F.gru_cell_slopes(workspace, gs[0], input_gates, hidden_gates, hx))


@composite
def lstm_cell_slopes(workspace, gh, gc, input_gates, hidden_gates, cx):
    """The gradients, of Tensors: from the gates themselves, so that they can be differentiated."""
    i, f, g, o = _activated(input_gates + hidden_gates)
    squashed = (f * cx + i * g).tanh()
    dc, do = gc, None
    if gh is not None:
        do = T.sigmoid_backward(gh * squashed, o)
        of_h = T.tanh_backward(gh * o, squashed)
        dc = of_h if gc is None else of_h + gc
    d = T.cat([T.sigmoid_backward(dc * g, i), T.sigmoid_backward(dc * cx, f),
               T.tanh_backward(dc * i, g), T.zeros_like(o) if do is None else do], 1)
    return d, d, dc * f


def _activated(gates):
    i, f, g, o = gates.chunk(4, -1)
    return i.sigmoid(), f.sigmoid(), g.tanh(), o.sigmoid()


@composite
def gru_cell_slopes(workspace, gh, input_gates, hidden_gates, hx):
    """The gradients of input_gates, hidden_gates and hx, of Tensors."""
    r, z, n, hidden = _gru_gates(input_gates, hidden_gates)
    dn = T.tanh_backward(gh * (1 - z), n)
    dz = T.sigmoid_backward(gh * (hx - n), z)
    dr = T.sigmoid_backward(dn * hidden, r)
    return T.cat([dr, dz, dn], 1), T.cat([dr, dz, dn * r], 1), gh * z


def _gru_gates(input_gates, hidden_gates):
    r_in, z_in, n_in = input_gates.chunk(3, -1)
    r_h, z_h, n_h = hidden_gates.chunk(3, -1)
    r = (r_h + r_in).sigmoid()
    return r, (z_h + z_in).sigmoid(), (n_in + n_h * r).tanh(), n_h


def fusable(*tensors):
    """Whether an operator without rules for modes can take these: plain matrices of one dtype."""
    dtype = tensors[0]._data.dtype
    return dtype.char in "fd" and all(
        [t._flags <= 1 and t._data.dtype is dtype and t._data.ndim == 2 for t in tensors])


def lstm_cell(gates_in, hidden, w_hh, b_hh, w_hr=None):
    """One step: (W_ih x + b_ih, (h, c)) -> (h, c); gates in the order i, f, g, o.

    i, f, o are sigmoids, g a tanh; c' = f c + i g, h' = o tanh(c'), projected by `w_hr` if given.
    """
    h, c = hidden
    gates_h = linear(h, w_hh, b_hh)
    if fusable(gates_in, gates_h, c):
        h, c, _ = T.fused_lstm_cell(gates_in, gates_h, c)
    else:
        i, f, g, o = _activated(gates_in + gates_h)
        c = f * c + i * g
        h = o * c.tanh()
    return (h if w_hr is None else linear(h, w_hr)), c


def gru_cell(gates_in, h, w_hh, b_hh, w_hr=None):
    """One step: r, z sigmoids, n = tanh(n_in + r n_h), h' = (h - n) z + n."""
    gates_h = linear(h, w_hh, b_hh)
    if fusable(gates_in, gates_h, h):
        return T.fused_gru_cell(gates_in, gates_h, h)[0]
    _, z, n, _ = _gru_gates(gates_in, gates_h)
    return (h - n) * z + n


def rnn_tanh_cell(gates_in, h, w_hh, b_hh, w_hr=None):
    """One step: tanh(W_ih x + b_ih + W_hh h + b_hh)."""
    return (linear(h, w_hh, b_hh) + gates_in).tanh()


def rnn_relu_cell(gates_in, h, w_hh, b_hh, w_hr=None):
    """One step: relu(W_ih x + b_ih + W_hh h + b_hh)."""
    return (linear(h, w_hh, b_hh) + gates_in).relu()


CELLS = {"LSTM": lstm_cell, "GRU": gru_cell, "RNN_TANH": rnn_tanh_cell, "RNN_RELU": rnn_relu_cell}
