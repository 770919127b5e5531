"""Unfold and Fold: sliding windows as columns, and back."""
from __future__ import annotations

from retrograd.nn import functional as F
from retrograd.nn._borrowed import borrows
from retrograd.nn.modules.module import Module

__all__ = ["Fold", "Unfold"]

__getattr__ = borrows(__name__)


class Fold(Module):
    """The sum of columns back into an image: (N, C kh kw, L) -> (N, C, H, W).

    It is the gradient of Unfold, with the same arguments; L is the number of windows in output_size
    (H, W). Where windows overlap, their elements add up. Raises RuntimeError for another L.

    >>> import retrograd as torch
    >>> torch.nn.Fold((3, 3), 2)(torch.ones(1, 8, 4)).shape
    torch.Size([1, 2, 3, 3])
    """

    __constants__ = ["output_size", "kernel_size", "dilation", "padding", "stride"]

    def __init__(self, output_size, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.output_size = output_size
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input):
        return F.fold(input, self.output_size, self.kernel_size, self.dilation, self.padding,
                      self.stride)

    def extra_repr(self):
        return (f"output_size={self.output_size}, kernel_size={self.kernel_size}, "
                f"dilation={self.dilation}, padding={self.padding}, stride={self.stride}")


class Unfold(Module):
    """Sliding windows as columns (im2col): (N, C, H, W) -> (N, C kh kw, L).

    Column l holds the window number l, channel by channel. L is the product over both sizes of
    floor((size + 2 padding - dilation (kernel - 1) - 1) / stride) + 1.

    kernel_size, dilation, padding (by zeros) and stride are numbers, or pairs of one for H and one
    for W. Raises RuntimeError where there is no window.

    >>> import retrograd as torch
    >>> torch.nn.Unfold(2)(torch.ones(1, 2, 3, 3)).shape
    torch.Size([1, 8, 4])
    """

    __constants__ = ["kernel_size", "dilation", "padding", "stride"]

    def __init__(self, kernel_size, dilation=1, padding=0, stride=1):
        super().__init__()
        self.kernel_size = kernel_size
        self.dilation = dilation
        self.padding = padding
        self.stride = stride

    def forward(self, input):
        return F.unfold(input, self.kernel_size, self.dilation, self.padding, self.stride)

    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, dilation={self.dilation}, "
                f"padding={self.padding}, stride={self.stride}")
