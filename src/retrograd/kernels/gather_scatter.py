"""Reads and writes of single elements: gather and scatter along one dimension, take and put.

An update kernel returns a changed copy of its first argument; with `out` it writes there, and
`out=self` makes it the in-place operator.
"""

import math
from functools import lru_cache

import numpy as np

from . import fast
from .checks import (
    INDEX_DTYPES,
    INT64,
    all_below,
    as_intp,
    check_broadcast,
    is_inexact,
    scalar_name,
    wrap_dim,
)
from .half import in_dtype, is_half, refuse, widened
from .indexing import REMEMBERED, add_at, add_rows, copied

# Elements of half precision for each that is added to from which on only those are converted
THIN = 8


# ---------------------------------------------------------------- gather and scatter
def gather(self, index, dim):
    """`out[i][j][k] = self[index[i][j][k]][j][k]` for dim 0, likewise for the others."""
    shape = self.shape
    if index.size == 0:
        wrap_dim(dim, self.ndim)
        return np.empty(index.shape, self.dtype)
    if index.dtype not in INDEX_DTYPES:
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    dim = _gather_dim(shape, index.shape, dim)
    rows = None if dim + 1 == index.ndim else _whole_rows(shape, dim, index)
    if rows is not None:
        return self.reshape(-1, *shape[dim + 1:]).take(rows, 0)
    return self.take(flat_places(shape, dim, index))


