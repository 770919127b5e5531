"""Pooling: maxima, averages and norms over windows, and putting maxima back."""
from __future__ import annotations

import math

import retrograd as torch
from retrograd.nn._functional._operators import ops
from retrograd.nn._tuples import _list_with_default, _ntuple
from retrograd.ops.out import fill_checked

_single, _pair, _triple = (_ntuple(n, of_tensors=True) for n in (1, 2, 3))


def max_pool1d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode=False, return_indices=False):
    """max_pool1d and where each maximum was, an index into L.

    Both have the same shape. Arguments, sizes and errors are those of max_pool1d.

    >>> import retrograd as torch
    >>> x = torch.tensor([[1., 3., 2., 4.]])
    >>> torch.nn.functional.max_pool1d_with_indices(x, 2)
    (tensor([[3., 4.]]), tensor([[1, 3]]))
    """
    return ops.max_pool1d_with_indices(input, _single(kernel_size), _stride(stride, _single),
                                       _single(padding), _single(dilation), ceil_mode)


def max_pool2d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode=False, return_indices=False):
    """max_pool2d and where each maximum was, an index into the flattened H * W.

    Both have the same shape. Arguments, sizes and errors are those of max_pool2d.

    >>> import retrograd as torch
    >>> x = torch.arange(4.).view(1, 2, 2)
    >>> torch.nn.functional.max_pool2d_with_indices(x, 2)
    (tensor([[[3.]]]), tensor([[[3]]]))
    """
    return ops.max_pool2d_with_indices(input, _pair(kernel_size), _stride(stride, _pair),
                                       _pair(padding), _pair(dilation), ceil_mode)


def max_pool3d_with_indices(input, kernel_size, stride=None, padding=0, dilation=1,
                            ceil_mode=False, return_indices=False):
    """max_pool3d and where each maximum was, an index into the flattened D * H * W.

    Both have the same shape. Arguments, sizes and errors are those of max_pool3d.

    >>> import retrograd as torch
    >>> x = torch.arange(8.).view(1, 2, 2, 2)
    >>> torch.nn.functional.max_pool3d_with_indices(x, 2)
    (tensor([[[[7.]]]]), tensor([[[[7]]]]))
    """
    return ops.max_pool3d_with_indices(input, _triple(kernel_size), _stride(stride, _triple),
                                       _triple(padding), _triple(dilation), ceil_mode)


def _stride(stride, repeat):
    """The stride as a tuple, () where it is to be the kernel size."""
    return () if stride is None else repeat(stride)


def max_pool1d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
               return_indices=False):
    """The maximum of each window of (N, C, L); with `return_indices` also its place.

    Arguments and sizes as for max_pool2d. Raises RuntimeError for an input that is smaller than the
    window.

    >>> import retrograd as torch
    >>> torch.nn.functional.max_pool1d(torch.tensor([[[1., 3., 2., 4.]]]), 2)
    tensor([[[3., 4.]]])
    """
    if not return_indices:
        return ops.max_pool1d(input, _single(kernel_size), _stride(stride, _single),
                              _single(padding), _single(dilation), ceil_mode)
    both = max_pool1d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return both if return_indices else both[0]


def max_pool2d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
               return_indices=False):
    """The maximum of each window of (N, C, H, W); with `return_indices` also its place.

    H_out = floor((H + 2 padding - dilation (kernel_size - 1) - 1) / stride) + 1. The batch
    dimension is optional.

    Args:
        stride: from window to window; None: kernel_size.
        padding: by -inf on each side, at most half of kernel_size.
        ceil_mode: round the size up: the last window may be cut off.

    Raises RuntimeError for windows that do not fit. The gradient goes to the element found.

    >>> import retrograd as torch
    >>> torch.nn.functional.max_pool2d(torch.ones(1, 1, 4, 4), 2).shape
    torch.Size([1, 1, 2, 2])
    """
    both = max_pool2d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return both if return_indices else both[0]


