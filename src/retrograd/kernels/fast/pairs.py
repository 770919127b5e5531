"""Products of bfloat16, two numbers of each sum at a time.

NOTE [pairs]
    Some processors have an instruction that multiplies pairs of bfloat16 and adds both products to
    a float32: twice as many in the same time as of float32, to which nothing need be converted. So
    numbers that follow each other in a sum are put together, as an integer of 32 bits, and the
    product of matrices of such pairs is computed as in NOTE [panels]. The instruction takes numbers
    below the smallest normal one (1e-38) for 0; PyTorch's products, which use it, do so too.
"""

from __future__ import annotations

import numpy as np

from . import panels
from .compiling import Whole, kernel
from .tile import ADDS_PAIRS

WORK = 1 << 18              # pairs of a chunk: what another thread wrote comes from its cache


@kernel
def join_rows(turns, x: Whole, pairs: Whole):
    """x (stack, 2 rows, columns), pairs (stack * rows, columns): two rows as one of pairs."""
    rows = x.shape[1] // 2
    for turn in turns:
        at, r = turn // rows, turn % rows
        first, second, to = x[at, 2 * r], x[at, 2 * r + 1], pairs[turn]
        for j in range(to.size):
            to[j] = np.int32(np.uint32(first[j]) | np.uint32(second[j]) << np.uint32(16))


def bfloat16_product(a, b, bias=None):
    """a b (+ bias) in float32 of bfloat16, or a stack of such products without a bias; None where
    that is not worth it."""
    if not ADDS_PAIRS or a.dtype.char != "E" or b.dtype is not a.dtype:
        return None
    (n, k), m, stack = a.shape[-2:], b.shape[-1], len(a) if a.ndim == 3 else 1
    row, step = (4 if in_rows else 4 * length for in_rows, length in (
        (b.strides[-2] == 2, m), (a.strides[-1] == 2, n)))
    if not panels.suits(n, -(-k // 2), m, row, 4, stack, step):
        return None
    bias = None if bias is None else np.ascontiguousarray(bias)
    left, right = (pairs_in_rows(x.view(np.uint16)) for x in (a, b.swapaxes(-1, -2)))
    return panels.product(left, right.swapaxes(-1, -2), bias)


def pairs_in_rows(x):
    """Neighbours in a row as one integer: (.., n, k) -> (.., n, k / 2). If k is odd, the last
    has a 0 beside it."""
    if x.shape[-1] % 2:
        even = np.zeros((*x.shape[:-1], x.shape[-1] + 1), x.dtype)
        even[..., :-1] = x
        x = even
    if x.strides[-2] == 2 and x.strides[-1] > 2:                    # columns are contiguous
        return joined(np.ascontiguousarray(x.swapaxes(-1, -2))).swapaxes(-1, -2)
    if x.strides[-1] != 2 or any([step % 4 for step in x.strides[:-1]]):
        x = np.ascontiguousarray(x)
    return x.view(np.int32)


def joined(x):
    """Two rows as one of pairs: (.., 2 r, n) -> (.., r, n)."""
    *batch, rows, columns = x.shape
    pairs = np.empty((*batch, rows // 2, columns), np.int32)
    flat = pairs.reshape(-1, columns)
    join_rows(np.arange(len(flat)), x.reshape(-1, rows, columns), flat,
              chunk=max(1, WORK // columns))
    return pairs
