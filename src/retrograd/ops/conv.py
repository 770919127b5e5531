"""Convolutions: one operator for every number of dimensions, transposed or not.

    y[n, k, i] = bias[k] + sum of weight[k, c, j] * x[n, c, i * stride + j * dilation - padding]
                           over c and j

Three maps do all of it, each linear in both of its arguments: `correlate` makes y of x and weight;
`spread` makes an x of y and weight, by adding weight[k, c, j] * y to the places that y was read
from (so it is also the transposed convolution); `correlate_weight` makes a weight of x and y. The
derivatives of each are the other two, and so it goes on for every order.
"""

from __future__ import annotations

import math
from functools import lru_cache

from .. import _dtype
from .._warnings import warn_once
from ..kernels.conv import transposed_shape
from . import nn_samples as S
from .declare import F as T
from .declare import composite, op
from .dims import INTS, as_tuple
from .formulas import both
from .nn_checks import backend_name, cpp_name
from .public import public
from .shape import shape_misfit
from .support import need_tensors


def convolution_gradients(
    F, g, need, input, weight, stride, padding, dilation, transposed, groups
):
    """Gradients of input, weight and bias: g convolved the other way, g correlated with the input,
    and the sums of g over all but the channels."""
    where = (stride, padding, dilation, groups)
    x_shape, w_shape = tuple(input.shape), tuple(weight.shape)
    gx = gw = None
    if need[0]:
        back = F.correlate if transposed else F.spread
        gx = back(g, F.conj(weight), x_shape, *where)
    if need[1]:
        x = F.conj(input)
        a, b = (x, g) if transposed else (g, x)
        gw = F.correlate_weight(a, b, w_shape, *where)
    return gx, gw, F.bias_gradient(g) if need[2] else None


def convolution_tangent(
    F, input, weight, bias, input_t, weight_t, bias_t, stride, padding, dilation, transposed,
    output_padding, groups,
):
    """Linear in input, weight and bias: a convolution with each one's tangent."""
    where = (stride, padding, dilation, transposed, output_padding, groups)
    tangent = None
    if input_t is not None:
        tangent = F.convolution(input_t, weight, None, *where)
    if weight_t is not None:
        tangent = both(tangent, F.convolution(input, weight_t, None, *where))
    if bias_t is not None:
        shape = tuple(F.convolution(input, weight, None, *where).shape)
        spread = F.expand(F.view(bias_t, (-1, *(1,) * (len(shape) - 2))), shape)
        tangent = both(tangent, spread)
    return tangent


op("convolution(input, weight, bias? | stride, padding, dilation, transposed, output_padding, "
   "groups)", "ConvolutionBackward0", public=False, samples=S.convolutions,
   joint=convolution_gradients, jvp=convolution_tangent)

# Each of these three is linear in both of its arguments, and its derivatives are the other two.

op("correlate(input, weight | y_shape, stride, padding, dilation, groups)",
   "ConvolutionBackwardBackward0", public=False,
   samples=lambda: [(S.normal(1, 2, 5), S.normal(3, 2, 2), (1, 3, 3), (2,), (1,), (1,), 1)],
   input  = lambda F, g, weight, input_shape, stride, padding, dilation, groups:
                F.spread(g, F.conj(weight), input_shape, stride, padding, dilation, groups),
   weight = lambda F, g, input, weight_shape, stride, padding, dilation, groups:
                F.correlate_weight(g, F.conj(input), weight_shape, stride, padding, dilation,
                                   groups),
   jvp    = lambda F, input, weight, input_t, weight_t, y_shape, *where:
                both(None if input_t is None else F.correlate(input_t, weight, y_shape, *where),
                     None if weight_t is None else F.correlate(input, weight_t, y_shape, *where)))

