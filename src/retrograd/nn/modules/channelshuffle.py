"""ChannelShuffle."""
from __future__ import annotations

from retrograd.nn import functional as F
from retrograd.nn.modules.module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Deal the channels of (N, C, *) out of `groups` groups in turn (Zhang et al. 2018).

    Channel g + groups * i of the result is channel i of group g. Raises RuntimeError unless
    `groups` divides C.

    >>> import retrograd as torch
    >>> torch.nn.ChannelShuffle(2)(torch.arange(4.).view(1, 4, 1, 1)).flatten()
    tensor([0., 2., 1., 3.])
    """

    __constants__ = ["groups"]

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
