"""Functions that NumPy computes in many passes: the gamma and error functions, sine, remainders.

np.float64(x) widens a float32; in Numba float(x) does not.
"""

from __future__ import annotations

import math

import numpy as np

from .. import fast, pointwise
from .. import special_tables as tables
from ..half import is_half
from . import ufuncs
from .compiling import Count, kernel, scalar
from .elementwise import CHUNK, alike, elementwise, where_usual
from .half import in_single
from .scalar import (
    MAGIC_64,
    ONE,
    ZERO,
    artanh_terms,
    binary_softplus,
    choose,
    exp,
    polynomial,
    power_of_2,
    softplus,
)

TO_8, TO_25, TO_100, TO_800 = (np.array(getattr(tables, f"ERFINV_{name}"))
                               for name in ("3", "8", "25", "100"))
center = polynomial(*[tables.ERFINV_CENTER[::-1]] * 2)
lgamma_terms = polynomial(*[tables.LGAMMA[::-1]] * 2)
stirling_terms = polynomial(*[tables.STIRLING[::-1]] * 2)
HALF_LOG = 0.5 * math.log(2 * math.pi)
LEAST, MOST = 1e-300, 1e300
LEAST_OF_SQUARES, MOST_OF_SQUARES = 1e-70, 1e70
CENTRAL = math.exp(-3)     # 1 - x^2 above it: nearly all x, in one piece that vectorises
HALF_ROOT = math.sqrt(0.5)
EXPONENT, ROOT_BITS = 52, int(np.float64(HALF_ROOT).view(np.int64))


# pi / 2 as a sum; with products and differences rounded once what lies between x and a multiple
# of it is exact. The polynomials of sin and cos up to pi / 4: Cephes (Moshier, 1989)
QUARTER = (math.pi / 2, 6.123233995736766e-17, -1.4973849048591833e-33)
SINE = polynomial(*[(1.58962301576546568060e-10, -2.50507477628578072866e-8,
                     2.75573136213857245213e-6, -1.98412698295895385996e-4,
                     8.33333333332211858878e-3, -1.66666666666666307295e-1)] * 2)
COSINE = polynomial(*[(-1.13585365213876817300e-11, 2.08757008419747316778e-9,
                       -2.75573141792967388112e-7, 2.48015872888517045348e-5,
                       -1.38888888888730564116e-3, 4.16666666666665929218e-2)] * 2)
FAR = 1e8                  # from here on the quarters that are counted are no longer exact


@scalar
def wave(x, ahead):
    """sin(x + ahead pi / 2) for a float64 |x| < FAR."""
    count = x * (2 / math.pi) + MAGIC_64
    quarter = np.float64(count).view(np.int64) + ahead
    count -= MAGIC_64
    x = x - count * QUARTER[0] - count * QUARTER[1] - count * QUARTER[2]
    z = x * x
    sine, cosine = x + x * (z * SINE(z)), 1 - 0.5 * z + z * z * COSINE(z)
    found = choose(quarter & 1 != 0, cosine, sine)
    return choose(quarter & 2 != 0, -found, found)


@elementwise
def sine(x):
    return choose(x == 0, x, wave(x, 0))            # -0 stays as it is


@elementwise
def cosine(x):
    return wave(x, 1)


def sin(x, out=None):
    return sine(x, out=out) if near_zero(x) else by_threads(np.sin, x, out)


def cos(x, out=None):
    return cosine(x, out=out) if near_zero(x) else by_threads(np.cos, x, out)


@elementwise
def sine_slope(g, x):
    return g * wave(x, 1)


@elementwise
def cosine_slope(g, x):
    return g * -choose(x == 0, x, wave(x, 0))


def sin_self(g, x):
    return sine_slope(g, x) if near_zero(x) else times(g, cos, x)


def cos_self(g, x):
    return cosine_slope(g, x) if near_zero(x) else times(-g, sin, x)


def times(g, function, x):
    """g * function(x) of float32, where threads share the function."""
    found = function(x) if x.dtype.char == "f" else None
    return None if found is None else np.multiply(g, found, found)


@elementwise
def logaddexp(x, y):
    return choose(x > y, x, y) + softplus(choose(x == y, ZERO, -abs(x - y)))


