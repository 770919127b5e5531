"""Functions of torch itself that nn is made of in PyTorch: torch.dropout, torch.lstm_cell, ...

Their signatures are not nn.functional's; reductions are numbers (0 none, 1 mean, 2 sum) and,
unlike there, none by default, as in PyTorch.
"""
from __future__ import annotations

from retrograd.nn import functional as F
from retrograd.nn._functional import recurrent
from retrograd.nn._functional.conv import linear
from retrograd.nn.utils.weight_norm import norm_except_dim as _norm_except_dim
from retrograd.nn.utils.weight_norm import weight_of as _weight_of
from retrograd.ops.public import reporting

_REDUCTIONS = ("none", "mean", "sum")


def _public(fn):
    """`fn`, which raises PyTorch's TypeError where arguments do not fit."""
    return reporting(fn, fn.__name__)


@_public
def dropout(input, p, train):
    """nn.functional.dropout."""
    return F.dropout(input, p, train)


@_public
def dropout_(input, p, train):
    """dropout in place."""
    return F.dropout(input, p, train, inplace=True)


@_public
def alpha_dropout(input, p, train):
    """nn.functional.alpha_dropout."""
    return F.alpha_dropout(input, p, train)


@_public
def alpha_dropout_(input, p, train):
    """alpha_dropout in place."""
    return F.alpha_dropout(input, p, train, inplace=True)


@_public
def feature_dropout(input, p, train):
    """Dropout of whole channels, whatever the dimensions."""
    from retrograd.nn._functional.dropout import _check, _drop

    _check(p)
    return _drop(input, p, train, False, per_channel=True)


@_public
def feature_alpha_dropout(input, p, train):
    """nn.functional.feature_alpha_dropout."""
    return F.feature_alpha_dropout(input, p, train)


@_public
def feature_alpha_dropout_(input, p, train):
    """feature_alpha_dropout in place."""
    return F.feature_alpha_dropout(input, p, train, inplace=True)


@_public
def instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps,
                  cudnn_enabled):
    """nn.functional.instance_norm."""
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats,
                           momentum, eps)


@_public
def kl_div(input, target, reduction=0, *, log_target=False):
    """nn.functional.kl_div."""
    loss = F.kl_div(input, target, reduction="none", log_target=log_target)
    return loss.mean() if reduction == 1 else loss.sum() if reduction == 2 else loss


@_public
def poisson_nll_loss(input, target, log_input, full, eps, reduction):
    """nn.functional.poisson_nll_loss."""
    return F.poisson_nll_loss(input, target, log_input, full, eps=eps,
                              reduction=_REDUCTIONS[reduction])


@_public
def hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    """nn.functional.hinge_embedding_loss."""
    return F.hinge_embedding_loss(input, target, margin, reduction=_REDUCTIONS[reduction])


@_public
def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    """nn.functional.margin_ranking_loss."""
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=_REDUCTIONS[reduction])


@_public
def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    """nn.functional.cosine_embedding_loss."""
    return F.cosine_embedding_loss(input1, input2, target, margin,
                                   reduction=_REDUCTIONS[reduction])


@_public
def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False,
                        reduction=0):
    """nn.functional.triplet_margin_loss."""
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap,
                                 reduction=_REDUCTIONS[reduction])


@_public
def norm_except_dim(v, pow=2, dim=0):
    """The `pow`-norm over every dimension but `dim`."""
    return _norm_except_dim(v, pow, dim)


@_public
def _weight_norm(v, g, dim=0):
    """g v / |v|, the norm over every dimension but `dim`."""
    return _weight_of(v, g, dim)


@_public
def lstm_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of an LSTM: (h, c) from (h, c)."""
    return recurrent.lstm_cell(linear(input, w_ih, b_ih), tuple(hx), w_hh, b_hh)


@_public
def gru_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a GRU."""
    return recurrent.gru_cell(linear(input, w_ih, b_ih), hx, w_hh, b_hh)


@_public
def rnn_tanh_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a plain RNN with tanh."""
    return recurrent.CELLS["RNN_TANH"](linear(input, w_ih, b_ih), hx, w_hh, b_hh)


@_public
def rnn_relu_cell(input, hx, w_ih, w_hh, b_ih=None, b_hh=None):
    """One step of a plain RNN with relu."""
    return recurrent.CELLS["RNN_RELU"](linear(input, w_ih, b_ih), hx, w_hh, b_hh)


def _layers(mode, *args):
    """The two signatures of torch.lstm and its kin: padded input, or packed data and its sizes.

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
    """A whole LSTM: (output, h, c)."""
    return _layers("LSTM", *args)


def gru(*args):
    """A whole GRU: (output, h)."""
    return _layers("GRU", *args)


def rnn_tanh(*args):
    """A whole RNN with tanh: (output, h)."""
    return _layers("RNN_TANH", *args)


def rnn_relu(*args):
    """A whole RNN with relu: (output, h)."""
    return _layers("RNN_RELU", *args)
