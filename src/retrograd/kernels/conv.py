"""Convolutions of any number of spatial dimensions, as matrix products over unfolded windows.

Arrays are (N, C, *space), weights (O, C / groups, *kernel); `stride`, `padding` and `dilation` hold
one number for each spatial dimension. Three functions carry everything: `correlate`, its transpose
`spread` and `correlate_weight`. Each one's derivatives are the other two.

How the windows are laid out: the padded input is split into one flat plane for each residue of the
stride, so that a kernel element meets one unbroken run of a plane. A run also passes over the few
positions between one row of results and the next. Those are dropped (`_valid`), or meet zeros.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.lib.stride_tricks import as_strided

from .half import refuse, widened
from .layout import like

BLOCK = 1 << 19  # elements of unfolded windows held at once: about the cache


@dataclass(frozen=True)
class Geometry:
    """How kernel elements, planes and results lie to each other."""

    kernel: tuple
    stride: tuple
    padding: tuple
    dilation: tuple
    space: tuple  # of the input, without padding
    out: tuple  # of the result

    @cached_property
    def plane(self):
        """Shape of a plane: the padded input counted in strides."""
        both = zip(self.space, self.padding, self.stride, strict=True)
        return tuple(-(-(n + 2 * p) // s) for n, p, s in both)

    @cached_property
    def steps(self):
        """Distance in a flat plane between neighbours along each axis."""
        plane = self.plane
        return tuple(math.prod(plane[i + 1 :]) for i in range(len(plane)))

    @cached_property
    def pointwise(self):
        """A 1x1 kernel that visits each position once: the input is its own unfolding."""
        return set(self.kernel) == set(self.stride) == {1} and not any(self.padding)

    def run(self, rows):
        """How far `rows` rows of results reach in a plane."""
        out = (rows, *self.out[1:])
        return sum((n - 1) * t for n, t in zip(out, self.steps, strict=True)) + 1

    @cached_property
    def elements(self):
        """For each kernel element: its index, the plane it reads and where in it."""
        return [(k, *self._meets(k)) for k in np.ndindex(*self.kernel)]

    def _meets(self, k):
        plane = start = 0
        for i, d, s, t in zip(k, self.dilation, self.stride, self.steps, strict=True):
            whole, residue = divmod(i * d, s)
            plane = plane * s + residue
            start += whole * t
        return plane, start

    def blocks(self, images, channels):
        """(image slice, row slice) pairs that cover the result, about BLOCK elements each."""
        if images == 0 or math.prod(self.out) == 0:
            return
        row = max(1, channels * math.prod(self.kernel) * math.prod(self.out[1:]))
        rows = min(self.out[0], max(1, BLOCK // row))
        count = max(1, BLOCK // (row * rows)) if rows == self.out[0] else 1
        for n in range(0, images, count):
            for r in range(0, self.out[0], rows):
                yield slice(n, min(n + count, images)), slice(r, min(r + rows, self.out[0]))


class Scratch:
    """Memory that block after block writes over: fresh pages would cost more than the copy."""

    def __init__(self, dtype):
        self._memory = np.empty(0, dtype)

    def array(self, *shape):
        size = math.prod(shape)
        if size > self._memory.size:
            self._memory = np.empty(size, self._memory.dtype)
        return self._memory[:size].reshape(shape)


def convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups):
    """Cross-correlation of x with w plus b, or its transpose (w: (C, O / groups, *kernel))."""
    if x.dtype == bool:
        refuse("slow_conv2d_cpu", x.dtype)
    if not transposed:
        shape = output_shape(x.shape, w.shape, stride, padding, dilation)
        return like(correlate(x, w, shape, stride, padding, dilation, groups, b), x)
    shape = transposed_shape(x.shape, w.shape, stride, padding, dilation, output_padding, groups)
    y = spread(x, w, shape, stride, padding, dilation, groups)
    if b is not None:
        y += _per_channel(b, y.ndim)
    return like(y, x)


def output_shape(x_shape, w_shape, stride, padding, dilation):
    """Shape of a convolution's result."""
    space = (
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(x_shape[2:], w_shape[2:], stride, padding, dilation, strict=True)
    )
    return (x_shape[0], w_shape[0], *space)


def transposed_shape(x_shape, w_shape, stride, padding, dilation, output_padding, groups):
    """Shape of a transposed convolution's result."""
    space = (
        (n - 1) * s - 2 * p + d * (k - 1) + o + 1
        for n, k, s, p, d, o in zip(
            x_shape[2:], w_shape[2:], stride, padding, dilation, output_padding, strict=True
        )
    )
    return (x_shape[0], w_shape[1] * groups, *space)


