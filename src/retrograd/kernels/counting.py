"""Counting: how often each integer occurs, and how many numbers lie in each bin of a histogram."""

import math

import numpy as np

from .checks import as_int64, as_intp, is_inexact, not_implemented
from .half import is_half

LAST = 2**63 - 1     # the largest integer


def bincount(self, weights=None, minlength=0):
    """How often each value 0, 1, 2 .. occurs, or the sum of its weights."""
    if is_inexact(self.dtype) or self.dtype == np.bool_:
        raise not_implemented("bincount_cpu", self.dtype)
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if self.ndim != 1 or (self.size and self.min() < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if self.size:
        _check_largest(int(self.max()))
    if weights is None:
        return as_int64(np.bincount(as_intp(self), minlength=minlength))
    if weights.shape != self.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    counts = np.bincount(as_intp(self), weights, minlength)
    return counts.astype(np.float32) if weights.dtype == np.float32 else counts


def _check_largest(value):
    """Refuse numbers that no array is long enough to count; for LAST np.bincount writes beyond its
    array."""
    if value == LAST:
        raise RuntimeError(
            f"maximum value of input overflowed, it should be < {LAST} but got {LAST}")
    if value >= 2**60:
        raise RuntimeError(f"Storage size calculation overflowed with sizes=[{value + 1}]")


def bincount_weighted(weights, self, minlength):
    """bincount with the weights first."""
    return bincount(self, weights, minlength)


def histc(self, bins=100, min=0, max=0):
    """Counts in equal bins between min and max (the data's own range if they are equal)."""
    return histc_rows(self.reshape(1, -1), bins, min, max)[0]


def histc_rows(self, bins=100, min=0, max=0):
    """histc of each row."""
    if is_half(self.dtype):
        return histc_rows(self.astype(np.float32), bins, min, max).astype(self.dtype)
    check_bins(bins)
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    if min == max and self.size and self.dtype.kind == "c":
        raise not_implemented("aminmax_cpu", self.dtype)
    _floating_only(self, "histogram_cpu")
    low, high = _limits(self, min, max)
    with np.errstate(invalid="ignore", over="ignore"):         # nan, and what lies far outside
        place = ((self - low) * self.dtype.type(bins) / (high - low)).astype(np.intp)
    np.minimum(place, bins - 1, out=place)
    # place is negative where high - low overflows
    inside = (self >= low) & (self <= high) & (place >= 0)
    np.putmask(place, ~inside, bins)                           # one more bin, for all others
    if len(self) > 1:
        place += np.arange(len(self))[:, None] * (bins + 1)
    counts = np.bincount(place.reshape(-1), minlength=(bins + 1) * len(self))
    return counts.reshape(-1, bins + 1)[:, :bins].astype(self.dtype)


def _floating_only(self, name):
    if not is_inexact(self.dtype) or is_half(self.dtype) or self.dtype.kind == "c":
        raise not_implemented(name, self.dtype)


def check_bins(bins, dim=0):
    if bins <= 0:
        raise RuntimeError(
            f"torch.histogram(): bins must be > 0, but got {bins} for dimension {dim}"
        )


def _limits(self, low, high):
    """The range of histc: numbers, or columns, from the data, where both ends are equal."""
    if low == high and len(self) > 1 and self.size:
        lows, highs = self.min(1, keepdims=True), self.max(1, keepdims=True)
    else:
        if low != high or not self.size:
            ends = low, high + (low == high)
        else:                                   # of one row, in a third of the time
            ends = self.item(self.argmin()), self.item(self.argmax())
        lows, highs = (np.asarray(x, self.dtype) for x in ends)
        if math.isfinite(lows) and math.isfinite(highs) and lows < highs:
            return lows, highs
    for k in np.flatnonzero(~(np.isfinite(lows) & np.isfinite(highs)))[:1]:
        most = np.finfo(self.dtype).max  # PyTorch's search for extremes begins with this number
        low, high = np.minimum(lows.flat[k], most), np.maximum(highs.flat[k], -most)
        raise RuntimeError(f"torch.histc: range of [{low:g}, {high:g}] is not finite")
    same = lows == highs
    return lows - same, highs + same


def _ends(self, range, dim):
    """The first and the last edge of histogram, from the data where no range is given."""
    if range is not None:
        low, high = range
    else:
        low, high = (self.min(), self.max()) if self.size else (0, 1)
    if not (np.isfinite(low) and np.isfinite(high)):
        raise RuntimeError(f"torch.histogramdd: dimension {dim}'s range [{low:g}, {high:g}] is not "
                           "finite")
    if low > high:
        raise RuntimeError(f"torch.histogramdd: min should not exceed max, but got min {low:g} max "
                           f"{high:g} for dimension {dim}")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


def _equal_bins(edges, values):
    """searchsorted(edges, values, "right") - 1 for evenly spaced edges: a quotient gives the bin,
    and comparing with the edges beside it corrects its rounding."""
    last = len(edges) - 1
    with np.errstate(divide="ignore", invalid="ignore"):         # all edges may be one
        place = ((values - edges[0]) * (last / (edges[-1] - edges[0]))).astype(np.intp)
    np.clip(place, 0, last - 1, out=place)
    place -= values < edges.take(place)
    place += values >= edges.take(place + 1)
    return place


def histogram(self, bins, range=None, weight=None, density=False, dim=0):
    """Counts (or weights) between bin edges, with the edges; bins is a count or the edges.

    `dim`: the dimension of histogramdd that errors name.
    """
    _floating_only(self, "histogramdd")
    if isinstance(bins, np.ndarray):
        edges = bins
    else:
        low, high = _ends(self, range, dim)
        edges = np.linspace(low, high, bins + 1).astype(self.dtype)
    flat = self.reshape(-1)
    inside = (flat >= edges[0]) & (flat <= edges[-1])
    weights = None if weight is None else weight.reshape(-1)
    if not inside.all():
        flat, weights = flat[inside], None if weights is None else weights[inside]
    place = (np.searchsorted(edges, flat, "right") - 1 if edges is bins else
             _equal_bins(edges, flat))
    count = np.bincount(np.minimum(place, len(edges) - 2), weights, len(edges) - 1)
    if density:
        count = count / count.sum() / np.diff(edges)
    return count.astype(self.dtype), edges.copy() if edges is bins else edges
