"""Conversions: dtypes, devices, layouts; and what a tensor tells of its memory."""

from __future__ import annotations

import numpy as np

from .. import _dtype
from .._attributes import CPU, Size, memory_format, require_cpu, require_here, size_of
from .._attributes import device as torch_device
from .._dtype import dtype as dtype_class
from .._memory import address, owner
from .._tensor import INFERENCE_TENSOR, ON_META, SPARSE, WRAPPER, Tensor
from .._warnings import warn_once
from ..autograd.views import view_of
from ..kernels import layout
from . import samples as S
from .arguments import must_be
from .declare import F as T
from .declare import op
from .dims import wrap_dim
from .mistyped import of_call
from .public import alias, method, public
from .shape import channels_last_strides
from .shape import is_contiguous as in_channels_last

op("cast(self | dtype)", "ToCopyBackward0", public=False,
    samples=S.with_consts(S.singles, np.dtype("float64")),
    self = lambda F, g, self_dtype: F.cast(g, self_dtype),
    jvp  = "linear")


# In the memory order `order`, the outermost dimension first; None keeps it
op("to_copy(self | dtype, order)", "ToCopyBackward0", public=False,
    samples=lambda: [(np.arange(24.0).reshape(2, 3, 2, 2), np.dtype("float64"), (0, 2, 3, 1))],
    self = lambda F, g, self_dtype: F.cast(g, self_dtype),
    jvp  = "linear")


def to_dtype(self, dtype):
    """The elements in another dtype; itself if that is the one it has."""
    target = dtype.np
    if self._data.dtype == target:
        return self
    warn_of_lost_part(self._data.dtype, target)
    if target.kind in "biu" and self._track & 1:
        return _unrecorded(self, target)
    return T.cast(self, target)


def warn_of_lost_part(given, wanted):
    """Warn, once, that complex numbers become real ones."""
    if given.kind == "c" and wanted.kind not in "cb":
        warn_once("Casting complex values to real discards the imaginary part")


def _unrecorded(self, target):
    return T.cast(self.detach(), target)


@method
def to(self, *args, tensor=None, device=None, dtype=None, non_blocking=False, copy=False,
       memory_format=None):
    """The tensor in another dtype or on another device: to(dtype), to(device), to(other).

    `other` is a tensor, whose dtype and device are taken. The result is the tensor itself if
    nothing changes, unless `copy`; the conversion of a floating tensor is recorded. Raises
    PyTorch's errors for devices other than "cpu" and "meta".

    >>> import retrograd as torch
    >>> torch.tensor([1, 2]).to(torch.float64)
    tensor([1., 2.], dtype=torch.float64)
    """
    for a in (*args, tensor):
        if isinstance(a, dtype_class):
            dtype = a
        elif isinstance(a, Tensor):
            dtype, device = a.dtype, a.device
        elif isinstance(a, bool) or a is None:
            pass
        elif isinstance(a, (str, int, torch_device)):
            device = a
        elif a.__class__ is float.__class__:   # float, int, bool, complex
            dtype = a
        else:
            raise of_call(must_be("torch.device", "to", "device", 1, a))
    if device is not None and require_here(device) is not self.device:
        from .meta import move
        return move(self, require_here(device), dtype)
    try:
        dtype = self.dtype if dtype is None else _dtype.as_dtype(dtype)
    except TypeError as error:
        raise of_call(error) from None
    return in_format(self, dtype, memory_format, copy)


def in_format(t, dtype, memory_format, copy=False):
    """`t` in a dtype and a memory format; itself if it is so and no copy is asked for."""
    if memory_format is None or memory_format.name == "preserve_format":
        order = None
    elif memory_format.name == "contiguous_format":
        order = tuple(range(t._data.ndim))
        copy = copy or layout.channels_last(t._data)           # other orders count as contiguous
    else:
        channels_last_strides(t._data, memory_format)
        order = (0, *range(2, t._data.ndim), 1)
        copy = copy or not in_channels_last(t, memory_format)
    if not copy and (order is None or dtype is t.dtype):
        return to_dtype(t, dtype)
    warn_of_lost_part(t._data.dtype, dtype.np)
    if dtype.np.kind in "biu" and t._track & 1:
        t = t.detach()
    return T.to_copy(t, dtype.np, order)


