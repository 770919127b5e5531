"""Sums, means, products, norms and counts over dimensions.

Over all dimensions and over some of them are two operators (sum_all, sum_dim), since they are two
nodes in PyTorch's graph (SumBackward0, SumBackward1). On the way back the gradient is spread over
what was reduced: `restored` gives it the lost dimensions again, with size 1, and F.expand, or
arithmetic that broadcasts, does the rest.
"""

from __future__ import annotations

import math
from operator import mul, truediv

import numpy as np

from .. import _dtype
from .._dtype import promote_types
from .._state import state
from .._tensor import BATCHED, Tensor, wrap
from .._torch_function import meets_a_foreign_class
from ..kernels import reduce as K
from ..kernels.reduce import count_over
from . import samples as S
from .arguments import must_be, no_input
from .convert import to_dtype
from .declare import F as T
from .declare import composite, op
from .dims import axes, sizes, wrap_dim, wrap_dims
from .factory import number
from .formulas import beside, both, restored, shared_out
from .mistyped import of_call
from .out import fill_checked, reduced_into
from .public import method, native, numpy_names, public
from .support import need_tensors

# --------------------------------------------------------------------------- sums and means

op("sum_all(self | dtype=None)", "SumBackward0", public=False, samples=S.singles,
    self = lambda F, g, self_shape: F.expand(g, self_shape),
    jvp  = "linear")

op("sum_dim(self | dim, keepdim, dtype=None)", "SumBackward1", public=False, samples=S.reductions,
    contiguous=True,
    self = lambda F, g, self_shape, dim, keepdim:
               F.expand(restored(F, g, dim, keepdim), self_shape),
    jvp  = "linear")

op("mean_all(self)", "MeanBackward0", public=False, samples=S.distinct,
    self = lambda F, g, self_shape: shared_out(F, g, self_shape, math.prod(self_shape)),
    jvp  = "linear")

op("mean_dim(self | dim, keepdim)", "MeanBackward1", public=False, samples=S.reductions,
    contiguous=True,
    self = lambda F, g, self_shape, dim, keepdim:
               shared_out(F, restored(F, g, dim, keepdim), self_shape,
                          count_over(self_shape, dim)),
    jvp  = "linear")

op("nansum(self | dim, keepdim, dtype=None)", "NansumBackward0", public=False, contiguous=True,
    samples=S.reductions,
    self = lambda F, g, self, dim, keepdim:
               F.where(F.isnan(self), 0, restored(F, g, dim, keepdim)),
    jvp  = lambda F, self, self_t, dim, keepdim:
               F.sum_dim(F.where(F.isnan(self), 0, self_t), dim, keepdim))

# --------------------------------------------------------------------------- products

op("prod_all(self | dtype=None)", "ProdBackward0", public=False, samples=S.products,
    self = lambda F, g, self, result: F.prod_share(g, self, result),
    jvp  = lambda F, self, self_t, result: F.sum_all(self_t * F.prod_others(self, result, None)))

op("prod_dim(self | dim, keepdim, dtype=None)", "ProdBackward1", public=False, contiguous=True,
    samples=S.products_along_dim,
    self = lambda F, g, self, result, dim, keepdim:
               restored(F, g, dim, keepdim) * F.conj(F.prod_others(self, result, dim)),
    jvp  = lambda F, self, self_t, result, dim, keepdim:
               F.sum_dim(self_t * F.prod_others(self, result, dim), dim, keepdim))

# --------------------------------------------------------------------------- norms

# the second is what PyTorch's pairwise_distance records
for _name, _grad_fn in (("linalg_vector_norm", "LinalgVectorNormBackward0"),
                        ("norm_dim", "NormBackward1")):
    op(f"{_name}(self | ord, dim, keepdim)", _grad_fn, public=False, contiguous=True,
       kernel="linalg_vector_norm",
       samples=lambda: [(*s[:1], p, *s[1:]) for s in S.reductions()
                        for p in (2, 1, 3, 0.5, 1.5, 0, math.inf, -math.inf)],
       self = lambda F, g, self, result, ord, dim, keepdim: None if ord == 0 else norm_gradient(
                  F, restored(F, g, dim, keepdim), self, ord, restored(F, result, dim, keepdim),
                  dim),
       jvp  = lambda F, self, self_t, result, ord, dim, keepdim: F.sum_dim(
                  F.real(F.conj(norm_gradient(F, None, self, ord, restored(F, result, dim, keepdim),
                                              dim)) * self_t), dim, keepdim))

