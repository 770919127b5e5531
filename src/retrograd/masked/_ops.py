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


def _spread(mask, input):
    """The mask as bools in the shape of input."""
    if mask.shape != input.shape:
        if mask.ndim > input.ndim:
            raise IndexError("_input_mask expected broadcastable mask (got mask dimensionality "
                             "higher than of the input)")
        mask = mask.expand(input.shape)
    return mask.to(torch.bool)


def _filled(input, mask, value):
    """input with value where the mask is false; no mask lets everything through.

    `value` may be a function of the input, which is asked only if there is a mask.
    """
    if mask is None:
        return input
    mask = _spread(mask, input)
    value = value(input) if callable(value) else value
    return torch.where(mask, input, bool(value) if input.dtype is torch.bool else value)


def _bound(name, input, sign):
    """An identity of amax (sign -1) or amin (1): infinite, or the last integer on that side."""
    d = input.dtype
    if d.is_floating_point:
        return sign * math.inf
    if d is torch.bool:
        raise NotImplementedError(f"identity of {name} on {d} input")
    return torch.iinfo(d).min if sign < 0 else torch.iinfo(d).max


def _lowest(name):
    return lambda input: _bound(name, input, -1)


def _highest(name):
    return lambda input: _bound(name, input, 1)


def _dims(input, dim):
    """dim as a tuple in ascending order; None and () mean every dimension."""
    if dim is None or dim == ():
        return tuple(range(input.ndim))
    n, found = max(input.ndim, 1), []
    for d in (dim,) if isinstance(dim, int) else dim:
        if d in found:
            raise RuntimeError(f"dim={d} appears multiple times in the list of dims")
        if not -n <= d < n:
            raise IndexError(f"Dimension out of range (expected to be in range of [{-n}, {n - 1}], "
                             f"but got {d})")
        found.append(d % n)
    return tuple(sorted(found))


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
    dims = _dims(input, dim)
    return _filled(_wider(input, dtype), mask, 0).sum(dims, bool(keepdim))


