"""vmap: tensors that stand for a batch, and how each operator maps over it.

NOTE [batched tensors]
    Inside vmap an input of shape (B, 2, 3) looks like a tensor of shape (2, 3). It has that
    shape, but no values: `_data` is a Shape, which refuses every read, and the real tensor is
    `_batch.value`, with the batch in dimension 0. Since `_flags` has the bit BATCHED, operators
    come to `call`, which finds the operator's batching rule, applies it to the real tensors and
    wraps the result. Levels of nested vmaps wrap one another. Recording, tangents and in-place
    writes all happen on the real tensors, so that nothing else needs to know about batches.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager

import numpy as np

from .._entries import intercept
from .._meta import Unread
from .._state import features, state
from .._tensor import BATCHED, Tensor, new
from .._warnings import warn
from . import rules_nn  # noqa: F401  more rules
from .declare import F as T
from .rules import RULES, NoRule, pointwise

drawing: list = []       # functions that draw and have met no vmap, each with what it becomes


class _Levels(threading.local):
    """The vmaps that this thread is in, outermost first: (level, batch size, randomness).

    `tangents` are those that batch tangents alone, not the values they belong to (jacfwd).
    """

    def __init__(self):
        self.open, self.tangents = [], []

    def next(self) -> int:
        """The level of a vmap that is about to begin."""
        while drawing:
            intercept(*drawing.pop())
        level = self.open[-1][0] if self.open else -1
        return 1 + (max(level, self.tangents[-1][0]) if self.tangents else level)

    def entry(self, level) -> tuple:
        return next(e for e in (*self.open, *self.tangents) if e[0] == level)


levels = _Levels()


class Shape(Unread):
    """Shape and dtype of a batched tensor; it has no values to read."""

    def _error(self):
        return RuntimeError(
            "Cannot access data pointer of Tensor that doesn't have storage\n\n"
            "vmap: this operation reads the values of a Tensor that stands for a whole batch, "
            "which is not possible inside vmap. Rewrite it with operators of torch, or move it out "
            "of the function that is mapped.")


def _shape(shape, dtype):
    return np.ndarray.__new__(Shape, shape, dtype)


class Batch:
    """What a batched tensor stands for; `dim` is where an input of vmap() had its batch."""

    __slots__ = ("dim", "level", "value")

    def __init__(self, level, value, dim):
        self.level, self.value, self.dim = level, value, dim


def wrap_batch(value, level, dim=0):
    """A Tensor that stands for one of the slices of `value` along dimension 0."""
    t = new(Tensor)
    data = value._data
    t._data = _shape(data.shape[1:], data.dtype)
    t._cell = value._cell
    t._flags = BATCHED | value._flags & 1
    t._grad_fn = t._base = t._grad = None
    t._output_nr = 0
    t._batch = Batch(level, value, dim)
    return t


@contextmanager
def batch_of_tangents(size, randomness):
    """Inside, tangents may stand for a batch of the level that this yields."""
    level, count, vmaps = levels.next(), len(levels.tangents), state.vmaps
    features.count("vmap", 1)
    try:
        levels.tangents.append((level, size, randomness))
        state.vmaps = vmaps + 1
        yield level
    finally:
        state.vmaps = vmaps                                  # first: see NOTE [interrupts]
        del levels.tangents[count:]
        features.count("vmap", -1)


def at_level(t, level):
    """(the tensor below `level`, whether it has a batch dimension there)."""
    if isinstance(t, Tensor) and t._flags & BATCHED and t._batch.level == level:
        return t._batch.value, True
    return t, False


def physical(t):
    """The real tensor below all batches, their dimensions in front, outermost first."""
    while isinstance(t, Tensor) and t._flags & BATCHED:
        t = t._batch.value
    return t


def layers(t):
    """(the real tensor below all batches, the levels of the batches, outermost first)."""
    numbers = []
    while isinstance(t, Tensor) and t._flags & BATCHED:
        numbers.append(t._batch.level)
        t = t._batch.value
    return t, numbers[::-1]


def in_layers(t, numbers):
    """The inverse of layers()."""
    for level in numbers:
        t = wrap_batch(t, level)
    return t


def fully_batched(t, open_levels=None):
    """`t` with a batch dimension for every open vmap (repeated, not copied, where it had none)."""
    open_levels = levels.open if open_levels is None else open_levels
    if not open_levels:
        return t
    level, size, _ = open_levels[-1]
    value, has = at_level(t, level)
    if not has:
        value = T.expand(value, (size, *value._data.shape))
    return wrap_batch(fully_batched(value, open_levels[:-1]), level)


def rewrap(t, open_levels=None):
    """The inverse of physical(fully_batched(t))."""
    open_levels = levels.open if open_levels is None else open_levels
    for level, _, _ in open_levels:
        t = wrap_batch(t, level)
    return t


def top_level(flat):
    """The innermost vmap that the tensors belong to, which must not have ended."""
    level = max([t._batch.level for t in flat if t._flags & BATCHED])
    if level >= levels.next():
        raise RuntimeError(ESCAPED)
    return level


def size_of(level):
    return levels.entry(level)[1]


ESCAPED = ("Either your tensor may have escaped from inside a function being vmapped and this is a "
           "user error (see https://pytorch.org/functorch/stable/ux_limitations.html), or there is "
           "an internal functorch error in `gen_vmap_plumbing` Please file an issue if it looks "
           "like the latter")
WIDER = ("vmap: {0}(self, *extra_args) is not possible because there exists a Tensor "
         "`other` in extra_args that has more elements than `self`. This happened due to `other` "
         "being vmapped over but `self` not being vmapped over in a vmap. Please try to use "
         "out-of-place operators instead of {0}. If said operator is being called inside "
         "the PyTorch framework, please file a bug report instead.")
OLDER = "the older vmap"         # _vmap_internals gives this in place of a randomness


# --------------------------------------------------------------------------- calling an operator

def call(op, fn, tensors, consts, flat):
    """The operator on batched tensors; `flat` are those in `tensors`."""
    level = top_level(flat)
    size = _size(flat, level)
    if op.takes_list:
        pairs = [at_level(t, level) for t in tensors[0]]
        values, flags = [[v for v, _ in pairs]], [[f for _, f in pairs]]
    else:
        pairs = [at_level(t, level) for t in tensors]
        values, flags = [v for v, _ in pairs], [f for _, f in pairs]
    rule = RULES.get(op.name) or (pointwise if is_pointwise(op) else None)
    try:
        if rule is None:
            raise NoRule
        res = rule(op, size, values, flags, list(consts))
    except NoRule:
        res = one_by_one(op, size, values, flags, consts)
    if isinstance(res, tuple):
        return tuple(wrap_batch(r, level) for r in res)
    return wrap_batch(res, level)


def _size(flat, level):
    for t in flat:
        value, has = at_level(t, level)
        if has:
            return value._data.shape[0]
    raise AssertionError(level)


def is_pointwise(op) -> bool:
    """Whether an operator computes each element from the elements at the same place."""
    return op.broadcasts or op.jvp == "elementwise"


def one_by_one(op, size, values, flags, consts):
    """The operator on each slice by itself, where it has no rule, as PyTorch's fallback does."""
    warn_of_loop(op.name)
    results = []
    for i in range(size):
        args = [[slice_at(v, f, i) for v, f in zip(value, flag, strict=True)]
                if isinstance(value, list) else slice_at(value, flag, i)
                for value, flag in zip(values, flags, strict=True)]
        results.append(op.fn(*args, *consts))
    if isinstance(results[0], tuple):
        return tuple(T.stack(list(column), 0) for column in zip(*results, strict=True))
    return T.stack(results, 0)