op("dist(self, other | p)", "DistBackward0", broadcasts=True, public=False,
    samples=lambda: [(a, b, p) for a, b in S.pairs()[:2] for p in (2, 1, 3)],
    self  = lambda F, g, self, other, result, p: norm_gradient(
                F, g, self - other, p, result, None),
    other = lambda F, g, self, other, result, p: -norm_gradient(
                F, g, self - other, p, result, None),
    jvp   = lambda F, self, other, self_t, other_t, result, p: F.sum_all(
                norm_gradient(F, None, self - other, p, result, None)
                * both(self_t, None if other_t is None else -other_t)))

op("logsumexp(self | dim, keepdim)", "LogsumexpBackward0", floats=True, public=False,
    contiguous=True,
    samples=S.reductions,
    self = lambda F, g, self, result, dim, keepdim: restored(F, g, dim, keepdim)
               * F.conj(F.exp(self - restored(F, result, dim, keepdim))),
    jvp  = lambda F, self, self_t, result, dim, keepdim: F.sum_dim(
               self_t * F.exp(self - restored(F, result, dim, keepdim)), dim, keepdim))


def norm_gradient(F, g, x, p, norm, dim):
    """d (sum |x|^p)^(1/p) as PyTorch chooses it at zeros and ties; g None means 1."""
    g = F.ones_like(norm) if g is None else g
    if p == 0:
        return F.zeros_like(x)
    if p == 1:
        return F.sgn(x) * g
    if p == 2:
        ratio = beside(truediv, x, F.where(norm == 0, math.inf, norm))      # 0 where the norm is 0
        return beside(mul, ratio, g)
    if math.isinf(p):
        size = F.abs(x)
        mask = F.same(size, norm)
        weights = F.mask_as(mask, size)
        total = F.sum_all(weights) if dim is None else F.sum_dim(weights, dim, True)
        return F.sgn(x) * F.where(mask, g / total, 0)
    if p < 1:
        slope = F.where(x == 0, 0, F.sgn(x) * F.pow_scalar(F.abs(x), p - 1))
        return slope * g * F.pow_scalar(norm, 1 - p)
    scale = F.where(norm == 0, 0, g / F.pow_scalar(norm, p - 1))
    if p < 2:
        return F.sgn(x) * F.pow_scalar(F.abs(x), p - 1) * scale
    return x * F.pow_scalar(F.abs(x), p - 2) * scale


# --------------------------------------------------------------------------- for formulas

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


@composite
def ones_like(t):
    """Ones in the shape and layout of `t`."""
    return wrap(np.ones_like(t._data))


@composite
def prod_share(g, x, result):
    """g times the products of all others, for backward."""
    return g * T.conj(prod_others(x, result, None))


@composite
def prod_others(x, result, dim):
    """For each element the product of all others along `dim` (None: of all others)."""
    if dim is not None and x._data.ndim and result._data.ndim < x._data.ndim:
        result = T.unsqueeze(result, dim)
    if (x._data != 0).all() or not x._data.ndim:
        return result / x if x._data.ndim else T.ones_like(x)
    if dim is None:
        flat = T.reshape(x, (x._data.size,))
        return T.reshape(prod_others(flat, result, 0), x._data.shape)
    parts = [T.select(x, dim, i) for i in range(x._data.shape[dim])]
    before, after = [T.ones_like(parts[0])], [T.ones_like(parts[0])]
    for k in range(len(parts) - 1):
        before.append(before[-1] * parts[k])
        after.append(after[-1] * parts[-1 - k])
    return T.stack([b * a for b, a in zip(before, reversed(after), strict=True)], dim)


