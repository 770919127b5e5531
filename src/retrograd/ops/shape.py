"""Views: other shapes, other orders of dimensions, parts; all share the memory of their input."""

from __future__ import annotations

import numpy as np

from .._state import features, state
from .._tensor import Tensor, warn_once
from ..autograd.node import Node, connect, next_seq
from ..autograd.views import MULTI_OUTPUT, Window, check_inplace, rebase, view_of
from . import samples as S
from . import support
from .declare import F as T
from .declare import composite, op
from .dims import sizes, wrap_dim
from .public import alias, method, public


def matrices():
    return [a for a, in S.singles()[:1]]


def with_values(*values):
    """Samples: a (2, 3) matrix followed by each of the tuples `values`."""
    return lambda: [(a, *v) for a in matrices() for v in values]


# --------------------------------------------------------------------------- declarations

op("view(self | shape)", "ViewBackward0", view=True, public=False, samples=with_values(((6,),)),
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = "linear")

op("reshape_alias(self | shape)", "ReshapeAliasBackward0", view=True, public=False,
    samples=with_values(((6,),)),
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = "linear")

op("unsafe_view(self | shape)", "UnsafeViewBackward0", public=False, samples=with_values(((6,),)),
    self = lambda F, g, self_shape: F.reshape(g, self_shape),
    jvp  = "linear")

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

op("permute(self | dims)", "PermuteBackward0", view=True, public=False,
    samples=with_values(((1, 0),)),
    self = lambda F, g, dims: F.permute(g, inverse(dims)),
    jvp  = "linear")

op("transpose(self | dim0, dim1)", "TransposeBackward0", view=True, public=False,
    samples=with_values((0, 1)),
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
    jvp  = "linear")

op("slice_dim(self | dim, start, end, step)", "SliceBackward0", view=True, public=False,
    samples=with_values((1, 0, 3, 2), (0, 1, 2, 1)),
    self = lambda F, g, self_shape, dim, start, end, step:
               F.put_back(g, self_shape, at(dim, slice(start, end, step))),
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

op("window_replace(self, part? | window)", "CopySlices", public=False,
    samples=lambda: [(a, a[0, :2], diagonal_window(a, 0, 0, 1)) for a in matrices()],
    self = lambda F, g, window: F.window_replace(g, None, window),
    part = lambda F, g, window: F.window_cut(g, window),
    jvp  = lambda F, self, part, self_t, part_t, window: F.window_replace(
               self * 0 if self_t is None else self_t, part_t, window))


def at(dim, item):
    """The NumPy key for `item` in dimension `dim`."""
    return (*(slice(None),) * dim, item, Ellipsis)


def inverse(dims):
    """The permutation that undoes `dims`."""
    return tuple(int(i) for i in np.argsort(dims))


def contiguous_window(array, cut):
    """The Window that cut() makes in a contiguous array like `array`."""
    whole = np.empty(array.shape, array.dtype)
    return Window(cut(whole), whole)


def diagonal_window(array, offset, dim1, dim2):
    return contiguous_window(array, lambda a: a.diagonal(offset, dim1, dim2))


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


# --------------------------------------------------------------------------- several views at once

class SeveralViews(Node):
    """History of views that one call made: their gradients are joined again."""

    def run(self, gs, edges):
        return self.join(self.listed(gs), np.zeros, np.concatenate, np.stack),

    def run_graph(self, gs, edges):
        from .._tensor import wrap
        return self.join(self.listed(gs), lambda s, d: wrap(np.zeros(s, d)), T.cat, T.stack),

    def listed(self, gs):
        return [gs] if self.n_outputs == 1 else gs


class SplitBackward0(SeveralViews):
    def join(self, gs, zeros, cat, stack):
        gs = [zeros(s, self.dtype) if g is None else g
              for g, s in zip(gs, self.shapes, strict=True)]
        return cat(gs, self._saved_dim)


class SplitWithSizesBackward0(SplitBackward0):
    pass


class UnbindBackward0(SeveralViews):
    def join(self, gs, zeros, cat, stack):
        gs = [zeros(s, self.dtype) if g is None else g
              for g, s in zip(gs, self.shapes, strict=True)]
        return stack(gs, self._saved_dim)


def several_views(input, keys, node_class, dim):
    """A tuple of views, one for each NumPy index in `keys`, that share a node."""
    if input._track > 1:
        return support.special_views(several_views, input, keys, node_class, dim)
    arrays = [input._data[k] for k in keys]
    node = None
    if input._track and state.grad:
        node = node_class()
        node._seq = next_seq()
        connect(node, (input,))
        node.n_outputs = len(arrays)
        node._saved_dim, node.dtype = dim, input._data.dtype
        node.shapes = [a.shape for a in arrays]
        if features.recording:
            support.finish(node)
    return tuple([view_of(input, a, node, MULTI_OUTPUT, nr) for nr, a in enumerate(arrays)])


@public
def unbind(input, dim=0):
    """The slices along `dim`, as views in a tuple."""
    array = input._data
    if array.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    dim = wrap_dim(dim, array.ndim)
    return several_views(input, [at(dim, i) for i in range(array.shape[dim])], UnbindBackward0, dim)


@public(name="split")
def split(tensor, split_size_or_sections, dim=0):
    """Views of pieces along `dim`: of one size (the last may be smaller), or of the sizes given."""
    if isinstance(split_size_or_sections, (list, tuple)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    size, array = int(split_size_or_sections), tensor._data
    if array.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    dim = wrap_dim(dim, array.ndim)
    n = array.shape[dim]
    if size == 0 and n:
        raise RuntimeError("split_size can only be 0 if dimension size is 0, but got dimension "
                           f"size of {n}")
    starts = range(0, n, size) if n else (0,)
    keys = [at(dim, slice(k, min(k + size, n))) for k in starts]
    return several_views(tensor, keys, SplitBackward0, dim)


@public
def split_with_sizes(input, split_sizes, dim=0):
    """Views of pieces along `dim` with the given sizes, which must add up."""
    array = input._data
    if array.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    dim = wrap_dim(dim, array.ndim)
    n, split_sizes = array.shape[dim], [int(s) for s in split_sizes]
    if any(s < 0 for s in split_sizes):
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, "
                           f"but got split_sizes={split_sizes}")
    if sum(split_sizes) != n:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n} (input "
                           f"tensor's size at dimension {dim}), but got split_sizes={split_sizes}")
    keys, start = [], 0
    for size in split_sizes:
        keys.append(at(dim, slice(start, start + size)))
        start += size
    return several_views(input, keys, SplitWithSizesBackward0, dim)


