"""Copies: cloning, filling, joining, repeating and reordering tensors."""

from __future__ import annotations

import numpy as np

from .. import _dtype
from .._callers import written
from .._state import state
from .._tensor import BATCHED, Tensor, wrap
from ..autograd.node import edge
from ..autograd.views import check_inplace
from . import overlap, support
from . import samples as S
from .declare import F as T
from .declare import composite, op
from .dims import sizes, wrap_dim
from .factory import fitting
from .out import fill_checked
from .public import alias, method, numpy_names, public
from .shape import contiguous, expand, transpose
from .views import matrices, reshape, with_values

op("clone(self)", "CloneBackward0", public=False, samples=S.singles,
    self = lambda F, g: g,
    jvp  = "linear")

op("clone_contiguous(self)", "CloneBackward0", public=False, samples=S.singles,
    self = lambda F, g: g,
    jvp  = "linear")

# copying a gradient into a leaf's .grad under create_graph
op("clone_as(self | strides)", "CopyBackwards", public=False,
    samples=lambda: [(a, a.strides) for a in matrices()],
    self = lambda F, g: g,
    jvp  = "linear")

op("copy(self, src)", "CopyBackwards", inplace=True, public=False,
    samples=lambda: [(a, b) for a, b in S.pairs()[:2]],
    self = lambda F, g: F.zeros_like(g),
    src  = lambda F, g, src_shape, src_dtype: F.cast(F.sum_to(g, src_shape), src_dtype),
    jvp  = lambda F, self, src, self_t, src_t: F.clone(
               F.expand(src * 0 if src_t is None else src_t, self.shape)))

# PyTorch counts fill_ apart from fill (FillBackward0 and 1)
op("fill(self | value)", "FillBackward2", inplace=True, public=False, samples=with_values((1.5,)),
    self = lambda F, g: F.zeros_like(g),
    jvp  = lambda F, self, self_t, value: self_t * 0)

op("fill_tensor(self, value)", "FillBackward3", inplace=True, public=False,
    samples=lambda: [(a, np.array(1.5)) for a in matrices()],
    self  = lambda F, g: F.zeros_like(g),
    value = lambda F, g: F.sum_all(g),
    jvp   = lambda F, self, value, self_t, value_t: self * 0 + (0 if value_t is None else value_t))

op("zero(self)", "ZeroBackward0", inplace=True, public=False, samples=S.singles,
    self = lambda F, g: F.zeros_like(g),
    jvp  = lambda F, self, self_t: self_t * 0)

op("cat(tensors[] | dim)", "CatBackward0", public=False,
    samples=lambda: [([a, 2 * a], d) for a in matrices() for d in (0, 1)],
    tensors = lambda F, g, tensors_shape, dim: F.split_back(g, tensors_shape, dim),
    jvp = "linear")

op("stack(tensors[] | dim)", "StackBackward0", public=False,
    samples=lambda: [([a, 2 * a], d) for a in matrices() for d in (0, 1, 2)],
    tensors = lambda F, g, dim: F.unstack(g, dim),
    jvp = "linear")

op("repeat(self | repeats)", "RepeatBackward0", public=False,
    samples=with_values(((2, 3),), ((2, 1, 2),)),
    self = lambda F, g, self_shape, repeats: F.repeat_back(g, self_shape, repeats),
    jvp  = "linear")

op("flip(self | dims)", "FlipBackward0", public=False, samples=with_values(((0, 1),), ((1,),)),
    self = lambda F, g, dims: F.flip(g, dims),
    jvp  = "linear")

op("roll(self | shifts, dims)", "RollBackward0", public=False,
    samples=with_values(((1,), (0,)), ((1, 2), (0, 1))),
    self = lambda F, g, shifts, dims: F.roll(g, negated(shifts), dims),
    jvp  = "linear")

op("tril(self | diagonal=0)", "TrilBackward0", inplace=True, samples=with_values((0,), (1,)),
    self = lambda F, g, diagonal: F.tril(g, diagonal),
    jvp  = "linear")

