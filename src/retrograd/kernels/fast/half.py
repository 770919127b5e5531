"""Half precision: Numba has no such numbers, so kernels read 16 bits and compute in float32.

`READERS` and `WRITERS` turn the bits into a float32 and back, rounding to the nearest, ties to
even, as NumPy and PyTorch do; without branches, so that loops over them vectorise.
"""

from __future__ import annotations

import llvmlite.binding
import numpy as np
from llvmlite import ir

from ..half import is_half, usually
from ..layout import dense_order
from .compiling import kernel, scalar
from .lazy import intrinsic, types
from .scalar import HALF, choose

CHUNK = 1 << 14                          # elements
FEW = 1 << 8                             # that NumPy converts in less time than a call takes
BITS = np.uint16
i32, f32 = np.int32, np.float32
# All of 32 bits, as are the steps between: Numba would go on with 64, in half as many lanes.
SIZE, INFINITY = i32(0x7FFFFFFF), i32(0x7F800000)
SIZE_16, INFINITY_16, NAN_16, SIGN_16 = i32(0x7FFF), i32(0x7C00), i32(0x7E00), i32(0x8000)
NAN_BRAIN, BELOW_HALF = i32(0x7FC0), i32(0x7FFF)
UNIT, SHIFT, SIXTEEN = i32(1), i32(13), i32(16)             # float32 has 13 bits more
SCALE = f32(2.0**112)                    # float16's exponents, where float32 has its own
# In float32: 2^16, which float16 calls infinity, its least normal number 2^-14, and 1/2, whose
# last bit is as large as float16's least number 2^-24.
TOO_LARGE, NORMAL, HALF_BITS = i32(143 << 23), i32(113 << 23), i32(126 << 23)
ROUNDING = i32((112 << 23) - 0xFFF)


@scalar
def read_float16_bits(h):
    """The exponent and fraction of a float16, moved to where float32 has its own, are the number
    divided by 2^112, as exponents are counted from -15 in the one and from -127 in the other. So
    they are for numbers below the least normal one. inf and nan get float32's largest exponent."""
    bits = i32(h)
    size = i32(i32(bits & SIZE_16) << SHIFT)
    finite = np.float32(np.int32(size).view(f32) * SCALE).view(i32)
    size = choose(i32(bits & INFINITY_16) == INFINITY_16, i32(size | INFINITY), finite)
    return np.int32(size | i32(i32(bits & SIGN_16) << SIXTEEN)).view(f32)


@scalar
def write_float16_bits(x):
    """Normal numbers lose 13 bits of their fraction. To round, add half of the last bit that stays,
    less one, and that bit itself (`odd`), so that ties go to the even one; ROUNDING does the first,
    and takes 112 from the exponent. Smaller numbers are added to 1/2, whose last bit is that of
    float16's smallest, so that the addition rounds them."""
    bits = np.float32(x).view(i32)
    size = i32(bits & SIZE)
    odd = i32(i32(size >> SHIFT) & UNIT)
    normal = i32(i32(i32(size - ROUNDING) + odd) >> SHIFT)
    small = i32(np.float32(np.int32(size).view(f32) + HALF).view(i32) - HALF_BITS)
    res = choose(size < NORMAL, small, normal)
    res = choose(size >= TOO_LARGE, choose(size > INFINITY, NAN_16, INFINITY_16), res)
    return np.uint16(res | i32(i32(bits >> SIXTEEN) & SIGN_16))


@scalar
def read_bfloat16(h):
    return np.int32(i32(h) << SIXTEEN).view(f32)


@scalar
def write_bfloat16(x):
    """The upper 16 bits, after adding half of the last one that stays, rounded as in float16."""
    bits = np.float32(x).view(i32)
    odd = i32(i32(bits >> SIXTEEN) & UNIT)
    rounded = i32(i32(i32(bits + BELOW_HALF) + odd) >> SIXTEEN)
    return np.uint16(choose(i32(bits & SIZE) > INFINITY, NAN_BRAIN, rounded))


@intrinsic
def widen(typingctx, h):
    """float16 as float32, by the processor."""
    def codegen(context, builder, signature, args):
        return builder.fpext(builder.bitcast(args[0], ir.HalfType()), ir.FloatType())
    return types.float32(types.uint16), codegen


