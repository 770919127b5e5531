"""Why numbers have grown from step to step until they overflowed, where that can be told."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..autograd.node import Node
from . import reading

PRODUCTS = ("addmm", "mm", "matmul", "bmm", "baddbmm", "mv", "conv")     # sums over many elements
INPUTS = ("mat1", "input", "self")
SUM = 2                  # reduction="sum", in the numbers that nodes of losses save
LARGE = 100              # data of this size have not been scaled
SMALLER_STEPS = ("let the steps be smaller: a lower learning rate, or clip_grad_norm_() between "
                 "backward() and step()")


def why_training_grew(node: Node, root: Node | None) -> tuple[str, str]:
    """What numbers grew by until `node` overflowed, on the way to the loss `root`, and the cure."""
    size = max((size_of_data(n) for n in reading.nodes([node])), default=0.0)
    if size > LARGE:
        return (f"; the data are as large as {size:.1g}, and the gradient of a weight is a "
                "multiple of what it is multiplied with", "scale the data first, "
                "`x = (x - x.mean(0)) / x.std(0)`, and the targets if they are large as well; "
                "then, if need be, a lower learning rate")
    count = summed_by(root)
    if count > 1:
        return (f"; the loss is the sum of {count} numbers, so its gradient is {count} times that "
                f"of their mean", f"take the mean, reduction='mean', or a learning rate {count} "
                "times lower")
    return "", SMALLER_STEPS


def size_of_data(node: Node) -> float:
    """The largest number of the data, without a history, that a node multiplies with weights."""
    if None not in node.edges or not reading.operator_name(node).startswith(PRODUCTS):
        return 0.0
    given = next((s.array for s in reading.saved(node) if s.name in INPUTS), None)
    plain = isinstance(given, np.ndarray) and given.size and given.dtype.kind == "f"
    return float(np.abs(given).max()) if plain else 0.0          # type: ignore[arg-type]


def summed_by(root: Any) -> int:
    """How many numbers a loss is the sum of, 0 if it is a mean or anything else."""
    if type(root).__name__ == "SumBackward0":
        inner = root.edges[0]
        if type(inner).__name__ not in ("PowBackward0", "AbsBackward0"):
            return 0
        return next((s.array.size for s in reading.saved(inner)
                     if isinstance(s.array, np.ndarray)), 0)
    saved = [s for s in reading.saved(root) if s.name == "self" and isinstance(
        s.array, np.ndarray)] if getattr(root, "_saved_reduction", None) == SUM else []
    return saved[0].array.size if saved else 0
