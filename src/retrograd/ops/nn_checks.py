"""What argument checks of neural-network operators share."""

from __future__ import annotations

from .. import _dtype

CPP_NAMES = {"Long": "long int", "Char": "signed char", "Byte": "unsigned char",
             "Half": "c10::Half",
             "BFloat16": "c10::BFloat16", "ComplexFloat": "c10::complex<float>",
             "ComplexDouble": "c10::complex<double>"}


def cpp_name(t):
    """A Tensor's dtype as PyTorch's C++ writes it in messages: float, double, long int."""
    name = _dtype.of(t._data).tensor_name
    return CPP_NAMES.get(name, name.lower())
