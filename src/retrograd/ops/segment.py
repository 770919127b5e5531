"""torch.segment_reduce: reductions over consecutive segments of a dimension."""

from __future__ import annotations

import numpy as np

from .._tensor import BATCHED
from ..kernels.checks import not_implemented
from . import samples as S
from .batching import at_level, size_of, top_level, wrap_batch
from .declare import F as T
from .declare import op
from .dims import wrap_dim
from .formulas import missing
from .public import FUNCTIONS, public
from .rules import lifted

PIECES = np.array([0, 2, 2, 3])
KINDS = ("max", "mean", "min", "sum", "prod")
OTHER_NAMES = {"amax": "max", "amin": "min"}

op("segment_reduce(self | offsets, reduce, axis, initial)", "SegmentReduceBackward0", public=False,
    samples=lambda: [(a.T.copy(), PIECES, kind, 0, None if kind == "prod" else 9.0)
                     for a, in S.singles()[:1] for kind in ("sum", "prod")],
    self = lambda F, g, self, result, offsets, reduce, axis, initial:
               F.segment_reduce_backward(g, result, self, offsets, reduce, axis, initial))

op("segment_reduce_backward(grad, result, self | offsets, reduce, axis, initial)",
    "SegmentReduceBackwardBackward0", public=False,
    samples=lambda: [(np.ones((3, 2)), S.singles()[0][0].T[:3], a.T.copy(), PIECES, "max", 0, None)
                     for a, in S.singles()[:1]],
    grad   = missing("_segment_reduce_backward"),
    result = missing("_segment_reduce_backward"),
    self   = missing("_segment_reduce_backward"))


@public(name="segment_reduce", method=False)
def public_segment_reduce(data, reduce, *, lengths=None, indices=None, offsets=None, axis=0,
                          unsafe=False, initial=None):
    """Reduce ("sum", "mean", "max", "min", "prod") each piece of dimension `axis`.

    The pieces are given by their `lengths` (which must add up to the dimension, unless `unsafe`) or
    by the `offsets` where they begin and the last ends; the dimensions before `axis` are batches
    with pieces of their own. `initial` begins each reduction; without it an empty piece gives 0,
    nan, -inf, inf or 1. Raises RuntimeError for lengths that do not add up.

    >>> import retrograd as torch
    >>> torch.segment_reduce(torch.arange(5.), "sum", lengths=torch.tensor([2, 0, 3]))
    tensor([1., 0., 9.])
    """
    array = data._data
    reduce = OTHER_NAMES.get(reduce, reduce)
    if reduce not in KINDS:
        raise RuntimeError("reduce argument must be either sum, prod, mean, amax or amin, got "
                           f"{reduce}")
    axis = wrap_dim(axis, array.ndim)
    for name, given in (("lengths", lengths), ("offsets", offsets)):
        if given is not None and given._flags & BATCHED:
            return _of_slices(data, reduce, {name: given}, axis, unsafe, initial)
    if indices is not None:
        raise RuntimeError("segment_reduce(): indices based reduction is not supported yet.")
    if lengths is None and offsets is None:
        raise RuntimeError("segment_reduce(): Either lengths or offsets must be defined.")
    given, name = (lengths, "lengths") if offsets is None else (offsets, "offsets")
    _check(array, given._data, name, axis)
    places = given._data
    if name == "lengths":
        if not unsafe:
            _check_lengths(places, array.shape[axis])
        places = np.concatenate([np.zeros_like(places[..., :1]), np.cumsum(places, -1)], -1)
    if places.min(initial=0) < 0 or places.max(initial=0) > array.shape[axis]:
        raise RuntimeError(f"segment_reduce(): the {name} reach outside of the data")
    return T.segment_reduce(data, places.astype(np.int64), reduce, axis, initial)


def _of_slices(data, reduce, given, axis, unsafe, initial):
    """Pieces that differ from slice to slice inside vmap: one more dimension of batches."""
    (name, places), = given.items()
    level = top_level([data, places])
    data, places = (lifted(*at_level(t, level), size_of(level)) for t in (data, places))
    return wrap_batch(public_segment_reduce(data, reduce, **{name: places}, axis=axis + 1,
                                            unsafe=unsafe, initial=initial), level)


FUNCTIONS["_segment_reduce"] = public_segment_reduce


def _check(array, places, name, axis):
    if array.ndim < places.ndim or not array.ndim:
        raise RuntimeError(f"Expected data.dim() >= {name}_value.dim() to be true, but got false.  "
                           "(Could this error message be improved?  If so, please report an "
                           "enhancement request to PyTorch.)")
    if axis != places.ndim - 1:
        raise RuntimeError(f"segment_reduce(): Expected axis to be the last dimension of {name} "
                           f"but got {axis}.")
    if array.dtype.kind not in "fV":
        raise not_implemented("_segment_reduce_cpu", array.dtype)
    if places.dtype not in (np.int64, np.int32):
        raise not_implemented(f"_segment_reduce_{name}_cpu_kernel1", places.dtype)


def _check_lengths(lengths, n):
    if lengths.min(initial=0) < 0:
        raise RuntimeError("lengths contains negative value!")
    if (lengths.sum(-1) != n).any():
        raise RuntimeError("segment_reduce(): Expected all rows of lengths along axis to sum to "
                           "data.size(lengths.dim()-1) when !unsafe.")
