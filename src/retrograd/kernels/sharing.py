"""Python threads that share work made of long NumPy calls, during which Python's lock is free.

As in `fast/pool.py`, whichever thread is free takes the next part, and the caller waits only for
parts that others have begun. A second caller that finds the helpers busy works alone, and a forked
process begins without helpers.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from contextvars import copy_context

from .._blas import alone
from . import fast

_taken = threading.Lock()
_helpers: list[Helper] = []


def share(begin, parts) -> list:
    """[begin()(part) for part in parts], by as many threads as there should be.

    Each thread calls begin() once, for scratch memory of its own.
    """
    if fast.threads == 1 or len(parts) < 2 or not _taken.acquire(blocking=False):
        return [*map(begin(), parts)]
    todo, results = deque(enumerate(parts)), [None] * len(parts)

    def work():
        do = begin()
        while todo:
            try:
                k, part = todo.popleft()
            except IndexError:               # another thread was quicker
                return
            results[k] = do(part)
    try:
        helpers = _awake(min(fast.threads, len(parts)) - 1, work)
        try:
            work()
        finally:
            todo.clear()
            for helper in helpers:
                helper.finish()
    finally:
        _taken.release()
    return results


def share_products(begin, parts) -> list:
    """share() of work that is matrix products; a single part is left to the BLAS's own threads."""
    return alone(share, begin, parts) if len(parts) > 1 else [*map(begin(), parts)]


def _awake(count, work):
    """So many helpers, or as many as the system allows, that begin to work."""
    try:
        while len(_helpers) < count:
            _helpers.append(Helper())
    except RuntimeError:                     # no more threads, or the interpreter is ending
        pass
    for helper in _helpers[:count]:
        helper.start(work)
    return _helpers[:count]


class Helper:
    """A thread that helps with one task after another; if it wakes too late, with none."""

    def __init__(self):
        self.asleep, self.busy = threading.Lock(), threading.Lock()
        self.task = self.error = None
        self.asleep.acquire()
        threading.Thread(target=self._live, name="retrograd blocks", daemon=True).start()

    def start(self, work):
        self.task = copy_context().run, work     # NumPy's settings belong to the context
        if self.asleep.locked():
            self.asleep.release()

    def finish(self):
        """Wait until it has finished what it began; raise what went wrong there."""
        with self.busy:
            self.task, error, self.error = None, self.error, None
        if error is not None:
            raise error

    def _live(self):
        while True:
            self.asleep.acquire()
            with self.busy:
                self._help()

    def _help(self):
        if self.task is None:
            return
        run, work = self.task
        try:
            run(work)
        except BaseException as error:
            self.error = error


def _after_fork() -> None:
    global _taken, _helpers
    _taken, _helpers = threading.Lock(), []


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
