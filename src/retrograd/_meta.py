"""Arrays that are not to be read: a shape, a dtype and strides.

`Meta` is what a tensor on the device "meta" has for an array, see NOTE [meta tensors] in
ops/meta.py.
"""

from __future__ import annotations

import mmap

import numpy as np

NO_DATA = "Cannot copy out of meta tensor; no data!"
SMALL = 1 << 16               # bytes; below, a mapping would cost more than zeros


class Unread(np.ndarray):
    """An array that refuses to be read, by `_error()`."""

    def _error(self) -> Exception:
        raise NotImplementedError

    def _refuse(self, *args, **kwargs):
        raise self._error()


for _name in ("__array_ufunc__", "__array_function__", "__getitem__", "__setitem__", "__iter__",
              "__int__", "__float__", "__bool__", "__complex__", "__index__", "__contains__",
              "item", "tolist", "astype", "copy", "reshape", "ravel", "transpose", "dot", "tobytes",
              "sum", "mean", "max", "min", "any", "all", "view", "swapaxes", "nonzero", "fill"):
    setattr(Unread, _name, Unread._refuse)


class Meta(Unread):
    """The array of a tensor on the device "meta"."""

    def _error(self) -> Exception:
        return NotImplementedError(NO_DATA)


def blank(shape, kind: np.dtype, strides=None) -> np.ndarray:
    """Zeros of this shape and memory order that nobody may write and that take no memory.

    `strides` are in bytes, and not negative.
    """
    if strides is None:
        strides = _dense(shape, kind.itemsize)
    steps = 0 if 0 in shape else kind.itemsize + sum(
        (n - 1) * s for n, s in zip(shape, strides, strict=True))
    memory = np.ndarray((steps // kind.itemsize,), kind, _zeros(steps))
    return np.ndarray(shape, kind, memory, 0, strides)


def _dense(shape, itemsize):
    strides, step = [], itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(strides[::-1])


def _zeros(size):
    """`size` bytes of zeros: pages that are only read take no memory."""
    if size <= SMALL:
        return bytes(size)
    unix = hasattr(mmap, "PROT_READ")
    options = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, "prot": mmap.PROT_READ} if unix \
        else {"access": mmap.ACCESS_READ}
    try:
        return mmap.mmap(-1, size, **options)
    except (OSError, OverflowError) as error:
        raise MemoryError(f"{size} bytes are more than there are addresses for") from error


def blank_like(array: np.ndarray) -> np.ndarray:
    """Such zeros in the shape and memory order of `array`."""
    strides = array.strides if array.size and min(array.strides, default=0) >= 0 else None
    return blank(array.shape, array.dtype, strides)


def without_numbers(array: np.ndarray) -> np.ndarray:
    """A Meta array in the shape and memory order of `array`."""
    return array if array.__class__ is Meta else blank_like(array).view(Meta)


def as_zeros(array: Meta) -> np.ndarray:
    """The zeros behind a Meta array."""
    return np.ndarray.view(array, np.ndarray)
