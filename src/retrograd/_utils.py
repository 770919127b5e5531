"""What travels between processes and into files: exceptions, and Tensors as function calls."""

from __future__ import annotations

import sys
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import deepcopy
from types import ModuleType
from typing import Any, NoReturn

import numpy as np

import retrograd as rg

from . import _tensor
from ._attributes import Size, device
from ._file_options import MOST_EXPANDED, MOST_RATIO
from ._memory import address, place
from ._meta import as_zeros, without_numbers
from ._moving import aliases_of
from ._tensor import ON_META, SPARSE, WRAPPER, Tensor, wrap
from .kernels.shape import check_reach
from .storage import TypedStorage, UntypedStorage


class KeyErrorMessage(str):
    """A message that KeyError prints with its line breaks."""

    def __repr__(self) -> str:
        return str(self)


class ExceptionWrapper:
    """The exception being handled, as text that can be pickled; `reraise` raises it elsewhere."""

    def __init__(self, exc_info: Any = None, where: str = "in background") -> None:
        exc_info = exc_info or sys.exc_info()
        self.exc_type = exc_info[0]
        self.exc_msg = "".join(traceback.format_exception(*exc_info))
        self.where = where

    def reraise(self) -> NoReturn:
        """Raise the same type with the original traceback in the message.

        A type that cannot be made from a message alone is raised as a RuntimeError.
        """
        msg = f"Caught {self.exc_type.__name__} {self.where}.\nOriginal {self.exc_msg}"
        if self.exc_type is KeyError:
            msg = KeyErrorMessage(msg)
        elif getattr(self.exc_type, "message", None):
            raise self.exc_type(message=msg)
        try:
            exception = self.exc_type(msg)
        except Exception:  # its constructor wants something else
            raise RuntimeError(msg) from None
        raise exception


def typename(obj: Any) -> str:
    """The name of an object's type as error messages give it.

    >>> import retrograd as torch
    >>> torch.typename(torch.ones(2)), torch.typename(3)
    ('torch.FloatTensor', 'int')
    """
    from ._tensor import Tensor

    if isinstance(obj, Tensor):
        return obj.type()
    kind = obj if hasattr(obj, "__qualname__") else type(obj)
    module = getattr(kind, "__module__", None)
    if module in (None, "", "builtins", "__builtin__"):
        return kind.__qualname__
    return f"{module}.{kind.__qualname__}".replace("retrograd.", "torch.", 1)


# ---- Tensors to pickles and back

# What the engine keeps on a Tensor that means nothing in another process.
_OWN_ATTRIBUTES = (
    "_accumulator",
    "_backward_hooks",
    "_grad_dtype",
    "_leaf_hooks",
    "_own_grad",
    "_of_transform",
    "_post_accumulate_grad_hooks",
    "_retains",
    "_wrapped",
)
# Dtypes newer than the storage classes of the file format, which are named beside the storage.
_WITHOUT_STORAGE_CLASS = ("uint16", "uint32", "uint64")


_NOT_COPIED = ("_accumulator", "_backward_hooks", "_grad_dtype", "_leaf_hooks",
               "_post_accumulate_grad_hooks")


def deepcopy_tensor(tensor: Tensor, memo: dict) -> Tensor:
    """A copy of a leaf with its gradient and attributes, but without its hooks.

    Raises RuntimeError for a computed tensor.
    """
    if not tensor.is_leaf:
        raise RuntimeError(
            "Only Tensors created explicitly by the user (graph leaves) support the deepcopy "
            "protocol at the moment.  If you were attempting to deepcopy a module, this may be "
            "because of a torch.nn.utils.weight_norm usage, see "
            "https://github.com/pytorch/pytorch/pull/103001\n\n"
            "A computed tensor has a history, which cannot be copied.\n"
            "Cure: copy the numbers, `t.detach().clone()`; of a Module, look for an attribute "
            "that keeps a result of forward().")
    if id(tensor) in memo:
        return memo[id(tensor)]
    on_meta = tensor._flags & ON_META
    if tensor._flags & WRAPPER:
        with rg.no_grad():
            copy: Any = tensor.clone()
    elif tensor._flags & SPARSE:
        copy = wrap(tensor._data.copy())
    else:
        copy = wrap(without_numbers(as_zeros(tensor._data)) if on_meta
                    else copy_array(tensor._data, memo))
    if type(tensor) is not type(copy):
        copy = copy._become(type(tensor))
    copy._flags |= tensor._flags & 1 | on_meta
    memo[id(tensor)] = copy
    if tensor._grad is not None:
        copy._grad = deepcopy(tensor._grad, memo)
    for name, value in tensor.__dict__.items():
        if name not in _NOT_COPIED:
            copy.__dict__[name] = deepcopy(value, memo)
    for name, value in _own_slots(tensor).items():
        setattr(copy, name, deepcopy(value, memo))
    return copy


