"""Convolution layers and their transposes, eager and lazy."""
from __future__ import annotations

import math

import retrograd as torch
from retrograd._warnings import warn
from retrograd.nn import functional as F
from retrograd.nn import init
from retrograd.nn._borrowed import borrows
from retrograd.nn._tuples import _pair, _reverse_repeat_tuple, _single, _triple
from retrograd.nn.modules.lazy import LazyModuleMixin
from retrograd.nn.modules.module import Module
from retrograd.nn.parameter import Parameter, UninitializedParameter

__all__ = [
    "Conv1d", "Conv2d", "Conv3d", "ConvTranspose1d", "ConvTranspose2d", "ConvTranspose3d",
    "LazyConv1d", "LazyConv2d", "LazyConv3d", "LazyConvTranspose1d", "LazyConvTranspose2d",
    "LazyConvTranspose3d",
]

__getattr__ = borrows(__name__)

_PADDING_STRINGS = {"same", "valid"}
_PADDING_MODES = {"zeros", "reflect", "replicate", "circular"}


class _ConvNd(Module):
    __constants__ = ["stride", "padding", "dilation", "groups", "padding_mode", "output_padding",
                     "in_channels", "out_channels", "kernel_size"]

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, dilation,
                 transposed, output_padding, groups, bias, padding_mode, device=None, dtype=None):
        super().__init__()
        _check_settings(in_channels, out_channels, stride, padding, groups, padding_mode)
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        # what F.pad is given when the padding is not of zeros
        if isinstance(padding, str):
            total = [d * (k - 1) if padding == "same" else 0
                     for d, k in zip(dilation, kernel_size, strict=False)]
            self._reversed_padding_repeated_twice = [
                side for t in reversed(total) for side in (t // 2, t - t // 2)]
        else:
            self._reversed_padding_repeated_twice = _reverse_repeat_tuple(padding, 2)
        first, second = (in_channels, out_channels) if transposed else (out_channels, in_channels)
        self.weight = Parameter(
            torch.empty((first, second // groups, *kernel_size), device=device, dtype=dtype))
        if bias:
            self.bias = Parameter(torch.empty(out_channels, device=device, dtype=dtype))
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        """Draw weight and bias uniform in +-1 / sqrt(fan_in)."""
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            fan_in, _ = init._calculate_fan_in_and_fan_out(self.weight)
            if fan_in != 0:
                bound = 1 / math.sqrt(fan_in)
                init.uniform_(self.bias, -bound, bound)

    def extra_repr(self):
        s = (f"{self.in_channels}, {self.out_channels}, kernel_size={self.kernel_size}, "
             f"stride={self.stride}")
        if self.padding != (0,) * len(self.padding):
            s += f", padding={self.padding}"
        if self.dilation != (1,) * len(self.dilation):
            s += f", dilation={self.dilation}"
        if self.output_padding != (0,) * len(self.output_padding):
            s += f", output_padding={self.output_padding}"
        if self.groups != 1:
            s += f", groups={self.groups}"
        if self.bias is None:
            s += ", bias=False"
        if self.padding_mode != "zeros":
            s += f", padding_mode={self.padding_mode}"
        return s

    def __setstate__(self, state):
        super().__setstate__(state)
        if not hasattr(self, "padding_mode"):
            self.padding_mode = "zeros"


def _check_settings(in_channels, out_channels, stride, padding, groups, padding_mode):
    if groups <= 0:
        raise ValueError("groups must be a positive integer")
    if in_channels % groups != 0:
        raise ValueError("in_channels must be divisible by groups")
    if out_channels % groups != 0:
        raise ValueError("out_channels must be divisible by groups")
    if isinstance(padding, str):
        if padding not in _PADDING_STRINGS:
            raise ValueError(f"Invalid padding string {padding!r}, should be one of "
                             f"{_PADDING_STRINGS}")
        if padding == "same" and any(s != 1 for s in stride):
            raise ValueError("padding='same' is not supported for strided convolutions")
    if padding_mode not in _PADDING_MODES:
        raise ValueError(f"padding_mode must be one of {_PADDING_MODES}, but got "
                         f"padding_mode='{padding_mode}'")


class _Conv(_ConvNd):
    """A convolution of `_spatial` dimensions."""

    _repeat = None
    _function = ""      # its name in F, where a program may put another

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, dilation=1,
                 groups=1, bias=True, padding_mode="zeros", device=None, dtype=None):
        repeat = type(self)._repeat
        super().__init__(
            in_channels, out_channels, repeat(kernel_size), repeat(stride),
            padding if isinstance(padding, str) else repeat(padding), repeat(dilation), False,
            repeat(0), groups, bias, padding_mode, device, dtype)

    def _conv_forward(self, input, weight, bias):
        function = getattr(F, self._function)
        if self.padding_mode != "zeros":
            padded = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
            return function(padded, weight, bias, self.stride, 0, self.dilation, self.groups)
        return function(input, weight, bias, self.stride, self.padding, self.dilation, self.groups)

    def forward(self, input):
        return self._conv_forward(input, self.weight, self.bias)


class Conv1d(_Conv):
    """Cross-correlation of (N, C_in, L) with weight (C_out, C_in / groups, K), plus bias.

    L_out = floor((L + 2 padding - dilation (K - 1) - 1) / stride) + 1. Arguments: see Conv2d.
    Raises ValueError for settings that do not fit, RuntimeError for an input that does not.

    >>> import retrograd as torch
    >>> torch.nn.Conv1d(1, 2, kernel_size=3)(torch.ones(1, 1, 5)).shape
    torch.Size([1, 2, 3])
    """

    _repeat = staticmethod(_single)
    _function = "conv1d"


class Conv2d(_Conv):
    """Cross-correlation of (N, C_in, H, W) with weight (C_out, C_in / groups, kh, kw), plus bias.

    H_out = floor((H + 2 padding - dilation (kh - 1) - 1) / stride) + 1, W_out likewise; the batch
    dimension is optional. Weight and bias start uniform in +-1 / sqrt(C_in / groups kh kw).

    Args:
        kernel_size, stride, padding, dilation: a number, or one for each dimension.
        padding: on each side; also 'valid' (none) or 'same' (the size is kept, with stride 1).
        groups: channels are cut into so many groups, each convolved by itself.
        padding_mode: 'zeros', 'reflect', 'replicate' or 'circular'.

    Raises ValueError where `groups` does not divide both channels, and for unknown modes;
    when called, RuntimeError for an input that does not fit.

    >>> import retrograd as torch
    >>> layer = torch.nn.Conv2d(1, 4, 3, padding=1)
    >>> layer(torch.ones(2, 1, 8, 8)).shape, layer.weight.shape
    (torch.Size([2, 4, 8, 8]), torch.Size([4, 1, 3, 3]))
    """

    _repeat = staticmethod(_pair)
    _function = "conv2d"


class Conv3d(_Conv):
    """Cross-correlation of (N, C_in, D, H, W) with weight (C_out, C_in / groups, kd, kh, kw).

    -> (N, C_out, D_out, H_out, W_out), also without N; each size is floor((size + 2 padding -
    dilation (kernel - 1) - 1) / stride) + 1. Arguments: see Conv2d. Raises ValueError for settings
    that do not fit, RuntimeError for an input that does not.

    >>> import retrograd as torch
    >>> torch.nn.Conv3d(1, 2, kernel_size=2)(torch.ones(1, 1, 3, 3, 3)).shape
    torch.Size([1, 2, 2, 2, 2])
    """

    _repeat = staticmethod(_triple)
    _function = "conv3d"


class _ConvTransposeNd(_ConvNd):
    _repeat = None
    _function = ""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0,
                 output_padding=0, groups=1, bias=True, dilation=1, padding_mode="zeros",
                 device=None, dtype=None):
        if padding_mode != "zeros":
            raise ValueError('Only "zeros" padding mode is supported for '
                             f"{self.__class__.__name__}")
        repeat = type(self)._repeat
        super().__init__(
            in_channels, out_channels, repeat(kernel_size), repeat(stride), repeat(padding),
            repeat(dilation), True, repeat(output_padding), groups, bias, padding_mode, device,
            dtype)

    def _output_padding(self, input, output_size, stride, padding, kernel_size,
                        num_spatial_dims, dilation=None):
        """The output padding that gives `output_size`, if one does."""
        if output_size is None:
            return _single(self.output_padding)
        has_batch = input.dim() == num_spatial_dims + 2
        extra = 2 if has_batch else 1
        if len(output_size) == extra + num_spatial_dims:
            output_size = output_size[extra:]
        if len(output_size) != num_spatial_dims:
            raise ValueError(
                f"ConvTranspose{num_spatial_dims}D: for {input.dim()}D input, output_size must "
                f"have {num_spatial_dims} or {extra + num_spatial_dims} elements (got "
                f"{len(output_size)})")
        smallest = [
            (input.size(d + extra) - 1) * stride[d] - 2 * padding[d]
            + (dilation[d] if dilation is not None else 1) * (kernel_size[d] - 1) + 1
            for d in range(num_spatial_dims)]
        largest = [low + stride[d] - 1 for d, low in enumerate(smallest)]
        for size, low, high in zip(output_size, smallest, largest, strict=True):
            if size < low or size > high:
                raise ValueError(f"requested an output size of {output_size}, but valid sizes "
                                 f"range from {smallest} to {largest} (for an input of "
                                 f"{input.size()[2:]})")
        return [size - low for size, low in zip(output_size, smallest, strict=True)]

    def forward(self, input, output_size=None):
        output_padding = self._output_padding(
            input, output_size, self.stride, self.padding, self.kernel_size,
            len(self.kernel_size), self.dilation)
        return getattr(F, self._function)(
            input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups,
            self.dilation)


class ConvTranspose1d(_ConvTransposeNd):
    """The gradient of Conv1d to its input, as a layer; weight (C_in, C_out / groups, K).

    (N, C_in, L) -> (N, C_out, L_out), also without N; L_out = (L - 1) stride - 2 padding + dilation
    (K - 1) + output_padding + 1. Arguments and
    errors are those of ConvTranspose2d.

    >>> import retrograd as torch
    >>> torch.nn.ConvTranspose1d(1, 2, kernel_size=3)(torch.ones(1, 1, 5)).shape
    torch.Size([1, 2, 7])
    """

    _repeat = staticmethod(_single)
    _function = "conv_transpose1d"


class ConvTranspose2d(_ConvTransposeNd):
    """The gradient of Conv2d to its input, as a layer; weight (C_in, C_out / groups, kh, kw).

    H_out = (H - 1) stride - 2 padding + dilation (kh - 1) + output_padding + 1. Of the sizes that
    a Conv2d would bring back to H, `output_padding`, or `output_size` when called, chooses one.

    (N, C_in, H, W) -> (N, C_out, H_out, W_out), also without N. The other arguments are those of
    Conv2d; padding_mode is 'zeros'. Raises ValueError for an output_size that cannot be reached,
    RuntimeError for an input that does not fit.

    >>> import retrograd as torch
    >>> torch.nn.ConvTranspose2d(2, 1, 2, stride=2)(torch.ones(1, 2, 3, 3)).shape
    torch.Size([1, 1, 6, 6])
    """

    _repeat = staticmethod(_pair)
    _function = "conv_transpose2d"


class ConvTranspose3d(_ConvTransposeNd):
    """The gradient of Conv3d to its input, as a layer.

    (N, C_in, D, H, W) -> (N, C_out, D_out, H_out, W_out) with weight (C_in, C_out / groups, kd, kh,
    kw), each of its sizes, and the errors, as in ConvTranspose2d.

    >>> import retrograd as torch
    >>> torch.nn.ConvTranspose3d(2, 1, 2, stride=2)(torch.ones(1, 2, 3, 3, 3)).shape
    torch.Size([1, 1, 6, 6, 6])
    """

    _repeat = staticmethod(_triple)
    _function = "conv_transpose3d"


class _ConvTransposeMixin(_ConvTransposeNd):
    """An older name, which libraries take."""

    def __init__(self, *args, **kwargs):
        warn("`_ConvTransposeMixin` is a deprecated internal class. Please consider using public "
             "APIs.", FutureWarning)
        super().__init__(*args, **kwargs)


class _LazyConvNd(LazyModuleMixin):
    """A convolution that learns `in_channels` from its first input."""

    def _wait(self, out_channels, bias, device, dtype):
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_channels = out_channels
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        if not self.has_uninitialized_params() and self.in_channels != 0:
            super().reset_parameters()

    def initialize_parameters(self, input, *args, **kwargs):
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if self.in_channels % self.groups != 0:
            raise ValueError("in_channels must be divisible by groups")
        first, second = self.out_channels, self.in_channels
        if self.transposed:
            first, second = second, first
        self.weight.materialize((first, second // self.groups, *self.kernel_size))
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self, input):
        spatial = len(self.kernel_size)
        if input.dim() not in (spatial + 1, spatial + 2):
            raise RuntimeError(f"Expected {spatial + 1}D (unbatched) or {spatial + 2}D (batched) "
                               f"input to {self.__class__.__name__}, but got input of size: "
                               f"{input.shape}")
        return input.shape[1] if input.dim() == spatial + 2 else input.shape[0]


class _LazyConv(_LazyConvNd):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, dilation=1, groups=1,
                 bias=True, padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, dilation, groups, bias=False,
                         padding_mode=padding_mode)
        self._wait(out_channels, bias, device, dtype)


class _LazyConvTranspose(_LazyConvNd):
    def __init__(self, out_channels, kernel_size, stride=1, padding=0, output_padding=0, groups=1,
                 bias=True, dilation=1, padding_mode="zeros", device=None, dtype=None):
        super().__init__(0, 0, kernel_size, stride, padding, output_padding, groups, bias=False,
                         dilation=dilation, padding_mode=padding_mode)
        self._wait(out_channels, bias, device, dtype)


class LazyConv1d(_LazyConv, Conv1d):
    """Conv1d that takes `in_channels` from its first input.

    Until then weight and bias are UninitializedParameters, which have no shape; optimizers are made
    after the first call. It then is a Conv1d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyConv1d(4, 3)
    >>> layer(torch.ones(1, 3, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 6]), 3)
    """

    cls_to_become = Conv1d


class LazyConv2d(_LazyConv, Conv2d):
    """Conv2d that takes `in_channels` from its first input.

    Until then weight and bias are UninitializedParameters, which have no shape; optimizers are made
    after the first call. It then is a Conv2d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyConv2d(4, 3)
    >>> layer(torch.ones(1, 3, 8, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 6, 6]), 3)
    """

    cls_to_become = Conv2d


class LazyConv3d(_LazyConv, Conv3d):
    """Conv3d that takes `in_channels` from its first input.

    Until then weight and bias are UninitializedParameters, which have no shape; optimizers are made
    after the first call. It then is a Conv3d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyConv3d(4, 3)
    >>> layer(torch.ones(1, 3, 8, 8, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 6, 6, 6]), 3)
    """

    cls_to_become = Conv3d


class LazyConvTranspose1d(_LazyConvTranspose, ConvTranspose1d):
    """ConvTranspose1d that takes `in_channels` from its first input.

    Until then weight and bias are UninitializedParameters, which have no shape; optimizers are made
    after the first call. It then is a ConvTranspose1d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyConvTranspose1d(4, 3)
    >>> layer(torch.ones(1, 3, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 10]), 3)
    """

    cls_to_become = ConvTranspose1d


class LazyConvTranspose2d(_LazyConvTranspose, ConvTranspose2d):
    """ConvTranspose2d that takes `in_channels` from its first input.

    Until then weight and bias are UninitializedParameters, which have no shape; optimizers are made
    after the first call. It then is a ConvTranspose2d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyConvTranspose2d(4, 3)
    >>> layer(torch.ones(1, 3, 8, 8)).shape, layer.in_channels
    (torch.Size([1, 4, 10, 10]), 3)
    """

    cls_to_become = ConvTranspose2d


class LazyConvTranspose3d(_LazyConvTranspose, ConvTranspose3d):
    """ConvTranspose3d that takes `in_channels` from its first input.

    Until then weight and bias are UninitializedParameters, which have no shape; optimizers are made
    after the first call. It then is a ConvTranspose3d.

    >>> import retrograd as torch
    >>> layer = torch.nn.LazyConvTranspose3d(4, 3)
    >>> layer(torch.ones(1, 3, 4, 4, 4)).shape, layer.in_channels
    (torch.Size([1, 4, 6, 6, 6]), 3)
    """

    cls_to_become = ConvTranspose3d
