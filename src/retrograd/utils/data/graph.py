"""The graph of data pipes: which one reads from which."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .datapipes.datapipe import IterDataPipe, MapDataPipe

__all__ = ["traverse", "traverse_dps"]


def sources(pipe: Any) -> list:
    """The pipes that a pipe holds, in lists, tuples and dicts too."""
    return list(_pipes_in(vars(pipe)))


def _pipes_in(value: Any) -> Iterator[Any]:
    if isinstance(value, (IterDataPipe, MapDataPipe)):
        yield value
    elif isinstance(value, (list, tuple, dict)):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _pipes_in(part)


def traverse_dps(datapipe: Any) -> dict[int, tuple]:
    """{id of the pipe: (the pipe, the same of the pipes that it reads from)}.

    Raises RuntimeError for what is no pipe.

    >>> from retrograd.utils.data.datapipes.iter import IterableWrapper
    >>> from retrograd.utils.data.graph import traverse_dps
    >>> numbers = IterableWrapper(range(3))
    >>> batches = numbers.batch(2)
    >>> traverse_dps(batches) == {id(batches): (batches, {id(numbers): (numbers, {})})}
    True
    """
    if not isinstance(datapipe, (IterDataPipe, MapDataPipe)):
        raise RuntimeError("Expected `IterDataPipe` or `MapDataPipe`, but "
                           f"{type(datapipe)} is found")
    return _graph(datapipe, frozenset())


def _graph(pipe: Any, above: frozenset[int]) -> dict[int, tuple]:
    if id(pipe) in above:
        return {}
    below: dict[int, tuple] = {}
    for source in sources(pipe):
        below |= _graph(source, above | {id(pipe)})
    return {id(pipe): (pipe, below)}


def traverse(datapipe: Any, only_datapipe: bool | None = None) -> dict[int, tuple]:
    """`traverse_dps`, by its older name."""
    return traverse_dps(datapipe)
