"""torch._dynamo: the switches of a compiler that is not here; programs run as they are."""

from __future__ import annotations

import contextlib
from types import SimpleNamespace
from typing import Any

from ..compiler import (
    allow_in_graph,
    assume_constant_result,
    disable,
    is_compiling,
    list_backends,
    reset,
)
from . import eval_frame as eval_frame
from . import exc as exc
from . import utils as utils
from .eval_frame import OptimizedModule

__all__ = ["OptimizedModule", "allow_in_graph", "assume_constant_result", "config", "disable",
           "explain", "graph_break",
           "is_compiling", "list_backends", "mark_dynamic", "mark_static", "optimize", "reset"]


class _Config(SimpleNamespace):
    """Settings can be set, but nothing reads them."""

    def patch(self, *args: Any, **kwargs: Any) -> Any:
        """A with block that does nothing."""
        return contextlib.nullcontext()


config = _Config(suppress_errors=False, verbose=False, cache_size_limit=8, recompile_limit=8,
                 capture_scalar_outputs=False, optimize_ddp=True)


def optimize(*args: Any, **kwargs: Any) -> Any:
    """A decorator that returns its function."""
    return lambda fn: fn


def graph_break(msg: str = "") -> None:
    """Nothing to break."""


def mark_dynamic(t: Any, index: Any, **kwargs: Any) -> None:
    """Does nothing: every size is a number."""


mark_static = maybe_mark_dynamic = mark_static_address = mark_dynamic


def explain(f: Any, *args: Any, **kwargs: Any) -> Any:
    """Raises NotImplementedError."""
    raise NotImplementedError("torch._dynamo.explain: retrograd does not compile programs")
