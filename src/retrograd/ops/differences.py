"""Differences along a dimension: of neighbours, and as estimates of a derivative."""

from __future__ import annotations

import numpy as np

from .. import _dtype
from .._tensor import Tensor
from .declare import F as T
from .dims import wrap_dim
from .join import cat
from .mistyped import is_int
from .out import fill_checked
from .public import numpy_names, public


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
    """The n-th differences of neighbours along dim: y[i] = x[i + 1] - x[i], n times.

    prepend and append are joined on first. Each round makes dim one shorter. Raises RuntimeError
    for a negative n and for a tensor without dimensions.

    >>> import retrograd as torch
    >>> torch.diff(torch.tensor([1, 3, 2]))
    tensor([ 2, -1])
    """
    if not input._data.ndim:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    parts = [t for t in (prepend, input, append) if t is not None]
    if n or len(parts) > 1:
        dim = wrap_dim(dim, input._data.ndim)
    for t in parts:
        _check_joined(input, t, dim)
    res = cat(parts, dim) if n and len(parts) > 1 else input
    for _ in range(min(n, res._data.shape[dim]) if n else 0):
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
    spacing is a step, a step for each dimension, or a vector of places for each. Raises
    RuntimeError for another edge_order, and where a dimension has too few elements for it.

    >>> import retrograd as torch
    >>> torch.gradient(torch.tensor([1., 4., 9., 16.]))
    (tensor([3., 4., 6., 7.]),)
    """
    if input._data.dtype == np.uint8:
        raise RuntimeError("torch.gradient does not support uint8 input.")
    ndim = input._data.ndim
    dims = range(ndim) if dim is None else (dim,) if is_int(dim) else dim
    dims = [wrap_dim(d, ndim) for d in dims]
    for d in dims:
        if dims.count(d) > 1:
            raise RuntimeError(f"dim {d} appears multiple times in the list of dims")
    if edge_order not in (1, 2):
        raise RuntimeError("torch.gradient only supports edge_order=1 and edge_order=2.")
    if spacing is None:
        if isinstance(dim, (tuple, list)):
            raise TypeError                       # its words are found where arguments do not fit
        spacing = 1
    each = list(spacing) if isinstance(spacing, (list, tuple)) else [spacing] * len(dims)
    if len(each) != len(dims):
        raise RuntimeError(
            "torch.gradient expected spacing to be unspecified, a scalar, or a list of length "
            f"equal to 'self.dim() = {ndim}', since dim argument was not given, but got a list of "
            f"length {len(each)}" if dim is None else
            "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim "
            "arguments to have the same length, but got a spacing argument of length "
            f"{len(each)} and a dim argument of length {len(dims)}.")
    for s in each:
        if isinstance(s, Tensor) and s._data.ndim > 1:
            raise RuntimeError("torch.gradient expected each element of spacing to have one "
                               f"dimension, but got an element with {s._data.ndim} dimensions!")
    for d in dims:
        if input._data.shape[d] < edge_order + 1:
            raise RuntimeError("torch.gradient expected each dimension size to be at least "
                               "edge_order+1")
    return tuple(_slope(input, d, s, edge_order) for d, s in zip(dims, each, strict=True))


def _slope(t, dim, spacing, edge_order):
    """The estimated derivative along one dimension; `spacing` is a step or the vector of places."""
    if isinstance(spacing, Tensor) and spacing._data.ndim:
        return _uneven_slope(t, dim, spacing, edge_order)
    n = t._data.shape[dim]
    if t._data.dtype.kind in "iu":
        t = t.to(_dtype.default.dtype)

    def at(k):
        return _part(t, dim, k % n, k % n + 1)
    inner = T.div_number(_part(t, dim, 2, n) - _part(t, dim, 0, n - 2), 2.0)
    if edge_order == 1:
        first, last = at(1) - at(0), at(-1) - at(-2)
    else:
        times = T.mul_number
        first = times(at(0), -1.5) + times(at(1), 2.0) - times(at(2), 0.5)
        last = times(at(-1), 1.5) - times(at(-2), 2.0) + times(at(-3), 0.5)
    return T.cat([T.div_number(x, spacing) for x in (first, inner, last)], dim)


def _uneven_slope(t, dim, places, edge_order):
    """The same for uneven places: the slopes of the parabolas through three neighbours.

    At the ends it is, for edge_order 1, the slope of the line through two.
    """
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
