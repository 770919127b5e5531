"""Several rows of a Jacobian by one batched backward pass, where only the speed tells."""

from __future__ import annotations

from typing import Any

import numpy as np

import retrograd as rg

from .._state import features, state
from .._tensor import Tensor
from .engine import has_watchers
from .node import AccumulateGrad, Node, edge
from .walks import reachable

FEWEST = 4              # rows for which a batch pays
ROOM = 1 << 20          # elements: the most that a batch of gradients of one tensor may have


def rows_at_once(out: Tensor, inputs, units: Tensor) -> list[Tensor] | None:
    """The gradients of `inputs` for each of the `units`: (units, *shape of the input) each.

    None where a program could tell this from one pass for each row: by a hook, a custom Function, a
    mode or the memory it takes.
    """
    start = edge(out)
    if len(units) < FEWEST or start is None or not _nobody_watches():
        return None
    largest = max(x.numel() for x in (out, *inputs))
    for node in reachable([start]):
        if not _is_plain(node):
            return None
        largest = max([largest, *map(_size, getattr(node, "_saved", None) or ())])
    rows = ROOM // max(largest, 1)
    if rows < FEWEST:
        return None
    try:
        parts = [rg.autograd.grad(out, inputs, some, retain_graph=True, allow_unused=True,
                                  is_grads_batched=True) for some in units.split(rows)]
    except (NotImplementedError, RuntimeError):         # if it is one of the program's, the
        return None                                     # first row raises it again
    return [x.new_zeros((len(units), *x.shape)) if of_input[0] is None else rg.cat(of_input)
            for x, of_input in zip(inputs, zip(*parts, strict=True), strict=True)]


def _nobody_watches() -> bool:
    return (not has_watchers() and features.trace is None and not features.recording
            and not state.transforms and state.vmaps == 0 and state.dual_levels == 0)


def _is_plain(node: Node) -> bool:
    """Whether it is an operator's node, or a leaf's, without hooks."""
    kind: Any = type(node)                  # with hooks it is another class: see hooks.py
    return kind is AccumulateGrad or "operator" in vars(kind)


def _size(saved) -> int:
    """How many numbers a saved value has, if there may be a gradient for it."""
    if isinstance(saved, Tensor):           # special tensors are not for batches
        return 0 if not saved._flags else saved._data.size if saved._flags == 1 else ROOM
    return saved.size if isinstance(saved, np.ndarray) else 0
