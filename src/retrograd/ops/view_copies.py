"""Copying twins of the views: copies of what a view shows, and copies with a part overwritten.

torch.t_copy(x) is x.t() in memory of its own; torch.select_scatter(x, src, 0, 1) is a copy of x
with src for its row 1.
"""

from __future__ import annotations

from functools import cache

from .. import _dtype
from .._tensor import Tensor
from .arguments import must_be
from .batching import fully_batched
from .declare import F as T
from .declare import op
from .dims import wrap_dim
from .gather_scatter import with_zeros
from .mapped import is_batched
from .mistyped import mistyped, starts_with_bool
from .out import fill_checked
from .public import METHODS, method, numpy_names, public
from .support import cast_back, result_tensor
from .views import matrices

op("select_scatter(self, src | dim, index)", "SelectScatterBackward0", public=False,
    of_complex=False,
    samples=lambda: [(a, a[0] + 1, 0, 1) for a in matrices()],
    self = lambda F, g, src_shape, dim, index:
               F.select_scatter(g, F.zeros_of(g, src_shape), dim, index),
    src  = lambda F, g, src_dtype, dim, index: in_dtype(F, F.select(g, dim, index), src_dtype),
    jvp  = lambda F, self, src, self_t, src_t, dim, index: F.select_scatter(
               with_zeros(F, self_t, self), with_zeros(F, src_t, src), dim, index))

op("slice_scatter(self, src | dim, start, end, step)", "SliceScatterBackward0", public=False,
    of_complex=False,
    samples=lambda: [(a, a[:, :2] + 1, 1, 0, 3, 2) for a in matrices()],
    self = lambda F, g, src_shape, dim, start, end, step:
               F.slice_scatter(g, F.zeros_of(g, src_shape), dim, start, end, step),
    src  = lambda F, g, src_dtype, dim, start, end, step:
               in_dtype(F, F.slice_dim(g, dim, start, end, step), src_dtype),
    jvp  = lambda F, self, src, self_t, src_t, dim, start, end, step: F.slice_scatter(
               with_zeros(F, self_t, self), with_zeros(F, src_t, src), dim, start, end, step))

op("diagonal_scatter(self, src | offset, dim1, dim2)", "DiagonalScatterBackward0", public=False,
    samples=lambda: [(a, a[0, :2] + 1, 1, 0, 1) for a in matrices()],
    self = lambda F, g, src_shape, offset, dim1, dim2:
               F.diagonal_scatter(g, F.zeros_of(g, src_shape), offset, dim1, dim2),
    src  = lambda F, g, src_dtype, offset, dim1, dim2:
               in_dtype(F, F.diagonal_copy(g, offset, dim1, dim2), src_dtype),
    jvp  = lambda F, self, src, self_t, src_t, offset, dim1, dim2: F.diagonal_scatter(
               with_zeros(F, self_t, self), with_zeros(F, src_t, src), offset, dim1, dim2))


def in_dtype(F, g, dtype):
    """The gradient of an input that was converted from this dtype."""
    return cast_back([dtype], [g], F is T)[0]


def check_size(src, part):
    """RuntimeError unless src has the shape of what it replaces."""
    if part._data.shape != src._data.shape:
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{list(src._data.shape)}, slice size = {list(part._data.shape)}")


def _bounds(t, dim, start, end, step):
    """What T.slice_dim takes for these arguments."""
    dim = wrap_dim(dim, t._data.ndim)
    if not t._data.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    start, end, step = slice(start, end, step).indices(t._data.shape[dim])
    return dim, start, max(start, end), step


def _slice(t, dim=0, start=None, end=None, step=1):
    if step is None:
        raise TypeError                           # reporting() replaces it by PyTorch's error
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    return T.slice_dim(t, *_bounds(t, dim, start, end, step))


