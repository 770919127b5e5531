"""torch.ops.aten.mul.Tensor and its kind: names for what the operators of PyTorch's graph are."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket"]


class _UnderWay(threading.local):
    """What an overload does where a TorchDispatchMode of this thread has been handed it."""

    def __init__(self) -> None:
        self.functions: dict[OpOverload, Callable] = {}


_under_way = _UnderWay()


class OpOverload:
    """One form of an operator, `torch.ops.aten.mul.Tensor`; there is one object for each."""

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self._overloadpacket, self._overloadname = packet, overload
        self.__name__ = f"{packet.__name__}.{overload}"
        self.__module__ = packet.__module__

    @property
    def namespace(self) -> str:
        return self._overloadpacket._namespace

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """All forms of the operator."""
        return self._overloadpacket

    def name(self) -> str:
        """"aten::mul.Tensor"; without ".default"."""
        end = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self._overloadpacket._qualified_op_name}{end}"

    def __deepcopy__(self, memo: Any = None) -> OpOverload:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function = _under_way.functions.get(self, self._overloadpacket)
        return function(*args, **kwargs)

    def __str__(self) -> str:
        return f"{self._overloadpacket}.{self._overloadname}"

    def __repr__(self) -> str:
        return (f"<OpOverload(op='{self._overloadpacket}', overload='{self._overloadname}')>")


class OpOverloadPacket:
    """An operator with all its forms, `torch.ops.aten.mul`; any name of a form will do.

    Calling it, or a form, calls the public function of that name, which takes all of them.
    """

    def __init__(self, namespace: str, name: str) -> None:
        self._namespace, self.__name__ = namespace, name
        self._qualified_op_name = f"{namespace}::{name}"
        self.__module__ = f"torch.ops.{namespace}"
        self._function: Callable | None = None

    def __deepcopy__(self, memo: Any = None) -> OpOverloadPacket:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._function is None:
            raise NotImplementedError(f"torch.ops.{self}: retrograd has this name for lists of "
                                      "operators alone; it cannot be called")
        return self._function(*args, **kwargs)

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("__"):
            raise AttributeError(overload)
        found = self.__dict__[overload] = OpOverload(self, overload)
        return found

    def __str__(self) -> str:
        return f"{self._namespace}.{self.__name__}"

    def __repr__(self) -> str:
        return f"<OpOverloadPacket(op='{self}')>"


class HigherOrderOperator:
    """What PyTorch calls operators that take functions; there are none here."""


@functools.cache
def packet(namespace: str, name: str) -> OpOverloadPacket:
    """The one packet of this name."""
    return OpOverloadPacket(namespace, name)
