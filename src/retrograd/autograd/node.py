"""Nodes: what a recorded operator leaves behind for backward.

A node has `edges`, one for each tensor input: the node that receives the input's gradient, or None.
`_numbers` says which output of its node each input was; it is None if each was the first.
`run(g, edges)` turns the gradient of the output into the gradients of the inputs, on arrays;
`run_graph` does the same on Tensors, recording as it goes.

NOTE [saved values]
    `_saved` is one tuple of (tensor, version) pairs, for the tensors that the formulas name, and
    (array, cell, version) for an output. An output is kept as its array, never as its Tensor: the
    Tensor owns the node, and node -> Tensor -> node would be a cycle that only the collector ends.
    The versions are compared when a formula asks for the value. After a backward pass that need
    not keep the graph the engine puts None in `_saved`; a node that saved nothing never looks, so
    "freed" is a property of a node, not of a graph.

NOTE [leaves]
    A leaf's gradient arrives at its AccumulateGrad node. The node holds the leaf; the leaf only
    holds the node weakly, so that neither keeps the other alive once the graph is gone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import count
from typing import Any
from weakref import ref

from .._state import features

new = object.__new__
next_seq = count().__next__  # taken after the edges, since asking a view for its history can
                             # make a node: what a node leads to is older than itself
LEAF_SEQ = 1 << 62          # the numbers of AccumulateGrad nodes begin here: NOTE [ordering]

WRITTEN_BY_HAND = frozenset({"AccumulateGrad", "CopyBackwards", "CopySlices", "Error",
                             "NotImplemented"})

FREED = ("Trying to backward through the graph a second time (or directly access saved tensors "
         "after they have already been freed). Saved intermediate values of the graph are freed "
         "when you call .backward() or autograd.grad(). Specify retain_graph=True if you need to "
         "backward through the graph a second time or if you need to access saved tensors after "
         "calling backward.")


class Node:
    """Base of all graph nodes (what `tensor.grad_fn` is).

    Attributes are stored at every operator, so no class of nodes may have a __setattr__: NOTE
    [no __setattr__] in _tensor.py.

    >>> import retrograd as torch
    >>> node = (torch.ones(2, requires_grad=True) * 3).grad_fn
    >>> isinstance(node, torch.autograd.graph.Node), node.name()
    (True, 'MulBackward0')
    """

    __slots__ = (
        "edges",          # for each tensor input the node that gets its gradient, or None
        "_seq",           # its sequence number: the younger, the larger; NOTE [ages] in walks.py
        "_saved",         # see NOTE [saved values]; None once it is freed
        "_line",          # where the program called the operator, while lines are traced
        "__dict__", "__weakref__",
    )
    n_outputs = 1
    _numbers = None             # which outputs `edges` lead to; None: each to the first
    operator: Any = None        # the declaration, if there is one
    number: str | None = None   # the input in whose place this class of node has a Python number
    part: Any = None            # of a view: what it shows of its input, as a key
    takes_none = False          # run even if no gradient arrived (custom Functions)
    _metadata = None
    _given_number = None        # by _set_sequence_nr(): see `renumber` in walks.py
    _shown_as = None            # weakly: the history of the view that it wrote through
    _tangents = None            # of saved outputs, in forward mode: {level: {output: tangent}}

    def name(self) -> str:
        """The node's class name, such as "MulBackward0"; PyTorch's hand-written ones are longer."""
        name = type(self).__name__
        return f"torch::autograd::{name}" if name in WRITTEN_BY_HAND else name

    def short_name(self) -> str:
        """The name as error messages give it: Exp for ExpBackward0, Sum1 for SumBackward1."""
        return re.sub(r"Backward(?:0|(\d*))$", r"\1", self.name())

    def inputs(self) -> tuple:
        """For each edge (node, output number), or (None, 0) where no gradient flows."""
        edges = self.edges
        numbers = self._numbers or (0,) * len(edges)
        return tuple([(n, 0 if n is None else nr) for n, nr in zip(edges, numbers, strict=True)])

    @property
    def next_functions(self) -> tuple:
        """(node, output number) for each input that can have a gradient; (None, 0) if none flows.

        An index or a mask is no such input.

        >>> import retrograd as torch
        >>> node = (torch.ones(2, requires_grad=True).exp() * 3).grad_fn
        >>> [found and found.name() for found, _ in node.next_functions]
        ['ExpBackward0', None]
        """
        inputs = self.inputs()
        return tuple([(None, 0) if k is None else inputs[k] for k in self.differentiable_inputs()])

    def differentiable_inputs(self) -> Sequence[int | None]:
        """Which inputs can have a gradient; hooks are shown the gradients of these."""
        op = self.operator
        if op is not None and op.shown is not None:
            return op.shown
        if op is None or op.joint is not None or op.takes_list:
            return range(len(self.edges))
        return [k for k, name in enumerate(op.inputs)
                if (name in op.formulas or not op.formulas) and name != self.number]

    def differentiable_outputs(self) -> Sequence[int]:
        """Which outputs can have a gradient: not those that are indices."""
        if self.operator is None:
            return range(self.n_outputs)
        return [k for k, o in enumerate(self.operator.outputs) if o not in self.operator.nondiff]

    @property
    def metadata(self) -> dict:
        """A dict for the user's notes on this node."""
        if self._metadata is None:
            self._metadata = {}
        return self._metadata

    @property
    def requires_grad(self) -> bool:
        """True: only what requires grad is recorded."""
        return True

    @property
    def _input_metadata(self):
        raise NotImplementedError("Node._input_metadata: a node does not know the shapes of the "
                                  "gradients that it will get")

    def _register_hook_dict(self, tensor):
        raise NotImplementedError("Node._register_hook_dict: hooks are registered by "
                                  "Tensor.register_hook()")

    def _sequence_nr(self) -> int:
        return self._seq if self._given_number is None else self._given_number

    def _set_sequence_nr(self, number: int) -> None:
        self._given_number = number
        features.renumbered = True

    def __call__(self, *grads):
        """Run the node by hand: the gradients of its inputs, given those of its outputs."""
        if len(grads) != self.n_outputs:
            raise TypeError(f"expected {self.n_outputs} arguments, got {len(grads)} instead")
        from .hooks import run_by_hand
        return run_by_hand(self, grads)

    def __repr__(self):
        return f"<{type(self).__name__} object at {id(self):#x}>"

    def __lt__(self, other):
        return id(self) < id(other)          # equal sequence numbers in the engine's heap

    def unpack_all(self):
        """Read every saved tensor: an error if one is freed or was changed.

        PyTorch's nodes begin with this; here a formula reads only what it needs.
        """
        if self.operator is not None:
            used = self.operator.used()
            for name in (*sorted(self.operator.inputs), *self.operator.outputs):
                saved = getattr(self, f"_saved_{name}") if name in used else None
                if saved is not None:
                    edge(saved)

    def before_capture(self, g, create=False):
        """`g`, which autograd.grad() will return, after the hooks of its tensor have seen it."""
        return g

    def run(self, g, edges):
        """The gradients of the inputs, given that of the output; all of them are arrays.

        `edges` are the node's own, or the same with None for each gradient that is not wanted. For
        a node with several outputs `g` is a list with the gradient of each, or None.
        """
        raise NotImplementedError(type(self).__name__)

    def run_graph(self, g, edges):
        """The same on Tensors, so that the gradients can be differentiated again."""
        raise NotImplementedError(type(self).__name__)


