"""Indexing: a Python index taken apart, and reads and writes through index arrays."""

import math
import operator
from functools import lru_cache

import numpy as np

from .._dtype import full_name
from .._warnings import warn
from . import fast
from .checks import INDEX_DTYPES, INT64, all_below, scalar_name
from .half import in_dtype, is_half, widened
from .layout import arranged
from .masks import by_places, masked_fill, places, refused_mask

BOOL = np.dtype(np.bool_)
PLAIN = frozenset({int, slice, type(None), type(Ellipsis)})     # items that ask for views
NO_INDICES = "tensors used as indices must be long, int, byte or bool tensors"

BYTE_MASK = (
    "indexing with dtype torch.uint8 is now deprecated, please use a dtype torch.bool instead."
)


# ---------------------------------------------------------------- from x[...] to steps
def plan(index, shape):
    """Split a Python index into view steps and the index arrays that remain.

    Returns `(steps, indices)`. A step is `("select", dim, i)`,
    `("slice", dim, start, stop, step)`, `("whole", dim, start, stop, step)`, a slice that an
    assignment passes over, `("unsqueeze", dim)` or `("alias",)`, to be applied in order.
    `indices` is None for a basic index; otherwise it lists, for the leading dimensions of the
    stepped view, an index array or None, as `index` takes them.
    """
    if index.__class__ is int and shape and -shape[0] <= index < shape[0]:
        return [("select", 0, index % shape[0])], None
    if isinstance(index, slice):
        if not shape:
            raise IndexError("slice() cannot be applied to a 0-dim tensor.")
        bounds = slice_bounds(index, shape[0])
        return [("whole" if _is_whole(index, bounds, shape[0]) else "slice", 0, *bounds)], None
    items = index if isinstance(index, tuple) else _as_items(index)
    if not PLAIN.issuperset(map(type, items)):
        try:
            items = [_as_item(item) for item in items]
        except Exception:
            if sum(map(_dims_taken, items)) > len(shape):      # PyTorch's first complaint
                raise too_many(shape) from None
            raise
    if not shape and index.__class__ is not tuple and type(items[0]) is int:
        if isinstance(index, (np.ndarray, list)):
            raise too_many(shape)
        if items[0]:
            raise out_of_bounds(items[0], 0, 0)
        raise IndexError(
            "invalid index of a 0-dim tensor. Use `tensor.item()` in Python or "
            "`tensor.item<T>()` in C++ to convert a 0-dim tensor to a number"
        )
    return walk(items, shape)


def walk(items, shape):
    """plan() of a tuple of items that are plain, arrays, or bools."""
    taken = 0
    for item in items:
        taken += 1 if item.__class__ is int or item.__class__ is slice else _dims_taken(item)
    if taken > len(shape):
        raise too_many(shape)
    steps, indices = [], []
    dim = source_dim = 0  # position in the stepped view, and in the indexed array
    indexed = 0           # dimensions of the stepped view that `indices` speaks of
    try:
        for item in items:
            if item.__class__ is int:
                size = shape[source_dim]
                if not -size <= item < size:
                    raise IndexError
                steps.append(("select", dim, item % size))
                source_dim += 1
            elif item.__class__ is slice:
                if not (item.start is None and item.stop is None and item.step is None):
                    size = shape[source_dim]
                    bounds = slice_bounds(item, size)
                    if not _is_whole(item, bounds, size):
                        steps.append(("slice", dim, *bounds))
                dim += 1
                source_dim += 1
            elif item is None or isinstance(item, bool):
                if source_dim > len(shape):              # behind a second Ellipsis
                    raise IndexError
                steps.append(("unsqueeze", dim))
                if item is not None:
                    indices += [None] * (dim - indexed) + [np.zeros(int(item), np.int64)]
                    indexed = dim + 1
                dim += 1
            elif item is Ellipsis:
                dim += len(shape) - taken
                source_dim += len(shape) - taken
            else:
                indices += [None] * (dim - indexed) + [item]
                n = _dims_taken(item)               # a mask takes as many as it has dimensions
                indexed = dim = dim + n
                source_dim += n
    except IndexError:
        raise _outside(items, shape) from None
    return steps or ([] if indices else [("alias",)]), indices or None


def too_many(shape):
    """The IndexError for more indices than dimensions."""
    return IndexError(f"too many indices for tensor of dimension {len(shape)}")


