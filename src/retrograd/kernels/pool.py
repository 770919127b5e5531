"""Pooling: maximum, average, adaptive, fractional, and unpooling; windows as columns and back.

Arrays are (N, C, *space); sizes hold one number for each spatial dimension. Indices of maxima count
positions in an image's flattened space.
"""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .. import kernels
from .axismap import AxisMap
from .checks import INT64, as_int64, as_intp
from .gather_scatter import places_along
from .half import check_floating, narrowed, refuse, widened
from .layout import like
from .sums import column_sums
from .windows import columns_of, few, gathered, seen


def pooled_size(n, kernel, stride, padding, dilation, ceil_mode):
    """Number of windows along an axis; with ceil_mode also a last, partial one."""
    reach = n + 2 * padding - dilation * (kernel - 1) - 1
    size = (reach + (stride - 1 if ceil_mode else 0)) // stride + 1
    if ceil_mode and (size - 1) * stride >= n + padding:
        size -= 1
    return size


@lru_cache(maxsize=256)
def pooled_shape(space, kernel, stride, padding, dilation, ceil_mode):
    """Number of windows along each axis."""
    sizes = zip(space, kernel, stride, padding, dilation, strict=True)
    return tuple(pooled_size(*size, ceil_mode) for size in sizes)


def max_pool_2d(x, kernel, stride, padding, dilation, ceil_mode):
    """Largest element of each window and its index; the first of equals, and the last nan."""
    if x.dtype.kind in "bc":
        refuse(f"max_pool{x.ndim - 2}d", x.dtype)
    space = x.shape[2:]
    out = pooled_shape(space, kernel, stride, padding, dilation, ceil_mode)
    if 0 < x.size <= FEW and x.dtype.kind in "fiu":
        table = window_table(space, kernel, stride, padding, dilation, out)
        if table is not None:
            return _by_table(x, table, out)
    padded = _pad_lowest(x, kernel, stride, padding, dilation, out)
    has_nan = x.dtype.kind in "fV" and x.size > 0 and bool(np.isnan(x.max()))
    best = which = None
    offsets = []
    for number, k in enumerate(np.ndindex(*kernel)):
        start = [i * d for i, d in zip(k, dilation, strict=True)]
        window = np.ascontiguousarray(padded[_windows(start, stride, out)])
        offsets.append(sum(a * t for a, t in zip(start, _steps(space), strict=True)))
        if best is None:
            best = window.copy()
            which = np.zeros(best.shape, np.uint8 if math.prod(kernel) < 256 else np.int64)
            continue
        better = window > best
        if has_nan:
            better |= np.isnan(window)
        np.maximum(best, window, out=best)
        # places are numbered in order, so the larger number is the later place: np.maximum is
        # quicker than writing through a mask
        np.maximum(which, better.view(np.uint8) * which.dtype.type(number), out=which)
    indices = np.take(np.asarray(offsets), which) + _corners(space, stride, padding, out)
    if any(padding):
        lost = best == _lowest(x.dtype)  # then the padding may have seemed as large
        if lost.any():
            np.copyto(indices, _first_inside(space, stride, padding, dilation, out), where=lost)
    return like(best, x), like(indices, x)


def max_pool_backward(g, indices, x, apart):
    """Each window's gradient added where its maximum was, in the shape of x.

    Where windows lie apart no index occurs twice, and nothing needs adding.
    """
    check_gradient(g, f"adaptive_max_pool{x.ndim - 2}d_backward")
    space = math.prod(x.shape[2:])
    if apart:
        flat = indices + (np.arange(math.prod(x.shape[:2])) * space).reshape(
            *x.shape[:2], *(1,) * (x.ndim - 2)
        )
        total = np.zeros(x.size, g.dtype)
        total[flat.ravel()] = g.ravel()
        return total.reshape(x.shape)
    return scatter_add(g, indices, math.prod(x.shape[:2]), space).reshape(x.shape)


def check_gradient(g, name):
    """RuntimeError for the gradient of an empty result, which only adaptive pooling can have."""
    if g.size:
        return
    for axis, size in enumerate(g.shape[1:], 1):
        if size == 0:
            raise RuntimeError(
                f"{name}(): Expected grad_output to have non-zero size for non-batch dimensions, "
                f"but grad_output has sizes {list(g.shape)} with dimension {axis} being empty"
            )


