"""Normal, gamma, Poisson and binomial values, one after the other: see kernels/random_reject.py.

They draw from the twister's own memory and round after every operation: the same bits.
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..random_reject import ONE, SQUEEZE, STIRLING_TAIL, THIRD
from ..stream import WORDS
from .compiling import OPTIONS, Whole, kernel_as_written
from .draw import low_53, tempered, twist
from .lazy import jit


@partial(jit, **OPTIONS)
def next_word(memory):
    at = np.int64(memory[WORDS])
    if at >= WORDS:
        twist(memory[:WORDS])
        at = 0
    memory[WORDS] = at + 1
    return tempered(memory[at])


@partial(jit, **OPTIONS)
def uniform(memory):
    high = next_word(memory)
    return low_53(high, next_word(memory)) * 2.0**-53


@partial(jit, **OPTIONS)
def normal(memory, kept):
    """A standard normal number, by Box and Muller, who make two of two uniform ones.

    kept = (whether there is one left of the pair before, its value)
    """
    if kept[0] != 0:
        value = kept[1]
        kept[0] = kept[1] = 0
        return value
    a = uniform(memory)
    b = uniform(memory)
    radius, theta = math.sqrt(-2.0 * math.log1p(-b)), 2.0 * math.pi * a
    kept[0], kept[1] = 1, radius * math.sin(theta)
    return radius * math.cos(theta)


@partial(jit, **OPTIONS)
def gamma(alpha, memory, kept):
    """By Marsaglia and Tsang (2000); alpha < 1 by a value for alpha + 1, times u^(1/alpha)."""
    if alpha == 0:
        return 0.0
    scale = 1.0
    if alpha < 1:
        scale = (1 - uniform(memory)) ** np.float64(ONE / alpha)
        alpha += ONE
    d = np.float64(alpha - THIRD)
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(memory, kept)
        y = 1.0 + c * x
        if y <= 0:
            continue
        v = y * y * y
        u = 1 - uniform(memory)
        xx = x * x
        if u < 1.0 - SQUEEZE * xx * xx or math.log(u) < 0.5 * xx + d * (1.0 - v + math.log(v)):
            return scale * d * v


@partial(jit, **OPTIONS)
def poisson(rate, memory):
    """Small rates: how many uniform numbers have a product above exp(-rate). Others: Hörmann's
    transformed rejection, PTRS (1993)."""
    if rate < 10:
        limit, product, count = math.exp(-rate), 1.0, -1.0
        while product > limit or count < 0:
            product *= uniform(memory)
            count += 1
        return count
    log_rate = math.log(rate)
    b = 0.931 + 2.53 * math.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    while True:
        u = uniform(memory) - 0.5
        v = uniform(memory)
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = np.floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or (us < 0.013 and v > us):
            continue
        bound = -rate + k * log_rate - math.lgamma(k + 1)
        log_v = math.log(v) if v > 0 else -math.inf
        if log_v + math.log(inverse_alpha) - math.log(a / (us * us) + b) <= bound:
            return k


@partial(jit, **OPTIONS)
def binomial(count, prob, memory):
    """Successes in `count` trials; for prob > 0.5 it counts the failures, which are rarer."""
    if count <= 0 or prob <= 0:
        return 0.0
    if prob >= 1:
        return count
    if prob != prob:
        return prob
    rare = min(prob, 1 - prob)
    large = count * rare >= 10
    found = btrs(count, rare, memory) if large else inversion(count, rare, memory)
    return count - found if prob > 0.5 else found


@partial(jit, **OPTIONS)
def inversion(count, prob, memory):
    """Trials until the next success are geometric: how many successes fit into `count` trials."""
    log_q, total, successes = math.log1p(-prob), 0.0, -1.0
    while total <= count:
        u = uniform(memory)
        total += np.ceil((math.log(u) if u > 0 else -math.inf) / log_q)
        successes += 1
    return successes


@partial(jit, **OPTIONS)
def stirling_tail(k):
    """log(k!) less Stirling's formula for it."""
    if k <= 9:
        return STIRLING_TAIL[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


@partial(jit, **OPTIONS)
def btrs(count, prob, memory):
    """Hörmann's transformed rejection for binomial values, BTRS (1993): count * prob >= 10."""
    spread = math.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * spread
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    c = count * prob + 0.5
    v_r = 0.92 - 4.2 / b
    odds = prob / (1 - prob)
    alpha = (2.83 + 5.1 / b) * spread
    m = np.floor((count + 1) * prob)
    while True:
        u = uniform(memory) - 0.5
        v = uniform(memory)
        us = 0.5 - abs(u)
        if us == 0:
            continue
        k = np.floor((2 * a / us + b) * u + c)
        if k < 0 or k > count:
            continue
        if us >= 0.07 and v <= v_r:
            return k
        bound = ((m + 0.5) * math.log((m + 1) / (odds * (count - m + 1)))
                 + (count + 1) * math.log((count - m + 1) / (count - k + 1))
                 + (k + 0.5) * math.log(odds * (count - k + 1) / (k + 1))
                 + stirling_tail(m) + stirling_tail(count - m)
                 - stirling_tail(k) - stirling_tail(count - k))
        v = v * alpha / (a / (us * us) + b)
        if (math.log(v) if v > 0 else -math.inf) <= bound:
            return k


@kernel_as_written
def fill_normals(out, memory: Whole, kept: Whole):
    for i in range(out.size):
        out[i] = normal(memory, kept)


@kernel_as_written
def fill_gammas(alphas, out, memory: Whole, kept: Whole):
    for i in range(out.size):
        out[i] = gamma(alphas[i], memory, kept)


@kernel_as_written
def fill_poissons(rates, out, memory: Whole):
    for i in range(out.size):
        out[i] = poisson(rates[i], memory) if rates[i] != 0 else 0.0


@kernel_as_written
def fill_binomials(counts, probs, out, memory: Whole):
    for i in range(out.size):
        out[i] = binomial(counts[i], probs[i], memory)


def normals(memory, kept, places):
    """As many float64 values as there are places."""
    out = np.empty(places.size)
    fill_normals(out, memory, kept, chunk=out.size)
    return out


def gammas(memory, kept, alphas):
    """float64 values for a vector of float32 or float64.

    None for a parameter of nan, inf or below 0, for which rejection would not end.
    """
    return filled(fill_gammas, memory, alphas, rest=(kept,)) if in_range(alphas) else None


def poissons(memory, kept, rates):
    return filled(fill_poissons, memory, rates.astype(np.float64)) if in_range(rates) else None


def binomials(memory, kept, counts, probs):
    if not in_range(counts) or probs.dtype is not counts.dtype:
        return None
    return filled(fill_binomials, memory, counts.astype(np.float64), probs.astype(np.float64))


def in_range(parameters):
    return parameters.dtype.char in "fd" and 0 <= parameters.min() and parameters.max() < np.inf


def filled(fill, memory, *parameters, rest=()):
    out = np.empty(parameters[0].size)
    fill(*parameters, out, memory, *rest, chunk=out.size)
    return out
