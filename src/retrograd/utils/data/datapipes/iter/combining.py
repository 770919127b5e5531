"""Pipes of several pipes: concat, zip and mux make one of them, fork and demux several of one.

>>> from retrograd.utils.data.datapipes.iter import IterableWrapper
>>> list(IterableWrapper("ab").concat(IterableWrapper("c")))
['a', 'b', 'c']
"""

from __future__ import annotations

import copy as copy_module
import warnings
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

from ..datapipe import IterDataPipe, functional_datapipe, length

__all__ = ["ConcaterIterDataPipe", "DemultiplexerIterDataPipe", "ForkerIterDataPipe",
           "MultiplexerIterDataPipe", "ZipperIterDataPipe"]


@functional_datapipe("concat")
class ConcaterIterDataPipe(IterDataPipe):
    """One pipe after the other.

    Its len() is the sum of theirs. ValueError for no pipes, TypeError for what is no IterDataPipe.

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

    Its len() is the least of theirs. TypeError for what is no IterDataPipe.

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

    Its len() is the least of theirs times their number.

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

    copy is None, "shallow" or "deep". The source is read once: what one pipe has read and others
    have not waits in a buffer. BufferError when a pipe is more than buffer_size samples ahead (-1:
    no limit), ValueError for fewer than one pipe, RuntimeError when a pipe goes on after another
    has begun anew.

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

    Samples that no pipe has asked for yet wait in a buffer: BufferError beyond buffer_size of them
    (-1: no limit). ValueError for a number out of range; with drop_none, samples of None are left
    out. The pipes have no len().

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
