"""Resizing and padding of the spatial axes of (N, C, *space): one sparse map for each axis."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np

from .. import kernels
from .axismap import AxisMap
from .half import check_floating, refuse, widened
from .layout import channels_last, empty_last, like, moved
from .shape import assign

FEW = 1 << 13        # up to so many elements, reading through a table is quicker than slices


def upsample(x, size, mode, align_corners, scales):
    """x resized to `size`; scales (None, or a number or None for each axis) replace size ratios.

    mode is nearest, nearest-exact, linear, cubic, linear-aa or cubic-aa.
    """
    if mode == "nearest" and len(size) != 2:
        mode = "nearest-by-scale"
    if x.dtype != np.uint8 or len(size) != 2 and not mode.startswith("nearest"):
        check_floating(_label(mode, len(size)), x.dtype)
    elif not mode.startswith("nearest"):
        return _bytes_resized(
            x, _resize_maps(x.shape[2:], size, mode, align_corners, scales, np.dtype("f8"))
        )
    maps = _resize_maps(x.shape[2:], size, mode, align_corners, scales, x.dtype)
    return kernels.apply_maps(widened(x), maps).astype(x.dtype, copy=False)


def _bytes_resized(x, maps):
    """Images of bytes: 16-bit weights, and rounding after each axis, the last one first."""
    res = x
    for axis in reversed(range(len(maps))):
        if maps[axis] is not None:
            alone = [_of_16_bits(m) if k == axis else None for k, m in enumerate(maps)]
            smooth = kernels.apply_maps(res.astype(np.float64), alone)
            res = np.clip(np.floor(smooth + 0.5), 0, 255).astype(np.uint8)
    return like(res, x)


def _of_16_bits(m):
    """The map with its weights rounded to multiples of a power of two, below 2^15 of them."""
    rows, cols, weights, _ = m.direction(False)._entries
    steps = 2.0 ** np.floor(np.log2((2**15 - 0.5) / weights.max()))
    rounded = np.copysign(np.floor(np.abs(weights) * steps + 0.5), weights) / steps
    return AxisMap(*m.shape, rows, cols, rounded)


def _label(mode, dims):
    """PyTorch's name of the kernel, as its errors give it."""
    kind = mode.partition("-")[0]
    if dims != 2 or kind == "cubic":
        return f"compute_indices_weights_{kind}"
    return f"upsample_{'bilinear' if kind == 'linear' else kind}2d_channels_last"


def upsample_backward(g, input_shape, mode, align_corners, scales):
    """The transpose of `upsample`, to an array of shape `input_shape`."""
    maps = _resize_maps(input_shape[2:], g.shape[2:], mode, align_corners, scales, g.dtype)
    return kernels.apply_maps(widened(g), maps, True).astype(g.dtype, copy=False)


def _nearest(mode):
    return lambda x, size, scales: upsample(x, size, mode, False, scales)


def _smooth(mode):
    return lambda x, size, align_corners, scales: upsample(x, size, mode, align_corners, scales)


resize_nearest1d = resize_nearest2d = resize_nearest3d = _nearest("nearest")
resize_nearest_exact1d = resize_nearest_exact2d = _nearest("nearest-exact")
resize_nearest_exact3d = resize_nearest_exact2d
resize_linear1d = resize_bilinear2d = resize_trilinear3d = _smooth("linear")
resize_bicubic2d = _smooth("cubic")
resize_bilinear2d_aa = _smooth("linear-aa")
resize_bicubic2d_aa = _smooth("cubic-aa")
resize_lanczos2d_aa = _smooth("lanczos-aa")


def pad_by(x, pads, mode):
    """x with pads ((before, after) for each of the last axes): reflect, replicate or circular."""
    if x.dtype.kind == "b" and mode != "circular":
        kind = "reflection" if mode == "reflect" else "replication"
        refuse(f"{kind}_pad{len(pads)}d", x.dtype)
    if mode == "circular":
        x = np.ascontiguousarray(x)                  # PyTorch's result lies row by row
    lead, sizes = x.shape[: x.ndim - len(pads)], x.shape[x.ndim - len(pads) :]
    if not x.size:
        return kernels.apply_maps(x, _pad_maps(x.shape, pads, mode))
    padded, table = _pad_table(sizes, pads, mode)
    if table is not None and x.flags.c_contiguous and math.prod(lead) * table.size <= FEW:
        return x.reshape(*lead, -1).take(table, -1).reshape(*lead, *padded)
    if not reaches(sizes, pads, mode):
        return kernels.apply_maps(x, _pad_maps(x.shape, pads, mode))
    y = _empty_beside(x, (*lead, *padded))
    middle = [slice(a, a + n) for n, (a, _) in zip(sizes, pads, strict=True)]
    y[(..., *middle)] = x
    for k in reversed(range(len(pads))):             # the corners come with the axes before
        rest = (slice(None),) * (len(pads) - k)
        _fill_edges(moved(y[(..., *middle[:k], *rest)], k - len(pads), 0), *pads[k], mode)
    return y


