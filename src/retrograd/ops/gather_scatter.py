"""Reads and writes of single elements: along a dimension, and of the flattened tensor."""

from __future__ import annotations

from functools import wraps
from inspect import Parameter, cleandoc, signature

import numpy as np

from .. import _dtype
from .. import kernels as K
from .._state import features, state
from .._tensor import BATCHED, Tensor, wrap
from .._warnings import warn_once
from ..autograd.views import check_inplace
from ..kernels.gather_scatter import OTHER_NAMES
from . import samples as S
from .arguments import as_method as called_as_method
from .arguments import must_be, no_element
from .declare import F as T
from .declare import composite, op
from .describe import as_method
from .dims import wrap_dim
from .factory import check_number, fitting
from .formulas import missing
from .indexing import Indices
from .out import fill_checked
from .overlap import PARTIAL, same_memory
from .public import FUNCTIONS, METHODS, method, numpy_names, public


def ints(*numbers):
    return np.array(numbers, np.int64)


_PLACES = ints([0, 1, 1], [1, 1, 0])
SOURCE = np.arange(1.0, 7.0).reshape(2, 3) / 3


@composite
def zeros_of(g, shape):
    return wrap(np.zeros(shape, g._data.dtype))


@composite
def distinct(index):
    return wrap(np.unique(index._data))


@composite
def as_numbers(mask, g):
    return wrap(mask._data.astype(g._data.dtype))


def both_ways(prepare):
    """Make a public function and its in-place method of `prepare`.

    prepare(input, ...) checks its arguments and returns an operator's name with the arguments.
    """
    name = prepare.__name__

    @wraps(prepare)
    def function(*args, out=None, **kwargs):
        operator, arguments = prepare(*args, **kwargs)
        res = getattr(T, operator)(*arguments)
        return res if out is None else fill_checked(name, out, res, *arguments)

    @wraps(prepare)
    def in_place(*args, **kwargs):
        if args[0]._flags & (1 | BATCHED) == 1 and state.grad:       # PyTorch checks this first
            check_inplace(args[0])
        operator, arguments = prepare(*args, **kwargs)
        if operator == "index_fill_tensor":
            _check_no_overlap(*arguments[:2])
        elif operator not in ("masked_fill", "masked_fill_tensor"):
            _check_no_overlap(*arguments)
        return getattr(T, operator + "_")(*arguments)

    taken = signature(prepare)                   # the signature that errors compare calls with
    by_name = Parameter("out", Parameter.KEYWORD_ONLY, default=None)
    function.__signature__ = taken.replace(parameters=[*taken.parameters.values(), by_name])
    in_place.__name__ = in_place.__qualname__ = name + "_"
    _, _, example = cleandoc(prepare.__doc__ or "").rpartition(">>> ")
    in_place.__doc__ = (f"`{name}` in place: writes into `input` and returns it.\n"
                        + as_method(name, example))
    method(numpy_names(in_place))
    return public(numpy_names(function))


def _check_no_overlap(target, *arguments):
    """Raise if a tensor that is read shares memory with the one that is written."""
    written = target._data
    for a in arguments:
        if isinstance(a, Tensor):
            if same_memory(a._data, written) and np.may_share_memory(a._data, written):
                raise RuntimeError(PARTIAL)
        elif a.__class__ is Indices:
            _check_no_overlap(target, *a.tensors)


def check_real(value, input, message):
    """Raise for a complex number that real elements cannot take."""
    kind = value._data.dtype.kind if isinstance(value, Tensor) else "c" * isinstance(value, complex)
    if kind == "c" != input._data.dtype.kind:
        raise RuntimeError(message)


def check_element(value, input):
    """Raise if a tensor without dimensions has a number that the input's dtype cannot hold."""
    array, dtype = value._data, input._data.dtype
    if array.dtype != dtype and isinstance(array, np.ndarray) and not array.ndim:
        check_number(array.item(), _dtype.of(input._data))


def with_zeros(F, t, other):
    """The tangent `t`, or zeros as `other` if there is none."""
    return F.zeros_like(other) if t is None else t


# --------------------------------------------------------------------------- gather, scatter

