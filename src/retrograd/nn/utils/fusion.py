"""Folding a batch norm in evaluation mode into the layer before it."""
from __future__ import annotations

import copy

import retrograd as torch
from retrograd.nn.parameter import Parameter

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval",
           "fuse_linear_bn_weights"]


def fuse_conv_bn_eval(conv, bn, transpose=False):
    """A convolution that does what `conv` and then `bn` do; both must be in evaluation mode.

    >>> import retrograd as torch
    >>> from retrograd import nn
    >>> conv, bn = nn.Conv2d(1, 2, 3).eval(), nn.BatchNorm2d(2).eval()
    >>> fused = nn.utils.fuse_conv_bn_eval(conv, bn)
    >>> x = torch.ones(1, 1, 4, 4)
    >>> torch.allclose(fused(x), bn(conv(x)), atol=1e-6)
    True
    """
    if conv.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(conv)
    _check_statistics(bn)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias,
        transpose)
    return fused


def fuse_conv_bn_weights(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, transpose=False):
    """(weight, bias) of the folded convolution: weight * w / sqrt(var + eps) per channel.

    >>> import retrograd as torch
    >>> from retrograd import nn
    >>> w, b = torch.ones(2, 1, 3, 3), torch.zeros(2)
    >>> mean, var = torch.ones(2), torch.full((2,), 4.0)
    >>> w, b = nn.utils.fuse_conv_bn_weights(w, b, mean, var, 0.0, torch.ones(2), torch.zeros(2))
    >>> w[0, 0, 0, 0].item(), b.tolist()                   # w / sqrt(var), (b - mean) / sqrt(var)
    (0.5, [-0.5, -0.5])
    """
    bias_dtype = conv_b.dtype if conv_b is not None else conv_w.dtype
    if conv_b is None:
        conv_b = torch.zeros_like(bn_rm)
    if bn_w is None:
        bn_w = torch.ones_like(bn_rm)
    if bn_b is None:
        bn_b = torch.zeros_like(bn_rm)
    scale = torch.rsqrt(bn_rv + bn_eps)
    shape = [1] * conv_w.dim()
    shape[1 if transpose else 0] = -1
    weight = (conv_w * (bn_w * scale).reshape(shape)).to(dtype=conv_w.dtype)
    bias = ((conv_b - bn_rm) * scale * bn_w + bn_b).to(dtype=bias_dtype)
    return Parameter(weight, conv_w.requires_grad), Parameter(bias, conv_b.requires_grad)


def fuse_linear_bn_eval(linear, bn):
    """A Linear that does what `linear` and then `bn` do; both must be in evaluation mode.

    >>> import retrograd as torch
    >>> from retrograd import nn
    >>> linear, bn = nn.Linear(3, 2).eval(), nn.BatchNorm1d(2).eval()
    >>> fused = nn.utils.fuse_linear_bn_eval(linear, bn)
    >>> x = torch.ones(4, 3)
    >>> torch.allclose(fused(x), bn(linear(x)), atol=1e-6)
    True
    """
    if linear.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    fused = copy.deepcopy(linear)
    if not (linear.out_features == bn.num_features or bn.num_features == 1):
        raise AssertionError("To fuse, linear.out_features == bn.num_features or "
                             "bn.num_features == 1, got "
                             f"linear.out_features={linear.out_features} and "
                             f"bn.num_features={bn.num_features}")
    _check_statistics(bn)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    return fused


def fuse_linear_bn_weights(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b):
    """(weight, bias) of the Linear that does what a Linear and then a BatchNorm do in evaluation.

    weight * w / sqrt(var + eps) for each output, and the bias (b - mean) w / sqrt(var + eps) +
    beta.

    >>> import retrograd as torch
    >>> from retrograd import nn
    >>> w, b = torch.ones(2, 3), torch.zeros(2)
    >>> mean, var = torch.ones(2), torch.full((2,), 4.0)
    >>> w, b = nn.utils.fuse_linear_bn_weights(w, b, mean, var, 0.0, torch.ones(2), torch.zeros(2))
    >>> w[0].tolist(), b.tolist()
    ([0.5, 0.5, 0.5], [-0.5, -0.5])
    """
    bias_dtype = linear_b.dtype if linear_b is not None else linear_w.dtype
    if linear_b is None:
        linear_b = torch.zeros_like(bn_rm)
    scale = bn_w * torch.rsqrt(bn_rv + bn_eps)
    weight = linear_w * scale.unsqueeze(-1).to(dtype=linear_w.dtype)
    bias = ((linear_b - bn_rm) * scale + bn_b).to(dtype=bias_dtype)
    return Parameter(weight, linear_w.requires_grad), Parameter(bias, linear_b.requires_grad)


def _check_statistics(bn):
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")
