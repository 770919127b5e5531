"""Reads and writes of whole slices along one dimension: index_select, index_add, index_copy ...

As in gather_scatter.py, an update kernel returns a changed copy of its first argument, or writes
to `out`.
"""

import numpy as np

from .checks import INDEX_DTYPES, INT64, all_below, complex_beside, scalar_name, wrap_dim
from .gather_scatter import check_bounds, reduce_along
from .half import is_half, refuse
from .indexing import add_at, add_rows, copied
from .layout import moved
from .shape import in_order


def index_select(self, index, dim):
    """The slices of self along dim that index names."""
    dim = wrap_dim(dim, self.ndim)
    if index.ndim > 1:
        raise IndexError("index_select(): Index is supposed to be a vector")
    if index.dtype not in INDEX_DTYPES:
        raise RuntimeError("index_select(): Expected dtype int32 or int64 for index")
    if self.ndim == 0:
        if index.size != 1:
            raise RuntimeError(
                "index_select(): Index to scalar can have only 1 value, "
                f"got {index.size} value(s)"
            )
        return self.copy()
    index = index.reshape(-1)
    if not all_below(index, self.shape[dim]):
        raise _select_error(self, index, dim)
    if not self.flags.c_contiguous:                   # of which take() would copy all first
        if index.size < self.shape[dim]:
            return np.ascontiguousarray(moved(moved(self, dim, 0)[index], 0, dim))
        self = in_order(self)
    return self.take(index, dim)


def _select_error(self, index, dim):
    """PyTorch words an index out of range differently for an empty tensor, and for columns."""
    size = self.shape[dim]
    if self.ndim == 1 or self.size and dim % self.ndim != 1:
        return IndexError("index out of range in self")
    if size == 0:
        return RuntimeError("index_select(): self indexing axis dim should be positive")
    bad = index[(index < 0) | (index >= size)][0]
    return RuntimeError(f"INDICES element is out of DATA bounds, id={bad} axis_dim={size}")


def index_add(self, index, source, dim, alpha=1, *, out=None):
    """Add alpha times the slices of source to those of self that index names."""
    dim = wrap_dim(dim, self.ndim)
    _check_slices("index_add_", self, dim, index, source)
    out = copied(self, out)
    if source.size == 0:
        return out
    size = self.shape[dim] if self.ndim else 1
    if not all_below(index, size):
        if self.ndim < 2 or 0 < dim < self.ndim - 1:          # PyTorch has two ways to do it
            raise IndexError("index out of range in self")
        check_bounds(index, dim, size, RuntimeError)
    if alpha.__class__ is complex:
        complex_beside(source.dtype)
    values = source if alpha == 1 else source * np.asarray(alpha).astype(source.dtype)
    add_rows(_rows(out, dim), index.reshape(-1), _rows(values, dim))
    return out


def _rows(a, dim):
    """`a` as a view with dim in front; a number as a vector."""
    if dim == 0:
        return a if a.ndim else a.reshape(1)
    return moved(a, dim, 0)


def slices_index(index, shape, dim):
    """index along dim, repeated over the other dimensions of shape."""
    index = index.reshape((-1,) + (1,) * (len(shape) - 1 - dim)) if shape else index.reshape(())
    return np.broadcast_to(index, shape)


def _check_slices(name, self, dim, index, source):
    """Whether index has a place for each slice of source; of index_add and index_reduce."""
    if index.ndim == 1 and index.dtype is INT64 and self.dtype is source.dtype and self.ndim \
            and self.shape == source.shape and index.size == self.shape[dim]:
        return
    if index.ndim > 1:
        raise IndexError(
            f"{name}(): Index is supposed to be a vector, but got dim: {index.ndim} "
            f"with type: {scalar_name(index.dtype)} and size: {list(index.shape)}"
        )
    if index.dtype not in INDEX_DTYPES:
        raise RuntimeError(f"{name}(): Expected dtype int32/int64 for index but got: "
                           + scalar_name(index.dtype))
    if self.dtype != source.dtype:
        raise RuntimeError(
            f"{name}(): self ({scalar_name(self.dtype)}) and source "
            f"({scalar_name(source.dtype)}) must have the same scalar type"
        )
    rows = source.shape[dim] if source.ndim else 1
    if index.size != rows:
        raise RuntimeError(
            f"{name}(): Number of indices ({index.size}) should be equal to "
            f"source.size(dim): ({rows}), for dim: {dim}"
        )
    if self.ndim != source.ndim or _but(self.shape, dim) != _but(source.shape, dim):
        raise RuntimeError(
            "source tensor shape must match self tensor shape, excluding the specified dimension. "
            f"Got self.shape = {list(self.shape)} source.shape = {list(source.shape)}"
        )


