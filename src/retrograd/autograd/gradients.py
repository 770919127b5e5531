"""Gradients on their way through a graph: their sums, and what has arrived."""

from __future__ import annotations

import numpy as np

from .._state import features
from .._tensor import SPARSE, Tensor
from ..kernels import fast

ndarray = np.ndarray
add_large = fast.either("add", np.add)


def summed(old, d):
    """The sum of two gradients, in memory of its own."""
    if old.__class__ is d.__class__ is ndarray and old.size >= fast.LARGE:
        return add_large(old, d)
    return d + old if features.sparse and is_sparse(old) else old + d


def is_sparse(g):
    """Whether a gradient is a sparse Tensor, which must be the second operand of a sum."""
    return isinstance(g, Tensor) and g._track & SPARSE


def completed(g):
    """What arrived at a node, with NumPy's scalars as 0-d arrays; None if nothing arrived."""
    if g.__class__ is list:
        for d in g:
            if d is not None:
                return [np.asarray(d) if isinstance(d, np.generic) else d for d in g]
        return None
    return np.asarray(g) if isinstance(g, np.generic) else g
