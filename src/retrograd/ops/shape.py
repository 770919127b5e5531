"""Other shapes of the same elements: the public functions of `views.py` for them."""

from __future__ import annotations

from functools import cache, lru_cache, wraps
from math import prod

import numpy as np

from .._callers import note_write
from .._dtype import as_dtype
from .._dtype import dtype as dtype_class
from .._state import features, state
from .._tensor import BATCHED, DUAL, Tensor
from ..autograd.views import check_inplace, rebase, reshape_view
from . import support
from .arguments import MISSING, format_name, must_be, no_input
from .declare import F as T
from .dims import sizes, wrap_dim, wrap_dims
from .dual import set_tangent
from .mistyped import of_call, starts_with_bool
from .nn_checks import backend_name
from .public import method, needed, numpy_names, public
from .views import reshape

# --------------------------------------------------------------------------- shapes

NO_VIEW = ("view size is not compatible with input tensor's size and stride (at least one "
           "dimension spans across two contiguous subspaces). Use .reshape(...) instead.\n\n"
           "A view only counts the elements differently, in the order in which they lie in memory; "
           "after transpose(), permute() or the like that is not the order of the shape.\n"
           "Cure: reshape(), which copies them into order. To exchange dimensions, use transpose() "
           "or permute(): view() and reshape() would mix up the elements.")


FLAT = (-1,)


@lru_cache(maxsize=256)
def infer_shape(shape, numel):
    """`shape` with its -1 filled in; RuntimeError if the numbers do not fit."""
    if shape == FLAT:
        return (numel,)
    size = prod(shape)
    if size == numel and (not shape or min(shape) >= 0):
        return shape
    if size < 0 and min(shape) == -1 and shape.count(-1) == 1 and numel % size == 0:
        at = shape.index(-1)
        return (*shape[:at], numel // -size, *shape[at + 1:])
    raise shape_misfit(shape, numel)


def shape_misfit(shape, numel) -> RuntimeError:
    """The error of a shape that so many elements cannot have."""
    unknown = False
    for i, n in enumerate(shape):
        if n == -1 and unknown:
            return RuntimeError("only one dimension can be inferred")
        if n < -1:
            return RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
        unknown |= n == -1
    if unknown and 0 in shape and numel == 0:
        return RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because "
                            "the unspecified dimension size -1 can be any value and is ambiguous")
    from .hints import of_view
    return RuntimeError(f"shape '{list(shape)}' is invalid for input of size {numel}"
                        f"{of_view(shape, numel)}")