@public
def sum(input, dim=None, keepdim=False, *, dtype=None, out=None, axis=None, keepdims=False):
    """The sum of all elements, or over the dimensions `dim`.

    `dim` is an int or several; with `keepdim` these dimensions stay, with size 1. Booleans and
    integers are summed in int64; with `dtype` the input is converted first. Raises IndexError for
    a dimension out of range.

    >>> import retrograd as torch
    >>> torch.ones(2, 3).sum(dim=1)              # (2, 3) -> (2,)
    tensor([3., 3.])
    >>> torch.ones(2, 3).sum(dim=1, keepdim=True).shape
    torch.Size([2, 1])
    """
    if axis is not None:
        dim = axis
    if keepdims is not False:
        keepdim = keepdims
    if out is not None:
        return reduced_into("sum", out, sum, dtype, input, dim, keepdim)
    np_dtype = None
    if dtype is not None:
        input, np_dtype = summed_in(input, dtype)
    try:
        ndim = input._data.ndim
    except AttributeError:
        if meets_a_foreign_class((input,), sum):
            return sum(input) if dim is None else sum(input, dim)
        ndim = 0            # the operator says what is wrong
    if dim is None and keepdim is False:
        return T.sum_all(input, np_dtype)
    if keepdim is not False and (keepdim is not True or dim is None):
        keepdim = kept(keepdim, dim)
    return T.sum_dim(input, wrap_dims(dim, ndim), keepdim, np_dtype)


def kept(keepdim, dim):
    """`keepdim`; PyTorch's error if it is not a bool, or if no `dim` was given at all."""
    if dim is None or not isinstance(keepdim, (bool, np.bool_)):
        error = of_call(None)
        if error is not None:
            raise error
    return bool(keepdim)


def check_mean(input, which="Input"):
    """RuntimeError for integers, of which no mean is taken; `which` dtype it is that is wrong."""
    if input._data.dtype.kind in "biu":
        raise RuntimeError(f"mean(): could not infer output dtype. {which} dtype must be either a "
                           "floating point or complex dtype. Got: "
                           f"{_dtype.of(input._data).tensor_name}\n\nA mean of whole numbers is "
                           "seldom whole.\nCure: mean(dtype=torch.float32).")


@public
def mean(input, dim=None, keepdim=False, *, dtype=None, out=None, axis=None, keepdims=False):
    """The mean of all elements, or over the dimensions `dim`: their sum by their number.

    `dim` is an int or several; with `keepdim` these dimensions stay, with size 1. Raises
    RuntimeError for integer tensors without a floating `dtype`, IndexError for a dimension out of
    range.

    >>> import retrograd as torch
    >>> torch.mean(torch.tensor([[1., 2.], [3., 4.]]), dim=0)
    tensor([2., 3.])
    """
    if axis is not None:
        dim = axis
    if keepdims is not False:
        keepdim = keepdims
    if dtype is not None:
        if out is not None:
            return reduced_into("mean", out, mean, dtype, input, dim, keepdim)
        input = to_dtype(input, _dtype.as_dtype(dtype))
    try:
        kind = input._data.dtype.kind
    except AttributeError:
        if meets_a_foreign_class((input,), mean):
            return mean(input) if dim is None else mean(input, dim)
        raise no_input("mean", input, dim) from None
    if kind in "biu":
        check_mean(input, "Input" if dtype is None else "Optional")
    if dim is None and keepdim is False:
        res = T.mean_all(input)
    else:
        if keepdim is not False and (keepdim is not True or dim is None):
            keepdim = kept(keepdim, dim)
        res = T.mean_dim(input, wrap_dims(dim, input._data.ndim), keepdim)
    return res if out is None else fill_checked("mean", out, res)


