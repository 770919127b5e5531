"""A worker process of a DataLoader: what runs in it and what it knows about itself."""

from __future__ import annotations

import os
import queue
import random
import threading
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.reduction import ForkingPickler
from typing import TYPE_CHECKING, Any

import numpy as np

import retrograd as rg

from ...._utils import ExceptionWrapper
from ..datapipes.datapipe import IterDataPipe, MapDataPipe
from ..graph_settings import apply_sharding, shared_seed

if TYPE_CHECKING:
    from multiprocessing.connection import Connection  # which a browser's Python lacks

# Seconds between two checks whether the other side is still alive.
STATUS_CHECK_INTERVAL = 5.0

_worker_info: WorkerInfo | None = None


@dataclass(frozen=True, slots=True)
class WorkerInfo:
    """What `get_worker_info` returns: this worker's number, seed and copy of the dataset."""

    id: int
    num_workers: int
    seed: int
    dataset: Any
    rng: Any = None
    worker_method: str | None = "multiprocessing"


def get_worker_info() -> WorkerInfo | None:
    """The current worker's `WorkerInfo` (id, number of workers, seed, dataset).

    None in the main process. An IterableDataset asks for it to share its samples among workers.

    >>> import retrograd as torch
    >>> torch.utils.data.get_worker_info() is None
    True
    """
    return _worker_info


@dataclass(frozen=True)
class Job:
    """All that a worker is started with."""

    create_fetcher: Callable[[Any], Any]
    dataset: Any
    is_iterable: bool
    base_seed: int
    init_fn: Callable[[int], None] | None
    worker_id: int
    num_workers: int


@dataclass(frozen=True)
class StreamEnd:
    """Sent by a worker whose IterableDataset has no more samples."""

    worker_id: int


@dataclass(frozen=True)
class Resume:
    """Asks a persistent worker to begin an epoch; sent back once it has."""

    shared_seed: int | None = None      # of data pipes


def run(job: Job, pipe: Connection, done: Any) -> None:
    """Answer `(number, index)` with `(number, batch)` until None arrives or the loader dies."""
    global _worker_info
    rg.set_num_threads(1)
    seed = job.base_seed + job.worker_id
    random.seed(seed)
    rg.manual_seed(seed)
    np.random.seed(_generate_state(job.base_seed, job.worker_id))
    _worker_info = WorkerInfo(job.worker_id, job.num_workers, seed, job.dataset)
    send = _start_sender(pipe)
    where = f"in DataLoader worker process {job.worker_id}"
    failure, fetcher = None, None
    try:
        if isinstance(job.dataset, (IterDataPipe, MapDataPipe)):
            apply_sharding(job.dataset, job.num_workers, job.worker_id)
        if job.init_fn is not None:
            job.init_fn(job.worker_id)
        fetcher = job.create_fetcher(job.dataset)
    except Exception:
        failure = ExceptionWrapper(where=where)
    ended = False
    try:
        while (task := _receive(pipe)) is not None:
            if isinstance(task, Resume):
                send(task)
                ended = False
                if task.shared_seed is not None:
                    shared_seed(job.dataset, task.shared_seed)
                fetcher = job.create_fetcher(job.dataset)
            elif not ended and not done.is_set():
                number, index = task
                batch = failure or _batch(fetcher, index, job, where)
                failure, ended = None, isinstance(batch, StreamEnd)
                send((number, batch))
    except KeyboardInterrupt:
        pass  # the main process reports it


def _batch(fetcher: Any, index: Any, job: Job, where: str) -> Any:
    """The batch, or what is sent in its place."""
    try:
        return fetcher.fetch(index)
    except Exception as error:
        if job.is_iterable and isinstance(error, StopIteration):
            return StreamEnd(job.worker_id)
        return ExceptionWrapper(where=where)


def _receive(pipe: Connection) -> Any:
    """The next task; None once the loader is gone."""
    parent = os.getppid()
    try:
        while not pipe.poll(STATUS_CHECK_INTERVAL):
            if os.getppid() != parent:
                return None
        return pipe.recv()
    except (EOFError, OSError):
        return None


def _start_sender(pipe: Connection) -> Callable[[Any], None]:
    """A function that pickles and queues; a thread writes while the next batch is made."""
    waiting: queue.SimpleQueue = queue.SimpleQueue()

    def write() -> None:
        try:
            while True:
                pipe.send_bytes(waiting.get())
        except OSError:
            pass  # nobody reads any more

    threading.Thread(target=write, daemon=True).start()
    return lambda message: waiting.put(ForkingPickler.dumps(message))


def _generate_state(base_seed: int, worker_id: int) -> list[int]:
    """Four words for NumPy's global generator, different in each worker and epoch."""
    entropy = [worker_id, base_seed & 0xFFFFFFFF, base_seed >> 32]
    return np.random.SeedSequence(entropy).generate_state(4).tolist()
