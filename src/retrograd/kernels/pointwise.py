"""Elementwise arithmetic and functions. A NumPy ufunc is its own kernel where one exists."""

from __future__ import annotations

import builtins
import math

import numpy as np

from .. import _dtype
from . import fast, quotients
from .checks import complex_beside
from .choose import BITS, MANY, choose, where  # noqa: F401
from .half import is_half, narrowed, refuse, usually, widened
from .layout import arranged
from .narrow import combined
from .shape import clone, fill_with
from .sums import number

add, sub, mul, div = np.add, np.subtract, np.multiply, np.true_divide
neg, exp, expm1 = np.negative, np.exp, np.expm1
log, log2, log10 = np.log, np.log2, np.log10
sin, cos, tan, asin, acos, atan, atan2 = (np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan,
                                          np.arctan2)
sinh, cosh, tanh, asinh, acosh, atanh = (np.sinh, np.cosh, np.tanh, np.arcsinh, np.arccosh,
                                         np.arctanh)
sqrt, exp2, hypot = np.sqrt, np.exp2, np.hypot
maximum, minimum, fmax, fmin = np.maximum, np.minimum, np.fmax, np.fmin
floor, ceil, trunc = np.floor, np.ceil, np.trunc
eq, ne, lt, le, gt, ge = (np.equal, np.not_equal, np.less, np.less_equal, np.greater,
                          np.greater_equal)
isnan, isfinite, isinf = np.isnan, np.isfinite, np.isinf
copysign, nextafter = np.copysign, np.nextafter
ones_like = np.ones_like
signbit = np.signbit


FEW = 1 << 12          # integers for which their division takes longer than another pass


def log1p(a):
    """log(1 + a), exact for small a; NumPy's loses the digits of small complex numbers."""
    if a.dtype.kind != "c":
        return np.log1p(a)
    x, y = a.real, a.imag
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        square = x * (2 + x) + y * y                 # |1 + a|^2 - 1
        near = np.log1p(square) / 2
        far = np.log(np.abs(1 + a))
    res = np.empty_like(a)
    near = np.where((near == 0) & (x == 0), x, near)        # the sign of a zero
    res.real = np.where(np.abs(square) < 0.5, near, far)
    res.imag = np.arctan2(y, 1 + x)
    return res


# --------------------------------------------------------------------------- arithmetic

def add_scaled(a, b, alpha, out=None):
    if is_half(a.dtype):
        alpha = widened(np.asarray(alpha).astype(a.dtype))
        return narrowed(add_scaled(widened(a), widened(b), alpha), a.dtype)
    if a.dtype.kind in "iu":
        alpha = np.asarray(alpha).astype(a.dtype)          # wraps
    return np.add(a, b * alpha, out) if a.dtype.kind != "b" else a | (b & bool(alpha))


def sub_scaled(a, b, alpha, out=None):
    if is_half(a.dtype):
        alpha = widened(np.asarray(alpha).astype(a.dtype))
        return narrowed(sub_scaled(widened(a), widened(b), alpha), a.dtype)
    if a.dtype.kind == "b":
        raise TypeError("bool")
    if a.dtype.kind in "iu":
        alpha = np.asarray(alpha).astype(a.dtype)
    return np.subtract(a, b * alpha, out)


def rsub(a, b):
    return b - a


def div_rounded(a, b, rounding_mode):
    if a.dtype.kind in "bc" and b.dtype == a.dtype:
        refuse(f"div_{rounding_mode}_cpu", a.dtype)
    if rounding_mode == "floor":
        _no_zero(a, b)
        return quotients.floor_divide(a, b)
    if a.dtype.kind in "biu":
        _no_zero(a, b)
        down = (np.remainder(a, b) != 0) & ((a < 0) != (b < 0))
        return np.floor_divide(a, b) + down.astype(a.dtype)
    return np.trunc(a / b)


def floor_divide(a, b):
    return div_rounded(a, b, "floor")


def _no_zero(dividend, divisor):
    if divisor.dtype.kind in "iu" and dividend.size and not (
            divisor.all() if divisor.ndim else divisor):
        raise RuntimeError("ZeroDivisionError")


def remainder(a, b):
    if a.dtype.kind in "bc":
        raise TypeError("no remainder")
    _no_zero(a, b)
    if a.dtype.kind == "f":
        return quotients.remainder(a, b)
    if b.ndim or a.size < FEW or a.dtype.kind not in "iu":     # bfloat16 would round the product
        return np.remainder(a, b)
    return _beside_one_divisor(a, b)