def _outside(items, shape):
    """The error for the first item of a dimension that is not there: for a number, it names it.

    Each Ellipsis passes over all dimensions that are left, so none are left after a second one.
    """
    dim, left = 0, len(shape) - sum(map(_dims_taken, items))
    there = len(shape)                                   # the dimensions of the stepped view
    for place, item in enumerate(items):
        size = shape[dim] if dim < len(shape) else 0
        if item.__class__ is int and not -size <= item < size:
            return out_of_bounds(item, place, size)
        if item.__class__ is slice and dim >= len(shape):
            return IndexError("Dimension out of range (expected to be in range of "
                              f"[{-len(shape)}, {len(shape) - 1}], but got {dim})")
        if item is None or isinstance(item, bool):
            if dim > len(shape):
                return IndexError("Dimension out of range (expected to be in range of "
                                  f"[{-there - 1}, {there}], but got {there + dim - len(shape)})")
            there += 1
        there -= item.__class__ is int
        dim += left if item is Ellipsis else _dims_taken(item)
    return too_many(shape)


def out_of_bounds(index, dim, size):
    """The IndexError for a number that a dimension does not have."""
    return IndexError(f"index {index} is out of bounds for dimension {dim} with size {size}")


def _is_whole(item, bounds, size):
    """Whether a slice is written as the whole dimension; x[-5:] of four numbers is not."""
    return bounds == (0, size, 1) and (item.start is None or operator.index(item.start) == 0)


def slice_bounds(item, size):
    """Where a slice begins and ends in a dimension of this size, and its step."""
    start, stop, step = item.indices(size)
    if step < 0:
        raise ValueError("step must be greater than zero")
    return start, stop if stop > start else start, step


def _dims_taken(item):
    if item is None or item is Ellipsis or isinstance(item, bool):
        return 0
    return item.ndim if isinstance(item, np.ndarray) and item.dtype.char in "?B" else 1


_INDEX_LIKE = (slice, list, tuple, range, str, bytes, np.ndarray)


def _as_items(index):
    """A list that holds sequences, slices or arrays is read as a tuple of indices."""
    if isinstance(index, list) and len(index) < 32:
        for item in index:
            if item is None or item is Ellipsis or isinstance(item, _INDEX_LIKE):
                return _as_tuple_with_warning(index)
    if isinstance(index, str):
        return _as_tuple_with_warning(index)
    return (index,)


def _as_tuple_with_warning(index):
    warn(
        "Using a non-tuple sequence for multidimensional indexing is deprecated and will be "
        "changed in pytorch 2.9; use x[tuple(seq)] instead of x[seq]. In pytorch 2.9 this will be "
        "interpreted as tensor index, x[torch.tensor(seq)], which will result either in an error "
        "or a different result"
    )
    return tuple(index)


def _as_item(item):
    if item is None or item is Ellipsis or isinstance(item, (bool, int, slice)):
        return item
    if isinstance(item, np.ndarray):
        return _as_array_item(item)
    if isinstance(item, (list, tuple, range)):
        return _sequence_item(item)
    if isinstance(item, (str, bytes)):             # sequences, to PyTorch
        raise TypeError(f"new(): invalid data type '{type(item).__name__}'")
    try:
        if not isinstance(item, np.bool):        # before NumPy 2.3 it counts as an index
            return operator.index(item)
        raise TypeError
    except TypeError:
        raise IndexError(
            "only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are "
            f"valid indices (got {'numpy.' * isinstance(item, np.generic)}{full_name(type(item))})"
        ) from None


def _as_array_item(item):
    if item.ndim == 0:
        if item.dtype in (bool, np.uint8):
            return bool(item)
        if item.dtype.kind in "iu":
            return int(item)
    return item


def _sequence_item(item):
    array = np.asarray(item)
    if array.dtype.kind == "O" and item[0].__class__ not in (int, bool, list, tuple):
        raise RuntimeError(f"Could not infer dtype of {type(item[0]).__name__}")
    if array.dtype.kind == "U":
        raise TypeError("new(): invalid data type 'str'")
    if array.size == 0 and array.dtype == np.float64:
        return array.astype(np.int64)
    return array.astype(np.int64) if array.dtype.kind == "i" else array


