"""Which line of the user's program called: noted as (code object, offset of its instruction).

A note costs a few hundred nanoseconds and keeps no frame alive. `debug/places.py` turns it into a
file, a line and source text, when an error or a tool has to show it.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from types import CodeType, FrameType, TracebackType

PACKAGE = os.path.dirname(os.path.abspath(__file__)) + os.sep
OPERATORS = os.path.join(PACKAGE, "ops", "")
BEFORE = tuple(os.path.join(PACKAGE, name) for name in (
    "_entries.py", "_random.py", "_torch_function.py", os.path.join("amp", "_casting.py")))
AROUND = tuple(os.path.join(PACKAGE, name) for name in (
    "_entries.py", "_torch_function.py", os.path.join("ops", "wrapped.py")))
ARITHMETIC = (OPERATORS, "<operator ", *(os.path.join(PACKAGE, name) for name in (
    os.path.join("kernels", ""), "_creation.py", "_random.py")))
FUNCTIONAL = ("retrograd.nn.functional", "torch.nn.functional",      # while installed: _install.py
              "retrograd.nn._functional")        # how the modules of its functions begin

_own: dict[str, bool] = {}       # file name -> whether it is this package's


def is_own(file: str) -> bool:
    """Whether a file belongs to this package (the generated operators do)."""
    found = _own.get(file)
    if found is None:
        found = _own[file] = file.startswith((PACKAGE, "<operator "))
    return found


def leave_out_own_frames(error: BaseException) -> None:
    """Take this package's frames out of an error's traceback, and of those that it came from.

    The lines of the program are left, as where C++ fails under PyTorch. The first frame stays. What
    was raised and caught in this package alone is not shown as an earlier error.
    """
    known: list[BaseException] = []
    step: BaseException | None = error
    while step is not None and not any(step is one for one in known):
        known.append(step)
        earlier = step.__context__
        if earlier is not None and all(is_own(t.tb_frame.f_code.co_filename)
                                       for t in steps_of(earlier.__traceback__)):
            step.__suppress_context__ = True
        for trace in steps_of(step.__traceback__):
            trace.tb_next = _next_of_program(trace)
        step = step.__cause__ or (None if step.__suppress_context__ else earlier)


def _next_of_program(trace: TracebackType) -> TracebackType | None:
    """The step after this one that is not this package's, nor contextlib's on its behalf."""
    after, within = trace.tb_next, False
    while after is not None:
        file = after.tb_frame.f_code.co_filename
        if is_own(file):
            within = True
        elif not within or file != contextlib.__file__:
            break
        after = after.tb_next
    return after


def steps_of(trace: TracebackType | None) -> Iterator[TracebackType]:
    """The steps of a traceback, from the outside in."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def in_operators(file: str) -> bool:
    """Whether a file holds declared operators, generated code, or what is called before them."""
    return file.startswith((OPERATORS, "<operator ", *BEFORE))


def computes(frame: FrameType) -> bool:
    """Whether a frame, or that outside what is called before a function, is one of the operators,
    their arithmetic or the factories: what is C++ in PyTorch."""
    while frame.f_back is not None and frame.f_code.co_filename.startswith(AROUND):
        frame = frame.f_back
    return frame.f_code.co_filename.startswith(ARITHMETIC)


def called() -> str:
    """The name of the function of this package that the program has called."""
    return name_of(entered())


def entered() -> FrameType:
    """The frame of that function."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_own(frame.f_back.f_code.co_filename):
        frame = frame.f_back
    return frame


def name_of(frame: FrameType) -> str:
    """The name of a public function, by its frame."""
    inner = frame.f_locals.get("_original")                             # see _entries.py
    return frame.f_code.co_name if inner is None else inner.__name__


def caller(frame: FrameType | None = None) -> tuple[CodeType, int]:
    """The instruction, in the first frame from `frame` outwards that is not this package's."""
    if frame is None:
        frame = sys._getframe(1)
    known = _own.get                       # called in every backward pass, hence no calls here
    while True:
        code, outer = frame.f_code, frame.f_back
        own = known(code.co_filename)
        if own is None:
            own = is_own(code.co_filename)
        if not own or outer is None:
            return code, frame.f_lasti
        frame = outer


def written(t, name: str):
    """Note, where an operator has counted a write, that the user's call of `name` made it."""
    frame = sys._getframe(2)
    code = frame.f_code
    if _own.get(code.co_filename) is False:          # the usual case, in half the time
        t._cell[1] = (name, code, frame.f_lasti)
    else:
        t._cell[1] = (name, *caller(frame))
    return t


def note_write(t, name: str):
    """Count a write into a tensor's memory and note that `name`, called by the user, made it."""
    cell = t._cell
    cell[0] += 1
    frame = sys._getframe(2)
    code = frame.f_code
    if _own.get(code.co_filename) is False:          # as in written()
        cell[1] = (name, code, frame.f_lasti)
    else:
        cell[1] = (name, *caller(frame))
    return t
