"""torch.sym_int and so on, which libraries use where sizes may be symbols; here: numbers."""

from __future__ import annotations

import math
from typing import Any

from ._tensor import Tensor
from ._torch_function import overrides


def _assert(condition: Any, message: str) -> None:
    """Raise AssertionError(message) unless the condition, a bool or Tensor, is true."""
    if type(condition) is not Tensor and overrides(type(condition)):
        from .overrides import handle_torch_function

        handle_torch_function(_assert, (condition,), condition, message)
        return
    assert condition, message


def _shape_as_tensor(self: Tensor) -> Tensor:
    """The shape, int64."""
    import retrograd as torch

    return torch.tensor(self.shape, dtype=torch.int64)


def sym_int(a: Any) -> int:
    """int(a), towards zero.

    >>> import retrograd as torch
    >>> torch.sym_int(3.7)
    3
    """
    return math.trunc(a)


def sym_float(a: Any) -> float:
    """float(a).

    >>> import retrograd as torch
    >>> torch.sym_float(3)
    3.0
    """
    return float(a)


def sym_not(a: bool) -> bool:
    """not a.

    >>> import retrograd as torch
    >>> torch.sym_not(True)
    False
    """
    return not a


def sym_max(a: Any, b: Any) -> Any:
    """The larger number, a float if either is.

    >>> import retrograd as torch
    >>> torch.sym_max(2, 3)
    3
    """
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else float(max(a, b))


def sym_min(a: Any, b: Any) -> Any:
    """The smaller number, a float if either is.

    >>> import retrograd as torch
    >>> torch.sym_min(2, 3)
    2
    """
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else float(min(a, b))


def sym_sum(args: Any) -> Any:
    """sum(args).

    >>> import retrograd as torch
    >>> torch.sym_sum([1, 2, 3])
    6
    """
    return sum(args)
