"""torch.distributed.rpc as a build without it has it: it can be asked whether it is there."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """False."""
    return False