# ---------------------------------------------------------------- reading and writing
def index(self, indices):
    """`self[indices]` for a list of index arrays, None keeping a dimension whole."""
    if len(indices) == 1:
        rows = _rows(indices)
        if rows is not None and self.ndim:
            try:
                return taken(self, rows, 0)
            except IndexError:
                raise _explained(self, indices) from None
        mask = _leading_mask(self, indices)
        if mask is not None:
            rows, key = by_places(self, mask)
            return rows[mask] if key is mask else rows.take(key, 0)
    key = _key(self, indices)
    try:
        if sum([k is _ALL for k in key]) == len(key) - 1:
            return taken(self, key[-1], len(key) - 1)
        return np.asarray(self[key], order="C")
    except IndexError:
        raise _explained(self, key) from None


COPIED = 1 << 12     # elements of an array that is not contiguous from which a copy shows


def taken(self, places, dim):
    """`self.take(places, dim)`, which first copies all of anything that is not contiguous."""
    if not self.flags.c_contiguous and (self.ndim == 1 if self.size <= COPIED else
                                        not dim or 4 * places.size <= self.shape[dim]):
        return np.asarray(self[(_ALL,) * dim + (places,)], order="C")
    return self.take(places, dim)


def index_put(self, indices, values, accumulate=False, *, out=None):
    """A copy of self with `self[indices] = values`, or `+= values` counting repeated indices.

    NumPy writes repeated indices in order, so that the last value wins.
    """
    out = copied(self, out, "K")
    if values.dtype != self.dtype:
        raise dtypes_differ(self, indices, values)
    rows = _rows(indices)
    if rows is not None and _put_rows(out, rows, values, accumulate):
        return out
    mask = _leading_mask(self, indices)
    if mask is not None and values.size == 1 and not accumulate:
        where = mask.reshape(mask.shape + (1,) * (self.ndim - mask.ndim))
        return masked_fill(out, where, values.reshape(()), out=out)
    if mask is not None and _put_masked(out, mask, values, accumulate):
        return out
    if values.size == 1 and not accumulate:
        _refuse_bytes(self, indices)
    key = _key(self, indices)
    try:
        if accumulate:
            _accumulate(out, key, values)
        else:
            out[key] = _broadcast_value(values, key, out) if values.ndim else values
    except IndexError:
        raise _explained(self, key) from None
    return out


def _refuse_bytes(self, indices):
    """One number at a mask is masked_fill(), which takes bools alone."""
    at, first = next((k, array) for k, array in enumerate(indices) if array is not None)
    if first.dtype.char == "B" and not any(array is not None for array in indices[at + 1:]):
        _check_mask(first, self.shape, at)
        raise refused_mask(first.dtype)


def _rows(indices):
    """The index array of `x[rows]`, if it is one of int64."""
    rows = indices[0] if len(indices) == 1 else None
    return rows if rows is not None and rows.dtype is INT64 else None


FEW = 256            # elements that ufunc.at adds quickly in any number of dimensions


def _put_rows(out, rows, values, accumulate):
    """`out[rows] = values` for what broadcasts, `+=` for one number, or rows that fit; False:
    it is none of these."""
    shape = rows.shape + out.shape[1:]
    if not out.ndim or values.ndim and values.shape != shape and (
            accumulate or values.ndim > len(shape)):
        return False
    try:
        many = fast.limit("add_rows") if out.ndim == 1 else FEW
        if accumulate and values.shape and (values.size >= many or is_half(out.dtype)):
            add_rows(out, _from_front(out.shape, rows), values.reshape(rows.size, *out.shape[1:]))
        elif accumulate:
            np.add.at(out, rows, values)
        else:
            out[rows] = values
    except IndexError:
        raise _explained(out, (rows,)) from None
    except ValueError:
        return False
    return True


def _put_masked(out, mask, values, accumulate):
    """`out[mask] = values`, or `+=`; False: they do not fit."""
    if is_half(out.dtype) or values.ndim > out.ndim - mask.ndim + 1:
        return False
    rows, key = by_places(out, mask)
    try:
        if accumulate:
            rows[key] += values
        else:
            rows[key] = values
    except ValueError:
        return False
    return True


_ALL = slice(None)


def copied(self, out, order="C"):
    """The array an update kernel writes to: a fresh copy of self, or out holding self's values."""
    if out is None:
        res = np.array(self, order="C")
        return res if order == "C" else arranged(res, self)
    if out is not self:
        np.copyto(out, self)
    return out


