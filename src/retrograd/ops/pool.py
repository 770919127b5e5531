"""Pooling: maxima and means of windows, and maxima put back.

A maximum's gradient goes to the element that it was, by its index in the flattened image, which
the operator returns beside it; what several windows share gets the sum. A mean's gradient is
spread evenly over its window. Reading at indices and adding at indices are each other's gradients
(max_pool_gather, max_unpool), and so it goes on for every order.
"""

from __future__ import annotations

import math

import numpy as np

from .. import _dtype
from .. import kernels as K
from .._state import state
from .._tensor import wrap
from ..kernels.checks import no_dim
from ..kernels.half import check_floating
from ..kernels.layout import like
from . import nn_samples as S
from .batching import physical
from .declare import F as T
from .declare import op
from .dims import as_tuple
from .factory import negative_size
from .nn_checks import no_gradient
from .pool_arguments import (
    PLAIN,
    batched,
    check_line,
    check_max_pool1d,
    fitting,
    plain,
    unbatched,
    window_arguments,
    with_batch,
)
from .public import native, public
from .reduce import check_mean
from .support import unobserved

# --------------------------------------------------------------------------- maxima

for _d in (2, 3):
    op(f"max_pool_{_d}d(self | kernel_size, stride, padding, dilation, ceil_mode)",
       f"MaxPool{_d}DWithIndicesBackward0", public=False, outputs=("result0", "result1"),
       nondiff=("result1",), samples=S.pools if _d == 2 else S.pools_3d,
       self = lambda F, g, self, result1, kernel_size, stride, dilation:
                  F.max_pool_backward(g, result1, self, apart(kernel_size, stride, dilation)),
       jvp  = lambda F, self, self_t, *where: at_maxima(F, self_t, F.max_pool_2d(self, *where)))
    op(f"adaptive_max_pool_{_d}d(self | output_size)", f"AdaptiveMaxPool{_d}DBackward0",
       public=False, outputs=("result0", "result1"), nondiff=("result1",),
       samples=S.adaptive_pools(_d),
       self = lambda F, g, self, result1: F.max_pool_backward(g, result1, self, False),
       jvp  = lambda F, self, self_t, size:
                  at_maxima(F, self_t, F.adaptive_max_pool_2d(self, size)))
    op(f"fractional_max_pool_{_d}d(self, random_samples | kernel_size, output_size)",
       f"FractionalMaxPool{_d}DBackward0", public=False, outputs=("result0", "result1"),
       nondiff=("result1",),
       samples=(lambda: [(S.normal(1, 2, 5, 6), np.full((1, 2, 2), 0.3), (2, 3), (3, 2))])
               if _d == 2 else
               lambda: [(S.normal(1, 1, 3, 4, 3), np.full((1, 1, 3), 0.3), (2, 2, 2), (2, 3, 2))],
       self = lambda F, g, self, result1: F.max_pool_backward(g, result1, self, False),
       jvp  = lambda F, self, random_samples, self_t, random_samples_t, *sizes:
                  at_maxima(F, self_t, F.fractional_max_pool_2d(self, random_samples, *sizes)))
    op(f"max_unpool_{_d}d(self, indices | output_size)", f"MaxUnpool{_d}DBackward0", public=False,
       samples=lambda _d=_d: [(S.normal(1, 2, 3), np.array([[[1, 4, 2], [0, 3, 5]]]),
                               (1, 2, 3)[-_d:])],
       self = lambda F, g, indices: F.max_pool_gather(g, indices),
       jvp  = lambda F, self, indices, self_t, indices_t, size:
                  F.max_unpool_2d(self_t, indices, size))


def apart(kernel, stride, dilation):
    """Whether no two windows share an element."""
    return all(s > (k - 1) * d for k, s, d in zip(kernel, stride, dilation, strict=True))


def at_maxima(F, tangent, pooled):
    """The tangent of a maximum and of its index, which has none."""
    return F.max_pool_gather(tangent, pooled[1]), None


# Gradients take the input along, though flat in it: so does PyTorch, whose graph of them has it.

