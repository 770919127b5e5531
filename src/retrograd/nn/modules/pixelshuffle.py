"""PixelShuffle and PixelUnshuffle."""
from __future__ import annotations

from retrograd.nn import functional as F
from retrograd.nn.modules.module import Module

__all__ = ["PixelShuffle", "PixelUnshuffle"]


class PixelShuffle(Module):
    """y[c, h r + i, w r + j] = x[c r^2 + i r + j, h, w], r = upscale_factor (Shi et al. 2016).

    (*, C r^2, H, W) -> (*, C, H r, W r). Raises RuntimeError unless r^2 divides the channels.

    >>> import retrograd as torch
    >>> torch.nn.PixelShuffle(2)(torch.ones(1, 4, 2, 2)).shape
    torch.Size([1, 1, 4, 4])
    """

    __constants__ = ["upscale_factor"]

    def __init__(self, upscale_factor):
        super().__init__()
        self.upscale_factor = upscale_factor

    def forward(self, input):
        return F.pixel_shuffle(input, self.upscale_factor)

    def extra_repr(self):
        return f"upscale_factor={self.upscale_factor}"


class PixelUnshuffle(Module):
    """The inverse of PixelShuffle: (*, C, H r, W r) -> (*, C r^2, H, W), r = downscale_factor.

    Raises RuntimeError unless r divides both sizes.

    >>> import retrograd as torch
    >>> torch.nn.PixelUnshuffle(2)(torch.ones(1, 1, 4, 4)).shape
    torch.Size([1, 4, 2, 2])
    """

    __constants__ = ["downscale_factor"]

    def __init__(self, downscale_factor):
        super().__init__()
        self.downscale_factor = downscale_factor

    def forward(self, input):
        return F.pixel_unshuffle(input, self.downscale_factor)

    def extra_repr(self):
        return f"downscale_factor={self.downscale_factor}"
