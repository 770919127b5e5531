"""Cholesky factors of matrices that are not small, a column of blocks at a time.

A block column gets the products with all columns before it by tiles of NOTE [panels], which is most
of the work; then the block on the diagonal is factorized, and the rows below it are solutions of a
triangular system.

Addresses are integers; steps count bytes.
"""

from __future__ import annotations

import math

import numpy as np

from .. import fast
from .compiling import Part, address_of, kernel, routine
from .linalg import LOW, small_factors
from .panels import DEPTH, column_of_one, fill, tile_of, whole_column
from .tile import BYTES, WIDE, lanes
from .triangular import VECTORS, change_signs, copy_in, copy_out, dividing, narrow_panel, wide_panel

LARGE = 1 << 10                 # rows of a matrix that several threads of LAPACK share


def linalg_cholesky_ex(self, upper):
    n = self.shape[-1]
    if self.dtype.char not in "fd" or not self.size:
        return None
    if n <= LOW or not WIDE:
        return None if upper else small_factors(self)
    if fast.threads > 1 and n >= LARGE:
        return None
    a = np.array(self.swapaxes(-1, -2) if upper else self, order="C").reshape(-1, n, n)
    width = VECTORS * lanes(a.dtype)
    indefinite = np.zeros((len(a), 1), np.int64)
    room = np.empty((len(a), max(DEPTH, width) * width + width), a.dtype)
    factorize(a, indefinite, room, chunk=1)
    if indefinite.any():
        return None                             # NumPy's kernel says which one is
    found = a.reshape(self.shape)
    return found.swapaxes(-1, -2) if upper else found


# --------------------------------------------------------------------------- compiled

one, divide = tile_of(1, VECTORS, whole=True), dividing(VECTORS)


@routine
def upper_factor(like, room, begin, width, n):
    """U with U^T U = the matrix whose upper triangle lies there with the other sign, in its place;
    whether there is one. Row k is made of products with all rows above it, added up first."""
    work, item = address_of(room) + begin * room.itemsize, room.itemsize
    for k in range(n):
        row = work + k * width * item
        if k:
            one(like, row, 0, row, 0, work + k * item, 0, width * item, work, width * item, k, 0)
        pivot = -room[begin + k * width + k]
        if not pivot > 0:
            return False
        room[begin + n * width] = math.sqrt(pivot)
        divide(like, row, work + n * width * item, 0)
    return True


@routine
def subtract_products(like, matrix, step, n, first, columns, width, vector, work):
    """From columns `first` on, rows `first` on: the products of rows of L, left of there."""
    item = BYTES // vector
    size = width if columns == width else vector
    for k in range(0, first, DEPTH):
        terms = min(DEPTH, first - k)
        for j in range(0, columns, size):
            some = min(size, columns - j)
            fill(like, work, matrix + (first + j) * step + k * item, item, step, terms, some, size,
                 vector)
            change_signs(like, work, terms * (size // vector))
            out, rows = matrix + first * step + (first + j) * item, matrix + first * step + k * item
            if size == width:
                whole_column(like, out, step, out, step, rows, step, item, work, size * item, terms,
                             some, n - first)
            else:
                column_of_one(like, out, step, out, step, rows, step, item, work, size * item,
                              terms, some, n - first)


@kernel
def factorize(a, indefinite: Part, room: Part):
    """The lower factors of matrices (count, n, n), in their place."""
    like, item, n = a.dtype.type(0), a.itemsize, a.shape[1]
    vector, step = BYTES // item, n * item
    width, begin = VECTORS * vector, -(address_of(room) // item) % vector
    work = address_of(room) + begin * item
    for m in range(len(a)):
        matrix = address_of(a) + m * n * step
        for first in range(0, n, width):
            columns = min(width, n - first)
            subtract_products(like, matrix, step, n, first, columns, width, vector, work)
            block = matrix + first * (step + item)
            copy_in(like, work, block, item, step, columns, columns, width, vector)
            change_signs(like, work, columns * VECTORS)
            if not upper_factor(like, room, begin, width, columns):
                indefinite[0] = 1
                return
            copy_out(like, block, item, step, work, columns, columns, width, vector)
            for top in range(first + columns, n, width):
                rows = min(width, n - top)
                below, wide = matrix + top * step + first * item, width if rows > vector else vector
                copy_in(like, work, below, item, step, columns, rows, wide, vector)
                if wide == width:
                    wide_panel(like, work, block, step, item, columns, 0, 0)
                else:
                    narrow_panel(like, work, block, step, item, columns, 0, 0)
                change_signs(like, work, columns * (wide // vector))
                copy_out(like, below, item, step, work, columns, rows, wide, vector)
        for i in range(n):
            for j in range(i + 1, n):
                a[m, i, j] = 0
