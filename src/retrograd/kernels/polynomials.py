"""Orthogonal polynomials by their recurrences, in float64: see `special.elementwise`."""

import numpy as np

from .special import elementwise

MANY = 64         # a degree up to which taking every step is quicker than a cosine


def _recurrence(name):
    """A kernel of (x, n): p0 = 1, p1 = first(x), p(k+1) = step(x, k, pk, p(k-1)); 0 for n < 0.

    Chebyshev polynomials of a large degree inside (-1, 1) are the cosine that defines them, as in
    PyTorch, where the steps would be as many as the degree.
    """
    first, step = RECURRENCES[name]
    closed = CLOSED.get(name)

    @elementwise
    def kernel(x, n):
        n = np.trunc(np.where(np.abs(n) < 2.0**63, n, -1))       # like C's cast to int64
        if closed is not None and (far := (n > MANY) & (np.abs(x) < 1)).any():
            value = np.empty_like(x)
            value[~far], value[far] = by_steps(x[~far], n[~far]), closed(np.arccos(x[far]), n[far])
            return value
        return by_steps(x, n)

    def by_steps(x, n):
        before, current = np.ones_like(x), first(x)
        value = np.where(n == 0, before, np.where(n == 1, current, 0.0))
        for k in range(1, int(n.max(initial=0))):
            before, current = current, step(x, k, current, before)
            if np.isnan(current).all():                           # and so is all that follows
                return np.where(n > k, current, value)
            value = np.where(n == k + 1, current, value)
        return value

    return kernel


def _chebyshev_step(x, k, p, before):
    return 2 * x * p - before


# name: p1 and the step; the compiled kernels are made of these, too
RECURRENCES = {
    "chebyshev_polynomial_t": (lambda x: x, _chebyshev_step),
    "chebyshev_polynomial_u": (lambda x: 2 * x, _chebyshev_step),
    "chebyshev_polynomial_v": (lambda x: 2 * x - 1, _chebyshev_step),
    "chebyshev_polynomial_w": (lambda x: 2 * x + 1, _chebyshev_step),
    "hermite_polynomial_h": (lambda x: 2 * x, lambda x, k, p, before: 2 * (x * p - k * before)),
    "hermite_polynomial_he": (lambda x: x, lambda x, k, p, before: x * p - k * before),
    "laguerre_polynomial_l": (
        lambda x: 1 - x, lambda x, k, p, before: ((2 * k + 1 - x) * p - k * before) / (k + 1)),
    "legendre_polynomial_p": (
        lambda x: x, lambda x, k, p, before: ((2 * k + 1) * x * p - k * before) / (k + 1)),
}
# Of the angle whose cosine is x
CLOSED = {
    "chebyshev_polynomial_t": lambda angle, n: np.cos(n * angle),
    "chebyshev_polynomial_u": lambda angle, n: np.sin((n + 1) * angle) / np.sin(angle),
    "chebyshev_polynomial_v": lambda angle, n: np.cos((n + 0.5) * angle) / np.cos(angle / 2),
    "chebyshev_polynomial_w": lambda angle, n: np.sin((n + 0.5) * angle) / np.sin(angle / 2),
}

chebyshev_polynomial_t = _recurrence("chebyshev_polynomial_t")
chebyshev_polynomial_u = _recurrence("chebyshev_polynomial_u")
chebyshev_polynomial_v = _recurrence("chebyshev_polynomial_v")
chebyshev_polynomial_w = _recurrence("chebyshev_polynomial_w")
hermite_polynomial_h = _recurrence("hermite_polynomial_h")
hermite_polynomial_he = _recurrence("hermite_polynomial_he")
laguerre_polynomial_l = _recurrence("laguerre_polynomial_l")
legendre_polynomial_p = _recurrence("legendre_polynomial_p")


def shifted_chebyshev_polynomial_t(x, n):
    return chebyshev_polynomial_t(2 * x - 1, n)


def shifted_chebyshev_polynomial_u(x, n):
    return chebyshev_polynomial_u(2 * x - 1, n)


def shifted_chebyshev_polynomial_v(x, n):
    return chebyshev_polynomial_v(2 * x - 1, n)


def shifted_chebyshev_polynomial_w(x, n):
    return chebyshev_polynomial_w(2 * x - 1, n)
