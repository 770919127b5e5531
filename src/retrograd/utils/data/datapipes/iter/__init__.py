"""Pipes of streams.

>>> from retrograd.utils.data.datapipes.iter import IterableWrapper
>>> list(IterableWrapper("abc").zip(IterableWrapper(range(3))))
[('a', 0), ('b', 1), ('c', 2)]
"""

from __future__ import annotations

import copy as copy_module
import random
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from ..._utils.collate import default_collate
from ...sampler import SequentialSampler
from ..datapipe import DataChunk, IterDataPipe, Shuffling, functional_datapipe, length
from ..files import FileLister, FileOpener, StreamReader
from ..utils.common import validate_input_col
from .combining import (
    ConcaterIterDataPipe,
    DemultiplexerIterDataPipe,
    ForkerIterDataPipe,
    MultiplexerIterDataPipe,
    ZipperIterDataPipe,
)
from .sharding import ShardingFilterIterDataPipe

__all__ = ["Batcher", "Collator", "Concater", "Demultiplexer", "FileLister", "FileOpener", "Filter",
           "Forker", "Grouper", "IterableWrapper", "Mapper", "Multiplexer", "Sampler",
           "ShardingFilter", "Shuffler", "StreamReader", "UnBatcher", "Zipper"]


class IterableWrapperIterDataPipe(IterDataPipe):
    """An iterable's elements; of a deep copy of it, where there can be one.

    A warning says when there can be no copy; deepcopy=False makes none. len() is that of the
    iterable, TypeError if it has none.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(3)))
    [0, 1, 2]
    """

    def __init__(self, iterable: Any, deepcopy: bool = True) -> None:
        self.iterable = iterable
        self.deepcopy = deepcopy

    def __iter__(self) -> Iterator:
        source = self.iterable
        if self.deepcopy:
            try:
                source = copy_module.deepcopy(source)
            except TypeError:
                warnings.warn("The input iterable can not be deepcopied, please be aware of "
                              "in-place modification would affect source data.", stacklevel=2)
        yield from source

    def __len__(self) -> int:
        return length(self.iterable, self)


class _OfOne(IterDataPipe):
    """A pipe after another, as long as that unless it says otherwise."""

    def __init__(self, datapipe: IterDataPipe) -> None:
        self.datapipe = datapipe

    def __len__(self) -> int:
        return length(self.datapipe, self)


@functional_datapipe("map")
class MapperIterDataPipe(_OfOne):
    """fn of each sample, or of columns of it.

    input_col is an index or key, or a list of them, whose values fn gets; its result goes to
    output_col (-1: appended), else to the first of them, the others being dropped.

    ValueError for an output_col without input_col or for several, and where fn takes another number
    of arguments.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([1, 2]).map(lambda n: 10 * n))
    [10, 20]
    >>> list(IterableWrapper([(1, 2)]).map(lambda n: 10 * n, input_col=1))
    [(1, 20)]
    """

    def __init__(self, datapipe: IterDataPipe, fn: Callable, input_col: Any = None,
                 output_col: Any = None) -> None:
        super().__init__(datapipe)
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = next(iter(output_col))
        validate_input_col(fn, input_col)
        self.fn, self.input_col, self.output_col = fn, input_col, output_col

    def _apply_fn(self, sample: Any) -> Any:
        if self.input_col is None:
            return self.fn(sample)
        several = isinstance(self.input_col, (list, tuple))
        columns = list(self.input_col) if several else [self.input_col]
        result = self.fn(*(sample[column] for column in columns))
        changed: Any = list(sample) if isinstance(sample, tuple) else sample
        if self.output_col == -1:
            changed.append(result)
        elif self.output_col is not None:
            changed[self.output_col] = result
        else:
            changed[columns[0]] = result
            for column in sorted(columns[1:], reverse=True):
                del changed[column]
        return tuple(changed) if isinstance(sample, tuple) else changed

    def __iter__(self) -> Iterator:
        for sample in self.datapipe:
            yield self._apply_fn(sample)


