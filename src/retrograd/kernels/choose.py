"""np.where, faster where the condition is random."""

from __future__ import annotations

import numpy as np

from .narrow import laid_out

# Number of elements from which the detours below are worth it, and so is np.clip, whose loop is 4
# times as fast as that of np.maximum.
MANY = 4096
BITS = {2: np.dtype(np.int16), 4: np.dtype(np.int32), 8: np.dtype(np.int64)}
# NOTE [choosing by bits] np.where branches at each element: for random masks it is eight times
# slower than a bitwise `and` with a mask of all ones or all zeros. (Multiplying by 0 or 1 is not
# possible, since infinity times 0 is nan.)


def where(condition, a, b):
    if condition.dtype.kind != "b":
        condition = condition != 0
    if condition.size > MANY:
        a, b = (laid_out(v, condition.shape) if isinstance(v, np.ndarray) and v.ndim else v
                for v in (a, b))
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray) and a.dtype is b.dtype \
            and a.itemsize in BITS and max(a.size, b.size) > MANY \
            and np.broadcast(condition, a, b).shape in (a.shape, b.shape):
        return _chosen(condition, a, b)
    if _number_fits(a, b) or _number_fits(b, a):
        return choose(condition, a, b)
    return np.where(condition, a, b)


def _number_fits(number, array):
    """Whether one is a Python number that does not change the dtype of the array beside it."""
    return isinstance(array, np.ndarray) and array.ndim > 0 and (
        number.__class__ is int or number.__class__ is float and array.dtype.kind in "fc")


def _chosen(mask, a, b):
    """np.where(mask, a, b) as b ^ ((a ^ b) & mask), see NOTE [choosing by bits].

    One of a and b has the result's shape.
    """
    word = BITS[a.itemsize]
    keep = mask.astype(word)
    np.negative(keep, keep)                     # 1 to all ones
    bits = b.view(word)
    res = a.view(word) ^ bits
    res &= keep
    res ^= bits
    return res.view(a.dtype)


def choose(mask, a, b):
    """where() for kernels: the other of `a` and `b` may be a number."""
    like = a if isinstance(a, np.ndarray) and a.ndim else b
    if mask.size <= MANY or like.shape != mask.shape or like.itemsize not in BITS:
        if a.__class__ in (int, float) and like.dtype.kind == "f" and like.shape == mask.shape:
            res = b.copy("K")                                 # half the time
            np.copyto(res, a, where=mask)
            return res
        return np.where(mask, a, b)
    a, b = (v if v is like else np.asarray(v, like.dtype) for v in (a, b))
    if a.shape != b.shape and a.ndim and b.ndim:
        return np.where(mask, a, b)
    return _chosen(mask, a, b)
