"""Functions of one number, written so that a loop over them vectorises: no branches, no tables.

A function is written once, with the constants `c` of its argument's precision; polynomials have
coefficients for either. exp, tanh and erf come within 2 units in the last place of the true value,
keep nan, and have the right limits; tests/test_fast.py measures it.
"""

from __future__ import annotations

import math
from collections import namedtuple
from functools import partial
from types import FunctionType

import numpy as np

from .. import gelu
from .compiling import EXACT, OPTIONS
from .lazy import by_types, intrinsic, jit, types

f32, f64 = np.float32, np.float64
JIT = {**OPTIONS, "fastmath": EXACT, "forceinline": True}
ZERO, HALF, ONE, TWO, THREE = map(f32, (0, 0.5, 1, 2, 3))     # exact in either precision
ROOT_OF_HALF = math.sqrt(0.5)
MAGIC_32, MAGIC_64 = f32(1.5 * 2**23), f64(1.5 * 2**52)     # n + MAGIC has n in its last bits

Constants = namedtuple("Constants", "log2_e ln2_high ln2_low lowest nothing least highest "
                                    "tanh_small tanh_is_1 erf_small root_of_2 density tail_rate "
                                    "tail_scale tail_shift tail_end gelu_root gelu_cube")
SINGLE = Constants(*map(f32, (
    1 / math.log(2), 0.693359375, -2.12194440e-4, -104, -176, -87.33, 89, 0.6, 10,
    1.1, math.sqrt(2), 1 / math.sqrt(2 * math.pi), 0.21213203435596428, 1, 0,
    15, gelu.ROOT, 0.044715)))
DOUBLE = Constants(
    1 / math.log(2), 6.93145751953125e-1, 1.42860682030941723212e-6, -746.0, -1418.0, -708.39,
    710.0, 0.55, 20.0, 0.9, math.sqrt(2), 1 / math.sqrt(2 * math.pi), 0.22, 2.233100233100233,
    -1.2331002331002332, 39.0, gelu.ROOT, 0.044715)
c = SINGLE          # in a function @by_precision: the constants of its argument's precision


def by_type(single, double):
    """A function of x for use in kernels: `single` on float32, `double` on float64."""
    def of(x):
        return {types.float32: single, types.float64: double}.get(x)
    return by_types(of, single, double, **JIT)


def by_precision(function):
    """A function of x that uses the constants `c`: those of x's precision."""
    scope = {**function.__globals__, "c": DOUBLE}
    return by_type(function, FunctionType(function.__code__, scope, function.__name__))


def polynomial(singles, doubles):
    """Horner's rule for coefficients of the highest power first."""
    def horner(coefficients, real):
        text = "c0"
        for k in range(1, len(coefficients)):
            text = f"({text}) * x + c{k}"
        scope = {f"c{k}": real(c) for k, c in enumerate(coefficients)}
        exec(f"def polynomial(x): return {text}", scope)
        return scope["polynomial"]
    return by_type(horner(singles, f32), horner(doubles, f64))


# (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2
exp_terms = polynomial(
    (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1,
     5.0000001201e-1),
    [1 / math.factorial(k) for k in range(13, 1, -1)])

# (tanh(x) / x - 1) / x^2 in x^2, for |x| <= tanh_small
tanh_terms = polynomial(
    (2.37076564e-3, -8.41007080e-3, 2.17883220e-2, -5.39615518e-2, 1.33333129e-1, -3.33333332e-1),
    (-1.7547890666551244e-5, 8.027820757157066e-5, -2.313575327394412e-4, 5.876940011895119e-4,
     -1.455373600581824e-3, 3.5920682252205335e-3, -8.863230545034696e-3, 2.1869488283011353e-2,
     -5.396825396115901e-2, 1.333333333332432e-1, -3.3333333333333304e-1))

