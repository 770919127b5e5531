"""Parts of load(): an archive's storages, the devices they go to, advice on refusals, formats."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Callable
from typing import IO, Any

from . import _dtype
from ._archive import ArchiveReader
from ._attributes import device
from ._file_options import options
from ._tensor import Tensor, wrap
from .storage import TypedStorage, UntypedStorage

UNSAFE_MESSAGE = (
    "In PyTorch 2.6, we changed the default value of the `weights_only` argument in `torch.load` "
    "from `False` to `True`. Re-running `torch.load` with `weights_only` set to `False` will "
    "likely succeed, but it can result in arbitrary code execution. Do it only if you got the "
    "file from a trusted source."
)
_DOCS = (
    "\n\nCheck the documentation of torch.load to learn more about types accepted by default with "
    "weights_only https://pytorch.org/docs/stable/generated/torch.load.html."
)


class SourceChangeWarning(Warning):
    """PyTorch's warning of a saved module whose source has changed; files here hold no source."""


def _byte_order(reader: ArchiveReader, default: str) -> str:
    if not reader.has("byteorder"):
        return default
    order = reader.read("byteorder").decode(errors="backslashreplace")
    if order not in ("little", "big"):
        raise ValueError(f"Unknown endianness type: {order}")
    return order


class StorageReader:
    """Finds the storages that a pickle refers to; each is read once."""

    def __init__(
        self,
        reader: ArchiveReader,
        restore: Callable,
        mapped: UntypedStorage | None,
        default_order: str,
    ) -> None:
        self.reader = reader
        self.restore = restore
        self.mapped = mapped
        self.loaded: dict[str, UntypedStorage] = {}
        self.swap = _byte_order(reader, default_order) != sys.byteorder

    def __call__(self, pid: tuple) -> TypedStorage:
        if type(pid) is not tuple or len(pid) != 5:
            raise pickle.UnpicklingError(f"a storage has 5 properties, but got {len(pid)}")
        _, kind, key, location, numel = pid
        key = text_of(key)
        dtype = _dtype.uint8 if kind is UntypedStorage else getattr(kind, "dtype", None)
        if not isinstance(dtype, _dtype.dtype) or type(numel) is not int or numel < 0:
            raise pickle.UnpicklingError(f"not a storage: {type(kind)} with {numel!s:.20} elements")
        nbytes = numel * dtype.itemsize
        if key not in self.loaded:
            untyped = self._read(f"data/{key}", nbytes)
            if self.swap:
                untyped.byteswap(dtype)
            self.loaded[key] = self.restore(untyped, text_of(location))
        untyped = self.loaded[key]
        if untyped.nbytes() != nbytes:
            raise pickle.UnpicklingError(
                f"storage {key} has {untyped.nbytes()} bytes, but {nbytes} are asked for"
            )
        return TypedStorage(wrap_storage=untyped, dtype=dtype)

    def _read(self, name: str, nbytes: int) -> UntypedStorage:
        if options.skip_data:
            return UntypedStorage(nbytes)
        if self.mapped is None:
            return UntypedStorage._of(self.reader.read_storage(name, nbytes))
        start = self.reader.offset(name, nbytes)
        if start + nbytes > self.mapped.nbytes():
            raise RuntimeError(f"storage {name} reaches past the end of the file")
        return self.mapped[start : start + nbytes]


def text_of(value: Any) -> str:
    """A name in a file, which Python 2 wrote as bytes."""
    if not isinstance(value, (str, bytes)):
        raise pickle.UnpicklingError(f"a name is a {type(value)}")
    return value.decode("ascii") if isinstance(value, bytes) else value


def location_tag(storage: UntypedStorage | TypedStorage) -> str:
    """The name that a file has for the device of a storage.

    >>> import retrograd as torch
    >>> torch.serialization.location_tag(torch.ones(2).untyped_storage())
    'cpu'
    """
    return str(storage.device)


