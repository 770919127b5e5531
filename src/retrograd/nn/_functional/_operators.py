"""`ops`: the declared operators and hand-written functions by name, in-place ones with a `_`."""
from __future__ import annotations

from typing import Any

from retrograd.ops.declare import REGISTRY, F
from retrograd.ops.public import FUNCTIONS, NATIVE


class _Operators:
    """Looks a name up at its first use and keeps what it found."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        found = NATIVE.get(name) or FUNCTIONS.get(name)
        if found is None and name.endswith("_") and name[:-1] in REGISTRY:
            found = REGISTRY[name[:-1]].in_place
        if found is None:
            found = getattr(F, name, None)
        if found is None:
            raise NotImplementedError(f"retrograd has no operator {name!r} yet")
        setattr(self, name, found)
        return found


ops = _Operators()
