"""What a new node goes through while hooks on saved tensors or anomaly mode are on.

NOTE [held nodes]
    A node of a declared operator that keeps SavedTensors instead of its plain tuple gets a class
    derived from its own, with the same name: its `run` unpacks, then calls the operator's `run`.
    So neither the operators' code nor the engine knows of hooks. The operator's code reads
    `_saved`, though, and another thread may be running the same node: `run` works on a copy of the
    node, `run_graph`, whose records refer to the node, shows each thread what it has unpacked.
"""

from __future__ import annotations

import copy
import functools
import threading
import weakref
from typing import Any

from .._state import features, state
from .node import Node, freed
from .saved import SavedTensor


def finish(node) -> None:
    """Called with each new node of a declared operator while `features.recording` is not 0."""
    if features.trace is not None:
        features.trace(node)
    if state.saved_hooks:
        hold(node)
    if features.watch is not None:
        from .anomaly_mode import anomaly, note

        if anomaly.enabled:
            note(node)


def hold(node) -> None:
    """Turn the plain saved values of `node` into SavedTensors."""
    cls = type(node)
    if cls.operator is None or not getattr(node, "_saved", None) or issubclass(cls, Held):
        return
    held = held_class(cls)
    values = iter(node._saved)
    parts = [[next(values) for _ in range(2 if nr is None else 3)] for _, nr in held.fields]
    saved: list[Any] = [None] * len(parts)
    for k in held.order:
        *what, version = parts[k]
        nr = held.fields[k][1]
        one = saved[k] = (SavedTensor.of_input(*what) if nr is None
                          else SavedTensor.of_output(_output(*what), nr))
        one._version = version
    node._saved = tuple([*saved, *values])  # plain values that are freed with the graph last
    node.__class__ = held


def _output(array, cell):
    from ..ops.support import result_tensor

    return result_tensor(None, 0, array, cell, False)


class _Unpacked(threading.local):
    """What this thread has unpacked of the nodes that it is running."""

    def __init__(self):
        self.of_node = {}


_unpacked = _Unpacked()
_slot: Any = Node.__dict__["_saved"]


class Held(Node):
    """Base of the node classes that keep SavedTensors, see NOTE [held nodes]."""

    plain: type  # the operator's node class
    fields: tuple  # (name, output number or None) of each saved tensor
    order: list  # the places of the fields as hooks see them: inputs by name, as in PyTorch

    @property
    def _saved(self):
        return _unpacked.of_node.get(self) or _slot.__get__(self)

    @_saved.setter
    def _saved(self, values):
        _slot.__set__(self, values)

    def saved_tensor(self, name: str) -> SavedTensor:
        kept = _slot.__get__(self)
        if kept is None:
            freed(self)
        position = [field for field, _ in self.fields].index(name)
        saved = kept[position]
        saved._node = weakref.ref(self)
        return saved

    def unpack_all(self):
        pass                        # run() will do it, and each unpack hook is called once

    def unpacked(self):
        """The saved values as the operator's formulas want them."""
        kept = _slot.__get__(self)
        if kept is None:
            return None
        tensors = {k: kept[k].get(self, self.fields[k][0]) for k in self.order}
        values = []
        for k, (_, nr) in enumerate(self.fields):
            t = tensors[k]
            if nr is not None:
                values += [t._data, t._cell, t._cell[0]]
            else:
                values += [t, 0 if t is None else t._cell[0]]
        return (*values, *kept[len(self.fields) :])

    def run(self, g, edges):
        plain = copy.copy(self)
        plain.__class__ = self.plain
        plain._saved = self.unpacked()
        return plain.run(g, edges)

    def run_graph(self, g, edges):
        of_node, before = _unpacked.of_node, _unpacked.of_node.get(self)
        of_node[self] = self.unpacked()
        try:
            return self.plain.run_graph(self, g, edges)
        finally:
            if before is None:
                del of_node[self]
            else:
                of_node[self] = before


@functools.cache
def held_class(cls):
    """The subclass of Held for an operator's node class."""
    op = cls.operator
    used = op.used()
    fields = [(name, None) for name in op.inputs if name in used]
    fields += [(name, nr) for nr, name in enumerate(op.outputs) if name in used]
    order = sorted(range(len(fields)), key=lambda k: (fields[k][1] is not None,
                                                      fields[k][0] if fields[k][1] is None else ""))
    body = {"plain": cls, "fields": tuple(fields), "order": order, "__module__": cls.__module__}
    for name, _ in fields:
        body[f"_saved_{name}"] = property(lambda node, name=name: _value(node, name))
    plain_values = [c for c in op.consts if c in op.freed and c in used]
    for position, name in enumerate(plain_values, len(fields)):
        body[f"_saved_{name}"] = property(lambda node, k=position: _plain_value(node, k))
    return type(cls.__name__, (Held, cls), body)


def _value(node, name):
    return node.saved_tensor(name).get(node, name)


def _plain_value(node, position):
    if node._saved is None:
        freed(node)
    return node._saved[position]


def raw_saved(name):
    """The property `_raw_saved_<name>` of a node class."""

    def get(node) -> SavedTensor:
        if getattr(node, "_saved", ()) is None:
            gone = SavedTensor.of_input(None)
            gone._node = weakref.ref(node)
            return gone
        hold(node)
        return node.saved_tensor(name)

    return property(get)
