"""The processor."""

from __future__ import annotations


def get_cpu_capability() -> str:
    """The instruction set that kernels are chosen for: DEFAULT, NumPy having its own."""
    return "DEFAULT"