def max_pool3d(input, kernel_size, stride=None, padding=0, dilation=1, ceil_mode=False,
               return_indices=False):
    """The maximum of each window of (N, C, D, H, W); with `return_indices` also its place.

    Arguments and sizes as for max_pool2d. Raises RuntimeError for an input that is smaller than the
    window.

    >>> import retrograd as torch
    >>> torch.nn.functional.max_pool3d(torch.arange(8.).reshape(1, 2, 2, 2), 2)
    tensor([[[[7.]]]])
    """
    both = max_pool3d_with_indices(input, kernel_size, stride, padding, dilation, ceil_mode)
    return both if return_indices else both[0]


def avg_pool2d(input, kernel_size, stride=None, padding=0, ceil_mode=False,
               count_include_pad=True, divisor_override=None, *, out=None):
    """The mean of each window of (N, C, H, W).

    Arguments and sizes are max_pool2d's, without dilation, and with zeros for padding.

    Args:
        count_include_pad: whether these zeros are counted.
        divisor_override: what to divide by in place of the number of elements.

    Raises RuntimeError for an input that is smaller than the window, and for a divisor of 0.

    >>> import retrograd as torch
    >>> torch.nn.functional.avg_pool2d(torch.ones(1, 1, 4, 4), 2).shape
    torch.Size([1, 1, 2, 2])
    """
    res = ops.avg_pool2d(input, _pair(kernel_size), _stride(stride, _pair), _pair(padding),
                         ceil_mode, count_include_pad, divisor_override)
    return res if out is None else fill_checked("avg_pool2d", out, res, input)


def avg_pool3d(input, kernel_size, stride=None, padding=0, ceil_mode=False,
               count_include_pad=True, divisor_override=None, *, out=None):
    """The mean of each window of (N, C, D, H, W); arguments and sizes as for avg_pool2d.

    Raises RuntimeError for an input that is smaller than the window.

    >>> import retrograd as torch
    >>> torch.nn.functional.avg_pool3d(torch.arange(8.).reshape(1, 2, 2, 2), 2)
    tensor([[[[3.5000]]]])
    """
    res = ops.avg_pool3d(input, _triple(kernel_size), _stride(stride, _triple), _triple(padding),
                         ceil_mode, count_include_pad, divisor_override)
    return res if out is None else fill_checked("avg_pool3d", out, res, input)


def adaptive_max_pool1d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool1d and where each maximum was, an index into L.

    Both have the same shape. Arguments, sizes and errors are those of adaptive_max_pool1d.

    >>> import retrograd as torch
    >>> x = torch.tensor([[1., 3., 2., 4.]])
    >>> torch.nn.functional.adaptive_max_pool1d_with_indices(x, 2)
    (tensor([[3., 4.]]), tensor([[1, 3]]))
    """
    return ops.adaptive_max_pool1d(input, _single(output_size))


def adaptive_max_pool2d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool2d and where each maximum was, an index into the flattened H * W.

    Both have the same shape. Arguments, sizes and errors are those of adaptive_max_pool2d.

    >>> import retrograd as torch
    >>> x = torch.arange(4.).view(1, 2, 2)
    >>> torch.nn.functional.adaptive_max_pool2d_with_indices(x, 1)
    (tensor([[[3.]]]), tensor([[[3]]]))
    """
    return ops.adaptive_max_pool2d(input, _filled(output_size, input, _pair))


def adaptive_max_pool3d_with_indices(input, output_size, return_indices=False):
    """adaptive_max_pool3d and where each maximum was, an index into the flattened D * H * W.

    Both have the same shape. Arguments, sizes and errors are those of adaptive_max_pool3d.

    >>> import retrograd as torch
    >>> x = torch.arange(8.).view(1, 2, 2, 2)
    >>> torch.nn.functional.adaptive_max_pool3d_with_indices(x, 1)
    (tensor([[[[7.]]]]), tensor([[[[7]]]]))
    """
    return ops.adaptive_max_pool3d(input, _filled(output_size, input, _triple))


def _filled(output_size, input, repeat):
    """The output size as a tuple, the input's own where it is None."""
    if isinstance(output_size, int):
        return repeat(output_size)
    return tuple(_list_with_default(output_size, input.size()))


