"""Order: sorting, selection, unique values and searching.

nan sorts after every number, so it comes last in ascending order and counts as the largest.
Equal elements keep their order everywhere (PyTorch promises that only for `stable=True`).
"""

import numpy as np

from .. import _dtype
from . import fast
from .checks import as_int64, is_inexact, not_implemented, wrap_dim
from .gather_scatter import places_along
from .half import widened
from .layout import arranged, moved
from .shape import contiguous

FEW_ROWS = 64        # so few searches by NumPy take less time than all side by side
FEW = 256            # so few elements are sorted as quickly as partitioned


def _no_complex(name, self):
    if self.dtype.kind == "c":
        raise RuntimeError(f" {name} does not support complex dtypes on CPU")


def _real_only(kernel, self):
    if self.dtype.kind == "c":
        raise not_implemented(kernel, self.dtype)


def nonempty_dim(name, self, dim):
    """dim counted from the front, refused when there is nothing to reduce along it."""
    dim = wrap_dim(dim, self.ndim)
    if self.ndim and self.shape[dim] == 0:
        raise IndexError(f"{name}(): Expected reduction dim {dim} to have non-zero size.")
    return dim


def _rows(self, dim):
    """self with dim last, and at least one dimension."""
    if dim == self.ndim - 1:
        return self
    return moved(np.atleast_1d(self), dim, -1)


def _back(array, dim, ndim):
    """An array in ordinary order whose last dimension comes back to `dim`."""
    if dim == ndim - 1 and array.flags.c_contiguous:
        return array
    return contiguous(moved(array, -1, dim) if ndim else array.reshape(()))


def _along_rows(rows, places):
    """The elements of each row at `places`: a quarter of np.take_along_axis's time."""
    return rows.take(places if rows.ndim == 1 else
                     places_along(rows.shape, rows.ndim - 1, places))


def _picked(self, rows, indices, dim, keepdim):
    """The element of each row at indices, as (values, indices) without or with dim."""
    indices = np.asarray(as_int64(indices), order="C")
    values = _along_rows(rows, indices[..., None])
    if not self.ndim:
        return values.reshape(()), indices.reshape(())
    if keepdim:
        return moved(values, -1, dim), np.expand_dims(indices, dim)
    return values[..., 0], indices


# ---------------------------------------------------------------- sorting
def sort(self, dim=-1, descending=False, stable=False):
    """Sorted values along dim and the places they came from."""
    _no_complex("Sort", self)
    dim = wrap_dim(dim, self.ndim)
    rows = _rows(self, dim)
    order = _order(rows, descending)
    values, places = (_back(a, dim, self.ndim) for a in (_along_rows(rows, order), order))
    return arranged(values, self), arranged(places, self)


def _keys(rows):
    """What to order by: NumPy puts bfloat16's nan first."""
    return rows.astype(np.float32) if rows.dtype.kind == "V" else rows


def _order(rows, descending):
    """The places of each row's elements in order; equal elements keep theirs."""
    rows = _keys(rows)
    if rows.size >= 512 and rows.shape[-1] >= 16:
        if rows.dtype.char == "f" and _without_nan(rows):
            return _order_by_integers(rows, descending)
        if rows.dtype.kind in "iu":
            found = _order_by_digits(rows, descending)
            if found is not None:
                return found
    if not descending:
        return as_int64(rows.argsort(-1, kind="stable"))
    if rows.dtype.kind in "iub":
        return as_int64((~rows).argsort(-1, kind="stable"))
    if rows.dtype.char in "fd" and _without_nan(rows):
        return as_int64((-rows).argsort(-1, kind="stable"))
    # Sorting the reversed row and reversing the result keeps equal elements in order.
    order = rows.shape[-1] - 1 - rows[..., ::-1].argsort(-1, kind="stable")[..., ::-1]
    return as_int64(order)


def _without_nan(rows):
    """Whether none of these is nan, which argmax would find."""
    if not rows.size:
        return True
    most = rows.item(rows.argmax())
    return most == most


def _order_by_integers(rows, descending):
    """_order for float32 without nan: the bits of a number above its place make one integer.

    NumPy sorts integers by vectors, at three times the pace of its stable sort.
    """
    bits = (rows + np.float32(0)).view(np.int32)                     # -0 equals 0
    keys = (bits ^ (bits >> 31 & np.int32(0x7FFFFFFF))).astype(np.int64)
    if descending:
        keys = ~keys
    keys <<= 32
    keys |= np.arange(rows.shape[-1])
    keys.sort(-1)
    keys &= 0xFFFFFFFF
    return keys


