"""Formulas of several NumPy calls over blocks that stay in the cache, shared by threads.

NOTE [blocks]
    A call on a large array reads and writes slow memory. On a block that the last call left in the
    cache, it takes a quarter of the time. Threads work on different blocks: with blocks of 250,000
    float32 numbers, two threads take about 60% of one thread's time, with blocks of a quarter of
    that size 80%, because they wait for Python's lock after every call. The blocks, and so the
    results, do not depend on the number of threads.

NOTE [expanded rows]
    NumPy copies an expanded row or column into its buffers, unless the rows are longer than the
    buffers. From LONG numbers on, it takes less time to let NumPy start its loop anew for each row.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from .._blas import alone
from .._memory import address
from .layout import in_memory_order
from .sharing import share
from .sums import PIECE, THREADED, ones, sum_over

BLOCK = 1 << 20              # bytes of the largest block of an array
SHARED = 3 << 18             # bytes of an array from which threads share it
HEIGHT = 4096  # the most rows of a block, as their columns are added one after another
LINE = 64                    # bytes of a cache line: a vector across two takes twice as long
BUFFER, SMALLEST = 8192, 16  # numbers in NumPy's buffers, and in the smallest buffer it accepts
LONG = 256                   # numbers in a row from which NOTE [expanded rows] holds


def over_blocks(work, rows, scratch=0) -> list:
    """[work(part, *scratch)] for the slices that cut `rows` into blocks.

    `rows` is an array of at least one dimension, the first of which is cut; `scratch` is how many
    arrays like a block of it `work` needs.
    """
    count, inner = len(rows), rows.shape[1:]
    if rows.size < THREADED:
        return [work(slice(0, count), *np.empty((scratch, *rows.shape), rows.dtype))]
    pairs = -(-rows.nbytes // (2 * BLOCK))                # of blocks: two threads get as much
    step = count if rows.nbytes < SHARED else -(-count // (2 * pairs))
    step = min(step, HEIGHT) if inner else step

    def begin():
        room = aligned((scratch, step, *inner), rows.dtype)
        return lambda part: work(part, *room[:, :part.stop - part.start])
    parts = [slice(i, min(i + step, count)) for i in range(0, count, step)]
    if not LONG <= rows.shape[-1] < BUFFER:
        return alone(share, begin, parts)
    before = np.setbufsize(SMALLEST)
    try:
        return alone(share, begin, parts)
    finally:
        np.setbufsize(before)


def aligned(shape, dtype):
    """Uninitialised memory that begins where a line of the cache does."""
    size = math.prod(shape) * dtype.itemsize
    memory = np.empty(size + LINE, np.uint8)
    first = -address(memory) % LINE
    return memory[first:first + size].view(dtype).reshape(shape)


def by_blocks(formula, scratch, *arrays, shape=(-1,)):
    """An array that formula(out, *arrays, *scratch) fills block by block; all are of one shape.

    They are cut along the first dimension of what they are reshaped to.
    """
    first = arrays[0]
    if not first.flags.c_contiguous and len(shape) == 1:
        return in_memory_order(partial(by_blocks, formula, scratch), *arrays)
    shaped = [a.reshape(shape) for a in arrays]
    out = np.empty(shaped[0].shape, first.dtype)

    def work(part, *room):
        formula(out[part], *[a[part] for a in shaped], *room)
    over_blocks(work, out, scratch)
    return out.reshape(first.shape)


def by_lines(formula, scratch, dim, *arrays):
    """by_blocks for a formula along `dim`, which is dimension 1 there; None if it does not apply:
    to arrays that are small, differ, or do not lie in the ordinary order."""
    first = arrays[0]
    shape, dtype = first.shape, first.dtype
    if first.size < THREADED or dtype.char not in "fd" or not all(
            a.flags.c_contiguous and a.dtype is dtype and a.shape == shape for a in arrays):
        return None
    lines = math.prod(shape[:dim]), shape[dim], math.prod(shape[dim + 1:])
    return by_blocks(formula, scratch, *arrays, shape=lines[:2] if lines[2] == 1 else lines)


def line_sums(a):
    """Sums over dimension 1, kept, of a block: see NOTE [sums by products]."""
    if a.ndim == 2 and a.shape[1] <= PIECE:
        return a.dot(ones(a.shape[1], a.dtype.char))[:, None]
    return sum_over(a, 1, keepdims=True)
