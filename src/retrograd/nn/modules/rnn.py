"""Recurrent layers: RNN, LSTM, GRU, and their single-step cells."""
from __future__ import annotations

import math
import numbers
import warnings
import weakref
from typing import Any

import retrograd as torch
from retrograd.nn import init
from retrograd.nn._borrowed import borrows
from retrograd.nn._functional import recurrent
from retrograd.nn.modules.module import Module
from retrograd.nn.parameter import Parameter
from retrograd.nn.utils.rnn import PackedSequence
from retrograd.ops.addmm import linear
from retrograd.overrides import has_torch_function_unary

__all__ = ["RNNBase", "RNN", "LSTM", "GRU", "RNNCellBase", "RNNCell", "LSTMCell", "GRUCell"]

__getattr__ = borrows(__name__)

_GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def apply_permutation(tensor, permutation, dim=1):
    """The old name of tensor.index_select(dim, permutation)."""
    warnings.warn("apply_permutation is deprecated, please use "
                  "tensor.index_select(dim, permutation) instead", FutureWarning, stacklevel=2)
    return _permuted(tensor, permutation, dim)


def _permuted(tensor, permutation, dim=1):
    return tensor.index_select(dim, permutation)


class RNNBase(Module):
    """The weights of a recurrent network of several layers and one or two directions.

    RNN, LSTM and GRU are made of it. Layer k has weight_ih_l{k}, weight_hh_l{k}, bias_ih_l{k} and
    bias_hh_l{k} (`_reverse` for the way back), which start uniform in +-1 / sqrt(hidden_size).

    >>> import retrograd as torch
    >>> rnn = torch.nn.LSTM(2, 3, num_layers=2)
    >>> isinstance(rnn, torch.nn.RNNBase), rnn.mode, rnn.num_layers
    (True, 'LSTM', 2)
    """

    __constants__ = ["mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first",
                     "dropout", "bidirectional", "proj_size"]
    __jit_unused_properties__ = ["all_weights"]

    def __init__(self, mode, input_size, hidden_size, num_layers=1, bias=True, batch_first=False,
                 dropout=0.0, bidirectional=False, proj_size=0, device=None, dtype=None):
        super().__init__()
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._flat_weight_refs = []
        _check_rnn_settings(input_size, hidden_size, num_layers, bias, batch_first, dropout,
                            proj_size)
        if mode not in _GATES:
            raise ValueError("Unrecognized RNN mode: " + mode)
        self._flat_weights_names, self._all_weights = [], []
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                names = []
                for name, shape in self._shapes(layer).items():
                    names.append(f"{name}_l{layer}{suffix}")
                    weight = torch.empty(shape, device=device, dtype=dtype)
                    setattr(self, names[-1], Parameter(weight))
                self._flat_weights_names.extend(names)
                self._all_weights.append(names)
        self._init_flat_weights()
        self.reset_parameters()

    def _shapes(self, layer):
        """{name: shape} of one direction's weights, in the order in which they are drawn."""
        gates = _GATES[self.mode] * self.hidden_size
        hidden = self.proj_size or self.hidden_size
        width = hidden * (2 if self.bidirectional else 1) if layer else self.input_size
        shapes = {"weight_ih": (gates, width), "weight_hh": (gates, hidden)}
        if self.bias:
            shapes |= {"bias_ih": (gates,), "bias_hh": (gates,)}
        if self.proj_size > 0:
            shapes["weight_hr"] = (self.proj_size, self.hidden_size)
        return shapes

    def _init_flat_weights(self):
        self._flat_weights = [getattr(self, name, None) for name in self._flat_weights_names]
        self._flat_weight_refs = [weakref.ref(w) if w is not None else None
                                  for w in self._flat_weights]

    def __setattr__(self, attr, value):
        # the list of weights follows when one of them is replaced
        names = self.__dict__.get("_flat_weights_names", ())
        if attr in names and "_flat_weights" in self.__dict__:
            self._flat_weights[names.index(attr)] = value
        super().__setattr__(attr, value)

    def flatten_parameters(self):
        """Nothing to do: the weights need not lie in one block on the CPU."""

    def _apply(self, fn, recurse=True):
        self._flat_weight_refs = []
        result = super()._apply(fn, recurse)
        self._init_flat_weights()
        return result

    def reset_parameters(self):
        """Draw every weight uniform in +-1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @property
    def all_weights(self):
        """The weights, a list for each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    # ------------------------------------------------------------------ checks
    def check_input(self, input, batch_sizes):
        """Raise for an input whose dtype, dimensions or width do not fit."""
        weight = self._flat_weights[0]
        if input.dtype != weight.dtype and not torch.is_autocast_enabled("cpu"):
            raise ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype "
                             f"({weight.dtype}). Convert input: input.to({weight.dtype}), or "
                             f"convert model: model.to({input.dtype})")
        expected = 2 if batch_sizes is not None else 3
        if input.dim() != expected:
            raise RuntimeError(f"input must have {expected} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError("input.size(-1) must be equal to input_size. Expected "
                               f"{self.input_size}, got {input.size(-1)}")

    def get_expected_hidden_size(self, input, batch_sizes):
        """The shape of the hidden state for this input."""
        if batch_sizes is not None:
            batch = int(batch_sizes[0])
        else:
            batch = input.size(0) if self.batch_first else input.size(1)
        directions = 2 if self.bidirectional else 1
        width = self.proj_size if self.proj_size > 0 else self.hidden_size
        return self.num_layers * directions, batch, width

    def get_expected_cell_size(self, input, batch_sizes):
        """The shape of an LSTM's cell state for this input."""
        layers, batch, _ = self.get_expected_hidden_size(input, batch_sizes)
        return layers, batch, self.hidden_size

    def check_hidden_size(self, hx, expected_hidden_size,
                          msg="Expected hidden size {}, got {}"):
        """Raise RuntimeError unless `hx` has the expected shape."""
        if tuple(hx.size()) != tuple(expected_hidden_size):
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input, hidden, batch_sizes):
        """Check input and hidden state before the layers run."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx, permutation):
        """The hidden state with its sequences in another order."""
        return hx if permutation is None else _permuted(hx, permutation)

    # ------------------------------------------------------------------ forward
    def forward(self, input, hx=None):
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        name = self.__class__.__name__
        if input.dim() not in (2, 3):
            tensor = " tensor" * self.mode.startswith("RNN")
            raise ValueError(f"{name}: Expected input to be 2D or 3D, got {input.dim()}D{tensor} "
                             "instead")
        batched = input.dim() == 3
        batch_dim = 0 if self.batch_first else 1
        if not batched:
            input = input.unsqueeze(batch_dim)
        hx = self._start(input, hx, batched, None)
        self.check_forward_args(input, hx, None)
        steps = input.transpose(0, 1) if self.batch_first else input
        output, hidden = self._run(steps, hx, None)
        if self.batch_first:
            output = recurrent.batch_before_steps(output, self.mode)
        if not batched:
            output = output.squeeze(batch_dim)
            hidden = _each(hidden, lambda h: h.squeeze(1))
        return output, hidden

    def _forward_packed(self, packed, hx):
        data, batch_sizes, sorted_indices, unsorted_indices = packed
        if hx is None:
            hx = self._zero_state(data, int(batch_sizes[0]))
        else:
            hx = self.permute_hidden(hx, sorted_indices)
        self.check_forward_args(data, hx, batch_sizes)
        output, hidden = self._run(data, hx, batch_sizes)
        made = PackedSequence(output, batch_sizes, sorted_indices, unsorted_indices)
        return made, self.permute_hidden(hidden, unsorted_indices)

    def _run(self, steps, hx, batch_sizes):
        own = self._parameters
        named = zip(self._flat_weights_names, self._flat_weights, strict=True)
        if any([own.get(n) is not w and getattr(self, n, None) is not w for n, w in named]):
            self._init_flat_weights()            # functional_call has exchanged them
        rest = (self._flat_weights, self.bias, self.num_layers, self.dropout, self.training,
                self.bidirectional)
        if has_torch_function_unary(steps):     # it sees torch.lstm, not its parts
            args = (steps, hx, *rest, False) if batch_sizes is None else (
                steps, batch_sizes, hx, *rest)
            output, *last = getattr(torch, self.mode.lower())(*args)
            return output, (tuple(last) if self.mode == "LSTM" else last[0])
        return recurrent.layers(self.mode, steps, hx, *rest, batch_sizes)

    def _start(self, input, hx, batched, batch_sizes):
        """The hidden state to start from, with a batch dimension."""
        if hx is None:
            return self._zero_state(input, input.size(0 if self.batch_first else 1))
        self._check_hidden_dims(hx, batched)
        return hx if batched else _each(hx, lambda h: h.unsqueeze(1))

    def _check_hidden_dims(self, hx, batched):
        expected, kind = (3, "batched 3-D") if batched else (2, "unbatched 2-D")
        if hx.dim() != expected:
            raise RuntimeError(f"For {kind} input, hx should also be {expected}-D but got "
                               f"{hx.dim()}-D tensor")

    def _zero_state(self, input, batch):
        directions = 2 if self.bidirectional else 1
        return torch.zeros(self.num_layers * directions, batch, self.hidden_size,
                           dtype=input.dtype, device=input.device)

    # ------------------------------------------------------------------ printing, copies
    def extra_repr(self):
        s = f"{self.input_size}, {self.hidden_size}"
        if self.proj_size != 0:
            s += f", proj_size={self.proj_size}"
        if self.num_layers != 1:
            s += f", num_layers={self.num_layers}"
        if self.bias is not True:
            s += f", bias={self.bias}"
        if self.batch_first is not False:
            s += f", batch_first={self.batch_first}"
        if self.dropout != 0:
            s += f", dropout={self.dropout}"
        if self.bidirectional is not False:
            s += f", bidirectional={self.bidirectional}"
        return s

    def __getstate__(self):
        state = self.__dict__.copy()
        del state["_flat_weight_refs"]
        return state

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("proj_size", 0)
        self._all_weights = [names for names in self._all_weights]
        if not isinstance(self._all_weights[0][0], str):
            raise RuntimeError("an RNN pickled by a version of PyTorch before 0.2 is not supported")
        self._flat_weights_names = [name for names in self._all_weights for name in names]
        self._init_flat_weights()

    def _replicate_for_data_parallel(self):
        replica = super()._replicate_for_data_parallel()
        replica._flat_weights = replica._flat_weights[:]
        replica._flat_weights_names = replica._flat_weights_names[:]
        return replica


def _each(state, fn):
    """`fn` of the hidden tensor, or of both tensors of an LSTM's state."""
    return tuple(fn(s) for s in state) if isinstance(state, tuple) else fn(state)


