"""Box-Muller in the arithmetic PyTorch's CPU kernels use, so that the normals agree bit for bit.

PyTorch turns blocks of 16 uniforms into 16 normals with 8-lane vector code: logarithm and sine are
the Cephes single-precision polynomials, evaluated with fused multiply-adds.
"""

from __future__ import annotations

import math

import numpy as np

from . import fast
from .fma import scale_shift
from .stream import compiled_too

F32 = np.float32
CHUNK = 1 << 12  # blocks of 16 at a time, so that the passes stay in the cache

# In the single-precision functions below, arrays are float64 but hold float32 values. A product of
# two is then exact, and `_round` rounds wherever the vector code rounds.
LOG_POLY = [7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1]
LOG_POLY += [-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1]
LOG_POLY = [float(F32(c)) for c in LOG_POLY]
LN2_LOW, LN2_HIGH = float(F32(-2.12194440e-4)), 0.693359375
SQRT_HALF = float(F32(0.707106781186547524))
TWO_PI, FOUR_OVER_PI = float(F32(2 * math.pi)), float(F32(1.27323954473516))
QUARTER_PI = [float(F32(c)) for c in (0.78515625, 2.4187564849853515625e-4, 3.77489497744594108e-8)]
# the polynomials of cosine and sine, evaluated as two rows
WAVE_POLY = np.array(
    [
        [2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2],
        [-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1],
    ],
    F32,
).T.reshape(3, 2, 1, 1).astype(np.float64)


def _round(x):
    return x.astype(F32).astype(np.float64)


def _fma(a, b, c):
    """a * b + c, rounded once."""
    x = a * b
    x += c
    return _round(x)


def _polynomial(x, coefficients):
    y = coefficients[0]
    for c in coefficients[1:]:
        y = _fma(y, x, c)
    return y


def log_f32(x):
    """Cephes logf of normal positive float32 values."""
    m, e = np.frexp(x)
    low = m < SQRT_HALF
    e = np.subtract(e, low, dtype=np.float64)
    x = m - 1.0
    np.add(x, m, out=x, where=low)
    z = _round(x * x)
    y = _fma(_round(_polynomial(x, LOG_POLY) * x), z, _round(e * LN2_LOW))
    y = _fma(z, -0.5, y)
    return _fma(e, LN2_HIGH, _round(x + y))


def cos_sin_f32(x):
    """Cephes cosf and sinf of float32 values in [0, 2 pi], shape (n, k) -> (2, n, k)."""
    octant = _round(x * FOUR_OVER_PI).astype(np.int32)
    octant = (octant + 1) & ~1
    y = octant.astype(np.float64)
    for c in QUARTER_PI:
        x = _fma(y, -c, x)
    z = _round(x * x)
    even, odd = _round(_polynomial(z, WAVE_POLY) * z)
    even = _round(_fma(even, z, -0.5 * z) + 1.0)
    odd = _fma(odd, x, x)
    swap = (octant & 2) != 0
    waves = np.where(swap, [odd, even], [even, odd])
    np.negative(waves[0], out=waves[0], where=((octant + 2) & 4) != 0)
    np.negative(waves[1], out=waves[1], where=(octant & 4) != 0)
    return waves


def _fill_f32(block, mean, std):
    u = block.astype(np.float64)
    radius = _round(np.sqrt(-2.0 * log_f32(1.0 - u[:, :8])))
    waves = cos_sin_f32(_round(TWO_PI * u[:, 8:])) * radius  # (2, n, 8)
    waves = scale_shift(waves.astype(F32), std, mean)
    block[:, :8], block[:, 8:] = waves


def _fill_f64(block, mean, std):
    u1 = 1.0 - block[:, :8]
    theta = 2.0 * math.pi * block[:, 8:]
    # the C library's logarithm, from which NumPy's differs in the last place now and then
    log = np.fromiter(map(math.log, u1.ravel().tolist()), np.float64, u1.size)
    radius = np.sqrt(-2.0 * log.reshape(u1.shape))
    block[:, :8] = scale_shift(radius * np.cos(theta), std, mean)
    block[:, 8:] = scale_shift(radius * np.sin(theta), std, mean)


def normal_blocks(uniforms, mean, std):
    """Overwrite float32 or float64 uniforms, shape (16 n,), by normals, block by block.

    In a block u the first eight give radii r = sqrt(-2 ln(1 - u)), the last eight angles
    t = 2 pi u; the result is r cos t, then r sin t (Box and Muller, 1958).
    """
    # a compiled kernel, once loaded, is quicker than NumPy's passes even for one block
    compiled = fast.has("normal_blocks") if fast.in_use() \
        else compiled_too("normal_blocks", uniforms.size)
    if compiled and fast.twin("normal_blocks")(uniforms, mean, std) is not None:
        return uniforms
    blocks = uniforms.reshape(-1, 16)
    fill = _fill_f32 if uniforms.dtype == F32 else _fill_f64
    for start in range(0, len(blocks), CHUNK):
        fill(blocks[start : start + CHUNK], mean, std)
    return uniforms
