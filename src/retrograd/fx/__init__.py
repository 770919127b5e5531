"""torch.fx: its names, for programs that mark functions for it. Nothing is traced."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..nn.modules.module import Module

__all__ = ["Graph", "GraphModule", "Interpreter", "Node", "Proxy", "Tracer", "Transformer",
           "symbolic_trace", "wrap"]


def wrap(fn_or_name: str | Callable) -> Any:
    """`fn_or_name` itself: nothing is traced, so nothing has to be kept whole."""
    if not callable(fn_or_name) and not isinstance(fn_or_name, str):
        raise RuntimeError("Unsupported type for global function! Must be either a callable or "
                           "string name")
    return fn_or_name


def symbolic_trace(root: Any, concrete_args: Any = None) -> Any:
    """Raises NotImplementedError."""
    raise NotImplementedError("torch.fx.symbolic_trace: retrograd does not trace programs; "
                              "the graph of a result is its grad_fn")


class _Untraced:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(f"torch.fx.{type(self).__name__}: retrograd does not trace "
                                  "programs; the graph of a result is its grad_fn")


class Graph(_Untraced):
    """Raises NotImplementedError."""


class Node(_Untraced):
    """Raises NotImplementedError."""


class Proxy(_Untraced):
    """Raises NotImplementedError."""


class Tracer(_Untraced):
    """Raises NotImplementedError."""


class Interpreter(_Untraced):
    """Raises NotImplementedError."""


class Transformer(Interpreter):
    """Raises NotImplementedError."""


class GraphModule(_Untraced, Module):
    """Raises NotImplementedError; no Module is one."""
