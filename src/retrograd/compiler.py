"""torch.compile and torch.compiler: programs that compile run as they are, uncompiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._warnings import warn_once

_NOTE = "torch.compile: retrograd runs functions and modules as they are, without compiling them."


def compile(model: Callable | None = None, *, fullgraph: bool = False, dynamic: bool | None = None,
            backend: str | Callable = "inductor", mode: str | None = None,
            options: dict | None = None, disable: bool = False, **kwargs: Any) -> Any:
    """`model` itself, or a decorator that returns its function; says once that nothing is compiled.

    >>> import retrograd as torch
    >>> torch.compiler.is_compiling()
    False
    """
    if mode is not None and options is not None:
        raise RuntimeError("Either mode or options can be specified, but both can't be specified "
                           "at the same time.")
    if not disable:
        warn_once(_NOTE)
    if model is None:
        return lambda decorated: decorated
    return model


def is_compiling() -> bool:
    """False."""
    return False


is_dynamo_compiling = is_exporting = is_compiling


def disable(fn: Callable | None = None, recursive: bool = True, **kwargs: Any) -> Any:
    """`fn` itself, or a decorator that returns its function."""
    return fn if fn is not None else lambda decorated: decorated


def allow_in_graph(fn: Any) -> Any:
    """`fn` itself."""
    return fn


def reset() -> None:
    """Nothing to forget."""


def list_backends(exclude_tags: Any = ()) -> list[str]:
    """No backends."""
    return []


def cudagraph_mark_step_begin() -> None:
    """Nothing to mark."""