def summed_in(input, dtype):
    """(input, the dtype to sum its integers in) for the argument `dtype` of a reduction."""
    if dtype is None:
        return input, None
    dtype = _dtype.as_dtype(dtype)
    check_recorded(input, dtype)
    return to_dtype(input, dtype), None if dtype.rank > 1 else dtype.np


def check_recorded(input, dtype):
    """RuntimeError if integers were to be the result of a tensor that requires grad."""
    if dtype.rank < 2 and input._flags & 1 and state.grad:
        raise RuntimeError(f"Autograd not support dtype: {dtype.tensor_name}")


@public
@numpy_names
def nansum(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The sum of the elements that are not nan, of all or over `dim`, an int or several.

    With `keepdim` the dimensions stay, with size 1. Integers and bool are summed in int64. The
    gradient is 0 where there is a nan. Raises IndexError for a dimension out of range, RuntimeError
    for complex numbers.

    >>> import retrograd as torch
    >>> torch.nansum(torch.tensor([1., float("nan"), 3.]))
    tensor(4.)
    """
    if input._data.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    input, np_dtype = summed_in(input, dtype)
    res = T.nansum(input, axes(dim, input._data.ndim), keepdim, np_dtype)
    return res if out is None else fill_checked("nansum", out, res)


@public
@numpy_names
def nanmean(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The mean of the elements that are not nan, of all or over `dim`, an int or several.

    With `keepdim` the dimensions stay, with size 1. It is nan where all elements are. Raises
    RuntimeError for integers.

    >>> import retrograd as torch
    >>> torch.nanmean(torch.tensor([1., float("nan"), 3.]))
    tensor(2.)
    """
    if input._data.dtype.kind in "biu":
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype but "
                           f"got {input.dtype.tensor_name}")
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError("nanmean(): could not infer output dtype. Optional dtype must be either "
                           f"a floating point or complex dtype. Got: {dtype.tensor_name}")
    count = sum(~T.isnan(input), dim, keepdim)
    res = nansum(input, dim, keepdim, dtype=dtype) / count
    return res if out is None else fill_checked("nanmean", out, res)


@public
@numpy_names
def prod(input, dim=None, keepdim=False, *, dtype=None, out=None):
    """The product of all elements, or along one dimension; integers are multiplied in int64.

    With `keepdim` the dimension stays, with size 1; with `dtype` the input is converted first. The
    gradient is right where elements are 0, too. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.prod(torch.tensor([[1., 2.], [3., 4.]]), dim=1)
    tensor([ 2., 12.])
    """
    if out is not None:
        return reduced_into("prod", out, prod, dtype, input, dim, keepdim)
    input, np_dtype = summed_in(input, dtype)
    if dim is None:
        return T.prod_all(input, np_dtype)
    ndim = input._data.ndim
    return T.prod_dim(input, wrap_dim(dim, ndim), keepdim or not ndim, np_dtype)


# --------------------------------------------------------------------------- norms

@numpy_names
def vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None, out=None):
    """(sum |x|^ord)^(1 / ord) over `dim`, an int or several; over all dimensions by default.

    `ord` is any number: inf is the largest |x|, -inf the smallest, 0 the number of elements that
    are not 0. With `keepdim` the dimensions stay, with size 1. `dtype` is that of the computation
    and the result. Raises RuntimeError for integers.

    >>> import retrograd as torch
    >>> torch.linalg.vector_norm(torch.tensor([3., 4.]), ord=1)
    tensor(7.)
    """
    check_has_norm(input)
    if not (dim is None or isinstance(dim, (tuple, list)) or hasattr(dim, "__index__")):
        raise must_be("tuple of ints", "linalg_vector_norm", "dim", 3, dim)
    if dtype is not None:
        check_norm_dtype("linalg.vector_norm", input.dtype, dtype)
        input = to_dtype(input, dtype)
    if isinstance(ord, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of "
                           "norm.")
    if isinstance(ord, Tensor):
        ord = number("linalg_vector_norm", "ord", ord, 2)
    array = input._data
    dims = axes(dim, array.ndim)
    check_norm_of_nothing(array, dims if dim is not None else (), ord)
    res = T.linalg_vector_norm(input, ord, dims, keepdim)
    return res if out is None else fill_checked("linalg_vector_norm", out, res)


