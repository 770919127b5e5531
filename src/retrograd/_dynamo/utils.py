"""torch._dynamo.utils: the few names that libraries take from it."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Any

from .. import _warnings

__all__ = ["disable_cache_limit", "is_compile_supported", "warn_once"]


def is_compile_supported(device_type: Any) -> bool:
    """False."""
    return False


def warn_once(msg: str, stacklevel: int = 1) -> None:
    """Warn the first time in this process."""
    _warnings.warn_once(msg)


def disable_cache_limit() -> nullcontext:
    """A block that changes nothing: there is no cache, as nothing is compiled."""
    return nullcontext()
