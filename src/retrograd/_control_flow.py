"""torch.cond and torch.while_loop: control flow that depends on the values of tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ._tensor import Tensor


def cond(pred: Any, true_fn: Callable, false_fn: Callable, operands: tuple | list = ()) -> Any:
    """true_fn(*operands) if `pred`, a bool or a tensor of one element, is true, else the other.

    Only that function runs; what it does is recorded as usual. Raises RuntimeError for a tensor of
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


def while_loop(cond_fn: Callable, body_fn: Callable, carried_inputs: tuple | list) -> Any:
    """`carried_inputs`, replaced by body_fn(*carried_inputs) while cond_fn of them is true.

    What body_fn does is recorded as usual. Raises RuntimeError for an argument that is no function
    or no tuple.

    >>> import retrograd as torch
    >>> torch.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, 2 * x),
    ...                  (torch.tensor(0), torch.ones(2)))
    (tensor(3), tensor([8., 8.]))
    """
    if not callable(cond_fn) or not callable(body_fn):
        raise RuntimeError("Expect cond_fn and body_fn to be callable.")
    if not isinstance(carried_inputs, (tuple, list)):
        raise RuntimeError("Expect carried_inputs to be a tuple of possibly nested dict/list/tuple "
                           f"that only consists of tensor or int leaves, but got {carried_inputs}.")
    carried = tuple(carried_inputs)
    while cond_fn(*carried):
        result = body_fn(*carried)
        carried = tuple(result) if isinstance(result, (tuple, list)) else (result,)
    return carried
