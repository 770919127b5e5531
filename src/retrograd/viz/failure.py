"""Where a program stopped: the picture of the graph as far as it got, and the place marked.

If a backward pass failed, the recording has the node. If anything else did (a forward, a backward()
that was refused), the graph is what is still alive, held by the frames of the traceback; the call
that failed becomes a box of its own, with the tensors it was given.
"""

from __future__ import annotations

from collections.abc import Iterator
from inspect import CO_VARARGS
from types import FrameType, SimpleNamespace
from typing import Any

from .._callers import is_own
from .._tensor import Tensor
from ..autograd.node import history
from ..debug import reading
from ..debug.misfits import called
from ..debug.names import Names
from ..debug.places import Place, is_library, of_frame, place
from ..nn.modules.module import Module
from .boxes import Scene, Stop
from .picture import Picture, picture_of_pass
from .recording import EXECUTE, error_text, record


def picture_of_failure(error: BaseException, recorder: record) -> Picture | None:
    """The picture for an exception that left the recorded program; None if no graph is there."""
    frames = list(_frames(error))
    last = recorder.last
    if last is not None and not last.over and any(f.f_code is EXECUTE for f in frames):
        last.fail(error)                         # by a hook, or by a watcher outside of ours
    if last is not None and last.error_id == id(error):
        last.error = error_text(error)           # with the notes that were added on its way
        return picture_of_pass(last)
    stop = where_it_stopped(error, frames)
    known = [n for _, t in stop.operands if (n := history(t)) is not None]
    nodes = reading.nodes([*recorder.unfinished(), *known])
    if not nodes and not stop.operands:
        return None if last is None else picture_of_pass(last)
    own = [f for f in frames if not is_library(f.f_code.co_filename)]
    scene = Scene(nodes, Names(own[::-1], depth=1), stop=stop)
    title = f"graph when {stop.title} failed"
    return Picture(scene, title, error=error_text(error))


def picture_of_unfinished(recorder: record, variables: dict[str, Any]) -> Picture | None:
    """The graph that a program left without going back through it."""
    nodes = reading.nodes(recorder.unfinished())
    if not nodes:
        return None
    scope: Any = SimpleNamespace(f_locals=variables, f_globals=variables)
    scene = Scene(nodes, Names([scope], depth=1))
    return Picture(scene, "graph at the end", note="No backward pass went through it.")


def _frames(error: BaseException) -> Iterator[FrameType]:
    """The frames of a traceback, outermost first."""
    step = error.__traceback__
    while step is not None:
        yield step.tb_frame
        step = step.tb_next


def where_it_stopped(error: BaseException, frames: list[FrameType]) -> Stop:
    """The call of a function of ours that was given tensors, and the user's line that made it."""
    users = [k for k, f in enumerate(frames) if not is_library(f.f_code.co_filename)]
    last = users[-1] if users else -1
    where = of_traceback(error, frames[last]) if users else None
    modules = [f.f_locals["self"] for f in frames
               if f.f_code.co_name == "forward" and isinstance(f.f_locals.get("self"), Module)]
    for frame in frames[last + 1:]:
        operands = list(_operands(frame)) if is_own(frame.f_code.co_filename) else []
        if operands and (name := called(frame.f_code)) is not None:
            return Stop(name, operands, where, modules)
    return Stop(type(error).__name__, [], where, modules)


def of_traceback(error: BaseException, frame: FrameType) -> Place:
    """Where a frame of the traceback was when the error passed (it may have gone on since)."""
    step = error.__traceback__
    while step is not None and step.tb_frame is not frame:
        step = step.tb_next
    return of_frame(frame) if step is None else place(frame.f_code, step.tb_lasti)


def _operands(frame: FrameType) -> Iterator[tuple[str, Tensor]]:
    """The tensors among a call's arguments, also in lists and in *args."""
    code = frame.f_code
    count = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & CO_VARARGS)
    for name in code.co_varnames[:count]:
        value = frame.f_locals.get(name)
        several = value if isinstance(value, (list, tuple)) else [value]
        yield from ((name, t) for t in several[:20] if isinstance(t, Tensor))
