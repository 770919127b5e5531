"""Special functions on NumPy alone, to about 1e-15 of the value in float64.

Every function reduces its argument to a few pieces of the axis; on each a polynomial from
`special_tables` is evaluated (computed by tools/special_tables.py from 60-digit values). float32
and half precision are computed in float64 and rounded once.
"""

import functools
import math

import numpy as np

from .. import kernels
from . import special_single
from . import special_tables as tables
from .by_scipy import FEW as FEW_FOR_SCIPY
from .by_scipy import by_scipy
from .layout import arranged, in_memory_order

FEW = 511        # up to so many elements, calls of C's functions one by one are quicker
BLOCK = 1 << 14  # elements worked on at a time, so that intermediates stay in the cache


def elementwise(function, work=np.float64, single=None, few=None):
    """A kernel of real arrays from a function of flat arrays of the dtype `work`.

    `few`, a function of one Python number, takes float32 arrays of few elements (where it does not
    raise), `single` is tried first on others (see special_single.py).
    """

    @functools.wraps(function)
    def kernel(*arrays):
        first = arrays[0]
        if "c" in [a.dtype.kind for a in arrays]:
            raise TypeError(f"{function.__name__} of complex numbers")
        if len(arrays) == 1 and not first.flags.c_contiguous:
            return in_memory_order(kernel, first)
        if few is not None and first.size <= FEW and first.dtype.char == "f":
            try:
                values = map(few, first.reshape(-1).tolist())
                return np.fromiter(values, first.dtype, first.size).reshape(first.shape)
            except (ValueError, OverflowError):
                pass                             # a pole, or a number too large for C's function
        if len(arrays) > 1:
            arrays = np.broadcast_arrays(*arrays)
        out = np.empty(arrays[0].shape, np.result_type(*arrays))
        flat, target = [a.reshape(-1) for a in arrays], out.reshape(-1)
        with np.errstate(all="ignore"):
            for start in range(0, target.size, BLOCK):
                part = slice(start, start + BLOCK)
                given = [f[part].astype(work, copy=False) for f in flat]
                value = single(*given) if single and out.dtype == np.float32 else None
                target[part] = function(*given) if value is None else value
        return out if len(arrays) == 1 else arranged(out, *arrays)

    return kernel


def with_single(single, few=None):
    """elementwise(), with a function for float32, and one for few elements."""
    return lambda function: elementwise(function, single=single, few=few)


def poly(coefficients, t):
    """The polynomial at t, lowest power first."""
    value = np.full_like(t, coefficients[-1])
    for c in coefficients[-2::-1]:
        value *= t
        value += c
    return value


def pieces_of(x, *edges):
    """Which piece each x lies in: how many of the edges it reaches."""
    piece = (x >= edges[0]).astype(np.int8)
    for edge in edges[1:]:
        piece += x >= edge
    return piece


def piecewise(choice, x, *pieces):
    """pieces[k] of x where choice is k; each piece sees only its own elements."""
    if choice.size and (choice == choice[0]).all():
        return pieces[choice[0]](x)
    out = np.empty_like(x)
    for k, piece in enumerate(pieces):
        where = choice == k
        if where.any():
            out[where] = piece(x[where])
    return out


# ---------------------------------------------------------------- the error function
def erf(x):
    """`2 / sqrt(pi) * integral of exp(-t**2) from 0 to x`."""
    return _erf_single(x) if x.dtype == np.float32 else _erf_double(x)


@with_single(special_single.erfc, math.erfc)
def erfc(x):
    """`1 - erf(x)`, without its loss of digits for large x."""
    return _erfc(x)


@by_scipy("erfcx", FEW_FOR_SCIPY)
@elementwise
def erfcx(x):
    """`exp(x**2) * erfc(x)`."""
    return _erfcx(x)


def _erf(x):
    return piecewise((np.abs(x) >= 1) * 1, x, _erf_small, _erf_large)


def _erf_in_single(x):
    """erf in float32 alone, both pieces everywhere: activations call it on whole layers."""
    a = np.abs(x)
    below = x * poly(tables.ERF_SINGLE, 2 * x * x - 1)
    a = np.minimum(a, 10)
    scaled = poly(tables.ERFCX_SINGLE, 1 - 7.5 / (a + 3.75)) / (1 + 2 * a)
    above = np.copysign(1 - np.exp(-a * a) * scaled, x)
    return np.where(a < 1, below, above)


