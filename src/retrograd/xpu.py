"""torch.xpu as in a build of PyTorch without it: see `_absent.py`."""

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
