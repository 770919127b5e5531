"""What argument checks of neural-network operators share."""

from __future__ import annotations

from .. import _dtype
from .._state import state

CPP_NAMES = {"Long": "long int", "Char": "signed char", "Byte": "unsigned char",
             "Half": "c10::Half",
             "BFloat16": "c10::BFloat16", "ComplexFloat": "c10::complex<float>",
             "ComplexDouble": "c10::complex<double>"}


def cpp_name(t):
    """A Tensor's dtype as PyTorch's C++ writes it in messages: float, double, long int."""
    name = _dtype.of(t._data).tensor_name
    return CPP_NAMES.get(name, name.lower())


def no_gradient(function, **tensors):
    """Raise where a tensor requires a gradient that `function` does not have."""
    for name, t in tensors.items():
        if t is not None and t._track & 1 and state.grad:
            raise RuntimeError(f"The function '{function}' is not differentiable with respect to "
                               f"argument '{name}'. This input cannot have requires_grad True.")
