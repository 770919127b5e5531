"""The zip archives that torch.save writes: uncompressed records in one folder."""

from __future__ import annotations

import struct
import zipfile
import zlib
from typing import IO, Any

import numpy as np

from ._file_options import MOST_EXPANDED, MOST_RATIO

ALIGNMENT = 64  # of each storage in the file, so that it can be mapped into memory
UNREADABLE = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, OSError,
              ValueError)      # what zipfile raises of a damaged archive
LOCAL_HEADER = 30  # bytes before a record's name
_DATE = (1980, 1, 1, 0, 0, 0)
_DAMAGED = (
    "This is an internal miniz error. If you are seeing this error, there is a high likelihood "
    "that your checkpoint file is corrupted. This can happen if the checkpoint was not saved "
    "properly, was transferred incorrectly, or the file was modified after saving."
)


class _Forward:
    """A file that can only be written to, from where it stands: a pipe, or a compressed file."""

    def __init__(self, file: IO[bytes]) -> None:
        self.file, self.size = file, 0

    def write(self, data: Any) -> int:
        self.file.write(data)
        self.size += len(data)
        return len(data)

    def tell(self) -> int:
        return self.size

    def flush(self) -> None:
        pass


class ArchiveWriter:
    """Writes records, each aligned, into a new archive."""

    def __init__(self, file: IO[bytes], folder: str) -> None:
        self.file = _Forward(file)
        self.zip = zipfile.ZipFile(self.file, "w", zipfile.ZIP_STORED)  # type: ignore[arg-type]
        self.folder = folder
        self.checksum = 0

    def write(self, name: str, data: Any) -> None:
        """Add a record of bytes or of a byte array."""
        view = memoryview(data)
        info = zipfile.ZipInfo(f"{self.folder}/{name}", _DATE)
        info.file_size = view.nbytes
        large = view.nbytes >= 1 << 31
        # header, name, extra field (4 bytes and a padding), size of large ones: then come the data
        start = self.file.size + LOCAL_HEADER + len(info.filename.encode()) + 4 + 20 * large
        padding = -start % ALIGNMENT
        info.extra = b"FB" + struct.pack("<H", padding) + b"Z" * padding
        with self.zip.open(info, "w", force_zip64=large) as record:
            record.write(view)
        self.checksum = zlib.crc32(f"{name} {info.CRC}".encode(), self.checksum)

    def close(self) -> None:
        self.write("version", b"3\n")
        self.write(".data/serialization_id", f"{self.checksum:040d}".encode())
        self.zip.close()

    def abandon(self) -> None:
        """Write nothing more, not even the end that ZipFile writes when it is deleted."""
        self.zip.fp = None


class _Seekable:
    """A file of which only read, seek and tell are known."""

    def __init__(self, file: Any) -> None:
        self.read, self.seek, self.tell = file.read, file.seek, file.tell

    def seekable(self) -> bool:
        return True


class ArchiveReader:
    """Reads the records of an archive.

    Raises:
        RuntimeError: the archive is damaged, or not one of tensors.
    """

    def __init__(self, file: IO[bytes]) -> None:
        self.file: Any = file if hasattr(file, "seekable") else _Seekable(file)
        try:
            self.zip = zipfile.ZipFile(self.file)
        except UNREADABLE as error:
            raise RuntimeError(
                "PytorchStreamReader failed reading zip archive: failed finding central "
                f"directory. {_DAMAGED}"
            ) from error
        self._check_places()
        for info in self.zip.infolist():
            if info.CRC == 0:           # written without a checksum
                del info.CRC
        names = self.zip.namelist()
        if not names or "/" not in names[0]:
            raise RuntimeError(
                f"file in archive is not in a subdirectory: {names[0] if names else ''}"
            )
        self.folder = names[0].partition("/")[0]
        if not self.has("version"):
            raise RuntimeError('Expected hasRecord("version") to be true, but got false.')

    def _check_places(self) -> None:
        """Raise if records overlap or are compressed: a small file could then fill all memory."""
        end = packed = expanded = 0
        for info in sorted(self.zip.infolist(), key=lambda info: info.header_offset):
            if info.header_offset < end:
                raise RuntimeError(
                    f"PytorchStreamReader failed reading zip archive: record {info.filename} "
                    f"overlaps another one. {_DAMAGED}"
                )
            end = info.header_offset + LOCAL_HEADER + info.compress_size
            packed, expanded = packed + info.compress_size, expanded + info.file_size
        if end > self.zip.start_dir:
            raise RuntimeError(
                "PytorchStreamReader failed reading zip archive: a record reaches past the end. "
                + _DAMAGED
            )
        if expanded > max(MOST_EXPANDED, MOST_RATIO * packed):
            raise RuntimeError(
                f"records of {packed} bytes would become {expanded} bytes: "
                "more than a hundred times as many"
            )

    def has(self, name: str) -> bool:
        return f"{self.folder}/{name}" in self.zip.NameToInfo

    def _info(self, name: str) -> zipfile.ZipInfo:
        if not self.has(name):
            raise RuntimeError(
                f"PytorchStreamReader failed locating file {name}: file not found. {_DAMAGED}"
            )
        info = self.zip.getinfo(f"{self.folder}/{name}")
        if info.compress_type == zipfile.ZIP_STORED and info.file_size != info.compress_size:
            raise RuntimeError(f"PytorchStreamReader failed reading file {name}. {_DAMAGED}")
        return info

    def read(self, name: str) -> bytes:
        """A small record, whole."""
        return self._read_into(name, np.empty(self._info(name).file_size, np.uint8)).tobytes()

    def read_storage(self, name: str, nbytes: int) -> np.ndarray:
        """A record that must have this many bytes."""
        self._check_size(name, nbytes)
        return self._read_into(name, np.empty(nbytes, np.uint8))

    def _check_size(self, name: str, nbytes: int) -> None:
        size = self._info(name).file_size
        if size != nbytes:
            raise RuntimeError(
                f"record size ({size} bytes) does not match expected size "
                f"({nbytes} bytes = {nbytes} elements * 1 bytes/element) for dtype Byte"
            )

    def _read_into(self, name: str, array: np.ndarray) -> np.ndarray:
        info = self._info(name)
        view, done = memoryview(array), 0
        try:
            with self.zip.open(info) as record:
                while done < len(view) and (n := record.readinto(view[done:])):
                    done += n
        except UNREADABLE as error:
            raise RuntimeError(
                f"PytorchStreamReader failed reading file {name}: {error}. {_DAMAGED}"
            ) from error
        if done != len(view):
            raise RuntimeError(f"PytorchStreamReader failed reading file {name}. {_DAMAGED}")
        return array

    def offset(self, name: str, nbytes: int) -> int:
        """Where the data of an uncompressed record of this many bytes begins in the file."""
        self._check_size(name, nbytes)
        info = self._info(name)
        if info.compress_type != zipfile.ZIP_STORED:
            raise RuntimeError(f"record {name} is compressed and cannot be mapped into memory")
        try:
            self.zip.open(info).close()             # which checks the header before the data
        except UNREADABLE as error:
            raise RuntimeError(
                f"PytorchStreamReader failed reading file {name}: {error}. {_DAMAGED}"
            ) from error
        self.file.seek(info.header_offset + 26)
        name_length, extra_length = struct.unpack("<HH", self.file.read(4))
        return info.header_offset + LOCAL_HEADER + name_length + extra_length
