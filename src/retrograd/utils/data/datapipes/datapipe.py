"""What a data pipe is: a dataset with the other pipes as its methods."""

from __future__ import annotations

import functools
import inspect
import random
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import retrograd as torch

from ..dataset import Dataset, IterableDataset, T_co

__all__ = ["DFIterDataPipe", "DataChunk", "IterDataPipe", "MapDataPipe"]


INVALIDATED = (
    "This iterator has been invalidated because another iterator has been created from the same "
    "IterDataPipe: {!r}\nThis may be caused multiple references to the same IterDataPipe. We "
    "recommend using `.fork()` if that is necessary.")


class DataChunk(list):
    """A batch of samples.

    >>> import retrograd as torch
    >>> from retrograd.utils.data import DataChunk
    >>> DataChunk([1, 2]).as_str()
    '[1, 2]'
    """

    def __init__(self, items: Any) -> None:
        super().__init__(items)
        self.items = list(self)

    def as_str(self, indent: str = "") -> str:
        """The samples in brackets, after `indent`."""
        return indent + "[" + ", ".join(map(str, self)) + "]"

    def raw_iterator(self) -> Iterator:
        """The samples."""
        yield from self.items


class _Functions:
    """The functional forms: a pipe's methods that return the next pipe."""

    functions: ClassVar[dict[str, Callable]]

    def __getattr__(self, name: str) -> Any:
        functions = type(self).functions
        if name in functions:
            method = functools.partial(functions[name], self)
            method.__doc__ = functions[name].__doc__       # type: ignore[misc]
            return method
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}")

    @classmethod
    def register_function(cls, function_name: str, function: Callable) -> None:
        """Make `function(pipe, ...)` the method `function_name` of every pipe."""
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name: str, cls_to_register: type,
                                      enable_df_api_tracing: bool = False) -> None:
        """Make `cls_to_register(pipe, ...)` a method; Exception if the name is taken."""
        if function_name in cls.functions:
            raise Exception(f"Unable to add DataPipe function name {function_name} as it is "
                            "already taken")
        cls.functions[function_name] = cls_to_register

    def __getstate__(self) -> Any:
        return self.__dict__

    def __repr__(self) -> str:
        return type(self).__qualname__

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.functions]


def _restarting(iterate: Callable) -> Callable:
    """`__iter__` that resets the pipe and ends the iterator before it; one with `yield` does
    so when it is first asked for a sample."""
    @functools.wraps(iterate)
    def __iter__(self: Any) -> Iterator:
        samples, mine = _restart(self, iterate)
        return _while_newest(self, samples, mine)

    @functools.wraps(iterate)
    def lazy(self: Any) -> Iterator:
        yield from _while_newest(self, *_restart(self, iterate))

    return lazy if inspect.isgeneratorfunction(iterate) else __iter__


def _restart(pipe: Any, iterate: Callable) -> tuple[Iterator, int]:
    """A new iterator of a pipe, and its number."""
    pipe.reset()
    pipe.__dict__["_iterators_made"] = mine = pipe.__dict__.get("_iterators_made", 0) + 1
    return iterate(pipe), mine


def _while_newest(pipe: Any, samples: Iterator, mine: int) -> Iterator:
    """The samples, until the pipe has made another iterator."""
    while True:         # not `for`: a pipe may be its own iterator
        if pipe._iterators_made != mine:
            raise RuntimeError(INVALIDATED.format(pipe))
        try:
            sample = next(samples)
        except StopIteration:
            return
        yield sample


class IterDataPipe(_Functions, IterableDataset[T_co]):
    """A stream of samples: a subclass defines `__iter__`.

    The pipes of `datapipes.iter` are its methods. Only the last iterator of a pipe goes on; making
    one calls `reset()`.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper(range(5)).filter(lambda x: x != 2).batch(2))
    [[0, 1], [3, 4]]
    """

    functions: ClassVar[dict[str, Callable]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__iter__" in vars(cls):
            cls.__iter__ = _restarting(vars(cls)["__iter__"])

    def __iter__(self) -> Any:
        return self

    def reset(self) -> None:
        """Called when iteration begins again."""


class DFIterDataPipe(IterDataPipe):
    """A stream of data frames.

    >>> from retrograd.utils.data import DFIterDataPipe
    >>> class Frames(DFIterDataPipe):
    ...     def __iter__(self):
    ...         yield {"column": [1, 2]}
    >>> list(Frames())
    [{'column': [1, 2]}]
    """

    def _is_dfpipe(self) -> bool:
        return True


class MapDataPipe(_Functions, Dataset[T_co]):
    """Samples by index: a subclass defines `__getitem__` and `__len__`.

    The pipes of `datapipes.map` are its methods.

    >>> import retrograd as torch
    >>> from retrograd.utils.data.datapipes.map import SequenceWrapper
    >>> pipe = SequenceWrapper([1, 2, 3]).map(lambda x: x * 10)
    >>> pipe[2], len(pipe)
    (30, 3)
    """

    functions: ClassVar[dict[str, Callable]] = {}


class _IterDataPipeSerializationWrapper(IterDataPipe):
    """A pipe on its way to other processes."""

    def __init__(self, datapipe: IterDataPipe) -> None:
        self._datapipe = datapipe

    def __iter__(self) -> Iterator:
        return iter(self._datapipe)

    def __len__(self) -> int:
        return length(self._datapipe, self)


class _MapDataPipeSerializationWrapper(MapDataPipe):
    """A pipe on its way to other processes."""

    def __init__(self, datapipe: MapDataPipe) -> None:
        self._datapipe = datapipe

    def __getitem__(self, index: Any) -> Any:
        return self._datapipe[index]

    def __len__(self) -> int:
        return length(self._datapipe, self)


class functional_datapipe:
    """Decorates a pipe's class: makes it the method `name` of all pipes.

    >>> import retrograd as torch
    >>> from retrograd.utils.data import IterDataPipe, functional_datapipe
    >>> @functional_datapipe("doubled_by_docs")
    ... class Doubled(IterDataPipe):
    ...     def __init__(self, source):
    ...         self.source = source
    ...     def __iter__(self):
    ...         return (2 * x for x in self.source)
    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> list(IterableWrapper([1, 2]).doubled_by_docs())
    [2, 4]
    """

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name = name

    def __call__(self, cls: type) -> type:
        kind = next((k for k in (IterDataPipe, MapDataPipe) if issubclass(cls, k)), None)
        if kind is None:
            raise TypeError("`functional_datapipe` can only decorate IterDataPipe or MapDataPipe")
        kind.register_datapipe_as_function(self.name, cls)
        return cls


def length(pipe: Any, owner: Any) -> int:
    """len(pipe); TypeError in the name of `owner` if it has none."""
    try:
        return len(pipe)
    except TypeError:
        raise TypeError(f"{type(owner).__name__} instance doesn't have valid length") from None


class Shuffling:
    """A pipe whose order is random: a switch, and the seed of each iteration."""

    _rng: random.Random
    _enabled = True
    _seed: int | None = None

    def set_shuffle(self, shuffle: bool = True) -> Any:
        """Switch the shuffling on or off."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed: int) -> Any:
        """The seed of the next iteration."""
        self._seed = seed
        return self

    def _begin(self) -> None:
        """Seed the next iteration: as set, or from the global generator."""
        seed, self._seed = self._seed, None
        if seed is None:
            seed = int(torch.empty((), dtype=torch.int64).random_().item())
        self._rng.seed(seed)