def _order_by_digits(rows, descending):
    """_order for integers that lie less than 2^32 apart, else None: by their lower 16 bits, then
    by the upper ones. Of 16 bits NumPy's stable sort counts digits and compares nothing."""
    low = rows.min()
    span = int(rows.max()) - int(low)
    if span >= 1 << 32:
        return None
    keys = (rows - low).view(f"u{rows.itemsize}")
    keys = ~keys if descending else keys
    order = keys.astype(np.uint16).argsort(-1, kind="stable")
    if span >= 1 << 16:
        upper = (keys >> 16).astype(np.uint16)
        order = _along_rows(order, _along_rows(upper, order).argsort(-1, kind="stable"))
    return as_int64(order)


def topk(self, k, dim=-1, largest=True, sorted=True):
    """The k largest (or smallest) values along dim in order, and their places."""
    _no_complex("topk", self)
    if self.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    dim = wrap_dim(dim, self.ndim)
    rows = _rows(self, dim)
    n = rows.shape[-1]
    if not 0 <= k <= n:
        raise RuntimeError("selected index k out of range")
    k = k if self.ndim else 1                # a number without dimensions is returned for 0, too
    if k == 1 and largest:
        places = as_int64(widened(rows).argmax(-1))[..., None]
    elif n <= 64 or 4 * k > n or rows.size <= FEW:
        places = np.ascontiguousarray(_order(rows, largest)[..., :k])
    else:
        part = _keys(rows).argpartition(n - k if largest else k, -1)
        part = as_int64(part[..., n - k :] if largest else part[..., :k])
        part.sort(-1)                        # equal elements keep their order
        order = _order(_along_rows(rows, part), largest)
        places = _along_rows(part, order)
    return _back(_along_rows(rows, places), dim, self.ndim), _back(places, dim, self.ndim)


def kthvalue(self, k, dim=-1, keepdim=False):
    """The k-th smallest value along dim and its place."""
    dim = nonempty_dim("kthvalue", self, dim)
    rows = _rows(self, dim)
    if not 1 <= k <= rows.shape[-1]:
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {dim}")
    _real_only("kthvalue_cpu", self)
    if self.dtype.kind == "b":
        raise not_implemented("kthvalue_cpu", self.dtype)
    places = _keys(rows).argpartition(k - 1, -1)[..., k - 1]
    return _picked(self, rows, places, dim, keepdim)


def median(self):
    """The lower median of all elements; nan if there is any."""
    _real_only("median_cpu", self)
    flat = self.reshape(-1)
    if self.size and self.dtype.kind == "b":
        raise not_implemented("median_cpu", self.dtype)
    if not flat.size:
        if self.dtype.kind in "biu":         # nan as an integer, as C casts it
            wide = self.dtype.itemsize >= 4
            return np.asarray(np.iinfo(self.dtype).min if wide else self.dtype.kind == "b",
                              self.dtype)
        return np.asarray(np.nan, self.dtype)
    if has_nan(flat):
        return np.asarray(np.nan, self.dtype)
    middle = (flat.size - 1) // 2
    return np.asarray(np.partition(_keys(flat), middle)[middle]).astype(self.dtype)


def median_dim(self, dim=-1, keepdim=False):
    """The lower median along dim and its place; the first nan where there is one."""
    dim = nonempty_dim("median", self, dim)
    _real_only("median_out", self)
    if self.dtype.kind == "b":
        raise not_implemented("median_out", self.dtype)
    rows = _rows(self, dim)
    middle = (rows.shape[-1] - 1) // 2
    places = _keys(rows).argpartition(middle, -1)[..., middle]
    if has_nan(rows):
        nans = np.isnan(rows)
        places = np.where(nans.any(-1), nans.argmax(-1), places)
    return _picked(self, rows, places, dim, keepdim)


def nanmedian(self):
    """The lower median of the elements that are not nan."""
    _real_only("median_cpu", self)
    flat = self.reshape(-1)
    return median(flat[~np.isnan(flat)] if is_inexact(self.dtype) else flat)


def nanmedian_dim(self, dim=-1, keepdim=False):
    """The lower median along dim of the elements that are not nan, and its place."""
    dim = nonempty_dim("median", self, dim)                   # PyTorch's words, too
    _real_only("median_out", self)
    if not is_inexact(self.dtype):
        return median_dim(self, dim, keepdim)
    rows = _rows(self, dim)
    count = np.count_nonzero(~np.isnan(rows), -1, keepdims=True)
    middle = np.maximum(count - 1, 0) // 2
    places = np.take_along_axis(_order(rows, False), middle, -1)[..., 0]
    return _picked(self, rows, places, dim, keepdim)


def has_nan(array):
    if array.dtype.char in "fd":
        return not _without_nan(array)
    return is_inexact(array.dtype) and bool(np.isnan(array).any())


