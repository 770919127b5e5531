"""Order: sorting, selection, unique values, searching."""

from __future__ import annotations

import numpy as np

from .. import kernels as K
from .._tensor import Tensor, wrap
from .._warnings import warn_once
from . import mapped_search
from . import samples as S
from .arguments import must_be
from .declare import F as T
from .declare import op
from .dims import whole, wrap_dim
from .factory import number
from .formulas import underived
from .mapped import each_slice, elementwise, is_batched
from .out import fill_checked, given, given_pair
from .public import numpy_names, public
from .support import unobserved


def _value_at(F, indices, self_t, dim, keepdim=True):
    """Forward mode of a selection: the tangent where the value came from."""
    if self_t.ndim == 0:
        return self_t
    if keepdim:
        return F.gather(self_t, indices, dim)
    return F.squeeze_dim(F.gather(self_t, F.unsqueeze(indices, dim), dim), dim)


def _back(F, g, self_shape, indices, dim, keepdim=True):
    """Put the gradient of selected values back where they came from."""
    if not self_shape:
        return g
    if not keepdim:
        g, indices = F.unsqueeze(g, dim), F.unsqueeze(indices, dim)
    return F.scatter_add(F.zeros_of(g, self_shape), indices, g, dim)


def spread_evenly(F, g, self, result):
    """g, divided among the elements that equal the result (that are nan if it is)."""
    same = (self == result) | (F.isnan(self) & F.isnan(result))
    return F.where(same, g / F.sum_all(F.as_numbers(same, g)), 0)


# --------------------------------------------------------------------------- declarations

for _name, _node in (("sort", "SortBackward0"), ("sort_stable", "SortBackward1")):
    op(f"{_name}(self | dim, descending)", _node, public=False, kernel="sort",
        outputs=("values", "indices"), nondiff=("indices",),
        samples=S.rows((1, False), (0, True)),
        self = lambda F, g, self_shape, indices, dim: _back(F, g, self_shape, indices, dim),
        jvp  = lambda F, self, values, indices, self_t, dim:
                   _value_at(F, indices, self_t, dim))

op("topk(self | k, dim, largest, sorted)", "TopkBackward0", public=False,
    outputs=("values", "indices"), nondiff=("indices",),
    samples=S.rows((2, 1, True, True), (1, 0, False, True)),
    self = lambda F, g, self_shape, indices, dim: _back(F, g, self_shape, indices, dim),
    jvp  = lambda F, self, values, indices, self_t, dim:
               _value_at(F, indices, self_t, dim))

op("kthvalue(self | k, dim, keepdim)", "KthvalueBackward0", public=False,
    outputs=("values", "indices"), nondiff=("indices",),
    samples=S.rows((2, 1, False), (1, 0, True)),
    self = lambda F, g, self_shape, indices, dim, keepdim:
               _back(F, g, self_shape, indices, dim, keepdim),
    jvp  = lambda F, self, values, indices, self_t, dim, keepdim:
               _value_at(F, indices, self_t, dim, keepdim))

for _name, _node in (("median_dim", "MedianBackward1"), ("nanmedian_dim", "NanmedianBackward1"),
                     ("mode", "ModeBackward0")):
    op(f"{_name}(self | dim, keepdim)", _node, public=False,
        outputs=("values", "indices"), nondiff=("indices",), samples=S.rows((1, False), (0, True)),
        self = lambda F, g, self_shape, indices, dim, keepdim:
                   _back(F, g, self_shape, indices, dim, keepdim),
        jvp  = lambda F, self, values, indices, self_t, dim, keepdim:
                   _value_at(F, indices, self_t, dim, keepdim))

op("median(self)", "MedianBackward0", public=False, samples=S.singles,
    self = lambda F, g, self, result: spread_evenly(F, g, self, result),
    jvp  = lambda F, self, result, self_t: F.sum_all(spread_evenly(F, self_t, self, result)))

op("nanmedian(self)", "NanmedianBackward0", public=False, samples=S.singles,
    self = lambda F, g, self, result: spread_evenly(F, g, self, result),
    jvp  = lambda F, self, result, self_t: F.sum_all(spread_evenly(F, self_t, self, result)))


