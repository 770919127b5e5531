"""Functions of torch itself that nn is made of in PyTorch: torch.dropout, torch.lstm_cell, ...

Their signatures are not nn.functional's; reductions are numbers (0 none, 1 mean, 2 sum) and,
unlike there, none by default, as in PyTorch.
"""
from __future__ import annotations

from retrograd.nn import functional as F
from retrograd.nn._functional import recurrent
from retrograd.nn.utils.weight_norm import norm_except_dim as _norm_except_dim
from retrograd.nn.utils.weight_norm import weight_of as _weight_of
from retrograd.ops.addmm import linear
from retrograd.ops.public import reporting

_REDUCTIONS = ("none", "mean", "sum")


def _public(fn):
    """`fn`, which raises PyTorch's TypeError where arguments do not fit."""
    return reporting(fn, fn.__name__)


def _check_probability(p):
    """A RuntimeError where nn.functional has a ValueError of the same words."""
    if not 0 <= p <= 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")


@_public
def dropout(input, p, train):
    """Zeros with probability `p`, other elements times 1 / (1 - p); `input` itself unless `train`.

    RuntimeError unless 0 <= p <= 1. nn.functional.dropout has defaults for `p` and `train`.

    >>> import retrograd as torch
    >>> torch.dropout(torch.ones(2), 0.5, False)
    tensor([1., 1.])
    """
    _check_probability(p)
    return F.dropout(input, p, train)


@_public
def dropout_(input, p, train):
    """dropout in place.

    >>> import retrograd as torch
    >>> torch.dropout_(torch.ones(3), 0.5, train=False)
    tensor([1., 1., 1.])
    """
    _check_probability(p)
    return F.dropout(input, p, train, inplace=True)


@_public
def alpha_dropout(input, p, train):
    """nn.functional.alpha_dropout: dropout that keeps mean and variance of what selu gives.

    >>> import retrograd as torch
    >>> torch.alpha_dropout(torch.zeros(2), 0.5, False)
    tensor([0., 0.])
    """
    _check_probability(p)
    return F.alpha_dropout(input, p, train)


@_public
def alpha_dropout_(input, p, train):
    """alpha_dropout in place.

    >>> import retrograd as torch
    >>> torch.alpha_dropout_(torch.ones(3), 0.5, train=False)
    tensor([1., 1., 1.])
    """
    _check_probability(p)
    return F.alpha_dropout(input, p, train, inplace=True)


@_public
def feature_dropout(input, p, train):
    """nn.functional.dropout1d to dropout3d in one: input (N, C, *), whole channels become zero.

    >>> import retrograd as torch
    >>> torch.feature_dropout(torch.ones(1, 2, 3), 1.0, True)
    tensor([[[0., 0., 0.],
             [0., 0., 0.]]])
    """
    from retrograd.nn._functional.dropout import _drop

    _check_probability(p)
    return _drop(input, p, train, False, per_channel=True)


@_public
def feature_alpha_dropout(input, p, train):
    """nn.functional.feature_alpha_dropout.

    >>> import retrograd as torch
    >>> torch.feature_alpha_dropout(torch.ones(1, 2), 0.5, train=False)
    tensor([[1., 1.]])
    """
    _check_probability(p)
    return F.feature_alpha_dropout(input, p, train)


@_public
def feature_alpha_dropout_(input, p, train):
    """feature_alpha_dropout in place.

    >>> import retrograd as torch
    >>> torch.feature_alpha_dropout_(torch.ones(1, 2), 0.5, train=False)
    tensor([[1., 1.]])
    """
    _check_probability(p)
    return F.feature_alpha_dropout(input, p, train, inplace=True)


@_public
def instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps,
                  cudnn_enabled):
    """nn.functional.instance_norm with other places for its arguments: input (N, C, *).

    Each channel of each example is brought to mean 0 and variance 1, then scaled by `weight` and
    shifted by `bias` (C). With use_input_stats False the running statistics serve.

    >>> import retrograd as torch
    >>> x = torch.tensor([[[1., 3.]]])
    >>> torch.instance_norm(x, None, None, None, None, True, 0.1, 0.0, False)
    tensor([[[-1.,  1.]]])
    """
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats,
                           momentum, eps)


@_public
def kl_div(input, target, reduction=0, *, log_target=False):
    """target * (log(target) - input), each term by itself: `input` holds log-probabilities.

    reduction: 0 none, 1 mean, 2 sum. With log_target the target holds log-probabilities, too.
    nn.functional.kl_div takes the reduction by name.

    >>> import retrograd as torch
    >>> p, q = torch.tensor([0.5, 0.5]), torch.tensor([0.25, 0.75])
    >>> torch.kl_div(q.log(), p, 2)
    tensor(0.1438)
    """
    loss = F.kl_div(input, target, reduction="none", log_target=log_target)
    return loss.mean() if reduction == 1 else loss.sum() if reduction == 2 else loss


