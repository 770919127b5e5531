"""torch.accelerator: there is none; and the classes of streams and events that would be on one."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import Any

from ._attributes import CPU, NO_ACCELERATOR, device
from ._named import HasPyTorchsName


class AcceleratorError(RuntimeError, metaclass=HasPyTorchsName):
    """An error of an accelerator, of which there is none."""


class OutOfMemoryError(RuntimeError, metaclass=HasPyTorchsName):
    """No memory left on an accelerator, of which there is none: never raised."""


for _error in (AcceleratorError, OutOfMemoryError):
    _error.__module__ = "torch"


def is_available() -> bool:
    """False."""
    return False


def current_accelerator(check_available: bool = False) -> None:
    """None."""
    return None


def device_count() -> int:
    """0."""
    return 0


def empty_cache() -> None:
    """Nothing to free."""


class device_index:
    """A block in which another accelerator is the current one: RuntimeError, unless it is None."""

    def __init__(self, device: int | None, /) -> None:
        self.idx = device

    def __enter__(self) -> None:
        if self.idx is not None:
            raise RuntimeError(NO_ACCELERATOR)

    def __exit__(self, *exc_info: object) -> None:
        """There is nothing to go back to."""


def _unavailable(name: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> Any:
        raise RuntimeError(NO_ACCELERATOR)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Raises RuntimeError: there is no accelerator."
    return function


_UNAVAILABLE = (
    "current_device_index", "current_device_idx", "set_device_index", "set_device_idx",
    "current_stream", "set_stream", "synchronize", "memory_allocated", "max_memory_allocated",
    "memory_reserved", "max_memory_reserved", "memory_stats", "reset_peak_memory_stats",
    "get_device_capability", "get_memory_info", "empty_host_cache",
    "reset_accumulated_memory_stats", "Graph",
)
for _name in _UNAVAILABLE:
    globals()[_name] = _unavailable(_name)
__all__ = [  # pyright: ignore[reportUnsupportedDunderAll]
    "current_accelerator", "device_count", "device_index", "empty_cache", "is_available",
    *_UNAVAILABLE,
]


def get_device_module(device: Any = None) -> ModuleType:
    """torch.cpu for the CPU, torch.cuda for a GPU, and so on.

    >>> import retrograd as torch
    >>> torch.get_device_module("cpu").device_count()
    1

    Raises:
        RuntimeError: no such device, or one without a module.
    """
    kind = CPU.type if device is None else _device(device).type
    try:
        return import_module(f"retrograd.{kind}")
    except ModuleNotFoundError:
        raise RuntimeError(f"Device '{kind}' does not have a corresponding module registered as "
                           f"'torch.{kind}'.") from None


_device = device


class _OfCPU:
    def __init__(self, device: Any = None, **kwargs: Any) -> None:
        self.device = CPU if device is None else _device(device)
        if self.device.type != "cpu":
            raise RuntimeError(f"PyTorch is not linked with support for {self.device.type} devices")


class Stream(_OfCPU):
    """The CPU's queue of work, which is empty: operators have finished when they return."""

    device_index, stream_id = -1, 0

    def __repr__(self) -> str:
        return "torch.Stream device_type=cpu, device_index=-1, stream_id=0"

    def query(self) -> bool:
        """True: everything has finished."""
        return True

    def synchronize(self) -> None:
        """Nothing to wait for."""

    wait_event = wait_stream = lambda self, other: None

    def __enter__(self) -> Stream:
        return self

    def __exit__(self, *exc: object) -> None:
        return None


class Event(_OfCPU):
    """A place in the CPU's queue of work."""

    def __repr__(self) -> str:
        return "torch.Event device_type=cpu, device_index=-1, event_flag=0, event_id=0"


Stream.__module__ = Event.__module__ = "torch"