op("triu(self | diagonal=0)", "TriuBackward0", inplace=True, samples=with_values((0,), (1,)),
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
def zeros_like(t):
    """Zeros in the shape and layout of `t`."""
    return wrap(np.zeros_like(t._data))


@composite
def split_back(g, shapes, dim):
    """The pieces of a joined gradient, one for each joined tensor."""
    pieces, start = [], 0
    for shape in shapes:
        if shape == (0,):
            pieces.append(wrap(np.zeros(0, g._data.dtype)))
            continue
        end = start + shape[dim]
        pieces.append(T.slice_dim(g, dim, start, end, 1))
        start = end
    return pieces


@composite
def unstack(g, dim):
    """The slices of `g` along `dim`."""
    return [T.select(g, dim, i) for i in range(g._data.shape[dim])]


@composite
def repeat_back(g, shape, repeats):
    """Sum the repetitions of repeat() again."""
    lead = len(repeats) - len(shape)
    split = [k for pair in zip(repeats, (1,) * lead + tuple(shape), strict=True) for k in pair]
    sums = T.sum_dim(reshape(g, tuple(split)), tuple(range(0, len(split), 2)), False)
    return reshape(sums, shape)


# --------------------------------------------------------------------------- copies and fills

@public
def clone(input, *, memory_format=None):
    """A recorded copy, in the layout of the input unless `memory_format` says otherwise.

    >>> import retrograd as torch
    >>> torch.clone(torch.tensor([1., 2.], requires_grad=True))
    tensor([1., 2.], grad_fn=<CloneBackward0>)
    """
    if memory_format is None or memory_format.name == "preserve_format":
        return T.clone(input)
    if memory_format.name == "contiguous_format":
        return T.clone_contiguous(input)
    return contiguous(T.clone(input), memory_format=memory_format)


@method
def copy_(self, src=None, non_blocking=False, *, other=None):
    """Write `src`, broadcast and converted, into this tensor.

    Raises RuntimeError if the shapes do not fit or both share memory in different places.

    >>> import retrograd as torch
    >>> torch.zeros(2).copy_(torch.tensor([1, 2]))
    tensor([1., 2.])
    """
    src = support.operand(other if src is None else src)
    a, b = self._data, src._data
    if state.grad and (self._track | src._track):
        check_inplace(self)
        edge(src)                            # a view that cannot be followed is an error first
    if overlap.same_memory(a, b):
        overlap.check_partial_overlap(a, b)
    if a.shape != b.shape:
        try:
            fits = np.broadcast_shapes(a.shape, b.shape) == a.shape
        except ValueError:
            raise support.shape_error(a, b) from None
        if not fits:
            raise support.broadcast_error(a, (a, b))
    return written(T.copy_(self, src), "copy_")


@method
def fill_(self, value):
    """Write one number (or a 0-d tensor) into every element.

    >>> import retrograd as torch
    >>> torch.zeros(2).fill_(7)
    tensor([7., 7.])
    """
    if isinstance(value, Tensor):
        if value._data.ndim:
            raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                               f"{value._data.ndim} dimensions.")
        return written(T.fill_tensor_(self, value), "fill_")
    return written(T.fill_(self, fitting(value, self)), "fill_")


@method
def zero_(self):
    """Write zeros.

    >>> import retrograd as torch
    >>> torch.ones(2).zero_()
    tensor([0., 0.])
    """
    return written(T.zero_(self), "zero_")


def _tensors(tensors, name):
    """The list of tensors, none of which need be one yet; raises unless it is a filled sequence."""
    if not isinstance(tensors, (list, tuple)):
        raise TypeError(f"{name}(): argument 'tensors' (position 1) must be tuple of Tensors, not "
                        f"{type(tensors).__name__}")
    if not tensors:
        if name == "cat":
            raise ValueError("torch.cat(): expected a non-empty list of Tensors")
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return tensors


def _joined(tensors, name):
    tensors = _tensors(tensors, name)
    first, mixed = None, False
    for k, t in enumerate(tensors):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {k} in argument 0, but got "
                            f"{type(t).__name__}")
        if first is None:
            first = t._data.dtype
        elif t._data.dtype is not first:
            mixed = True
    if mixed:
        target = support.result_dtype(tensors)
        tensors = [t.to(target) for t in tensors]
    return tensors


@public(method=False)
@numpy_names
def cat(tensors, dim=0, *, out=None):
    """Tensors joined along an existing dimension; other sizes must agree.

    >>> import retrograd as torch
    >>> torch.cat([torch.ones(2), torch.zeros(1)])
    tensor([1., 1., 0.])
    """
    tensors = _joined(tensors, "cat")
    shape = tensors[0]._data.shape
    if shape == (0,):                       # such a vector joins with anything
        shape = next((t._data.shape for t in tensors if t._data.shape != (0,)), None)
    if shape is None:
        dim, shape = 0, (0,)
    elif not shape:
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    d = wrap_dim(dim, len(shape))
    if any(t._track & BATCHED for t in tensors):
        tensors = [t for t in tensors if t._data.shape != (0,)] or tensors[:1]
    try:
        res = T.cat(tensors, d)
    except ValueError:
        raise _cat_error([t._data.shape for t in tensors], shape, d) from None
    return res if out is None else fill_checked("cat", out, res, *tensors)


