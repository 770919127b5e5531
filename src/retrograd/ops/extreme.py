"""The largest and the smallest: over everything, over dimensions, and where they lie.

max(dim) and min(dim) return where the extreme lies, and the gradient goes there. max(), amax and
aminmax do not, and the gradient is shared equally by all elements that are the extreme.
"""

from __future__ import annotations

from .._tensor import Tensor
from ..kernels.checks import not_implemented
from . import samples as S
from .declare import F as T
from .declare import op
from .dims import axes, wrap_dim
from .formulas import both, restored, shared
from .mistyped import of_call
from .out import fill_checked, given_pair
from .public import numpy_names, public

op("max_all(self)", "MaxBackward1", public=False, samples=S.distinct,
    self = lambda F, g, self, result: shared(F, g, F.same(self, result), None),
    jvp  = lambda F, self, self_t, result: F.sum_all(
               extreme_gradient(F, None, self, result, None, True, self_t)))

op("min_all(self)", "MinBackward1", public=False, samples=S.distinct,
    self = lambda F, g, self, result: shared(F, g, F.same(self, result), None),
    jvp  = lambda F, self, self_t, result: F.sum_all(
               extreme_gradient(F, None, self, result, None, True, self_t)))

for _name, _grad_fn in (("amax", "AmaxBackward0"), ("amin", "AminBackward0")):
    op(f"{_name}(self | dim, keepdim)", _grad_fn, public=False, contiguous=True,
       samples=S.reductions,
       self = lambda F, g, self, result, dim, keepdim:
                  extreme_gradient(F, g, self, result, dim, keepdim),
       jvp  = lambda F, self, self_t, result, dim, keepdim: F.sum_dim(
                  extreme_gradient(F, None, self, result, dim, keepdim, self_t), dim, keepdim))

op("aminmax(self | dim, keepdim)", "AminmaxBackward0", outputs=("min", "max"), public=False,
    contiguous=True,
    samples=S.reductions,
    self = lambda F, gs, self, min, max, dim, keepdim: both(
               extreme_gradient(F, gs[0], self, min, dim, keepdim),
               extreme_gradient(F, gs[1], self, max, dim, keepdim)),
    jvp  = lambda F, self, self_t, min, max, dim, keepdim: tuple([
               F.sum_dim(extreme_gradient(F, None, self, r, dim, keepdim, self_t), dim, keepdim)
               for r in (min, max)]))

for _name, _grad_fn in (("max_dim", "MaxBackward0"), ("min_dim", "MinBackward0")):
    op(f"{_name}(self | dim, keepdim)", _grad_fn, outputs=("values", "indices"),
       nondiff=("indices",), public=False, contiguous=True, samples=S.along_dim,
       self = lambda F, g, indices, self_shape, dim, keepdim:
                  F.place(g, indices, self_shape, dim, keepdim),
       jvp  = lambda F, self, self_t, indices, dim, keepdim:
                  F.pick(self_t, indices, dim, keepdim))

op("pick(self, index | dim, keepdim)", "GatherBackward0", public=False,
    samples=lambda: [(a, a.argmax(0), 0, False) for a, in S.singles()[:1]],
    self = lambda F, g, self_shape, index, dim, keepdim:
               F.place(g, index, self_shape, dim, keepdim),
    jvp  = lambda F, self, index, self_t, index_t, dim, keepdim:
               F.pick(self_t, index, dim, keepdim))

op("place(grad_output, index | shape, dim, keepdim)", "ScatterBackward0", public=False,
    samples=lambda: [(a[0], a.argmax(0), a.shape, 0, False) for a, in S.singles()[:1]],
    grad_output = lambda F, g, index, dim, keepdim: F.pick(g, index, dim, keepdim),
    jvp = lambda F, grad_output, index, grad_output_t, index_t, shape, dim, keepdim:
              F.place(grad_output_t, index, shape, dim, keepdim))

op("argmax(self | dim, keepdim)", public=False, samples=S.along_dim)
op("argmin(self | dim, keepdim)", public=False, samples=S.along_dim)


def extreme_gradient(F, g, x, extreme, dim, keepdim, tangent=None):
    """The gradient of an extreme (or a tangent of x), shared evenly among the places it lies at.

    A nan lies nowhere, since it equals nothing: 0 / 0 makes all that was compared nan.
    """
    if g is None and tangent is None:
        return None
    g = restored(F, g, dim, keepdim) if tangent is None else tangent
    weights = F.mask_as(F.eq(x, restored(F, extreme, dim, keepdim)), g)
    total = F.sum_all(weights) if dim is None else F.sum_dim(weights, dim, True)
    return weights * (g / total)


# --------------------------------------------------------------------------- public functions

def _nonempty(name, array, dims, brackets="()"):
    """PyTorch's errors for extremes of nothing."""
    if array.size:
        return
    if not dims:
        raise RuntimeError(f"{name}(): Expected reduction dim to be specified for input.numel() == "
                           "0. Specify the reduction dim with the 'dim' argument.")
    for d in dims:
        if array.shape[d] == 0:
            raise IndexError(f"{name}{brackets}: Expected reduction dim {d} to have non-zero "
                             "size.")


