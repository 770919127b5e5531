"""Storages: the memory that a Tensor, and all views of it, lie in."""

from __future__ import annotations

import io
import os
import pickle
import sys
from functools import cache
from typing import Any
from weakref import WeakValueDictionary

import numpy as np

from . import _dtype
from ._attributes import CPU, META, NO_ACCELERATOR, require_here
from ._from_data import array_of
from ._memory import NOT_RESIZABLE, address, give_out, is_given_out, owner, place
from ._meta import NO_DATA, as_zeros
from ._moving import aliases_of, enlarged
from ._tensor import ON_META, wrap

__all__ = ["TypedStorage", "UntypedStorage"]


_shown: WeakValueDictionary[int, UntypedStorage] = WeakValueDictionary()   # by whose bytes they are


def storage_of(tensor: Any) -> UntypedStorage:
    """The memory that a Tensor lies in: one object for all its views, while something holds it."""
    if not tensor._flags & ON_META:
        memory = place(tensor._data)[0]
        whole = owner(memory)
        found = _shown.get(id(whole))
        if found is None or owner(found._bytes) is not whole or len(found._bytes) != len(memory):
            found = _shown[id(whole)] = UntypedStorage._of(memory)
        return found
    storage = UntypedStorage._of(place(as_zeros(tensor._data))[0])
    storage.device = META
    return storage


def _no_bytes(n: int) -> np.ndarray:
    """Stands for n bytes that are nowhere."""
    return np.broadcast_to(np.uint8(0), n)


def _byte(n: Any, sequence: Any) -> Any:
    if not isinstance(n, (int, np.integer)):
        raise RuntimeError("torch.UntypedStorage(): tried to construct a storage from a sequence "
                           f"({type(sequence).__name__}), but one of the items was of type "
                           f"{type(n).__name__} instead of int")
    return n & 255


def _rows(storage: Any) -> str:
    return "..." if storage.is_meta else "\n".join(f" {x}" for x in storage.tolist()[:1000])


class StorageBase:
    """What an UntypedStorage is an instance of, too."""


