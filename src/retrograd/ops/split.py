"""Functions that return several views: unbind, split, chunk ..."""

from __future__ import annotations

import numpy as np

from .._state import features, state
from .._tensor import Tensor
from ..autograd.node import Node, history, next_seq
from ..autograd.views import MULTI_OUTPUT, views_of
from ..kernels.shape import stack
from . import support
from .arguments import invalid_combination, must_be
from .declare import F as T
from .dims import whole, wrap_dim
from .mistyped import INTS, is_int, mistyped, of_call
from .public import method, numpy_names, public
from .views import at


class SeveralViews(Node):
    """History of views that one call made: their gradients are joined again."""

    unsafe = False       # if True, autograd does not take the parts for views
    # Each class sets `joins_parts` for itself. It says that run() does nothing but join the parts,
    # which is not so of the classes with hooks that are derived from it (autograd/straight.py).

    def run(self, gs, edges):
        return self.join(self.listed(gs), np.zeros, np.concatenate, stack),

    def run_graph(self, gs, edges):
        from .._tensor import wrap
        return self.join(self.listed(gs), lambda s, d: wrap(np.zeros(s, d)), T.cat, T.stack),

    def listed(self, gs):
        return [gs] if self.n_outputs == 1 else gs


class SplitBackward0(SeveralViews):
    joins_parts = True

    def join(self, gs, zeros, cat, stack):
        gs = [zeros(s, self.dtype) if g is None else g
              for g, s in zip(gs, self.shapes, strict=True)]
        return cat(gs, self._saved_dim)


class SplitWithSizesBackward0(SplitBackward0):
    joins_parts = True


class UnsafeSplitBackward0(SplitBackward0):
    joins_parts = unsafe = True


class UnsafeSplitWithSizesBackward0(SplitBackward0):
    joins_parts = unsafe = True


class UnbindBackward0(SeveralViews):
    joins_parts = True

    def join(self, gs, zeros, cat, stack):
        gs = [zeros(s, self.dtype) if g is None else g
              for g, s in zip(gs, self.shapes, strict=True)]
        return stack(gs, self._saved_dim)


def several_views(input, keys, node_class, dim):
    """A tuple of views, one for each NumPy index in `keys`, that share a node."""
    if support.unusual(input._flags):
        return support.special_views(several_views, input, keys, node_class, dim)
    arrays = [input._data[k] for k in keys]
    node = None
    if input._flags and state.grad:
        node = node_class()
        node.edges = (history(input),)
        if input._output_nr:
            node._numbers = (input._output_nr,)
        node._seq = next_seq()
        node.n_outputs = len(arrays)
        node._saved_dim, node.dtype = dim, input._data.dtype
        node.shapes = [a.shape for a in arrays]
        if features.recording:
            support.finish(node)
    if node_class.unsafe:
        return tuple([support.result_tensor(node, nr, a, [0, None])
                      for nr, a in enumerate(arrays)])
    return tuple(views_of(input, arrays, node, MULTI_OUTPUT))


