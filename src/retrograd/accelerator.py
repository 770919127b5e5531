"""torch.accelerator: there is none."""

from __future__ import annotations


def is_available() -> bool:
    """False."""
    return False


def current_accelerator(check_available: bool = False) -> None:
    """None."""
    return None


def device_count() -> int:
    """0."""
    return 0


def empty_cache() -> None:
    """Nothing to free."""
