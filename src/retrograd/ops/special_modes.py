"""Operators on tensors whose `_flags` say more than "requires grad".

NOTE [special tensors]
    A generated operator knows two kinds of tensor: plain ones and recorded ones. Everything else
    (dual tensors of forward mode, batched tensors of vmap, sparse tensors ...) makes `flags > 1`,
    and the operator calls `call` here instead. That asks the outermost of the modes that the
    operands are in. A mode takes its flag off the operands, calls the operator again, which now
    meets the next mode inward, and puts its flag on the results. So each mode is written once, for
    all operators.
"""

from __future__ import annotations

from contextlib import contextmanager
from types import FunctionType, SimpleNamespace

from .._lazy import LazyModule
from .._state import state
from .._tensor import (
    BATCHED,
    DUAL,
    INFERENCE_TENSOR,
    ON_META,
    SPARSE,
    TRACED,
    WRAPPER,
    Tensor,
)
from ..autograd.saved import INFERENCE
from ..autograd.views import leaf_first

# The modes, outermost first: each is a module with call(), call_in_place() and call_views().
MODES = [(flag, LazyModule(name, __package__)) for flag, name in (
    (TRACED, ".traced"), (BATCHED, ".batching"), (DUAL, ".dual"), (WRAPPER, ".wrapped"),
    (ON_META, ".meta"), (SPARSE, ".sparse"))]

WRITTEN_INFERENCE = (
    "Inplace update to inference tensor outside InferenceMode is not allowed.You can make a clone "
    "to get a normal tensor before doing inplace update.See "
    "https://github.com/pytorch/rfcs/pull/17 for more details.")


def outermost(tensors):
    """The outermost of the modes that these tensors are in; None for inference tensors alone."""
    flags = 0
    for t in tensors:
        flags |= t._flags
    for flag, mode in MODES:
        if flags & flag and (flag != DUAL or state.forward):
            return mode
    return None


def call(op, fn, tensors, consts):
    """The operator `fn` on special tensors."""
    flat = flatten(tensors)
    mode = outermost(flat)
    if mode is not None:
        return mode.call(op, fn, tensors, consts, flat)
    with without_flags(flat, INFERENCE_TENSOR | DUAL) as inference:
        res = fn(*tensors, *consts)
        _refuse_saved(res, inference)
    if op.view and tensors[0]._flags & INFERENCE_TENSOR:
        _forget_base(res)
    return res


def call_in_place(op, fn, tensors, consts):
    """The in-place operator `fn` on special tensors."""
    self = tensors[0]
    refuse_write(self)
    flat = flatten(tensors)
    mode = outermost(flat)
    if mode is not None:
        return mode.call_in_place(op, fn, tensors, consts, flat)
    with without_flags(flat, INFERENCE_TENSOR | DUAL) as inference:
        fn(*tensors, *consts)
        _refuse_saved(self, inference)
    return self


def call_views(function, input, args):
    """several_views() of a special tensor."""
    mode = outermost([input])
    if mode is not None:
        return mode.call_views(function, input, args)
    with without_flags([input], INFERENCE_TENSOR | DUAL):
        views = function(input, *args)
    if input._flags & INFERENCE_TENSOR:
        for v in views:
            _forget_base(v)
    return views


def _forget_base(view):
    """A view of an inference tensor is an inference tensor without a base."""
    view._base = view._grad_fn = None
    view._output_nr = 0
    view._flags = INFERENCE_TENSOR


def refuse_write(t):
    """Raise if `t` is an inference tensor that may not be written to here."""
    if t._flags & INFERENCE_TENSOR and not state.inference:
        leaf_first(t)
        raise RuntimeError(WRITTEN_INFERENCE)


def flatten(tensors):
    """The Tensors among an operator's inputs, those in lists included, each once."""
    found = {}
    for t in tensors:
        if isinstance(t, Tensor):
            found[id(t)] = t
        elif t.__class__ is list or t.__class__ is tuple:
            for one in t:
                if isinstance(one, Tensor):
                    found[id(one)] = one
    return [*found.values()]


@contextmanager
def without_flags(tensors, flags):
    """Within the block, clear `flags` of the tensors; yields the inference tensors among them.

    Where all are inference tensors they are constants, even those that require grad.
    """
    had = [(t, t._flags) for t in tensors]
    if all(own & INFERENCE_TENSOR or t._wrapped for t, own in had):
        flags |= 1
    for t, own in had:
        t._flags = own & ~flags
    try:
        yield [t for t, own in had if own & INFERENCE_TENSOR]
    finally:
        for t, own in had:
            t._flags |= own


def with_kernel(fn, kernel, **names):
    """A copy of an operator's generated function that calls this kernel, whatever the size; `names`
    stand for other globals of its."""
    chosen = dict.fromkeys(("kernel", "small", "large", "by_result", "declined"), kernel)
    scope = {**fn.__globals__, **chosen, "fast": SimpleNamespace(twin=lambda name: kernel), **names}
    made = FunctionType(fn.__code__, scope, fn.__name__, fn.__defaults__, fn.__closure__)
    made.__kwdefaults__ = fn.__kwdefaults__
    return made


def _refuse_saved(res, inference):
    """Raise if a node was recorded that saved an inference tensor; transforms may do that."""
    if not inference or state.reverse:
        return
    node = (res[0] if isinstance(res, tuple) else res)._grad_fn
    saved = getattr(node, "_saved", None) or ()
    for t in inference:
        if any(s is t for s in saved):
            from ..autograd.explain import with_explanation
            raise RuntimeError(with_explanation(INFERENCE, "saved_inference", t))