@public
def chunk(input, chunks, dim=0):
    """Views of at most `chunks` equal pieces along `dim` (the last may be smaller)."""
    if input._data.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[dim]
    size = -(-n // chunks)
    if size == 0:
        return split_with_sizes(input, [0] * chunks, dim)
    return split(input, size, dim)


@public
def tensor_split(input, indices_or_sections, dim=0):
    """Views of nearly equal pieces, or of the pieces between the given places."""
    if input._data.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a "
                           "tensor with 0 dims")
    dim = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[dim]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = split_places(indices_or_sections)
    if isinstance(indices_or_sections, int):
        k = indices_or_sections
        if k <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {k}")
        places = [n // k * i + min(i, n % k) for i in range(1, k)]
    else:
        places = list(indices_or_sections)
    return tuple(_slice(input, dim, a, b) for a, b in zip([0, *places], [*places, n], strict=True))


def split_places(t):
    """The numbers in a tensor that says where to split."""
    if t._data.dtype != np.int64:
        raise RuntimeError("tensor_split expected tensor_indices_or_sections to have dtype of "
                           f"long, but got {t.dtype.tensor_name}")
    if t._data.ndim > 1:
        raise RuntimeError("tensor_split expected tensor_indices_or_sections to be a zero-"
                           f"dimensional or one-dimensional tensor, but got a tensor with "
                           f"{t._data.ndim} dims")
    return t._data.tolist()


def _slice(input, dim, start, end):
    start, end, _ = slice(start, end).indices(input._data.shape[dim])
    return T.slice_dim(input, dim, start, max(start, end), 1)


def _direction_split(name, dim, least):
    def split_along(input, indices_or_sections):
        d = dim
        if input._data.ndim < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension"
                               f"{'s' if least > 1 else ''}, but got a tensor with "
                               f"{input._data.ndim} dimensions!")
        if name == "hsplit" and input._data.ndim == 1:
            d = 0
        k, n = indices_or_sections, input._data.shape[d]
        if isinstance(k, int) and (k == 0 or n % k):
            raise RuntimeError(f"torch.{name} attempted to split along dimension {d}, but the size "
                               f"of the dimension {n} is not divisible by the split_size {k}!")
        return tensor_split(input, k, d)
    split_along.__name__ = split_along.__qualname__ = name
    split_along.__doc__ = f"Equal pieces along dimension {dim} (or at the given places), as views."
    return public(split_along)


