"""torch.mps as in a build of PyTorch without it: see `_absent.py`."""

from ._absent import device_count, empty_cache, is_available, manual_seed

__all__ = ["device_count", "empty_cache", "is_available", "manual_seed"]
