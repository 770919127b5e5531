"""Cumulative operators along one dimension."""

import numpy as np

from .checks import is_inexact, not_implemented, wrap_dim
from .half import is_half
from .layout import moved
from .pointwise import log_add_exp

# PyTorch accumulates in a wider type than it stores.
_ACCUMULATE_IN = {"f": np.float64, "F": np.complex128}


def _scan(ufunc, self, dim, dtype):
    dim = wrap_dim(dim, self.ndim)
    if dtype is None:
        dtype = self.dtype if is_inexact(self.dtype) else np.dtype(np.int64)
    if not self.ndim:
        return self.astype(dtype)
    wide = np.float32 if is_half(dtype) else _ACCUMULATE_IN.get(dtype.char, dtype)
    found = accumulate(ufunc, self.astype(dtype, copy=False), dim, wide)
    return found.astype(dtype, copy=False)


WIDE = 256           # slices of so many elements are worth a call each
LONG = 64            # rows of so many integers NumPy's accumulate() adds as quickly by itself


def accumulate(ufunc, x, dim, dtype=None):
    """ufunc.accumulate, but slice by slice where slices are large: NumPy's own goes through one row
    at a time."""
    short = x.size < WIDE * x.shape[dim]
    quick = x.dtype.kind in "iu" and dim == x.ndim - 1 and x.shape[dim] >= LONG
    if short or quick and ufunc in (np.add, np.multiply):
        return ufunc.accumulate(x, dim, dtype)
    out = np.array(x, dtype or x.dtype)
    rows = moved(out, dim, 0)
    for k in range(1, len(rows)):
        ufunc(rows[k - 1], rows[k], out=rows[k])
    return out


def unbind(self, dim):
    """The slices along dim."""
    return list(moved(self, dim, 0))


def cumsum(self, dim, dtype=None):
    """Running sums along dim; integers and bool sum to int64."""
    return _scan(np.add, self, dim, dtype)


def cumprod(self, dim, dtype=None):
    """Running products along dim; integers and bool multiply to int64."""
    return _scan(np.multiply, self, dim, dtype)


def logcumsumexp(self, dim):
    """`log(cumsum(exp(self)))` along dim without overflow."""
    dim = wrap_dim(dim, self.ndim)
    if not is_inexact(self.dtype):
        raise not_implemented("logcumsumexp_out_cpu", self.dtype)
    if not self.ndim or not self.size:
        return self.copy()
    if self.dtype.kind == "c":
        return _complex_logcumsumexp(self, dim)
    if is_half(self.dtype):
        return np.logaddexp.accumulate(self.astype(np.float32), dim).astype(self.dtype)
    return accumulate(np.logaddexp, self, dim)


def _complex_logcumsumexp(self, dim):
    """Step by step, from the larger number: so the phase goes on beyond pi, as in PyTorch."""
    rows = moved(self, dim, 0)
    out = np.empty(rows.shape, self.dtype)
    last = np.full(rows.shape[1:], complex(-np.inf, 0), self.dtype)
    for k in range(len(rows)):
        out[k] = last = log_add_exp(last, rows[k])
    return np.ascontiguousarray(moved(out, 0, dim))


def cummax(self, dim):
    """Running maxima along dim and the last place each was reached; nan stays."""
    return _running_extreme("cummax_cpu", np.maximum, self, dim)


def cummin(self, dim):
    """Running minima along dim and the last place each was reached; nan stays."""
    return _running_extreme("cummin_cpu", np.minimum, self, dim)


def _running_extreme(kernel, ufunc, self, dim):
    if self.dtype.kind == "c":
        raise not_implemented(kernel, self.dtype)
    dim = wrap_dim(dim, self.ndim)
    if not self.ndim or not self.size:
        return self.copy(), np.zeros(self.shape, np.int64)
    values = accumulate(ufunc, self, dim)
    reached = self == values
    if is_inexact(self.dtype):
        reached |= np.isnan(self)
    at = np.arange(self.shape[dim], dtype=np.int64).reshape((-1,) + (1,) * (self.ndim - 1 - dim))
    return values, accumulate(np.maximum, reached * at, dim)
