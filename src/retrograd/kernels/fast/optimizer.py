"""Updates of optimizers in one pass over a parameter: what `update` of the class says in formulas.

They round as the formulas do, so that long and short parameters are updated alike. They take what
`update` takes after its namespace and return the parameter, or None to decline.
"""

from __future__ import annotations

import math

from .compiling import Count, Number, kernel_as_written
from .elementwise import CHUNK


@kernel_as_written
def adam(p, g, m, v, sign: Number, decay: Number, shrink: Number, weight1: Number, beta2: Number,
         weight2: Number, eps: Number, step_size: Number, root_correction2: Number):
    for i in range(p.size):
        slope = sign * g[i] + decay * p[i]
        m[i] += weight1 * (slope - m[i])
        v[i] = beta2 * v[i] + weight2 * slope * slope
        p[i] = shrink * p[i] - step_size * m[i] / (math.sqrt(v[i]) / root_correction2 + eps)


@kernel_as_written
def sgd(p, g, sign: Number, decay: Number, lr: Number):
    for i in range(p.size):
        p[i] -= lr * (sign * g[i] + decay * p[i])


@kernel_as_written
def sgd_momentum(p, g, b, sign: Number, decay: Number, momentum: Number, share: Number, lr: Number,
                 nesterov: Count):
    for i in range(p.size):
        slope = sign * g[i] + decay * p[i]
        b[i] = momentum * b[i] + share * slope
        p[i] -= lr * (slope + momentum * b[i] if nesterov else b[i])


def adam_update(p, g, s, h, step_size, root_correction2):
    beta1, beta2 = h["betas"]
    if h["amsgrad"] or 1 - beta1 >= 0.5:       # there lerp takes its other form
        return None
    apart = h["decoupled_weight_decay"]
    arrays = vectors(p, g, s["exp_avg"], s["exp_avg_sq"])
    if arrays is None:
        return None
    adam(*arrays, -1 if h["maximize"] else 1, 0 if apart else h["weight_decay"],
         1 - h["lr"] * h["weight_decay"] if apart else 1, 1 - beta1, beta2, 1 - beta2, h["eps"],
         step_size, root_correction2, chunk=CHUNK)
    return p


def sgd_update(p, g, s, h, share):
    arrays = vectors(p, g, *s.values())
    if arrays is None:
        return None
    slope = -1 if h["maximize"] else 1, h["weight_decay"]
    if h["momentum"] == 0:
        sgd(*arrays[:2], *slope, h["lr"], chunk=CHUNK)
    else:
        sgd_momentum(*arrays, *slope, h["momentum"], share, h["lr"], int(h["nesterov"]),
                     chunk=CHUNK)
    return p


def vectors(p, *others):
    """The arrays' elements in the order of memory; None unless all lie there in the same order."""
    if p.dtype.char not in "fd" or not p.flags.behaved:
        return None
    if any(a.shape != p.shape or a.dtype is not p.dtype or a.strides != p.strides for a in others):
        return None
    if p.flags.c_contiguous:
        return [a.reshape(-1) for a in (p, *others)]
    return [a.T.reshape(-1) for a in (p, *others)] if p.flags.f_contiguous else None