def mode(self, dim=-1, keepdim=False):
    """The most frequent value along dim, the smallest of several, and its last place."""
    _real_only("mode_cpu", self)
    dim = nonempty_dim("mode", self, dim)
    rows = _rows(self, dim)
    order = _order(rows, False)
    values, at = _along_rows(rows, order), np.arange(rows.shape[-1])
    start = np.zeros(values.shape, np.int64)                 # where the run of equal values began
    np.multiply(values[..., 1:] != values[..., :-1], at[1:], out=start[..., 1:])
    last = (at - np.maximum.accumulate(start, -1)).argmax(-1)
    places = _along_rows(order, as_int64(last)[..., None])[..., 0]
    return _picked(self, rows, places, dim, keepdim)


# ---------------------------------------------------------------- extremes
def argmax(self, dim=None, keepdim=False):
    """The place of the largest element (the first of several; nan is largest)."""
    return _arg_extreme("argmax", np.ndarray.argmax, self, dim, keepdim)


def argmin(self, dim=None, keepdim=False):
    """The place of the smallest element (the first of several; nan is smallest)."""
    return _arg_extreme("argmin", np.ndarray.argmin, self, dim, keepdim)


def _arg_extreme(name, numpy_function, self, dim, keepdim):
    if self.dtype.kind in "bc":
        shown = "bool" if self.dtype.kind == "b" else "complex"
        raise RuntimeError(f"{name}(): does not support {shown} input")
    if dim is None:
        if not self.size:
            raise IndexError(
                f"{name}(): Expected reduction dim to be specified for input.numel() == 0."
            )
        places = as_int64(np.asarray(numpy_function(self)))
        return places.reshape((1,) * self.ndim) if keepdim else places
    dim = nonempty_dim(name, self, dim)
    if not self.ndim:
        return np.zeros((), np.int64)
    return as_int64(np.asarray(numpy_function(self, dim, None, keepdims=keepdim)))


def max_dim(self, dim, keepdim=False):
    """The largest value along dim and its first place."""
    return _extreme_dim("max", np.ndarray.argmax, self, dim, keepdim)


def min_dim(self, dim, keepdim=False):
    """The smallest value along dim and its first place."""
    return _extreme_dim("min", np.ndarray.argmin, self, dim, keepdim)


def _extreme_dim(name, numpy_function, self, dim, keepdim):
    if self.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")
    dim = nonempty_dim(name, self, dim)
    if not self.ndim:
        return self.copy(), np.zeros((), np.int64)
    places = as_int64(numpy_function(self, dim, None, keepdims=True))
    if self.flags.c_contiguous:
        values = self.take(places_along(self.shape, dim, places))
    else:
        values = np.take_along_axis(self, places, dim)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


def aminmax(self, dim=None, keepdim=False):
    """The smallest and the largest value, over everything or along dim."""
    if dim is None:
        if not self.size:
            raise RuntimeError(
                "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
                "identity."
            )
        axis = None
    else:
        axis = nonempty_dim("aminmax", self, dim) if self.ndim else None
    keepdim = keepdim and self.ndim > 0
    return (
        np.asarray(np.min(self, axis, keepdims=keepdim)),
        np.asarray(np.max(self, axis, keepdims=keepdim)),
    )


# ---------------------------------------------------------------- unique values
def unique(self, dim=None):
    """Sorted distinct values (or slices along dim), the place of each element in them, counts."""
    _real_only("unique", self)
    if dim is not None:
        dim = wrap_dim(dim, self.ndim)
        _check_slices(self, dim)
    found = _unique_by_counting(self.reshape(-1)) if dim is None else None
    values, inverse, counts = found or np.unique(
        self, return_inverse=True, return_counts=True, axis=dim, equal_nan=False
    )
    shape = self.shape if dim is None else (-1,)
    if dim is not None:                                    # slices follow one another in memory
        values = moved(np.ascontiguousarray(moved(values, dim, 0)), 0, dim)
    return values, as_int64(inverse).reshape(shape), as_int64(counts)


def _unique_by_counting(a):
    """unique() of integers whose range is no larger than their number; else None."""
    if a.dtype.kind not in "iu" or a.dtype == np.uint64 or not a.size:
        return None
    low = int(a.min())
    if int(a.max()) - low >= a.size:
        return None
    places = a.astype(np.int64) - low
    counts = np.bincount(places)
    present = counts > 0
    values = (np.flatnonzero(present) + low).astype(a.dtype)
    return values, (np.cumsum(present) - 1)[places], counts[present]


def _check_slices(a, dim):
    """Raise for slices along dim that have no elements."""
    empty = a.shape.count(0)
    if empty > 1 and not a.shape[dim]:
        raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be "
                           "applied ")
    if empty and a.shape[dim]:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique "
                           "cannot be applied")


