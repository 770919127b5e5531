"""NVIDIA's library of neural-network kernels: not available; its switches are kept."""

from __future__ import annotations

from ._switches import flags_of

enabled = True
benchmark = False
benchmark_limit = None
deterministic = False
allow_tf32 = True
fp32_precision = "none"

flags = flags_of(globals(), {"enabled": False, "benchmark": False, "benchmark_limit": 10,
                             "deterministic": False, "allow_tf32": True,
                             "fp32_precision": "none"})


def version() -> None:
    """The version of the library: None."""
    return None


def is_available() -> bool:
    """False: there is no GPU here."""
    return False


def is_acceptable(tensor: object) -> bool:
    """Whether the library would take `tensor`: False."""
    return False
