"""Views that share memory with their base, and what writing through one does to the graph.

NOTE [views]
    A view knows its base (never another view), and the node that made it (`_view_node`), correct
    as of version `_view_version` of the memory. Its `_grad_fn` is always None, so that operators
    ask `history`, which asks `view_grad_fn`: if the memory was written to since, the view's history
    is now "a strided window onto whatever the base has become", an AsStridedBackward0 (or, with
    view replay, copies of the nodes that led to it, above the base's new history).

    A write in place through a view rebases the base: its new node is CopySlices, which sends the
    written part of the gradient through the writing operator and the rest to the base's past.

    A view of a base that does not require grad is noted in the version cell (weakly), because a
    later write of something that does, into the base, must make the view require grad as well. In
    forward mode every view is noted: a write may give the base a tangent, and so all its views.
"""

from __future__ import annotations

from sys import getrefcount
from weakref import ref

import numpy as np

from .._state import features, state
from .._tensor import DUAL, INFERENCE_TENSOR, Tensor, new
from .grad_mode import _switches
from .node import Node, edge, freed, history, next_seq
from .windows import Window, check_overlap

# How a view was made, which PyTorch calls its CreationMeta; nothing to do with the device "meta".
DEFAULT, NO_GRAD, MULTI_OUTPUT, IN_FUNCTION, INFERENCE = range(5)


def view_of(input, array, node=None, creation_meta=DEFAULT, output_nr=0):
    """The Tensor for `array`, a view of `input`'s memory made by `node`."""
    res = new(Tensor)
    res._data = array
    cell = res._cell = input._cell
    base = input._base
    res._base = base = input if base is None else base
    res._grad_fn = res._grad = None
    res._output_nr = 0 if node is None else output_nr
    res._view_node = node
    res._view_version = cell[0]
    if features.paused and creation_meta != IN_FUNCTION and not state.grad:
        if input._flags & INFERENCE_TENSOR:       # so is the view, and it knows of no base
            res._base, res._flags = None, INFERENCE_TENSOR
            return res
        creation_meta = INFERENCE if state.inference else NO_GRAD
    if base is not input and creation_meta == DEFAULT:
        creation_meta = input._creation_meta
    res._creation_meta = creation_meta
    own = input._flags if node is not None else input._flags & ~1
    res._flags = (base._flags | own) & ~DUAL
    if not res._flags or features.dual and state.dual_levels:
        watch(cell, res)
    return res


def views_of(input, arrays, node=None, creation_meta=DEFAULT):
    """view_of() for each of the arrays, the outputs of `node`; what they share is found once."""
    if not arrays or input._flags & INFERENCE_TENSOR:
        return [view_of(input, array, node, creation_meta, nr) for nr, array in enumerate(arrays)]
    first = view_of(input, arrays[0], node, creation_meta)
    cell, base, flags = first._cell, first._base, first._flags
    version, creation_meta = first._view_version, first._creation_meta
    noted = not flags or features.dual and state.dual_levels
    views = [first]
    for nr, array in enumerate(arrays[1:], 1):
        res = new(Tensor)
        res._data, res._cell, res._base, res._flags = array, cell, base, flags
        res._grad_fn = res._grad = None
        res._output_nr = 0 if node is None else nr
        res._view_node, res._view_version, res._creation_meta = node, version, creation_meta
        if noted:
            watch(cell, res)
        views.append(res)
    return views


def watch(cell, view):
    """Note `view` in its memory's cell.

    Dead views are dropped when the cell's length reaches a power of two, so ever more rarely.
    """
    n = len(cell)
    if n >= 64 and n & (n - 1) == 0:
        cell[2:] = [r for r in cell[2:] if r() is not None]
    cell.append(ref(view))


def wake_views(base):
    """Make the existing views of `base` require grad, which it has just begun to do."""
    cell = base._cell
    if len(cell) > 2:
        for r in cell[2:]:
            view = r()
            if view is not None and view._base is base:
                view._flags |= base._flags & ~DUAL