# erf(x) / x - 1 in x^2, for |x| <= erf_small
erf_terms = polynomial(
    (-8.84823389e-06, 0.000109723005, -0.000844282745, 0.00521816967, -0.0268644168, 0.112837655,
     -0.376126374, 0.128379167),
    (-8.495891819436711e-10, 1.4052326623653629e-08, -1.6276689169188713e-07,
     1.6455346420859345e-06, -1.4925308729433059e-05, 0.00012055321434297255,
     -0.0008548326765910846, 0.005223977621795472, -0.026866170644826277, 0.11283791670953808,
     -0.3761263890318373, 0.12837916709551256))

# exp(x^2 / 2) (1 - Phi(x)) in tail_scale / (1 + tail_rate x) + tail_shift, for x >= 0
tail_terms = polynomial(
    (-0.0647798423, 0.242877429, -0.256353089, 0.274127332, -0.0475292178, 0.107560088,
     0.0741414515, 0.0853621463, 0.0845936922, 0),
    (2.072368660956948e-11, -3.8828813617894796e-11, -2.2785422945894648e-10,
     6.028773446349132e-10, 1.4161311295058675e-09, -5.972185497163038e-09,
     -7.120861868920972e-09, 5.2345141266289475e-08, 3.996409161327176e-08,
     -4.623194111774084e-07, -4.1434119417865776e-07, 4.270401683071151e-06,
     7.63265269872035e-06, -3.690914901552953e-05, -0.00015781186271350052,
     6.632313758556736e-05, 0.0025009390342712254, 0.011413675260856565, 0.032696576145487266,
     0.06989436716470969, 0.11848469129870846, 0.16354740002072754, 0.10157964156637163))


# artanh(t) / t in t^2, for |t| <= 1 / 3
artanh_terms = polynomial([1 / (2 * k + 1) for k in range(8, -1, -1)],
                          [1 / (2 * k + 1) for k in range(17, -1, -1)])


@intrinsic
def choose(typingctx, condition, a, b):
    """`a if condition else b`, as no branch: what a and b need is computed for either."""
    def codegen(context, builder, signature, args):
        return builder.select(*args)
    both = typingctx.unify_types(a, b)
    return both(types.boolean, both, both), codegen


@partial(by_types, **JIT)
def power_of_2(n):
    """2^n for a whole number n: its last bits become the exponent."""
    def single(n):
        bits = np.float32(n + MAGIC_32).view(np.int32)
        return np.int32((bits + 127) << 23).view(np.float32)

    def double(n):
        bits = np.float64(n + MAGIC_64).view(np.int64)
        return np.int64((bits + 1023) << 52).view(np.float64)
    return single if n == types.float32 else double


@by_precision
def split(x):
    """n and exp(r) - 1, where x = n ln 2 + r and |r| <= ln(2) / 2."""
    n = np.floor(x * c.log2_e + HALF)
    r = x - n * c.ln2_high - n * c.ln2_low
    return n, exp_terms(r) * (r * r) + r


@by_precision
def exp(x):
    """For -inf, frequent in masks, n is that of `nothing`, whose 2^half is 0. With `lowest` the
    result would be rounded to 0 only at the end, which takes Intel's processors a hundred times as
    long."""
    x = choose(x > c.highest, c.highest, x)
    n, less_1 = split(choose(x < c.nothing, c.nothing, x))
    half = np.floor(n * HALF)              # in two steps: 2^n may be no normal number
    return (less_1 + ONE) * power_of_2(half) * power_of_2(n - half)


@by_precision
def exp_below_0(x):
    """exp(x) for x <= 0 or inf, with 0 for all that is smaller than the smallest normal number."""
    x = choose(x > c.highest, c.highest, x)
    gone = x < c.least
    n, less_1 = split(choose(gone, ZERO, x))
    return choose(gone, ZERO, (less_1 + ONE) * power_of_2(n))


