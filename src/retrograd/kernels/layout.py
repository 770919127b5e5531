"""The order of dimensions in memory: results of image operators keep their input's."""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise

import numpy as np


def channels_last(x) -> bool:
    """Whether the strides of (N, C, *space), two or three in space, put the channels innermost.

    If sizes of 1 leave that open, the array counts as row-major.
    """
    if x.ndim not in (4, 5) or x.flags.c_contiguous or x.strides[1] == 0:
        return False
    least = 0
    for d in (1, *range(x.ndim - 1, 1, -1), 0):
        size, stride = x.shape[d], x.strides[d]
        if size == 0 or stride < least or d == 0 and least == x.strides[1]:
            return False
        least = stride * size if size > 1 else stride
    return True


def dense_order(*arrays) -> list[int]:
    """The dimensions, the outermost in memory first, of what is computed from arrays of one shape.

    The first array decides. Where it leaves the order open, because it repeats elements (stride 0)
    or has equal strides, the next array decides, and in the end the ordinary order.
    """
    return _order(arrays[0].shape, [a.strides for a in arrays])


def _order(shape, strides):
    """dense_order() of arrays of this shape with these strides."""
    order = list(range(len(shape) - 1, -1, -1))     # the innermost first
    first = strides[0]
    if len({0, *first}) > len(first):
        return sorted(order, key=first.__getitem__, reverse=True)
    for i in range(1, len(shape)):
        for j in range(i - 1, -1, -1):
            swap = _lies_outside(order[j], order[i], shape, strides)
            if swap is False:
                break
            if swap:
                order[i], order[j] = order[j], order[i]
                i = j
    return order[::-1]


def by_strides(strides):
    """The dimensions of an array with these strides, the outermost in memory first."""
    return sorted(range(len(strides)), key=strides.__getitem__, reverse=True)


def memory_order(a):
    """by_strides() of an array without gaps; else None."""
    order = by_strides(a.strides)
    return order if a.transpose(order).flags.carray else None


def _lies_outside(d, other, shape, strides):
    """Whether dimension d is to be outside the other one; None if the strides do not say."""
    for s in strides:
        if s[d] and s[other]:
            if s[d] != s[other]:
                return s[d] > s[other]
            if shape[d] > shape[other]:
                return True
    return None


def arranged(res, *operands):
    """An elementwise result in PyTorch's memory order, that of its operands: see dense_order.

    NumPy gives the ordinary order where operands differ. Sparse arrays have no order.
    """
    first = operands[0]
    if res.ndim < 2 or res.__class__ is not np.ndarray:
        return res
    if first.shape == res.shape and (first.strides == res.strides or (
            res.flags.c_contiguous and descend(first.strides))):
        return res
    order = _broadcast_order(res.shape, *[(a.shape, a.strides) for a in operands])
    laid = res.transpose(order)
    return res if laid.flags.c_contiguous else laid.copy().transpose(inverse(order))


@lru_cache(1 << 10)
def _broadcast_order(shape, *operands):
    """dense_order() of operands, each a shape and its strides, that broadcast to `shape`."""
    strides = []
    for own, steps in operands:
        missing = len(shape) - len(own)
        strides.append((0,) * missing + tuple(
            0 if n != m else s for n, m, s in zip(own, shape[missing:], steps, strict=True)))
    return tuple(_order(shape, strides))


@lru_cache(1 << 10)
def descend(strides):
    """Whether each dimension lies within the one before, none repeated: the ordinary order."""
    return all(a > b for a, b in pairwise((*strides, 0)))


def moved(a, source, to):
    """`a` with dimension `source` at `to`, as a view: np.moveaxis in a fifth of its time."""
    order = list(range(a.ndim))
    order.insert(to % a.ndim, order.pop(source))
    return a.transpose(order)


def inverse(order):
    """The transposition that undoes one."""
    return [order.index(d) for d in range(len(order))]


def in_memory_order(function, *arrays):
    """function(*arrays) of an elementwise function that walks and fills ordinary memory."""
    order = dense_order(*arrays)
    laid = function(*(np.ascontiguousarray(a.transpose(order)) for a in arrays))
    return laid.transpose(inverse(order))


# without NumPy's search for classes that override it, which takes half of the time
undispatched = getattr(np.empty_like, "__wrapped__", np.empty_like)


def empty_like(a, dtype=None):
    """Uninitialised memory in the order of `a`, without its gaps and repetitions."""
    if 0 not in a.strides:
        return undispatched(a, dtype, order="K", subok=False)
    order = dense_order(a)
    shape = [a.shape[d] for d in order]
    return np.empty(shape, a.dtype if dtype is None else dtype).transpose(inverse(order))


def empty_if_dense(a, dtype=None):
    """Uninitialised memory in the order of `a`, if that has no gaps and repetitions; else rows."""
    res = undispatched(a, dtype, order="K", subok=False)
    if res.strides != a.strides and any(
            n > 1 and s * a.itemsize != t * res.itemsize
            for n, s, t in zip(a.shape, res.strides, a.strides, strict=True)):
        return np.empty(a.shape, res.dtype)
    return res


def like(y, *arrays):
    """y with its channels innermost in memory if those of one of the arrays are."""
    for a in arrays:
        if channels_last(a):
            return y if channels_last(y) else channels_innermost(y)
    return y


def channels_innermost(y):
    """A copy of y (N, C, *space) that lies in memory as (N, *space, C)."""
    out = empty_last(y.shape, y.dtype)
    out[...] = y
    return out


def empty_last(shape, dtype):
    """Uninitialised memory for (N, C, *space) that lies as (N, *space, C)."""
    return moved(np.empty((shape[0], *shape[2:], shape[1]), dtype), -1, 1)


def as_rows(a):
    """(N, C, *space) as (N, positions, C): without a copy, where channels lie innermost."""
    a = np.ascontiguousarray(moved(a, 1, -1))
    return a.reshape(a.shape[0], -1, a.shape[-1])
