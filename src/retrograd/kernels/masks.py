"""Reads and writes through masks, and the places of nonzero elements."""

import numpy as np

from . import fast
from .checks import as_int64, check_broadcast, scalar_name
from .choose import MANY, choose

_CPP_NAMES = {
    "uint8": "unsigned char",
    "int8": "signed char",
    "int16": "short",
    "int32": "int",
    "int64": "long int",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "float32": "float",
    "float64": "double",
    "complex64": "c10::complex<float>",
    "complex128": "c10::complex<double>",
}


def masked_select(self, mask):
    """The elements of self where mask is true, in order, as a vector."""
    if mask.dtype != bool:
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    if mask.shape != self.shape:
        check_broadcast(mask.shape, self.shape)
        self, mask = np.broadcast_arrays(self, mask)
    rows, key = by_places(self, mask)
    return rows[key]


def masked_fill(self, mask, value, *, out=None):
    """value where mask is true, self elsewhere."""
    if out is None and mask.shape != self.shape:
        check_broadcast(mask.shape, self.shape)
    if isinstance(value, np.ndarray) and value.ndim:
        raise RuntimeError(
            "masked_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )
    if mask.dtype != bool:
        raise refused_mask(mask.dtype)
    if out is None:
        if mask.shape != self.shape:
            shape = np.broadcast(self, mask).shape
            self = self if shape == self.shape else np.broadcast_to(self, shape)
        return filled(self, mask, value)
    return filled(out, mask, value, out)


def refused_mask(dtype):
    """The error for a mask that is not of bools."""
    return RuntimeError("masked_fill_ only supports boolean masks, but got mask with dtype "
                        + _CPP_NAMES[dtype.name])


def fill_masked(x, mask, value, out=None):
    """masked_fill() of checked arguments, into a copy of x or into `out`, which is x."""
    alike = x.dtype.kind == "f" and mask.shape == x.shape
    if out is None:
        if alike and x.size > MANY:
            return np.ascontiguousarray(choose(mask, value, x))     # as the copy below is
        out = x.copy()
    if alike:
        np.putmask(out, mask, value)                    # a third to two thirds of copyto's time
    else:
        np.copyto(out, value, where=mask, casting="unsafe")
    return out


filled = fast.either("fill_masked", fill_masked)


def masked_fill_tensor(self, mask, value, *, out=None):
    """masked_fill with a 0-d array."""
    return masked_fill(self, mask, value, out=out)


def masked_scatter(self, mask, source, *, out=None):
    """Write source's elements, in order, where mask is true."""
    if self.dtype != source.dtype:
        raise RuntimeError(
            "masked_scatter: expected self and source to have same dtypes but got"
            f"{scalar_name(self.dtype)} and {scalar_name(source.dtype)}"
        )
    if out is None:
        check_broadcast(mask.shape, self.shape)
    if mask.dtype != bool:
        raise RuntimeError(
            "masked_scatter_ only supports boolean masks, but got mask with dtype "
            + scalar_name(mask.dtype)
        )
    check_broadcast(mask.shape, self.shape)
    if out is None:
        out = self if mask.shape == self.shape else np.broadcast_to(
            self, np.broadcast_shapes(self.shape, mask.shape))
        out = out.copy()
    if mask.shape != out.shape:
        mask = np.broadcast_to(mask, out.shape)
    count = np.count_nonzero(mask)
    if source.size < count:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    rows, key = by_places(out, mask)
    rows[key] = source.reshape(-1)[:count]
    return out


def found_among(self, others, unique=False, invert=False):
    """Whether each element is one of the others (not, with `invert`)."""
    if self.size * others.size > SOME:
        return np.asarray(np.isin(self, others, assume_unique=unique, invert=invert))
    found = (self[..., None] == others.reshape(-1)).any(-1)
    return np.asarray(~found if invert else found, order="C")


SOME = 1 << 12       # elements from which finding the true ones first shows
NARROW = 16          # elements of a line from which working by lines shows


def by_places(a, mask):
    """What `a[mask]` indexes and how: `a` with the mask's dimensions merged, and the true places.

    By a mask NumPy takes a branch for each element: up to five times as long.
    """
    if mask.size < SOME or not (a.flags.c_contiguous and mask.flags.c_contiguous):
        return a, mask
    return a.reshape(-1, *a.shape[mask.ndim:]), np.flatnonzero(mask)


def places(a):
    """The indices of the nonzero elements, as in `a.nonzero()`.  # (ndim, count)

    There NumPy steps through all dimensions at each element; here the lines' own indices are
    repeated, for as many as each line has.
    """
    width = a.shape[-1]
    if a.ndim < 2 or width < NARROW or a.size < SOME or not a.flags.c_contiguous:
        return np.array(a.nonzero())
    a = a != 0                                          # bools are counted ten times as fast
    lines = np.arange(a.size // width)
    counts = np.count_nonzero(a.reshape(-1, width), 1)
    res = np.empty((a.ndim, int(counts.sum())), np.intp)
    for k, index in enumerate(np.unravel_index(lines, a.shape[:-1])):
        res[k] = np.repeat(index, counts)
    np.subtract(np.flatnonzero(a), np.repeat(lines * width, counts), out=res[-1])
    return res


def nonzero(self):
    """The places of the nonzero elements, one row each.  # (count, ndim)"""
    if self.ndim == 0:
        return np.zeros((int(self != 0), 0), np.int64)
    return as_int64(places(self).T)
