"""Writes through masks, which are often smaller than what they hide: one for all heads."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from . import ufuncs
from .compiling import Count, Number, Whole, address_of, kernel
from .elementwise import CHUNK
from .scalar import choose


@kernel
def fill(out, x, first: Whole, mask: Whole, onto: Count, width: Count, columns: Count, rows: Count,
         step: Count, column: Count, row: Count, block: Count, value: Number):
    """The value where the mask is not 0, x elsewhere; `onto`: x is out. See layout()."""
    i, begin = 0, (address_of(out) - address_of(first)) // out.itemsize
    while i < out.size:
        line, at = (begin + i) // width, (begin + i) % width
        count = min(width - at, out.size - i)
        to, own = out[i:i + count], x[i:i + count]
        where = line % columns * column + line // columns % rows * row \
            + line // columns // rows * block
        if step:
            hidden = mask[where + at:where + at + count]
            if onto:                              # a loop that knows no other array vectorises
                for j in range(count):
                    to[j] = choose(hidden[j] != 0, value, to[j])
            else:
                for j in range(count):
                    to[j] = choose(hidden[j] != 0, value, own[j])
        elif mask[where]:
            for j in range(count):
                to[j] = value
        elif not onto:
            for j in range(count):
                to[j] = own[j]
        i += count


def fill_masked(x, mask, value, out=None):
    """See kernels.masks. Masks and values lie row by row; the result may be written over x."""
    if x.dtype.char not in "fd" or not x.flags.carray or not mask.flags.c_contiguous \
            or out is not None and out is not x:
        return None
    steps = layout(x.shape, mask.shape)
    if steps is None:
        return None
    res, flat = np.empty(x.shape, x.dtype) if out is None else x, x.reshape(-1)
    to = res.reshape(-1)
    fill(to, flat, to, mask.reshape(-1).view(np.uint8), out is not None, *steps, float(value),
         chunk=CHUNK)
    return res


@lru_cache(1 << 10)
def layout(shape, own):
    """The sizes (width, columns, rows) that the last dimensions of x and mask become, and how far
    the mask moves from number to number, column to column, row to row, and then; None where these
    are not enough, or where the mask does not fit: NumPy's kernel says so."""
    if len(own) > len(shape) or any(
            n not in (1, m) for n, m in zip(reversed(own), reversed(shape), strict=False)):
        return None
    strides = [math.prod(own[k + 1:]) for k in range(len(own))]
    whole = [math.prod(shape[k + 1:]) for k in range(len(shape))]
    groups = ufuncs.merged(shape, [ufuncs.steps_in(own, strides, shape), whole])
    if not 0 < len(groups) <= 4 or groups[-1][1] > 1 or 0 in shape:
        return None
    sizes, steps, _ = zip(*reversed([(1, 0, 0)] * (4 - len(groups)) + groups), strict=True)
    return *sizes[:3], *steps
