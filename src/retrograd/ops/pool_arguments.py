"""Arguments of pooling: windows and images, with PyTorch's errors for those that do not fit."""

from __future__ import annotations

from functools import lru_cache

from ..kernels.checks import no_dim
from ..kernels.pool import pooled_shape, pooled_size
from .declare import F as T
from .dims import as_tuple

PLAIN = frozenset((int, tuple))


def each(value, dims, function, name, empty=None):
    """`value` for each of `dims` dimensions; an empty one is `empty`."""
    values = as_tuple(value)
    if not values and empty is not None:
        return empty
    if len(values) == 1:
        return values * dims
    if len(values) != dims:
        if dims == 1:
            raise RuntimeError(f"{function}() argument '{name}' should contain one int (got "
                               f"{len(values)})")
        count = ("two", "three")[dims - 2]
        words = "be omitted, a single int" if name == "stride" else "be a single int"
        if name == "dilation":
            words = "be either a single int"
        elif function != "avg_pool3d":
            words = f"either {words}"
        raise RuntimeError(f"{function}: {name} must {words}, or a tuple of {count} ints")
    return values


def has_space(shape, dims):
    """Whether the shape is (N, C, *space) or (C, *space), and only N may be 0."""
    return len(shape) in (dims + 1, dims + 2) and all(shape[len(shape) - dims - 1:])


def with_batch(input, dims):
    """The input with a batch dimension, and whether it had one."""
    return (input, True) if input._data.ndim == dims + 2 else (T.unsqueeze(input, 0), False)


def batched(input, dims, message):
    """with_batch, of an input that has_space; else RuntimeError."""
    if not has_space(input._data.shape, dims):
        raise RuntimeError(message)
    return with_batch(input, dims)


def unbatched(results, had_batch):
    """Results without the batch dimension that was added."""
    if had_batch:
        return results
    if isinstance(results, tuple):
        return tuple(T.squeeze_dim(r, 0) for r in results)
    return T.squeeze_dim(results, 0)


def window_arguments(dims, function, *given):
    """Kernel size, stride, padding and dilation as tuples, checked as PyTorch checks them."""
    return checked(dims, function, *plain(given))


def plain(given):
    """Sizes as numbers and tuples, which can be kept for the next call."""
    if PLAIN.issuperset(map(type, given)):
        return given
    return [v if v.__class__ is tuple or isinstance(v, int) else as_tuple(v) for v in given]


@lru_cache(maxsize=256, typed=True)
def checked(dims, function, kernel_size, stride, padding, dilation):
    """The settings of a pooling as tuples of `dims` numbers; RuntimeError for what cannot be."""
    kernel = each(kernel_size, dims, function, "kernel_size")
    stride = each(stride, dims, function, "stride", kernel)
    padding = each(padding, dims, function, "padding")
    dilation = each(dilation, dims, function, "dilation")
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    for what, values, prefix in (("kernel size", kernel, "k"), ("stride", stride, "d"),
                                 ("dilation", dilation, "dilation")):
        if min(values) <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got "
                               + described(values, prefix))
    if any(p < 0 for p in padding):
        raise RuntimeError(f"pad must be non-negative, but got pad: {min(padding)}")
    for k, p, d in zip(kernel, padding, dilation, strict=True):
        if p > ((k - 1) * d + 1) // 2:
            raise RuntimeError("pad should be at most half of effective kernel size, but got "
                               f"pad={p}, kernel_size={k} and dilation={d}")
    return kernel, stride, padding, dilation


def described(values, prefix):
    names = ("T", "H", "W")[-len(values):]
    return " ".join(f"{prefix}{n}: {v}" for n, v in zip(names, values, strict=True))


def check_space(name, shape, dims):
    """RuntimeError unless has_space; PyTorch's avg_pool2d looks for the channels first."""
    if name == "avg_pool2d" and len(shape) < 3:
        raise no_dim(-3, len(shape)) if shape else IndexError(
            "Dimension specified as -3 but tensor has no dimensions")
    if len(shape) not in (dims + 1, dims + 2) and name != "avg_pool2d":
        raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for "
                           "input")
    if len(shape) > dims + 2 or not has_space(shape, dims):
        shown = list(shape)
        raise RuntimeError(
            "Expected 3D or 4D (batch mode) tensor with optional 0 dim batch size for input, but "
            f"got:{shown}" if dims == 2 else
            f"{name}(): Expected input's non-batch dimensions to have positive length, but input "
            f"has a shape of {shown} and non-batch dimension 0 has length zero!")


def check_line(name, input):
    """Raise unless the input is (N, C, L) or (C, L)."""
    if input._data.ndim not in (2, 3):
        raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input._data.ndim}-dimensional "
                           f"tensor for argument #1 'self' (while checking arguments for {name})")


def check_output(shape, out):
    if min(out) < 1:
        c = shape[1]
        sizes = ["x".join(map(str, (c, *s))) for s in (shape[2:], out)]
        raise RuntimeError(f"Given input size: ({sizes[0]}). Calculated output size: ({sizes[1]}). "
                           "Output size is too small")


@lru_cache(maxsize=256, typed=True)
def fitting(kind, dims, shape, ceil_mode, *given):
    """checked() arguments of windows that fit into an input of this shape; RuntimeError if none
    do."""
    name = f"{kind}_pool{dims}d"
    arguments = checked(dims, name, *given)
    check_space("max_pool3d_with_indices_out_cpu_template" if kind == "max" else name, shape, dims)
    space = shape[-dims:]
    if kind == "avg" and dims == 3 and any(
            n < k for n, k in zip(space, arguments[0], strict=True)):
        raise RuntimeError(f"input image ({described(space, '')}) smaller than kernel size "
                           f"({described(arguments[0], 'k')})")
    check_output((1, *shape)[-dims - 2:], pooled_shape(space, *arguments, ceil_mode))
    return arguments


@lru_cache(maxsize=256, typed=True)
def check_max_pool1d(shape, ceil_mode, kernel_size, stride, padding, dilation):
    """max_pool1d without indices has words of its own for what does not fit."""
    if len(shape) not in (2, 3) or not all(shape[-2:]):
        raise RuntimeError("max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim "
                           f"batch size for input, but got:{list(shape)}")
    kernel = _alone("kernel_size", "an int, list of ints or tuple of ints", kernel_size)
    stride = _alone("stride", "None, an int, list of ints, or tuple of ints",
                    kernel if stride == () else stride)
    padding = _alone("padding", "an int, list of ints, or tuple of ints", padding)
    dilation = _alone("dilation", "an int, list of ints or tuple of ints", dilation)
    for name, value in (("kernel_size", kernel), ("stride", stride), ("dilation", dilation)):
        if value <= 0:
            raise RuntimeError(f"max_pool1d() {name} must be greater than zero, but got {value}")
    if padding < 0:
        raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding}")
    if padding > kernel // 2:
        raise RuntimeError("max_pool1d() padding should be at most half of kernel size, but got "
                           f"padding={padding} and kernel_size={kernel}")
    size = pooled_size(shape[-1], kernel, stride, padding, dilation, ceil_mode)
    if size < 1:
        raise RuntimeError(f"max_pool1d() Invalid computed output size: {size}")


def _alone(name, kinds, value):
    """An int, or that of a sequence of one."""
    values = (value,) if isinstance(value, int) else tuple(value)
    if len(values) != 1:
        raise RuntimeError(f"max_pool1d() {name} must be {kinds} of size 1 but got size "
                           f"{len(values)}")
    return values[0]
