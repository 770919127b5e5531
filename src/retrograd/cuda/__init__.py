"""torch.cuda as a CPU-only build has it: nothing is available, and what needs a GPU says so."""

from __future__ import annotations

import warnings
from collections import OrderedDict
from importlib import import_module

from ..accelerator import AcceleratorError as AcceleratorError
from ..accelerator import OutOfMemoryError as OutOfMemoryError

NOT_COMPILED = "Torch not compiled with CUDA enabled"
has_half = True


def is_available() -> bool:
    """False: there is only the CPU."""
    return False


_initialized = False


def is_initialized() -> bool:
    """False."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """False."""
    return False


def is_tf32_supported() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def get_arch_list() -> list[str]:
    """No architectures."""
    return []


def get_rng_state_all() -> list:
    """The states of no devices."""
    return []


def set_rng_state_all(new_states: list) -> None:
    """The states of no devices."""


default_generators = ()


def manual_seed(seed: int) -> None:
    """Nothing to seed."""


def manual_seed_all(seed: int) -> None:
    """Nothing to seed."""


def seed() -> None:
    """Nothing to seed."""


def seed_all() -> None:
    """Nothing to seed."""


def empty_cache() -> None:
    """Nothing to free."""


def memory_allocated(device=None) -> int:
    """0."""
    return 0


max_memory_allocated = memory_reserved = max_memory_reserved = memory_allocated


def _renamed(old: str, new: str):
    def nothing(device=None) -> int:
        """The old name, with a warning; 0."""
        warnings.warn(f"`torch.cuda.{old}` has been renamed to `torch.cuda.{new}`", FutureWarning,
                      stacklevel=2)
        return 0
    nothing.__name__ = nothing.__qualname__ = old
    return nothing


memory_cached = _renamed("memory_cached", "memory_reserved")
max_memory_cached = _renamed("max_memory_cached", "max_memory_reserved")


def memory_stats(device=None) -> OrderedDict:
    """Nothing is counted."""
    return OrderedDict()


def _unavailable(name):
    def function(*args, **kwargs):
        raise AssertionError(NOT_COMPILED)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = "Raises AssertionError: there is no GPU."
    return function


for _name in (
    *("init", "synchronize", "current_device", "set_device", "get_device_name"),
    *("get_device_capability", "get_device_properties", "current_stream", "default_stream"),
    *("get_rng_state", "set_rng_state", "initial_seed", "ipc_collect", "mem_get_info"),
    *("can_device_access_peer", "reset_peak_memory_stats", "memory_summary", "graph"),
    *("make_graphed_callables", "get_sync_debug_mode", "set_sync_debug_mode", "set_stream"),
    *("set_per_process_memory_fraction", "utilization", "temperature", "cudart"),
    *("reset_max_memory_allocated", "reset_max_memory_cached", "reset_accumulated_memory_stats"),
    *("memory_snapshot", "memory_usage", "power_draw", "clock_rate", "current_blas_handle"),
    *("list_gpu_processes", "get_stream_from_external", "graph_pool_handle"),
):
    globals()[_name] = _unavailable(_name)


class Stream:
    """Raises RuntimeError: there is no GPU to have streams."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError("torch.cuda.Stream requires CUDA support")


class Event:
    """Raises RuntimeError: there is no GPU to have events."""

    def __init__(self, *args, **kwargs):
        raise RuntimeError(f"Tried to instantiate dummy base class {type(self).__name__}")


class CUDAGraph(Event):
    """Raises RuntimeError: there is no GPU to record on."""


class device:
    """A with block that would choose a GPU; without one it does nothing."""

    def __init__(self, device):
        self.idx = device

    def __enter__(self):
        return None

    def __exit__(self, *exc_info):
        return False


class device_of(device):
    """A with block that would choose the tensor's GPU."""


class StreamContext:
    """A with block that would choose a stream; without a GPU it does nothing."""

    def __init__(self, stream):
        self.stream = stream

    def __enter__(self):
        return None

    def __exit__(self, *exc_info):
        return False


def stream(stream):
    """A with block that does nothing."""
    return StreamContext(stream)


def is_current_stream_capturing() -> bool:
    """False."""
    return False


def _is_in_bad_fork() -> bool:
    """False: there is no CUDA that a fork could break. Libraries ask before they seed it."""
    return False


class _TensorType(type):
    """The class of torch.cuda.FloatTensor and so on: nothing is an instance."""

    def __instancecheck__(cls, instance):
        return False

    def __call__(cls, *args, **kwargs):
        raise TypeError(f"type torch.cuda.{cls.__name__} not available. Torch not compiled with "
                        "CUDA enabled.")


for _name in ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte",
              "Bool"):
    globals()[f"{_name}Tensor"] = _TensorType(f"{_name}Tensor", (), {"__module__": "torch.cuda"})

_SUBMODULES = ("amp", "memory", "nvtx", "random", "streams")
_OTHERS = {"warnings", "annotations", "OrderedDict", "import_module", "AcceleratorError",
           "OutOfMemoryError", "NOT_COMPILED"}
__all__ = sorted(  # pyright: ignore[reportUnsupportedDunderAll]
    {name for name in (*globals(), *_SUBMODULES) if name[0] != "_"} - _OTHERS)


def __getattr__(name: str):
    if name in _SUBMODULES:
        return import_module(f"retrograd.cuda.{name}")
    raise AttributeError(f"module 'torch.cuda' has no attribute {name!r}")
