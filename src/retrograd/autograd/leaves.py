"""Leaves: what may become one, what their `.grad` may be, and how a gradient is added to it.

The backward pass calls `accumulate` for each leaf, in `AccumulateGrad`. NOTE [whose buffer] in
engine.py says when it may take over the gradient's array.
"""

from __future__ import annotations

from sys import getrefcount
from threading import RLock

import numpy as np

from .._state import state
from .._tensor import INFERENCE_TENSOR, ON_META, OWN, Tensor, wrap
from ..kernels import fast
from ..kernels.layout import empty_if_dense
from ..kernels.shape import in_order
from .gradients import is_large, is_sparse, ndarray
from .node import AccumulateGrad
from .views import wake_views

# --------------------------------------------------------------------------- set by a program

def set_requires_grad(t: Tensor, requires_grad: bool, can: str = "floating point") -> Tensor:
    """Set `t.requires_grad`; returns t. RuntimeError for integers and for False on what is no leaf.

    `can` says which dtypes can require grad, in the words of the caller's error.
    """
    if not requires_grad and t._flags & 1 and not t._has_no_node():
        raise RuntimeError(
            "you can only change requires_grad flags of leaf variables. If you want to use a "
            "computed variable in a subgraph that doesn't require differentiation use "
            "var_no_grad = var.detach().")
    if requires_grad and t._data.dtype.kind in "biu":
        raise RuntimeError(f"only Tensors of {can} dtype can require gradients\n\n"
                           f"This one is {t.dtype}: whole numbers and True/False have no "
                           "gradient.\nCure: convert it first, with .float().")
    if not requires_grad:
        if t._base is None or not t._base._flags & 1:      # else it stays a recorded view
            t._flags &= ~1
    elif t._flags & INFERENCE_TENSOR and not state.inference:
        raise RuntimeError("Setting requires_grad=True on inference tensor outside "
                           "InferenceMode is not allowed.")
    elif not t._flags & 1:
        t._flags |= 1
        if t._base is None:
            wake_views(t)
        else:
            t._own_grad = True
    elif t._base is not None and t._has_no_node():     # a view made under no_grad
        t._own_grad = True
    return t


def check_grad(leaf: Tensor, value) -> None:
    """Raise unless `value` may become `leaf.grad`: another tensor of its dtype, shape, device."""
    if not isinstance(value, Tensor):
        raise TypeError("assigned grad expected to be a Tensor or None but got grad of type "
                        f"{type(value).__name__}")
    if value is leaf:
        raise RuntimeError("can't assign Variable as its own grad")
    wanted = leaf.dtype if leaf._grad_dtype is OWN else leaf._grad_dtype
    if wanted is not None and value.dtype is not wanted:
        raise RuntimeError(
            f"attempting to assign a gradient with dtype '{value.dtype.option_name}' to a "
            f"tensor with grad_dtype '{wanted.tensor_name}'. The gradient must match the "
            "tensor's grad_dtype (defaults to the tensor's dtype). You can set the tensor's "
            "grad_dtype attribute with a specific dtype, or None to allow any dtype. Set "
            "grad_dtype with caution. Diverging the dtypes of a tensor and its gradient may "
            "break downstream systems that assume they match.")
    if value._data.shape != leaf._data.shape:
        raise RuntimeError(
            f"attempting to assign a gradient of size '{list(value._data.shape)}' to a tensor "
            f"of size '{list(leaf._data.shape)}'. Please ensure that the gradient and the "
            "tensor are the same size")
    if (value._flags ^ leaf._flags) & ON_META:
        raise RuntimeError(
            f"attempting to assign a gradient with device type '{value.device}' to a tensor "
            f"with device type '{leaf.device}'. Please ensure that the gradient and the tensor "
            "are on the same device")


Tensor._check_grad = check_grad
Tensor._set_requires_grad = set_requires_grad


# --------------------------------------------------------------------------- added by a pass

def _references_of_an_unshared_base():
    base = np.empty((2, 2))
    return getrefcount(base) + 1          # and the view's own reference


UNSHARED_BASE = _references_of_an_unshared_base()

