"""Batches of small matrices: LAPACK's calls cost more than such a matrix's arithmetic.

By elimination with the largest pivot of a column, as LAPACK does it. For a singular matrix the twin
declines, and the NumPy kernel raises the error.
"""

from __future__ import annotations

import math

import numpy as np

from .compiling import Count, Part, kernel, scalar

SMALL = 32            # rows of a matrix that is eliminated here
LOW = 32              # of one that is symmetric
MANY = 8              # matrices
CHUNK = 1 << 12       # elements of matrices


@scalar
def eliminated(a, x):
    """Make `a` upper triangular, x by the same row operations; -> the permutation's sign, or 0."""
    n, sign = len(a), 1
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(a[i, k]) > abs(a[best, k]):
                best = i
        if a[best, k] == 0:
            return 0
        if best != k:
            sign = -sign
            for j in range(n):
                a[k, j], a[best, j] = a[best, j], a[k, j]
            for j in range(x.shape[1]):
                x[k, j], x[best, j] = x[best, j], x[k, j]
        for i in range(k + 1, n):
            factor = a[i, k] / a[k, k]
            for j in range(k + 1, n):
                a[i, j] -= factor * a[k, j]
            for j in range(x.shape[1]):
                x[i, j] -= factor * x[k, j]
    return sign


@scalar
def substitute(a, x):
    """x becomes a^-1 x for an upper triangular `a`."""
    n = len(a)
    for i in range(n - 1, -1, -1):
        for k in range(i + 1, n):
            for j in range(x.shape[1]):
                x[i, j] -= a[i, k] * x[k, j]
        for j in range(x.shape[1]):
            x[i, j] /= a[i, i]


@kernel
def solve_all(a, x, singular: Part):
    singular[0] = 0
    for m in range(len(a)):
        if eliminated(a[m], x[m]) == 0:
            singular[0] = 1
        else:
            substitute(a[m], x[m])


@kernel
def determinants(a, sign, size, log: Count):
    """Signs, and absolute values or their logarithms."""
    for m in range(len(a)):
        turn, whole = eliminated(a[m], a[m, :, :0]), 0.0 if log else 1.0
        sign[m] = turn
        for k in range(a.shape[1] if turn else 0):
            pivot = a[m, k, k]
            whole = whole + math.log(abs(pivot)) if log else whole * abs(pivot)
            sign[m] *= -1 if pivot < 0 else 1
        size[m] = whole if turn else -math.inf if log else 0.0


@kernel
def cholesky_all(a, indefinite: Part):
    indefinite[0] = 0
    for m in range(len(a)):
        low, n = a[m], a.shape[1]
        for i in range(n):
            for j in range(i + 1):
                whole = low[i, j]
                for k in range(j):
                    whole -= low[i, k] * low[j, k]
                if i > j:
                    low[i, j] = whole / low[j, j]
                elif whole > 0:
                    low[i, i] = math.sqrt(whole)
                else:
                    indefinite[0] = 1
            for j in range(i + 1, n):
                low[i, j] = 0


def many_small(a, most):
    """Whether these are many square matrices of at most so many rows."""
    return (a.ndim > 2 and a.dtype.char in "fd" and 0 < a.shape[-1] <= most
            and a.shape[-1] == a.shape[-2] and a.size >= MANY * a.shape[-1] ** 2)


def matrices(a, most):
    """A copy (batch, n, n) to work in; None unless there are many small ones."""
    return np.array(a, order="C").reshape(-1, *a.shape[-2:]) if many_small(a, most) else None


def chunk_of(a):
    return max(1, CHUNK // (a.shape[1] * a.shape[1]))


def parts(a, chunk):
    return np.empty((-(-len(a) // chunk), 1), np.int64)


def linalg_inv_ex(self):
    a = matrices(self, SMALL)
    if a is None:
        return None
    x = np.zeros(a.shape, a.dtype)
    x[:, range(a.shape[1]), range(a.shape[1])] = 1
    return solved(a, x, self.shape)


def linalg_solve(self, other, left):
    a = matrices(self, SMALL) if left and other.dtype is self.dtype else None
    if a is None or other.shape[:-1] != self.shape[:-1] or not other.size:
        return None
    return solved(a, np.array(other, order="C").reshape(*a.shape[:2], -1), other.shape)


def solved(a, x, shape):
    chunk = chunk_of(a)
    singular = parts(a, chunk)
    solve_all(a, x, singular, chunk=chunk)
    return None if singular.any() else x.reshape(shape)


def linalg_det(self):
    found = factors(self, 0)
    return found and found[0] * found[1]


def linalg_slogdet(self):
    return factors(self, 1)


def factors(a, log):
    work = matrices(a, SMALL)
    if work is None:
        return None
    sign, size = np.empty((2, len(work)), a.dtype)
    determinants(work, sign, size, log, chunk=chunk_of(work))
    return sign.reshape(a.shape[:-2]), size.reshape(a.shape[:-2])


def small_factors(self):
    """The Cholesky factors of small matrices, lower triangles; None unless there are many."""
    a = matrices(self, LOW)
    if a is None:
        return None
    chunk = chunk_of(a)
    indefinite = parts(a, chunk)
    cholesky_all(a, indefinite, chunk=chunk)
    return None if indefinite.any() else a.reshape(self.shape)
