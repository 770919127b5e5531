"""The operators: `declare.py` says what one is; each other file declares a family.

As torch.ops it also leads to torch.ops.aten and to operators that programs make (torch.library).
"""

from __future__ import annotations

from importlib.machinery import PathFinder
from typing import Any, NoReturn

left_out: list[str] = []      # libraries that programs wanted to load


def load_library(path: str) -> NoReturn:
    """Raises OSError: libraries made for PyTorch's C++ core have nothing to attach to."""
    left_out.append(path)
    raise OSError(f"torch.ops.load_library: retrograd has no C++ core to load {path!r} into")


def __getattr__(name: str) -> Any:
    if name.startswith("__") or PathFinder.find_spec(f"{__name__}.{name}", __path__):
        raise AttributeError(f"module 'torch.ops' has no attribute {name!r}")   # a file to import
    from .._operators import OpNamespace

    return OpNamespace(name)