@_public
def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    """exp(input) - target * input, or with log_input False: input - target * log(input + eps).

    `full` adds Stirling's approximation of log(target!) where the target is above 1. reduction: 0
    none, 1 mean, 2 sum.

    >>> import retrograd as torch
    >>> torch.poisson_nll_loss(torch.tensor([0., 1.]), torch.tensor([1., 2.]), True, False, 1e-8, 0)
    tensor([1.0000, 0.7183])
    """
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps,
                              reduction=_REDUCTIONS[reduction])


@_public
def hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    """input where target is 1, max(0, margin - input) where it is -1.

    reduction: 0 none, 1 mean, 2 sum.

    >>> import retrograd as torch
    >>> torch.hinge_embedding_loss(torch.tensor([0.3, 0.3]), torch.tensor([1., -1.]))
    tensor([0.3000, 0.7000])
    """
    return F.hinge_embedding_loss(input, target, margin, reduction=_REDUCTIONS[reduction])


@_public
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    """max(0, -target * (input1 - input2) + margin): 1 says that input1 should be larger, -1 input2.

    reduction: 0 none, 1 mean, 2 sum.

    >>> import retrograd as torch
    >>> a, b = torch.tensor([1., 1.]), torch.tensor([2., 2.])
    >>> torch.margin_ranking_loss(a, b, torch.tensor([1., -1.]))
    tensor([1., 0.])
    """
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=_REDUCTIONS[reduction])


@_public
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    """1 - c where target is 1, max(0, c - margin) where it is -1; c is cos(input1, input2).

    input1, input2 (N, D) and target (N,), or (D,) and a number. reduction: 0 none, 1 mean, 2 sum.

    >>> import retrograd as torch
    >>> a, b = torch.tensor([[1., 0.]]), torch.tensor([[0., 2.]])
    >>> torch.cosine_embedding_loss(a, b, torch.tensor([1.]))
    tensor([1.])
    """
    return F.cosine_embedding_loss(input1, input2, target, margin,
                                   reduction=_REDUCTIONS[reduction])


@_public
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False,
                        reduction=0):
    """max(0, |anchor - positive| - |anchor - negative| + margin), `p`-norms of the last dimension.

    With `swap` the distance from positive to negative counts, if it is the shorter one.
    reduction: 0 none, 1 mean, 2 sum.

    >>> import retrograd as torch
    >>> anchor, positive, negative = torch.zeros(1, 1), torch.ones(1, 1), 3 * torch.ones(1, 1)
    >>> torch.triplet_margin_loss(anchor, positive, negative, margin=2.5)
    tensor([0.5000])
    """
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap,
                                 reduction=_REDUCTIONS[reduction])


@_public
def norm_except_dim(v, pow=2, dim=0):
    """The `pow`-norm over every dimension but `dim`; the other dimensions stay, with size 1.

    >>> import retrograd as torch
    >>> torch.norm_except_dim(torch.tensor([[3., 4.], [0., 2.]]))
    tensor([[5.],
            [2.]])
    """
    return _norm_except_dim(v, pow, dim)


@_public
def _weight_norm(v, g, dim=0):
    """g v / |v|, the norm over every dimension but `dim`."""
    return _weight_of(v, g, dim)


@_public
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of an LSTM: (h, c) after `input` (N, I), given hx = (h, c) before it, each (N, H).

    w_ih (4 H, I) and w_hh (4 H, H) hold the four gates one below the other: input, forget, cell,
    output.

    >>> import retrograd as torch
    >>> x, h, c = torch.ones(1, 2), torch.zeros(1, 1), torch.zeros(1, 1)
    >>> torch.lstm_cell(x, (h, c), torch.zeros(4, 2), torch.zeros(4, 1), torch.ones(4))
    (tensor([[0.3696]]), tensor([[0.5568]]))
    """
    return recurrent.lstm_cell(linear(input, w_ih, b_ih), tuple(hx), w_hh, b_hh)


@_public
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a GRU: h (N, H) after `input` (N, I), given hx (N, H) before it.

    w_ih (3 H, I) and w_hh (3 H, H) hold the gates one below the other: reset, update, new.

    >>> import retrograd as torch
    >>> torch.gru_cell(torch.ones(1, 2), torch.ones(1, 1), torch.zeros(3, 2), torch.zeros(3, 1))
    tensor([[0.5000]])
    """
    return recurrent.gru_cell(linear(input, w_ih, b_ih), hx, w_hh, b_hh)


