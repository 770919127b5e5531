"""The incomplete gamma functions and zeta, by the formulas of kernels/special.py, in float64.

A number at a time, each series ends when it has converged. float32 needs few terms where the
arguments are moderate, as nearly all are: there every number takes the same steps, in loops that
vectorise, without divisions: a series and a continued fraction are quotients whose numerator and
denominator have recurrences of their own.
"""

from __future__ import annotations

import math

import numpy as np

from .. import special
from .compiling import Count, Whole, kernel, routine, scalar
from .elementwise import CHUNK, LANES, of_two
from .half import in_single
from .scalar import choose, exp, polynomial
from .special import log, log_gamma, stirling_terms
from .special import polygamma as trigamma_twin

C0, C1, C2 = (polynomial(*[c[::-1]] * 2) for c in special.UNIFORM)
artanh_tail = polynomial(*[[1 / k for k in range(27, 1, -2)]] * 2)     # 1/3 + s/5 + s^2/7 ...
MOST = 2000                      # terms of a series
SINGLE, DOUBLE = 1e-10, 1e-17    # where a series ends: relative to its sum


@scalar
def log1p_minus(d):
    """log(1 + d) - d for |d| < 0.4, by the series of artanh."""
    r = d / (2 + d)
    square = r * r
    return 2 * r * (square * artanh_tail(square)) - r * d


@routine
def factor(a, x):
    """x^a exp(-x) / gamma(a); by Stirling for large a, where powers would lose digits."""
    if a <= 10:
        return math.exp(a * math.log(x) - x - log_gamma(a))
    d = (x - a) / a
    drift = log1p_minus(d) if abs(d) < 0.4 else math.log(x / a) - d
    correction = stirling_terms(18 / (a * a) - 1) / a
    return math.exp(a * drift - correction) * math.sqrt(a / (2 * math.pi))


@routine
def by_series(a, x, least):
    """The lower function: its factor / a times 1 + x/(a+1) + x^2/((a+1)(a+2)) + ..."""
    term, total, n = 1.0, 1.0, a
    for _ in range(MOST):
        n += 1
        term *= x / n
        total += term
        if term <= least * total:
            break
    return total * factor(a, x) / a


@routine
def by_fraction(a, x, least):
    """The upper function, by Lentz's evaluation of its continued fraction."""
    b = x + 1 - a
    c, d = 1e300, 1 / b
    value = d
    for k in range(1, MOST):
        an = -k * (k - a)
        b += 2
        d = 1 / (an * d + b)
        c = b + an / c
        value *= c * d
        if abs(c * d - 1) < max(least, 4e-16):
            break
    return value * factor(a, x)


@routine
def upper_of_small(a, x, least):
    """The upper function for a < 1 and x < 1.1: 1 - x^a / gamma(1 + a) and a short series."""
    power = a * math.log(x) - log_gamma(1 + a)
    term, total = 1.0, 0.0
    for n in range(1, 40):
        term *= -x / n
        total += term / (a + n)
        if abs(term) <= least * abs(total):
            break
    return -math.expm1(power) - math.exp(power) * a * total


@routine
def near_its_mean(a, x, upper):
    """Temme's expansion for large a and x near it (DLMF 8.12)."""
    eta = math.copysign(math.sqrt(-2 * log1p_minus((x - a) / a)), x - a)
    scaled = eta * math.sqrt(a / 2)
    rest = C0(eta) + (C1(eta) + C2(eta) / a) / a
    rest *= math.exp(-scaled * scaled) / math.sqrt(2 * math.pi * a)
    return math.erfc(scaled) / 2 + rest if upper else math.erfc(-scaled) / 2 - rest


@routine
def at_an_end(a, x, upper):
    """Where a or x is 0, infinite, negative or nan."""
    if not (a >= 0 and x >= 0) or a == x:                         # both are 0, or infinite
        return math.nan
    return 1.0 if (a == 0 or x == math.inf) != (upper != 0) else 0.0