def _cast_method(name, d):
    def cast(self, *, memory_format=None):
        return in_format(self, d, memory_format)
    cast.__name__ = cast.__qualname__ = name
    cast.__doc__ = f"""The elements as {d}: the tensor itself if they are, else a recorded copy.

    >>> import retrograd as torch
    >>> torch.ones(2).{name}().dtype
    {d}
    """
    return method(cast)


for _name, _d in {"float": _dtype.float32, "double": _dtype.float64, "half": _dtype.float16,
                  "bfloat16": _dtype.bfloat16, "long": _dtype.int64, "int": _dtype.int32,
                  "short": _dtype.int16, "char": _dtype.int8, "byte": _dtype.uint8,
                  "bool": _dtype.bool_, "cfloat": _dtype.complex64,
                  "cdouble": _dtype.complex128}.items():
    _cast_method(_name, _d)


builtin_type = type


@method
def type(self, dtype=None, non_blocking=False):
    """The name of its type, "torch.FloatTensor"; or the tensor in another dtype.

    >>> import retrograd as torch
    >>> torch.tensor([1, 2]).type()
    'torch.LongTensor'
    """
    if dtype is None:
        place = "meta." if self._track & ON_META else "sparse." if self._track & SPARSE else ""
        return f"torch.{place}{self.dtype.tensor_name}Tensor"
    if isinstance(dtype, str):
        names = {f"torch.{d.tensor_name}Tensor": d for d in _dtype.ALL}
        if dtype not in names:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = names[dtype]
    elif dtype is Tensor:
        dtype = _dtype.default.dtype
    elif not isinstance(dtype, dtype_class):
        if not isinstance(dtype, builtin_type) or not hasattr(dtype, "dtype"):
            raise TypeError("dtype must be a type, str, or dtype object")
        dtype = dtype.dtype
    return to_dtype(self, dtype)


@method
def type_as(self, other):
    """The elements in the dtype of `other`.

    >>> import retrograd as torch
    >>> torch.tensor([1, 2]).type_as(torch.zeros(1)).dtype
    torch.float32
    """
    if not isinstance(other, Tensor):
        raise must_be("Tensor", "type_as", "other", 1, other)
    return self.to(other)


@method
def cpu(self, memory_format=None):
    """Itself; raises NotImplementedError on the device "meta", where there are no numbers.

    >>> import retrograd as torch
    >>> torch.tensor([1]).cpu()
    tensor([1])
    """
    return self.to(device=CPU, memory_format=memory_format)


@method
def cuda(self, device=None, non_blocking=False, memory_format=None):
    """Raises PyTorch's error of a build without CUDA."""
    require_cpu("cuda")


@method
def pin_memory(self, device=None):
    """Itself: there is no accelerator to pin memory for."""
    return self


@method
def is_pinned(self, device=None):
    """Always False."""
    return False