@intrinsic
def narrow(typingctx, x):
    def codegen(context, builder, signature, args):
        return builder.bitcast(builder.fptrunc(args[0], ir.HalfType()), ir.IntType(16))
    return types.uint16(types.float32), codegen


@scalar
def read_float16_at_once(h):
    return widen(h)


@scalar
def write_float16_at_once(x):
    return narrow(f32(x))


AT_ONCE = llvmlite.binding.get_host_cpu_features().get("f16c")        # x86's instruction for it
# By the dtype's character: its name takes NumPy 10 us.
NAMES = {"e": "float16", "E": "bfloat16"}
READERS = {"e": read_float16_at_once if AT_ONCE else read_float16_bits, "E": read_bfloat16}
WRITERS = {"e": write_float16_at_once if AT_ONCE else write_float16_bits, "E": write_bfloat16}


def conversion(kind):
    """The kernels that read and write arrays of this kind."""
    reader, writer = READERS[kind], WRITERS[kind]

    def read(x, out):
        for i in range(out.size):
            out[i] = reader(x[i])

    def write(x, out):
        for i in range(out.size):
            out[i] = writer(x[i])
    read.__name__, write.__name__ = f"read_{NAMES[kind]}s", f"write_{NAMES[kind]}s"
    return kernel(read), kernel(write)


CONVERSIONS = {kind: conversion(kind) for kind in READERS}


def cast(a, dtype):
    """`a` as `dtype`, between float32 and half precision; None for other dtypes."""
    if not a.size:
        return None
    if not a.flags.carray:
        return cast_view(a, dtype)
    out = np.empty(a.shape, dtype)
    source, target = a.dtype.char, out.dtype.char
    if target == "f" and source in CONVERSIONS:
        CONVERSIONS[source][0](a.reshape(-1).view(BITS), out.reshape(-1), chunk=CHUNK)
    elif source == "f" and target in CONVERSIONS:
        CONVERSIONS[target][1](a.reshape(-1), out.reshape(-1).view(BITS), chunk=CHUNK)
    else:
        return None
    return out


def cast_view(a, dtype):
    """cast() of an array that is not contiguous: what it repeats is converted once."""
    order = dense_order(a)
    a = a.transpose(order)
    once = a[tuple([slice(1 if s == 0 else None) for s in a.strides])]
    once = cast(once if once.flags.carray else np.array(once, order="C"), dtype)
    if once is None:
        return None
    res = once if once.shape == a.shape else np.array(np.broadcast_to(once, a.shape), order="C")
    return res.transpose(np.argsort(order))


def cast_any(a, dtype):
    res = cast(a, dtype)
    return a.astype(dtype) if res is None else res


def in_single(function, *args):
    """function(*args), where it computes arrays of half precision in float32 and rounds once.

    What follows the first result (statistics, gradients of weights) stays float32 where another
    array is.
    """
    arrays = [a for a in args if isinstance(a, np.ndarray)]
    wide = [cast_any(a, f32) if isinstance(a, np.ndarray) and is_half(a.dtype) else a for a in args]
    res = function(*wide)
    if not isinstance(res, tuple):
        return narrowed(res, arrays[0].dtype)
    rest = res[1:]
    if all(is_half(a.dtype) for a in arrays):
        rest = (narrowed(a, arrays[0].dtype) for a in rest)
    return narrowed(res[0], arrays[0].dtype), *rest


def narrowed(res, dtype):
    """A float32 array rounded to `dtype`; anything else as it is."""
    if not isinstance(res, np.ndarray) or res.dtype.char != "f":
        return res
    return res.astype(dtype) if res.size < FEW else cast_any(res, dtype)


def half_too(twin):
    """A twin that also takes half precision, computing in float32, unless a dtype is asked for."""
    def of_two_bytes(x, *rest):
        if not is_half(x.dtype):
            return twin(x, *rest)
        return None if any(isinstance(a, np.dtype) for a in rest) else in_single(twin, x, *rest)

    return usually(twin, "{}.itemsize != 2", of_two_bytes)
