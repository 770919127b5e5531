"""torch.cuda.amp: the older names of torch.amp's, for device 'cuda'."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

from ... import _dtype, amp

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd"]


def _deprecated(name: str, call: str = "{}('cuda', args...)") -> None:
    warnings.warn(f"`torch.cuda.amp.{name}(args...)` is deprecated. Please use "
                  f"`torch.amp.{call.format(name)}` instead.", FutureWarning, stacklevel=3)


class autocast(amp.autocast):
    """torch.amp.autocast("cuda", ...)."""

    def __init__(self, enabled: bool = True, dtype: Any = _dtype.float16,
                 cache_enabled: bool = True) -> None:
        _deprecated("autocast")
        super().__init__("cuda", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)


class GradScaler(amp.GradScaler):
    """torch.amp.GradScaler("cuda", ...)."""

    def __init__(self, init_scale: float = 2.0**16, growth_factor: float = 2.0,
                 backoff_factor: float = 0.5, growth_interval: int = 2000,
                 enabled: bool = True) -> None:
        _deprecated("GradScaler")
        super().__init__("cuda", init_scale, growth_factor, backoff_factor, growth_interval,
                         enabled)


def custom_fwd(fwd: Callable | None = None, *, cast_inputs: Any = None) -> Any:
    """torch.amp.custom_fwd(device_type="cuda", ...)."""
    _deprecated("custom_fwd", "{}(args..., device_type='cuda')")
    return amp.custom_fwd(fwd, device_type="cuda", cast_inputs=cast_inputs)


def custom_bwd(bwd: Callable) -> Any:
    """torch.amp.custom_bwd(device_type="cuda")."""
    _deprecated("custom_bwd", "{}(args..., device_type='cuda')")
    return amp.custom_bwd(bwd, device_type="cuda")