hsplit = _direction_split("hsplit", 1, 1)
vsplit = _direction_split("vsplit", 0, 2)
dsplit = _direction_split("dsplit", 2, 3)

# --------------------------------------------------------------------------- shapes

NO_VIEW = ("view size is not compatible with input tensor's size and stride (at least one "
           "dimension spans across two contiguous subspaces). Use .reshape(...) instead.")


def infer_shape(shape, numel):
    """`shape` with its -1 filled in; RuntimeError if the numbers do not fit."""
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
    if unknown is None:
        if known != numel:
            raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
        return shape
    if known == 0 and numel == 0:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because "
                           "the unspecified dimension size -1 can be any value and is ambiguous")
    if known == 0 or numel % known:
        raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}")
    return (*shape[:unknown], numel // known, *shape[unknown + 1:])


@method
def view(self, *shape, dtype=None):
    """The same memory with another shape, or read as elements of another dtype.

    Raises RuntimeError where the strides do not allow it (use reshape).
    """
    from .._dtype import dtype as dtype_class
    if dtype is not None or len(shape) == 1 and isinstance(shape[0], dtype_class):
        from .convert import view_dtype
        return view_dtype(self, dtype or shape[0])
    try:
        return T.view(self, infer_shape(sizes(shape), self._data.size))
    except ValueError:
        raise RuntimeError(NO_VIEW) from None


@method
def view_as(self, other):
    """view() with the shape of `other`."""
    return view(self, *other._data.shape) if other._data.ndim else view(self, ())


@public(name="reshape")
def public_reshape(input, *shape):
    """The elements in another shape: a view where possible, else a copy."""
    return reshape(input, infer_shape(sizes(shape), input._data.size))


@method
def reshape_as(self, other):
    """reshape() to the shape of `other`."""
    return reshape(self, infer_shape(other._data.shape, self._data.size))


@public
def flatten(input, start_dim=0, end_dim=-1):
    """Dimensions start_dim to end_dim as one."""
    shape = input._data.shape
    ndim = len(shape)
    start, end = wrap_dim(start_dim, ndim), wrap_dim(end_dim, ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if ndim == 0:
        return reshape(input, (1,))
    if start == end:
        return input
    n = 1
    for size in shape[start:end + 1]:
        n *= size
    return reshape(input, (*shape[:start], n, *shape[end + 1:]))


@public
def ravel(input):
    """All elements in one dimension."""
    return reshape(contiguous(input), (input._data.size,))


@public
def unflatten(input, dim, sizes):
    """Dimension `dim` as several, of the given sizes (one may be -1)."""
    shape = input._data.shape
    d = wrap_dim(dim, len(shape))
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    known = 1
    for n in sizes:
        known *= n
    if -1 not in sizes and known != shape[d]:
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size "
                           f"of dim {d} ({shape[d]}) in the input tensor")
    return view(input, *shape[:d], *infer_shape(tuple(sizes), shape[d]), *shape[d + 1:])


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
    full = list(shape)
    for i in reversed(range(len(shape))):
        n, old = shape[i], have[i - lead] if i >= lead else 1
        if n == -1 and i >= lead:
            full[i] = old
        elif n < 0 or old not in (1, n):
            raise RuntimeError(f"The expanded size of the tensor ({n}) must match the existing "
                               f"size ({old}) at non-singleton dimension {i}.  Target sizes: "
                               f"{list(shape)}.  Tensor sizes: {list(have)}")
    return T.expand(self, tuple(full))


@method
def expand_as(self, other):
    """expand() to the shape of `other`."""
    return expand(self, other._data.shape)


@public
def broadcast_to(input, size):
    """expand() as a function."""
    return expand(input, size)


@public(method=False)
def broadcast_tensors(*tensors):
    """All tensors expanded to their common shape."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        tensors = tensors[0]
    try:
        shape = np.broadcast_shapes(*(t._data.shape for t in tensors))
    except ValueError:
        raise support.shape_error(*(t._data for t in tensors)) from None
    return tuple(t if t._data.shape == shape else T.expand(t, shape) for t in tensors)


@public(method=False)
def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to."""
    from .._tensor import Size
    shapes = [(s,) if isinstance(s, int) else tuple(s) for s in shapes]
    try:
        return Size(np.broadcast_shapes(*shapes))
    except ValueError:
        raise RuntimeError("Shape mismatch: objects cannot be broadcast to a single "
                           "shape") from None


@public
def squeeze(input, dim=None):
    """Without its dimensions of size 1, or without `dim` where that has size 1."""
    shape = input._data.shape
    if dim is None:
        return T.squeeze_all(input)
    if isinstance(dim, (tuple, list)):
        dims = tuple(wrap_dim(d, len(shape)) for d in dim)
        return T.squeeze_dims(input, tuple(d for d in dims if shape and shape[d] == 1))
    d = wrap_dim(dim, len(shape))
    return T.squeeze_dim(input, d if shape and shape[d] == 1 else ())


@public
def unsqueeze(input, dim):
    """With a new dimension of size 1 at `dim`."""
    return T.unsqueeze(input, wrap_dim(dim, input._data.ndim + 1))


# --------------------------------------------------------------------------- order of dimensions

@public
def transpose(input, dim0, dim1):
    """Swap two dimensions, as a view."""
    ndim = input._data.ndim
    d0, d1 = wrap_dim(dim0, ndim), wrap_dim(dim1, ndim)
    return T.transpose(input, d0, d1)


for _other in ("swapaxes", "swapdims"):
    alias(_other, "transpose")


@public
def t(input):
    """The transpose of a matrix, as a view."""
    if input._data.ndim > 2:
        raise RuntimeError("t() expects a tensor with <= 2 dimensions, but self is "
                           f"{input._data.ndim}D")
    return T.t(input)


@public
def permute(input, *dims):
    """Dimensions in the order `dims`, as a view."""
    order, ndim = sizes(dims), input._data.ndim
    if len(order) != ndim:
        raise RuntimeError("permute(sparse_coo): number of dimensions in the tensor input does not "
                           "match the length of the desired ordering of dimensions i.e. input.dim()"
                           f" = {ndim} is not equal to len(dims) = {len(order)}")
    order = tuple(wrap_dim(d, ndim) for d in order)
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return T.permute(input, order)


@public
def movedim(input, source, destination):
    """Move dimensions to other places, the rest in order."""
    ndim = input._data.ndim
    source = [source] if isinstance(source, int) else list(source)
    destination = [destination] if isinstance(destination, int) else list(destination)
    if len(source) != len(destination):
        raise RuntimeError("movedim: Invalid source or destination dims: source "
                           f"({source} dims) should contain the same number of dims as destination "
                           f"({destination} dims)")
    source = [wrap_dim(d, ndim) for d in source]
    destination = [wrap_dim(d, ndim) for d in destination]
    for name, dims in (("source", source), ("destination", destination)):
        if len(set(dims)) != len(dims):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({dims})")
    if ndim == 0:
        return T.alias(input)
    order = [None] * ndim
    for s, d in zip(source, destination, strict=True):
        order[d] = s
    rest = iter(d for d in range(ndim) if d not in source)
    return T.permute(input, tuple(next(rest) if d is None else d for d in order))


alias("moveaxis", "movedim")


def _T(self):
    if self._data.ndim == 2:
        return T.permute(self, (1, 0))
    if self._data.ndim != 0:
        warn_once("The use of `x.T` on tensors of dimension other than 2 to reverse their shape is "
                  "deprecated and it will throw an error in a future release. Consider `x.mT` to "
                  "transpose batches of matrices or `x.permute(*torch.arange(x.ndim - 1, -1, -1))` "
                  "to reverse the dimensions of a tensor.") if self._data.ndim != 1 else None
    return T.permute(self, tuple(range(self._data.ndim))[::-1])


def _matrix_transpose(name):
    def get(self):
        if self._data.ndim == 0:
            return T.alias(self)
        if self._data.ndim == 1 or name == "H" and self._data.ndim != 2:
            need = "2-D" if name == "H" else "at least 2-D"
            raise RuntimeError(f"tensor.{name} is only supported on matrices ({need}). Got "
                               f"{self._data.ndim}-D tensor.")
        res = T.transpose(self, self._data.ndim - 2, self._data.ndim - 1)
        return res.conj() if name != "mT" and self._data.dtype.kind == "c" else res
    return get


PROPERTIES = {"T": _T, "mT": _matrix_transpose("mT"), "H": _matrix_transpose("H"),
              "mH": _matrix_transpose("mH")}


@public
def adjoint(input):
    """The conjugate transpose of each matrix."""
    return PROPERTIES["mH"](input)


# --------------------------------------------------------------------------- parts

@public
def narrow(input, dim, start, length):
    """`length` slices along `dim` from `start` on, as a view."""
    shape = input._data.shape
    if not shape:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if isinstance(start, Tensor) and (start._data.ndim or start._data.dtype.kind not in "iu"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    d, start = wrap_dim(dim, len(shape)), int(start)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    n = shape[d]
    if not -n <= start <= n:
        raise IndexError(f"start out of range (expected to be in range of [{-n}, {n}], but got "
                         f"{start})")
    start = start + n if start < 0 else start
    if start + length > n:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({n}).")
    return T.slice_dim(input, d, start, start + length, 1)


@public
def narrow_copy(input, dim, start, length):
    """narrow(), copied."""
    return T.clone(narrow(input, dim, start, length))


@public
def select(input, dim, index):
    """The slice number `index` along `dim`, as a view without that dimension."""
    shape = input._data.shape
    if not shape:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    d = wrap_dim(dim, len(shape))
    n = shape[d]
    if not -n <= index < n:
        raise IndexError(f"select(): index {index} out of range for tensor of size "
                         f"{list(shape)} at dimension {d}")
    return T.select(input, d, int(index) % n)


@public
def diagonal(input, offset=0, dim1=0, dim2=1):
    """The elements where the two dimensions' indices differ by `offset`, in a last dimension."""
    ndim = input._data.ndim
    d1, d2 = wrap_dim(dim1, ndim), wrap_dim(dim2, ndim)
    if d1 == d2:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return T.diagonal(input, offset, d1, d2, diagonal_window(input._data, offset, d1, d2))


@method
def unfold(self, dimension, size, step):
    """All windows of `size` elements, `step` apart, along a dimension; they form the last one."""
    d, array = wrap_dim(dimension, self._data.ndim), self._data
    n = array.shape[d] if array.ndim else 1
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > n:
        raise RuntimeError(f"maximum size for tensor at dimension {d} is {n} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    return T.unfold_dim(self, d, size, step, unfold_window(array, d, size, step))


@public
def as_strided(input, size, stride, storage_offset=None):
    """A view with any sizes and strides (in elements) of the memory, from `storage_offset` on."""
    from ..kernels.shape import as_strided as cut
    size, stride = tuple(size), tuple(stride)
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if any(s < 0 for s in stride):
        raise RuntimeError("as_strided: Negative strides are not supported at the moment, got "
                           f"strides: {list(stride)}")
    array = input._data
    return T.as_strided(input, size, stride, storage_offset,
                        Window(cut(array, size, stride, storage_offset, None), array))


@public
def contiguous(input, *, memory_format=None):
    """Itself if its elements lie in order, else a copy in which they do."""
    if memory_format is not None and memory_format.name.startswith("channels_last"):
        return T.clone_as(input, channels_last_strides(input._data))
    return input if input._data.flags.c_contiguous else T.clone_contiguous(input)


def channels_last_strides(array):
    """Strides (bytes) that put dimension 1 last in memory."""
    order = (0, *range(2, array.ndim), 1)
    strides, step = [0] * array.ndim, array.itemsize
    for d in reversed(order):
        strides[d] = step
        step *= array.shape[d]
    return tuple(strides)


# --------------------------------------------------------------------------- in place on the shape

def _in_place(name, fn):
    """transpose_ and its kin: the tensor itself becomes the view; no element moves."""
    def change(self, *args, **kwargs):
        recording = self._track & 1 and state.grad
        if self._track > 1:
            support.refuse_write(self)
        if recording:
            check_inplace(self)
        before = self.as_subclass(Tensor)
        view = fn(before, *args, **kwargs)
        if recording:
            rebase(self, view.grad_fn)
        self._data = view._data
        self._cell[0] += 1
        return self
    change.__name__ = change.__qualname__ = name
    change.__doc__ = f"{name[:-1]}(), in place: the tensor itself becomes the view."
    return method(change)


for _fn in (transpose, t, squeeze, unsqueeze, as_strided):
    _in_place(_fn.__name__ + "_", _fn)
for _other in ("swapaxes_", "swapdims_"):
    alias(_other, "transpose_")