def scatter_add(values, indices, planes, size):
    """sum of values by index within each of `planes` planes: -> (planes, size)."""
    if values.size == 0:
        return np.zeros((planes, size), values.dtype)
    flat = indices.reshape(planes, -1) + (np.arange(planes) * size)[:, None]
    if values.dtype.kind == "c":
        real = scatter_add(np.ascontiguousarray(values.real), indices, planes, size)
        return real + 1j * scatter_add(np.ascontiguousarray(values.imag), indices, planes, size)
    total = np.bincount(as_intp(flat.ravel()), values.ravel(), planes * size)  # sums in float64
    return total.astype(values.dtype, copy=False).reshape(planes, size)


def max_pool_gather(x, indices):
    """x at flat spatial indices: the transpose of `max_pool_backward`, and of `max_unpool_2d`."""
    shape = math.prod(x.shape[:2]), math.prod(x.shape[2:])
    at = indices.reshape(shape[0], math.prod(indices.shape[2:]))
    return x.reshape(-1).take(places_along(shape, 1, at)).reshape(indices.shape)


def max_unpool_2d(x, indices, space):
    """x placed at flat spatial indices of zeros shaped (N, C, *space)."""
    check_floating(f"max_unpool{len(space)}d", x.dtype)
    n, c = x.shape[:2]
    y = np.zeros((n, c, math.prod(space)), x.dtype)
    planes = (n, c, math.prod(x.shape[2:]))
    np.put_along_axis(y, indices.reshape(planes), x.reshape(planes), 2)
    return like(y.reshape(n, c, *space), x)


def avg_pool_2d(x, kernel, stride, padding, ceil_mode, count_include_pad, divisor):
    """Mean (or sum over `divisor`) of each window."""
    if x.dtype.char not in ("fdeE" if x.ndim == 4 else "fd") and x.dtype != INT64:
        refuse("avg_pool2d" if x.ndim == 4 else "avg_pool3d_out_frame", x.dtype)
    wide = widened(x)
    maps, divisor = _averages(x.shape[2:], kernel, stride, padding, ceil_mode, count_include_pad,
                              divisor, wide.dtype)
    sums = kernels.apply_maps(wide, maps)
    sums = np.divide(sums, divisor, out=sums) if sums.dtype.kind in "fc" else sums / divisor
    return sums.astype(x.dtype, copy=False)


def avg_pool_backward(g, x, kernel, stride, padding, ceil_mode, count_include_pad, divisor):
    """The transpose of `avg_pool_2d`, in the shape of x."""
    maps, divisor = _averages(x.shape[2:], kernel, stride, padding, ceil_mode, count_include_pad,
                              divisor, g.dtype)
    return kernels.apply_maps(g / divisor, maps, True)


def adaptive_avg_pool_2d(x, out):
    """Mean of each of `out` nearly equal, possibly overlapping parts along each axis."""
    check_floating("adaptive_avg_pool2d" if x.ndim == 4 else "adaptive_avg_pool3d_cpu", x.dtype)
    maps = [adaptive_map(n, m) for n, m in zip(x.shape[2:], out, strict=True)]
    return narrowed(kernels.apply_maps(widened(x), maps), x.dtype)


def adaptive_avg_pool_backward(g, x):
    """The transpose of `adaptive_avg_pool_2d`, in the shape of x."""
    check_gradient(g, f"adaptive_avg_pool{x.ndim - 2}d_backward")
    maps = [adaptive_map(n, m) for n, m in zip(x.shape[2:], g.shape[2:], strict=True)]
    return kernels.apply_maps(g, maps, True)


def adaptive_max_pool_2d(x, out):
    """Largest element of each adaptive part and its index."""
    if x.dtype.kind not in "fV":
        refuse(f"adaptive_max_pool{x.ndim - 2}d", x.dtype)
    table = adaptive_table(x.shape[2:], out) if x.dtype.kind == "f" else None
    if table is not None and x.size and (len(table) > 1 or x.size < LONG):
        return _by_table(x, table, out)
    parts = [adaptive_parts(n, m) for n, m in zip(x.shape[2:], out, strict=True)]
    lengths = [stop - start for start, stop in parts]
    kernel = [int(n.max(initial=1)) for n in lengths]
    if x.size and math.prod(kernel) >= math.prod(out) > 0:
        return by_part(x, parts, out)
    best, indices = _max_at(x, [start for start, _ in parts], lengths, kernel)
    return like(best, x), like(indices, x)


