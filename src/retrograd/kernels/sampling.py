"""Random values for an array to be filled: its shape, its dtype, in the order of its memory.

Each kernel takes the array, then its numbers, last the stream.
"""

from __future__ import annotations

import numpy as np

from . import random, random_reject


def _in_memory_order(x, draw, *arrays):
    """draw(shape, *arrays), so that values come in the order in which x's elements lie in memory."""
    if x.flags.c_contiguous:
        return draw(x.shape, *arrays)
    order = sorted(range(x.ndim), key=lambda axis: -x.strides[axis])
    shape = tuple(x.shape[axis] for axis in order)
    return draw(shape, *(a.transpose(order) for a in arrays)).transpose(np.argsort(order))


def _filler(draw):
    def kernel(x, *numbers):
        *numbers, stream = numbers
        return _in_memory_order(x, lambda shape: draw(stream, shape, x.dtype, *numbers))

    return kernel


uniform = _filler(random.uniform)
log_normal = _filler(random.log_normal)
cauchy = _filler(random.cauchy)
exponential = _filler(random.exponential)
geometric = _filler(random.geometric)
random_from_to = _filler(random.integers)
random_any = _filler(random.any_integer)


def normal(x, mean, std, stream):
    blocks = x.flags.c_contiguous
    return _in_memory_order(
        x, lambda shape: random.normal(stream, shape, x.dtype, mean, std, blocks)
    )


def bernoulli_number(x, p, stream):
    """1 with probability p, else 0."""
    drawn = _in_memory_order(x, lambda shape: random.bernoulli(stream, shape, p))
    return drawn.astype(x.dtype)


def bernoulli_array(x, p, stream):
    """1 with the probability that p, which broadcasts to x, has there, else 0."""
    p = np.broadcast_to(p, x.shape)
    return _in_memory_order(x, lambda shape, p: random.bernoulli(stream, shape, p), p).astype(x.dtype)


def bernoulli_draw(p, stream):
    return bernoulli_array(p, p, stream)


def random_to(x, high, stream):
    return random_from_to(x, 0, high, stream)


def poisson_draw(rate, stream):
    return random_reject.poisson(stream, rate)


def binomial(count, prob, stream):
    return random_reject.binomial(stream, *np.broadcast_arrays(count, prob))


def normal_around(mean, std, stream):
    return normal(np.empty_like(mean), 0, std, stream) + mean


def normal_spread(std, mean, stream):
    return normal(np.empty_like(std), 0, 1, stream) * std + mean


def normal_draw(mean, std, stream):
    shape = np.broadcast_shapes(mean.shape, std.shape)
    template = np.empty_like(mean) if shape == mean.shape else np.empty(shape, mean.dtype)
    return (normal(template, 0, 1, stream) * std + mean).astype(mean.dtype, copy=False)
