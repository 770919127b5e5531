"""Files as PyTorch wrote them before version 1.6, and still can: pickles, then the storages.

In order: a magic number, the version of the format, facts about the machine, the object, the keys
of its storages, and for each of these its length (8 bytes) and elements.
"""

from __future__ import annotations

import pickle
import struct
import sys
from collections.abc import Callable, Iterable
from typing import IO, Any

import numpy as np

from . import _dtype
from ._loading import text_of
from ._utils import numbers_come_last
from .storage import TypedStorage, UntypedStorage

MAGIC_NUMBER = 0x1950A86A20F9469CFC6C
PROTOCOL_VERSION = 1001


def save_old(
    file: IO[bytes], pickled: bytes, storages: Iterable[tuple], protocol: int
) -> None:
    """Write a pickled object and its storages, each (key, dtype, bytes)."""
    machine = {"protocol_version": PROTOCOL_VERSION, "little_endian": sys.byteorder == "little",
               "type_sizes": {"short": 2, "int": 4, "long": 4}}
    for header in (MAGIC_NUMBER, PROTOCOL_VERSION, machine):
        pickle.dump(header, file, protocol=protocol)
    file.write(pickled)
    storages = sorted(storages, key=lambda storage: storage[0])
    pickle.dump([key for key, _, _ in storages], file, protocol=protocol)
    for _, dtype, bytes_ in storages:
        file.write(struct.pack("=q", bytes_.size // dtype.itemsize))
        file.write(memoryview(bytes_))


def load_old(
    file: IO[bytes],
    unpickle: Callable[[IO[bytes], Callable[[tuple], TypedStorage]], Any],
    restore: Callable[[UntypedStorage, str], UntypedStorage],
) -> Any:
    """Read an object.

    Args:
        file: open for reading, at the start.
        unpickle: reads one pickle, finding storages by the function it is given.
        restore: puts a storage on a device.

    Raises:
        RuntimeError: not such a file.
        UnpicklingError: a damaged one.
    """
    storages = _Storages(file, restore)
    magic = unpickle(file, storages)
    if type(magic) is not int or magic != MAGIC_NUMBER:
        raise RuntimeError("Invalid magic number; corrupt file?")
    version = unpickle(file, storages)
    if type(version) is not int or version != PROTOCOL_VERSION:
        raise RuntimeError(f"Invalid protocol version: {version!s:.20}")
    machine = unpickle(file, storages)
    if type(machine) is not dict:
        raise pickle.UnpicklingError("no facts of the machine that wrote the file")
    little = machine.get("little_endian", machine.get(b"little_endian", True))   # b"": Python 2
    with numbers_come_last():
        result, keys = unpickle(file, storages), unpickle(file, storages)
        if type(keys) is not list or not set(map(text_of, keys)) >= set(storages.made):
            raise pickle.UnpicklingError("the file does not list all of its storages")
        for key in keys:
            storages.fill(text_of(key), "<" if little else ">")
    return result


class _Storages:
    """The storages of a file: made when the object mentions them, filled afterwards."""

    def __init__(self, file: IO[bytes], restore: Callable) -> None:
        self.file = file
        self.restore = restore
        self.made: dict[str, TypedStorage] = {}
        self.bytes_made, start = 0, file.tell()
        self.file_size = file.seek(0, 2)
        file.seek(start)

    def __call__(self, pid: tuple) -> Any:
        if pid and pid[0] == "module":      # a Module's class, with its source
            return pid[1]
        if len(pid) != 6:
            raise pickle.UnpicklingError(f"a storage has 6 properties, but got {len(pid)}")
        _, kind, key, location, numel, view = pid
        key = text_of(key)
        dtype = _dtype.uint8 if kind is UntypedStorage else getattr(kind, "dtype", None)
        if not isinstance(dtype, _dtype.dtype) or type(numel) is not int or numel < 0:
            raise pickle.UnpicklingError(f"not a storage: {type(kind)} with {numel!s:.20} elements")
        if key not in self.made:
            nbytes = numel * dtype.itemsize
            self.bytes_made += nbytes
            if self.bytes_made > self.file_size:
                raise pickle.UnpicklingError(f"storage {key} is larger than the file")
            untyped = self.restore(UntypedStorage(nbytes), text_of(location))
            self.made[key] = TypedStorage(wrap_storage=untyped, dtype=dtype)
        if view is None:
            return self.made[key]
        _, start, size = view  # a storage that lies in another one
        part = self.made[key].untyped()[start * dtype.itemsize : (start + size) * dtype.itemsize]
        return TypedStorage(wrap_storage=part, dtype=dtype)

    def fill(self, key: Any, order: str) -> None:
        if key not in self.made:
            raise pickle.UnpicklingError(f"the file has no storage {key!r}")
        storage = self.made[key]
        header = self.file.read(8)
        if len(header) != 8 or struct.unpack(order + "q", header)[0] != storage.size():
            raise pickle.UnpicklingError(f"storage {key} has another length than announced")
        untyped = storage.untyped()
        data = self.file.read(untyped.nbytes())
        if len(data) != untyped.nbytes():
            raise pickle.UnpicklingError(f"storage {key} is cut off")
        if untyped.is_meta:
            return
        untyped._bytes[...] = np.frombuffer(data, np.uint8)
        if order != ("<" if sys.byteorder == "little" else ">"):
            untyped.byteswap(storage.dtype)
