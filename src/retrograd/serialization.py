"""save and load: files in PyTorch's own format, both ways."""

from __future__ import annotations

import io
import operator
import os
import pickle
import sys
import warnings
from _codecs import encode
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FunctionType
from typing import IO, Any

import numpy as np

from . import _attributes, _dtype, _tensor, _utils
from ._archive import ArchiveReader, ArchiveWriter
from ._attributes import Size, device, layout, memory_format
from ._file_options import (
    MAP_SHARED,
    LoadEndianness,
    get_crc32_options,
    get_default_load_endianness,
    get_default_mmap_options,
    options,
    set_crc32_options,
    set_default_load_endianness,
    set_default_mmap_options,
    skip_data,
)
from ._loading import (
    FromMapLocation,
    SourceChangeWarning,
    StorageReader,
    default_restore_location,
    explain,
    is_tar,
    is_zipfile,
    load_safetensors,
    location_tag,
    no_tar,
    restorer,
    starts,
)
from ._old_files import load_old, save_old
from ._tensor import Tensor
from ._unpickler import (
    Unpickler,
    add_user_globals,
    file_module,
    new_name,
    own_module,
    remove_user_globals,
    user_globals,
)
from .random import Generator
from .storage import TypedStorage, UntypedStorage, storage_name

__all__ = [
    "LoadEndianness",
    "SourceChangeWarning",
    "add_safe_globals",
    "clear_safe_globals",
    "default_restore_location",
    "get_crc32_options",
    "get_default_load_endianness",
    "get_default_mmap_options",
    "get_safe_globals",
    "get_unsafe_globals_in_checkpoint",
    "load",
    "location_tag",
    "safe_globals",
    "save",
    "set_crc32_options",
    "set_default_load_endianness",
    "set_default_mmap_options",
    "skip_data",
]

DEFAULT_PROTOCOL = 2
MAP_LOCATION = Callable[[Any, str], Any] | device | str | dict[str, str] | None    # an annotation


class StorageType:
    """A storage class in a file, which stands for a dtype."""

    def __init__(self, dtype: Any) -> None:
        self.name = storage_name(dtype)
        self.dtype = dtype

    def __repr__(self) -> str:
        return f"StorageType(dtype={self.dtype})"

    def __reduce__(self) -> tuple:
        return StorageType, (self.dtype,)


_STORAGE_TYPES = {storage_name(d): StorageType(d) for d in _dtype.ALL}


# ------------------------------------------------------------------------------ what is safe


def add_safe_globals(safe_globals: list[Any]) -> None:
    """Let `load(weights_only=True)` use further classes and functions.

    Args:
        safe_globals: classes, functions, or pairs of one and its full name in files.

    >>> import retrograd as torch
    >>> from fractions import Fraction
    >>> torch.serialization.add_safe_globals([Fraction])
    >>> Fraction in torch.serialization.get_safe_globals()
    True
    >>> torch.serialization.clear_safe_globals()
    """
    add_user_globals(safe_globals)


def get_safe_globals() -> list[Any]:
    """What `add_safe_globals` has added.

    >>> import retrograd as torch
    >>> torch.serialization.get_safe_globals()
    []
    """
    return user_globals()


def clear_safe_globals() -> None:
    """Take back all of `add_safe_globals`.

    >>> import retrograd as torch
    >>> from fractions import Fraction
    >>> torch.serialization.add_safe_globals([Fraction])
    >>> torch.serialization.clear_safe_globals()
    >>> torch.serialization.get_safe_globals()
    []
    """
    remove_user_globals(user_globals())


class safe_globals:
    """`add_safe_globals` for the length of a with statement.

    >>> import retrograd as torch
    >>> from fractions import Fraction
    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save({"rate": Fraction(1, 3)}, file)
    >>> _ = file.seek(0)
    >>> with torch.serialization.safe_globals([Fraction]):
    ...     torch.load(file)
    {'rate': Fraction(1, 3)}
    """

    def __init__(self, safe_globals: list[Any]) -> None:
        self.safe_globals = safe_globals

    def __enter__(self) -> None:
        add_user_globals(self.safe_globals)

    def __exit__(self, *exc: object) -> None:
        remove_user_globals(self.safe_globals)