# --------------------------------------------------------------------------- sorting

@public
@numpy_names
def sort(input, dim=-1, descending=False, *, stable=None, out=None):
    """(values, indices) of input sorted along dim, so that values[i] = input[indices[i]].

    The indices are int64, and the gradient goes to the elements they name. nan comes after every
    number. Equal elements keep their order, with or without `stable`. Raises IndexError for a
    dimension out of range.

    >>> import retrograd as torch
    >>> torch.sort(torch.tensor([3., 1., 2.])).indices
    tensor([1, 2, 0])
    """
    dim = wrap_dim(dim, input._data.ndim)
    ordered = T.sort if stable is None else T.sort_stable
    return given_pair("sort", ordered(input, dim, bool(descending)), out, input)


@public
@numpy_names
def argsort(input, dim=-1, descending=False, *, stable=False, out=None):
    """The indices along dim that would sort input: int64, in the shape of input.

    Equal elements keep their order, and nan counts as the largest value. Raises RuntimeError for
    complex numbers.

    >>> import retrograd as torch
    >>> torch.argsort(torch.tensor([3., 1., 2.]))
    tensor([1, 2, 0])
    """
    dim = wrap_dim(dim, input._data.ndim)
    return given("argsort", T.sort(input, dim, bool(descending))[1], out)


@public
def msort(input, *, out=None):
    """The elements of input sorted along its first dimension: sort(input, 0)[0].

    The gradient goes back to where the elements came from. Raises RuntimeError for complex numbers.

    >>> import retrograd as torch
    >>> torch.msort(torch.tensor([[3., 1.], [1., 2.]]))
    tensor([[1., 1.],
            [3., 2.]])
    """
    if not isinstance(input, Tensor):
        raise must_be("Tensor", "msort", "input", 1, input)
    res = sort(input, 0)[0]
    return res if out is None else fill_checked("msort", out, res, input)


@public
@numpy_names
def topk(input, k, dim=-1, largest=True, sorted=True, *, out=None):
    """(values, indices) of the k largest elements along dim, or of the k smallest.

    Both have size k in dim. The indices are int64, and the gradient goes to the elements they name.
    nan counts as largest. Raises RuntimeError for a k larger than the dimension.

    >>> import retrograd as torch
    >>> torch.topk(torch.tensor([3., 1., 2.]), 2)
    torch.return_types.topk(
    values=tensor([3., 2.]),
    indices=tensor([0, 2]))
    """
    if isinstance(dim, bool):
        raise must_be("int", "topk", "dim", 2, dim)
    dim = wrap_dim(dim, input._data.ndim)
    return given_pair("topk", T.topk(input, whole(k), dim, bool(largest), bool(sorted)), out,
                      input)


@public
@numpy_names
def kthvalue(input, k, dim=-1, keepdim=False, *, out=None):
    """(values, indices) of the k-th smallest element along dim, k counted from 1.

    Both lack the dimension, or have it with size 1 (`keepdim`); indices is int64. Of equal elements
    the first is named, nan counts as the largest. The gradient goes to the elements that are named.
    Raises RuntimeError unless 1 <= k <= the size, IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.kthvalue(torch.tensor([3., 1., 2.]), 2)
    torch.return_types.kthvalue(
    values=tensor(2.),
    indices=tensor(2))
    """
    dim = wrap_dim(dim, input._data.ndim)
    return given_pair("kthvalue", T.kthvalue(input, k, dim, bool(keepdim)), out, input)


@public
@numpy_names
def median(input, dim=None, keepdim=False, *, out=None):
    """The median of all elements, or (values, indices) of the medians along dim.

    Of an even number of elements it is the lower of the two middle ones. With `keepdim` the
    dimension stays, with size 1. A nan anywhere gives nan. The gradient goes to the element that is
    the median; without dim, equal ones share it. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.median(torch.tensor([3., 1., 2., 4.]))
    tensor(2.)
    """
    return _median("median", input, dim, keepdim, out)


@public
@numpy_names
def nanmedian(input, dim=None, keepdim=False, *, out=None):
    """median() of the elements that are not nan; nan where all are.

    Arguments and results are those of median(). Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.nanmedian(torch.tensor([3., float("nan"), 1.]))
    tensor(1.)
    """
    return _median("nanmedian", input, dim, keepdim, out)


