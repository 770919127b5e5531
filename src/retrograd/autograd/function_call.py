"""A call of a custom Function: forward, and the place of its outputs in the graph.

NOTE [custom functions]
    `Foo.apply(...)` makes a node of the class FooBackward, which is also the `ctx` that forward
    and backward are given. Forward runs without recording; then each output is given its place:
    a new tensor gets the node as its history; an input returned as it is becomes a view of
    itself; an input changed in place (mark_dirty) has its history rebased on the node. A view
    made inside the function may not be written to afterwards, since replaying the view would
    bypass the user's backward.
"""

from __future__ import annotations

import warnings

from .._callers import note_write
from .._state import features, set_recording, state
from .._tensor import INFERENCE_TENSOR, Tensor
from .function_node import OWN_NAMES
from .node import connect, next_seq
from .recording import finish
from .saved import INFERENCE, SavedTensor
from .views import IN_FUNCTION, MULTI_OUTPUT, check_inplace, rebase, view_of


def new_ctx(cls):
    """The ctx of one call of the Function `cls`."""
    ctx = cls._backward_cls()
    ctx.edges = ctx._saved = ()
    return ctx


def call(ctx, args, apart):
    """Run forward and record `ctx` as its node; `apart`: the Function has a setup_context."""
    cls = ctx._forward_cls
    needs = tuple([isinstance(a, Tensor) and a._flags & 1 == 1 for a in args])
    ctx.needs_input_grad = needs
    recording = state.grad and True in needs
    if recording:
        connect(ctx, [a for a in args if isinstance(a, Tensor)])
        ctx._seq = next_seq()
        ctx._inputs = tuple([_like(a) for a in args])
    edges = ctx.edges
    if recording and cls._intermediates is None:
        from .intermediates import examine

        out = examine(ctx, args, lambda: _forward(ctx, args, apart))
    else:
        out = _forward(ctx, args, apart)
    if ctx.edges is not edges or not OWN_NAMES.isdisjoint(ctx.__dict__):
        _refuse_names(ctx)
    outputs = out if isinstance(out, tuple) else (out,)
    outputs = _placed(ctx if recording else None, ctx, args, outputs, apart)
    if recording:
        ctx._saved = _saved(ctx)
        if features.recording:
            finish(ctx)
    # What is left on ctx must not hold the outputs, which hold ctx.
    ctx.to_save = ctx.dirty_tensors = ctx.non_differentiable = None
    return outputs if isinstance(out, tuple) else outputs[0]


def _forward(ctx, args, apart):
    """What the user's forward returns, run without recording."""
    cls = ctx._forward_cls
    before, state.forward = (state.grad, state.forward), False
    try:
        set_recording(False)
        if apart:
            out = cls.forward(*args)
            cls.setup_context(ctx, args, out)
        else:
            out = cls.forward(ctx, *args)
        return out
    finally:
        state.grad, state.forward = before           # first: see NOTE [interrupts]
        set_recording(before[0])


def _refuse_names(ctx):
    """Raise for an attribute of ctx that would hide one that the node needs."""
    name = next(iter(OWN_NAMES.intersection(ctx.__dict__)), "edges")
    raise NotImplementedError(
        f"ctx.{name}: the graph keeps something of its own under this name; choose another"
    )


def _like(value):
    """(shape, dtype) of a tensor."""
    if isinstance(value, Tensor):
        return value._data.shape, value._data.dtype
    return None


# Outputs, see NOTE [custom functions]


def _marked(tensors, complaint) -> dict[int, Tensor]:
    """The tensors by id; `complaint` is PyTorch's sentence (it does end abruptly)."""
    if not tensors:
        return {}
    for position, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise RuntimeError(
                f"{complaint}\n\nArgument {position} is of type {type(t).__name__}."
            )
    return {id(t): t for t in tensors}


class _Marks:
    """What ctx says of a call's tensors, by id."""

    def __init__(self, ctx, args, apart):
        self.inputs = {id(a) for a in args}
        self.dirty = _marked(ctx.dirty_tensors,
                             "mark_dirty can only accept variables, but argument ")
        self.constant = _marked(ctx.non_differentiable,
                                "mark_non_differentiable only accepts variable arguments, but got ")
        self.kept = ()
        if apart:
            saved = (*(ctx.to_save or ()), *(ctx.saved_for_forward or ()))
            self.kept = {id(t) for t in saved}


