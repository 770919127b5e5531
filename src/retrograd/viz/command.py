"""`retrograd graph script.py`: run a program, draw its last backward pass or where it failed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

from .failure import picture_of_failure, picture_of_unfinished
from .page import needs_layout
from .picture import Picture, form_of
from .recording import record


class Enough(BaseException):
    """Ends the program after the pass that was asked for."""


def check(output: str) -> None:
    """Before a long run: ValueError for an unknown kind of file, ImportError without its extra,
    NotADirectoryError where there is no folder to write to, PermissionError where it may not be.
    """
    folder = Path(output).parent
    if not folder.is_dir():
        raise NotADirectoryError(f"there is no folder {str(folder)!r} to write {output!r} to")
    if not os.access(output if Path(output).exists() else folder, os.W_OK):
        raise PermissionError(f"no permission to write {output!r}")
    if form_of(output) == "svg":
        needs_layout()


def draw(program: Callable[[], None], output: str, number: int | None = None) -> int:
    """Run `program` under a recording, then write its picture to `output`.

    number  the backward pass to draw, counted from 1, after which the program is stopped; None for
            the last one. A program that fails does so as usual, after the picture of where it
            stopped has been written. Returns the exit status: 1 if there was nothing to draw.
    """
    from .._run import NotStarted
    recorder = record(only=number)
    recorder.enough = _stop if number is not None else None
    target = Path(output).absolute()                # the program may change the folder
    try:
        with recorder:
            program()
    except Enough:
        pass
    except NotStarted:                              # which has said why there is nothing to draw
        raise
    except SystemExit:
        _write(_finished(recorder), target)
        raise
    except BaseException as error:                  # the error itself says why there is no picture
        stopped = isinstance(error, KeyboardInterrupt)
        picture = _finished(recorder) if stopped else picture_of_failure(error, recorder)
        if picture is not None:
            _write(picture, target)
        raise
    if number is not None and recorder.passes < number:
        print(f"retrograd graph: there is no backward pass number {number}: the last was number "
              f"{recorder.passes}", file=sys.stderr)
        return 1
    return _write(_finished(recorder), target)


def _stop() -> None:
    raise Enough


def _finished(recorder: record) -> Picture | None:
    """The picture of a program that came to its end."""
    if recorder.last is not None:
        return recorder.graph()
    return picture_of_unfinished(recorder, vars(sys.modules["__main__"]))


def _write(picture: Picture | None, target: Path) -> int:
    if picture is None:
        print("retrograd graph: nothing to draw: in this process the program made no backward "
              "pass, and left no result of a tensor that requires grad", file=sys.stderr)
        return 1
    try:
        picture.save(target)
    except OSError as error:
        print(f"retrograd graph: cannot write {target}: {error.strerror}", file=sys.stderr)
        return 1
    print(f"retrograd graph: wrote {target}: {picture.heading}", file=sys.stderr)
    return 0
