"""Joining tensors along a dimension, old or new; grids and blocks of them."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .. import _dtype
from .. import kernels as K
from .._state import features
from .._tensor import BATCHED, Tensor, wrap
from .._warnings import warn_once
from . import support
from .arguments import must_be, no_element
from .declare import F as T
from .declare import composite, op
from .dims import wrap_dim
from .out import fill_checked
from .public import alias, numpy_names, public
from .shape import refuse_list
from .support import cast_back
from .views import matrices, reshape

op("cat(tensors[] | dim)", "CatBackward0", public=False,
    samples=lambda: [([a, 2 * a], d) for a in matrices() for d in (0, 1)],
    tensors = lambda F, g, tensors_shape, dim: F.split_back(g, tensors_shape, dim),
    jvp = "linear")

op("stack(tensors[] | dim)", "StackBackward0", public=False,
    samples=lambda: [([a, 2 * a], d) for a in matrices() for d in (0, 1, 2)],
    tensors = lambda F, g, dim: F.unstack(g, dim),
    jvp = "linear")

# cat() of tensors of several dtypes, to which their gradients are cast back
op("cat_mixed(tensors[] | dim, common)", "CatBackward0", public=False,
    samples=lambda: [([a, 2 * a], d, np.dtype("float64")) for a in matrices() for d in (0, 1)],
    kernel=lambda arrays, dim, common: K.cat([K.cast(a, common) for a in arrays], dim),
    tensors = lambda F, g, tensors_shape, tensors_dtype, dim:
                  cast_back(tensors_dtype, F.split_back(g, tensors_shape, dim), F is T),
    jvp = "linear")

op("stack_mixed(tensors[] | dim, common)", "StackBackward0", public=False,
    samples=lambda: [([a, 2 * a], d, np.dtype("float64")) for a in matrices() for d in (0, 1)],
    kernel=lambda arrays, dim, common: K.stack([K.cast(a, common) for a in arrays], dim),
    tensors = lambda F, g, tensors_dtype, dim: cast_back(tensors_dtype, F.unstack(g, dim), F is T),
    jvp = "linear")

op("block_diag_of(tensors[] | common)", "BlockDiagBackward0", public=False,
    samples=lambda: [([a, a[0], a[0, 0]], np.dtype("float64")) for a in matrices()],
    tensors = lambda F, g, tensors_shape, tensors_dtype:
                  cast_back(tensors_dtype, blocks(F, g, tensors_shape), F is T),
    jvp = "linear")


def blocks(F, g, shapes):
    """The blocks of a matrix's diagonal, one of each shape, which may lack dimensions."""
    found, row, column = [], 0, 0
    for shape in shapes:
        n, m = (1, 1, *shape)[-2:]
        found.append(F.reshape(g[row:row + n, column:column + m], shape))
        row, column = row + n, column + m
    return found


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


def _tensors(tensors, name):
    """The list of tensors, none of which need be one yet; raises unless it is a filled sequence."""
    if not isinstance(tensors, (list, tuple)):
        raise must_be("tuple of Tensors", name, "tensors", 1, tensors)
    if not tensors:
        if name == "cat":
            raise ValueError("torch.cat(): expected a non-empty list of Tensors")
        raise RuntimeError(f"{name} expects a non-empty TensorList")
    return tensors


def _joined(tensors, name):
    tensors = _tensors(tensors, name)
    if not isinstance(tensors[0], Tensor):
        raise no_element(0, 0, tensors[0])
    first, mixed = tensors[0]._data.dtype, False
    for t in tensors:
        if not isinstance(t, Tensor):
            raise no_element([isinstance(t, Tensor) for t in tensors].index(False), 0, t)
        if t._data.dtype is not first:
            mixed = True
    return tensors, support.result_dtype(tensors) if mixed else None


@public(method=False)
@numpy_names
def cat(tensors, dim=0, *, out=None):
    """Tensors joined along the dimension `dim`: (..., n, ...), (..., m, ...) -> (..., n + m, ...).

    The other sizes must agree; dtypes promote. Raises RuntimeError for sizes that differ and for
    tensors without dimensions, IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.cat([torch.ones(2), torch.zeros(1)])
    tensor([1., 1., 0.])
    """
    tensors, common = _joined(tensors, "cat")
    shape = tensors[0]._data.shape
    if shape == (0,):                       # such a vector joins with anything
        shape = next((t._data.shape for t in tensors if t._data.shape != (0,)), None)
    if shape is None:
        dim, shape = 0, (0,)
    elif not shape:
        raise RuntimeError("zero-dimensional tensor (at position 0) cannot be concatenated")
    d = wrap_dim(dim, len(shape))
    if features.vmap and any([t._flags & BATCHED for t in tensors]):
        tensors = [t for t in tensors if t._data.shape != (0,)] or tensors[:1]
    try:
        res = T.cat(tensors, d) if common is None else T.cat_mixed(tensors, d, common.np)
    except ValueError:
        raise _cat_error([t._data.shape for t in tensors], shape, d) from None
    _check_kind(res, out)
    return res if out is None else fill_checked("cat", out, res, *tensors)