def unique_consecutive(self, dim=None, with_inverse=True, with_counts=True):
    """The first of each run of equal values (slices along dim), each element's run, run lengths.

    What is not wanted of the last two has no elements.
    """
    _real_only("unique", self)
    if dim is not None:
        dim = wrap_dim(dim, self.ndim)
        _check_slices(self, dim)
    rows = self.reshape(-1) if dim is None else moved(self, dim, 0)
    starts = np.ones(len(rows) + 1, bool)                  # the end, too, is the start of a run
    changed = rows[1:] != rows[:-1]
    starts[1:-1] = changed if rows.ndim == 1 else changed.any(tuple(range(1, rows.ndim)))
    starts[0] = True
    at = np.flatnonzero(starts)
    inverse = counts = np.empty(0, np.int64)
    if with_inverse:
        inverse = np.cumsum(starts[:-1], dtype=np.int64)
        inverse -= 1
    if with_counts:
        counts = as_int64(at[1:] - at[:-1])
    values = rows.take(at[:-1], 0)
    if dim is None:
        return values, inverse.reshape(self.shape if with_inverse else 0), counts
    return moved(values, 0, dim), inverse, counts


# ---------------------------------------------------------------- searching
def searchsorted(sorted_sequence, values, right=False, side=None, sorter=None):
    """Where values would be inserted in sorted_sequence to keep it sorted (last dimension)."""
    right = _check_search(sorted_sequence, values, right, side, sorter)
    kinds = {values.dtype.kind, sorted_sequence.dtype.kind}
    if values.size and (kinds == {"b"} or "c" in kinds):
        raise not_implemented("searchsorted_out_cpu", np.result_type(values, sorted_sequence))
    if sorter is not None:
        if ((sorter < 0) | (sorter >= sorter.shape[-1])).any():
            raise RuntimeError("torch.searchsorted(): sorter index out of range")
        sorted_sequence = np.take_along_axis(sorted_sequence, sorter, -1)
    return _places_by_size(values, sorted_sequence, right)


def places_among(values, boundaries, right):
    """Where the values belong among the boundaries, one row or a row for each of theirs."""
    side = "right" if right else "left"
    if boundaries.ndim == 1:
        return np.asarray(np.searchsorted(boundaries, values, side), np.int64)
    if values.size and values.size // values.shape[-1] <= FEW_ROWS:
        rows = zip(boundaries.reshape(-1, boundaries.shape[-1]),
                   values.reshape(-1, values.shape[-1]), strict=True)
        places = [row.searchsorted(some, side) for row, some in rows]
        return np.array(places, np.int64).reshape(values.shape)
    return _bisect_rows(boundaries, values, right)


_places_by_size = fast.either("places_among", places_among)


def _bisect_rows(rows, values, right):
    low = np.zeros(values.shape, np.int64)
    high = np.full(values.shape, rows.shape[-1])
    for _ in range(rows.shape[-1].bit_length()):
        middle = (low + high) // 2
        at = np.take_along_axis(rows, np.minimum(middle, rows.shape[-1] - 1), -1)
        above = (at > values) if right else (at >= values)
        done = low >= high
        low = np.where(done | above, low, middle + 1)
        high = np.where(done | ~above, high, middle)
    return low


def _check_search(boundaries, values, right, side, sorter):
    if side not in (None, "left", "right"):
        raise RuntimeError(
            f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}"
        )
    if side == "left" and right:
        raise RuntimeError(
            "torch.searchsorted(): side and right can't be set to opposites, got side of left "
            "while right was True"
        )
    if boundaries.dtype.kind == "c":
        raise not_implemented("searchsorted_out_cpu", boundaries.dtype)
    if boundaries.ndim != 1 and values.ndim == 0:
        raise RuntimeError(
            "torch.searchsorted(): input value can be a scalar only when boundaries tensor "
            f"dimension is 1, but we got boundaries tensor dim({boundaries.ndim}) and input "
            f"value's dim({values.ndim}) numel({values.size})"
        )
    if boundaries.ndim == 0:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 "
            "dimension"
        )
    if boundaries.ndim != 1 and boundaries.shape[:-1] != values.shape[:-1]:
        raise RuntimeError(
            "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 "
            "dimensions of boundaries tensor and input value tensor must match, but we got "
            f"boundaries tensor {list(boundaries.shape)} and input value tensor "
            f"{list(values.shape)}"
        )
    if sorter is not None and sorter.dtype != np.int64:
        raise RuntimeError("torch.searchsorted(): sorter must be a tensor of long dtype but got "
                           f"dtype {_dtype.of(sorter).tensor_name}")
    if sorter is not None and sorter.shape != boundaries.shape:
        raise RuntimeError(
            "torch.searchsorted(): boundary and sorter must have the same size, but got boundary "
            f"tensor {list(boundaries.shape)}and got sorter tensor {list(sorter.shape)}"
        )
    return right or side == "right"


def bucketize(values, boundaries, right=False):
    """searchsorted in one row of boundaries."""
    if boundaries.ndim != 1:
        raise RuntimeError(
            f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})"
        )
    return searchsorted(boundaries, values, right)
