"""Differences along a dimension, and copies of what views would share."""

from __future__ import annotations

import math

import numpy as np

from .. import _dtype, return_types
from .. import kernels as K
from .._tensor import Tensor, wrap
from .batching import fully_batched
from .declare import F as T
from .declare import op
from .dims import wrap_dim
from .formulas import missing
from .mapped import is_batched
from .out import fill_checked
from .public import METHODS, method, numpy_names, public


def _part(t, dim, start, end):
    return T.slice_dim(t, dim, start, end, 1)


def _check_joined(input, other, dim):
    a, b = input._data.shape, other._data.shape
    if len(a) != len(b):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    for k, (m, n) in enumerate(zip(a, b, strict=True)):
        if k != dim and m != n:
            raise RuntimeError(f"diff expects the shape of tensor to prepend or append to match "
                               f"that of input except along the differencing dimension; input.size"
                               f"({k}) = {m}, but got tensor.size({k}) = {n}")


@public
@numpy_names
def diff(input, n=1, dim=-1, prepend=None, append=None, *, out=None):
    """The n-th differences of neighbours along dim, prepend and append being joined on first.

    >>> import retrograd as torch
    >>> torch.diff(torch.tensor([1, 3, 2]))
    tensor([ 2, -1])
    """
    if not input._data.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    dim = wrap_dim(dim, input._data.ndim)
    parts = [t for t in (prepend, input, append) if t is not None]
    for t in parts:
        _check_joined(input, t, dim)
    res = T.cat(parts, dim) if n and len(parts) > 1 else input
    for _ in range(min(n, res._data.shape[dim])):
        size = res._data.shape[dim]
        later, earlier = _part(res, dim, 1, size), _part(res, dim, 0, size - 1)
        res = later.logical_xor(earlier) if res._data.dtype == np.bool_ else later - earlier
    res = res.clone() if res is input else res
    return res if out is None else fill_checked("diff", out, res, input)


@public(method=False)
@numpy_names
def gradient(input, *, spacing=1, dim=None, edge_order=1):
    """Estimates of the derivatives along dim (all dimensions by default), a tuple of tensors.

    Inside by central differences, at the ends by differences of the order edge_order (1 or 2).
    spacing is a step, a step for each dimension, or a vector of places for each.

    >>> import retrograd as torch
    >>> torch.gradient(torch.tensor([1., 4., 9., 16.]))
    (tensor([3., 4., 6., 7.]),)
    """
    if input._data.dtype == np.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    ndim = input._data.ndim
    dims = range(ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    dims = [wrap_dim(d, ndim) for d in dims]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    spacing = 1 if spacing is None else spacing
    each = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    if len(each) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
            f"equal to 'self.dim() = {ndim}', since dim argument was not given, but got a list of "
            f"length {len(each)}" if dim is None else
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
            "arguments to have the same length, but got a spacing argument of length "
            f"{len(each)} and a dim argument of length {len(dims)}.")
    for d in dims:
        if input._data.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least "
                               "edge_order+1")
    return tuple(_slope(input, d, s, edge_order) for d, s in zip(dims, each, strict=True))


def _slope(t, dim, spacing, edge_order):
    if isinstance(spacing, Tensor) and spacing._data.ndim:
        return _uneven_slope(t, dim, spacing, edge_order)
    n = t._data.shape[dim]
    if t._data.dtype.kind in "iu":
        t = t.to(_dtype.default.dtype)

    def at(k):
        return _part(t, dim, k % n, k % n + 1)
    inner = (_part(t, dim, 2, n) - _part(t, dim, 0, n - 2)) / 2
    if edge_order == 1:
        first, last = at(1) - at(0), at(-1) - at(-2)
    else:
        first = -1.5 * at(0) + 2 * at(1) - 0.5 * at(2)
        last = 1.5 * at(-1) - 2 * at(-2) + 0.5 * at(-3)
    return T.cat([first, inner, last], dim) / spacing


def _uneven_slope(t, dim, places, edge_order):
    n = t._data.shape[dim]
    steps = (places[1:] - places[:-1]).reshape([-1 if d == dim else 1
                                                for d in range(t._data.ndim)])

    def at(k):
        return _part(t, dim, k % n, k % n + 1)

    def step(k):
        return _part(steps, dim, k % (n - 1), k % (n - 1) + 1)
    before, after = _part(steps, dim, 0, n - 2), _part(steps, dim, 1, n - 1)
    inner = (_part(t, dim, 0, n - 2) * (-after / (before * (before + after)))
             + _part(t, dim, 1, n - 1) * ((after - before) / (before * after))
             + _part(t, dim, 2, n) * (before / (after * (before + after))))
    if edge_order == 1:
        first, last = (at(1) - at(0)) / step(0), (at(-1) - at(-2)) / step(-1)
    else:
        a, b = step(0), step(1)
        first = (at(0) * (-(2 * a + b) / (a * (a + b))) + at(1) * ((a + b) / (a * b))
                 + at(2) * (-a / (b * (a + b))))
        a, b = step(-2), step(-1)
        last = (at(-3) * (b / (a * (a + b))) + at(-2) * (-(b + a) / (a * b))
                + at(-1) * ((2 * b + a) / (b * (a + b))))
    return T.cat([first, inner, last], dim)