@functional_datapipe("collate")
class CollatorIterDataPipe(MapperIterDataPipe):
    """Each batch collated, by default as a DataLoader does.

    `collate_fn` or `conversion` is another function of a batch. NotImplementedError for a
    conversion by columns.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([[1.0, 2.0]]).collate())
    [tensor([1., 2.], dtype=torch.float64)]
    """

    def __init__(self, datapipe: IterDataPipe, conversion: Callable = default_collate,
                 collate_fn: Callable | None = None) -> None:
        if not callable(conversion):
            raise NotImplementedError("collate: conversion by columns of a data frame")
        super().__init__(datapipe, conversion if collate_fn is None else collate_fn)


@functional_datapipe("filter")
class FilterIterDataPipe(IterDataPipe):
    """The samples of which filter_fn, or of whose input_col it, is true.

    ValueError if it returns anything but a bool. There is no len(), as it depends on the samples.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).filter(lambda n: n % 2 == 0))
    [0, 2, 4]
    """

    def __init__(self, datapipe: IterDataPipe, filter_fn: Callable, input_col: Any = None) -> None:
        validate_input_col(filter_fn, input_col)
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def _keeps(self, sample: Any) -> bool:
        if self.input_col is None:
            kept = self.filter_fn(sample)
        elif isinstance(self.input_col, (list, tuple)):
            kept = self.filter_fn(*(sample[column] for column in self.input_col))
        else:
            kept = self.filter_fn(sample[self.input_col])
        if not isinstance(kept, bool):
            raise ValueError("Boolean output is required for `filter_fn` of FilterIterDataPipe, "
                             f"got {type(kept)}")
        return kept

    def __iter__(self) -> Iterator:
        for sample in self.datapipe:
            if self._keeps(sample):
                yield sample


@functional_datapipe("batch")
class BatcherIterDataPipe(IterDataPipe):
    """Batches of batch_size samples; a smaller last one unless drop_last.

    Each is a list of the class `wrapper_class`. AssertionError for a batch_size below 1.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(3)).batch(2))
    [[0, 1], [2]]
    """

    def __init__(self, datapipe: IterDataPipe, batch_size: int, drop_last: bool = False,
                 wrapper_class: type = DataChunk) -> None:
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last = datapipe, batch_size, drop_last
        self.wrapper_class = wrapper_class

    def __iter__(self) -> Iterator:
        batch: list = []
        for sample in self.datapipe:
            batch.append(sample)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self) -> int:
        full, rest = divmod(length(self.datapipe, self), self.batch_size)
        return full + (rest > 0 and not self.drop_last)


@functional_datapipe("unbatch")
class UnBatcherIterDataPipe(IterDataPipe):
    """The samples of batches, unbatch_level deep; -1: to the bottom.

    What is a list counts as a batch. ValueError for other negative levels, IndexError for more
    levels than there are.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([[0, 1], [2]]).unbatch())
    [0, 1, 2]
    """

    def __init__(self, datapipe: IterDataPipe, unbatch_level: int = 1) -> None:
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self) -> Iterator:
        if self.unbatch_level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        for element in self.datapipe:
            yield from self._dive(element, self.unbatch_level)

    def _dive(self, element: Any, level: int) -> Iterator:
        if level == 0 or level < 0 and not isinstance(element, list):
            yield element
        elif isinstance(element, list):
            for item in element:
                yield from self._dive(item, max(level - 1, -1))
        else:
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the "
                             "DataPipe")