op("gather(self, index | dim)", "GatherBackward0", public=False, samples=S.then((_PLACES, 0)),
    self = lambda F, g, self, index, dim:
               F.scatter_add(F.zeros_of(g, self.shape), index, g, dim),
    jvp  = lambda F, self, index, self_t, index_t, dim: F.gather(self_t, index, dim))

op("gather_sparsely(self, index | dim)", "GatherBackward0", public=False, kernel=K.gather,
    samples=list,  # no samples: the laws compare dense gradients; see tests/test_sparse.py
    self = lambda F, g, self, index, dim: F.gather_back(g, index, self.shape, dim),
    jvp  = lambda F, self, index, self_t, index_t, dim: F.gather(self_t, index, dim))

op("scatter(self, index, src | dim)", "ScatterBackward0", inplace=True, public=False,
    samples=S.then((ints([1, 0, 1]).reshape(1, 3), SOURCE, 0)),
    self = lambda F, g, index, dim: F.scatter_value(g, index, dim, 0),
    src  = lambda F, g, src_shape, index, dim: F.pad_end(F.gather(g, index, dim), src_shape),
    jvp  = lambda F, self, index, src, self_t, index_t, src_t, dim:
               F.scatter(with_zeros(F, self_t, self), index, with_zeros(F, src_t, src), dim))

op("scatter_value(self, index | dim, value)", "ScatterBackward1", inplace=True, public=False,
    samples=S.then((_PLACES, 0, 2.5)),
    self = lambda F, g, index, dim: F.scatter_value(g, index, dim, 0),
    jvp  = lambda F, self, index, self_t, index_t, dim, value:
               F.scatter_value(self_t, index, dim, 0))

op("scatter_add(self, index, src | dim)", "ScatterAddBackward0", inplace=True, public=False,
    samples=S.then((_PLACES, SOURCE, 0)),
    self = lambda F, g: g,
    src  = lambda F, g, src_shape, index, dim: F.pad_end(F.gather(g, index, dim), src_shape),
    jvp  = lambda F, self, index, src, self_t, index_t, src_t, dim:
               F.scatter_add(with_zeros(F, self_t, self), index, with_zeros(F, src_t, src), dim))


op("scatter_combine(self, index, src | dim, reduce)", "NotImplemented", inplace=True, public=False,
    samples=S.then(*[(_PLACES, SOURCE, 0, r) for r in ("add", "multiply")]),
    self = missing("scatter"),
    src  = missing("scatter"))

op("pad_end(self | shape)", "ConstantPadNdBackward0", public=False, samples=S.then(((4, 5),)),
    self = lambda F, g, self_shape: F.cut_start(g, self_shape),
    jvp  = "linear")

op("cut_start(self | shape)", "SliceBackward0", public=False, samples=S.then(((1, 2),)),
    self = lambda F, g, self_shape: F.pad_end(g, self_shape),
    jvp  = "linear")


def gathered(F, index, dim):
    """(read at index, add to places of index) for the two operators that reduce into places."""
    return (lambda t: F.gather(t, index, dim)), (lambda t, v: F.scatter_add(t, index, v, dim))


def reduce_gradient(F, g, need, self, index, src, result, dim, reduce, include_self):
    """Gradients of scatter_reduce: of self, None for index, and of the part of src that is used."""
    if reduce in OTHER_NAMES:
        raise RuntimeError("Expected 'reduce' to be one of 'sum', 'prod', 'mean', 'amax', 'amin' "
                           f"but got {reduce}.")
    if index.ndim and 0 in tuple(index.shape):
        return g, None, src * 0
    used = F.cut_start(src, tuple(index.shape))
    read, add = gathered(F, index, dim)
    if reduce == "sum":
        d_self, d_src = g, read(g)
    elif reduce == "mean":
        zero = F.zeros_of(g, tuple(self.shape))
        count = add(zero + 1 if include_self else zero, F.zeros_of(g, tuple(index.shape)) + 1)
        share = g / F.where(count == 0, 1, count)
        d_self, d_src = share, read(share)
    elif reduce == "prod":
        d_self, d_src = _product_gradient(F, g, self, index, used, result, dim, include_self)
    else:
        value = read(result)
        wins_self = F.as_numbers(self == result, g)
        wins_src = F.as_numbers(used == value, g)
        share = g / add(wins_self, wins_src)
        d_self, d_src = wins_self * share, wins_src * read(share)
    if not include_self:
        d_self = F.scatter_value(d_self, index, dim, 0)
    return d_self, None, F.pad_end(d_src, tuple(src.shape))


