"""torch.cpu.amp.autocast."""

from __future__ import annotations

import warnings
from typing import Any

from ... import _dtype, amp

__all__ = ["autocast"]


class autocast(amp.autocast):
    """torch.amp.autocast("cpu", ...); warns that it is deprecated."""

    def __init__(self, enabled: bool = True, dtype: Any = _dtype.bfloat16,
                 cache_enabled: bool = True) -> None:
        warnings.warn("`torch.cpu.amp.autocast(args...)` is deprecated. Please use "
                      "`torch.amp.autocast('cpu', args...)` instead.", FutureWarning, stacklevel=2)
        super().__init__("cpu", enabled=enabled, dtype=dtype, cache_enabled=cache_enabled)
