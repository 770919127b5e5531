"""x[...] and x[...] = v.

Basic indices (numbers, slices, None, ...) are steps of views, one after the other, and writing to a
view writes to x. Index tensors read copies and write to places: `read_at`, whose gradient is added
to zeros at the same places, and `write_at`, after which x gets no gradient at the places written.
"""

from __future__ import annotations

from operator import index as as_number

import numpy as np

from .. import kernels
from .._callers import caller, note_write
from .._meta import META_ITEM, NO_DATA, as_zeros
from .._state import features, state
from .._tensor import BATCHED, ON_META, WRAPPER, Tensor, wrap
from ..autograd.node import history, next_seq, stale
from ..autograd.views import view_of, written_through
from ..autograd.windows import Window
from ..kernels import shape as K
from ..kernels.checks import INT64
from ..kernels.indexing import BOOL, PLAIN, dtypes_differ, index_put, plan, slice_bounds, walk
from ..kernels.masks import filled as fill_masked
from . import in_place, overlap, support
from .arguments import c_name
from .declare import REGISTRY, op
from .declare import F as T
from .public import method
from .shape import expand
from .views import matrices

WHOLE, AT_THE_END = slice(None), (Ellipsis, None)


class Indices:
    """The index tensors of one indexing, None for dimensions kept whole.

    `arrays` reads them, and raises if one was changed in place since.
    """

    __slots__ = ("tensors", "versions")

    def __init__(self, tensors):
        self.tensors = tensors
        self.versions = [0 if t is None else t._cell[0] for t in tensors]

    @property
    def arrays(self):
        found = []
        for t, version in zip(self.tensors, self.versions, strict=True):
            if t is not None and (t._cell[0] != version or t._flags > 1):
                _check_index(t, version)
            found.append(t if t is None else t._data)
        return found


def _check_index(t, version):
    """Raise if an index tensor was changed in place since, or has no values."""
    if t._cell[0] != version:
        stale(None, "indices", t, version)
    if t._flags & BATCHED:                        # mapped_index.py sees to it
        raise NotImplementedError("vmap: this index differs from slice to slice")
    if t._flags & ON_META:
        raise NotImplementedError(NO_DATA)


def _rows(*numbers):
    return Indices([wrap(np.array(numbers))])


op("read_at(self | indices*)", "IndexBackward0", public=False,
    samples=lambda: [(a, _rows(1, 0, 1)) for a in matrices()],
    self = lambda F, g, self_shape, indices: F.scatter_at(g, self_shape, indices),
    jvp  = "linear")

op("scatter_at(grad_output | shape, indices*)", "IndexPutBackward0", public=False,
    samples=lambda: [(a, (4, 3), _rows(1, 1)) for a in matrices()],
    grad_output = lambda F, g, indices: F.read_at(g, indices),
    jvp = "linear")

op("write_at(self, values | indices*, accumulate)", "IndexPutBackward0", inplace=True, public=False,
    samples=lambda: [(a, a[:1] * 2, _rows(1), acc) for a in matrices() for acc in (False, True)],
    self   = lambda F, g, indices, accumulate: g if accumulate else F.clear_at(g, indices),
    values = lambda F, g, values_shape, indices: F.sum_to(F.read_at(g, indices), values_shape),
    jvp    = lambda F, self, values, self_t, values_t, indices, accumulate: F.write_at(
                 F.zeros_like(self) if self_t is None else self_t,
                 F.zeros_like(values) if values_t is None else values_t, indices, accumulate))

op("clear_at(self | indices*)", "IndexPutBackward0", public=False,
    samples=lambda: [(a, _rows(1)) for a in matrices()],
    self = lambda F, g, indices: F.clear_at(g, indices),
    jvp  = "linear")


def _as_arrays(index):
    """The index with its Tensors replaced by their arrays, and the Tensors by their arrays' ids."""
    owners, kind = {}, index.__class__
    if kind in PLAIN or kind is tuple and PLAIN.issuperset(map(type, index)):
        return index, owners
    return _convert(index, owners), owners


def _convert(item, owners):
    # No closure of _as_arrays: one that calls itself is a cycle, and would keep the Tensors alive.
    if isinstance(item, Tensor):
        array = item._data
        if item._flags & ON_META:
            if array.dtype.kind == "b" or array.dtype == np.uint8:
                raise NotImplementedError(NO_DATA)
            if not array.ndim:
                raise RuntimeError(META_ITEM)
            array = as_zeros(array)
        elif item._flags & WRAPPER:
            array = array.stand_in()
        owners[id(array)] = item
        return array
    if isinstance(item, (tuple, list)):
        return type(item)([_convert(i, owners) for i in item])
    return item


