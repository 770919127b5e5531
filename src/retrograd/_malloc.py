"""Keep the memory of freed arrays for the next ones.

glibc maps blocks above a threshold from the system and gives them back when they are freed, so each
new array of a few megabytes costs a page fault for every 4 KiB: more than the arithmetic. With
mallopt(3) freed memory stays in the process, up to KEPT bytes; the peak is what it was. Variables
MALLOC_..._ of the user's own, and RETROGRAD_KEEP_MALLOC, leave all as it is.
"""

from __future__ import annotations

import os
import sys

M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3      # malloc.h
KEPT = 512 << 20
LARGEST_KEPT = 32 << 20                          # a block; glibc accepts no more


def keep_freed_memory() -> None:
    """Let glibc, where that is the C library, keep freed memory."""
    own = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES",
           "RETROGRAD_KEEP_MALLOC")
    if not sys.platform.startswith("linux") or any(name in os.environ for name in own):
        return
    try:
        from ctypes import CDLL  # NumPy has imported ctypes already

        library = CDLL(None)
        library.gnu_get_libc_version         # noqa: B018  glibc alone has it
        mallopt = library.mallopt
    except (ImportError, OSError, AttributeError):
        return
    mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT)
    mallopt(M_TRIM_THRESHOLD, KEPT)
