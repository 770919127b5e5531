"""Exchange of memory with other array libraries through DLPack, without a copy."""

from __future__ import annotations

import enum
from functools import cache
from typing import Any

import numpy as np

from .. import _dtype
from .._attributes import require_cpu, strided
from .._memory import give_out
from .._tensor import Tensor, wrap

__all__ = ["DLDeviceType", "from_dlpack"]


class DLDeviceType(enum.IntEnum):
    """The kinds of device of the DLPack standard; retrograd's memory is `kDLCPU`."""

    kDLCPU = 1
    kDLCUDA = 2
    kDLCUDAHost = 3
    kDLROCM = 10
    kDLROCMHost = 11
    kDLCUDAManaged = 13
    kDLOneAPI = 14


class _Capsule:
    """A bare capsule as an object that hands it out."""

    def __init__(self, capsule: Any) -> None:
        self.capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self.capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return DLDeviceType.kDLCPU, 0


class _Writable:
    """The memory of an array that NumPy took for read-only; keeps the array alive."""

    def __init__(self, array: np.ndarray) -> None:
        self.array = array
        place = array.__array_interface__["data"][0], False
        self.__array_interface__ = {**array.__array_interface__, "data": place}


@cache
def asks_for_flags() -> bool:
    """Whether NumPy asks for capsules that say what may be written to: from 2.2.5 on."""
    return np.from_dlpack(np.zeros(1)).flags.writeable


def from_dlpack(ext_tensor: Any, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A Tensor over the memory of another library's array.

    Args:
        ext_tensor: an object with `__dlpack__` (a NumPy array, a PyTorch tensor), or a capsule.
        device: the CPU; others are refused.
        copy: copy always (True), never (False), or where sharing is impossible (None).

    Raises:
        RuntimeError: neither of them.

    >>> import numpy as np
    >>> import retrograd as torch
    >>> array = np.zeros(2)
    >>> tensor = torch.from_dlpack(array)
    >>> tensor[0] = 7
    >>> array
    array([7., 0.])
    """
    require_cpu(device)
    is_capsule = type(ext_tensor).__name__ == "PyCapsule"
    if not ('"dltensor' in repr(ext_tensor) if is_capsule else hasattr(ext_tensor, "__dlpack__")):
        raise RuntimeError(
            "from_dlpack received an invalid capsule. Note that DLTensor capsules can be consumed "
            "only once, so you might have already constructed a tensor from it once."
        )
    array = _array_of(_Capsule(ext_tensor) if is_capsule else ext_tensor)
    if (is_capsule or not asks_for_flags()) and not array.flags.writeable:
        array = np.asarray(_Writable(array))      # a capsule of the old kind does not say
    return wrap(array.copy() if copy else give_out(array))


def to_dlpack(tensor: Tensor) -> Any:
    """A capsule over the memory of a Tensor, which can be taken up once.

    >>> import retrograd as torch
    >>> torch.from_dlpack(torch.to_dlpack(torch.tensor([1., 2.])))
    tensor([1., 2.])
    """
    return tensor.__dlpack__()


def export(tensor: Tensor, stream: Any, **options: Any) -> Any:
    """What `Tensor.__dlpack__` returns."""
    if tensor.requires_grad:
        raise BufferError("Can't export tensors that require gradient, use tensor.detach()")
    if tensor.is_meta:
        raise BufferError("Cannot pack tensors on meta")
    if tensor.layout is not strided:
        raise BufferError("Can't export tensors with layout other than torch.strided")
    if stream is not None and type(stream) is not int:
        raise TypeError("stream must be ``int`` or ``none``")
    if stream not in (None, -1):
        raise AssertionError("stream should be None on cpu.")
    array = give_out(tensor._data)
    if tensor.dtype is not _dtype.bfloat16:
        return capsule_of(array, options)
    capsule = capsule_of(array.view(np.uint16), options)
    kind_of(capsule).code = BFLOAT
    return capsule


def capsule_of(array: np.ndarray, options: dict[str, Any]) -> Any:
    """What `array.__dlpack__` returns."""
    try:
        return array.__dlpack__(**options)
    except TypeError:                    # NumPy 2.0 knows no options
        return (array.copy() if options.get("copy") else array).__dlpack__()


# --------------------------------------------------------------------------- bfloat16

# NumPy exports and imports only dtypes of its own. What it calls uint16 has the bits of bfloat16:
# so the one field of a capsule that tells them apart is changed, on its way in or out.
UINT, BFLOAT = 1, 4                      # DLDataTypeCode of dlpack.h


def _array_of(exporter: Any) -> np.ndarray:
    try:
        return np.from_dlpack(exporter)
    except (BufferError, RuntimeError):
        capsule = exporter.__dlpack__()
        kind = kind_of(capsule)
        if (kind.code, kind.bits) != (BFLOAT, 16):
            raise
        kind.code = UINT
        array = np.asarray(_Writable(np.from_dlpack(_Capsule(capsule))))
        return array.view(_dtype.bfloat16.np)


def kind_of(capsule: Any) -> Any:
    """The DLDataType of the tensor in a capsule, where it lies."""
    from ctypes import (
        Structure,
        c_char_p,
        c_int32,
        c_uint8,
        c_uint16,
        c_uint32,
        c_uint64,
        c_void_p,
        py_object,
        pythonapi,
    )

    class DLDataType(Structure):
        _fields_ = [("code", c_uint8), ("bits", c_uint8), ("lanes", c_uint16)]

    class DLTensor(Structure):           # its beginning
        _fields_ = [("data", c_void_p), ("device", c_int32 * 2), ("ndim", c_int32),
                    ("dtype", DLDataType)]

    class Versioned(Structure):
        _fields_ = [("version", c_uint32 * 2), ("manager", c_void_p), ("deleter", c_void_p),
                    ("flags", c_uint64), ("tensor", DLTensor)]

    pointer = pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = c_void_p, [py_object, c_char_p]
    if '"dltensor_versioned"' in repr(capsule):
        return Versioned.from_address(pointer(capsule, b"dltensor_versioned")).tensor.dtype
    return DLTensor.from_address(pointer(capsule, b"dltensor")).dtype
