"""profile: how often and how long each operator and each node of backward runs.

Operators know nothing of it: while a profile is on, Python's own profiling hook reports each
call, and the code of operators is told by its file name, "<operator mul>". That costs time for
every Python call, so compare the lines of one profile, not two profiles.
"""

from __future__ import annotations

import functools
import inspect
import os
import sys
import threading
import time

import numpy as np

from .._callers import is_own
from .._state import features
from .._tensor import Tensor
from ..ops.arguments import shown
from .profiler_util import EventList, FunctionEvent, FunctionEventAvg

__all__ = ["EventList", "FunctionEvent", "profile", "record_function"]

_UNSUPPORTED = ("use_cuda", "use_device", "acc_events", "experimental_config",
                "custom_trace_id_callback")
_NUMPY = os.path.dirname(np.__file__)


# What PyTorch shows above the operators that it is made of, and is a plain function here.
COMPOSITES = """
    matmul einsum conv1d conv_transpose1d flatten softmax log_softmax layer_norm group_norm
    batch_norm adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d
    scaled_dot_product_attention
"""
IN_FUNCTIONAL = "linear", "dropout", "instance_norm", "max_pool1d", "max_pool2d", "max_pool3d"


@functools.cache
def composites() -> dict:
    """The names of composite functions, by their code; {} stands for the number of dimensions where
    one function serves several."""
    from ..nn import functional
    from ..ops.public import FUNCTIONS, NATIVE
    found = {name: (FUNCTIONS | NATIVE)[name] for name in COMPOSITES.split()}
    found |= {name: getattr(functional, name) for name in IN_FUNCTIONAL}
    found["cross_entropy_loss"] = functional.cross_entropy
    codes = {name: inspect.unwrap(function).__code__ for name, function in found.items()}
    return {code: "aten::" + (name.replace("1d", "{}d") if "dims" in code.co_freevars else name)
            for name, code in codes.items()}


class profile:
    """Count and time operators in a block, in this thread.

    `record_shapes` notes the shapes of their arguments, [] for one that is not a tensor;
    `profile_memory` the bytes of their results that are no views; `with_flops` counts the
    multiplications and additions of matrix products, convolutions and elementwise operators;
    `with_stack` adds the program's own functions. `with_modules` is about TorchScript, in PyTorch
    too; `use_kineto` chooses between PyTorch's recorders, of which there is one here.

    >>> import retrograd as torch
    >>> x = torch.ones(3, requires_grad=True)
    >>> with torch.autograd.profiler.profile() as prof:
    ...     (x * x).sum().backward()
    >>> [(e.key, e.count) for e in prof.key_averages() if "mul" in e.key.lower()]
    [('aten::mul', 1), ('MulBackward0', 1)]
    """

    _active: list[profile] = []

    def __init__(self, enabled: bool = True, *, use_cpu: bool = True, record_shapes: bool = False,
                 with_flops: bool = False, profile_memory: bool = False, with_stack: bool = False,
                 with_modules: bool = False, use_kineto: bool = False, **options):
        for name, value in options.items():
            if name not in _UNSUPPORTED:
                raise TypeError(f"profile() got an unexpected keyword argument '{name}'")
            if value:
                raise NotImplementedError(f"profile: {name}=True")
        self.enabled = enabled
        self.record_shapes, self.profile_memory = record_shapes, profile_memory
        self.with_flops, self.with_stack = with_flops, with_stack
        self.function_events: EventList | None = None
        self._open: list[tuple] = []
        self._composites = composites()

    def __enter__(self) -> profile:
        if self.enabled:
            self.function_events = EventList((), self.profile_memory, self.with_flops)
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
            self.function_events.sort(key=lambda e: (e.time_range.start, -e.time_range.end))
            self.function_events._populate_cpu_children()

    def _report(self, frame, event, arg) -> None:
        code = frame.f_code
        if event not in ("call", "return"):
            return
        if code.co_filename.startswith("<operator "):
            name = _event_name(frame)
        elif code in self._composites:
            name = self._composites[code].format(frame.f_locals.get("dims"))
        else:
            name = _place(code) if self.with_stack and not _is_inside(code.co_filename) else None
        if name is None:
            return
        if event == "call":
            self._begin(code, name, _shapes(frame) if self.record_shapes else ())
        else:
            self._end(code, **self._figures(frame, name, arg))

    def _figures(self, frame, name, result) -> dict:
        """What is noted of an operator's result."""
        if not frame.f_code.co_filename.startswith("<operator "):
            return {}
        return {"memory": _new_bytes(frame, result) if self.profile_memory else 0,
                "flops": _flops(name, frame, result) if self.with_flops else 0}

    def _begin(self, key, name, shapes=()) -> None:
        self._open.append((key, name, shapes, time.perf_counter()))

    def _end(self, key, **figures) -> None:
        """Note the end of what last began as `key`, and drop what an exception left open since."""
        now = time.perf_counter()
        while self._open:
            began, name, shapes, start = self._open.pop()
            if began is key:
                self.function_events.append(
                    FunctionEvent(
                        id=len(self.function_events),
                        name=name,
                        thread=threading.get_ident(),
                        start_us=start * 1e6,
                        end_us=now * 1e6,
                        input_shapes=shapes,
                        **figures,
                    )
                )
                return

    def _events(self) -> EventList:
        if self.function_events is None:
            raise RuntimeError("Profiler didn't finish running")
        return self.function_events

    def key_averages(self, group_by_input_shape: bool = False,
                     group_by_stack_n: int = 0) -> EventList:
        """One sum for each operator, or for each of its lists of argument shapes."""
        return self._events().key_averages(group_by_input_shape, group_by_stack_n)

    def total_average(self) -> FunctionEventAvg:
        """The sum over all operators."""
        return self._events().total_average()

    def table(self, sort_by: str | None = None, row_limit: int = 100, *args, **kwargs) -> str:
        """The events as a table, see EventList.table()."""
        return self._events().table(sort_by, row_limit, *args, **kwargs)

    def export_chrome_trace(self, path: str) -> None:
        """Write the events in the format of chrome://tracing."""
        self._events().export_trace_file(path)

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
    if function not in (name, name + "_", "dunder"):
        return None
    return f"aten::{shown(frame.f_globals['op'], function == name + '_')}"


