"""Lines of the user's own files: from a code object and an offset to file, line and source text.

What an error knows of a place is (code object, offset of the last instruction): 16 bytes that cost
100 ns to note. Here they become "train.py:41" and `opt.step()`, when somebody wants to read it.
"""

from __future__ import annotations

import inspect
import linecache
import os
import re
import site
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from types import CodeType, FrameType, TracebackType
from typing import Any

from .._callers import is_own
from ..autograd.engine import execute


def _library_folders() -> tuple[str, ...]:
    folders = {sysconfig.get_path(key) for key in ("stdlib", "platstdlib", "purelib", "platlib")}
    outer = {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}      # seen from a venv
    folders |= {sysconfig.get_path(key, vars=outer) for key in ("purelib", "platlib")}
    folders |= {*site.getsitepackages(), site.getusersitepackages()}
    return tuple(folder + os.sep for folder in folders if folder)


LIBRARIES = _library_folders()
CELL = re.compile(r"<ipython-input-(\d+)-|.*ipykernel_\d+[/\\]\d+\.py$")   # of a notebook


@dataclass(frozen=True)
class Place:
    """A line of a program: `file`, `line`, the statement's `text`, the `function` it is in."""

    file: str
    line: int
    text: str
    function: str = ""
    columns: tuple[int, int] | None = None       # of the expression, where it fits on the line

    def __str__(self):
        return self._text

    @cached_property
    def _text(self) -> str:                      # cached: it is the key of a line's passes
        return f"{short(self.file)}:{self.line}"

    def quoted(self) -> str:
        """The place and, on a line of its own, what stands there."""
        return f"{self}\n    {self.text}" if self.text else str(self)

    @property
    def expression(self) -> str:
        """The part of the line that ran, such as `y.add_(1)`; the whole line if that is unknown."""
        if self.columns is None:
            return self.text
        begin, end = self.columns
        line = linecache.getline(self.file, self.line).encode()
        return line[begin:end].decode(errors="replace") or self.text


def short(file: str) -> str:
    """A file's path from the current folder, where it lies in it."""
    return _short(file, os.getcwd())


@lru_cache(maxsize=256)
def _short(file: str, folder: str) -> str:
    if cell := CELL.match(file):
        return f"In[{cell[1]}]" if cell[1] else "cell"
    if file.startswith("<"):
        return file
    path = os.path.relpath(file, folder) if os.path.splitdrive(file)[0] == "" else file
    return file if path.startswith(os.pardir) else path


def place(code: CodeType, offset: int) -> Place:
    """The place of an instruction, given by its code object and offset (`f_lasti`)."""
    return _place(code.co_filename, code, offset)


@lru_cache(maxsize=1024)
def _place(file: str, code: CodeType, offset: int) -> Place:
    """place() by file name, too: code objects of two files are equal if their lines are."""
    line = next((n for start, end, n in code.co_lines() if start <= offset < end and n), None)
    line = line or code.co_firstlineno
    columns = None
    for k, (first, last, begin, end) in enumerate(code.co_positions()):
        if k == offset // 2 and first == last == line and begin is not None and end is not None:
            columns = begin, end
    text = linecache.getline(file, line).strip()
    return Place(file, line, text, code.co_name, columns)


def of_frame(frame: FrameType) -> Place:
    """Where a frame stands."""
    return place(frame.f_code, frame.f_lasti)


def of_traceback(trace: TracebackType) -> Place:
    """Where the frame of a traceback stood when the error went through it."""
    return place(trace.tb_frame.f_code, trace.tb_lasti)


def is_library(file: str) -> bool:
    """Whether a file is installed, not written by the user."""
    return is_own(file) or file.startswith("<frozen") or file.startswith(LIBRARIES)


def user_frames(frame: FrameType | None = None) -> list[FrameType]:
    """The frames of the user's files, innermost first; without any, those outside this package."""
    if frame is None:
        frame = sys._getframe(1)
    outside = [f for f in outwards(frame) if not is_own(f.f_code.co_filename)]
    return [f for f in outside if not is_library(f.f_code.co_filename)] or outside


def frame_of_pass() -> FrameType | None:
    """The engine's frame of the backward pass that this thread is in, also of a straight one."""
    return next((f for f in outwards(sys._getframe(1)) if f.f_code is execute.__code__), None)


def frames_of_pass() -> list[FrameType]:
    """The user's frames, from the one that called backward(): not those of custom Functions."""
    return user_frames(frame_of_pass() or sys._getframe(1))


def is_our_class(kind: type) -> bool:
    """Whether a class is one of this package; one of no file is the program's own."""
    try:
        return is_own(inspect.getfile(kind))
    except (OSError, TypeError):
        return False


def is_our_function(function: Callable[..., Any]) -> bool:
    """Whether a function is one of this package."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    return code is not None and is_own(code.co_filename)


def forget_locals(frames: Iterable[FrameType] | None = None) -> None:
    """Drop the copies of local variables that looking at them has left on the user's frames.

    Before Python 3.13 `frame.f_locals` is such a copy, and would keep a graph alive until its
    function returns. One that the program itself has asked for, by locals(), stays.
    """
    if sys.version_info >= (3, 13):
        return
    for frame in user_frames() if frames is None else frames:
        if frame.f_code.co_flags & inspect.CO_OPTIMIZED:
            copy = frame.f_locals
            if sys.getrefcount(copy) <= 3:           # the frame, `copy` and the call itself
                copy.clear()


def outwards(frame: FrameType | None) -> Iterator[FrameType]:
    """A frame and its callers."""
    while frame is not None:
        yield frame
        frame = frame.f_back
