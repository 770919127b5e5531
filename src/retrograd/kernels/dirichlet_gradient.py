"""The derivative of a Beta or Dirichlet value by its concentration, for reparameterised sampling.

A component x of a Dirichlet value, whose concentration is alpha out of a sum of `total`, is a
Beta(alpha, total - alpha) value. Its derivative is approximated as in PyTorch: by Taylor series
near 0 and 1, by a saddle point expansion where both parameters are large, and by a rational
correction in between.
"""

from __future__ import annotations

import numpy as np

from .special import digamma

# p and q of the rational correction: powers of log x, of a, of b (see _rational)
CORRECTION = np.array(
    [
        [
            [
                [1.003668233, -0.01061107488, -0.0657888334, 0.01201642863],
                [0.6336835991, -0.3557432599, 0.05486251648, -0.001465281033],
                [-0.03276231906, 0.004474107445, 0.002429354597, -0.0001557569013],
            ],
            [
                [0.221950385, -0.3187676331, 0.01799915743, 0.01074823814],
                [-0.2951249643, 0.06219954479, 0.01535556598, 0.001550077057],
                [0.02155310298, 0.004170831599, 0.001292462449, 6.976601077e-05],
            ],
            [
                [-0.05980841433, 0.008441916499, 0.01085618172, 0.002319392565],
                [0.02911413504, 0.01400243777, -0.002721828457, 0.000751041181],
                [0.005900514878, -0.001936558688, -9.495446725e-06, 5.385558597e-05],
            ],
        ],
        [
            [
                [1, -0.02924021934, -0.04438342661, 0.007285809825],
                [0.6357567472, -0.3473456711, 0.05454656494, -0.002407477521],
                [-0.03301322327, 0.004845219414, 0.00231480583, -0.0002307248149],
            ],
            [
                [0.5925320577, -0.1757678135, 0.01505928619, 0.000564515273],
                [0.1014815858, -0.06589186703, 0.01272886114, -0.0007316646956],
                [-0.007258481865, 0.001096195486, 0.0003934994223, -4.12701925e-05],
            ],
            [
                [0.06469649321, -0.0236701437, 0.002902096474, -5.896963079e-05],
                [0.001925008108, -0.002869809258, 0.0008000589141, -6.063713228e-05],
                [-0.0003477407336, 6.959756487e-05, 1.097287507e-05, -1.650964693e-06],
            ],
        ],
    ]
)


def dirichlet_grad(x, alpha, total):
    """dx / dalpha, elementwise, computed in float64."""
    dtype = x.dtype
    x, alpha, total = (v.astype(np.float64) for v in np.broadcast_arrays(x, alpha, total))
    beta = total - alpha
    boundary = total * x * (1 - x)
    low, high = (x <= 0.5) & (boundary < 2.5), (x >= 0.5) & (boundary < 0.75)
    with np.errstate(all="ignore"):
        grad = np.select(
            [low, high, (alpha > 6) & (beta > 6)],
            [_near_zero(x, alpha, beta), -_near_one(1 - x, beta, alpha), _large(x, alpha, beta)],
            _rational(x, alpha, total),
        )
    return grad.astype(dtype)


def _near_zero(x, alpha, beta):
    """By alpha, as a Taylor series about x = 0."""
    factor = digamma(alpha) - digamma(alpha + beta) - np.log(x)
    numerator = np.ones_like(x)
    series = numerator / alpha * (factor + 1 / alpha)
    for i in range(1, 11):
        numerator = numerator * ((i - beta) * x / i)
        denominator = alpha + i
        series = series + numerator / denominator * (factor + 1 / denominator)
    result = x * (1 - x) ** -beta * series
    return np.where(np.isnan(result), 0, result)


def _near_one(x, alpha, beta):
    """By beta, as a Taylor series about x = 0: by symmetry alpha's about x = 1."""
    factor = digamma(alpha + beta) - digamma(beta)
    numerator, betas, by_beta = np.ones_like(x), np.ones_like(x), np.zeros_like(x)
    series = factor / alpha
    for i in range(1, 9):
        numerator = numerator * (-x / i)
        by_beta = by_beta * (beta - i) + betas
        betas = betas * (beta - i)
        series = series + numerator / (alpha + i) * (by_beta + factor * betas)
    result = -((1 - x) ** (1 - beta)) * series
    return np.where(np.isnan(result), 0, result)


def _large(x, alpha, beta):
    total = alpha + beta
    mean = alpha / total
    std = np.sqrt(alpha * beta / (total + 1)) / total
    near = (mean - 0.1 * std <= x) & (x <= mean + 0.1 * std)
    return np.where(near, _large_near(x, alpha, beta, total), _saddle(x, alpha, beta, total, mean))


def _large_near(x, alpha, beta, total):
    """The expansion close to the mean, where its terms are singular, as a polynomial."""
    b2 = beta * beta
    inner = 8 * (1 - x) * (135 * beta - 11)
    inner = (453 + 1620 * beta * (1 - x) - 455 * x) * beta + alpha * inner
    inner = 3 * (59 + 180 * beta - 90 * x) * b2 + alpha * inner
    inner = (43 + 20 * (16 + 27 * beta) * x) * b2 * beta + alpha * inner
    polynomial = 47 * x * b2 * b2 + alpha * inner
    numerator = (1 + 12 * alpha) * (1 + 12 * beta) / (total * total)
    denominator = 12960 * alpha * alpha * alpha * b2 * (1 + 12 * total)
    return numerator / (1 - x) * polynomial / denominator


def _stirling(a):
    return 1 + 1 / (12 * a) + 1 / (288 * a * a)


def _saddle(x, alpha, beta, total, mean):
    prefactor = -x / np.sqrt(2 * alpha * beta / total)
    stirling = _stirling(alpha) * _stirling(beta) / _stirling(total)
    tilt = alpha * (x - 1) + beta * x
    term1 = 2 * alpha * alpha * (x - 1) + alpha * beta * (x - 1) - x * beta * beta
    term1 = term1 / (np.sqrt(2 * alpha / beta) * total**1.5 * tilt * tilt)
    log_alpha = np.log(alpha / (total * x))
    term3 = np.sqrt(8 * alpha * beta / total) / tilt
    term4 = (beta * np.log(beta / (total * (1 - x))) + alpha * log_alpha) ** -1.5
    terms = term1 + 0.5 * log_alpha * (term3 + np.where(x < mean, term4, -term4))
    return stirling * prefactor * terms


def _rational(x, alpha, total):
    """x (digamma(total) - digamma(alpha)) / beta, times a rational function of logarithms."""
    u = np.log(x)
    a = np.log(alpha) - u
    b = np.log(total) - a
    p = q = 0
    for i in range(3):
        for j in range(3):
            c = CORRECTION[:, i, j]
            power = u**i * a**j
            p = p + power * (c[0, 0] + b * (c[0, 1] + b * (c[0, 2] + b * c[0, 3])))
            q = q + power * (c[1, 0] + b * (c[1, 1] + b * (c[1, 2] + b * c[1, 3])))
    return p / q * (x * (digamma(total) - digamma(alpha)) / (total - alpha))
