"""profile: how often and how long each operator and each node of backward runs.

Operators know nothing of it: while a profile is on, Python's own profiling hook reports each
call, and the code of operators is told by its file name, "<operator mul>". That costs time for
every Python call, so compare the lines of one profile, not two profiles.
"""

from __future__ import annotations

import functools
import sys
import threading
import time

from .._state import features
from .._tensor import Tensor
from .profiler_util import EventList, FunctionEvent, FunctionEventAvg

__all__ = ["EventList", "FunctionEvent", "FunctionEventAvg", "profile", "record_function"]

_UNSUPPORTED = ("use_cuda", "use_device", "profile_memory", "with_stack", "with_flops",
                "with_modules", "acc_events", "experimental_config", "custom_trace_id_callback")


class profile:
    """Count and time operators in a block, in this thread.

    `record_shapes` notes the shapes of their arguments, [] for one that is not a tensor;
    `use_kineto` chooses between PyTorch's recorders, of which there is one here.

    >>> import retrograd as torch
    >>> x = torch.ones(3, requires_grad=True)
    >>> with torch.autograd.profiler.profile() as prof:
    ...     (x * x).sum().backward()
    >>> [(e.key, e.count) for e in prof.key_averages() if "mul" in e.key.lower()]
    [('aten::mul', 1), ('MulBackward0', 1)]
    """

    _active: list[profile] = []

    def __init__(self, enabled: bool = True, *, use_cpu: bool = True, record_shapes: bool = False,
                 use_kineto: bool = False, **options):
        for name, value in options.items():
            if name not in _UNSUPPORTED:
                raise TypeError(f"profile() got an unexpected keyword argument '{name}'")
            if value:
                raise NotImplementedError(f"profile: {name}=True")
        self.enabled = enabled
        self.record_shapes = record_shapes
        self.function_events: EventList | None = None
        self._open: list[tuple] = []

    def __enter__(self) -> profile:
        if self.enabled:
            self.function_events = EventList()
            self._before = sys.getprofile()
            profile._active.append(self)
            features.count("recording", 1)          # each operator is to run, not several as one
            sys.setprofile(self._report)
        return self

    def __exit__(self, *exc_info) -> None:
        if self.enabled:
            sys.setprofile(self._before)
            features.count("recording", -1)
            profile._active.remove(self)
            self._open.clear()
            self.function_events._populate_cpu_children()

    def _report(self, frame, event, arg) -> None:
        code = frame.f_code
        if not code.co_filename.startswith("<operator ") or event not in ("call", "return"):
            return
        name = _event_name(frame)
        if name is None:
            return
        if event == "call":
            self._begin(code, name, _shapes(frame) if self.record_shapes else ())
        else:
            self._end(code)

    def _begin(self, key, name, shapes=()) -> None:
        self._open.append((key, name, shapes, time.perf_counter()))

    def _end(self, key) -> None:
        """Note the end of what began last under `key`; what an exception left open is dropped."""
        while self._open:
            began, name, shapes, start = self._open.pop()
            if began is key:
                now = time.perf_counter()
                self.function_events.append(
                    FunctionEvent(
                        id=len(self.function_events),
                        name=name,
                        thread=threading.get_ident(),
                        start_us=start * 1e6,
                        end_us=now * 1e6,
                        input_shapes=shapes,
                    )
                )
                return

    def _events(self) -> EventList:
        if self.function_events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self.function_events

    def key_averages(self, group_by_input_shape: bool = False) -> EventList:
        """One sum for each operator, or for each of its lists of argument shapes."""
        return self._events().key_averages(group_by_input_shape)

    def total_average(self) -> FunctionEventAvg:
        """The sum over all operators."""
        return self._events().total_average()

    def table(self, sort_by: str | None = None, row_limit: int = 100, *args, **kwargs) -> str:
        """The events as a table, see EventList.table()."""
        return self._events().table(sort_by, row_limit, *args, **kwargs)

    def export_chrome_trace(self, path: str) -> None:
        """Write the events in the format of chrome://tracing."""
        self._events().export_chrome_trace(path)

    @property
    def self_cpu_time_total(self) -> float:
        """The time spent in operators, in microseconds."""
        return self._events().self_cpu_time_total

    def __repr__(self):
        return "<unfinished profile>" if self.function_events is None else self.table()


def _event_name(frame) -> str | None:
    """aten::mul for the function of an operator, MulBackward0 for its node; None for neither."""
    function = frame.f_code.co_name
    if function in ("run", "run_graph"):
        return frame.f_locals["node"].name()
    name = frame.f_code.co_filename[len("<operator ") : -1]
    if function == name + "_":
        return f"aten::{name}_"
    return f"aten::{name}" if function in (name, "dunder") else None


def _shapes(frame) -> list[list[int]]:
    """The shapes of a function's arguments, [] for one that is not a tensor."""
    names = frame.f_code.co_varnames[:frame.f_code.co_argcount]
    values = [frame.f_locals[name] for name in names]
    return [list(v._data.shape) if isinstance(v, Tensor) else [] for v in values]


class record_function:
    """Name a block, or a decorated function, in the profile that is on; else nothing happens.

    >>> import retrograd as torch
    >>> with torch.autograd.profiler.profile() as profile:
    ...     with torch.autograd.profiler.record_function("doubling"):
    ...         _ = torch.ones(2) * 2
    >>> "doubling" in [event.name for event in profile.function_events]
    True
    """

    def __init__(self, name: str, args: str | None = None):
        self.name, self.args = name, args

    def __enter__(self) -> record_function:
        if not isinstance(self.name, str):
            raise RuntimeError(
                "profiler::_record_function_enter_new() Expected a value of type 'str' for "
                f"argument 'name' but instead found type '{type(self.name).__name__}'.")
        self._profiles = list(profile._active)
        for running in self._profiles:
            running._begin(self, self.name)
        return self

    def __exit__(self, *exc_info) -> None:
        for running in self._profiles:
            running._end(self)

    def __call__(self, function):
        @functools.wraps(function)
        def named(*args, **kwargs):
            with record_function(self.name, self.args):
                return function(*args, **kwargs)

        return named


class emit_nvtx:
    """Raises RuntimeError when entered: there is no CUDA to send marks to."""

    def __init__(self, enabled: bool = True, record_shapes: bool = False) -> None:
        self.enabled, self.record_shapes = enabled, record_shapes

    def __enter__(self) -> emit_nvtx:
        if self.enabled:
            raise RuntimeError("NVTX functions not installed. Are you sure you have a CUDA build?")
        return self

    def __exit__(self, *exc: object) -> None:
        return None
