"""Box-Muller in the arithmetic PyTorch's CPU kernels use, so that the normals agree bit for bit.

PyTorch turns blocks of 16 uniforms into 16 normals with 8-lane vector code: logarithm and sine are
the Cephes single-precision polynomials, evaluated with fused multiply-adds.
"""

from __future__ import annotations

import math

import numpy as np

from .fma import fma_f32, scale_shift

F32 = np.float32
CHUNK = 1 << 12  # blocks of 16 at a time, so that the passes stay in the cache

LOG_POLY = np.array(
    [7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1]
    + [-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1],
    F32,
)
LN2_LOW, LN2_HIGH = F32(-2.12194440e-4), F32(0.693359375)
SQRT_HALF = F32(0.707106781186547524)
FOUR_OVER_PI = F32(1.27323954473516)
QUARTER_PI = np.array([-0.78515625, -2.4187564849853515625e-4, -3.77489497744594108e-8], F32)
COS_POLY = np.array([2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2], F32)
SIN_POLY = np.array([-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1], F32)


def _polynomial(x, coefficients):
    y = coefficients[0]
    for c in coefficients[1:]:
        y = fma_f32(y, x, c)
    return y


def log_f32(x):
    """Cephes logf of normal positive float32 values."""
    m, e = np.frexp(x)
    low = m < SQRT_HALF
    e = (e - low).astype(F32)
    x = (m - F32(1)) + np.where(low, m, F32(0))
    z = x * x
    y = fma_f32(_polynomial(x, LOG_POLY) * x, z, e * LN2_LOW)
    y = fma_f32(F32(-0.5), z, y)
    return fma_f32(e, LN2_HIGH, x + y)


def sincos_f32(x):
    """Cephes sinf and cosf of float32 values in [0, 2 pi]."""
    octant = (x * FOUR_OVER_PI).astype(np.int32)
    octant = (octant + 1) & ~1
    y = octant.astype(F32)
    for c in QUARTER_PI:
        x = fma_f32(y, c, x)
    z = x * x
    even = fma_f32(_polynomial(z, COS_POLY) * z, z, F32(-0.5) * z) + F32(1)
    odd = fma_f32(_polynomial(z, SIN_POLY) * z, x, x)
    swap = (octant & 2) != 0
    sin = np.where(swap, even, odd)
    cos = np.where(swap, odd, even)
    np.negative(sin, out=sin, where=(octant & 4) != 0)
    np.negative(cos, out=cos, where=((octant + 2) & 4) != 0)
    return sin, cos


def _fill_f32(block, mean, std):
    radius = np.sqrt(F32(-2) * log_f32(F32(1) - block[:, :8]))
    sin, cos = sincos_f32(F32(2 * math.pi) * block[:, 8:])
    block[:, :8] = scale_shift(radius * cos, std, mean)
    block[:, 8:] = scale_shift(radius * sin, std, mean)


def _fill_f64(block, mean, std):
    u1 = 1.0 - block[:, :8]
    theta = 2.0 * math.pi * block[:, 8:]
    # the C library's logarithm: NumPy's differs from it in the last place now and then
    log = np.fromiter(map(math.log, u1.ravel().tolist()), np.float64, u1.size)
    radius = np.sqrt(-2.0 * log.reshape(u1.shape))
    block[:, :8] = scale_shift(radius * np.cos(theta), std, mean)
    block[:, 8:] = scale_shift(radius * np.sin(theta), std, mean)


def normal_blocks(uniforms, mean, std):
    """Overwrite float32 or float64 uniforms, shape (16 n,), by normals, block by block.

    In a block u the first eight give radii r = sqrt(-2 ln(1 - u)), the last eight angles
    t = 2 pi u; the result is r cos t, then r sin t (Box and Muller, 1958).
    """
    blocks = uniforms.reshape(-1, 16)
    fill = _fill_f32 if uniforms.dtype == F32 else _fill_f64
    for start in range(0, len(blocks), CHUNK):
        fill(blocks[start : start + CHUNK], mean, std)
    return uniforms
