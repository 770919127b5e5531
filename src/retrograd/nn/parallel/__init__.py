"""Training on several devices. There is one device here, so DataParallel runs its module as is."""
from __future__ import annotations

from retrograd.nn.parallel.data_parallel import DataParallel, data_parallel
from retrograd.nn.parallel.distributed import DistributedDataParallel
from retrograd.nn.parallel.parallel_apply import parallel_apply
from retrograd.nn.parallel.replicate import replicate
from retrograd.nn.parallel.scatter_gather import gather, scatter

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel", "gather", "parallel_apply",
           "replicate", "scatter"]
