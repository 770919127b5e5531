"""convert_conv*_weight_memory_format: the order in which a layer's weights lie in memory."""
from __future__ import annotations

import retrograd as torch

__all__ = ["convert_conv2d_weight_memory_format", "convert_conv3d_weight_memory_format"]


def _convert(module, memory_format, kinds):
    if isinstance(module, kinds):
        weight = module.weight.detach().clone().contiguous(memory_format=memory_format)
        module.weight.data = weight.resize_(weight.size(), memory_format=memory_format)
    for child in module.children():
        _convert(child, memory_format, kinds)
    return module


def convert_conv2d_weight_memory_format(module, memory_format):
    """Give the weights of 2-D convolutions below `module` the memory format.

    >>> import retrograd as torch
    >>> from retrograd import nn
    >>> net = nn.Conv2d(2, 4, 3)
    >>> _ = nn.utils.convert_conv2d_weight_memory_format(net, torch.channels_last)
    >>> net.weight.is_contiguous(memory_format=torch.channels_last)
    True
    """
    return _convert(module, memory_format, (torch.nn.Conv2d, torch.nn.ConvTranspose2d))


def convert_conv3d_weight_memory_format(module, memory_format):
    """Give the weights of 3-D convolutions below `module` the memory format.

    >>> import retrograd as torch
    >>> from retrograd import nn
    >>> net = nn.Conv3d(2, 4, 3)
    >>> _ = nn.utils.convert_conv3d_weight_memory_format(net, torch.channels_last_3d)
    >>> net.weight.is_contiguous(memory_format=torch.channels_last_3d)
    True
    """
    return _convert(module, memory_format, (torch.nn.Conv3d, torch.nn.ConvTranspose3d))