def dtypes_differ(self, indices, values):
    """The error for values of another dtype; a shape that does not fit is reported first."""
    key = _key(self, indices)
    if _picks_of_none(self.shape, key):
        return _explained(self, key)
    try:
        _broadcast_value(values, key, self)
    except IndexError:
        return _explained(self, key)
    return RuntimeError(
        "Index put requires the source and destination dtypes match, got "
        f"{scalar_name(self.dtype)} for the destination and {scalar_name(values.dtype)} for the "
        "source."
    )


def _leading_mask(self, indices):
    """The mask of `self[mask]`, which NumPy reads and writes faster than index arrays."""
    first = indices[0]
    if len(indices) == 1 and first is not None and first.dtype.char == "?":
        _check_mask(first, self.shape, 0)
        return first
    return None


def _key(self, indices):
    """The NumPy index for a list of index arrays; masks become the places of their ones."""
    key = []
    for array in indices:
        if array is None:
            key.append(_ALL)
        elif array.dtype.char in "?B":
            if array.dtype.char == "B":
                warn(BYTE_MASK)
            _check_mask(array, self.shape, len(key))
            key.extend(places(array) if array.ndim else ())
        elif array.dtype in INDEX_DTYPES:
            key.append(array)
        else:
            raise IndexError(NO_INDICES)
    taken = max(len(key), len(indices))
    if taken > self.ndim:
        raise IndexError(f"too many indices for tensor of dimension {self.ndim} (got {taken})")
    if not key:
        raise IndexError("masks without dimensions, and nothing else, index no element")
    return tuple(key)


def _check_mask(mask, shape, at):
    for k, size in enumerate(mask.shape):
        if at + k >= len(shape) or size != shape[at + k]:
            raise IndexError(
                f"The shape of the mask {list(mask.shape)} at index {k} "
                f"does not match the shape of the indexed tensor {list(shape)} at index {at + k}"
            )


def _result_shape(shape, key):
    """Shape of `x[key]`: separated index arrays move their dimensions to the front."""
    at = [a for a, k in enumerate(key) if k is not _ALL]
    picked = key[at[0]].shape
    if any(key[a].shape != picked for a in at):
        picked = np.broadcast_shapes(*(key[a].shape for a in at))
    rest = [n for a, n in enumerate(shape) if a not in at]
    front = at[0] if at[-1] - at[0] == len(at) - 1 else 0
    return (*rest[:front], *picked, *rest[front:])


def _broadcast_value(values, key, out):
    try:
        shape = _result_shape(out.shape, key)
    except ValueError:
        raise IndexError from None
    if values.shape == shape:
        return values
    try:
        return np.broadcast_to(values, shape)
    except ValueError:
        if _picks_of_none(out.shape, key):
            raise IndexError from None
        raise RuntimeError(
            f"shape mismatch: value tensor of shape {list(values.shape)} cannot be broadcast to "
            f"indexing result of shape {list(shape)}"
        ) from None


def _accumulate(out, key, values):
    if values.size <= FEW and values.ndim and not is_half(out.dtype):
        try:
            np.add.at(out, key, values)
            return
        except ValueError:
            pass                         # it does not fit, which _broadcast_value() words
    values = _broadcast_value(values, key, out)
    if len(key) == 1 and key[0] is not _ALL:
        index = _from_front(out.shape, key[0])
        add_rows(out, index, values.reshape(index.size, *out.shape[1:]))
    else:
        _check_bounds(out.shape, key)
        add_at(np.add, out, _flat_places(out.shape, key), values)


def _from_front(shape, rows):
    """Numbers of rows as a vector, all counted from the first; IndexError for one out of range."""
    if not all_below(rows, shape[0]):
        _check_bounds(shape, (rows,))
        rows = np.where(rows < 0, rows + shape[0], rows)
    return rows.reshape(-1)


def _flat_places(shape, key):
    """Where each element of `x[key]` lies in the flattened x."""
    if any(k is _ALL for k in key):
        return np.arange(math.prod(shape)).reshape(shape)[key]
    rows = np.ravel_multi_index(np.broadcast_arrays(*key), shape[: len(key)], mode="wrap")
    width = math.prod(shape[len(key) :])
    return rows[..., None] * width + np.arange(width)


WIDE = 256           # from so many elements of a row on, a call for each costs less than add_at


