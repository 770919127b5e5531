"""Pooling layers: maxima, averages, norms, adaptive and fractional windows, unpooling."""
from __future__ import annotations

from retrograd.nn import functional as F
from retrograd.nn._borrowed import borrows
from retrograd.nn._tuples import _pair, _single, _triple
from retrograd.nn.modules.module import Module

__all__ = [
    "MaxPool1d", "MaxPool2d", "MaxPool3d", "MaxUnpool1d", "MaxUnpool2d", "MaxUnpool3d",
    "AvgPool1d", "AvgPool2d", "AvgPool3d", "FractionalMaxPool2d", "FractionalMaxPool3d",
    "LPPool1d", "LPPool2d", "LPPool3d", "AdaptiveMaxPool1d", "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d", "AdaptiveAvgPool1d", "AdaptiveAvgPool2d", "AdaptiveAvgPool3d",
]

__getattr__ = borrows(__name__)


class _MaxPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]
    _function = ""      # its name in F, where a program may put another

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False,
                 ceil_mode=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return getattr(F, self._function)(
            input, self.kernel_size, self.stride, self.padding, self.dilation,
            ceil_mode=self.ceil_mode, return_indices=self.return_indices)

    def extra_repr(self):
        return (f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
                f"dilation={self.dilation}, ceil_mode={self.ceil_mode}")


class MaxPool1d(_MaxPoolNd):
    """The maximum of each window of kernel_size, `stride` apart.

    (N, C, L) -> (N, C, L_out), also without N. L_out = floor((L + 2 padding - dilation
    (kernel_size - 1) - 1) / stride) + 1, rounded up with ceil_mode. `stride` is kernel_size by
    default. The padding is -inf. With return_indices also the place of each maximum. Raises
    RuntimeError for padding above half of kernel_size.

    >>> import retrograd as torch
    >>> torch.nn.MaxPool1d(2)(torch.tensor([[1., 3., 2., 4.]]))
    tensor([[3., 4.]])
    """

    _function = "max_pool1d"


class MaxPool2d(_MaxPoolNd):
    """The maximum of each window of kernel_size, `stride` apart.

    (N, C, H, W) -> (N, C, H_out, W_out), also without N. L_out = floor((L + 2 padding - dilation
    (kernel_size - 1) - 1) / stride) + 1, and so for each size, rounded up with ceil_mode. `stride`
    is kernel_size by default. The padding is -inf. With return_indices also the place of each
    maximum. Raises RuntimeError for padding above half of kernel_size.

    >>> import retrograd as torch
    >>> torch.nn.MaxPool2d(2)(torch.arange(4.0).view(1, 2, 2))
    tensor([[[3.]]])
    """

    _function = "max_pool2d"