def reduce_tensor(tensor: Tensor, protocol: int) -> tuple:
    """What pickle keeps of a Tensor.

    PyTorch's form, but for attributes of a plain Tensor where the name of its class, torch.Tensor,
    is not that of this class.
    """
    function, args, *_ = reduced = reduce_as_pytorch(tensor)
    if function is _tensor._rebuild_from_type_v2 and type(tensor) is Tensor and (
            getattr(sys.modules.get("torch"), "Tensor", None) is not Tensor):
        function, _, args, state = args
        return function, args, state
    return reduced


def reduce_as_pytorch(tensor: Tensor) -> tuple:
    """A Tensor as a call of the functions below, the form in which PyTorch's files hold it."""
    if tensor._backward_hooks:
        from .utils.hooks import warn_if_has_hooks
        warn_if_has_hooks(tensor)
    function, args = _reduce_plain(tensor)
    state = state_of(tensor)
    if type(tensor) is Tensor and not state:
        return function, args
    return _tensor._rebuild_from_type_v2, (function, type(tensor), args, state)


def _reduce_plain(tensor: Tensor) -> tuple:
    """The call that makes the tensor anew, except for its class and attributes."""
    if tensor._flags & WRAPPER:
        return _rebuild_wrapper_subclass, (
            type(tensor), tensor.dtype, tuple(tensor.shape), tensor.stride(),
            tensor.storage_offset(), tensor.layout, tensor.device, tensor.requires_grad)
    if tensor._flags & ON_META:
        return _rebuild_meta_tensor_no_storage, (tensor.dtype, tuple(tensor._data.shape),
                                                 tensor.stride(), tensor.requires_grad)
    if tensor._flags & SPARSE:
        state = (tensor._data.coalesced,) if tensor.is_sparse else ()
        parts = map(wrap, tensor._data.parts().values())
        return _rebuild_sparse_tensor, (tensor.layout, (*parts, tensor.shape, *state))
    bytes_, offset, stride = place(tensor._data)
    if tensor._data.flags.c_contiguous:
        stride = tensor.stride()  # PyTorch's, where sizes of 0 and 1 leave a choice
    dtype = tensor.dtype
    untyped = UntypedStorage._of(bytes_)
    common = (offset, tuple(tensor._data.shape), stride, tensor.requires_grad, OrderedDict())
    if dtype.name in _WITHOUT_STORAGE_CLASS:
        return _rebuild_tensor_v3, (untyped, *common, dtype)
    return _rebuild_tensor_v2, (TypedStorage(wrap_storage=untyped, dtype=dtype), *common)


def state_of(tensor: Tensor) -> Any:
    """Attributes that a program has set: a dict, a pair with slots, or __getstate__'s result."""
    cls = type(tensor)
    own = getattr(cls, "__getstate__", None)
    if own is not getattr(object, "__getstate__", None):        # Python 3.10 has none
        return tensor.__getstate__()
    state = {k: v for k, v in tensor.__dict__.items() if k not in _OWN_ATTRIBUTES}
    slots = _own_slots(tensor)
    return (state, slots) if slots else state


def _own_slots(tensor: Tensor) -> dict:
    """The slots that a subclass has added."""
    return {name: getattr(tensor, name) for cls in type(tensor).__mro__ if cls is not Tensor
            for name in cls.__dict__.get("__slots__", ()) if hasattr(tensor, name)}


def _rebuild_tensor(storage: Any, storage_offset: int, size: tuple, stride: tuple) -> Tensor:
    """The Tensor of a storage with the given offset, sizes and strides, in elements.

    Raises:
        RuntimeError: a part of it would lie outside of the storage.
    """
    return _view_storage(storage._untyped_storage, storage.dtype, storage_offset, size, stride)


