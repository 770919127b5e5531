"""Forward mode: dual tensors carry a tangent along with their value.

>>> import retrograd as torch
>>> import retrograd.autograd.forward_ad as fwAD
>>> with fwAD.dual_level():
...     x = fwAD.make_dual(torch.tensor(3.), torch.tensor(1.))
...     fwAD.unpack_dual(x * x).tangent
tensor(6.)
"""

from __future__ import annotations

import threading
import weakref
from collections import namedtuple

from .._state import features, state
from .._tensor import Tensor
from .grad_mode import _DecoratorContextManager

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual",
           "unpack_dual"]

UnpackedDualTensor = namedtuple("UnpackedDualTensor", ("primal", "tangent"))
UnpackedDualTensor.__doc__ = """A value and its tangent (or None): what `unpack_dual()` returns.

    >>> import retrograd as torch
    >>> torch.autograd.forward_ad.unpack_dual(torch.tensor(3.)).tangent is None
    True
    """


class _Levels(threading.local):
    """The open levels of this thread: for each, the tensors that have a tangent there."""

    def __init__(self):
        self.open = []                     # weak references to tensors, one list a level


_levels = _Levels()


def remember(t, level):
    """Note that `t` has a tangent at `level`, which ends with the level."""
    if level < len(_levels.open):
        _levels.open[level].append(weakref.ref(t))


def push_level() -> int:
    """Open a level, whatever others are open (torch.func nests them)."""
    features.count("dual", 1)                # first: see NOTE [interrupts]
    level = open_levels()
    _levels.open.append([])
    state.dual_levels = level + 1
    return level


def opened() -> list:
    """The open levels of this thread: for each, references to what has a tangent there."""
    return _levels.open


def open_levels() -> int:
    """How many levels are open."""
    return len(_levels.open)


def pop_levels(level: int) -> None:
    """Close this level, if it is open, and those inside it; no tensor keeps their tangents."""
    ended, _levels.open[level:] = _levels.open[level:], ()
    state.dual_levels = level
    forget(ended, level)


def forget(ended: list, level: int) -> None:
    """Take from all tensors their tangents at levels that have ended: `level` and those above."""
    from ..ops.dual import drop_tangent
    features.count("dual", -len(ended))
    for number, tensors in enumerate(ended, level):
        for r in tensors:
            t = r()
            if t is not None:
                drop_tangent(t, number)


def enter_dual_level() -> int:
    """Open the level that make_dual works at; only one can be open.

    Raises RuntimeError inside another level.

    >>> import retrograd.autograd.forward_ad as fwAD
    >>> fwAD.enter_dual_level()
    0
    >>> fwAD.exit_dual_level()
    """
    if _levels.open:
        raise RuntimeError("Nested forward mode AD is not supported at the moment")
    return push_level()


def exit_dual_level(*, level: int | None = None) -> None:
    """Close the level; all tangents are gone.

    >>> import retrograd.autograd.forward_ad as fwAD
    >>> level = fwAD.enter_dual_level()
    >>> fwAD.exit_dual_level(level=level)
    """
    current = len(_levels.open) - 1
    if current < 0:
        raise RuntimeError("Dual level must be a positive number.")
    if level is not None and level != current:
        raise RuntimeError("Trying to exit a forward AD level that was not the last one that was "
                           "created. This is not supported.")
    pop_levels(current)


class dual_level(_DecoratorContextManager):
    """A level for the length of a block, after which all its tangents are gone.

    >>> import retrograd as torch
    >>> import retrograd.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     x = fwAD.make_dual(torch.ones(1), torch.ones(1))
    >>> fwAD.unpack_dual(x).tangent is None
    True
    """

    def __enter__(self):
        return enter_dual_level()

    def __exit__(self, *exc):
        exit_dual_level()


def make_dual(tensor: Tensor, tangent: Tensor, *, level: int | None = None) -> Tensor:
    """A view of `tensor` that carries `tangent` (same shape) through operators.

    A tangent with the tensor's memory layout is used as it is; any other is copied, so that every
    view of the tensor has a matching view of the tangent.

    Raises RuntimeError outside a level or if the sizes differ, ValueError for integers.

    >>> import retrograd as torch
    >>> import retrograd.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     fwAD.make_dual(torch.tensor([0., 1.]), torch.ones(2)).sin()
    tensor([0.0000, 0.8415], tangent=tensor([1.0000, 0.5403]))
    """
    if level is None:
        level = len(_levels.open) - 1
    if level < 0:
        raise RuntimeError("Trying to create a dual Tensor for forward AD but no level exists, "
                           "make sure to enter_dual_level() first.")
    for name, t in (("primal", tensor), ("tangent", tangent)):
        if not (t.is_floating_point() or t.is_complex()):
            raise ValueError(f"Expected {name} to be floating point or complex, but got: {t.dtype}")
    check_size(tensor, tangent)
    from ..ops.dual import in_layout_of, set_tangent
    if level in (tensor.__dict__.get("_tangents") or {}):
        raise RuntimeError("Making a dual Tensor based on a Tensor that already has a forward "
                           f"gradient at the same level {level} is not supported.")
    if level in (tangent.__dict__.get("_tangents") or {}):
        raise RuntimeError("Setting a forward grad that itself has a forward gradient at the same "
                           f"level{level} is not supported.")
    dual = tensor.view_as(tensor)
    set_tangent(dual, level, in_layout_of(tensor, tangent))
    return dual


def check_size(tensor: Tensor, tangent: Tensor) -> None:
    """Raise unless a tangent has its tensor's shape."""
    if tensor._data.shape != tangent._data.shape:
        raise RuntimeError(
            "Trying to set a forward gradient that has a different size than that of the original "
            f"Tensor, this is not supported. Tensor is of size {list(tensor._data.shape)} while "
            f"the given forward gradient is of size {list(tangent._data.shape)}.")


def unpack_dual(tensor: Tensor, *, level: int | None = None) -> UnpackedDualTensor:
    """(value, tangent) of a dual tensor; the value is a view without the tangent.

    >>> import retrograd as torch
    >>> import retrograd.autograd.forward_ad as fwAD
    >>> with fwAD.dual_level():
    ...     y = fwAD.make_dual(torch.tensor(3.), torch.tensor(1.)) ** 2
    ...     primal, tangent = fwAD.unpack_dual(y)
    >>> primal, tangent
    (tensor(9.), tensor(6.))
    """
    if level is None:
        level = len(_levels.open) - 1
    if level < 0:
        return UnpackedDualTensor(tensor, None)
    tangent = (tensor.__dict__.get("_tangents") or {}).get(level)
    from ..ops.dual import drop_tangent
    primal = tensor.view_as(tensor)
    drop_tangent(primal, level)
    return UnpackedDualTensor(primal, tangent)


class _set_fwd_grad_enabled(_DecoratorContextManager):
    """Carry tangents in this block, or not."""

    def __init__(self, mode: bool):
        self.prev, state.forward = state.forward, mode

    def __enter__(self):
        pass

    def __exit__(self, *exc):
        state.forward = self.prev


def _is_fwd_grad_enabled() -> bool:
    return state.forward


def __getattr__(name):
    if name == "_current_level":
        return len(_levels.open) - 1
    raise AttributeError(f"module 'torch.autograd.forward_ad' has no attribute {name!r}")
