"""Dropout: random zeros in training, the rest scaled so that the mean stays.

The mask is `bernoulli_(1 - p)` of a tensor like the input (or one value a channel), so the same
seed drops the same elements as PyTorch does.
"""
from __future__ import annotations

import math

import numpy as np

import retrograd as torch
from retrograd._state import state
from retrograd._tensor import wrap
from retrograd._warnings import warn
from retrograd.kernels import sampling
from retrograd.ops.arguments import must_be
from retrograd.ops.mapped import like_tensor
from retrograd.ops.mistyped import is_number
from retrograd.random import stream_of

_ALPHA = 1.7580993408473766    # minus the negative limit of SELU


def check_probability(p):
    if p < 0 or p > 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")


def _shares(input, per_channel, p):
    """1 / p with probability p, else 0, as _mask()."""
    array = input._data
    if not per_channel and not (state.vmaps or state.on_call) and array.__class__ is np.ndarray \
            and array.dtype.char in "fd":                       # the common case, in one call
        return wrap(sampling.dropout_mask(array, p, stream_of(None, "bernoulli_")))
    return _mask(input, per_channel, p).div_(p)


def _mask(input, per_channel, p):
    """Ones with probability p, else zeros: like the input, or one for each channel."""
    if not per_channel:
        mask = torch.empty_like(input)
    elif input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    else:
        mask = input.new_empty((*input.shape[:2], *[1] * (input.dim() - 2)))
    return _bernoulli_like(mask, p) if state.vmaps else mask.bernoulli_(p)


@like_tensor
def _bernoulli_like(like, p):
    return torch.empty_like(like).bernoulli_(p)


def _check_types(kind, input, p, training, inplace, per_channel):
    """Raise PyTorch's TypeError for an input that is not a Tensor, and so on."""
    name = "feature_" * per_channel + kind + "_" * bool(inplace)
    if not isinstance(input, torch.Tensor):
        raise must_be("Tensor", name, "input", 1, input)
    if not is_number(p):
        raise must_be("float", name, "p", 2, p)
    if not isinstance(training, (bool, np.bool_)):
        raise must_be("bool", name, "train", 3, training)


def _drop(input, p, training, inplace, per_channel=False, kind="dropout"):
    """Zero elements, or whole channels, of `input` as dropout or as alpha_dropout does."""
    if training.__class__ is not bool or input.__class__ is not torch.Tensor or (
            p.__class__ is not float):
        _check_types(kind, input, p, training, inplace, per_channel)
    if p == 0 or not training or input.numel() == 0:
        return input
    if p == 1:
        zeros = torch.zeros((), dtype=input.dtype)
        return input.mul_(zeros) if inplace else input * zeros
    p = float(p)
    if kind == "dropout":
        mask = _shares(input, per_channel, 1 - p)
        return input.mul_(mask) if inplace else input * mask
    mask = _mask(input, per_channel, 1 - p)
    a = 1.0 / math.sqrt((_ALPHA * _ALPHA * p + 1) * (1 - p))
    shift = mask.add(-1).mul_(_ALPHA * a).add_(_ALPHA * a * p)
    mask.mul_(a)
    return input.mul_(mask).add_(shift) if inplace else input * mask + shift


def dropout(input, p=0.5, training=True, inplace=False):
    """Zero each element with probability `p` and scale the others by 1 / (1 - p).

    The result has the shape of input. The expected value stays (Srivastava et al. 2014). Nothing is
    done unless `training`: pass training=self.training in a Module. Raises ValueError for a p
    outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.functional.dropout(torch.ones(3), p=0.9, training=False)
    tensor([1., 1., 1.])
    """
    check_probability(p)
    return _drop(input, p, training, inplace)


def alpha_dropout(input, p=0.5, training=False, inplace=False):
    """Dropout that keeps mean and variance of SELU activations (Klambauer et al. 2017).

    The result has the shape of input. With probability p an element becomes SELU's limit, -1.7581;
    then all are scaled and shifted to mean 0 and variance 1. Nothing is done unless `training`.
    Raises ValueError for a p outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.functional.alpha_dropout(torch.ones(2), training=False)
    tensor([1., 1.])
    """
    check_probability(p)
    return _drop(input, p, training, inplace, kind="alpha_dropout")