_erf_single = elementwise(_erf_in_single, np.float32, few=math.erf)
_erf_double = elementwise(_erf)


def _erf_small(x):
    return x * poly(tables.ERF, 2 * x * x - 1)


def _erf_large(x):
    return np.copysign(1 - _erfc_large(np.abs(x)), x)


def _erfc(x):
    return piecewise((x >= 0.5) * 1, x, lambda x: 1 - _erf(x), _erfc_large)


def _erfc_large(x):
    return _exp_of_square(x, -1) * _erfcx_positive(x)


def _erfcx(x):
    return piecewise(
        (x < 0) * 1,
        x,
        _erfcx_positive,
        lambda x: 2 * _exp_of_square(x, 1) - _erfcx_positive(-x),
    )


def _erfcx_positive(x):
    # Shepherd and Laframboise, Math. Comp. 36 (1981): (1 + 2x) erfcx(x) in (x - 3.75)/(x + 3.75).
    return poly(tables.ERFCX, 1 - 7.5 / (x + 3.75)) / (1 + 2 * x)


def _exp_of_square(x, sign):
    """exp(sign * x**2), the square taken in two parts so that it is not rounded."""
    x = np.clip(x, -40.0, 40.0)
    head = x.astype(np.float32).astype(np.float64)
    return np.exp(sign * head * head) * np.exp(sign * (x - head) * (x + head))


@by_scipy("erfinv", FEW_FOR_SCIPY, wide=True)
@with_single(special_single.erfinv)
def erfinv(x):
    """The y with `erf(y) = x`; infinite at -1 and 1, nan beyond."""
    a = np.abs(x)
    w = -np.where(a < 0.5, np.log1p(-a * a), np.log((1 - a) * (1 + a)))
    return _erfinv(x, w)


def _erfinv(x, w):
    """erfinv(x), w = -log(1 - x**2) being given. After Giles (2010), with finer pieces."""
    edges = (3, 8, 25, 100, 800)
    root = np.sqrt(w)
    value = np.empty_like(x)
    piece = pieces_of(w, *edges)
    for k, name in enumerate(("CENTER", "3", "8", "25", "100")):
        where = piece == k
        if not where.any():
            continue
        coefficients = getattr(tables, f"ERFINV_{name}")
        if k == 0:
            value[where] = x[where] * poly(coefficients, w[where] / 1.5 - 1)
        else:
            low, high = edges[k - 1], edges[k]
            at = w[where]
            if k > 1:
                at, low, high = root[where], math.sqrt(low), math.sqrt(high)
            value[where] = poly(coefficients, (2 * at - low - high) / (high - low))
    value = np.where(piece == 0, value, np.copysign(value, x))
    value[piece == 5] = np.nan
    return np.where(w == np.inf, np.copysign(np.inf, x), value)


@with_single(lambda x: special_single.erfc(x * -math.sqrt(0.5)) / 2)
def ndtr(x):
    """The normal distribution's cumulative: `erfc(-x / sqrt(2)) / 2`."""
    return _erfc(x * -math.sqrt(0.5)) / 2


@by_scipy("log_ndtr")
@elementwise
def log_ndtr(x):
    """`log(ndtr(x))`, accurate in the far tail."""
    y = x * math.sqrt(0.5)
    tail = np.minimum(y, 0)
    return np.where(
        x < -1,
        np.log(_erfcx_positive(-tail) / 2) - tail * tail,
        np.log1p(-_erfc(np.maximum(y, -1)) / 2),
    )


@by_scipy("ndtri")
@elementwise
def ndtri(p):
    """The x with `ndtr(x) = p`."""
    x = 2 * p - 1
    w = np.where(
        np.abs(x) < 0.5, -np.log1p(-x * x), -(math.log(4) + np.log(p) + np.log1p(-p))
    )
    return math.sqrt(2) * _erfinv(x, w)


# ---------------------------------------------------------------- gamma and its relatives
@with_single(special_single.lgamma, math.lgamma)
def lgamma(x):
    """`log(abs(gamma(x)))`."""
    return _lgamma(x)


