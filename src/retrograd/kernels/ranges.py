"""arange, linspace and logspace, rounded as PyTorch's vector loops round them."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import repeat

import numpy as np

from .fma import FUSED, fma_f32, fma_f64, fma_whole, multiply_add

# lanes of a 256-bit register (16-bit dtypes fill two); the loops take two registers a step
LANES = {"f": 8, "d": 4, "e": 16, "E": 16}          # E: bfloat16
LARGEST = 1 << 26      # elements that fma_whole() can count
FEW = 1 << 12          # the most elements of what is kept for the next call
LIMIT = 1e38           # numbers below this do not overflow float32


def arange(start, step, n: int, dtype) -> np.ndarray:
    """start + step * i for i < n."""
    dtype = np.dtype(dtype)
    if dtype.kind in "iu":
        values = np.arange(n, dtype=np.int64)
        if step != 1:
            values *= int(step)
        if start != 0:
            values += int(start)
        return values.astype(dtype, copy=False)
    if _is_exact(start, step, n, dtype):
        values = np.arange(n, dtype=dtype)
        if step != 1:
            values *= dtype.type(step)
        if start != 0 or step < 0:                # 0 * -2 is -0
            values += dtype.type(start)
        return values
    finite = dtype.char in "fd" and abs(start) + abs(step) * n < LIMIT
    fma = fma_whole if finite and n <= LARGEST else fma_f64
    lanes = LANES.get(dtype.char, 1)
    whole = n // (2 * lanes) * 2 * lanes if lanes > 1 else 0
    values = np.empty(n, np.float32 if dtype.itemsize == 2 else dtype)
    blocks = whole // lanes
    counts = np.arange(0.0, whole, lanes)
    if whole < n:                                 # what fills no step of the loop comes one by one
        counts = np.concatenate([counts, np.arange(float(whole), n)])
    heads = fma(counts, step, start)
    values[whole:] = heads[blocks:]
    if whole:
        first = heads[:blocks].astype(values.dtype).astype(dtype).astype(np.float64)
        if whole <= FEW:                          # one row, as each takes NumPy time to begin
            within = np.arange(float(whole)) - counts[:blocks].repeat(lanes)
            values[:whole] = fma(within, step, first.repeat(lanes))
        else:
            turned = fma(np.arange(float(lanes))[:, None], step, first)  # rows: (lanes, blocks)
            values[:whole].reshape(-1, lanes)[...] = turned.T
    return values.astype(dtype, copy=False)


def _is_exact(start, step, n, dtype):
    """Whether start + step * i are numbers of the dtype, so that nothing is rounded."""
    if start == 0 and step == 1 and n <= 1 << 24 and dtype.char in "fd":
        return True
    start, step = float(start), float(step)
    reach = abs(start) + abs(step) * n
    if dtype.char not in "fd" or not math.isfinite(reach):
        return False
    # both are whole numbers of 1 / parts, a power of two
    parts = max(start.as_integer_ratio()[1], step.as_integer_ratio()[1])
    return reach * parts <= 2.0 ** (24 if dtype.char == "f" else 53)


def linspace(start, end, n: int, dtype) -> np.ndarray:
    """n values from start to end: the first half counts from the start, the second from the end."""
    dtype = np.dtype(dtype)
    if n < 2:
        return np.full(n, start).astype(dtype)
    if dtype.kind in "iu":
        start, end = _whole(start, dtype), _whole(end, dtype)
        step = (end - start) / (n - 1)
        return _halves(float(start), float(end), step, n, fma_f64).astype(dtype)
    start, end = dtype.type(start), dtype.type(end)
    step = (end - start) / dtype.type(n - 1)
    fma = FUSED.get(dtype.char, multiply_add)
    return _halves(start, end, step, n, fma)


def _halves(start, end, step, n, fma):
    """start + step i where i < n // 2, else end - step (n - 1 - i), in the numbers' own dtype."""
    if fma is fma_f32:
        return _halves_at_once(start, end, step, n).astype(np.float32)
    kind = np.asarray(step).dtype
    up = np.arange(n // 2).astype(kind)
    down = np.arange(n - 1 - n // 2, -1, -1).astype(kind)
    return np.concatenate([fma(up, step, start), fma(-down, step, end)]).astype(kind, copy=False)


def _halves_at_once(start, end, step, n):
    """_halves() in float64, with products and sums rounded each."""
    make = _counts_to_the_middle if n <= FEW else _counts_to_the_middle.__wrapped__
    values = make(n) * np.array(float(step))
    up, down = values[:n // 2], values[n // 2:]
    up += np.array(float(start))
    down += np.array(float(end))
    return values


@lru_cache(maxsize=16)
def _counts_to_the_middle(n):
    """How far n places are from the first, and in the second half, negative, from the last."""
    counts = np.arange(n, dtype=np.float64)
    counts[n // 2:] -= n - 1
    return counts


def logspace(start, end, n: int, base: float, dtype) -> np.ndarray:
    """base ** x for the x of linspace, in double precision except for the rounded distance."""
    dtype = np.dtype(dtype)
    if dtype.kind == "c":
        return np.power(np.complex128(base), linspace(start, end, n, np.complex128)).astype(dtype)
    if n < 2:
        exponents = np.full(n, float(start))
    else:
        if dtype.kind in "iu":
            start, end = _whole(start, dtype), _whole(end, dtype)
        else:
            start, end = dtype.type(start), dtype.type(end)
        step = float(end - start) / (n - 1)
        exponents = _halves_at_once(start, end, step, n)
    exponents = exponents.tolist()
    try:
        powers = np.fromiter(map(math.pow, repeat(base), exponents), np.float64, n)
    except (OverflowError, ValueError):                 # one of them overflows or is not real
        powers = np.array([power(base, x) for x in exponents], np.float64)
    with np.errstate(all="ignore"):
        return powers.astype(dtype)


def power(base, x):
    """The C library's power of two floats, with its infinities and nan where Python would raise."""
    try:
        return math.pow(base, x)
    except (OverflowError, ValueError):
        with np.errstate(all="ignore"):
            return float(np.float64(base) ** np.float64(x))


def _whole(number, dtype):
    """The integer that a dtype makes of a number which it takes: unsigned ones count on from -1."""
    return int(np.array(int(number)).astype(dtype))