class AccumulateGrad(Node):
    """Where a leaf's gradient ends: adds it to `variable.grad`. See NOTE [leaves]."""

    __slots__ = ("variable",)
    edges: tuple = ()


def leaf_node(t) -> AccumulateGrad | None:
    """The one AccumulateGrad of a leaf, made when first asked for."""
    found = t._accumulator
    return found and found() or new_leaf_node(t)


def new_leaf_node(t) -> AccumulateGrad | None:
    if not t._flags & 1:                 # it is special, but nobody differentiates it
        return None
    node = new(AccumulateGrad)           # in half the time of a call with __init__()
    node.variable, node._seq = t, LEAF_SEQ + next_seq()
    t._accumulator = ref(node)
    if t._leaf_hooks is not None:
        from .hooks import attach
        attach(node, t._leaf_hooks)
    return node


def history(t) -> Any:
    """The node that receives the gradient of `t`, or None."""
    if not t._flags:
        return None
    node = t._grad_fn
    if node is not None:
        return node
    if t._base is None:
        found = t._accumulator           # as in leaf_node(), without another call
        return found and found() or new_leaf_node(t)
    node = t._view_node
    if t._view_version != t._cell[0]:                   # its memory was written since
        from .views import view_grad_fn
        node = view_grad_fn(t)
    return leaf_node(t) if node is None and t._own_grad else node


def edge(t) -> Any:
    """Where the gradient of `t` goes: (node, output number), or None."""
    node = history(t)
    return None if node is None else (node, t._output_nr)


def connect(node, tensors) -> None:
    """Give `node` its edges: one for each of the input `tensors`, some of which may be None."""
    node.edges = tuple([None if t is None else history(t) for t in tensors])
    numbers = tuple([0 if t is None else t._output_nr for t in tensors])
    if any(numbers):
        node._numbers = numbers


def freed(node, edges=(True,)):
    """Raise the error about a node whose saved tensors are freed.

    With `edges` that are all None no gradient is wanted, and these Nones are the node's results.
    """
    if any(edges):
        from .explain import freed_graph
        raise freed_graph(node)
    return edges


def stale(node, name, tensor, expected):
    """Raise for a saved tensor that was changed since; only warn where `.data` hid the change."""
    if len(tensor._cell) > 2:
        from .unseen import only_unseen
        if only_unseen(node, name, tensor, expected):
            return
    from .explain import modified_in_place
    raise modified_in_place(node, name, tensor, expected)
