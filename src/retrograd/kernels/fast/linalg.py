"""Batches of small matrices: LAPACK's calls cost more than such a matrix's arithmetic.

By elimination with the largest pivot of a column, as LAPACK does it. For a singular matrix the twin
declines, and the NumPy kernel raises the error.
"""

from __future__ import annotations

import math

import numpy as np

from .compiling import Count, Part, kernel, scalar, scalar_sums

SMALL = 16            # rows of a matrix that is eliminated here
LOW = 32              # of one that is symmetric
TRIANGLE = 64         # of a triangular one
MANY = 8              # matrices
FEW, LONG = 8, 16     # solutions that are turned to rows; how long they are
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
def substitute(a, x, upper, unit):
    """x becomes a^-1 x for a triangular `a`."""
    n = len(a)
    for step in range(n):
        i = n - 1 - step if upper else step
        for k in range(i + 1 if upper else 0, n if upper else i):
            for j in range(x.shape[1]):
                x[i, j] -= a[i, k] * x[k, j]
        if not unit:
            for j in range(x.shape[1]):
                x[i, j] /= a[i, i]


@kernel
def solve_all(a, x, singular: Part):
    singular[0] = 0
    for m in range(len(a)):
        if eliminated(a[m], x[m]) == 0:
            singular[0] = 1
        else:
            substitute(a[m], x[m], True, False)


@scalar_sums
def dot(a, b):
    whole = a.dtype.type(0)
    for k in range(a.size):
        whole += a[k] * b[k]
    return whole


@scalar
def subtract(x, factor, a):
    for k in range(x.size):
        x[k] -= factor * a[k]


@kernel
def substitute_rows(a, x, upper: Count, unit: Count, turned: Count):
    """Rows of x are solutions; with `turned` each matrix is the transpose of what is given."""
    n = a.shape[1]
    for m in range(len(a)):
        for c in range(x.shape[1]):
            row = x[m, c]
            for step in range(n):
                i = n - 1 - step if upper else step
                line = a[m, i]
                if not turned:
                    row[i] -= dot(line[i + 1:], row[i + 1:]) if upper else dot(line[:i], row[:i])
                if not unit:
                    row[i] /= line[i]
                if turned and upper:
                    subtract(row[:i], row[i], line[:i])
                elif turned:
                    subtract(row[i + 1:], row[i], line[i + 1:])


@kernel
def substitute_all(a, x, upper: Count, unit: Count):
    for m in range(len(a)):
        substitute(a[m], x[m], upper != 0, unit != 0)


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


def linalg_solve_triangular(self, other, upper, left, unitriangular):
    shape, n = other.shape, self.shape[-1]
    if not many_small(self, TRIANGLE) or other.dtype is not self.dtype or not other.size \
            or other.ndim != self.ndim or shape[:-2] != self.shape[:-2]:
        return None
    count = shape[-1 if left else -2]                # of solutions
    x = other.reshape(-1, *shape[-2:])
    if count <= FEW and n >= LONG:                   # a solution a row
        turned = not self.flags.c_contiguous
        a = np.ascontiguousarray(self.swapaxes(-1, -2) if turned else self).reshape(-1, n, n)
        x = np.array(x.swapaxes(1, 2) if left else x, order="C")
        substitute_rows(a, x, int(upper == left), int(unitriangular), int(turned == left),
                        chunk=chunk_of(a))
    else:                                            # X A = B: A^T X^T = B^T
        a, x = (np.array(m if left else m.swapaxes(-1, -2), order="C") for m in (self, x))
        a = a.reshape(-1, n, n)
        substitute_all(a, x, int(upper == left), int(unitriangular), chunk=chunk_of(a))
        left = not left
    return (np.ascontiguousarray(x.swapaxes(1, 2)) if left else x).reshape(shape)


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


def linalg_cholesky_ex(self, upper):
    a = None if upper else matrices(self, LOW)
    if a is None:
        return None
    chunk = chunk_of(a)
    indefinite = parts(a, chunk)
    cholesky_all(a, indefinite, chunk=chunk)
    return None if indefinite.any() else a.reshape(self.shape)