def adaptive_max_pool1d(input, output_size, return_indices=False):
    """The maxima of output_size windows that cover L: (N, C, L) -> (N, C, output_size).

    Window i holds the elements from floor(i L / output_size) to ceil((i + 1) L / output_size). With
    `return_indices` also where each maximum was, an index into L. Raises RuntimeError for an input
    of other numbers of dimensions.

    >>> import retrograd as torch
    >>> torch.nn.functional.adaptive_max_pool1d(torch.tensor([[[1., 3., 2., 4.]]]), 2)
    tensor([[[3., 4.]]])
    """
    both = adaptive_max_pool1d_with_indices(input, output_size)
    return both if return_indices else both[0]


def adaptive_max_pool2d(input, output_size, return_indices=False):
    """Maxima over windows that make the output `output_size`: (N, C, H, W) -> (N, C, *output_size).

    The batch is optional; None in output_size keeps a size. The windows are those of
    adaptive_avg_pool2d. With `return_indices` also where each maximum was, an index into H * W.
    Raises RuntimeError for an input of other numbers of dimensions.

    >>> import retrograd as torch
    >>> torch.nn.functional.adaptive_max_pool2d(torch.arange(4.).reshape(1, 2, 2), 1)
    tensor([[[3.]]])
    """
    both = adaptive_max_pool2d_with_indices(input, output_size)
    return both if return_indices else both[0]


def adaptive_max_pool3d(input, output_size, return_indices=False):
    """Maxima over windows that make the output `output_size`, in three dimensions of space.

    (N, C, D, H, W) -> (N, C, *output_size). The batch is optional; None in output_size keeps a
    size. The windows are those of adaptive_avg_pool2d. With `return_indices` also where each
    maximum was, an index into D * H * W. Raises RuntimeError for an input of other numbers of
    dimensions.

    >>> import retrograd as torch
    >>> torch.nn.functional.adaptive_max_pool3d(torch.arange(8.).reshape(1, 2, 2, 2), 1)
    tensor([[[[7.]]]])
    """
    both = adaptive_max_pool3d_with_indices(input, output_size)
    return both if return_indices else both[0]


def adaptive_avg_pool2d(input, output_size):
    """Means over windows that make the output `output_size`: (N, C, H, W) -> (N, C, *output_size).

    The batch is optional; None in output_size keeps a size. Window i of a dimension holds the
    elements from floor(i H / H_out) to ceil((i + 1) H / H_out). Raises RuntimeError for other
    dimensions.

    >>> import retrograd as torch
    >>> torch.nn.functional.adaptive_avg_pool2d(torch.ones(1, 1, 5, 7), (2, 3)).shape
    torch.Size([1, 1, 2, 3])
    """
    return ops.adaptive_avg_pool2d(input, _filled(output_size, input, _pair))


def adaptive_avg_pool3d(input, output_size):
    """Means over windows that make the output `output_size`, in three dimensions of space.

    (N, C, D, H, W) -> (N, C, *output_size). The batch is optional; None in output_size keeps a
    size. Windows and errors are those of adaptive_avg_pool2d.

    >>> import retrograd as torch
    >>> torch.nn.functional.adaptive_avg_pool3d(torch.ones(1, 2, 2, 2), 1)
    tensor([[[[1.]]]])
    """
    return ops.adaptive_avg_pool3d(input, _filled(output_size, input, _triple))


