"""Gradients on their way through a graph: their sums, and what has arrived."""

from __future__ import annotations

from sys import getrefcount

import numpy as np

from .._state import features
from .._tensor import SPARSE, Tensor
from ..kernels import fast
from .on_tensors import run_on_tensors

ndarray = np.ndarray
add_large = fast.large("add", np.add) if fast.has("add") else np.add

NOT_SCALAR = "grad can be implicitly created only for scalar outputs"
NOT_REAL = "grad can be implicitly created only for real scalar outputs but got {}"


def summed(old, d):
    """The sum of two gradients, in memory of its own: for large ones in that of `old`, if only a
    variable of the caller's refers to it (see NOTE [whose buffer] in engine.py)."""
    if old.__class__ is d.__class__ is ndarray and old.size >= fast.HALF:
        if (getrefcount(old) <= HANDED_ON and old.base is None and old.dtype is d.dtype
                and old.shape == d.shape):
            if not (is_large(old) and fast.has("add") and fast.twin("add")(old, d, out=old)
                    is not None):
                old += d
            return old
        if is_large(old):
            return add_large(old, d)
    return d + old if features.sparse and is_sparse(old) else old + d


def _references_of_what_is_handed_on():
    def summed(old, d):
        return getrefcount(old)
    d, x = np.empty(1), None
    d = summed(d, x)
    return d


HANDED_ON = _references_of_what_is_handed_on()


def added_in_place(node, g, arrived):
    """Add the gradient of a part, such as x[t], to what has arrived for x; False if it cannot.

    Without this, each step would make an array of zeros of x's size and add that to the sum.
    """
    if arrived is None:
        return False
    total, mine = arrived
    if total.__class__ is not ndarray or g.__class__ is not ndarray or total.dtype is not g.dtype:
        return False
    if not mine and (total.base is not None or getrefcount(total) > IN_A_LIST):
        return False                                 # see NOTE [whose buffer] in engine.py
    part = node.part()
    if g.size < fast.SPREAD or not _added_by_lines(total[part], g):
        total[part] += g
    return True


def _added_by_lines(part, g):
    """Whether a kernel has added `g` to many rows that lie apart."""
    return (not part.flags.c_contiguous and part.size >= fast.ROWS * part.shape[-1]
            and fast.has("add") and fast.written_by_lines("add", part, g))


def _references_of_an_array_in_a_list():
    def added(arrived):
        total, _ = arrived
        return getrefcount(total)
    return added([np.empty(1), False])


IN_A_LIST = _references_of_an_array_in_a_list()


def is_large(g):
    """Whether a compiled kernel adds to an array like this in less time than NumPy."""
    return g.size >= (fast.HALF if g.itemsize == 2 else fast.LARGE)


def is_sparse(g):
    """Whether a gradient is a sparse Tensor, which must be the second operand of a sum."""
    return isinstance(g, Tensor) and g._flags & SPARSE


def completed(g, node):
    """What arrived at `node`, with NumPy's scalars as 0-d arrays; None if nothing arrived.

    A node that gets what kernels cannot compute with runs on Tensors from now on, or on zeros.
    """
    if g.__class__ is list:
        for d in g:
            if d is not None:
                return [completed(d, node) for d in g]
        return None
    if isinstance(g, np.generic):
        return np.asarray(g)
    if features.other_arrays and hasattr(g, "needs_tensors"):
        run_on_tensors(node)
    elif features.other_arrays and hasattr(g.__class__, "on_meta"):
        from ..ops.meta import run_on_zeros
        run_on_zeros(node)
    return g


def _references_of_a_local():
    g = object()
    return getrefcount(g)


ONLY_LOCAL = _references_of_a_local()       # getrefcount() of what one variable alone refers to
