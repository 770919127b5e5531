"""torch.ops.aten.mul.Tensor and so on: PyTorch's names of operators as objects."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket"]


class _UnderWay(threading.local):
    """The call that a TorchDispatchMode of this thread has been handed, while it handles it."""

    def __init__(self) -> None:
        self.functions: dict[OpOverload, Callable] = {}


_under_way = _UnderWay()


class OpOverload:
    """One form of an operator, `torch.ops.aten.mul.Tensor`; there is one object for each."""

    def __init__(self, packet: OpOverloadPacket, overload: str) -> None:
        self._overloadpacket, self._overloadname = packet, overload
        self._operator: Any = None          # of a program: see _operators.py
        self.__name__ = f"{packet.__name__}.{overload}"
        self.__module__ = packet.__module__
        self._name, self.tags = self.name(), list[Any]()

    @property
    def namespace(self) -> str:
        return self._overloadpacket._namespace

    @property
    def overloadpacket(self) -> OpOverloadPacket:
        """All forms of the operator."""
        return self._overloadpacket

    @property
    def _schema(self) -> Any:
        if self._operator is None:
            raise AttributeError(f"torch.ops.{self}: retrograd keeps no schemas of its operators")
        return self._operator.schema

    def name(self) -> str:
        """"aten::mul.Tensor"; without ".default"."""
        end = "" if self._overloadname == "default" else f".{self._overloadname}"
        return f"{self._overloadpacket._qualified_op_name}{end}"

    def __deepcopy__(self, memo: Any = None) -> OpOverload:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        function = _under_way.functions.get(self) or self._operator or self._overloadpacket
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
        self._forms: Callable | None = None     # names those of a program's operator

    def __deepcopy__(self, memo: Any = None) -> OpOverloadPacket:
        return self

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._function is None:
            raise NotImplementedError(f"torch.ops.{self}: retrograd has this name for lists of "
                                      "operators alone; it cannot be called")
        return self._function(*args, **kwargs)

    def overloads(self) -> list[str]:
        """The names of the forms; of the package's own operators, those that have been used."""
        if self._forms is not None:
            return self._forms()
        return [name for name, form in self.__dict__.items() if isinstance(form, OpOverload)]

    def __getattr__(self, overload: str) -> OpOverload:
        if overload.startswith("__"):
            raise AttributeError(overload)
        if self._forms is not None and overload not in self._forms():
            raise AttributeError(f"The underlying op of '{self}' has no overload name "
                                 f"'{overload}'")
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


def __getattr__(name: str) -> Any:
    if name == "_OpNamespace":
        from ._operators import OpNamespace

        return OpNamespace
    raise AttributeError(f"module 'torch._ops' has no attribute {name!r}")
