"""Pictures of graphs: what was recorded, what it holds, and how a backward pass went through it.

    graph(t)      the graph behind a tensor: print it, `save("page.html")`, or show it in a notebook
    record()      remember the last backward pass of a block, to step through it

`retrograd graph script.py -o page.html` makes the page for the last backward pass of a program.
Nothing here is imported, or costs anything, until it is asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:                 # what __getattr__ finds
    from .picture import Picture, graph
    from .recording import record

_HOME = {"graph": "picture", "Picture": "picture", "record": "recording"}

__all__ = ["Picture", "graph", "record"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'retrograd.viz' has no attribute {name!r}")
    found = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = found
    return found
