"""Sums, means and other reductions."""

from __future__ import annotations

from .. import _dtype
from . import samples as S
from .declare import F as T
from .declare import composite, op
from .dims import wrap_dims
from .out import fill_checked
from .public import public

op("sum_all(self | dtype=None)", "SumBackward0", public=False, samples=S.singles,
    self = lambda F, g, self_shape: F.expand(g, self_shape),
    jvp  = "linear")

op("sum_dim(self | dim, keepdim, dtype=None)", "SumBackward1", public=False,
    samples=lambda: [(a, d, k) for a, in S.singles()[:1] for d in (0, (0, 1)) for k in (False, True)],
    self = lambda F, g, self_shape, dim, keepdim:
               F.expand(g if keepdim else F.unsqueeze(g, dim), self_shape),
    jvp  = "linear")

op("mean_all(self)", "MeanBackward0", public=False, samples=lambda: S.singles()[:2],
    self = lambda F, g, self_shape: F.expand(g, self_shape) / size(self_shape),
    jvp  = "linear")

op("mean_dim(self | dim, keepdim)", "MeanBackward1", public=False,
    samples=lambda: [(a, d, k) for a, in S.singles()[:1] for d in (0, (0, 1)) for k in (False, True)],
    self = lambda F, g, self_shape, dim, keepdim:
               F.expand(g if keepdim else F.unsqueeze(g, dim), self_shape)
               / size([self_shape[d] for d in as_tuple(dim)]),
    jvp  = "linear")


def as_tuple(dim):
    return dim if isinstance(dim, tuple) else (dim,)


def size(shape):
    n = 1
    for k in shape:
        n *= k
    return n


@composite
def sum_to(g, shape):
    """Undo broadcasting: sum the Tensor `g` down to `shape`."""
    have = g._data.shape
    if have == shape:
        return g
    if not shape:
        return T.sum_all(g)
    lead = len(have) - len(shape)
    axes = tuple(range(lead)) + tuple(i + lead for i, n in enumerate(shape)
                                      if n == 1 and have[i + lead] != 1)
    res = T.sum_dim(g, axes, True) if axes else g
    return T.view(res, shape) if lead else res


@public
def sum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The sum of all elements, or over the dimensions `dim`; integers are summed in int64.

    Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.ones(2, 3).sum(dim=1)
    tensor([3., 3.])
    """
    if dtype is not None and _dtype.of(input._data) is not dtype:
        input = input.to(dtype)
    np_dtype = None if dtype is None or dtype.rank > 1 else dtype.np
    if dim is None and not keepdim:
        res = T.sum_all(input, np_dtype)
    else:
        res = T.sum_dim(input, wrap_dims(dim, input._data.ndim), keepdim, np_dtype)
    return res if out is None else fill_checked("sum", out, res)


@public
def mean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The mean of all elements, or over the dimensions `dim`.

    Raises RuntimeError for integer tensors without a floating `dtype`.
    """
    if dtype is not None and _dtype.of(input._data) is not dtype:
        input = input.to(dtype)
    if input._data.dtype.kind in "biu":
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a "
                           "floating point or complex dtype. Got: "
                           f"{_dtype.of(input._data).tensor_name}")
    if dim is None and not keepdim:
        res = T.mean_all(input)
    else:
        res = T.mean_dim(input, wrap_dims(dim, input._data.ndim), keepdim)
    return res if out is None else fill_checked("mean", out, res)