def _cat_error(shapes, shape, d):
    """The error for shapes that cannot be joined along `d`; `shape` is the first of them."""
    for k, s in enumerate(shapes):
        if s == (0,):
            continue
        if len(s) != len(shape):
            if not s:
                return RuntimeError(f"zero-dimensional tensor (at position {k}) cannot be "
                                    "concatenated")
            return RuntimeError("Tensors must have same number of dimensions: got "
                                f"{len(shape)} and {len(s)}")
        for i, (m, n) in enumerate(zip(shape, s, strict=True)):
            if i != d and m != n:
                return RuntimeError(f"Sizes of tensors must match except in dimension {d}. "
                                    f"Expected size {m} but got size {n} for tensor number {k} in "
                                    "the list.")
    raise AssertionError(f"these shapes can be joined: {shapes}")


for _other in ("concat", "concatenate"):
    alias(_other, "cat")


@public(method=False)
@numpy_names
def stack(tensors, dim=0, *, out=None):
    """Tensors of one shape joined along a new dimension.

    >>> import retrograd as torch
    >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    tensors = _joined(tensors, "stack")
    shape = tensors[0]._data.shape
    for k, t in enumerate(tensors):
        if t._data.shape != shape:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(shape)} "
                               f"at entry 0 and {list(t._data.shape)} at entry {k}")
    res = T.stack(tensors, wrap_dim(dim, len(shape) + 1))
    return res if out is None else fill_checked("stack", out, res, *tensors)


def _at_least(n, place):
    """Tensors with at least n dimensions; the new ones of size 1 go where place() says."""
    def function(*tensors):
        if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
            return tuple(place(t) for t in tensors[0])
        return place(tensors[0]) if len(tensors) == 1 else tuple(place(t) for t in tensors)
    function.__name__ = function.__qualname__ = f"atleast_{n}d"
    function.__doc__ = f"The tensors with at least {n} dimensions, as views."
    return public(function, method=False)


def _to_1d(t):
    return reshape(t, (1,)) if t._data.ndim == 0 else t


def _to_2d(t):
    return t if t._data.ndim > 1 else reshape(t, (1, t._data.size)) if t._data.ndim == 0 \
        else T.unsqueeze(t, 0)


def _to_3d(t):
    if t._data.ndim == 0:
        return reshape(t, (1, 1, 1))
    if t._data.ndim == 1:
        return T.unsqueeze(T.unsqueeze(t, 0), 2)
    return T.unsqueeze(t, 2) if t._data.ndim == 2 else t


atleast_1d, atleast_2d = _at_least(1, _to_1d), _at_least(2, _to_2d)
atleast_3d = _at_least(3, _to_3d)


@public(method=False)
def hstack(tensors, *, out=None):
    """Joined along dimension 1 (0 for vectors).

    >>> import retrograd as torch
    >>> torch.hstack([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """
    tensors = [_to_1d(t) for t in _tensors(tensors, "hstack")]
    return cat(tensors, 0 if tensors[0]._data.ndim == 1 else 1, out=out)


@public(method=False)
def vstack(tensors, *, out=None):
    """Joined along dimension 0; vectors become rows.

    >>> import retrograd as torch
    >>> torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return cat([_to_2d(t) for t in _tensors(tensors, "vstack")], 0, out=out)


alias("row_stack", "vstack")


@public(method=False)
def dstack(tensors, *, out=None):
    """Joined along dimension 2.

    >>> import retrograd as torch
    >>> torch.dstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    return cat([_to_3d(t) for t in _tensors(tensors, "dstack")], 2, out=out)


@public(method=False)
def column_stack(tensors, *, out=None):
    """Joined along dimension 1; vectors become columns.

    >>> import retrograd as torch
    >>> torch.column_stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    tensors = _tensors(tensors, "column_stack")
    return cat([reshape(t, (t._data.size, 1)) if t._data.ndim <= 1 else t for t in tensors], 1,
               out=out)


@method
def repeat(self, *repeats):
    """Copies of the tensor side by side, `repeats` times along each dimension.

    >>> import retrograd as torch
    >>> torch.tensor([1, 2]).repeat(2, 2)
    tensor([[1, 2, 1, 2],
            [1, 2, 1, 2]])
    """
    repeats = sizes(repeats)
    if len(repeats) < self._data.ndim:
        raise RuntimeError("Number of dimensions of repeat dims can not be smaller than number of "
                           "dimensions of tensor")
    return T.repeat(self, repeats)


@public
def tile(input, *dims):
    """repeat(), with missing leading counts taken as 1.

    >>> import retrograd as torch
    >>> torch.tile(torch.tensor([1, 2]), (2,))
    tensor([1, 2, 1, 2])
    """
    dims = sizes(dims)
    return repeat(input, (1,) * (input._data.ndim - len(dims)) + dims)


@public
def repeat_interleave(input, repeats=None, dim=None, *, output_size=None):
    """Each element (or slice along `dim`) repeated; `repeats` is a number or one for each.

    >>> import retrograd as torch
    >>> torch.repeat_interleave(torch.tensor([1, 2]), 2)
    tensor([1, 1, 2, 2])
    """
    if repeats is None:
        counts = _counts(input._data)
        return wrap(np.repeat(np.arange(counts.size), counts))
    if dim is None:
        input, dim = reshape(contiguous(input), (input._data.size,)), 0
    d = wrap_dim(dim, input._data.ndim)
    if isinstance(repeats, int):
        if repeats < 0:
            raise RuntimeError("Repeats must be non-negative")
        shape = input._data.shape
        wide = expand(T.unsqueeze(input, d + 1), (*shape[:d + 1], repeats, *shape[d + 1:]))
        return reshape(T.clone_contiguous(wide), (*shape[:d], shape[d] * repeats, *shape[d + 1:]))
    if not isinstance(repeats, Tensor):
        raise TypeError("repeat_interleave(): argument 'repeats' must be Tensor or int, not "
                        f"{type(repeats).__name__}")
    counts = _counts(repeats._data)
    if counts.size not in (1, input._data.shape[d]):
        raise RuntimeError("repeats must have the same size as input along dim, but got "
                           f"repeats.size(0) = {counts.size} and input.size({d}) = "
                           f"{input._data.shape[d]}")
    places = np.repeat(np.arange(input._data.shape[d]), counts)
    return T.index_select(input, wrap(places), d)


def _counts(counts):
    if counts.ndim > 1:
        raise RuntimeError("repeats must be 0-dim or 1-dim tensor")
    if counts.dtype not in (np.int64, np.int32):
        name = _dtype.of(counts).tensor_name
        raise NotImplementedError(f'"repeat_interleave_cpu" not implemented for \'{name}\'')
    if (counts < 0).any():
        raise RuntimeError("repeats can not be negative")
    return counts


@public
def flip(input, *order, dims=None):
    """A copy in reverse order along `dims`: flip(x, 0, 1), flip(x, (0, 1)), flip(x, dims=[0]).

    >>> import retrograd as torch
    >>> torch.flip(torch.tensor([[1, 2], [3, 4]]), dims=(0,))
    tensor([[3, 4],
            [1, 2]])
    """
    if dims is None and not order:
        raise TypeError('flip() missing 1 required positional arguments: "dims"')
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
    """flip() along dimension 1.

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
    """flip() along dimension 0.

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
    """Elements moved on by `shifts` along `dims`, those pushed out at the end coming in in
    front.

    >>> import retrograd as torch
    >>> torch.roll(torch.tensor([1, 2, 3]), 1)
    tensor([3, 1, 2])
    """
    shifts = (shifts,) if isinstance(shifts, int) else tuple(shifts)
    if not shifts:
        raise RuntimeError("`shifts` required")
    if dims is None or dims == ():
        if len(shifts) != 1:
            raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, dims:0")
        flat = T.roll(reshape(contiguous(input), (input._data.size,)), shifts, (0,))
        return reshape(flat, input._data.shape)
    dims = (dims,) if isinstance(dims, int) else tuple(dims)
    if len(shifts) != len(dims):
        raise RuntimeError(f"shifts and dimensions must align. shifts: {len(shifts)}, "
                           f"dims:{len(dims)}")
    if not input._data.ndim:
        raise IndexError(f"Dimension specified as {dims[0]} but tensor has no dimensions")
    return T.roll(input, shifts, tuple(wrap_dim(d, input._data.ndim) for d in dims))


@public
def rot90(input, k=1, dims=(0, 1)):
    """A quarter turn, k times, in the plane of two dimensions.

    >>> import retrograd as torch
    >>> torch.rot90(torch.tensor([[1, 2], [3, 4]]))
    tensor([[2, 4],
            [1, 3]])
    """
    a, b = (wrap_dim(d, input._data.ndim) for d in dims)
    if a == b:
        raise RuntimeError("expected rotation dims to be different, but got dim0 = "
                           f"{dims[0]} and dim1 = {dims[1]}")
    k %= 4
    if k == 0:
        return T.clone(input)
    if k == 2:
        return T.flip(input, (a, b))
    return T.clone_contiguous(transpose(T.flip(input, (b if k == 1 else a,)), a, b))


@public
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    """A matrix for each vector in the last dimension, with the vector on its diagonal.

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
    """The diagonal of a matrix, or the matrix with a vector on its diagonal.

    >>> import retrograd as torch
    >>> torch.diag(torch.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    if input._data.ndim not in (1, 2):
        raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input._data.ndim}D")
    if input._data.ndim == 1:
        res = T.diag_embed(input, diagonal, 0, 1)
    else:
        res = T.diagonal_copy(input, diagonal, 0, 1)
    return res if out is None else fill_checked("diag", out, res)


@public
def diagflat(input, offset=0):
    """A matrix with all elements on its diagonal.

    >>> import retrograd as torch
    >>> torch.diagflat(torch.tensor([[1], [2]]))
    tensor([[1, 0],
            [0, 2]])
    """
    return diag(reshape(contiguous(input), (input._data.size,)), offset)


@public(method=False)
def meshgrid(*tensors, indexing=None):
    """Coordinate grids of vectors: views, one for each vector.

    >>> import retrograd as torch
    >>> torch.meshgrid(torch.tensor([1, 2]), torch.tensor([5, 6]), indexing="ij")
    (tensor([[1, 1],
            [2, 2]]), tensor([[5, 6],
            [5, 6]]))
    """
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    _check_grid(tensors, indexing)
    if indexing is None:
        from .._warnings import warn_once
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the "
                  "indexing argument.")
    n = len(tensors)
    order = list(range(n))
    if indexing == "xy" and n > 1:
        order[0], order[1] = 1, 0
    shape = [tensors[k]._data.size for k in order]
    grids = []
    for k, t in enumerate(tensors):
        place = order.index(k)
        one = [1] * n
        one[place] = t._data.size
        grids.append(expand(reshape(t, tuple(one)), tuple(shape)))
    return tuple(grids)


def _check_grid(tensors, indexing):
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    for t in tensors:
        if t._data.ndim > 1:
            raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but "
                               f"got: {t}")
        if t._data.dtype != tensors[0]._data.dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError('torch.meshgrid: indexing must be one of "xy" or "ij", but received: '
                           f"{indexing}")


