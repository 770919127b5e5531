"""Tables made from a vector: its combinations and its powers."""

from __future__ import annotations

import itertools

import numpy as np

from .. import _dtype
from .._tensor import wrap
from .declare import F as T
from .public import public


@public(method=False)
def combinations(input, r=2, with_replacement=False):
    """The combinations of r elements of a vector, one in each row, in order.

    (n) -> (n! / (r! (n - r)!), r). With replacement an element may come again. Raises RuntimeError
    for anything that is not a vector, or a negative r.

    >>> import retrograd as torch
    >>> torch.combinations(torch.tensor([1, 2, 3]))
    tensor([[1, 2],
            [1, 3],
            [2, 3]])
    """
    n = _length(input, f"Expect a 1D vector, but got shape {list(input._data.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return wrap(np.empty(0, input._data.dtype))
    if r == 2:
        picks = np.triu_indices(n, 0 if with_replacement else 1)
    else:
        choose = (itertools.combinations_with_replacement if with_replacement
                  else itertools.combinations)
        picks = np.fromiter(itertools.chain.from_iterable(choose(range(n), r)), np.int64)
        picks = picks.reshape(-1, r).T
    return T.stack([input.index_select(0, wrap(places)) for places in picks], 1)


@public(method=False)
def vander(x, N=None, increasing=False):
    """The matrix of powers of a vector's elements, y[i, j] = x[i]**(N - 1 - j): (n) -> (n, N).

    N is n by default; with increasing=True the powers are x[i]**j. linalg.vander has them in that
    order. Raises RuntimeError for anything that is not a vector.

    >>> import retrograd as torch
    >>> torch.vander(torch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
    n = _length(x, "x must be a one-dimensional tensor.")
    N = n if N is None else N
    if N < 0:
        raise RuntimeError("N must be non-negative.")
    if x.dtype.rank < 2:
        x = x.to(_dtype.int64)
    if N == 0:
        return wrap(np.empty((n, 0), x._data.dtype))
    columns = [x.new_ones(n)]
    for _ in range(N - 1):
        columns.append(columns[-1] * x)
    from .join import stack

    return stack(columns if increasing else columns[::-1], 1)


def _length(vector, message):
    if vector._data.ndim != 1:
        raise RuntimeError(message)
    return len(vector._data)
