"""The gradients of convolutions as functions of their own.

`grad_output` is the gradient of the result; the other arguments are those of the convolution, with
the shape of what the gradient is computed for in its place.
"""
from __future__ import annotations

import retrograd as torch
from retrograd import conv1d, conv2d, conv3d


def _gradient(conv, wanted, input, weight, grad_output, settings):
    with torch.enable_grad():
        output = conv(input, weight, None, *settings)
    return torch.autograd.grad(output, wanted, grad_output, create_graph=True)[0]


def _input(conv, input_size, weight, grad_output, *settings):
    input = grad_output.new_zeros(tuple(input_size)).requires_grad_()
    return _gradient(conv, input, input, weight, grad_output, settings)


def _weight(conv, input, weight_size, grad_output, *settings):
    weight = grad_output.new_zeros(tuple(weight_size)).requires_grad_()
    return _gradient(conv, weight, input, weight, grad_output, settings)


def conv1d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv1d to its input, of shape `input_size`.

    >>> import retrograd as torch
    >>> weight, grad_output = torch.ones(1, 1, 2), torch.ones(1, 1, 2)
    >>> torch.nn.grad.conv1d_input((1, 1, 3), weight, grad_output).shape
    torch.Size([1, 1, 3])
    """
    return _input(conv1d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv1d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv1d to its weight, of shape `weight_size`.

    >>> import retrograd as torch
    >>> input, grad_output = torch.ones(1, 1, 3), torch.ones(1, 1, 2)
    >>> torch.nn.grad.conv1d_weight(input, (1, 1, 2), grad_output).shape
    torch.Size([1, 1, 2])
    """
    return _weight(conv1d, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv2d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv2d to its input, of shape `input_size`.

    >>> import retrograd as torch
    >>> weight, grad_output = torch.ones(1, 1, 2, 2), torch.ones(1, 1, 2, 2)
    >>> torch.nn.grad.conv2d_input((1, 1, 3, 3), weight, grad_output).shape
    torch.Size([1, 1, 3, 3])
    """
    return _input(conv2d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv2d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv2d to its weight, of shape `weight_size`.

    >>> import retrograd as torch
    >>> input, grad_output = torch.ones(1, 1, 3, 3), torch.ones(1, 1, 2, 2)
    >>> torch.nn.grad.conv2d_weight(input, (1, 1, 2, 2), grad_output).shape
    torch.Size([1, 1, 2, 2])
    """
    return _weight(conv2d, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv3d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv3d to its input, of shape `input_size`.

    >>> import retrograd as torch
    >>> weight, grad_output = torch.ones(1, 1, 2, 2, 2), torch.ones(1, 1, 2, 2, 2)
    >>> torch.nn.grad.conv3d_input((1, 1, 3, 3, 3), weight, grad_output).shape
    torch.Size([1, 1, 3, 3, 3])
    """
    return _input(conv3d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv3d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv3d to its weight, of shape `weight_size`.

    >>> import retrograd as torch
    >>> input, grad_output = torch.ones(1, 1, 3, 3, 3), torch.ones(1, 1, 2, 2, 2)
    >>> torch.nn.grad.conv3d_weight(input, (1, 1, 2, 2, 2), grad_output).shape
    torch.Size([1, 1, 2, 2, 2])
    """
    return _weight(conv3d, input, weight_size, grad_output, stride, padding, dilation, groups)
