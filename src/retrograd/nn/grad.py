"""The gradients of convolutions as functions of their own."""
from __future__ import annotations

import retrograd as torch
from retrograd.nn._functional.conv import conv1d, conv2d, conv3d


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
    """The gradient of conv1d to its input."""
    return _input(conv1d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv1d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv1d to its weight."""
    return _weight(conv1d, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv2d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv2d to its input."""
    return _input(conv2d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv2d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv2d to its weight."""
    return _weight(conv2d, input, weight_size, grad_output, stride, padding, dilation, groups)


def conv3d_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv3d to its input."""
    return _input(conv3d, input_size, weight, grad_output, stride, padding, dilation, groups)


def conv3d_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
    """The gradient of conv3d to its weight."""
    return _weight(conv3d, input, weight_size, grad_output, stride, padding, dilation, groups)
