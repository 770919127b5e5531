"""Intel's math library: not used."""

from __future__ import annotations

VERBOSE_OFF, VERBOSE_ON = 0, 1


def is_available() -> bool:
    """False: NumPy's own BLAS computes here."""
    return False
