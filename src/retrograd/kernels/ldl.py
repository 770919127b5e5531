"""A = L D L^T of symmetric (Hermitian) matrices by Bunch and Kaufman's pivoting: LAPACK's, or
the same in NumPy.

J. R. Bunch and L. Kaufman, "Some stable methods for calculating inertia and solving symmetric
linear systems" (1977). D has blocks of 1x1 and 2x2; a pivot p > 0 says "rows k and p - 1 were
swapped", two equal negative ones mark a 2x2 block whose second row was swapped with row -p - 1.
Only the lower triangle is read.
"""

import math

import numpy as np

from .lapack import sytrf
from .linalg import check_float, check_lapack, check_square

ALPHA = (1 + 17**0.5) / 8            # bounds how much the elements grow


def linalg_ldl_factor_ex(a, hermitian):
    """(LD, pivots, info); info is the place of the first zero pivot, counted from 1, or 0."""
    name = "torch.linalg.ldl_factor_ex"
    check_square(name, a)
    check_float(name, a, low_precision=False)
    check_lapack("ldl_factor_kernel_cpu", a)
    hermitian = hermitian and a.dtype.kind == "c"
    made = sytrf(a, hermitian) if a.size else None
    return _factors(a, hermitian) if made is None else made


def _factors(a, hermitian):
    """ldl_factor_ex() of each matrix without LAPACK's routine."""
    batch, n = a.shape[:-2], a.shape[-1]
    ld = np.tril(a).reshape(math.prod(batch), n, n)
    pivots, info = np.empty((len(ld), n), np.int32), np.zeros(len(ld), np.int32)
    for k, matrix in enumerate(ld):
        info[k] = _factor(matrix, pivots[k], hermitian)
    return ld.reshape(a.shape), pivots.reshape(*batch, n), info.reshape(batch)


def size(x):
    """|re| + |im|: what LAPACK compares pivots by."""
    return abs(x.real) + abs(x.imag) if x.dtype.kind == "c" else abs(x)


def _factor(a, pivots, hermitian):
    """Overwrite one matrix and its pivots; returns info."""
    n, k, info = len(a), 0, 0
    while k < n:
        step, row = _choose(a, k, hermitian)
        if row is None:
            info = info or k + 1
            row = k
        else:
            if row != k + step - 1:
                _swap(a, k, step, row, hermitian)
            (_eliminate_one if step == 1 else _eliminate_two)(a, k, hermitian)
        pivots[k:k + step] = row + 1 if step == 1 else -(row + 1)
        k += step
    return info


def _choose(a, k, hermitian):
    """(1 or 2, the row to bring to the block's end); row None where the column is zero."""
    here = abs(a[k, k].real) if hermitian else size(a[k, k])
    below = size(a[k + 1:, k])
    largest = below.max(initial=0)
    if not max(here, largest) > 0:
        return 1, None
    if here >= ALPHA * largest:
        return 1, k
    r = k + 1 + int(below.argmax())
    in_row = max(size(a[r, k:r]).max(initial=0), size(a[r + 1:, r]).max(initial=0))
    if here >= ALPHA * largest * (largest / in_row):
        return 1, k
    there = abs(a[r, r].real) if hermitian else size(a[r, r])
    return (1, r) if there >= ALPHA * in_row else (2, r)


def _swap(a, k, step, p, hermitian):
    """Exchange rows and columns p and k + step - 1 of the lower triangle."""
    q = k + step - 1
    a[p + 1:, [q, p]] = a[p + 1:, [p, q]]
    column, row = a[q + 1:p, q].copy(), a[p, q + 1:p].copy()
    a[q + 1:p, q], a[p, q + 1:p] = (row.conj(), column.conj()) if hermitian else (row, column)
    if hermitian:
        a[p, q] = a[p, q].conj()
    a[q, q], a[p, p] = a[p, p], a[q, q]
    if step == 2:
        a[k + 1, k], a[p, k] = a[p, k], a[k + 1, k]


def _eliminate_one(a, k, hermitian):
    x = a[k + 1:, k].copy()
    pivot = a[k, k].real if hermitian else a[k, k]
    other = x.conj() if hermitian else x
    a[k + 1:, k + 1:] -= np.tril(np.outer(x, other / pivot))
    a[k + 1:, k] = x / pivot


def _eliminate_two(a, k, hermitian):
    x = a[k + 2:, k:k + 2].copy()
    w = x @ np.linalg.inv(_block(a, k, hermitian)).astype(a.dtype)
    a[k + 2:, k + 2:] -= np.tril(w @ (x.conj() if hermitian else x).T)
    a[k + 2:, k:k + 2] = w


def _block(a, k, hermitian):
    """The 2x2 block of D at k."""
    low = a[k + 1, k]
    return np.array([[a[k, k], low.conj() if hermitian else low], [low, a[k + 1, k + 1]]])


def linalg_ldl_solve(ld, pivots, b, hermitian):
    """X with A X = B, A factored as (LD, pivots)."""
    check_lapack("ldl_solve_kernel_cpu", ld)
    n, hermitian = ld.shape[-1], hermitian and ld.dtype.kind == "c"
    batch = np.broadcast_shapes(ld.shape[:-2], b.shape[:-2])
    count = math.prod(batch)
    ld = np.broadcast_to(ld, (*batch, n, n)).reshape(count, n, n)
    pivots = np.broadcast_to(pivots, (*batch, n)).reshape(count, n)
    x = np.array(np.broadcast_to(b, (*batch, *b.shape[-2:])), order="C")
    for a, p, y in zip(ld, pivots.tolist(), x.reshape(count, *b.shape[-2:]), strict=True):
        _forward(a, p, y, hermitian)
        _backward(a.conj() if hermitian else a, p, y)
    return x


def _forward(a, pivots, y, hermitian):
    """y <- (L D)^-1 P^T y."""
    k = 0
    while k < len(a):
        step = 1 if pivots[k] > 0 else 2
        q, p, end = k + step - 1, abs(pivots[k]) - 1, k + step
        y[[q, p]] = y[[p, q]]
        y[end:] -= a[end:, k:end] @ y[k:end]
        y[k:end] = y[k:end] / a[k, k] if step == 1 \
            else np.linalg.solve(_block(a, k, hermitian), y[k:end])
        k = end


def _backward(a, pivots, y):
    """y <- P L^-T y."""
    end = len(a)
    while end:
        k = end - (1 if pivots[end - 1] > 0 else 2)
        y[k:end] -= a[end:, k:end].T @ y[end:]
        q, p = end - 1, abs(pivots[k]) - 1
        y[[q, p]] = y[[p, q]]
        end = k
