"""Samplers: the order in which a DataLoader asks for samples."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence, Sized
from typing import Any, Generic, TypeVar

import retrograd as rg

__all__ = [
    "BatchSampler",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "SubsetRandomSampler",
    "WeightedRandomSampler",
]

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """Base class: a subclass defines `__iter__` over indices, or over lists of them.

    >>> from retrograd.utils.data import DataLoader, Sampler
    >>> class Backwards(Sampler):
    ...     def __iter__(self):
    ...         return iter((2, 1, 0))
    >>> list(DataLoader([10, 20, 30], batch_size=None, sampler=Backwards()))
    [30, 20, 10]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError


class SequentialSampler(Sampler[int]):
    """The indices 0, 1, ..., len(data_source) - 1 in order.

    It is what a DataLoader takes without `shuffle`.

    >>> from retrograd.utils.data import SequentialSampler
    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """A random permutation, or draws with replacement.

    Args:
        data_source: what is sampled; only its length counts.
        replacement: draw each index independently.
        num_samples: how many, by default the length (without replacement: permutations follow on
            one another).
        generator: by default a new one, seeded by one draw from the global generator.

    >>> import retrograd as torch
    >>> generator = torch.Generator().manual_seed(0)
    >>> list(torch.utils.data.RandomSampler("abcd", generator=generator))
    [0, 1, 3, 2]
    """

    def __init__(
        self,
        data_source: Sized,
        replacement: bool = False,
        num_samples: int | None = None,
        generator: Any = None,
    ) -> None:
        self.data_source = data_source
        self.replacement = replacement
        self._num_samples = num_samples
        self.generator = generator
        if not isinstance(replacement, bool):
            raise TypeError(
                f"replacement should be a boolean value, but got replacement={replacement}"
            )
        if not isinstance(self.num_samples, int) or self.num_samples <= 0:
            raise ValueError(
                "num_samples should be a positive integer value, "
                f"but got num_samples={self.num_samples}"
            )

    @property
    def num_samples(self) -> int:
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        generator = self.generator
        if generator is None:
            generator = rg.Generator()
            generator.manual_seed(draw_seed())
        n = len(self.data_source)
        if not self.replacement:
            for _ in range(self.num_samples // n):
                yield from rg.randperm(n, generator=generator).tolist()
            yield from rg.randperm(n, generator=generator).tolist()[: self.num_samples % n]
            return
        for size in [32] * (self.num_samples // 32) + [self.num_samples % 32]:
            drawn = rg.randint(high=n, size=(size,), dtype=rg.int64, generator=generator)
            yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


def draw_seed(generator: Any = None) -> int:
    """One 63-bit draw, which moves the generator on as PyTorch's loaders do."""
    return int(rg.empty((), dtype=rg.int64).random_(generator=generator).item())


class SubsetRandomSampler(Sampler[int]):
    """The given indices in random order, each once, in another order each time.

    `generator` draws the order; by default it is PyTorch's.

    >>> import retrograd as torch
    >>> generator = torch.Generator().manual_seed(0)
    >>> list(torch.utils.data.SubsetRandomSampler([10, 20, 30], generator))
    [30, 10, 20]
    """

    def __init__(self, indices: Sequence[int], generator: Any = None) -> None:
        self.indices = indices
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        for i in rg.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """Draws of 0 ... len(weights) - 1 with probabilities in proportion to `weights`.

    Without `replacement` no index comes twice. Raises ValueError for a num_samples below 1, and for
    weights that are not in one dimension.

    >>> import retrograd as torch
    >>> generator = torch.Generator().manual_seed(0)
    >>> list(torch.utils.data.WeightedRandomSampler([1., 0., 3.], 5, generator=generator))
    [2, 2, 2, 2, 2]
    """

    def __init__(
        self,
        weights: Sequence[float],
        num_samples: int,
        replacement: bool = True,
        generator: Any = None,
    ) -> None:
        _check_positive("num_samples", num_samples)
        _check_bool("replacement", replacement)
        self.weights = rg.as_tensor(weights, dtype=rg.double)
        if self.weights.dim() != 1:
            raise ValueError(
                "weights should be a 1d sequence but given weights have shape "
                f"{tuple(self.weights.shape)}"
            )
        self.num_samples = num_samples
        self.replacement = replacement
        self.generator = generator

    def __iter__(self) -> Iterator[int]:
        drawn = rg.multinomial(
            self.weights, self.num_samples, self.replacement, generator=self.generator
        )
        yield from drawn.tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of `batch_size` indices from another sampler; `drop_last` leaves out a short end.

    >>> import retrograd as torch
    >>> list(torch.utils.data.BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(
        self, sampler: Sampler[int] | Iterable[int], batch_size: int, drop_last: bool
    ) -> None:
        _check_positive("batch_size", batch_size)
        _check_bool("drop_last", drop_last)
        self.sampler = sampler
        self.batch_size = batch_size
        self.drop_last = drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(itertools.islice(indices, self.batch_size)):
            if len(batch) == self.batch_size or not self.drop_last:
                yield batch

    def __len__(self) -> int:
        n = len(self.sampler)  # type: ignore[arg-type]
        return n // self.batch_size if self.drop_last else -(-n // self.batch_size)


def _check_positive(name: str, value: Any) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


def _check_bool(name: str, value: Any) -> None:
    if not isinstance(value, bool):
        raise ValueError(f"{name} should be a boolean value, but got {name}={value}")