def _get_layout(name: str) -> layout:
    """The layout that prints as `name`."""
    found = getattr(_attributes, name.removeprefix("torch."), None)
    if not isinstance(found, layout):
        raise pickle.UnpicklingError(f"unknown layout {name}")
    return found


def _allowed_globals() -> dict[str, Any]:
    """The names that data needs."""
    from .nn.parameter import Parameter

    allowed: dict[str, Any] = {
        "_codecs.encode": encode,
        "builtins.bytearray": bytearray,
        "builtins.complex": complex,
        "builtins.set": set,
        "collections.Counter": Counter,
        "collections.OrderedDict": OrderedDict,
        "torch.Size": Size,
        "torch.Tensor": Tensor,
        "torch._tensor._rebuild_from_type_v2": _tensor._rebuild_from_type_v2,
        "torch.device": device,
        "torch.nn.parameter.Parameter": Parameter,
        "torch.serialization._get_layout": _get_layout,
        "torch.storage.UntypedStorage": _STORAGE_TYPES["ByteStorage"],
    }
    allowed.update({f"torch.{d.name}": d for d in _dtype.ALL})
    allowed.update({f"torch.{name}": kind for name, kind in _STORAGE_TYPES.items()})
    for function in (
        _utils._rebuild_parameter,
        _utils._rebuild_parameter_with_state,
        _utils._rebuild_tensor,
        _utils._rebuild_tensor_v2,
        _utils._rebuild_tensor_v3,
        _utils._rebuild_meta_tensor_no_storage,
        _utils._rebuild_sparse_tensor,
        _utils._rebuild_wrapper_subclass,
    ):
        allowed[f"torch._utils.{function.__name__}"] = function
    return allowed


def get_unsafe_globals_in_checkpoint(f: Any) -> list[str]:
    """The names in a file that `weights_only=True` would refuse.

    >>> import retrograd as torch
    >>> from fractions import Fraction
    >>> import io
    >>> file = io.BytesIO()
    >>> torch.save(Fraction(1, 3), file)
    >>> _ = file.seek(0)
    >>> torch.serialization.get_unsafe_globals_in_checkpoint(file)
    ['fractions.Fraction']
    """
    import pickletools

    with _opened(f, "rb") as file:
        data = ArchiveReader(file).read("data.pkl")
    names = {
        ".".join(new_name(*arg.split(" ", 1)))
        for code, arg, _ in pickletools.genops(data)
        if code.name == "GLOBAL" and isinstance(arg, str)
    }
    known = {*_allowed_globals(), *(f"{g.__module__}.{g.__qualname__}" for g in user_globals())}
    return sorted(names - known)


# ------------------------------------------------------------------------------ save


class _Pickler(pickle._Pickler):  # type: ignore[name-defined]
    """Pickles under PyTorch's names, with storages set aside for records of their own."""

    def __init__(self, file: IO[bytes], protocol: int) -> None:
        super().__init__(file, protocol)
        self.storages: dict[tuple, tuple[str, Any, np.ndarray]] = {}

    def persistent_id(self, obj: Any) -> tuple | None:
        return _persistent_id(self.storages, obj)

    def reducer_override(self, obj: Any) -> Any:
        if type(obj) is Tensor:
            return _utils.reduce_as_pytorch(obj)
        if isinstance(obj, (_dtype.dtype, memory_format)):
            return obj.name
        if type(obj) is Size:
            return Size, (tuple(obj),)
        if type(obj) is device:
            return device, (str(obj),)
        if type(obj) is layout:
            return _get_layout, (str(obj),)
        if type(obj) is StorageType:
            return obj.name
        if isinstance(obj, Generator):
            return Generator, (obj.device,), (obj.initial_seed(), None, obj.get_state())
        if type(obj).__module__ == "torch.return_types":
            return type(obj), (tuple(obj),)
        return NotImplemented

    def save_global(self, obj: Any, name: str | None = None) -> None:
        called = name or getattr(obj, "__qualname__", "")
        module = file_module(_home(obj, called))
        if type(obj) is StorageType:
            module = "torch"
        if not (module == "torch" or module.startswith("torch.")):
            try:
                super().save_global(obj, name)
            except pickle.PicklingError:
                pickle.dumps(obj)         # PyTorch's pickler, written in C, raises another error
                raise
            return
        owner, dot, method = called.rpartition(".")
        if dot and "<locals>" not in owner:
            holder = operator.attrgetter(owner)(sys.modules[obj.__module__])
            self.save_reduce(getattr, (holder, method), obj=obj)
            return
        self.write(pickle.GLOBAL + f"{module}\n{called}\n".encode())
        self.memoize(obj)

    dispatch = {**pickle._Pickler.dispatch, FunctionType: save_global}  # type: ignore[assignment]