def _beside_one_divisor(a, b):
    """a - floor(a / b) b: NumPy's quotients by one number take products, its remainders divisions.
    """
    with np.errstate(over="ignore"):                   # the least number / -1
        res = np.floor_divide(a, b)
        res *= b
    return np.subtract(a, res, out=res)


def fmod(a, b):
    if a.dtype.kind in "bc":
        raise TypeError("no remainder")
    _no_zero(a, b)
    return quotients.fmod(a, b)


def remainder_scalar(a, other):
    return remainder(*_beside_number(a, other))


def fmod_scalar(a, other):
    return fmod(*_beside_number(a, other))


def _beside_number(a, value):
    """(a, value) as arrays of the dtype that a number beside `a` gives."""
    dtype = number_dtype(a.dtype, value)
    return a.astype(dtype, copy=False), np.asarray(value).astype(dtype)


def number_dtype(dtype, value):
    """The dtype of an operation on an array of `dtype` and a Python number."""
    rank = _dtype.of_number(value).rank
    if rank <= _dtype.KINDS[dtype.kind]:
        return dtype
    if rank == 3:
        real = _dtype.BY_NUMPY[dtype] if dtype.kind in "fV" else _dtype.default.dtype
        return _dtype.complex_for(real).np
    return _dtype.of_number(value).np


def by_way_of_single(kernel):
    """Let a kernel compute half precision in float32 and round once, at the end."""
    def wide(*arrays, **options):
        first = arrays[0]
        if not is_half(first.dtype):
            return kernel(*arrays, **options)
        return narrowed(np.asarray(kernel(*map(widened, arrays))), first.dtype)
    return usually(kernel, "{}.itemsize != 2", wide)


@by_way_of_single
def addcmul(a, t1, t2, value, out=None):
    if value.__class__ is complex:
        complex_beside(np.result_type(a, t1, t2))
    return np.add(a, scaled(t1 * t2, int(value) if a.dtype.kind in "iu" else value), out)


@by_way_of_single
def addcdiv(a, t1, t2, value, out=None):
    if value.__class__ is complex:
        complex_beside(np.result_type(a, t1, t2))
    return np.add(a, scaled(t1 / t2, value), out)


def scaled(x, value):
    """x * value; x itself for 1, but for complex numbers, whose infinities become nan."""
    return x if value == 1 and x.dtype.kind != "c" else x * value


@by_way_of_single
def lerp(a, b, weight):
    way = b - a
    return choose(np.abs(weight) < 0.5, a + weight * way, b - way * (1 - weight))


@by_way_of_single
def lerp_scalar(a, b, weight, out=None):
    if weight.__class__ is complex:
        complex_beside(a.dtype)
    if builtins.abs(weight) < 0.5:
        return np.add(a, (b - a) * weight, out)
    if a.dtype.char == "f":
        weight = np.float32(weight)                  # 1 - weight is rounded as that is
    return np.subtract(b, (b - a) * (1 - weight), out)


def reciprocal(a):
    return 1 / a


@by_way_of_single
def sinc(a):
    """sin(pi a) / (pi a), 1 at 0."""
    return np.sinc(a)


def log_add_exp(x, y):
    """log(exp(x) + exp(y)) of complex numbers, the phase near that of the larger."""
    x, y = np.broadcast_arrays(x, y)
    small, large = np.where(x.real < y.real, (x, y), (y, x))
    both = np.isposinf(small.real) & np.isposinf(large.real)
    nothing = np.isneginf(large.real)                    # log(0 + 0)
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        z = np.exp(small - np.where(nothing, 0, large))
        size = np.where(z.real < -0.5, np.log(np.abs(1 + z)),
                        0.5 * np.log1p(2 * z.real + np.abs(z) ** 2))
        res = large + size
        res = res + 1j * np.arctan2(z.imag, 1 + z.real)
        res = np.where(both, np.log(np.exp(small) + np.exp(large)), res)
    res = np.where(nothing, complex(-np.inf, 0), res)
    return np.where(np.isnan(x) | np.isnan(y), complex(np.nan, np.nan), res).astype(x.dtype)


@by_way_of_single
def logaddexp(a, b):
    """log(exp(a) + exp(b)), shifted by the operand with the larger real part."""
    if a.dtype.kind == "c":
        return log_add_exp(a, b)
    if a.dtype.kind != "f":
        raise TypeError("logaddexp")
    off = _below(a, b)
    np.log1p(np.exp(off, off), off)
    return np.add(np.maximum(a, b), off, off)