def fractional_max_pool_2d(x, samples, kernel, out):
    """Maxima of windows at pseudo-random starts (Graham 2014); samples: (N, C, dims) in [0, 1)."""
    n, c = x.shape[:2]
    best = np.empty((n, c, *out), x.dtype)
    indices = np.empty((n, c, *out), np.int64)
    order = (1, 0) if len(out) == 2 else (0, 1, 2)  # which sample each axis takes
    full = [np.full(m, k) for m, k in zip(out, kernel, strict=True)]
    for i, j in np.ndindex(n, c):
        starts = [
            _fractional_starts(samples[i, j, order[d]], x.shape[2 + d], out[d], kernel[d])
            for d in range(len(out))
        ]
        image = x[i : i + 1, j : j + 1]
        best[i, j], indices[i, j] = (r[0, 0] for r in _max_at(image, starts, full, kernel))
    return best, indices


def im2col_batched(x, kernel, dilation, padding, stride):
    """Windows as columns: (N, C, *space) -> (N, C * prod(kernel), windows)."""
    if x.dtype.kind in "iu":
        refuse("im2col_out_cpu", x.dtype)
    out = _unfolded(x.shape[2:], kernel, dilation, padding, stride)
    columns = x.shape[0], x.shape[1] * math.prod(kernel), math.prod(out)
    if few(x, kernel, out):
        return gathered(x, *seen(kernel, x.shape[2:], out, stride, padding,
                                 dilation)).reshape(columns)
    padded = _pad(x, padding, 0)
    s = padded.strides
    taps = [t * d for t, d in zip(s[2:], dilation, strict=True)]
    steps = [t * d for t, d in zip(s[2:], stride, strict=True)]
    shape = (*x.shape[:2], *kernel, *out)
    windows = as_strided(padded, shape, (*s[:2], *taps, *steps), writeable=False)
    return np.array(windows).reshape(columns)


def col2im_batched(cols, space, kernel, dilation, padding, stride):
    """The transpose of `im2col_batched`: columns added into (N, C, *space)."""
    out = _unfolded(space, kernel, dilation, padding, stride)
    n, c = cols.shape[0], cols.shape[1] // math.prod(kernel)
    cols = cols.reshape(n, c, *kernel, *out)
    if few(cols, kernel, space):
        found = gathered(cols, *columns_of(kernel, space, out, stride, padding, dilation))
        return column_sums(found).reshape(n, c, *space)
    padded = np.zeros((n, c, *(m + 2 * p for m, p in zip(space, padding, strict=True))), cols.dtype)
    for k in np.ndindex(*kernel):
        start = [i * d for i, d in zip(k, dilation, strict=True)]
        padded[_windows(start, stride, out)] += cols[(slice(None), slice(None), *k)]
    inner = (slice(p, p + m) for m, p in zip(space, padding, strict=True))
    return np.ascontiguousarray(padded[(slice(None), slice(None), *inner)])


# Each of these serves any number of dimensions; the operators of three have names of their own.
max_pool_3d, avg_pool_3d = max_pool_2d, avg_pool_2d
adaptive_max_pool_3d, adaptive_avg_pool_3d = adaptive_max_pool_2d, adaptive_avg_pool_2d
fractional_max_pool_3d, max_unpool_3d = fractional_max_pool_2d, max_unpool_2d


@lru_cache(maxsize=256)
def adaptive_map(n, out):
    """Averages over adaptive parts of an axis of length n."""
    start, stop = adaptive_parts(n, out)
    rows = np.repeat(np.arange(out), stop - start)
    first = np.repeat(np.cumsum(stop - start) - (stop - start), stop - start)
    taps = np.arange(rows.size) - first
    cols = taps + start[rows]
    return AxisMap(out, n, rows, cols, 1.0 / (stop - start)[rows])


def adaptive_parts(n, out):
    """Start and stop of `out` parts of an axis: floor(i n / out) and ceil((i + 1) n / out)."""
    i = np.arange(out)
    return i * n // max(out, 1), -(-(i + 1) * n // max(out, 1))


@lru_cache(maxsize=256)
def window_map(n, kernel, stride, padding, out):
    """Sums over the windows of an axis of length n."""
    taps, rows = (a.ravel() for a in np.indices((kernel, out)))
    cols = rows * stride - padding + taps
    inside = (cols >= 0) & (cols < n)
    return AxisMap(out, n, rows[inside], cols[inside], None, taps[inside])