@public
def select_scatter(input, src, dim, index):
    """A copy of input with src in place of input.select(dim, index).

    Raises RuntimeError unless src has the shape of what it replaces.

    >>> import retrograd as torch
    >>> torch.select_scatter(torch.zeros(2, 3), torch.ones(3), 0, 1)
    tensor([[0., 0., 0.],
            [1., 1., 1.]])
    """
    check_size(src, input.detach().select(dim, index))
    dim = wrap_dim(dim, input._data.ndim)
    return T.select_scatter(input, src, dim, index % input._data.shape[dim])


@public
@numpy_names
def slice_scatter(input, src, dim=0, start=None, end=None, step=1, *, out=None):
    """A copy of input with src in place of its slice start:end:step along dim.

    Raises RuntimeError unless src has the shape of what it replaces.

    >>> import retrograd as torch
    >>> torch.slice_scatter(torch.zeros(5), torch.ones(2), start=1, step=2, end=4)
    tensor([0., 1., 0., 1., 0.])
    """
    if step is None or step <= 0:
        raise RuntimeError("slice step must be positive")
    bounds = _bounds(input, dim, start, end, step)
    check_size(src, T.slice_dim(input.detach(), *bounds))
    res = T.slice_scatter(input, src, *bounds)
    return res if out is None else fill_checked("slice_scatter", out, res, input, src)


@public
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    """A copy of input with src in place of input.diagonal(offset, dim1, dim2).

    Raises RuntimeError unless src has the shape of what it replaces.

    >>> import retrograd as torch
    >>> torch.diagonal_scatter(torch.zeros(2, 2), torch.tensor([1., 2.]))
    tensor([[1., 0.],
            [0., 2.]])
    """
    check_size(src, input.detach().diagonal(offset, dim1, dim2))
    dim1, dim2 = (wrap_dim(d, input._data.ndim) for d in (dim1, dim2))
    return T.diagonal_scatter(input, src, offset, dim1, dim2)


@public
def as_strided_scatter(input, src, size, stride, storage_offset=None):
    """A copy of input with src in place of input.as_strided(size, stride, storage_offset).

    Raises RuntimeError unless src has the shape of what it replaces.

    >>> import retrograd as torch
    >>> torch.as_strided_scatter(torch.zeros(2, 2), torch.ones(2), (2,), (2,), 1)
    tensor([[0., 1.],
            [0., 1.]])
    """
    def view(t):
        if is_batched(t):
            raise RuntimeError("Error: aten::as_strided_scatter requires special handling, and "
                               "does not yet have a batching rule. Feel free to file a github "
                               "issue!")
        return t.as_strided(size, stride, storage_offset)
    res = (fully_batched(input) if is_batched(src) else input).clone()
    part = view(res)
    check_size(src, part)
    part.copy_(src)
    return res


def _in_own_memory(view):
    """A copy of a view, recorded in one step: by the view's node, under the name of the copy's."""
    node = view._view_node if view._flags == 1 and view._base is not None else None
    if node is None:
        return T.clone_contiguous(view)
    if not type(node).__name__.endswith("_copy"):            # several views share their node
        node.__class__ = _class_of_copy(type(node))
    return result_tensor(node, view._output_nr, view._data.copy(), [0, None])


@cache
def _class_of_copy(cls):
    name = f"{cls.__name__}_copy"
    return type(name, (cls,), {"__module__": cls.__module__})


def _copy_of(name, view, arguments, shown):
    """torch.<name>: what the view `view` shows, copied. `shown` is what an example prints."""
    def copied(*args, out=None, **kwargs):
        if name == "expand_copy" and len(args) > 2:
            raise TypeError                       # only the method takes sizes one by one
        if any(map(starts_with_bool, (*args[1:], *kwargs.values()))):
            wrong = mistyped(name, args, kwargs, False)
            if wrong is not None:
                raise wrong
        made = view(*args, **kwargs)
        if isinstance(made, (tuple, list)):
            made = tuple(_in_own_memory(t) for t in made)
            return made if out is None else _into_several(name, made, out)
        made = _in_own_memory(T.alias(made) if made is (*args, None)[0] else made)
        return made if out is None else fill_checked("view_copy", out, made)
    copied.__name__ = copied.__qualname__ = name
    copied.__doc__ = f"""{name.removesuffix('_copy')}, but a copy and not a view.

    A write to the result does not change `input`.

    >>> import retrograd as torch
    >>> torch.{name}({arguments})
    {shown}
    """
    return public(copied, method=False)