def _view_storage(untyped: Any, dtype: Any, offset: int, size: tuple, stride: tuple) -> Tensor:
    numbers = (offset, *size, *stride)
    if len(size) != len(stride) or any(type(n) is not int or n < 0 for n in numbers):
        raise RuntimeError(
            f"a tensor cannot have sizes {list(size)}, strides {list(stride)} and storage offset "
            f"{offset}"
        )
    if untyped.is_meta:
        return rg.empty_strided(size, stride, dtype=dtype, device="meta")
    bytes_, item = untyped._bytes, dtype.itemsize
    check_reach(size, stride, offset, item, bytes_.size)
    if 0 in size:
        return wrap(np.empty(size, dtype.np))
    strides = tuple(step * item for step in stride)
    return wrap(np.ndarray(size, dtype.np, bytes_, offset * item, strides))


def _rebuild_tensor_v2(
    storage: Any,
    storage_offset: int,
    size: tuple,
    stride: tuple,
    requires_grad: bool,
    backward_hooks: Any,
    metadata: dict | None = None,
) -> Tensor:
    tensor = _rebuild_tensor(storage, storage_offset, size, stride)
    return _finish(tensor, requires_grad, backward_hooks, metadata)


def _rebuild_tensor_v3(
    storage: Any,
    storage_offset: int,
    size: tuple,
    stride: tuple,
    requires_grad: bool,
    backward_hooks: Any,
    dtype: Any,
    metadata: dict | None = None,
) -> Tensor:
    untyped = getattr(storage, "_untyped_storage", storage)
    tensor = _view_storage(untyped, dtype, storage_offset, size, stride)
    return _finish(tensor, requires_grad, backward_hooks, metadata)


def _rebuild_meta_tensor_no_storage(dtype: Any, size: tuple, stride: tuple,
                                    requires_grad: bool) -> Tensor:
    return rg.empty_strided(size, stride, dtype=dtype, device="meta", requires_grad=requires_grad)


def _rebuild_wrapper_subclass(cls: Any, dtype: Any, size: tuple, stride: tuple,
                              storage_offset: int, layout: Any, device: Any,
                              requires_grad: bool) -> Tensor:
    return Tensor._make_wrapper_subclass(
        cls, size, strides=stride, storage_offset=storage_offset, layout=layout, device=device,
        dtype=dtype, requires_grad=requires_grad)


def _rebuild_sparse_tensor(layout: Any, data: tuple) -> Tensor:
    """A sparse tensor; older files do not say whether one in coordinates is coalesced."""
    for part in data:
        if isinstance(part, Tensor):
            _check_expansion(part)

    def made() -> Tensor:
        if layout is not rg.sparse_coo:
            return rg.sparse_compressed_tensor(*data, layout=layout, check_invariants=True)
        indices, values, size, *coalesced = data
        return rg.sparse_coo_tensor(indices, values, size, check_invariants=True,
                                    is_coalesced=bool(coalesced and coalesced[0]))

    values = data[1 if layout is rg.sparse_coo else 2]
    return _with_numbers(made, values.dtype)


class _Late(threading.local):
    """Tensors of the current thread that are made when the numbers of a file have been read."""

    waiting: list[tuple[np.ndarray, Callable[[], Tensor]]] | None = None


_late = _Late()


@contextmanager
def numbers_come_last() -> Iterator[None]:
    """For files that describe all tensors first: those that are computed are made at the end."""
    before, _late.waiting = _late.waiting, []
    try:
        yield
        for place_holder, make in _late.waiting:
            made = make()
            for tensor in aliases_of(place_holder)[0]:
                tensor._data = made._data
                tensor._flags |= made._flags & SPARSE
    finally:
        _late.waiting = before


def _with_numbers(make: Callable[[], Tensor], dtype: Any) -> Tensor:
    """What `make` gives; where numbers come last, a tensor that will be it."""
    if _late.waiting is None:
        return make()
    place_holder = np.zeros(1, dtype.np)
    _late.waiting.append((place_holder, make))
    return wrap(place_holder)


def _check_expansion(tensor: Tensor) -> None:
    """Raise if a tensor repeats few bytes so often that no copy should be made at a file's word."""
    held, shown = place(tensor._data)[0].size, tensor._data.nbytes
    if shown > max(MOST_EXPANDED, MOST_RATIO * held):
        raise RuntimeError(f"a tensor of {held} bytes in the file shows {shown} bytes")