def _placed(node, ctx, args, outputs, apart) -> tuple:
    """The outputs with their place in the graph; `node` is None when nothing is recorded."""
    marks = _Marks(ctx, args, apart)
    if marks.constant:
        ctx._constant = tuple(nr for nr, out in enumerate(outputs) if id(out) in marks.constant)
    if node is not None:
        node.n_outputs = len(outputs)
        zeros_for_all = node._materialize_non_diff_grads
        node._outputs = tuple([
            _like(o) if zeros_for_all or id(o) not in marks.constant else None for o in outputs])
    placed, differentiable = [], 0
    for nr, out in enumerate(outputs):
        if isinstance(out, Tensor):
            tracked = (node is not None and id(out) not in marks.constant
                       and out._data.dtype.kind in "fcV")
            out = _place(out, nr, node if tracked else None, ctx, marks, len(outputs))
            differentiable += tracked
        placed.append(out)
    _check_returned(marks.dirty, outputs)
    if differentiable > 1:
        for out in placed:
            if isinstance(out, Tensor) and out._base is not None:
                out._creation_meta = MULTI_OUTPUT
    return tuple(placed)


def _place(out, nr, node, ctx, marks, n_outputs):
    """The output `out`, made by `node` (None: it has no gradient)."""
    is_input, modified = id(out) in marks.inputs, id(out) in marks.dirty
    if is_input and not modified and id(out) in marks.kept:
        raise RuntimeError(
            "An input that has been returned as-is as output is being saved for backward. This "
            "is not supported if you override setup_context. You should return and save a "
            "view of the input instead, e.g. with x.view_as(x) or setup ctx inside the "
            "forward function itself."
        )
    if node is None:
        out = _constant(out, is_input, modified)
    elif modified:
        _rebase(out, node, nr, is_input, n_outputs)
    else:
        out = _alias(out) if is_input else out
        _give_history(out, node, nr)
    if modified:
        note_write(out, ctx._forward_cls.__name__)
    if state.grad and out._base is not None and not (is_input and modified):
        out._creation_meta = IN_FUNCTION
    return out


def _alias(t):
    """A view of all of `t`, of its class."""
    if t.__class__ is Tensor:
        return view_of(t, t._data)
    before = state.grad
    try:
        set_recording(False)
        return t.view_as(t)
    finally:
        state.grad = before                  # first: see NOTE [interrupts]
        set_recording(before)


def _constant(out, is_input, modified):
    """An output without a gradient."""
    if not out._flags & 1:
        return _alias(out) if is_input and not modified else out
    if is_input:
        return out.detach()
    return out if out._base is not None else out.detach_()


def _give_history(out, node, nr):
    out._flags |= 1
    out._output_nr = nr
    if out._base is None:
        out._grad_fn = node
    else:
        out._view_node, out._view_version = node, out._cell[0]


def _rebase(out, node, nr, is_input, n_outputs):
    """Make `node` the history of an input that forward changed in place."""
    if out._base is not None:
        check_inplace(out)                       # a leaf may not get a history through its views
    elif out._flags & 1 and out.is_leaf:
        raise RuntimeError(
            "a leaf Variable that requires grad has been used in an in-place operation."
        )
    if not is_input:
        warnings.warn(
            "Only input Tensors should be given to ctx.mark_dirty(). If a Tensor is not an input, "
            "there is no need to pass it to mark_dirty().",
            stacklevel=6,
        )
    if out._base is not None and n_outputs > 1:
        raise RuntimeError(
            "If your Function modifies inplace an input that is a view of another Tensor, your "
            "Function cannot return more than one Tensor. This is not supported by the current "
            "autograd engine. You should either make sure the input is not a view (using .clone() "
            "for example) or make your Function only return one Tensor (potentially splitting it "
            "into two Functions: one doing the inplace that returns a single Tensor and a second "
            "one that does the other operations). You can ask on the forum "
            "https://discuss.pytorch.org/ if you need help to do this change."
        )
    rebase(out, node, nr)


def _check_returned(dirty, outputs) -> None:
    if dirty and not dirty.keys() <= {id(o) for o in outputs}:
        raise RuntimeError(
            "Some elements marked as dirty during the forward method were not returned as output. "
            "The inputs that are modified inplace must all be outputs of the Function."
        )


def _saved(ctx) -> tuple[SavedTensor, ...]:
    saved = []
    for position, t in enumerate(ctx.to_save or ()):
        if t is None:
            saved.append(SavedTensor.of_input(None))
            continue
        if not isinstance(t, Tensor):
            raise TypeError(
                f"save_for_backward can only save variables, but argument {position} is of type "
                f"{type(t).__name__}"
            )
        if t._flags & INFERENCE_TENSOR and not state.inference:
            raise RuntimeError(INFERENCE)
        history = t._grad_fn if t._base is None else t._view_node
        if history is ctx:
            saved.append(SavedTensor.of_output(t, t._output_nr))
        else:
            saved.append(SavedTensor.of_input(t))
    return tuple(saved)