class MaxPool3d(_MaxPoolNd):
    """The maximum of each window of kernel_size, `stride` apart.

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), also without N. L_out = floor((L + 2 padding -
    dilation (kernel_size - 1) - 1) / stride) + 1, and so for each size, rounded up with ceil_mode.
    `stride` is kernel_size by default. The padding is -inf. With return_indices also the place of
    each maximum. Raises RuntimeError for padding above half of kernel_size.

    >>> import retrograd as torch
    >>> torch.nn.MaxPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    _function = "max_pool3d"


class _MaxUnpoolNd(Module):
    _repeat = None
    _function = ""

    def __init__(self, kernel_size, stride=None, padding=0):
        super().__init__()
        repeat = type(self)._repeat
        self.kernel_size = repeat(kernel_size)
        self.stride = repeat(stride if stride is not None else kernel_size)
        self.padding = repeat(padding)

    def forward(self, input, indices, output_size=None):
        return getattr(F, self._function)(
            input, indices, self.kernel_size, self.stride, self.padding, output_size)

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class MaxUnpool1d(_MaxUnpoolNd):
    """Put the maxima of MaxPool1d back at their indices.

    (N, C, L) and indices (N, C, L) -> (N, C, (L - 1) stride - 2 padding + kernel_size). Raises
    RuntimeError for an index out of range, ValueError for an output_size that the pooling cannot
    have come from.

    >>> import retrograd as torch
    >>> torch.nn.MaxUnpool1d(2)(torch.tensor([[5.]]), torch.tensor([[1]]))
    tensor([[0., 5.]])
    """

    _repeat = staticmethod(_single)
    _function = "max_unpool1d"


class MaxUnpool2d(_MaxUnpoolNd):
    """Put the maxima of MaxPool2d back at their indices.

    (N, C, H, W) and indices (N, C, H, W) -> (N, C, H', W'); see MaxUnpool1d for the sizes. Raises
    RuntimeError for an index out of range, ValueError for an output_size that the pooling cannot
    have come from.

    >>> import retrograd as torch
    >>> torch.nn.MaxUnpool2d(2)(torch.tensor([[[5.]]]), torch.tensor([[[3]]]))
    tensor([[[0., 0.],
             [0., 5.]]])
    """

    _repeat = staticmethod(_pair)
    _function = "max_unpool2d"


class MaxUnpool3d(_MaxUnpoolNd):
    """Put the maxima of MaxPool3d back at their indices.

    (N, C, D, H, W) and indices of the same shape -> (N, C, D_out, H_out, W_out), each of its sizes
    as in MaxUnpool1d. Raises RuntimeError for an index beyond that.

    >>> import retrograd as torch
    >>> torch.nn.MaxUnpool3d(2)(torch.ones(1, 1, 1, 1), torch.zeros(1, 1, 1, 1).long()).shape
    torch.Size([1, 2, 2, 2])
    """

    _repeat = staticmethod(_triple)
    _function = "max_unpool3d"


class _AvgPoolNd(Module):
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]

    def extra_repr(self):
        return f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}"


class AvgPool1d(_AvgPoolNd):
    """The mean of each window of kernel_size, `stride` apart.

    (N, C, L) -> (N, C, L_out), also without N. L_out = floor((L + 2 padding - kernel_size) /
    stride) + 1, rounded up with ceil_mode. `stride` is kernel_size by default. Zeros of the padding
    count, unless count_include_pad=False. Raises RuntimeError for padding above half of
    kernel_size.

    >>> import retrograd as torch
    >>> torch.nn.AvgPool1d(2)(torch.tensor([[1., 3., 2., 4.]]))
    tensor([[2., 3.]])
    """

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False,
                 count_include_pad=True):
        super().__init__()
        self.kernel_size = _single(kernel_size)
        self.stride = _single(stride if stride is not None else kernel_size)
        self.padding = _single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input):
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
                            self.count_include_pad)


class _AvgPoolDivisor(_AvgPoolNd):
    __constants__ = [*_AvgPoolNd.__constants__, "divisor_override"]
    _function = ""

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False,
                 count_include_pad=True, divisor_override=None):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        return getattr(F, self._function)(
            input, self.kernel_size, self.stride, self.padding, self.ceil_mode,
            self.count_include_pad, self.divisor_override)

    def __setstate__(self, state):
        super().__setstate__(state)
        self.__dict__.setdefault("padding", 0)
        self.__dict__.setdefault("ceil_mode", False)
        self.__dict__.setdefault("count_include_pad", True)


class AvgPool2d(_AvgPoolDivisor):
    """The mean of each window of kernel_size, `stride` apart.

    (N, C, H, W) -> (N, C, H_out, W_out), also without N. L_out =
    floor((L + 2 padding - kernel_size) / stride) + 1, and so for each size, rounded up with
    ceil_mode. `stride` is kernel_size by default. Zeros of the padding count, unless
    count_include_pad=False. `divisor_override` divides the sum instead. Raises RuntimeError for
    padding above half of kernel_size.

    >>> import retrograd as torch
    >>> torch.nn.AvgPool2d(2)(torch.arange(4.).view(1, 2, 2))
    tensor([[[1.5000]]])
    """

    _function = "avg_pool2d"


class AvgPool3d(_AvgPoolDivisor):
    """The mean of each window of kernel_size, `stride` apart.

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), also without N. L_out =
    floor((L + 2 padding - kernel_size) / stride) + 1, and so for each size, rounded up with
    ceil_mode. `stride` is kernel_size by default. Zeros of the padding count, unless
    count_include_pad=False. `divisor_override` divides the sum instead. Raises RuntimeError for
    padding above half of kernel_size.

    >>> import retrograd as torch
    >>> torch.nn.AvgPool3d(2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    _function = "avg_pool3d"


class _FractionalMaxPool(Module):
    __constants__ = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    _repeat = None
    _function = ""

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False,
                 _random_samples=None):
        super().__init__()
        repeat = type(self)._repeat
        name = type(self).__name__
        if isinstance(kernel_size, int) and kernel_size <= 0 or (
                not isinstance(kernel_size, int) and not all(k > 0 for k in kernel_size)):
            raise ValueError(f"kernel_size must greater than zero, but got {kernel_size}")
        self.kernel_size = repeat(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = repeat(output_size) if output_size is not None else None
        self.output_ratio = repeat(output_ratio) if output_ratio is not None else None
        if output_size is None and output_ratio is None:
            raise ValueError(f"{name} requires specifying either an output size, or a pooling "
                             "ratio")
        if output_size is not None and output_ratio is not None:
            raise ValueError("only one of output_size and output_ratio may be specified")
        if self.output_ratio is not None and not all(0 < r < 1 for r in self.output_ratio):
            raise ValueError("output_ratio must be between 0 and 1 (got "
                             f"{output_ratio})")

    def forward(self, input):
        return getattr(F, self._function)(
            input, self.kernel_size, self.output_size, self.output_ratio, self.return_indices,
            _random_samples=self._random_samples)


class FractionalMaxPool2d(_FractionalMaxPool):
    """Maxima over windows with random steps (Graham 2014).

    (N, C, H, W) -> (N, C, H_out, W_out), also without N: output_size, or output_ratio times (H, W).
    Raises ValueError unless one of the two is given, and for a ratio outside of (0, 1);
    RuntimeError for an input in which H_out windows do not fit.

    `kernel_size` is a number or a pair; with `return_indices` also where each maximum was.

    >>> import retrograd as torch
    >>> torch.nn.FractionalMaxPool2d(2, output_size=2)(torch.ones(1, 5, 5)).shape
    torch.Size([1, 2, 2])
    """

    _repeat = staticmethod(_pair)
    _function = "fractional_max_pool2d"


class FractionalMaxPool3d(_FractionalMaxPool):
    """Maxima over windows with random steps (Graham 2014).

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out). See FractionalMaxPool2d.

    >>> import retrograd as torch
    >>> torch.nn.FractionalMaxPool3d(2, output_size=2)(torch.ones(1, 4, 4, 4)).shape
    torch.Size([1, 2, 2, 2])
    """

    _repeat = staticmethod(_triple)
    _function = "fractional_max_pool3d"


class _LPPoolNd(Module):
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]
    _function = ""

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode

    def forward(self, input):
        return getattr(F, self._function)(
            input, float(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    def extra_repr(self):
        return (f"norm_type={self.norm_type}, kernel_size={self.kernel_size}, "
                f"stride={self.stride}, ceil_mode={self.ceil_mode}")


class LPPool1d(_LPPoolNd):
    """(sum of x^p over each window)^(1/p), with p = norm_type.

    (N, C, L) -> (N, C, L_out), also without N. L_out = floor((L - kernel_size) / stride) + 1;
    `stride` is kernel_size by default. inf takes the maximum of |x|. Where the sum is 0, so is the
    gradient. Raises RuntimeError for an input that is smaller than the window.

    >>> import retrograd as torch
    >>> torch.nn.LPPool1d(2, 2)(torch.tensor([[3., 4.]]))
    tensor([[5.]])
    """

    _function = "lp_pool1d"


class LPPool2d(_LPPoolNd):
    """(sum of x^p over each window)^(1/p), with p = norm_type.

    (N, C, H, W) -> (N, C, H_out, W_out), also without N. L_out = floor((L - kernel_size) / stride)
    + 1, and so for each size; `stride` is kernel_size by default. inf takes the maximum of |x|.
    Where the sum is 0, so is the gradient. Raises RuntimeError for an input that is smaller than
    the window.

    >>> import retrograd as torch
    >>> torch.nn.LPPool2d(2, 2)(torch.ones(1, 2, 2))
    tensor([[[2.]]])
    """

    _function = "lp_pool2d"


class LPPool3d(_LPPoolNd):
    """(sum of x^p over each window)^(1/p), with p = norm_type.

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), also without N. L_out = floor((L - kernel_size)
    / stride) + 1, and so for each size; `stride` is kernel_size by default. inf takes the maximum
    of |x|. Where the sum is 0, so is the gradient. Raises RuntimeError for an input that is smaller
    than the window.

    >>> import retrograd as torch
    >>> torch.nn.LPPool3d(2, 2)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 1, 1, 1])
    """

    _function = "lp_pool3d"


class _AdaptiveMaxPoolNd(Module):
    __constants__ = ["output_size", "return_indices"]
    _function = ""

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices

    def forward(self, input):
        return getattr(F, self._function)(input, self.output_size, self.return_indices)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveMaxPool1d(_AdaptiveMaxPoolNd):
    """Maxima over windows that make the output `output_size` long.

    (N, C, L) -> (N, C, output_size), also without N; with return_indices also the places of the
    maxima in L. The windows are those of AdaptiveAvgPool1d. Raises RuntimeError for an input of
    other numbers of dimensions.

    >>> import retrograd as torch
    >>> torch.nn.AdaptiveMaxPool1d(2)(torch.tensor([[1., 3., 2., 4.]]))
    tensor([[3., 4.]])
    """

    _function = "adaptive_max_pool1d"


class AdaptiveMaxPool2d(_AdaptiveMaxPoolNd):
    """Maxima over windows that make the output `output_size`.

    (N, C, H, W) -> (N, C, *output_size), also without N; with return_indices also the places of the
    maxima in H * W. The windows are those of AdaptiveAvgPool2d. Raises RuntimeError for an input of
    other numbers of dimensions.

    >>> import retrograd as torch
    >>> torch.nn.AdaptiveMaxPool2d(2)(torch.ones(1, 5, 7)).shape
    torch.Size([1, 2, 2])
    """

    _function = "adaptive_max_pool2d"


class AdaptiveMaxPool3d(_AdaptiveMaxPoolNd):
    """Maxima over windows that make the output `output_size`.

    (N, C, D, H, W) -> (N, C, *output_size), also without N. See AdaptiveMaxPool2d. Raises
    RuntimeError for an input of other numbers of dimensions.

    >>> import retrograd as torch
    >>> torch.nn.AdaptiveMaxPool3d(2)(torch.ones(1, 5, 5, 5)).shape
    torch.Size([1, 2, 2, 2])
    """

    _function = "adaptive_max_pool3d"


class _AdaptiveAvgPoolNd(Module):
    __constants__ = ["output_size"]
    _function = ""

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size

    def forward(self, input):
        return getattr(F, self._function)(input, self.output_size)

    def extra_repr(self):
        return f"output_size={self.output_size}"


class AdaptiveAvgPool1d(_AdaptiveAvgPoolNd):
    """Means over windows that make the output `output_size` long.

    (N, C, L) -> (N, C, output_size), also without N. Window i begins at floor(i L / output_size)
    and ends before ceil((i + 1) L / output_size). Raises RuntimeError for an input of other numbers
    of dimensions.

    >>> import retrograd as torch
    >>> torch.nn.AdaptiveAvgPool1d(2)(torch.tensor([[1., 3., 2., 4.]]))
    tensor([[2., 3.]])
    """

    _function = "adaptive_avg_pool1d"


class AdaptiveAvgPool2d(_AdaptiveAvgPoolNd):
    """Means over windows that make the output `output_size`.

    (N, C, H, W) -> (N, C, *output_size), also without N; None in output_size keeps a size. Window i
    of a dimension begins at floor(i H / H_out) and ends before ceil((i + 1) H / H_out).
    Raises RuntimeError for an input of other dimensions.

    >>> import retrograd as torch
    >>> torch.nn.AdaptiveAvgPool2d((2, None))(torch.ones(1, 5, 7)).shape
    torch.Size([1, 2, 7])
    """

    _function = "adaptive_avg_pool2d"


class AdaptiveAvgPool3d(_AdaptiveAvgPoolNd):
    """Means over windows that make the output `output_size`.

    (N, C, D, H, W) -> (N, C, *output_size), also without N. See AdaptiveAvgPool2d. Raises
    RuntimeError for an input of other numbers of dimensions.

    >>> import retrograd as torch
    >>> torch.nn.AdaptiveAvgPool3d(2)(torch.ones(1, 5, 5, 5)).shape
    torch.Size([1, 2, 2, 2])
    """

    _function = "adaptive_avg_pool3d"
