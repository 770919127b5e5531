"""Views (shape, transposition, indexing by numbers and slices) and joining of tensors."""

from __future__ import annotations

import numpy as np

from .._tensor import wrap
from . import samples as S
from .declare import F as T
from .declare import composite, op
from .dims import sizes, wrap_dim
from .public import method, public

op("view(self | shape)", "ViewBackward0", view=True, public=False,
    samples=lambda: [(a, (6,)) for a, in S.singles()[:1]],
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = "linear")

op("expand(self | shape)", "ExpandBackward0", view=True, public=False,
    samples=lambda: [(a[:1], (4, 2, 3)) for a, in S.singles()[:1]],
    self = lambda F, g, self_shape: F.sum_to(g, self_shape),
    jvp  = "linear")

op("unsqueeze(self | dim)", "UnsqueezeBackward0", view=True, public=False,
    samples=lambda: [(a, 1) for a, in S.singles()[:1]],
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = "linear")

op("squeeze(self | dim)", "SqueezeBackward0", view=True, public=False,
    samples=lambda: [(a[:1], 0) for a, in S.singles()[:1]],
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = "linear")

op("permute(self | dims)", "PermuteBackward0", view=True, public=False,
    samples=lambda: [(a, (1, 0)) for a, in S.singles()[:1]],
    self = lambda F, g, dims: F.permute(g, inverse(dims)),
    jvp  = "linear")

op("transpose(self | dim0, dim1)", "TransposeBackward0", view=True, public=False,
    samples=lambda: [(a, 0, 1) for a, in S.singles()[:1]],
    self = lambda F, g, dim0, dim1: F.transpose(g, dim0, dim1),
    jvp  = "linear")

op("t(self)", "TBackward0", view=True, public=False, samples=S.singles,
    self = lambda F, g: F.t(g),
    jvp  = "linear")

op("clone(self)", "CloneBackward0", public=False, samples=S.singles,
    self = lambda F, g: g,
    jvp  = "linear")

op("cast(self | dtype)", "ToCopyBackward0", public=False,
    samples=S.with_consts(S.singles, np.dtype("float64")),
    self = lambda F, g, self_dtype: F.cast(g, self_dtype),
    jvp  = "linear")

op("cat(tensors[] | dim)", "CatBackward0", public=False,
    samples=lambda: [([a, a], 0) for a, in S.singles()[:1]],
    tensors = lambda F, g, tensors_shape, dim: F.split_back(g, tensors_shape, dim),
    jvp = "linear")

# copying a gradient into a leaf's .grad under create_graph
op("clone_as(self | strides)", "CopyBackwards", public=False,
    samples=lambda: [(a, a.strides) for a, in S.singles()[:1]],
    self = lambda F, g: g,
    jvp  = "linear")

# windows onto memory: see NOTE [views] in autograd/views.py
op("window_cut(self | window)", "AsStridedBackward0", public=False,
    self = lambda F, g, window: F.window_pad(g, window),
    jvp  = "linear")

op("window_pad(self | window)", "AsStridedBackwardBackward0", public=False,
    self = lambda F, g, window: F.window_cut(g, window),
    jvp  = "linear")

op("window_replace(self, part? | window)", "CopySlices", public=False,
    self = lambda F, g, window: F.window_replace(g, None, window),
    part = lambda F, g, window: F.window_cut(g, window),
    jvp  = "linear")


def inverse(dims):
    """The permutation that undoes `dims`."""
    return tuple(int(i) for i in np.argsort(dims))


def clone_like(g, leaf):
    """A recorded copy of `g` in the layout of `leaf`."""
    return T.clone_as(g, leaf._data.strides)


@composite
def reshape(g, shape):
    """The Tensor with another shape: a view where that is possible."""
    try:
        return T.view(g, shape)
    except ValueError:
        return T.view(T.clone(g), shape)


@composite
def zeros_like(t):
    return wrap(np.zeros_like(t._data))


@composite
def split_back(g, shapes, dim):
    """The pieces of a joined gradient, one for each joined tensor."""
    pieces, start = [], 0
    for shape in shapes:
        if len(shape) == 1 and shape[0] == 0:
            pieces.append(wrap(np.zeros(0, g._data.dtype)))
            continue
        end = start + shape[dim]
        pieces.append(T.slice_dim(g, dim, start, end, 1))
        start = end
    return pieces


# --------------------------------------------------------------------------- public functions

def infer_shape(shape, numel):
    """`shape` with its -1 filled in; RuntimeError if the numbers do not fit."""
    shape = tuple(shape)
    known, unknown = 1, None
    for i, n in enumerate(shape):
        if n == -1:
            if unknown is not None:
                raise RuntimeError("only one dimension can be inferred")
            unknown = i
        elif n < 0:
            raise RuntimeError(f"invalid shape dimension {n}")
        else:
            known *= n
    if unknown is not None and known == 0:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because "
                           "the unspecified dimension size -1 can be any value and is ambiguous")
    if unknown is None and known != numel or unknown is not None and numel % known:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    if unknown is not None:
        shape = (*shape[:unknown], numel // known, *shape[unknown + 1:])
    return shape


NO_VIEW = ("view size is not compatible with input tensor's size and stride (at least one dimension "
           "spans across two contiguous subspaces). Use .reshape(...) instead.")


@method
def view(self, *shape):
    """The same memory with another shape, or with another dtype's elements.

    Raises RuntimeError where the strides do not allow it (use reshape).
    """
    from .._dtype import dtype
    if len(shape) == 1 and isinstance(shape[0], dtype):
        return self._view_dtype(shape[0])
    try:
        return T.view(self, infer_shape(sizes(shape), self._data.size))
    except ValueError:
        raise RuntimeError(NO_VIEW) from None


@public(name="reshape")
def public_reshape(input, *shape):
    """The elements in another shape: a view where possible, else a copy."""
    return reshape(input, infer_shape(sizes(shape), input._data.size))


@method
def expand(self, *shape, implicit=False):
    """Repeat along dimensions of size 1 without copying; -1 keeps a size."""
    shape, have = sizes(shape), self._data.shape
    lead = len(shape) - len(have)
    if lead < 0:
        raise RuntimeError(f"expand(torch.{self.dtype.tensor_name}Tensor{{{list(have)}}}, size="
                           f"{list(shape)}): the number of sizes provided ({len(shape)}) must be "
                           "greater or equal to the number of dimensions in the tensor "
                           f"({len(have)})")
    full = []
    for i, n in enumerate(shape):
        old = have[i - lead] if i >= lead else 1
        if n == -1 and i >= lead:
            n = old
        elif n < 0 or old not in (1, n):
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing size "
                               f"({old}) at non-singleton dimension {i}.  Target sizes: "
                               f"{list(shape)}.  Tensor sizes: {list(have)}")
        full.append(n)
    return T.expand(self, tuple(full))


@public
def transpose(input, dim0, dim1):
    """Swap two dimensions, as a view."""
    ndim = input._data.ndim
    return T.transpose(input, wrap_dim(dim0, ndim), wrap_dim(dim1, ndim))


@public
def t(input):
    """The transpose of a matrix, as a view."""
    if input._data.ndim > 2:
        raise RuntimeError("t() expects a tensor with <= 2 dimensions, but self is "
                           f"{input._data.ndim}D")
    return T.t(input)


@public
def clone(input, *, memory_format=None):
    """A recorded copy."""
    return T.clone(input)


