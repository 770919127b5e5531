"""torch.profiler: a profile of some of a program's steps, by torch.autograd.profiler's."""

from __future__ import annotations

import os
import socket
import time
import warnings
from collections.abc import Callable, Iterable
from enum import Enum
from typing import Any

from .autograd import profiler as _single
from .autograd.profiler import record_function

__all__ = ["ProfilerAction", "ProfilerActivity", "kineto_available", "profile",
           "record_function", "schedule", "supported_activities", "tensorboard_trace_handler"]


class ProfilerActivity(Enum):
    """What may be profiled; here the CPU.

    >>> import retrograd as torch
    >>> torch.profiler.ProfilerActivity.CPU
    <ProfilerActivity.CPU: 0>
    """

    CPU, XPU, MTIA, CUDA, HPU, PrivateUse1 = range(6)


class ProfilerAction(Enum):
    """What a step does.

    >>> import retrograd as torch
    >>> torch.profiler.schedule(wait=1, warmup=1, active=1)(0)
    <ProfilerAction.NONE: 0>
    """

    NONE, WARMUP, RECORD, RECORD_AND_SAVE = range(4)


def kineto_available() -> bool:
    """False: PyTorch's tracing library is not used.

    >>> import retrograd as torch
    >>> torch.profiler.kineto_available()
    False
    """
    return False


def supported_activities() -> set[ProfilerActivity]:
    """The CPU.

    >>> import retrograd as torch
    >>> torch.profiler.supported_activities()
    {<ProfilerActivity.CPU: 0>}
    """
    return {ProfilerActivity.CPU}


def schedule(*, wait: int, warmup: int, active: int, repeat: int = 0, skip_first: int = 0,
             skip_first_wait: int = 0) -> Callable[[int], ProfilerAction]:
    """Skip `skip_first` steps; then cycles of `wait`, `warmup` and `active` steps.

    `repeat` cycles, 0 for no end; `skip_first_wait` leaves the first wait out.

    >>> import retrograd as torch
    >>> plan = torch.profiler.schedule(wait=0, warmup=1, active=2, repeat=1)
    >>> [plan(step).name for step in range(4)]
    ['WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError(
            f"Invalid profiler schedule arguments. Got wait={wait} (need >= 0), "
            f"warmup={warmup} (need >= 0), active={active} (need > 0), repeat={repeat} "
            f"(need >= 0), skip_first={skip_first} (need >= 0).")
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results",
                      stacklevel=2)
    cycle = wait + warmup + active

    def action(step: int) -> ProfilerAction:
        step -= skip_first
        if step < 0:
            return ProfilerAction.NONE
        if skip_first_wait:
            step += wait
        if repeat and step >= repeat * cycle:
            return ProfilerAction.NONE
        place = step % cycle
        if place < wait:
            return ProfilerAction.NONE
        if place < wait + warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < cycle - 1 else ProfilerAction.RECORD_AND_SAVE

    return action


def tensorboard_trace_handler(dir_name: str, worker_name: str | None = None,
                              use_gzip: bool = False) -> Callable[[profile], None]:
    """An `on_trace_ready` that writes each trace into a file of `dir_name`.

    >>> import retrograd as torch
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> ready = torch.profiler.tensorboard_trace_handler(folder, "here")
    >>> with torch.profiler.profile(on_trace_ready=ready):
    ...     _ = torch.ones(2) * 2
    >>> [name.split(".")[0] for name in os.listdir(folder)]
    ['here']
    """
    if use_gzip:
        raise NotImplementedError("tensorboard_trace_handler: use_gzip=True")
    worker = worker_name or f"{socket.gethostname()}_{os.getpid()}"

    def handler(prof: profile) -> None:
        os.makedirs(dir_name, exist_ok=True)
        name = f"{worker}.{time.time_ns()}.pt.trace.json"
        prof.export_chrome_trace(os.path.join(dir_name, name))

    return handler


_RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)


class profile:
    """Profile a block, or those of its steps that `schedule` picks; call `step` after each.

    >>> import retrograd as torch
    >>> with torch.profiler.profile() as prof:
    ...     _ = torch.ones(2) * 2
    >>> [event.key for event in prof.key_averages()]
    ['aten::mul']
    """

    def __init__(self, *, activities: Iterable[ProfilerActivity] | None = None,
                 schedule: Callable[[int], ProfilerAction] | None = None,
                 on_trace_ready: Callable[[profile], Any] | None = None,
                 record_shapes: bool = False, profile_memory: bool = False,
                 with_stack: bool = False, with_flops: bool = False, with_modules: bool = False,
                 acc_events: bool = False) -> None:
        self.activities = supported_activities() if activities is None else set(activities)
        self.on_trace_ready = on_trace_ready
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        self.with_stack, self.with_flops = with_stack, with_flops
        self.with_modules = with_modules
        self.step_num = 0
        self._schedule = schedule
        self._profile: Any = None
        self._running = False

    def _action(self) -> ProfilerAction:
        if self._schedule is None:
            return ProfilerAction.RECORD
        return self._schedule(self.step_num)

    def __enter__(self) -> profile:
        self.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self.stop()

    def start(self) -> None:
        """Begin with the step that comes."""
        if self._action() in _RECORDING:
            self._record()

    def stop(self) -> None:
        """End; a trace that is being recorded is ready."""
        if self._running:
            self._finish()

    def step(self) -> None:
        """The next step begins."""
        complete = self._running and self._action() is ProfilerAction.RECORD_AND_SAVE
        self.step_num += 1
        if complete:
            self._finish()
        if not self._running and self._action() in _RECORDING:
            self._record()

    def _record(self) -> None:
        self._profile = _single.profile(
            record_shapes=self.record_shapes, profile_memory=self.profile_memory,
            with_stack=self.with_stack, with_flops=self.with_flops)
        self._profile.__enter__()
        self._running = True

    def _finish(self) -> None:
        self._profile.__exit__(None, None, None)
        self._running = False
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    def events(self) -> Any:
        """The events of the last trace."""
        if self._profile is None:
            raise AssertionError("Profiler must be started before events can be read")
        return self._profile.function_events

    def key_averages(self, *args: Any, **kwargs: Any) -> Any:
        """One sum for each operator of the last trace."""
        self.events()
        return self._profile.key_averages(*args, **kwargs)

    def export_chrome_trace(self, path: str) -> None:
        """Write the last trace in the format of chrome://tracing."""
        self.events()
        self._profile.export_chrome_trace(path)