def view_grad_fn(view):
    """The node of a view, made again if its memory was written to since (see NOTE [views])."""
    base = view._base
    if view._view_version != view._cell[0] and (view._view_node is not None or base._flags & 1):
        if len(view._cell) > 2:
            from .unseen import seen
            if seen(view._cell, view._view_version) == view._version:
                return view._view_node
        check_creation_meta(view, "its base or another view of its base has been")
        old = view._view_node, view._output_nr
        view._view_node = regenerated(view, Window(view._data, base._data), base)
        view._view_version = view._cell[0]
        view._output_nr = 0
        view._flags |= 1
        view._backward_hooks = None              # they stay with the old history
        if view._retains:
            from .hooks import move_retained
            move_retained(view, *old)
    return view._view_node


def rebase(t, node, output_nr=0):
    """Make `node` the history of `t`, which it is about to change in place."""
    base = t._base
    if t._retains or t._backward_hooks is not None:
        old = edge(t)
    if base is None:
        t._grad_fn, t._output_nr = node, output_nr
        t._flags |= 1
        wake_views(t)
        if t._retains or t._backward_hooks is not None:
            move_hooks(t, old)
        return
    window = Window(t._data, base._data)
    written_through(base, window, node)
    t._flags |= 1
    t._view_node = regenerated(t, window, base)
    t._view_version = t._cell[0] + 1           # the write that follows makes it this
    node._shown_as = ref(t._view_node)
    t._output_nr = 0
    if t._retains or t._backward_hooks is not None:
        move_hooks(t, old)


def reshape_view(t, node):
    """Make `node` the history of a view that has changed its shape in place, not its elements."""
    t._view_node, t._output_nr, t._view_version = node, 0, t._cell[0]
    if t._retains or t._backward_hooks is not None:
        move_hooks(t, node.next_functions[0])


def written_through(base, window, node):
    """Give `base` the history of having been written to, where `window` lies, by `node`."""
    made = CopySlices(window, base, node)
    hooked = base._retains or base._backward_hooks is not None
    if hooked:
        old = edge(base)
    base._grad_fn, base._output_nr = made, 0
    if hooked:
        move_hooks(base, old)
    base._flags |= 1
    wake_views(base)


def move_hooks(t, old):
    """Hooks stay with the history that `t` had; retain_grad goes on to the new one."""
    t._backward_hooks = None
    if t._retains:
        from .hooks import move_retained
        move_retained(t, *old)


_AMBIGUOUS = (" Given that this use case is ambiguous and error-prone, it is forbidden. You can "
              "clarify your code by moving both the view and the inplace either both inside the "
              "{block} block (if you don't want the inplace to be tracked) or both outside (if you "
              "want the inplace to be tracked).")


def check_creation_meta(view, what="is being"):
    """Raise if `view` was made in a way that does not allow writes in place to be recorded."""
    creation_meta = view._creation_meta
    if creation_meta == DEFAULT:
        return
    node = view._view_node
    modified = f"{what} modified inplace"
    start = f"Output {view._output_nr} of {node.short_name()} is a view" if node else "A view"
    if creation_meta == NO_GRAD:
        raise RuntimeError(
            f"{start}{' of a view which' if node else ''} was created in no_grad mode and "
            f"{modified} with grad mode enabled." + _AMBIGUOUS.format(block="no_grad"))
    if creation_meta == INFERENCE:
        raise RuntimeError(
            f"{start}{' of a view which' if node else ''} was created in inference mode and "
            f"{modified} in normal mode." + _AMBIGUOUS.format(block="inference_mode"))
    if node is None:
        start = f"A view was created in no_grad mode and {modified} with grad mode enabled. "
    else:
        start = f"{start} and {modified}. "
    if creation_meta == MULTI_OUTPUT:
        raise RuntimeError(
            start + "This view is the output of a function that returns multiple views. Such "
            "functions do not allow the output views to be modified inplace. You should replace "
            "the inplace operation by an out-of-place one.")
    raise RuntimeError(
        start + "This view was created inside a custom Function (or because an input was returned "
        "as-is) and the autograd logic to handle view+inplace would override the custom backward "
        "associated with the custom Function, leading to incorrect gradients. This behavior is "
        "forbidden. You can fix this by cloning the output of the custom Function.")


