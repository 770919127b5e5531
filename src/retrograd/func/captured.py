"""What a function inside grad(), vjp() or jvp() may write to: its inputs, and what it has made.

NOTE [captured tensors]
    The function that grad(), vjp() or jvp() differentiates may read any tensor. A write to one that
    existed before the call (a captured tensor) would leave values of the transform in it after the
    call; PyTorch refuses it, and so do we. To know the new tensors, the transform marks what is
    made in it: `creation_flags` in _tensor.py, which new tensors ask anyway, appends the transform
    to the version cell, where weak references to views are kept too. A recorded tensor needs no
    mark: its node is younger than the transform.
"""

from __future__ import annotations

from itertools import count

from .._state import features, state
from .._tensor import Tensor
from ..autograd.node import next_seq
from ..ops.batching import in_layers, layers, physical
from ..ops.overloads import overload_name
from ..utils._pytree import tree_flatten

serial = count()


class Transform:
    """A transform that differentiates, under way; in a version cell, the mark of what it made."""

    __slots__ = ("counted", "given", "number", "outer", "start", "vmaps")
    _base = None                    # it is not a view,

    def __call__(self):
        return self                 # and no reference that dies

    def __init__(self, given):
        """A transform of the tensors in the tree `given`, which may be written to."""
        self.number, self.start, self.outer = next(serial), next_seq(), state.transform
        self.given = {id(t._cell) for t in tree_flatten(given)[0] if isinstance(t, Tensor)}
        self.counted, self.vmaps = False, state.vmaps

    def enter(self) -> None:
        """Begin."""
        if self.outer is None:
            features.on_write(refuse_captured)
        features.count("creation_modes", 1)
        self.counted, state.transform = True, self           # last: see NOTE [interrupts]

    def exit(self) -> None:
        """End; state.transform is the outer transform again, which now owns what was made here."""
        if self.counted:
            self.counted = False
            features.count("creation_modes", -1)
            if self.outer is None:
                features.off_write(refuse_captured)
        self.outer = self.given = None


def data_of_batch(tensor):
    """`.data` of a batched tensor; inside grad, vjp or jvp only of tensors made there."""
    transform = state.transform
    if transform is None or transform.vmaps != state.vmaps or not within(transform, tensor):
        raise RuntimeError("accessing `data` under vmap transform is not allowed")
    real, numbers = layers(tensor)
    return in_layers(real.data, numbers)


def mark_data(data, tensor) -> None:
    """Let `data`, the tensor's `.data`, belong to the transforms that the tensor belongs to."""
    transform = state.transform
    if transform is not None and within(transform, tensor):
        data._cell.append(transform)


def within(transform, tensor) -> bool:
    """Whether the transform was given the tensor, or has made it."""
    if id(tensor._cell) in transform.given or any(
            mark.__class__ is Transform and mark.number >= transform.number
            for mark in tensor._cell[2:]):
        return True
    tensor = physical(tensor)
    node = (tensor if tensor._base is None else tensor._base)._grad_fn
    return node is not None and node._seq > transform.start


def refuse_captured(tensor, op=None) -> None:
    """Raise if `op`, an operator or a name, would write to a tensor that the function captured."""
    transform = state.transform
    if transform is None or op is None or within(transform, tensor):
        return
    name, overload = (op, "default") if isinstance(op, str) else overload_name(op, (tensor,), True)
    raise RuntimeError(
        "During a grad (vjp, jvp, grad, etc) transform, the function provided attempted to call "
        f"in-place operation (aten::{name}{'.' * (overload != 'default')}"
        f"{overload.removesuffix('default')}) that would mutate a captured Tensor. This is not "
        "supported; please rewrite the function being transformed to explicitly accept the mutated "
        "Tensor(s) as inputs.")
