"""Sums of columns of few rows, of a matrix or of each matrix of a stack.

Sums stay in registers, a few vectors wide, while rows go by. Every PART rows they are added to
those before, so that no sum has many roundings.

Addresses are integers; steps count bytes.
"""

from __future__ import annotations

import numpy as np

from .compiling import Count, Whole, address_of, kernel, routine, turns
from .rows import WORK
from .strip import strip
from .tile import BYTES, lanes

PART = 8                   # rows that are added at once
FLAT = 128                  # rows, at most: of more, float64 is to hold the sums
ACROSS = 8                  # vectors of a stretch of columns

ONES = {char: np.ones(1, char) for char in "fd"}


def are_few(x):
    """Whether these (stack, n, columns) are floats, of few rows."""
    return x.dtype.char in ONES and x.shape[1] <= FLAT and x.size > 0


def sums_of_few(x):
    """(stack, n, columns) -> (stack, columns)."""
    stack, n, columns = x.shape
    out, stretch = np.empty((stack, columns), x.dtype), ACROSS * lanes(x.dtype)
    count = stack * -(-columns // stretch)
    add_columns(turns(count), n, columns, x, out,
                ONES[x.dtype.char], chunk=max(1, WORK // (n * min(columns, stretch))))
    return out


# --------------------------------------------------------------------------- compiled

eight, four, two, some_of_one = strip(1, ACROSS), strip(1, 4), strip(1, 2), strip(1, 1, True)


@routine
def add_stretch(like, out, one, x, step, n, size):
    """The sums of `size` bytes of n rows, which lie `step` apart."""
    for first in range(0, n, PART):
        count, kept, at = min(PART, n - first), BYTES if first else 0, 0
        rows = x + first * step
        while size - at >= ACROSS * BYTES:
            eight(like, out + at, 0, one, 0, 0, rows + at, step, count, BYTES, kept)
            at += ACROSS * BYTES
        if size - at >= 4 * BYTES:
            four(like, out + at, 0, one, 0, 0, rows + at, step, count, BYTES, kept)
            at += 4 * BYTES
        if size - at >= 2 * BYTES:
            two(like, out + at, 0, one, 0, 0, rows + at, step, count, BYTES, kept)
            at += 2 * BYTES
        while size > at:
            some = min(BYTES, size - at)
            some_of_one(like, out + at, 0, one, 0, 0, rows + at, step, count, some,
                        some if first else 0)
            at += BYTES


@kernel
def add_columns(turns, n: Count, columns: Count, x: Whole, out: Whole, one: Whole):
    like, item = out.dtype.type(0), out.itemsize
    step, stretch = columns * item, ACROSS * BYTES
    across = -(-step // stretch)
    for turn in turns:
        row, start = turn // across, turn % across * stretch
        add_stretch(like, address_of(out) + row * step + start, address_of(one),
                    address_of(x) + row * n * step + start, step, n, min(stretch, step - start))