def _lgamma(x):
    choice = pieces_of(x, 0, 1, 3)
    value = piecewise(choice, x, _lgamma_negative, _lgamma_small, _lgamma_middle, _stirling)
    value = np.where(np.isinf(x) | ((x <= 0) & (x == np.floor(x))), np.inf, value)
    return value + 0.0           # 0, not -0, at 1 and 2


def _lgamma_middle(x):
    t = x - 2
    return (x - 1) * t * poly(tables.LGAMMA, t)


def _lgamma_small(x):
    t = x - 1
    return x * t * poly(tables.LGAMMA, t) - np.log(x)


def _stirling(x):
    tail = poly(tables.STIRLING, 18 / (x * x) - 1) / x
    return (x - 0.5) * np.log(x) - x + (0.5 * math.log(2 * math.pi) + tail)


def _lgamma_negative(x):
    # gamma(x) gamma(-x) = -pi / (x sin(pi x)).
    away = x - np.round(x)
    return np.log(np.pi / np.abs(x * np.sin(np.pi * away))) - _lgamma(np.fmax(-x, 0))  # nan: 0


@by_scipy("digamma", FEW_FOR_SCIPY, "f")
@with_single(special_single.digamma)
def digamma(x):
    """The derivative of lgamma; -inf at 0, nan at the negative integers."""
    return _digamma(x)


def _digamma(x):
    value = piecewise(
        pieces_of(x, 0, 1, 3),
        x,
        lambda x: _digamma(np.fmax(1 - x, 1)) - np.pi / np.tan(np.pi * (x - np.round(x))),
        lambda x: _digamma_middle(x - 1) - 1 / x,
        lambda x: _digamma_middle(x - 2),
        _digamma_large,
    )
    value = np.where((x < 0) & (x == np.floor(x)), np.nan, value)
    return np.where(x == 0, np.copysign(np.inf, -x), value)


def _digamma_middle(t):
    head, tail = tables.DIGAMMA_ROOT
    return ((t - (head - 2)) - tail) * poly(tables.DIGAMMA, t)


def _digamma_large(x):
    inverse = 1 / (x * x)
    return np.log(x) - 0.5 / x - inverse * poly(tables.DIGAMMA_FAR, 18 * inverse - 1)


def trigamma(x):
    """The derivative of digamma."""
    return polygamma(x, 1)


def polygamma(x, n):
    """The n-th derivative of digamma: `(-1)**(n + 1) n! zeta(n + 1, x)` for n >= 1."""
    if n < 0:
        raise RuntimeError("polygamma(n, x) does not support negative n.")
    if n == 0:
        return digamma(x)
    return _trigamma(x) if n == 1 else _polygamma(x, np.asarray(float(n), x.dtype))


@with_single(special_single.trigamma)
def _trigamma(x):
    sine = np.sin(np.pi * (x - np.round(x)))
    low = x < 0.5
    value = np.where(x == np.inf, 0, _zeta(np.full_like(x, 2.0), np.where(low, 1 - x, x)))
    return np.where(low, (np.pi / sine) ** 2 - value, value)


@elementwise
def _polygamma(x, n):
    return np.where(n % 2, 1, -1) * np.exp(_lgamma(n + 1)) * _zeta(n + 1, x)


def zeta(x, q):
    """Hurwitz's zeta, `sum of (k + q)**-x over k >= 0`; as in PyTorch nan at infinity, not 0."""
    if not (np.isposinf(q).any() or np.isposinf(x).any()):
        return _zeta_of_finite(x, q)
    at_infinity = (np.isposinf(q) & (x != 1)) | (np.isposinf(x) & (q > 1))
    return np.where(at_infinity, x.dtype.type(np.nan), _zeta_of_finite(x, q))


@by_scipy("zeta", FEW_FOR_SCIPY)
@elementwise
def _zeta_of_finite(x, q):
    return _zeta(x, q)


