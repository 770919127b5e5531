"""Distances between rows."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .. import kernels
from . import fast
from .half import check_single, floating
from .matmul import mm
from .pointwise import clamp_numbers
from .sums import max_over, sum_over

FEW = 64            # the most rows whose pairs are kept for the next call


def cdist_forward(x1, x2, p):
    """|x1[i] - x2[j]|_p: (..., P, M), (..., R, M) -> (..., P, R)."""
    check_single("cdist", x1.dtype)
    dtype = x1.dtype if x1.dtype is x2.dtype else np.result_type(x1, x2)
    return _fill_by_size(np.empty((*x1.shape[:-1], x2.shape[-2]), dtype), x1, x2, p)


def fill_distances(out, x1, x2, p):
    """`cdist_forward`, written into `out`."""
    out[...] = _norm(x1[..., :, None, :] - x2[..., None, :, :], p)
    return out


_fill_by_size = fast.either("fill_distances", fill_distances)


def cosine_similarity(x1, x2, dim, eps):
    """x1 . x2 / (max(|x1|, eps) max(|x2|, eps)) along `dim`, as its operators round it."""
    product = normalize(x1, dim, eps)
    product *= normalize(x2, dim, eps)
    return kernels.sum_dim(product, dim, False)


def normalize(x, dim, eps):
    """x / max(|x|, eps) along `dim`."""
    return x / clamp_numbers(kernels.linalg_vector_norm(x, 2, (dim,), True), eps, None)


@floating("cdist")
def euclidean_dist(x1, x2):
    """|x|^2 - 2 x.y + |y|^2 as one product of matrices; small distances lose digits."""
    square1, square2 = (np.vecdot(x, x)[..., None] for x in (x1, x2))
    one1, one2 = np.ones_like(square1), np.ones_like(square2)
    left = np.concatenate([-2 * x1, square1, one1], -1)              # (..., P, M + 2)
    right = np.concatenate([x2, one2, square2], -1)                  # (..., R, M + 2)
    right = np.swapaxes(right, -1, -2)
    squares = mm(left, right) if left.ndim == right.ndim == 2 else left @ right
    return np.sqrt(np.maximum(squares, 0, out=squares), out=squares)


def pdist_forward(x, p):
    """|x[i] - x[j]|_p for i < j, row by row."""
    check_single("pdist", x.dtype)
    rows = len(x)
    out = np.empty(rows * (rows - 1) // 2, x.dtype)
    return fast.either("fill_pair_distances", fill_pair_distances)(out, x, p)


def fill_pair_distances(out, x, p):
    """`pdist_forward`, written into `out`."""
    i, j = _pairs(len(x))
    out[...] = _norm(x.take(i, 0) - x.take(j, 0), p)
    return out


def _pairs(n):
    """The rows i < j of each pair among n."""
    return _few_pairs(n) if n <= FEW else np.triu_indices(n, 1)


@lru_cache(FEW)
def _few_pairs(n):
    return np.triu_indices(n, 1)


def cdist_backward(g, x1, x2, p, result):
    """Gradient of `cdist_forward` with respect to x1."""
    difference = x1[..., :, None, :] - x2[..., None, :, :]
    slopes = _norm_slope(g[..., None], difference, p, result[..., None])
    return sum_over(slopes, slopes.ndim - 2)


def pdist_backward(g, x, p, result):
    """Gradient of `pdist_forward`."""
    i, j = _pairs(len(x))
    slopes = np.zeros((len(x), *x.shape), x.dtype)              # a matrix of pairs, half of it zero
    slopes[i, j] = _norm_slope(g[:, None], x[i] - x[j], p, result[:, None])
    return sum_over(slopes, 1) - sum_over(slopes, 0)


def _norm(d, p):
    if p == 0:
        return (d != 0).sum(-1).astype(d.dtype)
    if p == 1:
        return sum_over(np.abs(d), -1)
    if p == 2:
        return np.sqrt(sum_over(d * d, -1))
    if np.isinf(p):
        return max_over(np.abs(d), -1) if d.shape[-1] else np.zeros(d.shape[:-1], d.dtype)
    return sum_over(np.abs(d) ** p, -1) ** (1 / p)


def _norm_slope(g, d, p, result):
    """g times the derivative of the p-norm of d; 0 where the norm is 0."""
    if p == 0:
        return np.zeros_like(d)
    if p == 1:
        return g * np.sign(d)
    if np.isinf(p):
        return g * np.sign(d) * (np.abs(d) == result)
    safe = np.where(result == 0, 1, result)
    if p == 2:
        slope = d / safe
    else:
        size = np.where(d == 0, 1, np.abs(d) / safe)          # 0 ** (p - 1) is infinite for p < 1
        slope = np.sign(d) * size ** (p - 1)
    return np.where(result == 0, 0, g * slope)
