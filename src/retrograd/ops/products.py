"""Products of vectors, matrices and tensors read as matrices."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise

import numpy as np

from .. import kernels as K
from .._state import state
from .._tensor import wrap
from .declare import F as T
from .deprecated import warn_old
from .dims import wrap_dim
from .matmul import vdot
from .nn_checks import cpp_name
from .out import given
from .public import numpy_names, public
from .solve import inv, solve
from .support import no_complex_gradient

# --------------------------------------------------------------------------- products


def matmul(input, other, *, out=None):
    """torch.matmul: (*, n, k) (*, k, m) -> (*, n, m), and products with vectors.

    >>> import retrograd as torch
    >>> torch.linalg.matmul(torch.ones(2, 3), torch.ones(3))
    tensor([3., 3.])
    """
    from .matmul import matmul
    return matmul(input, other, out=out)


@numpy_names
def cross(input, other, *, dim=-1, out=None):
    """The cross products of vectors of three elements along dim; other dimensions broadcast.

    Raises RuntimeError if dim has another size, or the inputs differ in dtype or number of
    dimensions.

    >>> import retrograd as torch
    >>> torch.linalg.cross(torch.tensor([1., 0., 0.]), torch.tensor([0., 1., 0.]))
    tensor([0., 0., 1.])
    """
    a, b = input._data, other._data
    if a.ndim != b.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    if not a.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    named, dim = dim, wrap_dim(dim, a.ndim)
    if a.shape[dim] != 3 or b.shape[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {named} must have length 3. Got "
                           f"{a.shape[dim]} and {b.shape[dim]}")
    K.check_broadcast(a.shape, b.shape)
    if a.dtype != b.dtype:
        raise RuntimeError(f"expected scalar type {input.dtype.tensor_name} but found "
                           f"{other.dtype.tensor_name}")
    return given("linalg_cross", T.linalg_cross(input, other, dim), out, input, other)


@public(name="cross")
@numpy_names
def torch_cross(input, other, dim=None, *, out=None):
    """The cross product of vectors along dim, by default the first dimension of size 3.

    input and other broadcast. `linalg.cross` takes the last dimension by default. Raises
    RuntimeError if dim has another size, or where no dimension has the size 3.

    >>> import retrograd as torch
    >>> torch.cross(torch.tensor([1., 0., 0.]), torch.tensor([0., 1., 0.]), dim=0)
    tensor([0., 0., 1.])
    """
    if dim is None:
        warn_old("cross")
        dim = next((k for k, n in enumerate(input._data.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return cross(input, other, dim=dim, out=out)


@numpy_names
def vecdot(x, y, *, dim=-1, out=None):
    """The sums of `conj(x) * y` along dim: (*, n) (*, n) -> (*); x and y broadcast.

    Raises RuntimeError for integers, different dtypes, and shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.linalg.vecdot(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor(11.)
    """
    K.check_float("linalg.vecdot", x._data, low_precision=False)
    if x.dtype != y.dtype:
        raise RuntimeError("linalg.vecdot: Expected x and y to have the same dtype, but found x of "
                           f"type {x.dtype.tensor_name} and y of type {y.dtype.tensor_name} "
                           "instead")
    if x._data.ndim == y._data.ndim == 1:
        return given("linalg_vecdot", vdot(x, y), out)
    return given("linalg_vecdot", (x.conj() * y).sum(dim), out)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals of matrices, as a view: (*, n, n) -> (*, n).

    offset > 0 is above the main diagonal, < 0 below it; dim1 and dim2 are the matrices' dimensions.

    >>> import retrograd as torch
    >>> torch.linalg.diagonal(torch.arange(4).view(2, 2))
    tensor([0, 3])
    """
    return A.diagonal(offset, dim1, dim2)


def multi_dot(tensors, *, out=None):
    """The product of several matrices, multiplied in the order that takes the fewest operations.

    (n, a) (a, b) ... (z, m) -> (n, m). The first and the last tensor may be vectors, (a) and (z),
    whose dimension is left out of the result. The order is found by dynamic programming (Cormen et
    al., Introduction to Algorithms, 15.2). Raises RuntimeError for fewer than two tensors and for
    sizes or dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.linalg.multi_dot([torch.ones(2, 3), torch.ones(3, 1), torch.ones(1, 2)])
    tensor([[3., 3.],
            [3., 3.]])
    """
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    first, last = tensors[0]._data.ndim == 1, tensors[-1]._data.ndim == 1
    _check_chain(tensors)
    if first:
        tensors[0] = tensors[0].unsqueeze(0)
    if last:
        tensors[-1] = tensors[-1].unsqueeze(1)
    _check_fit(tensors)
    res = _chain(tensors)
    shape = ([] if first else [res._data.shape[0]]) + ([] if last else [res._data.shape[1]])
    return given("linalg_multi_dot", res.view(shape), out)


def _check_chain(tensors):
    """PyTorch's errors for the numbers of dimensions and the dtypes of a chain."""
    last = len(tensors) - 1
    for k, t in enumerate(tensors):
        if k in (0, last) and t._data.ndim not in (1, 2):
            raise RuntimeError(f"multi_dot(): the {'last' if k else 'first'} tensor must be 1D or "
                               f"2D but got {t._data.ndim}D")
    for k, t in enumerate(tensors):
        if k not in (0, last) and t._data.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {k} must be 2D but got {t._data.ndim}D")
        if t._data.dtype != tensors[0]._data.dtype:
            raise RuntimeError("multi_dot(): all tensors must have be the same dtype but tensor 0 "
                               f"is {tensors[0].dtype.option_name} and tensor {k} "
                               f"{t.dtype.option_name}")


def _check_fit(tensors):
    for k, (left, right) in enumerate(pairwise(tensors)):
        if left._data.shape[1] != right._data.shape[0]:
            raise RuntimeError(f"multi_dot(): tensors {k} and {k + 1} with shapes "
                               f"{list(left._data.shape)} and {list(right._data.shape)} cannot be "
                               "multiplied")


def _chain(matrices):
    """The product with the fewest multiplications (dynamic programming over where to split)."""
    sizes = [m._data.shape[0] for m in matrices] + [matrices[-1]._data.shape[1]]
    n = len(matrices)
    cost, split = np.zeros((n, n)), np.zeros((n, n), int)
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            choices = [cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                       for k in range(i, j)]
            best = min(choices)
            first = choices.index(best) if n > 3 else max(
                k for k, one in enumerate(choices) if one == best)     # as PyTorch does
            cost[i, j], split[i, j] = best, i + first
    return _product(matrices, split, 0, n - 1)


def _product(matrices, split, i, j):
    """The product of the matrices i to j, split as `split` says."""
    if i == j:
        return matrices[i]
    k = split[i, j]
    return _product(matrices, split, i, k).mm(_product(matrices, split, k + 1, j))


@public(method=False)
def chain_matmul(*matrices, out=None):
    """torch.linalg.multi_dot of the matrices given one by one. PyTorch warns: use multi_dot.

    Raises RuntimeError unless each is a matrix with as many rows as the one before has columns.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.chain_matmul(torch.ones(2, 3), torch.ones(3, 4), torch.ones(4, 1))
    tensor([[12.],
            [12.]])
    """
    warn_old("chain_matmul")
    if not matrices:
        raise RuntimeError("chain_matmul(): Expected one or more matrices")
    for t in matrices:
        if t._data.ndim != 2:
            raise RuntimeError(f"Tensor dimension is {t._data.ndim}, expected 2 instead.")
    if len(matrices) > 1:
        return multi_dot(matrices, out=out)
    return matrices[0].clone() if out is None else out.resize_as_(matrices[0]).copy_(matrices[0])


@public
def kron(input, other, *, out=None):
    """The Kronecker product, blocks input[i, j] * other in the place of each input[i, j].

    (a, b) (c, d) -> (a c, b d), and so for any number of dimensions; missing ones are added in
    front. Dtypes promote.

    >>> import retrograd as torch
    >>> torch.kron(torch.tensor([1, 2]), torch.tensor([1, 10]))
    tensor([ 1, 10,  2, 20])
    """
    left, right, shape = _kron_shapes(input._data.shape, other._data.shape)
    res = T.unsafe_view(_spread(input, left) * _spread(other, right), shape)
    return given("kron", res, out, input, other)


def _spread(t, shape):
    """A factor of kron() in the shape in which it is multiplied: a view, where there is one."""
    try:
        return T.unsafe_part(t, shape)
    except ValueError:
        return T.reshape(t, shape)


@lru_cache(maxsize=256)
def _kron_shapes(a, b):
    """The shapes in which tensors of these shapes are multiplied, and that of their kron()."""
    n = max(len(a), len(b))
    a, b = (1,) * (n - len(a)) + a, (1,) * (n - len(b)) + b
    return (tuple([k for s in a for k in (s, 1)]), tuple([k for s in b for k in (1, s)]),
            tuple([s * t for s, t in zip(a, b, strict=True)]))


# --------------------------------------------------------------------------- tensors as matrices

def tensorinv(input, ind=2, *, out=None):
    """The inverse of input as a matrix whose rows are its first `ind` dimensions together.

    (*rows, *columns) -> (*columns, *rows), so that tensordot(tensorinv(A, ind), B, ind) solves
    tensordot(A, X, X.ndim) = B. Raises RuntimeError unless that matrix is square, LinAlgError if it
    is singular.

    >>> import retrograd as torch
    >>> torch.linalg.tensorinv(torch.eye(4).view(2, 2, 4)).shape
    torch.Size([4, 2, 2])
    """
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', but got {ind}")
    shape = input._data.shape
    rows, cols = math.prod(shape[:ind]), math.prod(shape[ind:])
    if rows != cols:
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == "
                           f"prod(self.shape[:ind]), but got {cols} != {rows}")
    res = inv(input.reshape(rows, cols)).reshape(*shape[ind:], *shape[:ind])
    return given("linalg_tensorinv", res, out)


