"""Helpers of kernels that work on rows: their arguments, and the sum and maximum of a row."""

from __future__ import annotations

import math

import numpy as np

from ..shape import in_order
from .compiling import OPTIONS, scalar, scalar_sums
from .lazy import by_types, types

BLOCK = 512             # elements of a row summed in its own precision, and in any order
WORK = 1 << 14          # elements in a chunk of rows,
COSTLY = 1 << 13        # of those that take a nanosecond each, as exponentials do


def as_rows(*arrays, width=1):
    """Arrays of one shape as (rows, elements of the last `width` dimensions).

    None unless they are contiguous, float32 or float64, and have elements.
    """
    first = arrays[0]
    if first.dtype.char not in "fd" or not first.size:
        return None
    rows_already = width == 1 and first.ndim == 2
    size = math.prod(first.shape[first.ndim - width:])
    found = []
    for a in arrays:
        if a.shape != first.shape or a.dtype is not first.dtype:
            return None
        a = a if a.flags.carray else in_order(a)
        found.append(a if rows_already else a.reshape(-1, size))
    return found


def chunk_of(rows, work=WORK):
    """How many rows make a chunk: a few pages of memory, whatever the number of threads."""
    return max(1, work // max(rows.shape[1], 1))


@scalar
def as_it_is(x):
    return x


def total_by(read):
    """For kernels: the sum, as a float64, of what `read` makes of the elements of a vector."""
    @scalar_sums
    def block_total(x):
        part = read(x.dtype.type(0))
        for j in range(x.size):
            part += read(x[j])
        return part

    @scalar
    def total(x):
        """Elements of a block are added in x's precision, the sums of blocks in float64."""
        whole = 0.0
        for start in range(0, x.size, BLOCK):
            whole += block_total(x[start:start + BLOCK])
        return whole
    return total


total = total_by(as_it_is)


# NOTE [largest] A maximum of floats does not vectorise, because of nan; one of integers does. The
# bits of a float (for a negative one, all but the sign inverted) are an integer that orders like
# the float. Nans come out on top.

@scalar
def ordered_32(bits):
    key = np.int32(bits ^ np.int32(np.int32(bits >> np.int32(31)) & np.int32(0x7FFFFFFF)))
    nan = np.int32(bits & np.int32(0x7FFFFFFF)) > np.int32(0x7F800000)
    return np.int32(0x7FFFFFFF) if nan else key


@scalar
def ordered_64(bits):
    key = bits ^ ((bits >> 63) & 0x7FFFFFFFFFFFFFFF)
    return 0x7FFFFFFFFFFFFFFF if bits & 0x7FFFFFFFFFFFFFFF > 0x7FF0000000000000 else key


@scalar
def back_32(key):
    """The bits that ordered_32 makes this integer of; of the one for nans a nan's."""
    return np.int32(key ^ np.int32(np.int32(key >> np.int32(31)) & np.int32(0x7FFFFFFF)))


@scalar
def back_64(key):
    return key ^ ((key >> 63) & 0x7FFFFFFFFFFFFFFF)


def extreme(sign_32, sign_64):
    """max(x), or with the signs inverted min(x); nan if there is one. See NOTE [largest]."""
    sign_32 = np.int32(sign_32)

    def of_numbers(x):
        def single(x):
            bits = x.view(np.int32)
            top = np.int32(-0x80000000)
            for j in range(bits.size):
                key = ordered_32(np.int32(bits[j] ^ sign_32))
                top = key if key > top else top
            return np.int32(back_32(top) ^ sign_32).view(np.float32)

        def double(x):
            bits = x.view(np.int64)
            top = np.int64(-0x8000000000000000)
            for j in range(bits.size):
                key = ordered_64(bits[j] ^ sign_64)
                top = key if key > top else top
            return np.int64(back_64(top) ^ sign_64).view(np.float64)
        return single if x.dtype == types.float32 else double
    return by_types(of_numbers, **OPTIONS)


largest, smallest = extreme(0, 0), extreme(-0x80000000, -0x8000000000000000)
