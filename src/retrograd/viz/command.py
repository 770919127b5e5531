"""`retrograd graph script.py`: run a program, draw its last backward pass or where it failed."""

from __future__ import annotations

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
    """Before a long run: ValueError for an unknown kind of file, ImportError without its extra."""
    if form_of(output) == "svg":
        needs_layout()


def draw(program: Callable[[], None], output: str, number: int | None = None) -> int:
    """Run `program` under a recording, then write its picture to `output`.

    number  the backward pass to draw, counted from 1, after which the program is stopped; None for
            the last one. A program that fails fails as it would by itself, after the picture of
            where it stopped is written. Returns the exit status: 1 if there was nothing to draw.
    """
    recorder = record(only=number)
    recorder.enough = _stop if number is not None else None
    try:
        with recorder:
            program()
    except Enough:
        pass
    except (SystemExit, KeyboardInterrupt):
        _write(_finished(recorder), output)
        raise
    except BaseException as error:
        _write(picture_of_failure(error, recorder), output)
        raise
    return _write(_finished(recorder), output)


def _stop() -> None:
    raise Enough


def _finished(recorder: record) -> Picture | None:
    """The picture of a program that came to its end."""
    if recorder.last is not None:
        return recorder.graph()
    return picture_of_unfinished(recorder, vars(sys.modules["__main__"]))


def _write(picture: Picture | None, output: str) -> int:
    if picture is None:
        print("retrograd graph: no graph was recorded, nothing to draw", file=sys.stderr)
        return 1
    picture.save(output)
    print(f"retrograd graph: wrote {Path(output)}: {picture.heading}", file=sys.stderr)
    return 0
