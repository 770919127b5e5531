"""scan: a loop over slices that carries a state and collects what each step gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import retrograd as torch

from ..utils._pytree import tree_flatten

__all__ = ["scan"]


def scan(combine_fn: Callable, init: Any, xs: Any, *, dim: int = 0,
         reverse: bool = False) -> tuple[Any, Any]:
    """(the last state, what all steps gave), with state, y = combine_fn(state, x) for each slice.

    Args:
        combine_fn: of a state like `init` and a slice of `xs`; it gives the next state, and tensors
            in any tree, which come back stacked along `dim`.
        init: the first state, a tree of tensors.
        xs: a tree of tensors of the same size in `dim`.
        dim: the dimension that the slices are taken from.
        reverse: begin at the end; the results lie where their slices were.

    What combine_fn does is recorded as usual.

    Raises:
        RuntimeError: no function, no tensors, or states of different shapes or dtypes.

    >>> import retrograd as torch
    >>> from retrograd._higher_order_ops.scan import scan
    >>> scan(lambda total, x: (total + x, total * x), torch.tensor(0.), torch.arange(1., 5.))
    (tensor(10.), tensor([ 0.,  2.,  9., 24.]))
    """
    if not callable(combine_fn):
        raise RuntimeError(f"Combine_fn must be a callable, but got {combine_fn}")
    if not isinstance(reverse, bool):
        raise RuntimeError(f"Reverse must be a bool, but got {type(reverse)}")
    first, leaves = tree_flatten(init)[0], tree_flatten(xs)[0]
    if not leaves:
        return init, []
    _check(first, leaves)
    count, dim = leaves[0].movedim(dim, 0).shape[0], dim % leaves[0].ndim
    if count == 0:
        raise RuntimeError("All xs leaves must at least have 'dim' number of dimensions and scan "
                           "dimension > 0")
    state, rows = init, {}
    for i in reversed(range(count)) if reverse else range(count):
        state, rows[i] = combine_fn(state, _slice(xs, dim, i))
        _check_state(first, tree_flatten(state)[0])
    columns = zip(*(tree_flatten(rows[i])[0] for i in range(count)), strict=True)
    spec = tree_flatten(rows[0])[1]
    return state, spec.unflatten([torch.stack(column, dim) for column in columns])


def _slice(xs: Any, dim: int, i: int) -> Any:
    leaves, spec = tree_flatten(xs)
    return spec.unflatten([leaf.select(dim, i) for leaf in leaves])


def _check(first: list, leaves: list) -> None:
    if not first:
        raise RuntimeError("scan() operator requires init leaves.")
    for what, tree in (("init", first), ("xs", leaves)):
        for leaf in tree:
            if not isinstance(leaf, torch.Tensor):
                raise RuntimeError(f"All {what} leaves must be a Tensor but got {leaf}")


def _check_state(first: list, state: list) -> None:
    for k, (a, b) in enumerate(zip(first, state, strict=True)):
        for what, x, y in (("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype)):
            if x != y:
                raise RuntimeError("Expected init and carry to have same metadata but found:\n"
                                   f"pair[{k}] differ in '{what}: {x} vs {y}'")