def _steps(t, steps, assigned=False):
    """Apply the view steps of a basic index; one that selects all gives no view if `assigned`."""
    for step in steps:
        name = step[0]
        if name == "select":
            t = T.select(t, step[1], step[2])
        elif name == "slice":
            t = T.slice_dim(t, *step[1:])
        elif name == "unsqueeze":
            t = T.unsqueeze(t, step[1])
        elif not assigned:
            t = T.alias(t) if name == "alias" else T.slice_dim(t, *step[1:])
    return t


def _numbers_rows(index):
    """Whether this item of an x[index] is a common index tensor: one of row numbers."""
    return (index.__class__ is Tensor and index._flags <= 1 and index._data.dtype is INT64
            and index._data.ndim)


def _alone(index, shape):
    """The tensors of an x[index] that needs no view before: numbers of rows, of columns ..., or a
    mask. None of another index."""
    if index.__class__ is tuple:
        return index if 0 < len(index) <= len(shape) and all(map(_numbers_rows, index)) else None
    if not shape or index.__class__ is not Tensor:
        return None
    array = index._data
    fits = index._flags <= 1 and (array.dtype is INT64 and array.ndim
                                  or array.dtype is BOOL and 0 < array.ndim <= len(shape))
    return (index,) if fits else None


def _indices(indices, owners):
    return Indices([None if i is None else owners[id(i)] if id(i) in owners else wrap(i)
                    for i in indices])


def _items(index):
    """The items of a tuple of what is plain and the common index tensors: numbers of rows, masks,
    and one number, which becomes a Python number. None if there are others."""
    items = []
    for item in index:
        if item.__class__ is Tensor:
            array = item._data
            if item._flags > 1 or not (array.dtype is INT64 or array.dtype is BOOL and array.ndim):
                return None
            items.append(item if array.ndim else int(array))
        elif item.__class__ in PLAIN:
            items.append(item)
        else:
            return None
    return items


def _taken(item):
    """How many dimensions of the tensor an item of _items() uses up."""
    if item.__class__ is Tensor:
        return item._data.ndim if item._data.dtype is BOOL else 1
    return 0 if item is None or item is Ellipsis else 1


def _at_items(F, t, shape, items):
    """t[items], of what _items() gives: a view, and what the index tensors read of it, or None.
    With the kernels for F, of arrays. IndexError where plan() has an error to raise."""
    view, dim, source, rest = t, 0, 0, None            # positions in `view`, and in t
    tensors, indexed = [], 0                           # `tensors` speak of so many dimensions
    for place, item in enumerate(items):
        kind = item.__class__
        if kind is slice:
            size = shape[source]
            if not (item.start is None and item.stop is None and item.step is None):
                bounds = slice_bounds(item, size)
                if bounds != (0, size, 1) or item.start is not None and as_number(item.start):
                    view = F.slice_dim(view, dim, *bounds)
            dim += 1
            source += 1
        elif kind is int:
            size = shape[source]
            if not -size <= item < size:
                raise IndexError
            view = F.select(view, dim, item % size)
            source += 1
        elif item is None:
            view = F.unsqueeze(view, dim)
            dim += 1
        elif kind is Tensor:
            tensors += [None] * (dim - indexed) + [item]
            taken = _taken(item)
            indexed = dim = dim + taken
            source += taken
        elif rest is None:
            rest = len(shape) - source - sum(map(_taken, items[place + 1:]))
            dim += rest
            source += rest
        else:
            raise IndexError
    if source > len(shape) or rest is not None and rest < 0:
        raise IndexError
    return view, F.read_at(view, Indices(tensors)) if tensors else None


def _with_a_dimension(array, index):
    """array[index] of one None among `:` alone, or after `...`: a view. None of another index."""
    place, whole = index.index(None), len(index) - 1
    if index.count(WHOLE) == whole and whole <= array.ndim:
        return kernels.unsqueeze(array, place)
    return kernels.unsqueeze(array, array.ndim) if index == AT_THE_END else None


def _read_items(t, index):
    """t[index] of a tuple of common items, with as few Tensors as may be; None of another."""
    array = t._data
    unobserved = support.unobserved(t._flags)
    if PLAIN.issuperset(map(type, index)):
        if unobserved:
            part = _with_a_dimension(array, index) if None in index else _part(array, index)
            if part is not None:
                return view_of(t, part)
        items = index
    elif (items := _items(index)) is None:
        return None
    try:
        if not unobserved:
            view, read = _at_items(T, t, array.shape, items)
            return read if read is not None else view if view is not t else T.alias(t)
        view, read = _at_items(kernels, array, array.shape, items)
    except IndexError:
        return None
    if read is not None:
        return wrap(read)
    return view_of(t, array.view() if view is array else view)