@elementwise
def logaddexp2(x, y):
    return choose(x > y, x, y) + binary_softplus(choose(x == y, ZERO, -abs(x - y)))


def by_threads(ufunc, x, out):
    return ufuncs.shared(ufunc, x, out=out) if x.size >= fast.SHARED else None


def near_zero(x):
    """Whether these are float64 numbers, for which NumPy has no vectors, less than FAR."""
    return x.dtype.char == "d" and x.size > 0 and -FAR < x.min() and x.max() < FAR


@scalar
def series(terms, t):
    """A polynomial, lowest power first."""
    y = terms[-1]
    for k in range(terms.size - 2, -1, -1):
        y = y * t + terms[k]
    return y


@scalar
def between(terms, x, low, high):
    return series(terms, (2 * x - low - high) / (high - low))


@scalar
def log(y):
    """Of a float64 that is a normal positive number: y = 2^n m, m near 1 = (1 + t) / (1 - t)."""
    bits = np.float64(y).view(np.int64)
    n = (bits - ROOT_BITS) >> EXPONENT
    m = np.int64(bits - (n << EXPONENT)).view(np.float64)
    t = (m - 1) / (m + 1)
    return n * math.log(2) + 2 * t * artanh_terms(t * t)


def lgamma(x):
    return in_float64(lgamma, positive_lgamma, x)


def in_float64(twin, loop, x):
    """`loop` of x and its result, arrays of float32 or float64."""
    if is_half(x.dtype):
        return in_single(twin, x)
    flat = alike(x)
    if flat is None:
        return None
    out = np.empty(x.shape, x.dtype)
    loop(*flat, out.reshape(-1), chunk=CHUNK)
    return out


@scalar
def log_gamma(a):
    """For LEAST < a < MOST: the pieces of kernels/special.py, and Stirling's series from 3 on."""
    t = choose(a < 1, a - 1, a - 2)
    low = log(a)
    near = choose(a < 1, a, a - 1) * t * lgamma_terms(t) - choose(a < 1, low, 0.0)
    tail = stirling_terms(18 / (a * a) - 1) / a
    return choose(a < 3, near, (a - 0.5) * low - a + (HALF_LOG + tail)) + 0.0    # no -0 at 1


@kernel
def positive_lgamma(x, out):
    """By C's function outside the range of log_gamma()."""
    rare = False
    for i in range(out.size):
        a = np.float64(x[i])
        usual = (a > LEAST) & (a < MOST)
        rare |= not usual
        out[i] = log_gamma(choose(usual, a, 1.0))
    if rare:
        for i in range(out.size):
            if not LEAST < x[i] < MOST:
                out[i] = math.lgamma(np.float64(x[i]))


BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510,
             43867 / 798, -174611 / 330)
trigamma_terms = polynomial(*[BERNOULLI[::-1]] * 2)


@scalar
def trigamma(x):
    """For x > 0: 1/x^2 + ... + 1/(x + 7)^2, two terms at once, and the series at x + 8."""
    pairs, inverse = x * (x + 7), 1 / (x + 8)
    square, twice = inverse * inverse, (2 * x + 7) * (2 * x + 7)
    value = inverse + 0.5 * square + inverse * square * trigamma_terms(square)
    for c in (0, 6, 10, 12):                         # (x + k) (x + 7 - k) = pairs + k (7 - k)
        pair = pairs + c
        value += (twice - 2 * pair) / (pair * pair)
    return value


@kernel
def trigammas(x, out):
    """By reflection below 0, which is rare."""
    rare = False
    for i in range(out.size):
        a = np.float64(x[i])
        usual = (a > LEAST_OF_SQUARES) & (a < MOST_OF_SQUARES)
        rare |= not usual
        out[i] = trigamma(choose(usual, a, 1.0))
    if rare:
        for i in range(out.size):
            a = np.float64(x[i])
            if a <= LEAST_OF_SQUARES:
                around = math.sin(math.pi * (a - np.round(a)))
                out[i] = (math.pi / around) ** 2 - trigamma(1 - a) if around else math.inf
            elif not a < MOST_OF_SQUARES:
                out[i] = 1 / a


def polygamma(x, n):
    return in_float64(lambda x: polygamma(x, 1), trigammas, x) if n == 1 else None


def erfinv(x):
    return in_float64(erfinv, central_erfinv, x)