def prod(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The product of the elements where mask is true.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. Where none count it is 1.

    >>> import retrograd as torch
    >>> torch.masked.prod(torch.tensor([3., 1., 2.]), mask=torch.tensor([True, False, True]))
    tensor(6.)
    """
    dims = _dims(input, dim)
    res = _filled(_wider(input, dtype), mask, 1)
    for d in reversed(dims):
        res = res.prod(d, bool(keepdim))
    return res


def cumsum(input, dim, *, dtype=None, mask=None):
    """Running sums of the elements where mask is true.

    (*) -> (*), along `dim`; an element that does not count adds nothing. `mask` broadcasts to
    input.

    >>> import retrograd as torch
    >>> torch.masked.cumsum(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor([3., 3., 5.])
    """
    dtype, (dim, *_) = dtype or input.dtype, _dims(input, dim)
    return _filled(input, mask, 0).cumsum(dim, dtype=dtype)


def cumprod(input, dim, *, dtype=None, mask=None):
    """Running products of the elements where mask is true.

    (*) -> (*), along `dim`; an element that does not count changes nothing. `mask` broadcasts to
    input.

    >>> import retrograd as torch
    >>> torch.masked.cumprod(torch.tensor([3., 1., 2.]), 0,
    ...                      mask=torch.tensor([True, False, True]))
    tensor([3., 3., 6.])
    """
    dtype, (dim, *_) = dtype or input.dtype, _dims(input, dim)
    return _filled(input, mask, 1).cumprod(dim, dtype=dtype)


def amax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The largest element where mask is true.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. Where none count it is -inf, or the least
    integer.

    >>> import retrograd as torch
    >>> torch.masked.amax(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor(3.)
    """
    values = _filled(input, mask, _lowest("amax"))
    return values.amax(_dims(input, dim), bool(keepdim)).to(dtype or input.dtype)


def amin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The smallest element where mask is true.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. Where none count it is inf, or the greatest
    integer.

    >>> import retrograd as torch
    >>> torch.masked.amin(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    values = _filled(input, mask, _highest("amin"))
    return values.amin(_dims(input, dim), bool(keepdim)).to(dtype or input.dtype)


def argmax(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The index of the largest element where mask is true, in the dtype of input as in PyTorch.

    Along `dim`, or in the flattened tensor. `mask` broadcasts to input.

    >>> import retrograd as torch
    >>> torch.masked.argmax(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor(0.)
    """
    values = _filled(input, mask, _lowest("argmax"))
    return torch.argmax(values, dim, bool(keepdim)).to(dtype or input.dtype)


def argmin(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The index of the smallest element where mask is true, in the dtype of input.

    Along `dim`, or in the flattened tensor. `mask` broadcasts to input.

    >>> import retrograd as torch
    >>> torch.masked.argmin(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    values = _filled(input, mask, _highest("argmin"))
    return torch.argmin(values, dim, bool(keepdim)).to(dtype or input.dtype)


def _count(input, dims, keepdim, mask):
    """How many elements the mask lets through, in int64."""
    ones = torch.ones_like(input.detach(), dtype=torch.int64)
    return _filled(ones, mask, 0).sum(dims, bool(keepdim))


def mean(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """The mean of the elements where mask is true; nan where there are none.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. Raises ValueError for integers without a
    floating `dtype`.

    >>> import retrograd as torch
    >>> torch.masked.mean(torch.tensor([3., 1., 2.]), mask=torch.tensor([True, False, True]))
    tensor(2.5000)
    """
    kind, source = (input.dtype, "Input") if dtype is None else (dtype, "Optional")
    if not (kind.is_floating_point or kind.is_complex):
        raise ValueError(f"mean(): Could not infer output dtype. {source} dtype must be either "
                         f"a floating point or complex dtype. Got: {kind}")
    mask = mask if mask is None else _spread(mask, input)
    dims = _dims(input, dim)
    return (sum(input, dims, keepdim=keepdim, dtype=kind, mask=mask)
            / _count(input, dims, keepdim, mask))


def median(input, dim=-1, *, keepdim=False, dtype=None, mask=None):
    """The lower median along dim of the elements where mask is true and which are not nan.

    `mask` broadcasts to input. Where no elements count it is nan, for which integers have no
    place: they raise ValueError. `dtype` is that of the medians of integers.

    >>> import retrograd as torch
    >>> torch.masked.median(torch.tensor([3., 1., 2.]), 0, mask=torch.tensor([True, False, True]))
    tensor(2.)
    """
    floating, (dim, *_) = input.is_floating_point(), _dims(input, dim)
    values = input if floating else input.to(torch.float32)
    medians = _filled(values, mask, math.nan).nanmedian(dim, keepdim).values
    if floating:
        return medians
    if physical(torch.isnan(medians)).any():
        raise ValueError("masked median expects no fully masked out rows if dtype is not floating "
                         "point")
    return medians.to(dtype or input.dtype)


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
        _filled(input, mask, identity), 2.0 if ord is None else ord, _dims(input, dim),
        bool(keepdim), dtype=dtype or input.dtype)


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
    elif unbiased is not None:
        raise AssertionError("Only one of unbiased and correction may be given")
    dtype = dtype or (torch.float32 if _is_whole(input.dtype) else input.dtype)
    computed = torch.float32 if _is_whole(dtype) else dtype
    mask = mask if mask is None else _spread(mask, input)
    dims = _dims(input, dim)
    count = _count(input, dims, True, mask)
    center = sum(input, dims, keepdim=True, dtype=dtype, mask=mask) / count
    distance = _filled(input, mask, 0) - center                               # no nan's gradient
    square = distance * distance.conj() if distance.is_complex() else distance * distance
    total = sum(square, dims, keepdim=keepdim, dtype=computed, mask=mask)
    count = count.reshape(total.shape)
    if correction != 0:
        count = torch.clamp(count.to(_real(computed)) - correction, min=0)
    return (total / count).to(dtype)


def _is_whole(dtype):
    return not (dtype.is_floating_point or dtype.is_complex)


def _real(dtype):
    return dtype.to_real() if dtype.is_complex else dtype


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
    dim, *_ = _dims(input, dim)
    return torch.softmax(_filled(input, mask, _lowest("amax")), dim, dtype=dtype or input.dtype)


def log_softmax(input, dim, *, dtype=None, mask=None):
    """log_softmax over the elements where mask is true.

    The logarithm of softmax, (*) -> (*); what does not count gets -inf.

    >>> import retrograd as torch
    >>> torch.masked.log_softmax(torch.tensor([3., 1., 2.]), 0,
    ...                          mask=torch.tensor([True, False, True]))
    tensor([-0.3133,    -inf, -1.3133])
    """
    dim, *_ = _dims(input, dim)
    return torch.log_softmax(_filled(input, mask, _lowest("amax")), dim,
                             dtype=dtype or input.dtype)


def softmin(input, dim, *, dtype=None, mask=None):
    """softmax of -input over the elements where mask is true.

    Arguments are those of softmax.

    >>> import retrograd as torch
    >>> torch.masked.softmin(torch.tensor([3., 1., 2.]), 0,
    ...                      mask=torch.tensor([True, False, True]))
    tensor([0.2689, 0.0000, 0.7311])
    """
    dim, *_ = _dims(input, dim)
    return torch.softmax(-_filled(input, mask, _highest("amin")), dim, dtype=dtype or input.dtype)


def normalize(input, ord, dim, *, eps=1e-12, dtype=None, mask=None):
    """input divided by its norm along dim, both over the elements where mask is true.

    Norms below eps count as eps. `mask` broadcasts to input.

    >>> import retrograd as torch
    >>> torch.masked.normalize(torch.tensor([3., 1., 2.]), 2., 0,
    ...                        mask=torch.tensor([True, False, True]))
    tensor([0.8321, 0.0000, 0.5547])
    """
    values = _filled(input, mask, 0)
    size = norm(input, ord, dim, keepdim=True, dtype=dtype or input.dtype, mask=mask)
    return values / torch.clamp(size, min=eps)


def logsumexp(input, dim=None, *, keepdim=False, dtype=None, mask=None):
    """logsumexp of the elements where mask is true.

    Over `dim` (one, several, or all of them by default), which keepdim keeps with size 1. `mask`
    broadcasts to input; without one all elements count. Where none count it is -inf.

    >>> import retrograd as torch
    >>> torch.masked.logsumexp(torch.tensor([3., 1., 2.]), 0,
    ...                        mask=torch.tensor([True, False, True]))
    tensor(3.3133)
    """
    dims = _dims(input, dim)
    lowest = complex(-math.inf) if input.is_complex() else _lowest("logsumexp")
    res = torch.logsumexp(_filled(input, mask, lowest), dims, keepdim)
    return res.to(dtype or input.dtype)


def logaddexp(input, other, *, dtype=None, input_mask=None, other_mask=None):
    """logaddexp of two tensors, each with -inf where its mask is false.

    `log(exp(input) + exp(other))`, (*) -> (*); masks broadcast.

    >>> import retrograd as torch
    >>> all, one = torch.tensor([True, True]), torch.tensor([True, False])
    >>> torch.masked.logaddexp(torch.zeros(2), torch.zeros(2), input_mask=all, other_mask=one)
    tensor([0.6931, 0.0000])
    """
    lowest = _lowest("logaddexp")
    return torch.logaddexp(_filled(input, input_mask, lowest),
                           _filled(other, other_mask, lowest)).to(dtype or input.dtype)