@lru_cache(maxsize=256)
def _averages(space, kernel, stride, padding, ceil_mode, count_include_pad, divisor, dtype):
    """Sums over windows as a map for each axis, and what to divide them by."""
    maps, counts = [], []
    for n, k, s, p in zip(space, kernel, stride, padding, strict=True):
        out = pooled_size(n, k, s, p, 1, ceil_mode)
        maps.append(window_map(n, k, s, p, out))
        start = np.arange(out) * s - p
        stop = np.minimum(start + k, n + p)
        if not count_include_pad:
            start, stop = np.maximum(start, 0), np.minimum(stop, n)
        counts.append(stop - start)
    return tuple(maps), _divisor(counts, divisor, dtype)


def _divisor(counts, divisor, dtype):
    if divisor is not None:
        return np.array(divisor, dtype)
    total = math.prod(np.ix_(*counts))
    if total.size and total.min() == total.max():
        return np.array(total.flat[0], dtype)      # beside a scalar NumPy takes twice the time
    return total.astype(dtype)


FEW = 1 << 12        # the most elements whose maxima are found by a table
LONG = 1 << 14       # from so many elements on, whole planes are not taken by a table
TABLE = 1 << 19      # the most entries of a table


@lru_cache(maxsize=32)
def window_table(space, kernel, stride, padding, dilation, out):
    """Flat positions that each window sees, in order: (windows, taps). None where it sees none.

    A place beyond an edge is replaced by the first or last one that the window sees along that
    axis, which changes no maximum.
    """
    each = []
    for n, k, s, p, d, m in zip(space, kernel, stride, padding, dilation, out, strict=True):
        start = np.arange(m) * s - p
        first = start - np.minimum(start, 0) // d * d
        if m < 1 or first.max() >= n:
            return None
        last = first + (n - 1 - first) // d * d
        each.append(np.clip(start[:, None] + np.arange(k) * d, first[:, None], last[:, None]))
    return _table(each, space)


@lru_cache(maxsize=32)
def adaptive_table(space, out):
    """As `window_table`, of adaptive parts."""
    each = []
    for n, m in zip(space, out, strict=True):
        start, stop = adaptive_parts(n, m)
        if 0 in (n, m):
            return None
        each.append(np.minimum(start[:, None] + np.arange((stop - start).max()), stop[:, None] - 1))
    return _table(each, space)


def _table(each, space):
    """Flat positions of windows whose positions along each axis are (windows, taps)."""
    if math.prod(a.size for a in each) > TABLE:
        return None
    total = 0
    for i, (at, t) in enumerate(zip(each, _steps(space), strict=True)):
        shape = [1] * (2 * len(space))
        shape[i], shape[len(space) + i] = at.shape
        total = total + (at * t).reshape(shape)
    return as_intp(total.reshape(math.prod(len(a) for a in each), -1))


def _by_table(x, table, out):
    """Maxima and their indices in windows that see what `table` (windows, taps) says."""
    planes, taps = math.prod(x.shape[:2]), table.shape[1]
    windows = x.reshape(planes, -1).take(table, 1)              # (planes, windows, taps)
    at = windows.argmax(2)
    best = windows.reshape(-1).take(at + _rows(at.size, taps).reshape(at.shape))
    if x.dtype.kind == "f" and math.isnan(best.item(best.argmax())):  # argmax finds the first nan
        last = taps - 1 - np.isnan(windows)[..., ::-1].argmax(2)
        at = np.where(np.isnan(best), last, at)     # argmax finds the first nan, wanted is the last
    at += _rows(len(table), taps)
    indices = as_int64(table.take(at))
    shape = (*x.shape[:2], *out)
    return like(best.reshape(shape), x), like(indices.reshape(shape), x)


def by_part(x, parts, out):
    """Maxima and their indices of few large parts, each in a call of its own."""
    planes = x.shape[:2]
    best, indices = np.empty((*planes, *out), x.dtype), np.empty((*planes, *out), np.int64)
    for k in np.ndindex(*out):
        first = [start[i] for (start, _), i in zip(parts, k, strict=True)]
        box = tuple([slice(start[i], stop[i]) for (start, stop), i in zip(parts, k, strict=True)])
        part = widened(x[(..., *box)])
        flat = part.reshape(*planes, -1)
        at = flat.argmax(2)[..., None]
        found = np.take_along_axis(flat, at, 2)
        if np.isnan(found).any():                       # argmax finds the first nan, see _by_table
            last = flat.shape[2] - 1 - np.isnan(flat)[..., ::-1].argmax(2)
            at = np.where(np.isnan(found), last[..., None], at)
        places = np.unravel_index(at[..., 0], part.shape[2:])
        best[(..., *k)] = found[..., 0]
        indices[(..., *k)] = sum((a + p) * t for a, p, t in
                                 zip(first, places, _steps(x.shape[2:]), strict=True))
    return like(best, x), like(indices, x)


