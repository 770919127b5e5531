"""torch.export: its names, for programs that only mention them. Nothing is exported."""

from __future__ import annotations

from typing import Any, NoReturn

__all__ = ["Dim", "ExportedProgram", "export", "load", "save"]


class _Refused:
    def __init__(self, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"torch.export.{type(self).__name__}: retrograd does not trace "
                                  "programs ahead of time")


class ExportedProgram(_Refused):
    """Raises NotImplementedError."""


class Dim(_Refused):
    """Raises NotImplementedError."""


def export(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError("torch.export.export: retrograd does not trace programs ahead of "
                              "time; torch.save writes modules and state_dicts")


def save(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError("torch.export.save: retrograd exports no programs")


def load(*args: Any, **kwargs: Any) -> NoReturn:
    """Raises NotImplementedError."""
    raise NotImplementedError("torch.export.load: retrograd runs no exported programs")
