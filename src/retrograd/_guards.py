"""torch._guards: no compiler is at work, and no fake tensors."""

from __future__ import annotations

from typing import Any

__all__ = ["active_fake_mode", "detect_fake_mode"]


def active_fake_mode() -> None:
    """None: there are no fake tensors."""


def detect_fake_mode(inputs: Any = None) -> None:
    """None: there are no fake tensors."""
