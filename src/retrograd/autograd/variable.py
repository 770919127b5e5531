"""Variable: PyTorch's old name of Tensor."""

from __future__ import annotations

import sys
import types
import warnings

from .._state import state
from .._tensor import Tensor

__all__ = ["Variable", "VariableMeta"]


class ImperativeEngine:
    """Access to the backward pass under way."""

    def queue_callback(self, callback) -> None:
        """Call `callback()` when the backward pass that is running has finished."""
        if state.task is None:
            raise RuntimeError("Final callbacks can only be installed during backward pass.")
        state.task.callbacks.append(callback)

    def is_checkpoint_valid(self) -> bool:
        """Whether a reentrant checkpoint may run now."""
        from .engine import is_checkpoint_valid

        return is_checkpoint_valid()


class VariableMeta(type):
    """Makes every Tensor an instance of Variable."""

    def __instancecheck__(cls, other):
        return isinstance(other, Tensor)

    def __call__(cls, data=None, requires_grad=False, volatile=None):
        return cls.__new__(cls, data, requires_grad, volatile)


class Variable(metaclass=VariableMeta):
    """`Variable(tensor, requires_grad=False)` is a Tensor of the same memory, detached.

    >>> import retrograd as torch
    >>> torch.autograd.Variable(torch.ones(2), requires_grad=True)
    tensor([1., 1.], requires_grad=True)
    >>> isinstance(torch.ones(2), torch.autograd.Variable)
    True
    """

    _execution_engine = ImperativeEngine()

    def __new__(cls, data=None, requires_grad=False, volatile=None):
        if volatile is not None:
            warnings.warn(
                "volatile was removed and now has no effect. Use `with torch.no_grad():` instead.",
                stacklevel=3,
            )
        if data is None:
            data = Tensor()
        if not isinstance(data, Tensor):
            raise TypeError(f"Variable data has to be a tensor, but got {type(data).__name__}")
        return data.detach().requires_grad_(requires_grad)


class _Module(types.ModuleType):
    """`torch.autograd.variable` is also a function, which says what took its place."""

    def __call__(self, *args, **kwargs):
        raise RuntimeError("torch.autograd.variable(...) is deprecated, use torch.tensor(...) "
                           "instead")


sys.modules[__name__].__class__ = _Module