def _empty_beside(x, shape):
    """Uninitialised memory, with its channels innermost if those of x are."""
    return (empty_last if channels_last(x) else np.empty)(shape, x.dtype)


def reaches(sizes, pads, mode):
    """Whether no pad is negative, and all that they show lies inside the image."""
    reach = [n - (mode == "reflect") for n in sizes]
    near = mode == "replicate" or all(max(p) <= n for p, n in zip(pads, reach, strict=True))
    return near and min(map(min, pads)) >= 0


def _fill_edges(y, before, after, mode):
    """Write the first and the last rows of y from the others."""
    end = len(y) - after
    if mode == "replicate":
        y[:before], y[end:] = y[before], y[end - 1]
    elif mode == "circular":
        y[:before], y[end:] = y[end - before : end], y[before : before + after]
    else:
        y[:before] = y[before + 1 : 2 * before + 1][::-1]
        y[end:] = y[end - 1 - after : end - 1][::-1]


def pad_by_backward(g, x, pads, mode):
    """The transpose of `pad_by`, in the shape of x."""
    wide = widened(g)
    if 0 < g.size <= FEW and x.flags.c_contiguous:
        sizes = x.shape[x.ndim - len(pads) :]
        table, planes = _pad_table(sizes, pads, mode)[1], x.size // math.prod(sizes)
        if planes > 1:
            table = np.arange(0, x.size, x.size // planes)[:, None] + table
        gx = np.zeros(x.size, wide.dtype)
        np.add.at(gx, table.reshape(-1), wide.reshape(-1))
        return gx.reshape(x.shape).astype(g.dtype, copy=False)
    return kernels.apply_maps(wide, _pad_maps(x.shape, pads, mode), True).astype(g.dtype,
                                                                                 copy=False)


def _padding(mode):
    return lambda x, pads: pad_by(x, pads, mode)


reflect_1d = reflect_2d = reflect_3d = _padding("reflect")
replicate_1d = replicate_2d = replicate_3d = _padding("replicate")


def pad_constant(x, pad, value):
    """x with `pad` (last axis first, before and after) elements of `value`; negative ones crop."""
    shape, kept, place = _frame(x.shape, pad)
    y = _empty_beside(x, shape)
    y.fill(value)
    assign(y[place], x[kept])
    return y


@lru_cache(maxsize=256)
def _frame(space, pad):
    """(the padded shape, what is kept of an array of the shape `space`, where that goes)."""
    shape, axis = list(space), len(space)
    kept, place = [slice(None)] * axis, [slice(None)] * axis
    for i in range(0, len(pad), 2):
        before, after, axis = pad[i], pad[i + 1], axis - 1
        n = space[axis]
        shape[axis] = m = n + before + after
        kept[axis] = slice(max(-before, 0), n - max(-after, 0))
        place[axis] = slice(max(before, 0), m - max(after, 0))
    return tuple(shape), tuple(kept), tuple(place)


def _pad_maps(shape, pads, mode):
    sizes = shape[len(shape) - len(pads) :]
    both = zip(sizes, pads, strict=True)
    return [None if not any(pair) else _pad_map(n, *pair, mode) for n, pair in both]


@lru_cache(maxsize=256)
def _pad_map(n, before, after, mode):
    at = padded_places(n, before, after, mode)
    return AxisMap(len(at), n, np.arange(len(at)), at)


@lru_cache(maxsize=64)
def _pad_table(sizes, pads, mode):
    """The padded plane's sizes; if it has few elements, which of the plane's places each of them
    shows, both flat."""
    padded = tuple([a + n + b for n, (a, b) in zip(sizes, pads, strict=True)])
    if math.prod(padded) > FEW:
        return padded, None
    table = np.zeros(1, np.int64)
    for n, pair in zip(sizes, pads, strict=True):
        table = (table[:, None] * n + padded_places(n, *pair, mode)).reshape(-1)
    return padded, table


def padded_places(n, before, after, mode):
    """Which of n places each one of the padded axis shows."""
    at = np.arange(n + before + after) - before
    if mode == "replicate":
        at = at.clip(0, n - 1)
    elif mode == "reflect":
        at = np.abs(at)
        at = np.where(at >= n, 2 * (n - 1) - at, at)
    else:
        at %= n
    return at


def _resize_maps(space, size, mode, align_corners, scales, dtype):
    scales = scales or (None,) * len(space)
    exact = np.dtype(np.float64 if dtype.char in "dD" else np.float32)
    return [
        _resize_map(n, m, mode, align_corners, s, exact)
        for n, m, s in zip(space, size, scales, strict=True)
    ]


@lru_cache(maxsize=256)
def _resize_map(n, out, mode, align_corners, scale, dtype):
    """The AxisMap from n to size pixels; positions are computed in `dtype`.

    The dtype matters because PyTorch's rounding decides some of the positions. If the sizes are
    equal, and for nearest also if they double, PyTorch disregards a given scale, except in the
    forward of nearest in one and three dimensions.
    """
    if n == out and mode in ("nearest", "linear"):
        return None
    if mode == "nearest" and out == 2 * n:
        scale = 2.0
    if mode.startswith("nearest"):
        return _nearest_map(n, out, scale, 0.5 if mode == "nearest-exact" else 0.0)
    ratio = _ratio(n, out, align_corners, scale, dtype)
    if mode.endswith("-aa"):
        return _antialias_map(n, out, float(ratio), mode, dtype)
    i = np.arange(out, dtype=dtype)
    half = dtype.type(0.5)
    at = i * ratio if align_corners else ratio * (i + half) - half
    if mode == "linear":
        at = np.maximum(at, 0)
        low = np.minimum(at.astype(np.int64), n - 1)
        part = np.minimum(np.maximum(at - low.astype(dtype), 0), 1)
        cols = np.stack([low, np.minimum(low + 1, n - 1)])
        weights = np.stack([1 - part, part])
    else:
        low = np.floor(at).astype(np.int64)
        cols = np.clip(low + np.arange(-1, 3)[:, None], 0, n - 1)
        weights = _cubic_weights(at - low.astype(dtype), -0.75)
    return _merged(n, out, np.tile(np.arange(out), len(cols)), cols.ravel(), weights.ravel())


def _nearest_map(n, out, scale, shift):
    ratio = np.float32(1 / scale if scale else n / out)
    at = np.floor((np.arange(out, dtype=np.float32) + np.float32(shift)) * ratio).astype(np.int64)
    return AxisMap(out, n, np.arange(out), np.minimum(at, n - 1))


def _ratio(n, out, align_corners, scale, dtype):
    if align_corners:
        return dtype.type(n - 1) / dtype.type(out - 1) if out > 1 else dtype.type(0)
    return dtype.type(1 / scale) if scale else dtype.type(n) / dtype.type(out)


def _antialias_map(n, out, ratio, mode, dtype):
    """Weights of a filter stretched over the pixels that shrink to one."""
    reach, weigh = FILTERS[mode]
    stretch = max(ratio, 1.0)
    rows, cols, weights = [], [], []
    for i in range(out):
        center = ratio * (i + 0.5)
        low = max(int(center - stretch * reach + 0.5), 0)
        high = min(int(center + stretch * reach + 0.5), n)
        j = np.arange(low, high)
        distance = np.abs(j - center + 0.5) / stretch
        w = weigh(distance)
        rows += [i] * len(j)
        cols += list(j)
        weights += list(w / w.sum())
    return AxisMap(out, n, np.array(rows), np.array(cols), np.array(weights, dtype))


FILTERS = {                                # how far they reach, and their weights
    "linear-aa": (1, lambda x: np.maximum(1 - x, 0)),
    "cubic-aa": (2, lambda x: _cubic(x, -0.5)),
    "lanczos-aa": (3, lambda x: np.where(x < 3, np.sinc(x) * np.sinc(x / 3), 0)),
}


def _merged(n, out, rows, cols, weights):
    """An AxisMap of entries in which the same pixel may occur more than once."""
    keys, inverse = np.unique(rows * n + cols, return_inverse=True)
    total = np.bincount(inverse, weights, len(keys))
    return AxisMap(out, n, keys // n, keys % n, total)


def _cubic_weights(t, a):
    """Keys' convolution weights (1981) of the four pixels around a position."""
    return np.stack([_cubic(t + 1, a), _cubic(t, a), _cubic(1 - t, a), _cubic(2 - t, a)])


def _cubic(x, a):
    near = ((a + 2) * x - (a + 3)) * x * x + 1
    far = ((a * x - 5 * a) * x + 8 * a) * x - 4 * a
    return np.where(x <= 1, near, np.where(x < 2, far, 0))
