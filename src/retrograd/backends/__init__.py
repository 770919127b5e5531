"""Switches of the libraries that PyTorch computes with: they can be set, but change no result.

retrograd computes on the CPU by NumPy, so what asks for a GPU library is answered with no.
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

_MODULES = frozenset(("cpu", "cuda", "cudnn", "mkl", "mkldnn", "mps", "nnpack", "openmp",
                      "opt_einsum", "quantized"))

fp32_precision = "none"


def __getattr__(name: str) -> ModuleType:
    if name in _MODULES:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module 'torch.backends' has no attribute {name!r}")


def __dir__() -> list[str]:
    return ["fp32_precision", *_MODULES]
