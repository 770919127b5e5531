"""Named generators of inputs that declarations use: lists of argument tuples, float64 arrays.

Values are fixed by a seed, away from kinks, and cover no dimensions, no elements, broadcasting
and transposed memory.
"""

from __future__ import annotations

import numpy as np


def normal(*shape, seed=0):
    """Fixed values, no two of them equal."""
    return np.random.default_rng(seed + sum(shape)).standard_normal(shape)


def pairs():
    n = normal
    return [(n(2, 3), n(2, 3, seed=1)), (n(2, 3), n(3, seed=1)), (n(2, 1), n(1, 3, seed=1)),
            (n(), n(2, 3, seed=1)), (n(0, 3), n(3, seed=1)), (n(3, 2).T, n(2, 3, seed=1))]


def positive_pairs():
    return [(np.abs(a) + 0.5, np.abs(b) + 0.5) for a, b in pairs()]


def singles():
    return [(normal(2, 3),), (normal(),), (normal(0,),), (normal(3, 2).T,)]


def positive():
    return [(np.abs(a) + 0.5,) for a, in singles()]


def units():
    """Inside (-1, 1)."""
    return [(np.tanh(a) * 0.9,) for a, in singles()]


def above_one():
    return [(np.abs(a) + 1.5,) for a, in singles()]


def triples():
    n = normal
    return [(n(2, 3), n(2, 3, seed=1), n(2, 3, seed=2)), (n(2, 3), n(3, seed=1), n(2, 1, seed=2)),
            (n(), n(2, 3, seed=1), n(3, seed=2))]


def with_consts(make, *consts):
    """A generator of `make`'s samples, each followed by the plain values `consts`."""
    return lambda: [(*sample, *consts) for sample in make()]


def rows(*consts):
    """A generator of one matrix, once with each of several tuples of plain values."""
    return lambda: [(normal(2, 3), *values) for values in consts]


def groups():
    """3-d by 3-d, rows by 3-d, inner dimensions cut, 3-d by columns: see kernels.grouped_mm_of."""
    return [(normal(3, 2, 4), normal(3, 4, 5)), (normal(6, 2), normal(3, 2, 5)),
            (normal(2, 6), normal(6, 4)), (normal(3, 4, 2), normal(2, 6))]


def matrix_pairs():
    return [(normal(2, 3), normal(3, 4)), (normal(2, 3), normal(4, 3).T),
            (normal(1, 3), normal(3, 1))]


def positive_triples():
    return [tuple(np.abs(a) + 0.5 for a in sample) for sample in triples()]


def integers():
    return [(np.arange(-3, 3),), (np.array(5),), (np.array([True, False]),)]


def integer_pairs():
    return [(np.arange(6).reshape(2, 3), np.array([1, 2, 3])),
            (np.array([True, False]), np.array(True))]


def complex_singles():
    return [(normal(*shape) + 1j * normal(*shape, seed=1),) for shape in ((2, 3), ())]


def complex_as_real():
    return [(normal(3, 2),), (normal(2),)]


def batches():
    return [(normal(2, 2, 3), normal(2, 3, 4)),
            (normal(2, 3, 2).swapaxes(1, 2), normal(2, 3, 1))]


def matrix_and_vector():
    return [(normal(2, 3), normal(3)), (normal(3, 2).T, normal(3))]


def vectors():
    return [(normal(3), normal(3, seed=1)), (normal(0), normal(0))]


def added_products():
    """A bias and two matrices: full, a row, and transposed factors."""
    n = normal
    return [(n(2, 4), n(2, 3), n(3, 4)), (n(4), n(3, 2).T, n(4, 3).T)]


def distinct():
    """Like singles, without an empty one."""
    return [a for a in singles() if a[0].size]


def reductions():
    """A matrix, a tuple of dimensions, and keepdim."""
    return [(a, d, k) for a, in singles()[:1] for d in ((0,), (0, 1)) for k in (False, True)]


def along_dim():
    """A matrix, one dimension, and keepdim."""
    return [(a, d, k) for a, in singles()[:1] for d in (0, 1) for k in (False, True)]


def products():
    """Without a zero, with one, with two."""
    a, = singles()[0]
    one, two = a.copy(), a.copy()
    one[0, 1] = two[0, 1] = two[1, 2] = 0
    return [(a,), (one,), (two,), (np.array(2.5),)]


def products_along_dim():
    return [(*a, d, k) for a in products()[:3] for d, k in ((0, False), (1, True))]


def deviations():
    """A matrix, dimensions, a correction and keepdim."""
    return [(a, d, c, k) for a, d, k in reductions() for c in (0, 1)]


def definite():
    """Hermitian matrices with positive eigenvalues far from each other: one, a complex batch."""
    spread = np.diag([2.0, 5.0, 9.0])
    a, b = normal(3, 3) / 4, (normal(2, 3, 3) + 1j * normal(2, 3, 3, seed=1)) / 4
    return [(a + a.T + spread,), (b + b.conj().swapaxes(1, 2) + spread,)]


def then(*rest):
    """A (2, 3) matrix, then each of the tuples `rest`."""
    return lambda: [(a, *more) for a, in singles()[:1] for more in rest]
