"""Names around the profiler that PyTorch keeps from its older one."""

from __future__ import annotations

import enum
from typing import Any, NoReturn

from .profiler import profile

__all__ = ["profile"]


class DeviceType(enum.Enum):
    """Where an event took place: here always on the CPU."""

    CPU = 0


class ProfilerState(enum.Enum):
    """What the older profiler was told to do."""

    Disabled = 0
    CPU = 1


class ProfilerConfig:
    """Raises NotImplementedError: `torch.autograd.profiler.profile` takes its options itself."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError("torch.autograd.ProfilerConfig: give the options to "
                                  "torch.autograd.profiler.profile")


class ProfilerEvent:
    """Raises NotImplementedError: events are `torch.autograd.profiler_util.FunctionEvent`."""

    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError("torch.autograd.ProfilerEvent: events are made by "
                                  "torch.autograd.profiler.profile")
