"""torch.distributed.rpc as in a build without it: programs can ask whether it is available."""

from __future__ import annotations

__all__ = ["is_available"]


def is_available() -> bool:
    """False."""
    return False
