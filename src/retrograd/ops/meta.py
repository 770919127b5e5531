"""The device "meta": tensors that have a shape, a dtype and strides, and no numbers.

NOTE [meta tensors]
    A meta tensor has the bit ON_META in its `_flags`, so operators come to `call` here. Its array
    is a Meta, which refuses to be read: a function that was not written for meta tensors fails
    instead of giving numbers. Behind a Meta are zeros that take no memory. An operator runs on
    these zeros, by its own code but with a kernel that throws the numbers away. So results have the
    right shape, dtype, strides and grad_fn, at the price of the arithmetic. Elementwise operators,
    matrix products and convolutions, of which most networks consist, compute only a corner of the
    result. In place, nothing is written. A backward pass runs the formulas on the zeros: see
    `run_on_zeros`.
"""

from __future__ import annotations

import copy
import inspect
from contextlib import contextmanager
from functools import cache, wraps
from importlib import import_module

import numpy as np

from .._attributes import META
from .._dtype import as_dtype
from .._entries import intercept
from .._meta import NO_DATA, Meta, as_zeros, blank, blank_like, without_numbers
from .._state import features, state
from .._tensor import ON_META, Tensor, wrap
from ..autograd.node import AccumulateGrad, Node
from ..kernels.layout import dense_order
from ..kernels.linalg import LinAlgError
from ..kernels.stream import Stream
from . import in_place
from .batching import is_pointwise
from .declare import F as T
from .indexing import Indices
from .mapped import refuse_dynamic
from .public import unwrapped
from .special_modes import flatten, with_kernel
from .support import recording

DYNAMIC = ("bincount", "masked_select", "unique", "unique_consecutive")
BY_HAND = (        # functions that read numbers, or mix their arguments with constants
    "all", "any", "block_diag", "bucketize", "count_nonzero", "embedding_bag",
    "histc", "isclose", "isin", "nanquantile", "nonzero_static", "quantile",
    "searchsorted", "take_along_dim",
    "linalg.cholesky_ex", "linalg.inv_ex", "linalg.ldl_factor_ex", "linalg.lu_factor_ex",
    "linalg.matrix_rank", "linalg.pinv", "linalg.solve_ex", "linalg.vander",
    "nn.functional.max_unpool1d", "nn.functional.max_unpool2d", "nn.functional.max_unpool3d",
    "nn.functional.rrelu", "nn.functional.scaled_dot_product_attention",
)
# in-place operators that only write
VALUELESS = ("write_at", "copy", "fill", "fill_tensor", "zero")


def call(op, fn, tensors, consts, flat):
    """The operator `fn` where some of its tensors, which are `flat`, are on the device "meta"."""
    if op.name != "mm":              # PyTorch does not check it for mm
        check_devices(flat)
    consts = [Stream() if isinstance(c, Stream) else c for c in consts]
    try:
        with zeros_behind([*flat, *_tensors_in(consts)]), _packing_later():
            res = _without_kernel(inspect.unwrap(fn), op)(*tensors, *consts)
    except (np.linalg.LinAlgError, LinAlgError) as error:
        raise NotImplementedError(f"{NO_DATA} {op.name} cannot do without: {error}") from None
    res = on_meta(res)
    _recorded(next((t.grad_fn for t in flatten(res if isinstance(res, tuple) else [res])), None))
    return res


def call_in_place(op, fn, tensors, consts, flat):
    """The operator `fn` in place, which writes nothing."""
    self = tensors[0]
    if op.name != "copy":
        check_devices(flat)
    elif not self._flags & ON_META:
        raise NotImplementedError(NO_DATA)
    before = self.grad_fn
    with zeros_behind(flat), _packing_later():
        _without_kernel(inspect.unwrap(fn))(*tensors, *consts)
    if self.grad_fn is not before:
        _recorded(self.grad_fn)
    return self


@contextmanager
def _packing_later():
    """Inside, hooks of saved tensors are not called: _recorded() shows them meta tensors."""
    hooks, state.saved_hooks = state.saved_hooks, []
    try:
        yield
    finally:
        state.saved_hooks = hooks


def _recorded(node):
    """Let a node that has just been recorded keep results without numbers, and call its hooks."""
    if node is None or node.operator is None or isinstance(node, (recording.Held, OnZeros)) or (
            not getattr(node, "_saved", None)):
        return
    saved, place = list(node._saved), 0
    for _, output_nr in recording.held_class(type(node)).fields:
        if output_nr is not None and saved[place] is not None:
            saved[place] = without_numbers(saved[place])
        place += 2 if output_nr is None else 3
    node._saved = tuple(saved)
    if state.saved_hooks:
        recording.hold(node)


def call_views(function, input, args):
    """several_views() of a meta tensor."""
    with zeros_behind([input]):
        views = function(input, *args)
    return on_meta(views)