locks = tuple([RLock() for _ in range(64)])       # for leaves that several threads reach at once


def lock_of(leaf):
    """What a thread holds while it adds to this leaf's `.grad`; some leaves share one."""
    return locks[id(leaf) >> 6 & 63]


def accumulate(node, g, create, mine):
    """Add `g` to the leaf's `.grad`; `mine` says that nobody else holds the array."""
    leaf = node.variable
    if not leaf._flags & 1:              # that was turned off since
        return
    if leaf._grad_fn is not None:
        raise RuntimeError("leaf variable has been moved into the graph interior")
    lock = locks[id(leaf) >> 6 & 63]     # lock_of(leaf), without another call
    try:                                 # in half the time of `with lock`
        lock.acquire()
        if create:
            add_recorded(leaf, g)
        elif leaf._grad is None:
            array = leaf._data
            if (mine and g.__class__ is ndarray and g.dtype is array.dtype
                    and g.strides == array.strides and ((base := g.base) is None or (
                        base.nbytes == g.nbytes and getrefcount(base) <= UNSHARED_BASE))):
                leaf._grad = wrap(g)                     # its memory becomes the leaf's
            else:
                leaf._grad = wrap(copied(g, array, mine))
        else:
            add_to_grad(leaf._grad, leaf, g)
    finally:
        lock.release()


def add_recorded(leaf, g):
    """Add a Tensor, where the backward pass is recorded."""
    grad = leaf._grad
    if grad is None:
        from ..ops.copies import clone_like
        leaf._grad = clone_like(g, leaf)
    else:
        leaf._grad = g + grad if is_sparse(grad) else grad + g


def add_to_grad(grad, leaf, g):
    """Add an array to what a leaf has, in place."""
    target = grad._data
    if target.__class__ is not ndarray:
        if g.__class__ is target.__class__ and is_sparse(grad):
            grad._data = target + g
            grad._cell[0] += 1
        else:                                            # sparse and dense: the sum is dense
            leaf._grad = wrap(target + g)
        return
    try:
        if target.size >= fast.HALF and is_large(target) and added_by_twin(target, g):
            pass
        elif target.dtype is g.dtype or target.dtype.kind == g.dtype.kind:
            target += g
        else:
            target += g.real.astype(target.dtype) if g.dtype.kind == "c" else g.astype(target.dtype)
    except ValueError:
        raise _misfit(target, g) from None
    grad._data = target if target.__class__ is ndarray else np.asarray(target)
    grad._cell[0] += 1


def _misfit(have, g):
    """The error for a gradient of another shape than `.grad`: `leaf.data` was set in between."""
    from ..ops.in_place import broadcast_error
    first = str(broadcast_error(have, (have, g))).splitlines()[0]
    return RuntimeError(
        f"{first}\n\n"
        f"A gradient of shape {tuple(g.shape)} was to be added to the `.grad` of a leaf, which has "
        f"the shape {tuple(have.shape)}: it was computed before the leaf's `.data` was set.\n"
        "Cure: let the old gradient go when you set `.data`: `p.grad = None`, or "
        "`optimizer.zero_grad()`.")


def added_by_twin(target, g):
    """Whether a compiled kernel has added a large gradient to what a leaf has."""
    return (target.dtype is g.dtype and fast.has("add") and not np.may_share_memory(target, g)
            and fast.twin("add")(target, g, out=target) is not None)


def copied(g, array, mine):
    """`g` as an array of `array`'s dtype and layout, in memory of its own."""
    if g.__class__ is not ndarray:
        if isinstance(g, np.generic):
            return np.asarray(g, dtype=array.dtype)
        if hasattr(g.__class__, "on_meta"):
            return g
        return g.uncounted() if mine else g.copy()        # a sparse array
    if g.dtype is array.dtype and array.__class__ is ndarray and array.flags.c_contiguous:
        return in_order(g)                                # turned ones by several threads
    copy = empty_if_dense(array if array.__class__ is ndarray else g)
    copy[...] = g.real if g.dtype.kind == "c" and array.dtype.kind != "c" else g
    return copy


AccumulateGrad.accumulate = accumulate
