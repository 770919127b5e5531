"""The device "meta": tensors that have a shape, a dtype and strides, and no numbers.

NOTE [meta tensors]
    A meta tensor has the bit ON_META in its `_flags`, so operators come to `call` here, and its
    array is a Meta, which refuses to be read: what has no way for meta tensors fails instead of
    giving numbers. Behind a Meta lie zeros that take no memory. An operator is run on those, by its
    own code with its kernel exchanged for one that throws the numbers away: so results have the
    right shape, dtype, strides and grad_fn, at the price of the arithmetic. In place, nothing is
    written.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from functools import cache, wraps
from importlib import import_module
from types import FunctionType

import numpy as np

from .._attributes import META
from .._dtype import as_dtype
from .._entries import intercept
from .._meta import NO_DATA, Meta, as_zeros, blank_like, without_numbers
from .._tensor import ON_META, Tensor, wrap
from ..kernels.linalg import LinAlgError
from ..kernels.stream import Stream
from . import in_place
from .declare import F as T
from .indexing import Indices
from .mapped import refuse_dynamic
from .public import unwrapped
from .special_modes import flatten

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
VALUELESS = ("write_at", "copy", "fill", "fill_tensor", "zero")     # in place; they only write


def call(op, fn, tensors, consts, flat):
    """The operator `fn` where some of its tensors, which are `flat`, are on the device "meta"."""
    if op.name != "mm":              # which PyTorch does not check either
        check_devices(flat)
    consts = [Stream() if isinstance(c, Stream) else c for c in consts]
    indices = [t for c in consts if isinstance(c, Indices) for t in c.tensors if t is not None]
    try:
        with _zeros_behind([*flat, *indices]):
            res = _without_kernel(inspect.unwrap(fn), op.view)(*tensors, *consts)
    except (np.linalg.LinAlgError, LinAlgError) as error:
        raise NotImplementedError(f"{NO_DATA} {op.name} cannot do without: {error}") from None
    return on_meta(res)


def call_in_place(op, fn, tensors, consts, flat):
    """The operator `fn` in place, which writes nothing."""
    self = tensors[0]
    if op.name != "copy":
        check_devices(flat)
    elif not self._flags & ON_META:
        raise NotImplementedError(NO_DATA)
    with _zeros_behind(flat):
        _without_kernel(inspect.unwrap(fn), False)(*tensors, *consts)
    return self


def call_views(function, input, args):
    """several_views() of a meta tensor."""
    with _zeros_behind([input]):
        views = function(input, *args)
    return on_meta(views)


def move(self, device, dtype):
    """Tensor.to() from or to the device "meta"."""
    if device is not META:
        raise NotImplementedError(NO_DATA)
    target = self._data.dtype if dtype is None else as_dtype(dtype).np
    arm()
    return on_meta(_without_kernel(inspect.unwrap(T.cast), False)(self, target))


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


# --------------------------------------------------------------------------- functions by hand

_armed = False


def arm() -> None:
    """Let the functions BY_HAND look for meta tensors from now on; the first one is being made."""
    global _armed
    if not _armed:
        _armed = True
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
    with _zeros_behind(tensors):
        res = function(*args, **kwargs)
    return on_meta(res)


@contextmanager
def _zeros_behind(tensors):
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
def _without_kernel(fn, view):
    """The function of an operator, whose results are zeros in the shape of the true ones."""
    scope = {**fn.__globals__, "store": _check_store}
    kernel = _blanked(scope["kernel"], view)
    scope.update(kernel=kernel, small=kernel, large=kernel)
    made = FunctionType(fn.__code__, scope, fn.__name__, fn.__defaults__, fn.__closure__)
    made.__kwdefaults__ = fn.__kwdefaults__
    return made


def _blanked(kernel, view):
    @wraps(kernel)
    def run(*args, **kwargs):
        if not view:                # some kernels write into what they are given
            args = [np.zeros_like(a) if isinstance(a, np.ndarray) else a for a in args]
        res = kernel(*args, **kwargs)
        return tuple(map(_blank, res)) if isinstance(res, tuple) else _blank(res)
    return run


def _blank(array):
    """Zeros without memory in place of a result; a view of an input's zeros stays one."""
    array = np.asarray(array)
    return array if not array.flags.writeable else blank_like(array)


def _check_store(op, kernel, input, others, consts):
    """In place of store(): the same errors, and nothing is written."""
    if op.name not in VALUELESS and "stream" not in op.consts:
        target = wrap(np.zeros_like(input._data))
        in_place.store(op, inspect.unwrap(kernel), target, others, consts)
