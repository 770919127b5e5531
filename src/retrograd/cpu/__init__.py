"""torch.cpu: the functions of torch.cuda, for the only device there is."""

from __future__ import annotations

import contextlib
from importlib import import_module
from typing import Any

__all__ = [
    "Event", "Stream", "current_device", "current_stream", "device_count", "is_available",
    "is_initialized", "set_device", "stream", "synchronize",
]


def is_available() -> bool:
    """True."""
    return True


is_initialized = is_available


def device_count() -> int:
    """1."""
    return 1


def current_device() -> str:
    """'cpu'."""
    return "cpu"


def set_device(device: Any) -> None:
    """There is nothing to choose."""


def synchronize(device: Any = None) -> None:
    """Operators have finished when they return."""


class Stream:
    """Stands for the one stream of operators."""

    def __init__(self, priority: int = -1) -> None: ...

    def wait_stream(self, stream: Any) -> None:
        """Nothing to wait for."""

    def record_event(self) -> None:
        """Nothing to note."""

    def wait_event(self, event: Any) -> None:
        """Nothing to wait for."""


class Event:
    """A point in the one stream of operators: they have all finished."""

    def __init__(self, enable_timing: bool = False) -> None: ...

    def query(self) -> bool:
        """True."""
        return True

    def record(self, stream: Any = None) -> None:
        """Nothing to note."""

    def synchronize(self) -> None:
        """Nothing to wait for."""

    def wait(self, stream: Any = None) -> None:
        """Nothing to wait for."""


def current_stream(device: Any = None) -> Stream:
    """The stream."""
    return Stream()


def stream(stream: Any) -> Any:
    """A with block that does nothing."""
    return contextlib.nullcontext()


def __getattr__(name: str) -> Any:
    if name == "amp":                               # loads torch.amp
        return import_module(f"{__name__}.amp")
    raise AttributeError(f"module 'torch.cpu' has no attribute {name!r}")