def _check_rnn_settings(input_size, hidden_size, num_layers, bias, batch_first, dropout: Any,
                        proj_size):
    number = issubclass(type(dropout), numbers.Number) and not isinstance(dropout, bool)
    if not number or not 0 <= dropout <= 1:
        raise ValueError("dropout should be a number in range [0, 1] representing the probability "
                         "of an element being zeroed")
    if dropout > 0 and num_layers == 1:
        warnings.warn("dropout option adds dropout after all but last recurrent layer, so "
                      f"non-zero dropout expects num_layers greater than 1, but got "
                      f"dropout={dropout} and num_layers={num_layers}", stacklevel=4)
    for name, flag in (("bias", bias), ("batch_first", batch_first)):
        if not isinstance(flag, bool):
            raise TypeError(f"{name} should be of type bool, got: {type(flag).__name__}")
    for name, size in (("input_size", input_size), ("hidden_size", hidden_size)):
        if not isinstance(size, int):
            raise TypeError(f"{name} should be of type int, got: {type(size).__name__}")
        if size <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")


def _reject_proj_size(kwargs):
    if "proj_size" in kwargs:
        raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")


class RNN(RNNBase):
    """h_t = tanh(W_ih x_t + b_ih + W_hh h_{t-1} + b_hh), or relu: (T, N, C) -> (T, N, H), h_T.

    `nonlinearity` 'tanh' or 'relu' comes after num_layers; for the other arguments see LSTM. Raises
    ValueError for another nonlinearity, RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> output, h = torch.nn.RNN(3, 4)(torch.zeros(5, 2, 3))
    >>> output.shape, h.shape
    (torch.Size([5, 2, 4]), torch.Size([1, 2, 4]))
    """

    def __init__(self, *args, **kwargs):
        _reject_proj_size(kwargs)
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or "
                             "'relu'.")
        super().__init__("RNN_" + self.nonlinearity.upper(), *args, **kwargs)