class UntypedStorage(StorageBase):
    """A run of bytes on the CPU, or on the device "meta" only their number.

    Args:
        nbytes: makes uninitialised memory of this size; or a sequence of bytes to copy.
        device: "cpu" or "meta".

    >>> import retrograd as torch
    >>> x = torch.arange(4)
    >>> x[2:].untyped_storage().nbytes()
    32
    """

    device = CPU
    is_cuda = is_sparse = is_hpu = False

    def __init__(self, nbytes: Any = 0, *, device: Any = None) -> None:
        if require_here(device) is META:
            self.device = META
            self._bytes = _no_bytes(nbytes if isinstance(nbytes, int) else len(nbytes))
        elif isinstance(nbytes, int):
            self._bytes = np.empty(nbytes, dtype=np.uint8)
        else:
            self._bytes = np.array([_byte(n, nbytes) for n in nbytes], dtype=np.uint8)

    @classmethod
    def _of(cls, bytes_: np.ndarray) -> UntypedStorage:
        storage = cls.__new__(cls)
        storage._bytes = bytes_
        return storage

    @classmethod
    def from_file(cls, filename: Any, shared: bool = False, nbytes: int = 0) -> UntypedStorage:
        """The bytes of a file, mapped: written back if `shared`, else copied where changed."""
        mode = "r+" if shared else "c"
        mapped = np.memmap(os.fspath(filename), np.uint8, mode, shape=nbytes or None)
        return cls._of(give_out(mapped))

    @classmethod
    def from_buffer(cls, buffer: Any, *, byte_order: str | None = None, dtype: Any, offset: int = 0,
                    count: int = -1) -> UntypedStorage:
        """A copy of a buffer's bytes, from `offset` on: those of `count` elements, or all.

        `byte_order` is that of its elements: "little", "big" or "native".
        """
        size, length = dtype.itemsize, memoryview(buffer).nbytes
        if byte_order is None and size > 1:
            raise RuntimeError("function missing required argument 'byte_order' (pos 2)")
        if byte_order not in ("big", "little", "native", None):
            raise ValueError(f"invalid byte_order '{byte_order}' (expected 'big', 'little', or "
                             "'native')")
        if not 0 <= offset <= length:
            raise ValueError("offset must be non-negative and no greater than buffer length "
                             f"({offset}) , but got {length}")
        if count < 0 and (length - offset) % size:
            raise ValueError(f"buffer size ({length}) must be a multiple of element size ({size})")
        if count >= 0 and offset + count * size > length:
            raise ValueError(f"buffer has only {length - offset} elements after offset {offset}, "
                             f"but specified a size of {count}")
        end = length if count < 0 else offset + count * size
        storage = cls._of(np.frombuffer(buffer, np.uint8)[offset:end].copy())
        if byte_order not in (sys.byteorder, "native", None):
            storage.byteswap(dtype)
        if dtype is _dtype.bool_:
            storage._bytes[...] = storage._bytes != 0
        return storage

    @property
    def filename(self) -> str | None:
        """The file that changes are written back to, if the memory is mapped from one."""
        array = self._bytes
        while isinstance(array, np.ndarray):
            if isinstance(array, np.memmap) and array.mode == "r+":
                return str(array.filename)
            array = array.base
        return None

    def _fix_weakref(self) -> None:
        """Does nothing. PyTorch's weak references may give storages without their memory."""

    def data_ptr(self) -> int:
        """The address of the first byte; 0 without any."""
        return address(self._bytes) if self._bytes.size and not self.is_meta else 0

    @property
    def is_meta(self) -> bool:
        """Whether it has a size only, no bytes."""
        return self.device is META

    def _readable(self) -> np.ndarray:
        if self.is_meta:
            raise NotImplementedError("Not available for 'meta' device type")
        return self._bytes

    def resizable(self) -> bool:
        """Whether `resize_` can change its size: not if an array of the program lies in it."""
        return not is_given_out(self._bytes)

    def resize_(self, size: int) -> UntypedStorage:
        """Change the number of bytes; those in both sizes are kept, new ones arbitrary.

        Tensors in it move along. Raises RuntimeError for memory that NumPy's arrays show too, and
        NotImplementedError where a tensor would lose its elements.
        """
        if not isinstance(size, int):
            raise RuntimeError(f"resize_ expects an int, but got {type(size).__name__}")
        if size == self.nbytes():
            return self
        if self.is_meta:
            self._bytes = _no_bytes(size)
        elif not self.resizable():
            raise RuntimeError(NOT_RESIZABLE)
        elif size > self.nbytes():
            enlarged(self._bytes, size)
            _shown[id(owner(self._bytes))] = self
        elif any(t._data.size for t in aliases_of(self._bytes)[0]):
            raise NotImplementedError("resize_: tensors lie in this storage; it cannot shrink")
        else:
            self._bytes = self._bytes[:size].copy()
        return self

    _cdata = property(lambda self: address(self._bytes))

    def nbytes(self) -> int:
        return self._bytes.size

    size = __len__ = nbytes

    def element_size(self) -> int:
        return 1

    def tolist(self) -> list[int]:
        return self._readable().tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index: Any) -> Any:
        if not isinstance(index, slice):
            memory, n = self._readable(), self.nbytes()         # one on "meta" cannot be read
            if not -n <= index < n:
                raise IndexError(f"index {index + n * (index < 0)} out of range for storage of "
                                 f"size {n}")
            return int(memory[index])
        # a slice is a storage of its own: to NumPy, its memory begins there
        part = memoryview(self._readable())[index]
        return self._of(np.frombuffer(part, np.uint8) if part else np.empty(0, np.uint8))

    def __setitem__(self, index: Any, value: Any) -> None:
        self._readable()[index] = value

    def __repr__(self) -> str:
        return f"{_rows(self)}\n[{self._described()} of size {self.nbytes()}]"

    def _described(self) -> str:
        return f"torch.storage.UntypedStorage(device={self.device})"

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def clone(self) -> UntypedStorage:
        copy = type(self)(self.nbytes(), device=self.device)
        return copy if self.is_meta else copy.copy_(self)

    __copy__ = clone

    def copy_(self, source: UntypedStorage, non_blocking: bool | None = None) -> UntypedStorage:
        if self.nbytes() != source.nbytes():
            raise RuntimeError(f"size does not match, self was {self.nbytes()} bytes but src was "
                               f"{source.nbytes()} bytes")
        if source.is_meta and not self.is_meta:
            raise NotImplementedError(NO_DATA)
        if not self.is_meta:
            self._bytes[...] = source._bytes
        return self

    def fill_(self, value: int) -> UntypedStorage:
        if not self.is_meta:
            self._bytes[...] = value
        return self

    def cpu(self) -> UntypedStorage:
        if self.is_meta:
            raise NotImplementedError(NO_DATA)
        return self

    def to(self, *, device: Any, non_blocking: bool = False) -> UntypedStorage:
        """The storage itself, on the CPU; RuntimeError for "meta", PyTorch's for other devices."""
        if require_here(device) is not CPU:
            raise RuntimeError("a storage's bytes cannot go to \"meta\", where there are none")
        return self.cpu()

    def is_pinned(self, device: Any = "cuda") -> bool:
        """False: memory is pinned for a GPU."""
        return False

    def pin_memory(self, device: Any = "cuda") -> UntypedStorage:
        """Raises RuntimeError: there is no GPU to pin memory for."""
        raise RuntimeError(NO_ACCELERATOR)

    def untyped(self) -> UntypedStorage:
        return self

    def is_shared(self) -> bool:
        """Whether other processes can have this memory too."""
        return self.filename is not None

    def share_memory_(self) -> UntypedStorage:
        """Move to memory that other processes can have too; see NOTE [shared memory]."""
        if self.is_meta:
            raise RuntimeError("_share_fd_: only available on CPU")
        if not self.is_shared():
            from ._shared import to_shared_memory
            to_shared_memory(self._bytes, aliases_of(self._bytes))
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
    """A run of elements of one dtype; see `UntypedStorage` for its bytes."""

    is_cuda = is_sparse = False
    device = property(lambda self: self._untyped_storage.device)

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
            data = int(data) if isinstance(data, np.integer) else data
            made = None if isinstance(data, int) else array_of(data, self.dtype).reshape(-1)
            size = data if made is None else made.size
            wrap_storage = UntypedStorage(size * self.dtype.itemsize, device=device)
            if made is not None and not wrap_storage.is_meta:
                wrap_storage._bytes[...] = made.view(np.uint8)
        self._untyped_storage = wrap_storage

    @property
    def _array(self) -> np.ndarray:
        return self._untyped_storage._readable().view(self.dtype.np)

    @property
    def is_meta(self) -> bool:
        """Whether it has a size only, no elements."""
        return self._untyped_storage.is_meta

    _cdata = property(lambda self: self._untyped_storage._cdata)

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
        array = self._array
        if isinstance(index, slice):
            raise RuntimeError("slices are only supported in UntypedStorage.__getitem__")
        if not isinstance(index, int):
            raise RuntimeError("can't index a <class 'torch.storage.TypedStorage'> with "
                               f"{type(index)}")
        if not -array.size <= index < array.size:
            raise IndexError(f"index {index} out of range for storage of size {array.size}")
        return wrap(array[index % array.size]).item()

    def __setitem__(self, index: Any, value: Any) -> None:
        self._array[index] = value

    def __repr__(self) -> str:
        name = f"torch.storage.TypedStorage(dtype={self.dtype}, device={self.device})"
        return f"{_rows(self)}\n[{name} of size {self.size()}]"

    def __sizeof__(self) -> int:
        return object.__sizeof__(self) + self.nbytes()

    def resizable(self) -> bool:
        """Whether `resize_` can change its size; see `UntypedStorage.resizable`."""
        return self._untyped_storage.resizable()

    def resize_(self, size: int) -> None:
        """Change the number of elements; see `UntypedStorage.resize_`."""
        self._untyped_storage.resize_(size * self.dtype.itemsize)

    def type(self, dtype: Any = None) -> Any:
        """The name of its class, such as torch.FloatStorage."""
        if dtype is not None:
            raise NotImplementedError("TypedStorage.type(dtype): use float(), int() ...")
        return f"torch.{storage_name(self.dtype)}"

    def clone(self) -> TypedStorage:
        return TypedStorage(wrap_storage=self._untyped_storage.clone(), dtype=self.dtype)

    __copy__ = clone

    def copy_(self, source: TypedStorage, non_blocking: bool | None = None) -> TypedStorage:
        if source.is_meta or self.is_meta:
            self._untyped_storage.copy_(source._untyped_storage)
        else:
            self._array[...] = source._array
        return self

    def fill_(self, value: Any) -> TypedStorage:
        if not self.is_meta:
            self._array[...] = value
        return self

    def cpu(self) -> TypedStorage:
        self._untyped_storage.cpu()
        return self

    def to(self, *, device: Any, non_blocking: bool = False) -> TypedStorage:
        """The storage itself; see UntypedStorage.to."""
        self._untyped_storage.to(device=device)
        return self

    def is_pinned(self, device: Any = "cuda") -> bool:
        """False: memory is pinned for a GPU."""
        return False

    def pin_memory(self, device: Any = "cuda") -> TypedStorage:
        """Raises RuntimeError: there is no GPU to pin memory for."""
        raise RuntimeError(NO_ACCELERATOR)

    def is_shared(self) -> bool:
        return self._untyped_storage.is_shared()

    def share_memory_(self) -> TypedStorage:
        self._untyped_storage.share_memory_()
        return self

    def pickle_storage_type(self) -> str:
        return storage_name(self.dtype)

    _pickle_storage_type = pickle_storage_type

    def __deepcopy__(self, memo: dict) -> TypedStorage:
        return memo.setdefault(id(self), self.clone())

    def __reduce_ex__(self, protocol: int) -> tuple:
        return _rebuild_typed, (self._untyped_storage, self.dtype)


