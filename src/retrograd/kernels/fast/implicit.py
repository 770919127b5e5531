"""Derivatives of Gamma, Beta and Dirichlet values by their parameters, number by number, in
float64: what kernels/gamma_gradient.py and kernels/dirichlet_gradient.py compute in some hundred
passes."""

from __future__ import annotations

import math

import numpy as np

from ..dirichlet_gradient import CORRECTION
from ..gamma_gradient import RATIONAL
from .compiling import routine, scalar
from .elementwise import elementwise
from .special import digamma_of


@elementwise
def standard_gamma_grad(alpha, x):
    a, z = np.float64(alpha), np.float64(x)
    if z < 0.8:
        found = gamma_series(a, z)
    elif a > 8:
        found = gamma_near(a, z) if 0.9 * a <= z <= 1.1 * a else gamma_saddle(a, z)
    else:
        found = gamma_rational(a, z)
    return found if found == found else 0.0


@routine
def gamma_series(a, x):
    """Small x: F as a power series in x, differentiated by a term by term, over F's density."""
    numerator, series1, series2 = 1.0, 1 / a, 1 / (a * a)
    for i in range(1, 6):
        numerator *= -x / i
        series1 += numerator / (a + i)
        series2 += numerator / ((a + i) * (a + i))
    by_alpha = x ** a * ((math.log(x) - digamma_of(a)) * series1 - series2)
    return -by_alpha / (x ** (a - 1) * math.exp(-x))


@routine
def gamma_near(a, x):
    """Large a, x close to it: the saddle point expansion, whose terms are singular here, as a
    polynomial."""
    first = 1 + 24 * a * (1 + 12 * a)
    second = 1440 * a * a + 6 * x * (53 - 120 * x) - 65 * x * x / a + a * (107 + 3600 * x)
    return first * second / (1244160 * (a * a) * (a * a))


@routine
def gamma_saddle(a, x):
    """Large a: the derivative of F's saddle point expansion."""
    root, ratio = math.sqrt(8 * a), math.log(x / a)
    term2, term3 = root / (a - x), (x - a - a * ratio) ** -1.5
    term1 = ratio * (term2 - term3 if x < a else term2 + term3)
    term1 -= math.sqrt(2 / a) * (a + x) / ((a - x) * (a - x))
    return -(1 + 1 / (12 * a) * (1 + 1 / (24 * a))) * x * term1 / root


@routine
def gamma_rational(a, x):
    """Between: exp of a rational function of log(x / a) and log(a), fitted to the derivative."""
    u, v = math.log(x / a), math.log(a)
    p = q = 0.0
    for k in range(3, -1, -1):
        p = p * v + (RATIONAL[0, k] + u * (RATIONAL[1, k] + u * RATIONAL[2, k]))
        q = q * v + (RATIONAL[0, k + 4] + u * (RATIONAL[1, k + 4] + u * RATIONAL[2, k + 4]))
    return math.exp(p / q)


def dirichlet_grad(x, alpha, total):
    dtype = np.result_type(x, alpha, total)
    if dtype is not x.dtype:
        return None
    arrays = np.broadcast_arrays(x, alpha, total)
    return beta_slope(*[np.ascontiguousarray(a, dtype) for a in arrays])


@elementwise
def beta_slope(x, alpha, total):
    x, a, total = np.float64(x), np.float64(alpha), np.float64(total)
    b, boundary = total - a, total * x * (1 - x)
    if x <= 0.5 and boundary < 2.5:
        return near_zero(x, a, b)
    if x >= 0.5 and boundary < 0.75:
        return -near_one(1 - x, b, a)
    if a > 6 and b > 6:
        mean = a / total
        std = math.sqrt(a * b / (total + 1)) / total
        near = mean - 0.1 * std <= x <= mean + 0.1 * std
        return beta_near(x, a, b, total) if near else beta_saddle(x, a, b, total, mean)
    return beta_rational(x, a, total)


@routine
def near_zero(x, a, b):
    factor = digamma_of(a) - digamma_of(a + b) - math.log(x)
    numerator, series = 1.0, (factor + 1 / a) / a
    for i in range(1, 11):
        numerator *= (i - b) * x / i
        series += numerator / (a + i) * (factor + 1 / (a + i))
    found = x * (1 - x) ** -b * series
    return found if found == found else 0.0


@routine
def near_one(x, a, b):
    factor = digamma_of(a + b) - digamma_of(b)
    numerator, betas, by_beta, series = 1.0, 1.0, 0.0, factor / a
    for i in range(1, 9):
        numerator *= -x / i
        by_beta = by_beta * (b - i) + betas
        betas *= b - i
        series += numerator / (a + i) * (by_beta + factor * betas)
    found = -(1 - x) ** (1 - b) * series
    return found if found == found else 0.0


@routine
def beta_near(x, a, b, total):
    inner = 8 * (1 - x) * (135 * b - 11)
    inner = (453 + 1620 * b * (1 - x) - 455 * x) * b + a * inner
    inner = 3 * (59 + 180 * b - 90 * x) * b * b + a * inner
    inner = (43 + 20 * (16 + 27 * b) * x) * b * b * b + a * inner
    polynomial = 47 * x * (b * b) * (b * b) + a * inner
    numerator = (1 + 12 * a) * (1 + 12 * b) / (total * total)
    denominator = 12960 * a * a * a * (b * b) * (1 + 12 * total)
    return numerator / (1 - x) * polynomial / denominator


@scalar
def stirling(a):
    return 1 + 1 / (12 * a) + 1 / (288 * a * a)


@routine
def beta_saddle(x, a, b, total, mean):
    tilt = a * (x - 1) + b * x
    term1 = 2 * a * a * (x - 1) + a * b * (x - 1) - x * b * b
    term1 /= math.sqrt(2 * a / b) * total ** 1.5 * tilt * tilt
    log_a = math.log(a / (total * x))
    term3 = math.sqrt(8 * a * b / total) / tilt
    term4 = (b * math.log(b / (total * (1 - x))) + a * log_a) ** -1.5
    terms = term1 + 0.5 * log_a * (term3 + (term4 if x < mean else -term4))
    return stirling(a) * stirling(b) / stirling(total) * -x / math.sqrt(2 * a * b / total) * terms


@routine
def beta_rational(x, a, total):
    u, power = math.log(x), 1.0
    v = math.log(a) - u
    w = math.log(total) - math.log(a) + u
    p = q = 0.0
    for i in range(3):
        each = power
        for j in range(3):
            p += each * by_total(0, i, j, w)
            q += each * by_total(1, i, j, w)
            each *= v
        power *= u
    return p / q * (x * (digamma_of(total) - digamma_of(a)) / (total - a))


@scalar
def by_total(half, i, j, w):
    found = 0.0
    for k in range(3, -1, -1):
        found = found * w + CORRECTION[half, i, j, k]
    return found
