"""Numbers repeated into tuples, for the spatial settings of layers."""
from __future__ import annotations

import collections.abc
from itertools import repeat


def _ntuple(n, name="parse", of_tensors=False):
    """Numbers repeated n times; of layers 0-d tensors are none, of operators they are."""
    def parse(x):
        if x.__class__ is tuple:
            return x
        if x.__class__ is int:
            return (x,) * n
        if of_tensors and hasattr(x, "__index__"):
            return (x,) * n
        if isinstance(x, collections.abc.Iterable):
            return tuple(x)
        return tuple(repeat(x, n))

    parse.__name__ = name
    return parse


_single = _ntuple(1, "_single")
_pair = _ntuple(2, "_pair")
_triple = _ntuple(3, "_triple")
_quadruple = _ntuple(4, "_quadruple")


def _reverse_repeat_tuple(t, n):
    """Each element `n` times, last one first: padding per dimension as `F.pad` wants it."""
    return tuple(x for x in reversed(t) for _ in range(n))


def _list_with_default(out_size, defaults):
    """`out_size` with the last of `defaults` in place of None."""
    if isinstance(out_size, (int,)):
        return out_size
    if len(defaults) <= len(out_size):
        raise ValueError(f"Input dimension should be at least {len(out_size) + 1}")
    tail = defaults[len(defaults) - len(out_size):]
    return [v if v is not None else d for v, d in zip(out_size, tail, strict=True)]