op("spread(grad, weight | x_shape, stride, padding, dilation, groups)",
   "ConvolutionBackwardBackward0", public=False,
   samples=lambda: [(S.normal(1, 3, 3), S.normal(3, 2, 2), (1, 2, 5), (2,), (1,), (1,), 1)],
   grad   = lambda F, g, weight, grad_shape, stride, padding, dilation, groups:
                F.correlate(g, F.conj(weight), grad_shape, stride, padding, dilation, groups),
   weight = lambda F, g, grad, weight_shape, stride, padding, dilation, groups:
                F.correlate_weight(F.conj(grad), g, weight_shape, stride, padding, dilation,
                                   groups),
   jvp    = lambda F, grad, weight, grad_t, weight_t, x_shape, *where:
                both(None if grad_t is None else F.spread(grad_t, weight, x_shape, *where),
                     None if weight_t is None else F.spread(grad, weight_t, x_shape, *where)))

op("correlate_weight(grad, input | w_shape, stride, padding, dilation, groups)",
   "ConvolutionBackwardBackward0", public=False,
   samples=lambda: [(S.normal(1, 3, 3), S.normal(1, 2, 5), (3, 2, 2), (2,), (1,), (1,), 1)],
   grad  = lambda F, g, input, grad_shape, stride, padding, dilation, groups:
               F.correlate(F.conj(input), g, grad_shape, stride, padding, dilation, groups),
   input = lambda F, g, grad, input_shape, stride, padding, dilation, groups:
               F.spread(F.conj(grad), g, input_shape, stride, padding, dilation, groups),
   jvp   = lambda F, grad, input, grad_t, input_t, w_shape, *where:
               both(None if grad_t is None else
                        F.correlate_weight(grad_t, input, w_shape, *where),
                    None if input_t is None else
                        F.correlate_weight(grad, input_t, w_shape, *where)))


@composite
def bias_gradient(g):
    """The sum of a Tensor over all but its channels."""
    return T.sum_dim(g, (0, *range(2, g._data.ndim)), False)


# --------------------------------------------------------------------------- arguments

def spatial(value, dims, name):
    """`value` for each of `dims` spatial dimensions; RuntimeError if there are not as many."""
    if value.__class__ is int:
        return (value,) * dims
    if value.__class__ is tuple and len(value) == dims and INTS.issuperset(map(type, value)):
        return value
    values = as_tuple(value)
    if len(values) == 1:
        return values * dims
    if len(values) != dims:
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {dims} "
                           f"values to match the convolution dimensions, but got {name}="
                           f"{list(values)}")
    return values


def with_batch(input, dims, name):
    """The input with a batch dimension, and whether it had one; RuntimeError for other shapes."""
    ndim = input._data.ndim
    if ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to "
                           f"{name}, but got input of size: {list(input._data.shape)}")
    return (input, True) if ndim == dims + 2 else (T.unsqueeze(input, 0), False)


@lru_cache(maxsize=256)
def check_convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups):
    """Raise what PyTorch raises for shapes and numbers that do not fit together."""
    check_numbers(stride, padding, dilation, output_padding, groups)
    size = list(w)
    check_dims(x, w, len(x))
    check_dilation(dilation, transposed)
    if 0 in w[2:]:
        names = ("kernel_depth", "kernel_height", "kernel_width")[-max(len(w) - 2, 2):]
        kernel = " ".join(f"{name}: {n}" for name, n in zip(
            names, (1,) * (4 - len(w)) + w[2:], strict=True))
        raise RuntimeError(f"kernel size should be greater than zero, but got {kernel}")
    if w[0] < groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be at least {groups} at "
                           f"dimension 0, but got weight of size {size} instead")
    if w[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at "
                           f"dimension 0, but got weight of size [{size}] instead")
    channels, outputs = w[1] * groups, w[0]
    given = ["groups={groups}, ", ""]
    if transposed:
        channels, outputs = outputs, channels
        given = ["transposed=1, "] * 2
    if x[1] != channels:
        raise RuntimeError(f"Given {given[0].format(groups=groups)}weight of size {size}, expected "
                           f"input{list(x)} to have {channels} channels, but got {x[1]} channels "
                           "instead")
    if b is not None and b != (outputs,):
        raise RuntimeError(f"Given {given[1]}weight of size {size}, expected bias to be "
                           f"1-dimensional with {outputs} elements, but got bias of size "
                           f"{list(b)} instead")
    if transposed:
        check_output_padding(output_padding, stride, dilation)
        check_space(x)
        check_output(x, transposed_shape(x, w, stride, padding, dilation, output_padding, groups))
    else:
        check_reach(x, w, padding, dilation)
        check_space(x)


