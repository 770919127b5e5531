"""Reductions and normalizations of the elements that a mask lets through.

>>> import retrograd as torch
>>> torch.masked.mean(torch.tensor([1., 2., 9.]), mask=torch.tensor([True, True, False]))
tensor(1.5000)
"""

from __future__ import annotations

import math

import retrograd as torch

from ..ops.batching import physical

__all__ = [
    "amax", "amin", "argmax", "argmin", "cumprod", "cumsum", "log_softmax", "logsumexp", "mean",
    "median", "norm", "normalize", "prod", "softmax", "softmin", "std", "sum", "var",
]


def _filled(input, mask, value):
    """input with value where the mask is false; no mask lets everything through."""
    return input if mask is None else torch.where(mask, input, value)


def _lowest(input):
    """A lower bound of every element: -inf, or the smallest integer."""
    d = input.dtype
    return -math.inf if d.is_floating_point else torch.iinfo(d).min


def _highest(input):
    d = input.dtype
    return math.inf if d.is_floating_point else torch.iinfo(d).max


def _dims(input, dim):
    """dim as a tuple; None and () mean every dimension."""
    if dim is None or dim == ():
        return tuple(range(input.ndim))
    return (dim,) if isinstance(dim, int) else tuple(dim)


def _wider(input, dtype):
    """input in the dtype it is summed in."""
    if dtype is None and not input.dtype.is_floating_point and not input.dtype.is_complex:
        dtype = torch.int64
    return input if dtype is None else input.to(dtype)