@kernel
def central_erfinv(x, out):
    """Pieces in w = -log(1 - x^2), see kernels/special.py; in float64."""
    rare = False
    for i in range(out.size):
        a = np.float64(x[i])
        y = 1 - a * a
        rare |= not y > CENTRAL
        w = -log(choose(y > CENTRAL, y, 1.0))
        out[i] = a * center(w / 1.5 - 1)
    if rare:
        for i in range(out.size):
            if not 1 - np.float64(x[i]) * np.float64(x[i]) > CENTRAL:
                out[i] = far_erfinv(x[i])


@scalar
def far_root(w):
    """erfinv of the positive number for which -log(1 - x^2) is w >= 3."""
    if w < 8:
        return between(TO_8, w, 3.0, 8.0)
    if w < 25:
        return between(TO_25, math.sqrt(w), math.sqrt(8.0), 5.0)
    if w < 100:
        return between(TO_100, math.sqrt(w), 5.0, 10.0)
    if w < 800:
        return between(TO_800, math.sqrt(w), 10.0, math.sqrt(800.0))
    return w                                   # infinite at 1, nan beyond


@scalar
def far_erfinv(x):
    a = abs(np.float64(x))
    return math.copysign(far_root(-math.log((1 - a) * (1 + a))), x)


DIGAMMA, DIGAMMA_FAR = np.array(tables.DIGAMMA), np.array(tables.DIGAMMA_FAR)
ROOT_HEAD, ROOT_TAIL = map(float, tables.DIGAMMA_ROOT)


@scalar
def digamma_positive(x):
    if x >= 3:
        inverse = 1 / (x * x)
        return math.log(x) - 0.5 / x - inverse * series(DIGAMMA_FAR, 18 * inverse - 1)
    t = x - 1 if x < 1 else x - 2
    value = ((t - (ROOT_HEAD - 2)) - ROOT_TAIL) * series(DIGAMMA, t)
    return value - 1 / x if x < 1 else value


@scalar
def digamma_of(x):
    if x > 0 or x != x:
        return digamma_positive(x)
    if x == 0:
        return math.copysign(math.inf, -x)
    if x == math.floor(x):
        return math.nan
    return digamma_positive(1 - x) - math.pi / math.tan(math.pi * (x - np.rint(x)))


@elementwise
def digamma(x):
    """See kernels/special.py; in float64."""
    return digamma_of(np.float64(x))


# For float32, in float64, where x^2 has digits enough: erfc(x) exp(x^2) in a t of [-1, 1], for x
# from 0 to ERFC_END, beyond which erfc(x) is 0; and exp(r) for |r| <= ln(2) / 2. Both are exact to
# 2e-10, a two-hundredth of what rounding to float32 may take.
PER_LN2 = 1 / math.log(2)
ERFC_END, T_RATE, T_SCALE, T_SHIFT = 10.2, 0.3, 2.65359477124183, -1.65359477124183
ERFCX = polynomial(*[(1.294709522396564e-06, 2.880163883071361e-06, -2.161436083871842e-05,
                      -0.00010472863896222562, 0.00010507372084027442, 0.0027546556052248715,
                      0.014401560897745193, 0.04766526494986407, 0.11675571869081669,
                      0.22348965652583272, 0.34123265467458996, 0.25371758318765336)] * 2)
EXP = polynomial(*[[1 / math.factorial(k) for k in range(8, -1, -1)]] * 2)


@elementwise
def wide_erfc(x):
    x = np.float64(x)
    size = abs(x)
    size = choose(size > ERFC_END, ERFC_END, size)
    below = 1 + T_RATE * size
    inverse = np.float64(ONE / np.float32(below))       # and a step of Newton's: in half the time
    inverse = inverse * (2 - below * inverse)           # of a division in float64
    power = -size * size
    n = np.floor(power * PER_LN2 + 0.5)
    tail = ERFCX(T_SCALE * inverse + T_SHIFT) * EXP(power - n * math.log(2)) * power_of_2(n)
    return choose(x < 0, 2 - tail, tail)


erfcx_terms = polynomial(*[tables.ERFCX[::-1]] * 2)