@method
def __getitem__(self, index):
    shape, kind = self._data.shape, index.__class__
    if kind is Tensor and shape and index._flags == 0 and not index._data.ndim \
            and index._data.dtype is INT64:
        index, kind = int(index._data), int
    if kind is int and shape and -shape[0] <= index < shape[0]:
        return T.select(self, 0, index % shape[0])
    if kind is slice and shape:
        return T.slice_dim(self, 0, *slice_bounds(index, shape[0]))
    if index is None:
        return T.unsqueeze(self, 0)
    if kind in PLAIN:
        return _steps(self, plan(index, shape)[0])
    if kind is not tuple or index and index[0].__class__ is Tensor:
        alone = _alone(index, shape)
        if alone is not None:
            return T.read_at(self, Indices(list(alone)))
    if kind is tuple:
        read = _read_items(self, index)
        if read is not None:
            return read
    given = index
    index, owners = _as_arrays(given)
    if owners and any(t._flags & BATCHED for t in owners.values()):
        from .mapped_index import read
        return read(self, given)
    steps, indices = plan(index, shape)
    view = _steps(self, steps)
    if indices is None:
        return view
    if owners and not view._flags & WRAPPER and any(t._flags & WRAPPER for t in owners.values()):
        from .wrapped import read as read_by
        return read_by(view, _indices(indices, owners))
    return T.read_at(view, _indices(indices, owners))


@method
def __delitem__(self, index):
    raise TypeError("Tensor does not support deleting items")


def _written_places(t, wanted, value):
    """What x[wanted] = v writes to, by an index with arrays, lists or bools: its steps, its arrays,
    and their tensors. None if nothing is left to write."""
    index, owners = _as_arrays(wanted)
    if owners and any(i._flags & BATCHED for i in owners.values()):
        from .mapped_index import write
        write(t, wanted, value)
        note_write(t, "__setitem__")
        return None
    if owners and any(i._flags & WRAPPER for i in owners.values()):
        raise NotImplementedError("x[index] = value: a wrapper tensor as an index")
    if index is False:
        return None                                         # nothing is written, not even looked at
    steps, indices = ([("unsqueeze", 0)], None) if index is True else plan(index, t._data.shape)
    return steps, indices, owners


@method
def __setitem__(self, index, value):
    shape = self._data.shape
    for look in features.before_write:
        look(self, "copy_")
    if value.__class__ is not Tensor:
        given, value = value, support.element(value, self)
        if value is None:
            raise TypeError(f"can't assign a {c_name(given)} to a "
                            f"torch.{self.dtype.tensor_name}Tensor")
    kind = index.__class__
    if (kind is int or kind is slice) and _stored(self, (index,), value):
        note_write(self, "__setitem__")
        return
    if kind is tuple and PLAIN.issuperset(map(type, index)):
        if None not in index and _stored(self, index, value):
            note_write(self, "__setitem__")
            return
        (steps, indices), owners = walk(index, shape), {}
    elif (alone := _alone(index, shape)) is not None:
        if _masked(self, alone[0]._data, value):
            note_write(self, "__setitem__")
            return
        steps, indices, owners = (), [i._data for i in alone], {id(i._data): i for i in alone}
    elif (found := _written_places(self, index, value)) is not None:
        steps, indices, owners = found
    else:
        return
    if indices is not None:
        _check_put(self, steps, indices, value)
        if overlap.same_memory(self._data, value._data) or self._data.dtype.kind in "biu":
            value = _apart(self, steps, indices, value, owners)
    if not (self._flags | value._flags):
        _store(self, steps, indices, value)
        note_write(self, "__setitem__")
        return
    if indices is not None or not _recorded(self, steps, value):
        _write(self, steps, indices, owners, value)
    self._cell[1] = ("__setitem__", *caller())


def _write(t, steps, indices, owners, value):
    """x[...] = v by operators: a view, and a write into that."""
    view = _steps(t, steps, assigned=True)
    if value._data.dtype != t._data.dtype:
        value = wrap(value._data.astype(t._data.dtype)) if value._wrapped else value.to(t.dtype)
    shape = value._data.shape
    if shape[:1] == (1,) and (indices is not None or shape != view._data.shape):
        value = T.view(value, without_leading_ones(shape))
    if indices is not None:
        T.write_at_(view, value, _indices(indices, owners), False)
    elif view is t and shape == () != t._data.shape:
        T.fill_tensor_(t, value)
    else:
        if value._data.shape != view._data.shape:
            value = expand(value, view._data.shape)
        T.copy_(view, value)


