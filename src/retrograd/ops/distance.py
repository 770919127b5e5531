"""Distances between rows: cdist of two sets, pdist within one.

With the p-norm of d = x1[i] - x2[j] the gradient of x1[i] is the sum over j of g[i, j] times
sgn(d) |d|^(p - 1) / norm^(p - 1), and 0 where the norm is 0. For p = 2 that is d / norm, and
euclidean_dist, for many rows, gets both the distances and the gradient from matrix products.
"""

from __future__ import annotations

import numpy as np

from .. import _dtype
from .._tensor import wrap
from ..kernels.checks import check_broadcast
from . import nn_samples as S
from .arguments import must_be
from .declare import F as T
from .declare import composite, op
from .mistyped import is_number
from .nn_checks import check_one_dtype
from .public import public

op("cdist_forward(x1, x2 | p)", "CdistBackward0", public=False,
   samples=lambda: [(S.normal(3, 2), S.normal(4, 2, seed=1), p) for p in (1.0, 2.0, 3.0)],
   x1 = lambda F, g, x1, x2, p, result: F.cdist_backward(g, x1, x2, p, result),
   x2 = lambda F, g, x1, x2, p, result:
            F.cdist_backward(swapped(F, g), x2, x1, p, swapped(F, result)))

op("euclidean_dist(x1, x2)", "EuclideanDistBackward0", public=False,
   samples=lambda: [(S.normal(3, 2), S.normal(4, 2, seed=1))],
   joint = lambda F, g, need, x1, x2, result: euclidean_gradients(F, g, need, x1, x2, result))

op("pdist_forward(self | p)", "PdistBackward0", public=False,
   samples=lambda: [(S.normal(4, 3), p) for p in (1.0, 2.0, 3.0)],
   self = lambda F, g, self, p, result: F.pdist_backward(g, self, p, result))


MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist",
         "donot_use_mm_for_euclid_dist")


def euclidean_gradients(F, g, need, x1, x2, result):
    """With w = g / result, and 0 where the distance is 0: sum_j w[i, j] (x1[i] - x2[j]) for x1[i],
    sum_i w[i, j] (x2[j] - x1[i]) for x2[j]."""
    zero = result == 0
    w = F.where(zero, 0, g / F.where(zero, 1, result))
    return (weighted_differences(F, w, x1, x2) if need[0] else None,
            weighted_differences(F, swapped(F, w), x2, x1) if need[1] else None)


def weighted_differences(F, w, x, y):
    """sum_j w[i, j] (x[i] - y[j]) for each i."""
    product = F.mm(w, y) if len(w.shape) == 2 else w @ y
    return x * F.sum_dim(w, len(w.shape) - 1, True) - product


def swapped(F, x):
    n = len(x.shape)
    return F.transpose(x, n - 2, n - 1)


@composite
def pdist_backward(g, x, p, result):
    """The gradient of pdist, of Tensors."""
    rows = x._data.shape[0]
    i, j = (wrap(index) for index in np.triu_indices(rows, 1))
    d = T.embedding_dense_gather(x, i, -1, False) - T.embedding_dense_gather(x, j, -1, False)
    part = norm_slope(T.unsqueeze(g, 1), d, p, T.unsqueeze(result, 1))
    return (T.embedding_dense_backward(part, i, rows, -1, False)
            - T.embedding_dense_backward(part, j, rows, -1, False))


@composite
def cdist_backward(g, x1, x2, p, result):
    """The gradient of cdist for x1, of Tensors."""
    difference = T.unsqueeze(x1, x1._data.ndim - 1) - T.unsqueeze(x2, x2._data.ndim - 2)
    last = g._data.ndim
    g, result = T.unsqueeze(g, last), T.unsqueeze(result, last)
    return T.sum_dim(norm_slope(g, difference, p, result), last - 1, False)


def norm_slope(g, d, p, result):
    """g times the derivative of the p-norm of d; 0 where the norm is 0."""
    if p == 0:
        return T.zeros_like(d)
    if p == 1:
        return g * T.sgn(d)
    if p == float("inf"):
        return g * T.sgn(d) * (T.abs(d) == result)
    zero = result == 0
    safe = T.where(zero, 1, result)
    if p == 2:
        return T.where(zero, 0, g * (d / safe))
    size = T.where(d == 0, 1, T.abs(d) / safe)            # 0 ** (p - 1) is infinite for p < 1
    slope = T.sgn(d) * T.pow_scalar(size, p - 1)
    return T.where(zero, 0, g * slope)


@public(method=False)
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """|x1[i] - x2[j]|_p: (..., P, M) and (..., R, M) -> (..., P, R).

    With p = 2 and more than 25 rows on a side it is computed from a product of matrices, which
    loses digits of small distances; `compute_mode` "donot_use_mm_for_euclid_dist" does without.
    Raises RuntimeError for a negative p or rows of different lengths.

    >>> import retrograd as torch
    >>> torch.cdist(torch.zeros(1, 2), torch.tensor([[3.0, 4.0]]))
    tensor([[5.]])
    """
    a, b = x1._data, x2._data
    if not isinstance(p, (int, float)) and not is_number(p):
        raise must_be("float", "cdist", "p", 3, p)
    if a.ndim < 2 or b.ndim < 2:
        which, ndim = ("X1", a.ndim) if a.ndim < 2 else ("X2", b.ndim)
        raise RuntimeError(f"cdist only supports at least 2D tensors, {which} got: {ndim}D")
    if a.shape[-1] != b.shape[-1]:
        raise RuntimeError(f"X1 and X2 must have the same number of columns. X1: {a.shape[-1]} X2: "
                           f"{b.shape[-1]}")
    for name, t in (("X1", x1), ("X2", x2)):
        if t._data.dtype.kind not in "fV":
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: "
                               f"{_dtype.of(t._data).tensor_name}")
    check_one_dtype(x1, x2)
    if compute_mode not in MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    if not p >= 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if a.shape[:-2] != b.shape[:-2]:
        check_broadcast(a.shape[:-2], b.shape[:-2])
        lead = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        x1, x2 = (t if t._data.shape[:-2] == lead else T.expand(t, (*lead, *t._data.shape[-2:]))
                  for t in (x1, x2))
    many = max(a.shape[-2], b.shape[-2]) > 25
    if p == 2 and (compute_mode == MODES[1] or compute_mode == MODES[0] and many):
        res = T.euclidean_dist(x1, x2)
        return T.view(res, res._data.shape)
    return T.cdist_forward(x1, x2, float(p))


@public(method=False)
def pdist(input, p=2.0):
    """The p-norms of all differences between rows, |input[i] - input[j]|_p for i < j.

    (N, M) -> (N (N - 1) / 2), in the order (0, 1), (0, 2), ..., (1, 2), .... Raises RuntimeError
    unless input is a floating matrix and p >= 0.

    >>> import retrograd as torch
    >>> torch.pdist(torch.tensor([[0., 0.], [3., 4.]]))
    tensor([5.])
    """
    if input._data.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input._data.ndim}D")
    if p < 0:
        raise RuntimeError("pdist only supports non-negative p values")
    if input._data.dtype.kind not in "fV":
        raise RuntimeError("pdist only supports floating-point dtypes")
    return T.pdist_forward(input, float(p))