op("max_pool_backward(grad, indices, self | apart)", "MaxPool2DWithIndicesBackwardBackward0",
   public=False,
   samples=lambda: [(S.normal(1, 2, 3), np.array([[[1, 4, 1], [0, 3, 5]]]), S.normal(1, 2, 6),
                     False)],
   grad = lambda F, g, indices: F.max_pool_gather(g, indices),
   self = lambda F, g: F.zeros_like(g),
   jvp  = lambda F, grad, indices, self, grad_t, indices_t, self_t, apart:
              None if grad_t is None else F.max_pool_backward(grad_t, indices, self, apart))

op("max_pool_gather(self, indices)", "MaxUnpoolBackwardBackward0", public=False,
   samples=lambda: [(S.normal(1, 2, 6), np.array([[[1, 4, 1], [0, 3, 5]]]))],
   self = lambda F, g, indices, self: F.max_pool_backward(g, indices, self, False),
   jvp  = lambda F, self, indices, self_t, indices_t: F.max_pool_gather(self_t, indices))

# --------------------------------------------------------------------------- averages

for _d in (2, 3):
    op(f"avg_pool_{_d}d(self | kernel_size, stride, padding, ceil_mode, count_include_pad, "
       "divisor_override)", f"AvgPool{_d}DBackward0", public=False, jvp="linear",
       samples=(lambda: [(S.normal(1, 2, 5, 6), (2, 3), (2, 2), (1, 0), True, False, None)])
               if _d == 2 else
               lambda: [(S.normal(1, 1, 3, 4, 3), (2, 3, 2), (1, 2, 2), (1, 0, 1), True, False,
                         None)],
       self = lambda F, g, self, kernel_size, stride, padding, ceil_mode,
                     count_include_pad, divisor_override:
                  F.avg_pool_backward(g, self, kernel_size, stride, padding, ceil_mode,
                                      count_include_pad, divisor_override))
    op(f"adaptive_avg_pool_{_d}d(self | output_size)", f"AdaptiveAvgPool{_d}DBackward0",
       public=False, jvp="linear",
       samples=S.adaptive_pools(_d),
       self = lambda F, g, self: F.adaptive_avg_pool_backward(g, self))

op("avg_pool_backward(grad, self | kernel_size, stride, padding, ceil_mode, count_include_pad, "
   "divisor_override)", "AvgPool2DBackwardBackward0", public=False,
   samples=lambda: [(S.normal(1, 2, 3, 4), S.normal(1, 2, 5, 6), (2, 3), (2, 2), (1, 1), True,
                     False, None)],
   self = lambda F, g: F.zeros_like(g),
   jvp  = lambda F, grad, self, grad_t, self_t, *values:
              None if grad_t is None else F.avg_pool_backward(grad_t, self, *values),
   grad = lambda F, g, kernel_size, stride, padding, ceil_mode, count_include_pad,
                 divisor_override:
              F.avg_pool_2d(g, kernel_size, stride, padding, ceil_mode, count_include_pad,
                            divisor_override))

op("adaptive_avg_pool_backward(grad, self)", "AdaptiveAvgPool2DBackwardBackward0", public=False,
   samples=lambda: [(S.normal(1, 2, 2, 3), S.normal(1, 2, 5, 4))],
   self = lambda F, g: F.zeros_like(g),
   jvp  = lambda F, grad, self, grad_t, self_t:
              None if grad_t is None else F.adaptive_avg_pool_backward(grad_t, self),
   grad = lambda F, g, grad_shape: F.adaptive_avg_pool_2d(g, grad_shape[2:]))

# --------------------------------------------------------------------------- public functions


def max_pool(dims, input, kernel_size, stride, padding, dilation, ceil_mode):
    """Maxima and indices; two and three dimensions have nodes of their own."""
    arguments = fitting("max", dims, input._data.shape, ceil_mode,
                        *plain((kernel_size, stride, padding, dilation)))
    input, had_batch = with_batch(input, dims)
    pool = T.max_pool_2d if dims == 2 else T.max_pool_3d
    return unbatched(pool(input, *arguments, ceil_mode), had_batch)