@by_way_of_single
def logaddexp2(a, b):
    """log2(2**a + 2**b)."""
    if a.dtype.kind != "f":
        raise TypeError("logaddexp2")
    off = _below(a, b)
    np.log1p(np.exp2(off, off), off)
    off *= off.dtype.type(1 / np.log(2))
    return np.add(np.maximum(a, b), off, off)


def _below(a, b):
    """-|a - b|, 0 for equal infinities."""
    off = np.asarray(np.subtract(a, b))
    np.abs(off, off)
    odd = np.isnan(off)
    if np.count_nonzero(odd):
        off[odd & (a == b)] = 0
    return np.negative(off, off)


def copysign_number(a, other):
    return np.copysign(a, a.dtype.type(other))


def ldexp(a, b):
    return a * np.exp2(b.astype(a.dtype, copy=False))


def frexp(a):
    return np.frexp(a)


def heaviside(a, values):
    """0 below zero, 1 above, `values` at zero."""
    return np.where(a == 0, values, (a > 0).astype(a.dtype))


gcd = np.gcd


def lcm(a, b):
    """The least common multiple, wrapped if there is no room for it; its size from 32 bits on, as
    C computes shorter integers in 32."""
    multiple = np.lcm(a, b)
    return multiple if multiple.itemsize < 4 else np.abs(multiple)


def inverse_square(x, y):
    """1 / (x^2 + y^2), and 0 where that is infinite."""
    with np.errstate(all="ignore"):
        res = np.asarray(x * x + y * y)
        np.divide(1, res, out=res)
    if not np.isfinite(res).all():
        res[np.isinf(res)] = 0
    return res


# --------------------------------------------------------------------------- parts of numbers

def is_complex(a):
    return a.dtype.kind == "c"


def conj(a):
    return np.conjugate(a) if a.dtype.kind == "c" else a


conj_complex = conj_physical_complex = np.conjugate


def real(a):
    return a.real


def imag(a):
    return a.imag


real_part, imag_part = real, imag


def make_complex(a, b):
    shape = a.shape if a.shape == b.shape else np.broadcast_shapes(a.shape, b.shape)
    res = arranged(np.empty(shape, _complex_dtype(a.dtype)), a, b)
    res.real, res.imag = a, b
    return res


def _complex_dtype(dtype):
    return np.dtype(np.complex128 if dtype.char == "d" else np.complex64)


def polar(size, angle):
    return make_complex(size * np.cos(angle), size * np.sin(angle))


def angle(a):
    if a.dtype.kind == "c":
        return np.asarray(np.angle(a), order="C")            # PyTorch's is contiguous here, too
    res = np.asarray((a < 0) * a.dtype.type(np.pi))
    np.copyto(res, a, where=np.isnan(a))
    return res


def view_as_real(a):
    if a.dtype.kind != "c":
        raise RuntimeError("view_as_real is only supported for complex tensors")
    return a[..., None].view(a.real.dtype)


def view_as_complex(a):
    return a.view(_complex_dtype(a.dtype))[..., 0]


def contiguous(a):
    return np.ascontiguousarray(a) if a.ndim else a


# --------------------------------------------------------------------------- signs, kinks, rounding

def abs(a, out=None):
    if a.dtype.kind == "b":
        raise TypeError("abs")
    return np.abs(a, out=out)


def sgn(a):
    """x / |x|, and 0 at 0 and of a real nan."""
    if a.dtype.kind == "c" and a.size:
        size = np.abs(a)
        if size.min() >= np.finfo(size.dtype).tiny:      # np.sign takes five times as long
            return a * (1 / size)
    if a.dtype.kind in "cbiu":
        return np.sign(a) if a.dtype.kind != "b" else a.copy("K")
    if a.size > 4096 and a.dtype.kind == "f":
        return np.subtract(a > 0, a < 0, dtype=a.dtype)
    res = np.sign(a)
    if a.dtype.kind == "V":                              # bfloat16, whose np.sign keeps -0
        return np.where((a > 0) | (a < 0), res, a.dtype.type(0))
    if np.isnan(np.vdot(res, res)):
        res = np.where(np.isnan(res), a.dtype.type(0), res)
    return res


sign = sgn


def round_decimals(a, decimals):
    dtype, a = a.dtype, widened(a)
    scale = a.dtype.type(10.0 ** builtins.abs(decimals))
    return narrowed(np.rint(a * scale) / scale if decimals > 0 else np.rint(a / scale) * scale,
                    dtype)


