"""NVIDIA's GPUs: not used; the switches are kept."""

from __future__ import annotations

import contextlib
import warnings
from collections.abc import Iterator
from enum import Enum
from typing import Any, NamedTuple

__all__ = [
    "SDPAParams", "allow_fp16_bf16_reduction_math_sdp", "can_use_cudnn_attention",
    "can_use_efficient_attention", "can_use_flash_attention", "cudnn_sdp_enabled",
    "enable_cudnn_sdp", "enable_flash_sdp", "enable_math_sdp", "enable_mem_efficient_sdp",
    "flash_sdp_enabled", "fp16_bf16_reduction_math_sdp_allowed", "is_built",
    "is_flash_attention_available", "math_sdp_enabled", "matmul", "mem_efficient_sdp_enabled",
    "preferred_blas_library", "preferred_linalg_library", "sdp_kernel",
]


class _Matmul:
    """How matrix products are computed on a GPU."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False
    fp32_precision = "none"


matmul = _Matmul()
_enabled = {"flash": True, "math": True, "mem_efficient": True, "cudnn": True,
            "half_sums": False}


class _LinalgBackend(Enum):
    Default, Cusolver, Magma = range(3)

    __repr__ = Enum.__str__


class _BlasBackend(Enum):
    Default, Cublas, Cublaslt, Ck = range(4)

    __repr__ = Enum.__str__


_LINALG = {"default": _LinalgBackend.Default, "cusolver": _LinalgBackend.Cusolver,
           "magma": _LinalgBackend.Magma}
_BLAS = {"default": _BlasBackend.Default, "cublas": _BlasBackend.Cublas,
         "hipblas": _BlasBackend.Cublas, "cublaslt": _BlasBackend.Cublaslt,
         "hipblaslt": _BlasBackend.Cublaslt, "ck": _BlasBackend.Ck}
_preferred: dict[type[Enum], Enum] = {_LinalgBackend: _LinalgBackend.Default,
                                      _BlasBackend: _BlasBackend.Cublas}


def _prefer(backend: Any, choices: dict) -> Enum:
    """Which library is preferred, after `backend`, unless it is None, has been."""
    kind = type(choices["default"])
    if isinstance(backend, str):
        if backend not in choices:
            raise RuntimeError(f"Unknown input value. Choose from: {', '.join(choices)}.")
        backend = choices[backend]
    if backend is not None:
        if not isinstance(backend, kind):
            raise RuntimeError("Unknown input value type.")
        shown = {"Cusolver": "cuSOLVER", "Magma": "MAGMA", "Cublaslt": "cuBLASLt", "Ck": "CK"}
        if backend.name in shown:
            raise RuntimeError(f"Cannot set preferred backend to {shown[backend.name]} if PyTorch "
                               f"has not been compiled with {shown[backend.name]}.")
        _preferred[kind] = _BlasBackend.Cublas if kind is _BlasBackend else backend
    return _preferred[kind]


def preferred_linalg_library(backend: Any = None) -> Any:
    """Default: torch.linalg on a GPU would use what fits. RuntimeError for a library of CUDA's."""
    return _prefer(backend, _LINALG)


def preferred_blas_library(backend: Any = None) -> Any:
    """Which library would multiply matrices on a GPU. RuntimeError for others than cuBLAS."""
    return _prefer(backend, _BLAS)


class SDPAParams(NamedTuple):
    """What decides which way of computing attention can be used."""

    query: Any
    key: Any
    value: Any
    attn_mask: Any
    dropout: float
    is_causal: bool
    enable_gqa: bool


def is_flash_attention_available() -> bool:
    """False: that is for GPUs."""
    return False


def can_use_flash_attention(params: SDPAParams, debug: bool = False) -> bool:
    """False: that is for GPUs."""
    return False


can_use_efficient_attention = can_use_cudnn_attention = can_use_flash_attention


def fp16_bf16_reduction_math_sdp_allowed() -> bool:
    """What allow_fp16_bf16_reduction_math_sdp set."""
    return _enabled["half_sums"]


def allow_fp16_bf16_reduction_math_sdp(enabled: bool) -> None:
    """Kept; attention is computed the same way."""
    _enabled["half_sums"] = enabled


def __getattr__(name: str) -> Any:
    if name == "SDPBackend":
        from ..nn.attention import SDPBackend
        return SDPBackend
    raise AttributeError(f"module 'torch.backends.cuda' has no attribute {name!r}")


def is_built() -> bool:
    """False: there is no CUDA in this build."""
    return False


def flash_sdp_enabled() -> bool:
    """What enable_flash_sdp set."""
    return _enabled["flash"]


def enable_flash_sdp(enabled: bool) -> None:
    """Kept; attention is computed the same way."""
    _enabled["flash"] = enabled


def math_sdp_enabled() -> bool:
    """What enable_math_sdp set."""
    return _enabled["math"]


def enable_math_sdp(enabled: bool) -> None:
    """Kept; attention is computed the same way."""
    _enabled["math"] = enabled


def mem_efficient_sdp_enabled() -> bool:
    """What enable_mem_efficient_sdp set."""
    return _enabled["mem_efficient"]


def enable_mem_efficient_sdp(enabled: bool) -> None:
    """Kept; attention is computed the same way."""
    _enabled["mem_efficient"] = enabled


def cudnn_sdp_enabled() -> bool:
    """What enable_cudnn_sdp set."""
    return _enabled["cudnn"]


def enable_cudnn_sdp(enabled: bool) -> None:
    """Kept; attention is computed the same way."""
    _enabled["cudnn"] = enabled


def sdp_kernel(enable_flash: bool = True, enable_math: bool = True,
               enable_mem_efficient: bool = True,
               enable_cudnn: bool = True) -> contextlib.AbstractContextManager[dict]:
    """Inside, the four switches have these values."""
    warnings.warn("`torch.backends.cuda.sdp_kernel()` is deprecated. In the future, this context "
                  "manager will be removed. Please see `torch.nn.attention.sdpa_kernel()` for the "
                  "new context manager, with updated signature.", FutureWarning, stacklevel=2)
    return _switched(enable_flash, enable_math, enable_mem_efficient, enable_cudnn)


@contextlib.contextmanager
def _switched(enable_flash: bool, enable_math: bool, enable_mem_efficient: bool,
              enable_cudnn: bool) -> Iterator[dict]:
    before = dict(_enabled)
    _enabled.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient,
                    cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        _enabled.update(before)
