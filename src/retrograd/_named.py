"""Classes that always have PyTorch's names, as errors do in tracebacks, and can be pickled.

pickle looks for a class under the name that it has; where torch is not this package it would find
none there, or PyTorch's.
"""

from __future__ import annotations

import copyreg
from importlib import import_module
from typing import Any


class HasPyTorchsName(type):
    """The type of such classes, which remember where they were written."""

    _written: tuple[str, str]

    def __new__(cls, name: str, bases: tuple, body: dict[str, Any]) -> Any:
        made = super().__new__(cls, name, bases, body)
        made._written = body["__module__"], body["__qualname__"]
        return made


def _found(module: str, name: str) -> type:
    return getattr(import_module(module), name)


def _reduced(cls: HasPyTorchsName) -> Any:
    """Where the class was written; the name of a subclass, which has its own."""
    as_written = cls._written == (cls.__module__, cls.__qualname__)
    return cls.__qualname__ if as_written else (_found, cls._written)


copyreg.pickle(HasPyTorchsName, _reduced)      # type: ignore[arg-type]
