"""The opt_einsum package, which PyTorch asks for the order of contractions: not used."""

from __future__ import annotations

enabled = False
strategy = None


def is_available() -> bool:
    """False."""
    return False
