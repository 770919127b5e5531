"""DistributedSampler: the part of a dataset that one of several processes trains on."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sized

import retrograd as rg

from .sampler import Sampler

__all__ = ["DistributedSampler"]


class DistributedSampler(Sampler[int]):
    """Every `num_replicas`-th index from `rank` on, after a shuffle all ranks agree on.

    Args:
        dataset: what is sampled; only its length counts.
        num_replicas: how many processes share the dataset.
        rank: the number of this one.
        shuffle: permute by `seed` plus the epoch given to `set_epoch`.
        seed: the same in all processes.
        drop_last: leave out the uneven end; otherwise indices from the start fill it up.

    Raises:
        RuntimeError: `num_replicas` or `rank` is missing (there is no process group to ask).
        ValueError: `rank` is out of range.

    >>> import retrograd as torch
    >>> list(torch.utils.data.DistributedSampler(range(5), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 0]
    """

    def __init__(
        self,
        dataset: Sized,
        num_replicas: int | None = None,
        rank: int | None = None,
        shuffle: bool = True,
        seed: int = 0,
        drop_last: bool = False,
    ) -> None:
        if num_replicas is None or rank is None:
            raise RuntimeError("Requires distributed package to be available")
        if rank >= num_replicas or rank < 0:
            raise ValueError(
                f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]"
            )
        self.dataset = dataset
        self.num_replicas = num_replicas
        self.rank = rank
        self.epoch = 0
        self.drop_last = drop_last
        n = len(dataset)
        self.num_samples = n // num_replicas if drop_last else math.ceil(n / num_replicas)
        self.total_size = self.num_samples * num_replicas
        self.shuffle = shuffle
        self.seed = seed

    def __iter__(self) -> Iterator[int]:
        indices = list(range(len(self.dataset)))
        if self.shuffle:
            generator = rg.Generator()
            generator.manual_seed(self.seed + self.epoch)
            indices = rg.randperm(len(indices), generator=generator).tolist()
        if len(indices) < self.total_size:
            indices *= math.ceil(self.total_size / len(indices))
        return iter(indices[self.rank : self.total_size : self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Shuffle differently from now on; call it before each epoch."""
        self.epoch = epoch