class LSTM(RNNBase):
    """Long short-term memory (Hochreiter and Schmidhuber 1997): (T, N, C) -> (T, N, H), (h, c).

    c_t = f c_{t-1} + i g, h_t = o tanh(c_t), with i, f, o sigmoids and g a tanh of
    W_ih x + b_ih + W_hh h + b_hh; `proj_size` projects h_t.

    Args:
        input_size, hidden_size: C and H.
        num_layers: networks on top of each other, each fed with the outputs of the one below.
        bias: whether there are b_ih and b_hh.
        batch_first: (N, T, C) -> (N, T, H).
        dropout: the probability of zeroing what goes from one layer to the next, in training.
        bidirectional: a second network reads from the end: (T, N, C) -> (T, N, 2 H).
        proj_size: the size of h_t where it is projected (0: H).

    Called with input, or input and (h_0, c_0), which are zeros if left out; h and c are
    (num_layers * directions, N, H). A PackedSequence gives one back. Weights start uniform in
    +-1 / sqrt(H). Raises ValueError and RuntimeError for dtypes and sizes that do not fit.

    >>> import retrograd as torch
    >>> output, (h, c) = torch.nn.LSTM(3, 4)(torch.ones(5, 1, 3))
    >>> output.shape, c.shape
    (torch.Size([5, 1, 4]), torch.Size([1, 1, 4]))
    """

    def __init__(self, *args, **kwargs):
        super().__init__("LSTM", *args, **kwargs)

    def check_forward_args(self, input, hidden, batch_sizes):
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden[0], self.get_expected_hidden_size(input, batch_sizes),
                               "Expected hidden[0] size {}, got {}")
        self.check_hidden_size(hidden[1], self.get_expected_cell_size(input, batch_sizes),
                               "Expected hidden[1] size {}, got {}")

    def permute_hidden(self, hx, permutation):
        if permutation is None:
            return hx
        return _permuted(hx[0], permutation), _permuted(hx[1], permutation)

    def _run(self, steps, hx, batch_sizes):
        return super()._run(steps, (hx[0], hx[1]), batch_sizes)

    def _start(self, input, hx, batched, batch_sizes):
        hx = hx if hx is None else (hx[0], hx[1])
        return super()._start(input, hx, batched, batch_sizes)

    def _check_hidden_dims(self, hx, batched):
        expected, kind = (3, "batched 3-D") if batched else (2, "unbatched 2-D")
        if hx[0].dim() != expected or hx[1].dim() != expected:
            raise RuntimeError(f"For {kind} input, hx and cx should also be {expected}-D but got "
                               f"({hx[0].dim()}-D, {hx[1].dim()}-D) tensors")

    def _zero_state(self, input, batch):
        rows = self.num_layers * (2 if self.bidirectional else 1)
        width = self.proj_size if self.proj_size > 0 else self.hidden_size
        return (torch.zeros(rows, batch, width, dtype=input.dtype, device=input.device),
                torch.zeros(rows, batch, self.hidden_size, dtype=input.dtype,
                            device=input.device))


