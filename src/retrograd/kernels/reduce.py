"""Sums and other reductions over dimensions. `dim` is a tuple of axes, or one axis."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from . import fast
from .checks import as_int64, scalar_name
from .gather_scatter import places_along
from .half import is_half, narrowed, widened
from .layout import moved
from .narrow import combined, reduced
from .scan import accumulate
from .sums import (
    THREADED,
    column_sums,
    few,
    fits_product,
    joined,
    joins_columns,
    max_over,
    min_over,
    number,
    ones,
    sum_over,
)

_sum = np.add.reduce
FEW, SMALL = 64, 2048       # rows and numbers up to which a product loses no digits
LEAST, MOST = 1e-30, 1e37   # between these variances no square was lost
F32, F64, I64 = np.dtype("float32"), np.dtype("float64"), np.dtype("int64")


def sum_to(g, shape):
    """Undo broadcasting: sum `g` down to `shape`."""
    have = g.shape
    if have == shape:
        return g
    if shape and have[1:] == shape and have[0] <= FEW and g.size <= SMALL:
        dtype = g.dtype
        if len(have) == 2 and dtype.char in "fd":
            return ones(have[0], dtype.char).dot(g)
        if dtype.itemsize > 2:
            return _sum(g, 0, dtype)
    if g.size == math.prod(shape):                         # sizes of 1: nothing to add
        return g.reshape(shape)
    if is_half(g.dtype):
        return narrowed(sum_to(widened(g), shape), g.dtype)
    lead = g.ndim - len(shape)
    if lead and 1 not in shape and g.shape[lead:] == shape:
        if shape and g.size and g.dtype.char in "fd" and (g.ndim == 2 or g.flags.c_contiguous):
            rows = g.reshape(-1, math.prod(shape))
            if fits_product(rows):
                return column_sums(rows).reshape(shape)
        dims = 0 if lead == 1 else tuple(range(lead))
        res = reduced(np.add, g, dims)
        return _sum(g, dims, g.dtype) if res is None else res.reshape(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape)
                                      if n == 1 and g.shape[i + lead] != 1)
    return sum_over(g, axes, keepdims=True, dtype=g.dtype).reshape(shape)


def _reduced(ufunc, a, dim, keepdim, dtype):
    """A sum or product: integers and bools in int64, half precision by way of float32."""
    own = a.dtype
    if own is F32 or own is F64:
        return ufunc(a, dim, keepdims=keepdim)
    if dtype is None and own.kind in "biu":
        dtype = I64
    elif is_half(own):
        return np.asarray(ufunc(a, dim, F32, keepdims=keepdim)).astype(own)
    return ufunc(a, dim, dtype, keepdims=keepdim)


def sum_all(a, dtype=None):
    if dtype is None and a.dtype.kind == "f" and a.itemsize > 2:
        return _sum(a, None)
    return _reduced(_sum, a, None, False, dtype)


def sum_dim(a, dim, keepdim, dtype=None):
    return _reduced(sum_over, a, dim, keepdim, dtype)


_sum_by_size = fast.either("sum_dim", sum_dim)
_sum_all_by_size = fast.either("sum_all", sum_all)


def mean_all(a):
    if a.dtype.kind == "f" and a.itemsize > 2:
        return _sum(a, None) / a.size if a.size else a.dtype.type(np.nan)
    return mean_dim(a, None, False)


def mean_dim(a, dim, keepdim):
    count = a.size if dim is None else count_over(a.shape, dim)
    wide = a.astype(F32) if is_half(a.dtype) else a
    total = sum_over(wide, dim, keepdims=keepdim)
    res = total / number(count, wide.real.dtype.char)
    return res if wide is a else np.asarray(res).astype(a.dtype)


def count_over(shape, dim):
    """How many elements a reduction over `dim` joins into one."""
    if dim.__class__ is not tuple:
        return shape[dim]
    return shape[dim[0]] if len(dim) == 1 else math.prod([shape[d] for d in dim])


def nansum(a, dim, keepdim, dtype=None):
    if len(dim) == a.ndim and not keepdim and a.dtype.char in "fd" and dtype is None:
        total = _sum_all_by_size(a)
        if total == total:                   # most often there is no nan
            return total
    total = _sum_by_size(a, dim, keepdim, dtype)
    if a.dtype.kind in "fcV" and np.isnan(total).any():
        total = _reduced(sum_over, np.where(np.isnan(a), a.dtype.type(0), a), dim, keepdim, dtype)
    return total


# --------------------------------------------------------------------------- products

def prod_all(a, dtype=None):
    return prod_dim(a.reshape(-1), 0, False, dtype)


def prod_dim(a, dim, keepdim, dtype=None):
    if a.itemsize == 2 and is_half(a.dtype) and dtype is None:      # rounded once, as sums are
        return narrowed(prod_dim(widened(a), dim, keepdim), a.dtype)
    if dtype is None and a.ndim and joins_columns(a, dim):
        return joined(np.multiply, a, keepdim)
    while a.dtype.kind in "fc" and a.ndim and a.shape[dim] > 64:     # halves onto halves: SIMD
        half, lead = a.shape[dim] // 2, (slice(None),) * dim
        folded = a[(*lead, slice(0, half))] * a[(*lead, slice(half, 2 * half))]
        if a.shape[dim] % 2:
            folded[(*lead, slice(0, 1))] *= a[(*lead, slice(-1, None))]
        a = folded
    return _reduced(np.multiply.reduce, a, dim if a.ndim else None, keepdim, dtype)


def prod_others(a, result, dim):
    """For each element the product of all others along `dim` (None: of all others)."""
    if not a.ndim:
        return np.ones_like(a)
    if dim is not None and result.ndim < a.ndim:
        result = np.expand_dims(result, dim)
    if (a != 0).all():
        return result / a
    if dim is None:
        if zeros_in(a) > 1:            # all are 0 then, even if the product of the others overflows
            return np.zeros_like(a)
        return _prod_others(a.reshape(1, -1)).reshape(a.shape)
    return moved(_prod_others(moved(a, dim, -1)), -1, dim)


def prod_share(g, a, result):
    """g times the products of all others: 0 if these are all 0, even where `g` is infinite."""
    if zeros_in(a) > 1:
        return np.zeros_like(a)
    return g * np.conj(prod_others(a, result, None))


def zeros_in(a):
    return a.size - np.count_nonzero(a)


def _prod_others(rows):
    """Products of what lies before times products of what lies after, along the last axis."""
    one = np.ones_like(rows[..., :1])
    before = accumulate(np.multiply, np.concatenate([one, rows[..., :-1]], -1), -1)
    after = accumulate(np.multiply, np.concatenate([one, rows[..., :0:-1]], -1), -1)
    return before * after[..., ::-1]


# --------------------------------------------------------------------------- extremes


def max_all(a):
    return a.take(a.argmax()) if few(a) else max_over(a, None)


def min_all(a):
    return a.take(a.argmin()) if few(a) else min_over(a, None)


def max_dim(a, dim, keepdim):
    """The largest elements along `dim` and where the first of each lies."""
    return _at_places(a, np.ndarray.argmax, dim, keepdim)


def min_dim(a, dim, keepdim):
    """The smallest elements along `dim` and where the first of each lies."""
    return _at_places(a, np.ndarray.argmin, dim, keepdim)


def _at_places(a, places_of, dim, keepdim):
    """(elements, places): quicker than a second search for the elements at the places found."""
    if not a.ndim:
        return a.copy(), np.zeros((), I64)
    places = as_int64(places_of(a, dim, keepdims=True))
    values = pick(a, places, dim % a.ndim, True)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


def amax(a, dim, keepdim):
    return max_over(a, dim, keepdims=keepdim)


def amin(a, dim, keepdim):
    return min_over(a, dim, keepdims=keepdim)


def aminmax(a, dim, keepdim):
    return min_over(a, dim, keepdims=keepdim), max_over(a, dim, keepdims=keepdim)


def pick(a, index, dim, keepdim):
    """The elements of `a` at `index` along `dim`; without keepdim, `index` lacks that dimension."""
    if not a.ndim:
        return a.copy()
    at = places_along(a.shape, dim, index if keepdim else with_dim(index, dim))
    return a.reshape(-1).take(at if keepdim else at.reshape(index.shape))


def place(g, index, shape, dim, keepdim):
    """Zeros of `shape` with `g` at `index` along `dim`."""
    res = np.zeros(shape, g.dtype)
    if not shape:
        res[...] = g
    else:
        at = places_along(shape, dim, index if keepdim else with_dim(index, dim))
        res.reshape(-1)[at] = g if keepdim else with_dim(g, dim)
    return res


def with_dim(a, dim):
    """`a` with a new dimension of size 1 at `dim`."""
    return a.reshape((*a.shape[:dim], 1, *a.shape[dim:]))


# --------------------------------------------------------------------------- variance

def var_mean(a, dim, correction, keepdim):
    """(the variance, the mean): sum |a - mean|^2 / (n - correction)."""
    return _var_by_size(a, dim, correction, keepdim), _mean(a, dim, keepdim)


def _mean(a, dim, keepdim):
    wide = a.astype(F32) if is_half(a.dtype) else a
    mean = sum_over(wide, dim, keepdims=keepdim) / wide.real.dtype.type(count_over(a.shape, dim))
    return np.asarray(mean).astype(a.dtype, copy=False)


def var(a, dim, correction, keepdim):
    """sum |a - mean|^2 / (n - correction). The first number is subtracted from all beforehand, so
    that the variance of equal numbers is 0 although their rounded mean may differ from them."""
    if dim.__class__ is tuple and len(dim) == a.ndim > 1 and a.flags.c_contiguous:
        res = var(a.reshape(-1), 0, correction, False)
        return res.reshape((1,) * a.ndim) if keepdim else res
    wide = a.astype(F32) if is_half(a.dtype) else a
    count, own = count_over(a.shape, dim), wide.real.dtype
    off = np.asarray(combined(np.subtract, wide, _first(wide, dim)))
    mean = sum_over(off, dim, keepdims=True) / number(count, own.char)
    off = combined(np.subtract, off, mean, out=off)
    if off.dtype.kind == "c":
        off = off.real * off.real + off.imag * off.imag
    else:
        off *= off
    total = sum_over(off, dim, keepdims=keepdim)
    res = np.asarray(total / number(max(count - correction, 0) if count else 0, own.char))
    if own.char == "f" and a is wide and has_infinity(res):
        return var(_in_double(a), dim, correction, keepdim).astype(F32)
    return res if a is wide else res.astype(a.dtype)


def has_infinity(variance):
    """Whether a square or a sum was too large for float32: PyTorch adds in float64."""
    return variance.size > 0 and variance.item(variance.argmax()) == math.inf


def _in_double(a):
    return a.astype(F64 if a.dtype.kind == "f" else np.complex128)


_var_by_size = fast.either("var", var)


def _first(a, dim):
    """The first element of each part that a reduction over `dim` joins, beside which it lies."""
    return a[_firsts(a.ndim, dim)]


@lru_cache(256)
def _firsts(ndim, dim):
    joined = dim if dim.__class__ is tuple else (dim,)
    if joined == (ndim - 1,):
        return ..., slice(0, 1)
    return tuple([slice(0, 1) if d in joined else slice(None) for d in range(ndim)])


def std(a, dim, correction, keepdim):
    if is_half(a.dtype):
        return narrowed(std(widened(a), dim, correction, keepdim), a.dtype)
    res = _var_by_size(a, dim, correction, keepdim)
    if a.dtype.char in "fF" and not _has_squares(res):
        return np.sqrt(var(_in_double(a), dim, correction, keepdim)).astype(F32)
    return np.sqrt(res)


def _has_squares(variance):
    """Whether the squares that a variance is made of fit into float32; PyTorch adds in float64."""
    return not variance.size or (LEAST < variance.item(variance.argmin())     # quicker than min()
                                 and variance.item(variance.argmax()) < MOST)


def std_mean(a, dim, correction, keepdim):
    if is_half(a.dtype):
        return narrowed(std_mean(widened(a), dim, correction, keepdim), a.dtype)
    return std(a, dim, correction, keepdim), _mean(a, dim, keepdim)


# --------------------------------------------------------------------------- norms

def linalg_vector_norm(a, ord, dim, keepdim):
    """(sum |x|^ord)^(1/ord); the largest or smallest |x| for ord = inf, -inf; ord 0 counts."""
    wide = a.astype(F32) if is_half(a.dtype) else a
    res = np.asarray(_vector_norm(wide, ord, dim, keepdim))
    if res.size == a.size and ord:  # norms of single numbers, whose power may be out of range
        res = np.abs(wide).reshape(res.shape)
    return res.astype(a.real.dtype, copy=False)


def euclidean_norm(a):
    """sqrt(sum x^2) of a few real floating-point numbers, by one product; |x| of a single one,
    whose square may be out of range."""
    flat = a.reshape(-1)
    return np.abs(flat[0]) if a.size == 1 else np.sqrt(flat.dot(flat))


def _vector_norm(a, ord, dim, keepdim):
    if ord == 2:
        if a.size < THREADED and a.dtype.char in "fd" and len(dim) == a.ndim:
            return euclidean_norm(a).reshape((1,) * (a.ndim if keepdim else 0))
        square = a.real * a.real + a.imag * a.imag if a.dtype.kind == "c" else a * a
        return np.sqrt(sum_over(square, dim, keepdims=keepdim))
    size = np.abs(a)
    if ord == math.inf:
        return max_over(size, dim, keepdim)
    if ord == -math.inf:
        return min_over(size, dim, keepdim)
    if ord == 0:
        return np.count_nonzero(a, dim, keepdims=keepdim).astype(size.dtype) \
            if dim else np.asarray(a != 0, size.dtype)
    if ord == 1:
        return sum_over(size, dim, keepdims=keepdim)
    return sum_over(size ** ord, dim, keepdims=keepdim) ** (1 / ord)


def renorm(a, p, dim, maxnorm):
    """Slices along dim, scaled down to maxnorm where their norms are larger (nan is not)."""
    wide = a.astype(F32) if is_half(a.dtype) else a
    norms = linalg_vector_norm(wide, p, tuple(d for d in range(a.ndim) if d != dim), True)
    factors = np.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1)
    return a * factors.astype(a.real.dtype, copy=False)


def dist(a, b, p):
    off = a - b
    if off.dtype.kind in "biu":
        raise RuntimeError("norm(): input dtype should be either floating point or complex. Got "
                           f"{scalar_name(off.dtype)} instead.")
    return _norm_by_size(off, p, tuple(range(off.ndim)), False)


_norm_by_size = fast.either("linalg_vector_norm", linalg_vector_norm)


def logsumexp(a, dim, keepdim):
    """log(sum(exp(x))), shifted by the largest element so that nothing overflows."""
    if is_half(a.dtype):
        return narrowed(logsumexp(widened(a), dim, keepdim), a.dtype)
    if 0 in [a.shape[d] for d in dim]:
        return np.log(sum_over(np.exp(a), dim, keepdims=keepdim))
    top = max_over(a.real, dim, keepdims=True)
    if not (math.isfinite(top.item()) if top.size == 1 else np.isfinite(top).all()):
        top = np.where(np.isfinite(top), top, 0).astype(top.dtype, copy=False)
    parts = np.asarray(a - top)
    res = np.log(sum_over(np.exp(parts, parts), dim, keepdims=keepdim))
    return res + (top if keepdim else top.reshape(res.shape))


# --------------------------------------------------------------------------- counting

def all(a, dim=None, keepdim=False):
    res = np.asarray(np.logical_and.reduce(a, dim, keepdims=keepdim), order="C")
    return res.astype(a.dtype) if a.dtype.char == "B" else res


def any(a, dim=None, keepdim=False):
    res = np.asarray(np.logical_or.reduce(a, dim, keepdims=keepdim), order="C")
    return res.astype(a.dtype) if a.dtype.char == "B" else res


def count_nonzero(a, dim):
    if dim is None:
        a = a != 0 if a.dtype.kind == "f" and a.size > 64 else a        # NumPy counts bools quickly
        return np.asarray(np.count_nonzero(a), I64)
    return _sum(a != 0, dim, I64)