def check_space(x):
    """RuntimeError for images without pixels, except where there are no images or channels."""
    if 0 in x[2:] and 0 not in x[:2]:
        shape = [*x[:2], *(1,) * (len(x) == 3), *x[2:]]
        raise RuntimeError("Only zero batch or zero channel inputs are supported, but got input "
                           f"shape: {shape}")


def check_dims(x, w, ndim, space=" "):
    """RuntimeError unless a weight of shape w has as many dimensions as an input should have."""
    if len(w) < 3:
        raise RuntimeError("weight should have at least three dimensions")
    if len(w) != ndim:
        raise RuntimeError(f"Expected {len(w)}-dimensional input for {len(w)}-dimensional weight"
                           f"{space}{list(w)}, but got {len(x)}-dimensional input of size "
                           f"{list(x)} instead")


def check_numbers(stride, padding, dilation, output_padding, groups):
    if any(p < 0 for p in padding):
        raise RuntimeError("negative padding is not supported")
    if any(p < 0 for p in output_padding):
        raise RuntimeError("negative output_padding is not supported")
    if any(s <= 0 for s in stride):
        raise RuntimeError("non-positive stride is not supported")
    if any(d < 0 for d in dilation):
        raise RuntimeError("dilation should be greater than zero")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")


def check_dilation(dilation, transposed):
    """RuntimeError for a dilation of 0; PyTorch reports a single dimension as the second of two."""
    if 0 not in dilation:
        return
    numbers = (1,) * (2 - len(dilation)) + dilation
    names = ("depth", "height", "width")[-len(numbers):]
    shown = ", ".join(f"dilation_{name}: {n}" for name, n in zip(names, numbers, strict=True)) if (
        transposed) else list(numbers)
    raise RuntimeError(f"dilation should be greater than zero, but got {shown}")


def check_reach(x, w, padding, dilation):
    reach = [d * (k - 1) + 1 for d, k in zip(dilation, w[2:], strict=True)]
    padded = [n + 2 * p for n, p in zip(x[2:], padding, strict=True)]
    if any(n < r for n, r in zip(padded, reach, strict=True)):
        sizes = [" x ".join(map(str, values)) for values in (padded, reach)]
        raise RuntimeError(f"Calculated padded input size per channel: ({sizes[0]}). Kernel size: "
                           f"({sizes[1]}). Kernel size can't be greater than actual input size")


def check_output(x, y):
    if min(y[2:]) < 0 and min(x) == 0:            # PyTorch then views nothing in this shape
        raise shape_misfit((*y[:2], *(1,) * (len(y) == 3), *y[2:]), 0)
    if min(y[2:]) < 1 and min(x) > 0:
        lead = (1,) * (len(x) == 3)
        sizes = [" x ".join(map(str, (*lead, *values))) for values in (x[2:], y[2:])]
        raise RuntimeError(f"Given input size per channel: ({sizes[0]}). Calculated output size "
                           f"per channel: ({sizes[1]}). Output size is too small")