@native
def max_pool2d_with_indices(input, kernel_size, stride=(), padding=0, dilation=1,
                            ceil_mode=False):
    """The maximum of each window of (N, C, H, W) or (C, H, W), and its index in H * W."""
    return max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode)


@native
def max_pool3d_with_indices(input, kernel_size, stride=(), padding=0, dilation=1,
                            ceil_mode=False):
    """The maximum of each window of (N, C, D, H, W) or (C, D, H, W), and its index in D * H * W."""
    return max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode)


@native
def max_pool1d_with_indices(input, kernel_size, stride=(), padding=0, dilation=1,
                            ceil_mode=False):
    """The maximum of each window of (N, C, L) or (C, L), and its index.

    >>> import retrograd as torch
    >>> torch.max_pool1d_with_indices(torch.tensor([[1., 3., 2., 4.]]), 2)
    (tensor([[3., 4.]]), tensor([[1, 3]]))
    """
    values, indices = _of_a_row(input, kernel_size, stride, padding, dilation, ceil_mode)
    dim = values._data.ndim - 2
    return T.squeeze_dim(values, dim), T.squeeze_dim(indices, dim)


def _as_picture(input):
    """The array of rows (N, C, L) or (C, L) as pictures one row high, (N, C, 1, L); None where the
    operators that make them have to be seen, or their order in memory matters."""
    x = input._data
    if not unobserved(input._flags) or state.on_call is not None or not x.flags.c_contiguous:
        return None
    return x.reshape(-1, x.shape[-2], 1, x.shape[-1])


def _as_rows(picture, input):
    """What pooling made of _as_picture(), as rows again."""
    return wrap(picture.reshape(*input._data.shape[:-1], picture.shape[-1]))


def _of_a_row(input, kernel_size, stride, padding, dilation, ceil_mode):
    """Maxima and indices of (N, C, L) as of a picture one row high, (N, C, 1, L)."""
    kernel, stride, padding, dilation = window_arguments(1, "max_pool1d", kernel_size, stride,
                                                         padding, dilation)
    check_line("max_pool1d", input)
    flat = T.unsqueeze(input, input._data.ndim - 1)
    return max_pool(2, flat, (1, *kernel), (1, *stride), (0, *padding), (1, *dilation), ceil_mode)


