"""NNPACK: not used."""

from __future__ import annotations

from ._switches import flags_of

enabled = False
flags = flags_of(globals(), {"enabled": False})


def is_available() -> bool:
    """False."""
    return False
