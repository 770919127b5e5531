"""torch._C: the few names of PyTorch's compiled core that Python libraries use.

retrograd has no compiled core. A name that is not here fails with an error that says so.
"""

from __future__ import annotations

import contextlib
import sys
import weakref
from enum import Enum
from os import PathLike
from types import ModuleType
from typing import Any

import retrograd as torch

from .._archive import ArchiveReader
from .._attributes import Size as Size
from .._attributes import device as device
from .._attributes import layout as layout
from .._attributes import memory_format as memory_format
from .._dtype import dtype as dtype
from .._state import state
from .._tensor import Tensor
from .._torch_function import AllDisabled as DisableTorchFunction  # noqa: F401
from .._torch_function import Disabled as DisableTorchFunctionSubclass  # noqa: F401
from .._torch_function import Enabled as _EnableTorchFunction  # noqa: F401
from .._torch_function import _disabled_torch_function_impl as _disabled_torch_function_impl
from .._torch_function import local
from ..jit import ScriptFunction as ScriptFunction
from ..jit import ScriptModule as ScriptModule
from ..kernels.linalg import LinAlgError as _LinAlgError  # noqa: F401
from ..random import Generator as Generator
from ..random import default_generator as default_generator
from . import _autograd as _autograd
from . import _functions as _functions
from . import _functorch as _functorch

TensorBase = _TensorBase = Tensor


class PyTorchFileReader:
    """The records of a file that `torch.save` wrote.

    >>> import io, retrograd as torch
    >>> torch.save(torch.ones(3), file := io.BytesIO())
    >>> torch.PyTorchFileReader(file).has_record("data.pkl")
    True

    Raises:
        RuntimeError: not such a file, or damaged; no such record.
    """

    def __init__(self, name_or_buffer: Any) -> None:
        named = isinstance(name_or_buffer, (str, PathLike))
        self._archive = ArchiveReader(open(name_or_buffer, "rb") if named else name_or_buffer)

    def get_all_records(self) -> list[str]:
        """The names of the records."""
        return [name.partition("/")[2] for name in self._archive.zip.namelist()]

    def has_record(self, name: str) -> bool:
        """Whether there is such a record."""
        return self._archive.has(name)

    def get_record(self, name: str) -> bytes:
        """The bytes of a record."""
        return self._archive.read(name)

    def get_storage_from_record(self, name: str, nbytes: int, dtype: Any = None) -> Tensor:
        """A tensor without elements, whose storage holds the record's bytes."""
        return torch.frombuffer(self._archive.read_storage(name, nbytes), dtype=torch.uint8)[:0]

    def serialization_id(self) -> str:
        """The file's checksum, as text."""
        name = ".data/serialization_id"
        return self.get_record(name).decode() if self.has_record(name) else ""


PyTorchFileReader.__module__ = "torch"
_TensorMeta = type(Tensor)


class Graph:
    """The class of TorchScript's graphs: no object is one."""


class Value:
    """The class of values in TorchScript's graphs: no object is one."""


class ScriptObject:
    """The class of TorchScript's objects: no object is one."""


class ScriptMethod:
    """The class of methods of scripted modules: no object is one."""


class TensorType:
    """The class of TorchScript's type of tensors: no object is one."""


class _Operators:
    """Operators of nn under torch._C._nn; the package's under torch._C._VariableFunctions."""

    def __init__(self, *homes: str) -> None:
        self._homes = homes

    def __getattr__(self, name: str) -> Any:
        if name == "_parse_to":
            from ..nn.modules._convert import _parse_to

            return _parse_to
        name = {"log_sigmoid": "logsigmoid"}.get(name, name)
        for home in self._homes:
            found = getattr(torch if home == "torch" else torch.nn.functional, name, None)
            if found is not None:
                return found
        raise AttributeError(f"retrograd does not have torch._C's operator {name!r}")

    def __dir__(self) -> list[str]:
        from ..ops.bind import function_names

        if "torch" == self._homes[0]:
            return sorted(function_names())
        return [name for name in dir(torch.nn.functional) if not name.startswith("__")]