def move(self, device, dtype):
    """Tensor.to() from or to the device "meta"."""
    if device is not META:
        raise NotImplementedError(NO_DATA)
    target = self._data.dtype if dtype is None else as_dtype(dtype).np
    arm()
    return on_meta(_without_kernel(inspect.unwrap(T.cast))(self, target))


def check_devices(tensors):
    """Raise unless all are on one device; numbers may come from the CPU."""
    first, *rest = [t for t in tensors if t._data.ndim or t._flags & ON_META]
    for t in rest:
        if (t._flags ^ first._flags) & ON_META:
            raise RuntimeError(f"Tensor on device {t.device} is not on the expected device "
                               f"{first.device}!")


def on_meta(res):
    """The results of a function of meta tensors, freshly made, as meta tensors."""
    if isinstance(res, (tuple, list)):
        for t in res:
            on_meta(t)
    elif isinstance(res, Tensor):
        res._data = without_numbers(res._data) if res._base is None \
            else np.ndarray.view(res._data, Meta)
        res._flags |= ON_META
    return res


# --------------------------------------------------------------------------- backward

class OnZeros(Node):
    """A node that gets a gradient on "meta", or did: its gradients have shapes alone."""

    __slots__ = ()
    part = None                 # else the engine would add a view's gradient to an array

    def run(self, g, edges):
        given = [*map(_zeros_of, g)] if g.__class__ is list else _zeros_of(g)
        plain = _with_zeros(self)
        saved = getattr(plain, "_saved", None)
        if isinstance(saved, Node):                       # saved by CopySlices
            saved = getattr(saved, "_saved", None)
        with zeros_behind(_tensors_in(saved or ())):
            return tuple([None if d is None else without_numbers(np.asarray(d))
                          for d in super(OnZeros, plain).run(given, edges)])


def _with_zeros(node):
    """A copy of a node with zeros for the results that it saved."""
    plain, saved = copy.copy(node), getattr(node, "_saved", None)
    if isinstance(saved, Node):
        plain._saved = _with_zeros(saved)
    elif saved:
        plain._saved = tuple(map(_zeros_of, saved))
    return plain


def _tensors_in(values):
    """The tensors among an operator's saved or plain values, those that index included."""
    indices = [t for v in values if isinstance(v, Indices) for t in v.tensors if t is not None]
    return [*[v for v in values if isinstance(v, Tensor)], *indices]


def _zeros_of(g):
    return blank_like(as_zeros(g), True) if g.__class__ is Meta else g


def run_on_zeros(node) -> None:
    """Let a node run its formulas on zeros from now on; custom Functions get tensors on "meta"."""
    custom = hasattr(node, "_forward_cls")
    if isinstance(node, recording.Held):
        node.__class__ = _held_on_zeros(node.__class__)
    elif not custom and not isinstance(node, (OnZeros, AccumulateGrad)):
        node.__class__ = _class_on_zeros(node.__class__)


@cache
def _class_on_zeros(cls):
    return type(cls.__name__, (OnZeros, cls), {"__module__": cls.__module__})


@cache
def _held_on_zeros(cls):
    """The class of a node with hooks on its saved tensors: what is unpacked is run on zeros."""
    if issubclass(cls.plain, OnZeros):
        return cls
    return type(cls.__name__, (cls,), {"plain": _class_on_zeros(cls.plain),
                                       "__module__": cls.__module__})


# --------------------------------------------------------------------------- functions by hand

_armed = False


def arm() -> None:
    """Let the functions BY_HAND look for meta tensors from now on; the first one is being made."""
    global _armed
    if not _armed:
        _armed = True
        features.count("other_arrays", 1)
        for name in BY_HAND:
            intercept(_public(name), _on_zeros)
        for name in DYNAMIC:
            intercept(_public(name), _refuse)


def _public(name):
    home, _, short = f"retrograd.{name}".rpartition(".")
    return unwrapped(getattr(import_module(home), short))


def _refuse(function, args, kwargs):
    for t in flatten([*args, *kwargs.values()]):
        if t._flags & ON_META:
            refuse_dynamic(function.__name__, t)
    return function(*args, **kwargs)


def _on_zeros(function, args, kwargs):
    tensors = [t for t in flatten([*args, *kwargs.values()]) if t._flags & ON_META]
    if not tensors:
        return function(*args, **kwargs)
    with zeros_behind(tensors):
        res = function(*args, **kwargs)
    return on_meta(res)


@contextmanager
def zeros_behind(tensors):
    """Inside, the tensors among them that are on "meta", and their bases, are plain zeros."""
    tensors = [*tensors, *(t._base for t in tensors if t._base is not None)]
    had = [(t, t._data) for t in tensors if t._flags & ON_META]
    for t, array in had:
        t._data = as_zeros(array) if array.__class__ is Meta else array
        t._flags &= ~ON_META
    try:
        yield
    finally:
        for t, array in had:
            t._data = array
            t._flags |= ON_META


