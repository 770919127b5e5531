"""NNPACK: not used."""

from __future__ import annotations

from ._switches import flags_of

__all__ = ["flags", "is_available"]

enabled = False
flags = flags_of(globals(), {"enabled": False})


def is_available() -> bool:
    """False."""
    return False