@public
def unbind(input, dim=0, *, axis=None):
    """The slices along `dim`, as views in a tuple: (n, m) -> n of (m,) for dim=0.

    Raises IndexError for a dimension out of range and for a tensor without dimensions.

    >>> import retrograd as torch
    >>> torch.unbind(torch.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    if axis is not None:
        dim = axis
    array = input._data
    dim = wrap_dim(dim, array.ndim)
    if array.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    places = range(array.shape[dim])
    keys = [(i,) if dim == 0 and array.ndim > 1 else at(dim, i) for i in places]
    return several_views(input, keys, UnbindBackward0, dim)


@public(method=False)
def split(tensor, split_size_or_sections, dim=0):
    """A tuple of pieces along `dim`, as views: of one size, or of the sizes given.

    Of one size, the last piece may be smaller; a list of sizes must add up to the dimension's.
    Raises RuntimeError where they do not, and for negative sizes.

    >>> import retrograd as torch
    >>> torch.split(torch.arange(5), [2, 3])
    (tensor([0, 1]), tensor([2, 3, 4]))
    """
    if isinstance(split_size_or_sections, (list, tuple)):
        return split_with_sizes(tensor, split_size_or_sections, dim)
    return _split(tensor, split_size_or_sections, dim, SplitBackward0)


@method(name="split")
def split_method(self, split_size, dim=0):
    """torch.split: the method calls its argument split_size.

    >>> import retrograd as torch
    >>> torch.arange(5).split(2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    return split(self, split_size, dim)


SPLIT = ("Tensor input, int split_size, int dim = 0",
         "Tensor input, tuple of ints split_size, int dim = 0")


def _split(tensor, split_size, dim, node_class):
    """Pieces of one size, the last perhaps smaller, as views made by a node of `node_class`."""
    if split_size.__class__ is not int and not isinstance(split_size, INTS):
        if not (isinstance(split_size, Tensor) and is_int(split_size)):
            raise must_be("tuple of ints", "split_with_sizes", "split_sizes", 2, split_size)
        split_size = int(split_size)
    elif split_size.__class__ is bool:
        raise invalid_combination("split", (tensor, split_size, dim), {}, SPLIT, handed_on=True)
    size = split_size
    array = tensor._data
    if array.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    dim = wrap_dim(dim, array.ndim)
    n = array.shape[dim]
    if size == 0 and n:
        raise RuntimeError("split_size can only be 0 if dimension size is 0, but got dimension "
                           f"size of {n}")
    before = (slice(None),) * dim
    keys = [(*before, slice(k, min(k + size, n))) for k in (range(0, n, size) if n else (0,))]
    return several_views(tensor, keys, node_class, dim)


@public
def split_with_sizes(input, split_sizes, dim=0, *, axis=None):
    """A tuple of pieces along `dim` with the given sizes, as views.

    Raises RuntimeError unless the sizes add up to that of the dimension, and for negative ones.

    >>> import retrograd as torch
    >>> [part.tolist() for part in torch.split_with_sizes(torch.arange(4), [1, 3])]
    [[0], [1, 2, 3]]
    """
    if axis is not None:
        dim = axis
    return _split_with_sizes(input, split_sizes, dim, SplitWithSizesBackward0)


def _split_with_sizes(input, split_sizes, dim, node_class):
    """Pieces of the given sizes, as views made by a node of `node_class`."""
    array = input._data
    if array.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    given, dim = dim, wrap_dim(dim, array.ndim)
    if any(isinstance(s, (str, float)) for s in split_sizes) or (
            split_sizes and split_sizes[0].__class__ is bool):           # PyTorch looks at no other
        raise mistyped("split_with_sizes", (input, split_sizes), {}, False)
    n, split_sizes = array.shape[dim], [int(s) for s in split_sizes]
    if any(s < 0 for s in split_sizes):
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, "
                           f"but got split_sizes={split_sizes}")
    if sum(split_sizes) != n:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {n} (input "
                           f"tensor's size at dimension {given}), but got "
                           f"split_sizes={split_sizes}")
    keys, start = [], 0
    for size in split_sizes:
        keys.append(at(dim, slice(start, start + size)))
        start += size
    return several_views(input, keys, node_class, dim)