def round(a, out=None):
    return np.rint(a, out=out) if a.dtype.kind not in "iu" else clone(a)


def frac(a):
    if a.dtype.kind in "biu":
        raise TypeError("frac")
    return a - np.trunc(a)


def deg2rad(a, out=None):
    return _times(a, np.pi / 180, out)


def rad2deg(a, out=None):
    return _times(a, 180 / np.pi, out)


def _times(a, number, out):
    """A product with a number that half precision does not round."""
    if is_half(a.dtype):
        return narrowed(widened(a) * np.float32(number), a.dtype)
    return np.multiply(a, a.dtype.type(number), out)


def nan_to_num(a, nan=0.0, posinf=None, neginf=None):
    for value in (nan, posinf, neginf):
        if value is not None:
            math.isnan(value)                      # a TypeError for what is no number
    if np.isfinite(a).all():
        return clone(a)
    if a.dtype.kind == "V":                        # bfloat16: its own largest numbers
        largest = _dtype.limits(_dtype.of(a)).max
        posinf = largest if posinf is None else posinf
        neginf = -largest if neginf is None else neginf
        return nan_to_num(a.astype(np.float32), nan, posinf, neginf).astype(a.dtype)
    return np.nan_to_num(a, copy=True, nan=0.0 if nan is None else nan, posinf=posinf,
                         neginf=neginf)


def isposinf(a):
    return _signed_infinity("isposinf", a, np.inf)


def isneginf(a):
    return _signed_infinity("isneginf", a, -np.inf)


def _signed_infinity(name, a, infinity):
    if a.dtype.kind == "c":
        raise RuntimeError(f"{name} does not support complex inputs.")
    return a == infinity if a.dtype.kind in "fV" else np.zeros(a.shape, bool)


def isreal(a):
    return a.imag == 0 if a.dtype.kind == "c" else np.ones(a.shape, bool)


# Constants as arrays without dimensions, beside which NumPy takes less time than beside numbers.
ZERO, ONE = ({np.dtype(d): np.array(n, d) for d in "fd"} for n in (0, 1))


def relu(a, out=None):
    if a.size > MANY and a.dtype.kind in "fiu":
        return a.clip(0, _limits(a.dtype)[1], out)
    zero = ZERO.get(a.dtype)
    if zero is not None:
        # np.maximum takes the second of two zeros, so -0.0 stays
        return np.maximum(zero, a, out=out)
    if a.dtype.kind == "b":
        raise RuntimeError("Boolean inputs not supported for relu")
    if a.dtype.kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    return np.maximum(a, a.dtype.type(0)) if a.dtype.char == "e" else np.maximum(0, a)


def threshold_backward(g, a, threshold):
    """g where not a <= threshold (nan lets it pass, as in PyTorch), else 0."""
    word = BITS.get(g.itemsize)
    if word is None or g.shape != a.shape:
        return np.where(a <= threshold, g.dtype.type(0), g)
    keep = (a <= threshold).astype(word)
    keep -= 1                                   # 1 to 0, 0 to all ones: NOTE [choosing by bits]
    keep &= g.view(word)
    return keep.view(g.dtype)


# --------------------------------------------------------------------------- choosing

def same(a, b):
    """Where a equals b; nan equals nan."""
    equal, odd = combined(np.equal, a, b), b != b
    return equal | ((a != a) & odd) if odd.any() else equal


def mask_as(mask, like):
    """A mask as zeros and ones of the real dtype of `like`."""
    return mask.astype(like.real.dtype)


def clamp_numbers(a, min, max, out=None):
    """Elements between two Python numbers, either of which may be None; nan stays."""
    if a.dtype.kind != "f":
        for bound in (min, max):
            if bound is not None:
                a = a.astype(number_dtype(a.dtype, bound), copy=False)
    if a.dtype.kind == "V":
        min, max = (None if bound is None else a.dtype.type(bound) for bound in (min, max))
    if a.size > MANY and a.dtype.kind in "fiu":
        lowest, highest = _limits(a.dtype)
        low, high = lowest if min is None else min, highest if max is None else max
        if a.dtype.kind == "f" or lowest <= low and high <= highest:
            return a.clip(low, high, out)
    # Of 0.0 and -0.0, np.maximum and np.minimum give the second operand, in float16 the first. Here
    # a bound equal to the number leaves the number as it is, as clip and PyTorch do.
    if a.dtype.char == "e":
        res = a if min is None else np.maximum(a, min)
        return np.asarray(res if max is None else np.minimum(res, max))
    if a.dtype.kind == "f":
        min, max = _beside(min, a.dtype), _beside(max, a.dtype)
    if min is None:
        return np.asarray(np.minimum(max, a, out=out))
    res = np.asarray(np.maximum(min, a, out=out))
    return res if max is None else np.minimum(max, res, out=res)