@functional_datapipe("groupby")
class GrouperIterDataPipe(IterDataPipe):
    """Batches of samples with the same `group_key_fn(sample)`.

    A group is passed on when it has group_size samples, when the buffer is full (buffer_size
    samples) and it is the biggest, and at the end; with its key if keep_key.

    From the full buffer a group smaller than `guaranteed_group_size` is dropped with
    drop_remaining, else a RuntimeError. AssertionError for sizes that do not fit together.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(4)).groupby(lambda n: n % 2))
    [[0, 2], [1, 3]]
    """

    def __init__(self, datapipe: IterDataPipe, group_key_fn: Callable, *, keep_key: bool = False,
                 buffer_size: int = 10000, group_size: int | None = None,
                 guaranteed_group_size: int | None = None, drop_remaining: bool = False) -> None:
        if group_size is not None and not 0 < group_size <= buffer_size:
            raise AssertionError("group_size must be > 0 and <= buffer_size")
        if guaranteed_group_size is not None and (
                group_size is None or not 0 < guaranteed_group_size <= group_size):
            raise AssertionError("guaranteed_group_size must be > 0 and <= group_size and "
                                 "group_size must be set")
        self.datapipe, self.group_key_fn, self.keep_key = datapipe, group_key_fn, keep_key
        self.buffer_size, self.group_size = buffer_size, group_size
        self.guaranteed = group_size if guaranteed_group_size is None else guaranteed_group_size
        self.drop_remaining = drop_remaining

    def __iter__(self) -> Iterator:
        groups: dict[Any, list] = defaultdict(list)
        held = 0
        for sample in self.datapipe:
            key = self.group_key_fn(sample)
            groups[key].append(sample)
            held += 1
            if len(groups[key]) == self.group_size:
                group = groups.pop(key)
                held -= len(group)
                yield self._group(key, group)
            if held == self.buffer_size:
                key = max(groups, key=lambda k: len(groups[k]))
                group = groups.pop(key)
                held -= len(group)
                if self.guaranteed is None or len(group) >= self.guaranteed:
                    yield self._group(key, group)
                elif not self.drop_remaining:
                    raise RuntimeError("Failed to group items", str(group))
        for key, group in groups.items():
            yield self._group(key, group)

    def _group(self, key: Any, group: list) -> Any:
        chunk = DataChunk(group)
        return (key, chunk) if self.keep_key else chunk


@functional_datapipe("shuffle")
class ShufflerIterDataPipe(Shuffling, _OfOne):
    """Samples in random order, drawn from a buffer that is filled first.

    A DataLoader's `shuffle` switches it; its seed, without `set_seed`, is drawn from the global
    generator when iteration begins.

    With an unbatch_level, samples are taken out of their batches first. AssertionError for a
    buffer_size below 1.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> sorted(IterableWrapper(range(4)).shuffle())
    [0, 1, 2, 3]
    """

    def __init__(self, datapipe: IterDataPipe, *, buffer_size: int = 10000,
                 unbatch_level: int = 0) -> None:
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        super().__init__(datapipe.unbatch(unbatch_level) if unbatch_level else datapipe)
        self.buffer_size = buffer_size
        self._rng = random.Random()

    def reset(self) -> None:
        if self._enabled:
            self._begin()

    def __iter__(self) -> Iterator:
        if not self._enabled:
            yield from self.datapipe
            return
        buffer: list = []
        for sample in self.datapipe:
            if len(buffer) == self.buffer_size:
                i = self._rng.randint(0, len(buffer) - 1)
                chosen, buffer[i] = buffer[i], sample
                yield chosen
            else:
                buffer.append(sample)
        while buffer:
            yield buffer.pop(self._rng.randint(0, len(buffer) - 1))


class SamplerIterDataPipe(_OfOne):
    """The indices of a sampler, made with the pipe as its data_source.

    By default those of a SequentialSampler: 0, 1, ... `sampler_args` and `sampler_kwargs` are its
    further arguments. AssertionError for a pipe without a length.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> from retrograd.utils.data.datapipes.iter import Sampler
    >>> list(Sampler(IterableWrapper("abc")))
    [0, 1, 2]
    """

    def __init__(self, datapipe: IterDataPipe, sampler: type = SequentialSampler,
                 sampler_args: Any = None, sampler_kwargs: Any = None) -> None:
        if not hasattr(datapipe, "__len__"):
            raise AssertionError("Sampler class requires input datapipe implemented `__len__`")
        super().__init__(datapipe)
        kwargs = {**(sampler_kwargs or {}), "data_source": datapipe}
        self.sampler = sampler(*(sampler_args or ()), **kwargs)

    def __iter__(self) -> Iterator:
        yield from self.sampler

    def __len__(self) -> int:
        return length(self.sampler, self)


Batcher, Collator, Concater = BatcherIterDataPipe, CollatorIterDataPipe, ConcaterIterDataPipe
Demultiplexer, Filter, Forker = DemultiplexerIterDataPipe, FilterIterDataPipe, ForkerIterDataPipe
Grouper, IterableWrapper = GrouperIterDataPipe, IterableWrapperIterDataPipe
Mapper, Multiplexer, Sampler = MapperIterDataPipe, MultiplexerIterDataPipe, SamplerIterDataPipe
ShardingFilter, Shuffler = ShardingFilterIterDataPipe, ShufflerIterDataPipe
UnBatcher, Zipper = UnBatcherIterDataPipe, ZipperIterDataPipe
