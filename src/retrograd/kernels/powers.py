"""Powers, by products and roots where possible, since np.power is slow."""

from __future__ import annotations

import math

import numpy as np

from .checks import fitting, not_implemented, scalar_name
from .choose import where
from .half import is_half, narrowed, widened
from .pointwise import number_dtype
from .shape import clone

BELOW = 200         # np.power takes smaller arrays as they are, negative numbers or not
BLOCK = 1 << 14     # elements of a block: a few arrays of that size fit into the cache
SOME = 512          # from so many elements on it pays to look for subnormal powers first
STEEP = 8           # and only exponents from here on give any, in practice
WIDE = 32           # from so many elements on PyTorch's loop over bfloat16 computes in float32
LOWEST = -126       # float32's least normal number is 2 ** LOWEST


def pow(a, b):
    if a.dtype.kind == "b":
        raise not_implemented("pow", a.dtype)
    negative = b < 0
    if a.dtype.kind in "iu" and np.any(negative):
        inverse = np.where(a == 1, 1, np.where(a == -1, 1 - 2 * (b % 2), 0))
        return np.where(negative, inverse, np.power(a, np.where(negative, 0, b))).astype(a.dtype)
    if a.dtype.kind == "f":
        return _float_power(a, b)
    return _complex_power(a, b) if a.dtype.kind == "c" else np.power(a, b)


def _complex_power(a, b):
    """np.power, but powers of 0 as C's cpow, exp(b log 0), has them: nan for 0 ** 0."""
    res, zero = np.power(a, b), a == 0
    if not zero.any():
        return res
    infinite = complex(math.inf, math.nan)
    nothing = np.where(b.imag < 0, 0j, complex(0.0, -0.0))
    of_zero = np.where(b.real > 0, nothing,
                       np.where(b.real < 0, infinite, complex(math.nan, math.nan)))
    return np.where(zero & ~np.isnan(b.real), of_zero, res).astype(res.dtype, copy=False)


def _held(number, dtype):
    """The number rounded to half precision, as in PyTorch's power; its error for a larger one."""
    held = float(dtype.type(number))
    if math.isinf(held) and not math.isinf(number):
        raise RuntimeError(f"value cannot be converted to type c10::{scalar_name(dtype)} without "
                           "overflow")
    return held


def pow_scalar(a, exponent):
    """a ** exponent; small exponents by multiplication: np.power takes 200 times as long."""
    kind = a.dtype.kind
    if kind in "biu" or exponent.__class__ is complex and kind != "c":
        a = a.astype(number_dtype(a.dtype, exponent), copy=False)
        if a.dtype.kind in "iu" and exponent < 0:
            raise RuntimeError("Integers to negative integer powers are not allowed.")
        if a.dtype.kind == "b":
            return a | (not exponent)
        if a.dtype.kind in "iu":
            return np.power(a, fitting(exponent, a.dtype)) if exponent != 2 else a * a
    if is_half(a.dtype):
        exponent = _held(exponent, a.dtype)
    if exponent == 2:
        return np.square(a)
    if exponent == 3:
        res = np.square(a)
        return np.multiply(res, a, res) if res.ndim else res * a
    if exponent == 1:
        return clone(a)
    if exponent == 0.5:
        return np.sqrt(a) if a.dtype.char != "e" else _root(a)
    if exponent == -1:
        return 1 / a
    if exponent == -2:
        return 1 / np.square(a) if a.dtype.char != "e" else _once(lambda a: 1 / np.square(a), a)
    if exponent == -0.5:
        if a.dtype.char == "e":
            return _once(lambda a: 1 / _root(a), a)
        wide = kind == "V" and a.size >= WIDE
        return _once(lambda a: 1 / np.sqrt(a), a) if wide else 1 / np.sqrt(a)
    if exponent == 0:
        return np.ones_like(a)
    if kind == "V":
        return _float_power(a.astype(np.float32), exponent).astype(a.dtype)
    return _float_power(a, exponent) if kind == "f" else np.power(a, exponent)


def _once(power, a):
    """power(a) of half precision, which is rounded when it is known, not at every step."""
    return power(a.astype(np.float32)).astype(a.dtype)


def _root(a):
    """The square root as C's pow() has it, by which PyTorch computes float16's: of -0.0 it is 0.0,
    of -inf it is inf."""
    return np.sqrt(np.where(a == -np.inf, -a, a + a.dtype.type(0)))


def _float_power(a, exponent):
    """np.power, which takes twenty times as long for negative numbers."""
    power = _in_double if _falls_low(a, exponent) else np.power
    if a.size < BELOW or not np.signbit(a).any():
        return power(a, exponent)
    if a.size > BLOCK and _side_by_side(a, exponent):          # the passes below stay in the cache
        res, exponents, flat = np.empty(a.shape, a.dtype), exponent.reshape(-1), a.reshape(-1)
        for start in range(0, a.size, BLOCK):
            block = slice(start, start + BLOCK)
            res.reshape(-1)[block] = _float_power(flat[block], exponents[block])
        return res
    res = power(np.abs(a), exponent)
    if exponent.__class__ is not np.ndarray and float(exponent).is_integer():
        return np.copysign(res, a, res) if exponent % 2 else res
    whole = np.floor(exponent) == exponent                # infinity is whole, and even
    half = exponent / 2
    odd = whole & (np.floor(half) != half)
    if np.any(odd):
        res = where(odd, np.copysign(res, a), res)
    if not np.all(whole):
        np.copyto(res, np.nan, where=~whole & (a < 0) & (a != -np.inf))
    return res


def _side_by_side(a, exponent):
    """Whether each number has an exponent of its own, of one dtype, in the same order."""
    return (exponent.__class__ is np.ndarray and exponent.shape == a.shape
            and exponent.dtype is a.dtype and a.flags.c_contiguous
            and exponent.flags.c_contiguous)


def _falls_low(a, exponent):
    """Whether many powers may be subnormal in float32, like those of decay rates: np.power takes up
    to 200 nanoseconds for each of these, and 3 in float64."""
    many = a.size
    if exponent.__class__ is np.ndarray:
        if a.shape != exponent.shape:
            many *= exponent.size
        exponent = np.maximum.reduce(exponent, None) if many >= SOME else 0
    return (many >= SOME and exponent >= STEEP and a.dtype.char == "f"
            and np.abs(a).min() < 2.0 ** (LOWEST / exponent))


def _in_double(a, exponent):
    """np.power of float32 by way of float64; an exponent is rounded to float32 as well."""
    return np.power(a.astype(np.float64), np.float32(exponent)).astype(np.float32)


def rpow(exponent, base):
    """base ** exponent for a number `base`."""
    if base == 2 and exponent.dtype.kind == "f":
        return np.exp2(exponent)
    exponent = exponent.astype(number_dtype(exponent.dtype, base), copy=False)
    return pow(np.asarray(base).astype(exponent.dtype), exponent)


def square(a, out=None):
    return np.square(a, out) if a.dtype.kind != "b" else a.astype(np.int64)


def rsqrt(a):
    if a.itemsize == 2:
        return narrowed(1 / np.sqrt(widened(a)), a.dtype)
    return 1 / np.sqrt(a)
