"""DistributedDataParallel needs several processes in a group, which retrograd does not have."""
from __future__ import annotations

from retrograd.nn.modules.module import Module

__all__ = ["DistributedDataParallel"]


class DistributedDataParallel(Module):
    """Exists for imports and isinstance; making one raises as PyTorch does without a group."""

    def __init__(self, module, *args, **kwargs):
        raise ValueError("Default process group has not been initialized, please make sure to call "
                         "init_process_group.")