@public(method=False)
def max_pool1d(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """The maximum of each window of (N, C, L) or (C, L).

    >>> import retrograd as torch
    >>> torch.max_pool1d(torch.ones(1, 5), 2).shape
    torch.Size([1, 2])
    """
    check_floating("max_pool1d_impl", input._data.dtype)
    given = kernel_size, stride, padding, dilation
    fits = check_max_pool1d if PLAIN.issuperset(map(type, given)) else \
        check_max_pool1d.__wrapped__
    fits(input._data.shape, ceil_mode, *given)
    picture = _as_picture(input) if input._data.size else None
    if picture is not None:
        arguments = [(k, *n) for k, n in zip((1, 1, 0, 1), window_arguments(
            1, "max_pool1d", *given), strict=True)]
        return _as_rows(K.max_pool_2d(picture, *arguments, ceil_mode)[0], input)
    values, _ = _of_a_row(input, *given, ceil_mode)
    return T.squeeze_dim(values, values._data.ndim - 2)


def _values_of(dims, pool):
    """max_pool2d or 3d: what `pool` gives, without the indices."""
    def values(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
        return pool(input, kernel_size, stride, padding, dilation, ceil_mode)[0]
    values.__name__ = values.__qualname__ = f"max_pool{dims}d"
    values.__doc__ = f"""The maximum of each window of (N, C, {("H, W)", "D, H, W)")[dims - 2]}.

    nn.functional.max_pool{dims}d has the same arguments, and gives indices too.

    >>> import retrograd as torch
    >>> torch.max_pool{dims}d(torch.ones(1, 5{", 4" * dims}), 2).shape
    torch.Size([1, 5{", 2" * dims}])
    """
    return values


public(_values_of(2, max_pool2d_with_indices), method=False)
public(_values_of(3, max_pool3d_with_indices), method=False)
public(max_pool1d_with_indices, method=False)


def avg_pool(dims, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor):
    given = plain((kernel_size, stride, padding, 1))
    if divisor == 0:
        window_arguments(dims, f"avg_pool{dims}d", *given)
        raise RuntimeError("divisor must be not zero")
    *arguments, _ = fitting("avg", dims, input._data.shape, ceil_mode, *given)
    input, had_batch = with_batch(input, dims)
    pool = T.avg_pool_2d if dims == 2 else T.avg_pool_3d
    return unbatched(pool(input, *arguments, ceil_mode, count_include_pad, divisor), had_batch)


@native
def avg_pool2d(input, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """The mean of each window of (N, C, H, W) or (C, H, W)."""
    return avg_pool(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
                    divisor_override)


@native
def avg_pool3d(input, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True,
               divisor_override=None):
    """The mean of each window of (N, C, D, H, W) or (C, D, H, W)."""
    return avg_pool(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad,
                    divisor_override)


@public(method=False)
def avg_pool1d(input, kernel_size, stride=(), padding=0, ceil_mode=False, count_include_pad=True):
    """The mean of each window of (N, C, L) or (C, L).

    Arguments and sizes are those of nn.functional.avg_pool2d.

    >>> import retrograd as torch
    >>> torch.avg_pool1d(torch.tensor([[1., 3., 5., 7.]]), 2)
    tensor([[2., 6.]])
    """
    stride = () if stride is None else stride
    kernel, stride, padding, _ = window_arguments(1, "avg_pool1d", kernel_size, stride, padding, 1)
    check_line("avg_pool1d", input)
    arguments = (1, *kernel), (1, *stride), (0, *padding)
    picture = _as_picture(input) if input._data.size else None
    if picture is not None:
        fitting("avg", 2, picture.shape, ceil_mode, *arguments, (1, 1))
        return _as_rows(K.avg_pool_2d(picture, *arguments, ceil_mode, count_include_pad, None),
                        input)
    flat = T.unsqueeze(input, input._data.ndim - 1)
    y = avg_pool(2, flat, *arguments, ceil_mode, count_include_pad, None)
    return T.squeeze_dim(y, y._data.ndim - 2)


def adaptive(dims, name, input, output_size, pool):
    """Check, add a batch dimension where there is none, and pool."""
    size = (output_size,) * dims if isinstance(output_size, int) else as_tuple(output_size)
    if len(size) != dims:
        raise RuntimeError(f"{name}(): internal error: output_size.size() must be {dims}"
                           if "max" in name else f"{name}: output_size must be {dims}")
    if input._data.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got"
                           f"{':' if 'max' in name else ''} {list(input._data.shape)}")
    if any(n < 0 for n in size):
        if "max" in name:
            raise negative_size([*input._data.shape[:-dims], *size])
        received = ", ".join(map(str, size[:2])) + "".join(f",{n}" for n in size[2:])
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 "
                           f"but received {{{received}}}")
    ndim = input._data.ndim
    for i in range(1 if "max" in name else ndim - dims, ndim):
        if input._data.shape[i] == 0:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch "
                               f"dimensions, but input has sizes {list(input._data.shape)} with "
                               f"dimension {i} being empty")
    had_batch = input._data.ndim == dims + 2
    x = input if had_batch else T.unsqueeze(input, 0)
    if math.prod((*x._data.shape[:2], *size)) >= 2**60:
        raise RuntimeError("Storage size calculation overflowed with sizes="
                           f"{[*x._data.shape[:2], *size]}")
    return unbatched(pool(x, size), had_batch)


def _one_dimensional(name, input, output_size, pool):
    check_line(name, input)
    size = as_tuple(output_size)
    if len(size) != 1:
        raise RuntimeError(f"{name}() argument 'output_size' should contain one int "
                           f"(got {len(size)})")
    shape = input._data.shape
    if "max" in name and 0 in shape[1:]:
        raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch "
                           f"dimensions, but input has sizes {list(shape)} with dimension "
                           f"{shape.index(0, 1)} being empty")
    flat = T.unsqueeze(input, input._data.ndim - 1)
    return pool(flat, (1, *size))


