"""Poisson, gamma and binomial values: PyTorch's rejection samplers, one value after the other.

They have compiled twins, kernels/fast/reject.py, where there are many.
"""

from __future__ import annotations

import math

import numpy as np

from retrograd.kernels.stream import Doubles, Stream

# constants that are float32 there
ONE, THIRD = np.float32(1), np.float32(1) / np.float32(3)
SQUEEZE = float(np.float32(0.0331))
STIRLING_TAIL = (
    *(0.0810614667953272, 0.0413406959554092, 0.0276779256849983, 0.02079067210376509),
    *(0.0166446911898211, 0.0138761288230707, 0.0118967099458917, 0.0104112652619720),
    *(0.00925546218271273, 0.00833056343336287),
)


def _log(x: float) -> float:
    return math.log(x) if x > 0 else -math.inf


def poisson(stream: Stream, rate: np.ndarray) -> np.ndarray:
    """A Poisson value for each rate, in rate's dtype."""
    values = stream.sampled("poissons", rate)
    if values is None:
        with Doubles(stream) as draws:
            values = np.array([_poisson(draws, float(r)) for r in rate.ravel()], np.float64)
    return values.astype(rate.dtype).reshape(rate.shape)


def _poisson(draws, rate):
    if rate == 0:
        return 0
    if rate < 10:
        return _poisson_product(draws, rate)
    # transformed rejection (Hörmann, 1993, algorithm PTRS)
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = draws.uniform() - 0.5
        v = draws.uniform()
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = math.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        bound = -rate + k * log_rate - math.lgamma(k + 1)
        if _log(v) + math.log(inverse_alpha) - math.log(a / (us * us) + b) <= bound:
            return k


def _poisson_product(draws, rate):
    limit, product, count = math.exp(-rate), 1.0, 0
    while True:
        product *= draws.uniform()
        if product <= limit:
            return count
        count += 1


def standard_gamma(stream: Stream, alpha: np.ndarray) -> np.ndarray:
    """A Gamma(alpha, 1) value for each alpha, at least the dtype's smallest normal number."""
    values = stream.sampled("gammas", alpha)
    if values is None:
        with Doubles(stream) as draws:
            values = np.array([_gamma(draws, a) for a in alpha.ravel()], np.float64)
    if alpha.dtype.char in "fd":
        values = np.maximum(values, np.finfo(alpha.dtype).tiny)
    return values.astype(alpha.dtype).reshape(alpha.shape)


def dirichlet(stream: Stream, alpha: np.ndarray) -> np.ndarray:
    """Dirichlet values along the last axis: Gamma values over their sum, inside (0, 1)."""
    gamma = standard_gamma(stream, alpha.astype(np.float64))
    values = (gamma / gamma.sum(-1, keepdims=True)).astype(alpha.dtype)
    one = alpha.dtype.type(1)
    return np.clip(values, np.finfo(alpha.dtype).tiny, np.nextafter(one, alpha.dtype.type(0)))


def _gamma(draws, alpha):
    # Marsaglia and Tsang (2000); a shape below 1 is boosted by one. alpha is a NumPy scalar:
    # the first lines round to its dtype
    if alpha == 0:
        return 0.0
    scale = 1.0
    if alpha < 1:
        scale = (1 - draws.uniform()) ** float(ONE / alpha)
        alpha += ONE
    d = float(alpha - THIRD)
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = draws.normal()
        y = 1.0 + c * x
        if y <= 0:
            continue
        v = y * y * y
        u = 1 - draws.uniform()
        xx = x * x
        if u < 1.0 - SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


def binomial(stream: Stream, count: np.ndarray, prob: np.ndarray) -> np.ndarray:
    """A Binomial(count, prob) value for each pair; the arrays have one shape and dtype."""
    values = stream.sampled("binomials", count, prob)
    if values is None:
        with Doubles(stream) as draws:
            pairs = zip(count.ravel().tolist(), prob.ravel().tolist(), strict=True)
            values = np.array([_binomial(draws, float(n), float(p)) for n, p in pairs], np.float64)
    return values.astype(count.dtype).reshape(count.shape)


def _binomial(draws, count, prob):
    if count <= 0 or prob <= 0:
        return 0.0
    if prob >= 1:
        return count
    if prob > 0.5:
        return count - _binomial(draws, count, 1 - prob)
    if math.isnan(prob):
        return math.nan
    return (_btrs if count * prob >= 10 else _binomial_inversion)(draws, count, prob)


def _binomial_inversion(draws, count, prob):
    log_q, total, successes = math.log1p(-prob), 0.0, 0
    while True:
        total += math.ceil(_log(draws.uniform()) / log_q)
        if total > count:
            return successes
        successes += 1


def _stirling_tail(k):
    if k <= 9:
        return STIRLING_TAIL[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def _btrs(draws, count, prob):
    # transformed rejection with squeeze (Hörmann, 1993, algorithm BTRS)
    spread = math.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = count * prob + 0.5
    v_r = 0.92 - 4.2 / b
    odds = prob / (1 - prob)
    alpha = (2.83 + 5.1 / b) * spread
    m = math.floor((count + 1) * prob)
    while True:
        u = draws.uniform() - 0.5
        v = draws.uniform()
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = math.floor((2 * a / us + b) * u + c)
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= v_r:
            return k
        bound = (
            (m + 0.5) * math.log((m + 1) / (odds * (count - m + 1)))
            + (count + 1) * math.log((count - m + 1) / (count - k + 1))
            + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
            + _stirling_tail(m)
            + _stirling_tail(count - m)
            - _stirling_tail(k)
            - _stirling_tail(count - k)
        )
        if _log(v * alpha / (a / (us * us) + b)) <= bound:
            return k
