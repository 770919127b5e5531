"""Copies in another order: repeated, flipped, rolled, turned; triangles and diagonals."""

from __future__ import annotations

import numpy as np

from .. import _dtype
from .._tensor import Tensor, wrap
from ..kernels.checks import as_intp
from .arguments import must_be, not_given
from .declare import F as T
from .declare import composite, op
from .dims import as_tuple, sizes, whole, wrap_dim
from .factory import negative_size
from .mapped import each_slice, is_batched
from .mistyped import starts_with_bool
from .out import fill_checked
from .public import method, numpy_names, public
from .shape import contiguous, expand
from .support import unobserved
from .views import matrices, reshape, with_values

op("repeat(self | repeats)", "RepeatBackward0", public=False,
    samples=with_values(((2, 3),), ((2, 1, 2),)),
    self = lambda F, g, self_shape, repeats: F.repeat_back(g, self_shape, repeats),
    jvp  = "linear")

op("flip(self | dims)", "FlipBackward0", public=False, samples=with_values(((0, 1),), ((1,),)),
    self = lambda F, g, dims: F.flip(g, dims),
    jvp  = "linear")

op("rot90_by(self | k, dims)", "Rot90Backward0", public=False,
    samples=with_values((0, (0, 1)), (1, (0, 1)), (2, (0, 1)), (3, (1, 0))),
    self = lambda F, g, k, dims: F.rot90_by(g, -k % 4, dims),
    jvp  = "linear")

op("roll(self | shifts, dims)", "RollBackward0", public=False,
    samples=with_values(((1,), (0,)), ((1, 2), (0, 1)), ((5,), ())),
    self = lambda F, g, shifts, dims: F.roll(g, negated(shifts), dims),
    jvp  = "linear")

op("tril(self | diagonal=0)", "TrilBackward0", inplace=True, samples=with_values((0,), (1,)),
    contiguous=True,
    self = lambda F, g, diagonal: F.tril(g, diagonal),
    jvp  = "linear")

op("triu(self | diagonal=0)", "TriuBackward0", inplace=True, samples=with_values((0,), (1,)),
    contiguous=True,
    self = lambda F, g, diagonal: F.triu(g, diagonal),
    jvp  = "linear")

op("diag_embed(self | offset, dim1, dim2)", "DiagEmbedBackward0", public=False,
    samples=with_values((0, 1, 2), (1, 0, 2)),
    self = lambda F, g, offset, dim1, dim2: F.diagonal_copy(g, offset, dim1, dim2),
    jvp  = "linear")

op("diagonal_copy(self | offset, dim1, dim2)", "DiagonalBackward0_copy", public=False,
    samples=lambda: [(a[:, :2], 0, 0, 1) for a in matrices()],
    self = lambda F, g, self_shape, offset, dim1, dim2:
               F.diagonal_back(g, self_shape, offset, dim1, dim2),
    jvp  = "linear")

op("diagonal_back(grad_output | shape, offset, dim1, dim2)", "DiagonalBackwardBackward0",
    public=False, samples=lambda: [(a[0, :2], (2, 2), 0, 0, 1) for a in matrices()],
    grad_output = lambda F, g, offset, dim1, dim2: F.diagonal_copy(g, offset, dim1, dim2),
    jvp = "linear")


def negated(shifts):
    return tuple(-s for s in shifts)


@composite
def repeat_back(g, shape, repeats):
    """Sum the repetitions of repeat() again."""
    lead = len(repeats) - len(shape)
    split = [k for pair in zip(repeats, (1,) * lead + tuple(shape), strict=True) for k in pair]
    sums = T.sum_dim(reshape(g, tuple(split)), tuple(range(0, len(split), 2)), False)
    return reshape(sums, shape)


