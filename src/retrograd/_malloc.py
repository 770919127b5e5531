"""Keep the memory of freed arrays for the next ones, in large pages.

glibc maps blocks above a threshold from the system and gives them back when they are freed, so each
new array of a few megabytes costs a page fault for every 4 KiB: more than the arithmetic. With
mallopt(3) freed memory stays in the process, up to KEPT bytes; the peak is what it was.

Where Linux gives pages of 2 MiB only to memory that asks for them, glibc does not ask, and address
lookups in pages of 4 KiB took a fortieth of a network's step. So we ask in advance, for RESERVED
bytes from the end of the heap on; they take no memory before they are used.

If the user has set variables MALLOC_..._, or RETROGRAD_KEEP_MALLOC, nothing is changed.
"""

from __future__ import annotations

import os
import sys

M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3      # malloc.h
MADV_HUGEPAGE = 14                               # sys/mman.h
KEPT = 512 << 20
LARGEST_KEPT = 32 << 20                          # a block; glibc accepts no more
RESERVED = 256 << 20
TOP_PAD, MORE = 128 << 10, 1 << 20               # glibc's own, and more than it has at hand
PAGE = 2 << 20


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
        library.mallopt(M_MMAP_THRESHOLD, LARGEST_KEPT)
        library.mallopt(M_TRIM_THRESHOLD, KEPT)
        _take_large_pages(library)
    except (ImportError, OSError, AttributeError):
        return


def _take_large_pages(library) -> None:
    """Let the heap grow once, and advise large pages for what it grew by."""
    from ctypes import c_size_t, c_void_p

    end, malloc = library.sbrk, library.malloc
    end.restype = malloc.restype = c_void_p
    end.argtypes = malloc.argtypes = [c_size_t]
    library.free.argtypes, library.madvise.argtypes = [c_void_p], [c_void_p, c_size_t]
    before = end(0)
    library.mallopt(M_TOP_PAD, RESERVED)
    library.free(malloc(MORE))
    library.mallopt(M_TOP_PAD, TOP_PAD)
    first, last = -(-before // PAGE) * PAGE, end(0) // PAGE * PAGE
    if last > first:
        library.madvise(first, last - first, MADV_HUGEPAGE)