# B(2k) / (2k)! of the Euler-Maclaurin formula, k = 1, 2 ..
BERNOULLI = (
    0.08333333333333333, -0.001388888888888889, 3.306878306878307e-05, -8.267195767195768e-07,
    2.08767569878681e-08, -5.284190138687493e-10, 1.3382536530684679e-11, -3.3896802963225827e-13,
    8.586062056277845e-15, -2.174868698558062e-16, 5.5090028283602295e-18, -1.3954464685812522e-19,
    3.534707039629467e-21,
)


def _zeta(x, q):
    pole = (q <= 0) & (q == np.floor(q))
    total, a, terms = np.power(q, -x), np.where(pole, 1.0, q), 1
    while (short := (a < 9) | (terms < 10)).any():      # the formula needs an a beyond x, too
        a = np.where(short, a + 1, a)
        total = np.where(short, total + np.power(a, -x), total)
        terms += 1
    last = np.power(a, -x)
    total += last * a / (x - 1) - last / 2
    factor = x * last / a
    for k, b in enumerate(BERNOULLI):
        total += b * factor
        factor = factor * ((x + 2 * k + 1) / a) * ((x + 2 * k + 2) / a)
    if np.isposinf(x).any():                            # only the first term is left
        total = np.where(np.isposinf(x), np.power(q, -x), total)
    total = np.where((q <= 0) & (x != np.floor(x)) | np.isnan(x) | np.isnan(q), np.nan, total)
    return np.where((x == 1) | pole & ~(x < 1), np.inf, np.where(x < 1, np.nan, total))


def mvlgamma(x, p):
    """The log of the multivariate gamma function of dimension p."""
    start = np.asarray(p * (p - 1) / 4 * math.log(math.pi), np.float64)
    total = sum((kernels.lgamma(x - x.dtype.type(j / 2)) for j in range(p)), start.astype(x.dtype))
    return total.astype(x.dtype, copy=False)


# ---------------------------------------------------------------- incomplete gamma functions
@by_scipy("gammainc")
@elementwise
def igamma(a, x):
    """The regularized lower incomplete gamma function P(a, x)."""
    lower, _ = _incomplete_gamma(a, x)
    return lower


@by_scipy("gammaincc")
@elementwise
def igammac(a, x):
    """The regularized upper incomplete gamma function `1 - igamma(a, x)`."""
    _, upper = _incomplete_gamma(a, x)
    return upper


def _incomplete_gamma(a, x):
    inside = (a > 0) & (x > 0) & np.isfinite(a) & np.isfinite(x)
    small = inside & (a < 1) & (x < 1.1)
    near = inside & (a > 1e4) & (np.abs(x - a) < 0.03 * a)
    series = inside & ~near & (x <= a)
    fraction = inside & ~near & ~series & ~small

    lower = np.where((a == 0) | (x == np.inf), 1.0, 0.0)
    lower[small | series] = _gamma_series(a[small | series], x[small | series])
    upper = 1 - lower
    upper[small] = _upper_small(a[small], x[small])
    upper[fraction] = _gamma_fraction(a[fraction], x[fraction])
    lower[fraction] = 1 - upper[fraction]
    lower[near], upper[near] = _gamma_uniform(a[near], x[near])
    wrong = (a < 0) | (x < 0) | np.isnan(a) | np.isnan(x) | (a == 0) & (x == 0)
    wrong |= (a == np.inf) & (x == np.inf)
    lower[wrong] = upper[wrong] = np.nan
    return lower, upper


# Coefficients c0, c1, c2 of DLMF 8.12.7 as power series in eta.
UNIFORM = (
    (-1 / 3, 1 / 12, -2 / 135, 1 / 864, 1 / 2835, -139 / 777600),
    (-1 / 540, -1 / 288, 1 / 378, -77 / 77760),
    (25 / 6048, -139 / 51840, 101 / 16200),
)


def _gamma_uniform(a, x):
    """Temme's expansion for large a and x near it (DLMF 8.12)."""
    eta = np.copysign(np.sqrt(-2 * _log1p_minus((x - a) / a)), x - a)
    scaled = eta * np.sqrt(a / 2)
    c0, c1, c2 = (poly(c, eta) for c in UNIFORM)
    rest = np.exp(-scaled * scaled) / np.sqrt(2 * np.pi * a) * (c0 + (c1 + c2 / a) / a)
    return _erfc(-scaled) / 2 - rest, _erfc(scaled) / 2 + rest


