"""autocast: a block in which products of matrices are computed in half precision.

Which functions it changes, and how: `_casting.py`. Programs that never enter such a block do not
pay for it.
"""

from __future__ import annotations

import functools
import threading
import warnings
from collections.abc import Callable
from typing import Any

from .. import _dtype
from .._attributes import device
from .._tensor import Tensor
from .._warnings import warn
from . import _casting

__all__ = ["autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

_DEVICES = ("cpu", "cuda", "xpu", "mps", "hpu", "mtia", "maia", "xla", "ipu", "privateuseone")
_LOWER = (_dtype.bfloat16, _dtype.float16)


class _State(threading.local):
    def __init__(self) -> None:
        self.enabled: dict[str, bool] = {}
        self.dtypes: dict[str, Any] = {"cpu": _dtype.bfloat16, "cuda": _dtype.float16}
        self.cache = True
        self.depth = 0          # blocks entered


_state = _State()


def is_autocast_available(device_type: str) -> bool:
    """Whether autocast takes `device_type`; RuntimeError for what is no device's name.

    >>> import retrograd as torch
    >>> torch.amp.is_autocast_available("cpu")
    True
    """
    return device(device_type).type in _DEVICES


def is_autocast_enabled(device_type: str = "cuda") -> bool:
    """Whether inside an enabled autocast block for `device_type`.

    >>> import retrograd as torch
    >>> with torch.autocast("cpu", torch.float16):
    ...     torch.is_autocast_enabled("cpu"), torch.is_autocast_enabled("cuda")
    (True, False)
    """
    return _state.enabled.get(device_type, False)


def _deprecated(old: str, new: str) -> None:
    warn(f"torch.{old} is deprecated. Please use torch.{new} instead.", DeprecationWarning)


def is_autocast_cpu_enabled() -> bool:
    """is_autocast_enabled('cpu')."""
    _deprecated("is_autocast_cpu_enabled()", "is_autocast_enabled('cpu')")
    return is_autocast_enabled("cpu")


def get_autocast_dtype(device_type: str) -> Any:
    """The dtype that autocast was asked for.

    >>> import retrograd as torch
    >>> with torch.autocast("cpu", torch.float16):
    ...     torch.get_autocast_dtype("cpu")
    torch.float16
    """
    return _state.dtypes.get(device_type, _dtype.float16)


def get_autocast_cpu_dtype() -> Any:
    """get_autocast_dtype('cpu').

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.get_autocast_cpu_dtype()
    torch.bfloat16
    """
    _deprecated("get_autocast_cpu_dtype()", "get_autocast_dtype('cpu')")
    return get_autocast_dtype("cpu")


def get_autocast_gpu_dtype() -> Any:
    """get_autocast_dtype('cuda')."""
    _deprecated("get_autocast_gpu_dtype()", "get_autocast_dtype('cuda')")
    return get_autocast_dtype("cuda")


def is_autocast_cache_enabled() -> bool:
    """What autocast's cache_enabled says.

    >>> import retrograd as torch
    >>> torch.is_autocast_cache_enabled()
    True
    """
    return _state.cache


class autocast:
    """A block (or decorator) in which matrix products and convolutions compute in `dtype`.

    device_type     "cpu"; for other devices the block changes nothing
    dtype           bfloat16 (the default) or float16
    enabled         False: switch it off, inside a block in which it is on
    cache_enabled   cast a weight once in a block, however often it is used

    Inputs and weights are cast, their gradients are float32 again. Losses, inverses and some others
    compute in float32; everything else in its inputs' dtypes. RuntimeError for a device_type that
    is not a device's name.

    >>> import retrograd as torch
    >>> a = torch.ones(2, 2)
    >>> with torch.autocast("cpu"):
    ...     (a @ a).dtype, (a + a).dtype
    (torch.bfloat16, torch.float32)
    """

    def __init__(self, device_type: str, dtype: Any = None, enabled: bool = True,
                 cache_enabled: bool | None = None) -> None:
        if not isinstance(device_type, str):
            raise ValueError(f"Expected `device_type` of type `str`, got: `{type(device_type)}`")
        if not is_autocast_available(device_type):
            raise RuntimeError("User specified an unsupported autocast device_type "
                               f"'{device_type}'")
        self.device = device_type
        self.fast_dtype = get_autocast_dtype(device_type) if dtype is None else dtype
        refused = enabled and self._refused()
        if refused:
            warnings.warn(refused, UserWarning, stacklevel=2)
            enabled = False
        self._enabled = enabled
        self._cache_enabled = _state.cache if cache_enabled is None else cache_enabled

    def _refused(self) -> str | None:
        """Why PyTorch switches this block off, if it does."""
        if self.device == "cuda":
            return "CUDA is not available or torch_xla is imported. Disabling autocast."
        if self.fast_dtype in _LOWER:
            return None
        name = self.device.upper()
        return (f"In {name} autocast, but the target dtype is not supported. Disabling autocast.\n"
                f"{name} Autocast only supports dtypes of torch.bfloat16, torch.float16 currently.")

    def __enter__(self) -> autocast:
        self._before = (is_autocast_enabled(self.device), get_autocast_dtype(self.device),
                        _state.cache)
        _state.depth += 1
        _set(self.device, self._enabled, self.fast_dtype, self._cache_enabled)
        return self

    def __exit__(self, *exc: object) -> None:
        _state.depth -= 1
        _set(self.device, *self._before)

    def __call__(self, func: Callable) -> Callable:
        @functools.wraps(func)
        def decorated(*args: Any, **kwargs: Any) -> Any:
            with self:
                return func(*args, **kwargs)

        return decorated


def _set(device_type: str, enabled: bool, dtype: Any, cache: bool) -> None:
    _state.enabled[device_type] = enabled
    _state.dtypes[device_type] = dtype
    _state.cache = cache
    if device_type == "cpu":
        if enabled:
            _casting.arm()
        _casting.local.lower = dtype if enabled else None
    kept = _casting.local.cached or {}
    _casting.local.cached = kept if cache and _state.depth else None


def set_autocast_enabled(device_type: str | bool, enabled: bool | None = None) -> None:
    """Switch autocast on or off outside of a block; without `device_type`, that of "cuda".

    RuntimeError for a device_type that is not a device's name, TypeError for other arguments.

    >>> import retrograd as torch
    >>> torch.set_autocast_enabled("cpu", True)
    >>> (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    torch.bfloat16
    >>> torch.set_autocast_enabled("cpu", False)
    """
    if enabled is None:
        device_type, enabled = "cuda", device_type      # type: ignore[assignment]
        place = 1
    else:
        place = 2
    if not isinstance(enabled, bool):
        raise TypeError(f"set_autocast_enabled(): argument 'enabled' (position {place}) must be "
                        f"bool, not {type(enabled).__name__}")
    kind = device(device_type).type
    _set(kind, enabled, get_autocast_dtype(kind), _state.cache)


def set_autocast_cpu_enabled(enabled: bool) -> None:
    """set_autocast_enabled('cpu', enabled)."""
    _deprecated("set_autocast_cpu_enabled(enabled)", "set_autocast_enabled('cpu', enabled)")
    set_autocast_enabled("cpu", enabled)


def set_autocast_dtype(device_type: str, dtype: Any) -> None:
    """Choose the dtype that autocast of `device_type` computes in, where it is not given one.

    >>> import retrograd as torch
    >>> torch.set_autocast_dtype("cpu", torch.float16)
    >>> with torch.autocast("cpu"):
    ...     (torch.ones(2, 2) @ torch.ones(2, 2)).dtype
    torch.float16
    >>> torch.set_autocast_dtype("cpu", torch.bfloat16)
    """
    if not isinstance(dtype, _dtype.dtype):
        raise TypeError("set_autocast_dtype(): argument 'dtype' (position 2) must be torch.dtype, "
                        f"not {type(dtype).__name__}")
    kind = device(device_type).type
    _set(kind, is_autocast_enabled(kind), dtype, _state.cache)


def set_autocast_cpu_dtype(dtype: Any) -> None:
    """set_autocast_dtype('cpu', dtype)."""
    _deprecated("set_autocast_cpu_dtype(dtype)", "set_autocast_dtype('cpu', dtype)")
    set_autocast_dtype("cpu", dtype)


def set_autocast_gpu_dtype(dtype: Any) -> None:
    """set_autocast_dtype('cuda', dtype)."""
    _deprecated("set_autocast_gpu_dtype(dtype)", "set_autocast_dtype('cuda', dtype)")
    set_autocast_dtype("cuda", dtype)


def set_autocast_cache_enabled(enabled: bool) -> None:
    """Whether blocks that do not say so themselves keep the casts of weights.

    >>> import retrograd as torch
    >>> torch.set_autocast_cache_enabled(True); torch.is_autocast_cache_enabled()
    True
    """
    _state.cache = enabled
    _set("cpu", is_autocast_enabled("cpu"), get_autocast_dtype("cpu"), enabled)


def autocast_increment_nesting() -> int:
    """Enter a block by hand: casts of weights are kept until the last one is left.

    Returns how many have been entered.

    >>> import retrograd as torch
    >>> torch.autocast_increment_nesting()
    1
    >>> torch.autocast_decrement_nesting()
    0
    """
    _state.depth += 1
    set_autocast_cache_enabled(_state.cache)
    return _state.depth


def autocast_decrement_nesting() -> int:
    """Leave a block by hand; returns how many are left to leave.

    >>> import retrograd as torch
    >>> outer, inner = torch.autocast_increment_nesting(), torch.autocast_increment_nesting()
    >>> torch.autocast_decrement_nesting(), torch.autocast_decrement_nesting()
    (1, 0)
    """
    _state.depth -= 1
    set_autocast_cache_enabled(_state.cache)
    return _state.depth


def clear_autocast_cache() -> None:
    """Forget the casts of weights that the block has kept.

    >>> import retrograd as torch
    >>> torch.clear_autocast_cache()
    """
    if _casting.local.cached:
        _casting.local.cached.clear()


def custom_fwd(fwd: Callable | None = None, *, device_type: str, cast_inputs: Any = None) -> Any:
    """Decorates a Function's forward: its backward gets the same autocast, by custom_bwd.

    With `cast_inputs`, a dtype, floating tensors are cast to it, and autocast is off inside.

    >>> import retrograd as torch
    >>> class Squared(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu", cast_inputs=torch.float32)
    ...     def forward(ctx, x):
    ...         ctx.save_for_backward(x)
    ...         return x * x
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         return 2 * ctx.saved_tensors[0] * g
    >>> with torch.autocast("cpu"):
    ...     Squared.apply(torch.ones(1, dtype=torch.bfloat16)).dtype
    torch.float32
    """
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)

    @functools.wraps(fwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        on = is_autocast_enabled(device_type)
        ctx._dtype = get_autocast_dtype(device_type)
        ctx._fwd_used_autocast = on and cast_inputs is None
        if not on or cast_inputs is None:
            return fwd(ctx, *args, **kwargs)
        with autocast(device_type, enabled=False):
            return fwd(ctx, *(_converted(a, cast_inputs) for a in args),
                       **{name: _converted(a, cast_inputs) for name, a in kwargs.items()})

    return decorated


def _converted(value: Any, dtype: Any) -> Any:
    """The floating tensors in `value`, also in containers, in `dtype`; float64 stays."""
    if isinstance(value, Tensor):
        kind = value.dtype
        return value.to(dtype) if kind.is_floating_point and kind is not _dtype.float64 else value
    if isinstance(value, dict):
        return {_converted(k, dtype): _converted(v, dtype) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)([_converted(part, dtype) for part in value])
    return value


def custom_bwd(bwd: Callable | None = None, *, device_type: str) -> Any:
    """Decorates a Function's backward: it runs under the autocast of its custom_fwd.

    >>> import retrograd as torch
    >>> class Doubled(torch.autograd.Function):
    ...     @staticmethod
    ...     @torch.amp.custom_fwd(device_type="cpu")
    ...     def forward(ctx, x):
    ...         return x * 2
    ...     @staticmethod
    ...     @torch.amp.custom_bwd(device_type="cpu")
    ...     def backward(ctx, g):
    ...         print(torch.is_autocast_enabled("cpu"))
    ...         return g * 2
    >>> with torch.autocast("cpu"):
    ...     y = Doubled.apply(torch.ones(1, requires_grad=True))
    >>> y.backward()
    True
    """
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)

    @functools.wraps(bwd)
    def decorated(ctx: Any, *args: Any, **kwargs: Any) -> Any:
        with autocast(device_type, enabled=ctx._fwd_used_autocast, dtype=ctx._dtype):
            return bwd(ctx, *args, **kwargs)

    return decorated
