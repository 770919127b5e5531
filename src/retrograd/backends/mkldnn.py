"""Intel's library of neural-network kernels: not used; its switches are kept."""

from __future__ import annotations

from ._switches import flags_of

enabled = True
deterministic = False
allow_tf32 = None
fp32_precision = "none"
VERBOSE_OFF, VERBOSE_ON, VERBOSE_ON_CREATION = 0, 1, 2

flags = flags_of(globals(), {"enabled": False, "deterministic": False, "allow_tf32": True,
                             "fp32_precision": "none"})


def is_available() -> bool:
    """False: NumPy computes here."""
    return False
