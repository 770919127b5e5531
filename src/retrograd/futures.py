"""torch.futures: a value that another thread will set."""

from __future__ import annotations

import concurrent.futures
import threading
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
        self._refuse_if_done()
        self._future.set_result(result)

    def _refuse_if_done(self) -> None:
        if self.done():
            raise RuntimeError("Attempting to mark a completed Future as complete again. Note "
                               "that a Future can only be marked completed once.")

    def set_exception(self, result: BaseException) -> None:
        """Set the error that `wait` and `value` raise."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self._refuse_if_done()
        self._future.set_exception(result)

    def add_done_callback(self, callback: Callable[[Future], None]) -> None:
        """Call `callback(self)` when done; now, if it is."""
        self._future.add_done_callback(lambda _: callback(self))

    def then(self, callback: Callable[[Future], Any]) -> Future:
        """A Future of `callback(self)`, whose error it gives as a RuntimeError."""
        after: Future = Future()

        def run(_: Future) -> None:
            try:
                after.set_result(callback(self))
            except Exception as error:
                failure = RuntimeError("Got the following error when running the callback: "
                                       f"{type(error).__name__}: {error}")
                failure.__cause__ = error
                after.set_exception(failure)

        self.add_done_callback(run)
        return after


def collect_all(futures: Sequence[Future]) -> Future:
    """A Future of the list of `futures`, done when all of them are, or with the first error.

    >>> import retrograd as torch
    >>> first, second = torch.futures.Future(), torch.futures.Future()
    >>> both = torch.futures.collect_all([first, second])
    >>> first.set_result(1); second.set_result(2)
    >>> [future.value() for future in both.wait()]
    [1, 2]
    """
    if any(future is None for future in futures):
        raise RuntimeError("Future can't be None")
    everything: Future = Future()
    waiting = {id(future) for future in futures}
    one_at_a_time = threading.Lock()

    def one_done(future: Future) -> None:
        with one_at_a_time:
            waiting.discard(id(future))
            if everything.done():
                return
            error = future._future.exception()
            if error is not None:
                everything._future.set_exception(error)
            elif not waiting:
                everything.set_result([*futures])

    for future in futures:
        future.add_done_callback(one_done)
    if not futures:
        everything.set_result([])
    return everything


def wait_all(futures: Sequence[Future]) -> list:
    """The values of all `futures`.

    >>> import retrograd as torch
    >>> first, second = torch.futures.Future(), torch.futures.Future()
    >>> first.set_result(1); second.set_result(2)
    >>> torch.futures.wait_all([first, second])
    [1, 2]
    """
    return [future.wait() for future in collect_all(futures).wait()]
