"""ChannelShuffle."""
from __future__ import annotations

from retrograd.nn import functional as F
from retrograd.nn.modules.module import Module

__all__ = ["ChannelShuffle"]


class ChannelShuffle(Module):
    """Deal the channels of (N, C, *) out of `groups` groups in turn."""

    __constants__ = ["groups"]

    def __init__(self, groups):
        super().__init__()
        self.groups = groups

    def forward(self, input):
        return F.channel_shuffle(input, self.groups)

    def extra_repr(self):
        return f"groups={self.groups}"
