"""Pipes of files: their paths, the open files, what is read from them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatch
from typing import Any

from .datapipe import IterDataPipe, functional_datapipe

__all__ = ["FileLister", "FileOpener", "StreamReader", "StreamWrapper"]


class StreamWrapper:
    """A file that is closed when nothing refers to it any more.

    >>> import io
    >>> from retrograd.utils.data.datapipes.utils.common import StreamWrapper
    >>> stream = StreamWrapper(io.StringIO("text"), name="a")
    >>> stream.read()
    'text'
    """

    def __init__(self, file_obj: Any, parent_stream: Any = None, name: str | None = None) -> None:
        if parent_stream is not None and not isinstance(parent_stream, StreamWrapper):
            raise RuntimeError("Parent stream should be StreamWrapper, "
                               f"{type(parent_stream)} was given")
        self.file_obj, self.parent_stream, self.name = file_obj, parent_stream, name
        self.closed = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["file_obj"], name)

    def __iter__(self) -> Iterator:
        return iter(self.file_obj)

    def __next__(self) -> Any:
        return next(self.file_obj)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *dir(self.file_obj)]

    def close(self, *args: Any, **kwargs: Any) -> None:
        """Close the file."""
        if not self.closed:
            self.closed = True
            self.file_obj.close(*args, **kwargs)

    def __del__(self) -> None:
        if not self.__dict__.get("closed", True):
            self.close()

    def __repr__(self) -> str:
        return f"StreamWrapper<{repr(self.file_obj) if self.name is None else self.name}>"

    def __getstate__(self) -> Any:
        return self.file_obj

    def __setstate__(self, file_obj: Any) -> None:
        self.__init__(file_obj)


class _WithLength(IterDataPipe):
    """A pipe whose length is known if the program says it: -1 for no."""

    length: int

    def __len__(self) -> int:
        if self.length == -1:
            raise TypeError(f"{type(self).__name__} instance doesn't have valid length")
        return self.length


@functional_datapipe("list_files")
class FileListerIterDataPipe(_WithLength):
    """The paths of the files in folders.

    root is a folder (or file), several, or a pipe of them; masks are patterns as of a shell, one
    of which a file's name must match; recursive goes into subfolders. The order is that of the
    names unless non_deterministic.

    With `abspath` the paths are absolute. `length` is what len() says; by default it raises
    TypeError, as their number is not known before.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "a.txt"), "w") as file:
    ...     _ = file.write("text")
    >>> from retrograd.utils.data.datapipes.iter import FileLister
    >>> [os.path.basename(path) for path in FileLister(folder)]
    ['a.txt']
    """

    def __init__(self, root: str | Sequence[str] | IterDataPipe = ".",
                 masks: str | list[str] = "", *, recursive: bool = False, abspath: bool = False,
                 non_deterministic: bool = False, length: int = -1) -> None:
        self.datapipe: Iterable[str] = [root] if isinstance(root, str) else root
        self.masks = [masks] if isinstance(masks, str) else masks
        self.recursive, self.abspath = recursive, abspath
        self.non_deterministic, self.length = non_deterministic, length

    def _fits(self, name: str) -> bool:
        return not any(self.masks) or any(fnmatch(name, mask) for mask in self.masks)

    def __iter__(self) -> Iterator[str]:
        for root in self.datapipe:
            if os.path.isfile(root) and self._fits(os.path.basename(root)):
                yield os.path.abspath(root) if self.abspath else root
            for folder, folders, names in os.walk(root):        # none for a file
                if not self.non_deterministic:
                    folders.sort()
                    names.sort()
                place = os.path.abspath(folder) if self.abspath else folder
                yield from (os.path.join(place, name) for name in names if self._fits(name))
                if not self.recursive:
                    break


@functional_datapipe("open_files")
class FileOpenerIterDataPipe(_WithLength):
    """Pairs of a path and the file open for reading, in a mode such as "rb".

    `encoding` is that of text, `length` as in FileLister. Raises ValueError for another mode than
    reading, and for the encoding of bytes; TypeError for a path that is no string.

    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> with open(os.path.join(folder, "a.txt"), "w") as file:
    ...     _ = file.write("text")
    >>> from retrograd.utils.data.datapipes.iter import FileLister, FileOpener
    >>> [opened.read() for path, opened in FileOpener(FileLister(folder))]
    ['text']
    """

    def __init__(self, datapipe: Iterable[str], mode: str = "r", encoding: str | None = None,
                 length: int = -1) -> None:
        if mode not in ("b", "t", "rb", "rt", "r"):
            raise ValueError(f"Invalid mode {mode}")
        if "b" in mode and encoding is not None:
            raise ValueError("binary mode doesn't take an encoding argument")
        self.datapipe, self.mode, self.encoding, self.length = datapipe, mode, encoding, length

    def __iter__(self) -> Iterator[tuple[str, StreamWrapper]]:
        mode = self.mode if "r" in self.mode else "r" + self.mode
        for path in self.datapipe:
            if not isinstance(path, str):
                raise TypeError(f"Expected string type for pathname, but got {type(path)}")
            yield path, StreamWrapper(open(path, mode, encoding=self.encoding))


@functional_datapipe("read_from_stream")
class StreamReaderIterDataPipe(IterDataPipe):
    """Pairs of a name and what is read from its stream: all, or `chunk` characters at a time.

    Bytes, where the stream was opened for bytes.

    >>> import io
    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper, StreamReader
    >>> list(StreamReader(IterableWrapper([("a", io.StringIO("text"))], deepcopy=False), chunk=2))
    [('a', 'te'), ('a', 'xt')]
    """

    def __init__(self, datapipe: Iterable[tuple[str, Any]], chunk: int | None = None) -> None:
        self.datapipe, self.chunk = datapipe, chunk

    def __iter__(self) -> Iterator[tuple[str, Any]]:
        for name, stream in self.datapipe:
            while data := stream.read(self.chunk):
                yield name, data
            stream.close()


FileLister, FileOpener = FileListerIterDataPipe, FileOpenerIterDataPipe
StreamReader = StreamReaderIterDataPipe
