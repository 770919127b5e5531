"""Padding layers: constant, zero, reflect, replicate, circular, in 1 to 3 dimensions."""
from __future__ import annotations

from retrograd.nn import functional as F
from retrograd.nn._borrowed import borrows
from retrograd.nn._tuples import _ntuple, _pair, _quadruple
from retrograd.nn.modules.module import Module

__all__ = [
    "CircularPad1d", "CircularPad2d", "CircularPad3d", "ConstantPad1d", "ConstantPad2d",
    "ConstantPad3d", "ReflectionPad1d", "ReflectionPad2d", "ReflectionPad3d", "ReplicationPad1d",
    "ReplicationPad2d", "ReplicationPad3d", "ZeroPad1d", "ZeroPad2d", "ZeroPad3d",
]

__getattr__ = borrows(__name__)

_sextuple = _ntuple(6)


class _Pad(Module):
    """Pads by `padding` = (left, right, top, bottom, front, back), one number meaning all."""

    __constants__ = ["padding"]
    _mode = None
    _repeat = None

    def __init__(self, padding):
        super().__init__()
        self.padding = type(self)._repeat(padding)

    def forward(self, input):
        return F.pad(input, self.padding, self._mode)

    def extra_repr(self):
        return f"{self.padding}"


class _CircularPadNd(_Pad):
    _mode = "circular"

    def _check_input_dim(self, input):
        spatial = len(self.padding) // 2
        if input.dim() not in (spatial + 1, spatial + 2):
            raise ValueError(f"expected {spatial + 1}D or {spatial + 2}D input (got "
                             f"{input.dim()}D input)")

    def forward(self, input):
        self._check_input_dim(input)
        return F.pad(input, self.padding, "circular")


class CircularPad1d(_CircularPadNd):
    """Continue (N, C, L) periodically: at its left end stand the last elements, and vice versa.

    (N, C, L) -> (N, C, L + left + right), also without N. `padding` is a number for both ends or
    (left, right). Raises RuntimeError where it is larger than L, ValueError for other dimensions.

    >>> import retrograd as torch
    >>> torch.nn.CircularPad1d(1)(torch.tensor([[1., 2., 3.]]))
    tensor([[3., 1., 2., 3., 1.]])
    """

    _repeat = staticmethod(_pair)


class CircularPad2d(_CircularPadNd):
    """Continue (N, C, H, W) periodically, as CircularPad1d does, in 2 dimensions.

    (N, C, H, W) -> (N, C, H + top + bottom, W + left + right), also without N. `padding` is a
    number for all sides or (left, right, top, bottom). Raises RuntimeError where it is larger than
    the size, ValueError for other dimensions.

    >>> import retrograd as torch
    >>> torch.nn.CircularPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    _repeat = staticmethod(_quadruple)


class CircularPad3d(_CircularPadNd):
    """Continue (N, C, D, H, W) periodically, as CircularPad1d does, in 3 dimensions.

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), also without N. `padding` is a number for all
    sides or (left, right, top, bottom, front, back). Raises RuntimeError where it is larger than
    the size, ValueError for other dimensions.

    >>> import retrograd as torch
    >>> torch.nn.CircularPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _repeat = staticmethod(_sextuple)


class _ConstantPadNd(_Pad):
    __constants__ = ["padding", "value"]

    def __init__(self, padding, value):
        super().__init__(padding)
        self.value = value

    def forward(self, input):
        return F.pad(input, self.padding, "constant", self.value)

    def extra_repr(self):
        return f"padding={self.padding}, value={self.value}"


class ConstantPad1d(_ConstantPadNd):
    """Put `value` around (N, C, L).

    (N, C, L) -> (N, C, L + left + right), also without N. `padding` is a number for both ends or
    (left, right); negative numbers cut off. Raises RuntimeError where they cut off more than there
    is.

    >>> import retrograd as torch
    >>> torch.nn.ConstantPad1d(1, 7.0)(torch.ones(1, 2))
    tensor([[7., 1., 1., 7.]])
    """

    _repeat = staticmethod(_pair)


class ConstantPad2d(_ConstantPadNd):
    """Put `value` around (N, C, H, W).

    (N, C, H, W) -> (N, C, H + top + bottom, W + left + right), also without N. `padding` is a
    number for all sides or (left, right, top, bottom); negative numbers cut off. Raises
    RuntimeError where they cut off more than there is.

    >>> import retrograd as torch
    >>> torch.nn.ConstantPad2d(1, 7.0)(torch.ones(1, 1, 1))
    tensor([[[7., 7., 7.],
             [7., 1., 7.],
             [7., 7., 7.]]])
    """

    _repeat = staticmethod(_quadruple)