def _histogramdd(self, weight, edges, density):
    """How many points, rows of `self`, lie in each box; or the sum of their weights."""
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
    points = input._data.reshape(-1, input._data.shape[-1])
    d = points.shape[1]
    bins = [bins] * d if isinstance(bins, int) else list(bins)
    if len(bins) != d:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension "
                           "of the input.")
    if range is not None and len(range) != 2 * d:
        raise RuntimeError(f"torch.histogramdd: for a {d}-dimensional histogram range should have "
                           f"{2 * d} elements, but got {len(range)}")
    edges = []
    for k, b in enumerate(bins):
        limits = None if range is None else (range[2 * k], range[2 * k + 1])
        edges.append(b._data if isinstance(b, Tensor) else K.histogram(points[:, k], b, limits)[1])
    hist = T.histogramdd(input, weight, edges, density)
    return return_types.histogramdd((hist, tuple(map(wrap, edges))))


# --------------------------------------------------------------------------- copies of views

def _slice(t, dim=0, start=None, end=None, step=1):
    dim = wrap_dim(dim, t._data.ndim)
    start, end, step = slice(start, end, step).indices(t._data.shape[dim])
    return T.slice_dim(t, dim, start, max(start, end), step)


def _written_over(input, src, view):
    """A copy of input in which view(copy) is overwritten by src."""
    res = (fully_batched(input) if is_batched(src) else input).clone()
    part = view(res)
    if part._data.shape != src._data.shape:
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{list(src._data.shape)}, slice size = {list(part._data.shape)}")
    part.copy_(src)
    return res


@public
def select_scatter(input, src, dim, index):
    """A copy of input with src in place of input.select(dim, index).

    Raises RuntimeError unless src has the shape of what it replaces.

    >>> import retrograd as torch
    >>> torch.select_scatter(torch.zeros(2, 3), torch.ones(3), 0, 1)
    tensor([[0., 0., 0.],
            [1., 1., 1.]])
    """
    return _written_over(input, src, lambda t: t.select(dim, index))


@public
def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    """A copy of input with src in place of its slice start:end:step along dim.

    Raises RuntimeError unless src has the shape of what it replaces.

    >>> import retrograd as torch
    >>> torch.slice_scatter(torch.zeros(5), torch.ones(2), start=1, step=2, end=4)
    tensor([0., 1., 0., 1., 0.])
    """
    return _written_over(input, src, lambda t: _slice(t, dim, start, end, step))


@public
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """A copy of input with src in place of input.diagonal(offset, dim1, dim2).

    Raises RuntimeError unless src has the shape of what it replaces.

    >>> import retrograd as torch
    >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.tensor([1., 2.]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    return _written_over(input, src, lambda t: t.diagonal(offset, dim1, dim2))


@public
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """A copy of input with src in place of input.as_strided(size, stride, storage_offset).

    Raises RuntimeError unless src has the shape of what it replaces.

    >>> import retrograd as torch
    >>> torch.as_strided_scatter(torch.zeros(2, 2), torch.ones(2), (2,), (2,), 1)
    tensor([[0., 1.],
            [0., 1.]])
    """
    def view(t):
        if is_batched(t):
            raise RuntimeError("Error: aten::as_strided_scatter requires special handling, and "
                               "does not yet have a batching rule. Feel free to file a github "
                               "issue!")
        return t.as_strided(size, stride, storage_offset)
    return _written_over(input, src, view)


def _copy_of(name, view):
    """torch.<name>: what the view `view` shows, copied."""
    def copied(*args, out=None, **kwargs):
        made = view(*args, **kwargs)
        if isinstance(made, (tuple, list)):
            made = tuple(t.clone() for t in made)
            return made if out is None else [fill_checked(name, o, t)
                                             for o, t in zip(out, made, strict=True)]
        made = T.clone_contiguous(made)
        return made if out is None else fill_checked("view_copy", out, made)
    copied.__name__ = copied.__qualname__ = name
    copied.__doc__ = f"{name.removesuffix('_copy')}, but a copy and not a view."
    return public(copied, method=False)


def _viewed(input, size=None, *, dtype=None):
    """In another shape, copied where it is no view; or the same bytes as another dtype."""
    of_dtype = size if dtype is None else dtype
    if isinstance(of_dtype, _dtype.dtype):
        return input.view(of_dtype)
    return input.reshape(size)


_copy_of("view_copy", _viewed)
for _name in ("expand", "diagonal", "as_strided", "split", "split_with_sizes", "unbind",
              "unfold", "squeeze", "unsqueeze", "transpose", "t", "select", "permute", "detach"):
    _copy_of(_name + "_copy", METHODS.get(_name) or getattr(Tensor, _name))
_copy_of("view_as_real_copy", lambda input: T.view_as_real(input))
_copy_of("view_as_complex_copy", lambda input: T.view_as_complex(input))
_copy_of("slice_copy", _slice)
_copy_of("alias_copy", lambda input: input)
method(_copy_of("narrow_copy", METHODS["narrow"]))


@public(method=False)
def fill(input, value):
    """A tensor like input, filled with one number or a 0-d tensor.

    >>> import retrograd as torch
    >>> torch.fill(torch.zeros(2), 3.0)
    tensor([3., 3.])
    """
    return input.clone().fill_(value)