def check_output_padding(output_padding, stride, dilation):
    """Raise unless each output padding is smaller than its stride or its dilation."""
    each = zip(output_padding, stride, dilation, strict=True)
    if all(o < s or o < d for o, s, d in each):
        return
    if len(stride) == 1:                       # PyTorch's kernel has another dimension
        output_padding, stride, dilation = (0, *output_padding), (1, *stride), (1, *dilation)
    names = ("depth", "height", "width")[-len(stride):]
    shown = " ".join(
        f"{kind}_{name}: {v}"
        for kind, values in (("output_padding", output_padding), ("stride", stride),
                             ("dilation", dilation))
        for name, v in zip(names, values, strict=True))
    raise RuntimeError("output padding must be smaller than either stride or dilation, but got "
                       + shown)


def check_weight(w, stride):
    """Raise for a weight of no convolution, or of a convolution in other dimensions."""
    if w.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    spatial(stride, w.ndim - 2, "stride")


def check_types(input, weight, bias, weight_first, groups):
    """Raise unless input, weight and bias have one dtype, with the error of PyTorch's backend.

    That looks at the bias first, or at the weight.
    """
    x, w = input._data.dtype, weight._data.dtype
    if x is w and (bias is None or bias._data.dtype is x):
        return
    x, w = _dtype.of(input._data), _dtype.of(weight._data)
    if x is not w and (weight_first or bias is None or _dtype.of(bias._data) is x):
        if x.is_complex:
            raise RuntimeError(f"Input type ({backend_name(x)}) and weight type ({backend_name(w)})"
                               " should be the same")
        if by_onednn(x, input._data.shape, weight._data.shape, groups):
            raise RuntimeError(f"Input type ({backend_name(x)}) and weight type ({backend_name(w)})"
                               " should be the same or input should be a MKLDNN tensor and weight "
                               "is a dense tensor")
        raise RuntimeError(f"expected scalar type {x.tensor_name} but found {w.tensor_name}")
    if bias is not None and _dtype.of(bias._data) is not x:
        raise RuntimeError(f"Input type ({cpp_name(input)}) and bias type ({cpp_name(bias)}) "
                           "should be the same")


def by_onednn(dtype, shape, weight_shape, groups):
    """Whether PyTorch, on several threads, leaves this convolution to oneDNN."""
    if dtype is not _dtype.float32:
        return dtype is _dtype.float16 or dtype is _dtype.bfloat16
    wide = len(shape) > 3 and min(weight_shape[-2:]) > 3
    return groups > 1 or wide or shape[0] > 1 or math.prod(shape[:4]) > 20480


def convolve(dims, name, input, weight, bias, stride, padding, dilation, transposed,
             output_padding, groups):
    """Check, add a batch dimension where there is none, and convolve."""
    need_tensors(name, input, weight=weight)
    if weight._data.ndim != dims + 2:
        with_batch(input, dims, name)                    # raises what is wrong with the input first
        check_weight(weight._data, [stride] * dims if isinstance(stride, int) else stride)
    stride = spatial(stride, dims, "stride")
    dilation = spatial(dilation, dims, "dilation")
    padding = spatial(padding, dims, "padding")
    output_padding = spatial(output_padding, dims, "output_padding")
    input, batched = with_batch(input, dims, name)
    check_types(input, weight, bias, transposed, groups)
    check_convolution(input._data.shape, weight._data.shape,
                      None if bias is None else bias._data.shape, stride, padding, dilation,
                      transposed, output_padding, groups)
    y = T.convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                      groups)
    return y if batched else T.squeeze_dim(y, 0)


