"""Training on several devices. There is one device here, so DataParallel runs its module as is."""
from __future__ import annotations

from retrograd.nn.parallel.data_parallel import DataParallel, data_parallel

__all__ = ["DataParallel", "data_parallel"]
