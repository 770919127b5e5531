"""Fetching: the samples of one index or batch of indices, collated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from ...._tensor import wrap
from ..dataset import Subset, TensorDataset
from .collate import default_collate


class _MapDatasetFetcher:
    """Reads a dataset by key."""

    def __init__(
        self, dataset: Any, auto_collation: bool, collate_fn: Callable, drop_last: bool
    ) -> None:
        self.dataset = dataset
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.at_once = auto_collation and collate_fn is default_collate and _is_plain(dataset)

    def fetch(self, index: Any) -> Any:
        if self.at_once and all(type(i) is int for i in index):
            return _read_at_once(self.dataset, index)
        if not self.auto_collation:
            return self.collate_fn(self.dataset[index])
        if getattr(self.dataset, "__getitems__", None):
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[i] for i in index])


class _IterableDatasetFetcher:
    """Reads a dataset's stream; the indices only say how many samples are wanted."""

    def __init__(
        self, dataset: Any, auto_collation: bool, collate_fn: Callable, drop_last: bool
    ) -> None:
        self.dataset_iter = iter(dataset)
        self.auto_collation = auto_collation
        self.collate_fn = collate_fn
        self.drop_last = drop_last
        self.ended = False

    def fetch(self, index: Any) -> Any:
        if self.ended:
            raise StopIteration
        if not self.auto_collation:
            return self.collate_fn(next(self.dataset_iter))
        data = []
        for _ in index:
            try:
                data.append(next(self.dataset_iter))
            except StopIteration:
                self.ended = True
                break
        if not data or (self.drop_last and len(data) < len(index)):
            raise StopIteration
        return self.collate_fn(data)


def _is_plain(dataset: Any) -> bool:
    """Whether stacking slices of the dataset's Tensors is the same as indexing them once."""
    while type(dataset) is Subset:
        dataset = dataset.dataset
    return type(dataset) is TensorDataset and not any(t.requires_grad for t in dataset.tensors)


def _read_at_once(dataset: Any, indices: list) -> list:
    while type(dataset) is Subset:
        indices = [dataset.indices[i] for i in indices]
        dataset = dataset.dataset
    at = wrap(np.array(indices))
    return [tensor[at] for tensor in dataset.tensors]
