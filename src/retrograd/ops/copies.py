"""Copying, filling and cloning."""

from __future__ import annotations

import numpy as np

from .._callers import note_write, written
from .._state import state
from .._tensor import BATCHED, OWN, SPARSE, Tensor, wrap
from ..autograd.node import edge
from ..autograd.views import check_inplace
from ..kernels.layout import empty_if_dense
from . import in_place, overlap, support
from . import samples as S
from .arguments import format_name, must_be
from .convert import warn_of_lost_part
from .declare import F as T
from .declare import composite, op
from .factory import fitting
from .formulas import or_zero
from .mistyped import of_call
from .public import method, public, refuse_write
from .shape import channels_last_strides
from .views import matrices, with_values

op("clone(self)", "CloneBackward0", public=False, samples=S.singles,
    self = lambda F, g: g,
    jvp  = "linear")

op("clone_contiguous(self)", "CloneBackward0", public=False, samples=S.singles,
    self = lambda F, g: g,
    jvp  = "linear")

op("clone_as(self | strides)", "CloneBackward0", public=False,
    samples=lambda: [(a, a.strides) for a in matrices()],
    self = lambda F, g: g,
    jvp  = "linear")

# copy_, and copying a gradient into a leaf's .grad under create_graph
op("copy(self, src)", "CopyBackwards", inplace=True, public=False,
    samples=lambda: [(a, b) for a, b in S.pairs()[:2]],
    self = lambda F, g: F.zeros_like(g),
    src  = lambda F, g, src_shape, src_dtype: F.cast(F.sum_to(g, src_shape), src_dtype),
    jvp  = lambda F, self, src, self_t, src_t: F.clone(
               F.expand(F.zeros_like(src) if src_t is None else src_t, self.shape)))

# PyTorch has four nodes: for a number and a tensor, out of place (fill) and in place (fill_)
for _name, _grad_fn in (("fill", "FillBackward2"), ("fill_new", "FillBackward0")):
    op(f"{_name}(self | value)", _grad_fn, inplace=_name == "fill", public=False,
       samples=with_values((1.5,)),
       self = lambda F, g: F.zeros_like(g),
       jvp  = lambda F, self, self_t, value: F.zeros_like(self_t))

for _name, _grad_fn in (("fill_tensor", "FillBackward3"), ("fill_new_tensor", "FillBackward1")):
    op(f"{_name}(self, value)", _grad_fn, inplace=_name == "fill_tensor", public=False,
       samples=lambda: [(a, np.array(1.5)) for a in matrices()],
       self  = lambda F, g: F.zeros_like(g),
       value = lambda F, g: F.sum_all(g),
       jvp   = lambda F, self, value, self_t, value_t: F.zeros_like(self) + or_zero(value_t))

op("zero(self)", "ZeroBackward0", inplace=True, public=False, samples=S.singles,
    self = lambda F, g: F.zeros_like(g),
    jvp  = lambda F, self, self_t: F.zeros_like(self_t))


@composite
def zeros_like(t):
    """Zeros in the shape and layout of `t`."""
    if t._flags & BATCHED:
        return wrap(np.zeros(t._data.shape, t._data.dtype))
    if t._flags & SPARSE:
        return t.detach().clone().zero_()
    return wrap(np.zeros_like(t._data))


@public
def clone(input, *, memory_format=None):
    """A recorded copy, in the layout of the input unless `memory_format` says otherwise.

    The gradient passes through it unchanged. detach().clone() is a copy without history.

    >>> import retrograd as torch
    >>> torch.clone(torch.tensor([1., 2.], requires_grad=True))
    tensor([1., 2.], grad_fn=<CloneBackward0>)
    """
    if memory_format is None:
        return T.clone(input)
    name = format_name(memory_format)
    if name == "preserve_format":
        return T.clone(input)
    if name == "contiguous_format":
        return T.clone_contiguous(input)
    return T.clone_as(input, channels_last_strides(input._data, memory_format))


@method
def copy_(self, src=None, non_blocking=False, *, other=None):
    """Write `src`, broadcast and converted, into this tensor.

    Raises RuntimeError if the shapes do not fit or both share memory in different places.

    >>> import retrograd as torch
    >>> torch.zeros(2).copy_(torch.tensor([1, 2]))
    tensor([1., 2.])
    """
    given = other if src is None else src
    if non_blocking.__class__ is not bool:
        raise of_call(must_be("bool", "copy_", "non_blocking", 3, non_blocking))
    if given.__class__ is Tensor and not (self._flags | given._flags) and state.on_call is None \
            and in_place.copied_directly(self._data, given._data):
        return note_write(self, "copy_")
    src = support.operand(given)
    if src is None:
        raise must_be("Tensor", "copy_", "other", 1, given)
    a, b = self._data, src._data
    warn_of_lost_part(b.dtype, a.dtype)
    if state.grad and (self._flags | src._flags) and not self._flags & BATCHED:
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
            raise in_place.broadcast_error(a, (a, b))
    if src._flags & 1 and a.dtype.kind in "biu":         # integers have no gradient
        src = src.detach()
    return written(T.copy_(self, src), "copy_")


@method
def fill_(self, value):
    """Write one number (or a tensor without dimensions) into every element, in place.

    Raises RuntimeError for a tensor with dimensions, and for a leaf that requires grad.

    >>> import retrograd as torch
    >>> torch.zeros(2).fill_(7)
    tensor([7., 7.])
    """
    if isinstance(value, Tensor):
        if value._data.ndim:
            refuse_write(self, value)
        return written(T.fill_tensor_(self, _one_number(value)), "fill_")
    try:
        value = fitting(value, self, "fill_")
    except RuntimeError:
        refuse_write(self)
        raise
    if in_place.filled_alone(self, value):
        return note_write(self, "fill_")
    return written(T.fill_(self, value), "fill_")


def _one_number(value):
    if value._data.ndim:
        raise RuntimeError("fill_ only supports 0-dimension value tensor but got tensor with "
                           f"{value._data.ndim} dimensions.")
    return value


@method
def zero_(self):
    """Write zeros into every element, in place.

    Raises RuntimeError for a leaf that requires grad, unless recording is off.

    >>> import retrograd as torch
    >>> torch.ones(2).zero_()
    tensor([0., 0.])
    """
    if in_place.filled_alone(self, 0):
        return note_write(self, "zero_")
    return written(T.zero_(self), "zero_")


def clone_like(g, leaf):
    """A recorded copy of the gradient `g` in the layout of its leaf."""
    if (g._flags | leaf._flags) & SPARSE:
        return T.clone(g)
    own = leaf._grad_dtype is OWN
    return T.copy_(wrap(empty_if_dense(leaf._data, None if own else g._data.dtype)), g)


@public(method=False)
def fill(input, value):
    """A tensor like input, filled with one number or a tensor without dimensions.

    The gradient of input is 0, that of the tensor `value` the sum of all that arrives. Raises
    RuntimeError for a `value` with dimensions.

    >>> import retrograd as torch
    >>> torch.fill(torch.zeros(2), 3.0)
    tensor([3., 3.])
    """
    if not isinstance(value, Tensor):
        return T.fill_new(input, fitting(value, input, "fill_"))
    if value._flags & 1 and input._data.dtype.kind in "biu" and state.grad:
        raise RuntimeError(f"Autograd not support dtype: {input.dtype.tensor_name}")
    return T.fill_new_tensor(input, _one_number(value))