def _median(name, input, dim, keepdim, out):
    """`name` is that of the operator over all elements; the other's ends in _dim."""
    if dim is None:
        if keepdim:
            raise TypeError(f'{name}() missing 1 required positional arguments: "dim"')
        res = getattr(T, name)(input)
        return res if out is None else fill_checked(name, out, res)
    dim = wrap_dim(dim, input._data.ndim)
    return given_pair(name, getattr(T, name + "_dim")(input, dim, bool(keepdim)), out)


@public
@numpy_names
def mode(input, dim=-1, keepdim=False, *, out=None):
    """(values, indices) of the most frequent value along dim; of several the smallest.

    Both lack the dimension, or have it with size 1 (`keepdim`); indices is int64. The gradient goes
    to the elements that are named. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.mode(torch.tensor([1, 3, 3, 2]))
    torch.return_types.mode(
    values=tensor(3),
    indices=tensor(2))
    """
    dim = wrap_dim(dim, input._data.ndim)
    return given_pair("mode", T.mode(input, dim, bool(keepdim)), out, input)


# --------------------------------------------------------------------------- quantiles

_INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


@public
@numpy_names
def quantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """The q-quantiles of all elements, or along dim, for a number q in [0, 1] or a vector of such.

    Of n sorted elements it is the one at q (n - 1), counted from 0, where `interpolation` between
    two neighbours is "linear", "lower", "higher", "midpoint" or "nearest". The result has the shape
    of q and then the remaining dimensions (with `keepdim` also dim, of size 1). nan anywhere gives
    nan. Raises RuntimeError for integers, for two dtypes, and for a q outside [0, 1].

    >>> import retrograd as torch
    >>> torch.quantile(torch.tensor([0., 1., 2., 3.]), 0.5)
    tensor(1.5000)
    """
    if is_batched(q):
        return each_slice(quantile, input, q, dim, keepdim, interpolation=interpolation)
    res = _quantile(input, q, dim, keepdim, interpolation, False)
    return res if out is None else fill_checked("quantile", out, res)


@public
@numpy_names
def nanquantile(input, q, dim=None, keepdim=False, *, interpolation="linear", out=None):
    """quantile() of the elements that are not nan; nan where all are.

    Arguments, results and errors are those of quantile().

    >>> import retrograd as torch
    >>> torch.nanquantile(torch.tensor([0., float("nan"), 2.]), 0.5)
    tensor(1.)
    """
    if is_batched(q):
        return each_slice(nanquantile, input, q, dim, keepdim, interpolation=interpolation)
    res = _quantile(input, q, dim, keepdim, interpolation, True)
    return res if out is None else fill_checked("nanquantile", out, res)