@public(method=False)
def block_diag(*tensors):
    """A matrix with the given matrices along its diagonal and zeros elsewhere.

    >>> import retrograd as torch
    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([[3]]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    if not tensors:
        return wrap(np.zeros((1, 0), _dtype.default.np))
    for k, t in enumerate(tensors):
        if t._data.ndim > 2:
            raise RuntimeError("torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                               f"Input {k} has {t._data.ndim} dimensions")
    tensors = [_to_2d(t) for t in _joined(tensors, "block_diag")]
    width, rows, at = sum(t._data.shape[1] for t in tensors), [], 0
    for t in tensors:
        n, m = t._data.shape
        left = wrap(np.zeros((n, at), t._data.dtype))
        right = wrap(np.zeros((n, width - at - m), t._data.dtype))
        rows.append(T.cat([left, t, right], 1))
        at += m
    return T.cat(rows, 0)


@public(method=False)
def cartesian_prod(*tensors):
    """All combinations of the vectors' elements, one in each row.

    >>> import retrograd as torch
    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([5, 6]))
    tensor([[1, 5],
            [1, 6],
            [2, 5],
            [2, 6]])
    """
    if len(tensors) == 1:
        return reshape(tensors[0], (tensors[0]._data.size,))
    grids = meshgrid(*tensors, indexing="ij")
    return stack([reshape(g, (g._data.size,)) for g in grids], 1)


def clone_like(g, leaf):
    """A recorded copy of the gradient `g` in the layout of its leaf."""
    return T.copy_(wrap(np.empty_like(leaf._data)), g)
