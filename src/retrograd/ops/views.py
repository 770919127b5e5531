"""The views as declarations: other shapes and parts of the same memory, and windows onto it."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from ..autograd.windows import Window
from . import samples as S
from .declare import F as T
from .declare import composite, op


def matrices():
    return [a for a, in S.singles()[:1]]


def with_values(*values):
    """Samples: a (2, 3) matrix followed by each of the tuples `values`."""
    return lambda: [(a, *v) for a in matrices() for v in values]


# --------------------------------------------------------------------------- declarations

# The tangent of a view need not lie in memory as the value does, so it is reshaped, not viewed.
op("view(self | shape)", "ViewBackward0", view=True, public=False, samples=with_values(((6,),)),
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = lambda F, self, self_t, shape: F.reshape(self_t, shape))

op("reshape_alias(self | shape)", "ReshapeAliasBackward0", view=True, public=False,
    samples=with_values(((6,),)),
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = lambda F, self, self_t, shape: F.reshape(self_t, shape))

op("unsafe_view(self | shape)", "UnsafeViewBackward0", public=False, samples=with_values(((6,),)),
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = "linear")

# What unsafe_view is to a graph, for what is read later and must not be written to before.
op("unsafe_part(self | shape)", "UnsafeViewBackward0", view=True, public=False, kernel="view",
    samples=with_values(((6,),)),
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = lambda F, self, self_t, shape: F.reshape(self_t, shape))

op("expand(self | shape)", "ExpandBackward0", view=True, public=False,
    samples=lambda: [(a[:1], (4, 2, 3)) for a in matrices()],
    self = lambda F, g, self_shape: F.sum_to(g, self_shape),
    jvp  = "linear")

op("unsqueeze(self | dim)", "UnsqueezeBackward0", view=True, public=False,
    samples=with_values((1,)),
    self = lambda F, g, dim: F.squeeze_dim(g, dim),
    jvp  = "linear")

op("squeeze_all(self)", "SqueezeBackward0", view=True, public=False,
    samples=lambda: [(a[:1],) for a in matrices()],
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = "linear")

op("squeeze_dim(self | dim)", "SqueezeBackward1", view=True, public=False,
    samples=lambda: [(a[:1], 0) for a in matrices()],
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = "linear")

op("squeeze_dims(self | dim)", "SqueezeBackward2", view=True, public=False,
    samples=lambda: [(a[:1, :1], (0, 1)) for a in matrices()],
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = "linear")

# for tensors that were just made
op("unsafe_squeeze(self | dim)", "SqueezeBackward4", public=False,
    samples=lambda: [(a[:1], 0) for a in matrices()],
    self = lambda F, g, dim: F.unsqueeze(g, dim),
    jvp  = "linear")

op("permute(self | dims)", "PermuteBackward0", view=True, public=False,
    samples=with_values(((1, 0),)),
    self = lambda F, g, dims: F.permute(g, inverse(dims)),
    jvp  = "linear")

op("transpose(self | dim0, dim1)", "TransposeBackward0", view=True, public=False,
    samples=with_values((0, 1)),
    self = lambda F, g, dim0, dim1: F.transpose(g, dim0, dim1),
    jvp  = "linear")

# PyTorch transposes the outputs of RNN and GRU in place, so their node has this name
op("transposed(self | dim0, dim1)", "TransposeBackward1", view=True, public=False,
    kernel="transpose", samples=with_values((0, 1)),
    self = lambda F, g, dim0, dim1: F.transpose(g, dim0, dim1),
    jvp  = "linear")

op("t(self)", "TBackward0", view=True, public=False, samples=S.singles,
    self = lambda F, g: F.t(g),
    jvp  = "linear")

op("alias(self)", "AliasBackward0", view=True, public=False, samples=S.singles,
    self = lambda F, g: g,
    jvp  = "linear")

op("select(self | dim, index)", "SelectBackward0", view=True, public=False,
    samples=with_values((0, 1), (1, 2)),
    self = lambda F, g, self_shape, dim, index: F.put_back(g, self_shape, at(dim, index)),
    part = lambda dim, index: at(dim, index),
    jvp  = "linear")

op("slice_dim(self | dim, start, end, step)", "SliceBackward0", view=True, public=False,
    samples=with_values((1, 0, 3, 2), (0, 1, 2, 1)),
    self = lambda F, g, self_shape, dim, start, end, step:
               F.put_back(g, self_shape, at(dim, slice(start, end, step))),
    part = lambda dim, start, end, step: at(dim, slice(start, end, step)),
    jvp  = "linear")

op("put_back(grad_output | shape, key)", "SliceBackwardBackward0", public=False,
    samples=with_values(((4, 3), (slice(0, 4, 2), Ellipsis))),
    grad_output = lambda F, g, key: F.take_part(g, key),
    jvp = "linear")

op("take_part(self | key)", "SliceBackward0", view=True, public=False,
    samples=with_values(((slice(0, 1), Ellipsis),)),
    self = lambda F, g, self_shape, key: F.put_back(g, self_shape, key),
    jvp  = "linear")

op("diagonal(self | offset, dim1, dim2, window)", "DiagonalBackward0", view=True, public=False,
    samples=lambda: [(a, 0, 0, 1, diagonal_window(a, 0, 0, 1)) for a in matrices()],
    self = lambda F, g, window: F.window_pad(g, window),
    jvp  = "linear")

op("unfold_dim(self | dim, size, step, window)", "UnfoldBackward0", view=True, public=False,
    samples=lambda: [(a, 1, 2, 1, unfold_window(a, 1, 2, 1)) for a in matrices()],
    self = lambda F, g, window: F.window_pad(g, window),
    jvp  = "linear")

op("as_strided(self | size, stride, offset, window)", "AsStridedBackward0", view=True, public=False,
    samples=lambda: [(a, (2, 2), (1, 3), 1, strided_window(a, (2, 2), (1, 3), 1))
                     for a in matrices()],
    self = lambda F, g, window: F.window_pad(g, window),
    jvp  = "linear")

# windows onto memory: see NOTE [views] in autograd/views.py
op("window_cut(self | window)", "AsStridedBackward0", public=False,
    samples=lambda: [(a, diagonal_window(a, 0, 0, 1)) for a in matrices()],
    self = lambda F, g, window: F.window_pad(g, window),
    jvp  = "linear")

op("window_pad(self | window)", "AsStridedBackwardBackward0", public=False,
    samples=lambda: [(a[0, :2], diagonal_window(a, 0, 0, 1)) for a in matrices()],
    self = lambda F, g, window: F.window_cut(g, window),
    jvp  = "linear")

op("window_replace(self, source? | window)", "CopySlices", public=False,
    samples=lambda: [(a, a[0, :2], diagonal_window(a, 0, 0, 1)) for a in matrices()],
    self   = lambda F, g, window: F.window_replace(g, None, window),
    source = lambda F, g, window: F.window_cut(g, window),
    jvp    = lambda F, self, source, self_t, source_t, window: F.window_replace(
                 self * 0 if self_t is None else self_t, source_t, window))


def at(dim, item):
    """The NumPy key for `item` in dimension `dim`."""
    return (*(slice(None),) * dim, item, Ellipsis)


@lru_cache(maxsize=256)
def inverse(dims):
    """The permutation that undoes `dims`."""
    return tuple([dims.index(d) for d in range(len(dims))])


def contiguous_window(array, cut):
    """The Window that cut() makes in a contiguous array like `array`."""
    whole = np.empty(array.shape, array.dtype)
    return Window(cut(whole), whole)


def diagonal_window(array, offset, dim1, dim2):
    return contiguous_window(array, lambda a: a.diagonal(offset, dim1, dim2))


def strided_window(array, size, stride, offset):
    from ..kernels.shape import as_strided
    return Window(as_strided(array, size, stride, offset, None), array)


def unfold_window(array, dim, size, step):
    from ..kernels.shape import unfold_dim
    return contiguous_window(array, lambda a: unfold_dim(a, dim, size, step))


@composite
def reshape(g, shape):
    """The Tensor with another shape: a view where that is possible."""
    if g._data.flags.c_contiguous:
        return T.view(g, shape)
    try:
        return T.reshape_alias(g, shape)
    except ValueError:
        return T.unsafe_view(T.clone_contiguous(g), shape)
