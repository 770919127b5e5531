"""What a picture remembers of an array: shape, dtype, some statistics, a small array's numbers.

Taking a snapshot must be quick, since a recording takes one at every node
(NOTE [what a recording keeps] in recording.py): a small array is copied, of a large one a sample
and the sums that one pass gives. The rest is computed when it is shown.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import _dtype
from .._meta import Unread
from ..debug.reading import numbers

SAMPLE = 2048          # elements that are kept of an array
SHOWN = 24             # elements of an array whose numbers are shown
BINS = 20              # of the histogram


class Sums(NamedTuple):
    """What one pass over a large array tells of it."""

    low: float
    high: float
    total: float
    squares: float


class Snapshot:
    """An array as it was at one moment."""

    __slots__ = ("shape", "nbytes", "sample", "size", "sums")

    def __init__(self, array: np.ndarray):
        self.shape, array = array.shape, numbers(array)
        self.size, self.nbytes = array.size, array.nbytes
        self.sums: Sums | None = None            # where only a sample is kept
        if self.size <= SAMPLE:
            self.sample = array.copy()
            return
        flat = array.reshape(-1)
        self.sample = flat[:: self.size // SAMPLE].copy()
        if array.dtype.itemsize == 2 and is_real(array.dtype):
            flat = flat.astype(np.float32)                  # their sums overflow
        if array.dtype.kind == "c":
            flat = np.abs(flat)
        if flat.dtype.kind == "f":
            self.sums = Sums(float(flat.min()), float(flat.max()),
                             float(flat.sum(dtype=np.float64)), float(np.vdot(flat, flat)))

    @property
    def dtype(self) -> str:
        """PyTorch's name of it."""
        return _dtype.of(self.sample).name

    def stats(self) -> dict[str, Any]:
        """Numbers that describe the elements, for the page and for text: of the finite ones, and
        how many are not."""
        sample = self.sample
        if sample.dtype.kind == "c":
            sample = np.abs(sample)                  # of complex numbers, their magnitudes
        if not is_real(sample.dtype) or not self.size:
            return {}
        if self.size == 1:
            value = float(sample.reshape(-1)[0])
            return {"nan": 1} if math.isnan(value) else {"inf": 1} if math.isinf(value) else {
                "norm": rounded(abs(value))}
        sample = sample.astype(np.float64, copy=False).reshape(-1)
        finite = sample[np.isfinite(sample)]
        found = {"nan": int(np.isnan(sample).sum()), "inf": int(np.isinf(sample).sum()),
                 "zero": float((sample == 0).mean())}
        sums, n = self.sums, self.size
        if sums is not None:
            found["sampled"] = len(sample)
            if not math.isfinite(sums.total) and not found["nan"] + found["inf"]:
                found["nan" if math.isnan(sums.low) else "inf"] = 1       # outside the sample
        if sums is None or not math.isfinite(sums.total + sums.squares):
            if not finite.size:
                return found
            n = finite.size
            sums = Sums(float(finite.min()), float(finite.max()), float(finite.sum()),
                        float(np.dot(finite, finite)))
        low, high, total, squares = sums
        mean = total / n
        found |= {"min": low, "max": high, "mean": mean, "norm": math.sqrt(squares),
                  "std": math.sqrt(max(0.0, squares / n - mean * mean)), "hist": histogram(finite)}
        return {k: rounded(v) for k, v in found.items() if v is not None}

    def numbers(self) -> str | None:
        """The elements as text, where they are few; of a single real one brief() says it all."""
        if self.size == 1 and is_real(self.sample.dtype):
            return None
        if not 0 < self.size <= SHOWN or self.sample.dtype.kind not in "fiubcV":
            return None
        with np.printoptions(precision=4, suppress=True, linewidth=60):
            return np.array2string(self.sample, separator=", ")

    def brief(self) -> str:
        """One line: the number itself, or the size of what is in it."""
        if self.size == 1 and is_real(self.sample.dtype):
            return f"{float(self.sample.reshape(-1)[0]):.4g}"
        stats = self.stats()
        text = f"norm {stats['norm']:.4g}" if "norm" in stats else ""
        trouble = [f"{stats[what]} {what}" for what in ("nan", "inf") if stats.get(what)]
        return ", ".join(filter(None, [text, *trouble]))


def snapshot(array: Any) -> Snapshot | None:
    """A snapshot of an array, of a Tensor's array, or None of anything else."""
    array = getattr(array, "_data", array)
    if isinstance(array, np.generic):
        array = np.asarray(array)
    readable = isinstance(array, np.ndarray) and not isinstance(array, Unread)
    return Snapshot(array) if readable else None


def is_real(dtype: np.dtype) -> bool:
    """Whether the elements are real numbers (bfloat16 is of NumPy's kind V)."""
    return dtype.kind in "fiubV"


def histogram(values: np.ndarray) -> str | None:
    """The shares of `values` between their least and greatest, a digit 0-9 for each bin."""
    if values.size < 8 or values.min() == values.max():
        return None
    with np.errstate(all="ignore"):
        low, high = float(values.min()), float(values.max())
        if not math.isfinite(high - low):
            return None
        counts = np.histogram(values, bins=BINS, range=(low, high))[0]
    tallest = counts.max()
    return "".join(str(math.ceil(9 * c / tallest)) for c in counts)


def rounded(value: Any) -> Any:
    """Four significant digits are all that is shown; what JSON cannot say goes as text."""
    if isinstance(value, float):
        return float(f"{value:.4g}") if math.isfinite(value) else str(value)
    return value
