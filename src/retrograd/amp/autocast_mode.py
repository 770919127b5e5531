"""autocast: a block in which PyTorch would compute some operators in half precision.

Here they keep the dtypes of their inputs: results are the more exact ones.  What the block was
asked for can be read back by is_autocast_enabled() and get_autocast_dtype().
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any

from .. import _dtype

_DEVICES = ("cpu", "cuda", "xpu", "mps", "hpu", "mtia", "maia", "xla", "ipu", "privateuseone")
_CPU_DTYPES = (_dtype.bfloat16, _dtype.float16)


class _State(threading.local):
    def __init__(self) -> None:
        self.enabled: dict[str, bool] = {}
        self.dtypes: dict[str, Any] = {"cpu": _dtype.bfloat16, "cuda": _dtype.float16}
        self.cache = True


_state = _State()


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast takes `device_type`."""
    return device_type in _DEVICES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether inside an enabled autocast block for `device_type`."""
    return _state.enabled.get(device_type, False)


def is_autocast_cpu_enabled() -> bool:
    """is_autocast_enabled('cpu')."""
    return is_autocast_enabled("cpu")


def get_autocast_dtype(device_type: str) -> Any:
    """The dtype that autocast was asked for."""
    return _state.dtypes.get(device_type, _dtype.float16)


def get_autocast_cpu_dtype() -> Any:
    """get_autocast_dtype('cpu')."""
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> Any:
    """get_autocast_dtype('cuda')."""
    return get_autocast_dtype("cuda")


def is_autocast_cache_enabled() -> bool:
    """What autocast's cache_enabled says."""
    return _state.cache


class autocast:
    """Accepted as context manager and decorator; see the module's text.

    Raises RuntimeError for a device_type that is not a device's name.

    >>> import retrograd as torch
    >>> with torch.autocast("cpu"):
    ...     torch.is_autocast_enabled("cpu")
    True
    """

    def __init__(self, device_type: str, dtype: Any = None, enabled: bool = True,
                 cache_enabled: bool | None = None) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError("User specified an unsupported autocast device_type "
                               f"'{device_type}'")
        if device_type == "cuda" and enabled:
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. "
                          "Disabling", UserWarning, stacklevel=2)
            enabled = False
        self.device = device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        if device_type == "cpu" and enabled and self.fast_dtype not in _CPU_DTYPES:
            warnings.warn("In CPU autocast, but the target dtype is not supported. Disabling "
                          "autocast.\nCPU Autocast only supports dtype of torch.bfloat16, "
                          "torch.float16 currently.", UserWarning, stacklevel=2)
            enabled = False
        self._enabled = enabled
        self._cache_enabled = _state.cache if cache_enabled is None else cache_enabled

    def __enter__(self) -> autocast:
        self._before = (is_autocast_enabled(self.device), get_autocast_dtype(self.device),
                        _state.cache)
        self._set(self._enabled, self.fast_dtype, self._cache_enabled)
        return self

    def __exit__(self, *exc: object) -> None:
        self._set(*self._before)

    def _set(self, enabled: bool, dtype: Any, cache: bool) -> None:
        _state.enabled[self.device] = enabled
        _state.dtypes[self.device] = dtype
        _state.cache = cache

    def __call__(self, func: Callable) -> Callable:
        @functools.wraps(func)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return decorated


def custom_fwd(fwd: Callable | None = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """The forward of a Function as it is: autocast does not change its inputs."""
    return fwd if fwd is not None else lambda function: function


def custom_bwd(bwd: Callable | None = None, *, device_type: str) -> Any:
    """The backward of a Function as it is."""
    return bwd if bwd is not None else lambda function: function
