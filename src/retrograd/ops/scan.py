"""Cumulative sums, products and extremes along a dimension.

Element i of the input has a part in the results from i on, so the gradient of a running sum is a
running sum from the other end (`reversed_sum`).
"""

from __future__ import annotations

import math
from functools import partial

import numpy as np

from ..kernels.half import refuse
from . import samples as S
from .declare import F as T
from .declare import composite, op
from .dims import wrap_dim
from .out import fill_checked, given_pair, reduced_into
from .public import method, numpy_names, public
from .reduce import check_recorded
from .split import unbind

composite(unbind)


def reversed_sum(F, g, dim):
    """Sums of g from each element to the end of dim."""
    return F.flip(F.cumsum(F.flip(g, (dim,)), dim), (dim,)) if g.ndim else g


op("cumsum(self | dim)", "CumsumBackward0", inplace=True, public=False, samples=S.rows((0,), (1,)),
    contiguous=True,
    self = lambda F, g, dim: reversed_sum(F, g, dim),
    jvp  = "linear")


def product_gradient(F, g, self, result, dim):
    """d(cumprod): sums of g * result from each place to the end, without the place's own factor.

    Where a factor is zero the rest of the row is zero: up to the first zero the plain formula
    holds, at it the products are taken without it, after it nothing arrives.
    """
    if math.prod(self.shape) <= 1:
        return g
    if not isinstance(self, np.ndarray):
        if not (self._data == 0).any():
            return reversed_sum(F, g * F.conj(result), dim) / F.conj(self)
        return product_gradient_by_steps(F, g, self, dim)
    zero = self == 0
    if not zero.any():
        return reversed_sum(F, g * F.conj(result), dim) / F.conj(self)
    zeros = np.cumsum(zero, dim)
    first = zero & (zeros == 1)
    without = np.cumprod(np.where(first, 1, self), dim)
    at_first = reversed_sum(F, np.where(zeros >= 1, g * F.conj(without), 0), dim)
    before = reversed_sum(F, g * F.conj(result), dim) / F.conj(np.where(zero, 1, self))
    return np.where(first, at_first, np.where(zeros == 0, before, 0))


def product_gradient_by_steps(F, g, self, dim):
    """The same from products alone, so that it can be differentiated again at zeros too."""
    factors, grads = F.unbind(F.conj(self), dim), F.unbind(g, dim)
    before = [F.zeros_like(factors[0]) + 1]
    for x in factors[:-1]:
        before.append(before[-1] * x)
    total, found = grads[-1], [before[-1] * grads[-1]]
    for k in range(len(factors) - 2, -1, -1):
        total = grads[k] + factors[k + 1] * total
        found.append(before[k] * total)
    return F.stack(found[::-1], dim)


def product_tangent(F, self, result, self_t, dim):
    """Forward mode of cumprod, by the recurrence y' <- y' x + y x'."""
    if not self.ndim or 0 in tuple(self.shape):
        return self_t
    factors, tangents = F.unbind(self, dim), F.unbind(self_t, dim)
    value, tangent, found = factors[0], tangents[0], [tangents[0]]
    for x, x_t in zip(factors[1:], tangents[1:], strict=True):
        tangent, value = tangent * x + value * x_t, value * x
        found.append(tangent)
    return F.stack(found, dim)


op("cumprod(self | dim)", "CumprodBackward0", inplace=True, public=False,
    samples=S.rows((0,), (1,)), contiguous=True,
    self = lambda F, g, self, result, dim: product_gradient(F, g, self, result, dim),
    jvp  = lambda F, self, result, self_t, dim: product_tangent(F, self, result, self_t, dim))


def signed_in_logs(F, g, smooth, lowest):
    """smooth(log g) for a g of either sign: of the positive part minus of the negative part."""
    parts = []
    for sign in (1, -1):
        has = g * sign > 0
        parts.append(F.exp(smooth(F.where(has, F.log(F.where(has, g * sign, 1)), lowest))))
    return parts[0] - parts[1]


def logcumsumexp_gradient(F, g, self, self_dtype, result, dim):
    """exp(self) times the sums of g * exp(-result) to the end of the row, without overflow."""
    if not self.ndim or 0 in tuple(self.shape):
        return g
    if self_dtype.kind == "c":
        logs = complex_log(F, g, self_dtype) - F.conj(result)
        sums = F.flip(F.logcumsumexp(F.flip(logs, (dim,)), dim), (dim,))
        return F.exp(F.conj(self) + sums)
    return signed_in_logs(F, g, lambda logs: self + F.flip(
        F.logcumsumexp(F.flip(logs - result, (dim,)), dim), (dim,)), lowest(self_dtype))


def lowest(dtype):
    """A finite stand-in for log 0: -inf would make differences of logarithms nan."""
    return float(np.finfo("f4" if dtype.kind == "V" else dtype).min) / 2


def complex_log(F, z, dtype):
    """log z, with a number far below all others for that of zero."""
    zero = z == 0
    return F.where(zero, lowest(dtype), F.log(F.where(zero, 1.0, z)))


def logcumsumexp_tangent(F, self, self_dtype, result, self_t, dim):
    """exp(-result) times the running sums of self_t * exp(self), without overflow."""
    if not self.ndim or 0 in tuple(self.shape):
        return self_t
    if self_dtype.kind == "c":
        return F.exp(F.logcumsumexp(complex_log(F, self_t, self_dtype) + self, dim) - result)
    return signed_in_logs(F, self_t, lambda logs: F.logcumsumexp(logs + self, dim) - result,
                          lowest(self_dtype))