def _home(obj: Any, name: str) -> str:
    """The module of a class or function; of a class in a file of ours the one that shows it."""
    module = getattr(obj, "__module__", None) or ""
    public = module.partition("._")[0]
    if public in (module, "retrograd") or not isinstance(obj, type):
        return module
    shown = (m for m in sys.modules if f"{m}.".startswith(f"{public}.") and "._" not in m)
    return next((m for m in shown if getattr(sys.modules[m], name, None) is obj), module)


def _persistent_id(storages: dict, obj: Any) -> tuple | None:
    """For a storage, how the file refers to it; it is noted in `storages`."""
    if isinstance(obj, UntypedStorage):
        untyped, dtype, size, kind = obj, None, obj.nbytes(), UntypedStorage
    elif isinstance(obj, TypedStorage):
        untyped, dtype, size = obj._untyped_storage, obj.dtype, obj.size()
        kind = _STORAGE_TYPES[storage_name(dtype)]
    else:
        return None
    place = untyped._cdata, untyped.nbytes()
    key, known, _ = storages.setdefault(place, (str(len(storages)), dtype, untyped._bytes))
    if untyped.nbytes() and known is not dtype:
        raise RuntimeError(
            "Cannot save multiple tensors or storages that view the same data as different types"
        )
    return "storage", kind, key, "cpu", size


def _old_persistent_id(storages: dict, obj: Any) -> tuple | None:
    """The same in the older format, whose storages all have a dtype."""
    if isinstance(obj, UntypedStorage):
        obj = TypedStorage(wrap_storage=obj, dtype=_dtype.uint8)
    new = _persistent_id(storages, obj)
    return new and (*new, None)     # None: the storage is not a part of another


def save(
    obj: Any,
    f: Any,
    pickle_module: Any = pickle,
    pickle_protocol: int = DEFAULT_PROTOCOL,
    _use_new_zipfile_serialization: bool = True,
    _disable_byteorder_record: bool = False,
) -> None:
    """Write an object to a file that PyTorch reads, too.

    Tensors that share memory share it again when they are loaded.

    Args:
        obj: Tensors, state dictionaries, Modules, and what else pickle can write.
        f: a path or a file open for writing.
        pickle_module: a replacement for pickle; under another one, retrograd's own functions keep
            their own names, which only retrograd reads.
        pickle_protocol: of the pickle inside.
        _use_new_zipfile_serialization: False writes the format of PyTorch before version 1.6.

    Raises:
        RuntimeError: the folder does not exist, or memory is saved as two dtypes.
        AttributeError: `f` cannot be written to.

    >>> import io
    >>> import retrograd as torch
    >>> file = io.BytesIO()
    >>> torch.save({"w": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'w': tensor([1., 1.])}
    """
    data = io.BytesIO()
    if pickle_module is pickle:
        pickler: Any = _Pickler(data, pickle_protocol)
        storages = pickler.storages
    else:
        storages = {}
        pickler = _pickler_of(pickle_module, storages)(data, protocol=pickle_protocol)
    if not _use_new_zipfile_serialization:
        pickler.persistent_id = lambda obj: _old_persistent_id(storages, obj)
    with _opened(f, "wb") as file:
        pickler.dump(obj)
        if not _use_new_zipfile_serialization:
            save_old(file, data.getvalue(), storages.values(), pickle_protocol)
        else:
            archive = ArchiveWriter(file, _folder(f))
            byte_order = None if _disable_byteorder_record else sys.byteorder
            try:
                _write_archive(archive, data.getvalue(), storages, byte_order)
            except BaseException:
                archive.abandon()
                raise
        if hasattr(file, "flush"):
            file.flush()