class ConstantPad3d(_ConstantPadNd):
    """Put `value` around (N, C, D, H, W).

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), also without N. `padding` is a number for all
    sides or (left, right, top, bottom, front, back); negative numbers cut off. Raises RuntimeError
    where they cut off more than there is.

    >>> import retrograd as torch
    >>> torch.nn.ConstantPad3d(1, 7.0)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _repeat = staticmethod(_sextuple)


class ZeroPad1d(ConstantPad1d):
    """Put zeros around (N, C, L).

    (N, C, L) -> (N, C, L + left + right), also without N. `padding` is a number for both ends or
    (left, right); negative numbers cut off. Raises RuntimeError where they cut off more than there
    is.

    >>> import retrograd as torch
    >>> torch.nn.ZeroPad1d(1)(torch.ones(1, 2))
    tensor([[0., 1., 1., 0.]])
    """

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad2d(ConstantPad2d):
    """Put zeros around (N, C, H, W).

    (N, C, H, W) -> (N, C, H + top + bottom, W + left + right), also without N. `padding` is a
    number for all sides or (left, right, top, bottom); negative numbers cut off. Raises
    RuntimeError where they cut off more than there is.

    >>> import retrograd as torch
    >>> torch.nn.ZeroPad2d(1)(torch.ones(1, 1, 1))
    tensor([[[0., 0., 0.],
             [0., 1., 0.],
             [0., 0., 0.]]])
    """

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class ZeroPad3d(ConstantPad3d):
    """Put zeros around (N, C, D, H, W).

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), also without N. `padding` is a number for all
    sides or (left, right, top, bottom, front, back); negative numbers cut off. Raises RuntimeError
    where they cut off more than there is.

    >>> import retrograd as torch
    >>> torch.nn.ZeroPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    def __init__(self, padding):
        super().__init__(padding, 0.0)

    def extra_repr(self):
        return f"{self.padding}"


class _ReflectionPadNd(_Pad):
    _mode = "reflect"


class ReflectionPad1d(_ReflectionPadNd):
    """Mirror (N, C, L) at its ends, without repeating these: x[-i] = x[i].

    (N, C, L) -> (N, C, L + left + right), also without N. `padding` is a number for both ends or
    (left, right). Raises RuntimeError unless it is less than L.

    >>> import retrograd as torch
    >>> torch.nn.ReflectionPad1d(1)(torch.tensor([[1., 2., 3.]]))
    tensor([[2., 1., 2., 3., 2.]])
    """

    _repeat = staticmethod(_pair)


class ReflectionPad2d(_ReflectionPadNd):
    """Mirror (N, C, H, W) at its borders, without repeating these: x[-i] = x[i].

    (N, C, H, W) -> (N, C, H + top + bottom, W + left + right), also without N. `padding` is a
    number for all sides or (left, right, top, bottom). Raises RuntimeError unless each is less than
    the size there.

    >>> import retrograd as torch
    >>> torch.nn.ReflectionPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    _repeat = staticmethod(_quadruple)


class ReflectionPad3d(_ReflectionPadNd):
    """Mirror (N, C, D, H, W) at its borders, without repeating these: x[-i] = x[i].

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), also without N. `padding` is a number for all
    sides or (left, right, top, bottom, front, back). Raises RuntimeError unless each is less than
    the size there.

    >>> import retrograd as torch
    >>> torch.nn.ReflectionPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _repeat = staticmethod(_sextuple)


class _ReplicationPadNd(_Pad):
    _mode = "replicate"


class ReplicationPad1d(_ReplicationPadNd):
    """Repeat the first and the last element of (N, C, L): x[-i] = x[0].

    (N, C, L) -> (N, C, L + left + right), also without N. `padding` is a number for both ends or
    (left, right); negative numbers cut off.

    >>> import retrograd as torch
    >>> torch.nn.ReplicationPad1d(1)(torch.tensor([[1., 2., 3.]]))
    tensor([[1., 1., 2., 3., 3.]])
    """

    _repeat = staticmethod(_pair)


class ReplicationPad2d(_ReplicationPadNd):
    """Repeat the borders of (N, C, H, W): x[-i] = x[0] in each dimension.

    (N, C, H, W) -> (N, C, H + top + bottom, W + left + right), also without N. `padding` is a
    number for all sides or (left, right, top, bottom); negative numbers cut off.

    >>> import retrograd as torch
    >>> torch.nn.ReplicationPad2d(1)(torch.ones(1, 3, 3)).shape
    torch.Size([1, 5, 5])
    """

    _repeat = staticmethod(_quadruple)


class ReplicationPad3d(_ReplicationPadNd):
    """Repeat the borders of (N, C, D, H, W): x[-i] = x[0] in each dimension.

    (N, C, D, H, W) -> (N, C, D_out, H_out, W_out), also without N. `padding` is a number for all
    sides or (left, right, top, bottom, front, back); negative numbers cut off.

    >>> import retrograd as torch
    >>> torch.nn.ReplicationPad3d(1)(torch.ones(1, 2, 2, 2)).shape
    torch.Size([1, 4, 4, 4])
    """

    _repeat = staticmethod(_sextuple)
