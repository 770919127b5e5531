"""Operators on dual tensors: the value and, by the operator's forward-mode rule, its tangent."""

from __future__ import annotations

import numpy as np

from .._lazy import LazyModule
from .._memory import address, owner
from .._tensor import BATCHED, DUAL, Tensor, wrap
from ..autograd.views import CopySlices
from ..autograd.windows import Window, is_expanded
from ..kernels.checks import is_inexact
from . import forward
from .declare import F as T

batching = LazyModule(".batching", __package__)
forward_ad = LazyModule("..autograd.forward_ad", __package__)


# --------------------------------------------------------------------------- calls

def call(op, fn, tensors, consts, flat):
    """The operator and, by its forward-mode rule, the tangent of its result."""
    level = top_level(flat)
    with AtLevel(flat, level) as by_id:
        res = fn(*tensors, *consts)
        if op.grad_fn is None or set(op.outputs) <= set(op.nondiff):
            return res
        given = _tangents_of(tensors, by_id)
        tangents = forward.tangent(op, list(tensors), given, list(consts), res, T)
    outputs = res if isinstance(res, tuple) else (res,)
    tangents = tangents if isinstance(tangents, tuple) else (tangents,)
    for name, out, tangent in zip(op.outputs, outputs, tangents, strict=False):
        if tangent is not None and name not in op.nondiff and is_inexact(out._data.dtype):
            tangent = _shaped(tangent, out)
            set_tangent(out, level, tangent)
            keep_tangent(out, level, tangent)
    return res


def call_in_place(op, fn, tensors, consts, flat):
    """The in-place operator; the tangent is that of the operator out of place."""
    self, level = tensors[0], top_level(flat)
    with AtLevel(flat, level) as by_id:
        own, past = by_id.get(id(self)), _writer(self)
        if own is not None:
            by_id[id(self)] = own.clone()                # it is about to be overwritten
        given = _tangents_of(tensors, by_id)
        before = [t.clone() if t is self else t for t in tensors]
        value = op.fn(*before, *consts)
        if set(op.outputs) <= set(op.nondiff):           # constant, but for jumps
            tangent = T.zeros_like(self)
        else:
            tangent = forward.tangent(op, before, given, list(consts), value, T)
        fn(*tensors, *consts)
        node = _writer(self)
        if own is not None and node is not past:
            _give_to_saved(node, flat, level, by_id[id(self)])
        if tangent is None or not is_inexact(self._data.dtype):       # integers have none
            return self
        tangent = _shaped(tangent, self)
        if own is not None:
            tangent = _writable(self, level, own).copy_(tangent)
        elif self._base is not None:
            tangent = _tangent_through_base(self, level, tangent)
        elif len(self._cell) > 2:
            tangent = in_layout_of(self, tangent)
            _give_to_views(self, level, tangent)
        set_tangent(self, level, tangent)
        if node is not past:
            _keep(node, 0, level, tangent)
    return self


def call_views(function, input, args):
    """several_views() of a dual tensor: each has its part of the tangent."""
    level = top_level([input])
    with AtLevel([input], level) as by_id:
        views = function(input, *args)
        parts = function(by_id[id(input)], *args)
    for view, part in zip(views, parts, strict=True):
        set_tangent(view, level, part)
    return views


def _shaped(tangent, out):
    """A tangent in the shape and dtype of its tensor."""
    if tangent._data.shape != out._data.shape:
        tangent = T.expand(tangent, out._data.shape)
    return tangent if tangent._data.dtype == out._data.dtype else tangent.to(out.dtype)


# --------------------------------------------------------------------------- tangents

def set_tangent(t, level, tangent):
    """Make `t` dual at `level`."""
    tangents = t.__dict__.get("_tangents")
    if tangents is None:
        tangents = t.__dict__["_tangents"] = {}
    tangents[level] = tangent
    t._flags |= DUAL
    forward_ad.remember(t, level)


def drop_tangent(t, level):
    """Make `t` an ordinary tensor at `level`; or let a node forget its outputs' tangents there."""
    tangents = t.__dict__.get("_tangents")
    if tangents is not None:
        tangents.pop(level, None)
        if not tangents and isinstance(t, Tensor):
            t._flags &= ~DUAL


def keep_tangent(out, level, tangent):
    """Let the node of `out`, if it saves its outputs, give them this tangent when unpacked.

    It is kept until the level ends, which also breaks the reference cycle that it can be part of.
    """
    node = out._grad_fn if out._base is None else out._view_node
    if node is not None:
        _keep(node, out._output_nr, level, tangent)


def _keep(node, output_nr, level, tangent):
    kept = node.__dict__.get("_tangents")
    if kept is None:
        kept = node._tangents = {}
    kept.setdefault(level, {})[output_nr] = tangent
    forward_ad.remember(node, level)


def give_kept_tangents(t, node):
    """Make `t`, a saved output of `node` that was made again, as dual as the output was."""
    for level, tangents in node._tangents.items():
        tangent = tangents.get(t._output_nr)
        if tangent is not None:
            set_tangent(t, level, tangent)


class AtLevel:
    """Within the block, hide the tangents of `level`; its value is {id(tensor): tangent}."""

    __slots__ = ("level", "hidden")

    def __init__(self, flat, level):
        self.level = level
        self.hidden = []
        for t in flat:
            tangents = t.__dict__.get("_tangents")
            if tangents and level in tangents:
                self.hidden.append((t, tangents[level]))
                drop_tangent(t, level)

    def __enter__(self):
        return {id(t): tangent for t, tangent in self.hidden}

    def __exit__(self, *exc):
        for t, tangent in self.hidden:
            tangents = t.__dict__["_tangents"]          # which the level remembers as it is
            if self.level not in tangents:
                tangents[self.level] = tangent
                t._flags |= DUAL


