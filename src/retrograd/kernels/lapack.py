"""LAPACK as NumPy has it: in the precision asked for, and on how many threads; and LU, for which
NumPy has no function."""

from __future__ import annotations

from ctypes import byref, c_int64, c_void_p
from functools import wraps
from importlib import import_module
from math import prod

import numpy as np

from .._blas import alone, routine

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}

# Elements of a matrix from which on OpenBLAS would wake its threads, and from which on they are
# worth it. Between, LAPACK's steps are so short that the threads wait for each other most of the
# time: where other programs run too, a system of 300 equations took 20 times as long on two.
SMALL, LARGE = 1 << 10, 1 << 18


def on_one_thread(kernel):
    """`kernel` of matrices, for which OpenBLAS has one thread unless they are large."""
    @wraps(kernel)
    def run(a, *rest):
        few = a.size >= SMALL and SMALL <= prod(a.shape[-2:]) < LARGE
        return alone(kernel, a, *rest) if few else kernel(a, *rest)
    return run


# The loops over matrices that np.linalg calls: it would have them compute float32 in float64, at
# twice the time, and its own checks take longer than a small matrix.
LOOPS = import_module("numpy.linalg._umath_linalg")


def lapack(name, *arrays):
    """What NumPy's loop of this name makes of batches of matrices, all of one dtype.

    Raises np.linalg.LinAlgError where a matrix is singular, not definite, or does not converge.
    """
    with np.errstate(all="ignore", invalid="raise"):
        try:
            return getattr(LOOPS, name)(*arrays)
        except FloatingPointError:
            raise np.linalg.LinAlgError(f"LAPACK has failed: {name}") from None


def address(array):
    """Where its elements begin."""
    return array.__array_interface__["data"][0]


def getrf(a):
    """(LU in one matrix, rows that were swapped, counted from 1), or None without the routine."""
    call = routine(f"{LETTERS[a.dtype.char]}getrf_")
    if call is None:
        return None
    *batch, m, n = a.shape
    columns = np.array(a.swapaxes(-1, -2), order="C")            # LAPACK's lie column by column
    pivots = np.empty((*batch, min(m, n)), np.int64)
    matrix, swaps = address(columns), address(pivots)
    rows, width, info = c_int64(m), c_int64(n), c_int64()
    for _ in range(prod(batch) if a.size else 0):
        call(byref(rows), byref(width), c_void_p(matrix), byref(rows), c_void_p(swaps), byref(info))
        matrix += m * n * a.itemsize
        swaps += min(m, n) * pivots.itemsize
    return np.ascontiguousarray(columns.swapaxes(-1, -2)), pivots.astype(np.int32)