def _check_mean_over(dims, input):
    """Raise unless a mean over the last `dims` dimensions can be taken."""
    check_mean(input)
    ndim = max(input._data.ndim, 1)
    if ndim < dims:
        raise no_dim(-ndim - 1, ndim)


@native
def adaptive_avg_pool2d(input, output_size):
    """Means of parts that make the result (N, C, *output_size)."""
    size = (output_size,) * 2 if isinstance(output_size, int) else as_tuple(output_size)
    if size == (1, 1):
        _check_mean_over(2, input)
        y = T.mean_dim(input, (input._data.ndim - 2, input._data.ndim - 1), True)
        y._data = like(y._data, input._data)
        return y
    return adaptive(2, "adaptive_avg_pool2d", input, output_size, T.adaptive_avg_pool_2d)


@native
def adaptive_avg_pool3d(input, output_size):
    """Means of parts that make the result (N, C, *output_size)."""
    size = (output_size,) * 3 if isinstance(output_size, int) else as_tuple(output_size)
    if size == (1, 1, 1):
        _check_mean_over(3, input)
        return T.mean_dim(input, tuple(range(input._data.ndim - 3, input._data.ndim)), True)
    return adaptive(3, "adaptive_avg_pool3d", input, output_size, T.adaptive_avg_pool_3d)


@public(method=False)
def adaptive_avg_pool1d(input, output_size):
    """The means of output_size parts of each row: (N, C, L) -> (N, C, output_size).

    >>> import retrograd as torch
    >>> torch.adaptive_avg_pool1d(torch.tensor([[1., 3., 5., 7.]]), 2)
    tensor([[2., 6.]])
    """
    y = _one_dimensional("adaptive_avg_pool1d", input, output_size, adaptive_avg_pool2d)
    return T.squeeze_dim(y, y._data.ndim - 2)


@native
def adaptive_max_pool2d(input, output_size):
    """Maxima of parts that make the result (N, C, *output_size), and their indices."""
    return adaptive(2, "adaptive_max_pool2d", input, output_size, T.adaptive_max_pool_2d)


@native
def adaptive_max_pool3d(input, output_size):
    """Maxima of parts that make the result (N, C, *output_size), and their indices."""
    return adaptive(3, "adaptive_max_pool3d", input, output_size, T.adaptive_max_pool_3d)


@public(method=False)
def adaptive_max_pool1d(input, output_size):
    """Maxima of output_size parts of each row, with indices: (N, C, L) -> (N, C, output_size).

    >>> import retrograd as torch
    >>> torch.adaptive_max_pool1d(torch.tensor([[1., 3., 5., 7.]]), 2)
    (tensor([[3., 7.]]), tensor([[1, 3]]))
    """
    both = _one_dimensional("adaptive_max_pool1d", input, output_size, adaptive_max_pool2d)
    return tuple(T.squeeze_dim(r, r._data.ndim - 2) for r in both)


def counted(value, dims, name):
    """A size for each dimension, of fractional pooling."""
    values = (value,) * dims if isinstance(value, int) else tuple(value)
    if len(values) != dims:
        raise RuntimeError(f"fractional_max_pool{dims}d: {name} must either be a single Int or "
                           f"tuple of {'three ' if dims == 3 else ''}Ints")
    return values


def check_samples(x, samples, dims):
    if samples.ndim != 3:
        raise RuntimeError(f"Expect _random_samples to have 3 dimensions, got {samples.ndim}")
    if samples.shape[0] < x.shape[0]:
        raise RuntimeError("Expect _random_samples.size(0) no less then input batch size.")
    if samples.shape[1] != x.shape[1]:
        raise RuntimeError("Expect _random_samples.size(1) equals to input channel size.")
    if samples.shape[2] != dims:
        raise RuntimeError(f"Expect _random_samples.size(2) equals to {dims}; got "
                           f"{samples.shape[2]}.")