def check_inplace(t):
    """Raise if `t` may not be changed in place while recording."""
    base = t._base
    if base is not None:
        check_creation_meta(t)
        if t._flags & 1 and base.is_leaf:
            from .explain import with_explanation
            raise RuntimeError(with_explanation(
                "a view of a leaf Variable that requires grad is being used in an in-place "
                "operation.", "written_leaf", base))
    if t._flags & 1 and t.is_leaf:
        from .explain import with_explanation
        raise RuntimeError(with_explanation(
            "a leaf Variable that requires grad is being used in an in-place operation.",
            "written_leaf", t))


def leaf_first(t):
    """Raise for a write to a leaf where PyTorch looks at that before it looks at the arguments."""
    if state.grad:
        check_inplace(t)


# --------------------------------------------------------------------------- the nodes of writes

class AsStridedBackward0(Node):
    """History of a view whose base was written to: a window onto the base."""

    def __init__(self, window, base):
        self._seq = next_seq()
        self._window = window
        self.edges = (base._grad_fn or history(base),)
        if base._output_nr:
            self._numbers = (base._output_nr,)

    def run(self, g, edges):
        return self._window.pad(g),

    def run_graph(self, g, edges):
        from ..ops.declare import F as T
        return T.window_pad(g, self._window),


def regenerated(view, window, base):
    """The node of a view whose base was written to."""
    return _switches.view_replay and _replayed(view, base) or AsStridedBackward0(window, base)


def _replayed(view, base):
    """The views that led from `base` to `view`, again; None for a view that has no history."""
    steps, node = [], view._view_node
    while node is not None and (node.__class__ is AsStridedBackward0 or
                                node.operator is not None and node.operator.view):
        steps.append(node)
        node = node.edges[0]
    made = None
    for old in reversed(steps):
        if old.__class__ is AsStridedBackward0:                  # the first step
            made = AsStridedBackward0(old._window, base)
            continue
        copy = old.__class__()
        for name in old.__class__.__slots__:
            setattr(copy, name, getattr(old, name))
        copy.edges = (made or base._grad_fn or history(base),)
        if made is None and base._output_nr:
            copy._numbers = (base._output_nr,)
        copy._seq, made = next_seq(), copy
    return made


def _references_of_an_unshared_argument():
    class Probe:
        def run(self, g):
            return getrefcount(g)

    g = np.empty(1)
    return Probe().run(g)


UNSHARED = _references_of_an_unshared_argument()         # as in NOTE [whose buffer] of engine.py


class CopySlices(Node):
    """History of a base that was written to through a view: `fn` for that part, the past for the
    rest."""

    def __init__(self, window, base, fn):
        self._seq = next_seq()
        self._window = window
        self._saved = fn
        self.edges = (history(base), *fn.edges[1:])
        if base._output_nr or fn._numbers is not None:
            self._numbers = (base._output_nr, *(fn._numbers or (0,) * len(fn.edges))[1:])

    def _fn(self):
        fn = self._saved
        if fn is None:
            freed(self)
        return fn

    def run(self, g, edges):
        if getrefcount(g) <= UNSHARED and self._window.fits(g):
            dense, window = g, self._window.of(g)        # the engine alone holds it: no copy
        else:
            dense, window = self._window.copy(g)
        check_overlap(window)
        grads = self._fn().run(window.copy(), edges)
        window[...] = 0 if grads[0] is None else grads[0]
        return (dense, *grads[1:])

    def run_graph(self, g, edges):
        from ..ops.declare import F as T
        grads = self._fn().run_graph(T.window_cut(g, self._window), edges)
        return (T.window_replace(g, grads[0], self._window), *grads[1:])