def _finish(tensor: Tensor, requires_grad: bool, hooks: Any, metadata: dict | None) -> Tensor:
    """Apply what a file says of a tensor beside its elements."""
    if metadata and not tensor.is_meta:  # PyTorch conjugates when it reads, we do so now
        if not isinstance(metadata, dict):
            raise RuntimeError("the metadata of a tensor are a dict, not "
                               f"{type(metadata).__name__}")
        _check_expansion(tensor)
        array = tensor._data

        def made() -> Tensor:
            conjugate = array.conj() if metadata.get("conj") else array
            return wrap(np.negative(conjugate) if metadata.get("neg") else conjugate)

        tensor = _with_numbers(made, tensor.dtype)
    if requires_grad:
        tensor._set_requires_grad(True)
    if hooks:
        tensor._backward_hooks = hooks
    return tensor


def _rebuild_parameter(data: Tensor, requires_grad: bool, backward_hooks: Any) -> Tensor:
    from .nn.parameter import Parameter

    parameter = Parameter(data, requires_grad)
    if backward_hooks:
        parameter._backward_hooks = backward_hooks
    return parameter


def _rebuild_parameter_with_state(
    data: Tensor, requires_grad: bool, backward_hooks: Any, state: Any
) -> Tensor:
    return _set_state(_rebuild_parameter(data, requires_grad, backward_hooks), state)


def rebuild_from_type(func: Any, new_type: type, args: tuple, state: Any) -> Tensor:
    """A tensor of a class of its own, or with attributes."""
    tensor = func(*args)
    if type(tensor) is not new_type:
        tensor = tensor._become(new_type)
    if hasattr(new_type, "__setstate__"):
        tensor.__setstate__(state)
        return tensor
    return _set_state(tensor, state)


_NOT_SET = {*Tensor.__slots__, *_OWN_ATTRIBUTES, "__class__", "__dict__"}


def _set_state(tensor: Tensor, state: Any) -> Tensor:
    """Set attributes from `__dict__` or `(__dict__, slots)`."""
    slots = None
    if isinstance(state, tuple):
        state, slots = state
    for attributes in (state, slots):
        for name, value in (attributes or {}).items():
            if name in _NOT_SET:
                raise AttributeError(f"a file cannot set the attribute {name!r} of a tensor")
            setattr(tensor, name, value)
    return tensor


def _public(name: str) -> Any:
    """A dtype or layout by its name."""
    return getattr(rg, name)


def _rebuild_size(numbers: tuple) -> Size:
    return Size(numbers)


def _rebuild_device(name: str) -> device:
    return device(name)


def copy_array(array: np.ndarray, memo: dict) -> np.ndarray:
    """A deep copy; arrays in the same memory get copies in the same memory."""
    bytes_, offset, stride = place(array)
    key = "memory", address(bytes_), bytes_.size
    if key not in memo:
        memo[key] = bytes_.copy(), bytes_  # the original too, so that its address is not reused
    item = array.itemsize
    strides = tuple(step * item for step in stride)
    return np.ndarray(array.shape, array.dtype, memo[key][0], offset * item, strides)


def _element_size(dtype) -> int:
    """Bytes of one element of a dtype."""
    return dtype.itemsize


def _flatten_dense_tensors(tensors) -> Tensor:
    """One vector of all values; a new one."""
    return rg.cat([t.contiguous().view(-1) for t in tensors])


def _unflatten_dense_tensors(flat: Tensor, tensors) -> tuple[Tensor, ...]:
    """Views of `flat` with the tensors' shapes, one after the other."""
    return tuple(piece.view_as(t) for t, piece
                 in zip(tensors, flat.split([t.numel() for t in tensors]), strict=True))


def _take_tensors(tensors, size_limit: int) -> Iterator[list]:
    """The tensors in groups of one type, each of `size_limit` bytes if it has more than one."""
    groups: dict[str, list] = {}
    for t in tensors:
        group = groups.setdefault(t.type(), [])
        if group and sum(map(_stored_bytes, (*group, t))) > size_limit:
            yield group
            group = groups[t.type()] = []
        group.append(t)
    yield from groups.values()


def _stored_bytes(tensor: Tensor) -> int:
    if tensor.is_sparse:
        return tensor._indices().nbytes + tensor._values().nbytes
    return tensor.nbytes


def _get_available_device_type() -> None:
    """None: there is no accelerator."""


def _get_device_module(device_type: str) -> ModuleType:
    """torch.cuda for "cuda", and so on."""
    from .accelerator import get_device_module

    return get_device_module(device_type)
