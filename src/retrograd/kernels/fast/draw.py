"""Random words by the block; normal numbers from uniform ones.

Normals are rounded after every step, as in PyTorch's vector code.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from .. import normal_fill as plain
from ..fma import scale_shift
from ..stream import WORDS
from .compiling import OPTIONS, Count, Number, Whole, kernel_as_written
from .lazy import intrinsic, jit
from .scalar import HALF, ONE, choose

F32 = np.float32
LOG_TERMS = tuple(map(F32, plain.LOG_POLY))
COS_TERMS, SIN_TERMS = (tuple(map(F32, plain.WAVE_POLY[:, k, 0, 0])) for k in (0, 1))
QUARTER_PI = tuple(map(F32, plain.QUARTER_PI))
LN2_LOW, LN2_HIGH = F32(plain.LN2_LOW), F32(plain.LN2_HIGH)
ROOT_HALF, TWO_PI, FOUR_OVER_PI = (F32(c) for c in (plain.SQRT_HALF, plain.TWO_PI,
                                                    plain.FOUR_OVER_PI))


SPAN = 64                  # blocks that become normals together


def as_written(function):
    return jit(function, forceinline=True, **OPTIONS)


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


@as_written
def to_normals(blocks):
    """Blocks of 16 uniforms become normals; the halves of blocks by themselves, in loops long
    enough for vectors."""
    first, second = np.empty(8 * SPAN, F32), np.empty(8 * SPAN, F32)
    for start in range(0, blocks.size, 16 * SPAN):
        some = blocks[start:start + 16 * SPAN]
        count = some.size // 16
        for i in range(count):
            for k in range(8):
                first[8 * i + k], second[8 * i + k] = some[16 * i + k], some[16 * i + 8 + k]
        for j in range(8 * count):
            radius = F32(math.sqrt(F32(-2) * log(ONE - first[j])))
            cos, sin = cos_and_sin(TWO_PI * second[j])
            first[j], second[j] = cos * radius, sin * radius
        for i in range(count):
            for k in range(8):
                some[16 * i + k], some[16 * i + 8 + k] = first[8 * i + k], second[8 * i + k]


@kernel_as_written
def fill_blocks(uniforms):
    to_normals(uniforms)


@kernel_as_written
def fill_wide_blocks(uniforms):
    """The same of float64, by the C library's functions."""
    for i in range(0, uniforms.size, 16):
        for k in range(i, i + 8):
            radius = math.sqrt(-2.0 * math.log(1.0 - uniforms[k]))
            angle = 2.0 * math.pi * uniforms[k + 8]
            uniforms[k], uniforms[k + 8] = radius * math.cos(angle), radius * math.sin(angle)


def normal_blocks(uniforms, mean, std):
    """In place, for a vector."""
    fill = {"f": fill_blocks, "d": fill_wide_blocks}.get(uniforms.dtype.char)
    if fill is None or not uniforms.flags.carray:
        return None
    fill(uniforms, chunk=1 << 14)
    if (std, mean) != (1, 0):
        uniforms[...] = scale_shift(uniforms, std, mean)
    return uniforms


# --------------------------------------------------------------------------- words

SHIFT, UPPER, LOWER, MATRIX = 397, 0x80000000, 0x7FFFFFFF, 0x9908B0DF     # of MT19937
U32, U64 = np.uint32, np.uint64
BLOCK = 4 * WORDS          # uniforms made at once: their words stay in the cache


@as_written
def mixed(high, low):
    """The twist of one word's highest bit and the next one's others."""
    both = U32((high & U32(UPPER)) | (low & U32(LOWER)))
    return U32((both >> U32(1)) ^ (U32(MATRIX) & U32(-U32(low & U32(1)))))


@partial(jit, **OPTIONS)
def twist(key):
    """The next 624 words, in place of these. What was made 227 words before is read: far enough for
    vectors."""
    near = WORDS - SHIFT
    for k in range(near):
        key[k] = key[k + SHIFT] ^ mixed(key[k], key[k + 1])
    for k in range(near, 2 * near):
        key[k] = key[k - near] ^ mixed(key[k], key[k + 1])
    for k in range(2 * near, WORDS - 1):
        key[k] = key[k - near] ^ mixed(key[k], key[k + 1])
    key[WORDS - 1] = key[SHIFT - 1] ^ mixed(key[WORDS - 1], key[0])


@as_written
def tempered(word):
    word = U32(word ^ (word >> U32(11)))
    word = U32(word ^ (word << U32(7)) & U32(0x9D2C5680))
    word = U32(word ^ (word << U32(15)) & U32(0xEFC60000))
    return U32(word ^ (word >> U32(18)))


