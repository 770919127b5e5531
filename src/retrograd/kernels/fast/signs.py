"""Functions of the bits of a number: its sign, and the number next to it."""

from __future__ import annotations

import math

import numpy as np

from .. import fast
from . import ufuncs
from .compiling import Number
from .elementwise import elementwise
from .scalar import ONE, ZERO, by_type, choose

i32, f32 = np.int32, np.float32
PI_32, LEAST_32, LEAST_64 = f32(np.pi), f32(1e-45), 5e-324


def half_circle_in_single(x):
    return PI_32


def half_circle_in_double(x):
    return np.pi


half_circle = by_type(half_circle_in_single, half_circle_in_double)


@elementwise
def angle(x):
    """Of a real number: pi below zero, else 0."""
    return choose(x != x, x, choose(x < ZERO, half_circle(x), ZERO))


@elementwise
def step_up(x, y):
    return choose(x == ZERO, y, choose(x > ZERO, ONE, ZERO))


def heaviside(x, y):
    return step_up(x, y) if x.shape == y.shape else None


def least_in_single(x):
    return LEAST_32


def least_in_double(x):
    return LEAST_64


def bigger_in_single(x):
    return i32(f32(x).view(i32) + i32(1)).view(f32)


def bigger_in_double(x):
    return np.int64(np.float64(x).view(np.int64) + 1).view(np.float64)


def smaller_in_single(x):
    return i32(f32(x).view(i32) - i32(1)).view(f32)


def smaller_in_double(x):
    return np.int64(np.float64(x).view(np.int64) - 1).view(np.float64)


least = by_type(least_in_single, least_in_double)            # above 0
bigger = by_type(bigger_in_single, bigger_in_double)         # by one in the last place, away from 0
smaller = by_type(smaller_in_single, smaller_in_double)


@elementwise
def next_towards(x, y):
    moved = choose((y > x) == (x > ZERO), bigger(x), smaller(x))
    moved = choose(x == ZERO, math.copysign(least(x), y), moved)
    return choose((x != x) | (y != y), x + y, choose(x == y, y, moved))


@elementwise
def with_sign(x, y):
    return math.copysign(x, y)


@elementwise
def with_sign_of(x, number: Number):
    return math.copysign(x, number)


def copysign_number(x, number, out=None):
    return with_sign_of(x, number, out=out)


def nextafter(x, y, out=None):
    return of_one_shape(next_towards, np.nextafter, x, y, out)


def copysign(x, y, out=None):
    return of_one_shape(with_sign, np.copysign, x, y, out)


def of_one_shape(loop, ufunc, x, y, out):
    """`loop` of two arrays of one shape; others by NumPy's own, shared by threads."""
    if x.shape == y.shape and x.dtype is y.dtype and x.dtype.char in "fd":
        return loop(x, y, out=out)
    return ufuncs.shared(ufunc, x, y, out) if x.size >= fast.SHARED else None