def warn_of_loop(name):
    """Say that a function runs slice by slice."""
    warn("There is a performance drop because we have not yet implemented the batching rule for "
         f"{name}: its calls run one after another.")


def slice_at(value, has, i):
    return T.select(value, 0, i) if has else value


def call_in_place(op, fn, tensors, consts, flat):
    """The in-place operator on batched tensors: it writes into the real tensor."""
    level = top_level(flat)
    self, has = at_level(tensors[0], level)
    if not has:
        raise _wider(op, self, next(v for v, f in (at_level(t, level) for t in tensors[1:]) if f))
    size = self._data.shape[0]
    pairs = [at_level(t, level) for t in tensors]
    values, flags = [v for v, _ in pairs], [f for _, f in pairs]
    if is_pointwise(op) or RULES.get(op.name) is pointwise:
        res = pointwise(op, size, values, flags, list(consts), fn)
        if res is not self:
            raise RuntimeError(f"vmap: {op.name}_ cannot broadcast its own tensor")
    else:
        res = call(op, op.fn, tensors, consts, flat)
        T.copy_(self, at_level(res, level)[0])
    return tensors[0]


def _wider(op, self, batch):
    """The error for a write of a batch into a tensor that all slices share: one of three."""
    if op.name in ("add", "add_scaled", "atan2") or op.name.startswith("bitwise"):
        return RuntimeError(f"output with shape {list(self._data.shape)} doesn't match the "
                            f"broadcast shape {list(batch._data.shape)}")
    common = op.name in ("sub", "sub_scaled", "mul", "div", "copy", "masked_fill") \
        or op.name.startswith("logical")
    if common:
        return RuntimeError(WIDER.format("inplace arithmetic"))
    from .overloads import overload_name
    name = overload_name(op, (self, batch), in_place=True)[0]
    plain = name in ("fill_", "index_fill_")
    return RuntimeError(WIDER.format(name if plain else f"aten::{name}"))


def call_views(function, input, args):
    """several_views() of a batched tensor."""
    keys, node_class, dim = args
    level = top_level([input])
    value = at_level(input, level)[0]
    behind = [(slice(None), *key) for key in keys]
    return tuple(wrap_batch(v, level) for v in function(value, behind, node_class, dim + 1))
