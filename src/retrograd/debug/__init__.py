"""Why a gradient is missing, wrong or large in memory, in words, with lines of your own files.

    explain(t)    why t.grad is None, or what would fill it; after a failure, what happened
    trace()       remember the line of your file that made each node of a graph
    memory()      every live graph: its nodes, the bytes it holds, and who keeps it alive

`retrograd doctor script.py` runs a program and reports what it does wrong. Nothing here is
imported, or costs anything, until it is asked for or an error has to be explained.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:                 # what __getattr__ finds
    from .explaining import explain
    from .memories import memory
    from .tracing import trace

_HOME = {"explain": "explaining", "memory": "memories", "trace": "tracing"}

__all__ = ["explain", "memory", "trace"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'retrograd.debug' has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found