def add_rows(out, index, rows):
    """`out[index] += rows`, repeated indices included: (V, ...), (K,), (K, ...) -> (V, ...).

    The indices lie in [0, V).
    """
    if is_half(out.dtype):
        own, places = np.unique(index, return_inverse=True)
        out[own] = in_dtype(add_rows(widened(out[own]), places, widened(rows)), out.dtype)
        return out
    if rows.size >= fast.limit("add_rows") and fast.has("add_rows") \
            and fast.twin("add_rows")(out, index, rows) is not None:
        return out
    if out.ndim == 1 or rows.size <= FEW:
        np.add.at(out, index, rows)
        return out
    width = math.prod(out.shape[1:])
    if width >= WIDE:
        for k, row in zip(index.tolist(), rows, strict=True):
            out[k] += row
    else:
        make = _columns if rows.size <= REMEMBERED else _columns.__wrapped__
        add_at(np.add, out, (index * width).repeat(width) + make(len(index), width), rows)
    return out


REMEMBERED = 1 << 12         # the most elements of what is kept for the next call of one shape


@lru_cache(maxsize=64)
def _columns(count, width):
    """The column of each element of so many rows."""
    return np.tile(np.arange(width), count)


def add_at(ufunc, out, flat, values):
    """`out.flat[flat] = ufunc(out.flat[flat], values)`, repeated places included.

    The `at` method is fast on one dimension only. Half precision is summed in float32.
    """
    if out.ndim == flat.ndim == 1 and flat.size <= FEW and flat.shape == values.shape \
            and out.dtype.char in "fd":
        ufunc.at(out, flat, values)
        return
    dense = out if out.flags.c_contiguous else np.ascontiguousarray(out)
    target, places, values = dense.ravel(), flat.ravel(), values.ravel()
    compiled = ufunc is np.add and places.size >= fast.limit("add_at") and fast.has("add_at")
    if ufunc is np.add and out.dtype.kind == values.dtype.kind == "b":       # any of them
        target[places.take(np.flatnonzero(values))] = True
    elif is_half(out.dtype) and ufunc in (np.add, np.multiply):
        own, places = np.unique(places, return_inverse=True)
        total = widened(target[own])
        add_at(ufunc, total, places, widened(values))
        target[own] = in_dtype(total, out.dtype)
    elif not compiled or fast.twin("add_at")(target, places, values) is None:
        ufunc.at(target, places, values)
    if dense is not out:
        np.copyto(out, dense)


def _check_bounds(shape, key):
    for array, size in zip(key, shape, strict=False):
        if array is not _ALL and array.size and not -size <= array.min() <= array.max() < size:
            raise IndexError


def _picks_of_none(shape, key):
    """Whether an index names places in an empty dimension, which PyTorch checks first."""
    picks = [(k.size, n) for k, n in zip(key, shape, strict=False) if k is not _ALL]
    return all(size for size, _ in picks) and not all(n for _, n in picks)


def _explained(self, key):
    """PyTorch's error for an index NumPy refused."""
    shapes = [k.shape for k in key if k is not _ALL]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(str(list(s)) for s in shapes)
        return IndexError(
            "shape mismatch: indexing tensors could not be broadcast together with shapes "
            + listed
        )
    if _picks_of_none(self.shape, key):
        return IndexError("index is out of bounds for dimension with size 0")
    indexed = [(k, n) for k, n in zip(key, self.shape, strict=False) if k is not _ALL]
    for dim, (array, size) in enumerate(indexed):
        bad = array[(array < -size) | (array >= size)]
        if bad.size:
            return out_of_bounds(bad.flat[0], dim, size)
    raise AssertionError("NumPy refused an index that looks valid")


# ---------------------------------------------------------------- for operators
# Their indices come with the versions of the tensors they were taken from: `indices.arrays`.

def read_at(a, indices):
    return index(a, indices.arrays)


def write_at(a, values, indices, accumulate, *, out=None):
    return index_put(a, indices.arrays, values, accumulate, out=out)


def scatter_at(g, shape, indices):
    """Zeros of `shape` with `g` added at the indices."""
    return index_put(np.zeros(shape, g.dtype), indices.arrays, g, True)


def clear_at(a, indices):
    """`a` with zeros at the indices, a mask of bytes among them."""
    arrays = [i if i is None or i.dtype.char != "B" else i != 0 for i in indices.arrays]
    return index_put(a, arrays, np.zeros((), a.dtype))