@routine
def incomplete(a, x, upper, least):
    if not (0 < a < math.inf and 0 < x < math.inf):
        return at_an_end(a, x, upper)
    if a > 1e4 and abs(x - a) < 0.03 * a:
        return near_its_mean(a, x, upper)
    if a < 1 and x < 1.1:
        return upper_of_small(a, x, least) if upper else by_series(a, x, least)
    if x <= a:
        lower = by_series(a, x, least)
        return 1 - lower if upper else lower
    value = by_fraction(a, x, least)
    return value if upper else 1 - value


@kernel
def incomplete_gammas(a, x, out, upper: Count):
    for i in range(out.size):
        out[i] = incomplete(np.float64(a[i]), np.float64(x[i]), upper, DOUBLE)


LOW_A, HIGH_A, LOW_X, HIGH_X = 0.1, 100.0, 1e-30, 200.0
FRACTION = 40                                # steps for ten digits; of the series: steps_for()


@scalar
def in_series(a, x):
    """Whether the series converges sooner than the fraction."""
    return (x <= a) | (x < 1.1)


@scalar
def steps_for(a):
    """Steps of the series for ten digits: for x = a the terms fall like exp(-k^2 / 2a)."""
    return int(9 + 7.5 * math.sqrt(a))


# Where a block's values lie, as in polynomials.py
A, X, B, POWER, ABOVE, BELOW, ABOVE_2, BELOW_2, SUM, ROOM = range(0, 10 * LANES, LANES)


@kernel
def moderate_gammas(a, x, out, upper: Count):
    """float32, a block at a time; what lies outside the limits is done one by one.

    The series is N / D with N' = N (a + k) + x^k and D' = D (a + k). The fraction b0 + a1 / (b1 +
    a2 / ...) is N / D with N'' = b N' + a N and the same for D; the function is its inverse.
    """
    room = np.ones(ROOM)
    for start in range(0, out.size, LANES):
        stop, far, most = min(start + LANES, out.size), False, 1
        our_a, our_x, res = a[start:stop], x[start:stop], out[start:stop]
        for i in range(res.size):
            p, q = np.float64(our_a[i]), np.float64(our_x[i])
            usual = (p >= LOW_A) & (p <= HIGH_A) & (q >= LOW_X) & (q <= HIGH_X)
            far |= not usual
            p = choose(usual, p, 1.0)
            most = max(most, np.int64(p) + 1)
            room[A + i], room[X + i] = p, choose(usual, q, 1.0)
        for i in range(LANES):
            room[ABOVE + i] = room[BELOW + i] = room[POWER + i] = 1.0
        for k in range(1, steps_for(most)):
            for i in range(LANES):
                n, power = room[A + i] + k, room[POWER + i] * room[X + i]
                room[POWER + i], room[BELOW + i] = power, room[BELOW + i] * n
                room[ABOVE + i] = room[ABOVE + i] * n + power
        for i in range(LANES):
            p, q = room[A + i], room[X + i]
            room[SUM + i] = room[ABOVE + i] / (room[BELOW + i] * p)
            b = choose(in_series(p, q), 2.0, q + 1 - p)          # any for which it converges
            room[B + i] = room[ABOVE + i] = b
            room[ABOVE_2 + i], room[BELOW_2 + i], room[BELOW + i] = 1.0, 0.0, 1.0
        for k in range(1, FRACTION):
            for i in range(LANES):
                step, b = k * (room[A + i] - k), room[B + i] + 2
                above, below = room[ABOVE + i], room[BELOW + i]
                room[B + i], room[ABOVE + i] = b, b * above + step * room[ABOVE_2 + i]
                room[ABOVE_2 + i], room[BELOW_2 + i], room[BELOW + i] = (
                    above, below, b * below + step * room[BELOW_2 + i])
        for i in range(LANES):
            p, q = room[A + i], room[X + i]
            is_lower = in_series(p, q)
            found = exp(p * log(q) - q - log_gamma(p))
            found *= choose(is_lower, room[SUM + i], room[BELOW + i] / room[ABOVE + i])
            room[SUM + i] = choose(is_lower == (upper != 0), 1 - found, found)
        for i in range(res.size):
            res[i] = room[SUM + i]
        if far:
            for i in range(res.size):
                if not (LOW_A <= our_a[i] <= HIGH_A and LOW_X <= our_x[i] <= HIGH_X):
                    res[i] = incomplete(np.float64(our_a[i]), np.float64(our_x[i]), upper, SINGLE)


