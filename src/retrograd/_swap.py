"""torch.utils.swap_tensors: two tensors exchange their contents."""

from __future__ import annotations

from copyreg import _slotnames  # type: ignore[attr-defined]
from typing import Any
from weakref import getweakrefcount

from ._tensor import Tensor
from .autograd.unseen import replaced

_OWN = [name for name in Tensor.__slots__ if name not in ("__weakref__", "__dict__")]
_OF_VIEWS = ("_view_node", "_view_version", "_creation_meta")


def swap(t1: Any, t2: Any) -> None:
    """Exchange the classes, attributes and slots of two tensors."""
    if set(_slotnames(type(t1))) != set(_slotnames(type(t2))):
        raise RuntimeError("Cannot swap t1 and t2 if they have different slots")
    for name, t in (("t1", t1), ("t2", t2)):
        _check(name, t)
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1.__dict__, t2.__dict__ = t2.__dict__, t1.__dict__
    for slot in {*_OWN, *_slotnames(type(t1))}.difference(_OF_VIEWS):
        first, second = getattr(t1, slot), getattr(t2, slot)
        setattr(t1, slot, second)
        setattr(t2, slot, first)
    for t in (t1, t2):              # a graph that saved it notices that it has changed
        t._cell = replaced(t._cell)


def _check(name: str, t: Tensor) -> None:
    if t._base is not None or any(getattr(r(), "_base", None) is t for r in t._cell[2:]):
        raise RuntimeError(f"Cannot swap {name} because it is a view or has views")
    accumulator = t._accumulator
    if accumulator is not None and accumulator() is not None:
        raise RuntimeError(f"Cannot swap {name} because a recorded graph leads to it")
    if getweakrefcount(t):
        raise RuntimeError(f"Cannot swap {name} because it has weakref associated with it")