def _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, average, greatest, repeat):
    if norm_type == math.inf:
        return greatest(input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if norm_type == -math.inf:
        return -greatest(-input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    if stride is not None:
        stride = repeat(stride)
    mean = average(input.pow(norm_type), repeat(kernel_size), stride, 0, ceil_mode)
    count = 1
    for length in repeat(kernel_size):
        count *= length
    return (torch.sign(mean) * _relu(torch.abs(mean))).mul(count).pow(1.0 / norm_type)


def _relu(x):
    return ops.relu(x)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x^p over each window)^(1/p), with p = norm_type: (N, C, L) -> (N, C, L_out).

    inf takes the maximum of |x|, -inf the minimum. L_out = floor((L - kernel_size) / stride) + 1;
    `stride` is kernel_size by default. The batch is optional. Raises RuntimeError for an input that
    is smaller than the window.

    >>> import retrograd as torch
    >>> torch.nn.functional.lp_pool1d(torch.tensor([[[3., 4.]]]), 2.0, 2)
    tensor([[[5.]]])
    """
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, torch.avg_pool1d, max_pool1d,
                    _single)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x^p over each window)^(1/p), with p = norm_type, in two dimensions of space.

    (N, C, H, W) -> (N, C, H_out, W_out). inf takes the maximum of |x|, -inf the minimum. Each size
    becomes floor((size - kernel_size) / stride) + 1. The batch is optional. Raises RuntimeError for
    an input that is smaller than the window.

    >>> import retrograd as torch
    >>> torch.nn.functional.lp_pool2d(torch.ones(1, 2, 2), 2, 2)
    tensor([[[2.]]])
    """
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, avg_pool2d, max_pool2d, _pair)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """(sum of x^p over each window)^(1/p), with p = norm_type, in three dimensions of space.

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out); inf takes the maximum of |x|, -inf the minimum.
    Each size becomes floor((size - kernel_size) / stride) + 1. The batch is optional. Raises
    RuntimeError for an input that is smaller than the window.

    >>> import retrograd as torch
    >>> torch.nn.functional.lp_pool3d(torch.ones(1, 2, 2, 2), 1, 2)
    tensor([[[[8.]]]])
    """
    return _lp_pool(input, norm_type, kernel_size, stride, ceil_mode, avg_pool3d, max_pool3d,
                    _triple)


def _fractional(name, spatial, input, kernel_size, output_size, output_ratio, samples):
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    repeat = _pair if spatial == 2 else _triple
    if output_size is None:
        if len(output_ratio if spatial == 2 else repeat(output_ratio)) > spatial:
            raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple "
                             "of Ints.")
        lengths = [input.size(d) for d in range(-spatial, 0)]
        output_size = [int(n * r) for n, r in zip(lengths, repeat(output_ratio), strict=True)]
    if samples is None:
        batch = 1 if input.dim() == spatial + 1 else input.size(0)
        channels = input.size(-spatial - 1)
        samples = torch.rand(batch, channels, spatial, dtype=input.dtype, device=input.device)
    operator = getattr(ops, name)
    return operator(input, repeat(kernel_size), repeat(output_size), samples)


def fractional_max_pool2d_with_indices(input, kernel_size, output_size=None, output_ratio=None,
                                       return_indices=False, _random_samples=None):
    """fractional_max_pool2d and where each maximum was.

    Both have the same shape. Arguments, sizes and errors are those of fractional_max_pool2d.

    >>> import retrograd as torch
    >>> values, indices = torch.nn.functional.fractional_max_pool2d_with_indices(
    ...     torch.arange(16.).reshape(1, 1, 4, 4), 2, output_size=2)
    >>> values.shape, indices.dtype
    (torch.Size([1, 1, 2, 2]), torch.int64)
    """
    return _fractional("fractional_max_pool2d", 2, input, kernel_size, output_size, output_ratio,
                       _random_samples)


def fractional_max_pool3d_with_indices(input, kernel_size, output_size=None, output_ratio=None,
                                       return_indices=False, _random_samples=None):
    """fractional_max_pool3d and where each maximum was.

    Both have the same shape. Arguments, sizes and errors are those of fractional_max_pool3d.

    >>> import retrograd as torch
    >>> values, indices = torch.nn.functional.fractional_max_pool3d_with_indices(
    ...     torch.ones(1, 1, 4, 4, 4), 2, output_size=2)
    >>> values.shape, indices.dtype
    (torch.Size([1, 1, 2, 2, 2]), torch.int64)
    """
    return _fractional("fractional_max_pool3d", 3, input, kernel_size, output_size, output_ratio,
                       _random_samples)


def fractional_max_pool2d(input, kernel_size, output_size=None, output_ratio=None,
                          return_indices=False, _random_samples=None):
    """Maxima over windows of kernel_size with random steps of 1 or 2 (Graham 2014).

    (N, C, H, W) -> (N, C, *output_size), or of output_ratio times the input's size.

    With `return_indices` also where each maximum was, an index into the flattened H * W. Raises
    ValueError unless one of the two is given, RuntimeError for windows that do not fit.

    >>> import retrograd as torch
    >>> torch.nn.functional.fractional_max_pool2d(torch.ones(1, 1, 8, 8), 2, output_size=5).shape
    torch.Size([1, 1, 5, 5])
    """
    both = fractional_max_pool2d_with_indices(input, kernel_size, output_size, output_ratio,
                                              return_indices, _random_samples)
    return both if return_indices else both[0]