@method
def repeat(self, *times, repeats=None):
    """Copies of the tensor side by side: (n, m) -> (r n, s m) for repeat(r, s).

    More repeats than dimensions add dimensions in front. Raises RuntimeError for fewer.

    >>> import retrograd as torch
    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    repeats = sizes(times if repeats is None else (repeats,))
    if len(repeats) < self._data.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of "
                           "dimensions of tensor")
    if any(n < 0 for n in repeats):
        shape = (1,) * (len(repeats) - self._data.ndim) + self._data.shape
        repeated = [n * m for n, m in zip(repeats, shape, strict=True)]
        if min(repeated) < 0:
            raise negative_size(repeated)
        repeats = tuple([max(n, 0) for n in repeats])       # any repetition of nothing is nothing
    return T.repeat(self, repeats)


@public
def tile(input, *times, dims=None):
    """repeat() that takes missing counts as 1: (n, m) -> (n, s m) for tile(s).

    A tensor with fewer dimensions than counts gets dimensions of size 1 in front.

    >>> import retrograd as torch
    >>> torch.tile(torch.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2])
    """
    given = times if dims is None else (dims,)
    if any(map(starts_with_bool, given[:1])):
        raise TypeError                        # reporting() replaces it by PyTorch's error
    dims = sizes(given)
    return repeat(input, (1,) * (input._data.ndim - len(dims)) + dims)


@public
@numpy_names
def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Each element (or slice along `dim`) several times: [a, b] -> [a, a, b, b].

    `repeats` is a number, or a vector of one for each. Without dim the tensor is flattened. Given a
    vector alone, it returns the indices 0, 0, 1, 1, ... instead. Raises RuntimeError if the result
    has not `output_size` slices, or for negative counts.

    >>> import retrograd as torch
    >>> torch.repeat_interleave(torch.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    """
    if repeats is None:
        if is_batched(input):
            return each_slice(repeat_interleave, input)
        if input._data.ndim != 1:
            raise RuntimeError("repeat_interleave only accept 1D vector as repeat")
        return wrap(_places(_counts(input._data), input._data.size, output_size))
    if dim is None:
        input, dim = reshape(contiguous(input), (input._data.size,)), 0
    d = wrap_dim(dim, input._data.ndim)
    if not isinstance(repeats, Tensor):
        repeats = repeats if repeats.__class__ is int else whole(repeats)
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        shape = input._data.shape or wrap_dim(1, 1)     # a number has no place for a new dimension
        if output_size is not None and output_size != shape[d] * repeats:
            raise RuntimeError("repeat_interleave: Invalid output_size, expected "
                               f"{shape[d] * repeats} but got {output_size}")
        if unobserved(input._flags):
            return wrap(input._data.repeat(repeats, d))     # NumPy's repeat needs no views
        wide = expand(T.unsqueeze(input, d + 1), (*shape[:d + 1], repeats, *shape[d + 1:]))
        return reshape(T.clone_contiguous(wide), (*shape[:d], shape[d] * repeats, *shape[d + 1:]))
    if is_batched(repeats):
        return each_slice(repeat_interleave, input, repeats, d)
    counts = _counts(repeats._data)
    if counts.size not in (1, input._data.shape[d]):
        raise RuntimeError("repeats must have the same size as input along dim, but got "
                           f"repeats.size(0) = {counts.size} and input.size({d}) = "
                           f"{input._data.shape[d]}")
    places = _places(counts, input._data.shape[d], output_size)
    return T.index_select(input, wrap(places), d)


def _places(counts, size, output_size):
    """The numbers 0 to size - 1, each as often as `counts` says."""
    places = np.repeat(np.arange(size, dtype=np.int64), counts)
    if output_size is not None and output_size != places.size:
        raise RuntimeError("allocated size does not match required size")
    return places


def _counts(counts):
    if counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if counts.dtype not in (np.int64, np.int32):
        name = _dtype.of(counts).tensor_name
        raise NotImplementedError(f'"repeat_interleave_cpu" not implemented for \'{name}\'')
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    return as_intp(counts)


@public
def flip(input, *order, dims=None):
    """A copy in reverse order along `dims`: y[i] = x[n - 1 - i].

    flip(x, 0, 1), flip(x, (0, 1)) and flip(x, dims=[0]) all say which. Raises RuntimeError for a
    dimension that is named twice, IndexError for one out of range.

    >>> import retrograd as torch
    >>> torch.flip(torch.tensor([[1, 2], [3, 4]]), dims=(0,))
    tensor([[3, 4],
            [1, 2]])
    """
    if dims is None and not order:
        raise not_given("flip", ["dims"])
    given = sizes(order) if dims is None else sizes((dims,))
    dims = tuple(wrap_dim(d, input._data.ndim) for d in given)
    if len(set(dims)) != len(dims):
        twice = next(d for d in dims if dims.count(d) > 1)
        raise RuntimeError(f"dim {twice} appears multiple times in the list of dims")
    return T.flip(input, dims if input._data.ndim else ())


@method
def __reversed__(self):
    """flip() along dimension 0."""
    return T.flip(self, (0,)) if self._data.ndim else self