op("logcumsumexp(self | dim)", "LogcumsumexpBackward0", public=False, samples=S.rows((0,), (1,)),
    contiguous=True,
    self = lambda F, g, self, self_dtype, result, dim:
               logcumsumexp_gradient(F, g, self, self_dtype, result, dim),
    jvp  = lambda F, self, self_dtype, result, self_t, dim:
               logcumsumexp_tangent(F, self, self_dtype, result, self_t, dim))


for _name, _node in (("cummax", "CummaxBackward0"), ("cummin", "CumminBackward0")):
    op(f"{_name}(self | dim)", _node, public=False, outputs=("values", "indices"),
        nondiff=("indices",), contiguous=True, samples=S.rows((0,), (1,)),
        self = lambda F, g, self, indices, dim:
                   F.scatter_add(F.zeros_of(g, self.shape), indices, g, dim) if self.ndim else g,
        jvp  = lambda F, self, values, indices, self_t, dim:
                   F.gather(self_t, indices, dim) if self_t.ndim else self_t)


def _scan(name, input, dim, dtype=None, out=None):
    if out is not None:
        return reduced_into(name, out, partial(_scan, name, out=None), dtype, input, dim)
    if dtype is not None:
        if dtype.name == "bool":
            refuse(f"{name}_out_cpu", dtype.np)
        check_recorded(input, dtype)
        if input._data.dtype is not dtype.np:
            input = input.to(dtype)
    res = getattr(T, name)(input, wrap_dim(dim, input._data.ndim))    # int64 for integers
    return res if dtype is None or res._data.dtype is dtype.np else res.to(dtype)


@public
@numpy_names
def cumsum(input, dim, *, dtype=None, out=None):
    """Running sums along dim: y[i] = x[0] + ... + x[i], of the shape of input.

    Integers and bool are summed in int64. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.cumsum(torch.tensor([1., 2., 3.]), 0)
    tensor([1., 3., 6.])
    """
    return _scan("cumsum", input, dim, dtype, out)


@public
@numpy_names
def cumprod(input, dim, *, dtype=None, out=None):
    """Running products along dim: y[i] = x[0] * ... * x[i], of the shape of input.

    Integers and bool are multiplied in int64. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.cumprod(torch.tensor([1., 2., 3.]), dim=0)
    tensor([1., 2., 6.])
    """
    return _scan("cumprod", input, dim, dtype, out)


def _check_own_dtype(name, self, dtype):
    if dtype is not None and dtype is not self.dtype:
        raise RuntimeError(f"provided dtype must match the dtype of self tensor in {name}. Got "
                           f"{self.dtype.tensor_name} and {dtype.tensor_name}.")
    if self._data.dtype.kind == "b":
        raise NotImplementedError(f"\"{name}_out_cpu\" not implemented for 'Bool'")


@method
def cumsum_(self, dim, *, dtype=None):
    """`cumsum` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `cumsum` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([1., 2., 3.]).cumsum_(0)
    tensor([1., 3., 6.])
    """
    _check_own_dtype("cumsum", self, dtype)
    return T.cumsum_(self, wrap_dim(dim, self._data.ndim))


@method
def cumprod_(self, dim, *, dtype=None):
    """`cumprod` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `cumprod` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([1., 2., 3.]).cumprod_(0)
    tensor([1., 2., 6.])
    """
    _check_own_dtype("cumprod", self, dtype)
    return T.cumprod_(self, wrap_dim(dim, self._data.ndim))


@public
@numpy_names
def logcumsumexp(input, dim, *, out=None):
    """y[i] = log(e**x[0] + ... + e**x[i]) along dim, without overflow, in the shape of input.

    Raises NotImplementedError for integers, IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.logcumsumexp(torch.tensor([0., 0., 0.]), dim=0)
    tensor([0.0000, 0.6931, 1.0986])
    """
    res = T.logcumsumexp(input, wrap_dim(dim, input._data.ndim))
    return res if out is None else fill_checked("logcumsumexp", out, res, input)


def _running(name, input, dim, out):
    if not input._data.ndim and dim not in (0, -1):
        raise IndexError(f"{name}(): Expected reduction dim -1 or 0 for scalar but got {dim}")
    made = getattr(T, name)(input, wrap_dim(dim, input._data.ndim) if input._data.size else 0)
    return given_pair(name, made, out)


@public
@numpy_names
def cummax(input, dim, *, out=None):
    """(values, indices) of running maxima along dim: y[i] = max(x[0], ..., x[i]), and its place.

    Of equal elements the last counts; nan is the largest. indices is int64, and the gradient goes
    to the elements it names. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.cummax(torch.tensor([1., 3., 2.]), dim=0)
    torch.return_types.cummax(
    values=tensor([1., 3., 3.]),
    indices=tensor([0, 1, 1]))
    """
    return _running("cummax", input, dim, out)


@public
@numpy_names
def cummin(input, dim, *, out=None):
    """(values, indices) of running minima along dim: y[i] = min(x[0], ..., x[i]), and its place.

    Of equal elements the last counts; nan is the smallest. indices is int64, and the gradient goes
    to the elements it names. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.cummin(torch.tensor([3., 1., 2.]), dim=0)
    torch.return_types.cummin(
    values=tensor([3., 1., 1.]),
    indices=tensor([0, 1, 1]))
    """
    return _running("cummin", input, dim, out)
