"""StreamWrapper, under PyTorch's name."""

from ..files import StreamWrapper as StreamWrapper
