"""Datasets: what a DataLoader reads, and ways to combine them."""

from __future__ import annotations

import bisect
import itertools
import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

import retrograd as rg

__all__ = [
    "ChainDataset",
    "ConcatDataset",
    "Dataset",
    "IterableDataset",
    "StackDataset",
    "Subset",
    "TensorDataset",
    "random_split",
]

T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Samples by key: a subclass defines `__getitem__` and, for most samplers, `__len__`.

    `__getitems__(indices)`, where a subclass has it, returns a whole batch's samples at once.
    `a + b` is `ConcatDataset([a, b])`.

    >>> from retrograd.utils.data import DataLoader, Dataset
    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 5
    ...     def __getitem__(self, i):
    ...         return i * i
    >>> list(DataLoader(Squares(), batch_size=2))
    [tensor([0, 1]), tensor([4, 9]), tensor([16])]
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[T_co]) -> ConcatDataset[T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co], Iterable[T_co]):
    """Samples in a stream: a subclass defines `__iter__`.

    With worker processes every worker iterates a copy; `get_worker_info` tells it which part of
    the stream is its own. `a + b` is `ChainDataset([a, b])`.

    >>> from retrograd.utils.data import DataLoader, IterableDataset
    >>> class Lines(IterableDataset):
    ...     def __iter__(self):
    ...         return iter([1, 2, 3])
    >>> list(DataLoader(Lines(), batch_size=2))
    [tensor([1, 2]), tensor([3])]
    """

    def __add__(self, other: Dataset[T_co]):  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple]):
    """Sample i is the tuple of the i-th slices of the Tensors along their first dimension.

    Raises:
        AssertionError: the first dimensions differ.

    >>> import retrograd as torch
    >>> ds = torch.utils.data.TensorDataset(torch.arange(3), torch.ones(3, 2))
    >>> len(ds), ds[2]
    (3, (tensor(2), tensor([1., 1.])))
    """

    def __init__(self, *tensors: Any) -> None:
        if any(tensor.size(0) != tensors[0].size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


class StackDataset(Dataset[Any]):
    """Sample i is the tuple (or, of keyword arguments, the dict) of the datasets' i-th samples.

    Raises:
        ValueError: no datasets, both kinds of arguments, or lengths that differ.

    >>> from retrograd.utils.data import StackDataset
    >>> StackDataset(image=[10, 20], label=[0, 1])[1]
    {'image': 20, 'label': 1}
    """

    def __init__(self, *args: Dataset, **kwargs: Dataset) -> None:
        if args and kwargs:
            raise ValueError(
                "Supported either ``tuple``- (via ``args``) or"
                "``dict``- (via ``kwargs``) like input/output, but both types are given."
            )
        if not args and not kwargs:
            raise ValueError("At least one dataset should be passed")
        self.datasets: tuple | dict = args or kwargs
        parts = list(args or kwargs.values())
        self._length = len(parts[0])
        if any(self._length != len(part) for part in parts):
            raise ValueError("Size mismatch between datasets")

    def _joined(self, read: Callable[[Dataset], Any]) -> Any:
        if isinstance(self.datasets, dict):
            return {name: read(dataset) for name, dataset in self.datasets.items()}
        return tuple(read(dataset) for dataset in self.datasets)

    def __getitem__(self, index: Any) -> Any:
        return self._joined(lambda dataset: dataset[index])

    def __getitems__(self, indices: list) -> list:
        columns = self._joined(lambda dataset: _samples(dataset, indices))
        if isinstance(columns, dict):
            rows = zip(*columns.values(), strict=True)
            return [dict(zip(columns, row, strict=True)) for row in rows]
        return list(zip(*columns, strict=True))

    def __len__(self) -> int:
        return self._length


def _samples(dataset: Any, indices: list) -> list:
    """The samples of a batch, by `__getitems__` where the dataset has it."""
    if not callable(getattr(dataset, "__getitems__", None)):
        return [dataset[i] for i in indices]
    items = dataset.__getitems__(indices)
    if len(items) != len(indices):
        raise ValueError(
            "Nested dataset's output size mismatch. "
            f"Expected {len(indices)}, got {len(items)}"
        )
    return items


class ConcatDataset(Dataset[T_co]):
    """The samples of several datasets, one dataset after the other.

    Raises:
        AssertionError: no datasets, or an IterableDataset among them.

    >>> import retrograd as torch
    >>> ds = torch.utils.data.ConcatDataset([[10, 11], [20]])
    >>> ds[2], ds[-2], ds.cumulative_sizes
    (20, 11, [2, 3])
    """

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        super().__init__()
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(d, IterableDataset) for d in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    @staticmethod
    def cumsum(sequence: Iterable) -> list[int]:
        return list(itertools.accumulate(len(part) for part in sequence))

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: int) -> T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx = len(self) + idx
        which = bisect.bisect_right(self.cumulative_sizes, idx)
        start = self.cumulative_sizes[which - 1] if which else 0
        return self.datasets[which][idx - start]

    @property
    def cummulative_sizes(self) -> list[int]:
        warnings.warn(
            "`cummulative_sizes` attribute is renamed to `cumulative_sizes`",
            FutureWarning,
            stacklevel=2,
        )
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """The streams of several IterableDatasets, one after the other.

    >>> from retrograd.utils.data import ChainDataset, IterableDataset
    >>> class Letters(IterableDataset):
    ...     def __init__(self, text):
    ...         self.text = text
    ...     def __iter__(self):
    ...         return iter(self.text)
    >>> list(ChainDataset([Letters("ab"), Letters("c")]))
    ['a', 'b', 'c']
    """

    def __init__(self, datasets: Iterable[Dataset]) -> None:
        super().__init__()
        self.datasets = datasets

    def _streams(self):
        for dataset in self.datasets:
            if not isinstance(dataset, IterableDataset):
                raise AssertionError("ChainDataset only supports IterableDataset")
            yield dataset

    def __iter__(self):
        for dataset in self._streams():
            yield from dataset

    def __len__(self) -> int:
        return sum(len(dataset) for dataset in self._streams())