def _check_kind(res, out):
    """Raise if `out` cannot hold numbers of the kind that were joined."""
    if isinstance(out, Tensor) and not _dtype.can_cast(res.dtype, out.dtype):
        raise TypeError("torch.cat(): input types can't be cast to the desired output type "
                        f"{out.dtype.tensor_name}")


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
    """k tensors of one shape joined along a new dimension of size k, at `dim` of the result.

    Dtypes promote. Raises RuntimeError for shapes that differ, IndexError for a dimension out of
    range.

    >>> import retrograd as torch
    >>> torch.stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    tensors, common = _joined(tensors, "stack")
    shape = tensors[0]._data.shape
    d = wrap_dim(dim, len(shape) + 1)
    for k, t in enumerate(tensors):
        if t._data.shape != shape:
            raise RuntimeError(f"stack expects each tensor to be equal size, but got {list(shape)} "
                               f"at entry 0 and {list(t._data.shape)} at entry {k}")
    res = T.stack(tensors, d) if common is None else T.stack_mixed(tensors, d, common.np)
    _check_kind(res, out)
    return res if out is None else fill_checked("stack", out, res, *tensors)


PLACES = {1: "", 2: "\n    (n) -> (1, n).", 3: "\n    (n) -> (1, n, 1) and (m, n) -> (m, n, 1)."}


def _at_least(n, place):
    """The function that gives tensors at least n dimensions; place() adds those that lack."""
    def function(*tensors):
        if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
            return tuple(place(t) for t in tensors[0])
        return place(tensors[0]) if len(tensors) == 1 else tuple(place(t) for t in tensors)
    function.__name__ = function.__qualname__ = f"atleast_{n}d"
    function.__doc__ = f"""`t`, as a view with sizes of 1 added if it has fewer than {n} dimensions.
{PLACES[n]}
    Several tensors, or a sequence of them, give a tuple.

    >>> import retrograd as torch
    >>> torch.atleast_{n}d(torch.tensor(5)).shape
    torch.Size([{", ".join("1" * n)}])
    """
    return public(function, method=False)


def _to_1d(t):
    return reshape(t, (1,)) if t._data.ndim == 0 else t


def _to_2d(t):
    if t._data.ndim == 0:
        return reshape(t, (1, 1))
    return T.unsqueeze(t, 0) if t._data.ndim == 1 else t


def _to_3d(t):
    if t._data.ndim == 0:
        return reshape(t, (1, 1, 1))
    if t._data.ndim == 1:
        return T.unsqueeze(T.unsqueeze(t, 0), 2)
    return T.unsqueeze(t, 2) if t._data.ndim == 2 else t


atleast_1d, atleast_2d, atleast_3d = (
    _at_least(n, place) for n, place in ((1, _to_1d), (2, _to_2d), (3, _to_3d)))


@public(method=False)
def hstack(tensors, *, out=None):
    """The tensors joined along dimension 1: (n, a), (n, b) -> (n, a + b).

    Vectors are joined along dimension 0. Dtypes promote. Raises RuntimeError for other sizes that
    differ.

    >>> import retrograd as torch
    >>> torch.hstack([torch.tensor([1, 2]), torch.tensor([3])])
    tensor([1, 2, 3])
    """
    tensors = [_to_1d(t) for t in _tensors(tensors, "hstack")]
    return cat(tensors, 0 if tensors[0]._data.ndim == 1 else 1, out=out)


@public(method=False)
def vstack(tensors, *, out=None):
    """The tensors joined along dimension 0: (a, n), (b, n) -> (a + b, n).

    Vectors become rows first. Dtypes promote. Raises RuntimeError for other sizes that differ.

    >>> import retrograd as torch
    >>> torch.vstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 2],
            [3, 4]])
    """
    return cat([_to_2d(t) for t in _tensors(tensors, "vstack")], 0, out=out)


alias("row_stack", "vstack")


@public(method=False)
def dstack(tensors, *, out=None):
    """The tensors joined along dimension 2: (n, m, a), (n, m, b) -> (n, m, a + b).

    Vectors (n) become (1, n, 1) first, matrices (n, m) become (n, m, 1). Dtypes promote. Raises
    RuntimeError for other sizes that differ.

    >>> import retrograd as torch
    >>> torch.dstack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[[1, 3],
             [2, 4]]])
    """
    return cat([_to_3d(t) for t in _tensors(tensors, "dstack")], 2, out=out)


@public(method=False)
def column_stack(tensors, *, out=None):
    """The tensors joined along dimension 1: (n, a), (n, b) -> (n, a + b).

    Vectors become columns first. Dtypes promote. Raises RuntimeError for other sizes that differ.

    >>> import retrograd as torch
    >>> torch.column_stack([torch.tensor([1, 2]), torch.tensor([3, 4])])
    tensor([[1, 3],
            [2, 4]])
    """
    tensors = _tensors(tensors, "column_stack")
    return cat([reshape(t, (t._data.size, 1)) if t._data.ndim <= 1 else t for t in tensors], 1,
               out=out)


@public(method=False)
def meshgrid(*tensors, indexing=None):
    """Coordinate grids of vectors: views, one for each vector; (n), (m) -> two of (n, m).

    indexing="xy" gives (m, n), as pictures have it. Raises RuntimeError for tensors of more than
    one dimension or of several dtypes, and for another word.

    >>> import retrograd as torch
    >>> torch.meshgrid(torch.tensor([1, 2]), torch.tensor([5, 6]), indexing="ij")
    (tensor([[1, 1],
            [2, 2]]), tensor([[5, 6],
            [5, 6]]))
    """
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the "
                  "indexing argument.")
    _check_grid(tensors, indexing)
    lines, shape = _grid_shapes(tuple([t._data.size for t in tensors]), indexing == "xy")
    return tuple([T.expand(reshape(t, line), shape)
                  for t, line in zip(tensors, lines, strict=True)])


@lru_cache(maxsize=256)
def _grid_shapes(sizes, swapped):
    """(the shapes that the vectors are reshaped to, the one that all are then expanded to).

    `swapped` exchanges the first two dimensions.
    """
    n = len(sizes)
    order = list(range(n))
    if swapped and n > 1:
        order[0], order[1] = 1, 0
    lines = [tuple([sizes[k] if k == own else 1 for own in order]) for k in range(n)]
    return lines, tuple([sizes[k] for k in order])


def _check_grid(tensors, indexing):
    if not tensors:
        raise RuntimeError("meshgrid expects a non-empty TensorList")
    if len({t._data.dtype for t in tensors}) > 1:
        raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    for t in tensors:
        if t._data.ndim > 1:
            raise RuntimeError("torch.meshgrid: Expected 0D or 1D tensor in the tensor list but "
                               f"got: {t}")
    if indexing not in (None, "ij", "xy"):
        raise RuntimeError('torch.meshgrid: indexing must be one of "xy" or "ij", but received: '
                           f"{indexing}")


@public(method=False)
def block_diag(*tensors):
    """A matrix with the given matrices along its diagonal and zeros elsewhere.

    (n, m), (k, l) -> (n + k, m + l); vectors count as rows, numbers as (1, 1). Dtypes promote.
    Raises RuntimeError for more than two dimensions.

    >>> import retrograd as torch
    >>> torch.block_diag(torch.tensor([[1, 2]]), torch.tensor([[3]]))
    tensor([[1, 2, 0],
            [0, 0, 3]])
    """
    refuse_list(tensors)
    if not tensors:
        return wrap(np.zeros((1, 0), _dtype.default.np))
    for k, t in enumerate(tensors):
        if t._data.ndim > 2:
            raise RuntimeError("torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                               f"Input {k} has {t._data.ndim} dimensions")
    tensors, common = _joined(tensors, "block_diag")
    return T.block_diag_of(tensors, tensors[0]._data.dtype if common is None else common.np)


@public(method=False)
def cartesian_prod(*tensors):
    """All combinations of the vectors' elements, one in each row: (n), (m) -> (n m, 2).

    The last vector changes fastest; a single one is returned as it is. Raises RuntimeError for
    tensors that are no vectors, and for several dtypes.

    >>> import retrograd as torch
    >>> torch.cartesian_prod(torch.tensor([1, 2]), torch.tensor([5, 6]))
    tensor([[1, 5],
            [1, 6],
            [2, 5],
            [2, 6]])
    """
    for t in tensors:
        if t._data.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t._data.shape)}")
    if len(tensors) == 1:
        return reshape(tensors[0], (tensors[0]._data.size,))
    grids = meshgrid(*tensors, indexing="ij")
    return stack([reshape(g, (g._data.size,)) for g in grids], 1)