@lru_cache(maxsize=256)
def _gather_dim(shape, index_shape, dim):
    """dim counted from the front, if an index of this shape fits."""
    dim = wrap_dim(dim, len(shape))
    if max(len(index_shape), 1) != max(len(shape), 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as input tensor")
    larger = _first_larger(index_shape, shape, dim)
    if larger is not None:
        raise RuntimeError(
            f"Size does not match at dimension {larger} "
            f"expected index {list(index_shape)} to be no larger than self {list(shape)} "
            f"apart from dimension {dim}"
        )
    return dim


def scatter(self, index, src, dim, reduce=None, *, out=None):
    """`out[index[i][j]][j] = src[i][j]` (dim 0), or combined by reduce "add" or "multiply".

    src is an array or a Python number. Of repeated places the last one written stays.
    """
    dim = _check_scatter(self, dim, index, src)
    out = copied(self, out)
    if index.size == 0:
        return out
    values = _used(src, index.shape) if isinstance(src, np.ndarray) else src
    if reduce is None:
        _put_by_size(index, values, out, dim)
    elif reduce in ("add", "multiply"):
        values = np.broadcast_to(np.asarray(values, self.dtype), index.shape)
        add_at(np.add if reduce == "add" else np.multiply, out,
               flat_places(self.shape, dim, index), values)
    else:
        raise RuntimeError("reduce argument must be either add or multiply.")
    return out


def _used(src, shape):
    """The part of src that an index of this shape pairs with."""
    if src.shape == shape:
        return src
    if not src.ndim or not shape:                        # one element
        return src.reshape(-1)[:1].reshape(shape)
    return src[tuple(map(slice, shape))]


def scatter_value(self, index, dim, value, *, out=None):
    """scatter of one number."""
    return scatter(self, index, value, dim, out=out)


def scatter_combine(self, index, src, dim, reduce, *, out=None):
    """scatter with reduce "add" or "multiply"."""
    return scatter(self, index, src, dim, reduce, out=out)


def scatter_add(self, index, src, dim, *, out=None):
    """`out[index[i][j]][j] += src[i][j]` (dim 0)."""
    dim = _check_scatter(self, dim, index, src)
    out = copied(self, out)
    if index.size == 0:
        return out
    _add(index, _used(src, index.shape), out, dim)
    return out


def _add(index, src, out, dim):
    """scatter_add in place; src is as large as index."""
    if out.itemsize == 2 and is_half(out.dtype) and out.size <= THIN * index.size:
        total = widened(out)                         # half precision is summed in float32
        _add(index, widened(src), total, dim)
        out[...] = in_dtype(total, out.dtype)
        return
    rows = None if dim + 1 == index.ndim else _whole_rows(out.shape, dim, index)
    if rows is not None and out.flags.c_contiguous:
        width = out.shape[dim + 1:]
        add_rows(out.reshape(-1, *width), rows.reshape(-1), src.reshape(-1, *width))
    else:
        _add_by_size(index, src, out, dim)


def put_along(index, src, out, dim):
    """`out[index[i][j]][j] = src[i][j]` (dim 0), in place; src is as large as index, or a number.
    """
    _assign(out, flat_places(out.shape, dim, index), src)
    return out


def add_along(index, src, out, dim):
    """`out[index[i][j]][j] += src[i][j]` (dim 0), in place; src is as large as index."""
    add_at(np.add, out, flat_places(out.shape, dim, index), src)
    return out


def combine_along(index, src, out, dim, reduce, at=add_at):
    """`out[index[i][j]][j] = f(it, src[i][j])` (dim 0), in place, where f is the ufunc of
    `reduce`; src is as large as index."""
    at(_REDUCERS[reduce], out, flat_places(out.shape, dim, index), src)
    return out


_put_by_size = fast.either("put_along", put_along)
_add_by_size = fast.either("add_along", add_along)
_combine_by_size = fast.either("combine_along", combine_along)


def scatter_reduce(self, index, src, dim, reduce, include_self=True, *, out=None):
    """scatter with reduce sum, prod, mean, amax or amin; self's values count if include_self."""
    reduce = OTHER_NAMES.get(reduce, reduce)
    if reduce not in _REDUCERS:
        raise RuntimeError(
            "reduce argument must be either sum, prod, mean, amax or amin, got " + reduce
        )
    dim = _check_scatter(self, dim, index, src)
    out = copied(self, out)
    if index.size:
        reduce_along(out, index, _used(src, index.shape), dim, reduce, include_self)
    return out


OTHER_NAMES = {"max": "amax", "min": "amin"}

_REDUCERS = {
    "sum": np.add,
    "prod": np.multiply,
    "mean": np.add,
    "amax": np.maximum,
    "amin": np.minimum,
}


def reduce_along(out, index, values, dim, reduce, include_self, at=add_at):
    """Reduce `values` into the places of `out` that index names along dim, whose own elements may
    count, too."""
    if out.dtype.kind == "c" and reduce in ("amax", "amin"):
        refuse(f"scatter_gather_tensor_cpu_reduce_{reduce}", out.dtype)
    if out.dtype.kind == "b" and reduce == "mean":
        refuse("scatter_gather_tensor_cpu_reduce_mean", out.dtype)
    if not include_self:
        _put_by_size(index, _neutral(reduce, out.dtype), out, dim)
    if at is add_at and _REDUCERS[reduce] is np.add:
        _add(index, values, out, dim)
    else:
        _combine_by_size(index, values, out, dim, reduce, at)
    if reduce == "mean":
        count = np.maximum(_counts(out.shape, dim, index) + include_self, 1)
        if is_inexact(out.dtype):
            out /= count.astype(out.dtype)
        else:
            out //= count.astype(out.dtype)


def _counts(shape, dim, index):
    """How often an index along dim names each place; for whole rows, of each row."""
    rows = None if dim + 1 == index.ndim else _whole_rows(shape, dim, index)
    if rows is not None:
        index, shape = rows, (*shape[:dim + 1], *[1] * (len(shape) - dim - 1))
    else:
        index = flat_places(shape, dim, index)
    return np.bincount(as_intp(index.reshape(-1)), minlength=math.prod(shape)).reshape(shape)


def _neutral(reduce, dtype):
    if reduce in ("sum", "mean"):
        return 0
    if reduce == "prod":
        return 1
    if dtype == np.bool_:
        return reduce == "amin"
    if is_inexact(dtype):
        return -np.inf if reduce == "amax" else np.inf
    return np.iinfo(dtype).min if reduce == "amax" else np.iinfo(dtype).max


def _check_scatter(self, dim, index, src):
    array = isinstance(src, np.ndarray)
    if array and src.dtype is not self.dtype and src.dtype != self.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if index.size == 0:
        return wrap_dim(dim, self.ndim)
    if index.dtype is not INT64 and index.dtype not in INDEX_DTYPES:
        raise RuntimeError("scatter(): Expected dtype int32/int64 for index")
    return _scatter_dim(self.shape, dim, index.shape, src.shape if array else None)


@lru_cache(maxsize=256)
def _scatter_dim(shape, dim, index, src):
    """dim counted from the front, if an index and a source of these shapes (None: a number) fit."""
    dim, ndim = wrap_dim(dim, len(shape)), max(len(index), 1)
    if ndim != max(len(shape), 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as self tensor")
    too_large = _first_larger(index, shape, dim) is not None
    if src is None:
        if too_large:
            raise RuntimeError(
                f"Expected index {list(index)} to be no larger than self "
                f"{list(shape)} apart from dimension {dim}"
            )
        return dim
    if ndim > len(src) > 0 and _first_larger(index, src, None) is None:
        wrap_dim(len(src), len(src))                            # an IndexError
    if ndim != max(len(src), 1):
        raise RuntimeError("Index tensor must have the same number of dimensions as src tensor")
    if too_large or _first_larger(index, src, None) is not None:
        raise RuntimeError(
            f"Expected index {list(index)} to be no larger than self {list(shape)} "
            f"apart from dimension {dim} and to be no larger size than src {list(src)}"
        )
    return dim


def _first_larger(shape, limit, but):
    if shape != limit:
        for k, (i, n) in enumerate(zip(shape, limit, strict=False)):
            if i > n and k != but:
                return k
    return None


def _whole_rows(shape, dim, index):
    """For an index that is expanded over all dimensions after dim: the places of the slices that it
    names among those of the flattened (..., dim). None for any other index."""
    after = index.ndim - dim - 1
    if not after or index.shape[dim + 1:] != shape[dim + 1:] or any(index.strides[dim + 1:]):
        return None
    return flat_places(shape[:dim + 1], dim, index[(..., *(0,) * after)])


def flat_places(shape, dim, index):
    """Places in the flattened array, for indices along dim that may be smaller elsewhere."""
    size = shape[dim] if shape else 1
    if not all_below(index, size):
        check_bounds(index, dim, size, RuntimeError)
    return places_along(shape, dim, index) if shape else index


def places_along(shape, dim, index):
    """flat_places() of an index that is known to be in range."""
    if len(shape) == 1 and index.dtype is INT64:
        return index
    make = _starts_of_each if index.size <= REMEMBERED else _starts
    starts, step = make(shape, dim, index.shape)
    return starts + (index if step == 1 else index * step)


def _starts(shape, dim, index_shape):
    """(where index 0 along dim lies, for each place of an index that broadcast; dim's stride)."""
    starts, step, along = np.zeros((1,) * len(index_shape), np.int64), 1, 1
    for k in reversed(range(len(index_shape))):
        if k == dim:
            along = step
        else:
            places = np.arange(index_shape[k]) * step
            starts = starts + places.reshape((-1,) + (1,) * (len(index_shape) - 1 - k))
        step *= shape[k]
    return starts, along


@lru_cache(maxsize=64)
def _starts_of_each(shape, dim, index_shape):
    """_starts() in the full shape: NumPy adds a few numbers of one shape in half the time."""
    starts, along = _starts(shape, dim, index_shape)
    return np.ascontiguousarray(np.broadcast_to(starts, index_shape)), along


def check_bounds(index, dim, size, error):
    """Raise unless every index lies in [0, size)."""
    if not all_below(index, size):
        bad = index[(index < 0) | (index >= size)].flat[0]
        raise error(f"index {bad} is out of bounds for dimension {dim} with size {size}")


def _assign(out, flat, values):
    if out.flags.c_contiguous:
        out.reshape(-1)[flat] = values
    else:
        dense = np.ascontiguousarray(out)
        dense.reshape(-1)[flat] = values
        np.copyto(out, dense)


def take_along_dim(self, indices, dim=None):
    """gather after broadcasting self and indices; dim None works on the flattened array."""
    if indices.dtype not in INDEX_DTYPES:
        raise RuntimeError(
            f"torch.take_along_dim(): dtype of indices should be Long but got "
            f"{scalar_name(indices.dtype)}"
        )
    if dim is None:
        return gather(self.reshape(-1), indices.reshape(-1), 0)
    grown, places = along_dim_shapes(self.shape, indices.shape, dim)
    size = self.shape[dim]
    indices = indices % size if size else indices
    return gather(np.broadcast_to(self, grown), np.broadcast_to(indices, places), dim)


@lru_cache(maxsize=256)
def along_dim_shapes(shape, index_shape, dim):
    """The shapes of a tensor and of indices, broadcast against each other but for `dim`."""
    ndim = len(shape)
    if ndim != len(index_shape):
        raise RuntimeError(
            "torch.take_along_dim(): input and indices should have the same number of dimensions, "
            f"but got {ndim} dimensions for input, and {len(index_shape)} dimensions for indices"
        )
    dim = wrap_dim(dim, ndim)
    if not ndim:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    rest = [(*s[:dim], min(s[dim], 1), *s[dim + 1 :]) for s in (shape, index_shape)]
    check_broadcast(*rest)
    common = np.broadcast_shapes(*rest)
    return [(*common[:dim], s[dim], *common[dim + 1 :]) for s in (shape, index_shape)]


# ---------------------------------------------------------------- the flattened array
def take(self, index):
    """Elements of the flattened array; negative indices count back. Shape of index."""
    flat = _flattened_places("take", self, index)
    if self.size == 0 and index.size:
        raise IndexError("take(): tried to take from an empty tensor")
    return self.reshape(-1).take(flat)


def put(self, index, source, accumulate=False, *, out=None):
    """Write (or add) source's elements at places of the flattened array."""
    if self.dtype != source.dtype:
        raise RuntimeError(
            "put_(): self and source expected to have the same dtype, but got self.dtype = "
            f"{scalar_name(self.dtype)} and source.dtype = {scalar_name(source.dtype)}"
        )
    if index.size != source.size:
        raise IndexError(
            "put_(): Expected source and index to have the same number of elements, but got "
            f"source.numel() = {source.size}, index.numel() = {index.size}"
        )
    if not self.size and index.size:
        raise IndexError("put_(): Tried to put elements into an empty tensor")
    flat = _flattened_places("put_", self, index)
    out = copied(self, out, "K")
    if accumulate:
        add_at(np.add, out, flat, source)
    else:
        _assign(out, flat.reshape(-1), source.reshape(-1))
    return out


def _flattened_places(name, self, index):
    if index.dtype != INT64:
        raise RuntimeError(
            f"{name}(): Expected a long tensor for index, but got {scalar_name(index.dtype)}"
        )
    size = self.size
    if all_below(index, size):
        return index
    if size and not -size <= index.min() <= index.max() < size:
        bad = index[(index < -size) | (index >= size)].flat[0]
        raise IndexError(
            f"out of range: tried to access index {bad} on a tensor of {size} elements."
        )
    return np.where(index < 0, index + size, index)


# ---------------------------------------------------------------- shapes and numbers
def pad_end(a, shape):
    """a followed by zeros in every dimension, up to shape."""
    if a.shape == tuple(shape):
        return a
    if not shape:                         # one element, in however many dimensions
        return a.reshape(())
    out = np.zeros(shape, a.dtype)
    if a.size:
        a = a if a.ndim else a.reshape((1,) * out.ndim)
        out[tuple(map(slice, a.shape))] = a
    return out


def cut_start(a, shape):
    """The first shape elements of a."""
    return a[tuple(map(slice, shape))]


def distinct(index):
    """The different values of index."""
    return np.unique(index)


def as_numbers(mask, g):
    """The mask as zeros and ones in g's dtype."""
    return mask.astype(g.dtype)


def zeros_of(g, shape):
    """Zeros of another shape in g's dtype."""
    return np.zeros(shape, g.dtype)


def one_hot(index, num_classes=-1):
    """A new last dimension with a one at each index."""
    if index.dtype != INT64:
        raise RuntimeError(
            "one_hot is only applicable to index tensor of type LongTensor."
        )
    if index.size == 0 and num_classes <= 0:
        raise RuntimeError("Can not infer total number of classes from empty tensor.")
    if num_classes == -1:
        num_classes = int(index.max()) + 1
    if not all_below(index, num_classes):
        if index.min() < 0:
            raise RuntimeError("Class values must be non-negative.")
        raise RuntimeError("num_classes should be positive" if num_classes < 1 else
                           "Class values must be smaller than num_classes.")
    res = np.zeros((*index.shape, num_classes), np.int64)
    places = np.arange(0, res.size, num_classes)
    res.reshape(-1)[places + index.reshape(-1)] = 1
    return res


def gather_back(g, index, shape, dim):
    """The gradient of gather() as a sparse array, which lists g's elements as they come."""
    from .sparse import Coo

    dims = index.ndim if shape else 0
    places = np.indices(index.shape, np.int64).reshape(index.ndim, index.size)[:dims]
    if dims:
        places[dim] = index.reshape(-1)
    elif shape:
        places = index.reshape(1, 1)
    return Coo(places, g.reshape(-1), shape)