def _but(shape, dim):
    return shape[:dim] + shape[dim + 1 :]


def index_copy(self, index, source, dim, *, out=None):
    """Write the slices of source over those of self that index names."""
    dim = wrap_dim(dim, self.ndim)
    _check_index_copy(self, dim, index, source)
    out = copied(self, out)
    size = self.shape[dim] if self.ndim else 1
    if not all_below(index, size):
        bad = index[(index < 0) | (index >= size)].flat[0]
        raise IndexError(
            f"index_copy_(): index {bad} is out of bounds for dimension {dim} with size {size}"
        )
    if out.ndim == 0:
        out[...] = source.reshape(())
    else:
        out[(slice(None),) * dim + (index.reshape(-1),)] = source
    return out


def _check_index_copy(self, dim, index, source):
    if index.ndim > 1:
        raise IndexError(
            f"index_copy_(): Index should have dimension 1 or 0 (got {index.ndim})"
        )
    if source.ndim == 0 and index.size != 1:
        raise IndexError(
            "index_copy_(): When source is scalar, index should have one element "
            f"(got {index.size})"
        )
    if source.ndim and self.ndim and source.ndim != self.ndim:
        raise IndexError(
            "index_copy_(): When source and destination are not scalars, their dimensionality must "
            f"match. Source dimensionality ({source.ndim}), destination dimensionality "
            f"({self.ndim})"
        )
    if index.dtype != INT64:
        raise RuntimeError("index_copy_(): Expected a long tensor for index, but got "
                           + scalar_name(index.dtype))
    if self.dtype != source.dtype:
        raise RuntimeError(
            "index_copy_(): self and source expected to have the same dtype, but got (self) "
            f"{scalar_name(self.dtype)} and (source) {scalar_name(source.dtype)}"
        )
    mine, theirs = _but(self.shape, dim), _but(source.shape, dim)
    if mine != theirs:
        raise RuntimeError(
            "index_copy_(): Source/destination tensor must have same slice shapes. Destination "
            f"slice shape: {' '.join(map(str, mine))} at dimension {dim} and source slice shape: "
            f"{' '.join(map(str, theirs))} at dimension 0."
        )
    if source.ndim and index.size != source.shape[dim]:
        raise IndexError(
            f"index_copy_(): Number of indices ({index.size}) should be equal to source.size(dim) "
            f"({source.shape[dim]})"
        )


def index_fill(self, index, dim, value, *, out=None):
    """Fill the slices of self that index names with one value; negative indices count back."""
    dim = wrap_dim(dim, self.ndim)
    if index.dtype not in INDEX_DTYPES:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    if index.ndim > 1:
        raise RuntimeError("Index has to be a vector/scalar")
    if isinstance(value, np.ndarray) and value.ndim:
        raise RuntimeError(
            "index_fill_ only supports a 0-dimensional value tensor, but got tensor with "
            f"{value.ndim} dimension(s)."
        )
    size = self.shape[dim] if self.ndim else 1
    index = index.reshape(-1)
    out = copied(self, out, "K")
    if not out.size:
        return out
    if not all_below(index, size):
        check_bounds(np.where(index < 0, index + size, index), dim, size, IndexError)
    value = np.asarray(value).astype(out.dtype)
    if out.ndim:
        out[(slice(None),) * dim + (index,)] = value
    elif index.size:
        out[...] = value
    return out


def index_fill_tensor(self, index, value, dim, *, out=None):
    """index_fill with a 0-d array."""
    return index_fill(self, index, dim, value, out=out)


def index_reduce(self, index, source, dim, reduce, include_self=True, *, out=None):
    """Like index_add, with reduce prod, mean, amax or amin."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(
            "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got "
            f"{reduce}."
        )
    dim = wrap_dim(dim, self.ndim)
    size = self.shape[dim] if self.ndim else 1
    if self.ndim < 2 and self.dtype.kind in "bc":
        refuse("index_func_", self.dtype)
    _check_slices("index_reduce_", self, dim, index, source)
    if not all_below(index, size):
        raise IndexError("index out of range in self")
    out = copied(self, out)
    if source.size:
        at = _rounding_each if is_half(out.dtype) else add_at
        reduce_along(out, slices_index(index, source.shape, dim), source, dim, reduce,
                     include_self, at)
    return out


def _rounding_each(ufunc, out, flat, values):
    """add_at as PyTorch's index_reduce does it: half precision is rounded after each step."""
    dense = np.ascontiguousarray(out)
    ufunc.at(dense.reshape(-1), flat.reshape(-1), values.reshape(-1))
    if dense is not out:
        np.copyto(out, dense)
