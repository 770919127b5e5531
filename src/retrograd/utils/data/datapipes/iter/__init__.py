"""Pipes of streams.

>>> from retrograd.utils.data.datapipes.iter import IterableWrapper
>>> list(IterableWrapper("abc").zip(IterableWrapper(range(3))))
[('a', 0), ('b', 1), ('c', 2)]
"""

from __future__ import annotations

import copy as copy_module
import random
import warnings
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from ..._utils.collate import default_collate
from ...sampler import SequentialSampler
from ..datapipe import DataChunk, IterDataPipe, Shuffling, functional_datapipe, length
from ..files import FileLister, FileOpener, StreamReader
from ..utils.common import validate_input_col
from .sharding import ShardingFilterIterDataPipe

__all__ = ["Batcher", "Collator", "Concater", "Demultiplexer", "FileLister", "FileOpener", "Filter",
           "Forker", "Grouper", "IterableWrapper", "Mapper", "Multiplexer", "Sampler",
           "ShardingFilter", "Shuffler", "StreamReader", "UnBatcher", "Zipper"]


class IterableWrapperIterDataPipe(IterDataPipe):
    """An iterable's elements; of a deep copy of it, where there can be one.

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

    A group is passed on when it has group_size samples, when the buffer is full and it is the
    biggest, and at the end; with its key if keep_key.

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


@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe):
    """One pipe after the other.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([0]).concat(IterableWrapper([1, 2])))
    [0, 1, 2]
    """

    def __init__(self, *datapipes: IterDataPipe) -> None:
        if not datapipes:
            raise ValueError("Expected at least one DataPipe, but got nothing")
        if not all(isinstance(pipe, IterDataPipe) for pipe in datapipes):
            raise TypeError("Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator:
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self) -> int:
        return sum(length(pipe, self) for pipe in self.datapipes)


@functional_datapipe("zip")
class ZipperIterDataPipe(IterDataPipe):
    """Tuples of a sample of each pipe, until one ends.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper("ab").zip(IterableWrapper([1, 2, 3])))
    [('a', 1), ('b', 2)]
    """

    def __init__(self, *datapipes: IterDataPipe) -> None:
        if not all(isinstance(pipe, IterDataPipe) for pipe in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        self.datapipes = datapipes

    def __iter__(self) -> Iterator:
        yield from zip(*self.datapipes, strict=False)

    def __len__(self) -> int:
        return min(length(pipe, self) for pipe in self.datapipes)


@functional_datapipe("mux")
class MultiplexerIterDataPipe(IterDataPipe):
    """A sample of each pipe in turn, until one ends.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper("ab").mux(IterableWrapper([1, 2])))
    ['a', 1, 'b', 2]
    """

    def __init__(self, *datapipes: IterDataPipe) -> None:
        self.datapipes = datapipes

    def __iter__(self) -> Iterator:
        for samples in zip(*self.datapipes, strict=False):
            yield from samples

    def __len__(self) -> int:
        return min(length(pipe, self) for pipe in self.datapipes) * len(self.datapipes)


KINDS = {"fork": "ForkerIterDataPipe", "demux": "DemultiplexerIterDataPipe"}
OVERFLOW = {
    "fork": "ForkerIterDataPipe buffer overflow,buffer size {} is insufficient.",
    "demux": "DemultiplexerIterDataPipe buffer overflow, buffer size {} is insufficient.",
}


class _Split(IterDataPipe):
    """One pipe read by several: what one of them is not yet asked for waits."""

    def __init__(self, datapipe: IterDataPipe, count: int, buffer_size: int, measure: Callable,
                 name: str) -> None:
        if buffer_size < 0:
            warnings.warn(f"Unlimited buffer size is set for `{name}`, please be aware of OOM at "
                          "random places", UserWarning, stacklevel=4)
        self.main_datapipe, self.count, self.buffer_size = datapipe, count, buffer_size
        self.measure, self.name = measure, name
        self._forget()

    def _forget(self) -> None:
        self.samples: Iterator | None = None
        self.started: set[int] = set()
        self.waiting: list[deque] = [deque() for _ in range(self.count)]
        self.ended = False

    def __getstate__(self) -> Any:
        return {**self.__dict__, "samples": None}           # iterators have no pickles

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)
        self._forget()

    def __repr__(self) -> str:
        return (f"_{KINDS[self.name]}(buffer_size={self.buffer_size}, "
                f"num_instances={self.count})")

    def begin(self, k: int) -> Iterator:
        """The source for child k: a new one, unless it merely comes after others that started."""
        samples = self.samples
        if samples is None or k in self.started:
            if samples is not None and (not self.ended or any(self.waiting)):
                warnings.warn("Some child DataPipes are not exhausted when __iter__ is called. We "
                              "are resetting the buffer and each child DataPipe will read from the "
                              "start again.", UserWarning, stacklevel=4)
            self._forget()
            self.samples = samples = iter(self.main_datapipe)
        self.started.add(k)
        return samples

    def read(self, k: int, source: Iterator, takers: Callable[[Any], Any]) -> Iterator:
        """Samples for child k; `takers(sample)` says which children get a sample."""
        mine, others = self.waiting[k], [w for w in self.waiting if w is not self.waiting[k]]
        while True:
            if self.samples is not source:
                raise RuntimeError("This iterator has been invalidated, because a new iterator has "
                                   f"been created from one of the ChildDataPipes of {self}.")
            while not mine:
                try:
                    sample = next(source)
                except StopIteration:
                    self.ended = True
                    return
                for taker in takers(sample):
                    self.waiting[taker].append(sample)
                if 0 <= self.buffer_size < self.measure(map(len, others)):
                    raise BufferError(OVERFLOW[self.name].format(self.buffer_size))
            yield mine.popleft()


class _ChildDataPipe(IterDataPipe):
    def __init__(self, main_datapipe: _Split, instance_id: int, takers: Callable,
                 passed: Callable, sized: bool) -> None:
        self.main_datapipe, self.instance_id = main_datapipe, instance_id
        self.takers, self.passed, self.sized = takers, passed, sized

    def __iter__(self) -> Iterator:
        split = self.main_datapipe
        samples = split.read(self.instance_id, split.begin(self.instance_id), self.takers)
        return map(self.passed, samples)

    def __len__(self) -> int:
        if not self.sized:
            raise TypeError
        return length(self.main_datapipe.main_datapipe, self)


def _itself(sample: Any) -> Any:
    return sample


class _All:
    def __init__(self, count: int) -> None:
        self.count = count

    def __call__(self, sample: Any) -> Any:
        return range(self.count)


@functional_datapipe("fork")
class ForkerIterDataPipe(IterDataPipe):
    """num_instances pipes with the same samples: they themselves, or copies of them.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> first, second = IterableWrapper([1, 2]).fork(2)
    >>> list(first), list(second)
    ([1, 2], [1, 2])
    """

    def __new__(cls, datapipe: IterDataPipe, num_instances: int, buffer_size: int = 1000,
                copy: str | None = None) -> Any:
        if num_instances < 1:
            raise ValueError("Expected `num_instances` larger than 0, but "
                             f"{num_instances} is found")
        if num_instances == 1:
            return datapipe
        copies = {None: _itself, "shallow": copy_module.copy, "deep": copy_module.deepcopy}
        if copy not in copies:
            raise ValueError(f"Unknown copy method `{copy}` requested, choose one of None, "
                             "`shallow` or `deep`.")
        split = _Split(datapipe, num_instances, buffer_size, max, "fork")
        return [_ChildDataPipe(split, k, _All(num_instances), copies[copy], True)
                for k in range(num_instances)]


class _Classified:
    def __init__(self, classify: Callable, count: int, drop_none: bool) -> None:
        self.classify, self.count, self.drop_none = classify, count, drop_none

    def __call__(self, sample: Any) -> Any:
        k = self.classify(sample)
        if k is None and self.drop_none:
            return ()
        if k is None or not 0 <= k < self.count:
            raise ValueError("Output of the classification fn should be between 0 and "
                             f"{self.count - 1}. {k} is returned.")
        return (k,)


@functional_datapipe("demux")
class DemultiplexerIterDataPipe(IterDataPipe):
    """num_instances pipes; a sample goes to number `classifier_fn(sample)`.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> even, odd = IterableWrapper(range(4)).demux(2, lambda n: n % 2)
    >>> list(even), list(odd)
    ([0, 2], [1, 3])
    """

    def __new__(cls, datapipe: IterDataPipe, num_instances: int, classifier_fn: Callable,
                drop_none: bool = False, buffer_size: int = 1000) -> Any:
        if num_instances < 1:
            raise ValueError("Expected `num_instances` larger than 0, but "
                             f"{num_instances} is found")
        split = _Split(datapipe, num_instances, buffer_size, sum, "demux")
        takers = _Classified(classifier_fn, num_instances, drop_none)
        return [_ChildDataPipe(split, k, takers, _itself, False) for k in range(num_instances)]


Batcher, Collator, Concater = BatcherIterDataPipe, CollatorIterDataPipe, ConcaterIterDataPipe
Demultiplexer, Filter, Forker = DemultiplexerIterDataPipe, FilterIterDataPipe, ForkerIterDataPipe
Grouper, IterableWrapper = GrouperIterDataPipe, IterableWrapperIterDataPipe
Mapper, Multiplexer, Sampler = MapperIterDataPipe, MultiplexerIterDataPipe, SamplerIterDataPipe
ShardingFilter, Shuffler = ShardingFilterIterDataPipe, ShufflerIterDataPipe
UnBatcher, Zipper = UnBatcherIterDataPipe, ZipperIterDataPipe