def view_dtype(self, dtype):
    """The same memory read as elements of another dtype."""
    array, old, new = self._data, self._data.itemsize, dtype.itemsize
    if new != old:
        check_dtype_view(self, dtype, max(old, new) // min(old, new))
    if not array.ndim or new == old:
        seen = array.view(dtype.np)
    else:
        shape = (*array.shape[:-1], array.shape[-1] * old // new)
        seen = np.ndarray(shape, dtype.np, array, 0, (*array.strides[:-1], new)) \
            if array.flags.c_contiguous else array.view(dtype.np)
    return view_of(self, seen)


def check_dtype_view(t, dtype, ratio):
    """PyTorch's errors for reading memory as elements of another size."""
    kinds = f"{t.dtype.tensor_name} as {dtype.tensor_name} (different element sizes)"
    if t._data.ndim == 0:
        raise RuntimeError(f"self.dim() cannot be 0 to view {kinds}")
    strides = stride(t)
    if strides[-1] != 1:
        raise RuntimeError(f"self.stride(-1) must be 1 to view {kinds}, but got {strides[-1]}")
    if dtype.itemsize < t._data.itemsize:
        return
    for name, value in (("self.size(-1)", t._data.shape[-1]),
                        ("self.storage_offset()", storage_offset(t)),
                        *((f"self.stride({d})", s) for d, s in enumerate(strides[:-1]))):
        if value % ratio:
            raise RuntimeError(f"{name} must be divisible by {ratio} to view {kinds}, but got "
                               f"{value}")


# --------------------------------------------------------------------------- what it tells

@method
def size(self, dim=None):
    """The shape, or the size of one dimension.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).size(1)
    3
    """
    if dim is None:
        return size_of(Size, self._data.shape)
    if self._data.ndim == 0:
        raise IndexError("Dimension specified as 0 but tensor has no dimensions")
    try:
        return self._data.shape[wrap_dim(dim, self._data.ndim)]
    except TypeError:
        raise must_be("int", "size", "dim", 1, dim) from None


@method
def dim(self):
    """The number of dimensions.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).dim()
    2
    """
    return self._data.ndim


alias("ndimension", "dim")


@public
def numel(input):
    """The number of elements.

    >>> import retrograd as torch
    >>> torch.numel(torch.zeros(2, 3))
    6
    """
    return self_size(input)


alias("nelement", "numel")


def self_size(t):
    return int(t._data.size)


@method
def dim_order(self, *, ambiguity_check=False):
    """The dimensions from the outermost to the innermost in memory.

    `ambiguity_check` True, or a list of memory formats, raises RuntimeError where another order
    (another of the formats) would do as well.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).t().dim_order()
    (1, 0)
    """
    formats = ambiguity_check if isinstance(ambiguity_check, (list, tuple)) else None
    if formats is None and not isinstance(ambiguity_check, bool) or not all(
            isinstance(f, memory_format) for f in formats or ()):
        raise TypeError("The ambiguity_check argument must be a bool or a list of memory formats.")
    strides, shape = stride(self), self._data.shape
    order = sorted(range(self._data.ndim), key=lambda d: -strides[d])
    if formats is not None:
        fits = [f for f in formats if is_contiguous(self, f)]
        if len(fits) != 1:
            raise RuntimeError(NO_DIM_ORDER)
        return channels_last_order(order) if fits[0].name != "contiguous_format" \
            else tuple(range(len(order)))
    if ambiguity_check and (1 in shape or len({*strides}) < len(strides)):
        raise RuntimeError(NO_DIM_ORDER)
    return tuple(order)


NO_DIM_ORDER = ("The tensor does not have unique dim order, or cannot map to exact one of the "
                "given memory formats.")


def channels_last_order(dims):
    return (0, *range(2, len(dims)), 1)


@method
def is_set_to(self, tensor):
    """Whether both show the same memory with the same sizes and strides.

    >>> import retrograd as torch
    >>> x = torch.ones(2)
    >>> x.is_set_to(x.detach())
    True
    """
    a, b = self._data, tensor._data
    return bool(a.size and address(a) == address(b) and a.dtype == b.dtype and a.shape == b.shape
                and stride(self) == stride(tensor))


@method
def element_size(self):
    """Bytes of one element.

    >>> import retrograd as torch
    >>> torch.zeros(2).element_size()
    4
    """
    return self._data.itemsize


@method
def stride(self, dim=None):
    """How many elements apart neighbours are, for each dimension or for one.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).stride()
    (3, 1)
    """
    item = self._data.itemsize
    strides = [s // item for s in self._data.strides]
    if 0 in self._data.shape or 1 in self._data.shape:
        strides = _torch_strides(self._data, strides)
    return tuple(strides) if dim is None else strides[wrap_dim(dim, self._data.ndim)]


def _torch_strides(array, strides):
    """Contiguous arrays with sizes 0 or 1 get the strides that PyTorch gives them."""
    if not array.flags.c_contiguous or not array.size and getattr(array.base, "size", 0):
        return strides                     # an empty slice keeps those of what it is cut from
    made, step = [0] * array.ndim, 1
    for d in reversed(range(array.ndim)):
        made[d] = step
        step *= max(array.shape[d], 1)
    return made


@method
def storage_offset(self):
    """Elements between the start of the memory and the first element.

    >>> import retrograd as torch
    >>> torch.arange(4)[2:].storage_offset()
    2
    """
    array = self._data
    return (address(array) - address(owner(array))) // array.itemsize


@method
def data_ptr(self):
    """The address of the first element.

    >>> import retrograd as torch
    >>> torch.zeros(2).data_ptr() % 4
    0
    """
    nowhere = self._track & (ON_META | WRAPPER)
    return address(self._data) if self._data.size and not nowhere else 0


@method
def is_contiguous(self, memory_format=None):
    """Whether the elements lie in memory in order.

    >>> import retrograd as torch
    >>> torch.zeros(2, 3).t().is_contiguous()
    False
    """
    if memory_format is not None and memory_format.name.startswith("channels_last"):
        return in_channels_last(self, memory_format)
    return self._data.flags.c_contiguous


@public
def is_floating_point(input):
    """Whether the dtype is a floating one.

    >>> import retrograd as torch
    >>> torch.is_floating_point(torch.tensor([1]))
    False
    """
    return input.dtype.is_floating_point


@public
def is_complex(input):
    """Whether the dtype is a complex one.

    >>> import retrograd as torch
    >>> torch.is_complex(torch.tensor([1j]))
    True
    """
    return input.dtype.is_complex


@public
def is_signed(input):
    """Whether the dtype has negative numbers.

    >>> import retrograd as torch
    >>> torch.is_signed(torch.tensor([1], dtype=torch.uint8))
    False
    """
    return input.dtype.is_signed


@public
def is_distributed(input):
    """Always False: a tensor lies in one process."""
    return False


@public
def is_inference(input):
    """Whether the tensor was made under inference_mode.

    >>> import retrograd as torch
    >>> torch.is_inference(torch.ones(1))
    False
    """
    return bool(input._track & INFERENCE_TENSOR)


@public
def is_nonzero(input):
    """The truth of a tensor with one element.

    >>> import retrograd as torch
    >>> torch.is_nonzero(torch.tensor([0.5]))
    True
    """
    return bool(input)


@public(method=False)
def is_tensor(obj):
    """Whether `obj` is a Tensor.

    >>> import retrograd as torch
    >>> torch.is_tensor([1, 2])
    False
    """
    return isinstance(obj, Tensor)


@public
def is_same_size(input, other):
    """Whether both have the same shape.

    >>> import retrograd as torch
    >>> torch.is_same_size(torch.ones(2), torch.zeros(2))
    True
    """
    return input._data.shape == other._data.shape


@public(name="result_type", method=False)
def result_type(tensor=None, other=None, *, tensor1=None, tensor2=None):
    """The dtype that arithmetic between the two gives.

    >>> import retrograd as torch
    >>> torch.result_type(torch.tensor([1]), 1.0)
    torch.float32
    """
    tensor1 = tensor if tensor1 is None else tensor1
    tensor2 = other if tensor2 is None else tensor2
    from .support import operand, result_dtype
    return result_dtype([operand(tensor1), operand(tensor2)])


def _itemsize(self):
    """The bytes of an element.

    >>> import retrograd as torch
    >>> torch.ones(3).itemsize, torch.ones(3, dtype=torch.float64).itemsize
    (4, 8)
    """
    return self._data.itemsize


def _nbytes(self):
    """The bytes of all elements.

    >>> import retrograd as torch
    >>> torch.ones(3).nbytes
    12
    """
    return self._data.nbytes


PROPERTIES = {"itemsize": _itemsize, "nbytes": _nbytes}
