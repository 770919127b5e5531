"""Moving memory, and all Tensors and storages in it: see NOTE [resizing] in `_memory.py`."""

from __future__ import annotations

import gc
from sys import getrefcount
from typing import Any

import numpy as np

from ._memory import NOT_RESIZABLE, address, is_given_out, owner, place
from ._tensor import Tensor, wrap


def aliases_of(array: np.ndarray) -> tuple[list[Tensor], list[Any]]:
    """Every Tensor and every storage that lies in the same memory as an array."""
    from .storage import UntypedStorage

    whole, tensors, storages = owner(array), [], []
    for obj in gc.get_objects():
        kind = type(obj)
        if issubclass(kind, Tensor):
            data = getattr(obj, "_data", None)                # None: it is just being made
            if isinstance(data, np.ndarray) and owner(data) is whole:
                tensors.append(obj)
        elif kind is UntypedStorage and owner(obj._bytes) is whole:
            storages.append(obj)
    return tensors, storages


def move(new: np.ndarray, old: np.ndarray, tensors: list[Tensor], storages: list[Any]) -> None:
    """Copy the bytes `old` into `new`, which has room for them; tensors and storages move along."""
    new[:old.size] = old
    for t in tensors:
        if t._data.size:
            start = address(t._data) - address(old)
            t._data = np.ndarray(t._data.shape, t._data.dtype, new, start, t._data.strides)
    for storage in storages:
        storage._bytes = new


def _references(tensor: Tensor) -> tuple[int, int]:
    """How many references there are to a Tensor's array, and to the array that owns its memory."""
    array = tensor._data
    whole = owner(array)
    return getrefcount(array), getrefcount(whole)


_ALONE = _references(wrap(np.empty(2))), _references(wrap(np.empty(2)[:1]))


def alone(tensor: Tensor) -> bool:
    """Whether nothing else lies in a Tensor's memory; to find out what does takes 0.1 s."""
    return _references(tensor) in _ALONE


def enlarged(old: np.ndarray, nbytes: int, only: Tensor | None = None) -> np.ndarray:
    """As many bytes, which begin with the `old` ones; what lies there, `only` or more, moves along.
    """
    new = np.empty(nbytes, np.uint8)
    move(new, old, *(aliases_of(old) if only is None else ([only], [])))
    return new


def resize(tensor: Tensor, shape: tuple[int, ...], strides: tuple[int, ...] | None = None) -> None:
    """Give a tensor a dense shape over the memory that it lies in, from its first element on.

    `strides` are in bytes. If the memory is too small it grows; RuntimeError if arrays of the
    program show it too.
    """
    only = tensor if alone(tensor) else None
    array = tensor._data
    bytes_, offset, _ = place(array)
    start = offset * array.itemsize
    end = start + int(np.prod(shape, dtype=np.int64)) * array.itemsize
    if end > bytes_.size:
        if is_given_out(array):
            raise RuntimeError(NOT_RESIZABLE)
        bytes_ = enlarged(bytes_, end, only)
    tensor._data = np.ndarray(shape, array.dtype, bytes_, start, strides)