class Subset(Dataset[T_co]):
    """The samples of a dataset at the given indices: sample i is dataset[indices[i]].

    `random_split` makes them.

    >>> from retrograd.utils.data import Subset
    >>> list(Subset("abcd", [3, 0]))
    ['d', 'a']
    """

    def __init__(self, dataset: Any, indices: Sequence[int]) -> None:
        self.dataset = dataset
        self.indices = indices
        cls = type(self)
        own_item = cls.__getitem__ is not Subset.__getitem__
        if own_item and cls.__getitems__ is Subset.__getitems__:
            raise NotImplementedError(
                f"{cls.__name__} overrides __getitem__ but not __getitems__. When subclassing "
                "Subset and overriding __getitem__, you must also override __getitems__ to "
                "ensure DataLoader works correctly with your custom logic. "
                "A simple implementation:\n\n"
                "def __getitems__(self, indices):\n"
                "    return [self.__getitem__(idx) for idx in indices]"
            )

    def __getitem__(self, idx: Any) -> T_co:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices: list[int]) -> list[T_co]:
        own = [self.indices[i] for i in indices]
        if callable(getattr(self.dataset, "__getitems__", None)):
            return self.dataset.__getitems__(own)
        return [self.dataset[i] for i in own]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(
    dataset: Any, lengths: Sequence[int | float], generator: Any = None
) -> list[Subset]:
    """Split a dataset at random into Subsets of the given lengths.

    Args:
        dataset: what to split.
        lengths: numbers of samples, or fractions that sum to 1 (each is rounded down, and what
            remains is given out one by one from the first).
        generator: draws the permutation; by default the global one.

    Raises:
        ValueError: the lengths do not sum to the dataset's.

    >>> import retrograd as torch
    >>> [len(part) for part in torch.utils.data.random_split(range(10), [0.75, 0.25])]
    [8, 2]
    """
    if math.isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = _lengths_of_fractions(len(dataset), lengths)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    if generator is None:
        generator = rg.default_generator
    indices = rg.randperm(int(sum(lengths)), generator=generator).tolist()
    ends = itertools.accumulate(lengths)
    return [
        Subset(dataset, indices[int(end - length) : int(end)])
        for end, length in zip(ends, lengths, strict=True)
    ]


def _lengths_of_fractions(total: int, fractions: Sequence[float]) -> list[int]:
    for i, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {i} is not between 0 and 1")
    lengths = [math.floor(total * fraction) for fraction in fractions]
    for i in range(total - sum(lengths)):
        lengths[i % len(lengths)] += 1
    for i, length in enumerate(lengths):
        if length == 0:
            warnings.warn(
                f"Length of split at index {i} is 0. This might result in an empty dataset.",
                stacklevel=3,
            )
    return lengths