def tensorsolve(input, other, dims=None, *, out=None):
    """X with `tensordot(input, X, X.ndim) = other`, of shape input.shape[other.ndim:].

    dims are moved to the end of input first. Raises RuntimeError unless input is a square matrix
    when those dimensions are its columns, and LinAlgError if that is singular.

    >>> import retrograd as torch
    >>> torch.linalg.tensorsolve(torch.eye(4).reshape(2, 2, 4), torch.ones(2, 2))
    tensor([1., 1., 1., 1.])
    """
    if dims is not None:
        ndim = input._data.ndim
        input = input.movedim(tuple(dims), tuple(range(ndim - len(dims), ndim)))
    shape = input._data.shape[other._data.ndim:]
    n, rows = math.prod(shape), other._data.size
    if n != rows:
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[other.ndim:]) "
                           f"== prod(self.shape[:other.ndim]), but got {n} != {rows}")
    res = solve(input.reshape(n, n), other.flatten()).reshape(shape)
    return given("linalg_tensorsolve", res, out)


def vander(x, *, N=None):
    """The matrix of powers y[i, j] = x[i]**j for j = 0, 1, ..., N - 1: (*, n) -> (*, n, N).

    N is n by default. Raises RuntimeError for N < 2.

    >>> import retrograd as torch
    >>> torch.linalg.vander(torch.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [1, 2, 4],
            [1, 3, 9]])
    """
    if x._data.dtype.char in "?eE":
        raise RuntimeError("linalg.vander supports floating point, complex, and integer tensors, "
                           f"but got {x.dtype.tensor_name}")
    x = x.reshape(1) if not x._data.ndim else x
    n = x._data.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = x.unsqueeze(-1).expand(*x._data.shape, n - 1).cumprod(-1)
    ones = wrap(np.ones((*x._data.shape, 1), powers._data.dtype))
    return T.cat([ones, powers], x._data.ndim)


