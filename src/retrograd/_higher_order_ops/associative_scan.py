"""associative_scan: the running results of an associative function along a dimension."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import retrograd as torch

from ..utils._pytree import tree_flatten

__all__ = ["associative_scan"]


def associative_scan(combine_fn: Callable, xs: Any, dim: int, reverse: bool = False,
                     combine_mode: str = "pointwise") -> Any:
    """xs[0], combine(xs[0], xs[1]), ... along `dim`, in about 2 log2(n) calls of combine_fn.

    Args:
        combine_fn: of two trees like xs, element by element and associative.
        xs: a tree of tensors of the same size in `dim`.
        dim: the dimension.
        reverse: begin at the end.
        combine_mode: "pointwise" or "generic", which are the same here.

    Raises:
        ValueError: no tensors, or not of the same size.

    >>> import retrograd as torch
    >>> from retrograd._higher_order_ops.associative_scan import associative_scan
    >>> associative_scan(torch.mul, torch.arange(1., 6.), 0)
    tensor([  1.,   2.,   6.,  24., 120.])
    """
    leaves, spec = tree_flatten(xs)
    if not leaves:
        raise ValueError("Expected at least 1 xs leaf")
    if len({leaf.shape[dim] for leaf in leaves}) != 1:
        raise ValueError("xs leaves must have the same size in the scanned dimension")

    def combine(a: list, b: list) -> list:
        return tree_flatten(combine_fn(spec.unflatten(a), spec.unflatten(b)))[0]

    first = [torch.movedim(leaf.flip(dim) if reverse else leaf, dim, 0) for leaf in leaves]
    done = [torch.movedim(leaf, 0, dim) for leaf in _scan(combine, first)]
    return spec.unflatten([leaf.flip(dim) for leaf in done] if reverse else done)


def _scan(combine: Callable, xs: list) -> list:
    """The scan along dimension 0: of neighbours combined, which gives every other result."""
    n = xs[0].shape[0]
    if n < 2:
        return xs
    pairs = combine([x[0:n - 1:2] for x in xs], [x[1:n:2] for x in xs])
    odd = _scan(combine, pairs)
    even = xs[0].shape[0] > 2 and combine([x[:(n - 1) // 2] for x in odd], [x[2::2] for x in xs])
    return [_interleaved(x[:1], odd[i], even[i] if even else x[:0]) for i, x in enumerate(xs)]


def _interleaved(first: Any, odd: Any, even: Any) -> Any:
    even = torch.cat((first, even))
    shortest = odd.shape[0]
    mixed = torch.stack((even[:shortest], odd), 1).flatten(0, 1)
    return torch.cat((mixed, even[shortest:]))
