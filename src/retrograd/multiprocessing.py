"""The standard library's multiprocessing under PyTorch's name.

Tensors are sent as copies, those in shared memory as the memory: see NOTE [shared memory].
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import time
import warnings
import weakref
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from . import _shared as _shared  # how Tensors are sent
from ._utils import ExceptionWrapper

__all__ = [
    *multiprocessing.__all__,  # type: ignore[attr-defined]
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
]


def __getattr__(name: str) -> Any:
    if not hasattr(multiprocessing, name):
        raise AttributeError(f"module 'torch.multiprocessing' has no attribute {name!r}")
    return getattr(multiprocessing, name)


ENV_VAR_PARALLEL_START = "TORCH_MP_PARALLEL_START"
_STRATEGIES = {"file_descriptor", "file_system"}
_strategy = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """The names that `set_sharing_strategy` accepts.

    >>> import retrograd as torch
    >>> sorted(torch.multiprocessing.get_all_sharing_strategies())
    ['file_descriptor', 'file_system']
    """
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """The name last set.

    >>> import retrograd as torch
    >>> torch.multiprocessing.get_sharing_strategy()
    'file_descriptor'
    """
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Accepted; processes are sent copies, whatever the strategy.

    >>> import retrograd as torch
    >>> torch.multiprocessing.set_sharing_strategy("file_system")
    >>> torch.multiprocessing.set_sharing_strategy("file_descriptor")
    """
    global _strategy
    if new_strategy not in _STRATEGIES:
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {_STRATEGIES}"
        )
    _strategy = new_strategy


class ProcessException(Exception):
    """A process of `spawn` has failed: `error_index` is its number.

    >>> import retrograd as torch
    >>> issubclass(torch.multiprocessing.ProcessExitedException,
    ...            torch.multiprocessing.ProcessException)
    True
    """

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.error_pid = msg, error_index, error_pid

    def __reduce__(self) -> tuple:
        return type(self), (self.msg, self.error_index, self.error_pid)


class ProcessRaisedException(ProcessException):
    """A process of `spawn` has raised; its traceback is in the message.

    >>> import retrograd as torch
    >>> try:
    ...     torch.multiprocessing.spawn(len)  # len(0)
    ... except torch.multiprocessing.ProcessRaisedException as error:
    ...     print(error.error_index, "TypeError" in error.msg)
    0 True
    """


class ProcessExitedException(ProcessException):
    """A process of `spawn` has ended by itself, or by a signal.

    >>> import retrograd as torch
    >>> import os
    >>> try:
    ...     torch.multiprocessing.spawn(os._exit, nprocs=2)  # os._exit(0), os._exit(1)
    ... except torch.multiprocessing.ProcessExitedException as error:
    ...     print(error.error_index, error.exit_code)
    1 1
    """

    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int,
        exit_code: int,
        signal_name: str | None = None,
    ) -> None:
        super().__init__(msg, error_index, error_pid)
        self.exit_code, self.signal_name = exit_code, signal_name

    def __reduce__(self) -> tuple:
        kind, args = super().__reduce__()
        return kind, (*args, self.exit_code, self.signal_name)


def _run(fn: Callable, i: int, args: tuple, error_file: str) -> None:
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        text = ExceptionWrapper().exc_msg
        Path(error_file).write_text(text, encoding="utf-8", errors="backslashreplace")
        raise SystemExit(1) from None


