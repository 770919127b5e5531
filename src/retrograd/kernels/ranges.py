"""arange, linspace and logspace, rounded as PyTorch's vector loops round them."""

from __future__ import annotations

import numpy as np

from .fma import fma_f32, fma_f64

LANES = {"float32": 8, "float64": 4}  # of a 256-bit register; the loops take two registers a step


def arange(start, step, n: int, dtype) -> np.ndarray:
    """start + step * i for i < n."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        return (np.arange(n, dtype=np.int64) * int(step) + int(start)).astype(dtype)
    i = np.arange(n, dtype=np.float64)
    values = fma_f64(i, step, start)
    lanes = LANES.get(dtype.name)
    if lanes is not None:
        whole = n // (2 * lanes) * 2 * lanes
        first = values[:whole:lanes].astype(dtype).astype(np.float64).repeat(lanes)
        values[:whole] = fma_f64(i[:whole] % lanes, step, first)
    return values.astype(dtype)


def linspace(start, end, n: int, dtype) -> np.ndarray:
    """n values from start to end: the first half counts from the start, the second from the end."""
    dtype = np.dtype(dtype)
    if n < 2:
        return np.full(n, start).astype(dtype)
    i = np.arange(n)
    back = n - 1 - i
    if dtype.kind == "c":
        step = dtype.type((end - start) / (n - 1))
        values = np.where(i < n // 2, start + step * i, end - step * back)
        return values.astype(dtype)
    if dtype == np.float32:
        start, end = np.float32(start), np.float32(end)
        step, fma = (end - start) / np.float32(n - 1), fma_f32
    else:
        if dtype.itemsize == 2:
            start, end = float(dtype.type(start)), float(dtype.type(end))
        step, fma = (end - start) / (n - 1), fma_f64
    kind = step.dtype if fma is fma_f32 else np.float64
    values = np.where(
        i < n // 2, fma(i.astype(kind), step, start), fma(-back.astype(kind), step, end)
    )
    return values.astype(dtype)


def logspace(start, end, n: int, base: float, dtype) -> np.ndarray:
    """base ** x for the x of linspace."""
    dtype = np.dtype(dtype)
    exact = np.dtype(np.float64) if dtype.kind in "iu" else dtype
    exponents = linspace(start, end, n, exact)
    wide = np.complex128 if dtype.kind == "c" else np.float64
    return np.power(wide(base), exponents.astype(wide)).astype(dtype)