def same_padding(input, weight, dims, stride, dilation):
    """(padding, input) that keep the size; where one side needs one more, the input gets it."""
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    check_dims(input._data.shape, weight._data.shape, dims + 2, space="")
    totals = [d * (k - 1) for d, k in zip(dilation, weight._data.shape[2:], strict=True)]
    if any(t % 2 for t in totals):
        if input._data.ndim not in (dims + 1, dims + 2):
            with_batch(input, dims, f"conv{dims}d")            # raises
        warn_once("Using padding='same' with even kernel lengths and odd dilation may require a "
                  "zero-padded copy of the input be created")
        extra = [v for t in reversed(totals) for v in (0, t % 2)]
        input = T.pad_constant(input, tuple(extra), 0.0)
    return tuple(t // 2 for t in totals), input


def _example(name, dims, image, kernel, result):
    """The end of a docstring: one channel, and the size in each dimension."""
    image, kernel, result = (", ".join(size * dims) for size in (image, kernel, result))
    return f"""
    >>> import retrograd as torch
    >>> torch.{name}(torch.ones(1, 1, {image}), torch.ones(1, 1, {kernel})).shape
    torch.Size([1, 1, {result}])
    """


def _convolution(dims):
    def conv(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1):
        if isinstance(padding, str):
            stride = spatial(stride, dims, "stride")
            dilation = spatial(dilation, dims, "dilation")
            if padding not in ("same", "valid"):
                raise RuntimeError(f"Invalid padding string: '{padding}'")
            if padding == "valid":
                padding = 0
            else:
                check_types(input, weight, bias, True, groups)
                padding, input = same_padding(input, weight, dims, stride, dilation)
        return convolve(dims, f"conv{dims}d", input, weight, bias, stride, padding, dilation,
                        False, 0, groups)
    conv.__name__ = conv.__qualname__ = f"conv{dims}d"
    space = ("L", "H, W", "D, H, W")[dims - 1]
    conv.__doc__ = f"""Cross-correlation of (N, C, {space}) with weight (O, C / groups, *kernel).

    y[n, o, i] = bias[o] + sum over c, k of weight[o, c, k] x[n, c, stride i + dilation k]

    for places i of the result and k of the kernel, with x padded by zeros. Each size of the result
    is floor((size + 2 padding - dilation (kernel - 1) - 1) / stride) + 1. The batch is optional.

    stride, padding and dilation are numbers, or have one for each dimension; padding is also
    'valid' (0) or 'same' (the size is kept). Raises RuntimeError for shapes that do not fit.
{_example(conv.__name__, dims, '3', '2', '2')}"""
    return public(conv, method=False)


def _transposed(dims):
    def conv(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
             dilation=1):
        return convolve(dims, f"conv_transpose{dims}d", input, weight, bias, stride, padding,
                        dilation, True, output_padding, groups)
    conv.__name__ = conv.__qualname__ = f"conv_transpose{dims}d"
    space = ("L", "H, W", "D, H, W")[dims - 1]
    conv.__doc__ = f"""conv{dims}d transposed: (N, C, {space}) with weight (C, O / groups, *kernel).

    It maps the gradient of a conv{dims}d's result to that of its input. Each size of the result is
    (size - 1) stride - 2 padding + dilation (kernel - 1) + output_padding + 1. The batch is
    optional. Raises RuntimeError for shapes that do not fit.
{_example(conv.__name__, dims, '2', '2', '3')}"""
    return public(conv, method=False)


conv1d, conv2d, conv3d = (_convolution(d) for d in (1, 2, 3))
conv_transpose1d, conv_transpose2d, conv_transpose3d = (_transposed(d) for d in (1, 2, 3))


@public(method=False)
def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
                groups):
    """The operator behind conv1d to conv_transpose3d, which have defaults and take fewer arguments.

    input (N, C, *), weight (K, C / groups, *), or (C, K / groups, *) if `transposed`; bias (K,) or
    None; stride, padding, dilation and output_padding with a number for each dimension of space.
    Raises RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> x, w = torch.ones(1, 1, 3), torch.tensor([[[1., 2.]]])
    >>> torch.convolution(x, w, None, [1], [0], [1], False, [0], 1)
    tensor([[[3., 3.]]])
    """
    return convolve(input._data.ndim - 2, "convolution", input, weight, bias, stride, padding,
                    dilation, transposed, output_padding, groups)