@native
def norm_dim(input, p, dim, keepdim):
    """vector_norm of floating-point or complex numbers along one dimension, as Tensor.norm was."""
    dims = axes(dim, input._data.ndim)
    check_norm_of_nothing(input._data, dims, p)
    return T.norm_dim(input, p, dims, keepdim)


def check_has_norm(input):
    if input._data.dtype.kind in "biu":
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as "
                           f"input. Got {input.dtype.tensor_name}")


def check_norm_dtype(name, have, dtype):
    """Raise unless a norm of a tensor of dtype `have` may be computed in `dtype`."""
    shown = dtype.tensor_name
    if dtype.rank < 2:
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {shown}")
    if dtype.is_complex != have.is_complex:
        kind = "complex" if have.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {shown}")
    if promote_types(have, dtype) is not dtype:
        raise RuntimeError(f"{name}: the dtype of the input ({have.tensor_name}) should be "
                           f"convertible without narrowing to the specified dtype ({shown})")


def check_norm_of_nothing(array, dims, ord):
    """PyTorch's errors for norms that nothing has none of; `dims` () means all dimensions."""
    if array.size or not (ord < 0 or ord == math.inf):
        return
    if not dims:
        raise RuntimeError(f"linalg.vector_norm cannot compute the {ord:g} norm on an empty tensor "
                           "because the operation does not have an identity")
    for d in dims:
        if array.shape[d] == 0:
            raise RuntimeError(f"linalg.vector_norm cannot compute the {ord:g} norm on the "
                               f"dimension {d}because this dimension is empty and the operation "
                               "does not have an identity")


@public
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    """The vector norm of order p over `dim` (all dimensions by default): (sum |x|^p)^(1/p).

    p = inf is the largest magnitude, 0 the number of elements that are not 0, "fro" is 2; "nuc" is
    the nuclear norm of a matrix, the sum of its singular values. Raises RuntimeError for integers,
    and for "fro" (the default) over more than two dimensions given.

    >>> import retrograd as torch
    >>> torch.norm(torch.tensor([3., 4.]))
    tensor(5.)
    """
    if isinstance(p, str) and p == "nuc":
        from .matrix import matrix_norm
        pair = tuple(range(input._data.ndim)) if dim is None else dim
        return matrix_norm(input, "nuc", pair, keepdim, dtype=dtype, out=out)
    if isinstance(p, str) and p != "fro":
        raise RuntimeError(f"linalg.matrix_norm: Order {p} not supported.")
    if p == "fro" and isinstance(dim, (tuple, list)) and len(dim) > 2:
        raise RuntimeError("linalg.matrix_norm: dim must be a 2-tuple. Got "
                           + " ".join(map(str, dim)))
    ord = 2 if p is None or p == "fro" else p
    if not isinstance(keepdim, (bool, np.bool_)):
        raise must_be("bool", "linalg_vector_norm", "keepdim", 4, keepdim, handed_on=True)
    return vector_norm(input, ord, dim, keepdim, dtype=dtype, out=out)


@public
def dist(input, other, p=2):
    """The p-norm of the difference, (sum |input - other|^p)^(1/p) over all elements: -> ().

    Shapes broadcast. p may be 0, inf or -inf, as in linalg.vector_norm. The gradient is 0 where the
    two are equal. Raises RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.dist(torch.tensor([0., 3.]), torch.tensor([4., 0.]))
    tensor(5.)
    """
    need_tensors("dist", input, other=other)
    return T.dist(input, other, p)


@public
@numpy_names
def logsumexp(input, dim, keepdim=False, *, out=None):
    """log(sum(exp(x))) over `dim`, an int or several, computed so that nothing overflows.

    With `keepdim` the dimensions stay, with size 1. Integers become the default floating dtype.
    Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.logsumexp(torch.tensor([[1000., 1000.], [0., 1.]]), dim=1)
    tensor([1000.6932,    1.3133])
    """
    res = T.logsumexp(input, axes(dim, input._data.ndim), keepdim)
    return res if out is None else fill_checked("logsumexp", out, res)


