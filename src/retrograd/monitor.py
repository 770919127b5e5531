"""torch.monitor: statistics that are logged as events, and handlers that receive events.

>>> from datetime import timedelta
>>> import retrograd as torch
>>> from retrograd.monitor import Aggregation, Stat, register_event_handler
>>> handle = register_event_handler(lambda event: print(event.data))
>>> losses = Stat("loss", [Aggregation.MEAN], timedelta(hours=1), max_samples=2)
>>> losses.add(3.0)
>>> losses.add(5.0)
{'loss.mean': 4.0}
>>> torch.monitor.unregister_event_handler(handle)
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

__all__ = [
    "STAT_EVENT", "Aggregation", "Event", "EventHandlerHandle", "Stat", "TensorboardEventHandler",
    "log_event", "register_event_handler", "unregister_event_handler",
]

STAT_EVENT = "torch.monitor.Stat"


class Aggregation(Enum):
    """What a Stat makes of the numbers of a window; of VALUE PyTorch logs nothing.

    >>> import retrograd as torch
    >>> torch.monitor.Aggregation.MEAN.name
    'MEAN'
    """

    VALUE = 0
    MEAN = 2
    COUNT = 3
    SUM = 4
    MAX = 5
    MIN = 6

    def __int__(self) -> int:
        return self.value


_COMPUTE: dict[Aggregation, Callable[[list[float]], float]] = {
    Aggregation.MEAN: lambda numbers: sum(numbers) / len(numbers) if numbers else 0.0,
    Aggregation.COUNT: lambda numbers: float(len(numbers)),
    Aggregation.SUM: lambda numbers: float(sum(numbers)),
    Aggregation.MAX: lambda numbers: max(numbers, default=0.0),
    Aggregation.MIN: lambda numbers: min(numbers, default=0.0),
}


# --------------------------------------------------------------------------- events

class Event:
    """Something that happened: a name, a datetime, and data by name (text, ints and floats).

    >>> import retrograd as torch
    >>> from datetime import datetime
    >>> from retrograd import monitor
    >>> monitor.Event("epoch", datetime(2026, 1, 1), {"loss": 0.5}).data
    {'loss': 0.5}
    """

    def __init__(self, name: str, timestamp: datetime, data: dict[str, str | float]) -> None:
        fits = isinstance(name, str) and isinstance(timestamp, datetime) and isinstance(data, dict)
        if not fits or not all(isinstance(v, (str, int, float)) for v in data.values()):
            raise TypeError("Event(): takes name: str, timestamp: datetime and data: dict of str, "
                            "int and float")
        self.name, self.timestamp = name, timestamp
        self.data = {key: float(v) if isinstance(v, bool) else v for key, v in data.items()}


class EventHandlerHandle:
    """What register_event_handler() returns, for unregister_event_handler()."""

    def __init__(self, handler: Callable[[Event], None]) -> None:
        self._handler = handler


_handlers: list[EventHandlerHandle] = []


def register_event_handler(handler: Callable[[Event], None]) -> EventHandlerHandle:
    """Call handler(event) for every event that is logged from now on.

    >>> import retrograd as torch
    >>> from datetime import datetime
    >>> from retrograd import monitor
    >>> handle = monitor.register_event_handler(lambda event: print(event.name, event.data))
    >>> monitor.log_event(monitor.Event("epoch", datetime(2026, 1, 1), {"loss": 0.5}))
    epoch {'loss': 0.5}
    >>> monitor.unregister_event_handler(handle)
    """
    if not callable(handler):
        raise TypeError("register_event_handler(): takes a function of an Event")
    handle = EventHandlerHandle(handler)
    _handlers.append(handle)
    return handle


def unregister_event_handler(handle: EventHandlerHandle) -> None:
    """Stop calling the handler; ValueError for one that is not registered.

    >>> import retrograd as torch
    >>> from datetime import datetime
    >>> from retrograd import monitor
    >>> handle = monitor.register_event_handler(print)
    >>> monitor.unregister_event_handler(handle)
    >>> monitor.log_event(monitor.Event("unseen", datetime(2026, 1, 1), {}))
    """
    if handle not in _handlers:
        raise ValueError("unregister_event_handler(): this handler is not registered")
    _handlers.remove(handle)


def log_event(event: Event) -> None:
    """Hand an event to all handlers, in the order in which they were registered.

    >>> import retrograd as torch
    >>> from datetime import datetime
    >>> from retrograd import monitor
    >>> handle = monitor.register_event_handler(lambda event: print(event.name))
    >>> monitor.log_event(monitor.Event("started", datetime(2026, 1, 1), {}))
    started
    >>> monitor.unregister_event_handler(handle)
    """
    if not isinstance(event, Event):
        raise TypeError("log_event(): takes an Event")
    for handle in list(_handlers):
        handle._handler(event)


# --------------------------------------------------------------------------- statistics

class Stat:
    """Collects numbers and logs, for each window of time, an Event with their aggregations.

    Windows follow one another since 1970. The event comes with the first number after its window,
    with the last of `max_samples`, beyond which the window takes no more, or when the Stat dies.
    Threads may add to it.
    """

    def __init__(self, name: str, aggregations: Iterable[Aggregation], window_size: timedelta,
                 max_samples: int | None = None) -> None:
        chosen = list(aggregations)
        if not all(isinstance(a, Aggregation) for a in chosen):
            raise TypeError("Stat(): aggregations must be of the class Aggregation")
        self._size = window_size.total_seconds()
        if self._size <= 0:
            raise ValueError("Stat(): window_size must be longer than 0")
        self.name = name
        self._aggregations = [a for a in _COMPUTE if a in chosen]
        self._most = max_samples
        self._lock = threading.Lock()
        self._numbers: list[float] = []
        self._window, self._full = 0.0, False
        self._last = self._computed()

    def _computed(self) -> dict[Aggregation, float]:
        return {a: _COMPUTE[a](self._numbers) for a in self._aggregations}

    @property
    def count(self) -> int:
        """How many numbers the window that is open has."""
        return len(self._numbers)

    def add(self, v: float) -> None:
        """Add a number; logs the window before, if it has ended, and this one, if it is full."""
        if isinstance(v, str):
            raise TypeError("Stat.add(): takes a number, not a str")
        number = float(v)
        with self._lock:
            window = time.time() // self._size
            events = self._closed() if self._numbers and window != self._window else []
            if window != self._window:
                self._window, self._full = window, False
            if not self._full:
                self._numbers.append(number)
            if self._most is not None and len(self._numbers) >= self._most:
                events += self._closed()
                self._full = True
        for event in events:
            log_event(event)

    def get(self) -> dict[Aggregation, float]:
        """The aggregations of the last window that was logged, zeros before there is one."""
        with self._lock:
            return dict(self._last)

    def _closed(self) -> list[Event]:
        """The event of the window that ends here."""
        self._last = self._computed()
        self._numbers.clear()
        data = {f"{self.name}.{a.name.lower()}": value for a, value in self._last.items()}
        return [Event(STAT_EVENT, datetime.now(), data)]

    def __del__(self) -> None:
        if getattr(self, "_numbers", None):
            for event in self._closed():
                log_event(event)


class TensorboardEventHandler:
    """A handler that writes the events of a Stat as scalars to a SummaryWriter."""

    def __init__(self, writer: Any) -> None:
        self._writer = writer

    def __call__(self, event: Event) -> None:
        if event.name == STAT_EVENT:
            for name, value in event.data.items():
                self._writer.add_scalar(name, value, walltime=event.timestamp.timestamp())


class _WaitCounter:
    """Measures nothing here: PyTorch hands the times to its own services."""

    def __init__(self, key: str) -> None:
        self.key = key

    @contextmanager
    def guard(self) -> Iterator[None]:
        yield
