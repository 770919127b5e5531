"""Where arrays lie: the memory that an array is a part of, and who else has been given it.

NOTE [resizing]
    NumPy's arrays cannot be moved. What needs more memory than there is (`resize_`, `out=` of
    another shape) gets a new piece, and all Tensors and storages in the old one move there with it:
    `_moving.py`. An array that the program holds could not follow, so memory that came from an
    array or a buffer, or was handed out as one, is noted here and never moves.
"""

from __future__ import annotations

import weakref
from ctypes import c_size_t
from sys import implementation

import numpy as np

NOT_RESIZABLE = "Trying to resize storage that is not resizable"
FIELDS = object.__basicsize__          # where the fields of an object begin
word_at = c_size_t.from_address

if implementation.name == "cpython":
    def address(array: np.ndarray) -> int:
        """Where the elements begin: the first field of an array object, read there."""
        return word_at(id(array) + FIELDS).value
else:
    def address(array: np.ndarray) -> int:
        """Where the elements begin."""
        return array.__array_interface__["data"][0]


def owner(array: np.ndarray) -> np.ndarray:
    """The array that an array is a view of, in the end."""
    while True:
        base = array.base
        if not isinstance(base, np.ndarray):
            base = getattr(base, "base", None)  # NumPy's as_strided() puts an object between
        if not isinstance(base, np.ndarray):
            return array
        array = base


def memory(array: np.ndarray) -> np.ndarray | None:
    """All bytes of the memory an array lies in, as a flat array; None where they have gaps."""
    whole = owner(array)
    order = sorted(range(whole.ndim), key=whole.strides.__getitem__, reverse=True)
    whole = whole.transpose(order)
    return whole.reshape(-1).view(np.uint8) if whole.flags.c_contiguous else None


def place(array: np.ndarray) -> tuple[np.ndarray, int, tuple[int, ...]]:
    """The memory of an array, and its offset and strides there, in elements.

    What cannot be said that way (negative strides, gaps) is copied.
    """
    size = array.itemsize
    bytes_ = memory(array)
    if bytes_ is not None:
        offset = address(array) - address(bytes_) if array.size else 0
        whole = all(n % size == 0 for n in (offset, bytes_.size, *array.strides))
        if whole and all(s >= 0 for s in array.strides):
            return bytes_, offset // size, tuple(s // size for s in array.strides)
    copy = np.ascontiguousarray(array)
    return copy.reshape(-1).view(np.uint8), 0, tuple(s // size for s in copy.strides)


_given_out: dict[int, weakref.ref] = {}      # by the id of the owner


def give_out(array: np.ndarray) -> np.ndarray:
    """The array itself, whose memory must never move: see NOTE [resizing]."""
    whole = owner(array)
    key = id(whole)
    if key not in _given_out:
        _given_out[key] = weakref.ref(whole, lambda _: _given_out.pop(key, None))
    return array


def is_given_out(array: np.ndarray) -> bool:
    """Whether the memory of an array is known to arrays or buffers of the program."""
    return id(owner(array)) in _given_out