class _LegacyStorage(type):
    """The class of torch.FloatStorage and so on: TypedStorages of one dtype."""

    def __instancecheck__(cls, instance):
        return isinstance(instance, TypedStorage) and instance.dtype is cls.dtype

    def __call__(cls, *args, device=None):
        return TypedStorage(*args, dtype=cls.dtype, device=device)

    def __repr__(cls):
        return f"<class 'torch.{cls.__name__}'>"

    def from_buffer(cls, buffer: Any, byte_order: str | None = None) -> TypedStorage:
        """A storage with the buffer's numbers, which are in `byte_order`: "little" or "big"."""
        storage = UntypedStorage.from_buffer(buffer, byte_order=byte_order, dtype=cls.dtype)
        return TypedStorage(wrap_storage=storage, dtype=cls.dtype)


CASTS = {"float": "float32", "double": "float64", "half": "float16", "bfloat16": "bfloat16",
         "long": "int64", "int": "int32", "short": "int16", "char": "int8", "byte": "uint8",
         "bool": "bool_", "complex_float": "complex64", "complex_double": "complex128"}


def _cast(name):
    """The method that gives a copy of a storage in another dtype, itself if it has that one."""
    dtype = getattr(_dtype, name)

    def cast(self: TypedStorage) -> TypedStorage:
        if self.dtype is dtype:
            return self
        if self.is_meta:
            return TypedStorage(self.size(), dtype=dtype, device="meta")
        return TypedStorage(wrap_storage=wrap(self._array).to(dtype)._typed_storage().untyped(),
                            dtype=dtype)
    return cast