def sum(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The sum of the elements where mask is true.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. Where none count it is 0. Integers are
    summed as int64.

    >>> import retrograd as torch
    >>> torch.masked.sum(torch.tensor([3., 1., 2.]), mask=torch.tensor([True, False, True]))
    tensor(5.)
    """
    return _filled(_wider(input, dtype), mask, 0).sum(_dims(input, dim), keepdim)


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The product of the elements where mask is true.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. Where none count it is 1.

    >>> import retrograd as torch
    >>> torch.masked.prod(torch.tensor([3., 1., 2.]), mask=torch.tensor([True, False, True]))
    tensor(6.)
    """
    res = _filled(_wider(input, dtype), mask, 1)
    for d in sorted((d % max(input.ndim, 1) for d in _dims(input, dim)), reverse=True):
        res = res.prod(d, keepdim)
    return res


def cumsum(input, dim, *, dtype=None, mask=None):
    """Running sums of the elements where mask is true.

    (*) -> (*), along `dim`; an element that does not count adds nothing. `mask` broadcasts to
    input.

    >>> import retrograd as torch
    >>> torch.masked.cumsum(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor([3., 3., 5.])
    """
    dtype = dtype or input.dtype
    return _filled(input.to(dtype), mask, 0).cumsum(dim, dtype=dtype)


def cumprod(input, dim, *, dtype=None, mask=None):
    """Running products of the elements where mask is true.

    (*) -> (*), along `dim`; an element that does not count changes nothing. `mask` broadcasts to
    input.

    >>> import retrograd as torch
    >>> torch.masked.cumprod(torch.tensor([3., 1., 2.]), 0,
    ...                      mask=torch.tensor([True, False, True]))
    tensor([3., 3., 6.])
    """
    dtype = dtype or input.dtype
    return _filled(input.to(dtype), mask, 1).cumprod(dim, dtype=dtype)


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest element where mask is true.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. Where none count it is -inf, or the least
    integer.

    >>> import retrograd as torch
    >>> torch.masked.amax(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor(3.)
    """
    input = input if dtype is None else input.to(dtype)
    return _filled(input, mask, _lowest(input)).amax(_dims(input, dim), keepdim)


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest element where mask is true.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. Where none count it is inf, or the greatest
    integer.

    >>> import retrograd as torch
    >>> torch.masked.amin(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    input = input if dtype is None else input.to(dtype)
    return _filled(input, mask, _highest(input)).amin(_dims(input, dim), keepdim)


def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The index of the largest element where mask is true, in the dtype of input as in PyTorch.

    Along `dim`, or in the flattened tensor. `mask` broadcasts to input.

    >>> import retrograd as torch
    >>> torch.masked.argmax(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor(0.)
    """
    input = input if dtype is None else input.to(dtype)
    return _filled(input, mask, _lowest(input)).argmax(dim, bool(keepdim)).to(input.dtype)


def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The index of the smallest element where mask is true, in the dtype of input.

    Along `dim`, or in the flattened tensor. `mask` broadcasts to input.

    >>> import retrograd as torch
    >>> torch.masked.argmin(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    input = input if dtype is None else input.to(dtype)
    return _filled(input, mask, _highest(input)).argmin(dim, bool(keepdim)).to(input.dtype)


def _count(input, dims, keepdim, mask):
    """How many elements the mask lets through, in the floating dtype of input."""
    ones = torch.ones_like(input.detach())
    return _filled(ones, mask, 0).sum(dims, keepdim)


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The mean of the elements where mask is true; nan where there are none.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count.

    >>> import retrograd as torch
    >>> torch.masked.mean(torch.tensor([3., 1., 2.]), mask=torch.tensor([True, False, True]))
    tensor(2.5000)
    """
    input = input if dtype is None else input.to(dtype)
    dims = _dims(input, dim)
    return sum(input, dims, keepdim=keepdim, mask=mask) / _count(input, dims, keepdim, mask)


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The lower median along dim of the elements where mask is true.

    Raises ValueError for an input that holds nan.

    `mask` broadcasts to input; without one it is torch.nanmedian.

    >>> import retrograd as torch
    >>> torch.masked.median(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    input = input if dtype is None else input.to(dtype)
    if physical(torch.isnan(input)).any():
        raise ValueError("masked median expected no fully masked out rows, use torch.median for "
                         "inputs that hold nan")
    return _filled(input, mask, math.nan).nanmedian(dim, keepdim).values


def norm(input, ord=2.0, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The vector norm of the elements where mask is true.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. `(sum |x|^ord)^(1/ord)`; inf and -inf are
    the greatest and the least |x|.

    >>> import retrograd as torch
    >>> torch.masked.norm(torch.tensor([3., 1., 2.]), 2, mask=torch.tensor([True, False, True]))
    tensor(3.6056)
    """
    identity = math.inf if ord == -math.inf else 0
    if ord is not None and ord < 0:
        identity = math.inf
    return torch.linalg.vector_norm(
        _filled(input, mask, identity), 2.0 if ord is None else ord, _dims(input, dim), keepdim,
        dtype=dtype)


def var(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The variance of the elements where mask is true, over their count less the correction.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. The correction is 1, or 0 with
    unbiased=False.

    >>> import retrograd as torch
    >>> torch.masked.var(torch.tensor([3., 1., 2.]), mask=torch.tensor([True, False, True]))
    tensor(0.5000)
    """
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    input = _filled(input if dtype is None else input.to(dtype), mask, 0)     # no nan's gradient
    dims = _dims(input, dim)
    count = _count(input, dims, True, mask)
    center = sum(input, dims, keepdim=True, mask=mask) / count
    distance = input - center
    square = distance * distance.conj() if input.is_complex() else distance * distance
    total = sum(square, dims, keepdim=keepdim, mask=mask)
    count = count.reshape(total.shape)
    count = count.real if count.is_complex() else count
    return total / torch.clamp(count - correction, min=0)


def std(input, dim=None, unbiased=None, *, correction=None, keepdim=False, dtype=None, mask=None):
    """The square root of var.

    Arguments are those of var.

    >>> import retrograd as torch
    >>> torch.masked.std(torch.tensor([3., 1., 2.]), mask=torch.tensor([True, False, True]))
    tensor(0.7071)
    """
    return var(input, dim, unbiased, correction=correction, keepdim=keepdim, dtype=dtype,
               mask=mask).sqrt()


def softmax(input, dim, *, dtype=None, mask=None):
    """softmax over the elements where mask is true.

    `exp(x) / sum exp(x)` along `dim`, (*) -> (*); what does not count gets 0. `mask` broadcasts to
    input.

    >>> import retrograd as torch
    >>> torch.masked.softmax(torch.tensor([3., 1., 2.]), 0,
    ...                      mask=torch.tensor([True, False, True]))
    tensor([0.7311, 0.0000, 0.2689])
    """
    input = input if dtype is None else input.to(dtype)
    return torch.softmax(_filled(input, mask, -math.inf), dim)


def log_softmax(input, dim, *, dtype=None, mask=None):
    """log_softmax over the elements where mask is true.

    The logarithm of softmax, (*) -> (*); what does not count gets -inf.

    >>> import retrograd as torch
    >>> torch.masked.log_softmax(torch.tensor([3., 1., 2.]), 0,
    ...                          mask=torch.tensor([True, False, True]))
    tensor([-0.3133,    -inf, -1.3133])
    """
    input = input if dtype is None else input.to(dtype)
    return torch.log_softmax(_filled(input, mask, -math.inf), dim)


def softmin(input, dim, *, dtype=None, mask=None):
    """softmax of -input over the elements where mask is true.

    Arguments are those of softmax.

    >>> import retrograd as torch
    >>> torch.masked.softmin(torch.tensor([3., 1., 2.]), 0,
    ...                      mask=torch.tensor([True, False, True]))
    tensor([0.2689, 0.0000, 0.7311])
    """
    input = input if dtype is None else input.to(dtype)
    return torch.softmax(-_filled(input, mask, math.inf), dim)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """input divided by its norm along dim, both over the elements where mask is true.

    Norms below eps count as eps. `mask` broadcasts to input.

    >>> import retrograd as torch
    >>> torch.masked.normalize(torch.tensor([3., 1., 2.]), 2., 0,
    ...                        mask=torch.tensor([True, False, True]))
    tensor([0.8321, 0.0000, 0.5547])
    """
    input = input if dtype is None else input.to(dtype)
    size = norm(input, ord, dim, keepdim=True, mask=mask)
    return _filled(input, mask, 0) / torch.clamp(size, min=eps)


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """logsumexp of the elements where mask is true.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. Where none count it is -inf.

    >>> import retrograd as torch
    >>> torch.masked.logsumexp(torch.tensor([3., 1., 2.]), 0,
    ...                        mask=torch.tensor([True, False, True]))
    tensor(3.3133)
    """
    input = input if dtype is None else input.to(dtype)
    return torch.logsumexp(_filled(input, mask, -math.inf), _dims(input, dim), keepdim)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """logaddexp of two tensors, each with -inf where its mask is false.

    `log(exp(input) + exp(other))`, (*) -> (*); masks broadcast.

    >>> import retrograd as torch
    >>> all, one = torch.tensor([True, True]), torch.tensor([True, False])
    >>> torch.masked.logaddexp(torch.zeros(2), torch.zeros(2), input_mask=all, other_mask=one)
    tensor([0.6931, 0.0000])
    """
    input, other = (t if dtype is None else t.to(dtype) for t in (input, other))
    return torch.logaddexp(_filled(input, input_mask, -math.inf),
                           _filled(other, other_mask, -math.inf))