def igamma(a, x):
    return of_arrays(igamma, a, x, 0)


def igammac(a, x):
    return of_arrays(igammac, a, x, 1)


def of_arrays(twin, a, x, upper):
    if a.itemsize == 2:
        return in_single(twin, a, x)
    loop = moderate_gammas if a.dtype.char == "f" else incomplete_gammas
    return of_two(loop, a, x, upper, chunk=CHUNK >> 4)


# ---------------------------------------------------------------- zeta

TERMS = 9              # the sum's, before the Euler-Maclaurin formula takes over
MOST_S, LEAST_Q, MOST_Q = 200.0, 1e-30, 1e30


@kernel
def zetas(s, q, out, factor: Whole):
    """factor times Hurwitz's zeta to ten digits, for moderate s > 1 and q > 0: a power a^-s is
    exp(-s log(a)), whose exponent may lose digits that float32 does not have."""
    room = np.full(ROOM, 2.0)
    for start in range(0, out.size, LANES):
        stop = min(start + LANES, out.size)
        our_s, our_q, res = s[start:stop], q[start:stop], out[start:stop]
        for i in range(res.size):
            room[POWER + i], room[A + i] = our_s[i], our_q[i]
        for i in range(LANES):
            room[SUM + i] = 0.0
        for _ in range(TERMS):
            for i in range(LANES):
                room[SUM + i] += exp(-room[POWER + i] * log(room[A + i]))
                room[A + i] += 1
        for i in range(LANES):
            power, a = room[POWER + i], room[A + i]
            last = exp(-power * log(a))
            room[SUM + i] += last * a / (power - 1) + last / 2
            room[B + i], room[X + i] = power * last / a, 1 / (a * a)
        for k in range(bernoulli.size):
            for i in range(LANES):
                power = room[POWER + i] + 2 * k
                room[SUM + i] += bernoulli[k] * room[B + i]
                room[B + i] *= (power + 1) * (power + 2) * room[X + i]
        for i in range(res.size):
            power = room[POWER + i]
            end = choose(power == 1, math.inf, math.nan)
            res[i] = factor[0] * choose(power > 1, room[SUM + i], end)


bernoulli = np.array(special.BERNOULLI[:10])


def zeta(x, q):
    return zeta_times(1.0, x, q)


def zeta_times(factor, x, q):
    """factor * zeta(x, q) for moderate float32 numbers, of which it is infinite for x = 1 and nan
    below."""
    if x.dtype.char != "f" or not x.size or not q.size:
        return None
    if not (-MOST_S < x.min() <= x.max() < MOST_S and LEAST_Q < q.min() <= q.max() < MOST_Q):
        return None
    return of_two(zetas, x, q, np.array([factor]), chunk=CHUNK >> 2)


def polygamma(x, n):
    """Of order 1 in special.py; (-1)^(n + 1) n! zeta(n + 1, x) above it."""
    if n == 1:
        return trigamma_twin(x, n)
    if not 1 < n < MOST_S - 1 or x.dtype.char != "f":
        return None
    factor = math.copysign(math.exp(math.lgamma(n + 1)), 1 if n % 2 else -1)
    return zeta_times(factor, np.full(x.shape, n + 1, x.dtype), x)
