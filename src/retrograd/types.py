"""The names that annotations of PyTorch programs use."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO, Any, TypeAlias

from . import _dtype as _dtypes
from ._attributes import Size, device, layout
from ._tensor import Tensor
from .storage import TypedStorage, UntypedStorage

__all__ = ["Device", "FileLike", "Number", "Storage"]

_device = device
_dtype = _dtypes.dtype
_layout = layout

_int = builtins.int
_float = builtins.float
_bool = builtins.bool
_complex = builtins.complex
_str = builtins.str
_bytes = builtins.bytes

DeviceObjType = type(device)   # what a device is an instance of is `device`, as in PyTorch


class SymInt:
    """A size that a compiler does not know yet: no object is one, since all sizes are numbers."""


class SymFloat:
    """As SymInt, of floats."""


class SymBool:
    """As SymInt, of bools."""


IntLikeType: TypeAlias = builtins.int
FloatLikeType: TypeAlias = builtins.float
BoolLikeType: TypeAlias = builtins.bool
PySymType: TypeAlias = builtins.int
py_sym_types = (SymInt, SymFloat, SymBool)

_size: TypeAlias = Size | list[builtins.int] | tuple[builtins.int, ...]
_symsize = _size
_TensorOrTensors: TypeAlias = Tensor | Sequence[Tensor]
_TensorOrOptionalTensors: TypeAlias = Tensor | Sequence[Tensor | None]
Number: TypeAlias = builtins.int | builtins.float | builtins.bool
_Number = (builtins.int, builtins.float, builtins.bool)
Device: TypeAlias = _device | str | builtins.int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[builtins.bytes]
Storage: TypeAlias = TypedStorage | UntypedStorage

_qscheme = Any
_dispatchkey = builtins.str
DispatchKey = Any
