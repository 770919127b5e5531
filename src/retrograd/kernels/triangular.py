"""Triangular systems: by the BLAS that came with NumPy, else by NumPy's general solver."""

from __future__ import annotations

import ctypes
from functools import cache
from math import prod

import numpy as np

from .._blas import routine
from .._memory import address
from .half import refuse
from .lapack import LETTERS, lapack, on_one_thread

# The size of matrices below which NumPy's general solver is faster for a batch: it takes all of it
# in one call, though it factorizes matrices that are triangular already.
SMALL = 32
ROW_MAJOR, LEFT, RIGHT, UPPER, LOWER, AS_IS, TRANSPOSED = 101, 141, 142, 121, 122, 111, 112
ANY, UNIT = 131, 132


@on_one_thread
def linalg_solve_triangular(self, other, upper, left, unitriangular):
    """X with `self X = other` (or `X self = other`), reading one triangle of self only."""
    if self.dtype.char not in "fdFD":
        refuse("triangular_solve_cpu", self.dtype)
    diagonal = self.diagonal(0, -2, -1)
    if not unitriangular and np.count_nonzero(diagonal) < diagonal.size:
        return _substitute(_triangle(self, upper, False), other, upper, left)
    alone = self.ndim == 2 == other.ndim
    if (alone or self.shape[-1] >= SMALL) and self.dtype is other.dtype and self.size:
        solve = _trsm(self.dtype.char)
        if solve is not None:
            return _solve_each(solve, self, other, upper, left, unitriangular)
    a = _triangle(self, upper, unitriangular)
    if left:
        return lapack("solve", a, other)
    res = lapack("solve", a.swapaxes(-1, -2), other.swapaxes(-1, -2))
    return np.asarray(res.swapaxes(-1, -2), order="C")


def _triangle(a, upper, unitriangular):
    a = np.triu(a) if upper else np.tril(a)
    if unitriangular:
        n = a.shape[-1]
        a[..., range(n), range(n)] = 1
    return a


@cache
def _trsm(char):
    """OpenBLAS's triangular solver for a dtype, or None where NumPy came with another BLAS."""
    solve = routine(f"cblas_{LETTERS[char]}trsm")
    if solve is None:
        return None
    pointer, size = ctypes.c_void_p, ctypes.c_int64
    number = {"f": ctypes.c_float, "d": ctypes.c_double}.get(char, pointer)
    solve.argtypes = [*(ctypes.c_int,) * 5, size, size, number, pointer, size, pointer, size]
    solve.restype = None
    return solve


def _solve_each(solve, a, b, upper, left, unitriangular):
    """The systems of a batch, one after the other."""
    (rows, columns), n = b.shape[-2:], a.shape[-1]
    if a.shape[:-2] != b.shape[:-2]:
        batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
        a, b = np.broadcast_to(a, (*batch, n, n)), np.broadcast_to(b, (*batch, rows, columns))
    transposed, stored = a.swapaxes(-1, -2), AS_IS
    if transposed.flags.c_contiguous and not a.flags.c_contiguous:       # spares a copy
        a, upper, stored = transposed, not upper, TRANSPOSED
    a, x = np.ascontiguousarray(a), np.array(b, order="C")
    one = np.ones((), a.dtype) if a.dtype.kind == "c" else None
    alpha = 1 if one is None else address(one)
    matrix, solution = address(a), address(x)
    for _ in range(prod(a.shape[:-2])):
        solve(ROW_MAJOR, LEFT if left else RIGHT, UPPER if upper else LOWER, stored,
              UNIT if unitriangular else ANY, rows, columns, alpha,
              matrix, n, solution, max(1, columns))
        matrix += n * n * a.itemsize
        solution += rows * columns * a.itemsize
    return x


def _substitute(a, b, upper, left):
    """Substitution row by row; a zero on the diagonal divides, as LAPACK's trsm does."""
    if not left:
        a, b = a.swapaxes(-1, -2), b.swapaxes(-1, -2)
        upper = not upper
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    x = np.broadcast_to(b, batch + b.shape[-2:]).copy()
    n = a.shape[-1]
    with np.errstate(all="ignore"):
        for k in reversed(range(n)) if upper else range(n):
            x[..., k, :] /= a[..., k, k, None]
            rest = slice(0, k) if upper else slice(k + 1, n)
            x[..., rest, :] -= a[..., rest, k, None] * x[..., None, k, :]
    return x if left else x.swapaxes(-1, -2)