def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    """alpha_dropout of whole channels of (N, C, *): each is dropped with probability p.

    Nothing is done unless `training`. Raises ValueError for a p outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.functional.feature_alpha_dropout(torch.ones(1, 2), training=False)
    tensor([[1., 1.]])
    """
    check_probability(p)
    return _drop(input, p, training, inplace, per_channel=True, kind="alpha_dropout")


def dropout1d(input, p=0.5, training=True, inplace=False):
    """Zero whole channels of (N, C, L) or (C, L), each with probability p (Tompson et al. 2015).

    The others are scaled by 1 / (1 - p). Nothing is done unless `training`. Raises ValueError for a
    p outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.functional.dropout1d(torch.ones(1, 2, 2), p=1.0)
    tensor([[[0., 0.],
             [0., 0.]]])
    """
    check_probability(p)
    n = input.dim()
    if n not in (2, 3):
        raise RuntimeError(f"dropout1d: Expected 2D or 3D input, but received a {n}D input. "
                           "Note that dropout1d exists to provide channel-wise dropout on inputs "
                           "with 1 spatial dimension, a channel dimension, and an optional batch "
                           "dimension (i.e. 2D or 3D inputs).")
    return _batched_channels(input, p, training, inplace, n == 2)


def dropout2d(input, p=0.5, training=True, inplace=False):
    """Zero whole channels of (N, C, H, W), each with probability p (Tompson et al. 2015).

    The others are scaled by 1 / (1 - p). Nothing is done unless `training`. Raises ValueError for a
    p outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.functional.dropout2d(torch.ones(1, 1, 2, 2), p=0.0)
    tensor([[[[1., 1.],
              [1., 1.]]]])
    """
    check_probability(p)
    n = input.dim()
    if n not in (3, 4):
        warn(f"dropout2d: Received a {n}-D input to dropout2d, which is deprecated "
             "and will result in an error in a future release. To retain the behavior "
             "and silence this warning, please use dropout instead. Note that dropout2d "
             "exists to provide channel-wise dropout on inputs with 2 spatial dimensions, "
             "a channel dimension, and an optional batch dimension (i.e. 3D or 4D "
             "inputs).")
    if n == 3:
        warn("dropout2d: Received a 3D input to dropout2d and assuming that channel-wise "
             "1D dropout behavior is desired - input is interpreted as shape (N, C, L), "
             "where C is the channel dim. This behavior will change in a future release "
             "to interpret the input as one without a batch dimension, i.e. shape "
             "(C, H, W). To maintain the 1D channel-wise dropout behavior, please switch "
             "to using dropout1d instead.")
    return _drop(input, p, training, inplace, per_channel=True)


def dropout3d(input, p=0.5, training=True, inplace=False):
    """Zero whole channels of (N, C, D, H, W) or (C, D, H, W), each with probability p.

    The others are scaled by 1 / (1 - p) (Tompson et al. 2015). Nothing is done unless `training`.
    Raises ValueError for a p outside of [0, 1].

    >>> import retrograd as torch
    >>> torch.nn.functional.dropout3d(torch.ones(1, 1, 1, 2, 2), p=0.0).shape
    torch.Size([1, 1, 1, 2, 2])
    """
    check_probability(p)
    n = input.dim()
    if n not in (4, 5):
        warn(f"dropout3d: Received a {n}-D input to dropout3d, which is deprecated "
             "and will result in an error in a future release. To retain the behavior "
             "and silence this warning, please use dropout instead. Note that dropout3d "
             "exists to provide channel-wise dropout on inputs with 3 spatial dimensions, "
             "a channel dimension, and an optional batch dimension (i.e. 4D or 5D "
             "inputs).")
    return _batched_channels(input, p, training, inplace, n != 5)


def _batched_channels(input, p, training, inplace, add_batch):
    if not add_batch:
        return _drop(input, p, training, inplace, per_channel=True)
    batched = input.unsqueeze_(0) if inplace else input.unsqueeze(0)
    result = _drop(batched, p, training, inplace, per_channel=True)
    return result.squeeze_(0) if inplace else result.squeeze(0)