def _family(home: str) -> ModuleType:
    """Operators of a module such as torch.linalg under their names in PyTorch's: linalg_inv."""

    def get(name: str) -> Any:
        _, found, short = name.partition(f"{home}_")
        if not found:
            raise AttributeError(f"retrograd does not have torch._C's operator {name!r}")
        return getattr(getattr(torch, home), short)

    module = ModuleType(f"{__name__}._{home}")
    module.__getattr__ = get  # type: ignore[method-assign]
    return module


_nn = _Operators("nn", "torch")
_linalg, _fft, _special, _sparse = map(_family, ("linalg", "fft", "special", "sparse"))
for _name in ("_nn", "_linalg", "_fft", "_special", "_sparse"):     # pickles look for F.gelu there
    sys.modules[f"{__name__}.{_name}"] = globals()[_name]
_VariableFunctions = _VariableFunctionsClass = _Operators("torch")


class DispatchKey(Enum):
    """The few keys that libraries name; nothing is dispatched by them."""

    CPU, AutogradCPU, AutocastCPU, AutocastCUDA, AutocastXPU = range(5)


class Tag(Enum):
    """Tags of operators: they are kept; `inplace` and `out` say what a custom operator returns."""

    core = 0
    cudagraph_unsafe = 1
    data_dependent_output = 2
    dynamic_output_shape = 3
    flexible_layout = 4
    generated = 5
    inplace = 6
    inplace_view = 7
    maybe_aliasing_or_mutating = 8
    needs_contiguous_strides = 9
    needs_exact_strides = 10
    needs_fixed_stride_order = 11
    nondeterministic_bitwise = 12
    nondeterministic_seeded = 13
    out = 14
    out_variant = 15
    pointwise = 16
    pt2_compliant_tag = 17
    reduction = 18
    view_copy = 19


class DispatchKeySet(frozenset):
    """A set of keys, from one."""

    def __new__(cls, key: DispatchKey) -> DispatchKeySet:
        return super().__new__(cls, (key,))


_ExcludeDispatchKeyGuard = contextlib.nullcontext


def _AutoDispatchBelowAutograd() -> Any:
    from retrograd._operators import BelowAutograd

    return BelowAutograd()


def _get_default_device() -> str:
    """The type of torch.get_default_device()."""
    return torch.get_default_device().type


def is_grad_enabled() -> bool:
    return torch.is_grad_enabled()


def _set_fwd_grad_enabled(mode: bool) -> None:
    state.forward = mode


class _WeakTensorRef:
    """A reference to a Tensor that does not keep it alive."""

    def __init__(self, tensor: Tensor) -> None:
        self._ref = weakref.ref(tensor)

    def expired(self) -> bool:
        """Whether the Tensor is gone."""
        return self._ref() is None


def _get_tracing_state() -> None:
    return None


def _is_tracing() -> bool:
    """False."""
    return False


def _log_api_usage_once(event: str) -> None:
    """Nothing is logged."""


def _are_functorch_transforms_active() -> bool:
    return False


def _is_torch_function_enabled() -> bool:
    return local.subclasses


def _is_torch_function_mode_enabled() -> bool:
    return bool(local.modes)


def _is_torch_function_all_disabled() -> bool:
    return local.all_off


def _get_privateuse1_backend_name() -> str:
    return "privateuseone"


def _jit_set_profiling_mode(on: bool) -> bool:
    return False


_jit_set_profiling_executor = _jit_set_texpr_fuser_enabled = _jit_set_profiling_mode
_jit_set_nvfuser_enabled = _jit_override_can_fuse_on_cpu = _jit_set_profiling_mode
_jit_override_can_fuse_on_gpu = _jit_set_profiling_mode


def __getattr__(name: str) -> Any:
    raise AttributeError(f"module 'torch._C' has no attribute {name!r}: retrograd has no compiled "
                         "core")
