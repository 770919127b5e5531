"""Why a gradient is missing, wrong or large in memory, in words, with lines of your own files.

    explain(t)    why t.grad is None, or what would fill it; after a failure, what happened
    trace()       remember the line of your file that made each node of a graph
    memory()      every live graph: its nodes, the bytes it holds, and who keeps it alive

`retrograd doctor script.py` runs a program and reports what it does wrong. Nothing here is
imported, or costs anything, until it is asked for or an error has to be explained.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazy_names

if TYPE_CHECKING:                 # what __getattr__ finds
    from .explaining import explain
    from .memories import memory
    from .tracing import trace

__all__ = ["explain", "memory", "trace"]

__getattr__, __dir__ = lazy_names(__name__, explaining="explain", memories="memory",
                                  tracing="trace")