def _is_inside(file: str) -> bool:
    """Whether a file belongs to the code that computes: the package, or NumPy."""
    return is_own(file) or file.startswith(_NUMPY)


def _place(code) -> str:
    """A Python function as PyTorch shows it, its path relative to sys.path: train.py(12): f.
    """
    file = code.co_filename
    roots = (os.path.join(os.path.abspath(root), "") for root in sys.path)
    inside = max((root for root in roots if file.startswith(root)), key=len, default="")
    return f"{file[len(inside):]}({code.co_firstlineno}): {code.co_name}"


def _arguments(frame) -> list:
    """The values of a function's parameters."""
    code = frame.f_code
    names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
    return [frame.f_locals[name] for name in names]


def _new_bytes(frame, result) -> int:
    """The bytes of a result's arrays; views, and arguments that are returned, count nothing."""
    given = {id(value) for value in _arguments(frame)}
    parts = result if isinstance(result, (tuple, list)) else (result,)
    arrays = (getattr(part, "_data", part) for part in parts if id(part) not in given)
    return sum(a.nbytes for a in arrays if isinstance(a, np.ndarray) and a.base is None)


def _flops(name, frame, result) -> int:
    """How many multiplications and additions an operator does; 0 if that is not known."""
    from ..utils.flop_counter import FORWARD
    if not isinstance(result, Tensor):
        return 0
    if name in ("aten::add", "aten::mul"):
        return result.numel()
    if name == "aten::mv":                                      # (n, k) (k,) -> (n,)
        return 2 * _arguments(frame)[0].numel()
    count = FORWARD.get(name.removeprefix("aten::"))
    return 0 if count is None else count(frame.f_locals, result)


def _shapes(frame) -> list[list[int]]:
    """The shapes of a function's arguments, [] for one that is not a tensor."""
    names = frame.f_code.co_varnames[:frame.f_code.co_argcount]
    values = [frame.f_locals[name] for name in names]
    return [list(v._data.shape) if isinstance(v, Tensor) else [] for v in values]


class record_function:
    """Name a block or a decorated function in the profile, if one is on.

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
            running._end(self, is_user_annotation=True)

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
