"""Counting: how often numbers occur, singly and in bins. Histograms have no derivatives."""

from __future__ import annotations

import math

import numpy as np

from .. import _dtype, return_types
from .. import kernels as K
from .._tensor import BATCHED, Tensor, wrap
from . import mapped_search
from .arguments import invalid_combination, listed_signatures, no_element
from .declare import F as T
from .declare import op
from .dims import whole
from .formulas import missing
from .mapped import each_slice, elementwise, is_batched
from .mistyped import is_int
from .out import fill_checked, given_pair
from .public import public

op("bincount_weighted(weights, self | minlength)", "NotImplemented", public=False,
    samples=lambda: [(np.array([0.5, 1.5, 2.5]), np.array([0, 3, 3]), 5)],
    weights = missing("bincount"))


@public
def bincount(input, weights=None, minlength=0):
    """How often each of 0, 1, 2 .. occurs in the vector input, or the sum of its weights.

    The result has max(input) + 1 elements, or `minlength` if that is more. Raises RuntimeError for
    negative numbers and weights of another length, NotImplementedError for floats.

    >>> import retrograd as torch
    >>> torch.bincount(torch.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    if (input._flags | (0 if weights is None else weights._flags)) & BATCHED:
        return mapped_search.count(bincount, input, weights, minlength)
    if weights is None:
        return wrap(K.bincount(input._data, None, minlength))
    return T.bincount_weighted(weights, input, minlength)


@public
@elementwise(None, otherwise=mapped_search.histogram)
def histc(input, bins=100, min=0, max=0, *, out=None):
    """How many elements lie in each of `bins` equal intervals between min and max: (bins,).

    If min and max are equal, they are the extremes of input. The last interval includes max;
    elements outside do not count. Raises RuntimeError for max < min, and unless bins > 0.

    >>> import retrograd as torch
    >>> torch.histc(torch.tensor([1., 2., 1.]), bins=4, min=0, max=3)
    tensor([0., 2., 1., 0.])
    """
    res = wrap(K.histc(input._data, bins, min, max))
    return res if out is None else fill_checked("histc", out, res)


def _check_histogram(input, bins, weight):
    if isinstance(bins, np.ndarray):
        _check_edges(input, bins)
    else:
        K.check_bins(bins)
    _check_weight(input, weight, (input._data.shape, (input._data.size,)), [input._data.size, 1])


def _check_edges(input, edges, dim=0):
    """Raise unless edges of bins, given as an array, are a vector of the input's dtype."""
    if edges.dtype != input._data.dtype:
        raise RuntimeError(
            "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got "
            f"input with dtype {input.dtype.option_name} and bins for dimension {dim} with dtype "
            f"{_dtype.of(edges).option_name}")
    if edges.ndim != 1:
        raise RuntimeError("torch.histogramdd: bins tensor should have one dimension, but got "
                           f"{edges.ndim} dimensions in the bins tensor for dimension {dim}")
    if not len(edges):
        raise RuntimeError("torch.histogramdd: bins tensor should have at least 1 element, but "
                           f"got 0 elements in the bins tensor for dimension {dim}")
    K.check_bins(len(edges) - 1, dim)


def _check_weight(input, weight, wanted, points):
    """Raise unless weight is None, or has one of the shapes `wanted` and the input's dtype.

    The error calls the shape of the input `points`.
    """
    if weight is None:
        return
    if weight._data.dtype != input._data.dtype:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor "
            f"should have the same dtype, but got input({input.dtype.option_name}), and "
            f"weight({weight.dtype.option_name})")
    if weight._data.shape not in wanted:
        raise RuntimeError(
            "torch.histogramdd: if weight tensor is provided it should have the same shape as the "
            "input tensor excluding its innermost dimension, but got input with shape "
            f"{points} and weight with shape {list(weight._data.shape)}")


def _histogram(self, edges, weight, bins, range, density):
    return K.histogram(self, bins if edges is None else edges, range, weight, density)


op("histogram(self, edges?, weight? | bins, range, density)", "NotImplemented", public=False,
    outputs=("hist", "bin_edges"), kernel=_histogram,
    samples=lambda: [(np.array([0.5, 1.5, 2.5]), None, None, 2, (0.0, 3.0), False)],
    **dict.fromkeys(("self", "edges", "weight"), missing("histogram")))