@_public
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a plain RNN: tanh(w_ih @ input + b_ih + w_hh @ hx + b_hh).

    input (N, I), hx (N, H), w_ih (H, I), w_hh (H, H).

    >>> import retrograd as torch
    >>> torch.rnn_tanh_cell(torch.ones(1, 2), torch.ones(1, 1), torch.ones(1, 2), torch.ones(1, 1))
    tensor([[0.9951]])
    """
    return recurrent.CELLS["RNN_TANH"](linear(input, w_ih, b_ih), hx, w_hh, b_hh)


@_public
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a plain RNN: relu(w_ih @ input + b_ih + w_hh @ hx + b_hh).

    input (N, I), hx (N, H), w_ih (H, I), w_hh (H, H).

    >>> import retrograd as torch
    >>> torch.rnn_relu_cell(torch.ones(1, 2), torch.ones(1, 1), torch.ones(1, 2), torch.ones(1, 1))
    tensor([[3.]])
    """
    return recurrent.CELLS["RNN_RELU"](linear(input, w_ih, b_ih), hx, w_hh, b_hh)


def _layers(mode, *args):
    """The two signatures of torch.lstm, torch.gru ...: padded input, or packed data and its sizes.

    (input, hx, params, has_biases, num_layers, dropout, train, bidirectional, batch_first)
    (data, batch_sizes, hx, params, has_biases, num_layers, dropout, train, bidirectional)
    """
    packed = isinstance(args[3], (list, tuple))
    if packed:
        data, sizes, hx, params, biases, layers, drop, train, bidirectional = args
        batch_first = False
    else:
        data, hx, params, biases, layers, drop, train, bidirectional, batch_first = args
        sizes = None
    steps = data.transpose(0, 1) if batch_first else data
    hx = tuple(hx) if isinstance(hx, (list, tuple)) else hx
    output, last = recurrent.layers(mode, steps, hx, params, biases, layers, drop, train,
                                    bidirectional, sizes)
    output = output.transpose(0, 1) if batch_first else output
    return (output, *last) if isinstance(last, tuple) else (output, last)


def lstm(*args):
    """A whole LSTM, of one layer or several: (output, h, c). nn.LSTM calls it.

    lstm(input, (h, c), params, has_biases, num_layers, dropout, train, bidirectional, batch_first),
    with input (L, N, I), h and c (layers, N, H), and params the weights and biases of all layers in
    one list; or lstm(data, batch_sizes, (h, c), params, ...) for packed sequences.

    >>> import retrograd as torch
    >>> net = torch.nn.LSTM(2, 3)
    >>> h, x, params = torch.zeros(1, 1, 3), torch.ones(4, 1, 2), list(net.parameters())
    >>> output, h, c = torch.lstm(x, (h, h), params, True, 1, 0.0, False, False, False)
    >>> output.shape, c.shape
    (torch.Size([4, 1, 3]), torch.Size([1, 1, 3]))
    """
    return _layers("LSTM", *args)


def gru(*args):
    """A whole GRU: (output, h). Its arguments are those of torch.lstm, with h alone for (h, c).

    >>> import retrograd as torch
    >>> net = torch.nn.GRU(2, 3)
    >>> h, x = torch.zeros(1, 1, 3), torch.ones(4, 1, 2)
    >>> output, h = torch.gru(x, h, list(net.parameters()), True, 1, 0.0, False, False, False)
    >>> output.shape
    torch.Size([4, 1, 3])
    """
    return _layers("GRU", *args)


def rnn_tanh(*args):
    """A whole plain RNN with tanh: (output, h). Its arguments are those of torch.gru.

    >>> import retrograd as torch
    >>> net = torch.nn.RNN(2, 3, nonlinearity="tanh")
    >>> h, x = torch.zeros(1, 1, 3), torch.ones(4, 1, 2)
    >>> output, h = torch.rnn_tanh(x, h, list(net.parameters()), True, 1, 0.0, False, False, False)
    >>> output.shape
    torch.Size([4, 1, 3])
    """
    return _layers("RNN_TANH", *args)


def rnn_relu(*args):
    """A whole plain RNN with relu: (output, h). Its arguments are those of torch.gru.

    >>> import retrograd as torch
    >>> net = torch.nn.RNN(2, 3, nonlinearity="relu")
    >>> h, x = torch.zeros(1, 1, 3), torch.ones(4, 1, 2)
    >>> output, h = torch.rnn_relu(x, h, list(net.parameters()), True, 1, 0.0, False, False, False)
    >>> output.shape
    torch.Size([4, 1, 3])
    """
    return _layers("RNN_RELU", *args)
