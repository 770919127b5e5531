"""Windows: where a view lies in the memory of its base. Arrays alone, no Tensors.

A Window cuts the same part out of another array with the base's shape and strides, or puts it in:
the base's gradient, or its tangent. Where elements share memory, a write has no meaning.
"""

from __future__ import annotations

from math import prod

import numpy as np

from .._memory import address, owner

OVERLAP = ("unsupported operation: more than one element of the written-to tensor refers to a "
           "single memory location. Please clone() the tensor before performing the operation.")


def is_expanded(array):
    """Whether elements share memory because a stride is 0."""
    return 0 in array.strides and array.size and any(
        s == 0 and n > 1 for s, n in zip(array.strides, array.shape, strict=True))


def check_overlap(array):
    """Raise if two elements of `array` share memory, so that writing has no meaning."""
    if is_expanded(array):
        raise RuntimeError(OVERLAP)


class Window:
    """Where a view lies in its base: enough to find the same part of an array like the base."""

    __slots__ = ("base_shape", "base_strides", "base_dtype", "shape", "strides", "offset", "dtype",
                 "nbytes")

    def __init__(self, view, base):
        self.base_shape, self.base_strides = base.shape, base.strides
        self.shape, self.strides = view.shape, view.strides
        self.offset = address(view) - address(base)
        if not 0 <= self.offset <= base.nbytes and owner(view) is not owner(base):
            self.offset = address(view) - address(owner(view))     # after view.data = other
        self.base_dtype, self.dtype = base.dtype, view.dtype
        whole = base.base is None and base.flags.c_contiguous and base.size
        self.nbytes = None if whole else self._reach()    # None: the base is all of its memory

    def stacked(self, size) -> Window:
        """The window onto `size` such bases that lie one after the other (vmap)."""
        made = Window.__new__(Window)
        step = self.nbytes or prod(self.base_shape) * self.base_dtype.itemsize
        made.base_shape, made.base_strides = (size, *self.base_shape), (step, *self.base_strides)
        made.shape, made.strides = (size, *self.shape), (step, *self.strides)
        made.offset, made.base_dtype, made.dtype = self.offset, self.base_dtype, self.dtype
        made.nbytes = None if self.nbytes is None else size * step
        return made

    def _reach(self) -> int:
        """The bytes that base and view span."""
        whole, part = self.base_dtype.itemsize, self.dtype.itemsize
        need = _extent(self.base_shape, self.base_strides, whole)
        need = max(need, self.offset + _extent(self.shape, self.strides, part))
        need += max(0, -self.offset)                      # as_strided() may begin before its input
        return need + -need % max(whole, part)

    def blank(self, zero):
        """(array like the base, the view's part of it), in fresh memory."""
        make = np.zeros if zero else np.empty
        if self.nbytes is None:
            dense = make(self.base_shape, self.base_dtype)
            return dense, self.of(dense)
        memory = make(self.nbytes, np.uint8)
        lead = -self.offset if self.offset < 0 else 0
        dense = np.ndarray(self.base_shape, self.base_dtype, memory, lead, self.base_strides)
        window = np.ndarray(self.shape, self.dtype, memory, self.offset + lead, self.strides)
        return dense, window

    def copy(self, array):
        """(a copy of `array`, which is as the base was, the view's part of it)."""
        dense, window = self.blank(False)
        dense[...] = array
        return dense, window

    def fits(self, array) -> bool:
        """Whether `array` is all of its memory and lies there as the base did."""
        return (self.nbytes is None and array.base is None and array.dtype is self.base_dtype
                and array.flags.c_contiguous)

    def of(self, array):
        """The view's part of an array that fits."""
        return np.ndarray(self.shape, self.dtype, array, self.offset, self.strides)

    def cut(self, array):
        """The same part of `array`, which is as the base was: the transpose of pad()."""
        shared = self.shared()
        if shared is not None:
            places, counts = shared
            sums = np.zeros(places.max() + 1, array.dtype)
            np.add.at(sums, places, array)
            array = sums[places] / counts.astype(array.dtype)
        return self.copy(array)[1]

    def replace(self, array, part):
        """`array` with the view's part replaced (None: by zeros)."""
        dense, window = self.copy(array)
        check_overlap(window)
        window[...] = 0 if part is None else part
        return dense

    def pad(self, part):
        """An array like the base: `part` where the view lies, zero elsewhere; overlaps add up.

        Elements of the base that share memory get equal shares of what belongs there.
        """
        dense, shared = self._padded(part), self.shared()
        return dense if shared is None else dense / shared[1].astype(dense.dtype)

    def shared(self):
        """(place in memory, how many elements lie there) of the base's elements, None if 1 each."""
        shape, strides = self.base_shape, self.base_strides
        if self.nbytes is None or 0 in shape or not _overlap(zip(strides, shape, strict=True)):
            return None
        places = _places(shape, strides, 0, self.base_dtype.itemsize)
        return places, np.bincount(places.ravel())[places]

    def _padded(self, part):
        dense, window = self.blank(True)
        along = self.separating() if self.overlaps() else None
        if along is not None:
            for here, added in zip(np.moveaxis(window, along, 0), np.moveaxis(part, along, 0),
                                   strict=True):
                here += added
        elif self.overlaps():
            first = max(self.offset, 0)                   # see _reach(): memory begins at either
            places = _places(self.shape, self.strides, first, self.dtype.itemsize)
            memory = dense.reshape(-1) if dense.base is None else dense.base
            np.add.at(memory.view(part.dtype), places.ravel(), np.ascontiguousarray(part).ravel())
        else:
            window[...] = part
        return dense

    def overlaps(self) -> bool:
        """Whether some elements of the view may share memory."""
        return _overlap(zip(self.strides, self.shape, strict=True))

    def separating(self) -> int | None:
        """A short dimension whose slices, each by itself, have no overlapping elements; or None."""
        sizes = list(zip(self.strides, self.shape, strict=True))
        for n, dim in sorted((n, dim) for dim, n in enumerate(self.shape)):
            if n * LONG <= prod(self.shape) and not _overlap(sizes[:dim] + sizes[dim + 1:]):
                return dim
        return None


LONG = 64            # elements of a slice from which adding it costs less than np.add.at


def _overlap(sizes) -> bool:
    reach = 0
    for s, n in sorted(sizes):
        if n > 1 and s <= reach:
            return True
        reach += (n - 1) * s if n else 0
    return False


def _places(shape, strides, offset, item):
    """The number of each element of an array in the memory that it lies in."""
    word = np.dtype(np.intp).itemsize
    numbers = np.arange((offset + _extent(shape, strides, item)) // item + 1)
    return np.ndarray(shape, np.intp, numbers, offset // item * word,
                      [s // item * word for s in strides])


def _extent(shape, strides, itemsize) -> int:
    """Bytes from the first to the end of the last element."""
    if 0 in shape:
        return itemsize
    return itemsize + sum((n - 1) * s for n, s in zip(shape, strides, strict=True))
