"""Convolutions in PyTorch's older order of dimensions; windows as columns (unfold, fold)."""
from __future__ import annotations

from retrograd import conv1d
from retrograd.nn._functional._operators import ops
from retrograd.nn._tuples import _pair


def conv_tbc(input, weight, bias, pad=0):
    """conv1d of a sequence with time in front: (T, N, C), weight (K, C, O), bias (O) -> (T', N, O).

    T' is T + 2 pad - K + 1. Raises RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.conv_tbc(torch.ones(3, 1, 1), torch.ones(2, 1, 1), torch.zeros(1)).shape
    torch.Size([2, 1, 1])
    """
    if input.dim() != 3:
        raise RuntimeError("Input must have 3 dims: time, batch, in_channel")
    if weight.dim() != 3:
        raise RuntimeError(
            "Weight tensor must have 3 dims: kernel_width, in_channels, out_channels.")
    if bias.dim() != 1:
        raise RuntimeError("Bias must be 1-D")
    if input.shape[2] != weight.shape[1]:
        raise RuntimeError("Input dim 2 (input channels) is not == dim 1 in the weight tensor")
    if weight.shape[2] != len(bias):
        raise RuntimeError("Bias size must equal dim 2 in the weight tensor (output channels).")
    moved = conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return moved.permute(2, 0, 1)


def unfold(input, kernel_size, dilation=1, padding=0, stride=1):
    """Sliding windows as columns: (N, C, H, W) -> (N, C * kh * kw, L), with L windows.

    Column l holds a window's elements, channel by channel; windows follow one another by rows.
    Raises RuntimeError where no window fits into the image.

    >>> import retrograd as torch
    >>> torch.nn.functional.unfold(torch.ones(1, 2, 3, 3), 2).shape
    torch.Size([1, 8, 4])
    """
    return ops.im2col(input, _pair(kernel_size), _pair(dilation), _pair(padding), _pair(stride))


def fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """The sum of columns back into an image: (N, C * kh * kw, L) -> (N, C, H, W).

    It is the transpose of unfold: where windows overlap, their elements are added up. Raises
    RuntimeError where L is not the number of windows.

    >>> import retrograd as torch
    >>> torch.nn.functional.fold(torch.ones(1, 8, 4), (3, 3), 2).shape
    torch.Size([1, 2, 3, 3])
    """
    return ops.col2im(input, _pair(output_size), _pair(kernel_size), _pair(dilation),
                      _pair(padding), _pair(stride))
