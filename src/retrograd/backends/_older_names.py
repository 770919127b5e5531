"""torch.has_cuda and so on, the names from before there was torch.backends."""

from __future__ import annotations

from importlib import import_module

from .._warnings import warn

has_mkl = has_openmp = False
has_lapack = True
_RENAMED = {"has_mps": "mps.is_built", "has_cuda": "cuda.is_built",
            "has_cudnn": "cudnn.is_available", "has_mkldnn": "mkldnn.is_available"}


def __getattr__(name: str) -> bool:
    if name not in _RENAMED:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, function = _RENAMED[name].partition(".")
    warn(f"{name!r} is deprecated, please use 'torch.backends.{module}.{function}()'")
    return getattr(import_module(f"retrograd.backends.{module}"), function)()
