"""The derivative of a Gamma(alpha, 1) value by alpha, for reparameterised sampling.

For x with distribution function F(x; alpha) it is -(dF / dalpha) / (dF / dx) (Figurnov, Mohamed and
Mnih, 2018), in PyTorch's three approximations: a series for small x, a saddle point expansion for
large alpha, and a rational function of log(x / alpha) and log(alpha) between.
"""

from __future__ import annotations

import numpy as np

from . import special

RATIONAL = np.array(
    [
        [0.16009398, -0.094634809, 0.025146376, -0.0030648343]
        + [1, 0.32668115, 0.10406089, 0.0014179084],
        [0.53487893, 0.1298071, 0.065735949, -0.0015649758]
        + [0.16639465, 0.020070113, -0.0035938915, -0.00058392623],
        [0.040121004, -0.0065914022, -0.0026286047, -0.0013441777]
        + [0.017050642, -0.0021309326, 0.00085092367, -1.5247877e-07],
    ]
)


def standard_gamma_grad(alpha, x):
    """dx / dalpha, elementwise, computed in float64."""
    a, z = alpha.astype(np.float64), x.astype(np.float64)
    with np.errstate(all="ignore"):
        near = (0.9 * a <= z) & (z <= 1.1 * a)
        grad = np.select(
            [z < 0.8, (a > 8) & near, a > 8],
            [_series(a, z), _saddle_near(a, z), _saddle(a, z)],
            _rational(a, z),
        )
    return np.nan_to_num(grad, nan=0.0, posinf=np.inf, neginf=-np.inf).astype(alpha.dtype)


def _series(a, x):
    numerator, denominator = np.ones_like(x), a.copy()
    series1, series2 = 1 / a, 1 / (a * a)
    for i in range(1, 6):
        numerator = numerator * (-x / i)
        denominator += 1
        series1 = series1 + numerator / denominator
        series2 = series2 + numerator / (denominator * denominator)
    power = x**a
    density = x ** (a - 1) * np.exp(-x)
    by_alpha = (np.log(x) - special.digamma(a)) * power * series1 - power * series2
    return -by_alpha / density


def _saddle_near(a, x):
    """The saddle point expansion where x is close to alpha, as a polynomial."""
    first = 1 + 24 * a * (1 + 12 * a)
    second = 1440 * a * a + 6 * x * (53 - 120 * x) - 65 * x * x / a + a * (107 + 3600 * x)
    return first * second / (1244160 * (a * a) * (a * a))


def _saddle(a, x):
    root, ratio = np.sqrt(8 * a), np.log(x / a)
    term2 = root / (a - x)
    term3 = (x - a - a * ratio) ** -1.5
    term23 = np.where(x < a, term2 - term3, term2 + term3)
    term1 = ratio * term23 - np.sqrt(2 / a) * (a + x) / ((a - x) * (a - x))
    stirling = 1 + 1 / (12 * a) * (1 + 1 / (24 * a))
    return -stirling * x * term1 / root


def _rational(a, x):
    u, v = np.log(x / a), np.log(a)
    c = [r0 + u * (r1 + u * r2) for r0, r1, r2 in RATIONAL.T]
    p = c[0] + v * (c[1] + v * (c[2] + v * c[3]))
    q = c[4] + v * (c[5] + v * (c[6] + v * c[7]))
    return np.exp(p / q)
