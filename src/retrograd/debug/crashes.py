"""The finding that a program ended with an error: on the user's line, with what is known of it."""

from __future__ import annotations

import linecache
import re
from dataclasses import dataclass
from types import TracebackType

from .._callers import is_own, leave_out_own_frames
from .circumstances import by_circumstances, parts
from .findings import Finding
from .places import Place, is_library, of_traceback
from .sentences import Said, by_sentence

LINES = 5                # the most lines of an error's sentence that are told


def crash(error: BaseException) -> Finding:
    """The finding that the program ended with an error."""
    last = last_of_user(error)
    where = None if last is None else of_traceback(last)
    if isinstance(error, SyntaxError) and error.filename and error.lineno:
        where = Place(error.filename, error.lineno, (error.text or "").strip())
    kind, message = type(error).__name__, re.sub(r"\x1b\[\d*m", "", str(error))     # bold letters
    worker = caught_in_worker(error)
    if worker is not None:
        where, message = worker.where or where, worker.message
        kind = f"in a worker of the DataLoader, {kind}"
    try:
        story, cure = said_of(error, message, where, None if worker is not None else last)
    except Exception:            # an explanation must never hide the error that it explains
        story = cure = ""
    sentence = shortened(message.partition("\n\n")[0])
    return Finding.at(where, "error", f"the program ended here: {kind}: {sentence}", story, cure)


def said_of(error: BaseException, message: str, where: Place | None,
            last: TracebackType | None) -> Said:
    """What is known of an error beside its sentence: why it came, and the cure."""
    sentence, _, text = message.partition("\n\n")
    said = by_sentence(error, sentence, where)
    if said is None and last is not None:
        said = by_circumstances(error, shortened(sentence), text, last)
    return said or parts(text)


def shortened(sentence: str) -> str:
    """An error's sentence without long tables of numbers."""
    if sentence.startswith("Jacobian mismatch"):
        return sentence.partition("\n")[0].rstrip(",")          # two matrices follow
    lines = sentence.split("\n")
    return sentence if len(lines) <= LINES else "\n".join([*lines[:LINES - 1], "..."])


@dataclass
class Caught:
    """What is known of an error in another process: its message, and the program's own line."""

    message: str
    where: Place | None


IN_WORKER = re.compile(r"Caught (\w+) in DataLoader worker process \d+\.\n")
FRAME = re.compile(r'  File "(.*)", line (\d+), in (.*)\n')


def caught_in_worker(error: BaseException) -> Caught | None:
    """What the text of an error says, if it is one that a worker of a DataLoader has sent."""
    text = str(error)
    if not (begin := IN_WORKER.match(text)):
        return None
    message = list(re.finditer(rf"^(?:\w+\.)*{begin[1]}: ", text, re.MULTILINE))
    own = [found for found in FRAME.findall(text) if not is_library(found[0])]
    where = None
    if own:
        file, line, function = own[-1]
        where = Place(file, int(line), linecache.getline(file, int(line)).strip(), function)
    return Caught(text[message[-1].end():].rstrip() if message else text, where)


def own_frames_left_out(text: str) -> str:
    """The traceback in an error's text without the frames of this package."""
    kept, keeps = [], True
    for line in text.splitlines(keepends=True):
        if frame := FRAME.match(line):
            keeps = not is_own(frame[1])
        elif not line.startswith("    "):
            keeps = True
        if keeps:
            kept.append(line)
    return "".join(kept)


def shorten(error: BaseException) -> None:
    """Leave the program's own frames of an error, and its first sentence, above a report."""
    leave_out_own_frames(error)
    if len(error.args) == 1 and isinstance(error.args[0], str):
        text = error.args[0].partition("\n\n")[0]
        if caught_in_worker(error) is not None:
            text = type(error.args[0])(own_frames_left_out(text))
        error.args = (text,)


def last_of_user(error: BaseException) -> TracebackType | None:
    """Where an error left the user's files; without any of his, where it left this package."""
    traces, trace = [], error.__traceback__
    while trace is not None:
        if not is_own(trace.tb_frame.f_code.co_filename):
            traces.append(trace)
        trace = trace.tb_next
    own = [t for t in traces if not is_library(t.tb_frame.f_code.co_filename)]
    return (own or traces or [None])[-1]
