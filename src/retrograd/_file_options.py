"""What a program can set for files: byte order, mapping, checksums, and leaving data out."""

from __future__ import annotations

import mmap
import threading
from enum import Enum
from typing import Any

# Windows has neither; there mapped files are always private.
MAP_PRIVATE: int | None = getattr(mmap, "MAP_PRIVATE", None)
MAP_SHARED: int | None = getattr(mmap, "MAP_SHARED", None)
# How large a file may become in memory: a hundred times its size, or 64 MiB.
MOST_RATIO, MOST_EXPANDED = 100, 64 << 20


class LoadEndianness(Enum):
    """The byte order of files that do not name theirs.

    >>> import retrograd as torch
    >>> [order.name for order in torch.serialization.LoadEndianness]
    ['NATIVE', 'LITTLE', 'BIG']
    """

    NATIVE = 1
    LITTLE = 2
    BIG = 3


class _Options(threading.local):
    """Those of the current thread."""

    def __init__(self) -> None:
        self.endianness: LoadEndianness | None = None
        self.mmap_flags = MAP_PRIVATE
        self.checksums = True
        self.skip_data = False


options = _Options()


def get_default_load_endianness() -> LoadEndianness | None:
    """What `set_default_load_endianness` was given; None means LITTLE.

    >>> import retrograd as torch
    >>> print(torch.serialization.get_default_load_endianness())
    None
    """
    return options.endianness


def set_default_load_endianness(endianness: LoadEndianness | None) -> None:
    """Choose the byte order of files that do not name theirs.

    >>> import retrograd as torch
    >>> torch.serialization.set_default_load_endianness(torch.serialization.LoadEndianness.BIG)
    >>> torch.serialization.get_default_load_endianness().name
    'BIG'
    >>> torch.serialization.set_default_load_endianness(None)
    """
    if not isinstance(endianness, LoadEndianness) and endianness is not None:
        raise TypeError("Invalid argument type in function set_default_load_endianness")
    options.endianness = endianness


def get_default_mmap_options() -> int | None:
    """What `set_default_mmap_options` was given: `mmap.MAP_PRIVATE` at first.

    >>> import retrograd as torch
    >>> import mmap
    >>> torch.serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    True
    """
    return options.mmap_flags


class set_default_mmap_options:
    """How `load(mmap=True)` maps: `mmap.MAP_PRIVATE` or `MAP_SHARED`, which writes back.

    Holds from the call on, or for the length of a with statement.

    >>> import retrograd as torch
    >>> import mmap
    >>> with torch.serialization.set_default_mmap_options(mmap.MAP_SHARED):
    ...     torch.serialization.get_default_mmap_options() == mmap.MAP_SHARED
    True
    """

    def __init__(self, flags: int) -> None:
        if MAP_SHARED is None:
            raise RuntimeError("Changing the default mmap options is currently not supported for "
                               "Windows")
        if flags not in (MAP_PRIVATE, MAP_SHARED):
            raise ValueError("Invalid argument in function set_default_mmap_options, expected "
                             f"mmap.MAP_PRIVATE or mmap.MAP_SHARED, but got {flags}")
        self._before, options.mmap_flags = options.mmap_flags, flags

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exc: object) -> None:
        options.mmap_flags = self._before


def get_crc32_options() -> bool:
    """What `set_crc32_options` was given.

    >>> import retrograd as torch
    >>> torch.serialization.get_crc32_options()
    True
    """
    return options.checksums


def set_crc32_options(compute_crc32: bool) -> None:
    """Remembered; checksums are always written, and files without any can be read.

    >>> import retrograd as torch
    >>> torch.serialization.set_crc32_options(False)
    >>> torch.serialization.get_crc32_options()
    False
    >>> torch.serialization.set_crc32_options(True)
    """
    options.checksums = compute_crc32


class skip_data:
    """Inside, `save` writes zeros for the elements of tensors, and `load` leaves them unread.

    materialize_fake_tensors: accepted; there are no fake tensors.

    >>> import retrograd as torch
    >>> import io
    >>> file = io.BytesIO()
    >>> with torch.serialization.skip_data():
    ...     torch.save(torch.ones(2), file)
    >>> _ = file.seek(0)
    >>> torch.load(file)
    tensor([0., 0.])
    """

    def __init__(self, materialize_fake_tensors: bool = False) -> None:
        self.materialize_fake_tensors = materialize_fake_tensors

    def __enter__(self) -> None:
        self._before, options.skip_data = options.skip_data, True

    def __exit__(self, *exc: Any) -> None:
        options.skip_data = self._before