# --------------------------------------------------------------------------- counting

def over_slices(kernel, input, dims):
    """kernel(array, dims) of each slice of a batch; dims None means all of them."""
    from .batching import in_layers, layers
    value, numbers = layers(input)
    lead, array = len(numbers), value._data
    dims = range(array.ndim - lead) if dims is None else dims
    dims = (dims,) if isinstance(dims, int) else dims
    if array.ndim == lead:                                # no dimensions: add one to reduce
        res = kernel(array[..., None], (lead,))
        res._data = res._data.reshape(array.shape)
    else:
        res = kernel(array, tuple(d + lead for d in dims))
    return in_layers(res, numbers)


def _truth(name, kernel, input, dim, keepdim, out):
    if dim is None and not keepdim:
        dims = None
    elif isinstance(dim, (tuple, list)) and not dim:
        dims = ()                       # each element by itself; a sum over () is one over all
    else:
        dims = axes(dim, input._data.ndim)
    if input._flags & BATCHED:
        return over_slices(lambda a, dims: wrap(kernel(a, dims, keepdim)), input, dims)
    res = wrap(kernel(input._data, dims, keepdim))
    return res if out is None else fill_checked(name, out, res)


@public
@numpy_names
def all(input, dim=None, keepdim=False, *, out=None):
    """Whether every element is non-zero, or every one along `dim`; bool (uint8 for uint8).

    Not differentiable. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.tensor([[True, False], [True, True]]).all(dim=1)
    tensor([False,  True])
    """
    return _truth("all", K.all, input, dim, keepdim, out)


@public
@numpy_names
def any(input, dim=None, keepdim=False, *, out=None):
    """Whether some element is non-zero, or some along `dim`; bool (uint8 for uint8).

    Not differentiable. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.tensor([[True, False], [False, False]]).any(dim=1)
    tensor([ True, False])
    """
    return _truth("any", K.any, input, dim, keepdim, out)


@public(method=False)
@numpy_names
def count_nonzero(input, dim=None):
    """How many elements are not zero, of all or over `dim`, an int or several: int64.

    Not differentiable. Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.count_nonzero(torch.tensor([[0, 1], [2, 3]]), dim=1)
    tensor([1, 2])
    """
    dims = None if dim is None else axes(dim, input._data.ndim)
    if input._flags & BATCHED:
        return over_slices(lambda a, dims: wrap(np.asarray(K.count_nonzero(a, dims))), input, dims)
    return wrap(np.asarray(K.count_nonzero(input._data, dims), order="C"))


@method(name="count_nonzero")
def count_nonzero_method(self, dim=None, *more, axis=None):
    """torch.count_nonzero: the method also takes its dimensions one by one.

    >>> import retrograd as torch
    >>> torch.tensor([[0, 1], [2, 3]]).count_nonzero(0, 1)
    tensor(3)
    """
    return count_nonzero(self, (dim, *more) if more else dim if axis is None else axis)


@public
def sum_to_size(input, *shape, size=None):
    """The sum over the dimensions that broadcasting `size` to the tensor's shape would repeat.

    It is the gradient of expand(): (2, 3) -> (1, 3), or (3), by sums over the first dimension.
    Raises RuntimeError for sizes that do not expand to the shape.

    >>> import retrograd as torch
    >>> torch.ones(2, 3).sum_to_size(1, 3)
    tensor([[2., 2., 2.]])
    """
    shape, have = sizes(shape if size is None else (size,)), input._data.shape
    fits = len(shape) <= len(have) and not [
        k for k in range(1, len(shape) + 1) if shape[-k] not in (1, have[-k])]
    if not fits:
        raise RuntimeError(f"size {{{list(shape)}}} is not expandable to size {{{list(have)}}}.")
    return sum_to(input, shape) if shape else input.sum()