@scalar
def scaled_tail(a):
    """exp(a^2) erfc(a) for a >= 0."""
    return erfcx_terms(1 - 7.5 / (a + 3.75)) / (1 + 2 * a)


@scalar
def exp_of_minus_square(a):
    """exp(-a^2), the square taken in two parts so that it is not rounded."""
    a = choose(a > 40, 40.0, a)
    head = np.float64(np.float32(a))
    return exp(-head * head) * exp((head - a) * (head + a))


erf_terms = polynomial(*[tables.ERF[::-1]] * 2)


@elementwise
def exact_erfc(x):
    """1 - erf(x) up to 1/2, where that loses nothing."""
    a = abs(x)
    tail = exp_of_minus_square(a) * scaled_tail(a)
    near = 1 - x * erf_terms(2 * x * x - 1)
    return choose(a < 0.5, near, choose(x < 0, 2 - tail, tail))


def erfc(x):
    return wide_erfc(x) if x.itemsize < 8 else exact_erfc(x)


@where_usual(pointwise.sinc, -FAR / 4, FAR / 4)
def sine_by_angle(x):
    angle = math.pi * x
    return choose(x == 0, 1.0, wave(angle, 0) / choose(x == 0, 1.0, angle))


def sinc(x):
    return sine_by_angle(x) if x.dtype.char == "d" else None


# As in kernels/quotients.py: x - trunc(x / y) y is exact in float64 for float32 while the quotient
# has few digits, so a loop over it vectorises; other elements are seen to one by one.

FEW = 2.0**28


@kernel
def remainders(x, y, out, floor: Count):
    """fmod(x, y), or with the sign of y if `floor`; for float32."""
    rare = 0
    for i in range(out.size):
        a, b = np.float64(x[i]), np.float64(y[i])
        q = a / b
        rare |= not (abs(q) < FEW and abs(b) < math.inf)
        r = a - choose(floor != 0, np.floor(q), np.trunc(q)) * b
        out[i] = choose(r == 0, math.copysign(0.0, a), r)
    if rare:
        for i in range(out.size):
            if not (abs(np.float64(x[i]) / np.float64(y[i])) < FEW and abs(y[i]) < math.inf):
                out[i] = one_remainder(x[i], y[i], floor)


@scalar
def one_remainder(x, y, floor):
    r = np.fmod(x, y)
    return r + y if floor and r != 0 and (r < 0) != (y < 0) else r


@kernel
def wide_remainders(x, y, out, floor: Count):
    for i in range(out.size):
        out[i] = one_remainder(x[i], y[i], floor)


def remainder(x, y):
    return remaindered(x, y, 1)


def fmod(x, y):
    return remaindered(x, y, 0)


def remainder_scalar(x, other):
    return beside_number(x, other, 1)


def fmod_scalar(x, other):
    return beside_number(x, other, 0)


def beside_number(x, other, floor):
    if is_half(x.dtype):
        return in_single(remaindered, x, np.asarray(other, np.float32).astype(x.dtype), floor)
    return remaindered(x, np.asarray(other, x.dtype), floor) if x.dtype.char in "fd" else None


def remaindered(x, y, floor):
    if y.ndim < x.ndim and x.dtype is y.dtype and y.shape == x.shape[x.ndim - y.ndim:]:
        y = np.full(x.shape, y)
    flat = alike(x, y)
    if flat is None:
        return None
    out = np.empty(x.shape, x.dtype)
    loop = remainders if x.dtype.char == "f" else wide_remainders
    loop(*flat, out.reshape(-1), floor, chunk=CHUNK)
    return out


@elementwise
def floor_quotient(x, y):
    """floor(x / y) for float32; what has no remainder is nan, as in PyTorch."""
    a, b = np.float64(x), np.float64(y)
    q = np.floor(a / b)
    far = choose((a != 0) & ((a < 0) != (b < 0)), -1.0, 0.0)
    q = choose((abs(b) == math.inf) & (a == a), far, q)
    return choose((abs(a) == math.inf) & (b != 0), math.nan, q)


def div_rounded(x, y, rounding_mode):
    if rounding_mode != "floor" or x.dtype.char != "f":
        return None
    return floor_quotient(x, np.full(x.shape, y) if y.ndim == 0 and y.dtype is x.dtype else y)


def floor_divide(x, y):
    return div_rounded(x, y, "floor")
