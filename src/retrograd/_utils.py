"""Exceptions that travel between processes."""

from __future__ import annotations

import sys
import traceback
from typing import Any, NoReturn


class KeyErrorMessage(str):
    """A message that KeyError prints with its line breaks."""

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """The exception being handled, as text that can be pickled; ``reraise`` raises it elsewhere."""

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        exc_info = exc_info or sys.exc_info()
        self.exc_type = exc_info[0]
        self.exc_msg = "".join(traceback.format_exception(*exc_info))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise the same type with the original traceback in the message.

        A type that cannot be made from a message alone is raised as a RuntimeError.
        """
        msg = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            msg = KeyErrorMessage(msg)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=msg)
        try:
            exception = self.exc_type(msg)
        except Exception:  # its constructor wants something else
            raise RuntimeError(msg) from None
        raise exception


def typename(obj: Any) -> str:
    """The name of an object's type as error messages give it: ``torch.FloatTensor``, ``int``."""
    from ._tensor import Tensor

    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", None)
    if module in (None, "", "builtins", "__builtin__"):
        return kind.__qualname__
    return f"{module}.{kind.__qualname__}"


def _rebuild_parameter(data: Any, requires_grad: bool, backward_hooks: Any) -> Any:
    """A Parameter from its pickled parts."""
    from .nn import Parameter

    param = Parameter(data, requires_grad)
    param._backward_hooks = backward_hooks
    return param


def _rebuild_parameter_with_state(data: Any, requires_grad: bool, backward_hooks: Any,
                                  state: dict) -> Any:
    """A Parameter from its pickled parts and the attributes it had."""
    param = _rebuild_parameter(data, requires_grad, backward_hooks)
    vars(param).update(state)
    return param