class ProcessContext:
    """The processes of `spawn`; `join` waits for them.

    >>> import retrograd as torch
    >>> context = torch.multiprocessing.spawn(abs, nprocs=2, join=False)
    >>> len(context.pids())
    2
    >>> while not context.join():
    ...     pass
    """

    def __init__(self, processes: list, error_files: list[str], folder: str = "") -> None:
        self.processes = processes
        self.error_files = error_files
        self.sentinels = {process.sentinel: i for i, process in enumerate(processes)}
        if folder:
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)

    def pids(self) -> list[int]:
        return [int(process.pid) for process in self.processes]

    def join(self, timeout: float | None = None, grace_period: float | None = None) -> bool:
        """Wait for the next process to end; True once all have.

        When one has failed, the others get `grace_period` seconds to end by themselves, then
        SIGTERM, and after as many seconds (30 if None) SIGKILL.

        Raises:
            ProcessRaisedException: one has raised; the others are ended.
            ProcessExitedException: one has ended with another exit code than 0.
        """
        from multiprocessing import connection  # a browser's Python has none

        if not self.sentinels:
            return True
        for sentinel in connection.wait(list(self.sentinels), timeout):
            i = self.sentinels.pop(sentinel)  # type: ignore[call-overload]
            self.processes[i].join()
            if self.processes[i].exitcode != 0:
                self._end_all(grace_period)
                raise self._failure(i)
        return not self.sentinels

    def _end_all(self, grace_period: float | None) -> None:
        log = logging.getLogger(__name__)
        if grace_period is not None:
            self._wait(grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning("Terminating process %s via signal SIGTERM", process.pid)
                process.terminate()
        self._wait(30 if grace_period is None else grace_period)
        for process in self.processes:
            if process.is_alive():
                log.warning("Unable to shutdown process %s via SIGTERM , "
                            "forcefully exiting via SIGKILL", process.pid)
                process.kill()
            process.join()

    def _wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        for process in self.processes:
            process.join(max(0.0, end - time.monotonic()))

    def _failure(self, i: int) -> ProcessException:
        pid, code, report = self.processes[i].pid, self.processes[i].exitcode, self.error_files[i]
        if os.path.exists(report):
            text = f"\n\n-- Process {i} terminated with the following error:\n"
            return ProcessRaisedException(text + Path(report).read_text("utf-8"), i, pid)
        if code > 0:
            text = f"process {i} terminated with exit code {code}"
            return ProcessExitedException(text, i, pid, code)
        try:
            name = signal.Signals(-code).name
        except ValueError:
            name = f"<Unknown signal {-code}>"
        text = f"process {i} terminated with signal {name}"
        return ProcessExitedException(text, i, pid, code, name)


def start_processes(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run `fn(i, *args)` in `nprocs` processes; wait for them, or return what waits.

    >>> import retrograd as torch
    >>> torch.multiprocessing.start_processes(divmod, args=(7,), nprocs=2)  # of 0 and 1 by 7
    """
    context = multiprocessing.get_context(start_method)
    folder = tempfile.mkdtemp(prefix="retrograd-errors-")
    files = [os.path.join(folder, str(i)) for i in range(nprocs)]

    def start(i: int) -> Any:
        made: Any = context.Process  # type: ignore[attr-defined]
        process = made(target=_run, args=(fn, i, args, files[i]), daemon=daemon)
        process.start()
        return process

    if start_method == "forkserver" and os.environ.get(ENV_VAR_PARALLEL_START) == "1":
        with ThreadPoolExecutor(nprocs) as pool:
            processes = list(pool.map(start, range(nprocs)))
    else:
        processes = [start(i) for i in range(nprocs)]
    started = ProcessContext(processes, files, folder)
    if not join:
        return started
    while not started.join():
        pass
    return None


def spawn(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """`start_processes` with new interpreters.

    >>> import retrograd as torch
    >>> torch.multiprocessing.spawn(divmod, args=(7,), nprocs=2)  # of 0 and 1 by 7
    """
    if start_method != "spawn":
        warnings.warn(
            f"This method only supports start_method=spawn (got: {start_method}).\nTo use a "
            "different start_method use:\n\t\t torch.multiprocessing.start_processes(...)",
            FutureWarning, stacklevel=2,
        )
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")


sys.modules[f"{__name__}.spawn"] = sys.modules[__name__]   # where PyTorch's file of spawn() is