def top_level(flat):
    """The innermost level at which one of these dual tensors has a tangent."""
    return max(level for t in flat for level in t.__dict__.get("_tangents") or ())


def _tangents_of(tensors, by_id):
    """The tangents of an operator's inputs, None where there is none; a list for a list."""
    return [[by_id.get(id(one)) for one in t] if isinstance(t, (list, tuple)) else by_id.get(id(t))
            for t in tensors]


# --------------------------------------------------------------------------- in place

def _writable(t, level, tangent):
    """The tangent of `t`; in memory of its own, if its elements were one (an expanded tangent)."""
    base = t if t._base is None else t._base
    whole = tangent if base is t else (base.__dict__.get("_tangents") or {}).get(level)
    if whole is None:
        return tangent
    value, batches = batching.layers(whole)
    if not is_expanded(value._data):
        return tangent
    lead = value._data.ndim - base._data.ndim
    zeros = _zeros_over(base._data, value._data.shape[:lead])
    whole = batching.in_layers(zeros.copy_(value), batches)
    if base is t:
        tangent = whole
    else:
        set_tangent(base, level, whole)
        tangent = batching.in_layers(_part(t, whole), batches)
    _give_to_views(base, level, whole, t)
    return tangent


def _writer(t):
    """The node of the last write to a tensor, or to what it is a view of."""
    node = (t if t._base is None else t._base)._grad_fn
    return node._saved if isinstance(node, CopySlices) else node


def _give_to_saved(node, operands, level, tangent):
    """Make the copy that a write in place saved of its tensor as dual as the tensor was before."""
    for saved in getattr(node, "_saved", None) or ():
        copy = getattr(saved, "_tensor", saved)          # the tensor in a SavedTensor
        if isinstance(copy, Tensor) and all(copy is not t for t in operands):
            set_tangent(copy, level, tangent)


def _tangent_through_base(view, level, tangent):
    """Give the base of a view a tangent, zero outside the view; returns the view's part of it."""
    base = view._base
    whole = (base.__dict__.get("_tangents") or {}).get(level)
    value, batches = batching.layers(tangent)
    if whole is None:
        lead = value._data.ndim - tangent._data.ndim
        whole_base = view._data.shape == base._data.shape
        if whole_base and value._data.strides[lead:] == base._data.strides == view._data.strides:
            set_tangent(base, level, tangent)
            _give_to_views(base, level, tangent, view)
            return tangent
        whole = batching.in_layers(_zeros_over(base._data, value._data.shape[:lead]), batches)
        set_tangent(base, level, whole)
        _give_to_views(base, level, whole, view)
    return batching.in_layers(_part(view, whole).copy_(value), batches)


def _give_to_views(base, level, whole, but=None):
    """Give the views of `base`, except `but`, their parts of its new tangent `whole`."""
    for r in base._cell[2:]:
        view = r()
        if view is not None and view._base is base and view is not but:
            part, batches = _part(view, whole), batching.layers(whole)[1]
            set_tangent(view, level, batching.in_layers(part, batches))


def _part(view, whole):
    """A view's part of the tangent of its base; the tangent lies in memory as the base does."""
    memory, base = batching.layers(whole)[0], view._base
    lead = memory._data.ndim - base._data.ndim
    sizes, steps = memory._data.shape[:lead], memory._data.strides[:lead]
    if view._data.dtype.kind != base._data.dtype.kind:
        memory = T.view_as_real(memory) if base._data.dtype.kind == "c" else \
            T.view_as_complex(memory)
    window = Window(view._data, base._data)
    item, offset = view._data.itemsize, window.offset + _place(base._data)[1]
    return memory.as_strided((*sizes, *view._data.shape),
                             [s // item for s in steps + window.strides], offset // item)


def _place(array):
    """(elements, bytes before the array) of the memory that the array is a part of."""
    whole = owner(array)
    return whole.nbytes // array.itemsize, address(array) - address(whole)


def _zeros_over(array, sizes):
    """Zeros that lie in memory as `array` does in its own, once for each of a batch of `sizes`."""
    count, start = _place(array)
    memory = np.zeros((*sizes, count), array.dtype)
    strides = memory.strides[:-1] + array.strides
    return wrap(np.ndarray((*sizes, *array.shape), array.dtype, memory, start, strides))


def in_layout_of(t, tangent):
    """`tangent`, copied unless it lies in its memory as `t` does in its own.

    For the slices of a batch only the strides count.
    """
    like, array = t._data, tangent._data
    if like.strides == array.strides and not (t._flags | tangent._flags) & BATCHED \
            and _place(like) == _place(array):
        return tangent
    value, batches = batching.layers(tangent)
    array = value._data
    if t._flags & BATCHED or is_expanded(like):
        return tangent
    lead = array.ndim - like.ndim
    have = [s for s, n in zip(array.strides[lead:], like.shape, strict=True) if n != 1]
    want = [s for s, n in zip(like.strides, like.shape, strict=True) if n != 1]
    if like.size == 0 or have == want and (batches or _place(like) == _place(array)):
        return tangent
    return batching.in_layers(_zeros_over(like, array.shape[:lead]).copy_(value), batches)
