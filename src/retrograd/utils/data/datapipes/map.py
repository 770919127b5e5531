"""Pipes of samples by index.

>>> from retrograd.utils.data.datapipes.map import SequenceWrapper
>>> list(SequenceWrapper([1, 2, 3]).map(lambda x: x * 10).batch(2))
[[10, 20], [30]]
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable, Iterator
from typing import Any

from .datapipe import (
    DataChunk,
    IterDataPipe,
    MapDataPipe,
    Shuffling,
    functional_datapipe,
    length,
)

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]


def _itself(sample: Any) -> Any:
    return sample


class SequenceWrapperMapDataPipe(MapDataPipe):
    """The elements of a sequence or dict; of a deep copy of it.

    deepcopy=False makes no copy. len() is that of the sequence.

    >>> from retrograd.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper("abc")[1]
    'b'
    """

    def __init__(self, sequence: Any, deepcopy: bool = True) -> None:
        self.sequence = copy.deepcopy(sequence) if deepcopy else sequence

    def __getitem__(self, index: Any) -> Any:
        return self.sequence[index]

    def __len__(self) -> int:
        return len(self.sequence)


@functional_datapipe("map")
class MapperMapDataPipe(MapDataPipe):
    """fn of each sample.

    It is called anew each time that a sample is read.

    >>> from retrograd.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper("abc").map(str.upper)[1]
    'B'
    """

    def __init__(self, datapipe: MapDataPipe, fn: Callable = _itself) -> None:
        self.datapipe, self.fn = datapipe, fn

    def __getitem__(self, index: Any) -> Any:
        return self.fn(self.datapipe[index])

    def __len__(self) -> int:
        return len(self.datapipe)   # type: ignore[arg-type]


@functional_datapipe("batch")
class BatcherMapDataPipe(MapDataPipe):
    """Batches of batch_size samples; a smaller last one unless drop_last.

    Samples are read by 0, 1, ... AssertionError for a batch_size below 1, IndexError for a batch
    that is not there.

    Each is a list of the class `wrapper_class`.

    >>> from retrograd.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper("abc").batch(2)[1]
    ['c']
    """

    def __init__(self, datapipe: MapDataPipe, batch_size: int, drop_last: bool = False,
                 wrapper_class: type = DataChunk) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last = datapipe, batch_size, drop_last
        self.wrapper_class = wrapper_class

    def __getitem__(self, index: int) -> Any:
        if index >= len(self):
            raise IndexError(f"Index {index} is out of bound.")
        start = index * self.batch_size
        end = min(start + self.batch_size, length(self.datapipe, self))
        return self.wrapper_class([self.datapipe[i] for i in range(start, end)])

    def __len__(self) -> int:
        full, rest = divmod(length(self.datapipe, self), self.batch_size)
        return full + (rest > 0 and not self.drop_last)


class _OfSeveral(MapDataPipe):
    """Base of pipes that read several others."""

    def __init__(self, *datapipes: MapDataPipe) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(pipe, MapDataPipe) for pipe in datapipes):
            raise TypeError("Expected all inputs to be `MapDataPipe`")
        self.datapipes = datapipes


@functional_datapipe("concat")
class ConcaterMapDataPipe(_OfSeveral):
    """One pipe after the other.

    Samples are read by 0, 1, ... ValueError for no pipes, TypeError for what is no MapDataPipe,
    IndexError beyond the last sample.

    >>> from retrograd.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper("ab").concat(SequenceWrapper("cd"))[2]
    'c'
    """

    def __getitem__(self, index: int) -> Any:
        before = 0
        for pipe in self.datapipes:
            if index - before < length(pipe, self):
                return pipe[index - before]
            before += length(pipe, self)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self) -> int:
        return sum(length(pipe, self) for pipe in self.datapipes)


@functional_datapipe("zip")
class ZipperMapDataPipe(_OfSeveral):
    """Tuples of a sample of each pipe.

    Its len() is the least of theirs. ValueError for no pipes, TypeError for what is no MapDataPipe.

    >>> from retrograd.utils.data.datapipes.map import SequenceWrapper
    >>> SequenceWrapper("ab").zip(SequenceWrapper([1, 2]))[1]
    ('b', 2)
    """

    def __getitem__(self, index: Any) -> tuple:
        return tuple(pipe[index] for pipe in self.datapipes)

    def __len__(self) -> int:
        return min(length(pipe, self) for pipe in self.datapipes)


class ShufflerIterDataPipe(Shuffling, IterDataPipe):
    """All samples in random order, as a stream; `indices` if they are not 0, 1, ...

    >>> from retrograd.utils.data.datapipes.map import SequenceWrapper
    >>> sorted(SequenceWrapper("abc").shuffle())
    ['a', 'b', 'c']
    """

    def __init__(self, datapipe: MapDataPipe, *, indices: list | None = None) -> None:
        self.datapipe = datapipe
        self.indices = list(range(length(datapipe, self))) if indices is None else indices
        self._rng = random.Random()

    def reset(self) -> None:
        self._order = self.indices
        if self._enabled:
            self._begin()
            self._order = self._rng.sample(self.indices, len(self.indices))[::-1]

    def __iter__(self) -> Iterator:
        for index in self._order:
            yield self.datapipe[index]

    def __len__(self) -> int:
        return length(self.datapipe, self)


MapDataPipe.register_datapipe_as_function("shuffle", ShufflerIterDataPipe)
Batcher, Concater, Mapper = BatcherMapDataPipe, ConcaterMapDataPipe, MapperMapDataPipe
SequenceWrapper, Shuffler = SequenceWrapperMapDataPipe, ShufflerIterDataPipe
Zipper = ZipperMapDataPipe
