"""gradcheck() of functions of sparse tensors: derivatives with respect to their stored values."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from .._tensor import SPARSE, Tensor, wrap


def by_values(func: Callable, inputs: tuple, masked: bool) -> tuple[Callable, tuple]:
    """`func` as a function of the values of its sparse inputs, and these values (dense tensors).

    masked  only stored elements are changed; otherwise every element is stored first
    """
    patterns = [_pattern(t, masked) if _is_sparse(t) else None for t in inputs]
    given = tuple(t if p is None else p.values().detach().requires_grad_(t.requires_grad)
                  for t, p in zip(inputs, patterns, strict=True))

    def of_values(*tensors: Tensor) -> Any:
        from ..ops.sparse import in_places_of
        out = func(*[t if p is None else in_places_of(p, t)
                     for t, p in zip(tensors, patterns, strict=True)])
        return tuple(map(_listed, out)) if isinstance(out, (tuple, list)) else _listed(out)

    return of_values, given


def _is_sparse(t: Any) -> bool:
    return isinstance(t, Tensor) and t._flags & SPARSE != 0


def _listed(t: Any) -> Any:
    """The values of a sparse output."""
    return t if not _is_sparse(t) else t.coalesce().values() if t.is_sparse else t.values()


def _pattern(t: Tensor, masked: bool) -> Tensor:
    """The sparse tensor, detached; every element is stored once (unless `masked`: stored ones
    only)."""
    from ..kernels.sparse import Coo, mask
    from ..ops.sparse import as_coordinates, as_rows
    plain, name = as_coordinates(t.detach()).coalesce(), t._data.layout
    if not masked:
        a, lead = plain._data, len(plain._data.indices)
        everywhere = np.indices(a.shape[:lead]).reshape(lead, math.prod(a.shape[:lead]))
        plain = wrap(mask(a, Coo(everywhere, a.values, a.shape, True)))
    return plain if name == "sparse_coo" else as_rows(plain, name)