def _gamma_factor(a, x):
    """`x**a exp(-x) / gamma(a)`; by Stirling for large a, where powers would lose digits."""
    large = a > 10
    d = (x - a) / a
    drift = np.where(np.abs(d) < 0.4, _log1p_minus(d), np.log(x / a) - d)
    correction = poly(tables.STIRLING, 18 / np.maximum(a * a, 9.0) - 1) / a
    by_stirling = np.exp(a * drift - correction) * np.sqrt(a / (2 * np.pi))
    return np.where(large, by_stirling, np.exp(a * np.log(x) - x - _lgamma(a)))


def _log1p_minus(d):
    """`log(1 + d) - d` for abs(d) < 0.4, by the series of artanh in r = d / (2 + d)."""
    r = d / (2 + d)
    square, total = r * r, np.zeros_like(d)
    for k in range(27, 1, -2):
        total = square * (total + 1 / k)
    return 2 * r * total - r * d


def _gamma_series(a, x):
    """`x**a exp(-x) / gamma(a + 1) * (1 + x/(a+1) + x**2/((a+1)(a+2)) + ..)`."""
    term = total = np.ones_like(x)
    n = a
    for _ in range(2000):
        n = n + 1
        term = term * (x / n)
        total = total + term
        if (term <= 1e-17 * total).all():
            break
    return total * _gamma_factor(a, x) / a


def _gamma_fraction(a, x):
    """The upper function by Lentz's evaluation of its continued fraction."""
    b = x + 1 - a
    c, d = np.full_like(x, 1e300), 1 / b
    value, done = d, np.zeros(x.shape, bool)
    for k in range(1, 2000):
        an = -k * (k - a)
        b = b + 2
        d = 1 / (an * d + b)
        c = b + an / c
        value = np.where(done, value, value * c * d)
        done |= np.abs(c * d - 1) < 4e-16
        if done.all():
            break
    return value * _gamma_factor(a, x)


def _upper_small(a, x):
    """The upper function for small a and x: `1 - x**a / gamma(1 + a)` and a short series."""
    head = -np.expm1(a * np.log(x) - _lgamma(1 + a))
    term, total = np.ones_like(x), np.zeros_like(x)
    for n in range(1, 40):
        term = term * (-x / n)
        total = total + term / (a + n)
    return head - np.exp(a * np.log(x) - _lgamma(1 + a)) * a * total


# ---------------------------------------------------------------- logarithms and sigmoids
def xlogy(x, y):
    """`x * log(y)`, 0 where x is 0 (nan where y is nan)."""
    with np.errstate(all="ignore"):
        return _zero_at_zero(x, y, x * np.log(y))


def xlog1py(x, y):
    """`x * log(1 + y)`, 0 where x is 0 (nan where y is nan)."""
    with np.errstate(all="ignore"):
        return _zero_at_zero(x, y, x * np.log1p(y))


def _zero_at_zero(x, y, product):
    """`product`, but 0 where x is 0 and y is a number."""
    zero = x == 0
    if not np.count_nonzero(zero):
        return np.asarray(product)
    return np.where(zero & ~np.isnan(y), np.zeros((), np.result_type(x, y)), product)


def entr(x):
    """`-x * log(x)`, 0 at 0 and -inf below."""
    with np.errstate(all="ignore"):
        value = np.log(x)
        value *= -x
    if not (x > 0).all():
        value = np.where(x > 0, value, np.where(x == 0, 0, np.where(x < 0, -np.inf, x)))
    return value.astype(x.dtype, copy=False)


def logit(x, eps=None):
    """`log(x / (1 - x))`, x first clamped to [eps, 1 - eps] if eps is given."""
    with np.errstate(all="ignore"):
        if eps is not None:
            low, high = x.dtype.type(eps), x.dtype.type(1 - eps)
            # NumPy has no clip() of bfloat16, and takes float32's
            x = np.clip(x, low, high).astype(x.dtype, copy=False) if low <= high else \
                np.where(x < low, low, np.where(x > high, high, x))  # nan as eps: no bounds
        odds = np.asarray(1 - x)
        np.divide(x, odds, odds)
        return np.log(odds, odds)