@public
def fliplr(input):
    """The columns in reverse order: flip() along dimension 1, of the shape of input.

    Raises RuntimeError for fewer than two dimensions.

    >>> import retrograd as torch
    >>> torch.fliplr(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 1],
            [4, 3]])
    """
    if input._data.ndim < 2:
        raise RuntimeError("Input must be >= 2-d.")
    return T.flip(input, (1,))


@public
def flipud(input):
    """The rows in reverse order: flip() along dimension 0, of the shape of input.

    Raises RuntimeError for a tensor without dimensions.

    >>> import retrograd as torch
    >>> torch.flipud(torch.tensor([[1, 2], [3, 4]]))
    tensor([[3, 4],
            [1, 2]])
    """
    if input._data.ndim < 1:
        raise RuntimeError("Input must be >= 1-d.")
    return T.flip(input, (0,))


@public
def roll(input, shifts, dims=None):
    """Elements moved on by `shifts` along `dims`; those pushed out at one end enter at the other.

    Without `dims` the flattened tensor is rolled, and has its shape again. Raises RuntimeError
    unless there is a shift for each dimension, IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.roll(torch.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])
    """
    if starts_with_bool(shifts):
        raise TypeError                        # reporting() replaces it by PyTorch's error
    shifts = as_tuple(shifts)
    if not shifts:
        raise RuntimeError("`shifts` required")
    dims = () if dims is None else as_tuple(dims)
    if len(shifts) != (len(dims) or 1):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, "
                           f"dims:{len(dims)}")
    if dims and not input._data.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    if not input._data.size:                     # PyTorch moves nothing, and looks at no dimension
        return T.roll(input, shifts, tuple(0 for _ in dims))
    return T.roll(input, shifts, tuple(wrap_dim(d, input._data.ndim) for d in dims))


@public
def rot90(input, k=1, dims=(0, 1)):
    """A quarter turn, k times, in the plane of the two dimensions `dims`.

    y[i, j] = x[j, n - 1 - i] for k = 1. Raises RuntimeError unless `dims` are two different
    dimensions.

    >>> import retrograd as torch
    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    if not hasattr(k, "__index__"):
        raise must_be("int", "rot90", "k", 2, k)
    if input._data.ndim < 2:
        raise RuntimeError(f"expected total dims >= 2, but got total dims = {input._data.ndim}")
    if len(dims) != 2:
        raise RuntimeError(f"expected total rotation dims == 2, but got dims = {len(dims)}")
    a, b = (wrap_dim(d, input._data.ndim) for d in dims)
    if a == b:
        raise RuntimeError("expected rotation dims to be different, but got dim0 = "
                           f"{dims[0]} and dim1 = {dims[1]}")
    return T.rot90_by(input, k % 4, (a, b))


@public
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """Matrices with the vectors of the last dimension on their diagonals: (*, n) -> (*, n, n).

    `offset` moves them above (or, negative, below) the main diagonal, in a matrix larger by
    as much. dim1 and dim2 are the matrices' dimensions in the result; they have to differ.

    >>> import retrograd as torch
    >>> torch.diag_embed(torch.tensor([1, 2]), offset=1)
    tensor([[0, 1, 0],
            [0, 0, 2],
            [0, 0, 0]])
    """
    ndim = input._data.ndim + 1
    d1, d2 = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return T.diag_embed(input, offset if d1 < d2 else -offset, min(d1, d2), max(d1, d2))


@public
def diag(input, diagonal=0, *, out=None):
    """The diagonal of a matrix (n, m), or the matrix (n, n) with a vector on its diagonal.

    `diagonal` is 0 for the main one, positive above it; a vector's matrix is larger by its distance
    from that. Raises RuntimeError for other numbers of dimensions.

    >>> import retrograd as torch
    >>> torch.diag(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    if input._data.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._data.ndim}D")
    diagonal = diagonal if diagonal.__class__ is int else whole(diagonal)
    if input._data.ndim == 1:
        res = T.diag_embed(input, diagonal, 0, 1)
    else:
        res = T.diagonal_copy(input, diagonal, 0, 1)
    return res if out is None else fill_checked("diag", out, res)


@public
def diagflat(input, offset=0):
    """A matrix with all elements of a tensor on its diagonal, in order: k of them -> (k, k).

    `offset` moves them above (or, negative, below) the main diagonal, in a matrix that is larger by
    as much.

    >>> import retrograd as torch
    >>> torch.diagflat(torch.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    return diag(reshape(contiguous(input), (input._data.size,)), offset)