@public
def chunk(input, chunks, dim=0, *, axis=None):
    """A tuple of at most `chunks` pieces along `dim`, as views; the last may be smaller.

    Each has size ceil(n / chunks), so there may be fewer. Raises RuntimeError unless chunks > 0.

    >>> import retrograd as torch
    >>> torch.chunk(torch.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    if axis is not None:
        dim = axis
    return _chunk(input, chunks, dim, SplitBackward0, SplitWithSizesBackward0)


def _chunk(input, chunks, dim, equal, sized):
    if input._data.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    chunks = chunks if chunks.__class__ is int else whole(chunks)
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[dim]
    size = -(-n // chunks)
    if size == 0:
        return _split_with_sizes(input, [0] * chunks, dim, sized)
    return _split(input, size, dim, equal)


@public
@numpy_names
def unsafe_split(input, split_size, dim=0):
    """split() into tensors that autograd does not take for views, so that they may be written to.

    They share memory with input all the same, which must not be used any more after such a write.

    >>> import retrograd as torch
    >>> [part.tolist() for part in torch.unsafe_split(torch.arange(4), 3)]
    [[0, 1, 2], [3]]
    """
    return _split(input, split_size, dim, UnsafeSplitBackward0)


@public
@numpy_names
def unsafe_split_with_sizes(input, split_sizes, dim=0):
    """split_with_sizes() into tensors that autograd does not take for views; see unsafe_split.

    >>> import retrograd as torch
    >>> [part.tolist() for part in torch.unsafe_split_with_sizes(torch.arange(4), [1, 3])]
    [[0], [1, 2, 3]]
    """
    return _split_with_sizes(input, split_sizes, dim, UnsafeSplitWithSizesBackward0)


@public
@numpy_names
def unsafe_chunk(input, chunks, dim=0):
    """chunk() into tensors that autograd does not take for views; see unsafe_split.

    >>> import retrograd as torch
    >>> [part.tolist() for part in torch.unsafe_chunk(torch.arange(4), 2)]
    [[0, 1], [2, 3]]
    """
    return _chunk(input, chunks, dim, UnsafeSplitBackward0, UnsafeSplitWithSizesBackward0)


def _named_places(places, indices, sections):
    """What was given by position or by one of PyTorch's names for it."""
    if indices is not None and not isinstance(indices, (tuple, list)):
        raise of_call(TypeError("argument 'indices' must be tuple of ints"))
    if sections is not None and not is_int(sections):
        raise of_call(TypeError("argument 'sections' must be int"))
    return next((each for each in (indices, sections) if each is not None), places)


@public
@numpy_names
def tensor_split(input, places=None, dim=0, *, indices=None, sections=None,
                 tensor_indices_or_sections=None):
    """A tuple of pieces along `dim`, as views: k nearly equal ones, or cut at given places.

    The first n % k of k pieces have one slice more. Places [2, 5] cut into :2, 2:5 and 5:. They are
    given as `places`, or by PyTorch's names `sections`, `indices` or `tensor_indices_or_sections`.
    Raises RuntimeError unless the number is positive.

    >>> import retrograd as torch
    >>> torch.tensor_split(torch.arange(5), 3)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    """
    indices_or_sections = tensor_indices_or_sections
    if indices_or_sections is None:
        indices_or_sections = _named_places(places, indices, sections)
    if input._data.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a "
                           "tensor with 0 dims")
    dim = wrap_dim(dim, input._data.ndim)
    n = input._data.shape[dim]
    if isinstance(indices_or_sections, Tensor):
        indices_or_sections = split_places(indices_or_sections)
    if not isinstance(indices_or_sections, (tuple, list)):
        k = whole(indices_or_sections)
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
    def split_along(input, places=None, *, indices=None, sections=None):
        return along(input, _named_places(places, indices, sections))

    def split_method(self, places=None, *more, indices=None, sections=None):
        return along(self, _named_places((places, *more) if more else places, indices, sections))

    def along(input, places):
        d = dim
        if input._data.ndim < least:
            raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension, "
                               f"but got a tensor with {input._data.ndim} dimensions!")
        if name == "hsplit" and input._data.ndim == 1:
            d = 0
        k, n = places, input._data.shape[d]
        if isinstance(k, int) and (k == 0 or n % k):
            raise RuntimeError(f"torch.{name} attempted to split along dimension {d}, but the size "
                               f"of the dimension {n} is not divisible by the split_size {k}!")
        return tensor_split(input, k, d)
    of_vector = " (0 of a vector)" if name == "hsplit" else ""
    split_along.__doc__ = f"""Views of equal pieces along dimension {dim}, or cut at given places.

    It is tensor_split along dimension {dim}{of_vector}. Places [1, 3] cut into :1, 1:3 and 3:.
    Raises RuntimeError for a number that does not divide the size, and for tensors without that
    dimension.

    >>> import retrograd as torch
    >>> [part.shape[{dim}] for part in torch.{name}(torch.zeros(6, 6, 6), [1, 3])]
    [1, 2, 3]
    """
    split_method.__doc__ = split_along.__doc__
    method(split_method, name=name)
    return public(split_along, name=name, method=False)


hsplit = _direction_split("hsplit", 1, 1)
vsplit = _direction_split("vsplit", 0, 2)
dsplit = _direction_split("dsplit", 2, 3)
