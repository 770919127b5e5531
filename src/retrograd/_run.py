"""Runs a program as `python` would, with `import torch` meaning retrograd."""

from __future__ import annotations

import builtins
import importlib.machinery
import importlib.util
import os
import select
import sys
import zipfile
from collections.abc import Sequence
from importlib.machinery import BuiltinImporter, ModuleSpec, SourceFileLoader
from types import CodeType, ModuleType, TracebackType
from typing import Any, NoReturn

from retrograd._callers import leave_out_own_frames
from retrograd._install import install


def run_script(script: str, args: Sequence[str]) -> None:
    """Run a file, a directory or archive that holds `__main__.py`, or `-` (standard input)."""
    install()
    sys.argv = [script, *args]
    if script.endswith(".ipynb"):
        _refuse(f"{script!r} is a notebook: `jupyter nbconvert --to script` makes a program of it "
                "(in a notebook itself, `%load_ext retrograd` and `%%doctor` examine a cell)", 2)
    if script == "-":
        _set_path("")
        _execute_source(sys.stdin.buffer.read(), "<stdin>", BuiltinImporter)
    elif os.path.isdir(script) or zipfile.is_zipfile(script):
        _set_path(script)
        spec = importlib.machinery.PathFinder.find_spec("__main__", [script])
        if spec is None:
            _refuse(f"can't find '__main__' module in {os.path.abspath(script)!r}", 1)
        _execute_spec(spec)
    else:
        path = os.path.abspath(script)
        try:
            with open(path, "rb") as file:
                source = file.read()
        except OSError as error:
            _refuse(f"can't open file {path!r}: [Errno {error.errno}] {error.strerror}", 2)
        _set_path(os.path.dirname(os.path.realpath(path)))
        _execute_source(source, path, SourceFileLoader("__main__", path))


def run_module(name: str, args: Sequence[str]) -> None:
    """Run an importable module or package, as `python -m name` does."""
    install()
    _set_path(os.getcwd())
    sys.argv = ["-m", *args]
    try:
        spec = importlib.util.find_spec(name)
        package = spec is not None and spec.submodule_search_locations is not None
        if package:
            spec = importlib.util.find_spec(name + ".__main__")
    except ModuleNotFoundError as error:
        cause = f"{type(error).__name__}: {error}"
        end = f". Try using {name[:-3]!r} instead of {name!r} as the module name."
        _refuse(f"Error while finding module specification for {name!r} ({cause})"
                f"{end if name.endswith('.py') else ''}", 1)
    if spec is None and package:
        _refuse(
            f"No module named {name}.__main__; "
            f"{name!r} is a package and cannot be directly executed",
            1,
        )
    if spec is None:
        _refuse(f"No module named {name}", 1)
    sys.argv[0] = spec.origin or name
    _execute_spec(spec)


class NotStarted(SystemExit):
    """There is no such program; the reason has been printed."""


def is_unread() -> bool:
    """Whether standard output is a pipe whose reader has gone, as with `| head`."""
    try:
        poll = select.poll()
        poll.register(sys.__stdout__, 0)                               # type: ignore[arg-type]
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))
    except (AttributeError, TypeError, ValueError):       # on Windows; no output, or a closed one
        return False


def _refuse(message: str, status: int) -> NoReturn:
    print(f"{sys.executable}: {message}", file=sys.stderr)
    raise NotStarted(status)


def _set_path(first: str) -> None:
    """Put the program's own folder where Python put the one of the `retrograd` command."""
    if not sys.flags.safe_path:
        sys.path[0] = first


def _execute_source(source: bytes, file: str, loader: Any) -> None:
    _execute(
        lambda: compile(source, file, "exec", dont_inherit=True),
        __file__=file,
        __cached__=None,
        __loader__=loader,
    )


def _execute_spec(spec: ModuleSpec) -> None:
    loader: Any = spec.loader
    _execute(
        lambda: loader.get_code(spec.name),
        __file__=spec.origin,
        __cached__=spec.cached,
        __loader__=loader,
        __package__=spec.parent,
        __spec__=spec,
    )


def _execute(code: Any, **attributes: Any) -> None:
    """Execute code in a new `__main__`, whose errors end the process without frames of this file.

    The module takes the place of the command's own, so that pickle and multiprocessing find it.
    """
    module = ModuleType("__main__")
    vars(module).update(__builtins__=builtins, **attributes)
    if sys.version_info < (3, 14):                 # where annotations are evaluated at once
        vars(module)["__annotations__"] = {}
    sys.modules["__main__"] = module
    try:
        compiled: CodeType = code()
        exec(compiled, vars(module))
    except SystemExit:
        raise
    except BaseException as error:
        _hide_runner(error)
        raise


def _leave_out_own_frames_of_a_worker(error: BaseException) -> None:
    """The same in the traceback that a DataLoader's worker has sent, as text."""
    text = error.args[0] if len(error.args) == 1 else None
    if isinstance(text, str) and "DataLoader worker process" in text:
        from retrograd.debug.crashes import own_frames_left_out
        error.args = (type(text)(own_frames_left_out(text)),)


def _add_cure(error: BaseException) -> None:
    """Add to an error that says nothing itself what the doctor says of its sentence."""
    text = error.args[0] if len(error.args) == 1 else None
    if not isinstance(text, str) or "\n" in text or isinstance(error, (ImportError, SyntaxError)):
        return
    if "retrograd.debug.examination" in sys.modules:         # the doctor's report has it
        return
    from retrograd.debug.sentences import by_sentence
    why, cure = by_sentence(error, text, None) or ("", "")
    if cure:
        if why.partition(" ")[0].isalpha():                  # but not scheduler.step()
            why = why[0].upper() + why[1:]
        why = f"{why}.\n" if why else ""
        error.args = (f"{text}\n\n{why}Cure: {cure}.",)


def _hide_runner(error: BaseException) -> None:
    """Let whichever excepthook is set when the error reaches the top see the program's frames.

    RETROGRAD_TRACEBACK=full in the environment lets it see those of this package as well.
    """
    frames = error.__traceback__
    while frames is not None and frames.tb_frame.f_code.co_filename == __file__:
        frames = frames.tb_next
    show = sys.excepthook

    def hook(kind: type[BaseException], value: BaseException, _: TracebackType | None) -> None:
        value.__traceback__ = frames
        if os.environ.get("RETROGRAD_TRACEBACK") != "full":
            leave_out_own_frames(value)
            _leave_out_own_frames_of_a_worker(value)
        _add_cure(value)
        show(kind, value, frames)

    sys.excepthook = hook