@partial(jit, **OPTIONS)
def temper(key, out):
    for k in range(out.size):
        out[k] = tempered(key[k])


@partial(jit, **OPTIONS)
def next_words(out, memory):
    """`memory`: the 624 words, and which is next."""
    key, done = memory[:WORDS], 0
    while done < out.size:
        at = np.int64(memory[WORDS])
        if at >= WORDS:
            twist(key)
            at = 0
        count = min(WORDS - at, out.size - done)
        temper(key[at:at + count], out[done:done + count])
        memory[WORDS] = at + count
        done += count


@partial(jit, **OPTIONS)
def uniforms(out, memory):
    drawn = np.empty(min(out.size, BLOCK), U32)
    for begin in range(0, out.size, BLOCK):
        part = out[begin:begin + BLOCK]
        next_words(drawn[:part.size], memory)
        for k in range(part.size):
            part[k] = F32(drawn[k] & U32(0xFFFFFF)) * F32(2.0**-24)


@kernel_as_written
def fill_uniform32(out, memory: Whole):
    uniforms(out, memory)


@kernel_as_written
def fill_normal32(out, memory: Whole):
    """16 numbers or more; if they are not blocks of 16, the last 16 are drawn once more."""
    uniforms(out, memory)
    n, full = out.size, out.size // 16 * 16
    to_normals(out[:full])
    if full < n:
        uniforms(out[n - 16:], memory)
        to_normals(out[n - 16:])


@as_written
def low_53(high, low):
    return np.int64((U64(high & U32(0x1FFFFF)) << U64(32)) | U64(low))


@kernel_as_written
def fill_uniform64(out, memory: Whole):
    drawn = np.empty(2 * min(out.size, BLOCK), U32)
    for begin in range(0, out.size, BLOCK):
        part = out[begin:begin + BLOCK]
        next_words(drawn[:2 * part.size], memory)
        for k in range(part.size):
            part[k] = low_53(drawn[2 * k], drawn[2 * k + 1]) * 2.0**-53


@kernel_as_written
def fill_below(out, memory: Whole, limit: Count, one: Number):
    drawn = np.empty(2 * min(out.size, BLOCK), U32)
    for begin in range(0, out.size, BLOCK):
        part = out[begin:begin + BLOCK]
        next_words(drawn[:2 * part.size], memory)
        for k in range(part.size):
            hit = low_53(drawn[2 * k], drawn[2 * k + 1]) < limit
            part[k] = choose(hit, one, out.dtype.type(0))


@kernel_as_written
def fill_shuffled(order, memory: Whole):
    """Fisher and Yates: each place takes one of those that are left."""
    n, drawn = order.size, np.empty(min(order.size, BLOCK), U32)
    for i in range(n):
        order[i] = i
    for begin in range(0, n - 1, BLOCK):
        words = drawn[:min(BLOCK, n - 1 - begin)]
        next_words(words, memory)
        for k in range(words.size):
            i = begin + k
            j = i + np.int64(words[k] % U32(n - i))
            order[i], order[j] = order[j], order[i]


@kernel_as_written
def fill_remainders(out, memory: Whole, span: Count):
    drawn = np.empty(min(out.size, BLOCK), U32)
    for begin in range(0, out.size, BLOCK):
        part = out[begin:begin + BLOCK]
        next_words(drawn[:part.size], memory)
        for k in range(part.size):
            part[k] = drawn[k] % U32(span)


def filled(fill, n, dtype, memory, *rest):
    out = np.empty(n, dtype)
    fill(out, memory, *rest, chunk=n)
    return out


def uniform32(memory, n, out=None):
    """float32 uniforms, from the twister's own memory: see kernels/stream.py."""
    out = np.empty(n, F32) if out is None else out
    fill_uniform32(out if out.ndim == 1 else out.reshape(-1), memory, chunk=n)
    return out


def normal32(memory, n):
    """Standard normals, 16 or more, as of normal_blocks."""
    return filled(fill_normal32, n, F32, memory)


def uniform64(memory, n):
    return filled(fill_uniform64, n, np.float64, memory)


def remainders(memory, n, span):
    """Words modulo a span."""
    return filled(fill_remainders, n, np.int64, memory, span)


def shuffled(memory, n):
    """0 to n - 1 in random order."""
    return filled(fill_shuffled, n, np.int64, memory)


def below(memory, n, limit, dtype, one):
    """`one` where a uniform, times 2^53, is below a whole number, else 0."""
    return filled(fill_below, n, dtype, memory, limit, one) if dtype.char in "fd" else None
