"""Windows of small images, gathered in one call through a table of the places they see.

Arrays are (N, C, *space). A table (taps, windows) holds flat places in a plane; the place after the
last stands for zeros beyond the edge. Tables are kept for the next call. For few elements this
takes a fraction of the time that the calls of any other method cost; for many it is slow.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

FEW = 1 << 16        # the most elements of the gathered windows


def few(x, kernel, windows):
    """Whether x, float32 or float64, has few elements in so many windows, and any."""
    return (x.dtype.char in "fd"
            and 0 < x.shape[0] * x.shape[1] * math.prod(kernel) * math.prod(windows) <= FEW)


def gathered(x, table, edge, lead=2):
    """x at a table's places: (N, C, *space) -> (N, C, taps, windows), with `lead` axes in front."""
    shape = x.shape[:lead]
    planes = x.reshape(*shape, -1)
    if edge:
        planes = np.zeros((*shape, planes.shape[lead] + 1), x.dtype)
        planes[..., :-1] = x.reshape(*shape, -1)
    return planes.take(table, lead)


@lru_cache(maxsize=256)
def seen(kernel, space, windows, stride, padding, dilation):
    """The table of what each window of `space` sees; whether that is in part beyond the edge."""
    axes = []
    for k, n, m, s, p, d in zip(kernel, space, windows, stride, padding, dilation, strict=True):
        at = np.arange(k)[:, None] * d + np.arange(m) * s - p
        axes.append(np.where((at >= 0) & (at < n), at, -1))
    return joined(axes, space)


@lru_cache(maxsize=256)
def seeing(kernel, space, windows, stride, padding, dilation):
    """The transpose: the windows that see each place, through each element of the kernel."""
    axes = []
    for k, n, m, s, p, d in zip(kernel, space, windows, stride, padding, dilation, strict=True):
        at, rest = np.divmod(np.arange(n) + p - np.arange(k)[:, None] * d, s)
        axes.append(np.where((rest == 0) & (at >= 0) & (at < m), at, -1))
    return joined(axes, windows)


@lru_cache(maxsize=256)
def columns_of(kernel, space, windows, *where):
    """As seeing(), with places among (taps, windows)."""
    table, edge = seeing(kernel, space, windows, *where)
    taps, count = len(table), math.prod(windows)
    return np.where(table < count, table + np.arange(taps)[:, None] * count, taps * count), edge


def joined(axes, plane):
    """A table from one for each axis, in which -1 is beyond the edge."""
    flat, beyond, dims = 0, False, len(axes)
    for i, (at, size) in enumerate(zip(axes, plane, strict=True)):
        shape = [1] * (2 * dims)
        shape[i], shape[dims + i] = at.shape
        flat, beyond = flat * size + at.reshape(shape), beyond | (at.reshape(shape) < 0)
    table = np.where(beyond, math.prod(plane), flat)
    return table.reshape(math.prod(table.shape[:dims]), -1), bool(np.any(beyond))