@by_precision
def expm1(x):
    x = choose(x > c.highest, c.highest, x)
    n, less_1 = split(choose(x < c.lowest, c.lowest, x))
    half = power_of_2(np.floor(n * HALF))
    scale = power_of_2(n - np.floor(n * HALF))
    return (less_1 * half + (half - ONE / scale)) * scale


@partial(jit, **JIT)
def log_above_1(x):
    """log(x) for float64 x >= 1, 0 or nan: x = 2^n m, log(m) = 2 artanh(t), t = (m - 1) / (m + 1).
    """
    bits = f64(x).view(np.int64)
    half = np.int64((bits & 0xFFFFFFFFFFFFF) | 0x3FE0000000000000).view(np.float64)     # m or m / 2
    low = half < ROOT_OF_HALF
    m = choose(low, half + half, half)
    n = f64(np.int32((bits >> 52) - 1022)) - choose(low, f64(ONE), f64(ZERO))
    t = (m - ONE) / (m + ONE)
    log = n * DOUBLE.ln2_high + (n * DOUBLE.ln2_low + TWO * t * artanh_terms(t * t))
    return choose(x < math.inf, choose(x > ZERO, log, -f64(math.inf)), x)


@by_precision
def softplus(x):
    """log(1 + exp(x)) = max(x, 0) + 2 artanh(t), t = e / (2 + e), e = exp(-|x|)."""
    e = exp(-abs(x))
    t = e / (TWO + e)
    return choose(x > ZERO, x, ZERO) + TWO * t * artanh_terms(t * t)


@by_precision
def binary_softplus(x):
    """log2(1 + 2^x) for x <= 0."""
    return softplus(x / c.log2_e) * c.log2_e


@by_precision
def tanh(x):
    """Near 0 a polynomial; else 1 - 2 / (exp(2|x|) + 1) with the sign of x."""
    size = abs(x)
    square = size * size
    near = tanh_terms(square) * square * size + size
    size = choose(size > c.tanh_is_1, c.tanh_is_1, size)
    n, less_1 = split(size + size)
    far = ONE - TWO / (power_of_2(n) * (less_1 + ONE) + ONE)
    return math.copysign(choose(size < c.tanh_small, near, far), x)


@by_precision
def sigmoid(x):
    """1 / (1 + exp(-x)); where exp overflows, 1 / inf is the 0 it should be."""
    return ONE / (ONE + exp(-x))


@by_precision
def normal_density(x):
    """exp(-x^2 / 2) / sqrt(2 pi)"""
    return exp_below_0(-HALF * x * x) * c.density


@by_precision
def finite_tail(x):
    """x, or where the tail of the normal distribution is 0 anyway, the least such x."""
    return choose(x > c.tail_end, c.tail_end, x)


@by_precision
def tail_shape(x):
    """exp(x^2 / 2) (1 - Phi(x)) for x >= 0, Phi the normal distribution."""
    return tail_terms(c.tail_scale / (ONE + c.tail_rate * finite_tail(x)) + c.tail_shift)


@by_precision
def short_tail(x):
    """1 - Phi(x) for x >= 0, but 0 where the density is smaller than the smallest normal number."""
    return tail_shape(x) * exp_below_0(-HALF * x * x)


@by_precision
def erf(x):
    """Near 0 a polynomial, elsewhere twice the area between the tails, which may vanish early, as
    they are subtracted from 1. A second division, by sqrt(1 / 2), would take a quarter of the
    time."""
    size, square = abs(x), x * x
    near = erf_terms(square) * x + x
    tail = tail_shape(size * c.root_of_2) * exp_below_0(-square)
    return choose(size < c.erf_small, near, math.copysign(ONE - TWO * tail, x))


@by_precision
def gelu_inner(x):
    """sqrt(2 / pi) (x + 0.044715 x^3)"""
    return c.gelu_root * (x + c.gelu_cube * x * x * x)


@by_precision
def gelu_inner_slope(x):
    return c.gelu_root * (ONE + THREE * c.gelu_cube * x * x)