@cache
def _without_kernel(fn, op=None):
    """The function of an operator, whose results are zeros in the shape of the true ones."""
    kernel = _blanked(fn.__globals__["kernel"], op is not None and op.view)
    if op is not None and (op.name in CORNERS or is_pointwise(op)):
        kernel = CORNERS.get(op.name, _pointwise)(kernel)
    return with_kernel(fn, kernel, store=_check_store, arranged=_arranged, by_columns=_by_columns)


def _blanked(kernel, view):
    @wraps(kernel)
    def run(*args, **kwargs):
        if not view:                # some kernels write into what they are given
            args = [blank_like(a, True) if isinstance(a, np.ndarray) else a for a in args]
        res = kernel(*args, **kwargs)
        return tuple(map(_blank, res)) if isinstance(res, tuple) else _blank(res)
    return run


def _pointwise(kernel):
    """An elementwise kernel that computes two numbers of each dimension."""
    def run(*args, **kwargs):
        shape = np.broadcast_shapes(*[a.shape for a in args if isinstance(a, np.ndarray)])
        corners = [a[(slice(2),) * a.ndim] if isinstance(a, np.ndarray) else a for a in args]
        res = kernel(*corners, **kwargs)
        return tuple([_spread(a, shape) for a in res]) if isinstance(res, tuple) \
            else _spread(res, shape)
    return run


def _spread(corner, shape):
    """Zeros of this shape, in the memory order of their `corner`."""
    return _in_order(shape, corner.dtype,
                     sorted(range(corner.ndim), key=lambda d: (-corner.strides[d], d)))


def _in_order(shape, kind, order):
    """Zeros of this shape whose dimensions follow each other in memory in this order."""
    strides, step = [0] * len(shape), kind.itemsize
    for d in reversed(order):
        strides[d] = step
        step *= max(shape[d], 1)
    return blank(shape, kind, tuple(strides))


def _arranged(res, *operands):
    """layout.arranged() of zeros."""
    shape = res.shape
    order = dense_order(*[a if a.shape == shape else np.broadcast_to(a, shape) for a in operands])
    return _in_order(shape, res.dtype, order)


def _by_columns(res, wanted=True):
    """shape.by_columns() of zeros."""
    dims = list(range(res.ndim))
    if wanted and res.ndim > 1:
        dims[-2:] = dims[:-3:-1]
    return _in_order(res.shape, res.dtype, dims)


def _product(kernel):
    """A kernel of mm or bmm that computes the first number of each matrix."""
    def run(a, b):
        corner = kernel(a[..., :1, :], b[..., :1])
        return blank((*corner.shape[:-2], a.shape[-2], b.shape[-1]), corner.dtype)
    return run


def _product_and_bias(kernel):
    """The same of addmm and baddbmm, whose first argument broadcasts."""
    def run(bias, a, b, *factors):
        matrix = (a.shape[-2], b.shape[-1])
        np.broadcast_to(bias, (*a.shape[:-2], *matrix))           # raises if it does not broadcast
        corner = kernel(bias[(..., slice(1), slice(1))[-bias.ndim:]] if bias.ndim else bias,
                        a[..., :1, :], b[..., :1], *factors)
        return blank((*corner.shape[:-2], *matrix), corner.dtype)
    return run


def _convolution(kernel):
    """A convolution of the first image, to one channel of each group."""
    def run(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
        first = weight[:, :1] if transposed else weight[::len(weight) // groups or 1]
        corner = kernel(x[:1], first, None if bias is None else bias[:groups], stride, padding,
                        dilation, transposed, output_padding, groups)
        channels = weight.shape[1] * groups if transposed else len(weight)
        return blank((len(x), channels, *corner.shape[2:]), corner.dtype)
    return run


def _one_of_batch(kernel):
    """A kernel of x (N, C, *space) that computes the first of N."""
    def run(x, *rest):
        res = kernel(blank_like(x[:1], True), *rest)
        return tuple([_blank(a) if a.ndim < x.ndim else _spread(a, (len(x), *a.shape[1:]))
                      for a in res])
    return run


# What makes a kernel compute a corner of its result, by the operator's name
CORNERS = {"mm": _product, "bmm": _product, "mapped_mm": _product, "addmm": _product_and_bias,
           "baddbmm": _product_and_bias, "convolution": _convolution,
           "max_pool_2d": _one_of_batch, "max_pool_3d": _one_of_batch,
           "native_batch_norm_of": _one_of_batch,
           "dist": lambda kernel: kernel}       # it broadcasts, but one number comes of it


def _blank(array):
    """Zeros without memory in place of a result; a view of an input's zeros stays one."""
    array = np.asarray(array)
    return array if not array.flags.writeable else blank_like(array)


def _check_store(op, kernel, input, others, consts):
    """In place of store(): the same errors, and nothing is written."""
    if op.name not in VALUELESS and "stream" not in op.consts:
        target = wrap(np.zeros_like(input._data))
        in_place.store(op, inspect.unwrap(kernel), target, others, consts)
