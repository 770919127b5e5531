"""Variances and standard deviations over dimensions.

var = sum((x - mean)^2) / (n - correction), so d var / dx = 2 (x - mean) / (n - correction). The
mean moves with x, too, but the deviations from it add up to 0. std is the square root.
"""

from __future__ import annotations

import math
from operator import mul, sub

from .._warnings import warn
from ..kernels.reduce import count_over
from . import samples as S
from .declare import F as T
from .declare import op
from .dims import axes
from .formulas import beside, both, restored, shared_out
from .out import fill_checked
from .public import numpy_names, public
from .support import number_of

op("var(self | dim, correction, keepdim)", "VarBackward0", public=False, samples=S.deviations,
    contiguous=True,
    self = lambda F, g, self, dim, correction, keepdim:
               var_gradient(F, restored(F, g, dim, keepdim), self, dim, correction),
    jvp  = lambda F, self, self_t, dim, correction, keepdim:
               var_tangent(F, self, self_t, dim, correction, keepdim))

op("std(self | dim, correction, keepdim)", "StdBackward0", public=False, samples=S.deviations,
    contiguous=True,
    self = lambda F, g, self, result, dim, correction, keepdim: var_gradient(
               F, restored(F, half_over(F, g, result), dim, keepdim), self, dim, correction),
    jvp  = lambda F, self, self_t, result, dim, correction, keepdim: half_over(
               F, var_tangent(F, self, self_t, dim, correction, keepdim), result))

op("var_mean(self | dim, correction, keepdim)", "VarMeanBackward0", outputs=("result0", "result1"),
    public=False, contiguous=True, samples=S.deviations,
    self = lambda F, gs, self, dim, correction, keepdim: both(
               None if gs[0] is None else
               var_gradient(F, restored(F, gs[0], dim, keepdim), self, dim, correction),
               mean_gradient(F, gs[1], self, dim, keepdim)),
    jvp  = lambda F, self, self_t, dim, correction, keepdim: (
               var_tangent(F, self, self_t, dim, correction, keepdim),
               F.mean_dim(self_t, dim, keepdim)))

op("std_mean(self | dim, correction, keepdim)", "StdMeanBackward0", outputs=("result0", "result1"),
    public=False, contiguous=True, samples=S.deviations,
    self = lambda F, gs, self, result0, dim, correction, keepdim: both(
               None if gs[0] is None else var_gradient(
                   F, restored(F, half_over(F, gs[0], result0), dim, keepdim), self, dim,
                   correction),
               mean_gradient(F, gs[1], self, dim, keepdim)),
    jvp  = lambda F, self, self_t, result0, dim, correction, keepdim: (
               half_over(F, var_tangent(F, self, self_t, dim, correction, keepdim), result0),
               F.mean_dim(self_t, dim, keepdim)))


def var_gradient(F, g, x, dim, correction):
    """g * 2 (x - mean) / (n - correction); where that divides by 0, PyTorch's infinities."""
    off = beside(sub, x, F.mean_dim(x, dim, True))
    free = count_over(x.shape, dim) - correction
    if free <= 0 and len(dim) == len(x.shape):
        return F.where(off == 0, g * math.nan, g * math.inf)
    return beside(mul, off, g) * (2 / free if free else math.inf)


def var_tangent(F, x, t, dim, correction, keepdim):
    moved = F.conj(var_gradient(F, F.conj(t), x, dim, correction))
    return F.sum_dim(F.real(moved), dim, keepdim)


def mean_gradient(F, g, x, dim, keepdim):
    if g is None:
        return None
    count = count_over(x.shape, dim)
    return shared_out(F, restored(F, g, dim, keepdim), tuple(x.shape), count)


def half_over(F, g, root):
    """d sqrt = g / (2 root), zero where the root is."""
    return F.where(root == 0, 0, g / (2 * root))


# --------------------------------------------------------------------------- public functions

def _deviation(name, operator, input, dim, unbiased, correction, keepdim, out=None):
    """The arguments that var, std and their pairs with the mean share."""
    if isinstance(dim, bool):                 # var(unbiased)
        dim, unbiased = None, dim
    if input._data.dtype.kind in "biu":
        raise RuntimeError(f"{name} only support floating point and complex dtypes")
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    correction = number_of(correction, "correction")
    array = input._data
    dims = axes(dim, array.ndim)
    if (count_over(array.shape, dims) if array.size else 0) - correction <= 0:
        warn(f"{operator}(): degrees of freedom is <= 0. Correction should be strictly "
             "less than the reduction factor (input numel divided by output numel).")
    res = getattr(T, operator)(input, dims, correction, keepdim)
    return res if out is None else fill_checked(operator, out, res)


@public
@numpy_names
def var(input, dim=None, unbiased=None, keepdim=False, *, correction=None, out=None):
    """The variance, sum |x - mean|^2 / (n - correction), over everything or the dimensions `dim`.

    `correction` is 1 by default; unbiased=False makes it 0. With `keepdim` the dimensions stay,
    with size 1. Where n <= correction the result is nan or inf, with a warning. Raises RuntimeError
    for integers, IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.var(torch.tensor([1., 2., 4.]))
    tensor(2.3333)
    """
    return _deviation("std and var", "var", input, dim, unbiased, correction, keepdim, out)


@public
@numpy_names
def std(input, dim=None, unbiased=None, keepdim=False, *, correction=None, out=None):
    """The standard deviation, sqrt(sum |x - mean|^2 / (n - correction)): the root of `var`.

    Arguments and errors are those of `var`. Its gradient is 0 where all elements are equal.

    >>> import retrograd as torch
    >>> torch.std(torch.tensor([1., 2., 3.]))
    tensor(1.)
    """
    return _deviation("std and var", "std", input, dim, unbiased, correction, keepdim, out)


@public(method=False)
@numpy_names
def var_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """(var, mean) of all elements, or over `dim`, in one pass.

    Arguments and errors are those of `var`.

    >>> import retrograd as torch
    >>> torch.var_mean(torch.tensor([1., 2., 3.]))
    (tensor(1.), tensor(2.))
    """
    return _deviation("var_mean", "var_mean", input, dim, unbiased, correction, keepdim)


@public(method=False)
@numpy_names
def std_mean(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
    """(std, mean) of all elements, or over `dim`, in one pass.

    Arguments and errors are those of `var`.

    >>> import retrograd as torch
    >>> torch.std_mean(torch.tensor([1., 2., 3.]))
    (tensor(1.), tensor(2.))
    """
    return _deviation("std_mean", "std_mean", input, dim, unbiased, correction, keepdim)
