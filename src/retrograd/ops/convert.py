"""Conversions: to other dtypes, devices and memory orders; the dtype of a result."""

from __future__ import annotations

import numpy as np

from .. import _dtype
from .._attributes import CPU, NO_ACCELERATOR, require_cpu, require_here
from .._attributes import device as torch_device
from .._dtype import dtype as dtype_class
from .._tensor import BATCHED, ON_META, SPARSE, Tensor
from .._warnings import warn_once
from ..kernels import layout
from . import samples as S
from .arguments import format_name, must_be
from .declare import F as T
from .declare import op
from .facts import storage_offset, stride
from .mistyped import of_call
from .public import method, public
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
    if target.kind in "biu" and self._flags & 1:
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
    flags = []
    for a in (*args, tensor):
        if isinstance(a, dtype_class):
            dtype = a
        elif isinstance(a, Tensor):
            dtype, device = a.dtype, a.device
        elif isinstance(a, bool):
            flags.append(a)                                   # non_blocking, then copy
            copy = copy or len(flags) == 2 and a
        elif a is None:
            pass
        elif isinstance(a, (str, int, torch_device)) and a is args[0]:
            device = a
        elif a.__class__ is float.__class__:   # a type: float, int, bool, complex
            dtype = a
        else:
            raise of_call(must_be("torch.device", "to", "device", 1, a))
    if copy.__class__ is not bool or non_blocking.__class__ is not bool:
        raise of_call(TypeError("to(): argument 'copy' must be bool"))
    if device is not None and require_here(device) is not self.device:
        from .meta import move
        return move(self, require_here(device), dtype)
    try:
        dtype = self.dtype if dtype is None else _dtype.as_dtype(dtype)
        if memory_format is not None:
            format_name(memory_format)
    except TypeError as error:
        raise of_call(error) from None
    return in_format(self, dtype, memory_format, copy)


def in_format(t, dtype, memory_format, copy=False):
    """`t` in a dtype and a memory format; itself if it is so and no copy is asked for."""
    if memory_format is None or format_name(memory_format) == "preserve_format":
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
    if dtype.np.kind in "biu" and t._flags & 1:
        t = t.detach()
    return T.to_copy(t, dtype.np, order)


def _cast_method(name, d):
    def cast(self, *, memory_format=None):
        return in_format(self, d, memory_format)
    cast.__name__ = cast.__qualname__ = name
    cast.__code__ = cast.__code__.replace(co_name=name)        # which errors show
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


@method
def chalf(self, *, memory_format=None):
    """Raises NotImplementedError: NumPy has no complex numbers of half precision."""
    return in_format(self, _dtype.complex32, memory_format)


builtin_type = type


@method
def type(self, dtype=None, non_blocking=False, *, memory_format=None):
    """The name of its type, "torch.FloatTensor"; or the tensor in another dtype.

    Raises ValueError for a name that is no type's.

    >>> import retrograd as torch
    >>> torch.tensor([1, 2]).type()
    'torch.LongTensor'
    """
    if non_blocking.__class__ is not bool:
        raise of_call(must_be("bool", "type", "non_blocking", 3, non_blocking))
    if dtype is None:
        place = "meta." if self._flags & ON_META else "sparse." if self._flags & SPARSE else ""
        return f"torch.{place}{self.dtype.tensor_name}Tensor"
    if isinstance(dtype, str):
        names = {f"torch.{d.tensor_name}Tensor": d for d in _dtype.ALL}
        # type() of a sparse tensor may have given that
        name = dtype.replace("torch.sparse.", "torch.")
        if name not in names:
            raise ValueError(f"invalid type: '{dtype}'")
        dtype = names[name]
    elif dtype is Tensor:
        dtype = _dtype.default.dtype
    elif not isinstance(dtype, dtype_class):
        if not isinstance(dtype, builtin_type) or not hasattr(dtype, "dtype"):
            raise TypeError("dtype must be a type, str, or dtype object")
        dtype = dtype.dtype
    return in_format(self, dtype, memory_format)


@method
def type_as(self, other):
    """The elements in the dtype of `other`: the tensor itself if it has that dtype, else a copy.

    The copy is recorded.

    >>> import retrograd as torch
    >>> torch.tensor([1, 2]).type_as(torch.zeros(1)).dtype
    torch.float32
    """
    if not isinstance(other, Tensor):
        raise must_be("Tensor", "type_as", "other", 1, other)
    return self.to(other)


@method
def cpu(self, *, memory_format=None):
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
def xpu(self, device=None, non_blocking=False, memory_format=None):
    """Raises PyTorch's error of a build without XPU."""
    require_cpu("xpu")


@method
def pin_memory(self, device=None):
    """Raises PyTorch's error: there is no accelerator to pin memory for."""
    raise RuntimeError(NO_ACCELERATOR)


@method
def is_pinned(self, device=None):
    """Always False.

    >>> import retrograd as torch
    >>> torch.ones(2).is_pinned()
    False
    """
    return False


def view_dtype(self, dtype):
    """The same memory read as elements of another dtype: outside the graph, as detach() is."""
    if self._flags & BATCHED and (self.dim() or self.dtype.itemsize == dtype.itemsize):
        from .batching import wrap_batch
        return wrap_batch(view_dtype(self._batch.value, dtype), self._batch.level)
    array, old, new = self._data, self._data.itemsize, dtype.itemsize
    if new != old:
        check_dtype_view(self, dtype, max(old, new) // min(old, new))
    if not array.ndim or new == old:
        seen = array.view(dtype.np)
    else:
        shape = (*array.shape[:-1], array.shape[-1] * old // new)
        seen = np.ndarray(shape, dtype.np, array, 0, (*array.strides[:-1], new)) \
            if array.flags.c_contiguous else array.view(dtype.np)
    res = self.detach()
    res._data = seen
    return res


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


@public(name="result_type", method=False)
def result_type(tensor1, tensor2, /):
    """The dtype that arithmetic between the two gives, each a tensor or a number.

    Tensors with dimensions decide before tensors without, and these before numbers, as long as the
    kinds (bool, integer, floating, complex) agree; a higher kind always wins.

    >>> import retrograd as torch
    >>> torch.result_type(torch.tensor([1]), 1.0)
    torch.float32
    """
    from .support import operand, result_dtype
    return result_dtype([operand(tensor1), operand(tensor2)])
