"""Random values to fill an array with: in its shape, its dtype, and the order of its memory.

Each kernel takes the array, then its numbers, last the stream.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from . import random, random_reject
from .half import is_half
from .random import in_memory_order


def _filler(draw):
    def kernel(x, *numbers):
        *numbers, stream = numbers
        if x.flags.c_contiguous:
            return draw(stream, x.shape, x.dtype, *numbers)
        return in_memory_order(x, lambda shape: draw(stream, shape, x.dtype, *numbers))

    return kernel


log_normal = _filler(random.log_normal)
cauchy = _filler(random.cauchy)
exponential = _filler(random.exponential)
geometric = _filler(random.geometric)
random_from_to = _filler(random.integers)
random_any = _filler(random.any_integer)


def uniform(x, low, high, stream, out=None):
    """`out`, if it is given, is x itself."""
    if x.flags.c_contiguous:
        return random.uniform(stream, x.shape, x.dtype, low, high, out)
    values = in_memory_order(x, lambda shape: random.uniform(stream, shape, x.dtype, low, high))
    if out is None:
        return values
    out[...] = values
    return out


def normal(x, mean, std, stream):
    if x.flags.c_contiguous:
        return random.normal(stream, x.shape, x.dtype, mean, std)
    return in_memory_order(
        x, lambda shape: random.normal(stream, shape, x.dtype, mean, std, False))


def bernoulli_number(x, p, stream):
    """1 with probability p, else 0."""
    return in_memory_order(x, lambda shape: random.bernoulli(stream, shape, p, x.dtype))


def bernoulli_like(x, p, stream):
    """The same in rows, whatever the memory order of x."""
    return random.bernoulli(stream, x.shape, p, x.dtype)


def dropout_mask(x, p, stream):
    """1 / p with probability p, else 0: ones divided by p, in x's dtype."""
    one = share(p, x.dtype)
    return in_memory_order(x, lambda shape: random.bernoulli(stream, shape, p, x.dtype, one))


@lru_cache(64)
def share(p, dtype):
    return (dtype.type(1) / dtype.type(p)).item()


def bernoulli_array(x, p, stream):
    """1 with the probability that p, which broadcasts to x, has there, else 0."""
    p = np.broadcast_to(p, x.shape)
    return in_memory_order(
        x, lambda shape, p: random.bernoulli(stream, shape, p, x.dtype), p)


def bernoulli_draw(p, stream):
    return random.bernoulli(stream, p.shape, p, p.dtype)


def random_to(x, high, stream):
    return random_from_to(x, 0, high, stream)


def poisson_draw(rate, stream):
    return random_reject.poisson(stream, rate)


def binomial(count, prob, stream):
    return random_reject.binomial(stream, *np.broadcast_arrays(count, prob))


def standard_gamma(alpha, stream):
    return random_reject.standard_gamma(stream, alpha)


def sample_dirichlet(alpha, stream):
    return random_reject.dirichlet(stream, alpha)


def normal_around(mean, std, stream):
    return random.normal(stream, mean.shape, mean.dtype, 0, std) + mean


def normal_spread(std, mean, stream):
    mean = std.dtype.type(mean) if is_half(std.dtype) else mean
    return random.normal(stream, std.shape, std.dtype) * std + mean


def normal_draw(mean, std, stream):
    shape = np.broadcast_shapes(mean.shape, std.shape)
    values = random.normal(stream, shape, mean.dtype) * std + mean
    return values.astype(mean.dtype, copy=False)