def fractional_max_pool3d(input, kernel_size, output_size=None, output_ratio=None,
                          return_indices=False, _random_samples=None):
    """Maxima over windows of kernel_size with random steps (Graham 2014).

    (N, C, D, H, W) -> (N, C, *output_size), or of output_ratio times the input's size.

    With `return_indices` also where each maximum was, an index into the flattened D * H * W. Raises
    ValueError unless one of the two is given, RuntimeError for windows that do not fit.

    >>> import retrograd as torch
    >>> x = torch.ones(1, 1, 8, 8, 8)
    >>> torch.nn.functional.fractional_max_pool3d(x, 2, output_ratio=0.5).shape
    torch.Size([1, 1, 4, 4, 4])
    """
    both = fractional_max_pool3d_with_indices(input, kernel_size, output_size, output_ratio,
                                              return_indices, _random_samples)
    return both if return_indices else both[0]


def _unpool_output_size(input, kernel_size, stride, padding, output_size):
    spatial = len(kernel_size)
    default = [(input.size(d - spatial) - 1) * stride[d] + kernel_size[d] - 2 * padding[d]
               for d in range(spatial)]
    if output_size is None:
        return default
    if len(output_size) == spatial + 2:
        output_size = output_size[2:]
    if len(output_size) != spatial:
        raise ValueError("output_size should be a sequence containing "
                         f"{spatial} or {spatial + 2} elements, but it has a length of "
                         f"'{len(output_size)}'")
    for d in range(spatial):
        low, high = default[d] - stride[d], default[d] + stride[d]
        if not low < output_size[d] < high:
            raise ValueError(f'invalid output_size "{output_size}" (dim {d} must be between '
                             f"{low} and {high})")
    return list(output_size)


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put the maxima of max_pool1d back at their indices, zeros elsewhere.

    (N, C, L) -> (N, C, L_out): output_size, or (L - 1) stride - 2 padding + kernel_size. Raises
    RuntimeError for an index out of range, ValueError for an output_size that the pooling cannot
    have come from.

    >>> import retrograd as torch
    >>> torch.nn.functional.max_unpool1d(torch.tensor([[5.]]), torch.tensor([[1]]), 3)
    tensor([[0., 5., 0.]])
    """
    kernel_size = _single(kernel_size)
    stride = kernel_size if stride is None else _single(stride)
    size = _unpool_output_size(input, kernel_size, stride, _single(padding), output_size)
    flat = ops.max_unpool2d(input.unsqueeze(-1), indices.unsqueeze(-1), (*size, 1))
    return flat.squeeze(-1)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put the maxima of max_pool2d back at their indices, zeros elsewhere.

    (N, C, H, W) -> (N, C, H_out, W_out): output_size, or (H - 1) stride - 2 padding + kernel_size
    and so on. Raises RuntimeError for an index that lies outside.

    >>> import retrograd as torch
    >>> torch.nn.functional.max_unpool2d(torch.tensor([[[5.]]]), torch.tensor([[[3]]]), 2)
    tensor([[[0., 0.],
             [0., 5.]]])
    """
    kernel_size = _pair(kernel_size)
    stride = kernel_size if stride is None else _pair(stride)
    size = _unpool_output_size(input, kernel_size, stride, _pair(padding), output_size)
    return ops.max_unpool2d(input, indices, tuple(size))


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put the maxima of max_pool3d back at their indices, zeros elsewhere.

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), sizes as for max_unpool2d. Raises RuntimeError
    for an index out of range, ValueError for an output_size that the pooling cannot have come from.

    >>> import retrograd as torch
    >>> x = torch.ones(1, 1, 1, 1)
    >>> torch.nn.functional.max_unpool3d(x, x.long(), 2).shape
    torch.Size([1, 2, 2, 2])
    """
    kernel_size = _triple(kernel_size)
    stride = kernel_size if stride is None else _triple(stride)
    padding = _triple(padding)
    size = _unpool_output_size(input, kernel_size, stride, padding, output_size)
    return ops.max_unpool3d(input, indices, tuple(size), stride, padding)