def _write_archive(archive: ArchiveWriter, pickled: bytes, storages: dict, order: str | None):
    archive.write("data.pkl", pickled)
    archive.write(".format_version", b"1")
    archive.write(".storage_alignment", b"64")
    if order is not None:
        archive.write("byteorder", order.encode())
    for key, _, bytes_ in storages.values():
        archive.write(f"data/{key}", np.zeros_like(bytes_) if options.skip_data else bytes_)
    archive.close()


def _folder(f: Any) -> str:
    """The folder in the archive: a file's name without its ending."""
    if not isinstance(f, (str, os.PathLike)):
        return "archive"
    return os.path.splitext(os.path.basename(os.fspath(f)))[0]


def _pickler_of(pickle_module: Any, storages: dict) -> type:
    class Pickler(pickle_module.Pickler):
        def persistent_id(self, obj: Any) -> tuple | None:
            return _persistent_id(storages, obj)

    return Pickler


@contextmanager
def _opened(f: Any, mode: str) -> Iterator[Any]:
    """A path opened, or the file it already is."""
    if isinstance(f, (str, os.PathLike)):
        path = os.fspath(f)
        folder = os.path.dirname(path)
        if mode == "wb" and folder and not os.path.isdir(folder):
            raise RuntimeError(f"Parent directory {folder} does not exist.")
        with open(path, mode) as file:
            yield file
        return
    if mode == "wb" and not hasattr(f, "write"):
        raise AttributeError(
            "expected 'f' to be string, path, or a file-like object with a 'write' attribute"
        )
    if mode == "rb":
        for attribute in ("seek", "tell", "read"):
            if not hasattr(f, attribute):
                raise AttributeError(
                    f"'{type(f).__name__}' object has no attribute '{attribute}'. You can only "
                    "torch.load from a file that is seekable. Please pre-load the data into a "
                    "buffer like io.BytesIO and try to load from it instead."
                )
    yield f


# ------------------------------------------------------------------------------ load


def load(
    f: Any,
    map_location: Any = None,
    pickle_module: Any = None,
    *,
    weights_only: bool | None = None,
    mmap: bool | None = None,
    **pickle_load_args: Any,
) -> Any:
    """Read what `save`, here or in PyTorch, has written.

    Args:
        f: a path or a file open for reading; `.safetensors` files are read by that library.
        map_location: "cpu", a device, a dict of locations, or a function of storage and location;
            needed for files saved on other devices.
        pickle_module: a replacement for pickle, with `weights_only=False`.
        weights_only: build nothing but data (the default, unless `pickle_module` is given);
            with False, the file can run any code.
        mmap: map the storages of a file into memory instead of reading them.
        pickle_load_args: arguments of the unpickler, such as `encoding`.

    Raises:
        pickle.UnpicklingError: the file asks for more than `weights_only` allows.
        RuntimeError: a damaged file, or one from another device without `map_location`.

    >>> import io
    >>> import retrograd as torch
    >>> file = io.BytesIO()
    >>> torch.save({"weight": torch.ones(2)}, file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    {'weight': tensor([1., 1.])}
    """
    weights_only = _decide_weights_only(weights_only, pickle_module)
    if weights_only and pickle_module is not None:
        raise RuntimeError(
            "Can not safely load weights when explicit pickle_module is specified"
        )
    if weights_only and pickle_load_args:
        warnings.warn("pickle_load_args only works if `weights_only=False`.", stacklevel=2)
        for name in pickle_load_args.keys() - {"encoding"}:
            raise TypeError(f"Unpickler.__init__() got an unexpected keyword argument '{name}'")
    if isinstance(f, (str, os.PathLike)) and os.fspath(f).endswith(".safetensors"):
        return load_safetensors(os.fspath(f))
    pickle_load_args.setdefault("encoding", "utf-8")
    with _opened(f, "rb") as file:
        unpickle = _unpickling(weights_only, pickle_module or pickle, pickle_load_args)
        if not starts(file, 1):
            raise EOFError("" if weights_only else "Ran out of input")
        try:
            if is_tar(file):
                raise no_tar(weights_only)
            return _load_with(unpickle, f, file, restorer(map_location), mmap)
        except FromMapLocation as error:
            raise error.error from None
        except pickle.UnpicklingError as error:
            if not weights_only:
                raise
            raise pickle.UnpicklingError(explain(str(error))) from error.__cause__


