"""Warnings at the user's line, and those that are given once in a process."""

from __future__ import annotations

import sys
import warnings

from ._callers import is_own

_warned: set[str] = set()
_warn_always = False


def warn(text: str, category=UserWarning) -> None:
    """Warn at the user's line: that of the first frame which is not this package's."""
    level, frame = 2, sys._getframe(1)
    while frame.f_back is not None and is_own(frame.f_code.co_filename):
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level)


def warn_once(text: str, key: str = "") -> None:
    """Warn the first time in this process, as TORCH_WARN_ONCE does; `key` stands for several texts.
    """
    key = key or text
    if _warn_always or key not in _warned:
        _warned.add(key)
        warn(text)


def warn_first(text: str) -> None:
    """Warn the first time in this process, whatever set_warn_always() says."""
    if text not in _warned:
        _warned.add(text)
        warn(text)


def set_warn_always(b: bool) -> None:
    """Let warnings that are given once in a process be given every time (or once again).

    >>> import retrograd as torch
    >>> torch.set_warn_always(True)
    >>> torch.is_warn_always_enabled()
    True
    >>> torch.set_warn_always(False)
    """
    global _warn_always
    _warn_always = b


def is_warn_always_enabled() -> bool:
    """Whether `set_warn_always(True)` is in force.

    >>> import retrograd as torch
    >>> torch.is_warn_always_enabled()
    False
    """
    return _warn_always
