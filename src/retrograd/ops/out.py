"""out= arguments: the result is written into a tensor that the caller gives."""

from __future__ import annotations

import warnings

from .. import _dtype
from .._callers import note_write
from .._state import features
from .._tensor import DUAL, Tensor
from ..autograd.views import check_overlap


def fill(out, res):
    """Write `res` into `out` (its shape is adapted if it differs) and return `out`."""
    if features.before_write is not None:
        features.before_write(out)
    if out._track > 1:
        from .special_modes import refuse_write
        refuse_write(out)
    target, source = out._data, res._data
    have, want = _dtype.of(target), _dtype.of(source)
    if not _dtype.can_cast(want, have):
        raise RuntimeError(f"result type {want.tensor_name} can't be cast to the desired output "
                           f"type {have.tensor_name}")
    check_overlap(target)
    if target.shape != source.shape:
        if target.size:
            warnings.warn(
                f"An output with one or more elements was resized since it had shape "
                f"{list(target.shape)}, which does not match the required output shape "
                f"{list(source.shape)}. This behavior is deprecated, and in a future PyTorch "
                "release outputs will not be resized unless they have zero elements. You can "
                "explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
                "t.resize_(0).", UserWarning, stacklevel=4)
        out._data = source.astype(target.dtype)
    else:
        target[...] = source
    note_write(out, "out=")
    return out


def refuse_dual(name, *tensors):
    """Raise if one of the tensors carries a tangent: forward mode does not follow out=."""
    if any(isinstance(t, Tensor) and t._track & DUAL for t in tensors):
        raise NotImplementedError(f"Trying to use forward AD with {name}_out that does not support "
                                  "it because it is an out= function")


def fill_checked(name, out, res):
    """fill(), refusing what autograd cannot follow; `res` tells whether an input is recorded."""
    refuse_dual(name, out, res)
    if out._track & 1 or res._track & 1:
        raise RuntimeError(f"{name}(): functions with out=... arguments don't support automatic "
                           "differentiation, but one of the arguments requires grad.")
    return fill(out, res)
