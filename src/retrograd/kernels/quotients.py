"""Remainders and floored quotients of float32, by way of float64.

C's fmod takes the steps of long division one by one. But if the quotient of two float32 numbers is
below 2^27, the 53 bits of float64 tell it apart from the integers near it, and its integer part
times the divisor is exact. So one division, one product and one difference give the same remainder.
Blocks with larger quotients, zeros among the divisors or anything infinite are left to NumPy.
"""

from __future__ import annotations

import numpy as np

from .half import is_half, narrowed, widened
from .layout import arranged

BLOCK = 1 << 14      # elements worked on at a time, so that intermediates stay in the cache
LARGEST = 2.0 ** 27
FEW = 1 << 11        # so few elements are divided step by step as quickly


def fmod(a, b):
    """np.fmod."""
    return _in_blocks(np.fmod, _fmod, a, b)


def remainder(a, b):
    """a - b * floor(a / b), as PyTorch rounds it; a zero has the sign of a."""
    return _in_blocks(_slow_remainder, _remainder, a, b)


def floor_divide(a, b):
    """np.floor_divide."""
    if a.dtype.char == b.dtype.char == "d" and a.size >= 512:
        return _floor_divide_doubles(a, b)
    return _in_blocks(np.floor_divide, _floor_divide, a, b)


def _floor_divide_doubles(a, b):
    """The floor of the rounded quotient: no integer lies between it and the true one, so the
    remainder is only needed where it is an integer itself."""
    with np.errstate(all="ignore"):
        quotient = a / b
        res = np.floor(quotient)
        exact = res == quotient                                # zeros, infinity: these too
        if np.any(exact):
            a, b = np.broadcast_arrays(a, b)
            res[exact] = np.floor_divide(a[exact], b[exact])
    return res


def _slow_remainder(a, b):
    res = np.asarray(np.remainder(a, b))
    if np.count_nonzero(res) < res.size:                # NumPy's zeros have the sign of b
        np.copysign(res, a, out=res, where=res == 0)
    return res


def _fmod(a, b, quotient):
    q = np.trunc(quotient, quotient)
    q *= b
    np.subtract(a, q, q)
    return np.copysign(q, a, q)


def _remainder(a, b, quotient):
    rest = _fmod(a, b, quotient)
    other = rest * b < 0                       # a zero is on neither side
    rest -= 0.0 - b * other                    # never less -0.0: that would turn -0.0 to 0.0
    return rest


def _floor_divide(a, b, quotient):
    return np.floor(quotient, quotient)


def _in_blocks(slow, fast, a, b):
    """fast(a, b, a / b) in float64 block by block where it holds, else slow(a, b)."""
    if is_half(a.dtype):
        return narrowed(_in_blocks(slow, fast, widened(a), widened(b)), a.dtype)
    if a.dtype != np.float32 or b.dtype != np.float32 or a.size < FEW:
        return slow(a, b)
    shape = np.broadcast_shapes(a.shape, b.shape)
    if a.shape != shape or (b.size != 1 and b.shape != shape):
        return slow(a, b)
    out = np.empty(shape, np.float32)
    x, target = a.reshape(-1), out.reshape(-1)
    y = None if b.size == 1 else b.reshape(-1)
    block = min(BLOCK, x.size)
    wide, divisor = np.empty(block), np.float64(b.reshape(-1)[0]) if y is None else np.empty(block)
    with np.errstate(all="ignore"):
        for start in range(0, x.size, BLOCK):
            part = slice(start, start + BLOCK)
            n = x[part].size
            wide[:n] = x[part]
            d = divisor
            if y is not None:
                d = divisor[:n]
                d[...] = y[part]
            quotient = wide[:n] / d
            if _holds(quotient, d):
                target[part] = fast(wide[:n], d, quotient)
            else:
                target[part] = slow(x[part], b.reshape(()) if y is None else y[part])
    return arranged(out, a)


def _holds(quotient, divisor):
    """Whether all quotients are below LARGEST (so not nan) and the divisors finite."""
    return (-LARGEST < quotient.min() and quotient.max() < LARGEST
            and np.isfinite(np.sum(divisor)))
