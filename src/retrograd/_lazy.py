"""Modules, and names of packages, that are imported when something in them is first used.

They are for parts whose import would be circular, or is rarely needed. An `import` inside a
function does the same, but takes a microsecond at each call: too long in code that runs for every
operator.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any


class LazyModule:
    """A module, named as in an import; a name found once is found again without a call."""

    def __init__(self, name: str, package: str | None = None):
        self._where = name, package

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(import_module(*self._where), attribute)
        setattr(self, attribute, found)
        return found


def lazy_names(package: str, **modules: str) -> tuple[Callable, Callable]:
    """The `__getattr__` and `__dir__` of a package that offers these names of its modules."""
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def get(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        found = getattr(import_module(f"{package}.{homes[name]}"), name)
        setattr(sys.modules[package], name, found)
        return found

    return get, lambda: sorted(homes)
