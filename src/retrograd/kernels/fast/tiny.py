"""Products of many tiny matrices, as of rotations: a call of the BLAS for each of them takes ten
times as long as its arithmetic.

There is a kernel for each shape, whose loops the compiler writes out.
"""

from __future__ import annotations

from functools import cache

import numpy as np

from .compiling import Count, kernel

LINES = 4             # rows or columns, at most: from here on NumPy takes less time
CHUNK = 1 << 13       # multiplications


@cache
def product_of(n, k, m):
    """The kernel for matrices of these sizes."""
    def multiply(a, b, c, a_row: Count, a_step: Count, b_row: Count, b_step: Count):
        """c = a b, a row for each matrix: (stack, n k) (stack, k m) -> (stack, n m)"""
        for t in range(len(c)):
            for i in range(n):
                for j in range(m):
                    total = a[t, i * a_row] * b[t, j * b_step]
                    for p in range(1, k):
                        total += a[t, i * a_row + p * a_step] * b[t, p * b_row + j * b_step]
                    c[t, i * m + j] = total
    multiply.__name__ = f"multiply_{n}_{k}_{m}"
    return kernel(multiply)


def tiny_products(a, b):
    """(stack, n, k) (stack, k, m) -> (stack, n, m); None unless the matrices are tiny."""
    (stack, n, k), m = a.shape, b.shape[2]
    tiny = 0 < min(n, k, m) and max(n, k, m) <= LINES
    if not tiny or a.dtype.char not in "fd" or b.dtype is not a.dtype:
        return None
    c = np.empty((stack, n, m), a.dtype)
    a, *a_steps = flat(a)
    b, *b_steps = flat(b)
    product_of(n, k, m)(a, b, c.reshape(stack, n * m), *a_steps, *b_steps,
                        chunk=CHUNK // (n * k * m))
    return c


def flat(a):
    """Matrices as rows (stack, n k), and how many numbers lie from row to row and from column to
    column; they are copied unless they lie row by row or column by column."""
    turned = a.swapaxes(1, 2)
    if turned.flags.c_contiguous and not a.flags.c_contiguous:
        return turned.reshape(len(a), -1), 1, a.shape[1]
    return np.ascontiguousarray(a).reshape(len(a), -1), a.shape[2], 1