@public
def histogram(input, bins=100, *, range=None, weight=None, density=False, out=None):
    """(hist, bin_edges): counts, or sums of weight, between edges; bins is a number or the edges.

    With density the counts are scaled so that the histogram's area is one. Raises RuntimeError
    unless bins > 0, NotImplementedError for integers.

    >>> import retrograd as torch
    >>> torch.histogram(torch.tensor([1., 2., 1.]), bins=2, range=(0., 4.))
    torch.return_types.histogram(
    hist=tensor([2., 1.]),
    bin_edges=tensor([0., 2., 4.]))
    """
    if is_batched(input, bins, weight):
        return each_slice(histogram, input, bins, range=range, weight=weight, density=density)
    edges = bins if isinstance(bins, Tensor) else None
    if edges is not None and range is not None:
        raise invalid_combination("histogram", (input, bins), {"range": range},
                                  listed_signatures("histogram"))
    _check_histogram(input, bins if edges is None else edges._data, weight)
    made = T.histogram(input, edges, weight, bins if edges is None else None, range, density)
    return given_pair("histogram", made, out)


def _histogramdd(self, weight, edges, density):
    """How many points, rows of `self`, lie in each box; or the sum of their weights."""
    if not edges:                                             # no columns: no box either
        return np.asarray(np.nan if density else 0.0, self.dtype)
    columns, shape = self.reshape(-1, self.shape[-1]).T, tuple(len(e) - 1 for e in edges)
    inside = np.all([(c >= e[0]) & (c <= e[-1]) for c, e in zip(columns, edges, strict=True)], 0)
    places = [np.minimum(np.searchsorted(e, c[inside], "right") - 1, len(e) - 2)
              for c, e in zip(columns, edges, strict=True)]
    weights = None if weight is None else weight.reshape(-1)[inside]
    count = np.bincount(np.ravel_multi_index(places, shape), weights, math.prod(shape))
    count = count.reshape(shape)
    if density:
        count = count / count.sum() / math.prod(np.ix_(*map(np.diff, edges)))
    return count.astype(self.dtype)


op("histogramdd(self, weight? | edges, density)", "NotImplemented", public=False,
    kernel=_histogramdd,
    samples=lambda: [(np.array([[0.5, 1.5]]), None, [np.arange(3.0)] * 2, False)],
    **dict.fromkeys(("self", "weight"), missing("_histogramdd_from_bin_cts")))


@public(method=False)
def histogramdd(input, bins, range=None, weight=None, density=False):
    """(hist, bin_edges) of points, rows of input, over a box of bins in several dimensions.

    bins is a number, a number for each dimension, or a tensor of edges for each.

    >>> import retrograd as torch
    >>> torch.histogramdd(torch.tensor([[0., 0.], [1., 1.]]), bins=2).hist
    tensor([[1., 0.],
            [0., 1.]])
    """
    if input._data.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    d = input._data.shape[-1]
    points = input._data.reshape(math.prod(input._data.shape[:-1]), d)
    bins = [whole(bins)] * d if is_int(bins) else list(bins)
    if len(bins) != d:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension "
                           "of the input.")
    if range is not None and len(range) != 2 * d:
        raise RuntimeError(f"torch.histogramdd: for a {d}-dimensional histogram range should have "
                           f"{2 * d} elements, but got {len(range)}")
    shape = input._data.shape
    _check_weight(input, weight, (shape[:-1],), list(shape))
    edges = []
    if bins and is_int(bins[0]):
        bins = [whole(b) for b in bins]
    for k, b in enumerate(bins):
        if isinstance(b, Tensor):
            _check_edges(input, b._data, k)
        elif not hasattr(b, "__index__"):
            raise no_element(k, 1, b)
        else:
            K.check_bins(b, k)
        limits = None if range is None else (range[2 * k], range[2 * k + 1])
        edges.append(b._data if isinstance(b, Tensor) else
                     K.histogram(points[:, k], b, limits, dim=k)[1])
    hist = T.histogramdd(input, weight, edges, density)
    return return_types.histogramdd((hist, tuple(map(wrap, edges))))