def default_restore_location(storage: UntypedStorage, location: str) -> UntypedStorage:
    """The storage, which lies on the CPU, at the place that a file names.

    Raises RuntimeError for places other than the CPU and "meta".

    >>> import retrograd as torch
    >>> storage = torch.ones(2).untyped_storage()
    >>> torch.serialization.default_restore_location(storage, "cpu") is storage
    True
    """
    kind = location.partition(":")[0]
    if kind == "cuda":
        raise RuntimeError(
            "Attempting to deserialize object on a CUDA device but torch.cuda.is_available() is "
            "False. If you are running on a CPU-only machine, please use torch.load with "
            "map_location=torch.device('cpu') to map your storages to the CPU."
        )
    if kind == "meta":
        return UntypedStorage(storage.nbytes(), device="meta")
    if kind != "cpu":
        raise RuntimeError(
            "don't know how to restore data location of torch.storage.UntypedStorage "
            f"(tagged with {location})"
        )
    return storage


class FromMapLocation(Exception):
    """An exception of the program's own `map_location`, which says nothing about the file."""

    def __init__(self, error: Exception) -> None:
        super().__init__(error)
        self.error = error


def restorer(map_location: Any) -> Callable[[UntypedStorage, str], UntypedStorage]:
    """A function that puts a storage where `map_location` says."""
    place = default_restore_location
    if map_location is None:
        return place
    if isinstance(map_location, dict):
        return lambda storage, location: place(storage, map_location.get(location, location))
    if isinstance(map_location, (str, bytes, device)):
        return lambda storage, location: place(storage, text_of(str(map_location)))

    def by_function(storage: UntypedStorage, location: str) -> UntypedStorage:
        try:
            result = map_location(storage, location)
            if not isinstance(result, (UntypedStorage, type(None))):
                raise TypeError("map_location must return a storage or None, but got "
                                f"{type(result)}")
        except Exception as error:
            raise FromMapLocation(error) from error
        return place(storage, location) if result is None else result

    return by_function


def explain(message: str) -> str:
    """What a refusal means, and what can be done."""
    if re.search(r"GLOBAL (\S+) was not an allowed global by default.", message):
        message = (
            "Weights only load failed. This file can still be loaded, to do so you have two "
            "options, \033[1mdo those steps only if you trust the source of the checkpoint"
            f"\033[0m. \n\t(1) {UNSAFE_MESSAGE}\n\t(2) Alternatively, to load with "
            "`weights_only=True` please check the recommended steps in the following error "
            f"message.\n\tWeightsUnpickler error: {message}"
        )
    elif re.search(r"whose module (\S+) is blocked", message):
        message = f"Weights only load failed. {UNSAFE_MESSAGE}\n\n\n{message}"
    else:
        message = (
            f"Weights only load failed. {UNSAFE_MESSAGE}\n"
            "Please file an issue with the following so that we can make `weights_only=True` "
            "compatible with your use case: WeightsUnpickler error: \n\n" + message
        )
    return message + _DOCS


# ------------------------------------------------------------------------------ formats


def starts(file: IO[bytes], n: int) -> bytes:
    """What follows in a file, up to n bytes, without moving there."""
    start = file.tell()
    magic = file.read(n)
    file.seek(start)
    return magic


def is_zipfile(file: IO[bytes]) -> bool:
    return starts(file, 4) == b"PK\x03\x04"


def is_tar(file: IO[bytes]) -> bool:
    """Whether it is a file of PyTorch before version 0.1.10."""
    return starts(file, 262)[257:] == b"ustar"


def no_tar(weights_only: bool) -> Exception:
    """The error for such a file."""
    if weights_only:
        return RuntimeError("Cannot use ``weights_only=True`` with files saved in the legacy .tar "
                            f"format. {UNSAFE_MESSAGE}")
    return NotImplementedError("load: files of the legacy .tar format are not supported")


def load_safetensors(path: str) -> dict[str, Tensor]:
    """What the library safetensors reads from a file, as Tensors."""
    try:
        from safetensors.numpy import load_file
    except ImportError as error:
        raise RuntimeError(
            "Attempting to load a safetensors file but safetensors is not installed. "
            "Please install safetensors with: pip install safetensors"
        ) from error
    return {name: wrap(array) for name, array in load_file(path).items()}