def _check_quantile(input, q, dim, interpolation):
    """Refuse what quantile and nanquantile do not take; both speak of quantile(). The first of
    several mistakes is told that PyTorch looks for first."""
    of_tensor = isinstance(q, Tensor)
    if not of_tensor and not 0 <= q <= 1:
        raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
    if interpolation not in _INTERPOLATIONS:
        raise RuntimeError("quantile() interpolation must be one of linear, lower, higher, "
                           f"midpoint or nearest, but got {interpolation}")
    if not input._data.size:
        raise RuntimeError("quantile() input tensor must be non-empty")
    if of_tensor and q._data.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if input._data.dtype not in (np.float32, np.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if of_tensor and q._data.dtype != input._data.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if dim is not None:
        wrap_dim(dim, input._data.ndim)
    if of_tensor and not ((q._data >= 0) & (q._data <= 1)).all():
        raise RuntimeError("quantile() q values must be in the range [0, 1]")


def _quantile(input, q, dim, keepdim, interpolation, skip_nan):
    """quantile() or, with skip_nan, nanquantile(): sort the rows, then look between elements."""
    _check_quantile(input, q, dim, interpolation)
    shape = input._data.shape
    if dim is not None:
        dim = wrap_dim(dim, len(shape))
    if dim is None or not shape:
        rows, kept = input.flatten(), (1,) * len(shape)
    else:
        rows = input if dim == len(shape) - 1 else input.unsqueeze(-1).transpose(dim, -1)
        kept = shape[:dim] + (1,) + shape[dim + 1:]
    if not keepdim:
        kept = () if dim is None else shape[:dim] + shape[dim + 1:]
    many = isinstance(q, Tensor) and q._data.ndim == 1
    fractions = q.reshape(-1) if isinstance(q, Tensor) else wrap(np.array([q], rows._data.dtype))
    how = rows._data.dtype, interpolation, skip_nan
    # nobody needs to know where the values came from
    if unobserved(rows._flags | fractions._flags):
        ordered = np.sort(rows._data, -1)
        ordered = ordered.reshape((*kept, ordered.shape[-1]))
        values = wrap(_between(K, ordered, fractions._data, *how))
    else:
        ordered = T.sort(rows, rows._data.ndim - 1, False)[0]
        ordered = ordered.view((*kept, ordered._data.shape[-1]))
        values = _between(T, ordered, fractions, *how)
    if many:
        values = values.unsqueeze_(0).transpose_(0, -1)               # (.., q) -> (q, .., 1)
    return T.unsafe_squeeze(values, values._data.ndim - 1)


def _between(F, ordered, fractions, dtype, interpolation, skip_nan):
    """Quantiles of each row, found between its sorted elements: (.., n), (q,) -> (.., q)."""
    last_dim, last = ordered.ndim - 1, float(ordered.shape[-1] - 1)
    if skip_nan:
        nans = F.sum_dim(F.cast(F.isnan(ordered), dtype), (last_dim,), True)
        rank = fractions * F.clamp_min_number(last - nans, 0.0)
    else:
        rank = F.where(F.isnan(ordered[..., -1:]), last, fractions * last)
    if interpolation in ("lower", "higher", "nearest"):
        near = {"lower": F.floor, "higher": F.ceil, "nearest": F.round}[interpolation](rank)
        return F.gather(ordered, F.cast(near, np.dtype(np.int64)), last_dim)
    below, above = F.floor(rank), F.ceil(rank)
    weight = rank - below if interpolation == "linear" else below * 0 + 0.5
    at, next_at = (F.gather(ordered, F.cast(k, np.dtype(np.int64)), last_dim)
                   for k in (below, above))
    return F.lerp(at, next_at, weight)


# --------------------------------------------------------------------------- unique values

# PyTorch records these and has no derivative for them
for _name, _node in (("unique2", "Unique2Backward0"), ("unique_dim", "UniqueDimBackward0")):
    op(f"{_name}(self | dim)", _node, public=False, outputs=("values", "inverse", "counts"),
        nondiff=("inverse", "counts"), samples=lambda: [(np.array([[1.0, 1, 2], [1, 1, 2]]), 0)],
        kernel=lambda a, dim: K.unique(a, dim),
        self = underived("_unique2" if _name == "unique2" else _name))

op("unique_consecutive(self | dim, with_inverse, with_counts)", "UniqueConsecutiveBackward0",
    public=False, outputs=("values", "inverse", "counts"), nondiff=("inverse", "counts"),
    samples=lambda: [(np.array([[1.0, 1, 2], [1, 1, 2]]), 0, True, True)],
    self = underived("unique_consecutive"))


@public
@numpy_names
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    """The different elements of a tensor, or slices along dim, in ascending order.

    With return_inverse also, in the shape of input, which of them each element is; with
    return_counts how often each occurs. Not differentiable. Raises IndexError for a dimension out
    of range.

    >>> import retrograd as torch
    >>> torch.unique(torch.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    name = "unique2" if dim is None else "unique_dim"
    _check_flags("_unique2" if dim is None else name, sorted=sorted, return_inverse=return_inverse,
                 return_counts=return_counts)
    if not (dim is None or hasattr(dim, "__index__")):
        raise must_be("int", name, "dim", 2, dim, handed_on=True)
    _check_has_dim(input, dim)
    return _chosen(getattr(T, name)(input, dim), return_inverse, return_counts)


@public
@numpy_names
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    """The first of each run of equal elements of the flattened tensor, or of slices along dim.

    With return_inverse also which run each element is in, with return_counts how long each is. Not
    differentiable. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.unique_consecutive(torch.tensor([1, 1, 2, 1]))
    tensor([1, 2, 1])
    """
    _check_flags("unique_consecutive", return_inverse=return_inverse, return_counts=return_counts)
    if not (dim is None or hasattr(dim, "__index__")):
        raise must_be("int", "unique_consecutive", "dim", None, dim)
    _check_has_dim(input, dim)
    found = T.unique_consecutive(input, dim, bool(return_inverse), bool(return_counts))
    return _chosen(found, return_inverse, return_counts)


@public(method=False)
def _unique(input, sorted=True, return_inverse=False):
    """(the distinct elements, where each element went or nothing): unique()'s older form."""
    values, inverse, _ = T.unique2(input, None)
    return values, inverse if return_inverse else wrap(np.empty(0, np.int64))


def _check_has_dim(input, dim):
    if dim is not None and not input._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")


def _check_flags(name, **flags):
    for key, value in flags.items():
        if not isinstance(value, (bool, np.bool_)):
            raise must_be("bool", name, key, None, value)


def _chosen(found, return_inverse, return_counts):
    values, inverse, counts = found
    made = (values, *[inverse] * bool(return_inverse), *[counts] * bool(return_counts))
    return made if len(made) > 1 else values


# --------------------------------------------------------------------------- searching

def _warn_not_contiguous(boundaries, values):
    for name, t in (("boundary", boundaries), ("input value", values)):
        if not t._data.flags.c_contiguous:
            warn_once(
                f"torch.searchsorted(): {name} tensor is non-contiguous, this will lower the "
                "performance due to extra data copy when converting non-contiguous tensor to "
                f"contiguous, please use contiguous {name} tensor if possible. This message will "
                "only appear once per program.")


@public(method=False)
@elementwise(1, otherwise=mapped_search.search, unless=lambda rows, *_: rows._data.ndim > 1)
def searchsorted(sorted_sequence, input, *, out_int32=False, right=False, side=None, sorter=None,
                 out=None):
    """Where each value has to be inserted in sorted_sequence, along its last dimension.

    It is the first place i with sequence[i - 1] < value <= sequence[i]; with right=True
    (side="right") the last with sequence[i - 1] <= value < sequence[i]. (*, n) and (*, m) ->
    (*, m), or a vector and any shape. The result is int64, or int32 with out_int32. `sorter` sorts
    an unsorted sequence. Raises RuntimeError for shapes that do not fit.

    >>> import retrograd as torch
    >>> torch.searchsorted(torch.tensor([1, 3, 5]), torch.tensor([3, 4]))
    tensor([1, 2])
    """
    if not isinstance(input, Tensor):
        input = wrap(np.asarray(number("searchsorted", "self", input, 2)))
    _warn_not_contiguous(sorted_sequence, input)
    order = None if sorter is None else sorter._data
    found = K.searchsorted(sorted_sequence._data, input._data, right, side, order)
    res = wrap(found.astype(np.int32) if out_int32 else found)
    return res if out is None else fill_checked("searchsorted", out, res)


@public(method=False)
@elementwise(0, otherwise=lambda function, pairs, kwargs, level:
             mapped_search.search(searchsorted, pairs[::-1], kwargs, level))
def bucketize(input, boundaries, *, out_int32=False, right=False, out=None):
    """The k with boundaries[k - 1] < x <= boundaries[k] for each x of input, in its shape.

    boundaries is a sorted vector. With `right` it is boundaries[k - 1] <= x < boundaries[k]. The
    result is int64, or int32 with `out_int32`. Raises RuntimeError unless boundaries has one
    dimension.

    >>> import retrograd as torch
    >>> torch.bucketize(torch.tensor([1, 5]), torch.tensor([0, 3, 6]))
    tensor([1, 2])
    """
    if not isinstance(input, Tensor):
        input = wrap(np.asarray(input))
    _warn_not_contiguous(boundaries, input)
    found = K.bucketize(input._data, boundaries._data, right)
    res = wrap(found.astype(np.int32) if out_int32 else found)
    return res if out is None else fill_checked("bucketize", out, res)