def _recorded(t, steps, value):
    """Try the common x[...] = v that is recorded, as T.copy_ without a Tensor for the part that is
    written; whether it applied."""
    if (t._base is not None or t._flags | value._flags != 1 or not state.grad
            or t._flags and t._grad_fn is None or features.recording):
        return False
    array = _stepped(t._data, steps)
    if array.shape == t._data.shape and all(name in ("whole", "alias") for name, *_ in steps):
        return False                                          # all of it: no window, as in PyTorch
    if not (in_place.filled_directly(array, value._data) if value._wrapped
            else in_place.copied_directly(array, value._data)
            or overlap.same_place(array, value._data)):       # as in x[...] += 1
        return False
    node = REGISTRY["copy"].node()
    node.edges = None, history(value)
    node._seq = next_seq()
    if value._output_nr:
        node._numbers = 0, value._output_nr
    node._src_shape, node._src_dtype = array.shape, array.dtype
    written_through(t, Window(array, t._data), node)
    t._cell[0] += 1
    return True


def _stored(t, items, value):
    """Try the common x[items] = v, by numbers and slices, not recorded; whether it applied."""
    if value.__class__ is not Tensor or t._flags | value._flags:
        return False
    part = _part(t._data, items)
    if part is None:
        return False
    _fill(part, value._data)
    return True


def _masked(t, mask, value):
    """Try the common x[mask] = number, not recorded; whether it applied."""
    array = t._data
    if (mask.dtype is not BOOL or mask.shape != array.shape or value._data.ndim
            or t._flags | value._flags or value._data.dtype is not array.dtype
            or in_place.is_expanded(array)):
        return False
    fill_masked(array, mask, value._data, array)
    return True


def _part(array, index):
    """array[index], without None, as a view, if NumPy means by it what PyTorch does; else None."""
    for item in index:
        if item.__class__ is slice and not (
                item.step is None or item.step.__class__ is int and item.step > 0):
            return None
    try:
        part = array[index]
    except (IndexError, TypeError):                          # walk() finds PyTorch's words
        return None
    return part if part.__class__ is np.ndarray else array[(*index, ...)]


def _check_put(self, steps, indices, value):
    """A tensor written at indices must have the dtype; one number at a mask is converted."""
    if value._wrapped or value._data.dtype == self._data.dtype:
        return
    given = [index for index in indices if index is not None]
    if len(given) != 1 or given[0].dtype.kind != "b" or value._data.size != 1:
        fitting = value._data.reshape(without_leading_ones(value._data.shape))
        raise dtypes_differ(_stepped(self._data, steps), indices, fitting)


def _apart(self, steps, indices, value, owners):
    """The value, copied if it is one of the elements that masks replace.

    Raises for any other tensor that is read and shares elements with the part that is written.
    """
    read = owners.values()
    if value._data.size == 1 and all([i is None or i.dtype.kind == "b" for i in indices]):
        value = T.clone(value) if overlap.same_memory(self._data, value._data) else value
    else:
        read = (value, *read)
    for t in read:
        if overlap.same_memory(self._data, t._data) and (
                overlap.share_elements(_stepped(self._data, steps), t._data)):
            raise RuntimeError(overlap.PARTIAL)
    return value


def without_leading_ones(shape):
    """The value without surplus dimensions of size 1 in front, which PyTorch allows."""
    lead = next((k for k, n in enumerate(shape) if n != 1), len(shape))
    return shape[lead:]


def _stepped(array, steps):
    """_steps() of an array."""
    for name, *args in steps:
        if name == "select":
            array = K.select(array, *args)
        elif name in ("slice", "whole"):
            array = K.slice_dim(array, *args)
        elif name == "unsqueeze":
            array = K.unsqueeze(array, *args)
    return array


def _store(t, steps, indices, value):
    """x[...] = v where nothing is recorded: NumPy writes into the view."""
    array, source = _stepped(t._data, steps), value._data
    if indices is None:
        return _fill(array, source)
    if source.dtype.kind == "c" and array.dtype.kind not in "cb":
        source = source.real
    source = source.reshape(without_leading_ones(source.shape))
    if in_place.is_expanded(array):
        in_place.warn_expanded("index_put_")
    index_put(array, indices, source.astype(array.dtype, copy=False), out=array)


def _fill(array, source):
    """array[...] = source, unless they are one."""
    # a source of this shape broadcasts as it is
    if source.shape != array.shape[array.ndim - source.ndim:]:
        source = source.reshape(without_leading_ones(source.shape))
        expand(wrap(source), array.shape)                # raises if it does not fit
    if source.dtype.kind == "c" and array.dtype.kind not in "cb":
        source = source.real
    if overlap.same_place(array, source):
        return
    in_place.check_overlap(array)
    if overlap.same_memory(array, source):
        whole = source if source.shape == array.shape else K.expand(source, array.shape)
        overlap.check_partial_overlap(array, whole)
    array[...] = source
