"""Helpers of several pipes, and StreamWrapper where PyTorch has it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial
from typing import Any

from ..files import StreamWrapper as StreamWrapper

__all__ = ["StreamWrapper", "validate_input_col"]


def validate_input_col(fn: Callable, input_col: Any) -> None:
    """Raise ValueError unless a function takes the values of these columns (None: one sample).

    >>> from retrograd.utils.data.datapipes.utils.common import validate_input_col
    >>> validate_input_col(lambda a, b=1: a + b, [0, 2])
    >>> validate_input_col(lambda a, b: a + b, 0)
    Traceback (most recent call last):
        ...
    ValueError: The function <lambda> takes 2 positional parameters, but 1 are required.
    """
    try:
        given = inspect.signature(fn).parameters.values()
    except ValueError:          # a builtin that does not tell
        return
    inner = fn.func if isinstance(fn, partial) else fn
    name = getattr(inner, "__name__", repr(inner))
    needed = len(input_col) if isinstance(input_col, (list, tuple)) else 1
    by_name = [p for p in given if p.kind is p.KEYWORD_ONLY and p.default is p.empty]
    if by_name:
        raise ValueError(f"The function {name} takes {len(by_name)} non-default keyword-only "
                         "parameters, which is not allowed.")
    positional = [p for p in given if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    too_few = len(positional) < needed and not any(p.kind is p.VAR_POSITIONAL for p in given)
    if too_few or any(p.default is p.empty for p in positional[needed:]):
        found = f"{len(given)}" if len(given) < needed else f"{len(positional)} positional"
        raise ValueError(f"The function {name} takes {found} parameters, but {needed} are "
                         "required.")