def _extreme(name, whole, along, pair, input, dim, keepdim, other, out):
    """max and min in their three forms: of everything, along `dim`, and of two tensors."""
    if isinstance(dim, Tensor) and not keepdim or other is not None:
        res = pair(input, dim if other is None else other)
        return res if out is None else fill_checked(name, out, res)
    array = input._data
    if dim is None:
        if keepdim:
            raise of_call(TypeError(f"{name}() takes keepdim only with dim"))
        _nonempty(name, array, ())
        if array.dtype.kind == "c":
            raise not_implemented(f"{name}_all", array.dtype)
        res = whole(input)
        return res if out is None else fill_checked(f"{name}_all", out, res)
    dim = wrap_dim(dim, array.ndim)
    _nonempty(name, array, (dim,))
    res = along(input, dim, keepdim)
    return given_pair(name, res, out, input)


@public
@numpy_names
def max(input, dim=None, keepdim=False, *, other=None, out=None):
    """The largest element; with `dim`, (values, indices) along it; of two tensors, `maximum`.

    max(input) is a number, max(input, dim) is named `values` and `indices`, max(input, other)
    works by elements. nan counts as largest. The gradient goes to the element found; without
    `dim`, equal ones share it evenly. Raises RuntimeError if there are no elements, IndexError for
    a dimension out of range.

    >>> import retrograd as torch
    >>> torch.max(torch.tensor([[1., 5.], [7., 2.]]), dim=1)
    torch.return_types.max(
    values=tensor([5., 7.]),
    indices=tensor([1, 0]))
    """
    return _extreme("max", T.max_all, T.max_dim, T.maximum, input, dim, keepdim, other, out)


@public
@numpy_names
def min(input, dim=None, keepdim=False, *, other=None, out=None):
    """The smallest element; with `dim`, (values, indices) along it; of two tensors, `minimum`.

    min(input) is a number, min(input, dim) is named `values` and `indices`, min(input, other)
    works by elements. nan counts as smallest. The gradient goes to the element found; without
    `dim`, equal ones share it evenly. Raises RuntimeError if there are no elements, IndexError for
    a dimension out of range.

    >>> import retrograd as torch
    >>> torch.min(torch.tensor([[1., 5.], [3., 2.]]), dim=1)
    torch.return_types.min(
    values=tensor([1., 2.]),
    indices=tensor([0, 1]))
    """
    return _extreme("min", T.min_all, T.min_dim, T.minimum, input, dim, keepdim, other, out)


def _over(name, operator, input, dim, keepdim, out):
    array = input._data
    dims = axes(dim, array.ndim)
    given = () if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
    _nonempty(name, array, given)                         # its error counts as the program did
    res = operator(input, dims, keepdim)
    return res if out is None else fill_checked(name, out, res)


@public
@numpy_names
def amax(input, dim=(), keepdim=False, *, out=None):
    """The largest elements over the dimensions `dim`, an int or several; of all by default.

    With `keepdim` the dimensions stay, with size 1. Equal elements share the gradient evenly, where
    max() along a dimension gives it to one of them. Raises IndexError for an empty dimension.

    >>> import retrograd as torch
    >>> torch.amax(torch.tensor([[1., 5.], [3., 2.]]), dim=1)
    tensor([5., 3.])
    """
    return _over("amax", T.amax, input, dim, keepdim, out)


@public
@numpy_names
def amin(input, dim=(), keepdim=False, *, out=None):
    """The smallest elements over the dimensions `dim`, an int or several; of all by default.

    With `keepdim` the dimensions stay, with size 1. Equal elements share the gradient evenly, where
    min() along a dimension gives it to one of them. Raises IndexError for an empty dimension.

    >>> import retrograd as torch
    >>> torch.amin(torch.tensor([[1., 5.], [3., 2.]]), dim=1)
    tensor([1., 2.])
    """
    return _over("amin", T.amin, input, dim, keepdim, out)


@public
@numpy_names
def aminmax(input, *, dim=None, keepdim=False, out=None):
    """(min, max) of all elements, or along `dim`, in one named tuple.

    With `keepdim` the dimension stays, with size 1. Equal elements share the gradient evenly.
    Raises RuntimeError if there are no elements, NotImplementedError for complex numbers.

    >>> import retrograd as torch
    >>> torch.aminmax(torch.tensor([3., 1., 2.]))
    torch.return_types.aminmax(
    min=tensor(1.),
    max=tensor(3.))
    """
    array = input._data
    if dim is None:
        if not array.size:
            raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the "
                               "operation has no identity.")
        dims = tuple(range(array.ndim))
    else:
        dims = axes(wrap_dim(dim, array.ndim), array.ndim)
        _nonempty("aminmax", array, dims, "")
    return given_pair("aminmax", T.aminmax(input, dims, keepdim), out, input)


@public
@numpy_names
def argmax(input, dim=None, keepdim=False, *, out=None):
    """The index of the largest element (of several, the first): of all elements, or along `dim`.

    int64; without `dim` it counts in the flattened tensor. Not differentiable. Raises IndexError
    if there are no elements.

    >>> import retrograd as torch
    >>> torch.argmax(torch.tensor([[1., 5.], [3., 2.]]), dim=1)
    tensor([1, 0])
    """
    res = T.argmax(input, dim, keepdim)
    return res if out is None else fill_checked("argmax", out, res)


@public
@numpy_names
def argmin(input, dim=None, keepdim=False, *, out=None):
    """The index of the smallest element (of several, the first): of all elements, or along `dim`.

    int64; without `dim` it counts in the flattened tensor. Not differentiable. Raises IndexError if
    there are no elements.

    >>> import retrograd as torch
    >>> torch.argmin(torch.tensor([[1., 5.], [3., 2.]]), dim=1)
    tensor([0, 1])
    """
    res = T.argmin(input, dim, keepdim)
    return res if out is None else fill_checked("argmin", out, res)
