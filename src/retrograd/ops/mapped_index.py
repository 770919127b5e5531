"""x[index] and x[index] = value inside vmap, where index tensors differ from slice to slice.

The steps that are views (numbers, slices, None, ...) are taken first. What is left picks by index
tensors in some dimensions of a view; below the vmap that is the same pick with one more dimension
in front, the batch, and one more index tensor for it, 0, 1, 2, ..., if the view has a batch too.
"""

from __future__ import annotations

import numpy as np

from .._tensor import BATCHED, Tensor, wrap
from . import batching, support
from .batching import at_level, size_of, top_level, wrap_batch
from .declare import F as T
from .rules import lifted, reshape
from .rules_nn import behind_batch

BY_MASK = ("vmap: We do not support batching operators that can support dynamic shape. Attempting "
           "to batch over indexing with a boolean mask.")
UNBATCHED = (
    "vmap: index_put_(self, *extra_args) is not possible because there exists a Tensor `other` in "
    "extra_args that has more elements than `self`. This happened due to `other` being vmapped "
    "over but `self` not being vmapped over in a vmap. Please try to use out-of-place operators "
    "instead of index_put_. If said operator is being called inside the PyTorch framework, please "
    "file a bug report instead.")


class Pick:
    """Index tensors, `at` some dimensions of a `view`; where their own dimensions go is `to`."""

    def __init__(self, view, at, tensors):
        self.view, self.at, self.tensors = view, at, tensors
        self.together = at == list(range(at[0], at[0] + len(at)))
        self.to = at[0] if self.together else 0
        self.ndim = max(t._data.ndim for t in tensors)

    @property
    def shape(self):
        """The shape of what is picked."""
        shape = self.view._data.shape
        picked = np.broadcast_shapes(*(t._data.shape for t in self.tensors))
        kept = [n for d, n in enumerate(shape) if d not in self.at]
        return (*kept[:self.to], *picked, *kept[self.to:])

    def below(self, level, value, has):
        """The index, and the view, below the vmap `level`."""
        index = [slice(None)] * (self.at[-1] + 1)
        for d, t in zip(self.at, self.tensors, strict=True):
            t, differs = at_level(t, level)
            index[d] = behind_batch(t, self.ndim + 1) if differs else t
        if has:
            size = value._data.shape[0]
            index.insert(0, reshape(wrap(np.arange(size)), (size, *(1,) * self.ndim)))
        return tuple(index)

    def moved(self, t, forth):
        """The dimensions of the pick from after the batch to their place, or back."""
        here, there = (tuple(range(1 + k, 1 + k + self.ndim)) for k in (0, self.to))
        return t if not self.to else t.movedim(*((here, there) if forth else (there, here)))


def pick(x, index) -> Pick:
    """Take the steps of an index that are views."""
    items = []
    for item in index if isinstance(index, tuple) else (index,):
        if isinstance(item, (list, np.ndarray)):
            item = wrap(np.asarray(item))
        if isinstance(item, Tensor) and item._data.dtype.kind == "b":
            if item._flags & BATCHED:
                raise RuntimeError(BY_MASK)
            items.extend(item.nonzero().unbind(1))
        else:
            items.append(item)
    used = sum(i is not None and i is not Ellipsis for i in items)
    rest = x._data.ndim - used
    if not any(i is Ellipsis for i in items):
        items.append(Ellipsis)
    basic, at, tensors, d = [], [], [], 0
    for item in items:
        if isinstance(item, Tensor):
            at.append(d)
            tensors.append(item)
            item = slice(None)
        basic.append(item)
        d += rest if item is Ellipsis else not isinstance(item, int)
    return Pick(x[tuple(basic)], at, tensors)


def _level(*tensors):
    return top_level([t for t in tensors if isinstance(t, Tensor)])


def read(x, index):
    """x[index] inside vmap; in all other cases it is __getitem__() in indexing.py."""
    p = pick(x, index)
    level = _level(p.view, *p.tensors)
    value, has = at_level(p.view, level)
    res = value[p.below(level, value, has)]
    if has:
        return wrap_batch(p.moved(res, True) if p.together else res, level)
    return wrap_batch(res.movedim(p.to, 0) if p.to else res, level)


def write(x, index, given, accumulate=False):
    """x[index] = given, or += with accumulate."""
    p = pick(x, index)
    given = support.element(given, x)
    level = _level(p.view, *p.tensors, given)
    value, has = at_level(p.view, level)
    if not has:
        raise RuntimeError(UNBATCHED)
    source, differs = at_level(given.to(x.dtype), level)
    shape = p.shape
    while source._data.ndim - differs > len(shape) and source._data.shape[differs] == 1:
        source = T.squeeze_dim(source, int(differs))
    source = behind_batch(source, len(shape) + 1) if differs else source
    source = p.moved(T.expand(source, (size_of(level), *shape)), False)
    _put(value, p.below(level, value, True), source, accumulate)


def _put(x, index, source, accumulate):
    if any(isinstance(i, Tensor) and i._flags & BATCHED for i in index):
        write(x, index, source, accumulate)
    elif accumulate:
        x.index_put_([None if isinstance(i, slice) else i for i in index], source, True)
    else:
        x[index] = source


def index_put(x, indices, given, accumulate):
    """x.index_put() inside vmap; in all other cases it is in gather_scatter.py."""
    index = tuple(slice(None) if i is None else i for i in indices)
    level = _level(x, given, *(i for i in indices if i is not None))
    value, has = at_level(x, level)
    copy = wrap_batch(T.clone(lifted(value, has, size_of(level))), level)
    write(copy, index, given, accumulate)
    return copy


def index_put_(x, indices, given, accumulate):
    """x.index_put_() inside vmap; in all other cases it is index_put() in gather_scatter.py."""
    write(x, tuple(slice(None) if i is None else i for i in indices), given, accumulate)
    return x


def differ(indices) -> bool:
    """Whether one of the index tensors stands for a batch."""
    return bool(batching.levels.open) and any(
        isinstance(i, Tensor) and i._flags & BATCHED for i in indices)
