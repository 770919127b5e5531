"""torch._dynamo.exc: the errors of a compiler that is not here, for `except` clauses."""

from __future__ import annotations

__all__ = ["InternalTorchDynamoError", "TorchDynamoException", "Unsupported"]


class TorchDynamoException(RuntimeError):
    """Never raised: nothing is compiled."""


class InternalTorchDynamoError(TorchDynamoException):
    """Never raised."""


class Unsupported(TorchDynamoException):
    """Never raised."""
