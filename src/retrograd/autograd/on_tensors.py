"""Nodes whose formulas run on Tensors, because kernels know nothing of the arrays they get."""

from __future__ import annotations

from functools import cache

from .._tensor import wrap
from .grad_mode import no_grad
from .node import Node


class OnTensors(Node):
    """A node that saved a sparse or a wrapper tensor, or gets such a gradient.

    Like a hooked node (see hooks.py), it remains an instance of its operator's node class.
    """

    __slots__ = ()
    part = None                 # or the engine would add the gradient of a view to an array

    def run(self, g, edges):
        """The gradients as arrays: what run_graph() gives, unrecorded."""
        with no_grad():
            given = [*map(_wrapped, g)] if g.__class__ is list else wrap(g)
            return tuple([None if d is None else d._data
                          for d in super().run_graph(given, edges)])


def _wrapped(g):
    return None if g is None else wrap(g)


def run_on_tensors(node) -> None:
    """Let an operator's node run its formulas on Tensors from now on."""
    if node.operator is not None and not isinstance(node, OnTensors):
        node.__class__ = _class_on_tensors(node.__class__)


@cache
def _class_on_tensors(cls):
    return type(cls.__name__, (OnTensors, cls), {"__module__": cls.__module__})