@public(name="vander", method=False)
def torch_vander(x, N=None, increasing=False):
    """Powers of the vector x, highest first unless increasing."""
    n = x._data.shape[0] if N is None else N
    if n < 2:
        res = wrap(np.ones((x._data.shape[0], n), x._data.dtype))
    else:
        res = vander(x, N=n)
    return res if increasing else res.flip(1)


@public(method=False)
def bilinear(input1, input2, weight, bias=None):
    """y[..., k] = sum over i, j of input1[..., i] weight[k, i, j] input2[..., j], plus bias[k].

    (*, n), (*, m), weight (o, n, m), bias (o) or None -> (*, o). Raises RuntimeError for sizes or
    dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.bilinear(torch.ones(1, 2), torch.ones(1, 3), torch.ones(4, 2, 3))
    tensor([[6., 6., 6., 6.]])
    """
    if input1._data.ndim != input2._data.ndim:
        raise RuntimeError("bilinear(): input dimensions do not match: got "
                           f"{input1._data.ndim} and {input2._data.ndim}")
    shape = input1._data.shape[:-1]
    for dim, (a, b) in enumerate(zip(shape, input2._data.shape[:-1], strict=False)):
        if a != b:
            raise RuntimeError("bilinear(): input batch dimensions do not match at dim "
                               f"{dim}: got {a} and {b}")
    dtypes = {"input1": input1, "input2": input2, "weight": weight, "bias": bias}
    if len({t._data.dtype for t in dtypes.values() if t is not None}) > 1:
        raise RuntimeError("All tensors must have the same dtype, got " + ", ".join(
            f"{name}: {cpp_name(t)}" for name, t in dtypes.items() if t is not None))
    for dim in (1, 2):
        wrap_dim(dim, weight._data.ndim)
    k, i, j = weight._data.shape[:3]
    for t, n, name in ((input1, i, "input1"), (input2, j, "input2")):
        if t._data.shape[-1] != n:
            raise RuntimeError(f"bilinear(): {name} size does not match weight size: got "
                               f"{t._data.shape[-1]} but expected {n}")
    if bias is not None and bias._data.shape[0] != k:
        raise RuntimeError("bilinear(): bias size does not match weight size: got "
                           f"{bias._data.shape[0]} but expected {k}")
    if weight._data.ndim > 3:
        raise RuntimeError("number of dimensions must match")
    if weight._data.dtype.kind == "c" and state.grad and (
            input1._flags | input2._flags | weight._flags) & 1:
        raise no_complex_gradient("_trilinear")
    n = math.prod(shape)
    a = T.reshape(input1, (n, i))
    b = T.reshape(input2, (n, 1, j))
    mixed = T.reshape(T.mm(a, T.reshape(T.permute(weight, (1, 0, 2)), (i, k * j))), (n, k, j))
    products = T.bmm(mixed, T.permute(b, (0, 2, 1)))                      # (N, k, j) (N, j, 1)
    y = T.reshape(products, (*shape, k))
    return y if bias is None else y + bias