def _unpickling(weights_only: bool, pickle_module: Any, arguments: dict[str, Any]) -> Callable:
    """A function of (pickled bytes, storages) that builds the object."""
    if not weights_only:
        return partial(_unpickle_anything, pickle_module=pickle_module, args=arguments)
    allowed = _allowed_globals()
    return lambda data, storages: Unpickler(data, allowed, storages, arguments["encoding"]).load()


def _load_with(unpickle: Callable, f: Any, file: IO[bytes], restore: Callable, mmap: Any) -> Any:
    """Read an open file of either format."""
    is_path = isinstance(f, (str, os.PathLike))
    if not is_zipfile(file):
        if mmap:
            name = f"{f}, " if isinstance(f, str) else ""
            raise RuntimeError(
                f"mmap can only be used with files saved with `torch.save({name}"
                "_use_new_zipfile_serialization=True), please torch.save your checkpoint with "
                "this option in order to use mmap."
            )
        return load_old(file, unpickle, restore)
    if mmap and not is_path:
        raise ValueError("f must be a file path in order to use the mmap argument")
    reader = ArchiveReader(file)
    if reader.has("constants.pkl"):
        raise NotImplementedError("load: TorchScript archives are not supported")
    shared = MAP_SHARED is not None and options.mmap_flags == MAP_SHARED
    mapped = UntypedStorage.from_file(f, shared) if mmap else None
    default = options.endianness or LoadEndianness.LITTLE
    order = sys.byteorder if default is LoadEndianness.NATIVE else default.name.lower()
    storages = StorageReader(reader, restore, mapped, order)
    return unpickle(io.BytesIO(reader.read("data.pkl")), storages)


def _decide_weights_only(weights_only: bool | None, pickle_module: Any) -> bool:
    """The argument, its default, and the environment variables that overrule them."""
    force, forbid = (
        os.getenv(f"TORCH_FORCE_{which}WEIGHTS_ONLY_LOAD", "0").lower() in ("1", "y", "yes", "true")
        for which in ("", "NO_")
    )
    if force and forbid:
        raise RuntimeError(
            "Only one of `TORCH_FORCE_WEIGHTS_ONLY_LOAD` or `TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD` "
            "should be set, but both were set."
        )
    if force:
        return True
    if weights_only is not None:
        return weights_only
    if forbid:
        warnings.warn(
            "Environment variable TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD detected, since the"
            "`weights_only` argument was not explicitly passed to `torch.load`, forcing "
            "weights_only=False.",
            UserWarning,
            stacklevel=3,
        )
        return False
    return pickle_module is None


def _unpickle_anything(data: IO[bytes], storages: Any, pickle_module: Any, args: dict) -> Any:
    class AnyUnpickler(pickle_module.Unpickler):
        def find_class(self, module: str, name: str) -> Any:
            if module.partition(".")[0] == "torch" and name in _STORAGE_TYPES:
                return _STORAGE_TYPES[name]
            if sys.modules.get("torch") is not sys.modules["retrograd"]:
                module = own_module(module)     # else what pickle_module allows says torch.X, too
            return super().find_class(module, name)

        def persistent_load(self, pid: tuple) -> TypedStorage:
            return storages(pid)

    return AnyUnpickler(data, **args).load()
