"""torch.futures: a value that another thread will set."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable, Sequence
from typing import Any, Generic, TypeVar

__all__ = ["Future", "collect_all", "wait_all"]

T = TypeVar("T")


class Future(Generic[T]):
    """A value to wait for.

    >>> import retrograd as torch
    >>> future = torch.futures.Future()
    >>> after = future.then(lambda f: f.value() + 1)
    >>> future.set_result(1)
    >>> after.wait()
    2
    """

    def __init__(self, *, devices: Any = None) -> None:
        self._future: concurrent.futures.Future = concurrent.futures.Future()

    def done(self) -> bool:
        """Whether there is a value or an error."""
        return self._future.done()

    def wait(self) -> T:
        """The value, once it is there; its error is raised."""
        return self._future.result()

    def value(self) -> T:
        """The value, which has to be there: RuntimeError otherwise."""
        if not self.done():
            raise RuntimeError("Attempted to get the value of an incomplete future")
        return self._future.result()

    def set_result(self, result: T) -> None:
        """Set the value. Raises RuntimeError when there is one."""
        if self.done():
            raise RuntimeError("Attempting to mark a completed Future as complete again. Note "
                               "that a Future can only be marked completed once.")
        self._future.set_result(result)

    def set_exception(self, result: BaseException) -> None:
        """Set the error that `wait` and `value` raise."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._future.set_exception(result)

    def add_done_callback(self, callback: Callable[[Future], None]) -> None:
        """Call `callback(self)` when done; now, if it is."""
        self._future.add_done_callback(lambda _: callback(self))

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """A Future of `callback(self)`."""
        after: Future = Future()

        def run(_: Future) -> None:
            try:
                after.set_result(callback(self))
            except Exception as error:
                after.set_exception(error)

        self.add_done_callback(run)
        return after


def collect_all(futures: Sequence[Future]) -> Future:
    """A Future of the list of `futures`, done when all of them are."""
    everything: Future = Future()
    waiting = {id(future) for future in futures}

    def one_done(future: Future) -> None:
        waiting.discard(id(future))
        if not waiting and not everything.done():
            everything.set_result([*futures])

    for future in futures:
        future.add_done_callback(one_done)
    if not futures:
        everything.set_result([])
    return everything


def wait_all(futures: Sequence[Future]) -> list:
    """The values of all `futures`."""
    return [future.wait() for future in collect_all(futures).wait()]
