"""Matrix products."""

from __future__ import annotations

import numpy as np


def mm(a, b):
    return a @ b


bmm = mv = dot = matmul = mm


def addmm(bias, a, b, beta, alpha):
    """beta * bias + alpha * (a @ b); the common case beta = alpha = 1 adds in place."""
    res = a @ b
    if alpha != 1:
        res *= alpha
    if beta != 1:
        bias = beta * bias
    if np.broadcast_shapes(res.shape, bias.shape) == res.shape:
        res += bias
        return res
    return res + bias
