"""Normal numbers from uniform ones, rounded after every step as PyTorch's vector code rounds."""

from __future__ import annotations

import math

import numba
import numpy as np
from numba.extending import intrinsic

from .. import normal_fill as plain
from ..fma import scale_shift
from .compiling import OPTIONS, kernel_as_written
from .scalar import HALF, ONE, choose

F32 = np.float32
LOG_TERMS = tuple(map(F32, plain.LOG_POLY))
COS_TERMS, SIN_TERMS = (tuple(map(F32, plain.WAVE_POLY[:, k, 0, 0])) for k in (0, 1))
QUARTER_PI = tuple(map(F32, plain.QUARTER_PI))
LN2_LOW, LN2_HIGH = F32(plain.LN2_LOW), F32(plain.LN2_HIGH)
ROOT_HALF, TWO_PI, FOUR_OVER_PI = (F32(c) for c in (plain.SQRT_HALF, plain.TWO_PI,
                                                    plain.FOUR_OVER_PI))


def as_written(function):
    return numba.njit(function, forceinline=True, **OPTIONS)


@intrinsic
def fma(typingctx, a, b, c):
    """a * b + c, rounded once."""
    def codegen(context, builder, signature, args):
        return builder.fma(*args)
    return a(a, a, a), codegen


@as_written
def log(x):
    """See log_f32 of kernels/normal_fill.py."""
    bits = np.int32(F32(x).view(np.int32))
    m = np.int32((bits & 0x7FFFFF) | 0x3F000000).view(np.float32)
    low = m < ROOT_HALF
    e = F32(np.int32((bits >> 23) - 126)) - choose(low, ONE, ONE - ONE)
    x = m - ONE
    x = choose(low, x + m, x)
    z = x * x
    y = LOG_TERMS[0]
    for term in LOG_TERMS[1:]:
        y = fma(y, x, term)
    y = fma(y * x, z, e * LN2_LOW)
    y = fma(z, -HALF, y)
    return fma(e, LN2_HIGH, x + y)


@as_written
def cos_and_sin(x):
    """See cos_sin_f32."""
    octant = np.int32((np.int32(x * FOUR_OVER_PI) + 1) & ~1)
    y = F32(octant)
    for part in QUARTER_PI:
        x = fma(y, -part, x)
    z = x * x
    even, odd = COS_TERMS[0], SIN_TERMS[0]
    for k in range(1, 3):
        even, odd = fma(even, z, COS_TERMS[k]), fma(odd, z, SIN_TERMS[k])
    even = fma(even * z, z, -HALF * z) + ONE
    odd = fma(odd * z, x, x)
    swap = (octant & 2) != 0
    cos, sin = choose(swap, odd, even), choose(swap, even, odd)
    return (choose(((octant + 2) & 4) != 0, -cos, cos), choose((octant & 4) != 0, -sin, sin))


@kernel_as_written
def fill_blocks(blocks):
    """(n, 16) uniforms become normals."""
    for i in range(len(blocks)):
        block = blocks[i]
        for k in range(8):
            radius = F32(math.sqrt(F32(-2) * log(ONE - block[k])))
            cos, sin = cos_and_sin(TWO_PI * block[8 + k])
            block[k], block[8 + k] = cos * radius, sin * radius


def normal_blocks(uniforms, mean, std):
    """In place, for float32."""
    if uniforms.dtype.char != "f" or not uniforms.flags.carray:
        return None
    fill_blocks(uniforms.reshape(-1, 16), chunk=1 << 10)
    if (std, mean) != (1, 0):
        uniforms[...] = scale_shift(uniforms, std, mean)
    return uniforms
