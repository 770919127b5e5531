"""Pieces that formulas share; they work on arrays and on Tensors alike.

Tangents of inputs that carry none are None, so forward-mode rules add with `both`.
"""

from __future__ import annotations

import operator
from functools import wraps

import numpy as np

from .. import _dtype
from .._tensor import Tensor
from ..kernels.half import is_half, narrowed, widened
from ..kernels.narrow import combined, laid_out, write


def both(a, b):
    """a + b, where either may be None."""
    if a is None or b is None:
        return b if a is None else a
    return a + b


def scaled(t, factor):
    """t * factor, or None for a tangent that is not there."""
    return None if t is None else t * factor


def conjugated(F, t):
    """The conjugate of a tangent, or None for one that is not there."""
    return None if t is None else F.conj(t)


def or_zero(t):
    """A tangent, or 0 in place of None: not zero times another one, which may be infinite."""
    return 0 if t is None else t


def rounded_once(formula):
    """A formula that arrays of half precision pass through in float32."""
    @wraps(formula)
    def gradient(F, g, *values):
        if isinstance(g, np.ndarray) and is_half(g.dtype):
            return narrowed(formula(F, widened(g), *map(widened, values)), g.dtype)
        return formula(F, g, *values)
    return gradient


def over(g, count):
    """g / count, where count may overflow half precision."""
    if g.itemsize == 2 and isinstance(g, (np.ndarray, np.generic)):
        return narrowed(widened(g) / count, g.dtype)
    return g / count


def shared_out(F, g, shape, count):
    """g / count, expanded to `shape`: divided last where it is recorded, as by PyTorch. Of arrays
    the few numbers are divided first, and then written out."""
    if not isinstance(g, (np.ndarray, np.generic)):
        return over(F.expand(g, shape), count)
    res = np.empty(shape, g.dtype)
    write(res, np.asarray(over(g, count)))
    return res


def beside(operation, x, few):
    """operation(x, few), one of operator's, for `few` numbers that broadcast: NOTE [narrow rows] in
    kernels/narrow.py."""
    if x.__class__ is few.__class__ is np.ndarray:
        return combined(UFUNCS[operation], x, few)
    return operation(x, few)


UFUNCS = {operator.sub: np.subtract, operator.mul: np.multiply, operator.truediv: np.divide}


def missing(name):
    """A formula for an operator that PyTorch records but has no derivative for."""
    return refusal(RuntimeError(f"derivative for aten::{name} is not implemented"))


def underived(what):
    """A formula for one input's derivative that PyTorch lacks too."""
    return refusal(NotImplementedError(f"the derivative for '{what}' is not implemented."))


def refusal(error):
    """A formula that raises `error`; the laws leave its input alone."""
    def refuse(F, g):
        raise error.with_traceback(None)
    refuse.refuses = True
    return refuse


def conj_number(value):
    """The conjugate of a Python number."""
    return value.conjugate() if isinstance(value, complex) else value


def winner(F, g, x, y, loses):
    """The part of `g` for x, in the larger or smaller one of x and y; a tie is split in half."""
    if g is None:
        return None
    if isinstance(x, np.ndarray) and x.shape != y.shape:
        shape = np.broadcast_shapes(x.shape, y.shape)
        x, y = laid_out(x, shape), laid_out(y, shape)
    return F.where(x == y, g / 2, F.where(~loses(x, y), g, 0))


def floated(F, x, *like):
    """x with integers as floats: squares of short integers overflow, unsigned ones have no negative
    numbers, and NumPy takes the logarithm of short ones in half precision."""
    whole = x.dtype.kind in "biu" if isinstance(x, (np.ndarray, np.generic)) else not (
        x.is_floating_point() or x.is_complex())
    return F.mask_as(x, next(g for g in like if g is not None)) if whole else x


def pow_gradient(F, g, x, exponent):
    """d(x ** exponent) for a number `exponent`; zero for exponent 0, also at x = 0."""
    if exponent == 0:
        return F.zeros_like(g)
    if exponent == 2 and isinstance(x, np.ndarray):      # a Tensor's power of 1 stays in the graph
        return g * (2 * F.conj(x))
    res = g * (conj_number(exponent) * F.conj(F.pow_scalar(x, exponent - 1)))
    return F.real(res) if F.is_complex(res) and not F.is_complex(x) else res


def restored(F, g, dim, keepdim):
    """A reduction's result with the dimensions it lost back at size 1."""
    return g if keepdim else F.unsqueeze(g, dim)


def shared(F, g, mask, dim):
    """`g` where the mask holds, divided by how many such places it is shared among."""
    weights = F.mask_as(mask, g)
    total = F.sum_all(weights) if dim is None else F.sum_dim(weights, dim, True)
    return F.where(mask, g / total, 0)


def in_single(formula):
    """A composite of (g, x, ...) that computes half precision in float32, as its kernel does, since
    the square of 300 already overflows float16. Results are rounded once, to the dtype of x; those
    after the first stay float32 if one of the tensors is."""
    @wraps(formula)
    def run(*args):
        narrow = [isinstance(a, Tensor) and is_half(a._data.dtype) for a in args]
        if not any(narrow):
            return formula(*args)
        dtype = _dtype.of(args[1]._data)
        result = formula(*[a.to(_dtype.float32) if low else a
                           for a, low in zip(args, narrow, strict=True)])
        if not isinstance(result, tuple):
            return result.to(dtype)
        first, *others = result
        if sum(narrow) == sum([isinstance(a, Tensor) for a in args]):
            others = [None if r is None else r.to(dtype) for r in others]
        return None if first is None else first.to(dtype), *others
    return run
