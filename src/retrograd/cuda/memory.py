"""torch.cuda.memory: the functions of torch.cuda under the name of their file."""

from . import (  # type: ignore[attr-defined]
    empty_cache,
    max_memory_allocated,
    max_memory_reserved,
    mem_get_info,
    memory_allocated,
    memory_reserved,
    memory_stats,
    memory_summary,
    reset_peak_memory_stats,
)

__all__ = ["empty_cache", "max_memory_allocated", "max_memory_reserved", "mem_get_info",
           "memory_allocated", "memory_reserved", "memory_stats", "memory_summary",
           "reset_peak_memory_stats"]