for _name, _target in CASTS.items():
    setattr(TypedStorage, _name, _cast(_target))


def is_storage(obj: Any) -> bool:
    """Whether obj is a storage, typed or not.

    >>> import retrograd as torch
    >>> t = torch.ones(2)
    >>> torch.is_storage(t.untyped_storage()), torch.is_storage(t)
    (True, False)
    """
    return isinstance(obj, (TypedStorage, UntypedStorage))


@cache
def legacy_class(name: str) -> type | None:
    """torch.FloatStorage and the like by name, or None."""
    for dtype in map(_dtype.__dict__.get, CASTS.values()):
        if storage_name(dtype) == name:
            text = f"The class of TypedStorages of {dtype}: the older name of such a storage."
            return _LegacyStorage(name, (), {"dtype": dtype, "__module__": "torch",
                                             "__doc__": text})
    return None


def storage_name(dtype: Any) -> str:
    """The name of the storage class files know a dtype by: FloatStorage."""
    return dtype.tensor_name + "Storage"


def _portable(bytes_: np.ndarray, protocol: int) -> Any:
    """Bytes for a pickle, without a copy where its protocol can do without."""
    contiguous = np.ascontiguousarray(bytes_)
    return pickle.PickleBuffer(contiguous) if protocol >= 5 else contiguous.tobytes()


def _load_from_bytes(data: bytes) -> Any:
    """What PyTorch writes into a plain pickle for a storage: a file of its own."""
    from .serialization import load

    return load(io.BytesIO(data), weights_only=False)


def _rebuild_untyped(data: Any) -> UntypedStorage:
    array = np.frombuffer(data, dtype=np.uint8)
    return UntypedStorage._of(array if array.flags.writeable else array.copy())


def _rebuild_typed(untyped: UntypedStorage, dtype: Any) -> TypedStorage:
    return TypedStorage(wrap_storage=untyped, dtype=dtype)
