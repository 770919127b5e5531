"""The processor."""

from __future__ import annotations

__all__ = ["get_cpu_capability"]


def get_cpu_capability() -> str:
    """The instruction set by which PyTorch would choose its kernels here: AVX512, AVX2 or DEFAULT.

    Libraries ask whether it is AVX2 at least, and then resize integers without a detour by floats.
    """
    try:
        from numpy._core._multiarray_umath import __cpu_features__ as has
    except ImportError:                       # a NumPy that keeps it elsewhere
        return "DEFAULT"
    if has.get("AVX512_SKX"):
        return "AVX512"
    return "AVX2" if has.get("AVX2") and has.get("FMA3") else "DEFAULT"