# What they are called in the error for a wrong number of tensors
INTO_SEVERAL = {"split_copy": "split_copy_Tensor_out()", "unbind_copy": "unbind_copy_int_out",
                "split_with_sizes_copy": "split_with_sizes_copy_out"}


def _into_several(name, made, out):
    """Write the parts into the tensors `out`, and return None, as PyTorch does."""
    if not isinstance(out, (tuple, list)):
        raise must_be("tuple of Tensors", name, "out", None, out)
    if len(out) != len(made):
        raise RuntimeError(f"{INTO_SEVERAL[name]} expected an out= argument of size "
                           f"{len(made)}, got size {len(out)}")
    for o, t in zip(out, made, strict=True):
        fill_checked(name, o, t)


def _viewed(input, size=None, *, dtype=None):
    """In another shape, copied where it is not a view; or the same bytes as another dtype."""
    of_dtype = size if dtype is None else dtype
    if isinstance(of_dtype, _dtype.dtype):
        return input.view(of_dtype)
    return input.reshape(size)


for _name, _arguments, _shown in (
        ("expand", "torch.tensor([1.]), (2,)", "tensor([1., 1.])"),
        ("diagonal", "torch.tensor([[1, 2], [3, 4]])", "tensor([1, 4])"),
        ("as_strided", "torch.arange(6), (2,), (2,), 1", "tensor([1, 3])"),
        ("split", "torch.arange(3), 2", "(tensor([0, 1]), tensor([2]))"),
        ("split_with_sizes", "torch.arange(3), (1, 2)", "(tensor([0]), tensor([1, 2]))"),
        ("unbind", "torch.tensor([[1, 2], [3, 4]])", "(tensor([1, 2]), tensor([3, 4]))"),
        ("unfold", "torch.arange(4), 0, 3, 1", "tensor([[0, 1, 2],\n            [1, 2, 3]])"),
        ("squeeze", "torch.tensor([[1, 2]])", "tensor([1, 2])"),
        ("unsqueeze", "torch.tensor([1, 2]), 0", "tensor([[1, 2]])"),
        ("transpose", "torch.tensor([[1, 2]]), 0, 1", "tensor([[1],\n            [2]])"),
        ("t", "torch.tensor([[1, 2]])", "tensor([[1],\n            [2]])"),
        ("select", "torch.tensor([[1, 2], [3, 4]]), 0, 1", "tensor([3, 4])"),
        ("permute", "torch.tensor([[1, 2]]), (1, 0)", "tensor([[1],\n            [2]])"),
        ("detach", "torch.ones(1)", "tensor([1.])")):
    _copy_of(_name + "_copy", METHODS.get(_name) or getattr(Tensor, _name), _arguments, _shown)
_copy_of("view_copy", _viewed, "torch.arange(4), (2, 2)", "tensor([[0, 1],\n            [2, 3]])")
_copy_of("view_as_real_copy", lambda input: T.view_as_real(input),
         "torch.tensor([1 + 2j])", "tensor([[1., 2.]])")
_copy_of("view_as_complex_copy", lambda input: T.view_as_complex(input),
         "torch.tensor([[1., 2.]])", "tensor([1.+2.j])")
_copy_of("slice_copy", _slice, "torch.arange(4), 0, 1, 3", "tensor([1, 2])")
_copy_of("alias_copy", lambda input: T.alias(input), "torch.arange(2)", "tensor([0, 1])")
method(_copy_of("narrow_copy", METHODS["narrow"], "torch.arange(4), 0, 1, 2", "tensor([1, 2])"))
