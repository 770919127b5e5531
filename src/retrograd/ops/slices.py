"""Reads and writes of whole slices along a dimension, which a vector of indices names."""

from __future__ import annotations

import numpy as np

from .._tensor import Tensor, wrap
from .._warnings import warn_once
from . import samples as S
from .declare import F as T
from .declare import composite, op
from .dims import wrap_dim
from .factory import fitting
from .gather_scatter import (
    SOURCE,
    both_ways,
    check_element,
    check_real,
    ints,
    reduce_gradient,
    with_zeros,
)
from .out import fill_checked
from .public import numpy_names, public
from .support import number_of


@composite
def slices_index(index, shape, dim):
    from ..kernels.slices import slices_index
    return wrap(slices_index(index._data, shape, dim))


op("index_select(self, index | dim)", "IndexSelectBackward0", public=False,
    samples=S.then((ints(1, 0, 1), 0)),
    self = lambda F, g, self_shape, index, dim:
               F.index_add(F.zeros_of(g, self_shape), index, g, dim, 1),
    jvp  = lambda F, self, index, self_t, index_t, dim: F.index_select(self_t, index, dim))

op("index_add(self, index, source | dim, alpha)", "IndexAddBackward0", inplace=True, public=False,
    samples=S.then((ints(1, 1), SOURCE, 0, 2.5)),
    self   = lambda F, g: g,
    source = lambda F, g, source, index, dim, alpha:
                 F.reshape(F.index_select(g, index, dim), source.shape) * alpha,
    jvp    = lambda F, self, index, source, self_t, index_t, source_t, dim, alpha:
                 F.index_add(with_zeros(F, self_t, self), index,
                             with_zeros(F, source_t, source), dim,
                             alpha))

op("index_copy(self, index, source | dim)", "IndexCopyBackward0", inplace=True, public=False,
    samples=S.then((ints(1), SOURCE[:1], 0)),
    self   = lambda F, g, index, dim: F.index_fill(g, index, dim, 0),
    source = lambda F, g, source, index, dim:
                 F.reshape(F.index_select(g, index, dim), source.shape),
    jvp    = lambda F, self, index, source, self_t, index_t, source_t, dim:
                 F.index_copy(with_zeros(F, self_t, self), index,
                              with_zeros(F, source_t, source), dim))

op("index_fill(self, index | dim, value)", "IndexFillBackward0", inplace=True, public=False,
    samples=S.then((ints(1), 0, 2.5)),
    self = lambda F, g, index, dim: F.index_fill(g, index, dim, 0),
    jvp  = lambda F, self, index, self_t, index_t, dim, value:
               F.index_fill(self_t, index, dim, 0))

op("index_fill_tensor(self, index, value | dim)", "IndexFillBackward1", inplace=True, public=False,
    samples=S.then((ints(1), np.array(2.5), 0)),
    self  = lambda F, g, index, dim: F.index_fill(g, index, dim, 0),
    value = lambda F, g, index, dim: F.sum_all(F.index_select(g, F.distinct(index), dim)),
    jvp   = lambda F, self, index, value, self_t, index_t, value_t, dim:
                F.index_fill_tensor(with_zeros(F, self_t, self), index,
                                    with_zeros(F, value_t, value),
                                    dim))


def index_reduce_gradient(F, g, need, self, index, source, result, dim, reduce, include_self):
    """Gradients of index_reduce, which is scatter_reduce with whole slices."""
    return reduce_gradient(F, g, need, self, F.slices_index(index, tuple(source.shape), dim),
                           source, result, dim, reduce, include_self)


op("index_reduce(self, index, source | dim, reduce, include_self=True)", "IndexReduceBackward0",
    inplace=True, public=False,
    samples=lambda: [(np.array(2.5), ints(0), np.array(1.5), 0, "mean", True)] + S.then(
        *[(ints(1, 1), SOURCE, 0, r, i) for r in ("prod", "mean", "amax", "amin")
          for i in (True, False)])(),
    joint = index_reduce_gradient, shown=(0, 2))


@public
@numpy_names
def index_select(input, dim, index, *, out=None):
    """The slices of input along dim that the vector index names, in its order, as a copy.

    The result has size len(index) in dim. Raises IndexError for an index out of range.

    >>> import retrograd as torch
    >>> torch.index_select(torch.arange(6).view(2, 3), 1, torch.tensor([2, 0]))
    tensor([[2, 0],
            [5, 3]])
    """
    res = T.index_select(input, index, wrap_dim(dim, input._data.ndim))
    return res if out is None else fill_checked("index_select", out, res, input, index)


@both_ways
def index_add(input, dim, index, source, *, alpha=1):
    """A copy of input with alpha * source[k] added to slice index[k] along dim, for every k.

    index is a vector; an index may come several times. source has as many slices along dim, and the
    other sizes of input. Raises IndexError for an index out of range, else RuntimeError.

    >>> import retrograd as torch
    >>> torch.index_add(torch.zeros(3), 0, torch.tensor([0, 0, 2]), torch.ones(3))
    tensor([2., 0., 1.])
    """
    dim, alpha = wrap_dim(dim, input._data.ndim), number_of(alpha)
    if alpha.__class__ is not bool and alpha != 1:
        alpha = fitting(alpha, input, "alpha")
    return "index_add", (input, index, source, dim, alpha)


@both_ways
def index_copy(input, dim, index, source):
    """A copy of input with slice index[k] along dim replaced by source[k], for every k.

    index is a vector, and source has as many slices along dim. Raises IndexError for an index out
    of range.

    >>> import retrograd as torch
    >>> torch.index_copy(torch.zeros(3), 0, torch.tensor([2]), torch.ones(1))
    tensor([0., 0., 1.])
    """
    return "index_copy", (input, index, source, wrap_dim(dim, input._data.ndim))


@both_ways
def index_fill(input, dim, index, value):
    """A copy of input with the slices that the vector index names along `dim` set to one value.

    `value` is a number or a tensor without dimensions. The gradient of input is 0 in these slices.
    Raises IndexError for an index out of range.

    >>> import retrograd as torch
    >>> torch.index_fill(torch.zeros(3), 0, torch.tensor([0, 2]), 5)
    tensor([5., 0., 5.])
    """
    if isinstance(value, Tensor) and value._data.ndim:
        raise RuntimeError("index_fill_ only supports a 0-dimensional value tensor, but got tensor "
                           f"with {value._data.ndim} dimension(s).")
    if index._data.dtype != np.int64:
        raise IndexError("index_fill_(): Expected dtype int64 for index.")
    dim = wrap_dim(dim, input._data.ndim)
    check_real(value, input, "index_fill_(): Converting complex Scalar to non-complex type is not "
                              "supported")
    if isinstance(value, Tensor):
        check_element(value, input)
        return "index_fill_tensor", (input, index, value, dim)
    return "index_fill", (input, index, dim, fitting(value, input, "index_fill"))


@both_ways
def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    """A copy of input with source's slices combined with those that index names along `dim`.

    `reduce` is "prod", "mean", "amax" or "amin"; without include_self the slices of input do not
    count. index_add() does it for sums. Raises RuntimeError for sizes or dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.index_reduce(torch.ones(2), 0, torch.tensor([0, 0]), torch.tensor([2., 3.]), "prod")
    tensor([6., 1.])
    """
    dim = wrap_dim(dim, input._data.ndim)
    warn_once("index_reduce() is in beta and the API may change at any time.")
    return "index_reduce", (input, index, source, dim, reduce, include_self)
