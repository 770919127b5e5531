"""Parameters of a group are updated together: by one call of a compiled kernel, or as one array.

An update of a few hundred numbers costs what its calls cost, some ten of them. Copying the numbers
of many parameters side by side and back costs less, and the numbers stay the same to the last bit.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..kernels import fast
from . import _arrays

SHORT = 2048  # elements of a parameter, at most
FEWEST = 8  # parameters for which it pays
LONGEST = 32768  # elements put side by side: they stay in a core's cache


def pays(params: list, long_formula: bool) -> bool:
    """Whether a group's parameters should wait for each other."""
    return len(params) >= FEWEST and (
        long_formula or any(p._data.size >= fast.LARGE for p in params)
    )


def may_wait(p: np.ndarray, g: np.ndarray) -> bool:
    """Whether a parameter may be updated with others."""
    return p.dtype is g.dtype and p.dtype.char in "fd"


def update(rule: Any, waiting: list[tuple], h: dict[str, Any]) -> None:
    """Update (numbers, parameter, gradient, buffers) of each, those with the same numbers at once.

    A compiled kernel takes them all if one is large; else the short ones are joined.
    """
    alike: dict[tuple, list] = {}
    for item in waiting:
        numbers, p, _, buffers = item
        alike.setdefault((numbers, p.dtype, *buffers), []).append(item)
    for (numbers, *_), items in alike.items():
        if len(items) > 1 and _apart([p for _, p, _, _ in items]):
            twin = rule.twin(max([p.size for _, p, _, _ in items]))
            if twin is not None:
                items = twin(items, h, *numbers)
            elif rule.long_formula:
                items = _joined(rule, items, h, numbers)
        for _, p, g, buffers in items:
            rule.update_special(p, g, buffers, h, numbers)


def _joined(rule, items, h, numbers):
    """Update the short ones as one; return the others, and those whose state does not fit them."""
    short = [item for item in items if item[1].size <= SHORT
             and all([b.shape == item[1].shape for b in item[3].values()])]
    if len(short) < FEWEST:
        return items
    for batch in _batches(short):
        _as_one(rule, batch, h, numbers)
    done = {id(item) for item in short}
    return [item for item in items if id(item) not in done]


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
    """Update the parameters of a batch as one array, and copy the results back."""
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
