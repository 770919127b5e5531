"""The block in which new tensors go to a device, as a class and as a decorator."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from .._attributes import device as Device


class DeviceContext:
    """``with DeviceContext(d)`` is ``with torch.device(d)``."""

    def __init__(self, device: Any) -> None:
        self.device = Device(device)

    def __enter__(self) -> Device:
        return self.device.__enter__()

    def __exit__(self, *exc: object) -> None:
        self.device.__exit__(*exc)


def set_device(device: Any) -> Callable:
    """Decorate a function to make its new tensors on `device`."""
    def decorate(fn: Callable) -> Callable:
        @wraps(fn)
        def on_device(*args: Any, **kwargs: Any) -> Any:
            with Device(device):
                return fn(*args, **kwargs)
        return on_device
    return decorate
