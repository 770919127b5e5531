"""Pictures of graphs: what was recorded, what it holds, and how a backward pass went through it.

    graph(t)      the graph behind a tensor: print it, `save("page.html")`, or show it in a notebook
    record()      remember the last backward pass of a block, to step through it

`retrograd graph script.py -o page.html` makes the page for the last backward pass of a program.
Nothing here is imported, or costs anything, until it is asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .._lazy import lazy_names

if TYPE_CHECKING:                 # what __getattr__ finds
    from .picture import Picture, graph
    from .recording import record

__all__ = ["Picture", "graph", "record"]

__getattr__, __dir__ = lazy_names(__name__, picture="Picture graph", recording="record")