def _product_gradient(F, g, self, index, src, result, dim, include_self):
    """d(product) / d(factor) = product of the others, also where one factor is zero."""
    read, add = gathered(F, index, dim)
    whole_self = F.where(self == 0, 1, self)
    without_self = F.scatter_reduce(whole_self, index, src, dim, "prod", include_self)
    zero = src == 0
    zeros = read(add(F.zeros_of(g, tuple(self.shape)), F.as_numbers(zero, g)))
    only = F.where(zero, zeros, 0) == 1
    without_zero = F.scatter_reduce(
        self, index, F.where(only, 1, src), dim, "prod", include_self)
    d_src = F.where(only, read(g * without_zero), read(g * result) / F.where(zero, 1, src))
    return g * without_self / whole_self, _once(F.where(zeros > 1, 0, d_src), zeros)


def _once(d_src, zeros):
    """d_src, whose second derivative is refused where several zeros meet at one place."""
    if isinstance(d_src, Tensor) and d_src._flags == 1 and state.grad and bool((zeros > 1).any()):
        from ..autograd.once import delayed_error
        (d_src,) = delayed_error(
            "scatter_reduce(): Double backward is unsupported for src when >1 zeros in src are "
            "scattered to the same position in self", [d_src])
    return d_src


def reduce_coefficients(F, self, index, src, result, dim, reduce, include_self):
    """d result / d self and / d src in one pass, since each element enters one result."""
    ones = F.zeros_like(result) + 1
    d_self, _, d_src = reduce_gradient(F, ones, (True, False, True), self, index, src, result, dim,
                                       reduce, include_self)
    return d_self, d_src


def scatter_reduce_tangent(F, self, index, src, result, self_t, src_t, dim, reduce, include_self):
    d_self, d_src = reduce_coefficients(F, self, index, src, result, dim, reduce, include_self)
    moved = d_self * with_zeros(F, self_t, self)
    return moved if src_t is None else F.scatter_add(moved, index, d_src * src_t, dim)


op("scatter_reduce(self, index, src | dim, reduce, include_self=True)", "ScatterReduceBackward0",
    inplace=True, public=False, of_complex=False,
    samples=S.then(*[(_PLACES, SOURCE, 0, r, i) for r in ("sum", "prod", "mean", "amax", "amin")
                    for i in (True, False)]),
    joint = reduce_gradient, shown=(0, 2),
    jvp   = scatter_reduce_tangent)


@composite
def gather_back(g, index, shape, dim):
    """The gradient of gather() as a sparse tensor; recorded."""
    from ..kernels.gather_scatter import gather_back
    listed = gather_back(g._data, index._data, shape, dim)
    return T.coo(T.reshape(g, (-1,)), listed.indices, shape)


@public
@numpy_names
def gather(input, dim, index, *, sparse_grad=False, out=None):
    """One element for each index: `out[i][j] = input[index[i][j]][j]` for dim 0.

    The result has the shape of index (int64), which has the number of dimensions of input. The
    gradient is added up where an element is read several times. Raises RuntimeError for an index
    that is out of range, not int64, or has another number of dimensions.

    >>> import retrograd as torch
    >>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[0], [1]]))
    tensor([[1],
            [4]])
    """
    if sparse_grad:
        from .sparse import arm
        arm()
    gathered = T.gather_sparsely if sparse_grad else T.gather
    res = gathered(input, index, wrap_dim(dim, input._data.ndim))
    return res if out is None else fill_checked("gather", out, res, input, index)


