"""The iterator of a DataLoader with worker processes.

Each worker has a pipe of its own: tasks `(number, index)` go out, `(number, batch)` come back.
A worker that dies closes its pipe, so nothing waits for it and no other worker is disturbed.
"""

from __future__ import annotations

import itertools
import multiprocessing
import os
import signal
import warnings
from functools import partial
from multiprocessing import connection
from pickle import PicklingError
from typing import Any

from ..._utils import ExceptionWrapper
from ._utils.worker import STATUS_CHECK_INTERVAL, Job, Resume, StreamEnd, run
from .dataloader import _BaseDataLoaderIter, _DatasetKind


class _Worker:
    """A process, the loader's end of its pipe, and whether it takes tasks."""

    def __init__(self, context: Any, job: Job, done: Any) -> None:
        self.pipe, theirs = context.Pipe()
        self.process = context.Process(target=run, args=(job, theirs, done), daemon=True)
        try:
            self.process.start()
        except (TypeError, AttributeError, PicklingError):
            warnings.warn(
                "Got pickle error when attempting to start a worker Process. This might be because "
                "the worker Process arguments are not picklable. Python 3.14+ changed the "
                "multiprocessing start method in non-Mac POSIX platforms to 'forkserver', which "
                "requires the worker Process arguments to be picklable. You can also try "
                "multiprocessing.set_start_method('fork').",
                stacklevel=2,
            )
            raise
        theirs.close()  # else the pipe would outlive the worker, here and in workers forked later
        self.takes_tasks = True
        self.running = True  # not yet told to finish
        self.tasks = 0

    def send(self, task: Any) -> None:
        try:
            self.pipe.send(task)
        except OSError:
            pass  # it died; the next receive says so

    def finish(self) -> None:
        """Let the process end, once it has read this."""
        self.takes_tasks = False
        if self.running:
            self.running = False
            self.send(None)

    def cause_of_death(self) -> RuntimeError:
        self.process.join(STATUS_CHECK_INTERVAL)
        pid, code = self.process.pid, self.process.exitcode
        if code is not None and code < 0:
            name = signal.strsignal(-code)
            return RuntimeError(f"DataLoader worker (pid {pid}) is killed by signal: {name}. ")
        return RuntimeError(
            f"DataLoader worker (pid {pid}) exited unexpectedly with exit code {code}. "
            "Details are lost due to multiprocessing. "
            "Rerunning with num_workers=0 may give better error trace."
        )


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Hands tasks out in turn and returns the batches in order (or as they come)."""

    def __init__(self, loader: Any) -> None:
        super().__init__(loader)
        self._shutdown = False
        self._owner = os.getpid()
        self._pool: list[_Worker] = []
        self._in_order = loader.in_order
        self._max_tasks = loader.prefetch_factor * loader.num_workers
        if self._max_tasks <= 0:
            raise AssertionError(
                "prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter"
            )
        context = loader.multiprocessing_context or multiprocessing
        self._done = context.Event()
        create_fetcher = partial(
            _DatasetKind.create_fetcher,
            self._dataset_kind,
            auto_collation=self._auto_collation,
            collate_fn=self._collate_fn,
            drop_last=self._drop_last,
        )
        for i in range(self._num_workers):
            job = Job(
                create_fetcher,
                self._dataset,
                self._dataset_kind == _DatasetKind.Iterable,
                self._base_seed,
                loader.worker_init_fn,
                i,
                self._num_workers,
            )
            self._pool.append(_Worker(context, job, self._done))
        self._seed_pipes(loader)        # PyTorch draws a second time here, and drops the number
        self._start_epoch()

    @property
    def _workers(self) -> list[Any]:
        """The processes, whose pids programs read."""
        return [worker.process for worker in self._pool]

    def _reset(self, loader: Any) -> None:
        super()._reset(loader)
        for worker in self._pool:
            worker.send(Resume(self._shared_seed))
        resumed = 0
        while resumed < self._num_workers:  # what the last epoch left over is dropped here
            resumed += isinstance(self._receive(), Resume)
        self._start_epoch()

    def _start_epoch(self) -> None:
        self._send_idx = 0  # number of the next task
        self._rcvd_idx = 0  # number of the next batch to return
        self._assigned: dict[int, _Worker] = {}
        self._ready: dict[int, Any] = {}
        self._turns = itertools.cycle(self._pool)
        for worker in self._pool:
            worker.takes_tasks, worker.tasks = True, 0
        for _ in range(self._max_tasks):
            self._put_task()

    def _put_task(self) -> None:
        try:
            index = self._next_index()
        except StopIteration:
            return
        worker = self._next_worker()
        if worker is None:
            return
        self._assigned[self._send_idx] = worker
        worker.tasks += 1
        worker.send((self._send_idx, index))
        self._send_idx += 1

    def _next_worker(self) -> _Worker | None:
        active = sum(worker.takes_tasks for worker in self._pool)
        for worker in itertools.islice(self._turns, self._num_workers):
            free = self._in_order or worker.tasks < self._max_tasks // max(active, 1)
            if worker.takes_tasks and free:
                return worker
        return None

    def _next_data(self) -> Any:
        while True:
            self._skip_unanswered()
            if self._rcvd_idx in self._ready:
                number = self._rcvd_idx
                self._rcvd_idx += 1
                return self._hand_over(number, self._ready.pop(number))
            if self._rcvd_idx >= self._send_idx:
                if not self._persistent_workers:
                    self._shutdown_workers()
                raise StopIteration
            number, data = self._receive()
            if isinstance(data, StreamEnd):
                self._end_stream(self._pool[data.worker_id])
            elif self._in_order or number == self._rcvd_idx:
                self._ready[number] = data
            else:
                return self._hand_over(number, data)

    def _skip_unanswered(self) -> None:
        """Pass over the tasks that a worker whose stream has ended leaves unanswered."""
        while self._rcvd_idx < self._send_idx and self._rcvd_idx not in self._ready:
            worker = self._assigned.get(self._rcvd_idx)
            if worker is not None and worker.takes_tasks:
                return
            self._assigned.pop(self._rcvd_idx, None)
            self._rcvd_idx += 1

    def _end_stream(self, worker: _Worker) -> None:
        worker.takes_tasks = False
        if not self._persistent_workers:
            worker.finish()
        self._put_task()

    def _hand_over(self, number: int, data: Any) -> Any:
        self._assigned.pop(number).tasks -= 1
        self._put_task()
        if isinstance(data, ExceptionWrapper):
            data.reraise()
        return data

    def _receive(self) -> Any:
        """The next message of any worker."""
        running = {worker.pipe: worker for worker in self._pool if worker.running}
        sentinels = {worker.process.sentinel: worker for worker in running.values()}
        limit = self._timeout if self._timeout > 0 else None
        signaled: list[Any] = connection.wait([*running, *sentinels], limit)
        if not signaled:
            raise RuntimeError(f"DataLoader timed out after {self._timeout} seconds")
        dead = []
        for pipe in signaled:
            if pipe in running:
                try:
                    return pipe.recv()
                except (EOFError, OSError):
                    dead.append(running[pipe])
        dead = dead or [sentinels[s] for s in signaled if s in sentinels]
        for worker in dead:
            worker.running = worker.takes_tasks = False
        pids = ", ".join(str(worker.process.pid) for worker in dead)
        raise RuntimeError(
            f"DataLoader worker (pid(s) {pids}) exited unexpectedly"
        ) from dead[0].cause_of_death()

    def _shutdown_workers(self) -> None:
        """Ask the workers to end, and end those that do not."""
        if self._shutdown:
            return
        self._shutdown = True
        if not self._pool:
            return
        self._done.set()
        for worker in self._pool:
            worker.finish()
        for worker in self._pool:
            worker.pipe.close()
        for worker in self._pool:
            worker.process.join(STATUS_CHECK_INTERVAL)
            if worker.process.is_alive():
                worker.process.terminate()
                worker.process.join(STATUS_CHECK_INTERVAL)

    def __del__(self) -> None:
        # a forked process inherits the iterator, but not the workers
        if getattr(self, "_owner", None) == os.getpid():
            self._shutdown_workers()
