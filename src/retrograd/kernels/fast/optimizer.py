"""Updates of optimizers, of many parameters in one call: what `update` of the class says in
formulas. They round as the formulas do, so that all parameters are updated alike.

p is a parameter, g its gradient (`sign` is -1 to go uphill), `decay` is weight_decay. m and v are
the running means of g and g^2, `weight1` and `weight2` are 1 - beta1 and 1 - beta2; b is a momentum
buffer. `shrink` is what decoupled weight decay multiplies p by.

A twin takes a list of (numbers, parameter, gradient, buffers), the settings and the numbers of
this step, and returns the list of those that it has not updated.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial

import numpy as np

from .compiling import OPTIONS, Kernel, Number, Whole, array_at, data, kernel_as_written
from .elementwise import CHUNK
from .lazy import jit

FEW = 8             # parameters: so many are worth being shared among threads as a whole


@partial(jit, **OPTIONS)
def adam(p, g, m, v, sign, decay, shrink, weight1, beta2, weight2, eps, step_size,
         root_correction2):
    for i in range(p.size):
        slope = sign * g[i] + decay * p[i] if decay != 0 else sign * g[i]
        m[i] += weight1 * (slope - m[i])
        v[i] = beta2 * v[i] + weight2 * slope * slope
        p[i] = shrink * p[i] - step_size * m[i] / (math.sqrt(v[i]) / root_correction2 + eps)


@partial(jit, **OPTIONS)
def sgd(p, g, sign, decay, lr):
    for i in range(p.size):
        p[i] -= lr * (sign * g[i] + decay * p[i] if decay != 0 else sign * g[i])


@partial(jit, **OPTIONS)
def sgd_momentum(p, g, b, sign, decay, lr, momentum, share, nesterov):
    for i in range(p.size):
        slope = sign * g[i] + decay * p[i] if decay != 0 else sign * g[i]
        b[i] = momentum * b[i] + share * slope
        p[i] -= lr * (slope + momentum * b[i] if nesterov != 0 else b[i])


@partial(jit, **OPTIONS)
def adadelta(p, g, v, u, sign, decay, rho, weight, eps, lr):
    for i in range(p.size):
        slope = sign * g[i] + decay * p[i] if decay != 0 else sign * g[i]
        v[i] = rho * v[i] + weight * slope * slope
        change = math.sqrt(u[i] + eps) / math.sqrt(v[i] + eps) * slope
        u[i] = rho * u[i] + weight * change * change
        p[i] -= lr * change


@partial(jit, **OPTIONS)
def adagrad(p, g, v, sign, decay, eps, step_size):
    for i in range(p.size):
        slope = sign * g[i] + decay * p[i] if decay != 0 else sign * g[i]
        v[i] += slope * slope
        p[i] -= step_size * slope / (math.sqrt(v[i]) + eps)


@partial(jit, **OPTIONS)
def rmsprop(p, g, v, sign, decay, alpha, weight, eps, lr):
    for i in range(p.size):
        slope = sign * g[i] + decay * p[i] if decay != 0 else sign * g[i]
        v[i] = alpha * v[i] + weight * slope * slope
        p[i] -= lr * slope / (math.sqrt(v[i]) + eps)


@partial(jit, **OPTIONS)
def rmsprop_momentum(p, g, v, b, sign, decay, alpha, weight, eps, lr, momentum):
    for i in range(p.size):
        slope = sign * g[i] + decay * p[i] if decay != 0 else sign * g[i]
        v[i] = alpha * v[i] + weight * slope * slope
        b[i] = momentum * b[i] + slope / (math.sqrt(v[i]) + eps)
        p[i] -= lr * b[i]


@partial(jit, **OPTIONS)
def part(array, turn, like):
    """The numbers of the ndarray object at this address that a turn updates."""
    first = data(array) + turn[1] * like.itemsize
    return array_at(first, (turn[2],), like.dtype)


@kernel_as_written
def adam_all(turns, arrays: Whole, c: Whole):
    for turn in turns:
        p, g, m, v = arrays[turn[0]]
        adam(part(p, turn, c), part(g, turn, c), part(m, turn, c), part(v, turn, c),
             c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7], c[8])


@kernel_as_written
def sgd_all(turns, arrays: Whole, c: Whole):
    for turn in turns:
        p, g = arrays[turn[0]]
        sgd(part(p, turn, c), part(g, turn, c), c[0], c[1], c[2])


@kernel_as_written
def sgd_momentum_all(turns, arrays: Whole, c: Whole):
    for turn in turns:
        p, g, b = arrays[turn[0]]
        sgd_momentum(part(p, turn, c), part(g, turn, c), part(b, turn, c),
                     c[0], c[1], c[2], c[3], c[4], c[5])


def kernel_of_one(function):
    """A kernel of vectors that rounds after every operation."""
    return Kernel(function, fastmath=set(), alike=True)


@kernel_of_one
def adam_one(p, g, m, v, sign: Number, decay: Number, shrink: Number, weight1: Number,
             beta2: Number, weight2: Number, eps: Number, step_size: Number,
             root_correction2: Number):
    adam(p, g, m, v, sign, decay, shrink, weight1, beta2, weight2, eps, step_size,
         root_correction2)


@kernel_of_one
def sgd_one(p, g, sign: Number, decay: Number, lr: Number):
    sgd(p, g, sign, decay, lr)


@kernel_of_one
def sgd_momentum_one(p, g, b, sign: Number, decay: Number, lr: Number, momentum: Number,
                     share: Number, nesterov: Number):
    sgd_momentum(p, g, b, sign, decay, lr, momentum, share, nesterov)


@kernel_of_one
def adadelta_one(p, g, v, u, sign: Number, decay: Number, rho: Number, weight: Number, eps: Number,
                 lr: Number):
    adadelta(p, g, v, u, sign, decay, rho, weight, eps, lr)


@kernel_of_one
def adagrad_one(p, g, v, sign: Number, decay: Number, eps: Number, step_size: Number):
    adagrad(p, g, v, sign, decay, eps, step_size)


@kernel_of_one
def rmsprop_one(p, g, v, sign: Number, decay: Number, alpha: Number, weight: Number, eps: Number,
                lr: Number):
    rmsprop(p, g, v, sign, decay, alpha, weight, eps, lr)


@kernel_of_one
def rmsprop_momentum_one(p, g, v, b, sign: Number, decay: Number, alpha: Number, weight: Number,
                         eps: Number, lr: Number, momentum: Number):
    rmsprop_momentum(p, g, v, b, sign, decay, alpha, weight, eps, lr, momentum)


@partial(jit, **OPTIONS)
def descent(p, g, sign, decay):
    return sign * g + decay * p if decay != 0 else sign * g


@partial(jit, **OPTIONS)
def larger(a, b):
    """As np.maximum: nan if either is."""
    return b if b > a or b != b else a


@kernel_of_one
def amsgrad_one(p, g, m, v, largest, sign: Number, decay: Number, shrink: Number, weight1: Number,
                beta2: Number, weight2: Number, eps: Number, step_size: Number,
                root_correction2: Number):
    for i in range(p.size):
        slope = descent(p[i], g[i], sign, decay)
        m[i] += weight1 * (slope - m[i])
        v[i] = beta2 * v[i] + weight2 * slope * slope
        largest[i] = larger(largest[i], v[i])
        p[i] = shrink * p[i] - step_size * m[i] / (math.sqrt(largest[i]) / root_correction2 + eps)


@kernel_of_one
def nadam_one(p, g, m, v, sign: Number, decay: Number, shrink: Number, weight1: Number,
              beta2: Number, weight2: Number, eps: Number, correction2: Number, g_factor: Number,
              m_factor: Number):
    for i in range(p.size):
        slope = descent(p[i], g[i], sign, decay)
        m[i] += weight1 * (slope - m[i])
        v[i] = beta2 * v[i] + weight2 * slope * slope
        root = math.sqrt(v[i] / correction2) + eps
        p[i] = shrink * p[i] + g_factor * slope / root + m_factor * m[i] / root


@kernel_of_one
def radam_one(p, g, m, v, sign: Number, decay: Number, shrink: Number, weight1: Number,
              beta2: Number, weight2: Number, eps: Number, lr: Number, correction1: Number,
              root_correction2: Number, rectifier: Number):
    for i in range(p.size):
        slope = descent(p[i], g[i], sign, decay)
        m[i] += weight1 * (slope - m[i])
        v[i] = beta2 * v[i] + weight2 * slope * slope
        change = m[i] / correction1 * lr
        if rectifier != 0:
            change = change * (root_correction2 / (math.sqrt(v[i]) + eps)) * rectifier
        p[i] = shrink * p[i] - change


@kernel_of_one
def adamax_one(p, g, m, u, sign: Number, decay: Number, weight1: Number, beta2: Number,
               eps: Number, step_size: Number):
    for i in range(p.size):
        slope = descent(p[i], g[i], sign, decay)
        m[i] += weight1 * (slope - m[i])
        u[i] = larger(beta2 * u[i], abs(slope) + eps)
        p[i] -= step_size * m[i] / u[i]


@kernel_of_one
def asgd_one(p, g, average, sign: Number, decay: Number, shrink: Number, eta: Number, mu: Number):
    for i in range(p.size):
        slope = descent(p[i], g[i], sign, decay)
        p[i] = shrink * p[i] - eta * slope
        average[i] = p[i] if mu == 1 else average[i] + (p[i] - average[i]) * mu


@kernel_of_one
def rprop_one(p, g, previous, size, sign: Number, shrink: Number, grow: Number, least: Number,
              most: Number):
    for i in range(p.size):
        slope = sign * g[i]
        turn = slope * previous[i]
        factor = grow if turn > 0 else shrink if turn < 0 else turn + 1
        step = larger(factor * size[i], least)
        size[i] = most if step > most else step
        previous[i] = 0 if turn < 0 else slope
        way = 1 if previous[i] > 0 else -1 if previous[i] < 0 else abs(previous[i])
        p[i] -= way * size[i]


def adam_update(items, h, step_size, root_correction2):
    numbers = moment_numbers(h)
    if numbers is None:
        return items
    one, several = (amsgrad_one, None) if h["amsgrad"] else (adam_one, adam_all)
    return each(one, several, items, (*numbers, step_size, root_correction2))


def nadam_update(items, h, correction2, g_factor, m_factor):
    numbers = moment_numbers(h)
    return items if numbers is None else each(nadam_one, None, items, (
        *numbers, correction2, g_factor, m_factor))


def radam_update(items, h, correction1, root_correction2, rectifier):
    numbers = moment_numbers(h)
    return items if numbers is None else each(radam_one, None, items, (
        *numbers, h["lr"], correction1, root_correction2, rectifier or 0))


def moment_numbers(h):
    """The numbers that all optimizers with running means of g and g^2 begin with.

    None for beta1 <= 0.5, where lerp(m, g, 1 - beta1) is computed by its other formula.
    """
    beta1, beta2 = h["betas"]
    if 1 - beta1 >= 0.5:
        return None
    apart = h["decoupled_weight_decay"]
    return (-1 if h["maximize"] else 1, 0 if apart else h["weight_decay"],
            1 - h["lr"] * h["weight_decay"] if apart else 1, 1 - beta1, beta2, 1 - beta2, h["eps"])


def adamax_update(items, h, step_size):
    beta1, beta2 = h["betas"]
    if 1 - beta1 >= 0.5:
        return items
    slope = -1 if h["maximize"] else 1, h["weight_decay"]
    return each(adamax_one, None, items, (*slope, 1 - beta1, beta2, h["eps"], step_size))


def asgd_update(items, h, eta, mu):
    slope = -1 if h["maximize"] else 1, h["weight_decay"]
    return each(asgd_one, None, items, (*slope, 1 - h["lambd"] * eta, eta, mu))


def rprop_update(items, h):
    sign = -1 if h["maximize"] else 1
    return each(rprop_one, None, items, (sign, *h["etas"], *h["step_sizes"]))


def sgd_update(items, h, share):
    slope = -1 if h["maximize"] else 1, h["weight_decay"], h["lr"]
    if h["momentum"] == 0:
        return each(sgd_one, sgd_all, items, slope)
    return each(sgd_momentum_one, sgd_momentum_all, items,
                (*slope, h["momentum"], share, h["nesterov"]))


def adadelta_update(items, h):
    slope = -1 if h["maximize"] else 1, h["weight_decay"]
    return each(adadelta_one, None, items, (*slope, h["rho"], 1 - h["rho"], h["eps"], h["lr"]))


def adagrad_update(items, h, step_size):
    slope = -1 if h["maximize"] else 1, h["weight_decay"]
    return each(adagrad_one, None, items, (*slope, h["eps"], step_size))


def rmsprop_update(items, h):
    if h["centered"]:
        return items
    numbers = (-1 if h["maximize"] else 1, h["weight_decay"], h["alpha"], 1 - h["alpha"], h["eps"],
               h["lr"])
    if h["momentum"] == 0:
        return each(rmsprop_one, None, items, numbers)
    return each(rmsprop_momentum_one, None, items, (*numbers, h["momentum"]))


def each(one, several, items, numbers):
    """Update items whose arrays lie in memory in the same order; returns the list of the others.

    `one` updates one parameter after the other, each shared by all threads. `several`, if there is
    such a kernel, gives each thread whole parameters, which is faster for many of them.
    """
    if several is None or len(items) < FEW or max([item[1].size for item in items]) <= CHUNK:
        if one.run(CHUNK, one_after_the_other(items, numbers)):
            return []
        if len(items) > 1:
            return [item for item in items if each(one, several, [item], numbers)]
    left, arrays, sizes, dtype = [], [], [], items[0][1].dtype
    for item in items:
        _, p, g, buffers = item
        if alike(p, g, *buffers.values()) and p.dtype is dtype:
            arrays.append((id(p), id(g), *map(id, buffers.values())))
            sizes.append(p.size)
        else:
            left.append(item)
    if len(items) == len(arrays) == 1 and p.flags.carray:
        flat = [a.reshape(-1) for a in (p, g, *buffers.values())]
        one(*flat, *numbers, chunk=CHUNK)
    elif several is None:
        return items
    elif arrays:
        turns = turns_of(tuple(sizes))
        several(turns, np.array(arrays), np.array(numbers, dtype), chunk=4)
    return left


def one_after_the_other(items, numbers):
    """The arguments of a kernel of one that is to update them all: see NOTE [entry]."""
    (_, p, g, buffers), *others = items
    args = [p, g, *buffers.values(), *numbers]
    for _, p, g, buffers in others:
        args += (p, g, *buffers.values())
    return args


@lru_cache(maxsize=16)
def turns_of(sizes):
    """(which parameter, first number, how many) of every turn."""
    return np.array([(k, first, min(CHUNK, size - first)) for k, size in enumerate(sizes)
                     for first in range(0, size, CHUNK)]).reshape(-1, 3)


def alike(p, *others):
    """Whether they are arrays (the kernels look inside) of one layout, without gaps."""
    flags = p.flags
    if p.dtype.char not in "fd" or not flags.behaved or not flags.forc:
        return False
    shape, strides, dtype = p.shape, p.strides, p.dtype
    return all(a.__class__ is np.ndarray and a.shape == shape and a.strides == strides
               and a.dtype is dtype for a in (p, *others))
