"""Argument checks that operators of neural networks share."""

from __future__ import annotations

from .. import _dtype
from .._state import state
from ..kernels.half import is_half

CPP_NAMES = {"Long": "long int", "Short": "short int", "Char": "signed char",
             "Byte": "unsigned char", "Half": "c10::Half",
             "UInt16": "short unsigned int", "UInt32": "unsigned int",
             "UInt64": "long unsigned int",
             "BFloat16": "c10::BFloat16", "ComplexFloat": "c10::complex<float>",
             "ComplexDouble": "c10::complex<double>"}


def cpp_name(t):
    """A Tensor's dtype as PyTorch's C++ writes it in messages: float, double, long int."""
    name = _dtype.of(t._data).tensor_name
    return CPP_NAMES.get(name, name.lower())

def backend_name(d):
    """What PyTorch calls tensors of a dtype beside one another: torch.FloatTensor, CPUBoolType."""
    if d.name in ("bool", "bfloat16", "uint16", "uint32", "uint64") or d.is_complex:
        return f"CPU{d.tensor_name}Type"
    return f"torch.{d.tensor_name}Tensor"


def check_kinds(input, *parameters):
    """Raise unless all parameters of a norm have the input's dtype, or float32 beside half ones."""
    dtype = input._data.dtype
    for t in parameters:
        if t is not None and t._data.dtype is not dtype:
            break
    else:
        return
    kinds = [_dtype.of(t._data) for t in parameters if t is not None]
    kind = _dtype.of(input._data)
    if kinds[0] is not kind:
        if any(k is not _dtype.float32 for k in kinds):
            raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
        if not is_half(dtype):
            raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")
    for k in kinds:
        if k is not kinds[0]:
            raise RuntimeError(f"expected scalar type {kind.tensor_name} but found "
                               f"{k.tensor_name}")


def check_one_dtype(first, second):
    """Raise unless two Tensors have the same dtype."""
    if first._data.dtype is not second._data.dtype:
        names = [_dtype.of(t._data).tensor_name for t in (first, second)]
        raise RuntimeError("expected scalar type {} but found {}".format(*names))


def no_gradient(function, **tensors):
    """Raise where a tensor requires a gradient that `function` does not have."""
    for name, t in tensors.items():
        if t is not None and t._flags & 1 and state.grad:
            raise RuntimeError(f"The function '{function}' is not differentiable with respect to "
                               f"argument '{name}'. This input cannot have requires_grad True.")