class GRU(RNNBase):
    """Gated recurrent unit (Cho et al. 2014): (T, N, C) -> (T, N, H), h_T.

    h_t = (1 - z) n + z h_{t-1}, n = tanh(W_in x + b_in + r (W_hn h + b_hn)), r and z sigmoids.
    Arguments: see LSTM; there is no c and no proj_size. Raises RuntimeError for sizes that do not
    fit.

    >>> import retrograd as torch
    >>> output, h = torch.nn.GRU(3, 4)(torch.ones(5, 1, 3))
    >>> output.shape, h.shape
    (torch.Size([5, 1, 4]), torch.Size([1, 1, 4]))
    """

    def __init__(self, *args, **kwargs):
        _reject_proj_size(kwargs)
        super().__init__("GRU", *args, **kwargs)


class RNNCellBase(Module):
    """The weights of one recurrent step.

    >>> import retrograd as torch
    >>> cell = torch.nn.GRUCell(2, 3)
    >>> isinstance(cell, torch.nn.RNNCellBase), cell.weight_ih.shape
    (True, torch.Size([9, 2]))
    """

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(self, input_size, hidden_size, bias, num_chunks, device=None, dtype=None):
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        rows = num_chunks * hidden_size

        def table(*shape):
            return Parameter(torch.empty(shape, device=device, dtype=dtype))

        self.weight_ih = table(rows, input_size)
        self.weight_hh = table(rows, hidden_size)
        if bias:
            self.bias_ih, self.bias_hh = table(rows), table(rows)
        else:
            self.register_parameter("bias_ih", None)
            self.register_parameter("bias_hh", None)
        self.reset_parameters()

    def extra_repr(self):
        s = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            s += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            s += f", nonlinearity={self.nonlinearity}"
        return s

    def reset_parameters(self):
        """Draw every weight uniform in +-1 / sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def _check(self, input, *states):
        name = self.__class__.__name__
        if input.dim() not in (1, 2):
            raise ValueError(f"{name}: Expected input to be 1D or 2D, got {input.dim()}D instead")
        for k, hx in enumerate(states):
            if hx.dim() not in (1, 2):
                which = f"hx[{k}]" if len(states) > 1 else "hidden"
                raise ValueError(f"{name}: Expected {which} to be 1D or 2D, got {hx.dim()}D "
                                 "instead")

    def _check_sizes(self, input, *states):
        if input.size(1) != self.input_size:
            raise RuntimeError(f"input has inconsistent input_size: got {input.size(1)} expected "
                               f"{self.input_size}")
        for k, hx in enumerate(states):
            if input.size(0) != hx.size(0):
                raise RuntimeError(f"Input batch size {input.size(0)} doesn't match hidden{k} "
                                   f"batch size {hx.size(0)}")
            if hx.size(1) != self.hidden_size:
                raise RuntimeError(f"hidden{k} has inconsistent hidden_size: got {hx.size(1)}, "
                                   f"expected {self.hidden_size}")

    def _step(self, cell, input, hx):
        """One step of `cell`, adding a batch dimension for the time if there is none."""
        states = () if hx is None else (tuple(hx) if isinstance(hx, (tuple, list)) else (hx,))
        if not states or not self._fits(input, states):
            return self._unusual_step(cell, input, states)
        state = states if cell is recurrent.lstm_cell else states[0]
        if has_torch_function_unary(input):
            name = next(name for name, one in recurrent.CELLS.items() if one is cell)
            return getattr(torch, f"{name.lower()}_cell")(
                input, state, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)
        gates = linear(input, self.weight_ih, self.bias_ih)
        return cell(gates, state, self.weight_hh, self.bias_hh)

    def _fits(self, input, states):
        """Whether nothing needs to be said about these tensors: a batch, and states of its size."""
        try:
            shape = input._data.shape
            size = shape[0], self.hidden_size
            return len(shape) == 2 and shape[1] == self.input_size and all(
                [s._data.shape == size for s in states])
        except (AttributeError, IndexError):
            return False

    def _unusual_step(self, cell, input, states):
        """A step without a state, or without a batch dimension, or of sizes that do not fit."""
        self._check(input, *states)
        batched = input.dim() == 2
        if not batched:
            input = input.unsqueeze(0)
        if not states:
            zeros = torch.zeros(input.size(0), self.hidden_size, dtype=input.dtype,
                                device=input.device)
            states = (zeros, zeros) if cell is recurrent.lstm_cell else (zeros,)
        elif not batched:
            states = tuple(s.unsqueeze(0) for s in states)
        self._check_sizes(input, *states)
        made = self._step(cell, input, states)
        return made if batched else _each(made, lambda h: h.squeeze(0))


class RNNCell(RNNCellBase):
    """One step of a plain RNN: tanh(W_ih x + b_ih + W_hh h + b_hh), or relu.

    x (N, C), h (N, H) -> (N, H), also without N; h is zero by default. The weights start uniform in
    +-1 / sqrt(H). Raises RuntimeError for sizes that do not fit.

    C is input_size, H hidden_size; without `bias` there are no b_ih and b_hh. `nonlinearity` is
    'tanh' or 'relu'.

    >>> import retrograd as torch
    >>> torch.nn.RNNCell(3, 4)(torch.ones(1, 3)).shape
    torch.Size([1, 4])
    """

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(self, input_size, hidden_size, bias=True, nonlinearity="tanh", device=None,
                 dtype=None):
        super().__init__(input_size, hidden_size, bias, 1, device, dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input, hx=None):
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        return self._step(recurrent.CELLS["RNN_" + self.nonlinearity.upper()], input, hx)


class LSTMCell(RNNCellBase):
    """One step of an LSTM (Hochreiter and Schmidhuber 1997): x, (h, c) -> the next (h, c).

    c' = f c + i g and h' = o tanh(c'), with i, f, g and o as in LSTM. x (N, C), h and c (N, H),
    also without N; both are zero by default. Raises RuntimeError for sizes that do not fit.

    C is input_size, H hidden_size; without `bias` there are no b_ih and b_hh.

    >>> import retrograd as torch
    >>> h, c = torch.nn.LSTMCell(3, 4)(torch.ones(1, 3))
    >>> h.shape, c.shape
    (torch.Size([1, 4]), torch.Size([1, 4]))
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 4, device, dtype)

    def forward(self, input, hx=None):
        if isinstance(hx, torch.Tensor):
            raise TypeError("lstm_cell(): argument 'hx' (position 2) must be tuple of Tensors, "
                            "not Tensor")
        return self._step(recurrent.lstm_cell, input, hx)


class GRUCell(RNNCellBase):
    """One step of a GRU (Cho et al. 2014): x, h -> (1 - z) n + z h, with z and n as in GRU.

    x (N, C), h (N, H) -> (N, H), also without N; h is zero by default. Raises RuntimeError for
    sizes that do not fit.

    C is input_size, H hidden_size; without `bias` there are no b_ih and b_hh.

    >>> import retrograd as torch
    >>> torch.nn.GRUCell(3, 4)(torch.ones(1, 3)).shape
    torch.Size([1, 4])
    """

    def __init__(self, input_size, hidden_size, bias=True, device=None, dtype=None):
        super().__init__(input_size, hidden_size, bias, 3, device, dtype)

    def forward(self, input, hx=None):
        return self._step(recurrent.gru_cell, input, hx)
