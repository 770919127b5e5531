"""torch.mps as a build without it has it: see `_absent.py`."""

from ._absent import device_count, empty_cache, is_available, manual_seed

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed"]