def _beside(bound, dtype):
    """A bound as an array, beside which NumPy takes half the time; -0.0 stays a number, since a
    cache would take it for 0.0."""
    if bound.__class__ in (float, int) and (bound or math.copysign(1.0, bound) > 0.0):
        return number(bound, dtype)
    return bound


def _limits(dtype):
    """Bounds that no number of this dtype exceeds."""
    if dtype.kind == "f":
        return -np.inf, np.inf
    info = np.iinfo(dtype)
    return info.min, info.max


def clamp_min_number(a, min, out=None):
    return clamp_numbers(a, min, None, out)


def clamp_max_number(a, max, out=None):
    return clamp_numbers(a, None, max, out)


def clamp_low(a, min, out=None):
    return np.maximum(a, min, out=out)


def clamp_high(a, max, out=None):
    return np.minimum(a, max, out=out)


clamp_min_tensor, clamp_max_tensor = clamp_low, clamp_high


def clamp_between(a, min, max):
    return np.minimum(np.maximum(a, min), max)


# --------------------------------------------------------------------------- truth

def true(a):
    """Whether elements are not 0: NumPy compares many at once, and calls logical_not for each."""
    return a if a.dtype.kind == "b" else a != 0


def logical_not(a):
    return np.logical_not(a) if a.dtype.kind == "b" else a == 0


def logical_and(a, b):
    return true(a) & true(b)


def logical_or(a, b):
    return true(a) | true(b)


def logical_xor(a, b):
    return true(a) ^ true(b)


# --------------------------------------------------------------------------- bits

bitwise_and, bitwise_or, bitwise_xor, bitwise_not = (np.bitwise_and, np.bitwise_or, np.bitwise_xor,
                                                     np.invert)


def bitwise_left_shift(a, b):
    """a << b; 0 where b is negative or as wide as the dtype."""
    bits = a.dtype.itemsize * 8
    fits = (b >= 0) & (b < bits)
    if fits.all():
        return np.left_shift(a, b.astype(a.dtype, copy=False))
    return np.where(fits, np.left_shift(a, np.where(fits, b, 0).astype(a.dtype)), a.dtype.type(0))


def bitwise_right_shift(a, b):
    """a >> b; only the sign is left where b is negative or as wide as the dtype, 0 if unsigned."""
    if a.dtype.kind == "u":
        return np.right_shift(a, b)
    bits = a.dtype.itemsize * 8
    fits = (b >= 0) & (b < bits)
    last = bits - 1
    return np.right_shift(a, np.where(fits, b, last).astype(a.dtype))


# --------------------------------------------------------------------------- squashing

def sigmoid(a, out=None):
    """1 / (1 + exp(-x)); where exp overflows, 1 / inf is the 0 it should be."""
    if a.itemsize == 2:
        return narrowed(sigmoid(widened(a)), a.dtype)
    res = np.asarray(np.negative(a, out=out))
    np.exp(res, res)
    one = ONE.get(a.dtype, 1)
    res += one
    if res.dtype.kind == "c":              # whose reciprocal makes -0 of an imaginary part of 0
        return np.divide(one, res, res)
    return np.reciprocal(res, res)


def sigmoid_backward(g, result):
    if g.itemsize == 2:
        return narrowed(sigmoid_backward(widened(g), widened(result)), g.dtype)
    result = conj(result)
    return g * (1 - result) * result


def tanh_backward(g, result):
    if g.itemsize == 2:
        return narrowed(tanh_backward(widened(g), widened(result)), g.dtype)
    return g * (1 - conj(result * result))


# --------------------------------------------------------------------------- copies

def zeros_like(a):
    """Zeros, laid out as `a` is. np.zeros_like takes five times as long as np.zeros."""
    if not a.flags.c_contiguous and any(a.strides):
        return np.zeros_like(a)
    if a.size < fast.SHARED:
        return np.zeros(a.shape, a.dtype)
    return fill_with(np.empty(a.shape, a.dtype), 0)
