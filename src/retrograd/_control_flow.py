"""torch.cond: one of two functions, as a tensor says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._tensor import Tensor


def cond(pred: Any, true_fn: Callable, false_fn: Callable, operands: tuple | list = ()) -> Any:
    """true_fn(*operands) if `pred`, a bool or a tensor of one element, is true, else the other.

    Only that function runs; what it does is recorded as ever. Raises RuntimeError for a tensor of
    more elements.

    >>> import retrograd as torch
    >>> torch.cond(torch.tensor(False), torch.sin, torch.neg, (torch.ones(1),))
    tensor([-1.])
    """
    if not callable(true_fn) or not callable(false_fn):
        raise RuntimeError("Expect both branches to be callable.")
    if not isinstance(operands, (tuple, list)):
        raise RuntimeError("Expect operands to be a tuple of possibly nested dict/list/tuple that "
                           f"only consists of tensor leaves, but got {operands}.")
    if isinstance(pred, Tensor) and pred.numel() != 1:
        raise RuntimeError(f"Expected pred to be bool or single-element tensor, but got {pred}.")
    return (true_fn if pred else false_fn)(*operands)
