"""`grad_fn._saved_self` and the like: what a node saved, as properties in PyTorch's names."""

from __future__ import annotations

from .._tensor import wrap
from ..autograd.node import freed, stale
from .support import result_tensor


def add_saved_properties(cls, op):
    """`grad_fn._saved_other` and the like, in PyTorch's names."""
    from ..autograd.recording import raw_saved
    position = 0
    used = op.used()
    for name in (*op.inputs, *op.outputs):
        if name in used:
            setattr(cls, f"_raw_saved_{name}", raw_saved(name))
    for i in op.inputs:
        if i in used:
            setattr(cls, f"_saved_{i}", _saved_input(i, position))
            position += 2
    for nr, o in enumerate(op.outputs):
        if o in used:
            setattr(cls, f"_saved_{o}", _saved_output(o, nr, position, o not in op.nondiff))
            position += 3
    for c in op.consts:
        if c in op.freed and c in used:
            setattr(cls, f"_saved_{c}", _saved_value(position))
            position += 1
    for i in op.inputs:
        if f"{i}_shape" in used:
            setattr(cls, f"_saved_{i}_sym_sizes", property(
                lambda node, name=f"_{i}_shape": tuple(getattr(node, name))))
    if op.name in ("add", "sub"):        # PyTorch has one operator with and without alpha=
        cls._saved_alpha = 1


def _saved_input(name, position):
    def get(node):
        saved = node._saved
        if saved is None:
            freed(node)
        t, version = saved[position], saved[position + 1]
        if t is None:
            return None
        if t._cell[0] != version:
            stale(node, name, t, version)
        return wrap(t._data.copy()) if t._wrapped else t
    return property(get)


def _saved_value(position):
    def get(node):
        if node._saved is None:
            freed(node)
        value = node._saved[position]
        return tuple(getattr(value, "tensors", ())) or value
    return property(get)


def _saved_output(name, nr, position, recorded):
    def get(node):
        saved = node._saved
        if saved is None:
            freed(node)
        array, cell, version = saved[position:position + 3]
        t = result_tensor(node, nr, array, cell, recorded)
        if cell[0] != version:
            stale(node, name, t, version)
        return t
    return property(get)
