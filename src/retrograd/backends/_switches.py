"""flags(): the switches of one library, set inside a with block and put back after it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any


def flags_of(module: dict[str, Any], defaults: dict[str, Any]) -> Callable:
    """The flags() of a module with this namespace; its arguments default to `defaults`."""

    @contextlib.contextmanager
    def flags(**settings: Any) -> Iterator[None]:
        unknown = settings.keys() - defaults.keys()
        if unknown:
            raise TypeError(f"flags() got an unexpected keyword argument '{unknown.pop()}'")
        before = {name: module[name] for name in defaults}
        module.update({**defaults, **settings})
        try:
            yield
        finally:
            module.update(before)

    return flags
