"""Convolutions, their transposes, and sliding windows as columns (unfold, fold)."""
from __future__ import annotations

from retrograd.nn._functional._operators import ops
from retrograd.nn._tuples import _pair
from retrograd.ops.addmm import linear as linear


def bilinear(input1, input2, weight, bias=None):
    """x1^T W_k x2 + b_k for every output k.

    >>> import retrograd as torch
    >>> torch.nn.functional.bilinear(torch.ones(1, 2), torch.ones(1, 3), torch.ones(4, 2, 3))
    tensor([[6., 6., 6., 6.]])
    """
    return ops.bilinear(input1, input2, weight, bias)


def conv1d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Cross-correlation of (N, C, L) with weight (O, C / groups, K), plus bias (O).

    y[n, o, i] = bias[o] + sum over c, k of weight[o, c, k] x[n, c, stride i + dilation k], of x
    padded with zeros; L_out = floor((L + 2 padding - dilation (K - 1) - 1) / stride) + 1.
    padding may be "valid" (none) or "same". Raises RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.conv1d(torch.tensor([[[1., 2., 3.]]]), torch.ones(1, 1, 2))
    tensor([[[3., 5.]]])
    """
    return ops.conv1d(input, weight, bias, stride, padding, dilation, groups)


def conv2d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Cross-correlation of (N, C, H, W) with weight (O, C / groups, kh, kw), plus bias (O).

    y[n, o, i, j] = bias[o] + sum over c, k, l of weight[o, c, k, l] x[n, c, s i + d k, s j + d l],
    with s the stride, d the dilation, and x padded with zeros. The sizes and `padding` are as in
    conv1d; numbers or pairs. Raises RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.conv2d(torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)).shape
    torch.Size([1, 1, 2, 2])
    """
    return ops.conv2d(input, weight, bias, stride, padding, dilation, groups)


def conv3d(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
    """Cross-correlation of (N, C, D, H, W) with weight (O, C / groups, kd, kh, kw), plus bias (O).

    As conv2d, in three dimensions.

    >>> import retrograd as torch
    >>> torch.nn.functional.conv3d(torch.ones(1, 1, 3, 3, 3), torch.ones(2, 1, 2, 2, 2)).shape
    torch.Size([1, 2, 2, 2, 2])
    """
    return ops.conv3d(input, weight, bias, stride, padding, dilation, groups)


def conv_transpose1d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                     dilation=1):
    """The gradient of conv1d to its input, as a function: weight (C, O / groups, K).

    >>> import retrograd as torch
    >>> torch.nn.functional.conv_transpose1d(torch.tensor([[[1., 2.]]]), torch.ones(1, 1, 2))
    tensor([[[1., 3., 2.]]])
    """
    return ops.conv_transpose1d(input, weight, bias, stride, padding, output_padding, groups,
                                dilation)


def conv_transpose2d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                     dilation=1):
    """The gradient of conv2d to its input, as a function: weight (C, O / groups, kh, kw).

    >>> import retrograd as torch
    >>> torch.nn.functional.conv_transpose2d(torch.ones(1, 2, 3, 3), torch.ones(2, 4, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """
    return ops.conv_transpose2d(input, weight, bias, stride, padding, output_padding, groups,
                                dilation)


def conv_transpose3d(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
                     dilation=1):
    """The gradient of conv3d to its input, as a function: weight (C, O / groups, kd, kh, kw).

    >>> import retrograd as torch
    >>> x, weight = torch.ones(1, 2, 3, 3, 3), torch.ones(2, 4, 2, 2, 2)
    >>> torch.nn.functional.conv_transpose3d(x, weight).shape
    torch.Size([1, 4, 4, 4, 4])
    """
    return ops.conv_transpose3d(input, weight, bias, stride, padding, output_padding, groups,
                                dilation)


def conv_tbc(input, weight, bias, pad=0):
    """conv1d of (T, N, C) with weight (K, C, O): -> (T', N, O).

    >>> import retrograd as torch
    >>> torch.nn.functional.conv_tbc(torch.ones(3, 1, 1), torch.ones(2, 1, 1), torch.zeros(1)).shape
    torch.Size([2, 1, 1])
    """
    moved = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return moved.permute(2, 0, 1)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Sliding windows as columns: (N, C, H, W) -> (N, C * kh * kw, L).

    >>> import retrograd as torch
    >>> torch.nn.functional.unfold(torch.ones(1, 2, 3, 3), 2).shape
    torch.Size([1, 8, 4])
    """
    return ops.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The sum of columns back into an image: (N, C * kh * kw, L) -> (N, C, H, W).

    >>> import retrograd as torch
    >>> torch.nn.functional.fold(torch.ones(1, 8, 4), (3, 3), 2).shape
    torch.Size([1, 2, 3, 3])
    """
    return ops.col2im(input, _pair(output_size), _pair(kernel_size), _pair(dilation),
                      _pair(padding), _pair(stride))