@both_ways
def scatter(input, dim, index, src=None, *, value=None, reduce=None):
    """A copy of input with `out[index[i][j]][j] = src[i][j]` (for dim 0); src may be a number.

    `index` names places along `dim`; it is at most as large as src, and as input in the other
    dimensions. Where a place is named twice, any of the values may remain. `reduce` "add" or
    "multiply" combines instead (not differentiable, as in PyTorch). Raises RuntimeError for sizes
    or indices that do not fit.

    >>> import retrograd as torch
    >>> torch.scatter(torch.zeros(2, 2), 1, torch.tensor([[1], [0]]), 5.)
    tensor([[0., 5.],
            [5., 0.]])
    """
    source = value if src is None else src
    dim = wrap_dim(dim, input._data.ndim)
    if reduce is None and isinstance(source, Tensor):
        return "scatter", (input, index, source, dim)
    if not isinstance(source, Tensor):
        source = fitting(source, input, "scatter")
    if reduce is None:
        return "scatter_value", (input, index, dim, source)
    if reduce not in ("add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    if isinstance(source, Tensor):
        warn_once("The reduce argument of torch.scatter with Tensor src is deprecated and will be "
                  "removed in a future PyTorch release. Use torch.scatter_reduce instead for more "
                  "reduction options.")
    else:
        source = wrap(np.full(index._data.shape, source, input._data.dtype))
    return "scatter_combine", (input, index, source, dim, reduce)


@both_ways
def scatter_add(input, dim, index, src):
    """A copy of input with `out[index[i][j]][j] += src[i][j]` (for dim 0).

    Places that are named several times get all their sums. Sizes are those of scatter(). The
    gradient of src is gather() of what arrives. Raises RuntimeError for sizes, dtypes or indices
    that do not fit.

    >>> import retrograd as torch
    >>> torch.scatter_add(torch.zeros(2), 0, torch.tensor([0, 0, 1]), torch.ones(3))
    tensor([2., 1.])
    """
    return "scatter_add", (input, index, src, wrap_dim(dim, input._data.ndim))


@both_ways
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    """scatter() that combines the values at each place by "sum", "prod", "mean", "amax" or "amin".

    Without include_self the values of input at those places do not count; others stay. Equal
    largest (or smallest) values share the gradient. Raises RuntimeError for sizes or dtypes that do
    not fit.

    >>> import retrograd as torch
    >>> torch.scatter_reduce(torch.zeros(2), 0, torch.tensor([0, 0]), torch.ones(2), "sum")
    tensor([2., 0.])
    """
    dim = wrap_dim(dim, input._data.ndim)
    return "scatter_reduce", (input, index, src, dim, reduce, include_self)


@public
@numpy_names
def take_along_dim(input, indices, dim=None, *, out=None):
    """out[i][j] = input[i][indices[i][j]] (for dim 1): gather() of tensors that broadcast.

    They broadcast in all dimensions but `dim`. It takes what argsort() or argmax(keepdim=True)
    returns. Without dim both are flattened first. Raises RuntimeError unless indices are int64.

    >>> import retrograd as torch
    >>> torch.take_along_dim(torch.tensor([[1, 2], [3, 4]]), torch.tensor([[1], [0]]), dim=1)
    tensor([[2],
            [3]])
    """
    kind = indices._data.dtype
    if dim is None and kind not in (np.int64, np.int32):
        raise RuntimeError("gather(): Expected dtype int32/int64 for index")
    if dim is not None and kind != np.int64 and input._data.ndim == indices._data.ndim:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got "
                           f"{_dtype.of(indices._data).tensor_name}")
    if dim is None:
        res = T.gather(input.reshape(-1), indices.reshape(-1), 0)
    else:
        from ..kernels.gather_scatter import along_dim_shapes
        grown, wanted = along_dim_shapes(input._data.shape, indices._data.shape, dim)
        indices = T.remainder_scalar(indices, grown[dim]) if grown[dim] else indices
        res = T.gather(T.expand(input, grown), T.expand(indices, wanted),
                       wrap_dim(dim, len(grown)))
    return res if out is None else fill_checked("take_along_dim", out, res, input)


# --------------------------------------------------------------------------- the flattened tensor