def _fractional(dims):
    def pool(input, kernel_size, output_size, random_samples):
        """Maxima of windows at pseudo-random starts, and their indices."""
        x, had_batch = batched(input, dims, f"fractional_max_pool{dims}d(): Expected a non-empty "
                                            f"{dims + 1}D or {dims + 2}D tensor")
        kernel = counted(kernel_size, dims, "kernel_size")
        out = counted(output_size, dims, "output_size")
        if random_samples._data.dtype is not x._data.dtype:
            raise RuntimeError("Expect _random_samples to have the same dtype as input")
        check_samples(x._data, random_samples._data, dims)
        for n, k, m, axis in zip(x._data.shape[2:], kernel, out, "THW"[-dims:], strict=True):
            if m + k - 1 > n - (dims == 3):  # PyTorch's limit is one less in three dimensions
                side = {"W": "width", "H": "height", "T": "time"}[axis]
                name = "fractional_max_pool2d()" if dims == 2 else "fractional_max_pool3d_out()"
                raise RuntimeError(f"{name}: pool {side} {k} too large relative to input {side} "
                                   f"{n}")
        no_gradient(f"fractional_max_pool{dims}d", random_samples=random_samples)
        op_ = T.fractional_max_pool_2d if dims == 2 else T.fractional_max_pool_3d
        return unbatched(op_(x, random_samples, kernel, out), had_batch)
    pool.__name__ = pool.__qualname__ = f"fractional_max_pool{dims}d"
    return native(pool)


fractional_max_pool2d, fractional_max_pool3d = (_fractional(d) for d in (2, 3))


def unpool(dims, input, indices, output_size):
    """max_unpool2d and 3d: PyTorch's checks, then the operator."""
    if indices._data.dtype.kind != "i" or indices._data.dtype.itemsize != 8:
        raise RuntimeError("elements in indices should be type int64 but got: "
                           f"{_dtype.of(indices._data).tensor_name}")
    if input._data.shape != indices._data.shape:
        raise RuntimeError("Expected shape of indices to be same as that of the input tensor "
                           f"({list(input._data.shape)}) but got indices tensor with shape: "
                           f"{list(indices._data.shape)}")
    size = tuple(output_size)
    if len(size) != dims:
        names = ("two elements (height, width)", "three elements (depth, height, width)")[dims - 2]
        raise RuntimeError(f"There should be exactly {names} in output_size, but got {len(size)} "
                           "elements.")
    limit = math.prod(size)
    if input._data.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"Input to max_unpooling{dims}d should be a {dims + 1}d or {dims + 2}d "
                           f"Tensor, but got a tensor with {input._data.ndim} dimensions.")
    places = physical(indices)._data
    if places.size and not 0 <= places.min() <= places.max() < limit:
        wrong = places[(places < 0) | (places >= limit)][-1]
        raise RuntimeError(f"Found an invalid max index: {wrong} (output volumes are of size "
                           + "x".join(map(str, size)) + ")")
    x, had_batch = batched(input, dims, f"Input to max_unpooling{dims}d should be a {dims + 1}d or "
                                        f"{dims + 2}d Tensor, but got a tensor with "
                                        f"{input._data.ndim} dimensions.")
    places = indices if had_batch else T.unsqueeze(indices, 0)
    pool = T.max_unpool_2d if dims == 2 else T.max_unpool_3d
    return unbatched(pool(x, places, size), had_batch)


@native
def max_unpool2d(input, indices, output_size):
    """Maxima put back at their indices in zeros of shape (N, C, *output_size)."""
    return unpool(2, input, indices, output_size)


@native
def max_unpool3d(input, indices, output_size, stride=None, padding=None):
    """Maxima put back at their indices in zeros of shape (N, C, *output_size)."""
    if stride is not None and min(stride) <= 0:
        raise RuntimeError("strides should be greater than zero, but got stride: "
                           f"{list(stride)}")
    return unpool(3, input, indices, output_size)