@lru_cache(maxsize=32)
def _rows(count, length):
    """Where each of so many rows of a matrix begins."""
    return np.arange(count) * length


def _max_at(x, starts, lengths, kernel):
    """Maxima over any windows: number i of an axis covers lengths[i] from starts[i] on."""
    space = x.shape[2:]
    best = indices = None
    for k in np.ndindex(*kernel):
        at = [s + np.minimum(i, n - 1) for s, n, i in zip(starts, lengths, k, strict=True)]
        grid = np.ix_(*at)
        values = x[(slice(None), slice(None), *grid)]
        flat = sum(a * t for a, t in zip(grid, _steps(space), strict=True))
        if best is None:
            best = values.copy()
            indices = np.broadcast_to(flat, best.shape).copy()
            continue
        better = values > best
        if values.dtype.kind == "f":
            better |= np.isnan(values)
        np.copyto(best, values, where=better)
        np.copyto(indices, flat, where=better)
    return best, indices


def _fractional_starts(sample, n, out, kernel):
    """Starts of fractional windows along an axis: the last one ends at the end."""
    if out == 1:
        return np.array([n - kernel])
    alpha = (n - kernel) / (out - 1)
    i = np.arange(out - 1)
    starts = np.floor((i + sample) * alpha) - np.floor(sample * alpha)
    return np.append(starts.astype(np.int64), n - kernel)


def _unfolded(space, kernel, dilation, padding, stride):
    sizes = zip(space, kernel, stride, padding, dilation, strict=True)
    return tuple(pooled_size(*size, ceil_mode=False) for size in sizes)


def _pad(x, padding, value):
    if not any(padding):
        return x
    space = [n + 2 * p for n, p in zip(x.shape[2:], padding, strict=True)]
    out = np.full((*x.shape[:2], *space), value, x.dtype)
    inner = (slice(p, p + n) for n, p in zip(x.shape[2:], padding, strict=True))
    out[(slice(None), slice(None), *inner)] = x
    return out


def _pad_lowest(x, kernel, stride, padding, dilation, out):
    """x with the lowest value around it, as far as the windows reach."""
    sizes = zip(out, kernel, stride, dilation, strict=True)
    reach = [(m - 1) * s + (k - 1) * d + 1 for m, k, s, d in sizes]
    both = zip(reach, x.shape[2:], padding, strict=True)
    if all(p == 0 and r <= n for r, n, p in both):
        return x
    lowest = _lowest(x.dtype)
    space = [max(r, n + p) for r, n, p in zip(reach, x.shape[2:], padding, strict=True)]
    padded = np.full((*x.shape[:2], *space), lowest, x.dtype)
    inner = (slice(p, p + n) for n, p in zip(x.shape[2:], padding, strict=True))
    padded[(slice(None), slice(None), *inner)] = x
    return padded


def _lowest(dtype):
    return np.iinfo(dtype).min if dtype.kind in "iu" else -np.inf


def _first_inside(space, stride, padding, dilation, out):
    """Flat index of the first element of every window that is not padding."""
    total = 0
    sizes = zip(out, stride, padding, dilation, _steps(space), strict=True)
    for i, (m, s, p, d, t) in enumerate(sizes):
        start = np.arange(m) * s - p
        start += -(np.minimum(start, 0) // d) * d
        total = total + (start * t).reshape(-1, *(1,) * (len(out) - 1 - i))
    return total


def _windows(start, stride, out):
    """Index of one element of every window."""
    parts = zip(start, stride, out, strict=True)
    return (slice(None), slice(None), *(slice(a, a + (m - 1) * s + 1, s) for a, s, m in parts))


def _corners(space, stride, padding, out):
    """Flat index of the first element of every window, padding counted as negative positions."""
    total = 0
    for i, (m, s, p, t) in enumerate(zip(out, stride, padding, _steps(space), strict=True)):
        at = (np.arange(m) * s - p) * t
        total = total + at.reshape(-1, *(1,) * (len(out) - 1 - i))
    return total


def _steps(space):
    return [math.prod(space[i + 1 :]) for i in range(len(space))]