op("take(self, index)", "TakeBackward0", public=False, samples=S.then((ints([1, 0], [1, 4]),)),
    self = lambda F, g, self, index:
               F.put(F.zeros_of(g, self.shape), index, g, True),
    jvp  = lambda F, self, index, self_t, index_t: F.take(self_t, index))

op("put(self, index, source | accumulate)", "PutBackward0", inplace=True, public=False,
    samples=S.then((ints(1, 4), SOURCE[0, :2], False), (ints(1, 1), SOURCE[0, :2], True)),
    self   = lambda F, g, source_shape, index, accumulate:
                 g if accumulate else F.put(g, index, F.zeros_of(g, source_shape), False),
    source = lambda F, g, source, index: F.reshape(F.take(g, index), source.shape),
    jvp    = lambda F, self, index, source, self_t, index_t, source_t, accumulate:
                 F.put(with_zeros(F, self_t, self), index,
                       with_zeros(F, source_t, source), accumulate))


@public
def take(input, index, *, out=None):
    """Elements of the flattened input: out[i] = input.flatten()[index[i]], of the shape of index.

    Negative indices count from the end. Elements that are taken several times get the sum of their
    gradients. Raises IndexError for an index out of range.

    >>> import retrograd as torch
    >>> torch.take(torch.tensor([[1, 2], [3, 4]]), torch.tensor([0, 3]))
    tensor([1, 4])
    """
    res = T.take(input, index)
    return res if out is None else fill_checked("take", out, res, input, index)


@both_ways
def put(input, index, source, accumulate=False):
    """A copy of input with `out.flatten()[index] = source`, or += source with accumulate.

    index and source have equally many elements. Raises IndexError where they do not, and for an
    index out of range.

    >>> import retrograd as torch
    >>> torch.put(torch.zeros(2, 2), torch.tensor([3]), torch.tensor([9.]))
    tensor([[0., 0.],
            [0., 9.]])
    """
    return "put", (input, index, source, accumulate)


def _mapped(function, in_place):
    """index_put inside vmap, where indices can differ from slice to slice."""
    @wraps(function)
    def put(input, indices, values, accumulate=False, **options):
        if features.vmap:
            from . import mapped_index
            if mapped_index.differ(indices):
                other = mapped_index.index_put_ if in_place else mapped_index.index_put
                return other(input, indices, values, accumulate)
        return function(input, indices, values, accumulate, **options)
    return put


def _fills(indices, values):
    """Whether one number is written at a mask: masked_fill(), which takes it of any dtype."""
    return values._data.size == 1 and len(indices) == 1 and indices[0]._data.dtype.kind == "b"


@both_ways
def index_put(input, indices, values, accumulate=False):
    """A copy of input with `out[indices] = values`, or += values with accumulate.

    `indices` is a tuple of tensors, one for each of the first dimensions; values broadcast to the
    shape of what they replace. Where a place is named twice without accumulate, any value may
    remain. Raises IndexError for an index out of range, RuntimeError for values of another dtype or
    a shape that does not fit.

    >>> import retrograd as torch
    >>> torch.index_put(torch.zeros(2), (torch.tensor([1]),), torch.tensor([5.]))
    tensor([0., 5.])
    """
    if not isinstance(indices, (tuple, list)):
        raise must_be("tuple of Tensors", "index_put", "indices", 2, indices, 3)
    if not indices:
        raise RuntimeError("sym_strides() called on an undefined Tensor")
    for k, index in enumerate(indices):
        if not isinstance(index, Tensor):
            raise no_element(k, 1 - called_as_method(3 + accumulate), index)
    if not accumulate and _fills(indices, values):
        if values._data.ndim > 1:
            values = values.reshape(1)
        if values._data.dtype != input._data.dtype:
            check_number(values._data.item(), _dtype.of(input._data))
            values = values.to(_dtype.of(input._data))
    # write_at, with its gradients, is declared in indexing.py; x[indices] = values ends there too
    return "write_at", (input, values, Indices(list(indices)), accumulate)


FUNCTIONS["index_put"] = METHODS["index_put"] = index_put = _mapped(index_put, False)
FUNCTIONS["index_put_"] = METHODS["index_put_"] = _mapped(METHODS["index_put_"], True)
