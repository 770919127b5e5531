"""torch.xpu as a build without it has it: see `_absent.py`."""

from ._absent import (
    device_count,
    empty_cache,
    is_available,
    is_initialized,
    manual_seed,
    manual_seed_all,
)

__all__ = [
    "device_count", "empty_cache", "is_available", "is_initialized", "manual_seed",
    "manual_seed_all",
]
