"""Windows as columns (im2col) and columns added back to an image (col2im)."""

from __future__ import annotations

from ..kernels.pool import pooled_shape
from . import nn_samples as S
from .arguments import c_name
from .declare import F as T
from .declare import op
from .dims import wrap_dim
from .mistyped import is_int
from .pool_arguments import batched, unbatched
from .public import native

op("im2col_batched(self | kernel_size, dilation, padding, stride)", "Im2ColBackward0",
   public=False, jvp="linear",
   samples=lambda: [(S.normal(1, 2, 5, 4), (2, 3), (2, 1), (1, 0), (1, 2))],
   self = lambda F, g, self_shape, kernel_size, dilation, padding, stride:
              F.col2im_batched(g, self_shape[2:], kernel_size, dilation, padding, stride))

op("col2im_batched(self | output_size, kernel_size, dilation, padding, stride)",
   "Col2ImBackward0", public=False, jvp="linear",
   samples=lambda: [(S.normal(1, 12, 5), (5, 4), (2, 3), (2, 1), (1, 0), (1, 2))],
   self = lambda F, g, kernel_size, dilation, padding, stride:
              F.im2col_batched(g, kernel_size, dilation, padding, stride))


def _check(function, **sizes):
    """Raise unless each is a pair of ints, padding not negative and the others positive."""
    for position, (name, size) in enumerate(sizes.items(), 2):
        for place, length in enumerate(size):
            if not is_int(length):
                raise TypeError(f"{function}(): argument '{name}' (position {position}) must be "
                                f"tuple of ints, but found element of type {c_name(length)} at "
                                f"pos {place}")
        if len(size) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(size)}")
    for name, words, least, rule in (
            ("kernel_size", "kernel size {} kernel", 1, "be greater than zero"),
            ("dilation", "dilation {} dilation", 1, "be greater than zero"),
            ("padding", "padding {} pad", 0, "be non-negative"),
            ("stride", "stride {} stride", 1, "be greater than zero")):
        height, width = sizes[name]
        if min(height, width) < least:
            what = words.format(f"should {rule}, but got")
            raise RuntimeError(f"{what}_height: {height} {what.rpartition(' ')[2]}_width: {width}")


@native
def im2col(input, kernel_size, dilation, padding, stride):
    """Windows as columns: (N, C, H, W) -> (N, C * kh * kw, windows)."""
    _check("im2col", kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    message = ("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other "
               f"non-zero dimensions for input, but got: {list(input._data.shape)}")
    ndim = input._data.ndim
    if ndim < 3:                                  # PyTorch looks at the channels first
        if not ndim:
            raise IndexError("Dimension specified as 1 but tensor has no dimensions")
        wrap_dim(ndim, ndim)
    x, had_batch = batched(input, 2, message)
    kernel_size, dilation, padding, stride = map(tuple, (kernel_size, dilation, padding, stride))
    out = pooled_shape(x._data.shape[2:], kernel_size, stride, padding, dilation, False)
    if any(n < 1 for n in out):
        raise RuntimeError(
            f"Given input with spatial size {shown(x._data.shape[2:])}, "
            f"kernel_size={shown(kernel_size)}, dilation={shown(dilation)}, "
            f"padding={shown(padding)}, calculated shape of the array of "
            f"sliding blocks as {shown(out)}, but its components must be at least one.")
    return unbatched(T.im2col_batched(x, kernel_size, dilation, padding, stride), had_batch)


def shown(values):
    return f"({', '.join(map(str, values))})"


@native
def col2im(input, output_size, kernel_size, dilation, padding, stride):
    """Columns added back to where im2col took them from: -> (N, C, *output_size)."""
    _check("col2im", output_size=output_size, kernel_size=kernel_size, dilation=dilation,
           padding=padding, stride=stride)
    ndim, shape = input._data.ndim, input._data.shape
    if ndim not in (2, 3) or not all(shape[-2:]):
        raise RuntimeError("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch "
                           "size and non-zero dimensions for input, but got: "
                           f"{list(shape)}")
    area = kernel_size[0] * kernel_size[1]
    if shape[-2] % area:
        raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of "
                           f"kernel_size, but got input.size(1)={shape[-2]} and kernel_size="
                           f"{shown(kernel_size)}.")
    arguments = output_size, kernel_size, dilation, padding, stride = tuple(
        map(tuple, (output_size, kernel_size, dilation, padding, stride)))
    out = pooled_shape(output_size, kernel_size, stride, padding, dilation, False)
    given = (f"Given output_size={shown(output_size)}, kernel_size={shown(kernel_size)}, "
             f"dilation={shown(dilation)}, padding={shown(padding)}, stride={shown(stride)}, ")
    if shape[-1] != out[0] * out[1]:
        raise RuntimeError(
            f"{given}expected size of input's dimension 2 to match the calculated number of "
            f"sliding blocks {out[0]} * {out[1]} = {out[0] * out[1]}, but got "
            f"input.size(2)={shape[-1]}.")
    if min(out) < 1:
        raise RuntimeError(f"{given}calculated shape of the array of sliding blocks as "
                           f"{shown(out)}, which is too small (non-positive)")
    x = input if ndim == 3 else T.unsqueeze(input, 0)
    return unbatched(T.col2im_batched(x, *arguments), ndim == 3)
