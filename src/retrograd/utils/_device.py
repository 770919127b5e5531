"""The block in which new tensors go to a device, as a class and as a decorator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .._attributes import device as Device
from ..autograd.grad_mode import _run_under


class DeviceContext:
    """`with DeviceContext(d)` is `with torch.device(d)`."""

    def __init__(self, device: Any) -> None:
        self.device = Device(device)

    def __enter__(self) -> Device:
        return self.device.__enter__()

    def __exit__(self, *exc: object) -> None:
        self.device.__exit__(*exc)


def set_device(device: Any) -> Callable:
    """Decorate a function or generator to make its new tensors on `device`."""
    return lambda fn: _run_under(lambda: Device(device), fn)
