"""make_tensor: random tensors of any dtype."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import retrograd as rg


def _bounds(low, high, dtype, least, most, default_low, default_high) -> tuple[float, float]:
    """The interval to draw from: `low` and `high` checked against [least, most)."""
    low = default_low if low is None else low
    high = default_high if high is None else high
    if low != low or high != high:      # math.isnan refuses integers beyond floats
        raise ValueError(f"`low` and `high` cannot be NaN, but got {low=} and {high=}")
    if low == high and (dtype.is_floating_point or dtype.is_complex):
        warnings.warn(
            "Passing `low==high` to `torch.testing.make_tensor` for floating or complex types "
            "is deprecated since 2.1 and will be removed in 2.3. "
            "Use `torch.full(...)` instead.",
            FutureWarning,
            stacklevel=4,
        )
    elif low >= high:
        raise ValueError(f"`low` must be less than `high`, but got {low} >= {high}")
    elif high < least or low >= most:
        raise ValueError(
            f"The value interval specified by `low` and `high` is [{low}, {high}), "
            f"but {dtype} only supports [{least}, {most})"
        )
    return min(max(low, least), most), min(max(high, least), most)


def _integers(shape, dtype, low, high):
    if dtype == rg.bool:
        least, most, default_low, default_high = 0, 2, 0, 2
    else:
        info = rg.iinfo(dtype)
        # randint's upper bound is an int64, so the greatest int64 itself cannot be drawn.
        least, most = info.min, info.max + (dtype != rg.int64)
        default_low, default_high = -9, 10
    low, high = _bounds(low, high, dtype, least, most, default_low, default_high)
    return rg.randint(math.ceil(low), math.ceil(high), shape, dtype=dtype)


def _floats(shape, dtype, low, high):
    info = rg.finfo(dtype)
    low, high = _bounds(low, high, dtype, info.min, info.max, -9, 9)
    result = rg.empty(shape, dtype=dtype)
    target = rg.view_as_real(result) if dtype.is_complex else result
    if high - low >= info.max:  # the width itself would overflow
        target.uniform_(low / 2, high / 2).mul_(2)
    else:
        target.uniform_(low, high)
    return result


def make_tensor(
    *shape,
    dtype,
    device="cpu",
    low: float | None = None,
    high: float | None = None,
    requires_grad: bool = False,
    noncontiguous: bool = False,
    exclude_zero: bool = False,
    memory_format=None,
):
    """A tensor of `shape` with values drawn uniformly from [low, high).

    Defaults for the bounds: 0 and 2 for bool, -9 (0 if unsigned) and 10 for integers, -9 and 9
    for floating and complex dtypes. `noncontiguous` makes the last dimension skip every
    other element; `exclude_zero` replaces zeros by the smallest positive normal number (1 for
    integers). Raises ValueError for an empty interval or one that `dtype` cannot hold.

    >>> import retrograd as torch
    >>> torch.testing.make_tensor(2, 3, dtype=torch.int64, low=1, high=5).shape
    torch.Size([2, 3])
    """
    device = rg.empty(0, device=device).device.type
    if device not in ("cpu", "meta"):
        raise NotImplementedError(f"make_tensor: device={device!r}")
    if len(shape) == 1 and isinstance(shape[0], Sequence):
        shape = shape[0]
    shape = tuple(shape)
    if noncontiguous and memory_format is not None:
        raise ValueError(
            "The parameters `noncontiguous` and `memory_format` are mutually exclusive, "
            f"but got {noncontiguous=} and {memory_format=}"
        )
    inexact = dtype.is_floating_point or dtype.is_complex
    if requires_grad and not inexact:
        raise ValueError(
            "`requires_grad=True` is not supported for boolean and integral dtypes, "
            f"but got {dtype=}"
        )
    noncontiguous = noncontiguous and math.prod(shape) > 1
    drawn = (*shape[:-1], 2 * shape[-1]) if noncontiguous else shape
    result = (_floats if inexact else _integers)(drawn, dtype, low, high).to(device)
    if noncontiguous:
        result = result[..., 1::2]
    elif memory_format is not None:
        result = result.clone(memory_format=memory_format)
    if exclude_zero and device != "meta":
        result[result == 0] = rg.finfo(dtype).tiny if inexact else 1
    if requires_grad:
        result._set_requires_grad(True)
    return result
