"""torch.mps, torch.mtia and torch.xpu as they are on a machine without such a device."""

from __future__ import annotations


def is_available() -> bool:
    """False: there is only the CPU."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def device_count() -> int:
    """0."""
    return 0


def manual_seed(seed: int) -> None:
    """Nothing to seed."""


def manual_seed_all(seed: int) -> None:
    """Nothing to seed."""


def empty_cache() -> None:
    """Nothing to free."""
