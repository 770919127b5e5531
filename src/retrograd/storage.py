"""Storages: the memory that a Tensor, and all views of it, lie in."""

from __future__ import annotations

import os
import pickle
from typing import Any

import numpy as np

from . import _dtype
from ._tensor import CPU, wrap

__all__ = ["TypedStorage", "UntypedStorage"]


def memory(array: np.ndarray) -> np.ndarray | None:
    """All bytes of the memory an array lies in, as a flat array; None where they have gaps."""
    whole = array
    while True:
        base = whole.base
        if not isinstance(base, np.ndarray):
            base = getattr(base, "base", None)  # as_strided puts an object between
        if not isinstance(base, np.ndarray):
            break
        whole = base
    if whole.flags.c_contiguous:
        return whole.reshape(-1).view(np.uint8)
    if whole.flags.f_contiguous:
        return whole.T.reshape(-1).view(np.uint8)
    return None


def address(array: np.ndarray) -> int:
    return array.__array_interface__["data"][0]


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


class UntypedStorage:
    """A run of bytes on the CPU.

    Args:
        nbytes: makes uninitialised memory of this size; or a sequence of bytes to copy.

    >>> import retrograd as torch
    >>> x = torch.arange(4)
    >>> x[2:].untyped_storage().nbytes()
    32
    """

    device = CPU
    is_cuda = is_sparse = is_hpu = False

    def __init__(self, nbytes: Any = 0, *, device: Any = None) -> None:
        if isinstance(nbytes, int):
            self._bytes = np.empty(nbytes, dtype=np.uint8)
        else:
            self._bytes = np.array(list(nbytes), dtype=np.uint8)

    @classmethod
    def _of(cls, bytes_: np.ndarray) -> UntypedStorage:
        storage = cls.__new__(cls)
        storage._bytes = bytes_
        return storage

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The bytes of a file, mapped: written back if ``shared``, else copied where changed."""
        mode = "r+" if shared else "c"
        return cls._of(np.memmap(os.fspath(filename), np.uint8, mode, shape=nbytes or None))

    @property
    def filename(self) -> str | None:
        """The file that changes are written back to, if the memory is mapped from one."""
        array = self._bytes
        while isinstance(array, np.ndarray):
            if isinstance(array, np.memmap) and array.mode == "r+":
                return str(array.filename)
            array = array.base
        return None

    def data_ptr(self) -> int:
        """The address of the first byte; 0 without any."""
        return address(self._bytes) if self._bytes.size else 0

    _cdata = property(lambda self: address(self._bytes))

    def nbytes(self) -> int:
        return self._bytes.size

    size = __len__ = nbytes

    def element_size(self) -> int:
        return 1

    def tolist(self) -> list[int]:
        return self._bytes.tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            return int(self._bytes[index])
        # a slice is a storage of its own: to NumPy, its memory begins there
        part = memoryview(self._bytes)[index]
        return self._of(np.frombuffer(part, np.uint8) if part else np.empty(0, np.uint8))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._bytes[index] = value

    def __repr__(self) -> str:
        rows = "\n".join(f" {b}" for b in self.tolist()[:1000])
        return f"{rows}\n[{self._described()} of size {self.nbytes()}]"

    def _described(self) -> str:
        return "torch.storage.UntypedStorage(device=cpu)"

    def clone(self) -> UntypedStorage:
        return self._of(self._bytes.copy())

    def copy_(self, source: UntypedStorage, non_blocking: bool | None = None) -> UntypedStorage:
        self._bytes[...] = source._bytes
        return self

    def fill_(self, value: int) -> UntypedStorage:
        self._bytes[...] = value
        return self

    def cpu(self) -> UntypedStorage:
        return self

    def untyped(self) -> UntypedStorage:
        return self

    def is_shared(self) -> bool:
        return False

    def share_memory_(self) -> UntypedStorage:
        return self

    def byteswap(self, dtype: Any) -> None:
        """Reverse the bytes of each element (of each part, for complex ones)."""
        part = dtype.itemsize // 2 if dtype.is_complex else dtype.itemsize
        parts = self._bytes.reshape(-1, part)
        parts[...] = parts[:, ::-1].copy()

    def __deepcopy__(self, memo: dict) -> UntypedStorage:
        return memo.setdefault(id(self), self.clone())

    def __reduce_ex__(self, protocol: int) -> tuple:
        return _rebuild_untyped, (_portable(self._bytes, protocol),)


class TypedStorage:
    """A run of elements of one dtype; see :class:`UntypedStorage` for its bytes."""

    device = CPU
    is_cuda = is_sparse = False

    def __init__(
        self,
        *args: Any,
        wrap_storage: UntypedStorage | None = None,
        dtype: Any = None,
        device: Any = None,
        _internal: bool = False,
    ) -> None:
        self.dtype = _dtype.get_default_dtype() if dtype is None else dtype
        if wrap_storage is None:
            data = args[0] if args else 0
            made = np.empty(data, self.dtype.np) if isinstance(data, int) else None
            made = np.array(data, self.dtype.np) if made is None else made
            wrap_storage = UntypedStorage._of(made.view(np.uint8))
        self._untyped_storage = wrap_storage

    @property
    def _array(self) -> np.ndarray:
        return self._untyped_storage._bytes.view(self.dtype.np)

    def untyped(self) -> UntypedStorage:
        return self._untyped_storage

    def data_ptr(self) -> int:
        return self._untyped_storage.data_ptr()

    _data_ptr = data_ptr

    def nbytes(self) -> int:
        return self._untyped_storage.nbytes()

    _nbytes = nbytes

    def size(self) -> int:
        """The number of elements."""
        return self.nbytes() // self.dtype.itemsize

    _size = __len__ = size

    def element_size(self) -> int:
        return self.dtype.itemsize

    def tolist(self) -> list:
        return wrap(self._array).tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index: int) -> Any:
        return wrap(self._array[index : index + 1] if index != -1 else self._array[-1:]).item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._array[index] = value

    def __repr__(self) -> str:
        rows = "\n".join(f" {x}" for x in self.tolist()[:1000])
        name = f"torch.storage.TypedStorage(dtype={self.dtype}, device=cpu)"
        return f"{rows}\n[{name} of size {self.size()}]"

    def clone(self) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    def copy_(self, source: TypedStorage, non_blocking: bool | None = None) -> TypedStorage:
        self._array[...] = source._array
        return self

    def fill_(self, value: Any) -> TypedStorage:
        self._array[...] = value
        return self

    def cpu(self) -> TypedStorage:
        return self

    def is_shared(self) -> bool:
        return False

    def share_memory_(self) -> TypedStorage:
        return self

    def pickle_storage_type(self) -> str:
        return storage_name(self.dtype)

    _pickle_storage_type = pickle_storage_type

    def __deepcopy__(self, memo: dict) -> TypedStorage:
        return memo.setdefault(id(self), self.clone())

    def __reduce_ex__(self, protocol: int) -> tuple:
        return _rebuild_typed, (self._untyped_storage, self.dtype)



def storage_name(dtype: Any) -> str:
    """The name of the storage class files know a dtype by: FloatStorage."""
    return dtype.tensor_name + "Storage"


def _portable(bytes_: np.ndarray, protocol: int) -> Any:
    """Bytes for a pickle, without a copy where its protocol can do without."""
    contiguous = np.ascontiguousarray(bytes_)
    return pickle.PickleBuffer(contiguous) if protocol >= 5 else contiguous.tobytes()


def _rebuild_untyped(data: Any) -> UntypedStorage:
    array = np.frombuffer(data, dtype=np.uint8)
    return UntypedStorage._of(array if array.flags.writeable else array.copy())


def _rebuild_typed(untyped: UntypedStorage, dtype: Any) -> TypedStorage:
    return TypedStorage(wrap_storage=untyped, dtype=dtype)
