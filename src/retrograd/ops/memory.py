"""The memory that a tensor lies in, and changing which of it a tensor shows: resize_, set_."""

from __future__ import annotations

import math

import numpy as np

from .._attributes import channels_last, channels_last_3d, contiguous_format, preserve_format
from .._callers import note_write
from .._memory import owner
from .._meta import Meta, blank
from .._moving import resize as resize_memory
from .._state import features, state
from .._tensor import INFERENCE_TENSOR, ON_META, Tensor
from .._warnings import warn, warn_first
from ..autograd.views import check_inplace
from ..kernels.layout import channels_last as in_channels_last
from . import support
from .arguments import format_name
from .dims import sizes
from .factory import check_storage, undefined
from .public import method
from .shape import channels_last_strides
from .special_modes import refuse_write

LARGEST = 2**63 - 1


@method
def untyped_storage(self):
    """The memory it lies in, shared with all its views, as bytes.

    >>> import retrograd as torch
    >>> torch.ones(4).untyped_storage().nbytes()
    16
    """
    from ..storage import storage_of
    return storage_of(self)


@method
def storage_type(self):
    """The class of storage() in its older form: torch.FloatStorage and so on.

    >>> import retrograd as torch
    >>> torch.zeros(2).storage_type()
    <class 'torch.FloatStorage'>
    """
    from ..storage import legacy_class, storage_name
    return legacy_class(storage_name(self.dtype))


@method
def storage(self):
    """The memory it lies in, as elements of its dtype; deprecated, as a warning says once.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.tensor([1, 2]).storage().tolist()
    [1, 2]
    """
    warn_first("TypedStorage is deprecated. It will be removed in the future and UntypedStorage "
               "will be the only storage class. This should only matter to you if you are using "
               "storages directly.  To access UntypedStorage directly, use "
               "tensor.untyped_storage() instead of tensor.storage()")
    return self._typed_storage()


@method
def _typed_storage(self):
    """storage() without its warning."""
    from ..storage import TypedStorage
    return TypedStorage(wrap_storage=self.untyped_storage(), dtype=self.dtype)


@method
def module_load(self, other, assign=False):
    """What a module that swaps its tensors keeps, when it loads `other` in place of this one.

    `other` itself (assign=True), or this tensor with the numbers of `other`, detached.

    >>> import retrograd as torch
    >>> torch.zeros(2).module_load(torch.ones(2))
    tensor([1., 1.])
    """
    return other.detach() if assign else self.copy_(other).detach()


@method
def is_shared(self) -> bool:
    """Whether other processes can have its memory too.

    >>> import retrograd as torch
    >>> torch.ones(2).is_shared()
    False
    """
    return self.untyped_storage().is_shared()


@method
def share_memory_(self) -> Tensor:
    """Move to memory that other processes can have too, where each sees the others' writes.

    >>> import retrograd as torch
    >>> torch.ones(2).share_memory_().is_shared()
    True
    """
    from .._shared import share
    share(self)
    return self


@method
def resize_(self, *shape, size=None, memory_format=None):
    """Give the tensor another shape over the memory it lies in, which grows if it is too small.

    Elements in memory are kept, new ones are arbitrary. Views of that memory move along. Raises
    RuntimeError for a tensor that requires grad, and where memory would have to grow that NumPy's
    arrays show too.

    >>> import retrograd as torch
    >>> torch.arange(4).resize_(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    if self._flags > 1:
        support.refuse_write(self)
    if self._flags & 1 and not self._flags & INFERENCE_TENSOR:
        raise RuntimeError("cannot resize variables that require grad")
    shape = sizes(shape if size is None else (size,))
    if any(n < 0 for n in shape):
        raise RuntimeError("numel: integer multiplication overflow")
    check_size(shape, self._data.itemsize)
    if shape == self._data.shape and memory_format is None:
        return self
    if self._flags & ON_META:
        self._data = blank(shape, self._data.dtype).view(Meta)
        return self
    for look in features.before_write:
        look(self, "resize_")
    before = owner(self._data).nbytes
    if memory_format is None or not format_name(memory_format).startswith("channels_last"):
        resize_memory(self, shape)
    else:
        resize_memory(self, shape, channels_last_strides(np.empty(shape, self._data.dtype),
                                                         memory_format))
    if features.deterministic and owner(self._data).nbytes > before:
        undefined(owner(self._data)[before:].view(self._data.dtype))
    note_write(self, "resize_")
    return self


def check_size(shape, itemsize):
    """Raise PyTorch's errors for shapes whose bytes or strides cannot be counted."""
    stride = 1
    for n in reversed(shape[1:]):
        stride *= max(n, 1)
    if stride > LARGEST:
        raise RuntimeError("Stride calculation overflowed")
    numel = itemsize
    for n in shape:
        numel *= n
    if numel > LARGEST:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")


