"""NVIDIA's GPUs: not used; the switches are kept."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator


class _Matmul:
    """How matrix products are computed on a GPU."""

    allow_tf32 = False
    allow_fp16_reduced_precision_reduction = True
    allow_bf16_reduced_precision_reduction = True
    allow_fp16_accumulation = False
    fp32_precision = "none"


matmul = _Matmul()
_enabled = {"flash": True, "math": True, "mem_efficient": True, "cudnn": True}


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


@contextlib.contextmanager
def sdp_kernel(enable_flash: bool = True, enable_math: bool = True,
               enable_mem_efficient: bool = True, enable_cudnn: bool = True) -> Iterator[dict]:
    """Inside, the four switches have these values."""
    before = dict(_enabled)
    _enabled.update(flash=enable_flash, math=enable_math, mem_efficient=enable_mem_efficient,
                    cudnn=enable_cudnn)
    try:
        yield {}
    finally:
        _enabled.update(before)
