"""Settings that a DataLoader gives to its data pipes: their seeds, and their part of the data."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Iterator
from typing import Any

import retrograd as torch

from .graph import sources

__all__ = ["apply_random_seed", "apply_sharding", "apply_shuffle_settings",
           "get_all_graph_pipes"]


def _all_pipes(pipe: Any, seen: set[int]) -> Iterator[Any]:
    if id(pipe) not in seen:
        seen.add(id(pipe))
        yield pipe
        for source in sources(pipe):
            yield from _all_pipes(source, seen)


def get_all_graph_pipes(graph: dict[int, tuple]) -> list:
    """Each pipe of what traverse_dps() returned, once."""
    found: dict[int, Any] = {}
    for key, (pipe, below) in graph.items():
        found |= {key: pipe} | {id(other): other for other in get_all_graph_pipes(below)}
    return list(found.values())


def apply_sharding(datapipe: Any, num_of_instances: int, instance_id: int,
                   sharding_group: int = 1) -> Any:
    """Let the sharding filters keep one part; RuntimeError for two of them in a row."""
    def visit(pipe: Any, above: Any) -> None:
        if hasattr(type(pipe), "apply_sharding"):
            if above is not None:
                raise RuntimeError(
                    "Sharding twice on a single pipeline is likely unintended and will cause data "
                    f"loss. Sharding already applied to {above} while trying to apply to {pipe}")
            if len(inspect.signature(pipe.apply_sharding).parameters) < 3:     # an older pipe's
                pipe.apply_sharding(num_of_instances, instance_id)
            else:
                pipe.apply_sharding(num_of_instances, instance_id, sharding_group)
            above = pipe
        for source in sources(pipe):
            visit(source, above)

    visit(datapipe, None)
    return datapipe


def apply_shuffle_settings(datapipe: Any, shuffle: bool | None = None) -> Any:
    """Switch the shufflers; without one, `shuffle=True` adds one at the end, with a warning."""
    if shuffle is None:
        return datapipe
    shufflers = [p for p in _all_pipes(datapipe, set()) if hasattr(type(p), "set_shuffle")]
    if not shufflers and shuffle:
        warnings.warn("`shuffle=True` was set, but the datapipe does not contain a `Shuffler`. "
                      "Adding one at the end. Be aware that the default buffer size might not be "
                      "sufficient for your task.", stacklevel=3)
        datapipe = datapipe.shuffle()
        shufflers = [datapipe]
    for shuffler in shufflers:
        shuffler.set_shuffle(shuffle)
    return datapipe


def apply_random_seed(datapipe: Any, rng: Any) -> Any:
    """Give each random pipe a seed drawn from `rng`."""
    for pipe in _all_pipes(datapipe, set()):
        if hasattr(type(pipe), "set_seed"):
            pipe.set_seed(int(torch.empty((), dtype=torch.int64).random_(generator=rng).item()))
    return datapipe


def shared_seed(datapipe: Any, seed: int) -> None:
    """apply_random_seed from a generator with this seed, in the loader and in its workers."""
    apply_random_seed(datapipe, torch.Generator().manual_seed(seed))