@method
def resize_as_(self, the_template, *, memory_format=None):
    """resize_() to the shape of another tensor; preserve_format keeps its channels last, too.

    >>> import retrograd as torch
    >>> torch.arange(4).resize_as_(torch.empty(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    if memory_format is not None:
        format_name(memory_format, "resize_as_")
    if memory_format is preserve_format:
        memory_format = contiguous_format
        if in_channels_last(the_template._data):
            memory_format = channels_last if the_template.ndim == 4 else channels_last_3d
    return resize_(self, the_template._data.shape, memory_format=memory_format)


@method
def resize(self, *size):
    """The elements in another shape of as many, as a view: the deprecated way to say view().

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.arange(4).resize(2, 2)
    tensor([[0, 1],
            [2, 3]])
    """
    warn("non-inplace resize is deprecated")
    shape = sizes(size)
    check_resize(self, shape)
    return self.contiguous().view(shape)


def check_resize(t, shape):
    """Raise unless the shape has as many elements as the tensor."""
    n = math.prod(shape)
    if n != t._data.size:
        raise RuntimeError(
            f"requested resize to {'x'.join(map(str, shape))} ({n} elements in total), but the "
            f"given tensor has a size of {'x'.join(map(str, t._data.shape))} "
            f"({t._data.size} elements). autograd's resize can only change the shape of a given "
            "tensor, while preserving the number of elements. ")


@method
def resize_as(self, tensor):
    """resize() to the shape of another tensor, deprecated.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.arange(4).resize_as(torch.ones(2, 2))
    tensor([[0, 1],
            [2, 3]])
    """
    warn("non-inplace resize_as is deprecated")
    return self.contiguous().view(tensor._data.shape)


@method
def set_(self, source=None, storage_offset=0, size=None, stride=None):
    """Show the memory of a tensor or a storage, with an offset, sizes and strides in elements.

    Without arguments the tensor becomes empty. A storage that is too small grows. Raises
    RuntimeError where it cannot, for NumPy's arrays show it too, or one of the tensors requires
    grad: only under no_grad() is that allowed.

    >>> import retrograd as torch
    >>> torch.zeros(1).set_(torch.ones(2))
    tensor([1., 1.])
    """
    flags = self._flags | (source._flags if isinstance(source, Tensor) else 0)
    if flags & 1 and state.grad:
        if self._flags & 1:
            check_inplace(self)
        raise NotImplementedError("derivative for aten::set_ is not implemented")
    refuse_write(self)
    if source is None:
        self._data = np.empty(0, self._data.dtype)
    elif isinstance(source, Tensor):
        if source._data.dtype != self._data.dtype:
            raise RuntimeError(f"Could not set tensor of type {source.dtype} to a tensor of type "
                               f"{self.dtype}")
        self._data = source._data if size is None else _window(
            source.untyped_storage(), self._data.dtype, storage_offset, size, stride)
    else:
        check_storage(source, self.dtype, " for argument 1 'storage'", self.dtype.c_name)
        self._data = _window(source, self._data.dtype, storage_offset, size, stride)
    note_write(self, "set_")
    self._accumulator = None         # what was recorded belongs to the old memory
    return self


def _window(storage, dtype, offset, size, stride):
    """An array over a storage's bytes."""
    storage = storage.untyped()
    memory = storage._readable()
    if size is None:
        size = (memory.size // dtype.itemsize - offset,)
    size = tuple(size)
    if stride is None:
        stride = np.empty(size, np.uint8).strides
    need = offset + (1 + sum((n - 1) * s for n, s in zip(size, stride, strict=True))
                     if 0 not in size else 0)
    if need * dtype.itemsize > memory.size:
        memory = storage.resize_(need * dtype.itemsize)._bytes
    return np.ndarray(size, dtype, memory, offset * dtype.itemsize,
                      [s * dtype.itemsize for s in stride])