@method
def view(self, *shape, dtype=None, size=None):
    """The same memory with another shape, or read as elements of another dtype.

    One size may be -1: it is computed from the others. Raises RuntimeError for a shape of another
    number of elements, and where the strides do not allow a view (use reshape).

    >>> import retrograd as torch
    >>> torch.arange(4).view(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    if size is not None:
        if not isinstance(size, (tuple, list)):
            raise of_call(TypeError("argument 'size' must be tuple of ints"))
        shape = (size,)
    if dtype is not None or len(shape) == 1 and isinstance(shape[0], (dtype_class, type)):
        from .convert import view_dtype
        return view_dtype(self, as_dtype(dtype or shape[0]))
    try:
        return T.view(self, infer_shape(sizes(shape), self._data.size))
    except ValueError:
        raise support.input_error(self) or RuntimeError(NO_VIEW) from None


def shape_of(name, other):
    """The shape of the tensor whose shape the method `name` gives to another."""
    try:
        return other._data.shape
    except AttributeError:
        raise must_be("Tensor", name, "other", 2, other, 2) from None


@method
def view_as(self, other):
    """view() with the shape of `other`: the same memory.

    Raises RuntimeError for another number of elements, and where the strides do not allow a view.

    >>> import retrograd as torch
    >>> torch.arange(4).view_as(torch.zeros(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    shape = shape_of("view_as", other)
    return view(self, *shape) if shape else view(self, ())


@public(name="reshape")
def public_reshape(input, *args, shape=None):
    """The elements in another shape, in the same order: a view where possible, else a copy.

    One size may be -1: it is computed from the others. Raises RuntimeError for a shape of another
    number of elements.

    >>> import retrograd as torch
    >>> torch.reshape(torch.arange(4), (2, -1))
    tensor([[0, 1],
            [2, 3]])
    """
    if shape is not None and not isinstance(shape, (tuple, list)):
        raise of_call(TypeError("argument 'shape' must be tuple of ints"))
    try:
        shape = infer_shape(sizes(args if shape is None else (shape,)), input._data.size)
    except RuntimeError as error:
        raise support.input_error(input) or error from None
    return reshape(input, shape)


@method
def reshape_as(self, other):
    """reshape() to the shape of `other`.

    Raises RuntimeError unless both have equally many elements.

    >>> import retrograd as torch
    >>> torch.arange(4).reshape_as(torch.zeros(2, 2)).shape
    torch.Size([2, 2])
    """
    return reshape(self, infer_shape(shape_of("reshape_as", other), self._data.size))


@public
def flatten(input, start_dim=0, end_dim=-1):
    """Dimensions start_dim to end_dim as one: (2, 3, 4) -> (2, 12) for start_dim=1.

    The tensor itself or a view where possible, else a copy. A tensor without dimensions gets one.
    Raises IndexError for a dimension out of range, RuntimeError where start_dim comes after
    end_dim.

    >>> import retrograd as torch
    >>> torch.flatten(torch.zeros(2, 3, 4), 1).shape
    torch.Size([2, 12])
    """
    try:
        shape = input._data.shape
    except AttributeError:
        raise no_input("flatten", input, start_dim, end_dim) from None
    flat = _flattened(shape, start_dim, end_dim)
    return input if flat is None else reshape(input, flat)


@lru_cache(maxsize=256, typed=True)
def _flattened(shape, start, end):
    """The shape that flatten() gives, None where it is the one there is."""
    ndim = len(shape)
    start, end = wrap_dim(start, ndim), wrap_dim(end, ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if ndim == 0:
        return (1,)
    return None if start == end else (*shape[:start], prod(shape[start:end + 1]), *shape[end + 1:])


@public
def ravel(input):
    """All elements in one dimension, in order: (n, m) -> (n m). A view where possible, else a copy.

    >>> import retrograd as torch
    >>> torch.ravel(torch.tensor([[1, 2], [3, 4]]))
    tensor([1, 2, 3, 4])
    """
    return reshape(contiguous(input), (input._data.size,))


@public
@numpy_names
def unflatten(input, dim, sizes):
    """Dimension `dim` divided into several of the given sizes: (2, 12) -> (2, 3, 4) for dim=1.

    A view where possible. One size may be -1: it is computed from the others. Raises RuntimeError
    where their product is not the size of the dimension.

    >>> import retrograd as torch
    >>> torch.unflatten(torch.zeros(6), 0, (2, 3)).shape
    torch.Size([2, 3])
    """
    shape = input._data.shape
    d = wrap_dim(dim, len(shape))
    if not shape:
        raise RuntimeError("unflatten got an unexpected error:\n"
                           "Dimension specified as 0 but tensor has no dimensions")
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    if starts_with_bool(sizes):
        raise TypeError                        # reporting() replaces it by PyTorch's error
    known = 1
    for n in sizes:
        known *= n
    rest = shape[d] % -known if -1 in sizes and known else shape[d] - known
    if sizes.count(-1) > 1:
        raise RuntimeError("unflatten got an unexpected error:\nonly one dimension can be inferred")
    if rest:
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size "
                           f"of dim {d} ({shape[d]}) in the input tensor")
    return view(input, *shape[:d], *infer_shape(tuple(sizes), shape[d]), *shape[d + 1:])


@method
def expand(self, *shape, implicit=False, size=None):
    """A view that repeats dimensions of size 1: (1, 3) -> (2, 3), without a copy; -1 keeps a size.

    New dimensions may be added in front. Raises RuntimeError for another size that differs.

    >>> import retrograd as torch
    >>> torch.tensor([[1], [2]]).expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])
    """
    if size is not None:
        shape = (size,)
    shape, have = sizes(shape), self._data.shape
    if shape == have:
        return T.expand(self, have)
    if len(shape) < len(have):
        raise support.input_error(self) or too_few_sizes(self, shape)
    try:
        full = _expanded(shape, have)
    except RuntimeError as error:
        raise support.input_error(self) or error from None
    return T.expand(self, full)


@lru_cache(maxsize=256)
def _expanded(shape, have):
    """What expand() makes of the shape `have`; RuntimeError for a size that does not fit."""
    lead = len(shape) - len(have)
    full, old = shape, (1,) * lead + have
    if -1 in shape:
        full = tuple([old[i] if n == -1 and i >= lead else n for i, n in enumerate(shape)])
    for n, m in zip(full, old, strict=True):
        if n != m and m != 1 or n < 0:
            raise expand_error(shape, full, old, have)
    return full


def too_few_sizes(t, shape) -> RuntimeError:
    """The error of expand() to fewer dimensions than there are."""
    have = t._data.shape
    return RuntimeError(f"expand({backend_name(t.dtype)}{{{list(have)}}}, size="
                        f"{list(shape)}): the number of sizes provided ({len(shape)}) must be "
                        "greater or equal to the number of dimensions in the tensor "
                        f"({len(have)})")


def expand_error(shape, full, old, have) -> RuntimeError:
    """The error of expand(), for the last size that does not fit."""
    i = max(i for i, (n, m) in enumerate(zip(full, old, strict=True)) if n < 0 or m not in (1, n))
    if shape[i] == -1:
        return RuntimeError("The expanded size of the tensor (-1) isn't allowed in a leading, "
                            f"non-existing dimension {i}")
    return RuntimeError(f"The expanded size of the tensor ({shape[i]}) must match the existing "
                        f"size ({old[i]}) at non-singleton dimension {i}.  Target sizes: "
                        f"{list(shape)}.  Tensor sizes: {list(have)}")


@method
def expand_as(self, other):
    """expand() to the shape of `other`.

    Raises RuntimeError where a size other than 1 would have to change.

    >>> import retrograd as torch
    >>> torch.tensor([1]).expand_as(torch.zeros(2, 2))
    tensor([[1, 1],
            [1, 1]])
    """
    return expand(self, shape_of("expand_as", other))


@public
def broadcast_to(input, *args, size=None):
    """Tensor.expand() as a function: a view that repeats dimensions of size 1, (1, 3) -> (2, 3).

    Raises RuntimeError for another size that differs.

    >>> import retrograd as torch
    >>> torch.broadcast_to(torch.tensor([1, 2]), (2, 2))
    tensor([[1, 2],
            [1, 2]])
    """
    return expand(input, *args, size=size)


def refuse_list(tensors):
    """PyTorch's error for tensors in a list where they are given one by one."""
    if tensors and isinstance(tensors[0], (list, tuple)):
        raise TypeError("expected Tensor as element 0 in argument 0, but got "
                        f"{type(tensors[0]).__name__}")


@public(method=False)
def broadcast_tensors(*tensors):
    """All tensors expanded to their common shape, as views: (2, 1), (3) -> two of (2, 3).

    Several places of a result may be one in memory, so clone it before writing to it. Raises
    RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.broadcast_tensors(torch.tensor([1, 2]), torch.tensor([[3], [4]]))
    (tensor([[1, 2],
            [1, 2]]), tensor([[3, 3],
            [4, 4]]))
    """
    refuse_list(tensors)
    shapes = [t._data.shape for t in tensors]
    if shapes and shapes.count(shapes[0]) == len(shapes):
        return tuple(tensors)
    try:
        shape = np.broadcast_shapes(*shapes)
    except ValueError:
        raise support.shape_error(*[t._data for t in tensors]) from None
    return tuple(t if t._data.shape == shape else T.expand(t, shape) for t in tensors)


@public(method=False)
def broadcast_shapes(*shapes):
    """The shape that tensors of these shapes broadcast to: (2, 1), (3) -> (2, 3).

    Shapes are aligned at their ends; in each dimension all sizes other than 1 have to be the same.
    Raises RuntimeError where they are not.

    >>> import retrograd as torch
    >>> torch.broadcast_shapes((2, 1), (3,))
    torch.Size([2, 3])
    """
    from .._attributes import Size
    shapes = [(s,) if isinstance(s, int) else s for s in shapes if s is not None]
    for s in shapes:
        if not isinstance(s, (tuple, list)):
            raise RuntimeError("Input shapes should be of type ints, a tuple of ints, or a list of "
                               f"ints, got {s}")
        if any(n < 0 for n in s):
            raise ValueError("Attempting to broadcast a dimension with negative length!")
    try:
        return Size(np.broadcast_shapes(*map(tuple, shapes)))
    except ValueError:
        raise broadcast_mismatch(shapes) from None


def broadcast_mismatch(shapes):
    """PyTorch's error for the first of these shapes that does not broadcast with those before."""
    expected = [1] * max(map(len, shapes))
    for k, shape in enumerate(shapes):
        for at in range(-1, -1 - len(shape), -1):
            if expected[at] != shape[at] and 1 not in (expected[at], shape[at]):
                return RuntimeError(
                    f"Attempting to broadcast a dimension of length {shape[at]} at {at}! "
                    f"Mismatching argument at index {k} had {shape}; but expected shape should be "
                    f"broadcastable to {expected}")
            if shape[at] != 1:
                expected[at] = shape[at]
    raise AssertionError(f"these shapes do broadcast: {shapes}")


@public(method=False)
def squeeze(input, dim=MISSING, *, axis=MISSING):
    """A view without the dimensions of size 1: (2, 1, 3) -> (2, 3).

    With `dim`, an int or several, only those are removed, and only where their size is 1. Raises
    IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.squeeze(torch.zeros(1, 2, 1)).shape
    torch.Size([2])
    """
    try:
        shape = input._data.shape
    except AttributeError:
        raise no_input("squeeze", input, dim) from None
    if dim is MISSING:
        if axis is MISSING:
            return T.squeeze_all(input)
        dim = axis
    if isinstance(dim, (tuple, list)):
        dims = wrap_dims(dim, len(shape)) if dim else ()
        return T.squeeze_dims(input, tuple(d for d in dims if shape and shape[d] == 1))
    d = wrap_dim(dim, len(shape))
    return T.squeeze_dim(input, d if shape and shape[d] == 1 else ())


@method(name="squeeze")
def squeeze_method(self, dim=MISSING, *more, axis=MISSING):
    """torch.squeeze: the method also takes its dimensions one by one.

    >>> import retrograd as torch
    >>> torch.zeros(1, 2, 1).squeeze(0, 2).shape
    torch.Size([2])
    """
    return squeeze(self, (dim, *more) if more else dim, axis=axis)


@public
def unsqueeze(input, dim=None, *, axis=None):
    """A view with a new dimension of size 1 at `dim`: (2, 3) -> (2, 1, 3) for dim=1.

    Raises IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.unsqueeze(torch.zeros(2), 0).shape
    torch.Size([1, 2])
    """
    if dim is None:
        dim = needed("unsqueeze", "dim", axis)
    try:
        ndim = input._data.ndim
    except AttributeError:
        raise no_input("unsqueeze", input, dim) from None
    return T.unsqueeze(input, wrap_dim(dim, ndim + 1))


# --------------------------------------------------------------------------- memory order

@public
def contiguous(input, *, memory_format=None):
    """The tensor itself if its elements lie in memory row by row, else a copy in which they do.

    The copy is recorded. `memory_format` names another order, such as torch.channels_last.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).t().contiguous().stride()
    (2, 1)
    """
    if memory_format is not None and format_name(memory_format).startswith("channels_last"):
        if is_contiguous(input, memory_format):
            return input
        return T.clone_as(input, channels_last_strides(input._data, memory_format))
    return input if input._data.flags.c_contiguous else T.clone_contiguous(input)


def is_contiguous(t, memory_format):
    """Whether the elements lie in the order of a channels_last format."""
    n, wanted = t._data.ndim, 4 if memory_format.name == "channels_last" else 5
    return n == wanted and t._data.transpose(0, *range(2, n), 1).flags.c_contiguous


def channels_last_strides(array, memory_format):
    """Strides (bytes) that put dimension 1 last in memory, as the format says."""
    rank = 5 if memory_format.name.endswith("3d") else 4
    if array.ndim != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {memory_format.name} format")
    order = (0, *range(2, array.ndim), 1)
    strides, step = [0] * array.ndim, array.itemsize
    for d in reversed(order):
        strides[d] = step
        step *= array.shape[d]
    return tuple(strides)


# --------------------------------------------------------------------------- in place on the shape

@cache
def _in_place_class(cls):
    """The node class, which PyTorch numbers differently for the change in place."""
    name, number = cls.__name__[:-1], int(cls.__name__[-1])
    number += 3 if name == "SqueezeBackward" else 1
    return type(f"{name}{number}", (cls,), {"__module__": cls.__module__})


def in_place(name, fn, example, shape):
    """transpose_, squeeze_ and the like: the tensor itself becomes the view; no element moves.

    `example` is an expression with {} for the name, which gives `shape`: what help() shows.
    """
    @wraps(fn)
    def change(self, *args, **kwargs):
        if self._flags & BATCHED:                # the wrapper shows a view of its batch from now
            view = fn(self, *args, **kwargs)
            self._data, self._batch = view._data, view._batch
            return self
        recording = self._flags & 1 and state.grad
        if self._flags > 1:
            support.refuse_write(self)
        for look in features.before_write:
            look(self, name)
        if recording:
            check_inplace(self)
        # fn's node must lead to what the tensor was, so it sees another Tensor in its place
        before = self._shallow_copy(Tensor)
        before._flags &= ~DUAL
        view = fn(before, *args, **kwargs)
        node = view.grad_fn if recording else None
        if recording:
            node.__class__ = _in_place_class(type(node))
        if recording and self._base is None:
            rebase(self, node)
        self._data = view._data
        note_write(self, name)
        if recording and self._base is not None:
            reshape_view(self, node)
        if self._flags & DUAL:
            for level, tangent in self._tangents.items():
                set_tangent(self, level, fn(tangent, *args, **kwargs))
        return self
    change.__name__ = change.__qualname__ = name
    change.__doc__ = f"""{name[:-1]}() in place: the tensor itself becomes the view.

    >>> import retrograd as torch
    >>> {example.format(name)}
    torch.Size({list(shape)})
    """
    return method(change)


in_place("squeeze_", squeeze_method, "torch.ones(1, 3).{}(0).shape", (3,))
in_place("unsqueeze_", unsqueeze, "torch.ones(3).{}(0).shape", (1, 3))
