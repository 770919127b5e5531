"""Short parameters of a group are updated as one long array.

An update of a few hundred numbers costs what its calls cost, some ten of them. Copying the numbers
of many parameters side by side and back costs less, and the numbers stay the same to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _arrays

SHORT = 2048  # elements of a parameter, at most
FEWEST = 8  # parameters for which it pays
LONGEST = 32768  # elements put side by side: they stay in a core's cache


def is_short(p: np.ndarray, g: np.ndarray) -> bool:
    """Whether a parameter may be updated with others."""
    return p.size <= SHORT and p.dtype is g.dtype and p.dtype.char in "fd"


def update(rule: Any, waiting: list[tuple], h: dict[str, Any]) -> None:
    """Update (numbers, parameter, gradient, buffers) of each, those with the same numbers as one.

    `waiting` becomes empty.
    """
    alike: dict[tuple, list] = {}
    for item in waiting:
        numbers, p, _, buffers = item
        alike.setdefault((numbers, p.dtype, *buffers), []).append(item)
    for (numbers, *_), items in alike.items():
        for batch in _batches(items):
            if len(batch) >= FEWEST and _apart([p for _, p, _, _ in batch]):
                _as_one(rule, batch, h, numbers)
                continue
            for _, p, g, buffers in batch:
                rule.update(_arrays, p, g, buffers, h, *numbers)
    waiting.clear()


def _batches(items):
    """The items in order, of each batch no more elements than LONGEST."""
    batch, total = [], 0
    for item in items:
        total += item[1].size
        if total > LONGEST:
            yield batch
            batch, total = [], item[1].size
        batch.append(item)
    yield batch


def _apart(arrays):
    """Whether it is certain that no two share memory: each a whole block of its own, or part of
    a block that no other is part of."""
    owners = [a if a.base is None else a.base for a in arrays]
    if any(type(owner) is not np.ndarray or owner.base is not None for owner in owners):
        return False
    return len(set(map(id, owners))) == len(owners)


def _as_one(rule, batch, h, numbers):
    _, ps, gs, buffers = zip(*batch, strict=True)
    names = buffers[0]
    p = _side_by_side(ps)
    state = {name: _side_by_side([b[name] for b in buffers]) for name in names}
    rule.update(_arrays, p, _side_by_side(gs), state, h, *numbers)
    _put_back(p, ps)
    for name in names:
        _put_back(state[name], [b[name] for b in buffers])


def _side_by_side(arrays):
    return np.concatenate([a.ravel() for a in arrays])


def _put_back(whole, arrays):
    at = 0
    for a in arrays:
        a[...] = whole[at : at + a.size].reshape(a.shape)
        at += a.size
