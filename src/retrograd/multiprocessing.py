"""The standard library's multiprocessing by PyTorch's name.

Tensors are sent as copies, those in shared memory as the memory: see NOTE [shared memory].
"""

from __future__ import annotations

import multiprocessing
from collections.abc import Callable
from typing import Any

from . import _shared as _shared  # how Tensors are sent
from ._utils import ExceptionWrapper

__all__ = [
    *multiprocessing.__all__,  # type: ignore[attr-defined]
    "ProcessExitedException",
    "ProcessRaisedException",
    "get_all_sharing_strategies",
    "get_sharing_strategy",
    "set_sharing_strategy",
    "spawn",
    "start_processes",
]


def __getattr__(name: str) -> Any:
    return getattr(multiprocessing, name)


_STRATEGIES = {"file_descriptor", "file_system"}
_strategy = "file_descriptor"


def get_all_sharing_strategies() -> set[str]:
    """The names that :func:`set_sharing_strategy` accepts."""
    return set(_STRATEGIES)


def get_sharing_strategy() -> str:
    """The name last set."""
    return _strategy


def set_sharing_strategy(new_strategy: str) -> None:
    """Accepted; processes are sent copies, whatever the strategy."""
    global _strategy
    if new_strategy not in _STRATEGIES:
        raise AssertionError(
            f"invalid sharing strategy {new_strategy!r}, expected one of {_STRATEGIES}"
        )
    _strategy = new_strategy


class ProcessRaisedException(Exception):
    """A process of :func:`spawn` has raised; its traceback is in the message."""

    def __init__(self, msg: str, error_index: int, error_pid: int) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, error_pid


class ProcessExitedException(Exception):
    """A process of :func:`spawn` has ended by itself, or by a signal."""

    def __init__(
        self,
        msg: str,
        error_index: int,
        error_pid: int,
        exit_code: int,
        signal_name: str | None = None,
    ) -> None:
        super().__init__(msg)
        self.msg, self.error_index, self.pid = msg, error_index, error_pid
        self.exit_code, self.signal_name = exit_code, signal_name


def _run(fn: Callable, i: int, args: tuple, errors: Any) -> None:
    try:
        fn(i, *args)
    except KeyboardInterrupt:
        pass
    except Exception:
        errors.send(ExceptionWrapper().exc_msg)
        raise SystemExit(1) from None


class ProcessContext:
    """The processes of :func:`spawn`; ``join`` waits for them."""

    def __init__(self, processes: list, errors: list) -> None:
        self.processes = processes
        self._errors = errors

    def pids(self) -> list[int]:
        return [process.pid for process in self.processes]

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the next process to end; True once all have.

        Raises:
            ProcessRaisedException: one has raised; the others are ended.
            ProcessExitedException: one has ended with another exit code than 0.
        """
        from multiprocessing import connection  # a browser's Python has none

        running = {p.sentinel: i for i, p in enumerate(self.processes) if p.is_alive()}
        connection.wait(list(running), timeout)
        for i, process in enumerate(self.processes):
            if not process.is_alive() and process.exitcode != 0:
                self._fail(i)
        return not any(process.is_alive() for process in self.processes)

    def _fail(self, i: int) -> None:
        for process in self.processes:
            if process.is_alive():
                process.terminate()
            process.join()
        failed = self.processes[i]
        if self._errors[i].poll():
            text = f"\n\n-- Process {i} terminated with the following error:\n"
            raise ProcessRaisedException(text + self._errors[i].recv(), i, failed.pid)
        raise ProcessExitedException(
            f"process {i} terminated with exit code {failed.exitcode}",
            i,
            failed.pid,
            failed.exitcode,
        )


def start_processes(
    fn: Callable,
    args: tuple = (),
    nprocs: int = 1,
    join: bool = True,
    daemon: bool = False,
    start_method: str = "spawn",
) -> ProcessContext | None:
    """Run ``fn(i, *args)`` in ``nprocs`` processes; wait for them, or return what waits."""
    context = multiprocessing.get_context(start_method)
    processes, errors = [], []
    for i in range(nprocs):
        ours, theirs = context.Pipe(duplex=False)
        process = context.Process(target=_run, args=(fn, i, args, theirs), daemon=daemon)
        process.start()
        theirs.close()
        processes.append(process)
        errors.append(ours)
    started = ProcessContext(processes, errors)
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
    """:func:`start_processes` with new interpreters."""
    return start_processes(fn, args, nprocs, join, daemon, start_method="spawn")