def correlate(x, w, y_shape, stride, padding, dilation, groups, b=None):
    """y[n, o, i] = b[o] + the sum of w[o, c, k] * x[n, c, i * stride + k * dilation - padding]."""
    geo = _geometry(x.shape, w.shape, y_shape, stride, padding, dilation)
    y = np.empty(y_shape, np.result_type(x, w))
    wm = widened(w).reshape(groups, w.shape[0] // groups, -1)  # (G, O/G, C/G * k)
    bias = 0 if b is None else _per_channel(b, y.ndim)
    if geo.pointwise:
        cols = widened(x).reshape(x.shape[0], groups, wm.shape[2], -1)
        y[...] = np.matmul(wm, cols).reshape(y_shape)
        y += bias
        return y
    planes = _split(x, geo)
    scratch, result = Scratch(wm.dtype), Scratch(wm.dtype)
    for images, rows in geo.blocks(x.shape[0], x.shape[1]):
        cols = _unfold(planes[images], geo, rows, scratch)
        part = result.array(y.shape[1], *cols.shape[-2:])
        flat = cols.reshape(groups, wm.shape[2], -1)
        np.matmul(wm, flat, out=part.reshape(groups, wm.shape[1], -1))
        part = _valid(part, geo, rows)
        np.add(part.swapaxes(0, 1), bias, out=y[images, :, rows], casting="same_kind")
    return y


def spread(g, w, x_shape, stride, padding, dilation, groups):
    """The transpose of `correlate` as a function of x: takes g, shaped like y, to x_shape."""
    geo = _geometry(x_shape, w.shape, g.shape, stride, padding, dilation)
    dtype = np.result_type(g, w)
    wm = widened(w).reshape(groups, w.shape[0] // groups, -1)
    wm = wm.transpose(0, 2, 1)  # (G, C/G * k, O/G)
    if geo.pointwise:
        cols = widened(g).reshape(g.shape[0], groups, wm.shape[2], -1)
        return np.matmul(wm, cols).reshape(x_shape).astype(dtype, copy=False)
    planes = _empty_planes(x_shape, geo, wm.dtype)
    exact = not np.isfinite(wm).all()
    scratch = Scratch(wm.dtype)
    for images, rows in geo.blocks(g.shape[0], x_shape[1]):
        block = _lay_out(g[images, :, rows], geo, rows)
        cols = scratch.array(x_shape[1], *geo.kernel, *block.shape[-2:])
        flat = cols.reshape(groups, wm.shape[1], -1)
        np.matmul(wm, block.reshape(groups, wm.shape[2], -1), out=flat)
        _fold(cols, planes[images], geo, rows, exact)
    return _join(planes, x_shape, geo, dtype)


def correlate_weight(g, x, w_shape, stride, padding, dilation, groups):
    """The transpose of `correlate` as a function of w: takes g, shaped like y, to w_shape."""
    geo = _geometry(x.shape, w_shape, g.shape, stride, padding, dilation)
    dtype = np.result_type(g, x)
    planes = _split(x, geo)
    total = _weight_total(g, planes, w_shape, geo, groups, exact=False)
    if not np.isfinite(total).all():  # what lies between rows may have been infinite: leave it out
        total = _weight_total(g, planes, w_shape, geo, groups, exact=True)
    return np.ascontiguousarray(total.transpose(0, 2, 1), dtype).reshape(w_shape)


def bias_gradient(g):
    """Gradient with respect to b: the sum of g over all but the channels."""
    n, c = g.shape[:2]
    return g.reshape(n, c, -1).sum(2).sum(0)


def _weight_total(g, planes, w_shape, geo, groups, exact):
    per_group = (w_shape[1] * math.prod(geo.kernel), w_shape[0] // groups)  # (C/G * k, O/G)
    total = np.zeros((groups, *per_group), planes.dtype)
    scratch = Scratch(planes.dtype)
    for images, rows in geo.blocks(g.shape[0], planes.shape[1]):
        block = _lay_out(widened(g[images, :, rows]), geo, rows)
        cols = _unfold(planes[images], geo, rows, scratch)
        if exact:
            block, cols = _valid(block, geo, rows), _valid(cols, geo, rows)
        block = block.reshape(groups, per_group[1], -1)
        total += np.matmul(cols.reshape(groups, per_group[0], -1), block.transpose(0, 2, 1))
    return total


def _geometry(x_shape, w_shape, y_shape, stride, padding, dilation):
    sizes = (w_shape[2:], stride, padding, dilation, x_shape[2:], y_shape[2:])
    return _geometry_of(*map(tuple, sizes))


_geometry_of = lru_cache(maxsize=256)(Geometry)


def _unfold(planes, geo, rows, scratch):
    """Runs under each kernel element: (n, C, planes, size) -> (C, *kernel, n, run)."""
    n, c = planes.shape[:2]
    first, run = rows.start * geo.steps[0], geo.run(rows.stop - rows.start)
    cols = scratch.array(c, *geo.kernel, n, run)
    by_channel = planes.swapaxes(0, 1)
    for k, plane, start in geo.elements:
        start += first
        cols[(slice(None), *k)] = by_channel[:, :, plane, start : start + run]
    return cols


def _fold(cols, planes, geo, rows, exact):
    """Add runs to where `_unfold` took them from; `exact` leaves out what lies between rows."""
    first, run = rows.start * geo.steps[0], cols.shape[-1]
    by_channel = planes.swapaxes(0, 1)
    for k, plane, start in geo.elements:
        start += first
        target, part = by_channel[:, :, plane, start : start + run], cols[(slice(None), *k)]
        if exact:
            target, part = _valid(target, geo, rows), _valid(part, geo, rows)
        target += part


def _lay_out(g, geo, rows):
    """Results as runs, with zeros between rows: (n, O, *out) -> (O, n, run)."""
    n, c = g.shape[:2]
    runs = np.zeros((c, n, geo.run(rows.stop - rows.start)), g.dtype)
    _valid(runs, geo, rows)[...] = g.swapaxes(0, 1)
    return runs


def _valid(runs, geo, rows):
    """View of the results that lie in runs: (..., run) -> (..., rows, *out[1:])."""
    shape = (*runs.shape[:-1], rows.stop - rows.start, *geo.out[1:])
    strides = (*runs.strides[:-1], *(t * runs.strides[-1] for t in geo.steps))
    return as_strided(runs, shape, strides)


def _empty_planes(x_shape, geo, dtype):
    return np.zeros((*x_shape[:2], math.prod(geo.stride), math.prod(geo.plane)), dtype)


def _split(x, geo):
    """Padded input as planes: (N, C, *space) -> (N, C, prod(stride), prod(plane))."""
    x = widened(x)
    if not any(geo.padding) and set(geo.stride) == {1}:
        return np.ascontiguousarray(x).reshape(*x.shape[:2], 1, -1)
    planes = _empty_planes(x.shape, geo, x.dtype)
    if set(geo.stride) == {1}:
        _inside(planes.reshape(*x.shape[:2], *geo.plane), geo)[...] = x
        return planes
    padded = np.zeros((*x.shape[:2], *_padded(geo)), x.dtype)
    _inside(padded, geo)[...] = x
    _interleaved(planes, geo)[...] = _by_residue(padded, geo)
    return planes


def _join(planes, x_shape, geo, dtype):
    """The input that planes were split from, without its padding."""
    if set(geo.stride) == {1}:
        padded = planes.reshape(*x_shape[:2], *geo.plane)
    else:
        padded = np.empty((*x_shape[:2], *_padded(geo)), planes.dtype)
        _by_residue(padded, geo)[...] = _interleaved(planes, geo)
    return np.ascontiguousarray(_inside(padded, geo), dtype)


def _padded(geo):
    return tuple(n * s for n, s in zip(geo.plane, geo.stride, strict=True))


def _inside(padded, geo):
    inner = (slice(p, p + n) for p, n in zip(geo.padding, geo.space, strict=True))
    return padded[(slice(None), slice(None), *inner)]


def _by_residue(padded, geo):
    """(N, C, plane_0 * s_0, ...) -> (N, C, plane_0, s_0, plane_1, s_1, ...)."""
    pairs = [m for pair in zip(geo.plane, geo.stride, strict=True) for m in pair]
    return padded.reshape(*padded.shape[:2], *pairs)


def _interleaved(planes, geo):
    """(N, C, prod(s), prod(plane)) -> (N, C, plane_0, s_0, plane_1, s_1, ...), a view."""
    d = len(geo.stride)
    apart = planes.reshape(*planes.shape[:2], *geo.stride, *geo.plane)
    return apart.transpose(0, 1, *(i + 2 + j for i in range(d) for j in (d, 0)))


def _per_channel(b, ndim):
    return b.reshape(-1, *(1,) * (ndim - 2))
