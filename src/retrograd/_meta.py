"""Arrays without data, which cannot be read: a shape, a dtype and strides.

`Meta` is what a tensor on the device "meta" has for an array, see NOTE [meta tensors] in
ops/meta.py.
"""

from __future__ import annotations

import mmap
import sys

import numpy as np

NO_DATA = "Cannot copy out of meta tensor; no data!"
META_ITEM = "Tensor.item() cannot be called on meta tensors"
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

    on_meta = True

    def _error(self) -> Exception:
        return NotImplementedError(NO_DATA)

    def __getitem__(self, key):
        if key == ():
            return self
        raise self._error()

    def __add__(self, other):
        """The sum of two gradients."""
        if other.__class__ is not Meta or other.shape != self.shape:
            raise self._error()
        return self

    __iadd__ = __add__


def blank(shape, kind: np.dtype, strides=None, writable=False) -> np.ndarray:
    """Zeros of this shape and memory order that take no memory, and that nobody may write unless
    they are `writable`: then what is written takes memory.

    `strides` are in bytes, and not negative.
    """
    if strides is None:
        strides = _dense(shape, kind.itemsize)
    steps = 0 if 0 in shape else kind.itemsize + sum(
        (n - 1) * s for n, s in zip(shape, strides, strict=True))
    memory = np.ndarray((steps // kind.itemsize,), kind, _zeros(steps, writable))
    return np.ndarray(shape, kind, memory, 0, strides)


def _dense(shape, itemsize):
    strides, step = [], itemsize
    for n in reversed(shape):
        strides.append(step)
        step *= max(n, 1)
    return tuple(strides[::-1])


def _zeros(size, writable):
    """`size` bytes of zeros: pages that are only read take no memory."""
    if size <= SMALL:
        return bytearray(size) if writable else bytes(size)
    if hasattr(mmap, "PROT_READ"):
        # named from Python 3.13 on: memory that nobody writes to need not be reserved
        unreserved = getattr(mmap, "MAP_NORESERVE", 0x4000 if sys.platform == "linux" else 0)
        options = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | unreserved,
                   "prot": mmap.PROT_READ | (mmap.PROT_WRITE if writable else 0)}
    else:
        options = {"access": mmap.ACCESS_COPY if writable else mmap.ACCESS_READ}
    try:
        return mmap.mmap(-1, size, **options)
    except (OSError, OverflowError) as error:
        raise MemoryError(f"{size} bytes are more than there are addresses for") from error


def blank_like(array: np.ndarray, writable=False) -> np.ndarray:
    """Such zeros in the shape and memory order of `array`."""
    strides = array.strides if array.size and min(array.strides, default=0) >= 0 else None
    return blank(array.shape, array.dtype, strides, writable)


def without_numbers(array: np.ndarray) -> np.ndarray:
    """A Meta array in the shape and memory order of `array`."""
    return array if array.__class__ is Meta else blank_like(array).view(Meta)


def as_zeros(array: Meta) -> np.ndarray:
    """The zeros behind a Meta array."""
    return np.ndarray.view(array, np.ndarray)
