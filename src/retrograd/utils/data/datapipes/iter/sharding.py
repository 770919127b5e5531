"""The part of a stream that belongs to one of several workers or processes."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from typing import Any

from ..datapipe import IterDataPipe, functional_datapipe, length

__all__ = ["SHARDING_PRIORITIES", "ShardingFilterIterDataPipe"]


class SHARDING_PRIORITIES(IntEnum):
    """The levels of sharding; DEFAULT is not mixed with the others.

    >>> from retrograd.utils.data.datapipes.iter.sharding import SHARDING_PRIORITIES
    >>> [level.name for level in SHARDING_PRIORITIES]
    ['DEFAULT', 'DISTRIBUTED', 'MULTIPROCESSING']
    """

    DEFAULT = 1
    DISTRIBUTED = 2
    MULTIPROCESSING = 3


@functional_datapipe("sharding_filter")
class ShardingFilterIterDataPipe(IterDataPipe):
    """Every n-th sample, n the number of a DataLoader's workers: each worker has its own.

    `apply_sharding` says how many parts there are, and which is this one: a DataLoader calls it. Of
    several groups of processes it may be called for, `sharding_group_filter` names the only one
    that counts. Raises ValueError for a part that is not there, RuntimeError for groups beside the
    default one.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> pipe = IterableWrapper(range(5)).sharding_filter()
    >>> pipe.apply_sharding(2, 0)
    >>> list(pipe)
    [0, 2, 4]
    """

    def __init__(self, source_datapipe: IterDataPipe, sharding_group_filter: Any = None) -> None:
        self.source_datapipe = source_datapipe
        self.sharding_group_filter = sharding_group_filter
        self.groups: dict[int, tuple[int, int]] = {}
        self.num_of_instances, self.instance_id = 1, 0

    def apply_sharding(self, num_of_instances: int, instance_id: int,
                       sharding_group: int = SHARDING_PRIORITIES.DEFAULT) -> None:
        """Keep only part `instance_id` of `num_of_instances`."""
        if instance_id >= num_of_instances:
            raise ValueError(f"instance_id({instance_id}) should be smaller than "
                             f"num_of_instances({num_of_instances})")
        default = SHARDING_PRIORITIES.DEFAULT
        if any((group == default) != (sharding_group == default) for group in self.groups):
            raise RuntimeError("ShardingFilter cannot mix DEFAULT and non DEFAULT groups")
        self.groups[sharding_group] = num_of_instances, instance_id
        self.num_of_instances, self.instance_id = 1, 0
        for group in sorted(self.groups, reverse=True):
            if self.sharding_group_filter in (None, group):
                count, mine = self.groups[group]
                self.instance_id += self.num_of_instances * mine
                self.num_of_instances *= count

    def __iter__(self) -> Iterator:
        for i, sample in enumerate(self.source_datapipe):
            if i % self.num_of_instances == self.instance_id:
                yield sample

    def __len__(self) -> int:
        full, rest = divmod(length(self.source_datapipe, self), self.num_of_instances)
        return full + (self.instance_id < rest)
