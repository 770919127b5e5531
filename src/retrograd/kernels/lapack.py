"""NumPy's LAPACK, in the given precision and on a suitable number of threads; and LU and QR, for
which NumPy has no function, or one for float64 alone."""

from __future__ import annotations

from ctypes import byref, c_int64, c_size_t, c_void_p
from functools import wraps
from importlib import import_module
from math import prod

import numpy as np

from .._blas import alone, routine
from .._memory import address

LETTERS = {"f": "s", "d": "d", "F": "c", "D": "z"}

# Numbers of elements of a matrix from which OpenBLAS would wake its threads, and from which these
# are worth it. In between, LAPACK's steps are so short that the threads mostly wait for each other:
# beside other programs, a system of 300 equations took 20 times as long on two threads.
SMALL, LARGE = 1 << 10, 1 << 18
BLOCK = 64                                          # columns that LAPACK takes at once


def on_one_thread(kernel):
    """`kernel` of matrices, for which OpenBLAS has one thread unless they are large."""
    @wraps(kernel)
    def run(a, *rest):
        few = a.size >= SMALL and SMALL <= prod(a.shape[-2:]) < LARGE
        return alone(kernel, a, *rest) if few else kernel(a, *rest)
    return run


# The loops over matrices that np.linalg calls. np.linalg itself would compute float32 in float64,
# in twice the time, and its checks take longer than the work on a small matrix.
LOOPS = import_module("numpy.linalg._umath_linalg")


def lapack(name, *arrays):
    """What NumPy's loop of this name makes of batches of matrices, all of one dtype.

    Raises np.linalg.LinAlgError where a matrix is singular, not definite, or does not converge.
    """
    loop = getattr(LOOPS, name, None) or loop_by_shape(name, *arrays[0].shape[-2:])
    with np.errstate(all="ignore", invalid="raise"):
        try:
            return loop(*arrays)
        except FloatingPointError:
            raise np.linalg.LinAlgError(f"LAPACK has failed: {name}") from None


def loop_by_shape(name, rows, columns):
    """The name of a loop: NumPy 2.0 has svd, svd_s, svd_f and lstsq twice, for fewer rows than
    columns and for more.
    """
    first, *rest = name.split("_")
    return getattr(LOOPS, "_".join([first, "m" if rows < columns else "n", *rest]))


def for_each(name, count, *args):
    """Call LAPACK's routine `count` times, with the next part of each array, all else alike."""
    call, given = routine(name), []
    for x in args:
        if isinstance(x, np.ndarray):
            given.append((address(x), x.nbytes // count))
        else:
            given.append((byref(c_int64(x)) if isinstance(x, int) else x, None))
    for k in range(count):
        call(*[x if step is None else c_void_p(x + k * step) for x, step in given])


def getrf(a):
    """(LU in one matrix, rows that were swapped, counted from 1), or None without the routine."""
    name = f"{LETTERS[a.dtype.char]}getrf_"
    if routine(name) is None:
        return None
    *batch, m, n = a.shape
    columns = np.array(a.swapaxes(-1, -2), order="C")            # LAPACK's lie column by column
    pivots = np.empty((*batch, min(m, n)), np.int64)
    if a.size:
        for_each(name, prod(batch), m, n, columns, m, pivots, 0)
    return columns.swapaxes(-1, -2), pivots.astype(np.int32)


@on_one_thread
def sytrf(a, hermitian):
    """(L and D in one matrix, rows that were swapped, info of each) of Bunch and Kaufman's
    A = L D L^T, by the lower triangle; or None without the routine. There are elements."""
    name = f"{LETTERS[a.dtype.char]}{'he' if hermitian else 'sy'}trf_"
    if routine(name) is None:
        return None
    *batch, n, _ = a.shape
    columns = np.triu(a.swapaxes(-1, -2))                        # LAPACK's lie column by column
    pivots, info = np.empty((*batch, n), np.int64), np.empty(batch, np.int64)
    room = np.empty(BLOCK * n, a.dtype)
    for_each(name, prod(batch), b"L", n, columns, n, pivots, c_void_p(address(room)), room.size,
             info, c_size_t(1))
    return columns.swapaxes(-1, -2), pivots.astype(np.int32), info.astype(np.int32)


def gelsy(a, b, rcond):
    """(the shortest X that minimises |A X - B|, the rank of A) by a QR factorization whose columns
    are exchanged, or None without the routine; columns count as dependent where they would make the
    condition number exceed 1 / rcond. There are elements, and as many matrices in b as in a."""
    name = f"{LETTERS[a.dtype.char]}gelsy_"
    if routine(name) is None:
        return None
    *batch, m, n = a.shape
    count, k = prod(batch), b.shape[-1]
    columns = np.array(a.swapaxes(-1, -2), order="C")
    x = np.zeros((*batch, k, max(m, n)), a.dtype)                # room for B, then for X
    x[..., :m] = b.swapaxes(-1, -2)
    places, ranks = np.zeros((*batch, n), np.int64), np.empty(batch, np.int64)
    room = np.empty(max(min(m, n) + 2 * n + BLOCK * (n + 1), 2 * min(m, n) + BLOCK * k), a.dtype)
    bound, norms = np.full(1, rcond, a.real.dtype), np.empty(2 * n, a.real.dtype)
    more = [c_void_p(address(norms))] if a.dtype.kind == "c" else []
    for_each(name, count, m, n, k, columns, m, x, max(m, n), places, c_void_p(address(bound)),
             ranks, c_void_p(address(room)), room.size, *more, 0)
    return x[..., :n].swapaxes(-1, -2), ranks


def geqrf(a, complete):
    """(Q, R), Q with all its columns if complete, or None without the routines. a is not empty."""
    names = f"{LETTERS[a.dtype.char]}geqrf_", of_reflections(a.dtype)
    if routine(names[0]) is None:
        return None
    *batch, m, n = a.shape
    count, k = prod(batch), min(m, n)
    width = m if complete else k                                 # of Q
    columns = np.zeros((*batch, max(n, width), m), a.dtype)
    columns[..., :n, :] = a.swapaxes(-1, -2)
    scales, room = np.empty((*batch, k), a.dtype), np.empty(BLOCK * columns.shape[-2], a.dtype)
    given = columns, m, scales, c_void_p(address(room)), room.size, 0
    for_each(names[0], count, m, n, *given)
    r = np.triu(columns.swapaxes(-1, -2)[..., :width, :n])
    for_each(names[1], count, m, width, k, *given)
    return columns[..., :width, :].swapaxes(-1, -2), r


def of_reflections(dtype):
    """LAPACK's routine that makes Q of what geqrf leaves."""
    return f"{LETTERS[dtype.char]}{'un' if dtype.kind == 'c' else 'or'}gqr_"


@on_one_thread
def orgqr(a, scales):
    """Q of the reflections below the diagonal of a (..., m, n), or None without the routine. There
    are elements, and one reflection at least."""
    name = of_reflections(a.dtype)
    if routine(name) is None:
        return None
    *batch, m, n = a.shape
    columns, room = np.array(a.swapaxes(-1, -2), order="C"), np.empty(BLOCK * n, a.dtype)
    for_each(name, prod(batch), m, n, scales.shape[-1], columns, m, np.ascontiguousarray(scales),
             c_void_p(address(room)), room.size, 0)
    return columns.swapaxes(-1, -2)
