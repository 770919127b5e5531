"""Convolutions of any number of spatial dimensions, as matrix products over unfolded windows.

Arrays are (N, C, *space), weights (O, C / groups, *kernel); `stride`, `padding` and `dilation` hold
one number for each spatial dimension. Three functions carry everything: `correlate`, its transpose
`spread` and `correlate_weight`. Each one's derivatives are the other two.

Windows are laid out after Cho and Brand (2017): the rows of the input, along its first spatial
axis, are unfolded along the other axes only. The rows under a kernel are then neighbours in memory,
and the windows of a row of results form a matrix that overlaps the matrix of the next row. So a
kernel of k rows takes no more memory than a kernel of one row. If there is no second axis, or the
first one is dilated, so that the rows under a kernel are no neighbours, an axis of length 1 is put
in front.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import product

import numpy as np
from numpy.lib.stride_tricks import as_strided

from . import conv_few, patches
from .checks import INT64
from .half import refuse, widened
from .layout import like
from .patches import side_by_side
from .sharing import share_products

BLOCK = 640 << 10   # elements of unfolded windows that a thread holds: about the cache
COLUMNS = 160       # columns of a product: fewer make poor use of the BLAS
TOTALS = 8          # the most partial sums of a weight's gradient
PARTS = 4           # parts that several threads share evenly
LEAST = 1 << 17     # elements of a part that is worth a thread
FEW = 4             # rows of a product: fewer make poor use of the BLAS


@dataclass(frozen=True)
class Geometry:
    """Which inputs and results each kernel element connects. Padding may be negative."""

    kernel: tuple
    stride: tuple
    padding: tuple
    dilation: tuple
    space: tuple  # sizes of the input
    out: tuple  # sizes of the result

    @cached_property
    def pointwise(self):
        """A 1x1 kernel that visits each position once: the input is its own unfolding."""
        alike = self.space == self.out and not any(self.padding)
        return alike and set(self.kernel) == set(self.stride) == {1}

    @cached_property
    def columns(self):
        """How many results a row has."""
        return math.prod(self.out[1:])

    @cached_property
    def elements(self):
        """Kernel elements along all axes but the first: index, results and inputs that meet."""
        sizes = (self.kernel, self.space, self.out, self.stride, self.padding, self.dilation)
        return list(meetings(*(size[1:] for size in sizes)))

    @cached_property
    def hop(self):
        """Distance in the input between rows that are kept: a kernel of one row skips some."""
        return self.stride[0] if self.kernel[0] == 1 else 1

    def height(self, rows):
        """How many rows of the input are kept for `rows` rows of results."""
        return (rows - 1) * self.stride[0] // self.hop + self.kernel[0]

    def blocks(self, images, channels):
        """(image slice, row slice) pairs that cover the result, about BLOCK elements each."""
        if images == 0 or math.prod(self.out) == 0:
            return
        line = max(1, channels * math.prod(self.kernel[1:]) * self.columns)
        count = min(images, -(-COLUMNS // self.columns))
        rows = (BLOCK // (line * count) - self.kernel[0]) * self.hop // self.stride[0] + 1
        rows = max(1, min(rows, self.out[0]))
        if rows == self.out[0]:
            height = line * self.height(rows)
            least = max(-(-images // PARTS), count // 2, LEAST // height)
            count = max(1, min(max(count, BLOCK // height), least))
        count, rows = evenly(images, count), evenly(self.out[0], rows)
        for n in range(0, images, count):
            for r in range(0, self.out[0], rows):
                yield slice(n, min(n + count, images)), slice(r, min(r + rows, self.out[0]))


def evenly(total, most):
    """The size of equal parts of `total`, as few as can be with none larger than `most`."""
    return -(-total // -(-total // most))


def meeting(first, stride, size, out):
    """Slice of the i < out with 0 <= first + i * stride < size, and slice of these positions."""
    start = max(0, -(first // stride))
    stop = max(start, min(out, (size - 1 - first) // stride + 1))
    if start == stop:
        return slice(0, 0), slice(0, 0)
    last = first + (stop - 1) * stride
    return slice(start, stop), slice(first + start * stride, last + 1, stride)


def meetings(kernel, space, out, stride, padding, dilation):
    """For each kernel element: its index, slices of results and of the inputs they meet."""
    axes = [
        [(k, *meeting(k * d - p, s, n, m)) for k in range(size)]
        for size, n, m, s, p, d in zip(kernel, space, out, stride, padding, dilation, strict=True)
    ]
    return (tuple(zip(*element, strict=True)) for element in product(*axes))


class Scratch:
    """Memory that is used again for each block: fresh pages would cost more than the copy."""

    def __init__(self, dtype):
        self._memory = np.empty(0, dtype)

    def array(self, *shape):
        size = math.prod(shape)
        if size > self._memory.size:
            self._memory = np.empty(size, self._memory.dtype)
        return self._memory[:size].reshape(shape)


def _label(x, transposed, dilation):
    """PyTorch's kernel for a convolution, as its errors name it."""
    dims = max(x.ndim - 2, 2)
    if transposed:
        return f"slow_conv_transpose{dims}d_out_cpu"
    if any(d != 1 for d in dilation):
        return "slow_conv_dilated<>"
    return f"slow_conv{dims}d_cpu"


def convolution(x, w, b, stride, padding, dilation, transposed, output_padding, groups):
    """Cross-correlation of x with w plus b, or its transpose (w: (C, O / groups, *kernel))."""
    simple = not transposed and all(d == 1 for d in dilation)
    if (x.dtype.char not in "fdeEFD" and x.dtype != INT64
            and (x.dtype.kind == "b" or not simple)):
        refuse(_label(x, transposed, dilation), x.dtype)
    if not transposed:
        shape = output_shape(x.shape, w.shape, stride, padding, dilation)
        return like(correlate(x, w, shape, stride, padding, dilation, groups, b), x, w)
    shape = transposed_shape(x.shape, w.shape, stride, padding, dilation, output_padding, groups)
    y = spread(x, w, shape, stride, padding, dilation, groups)
    if b is not None:
        y += _per_channel(b, y.ndim)
    return like(y, x, w)


@lru_cache(maxsize=256)
def output_shape(x_shape, w_shape, stride, padding, dilation):
    """Shape of a convolution's result."""
    space = (
        (n + 2 * p - d * (k - 1) - 1) // s + 1
        for n, k, s, p, d in zip(x_shape[2:], w_shape[2:], stride, padding, dilation, strict=True)
    )
    return (x_shape[0], w_shape[0], *space)


@lru_cache(maxsize=256)
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
    if conv_few.takes(x, w, w.shape[2:], y_shape[2:]):
        return conv_few.correlate(x, w, y_shape, stride, padding, dilation, groups, b)
    if side_by_side(w.shape, stride, padding, dilation, y_shape[2:], groups):
        y = patches.correlate(widened(x), widened(w), y_shape[2:], b)
        return y.astype(np.result_type(x, w), copy=False)
    y = np.empty(y_shape, np.result_type(x, w))
    _correlate(widened(x), widened(w), y, stride, padding, dilation, groups, b)
    return y


def spread(g, w, x_shape, stride, padding, dilation, groups):
    """The transpose of `correlate` as a function of x: takes g, shaped like y, to x_shape.

    Positions with the same remainder modulo the stride meet the same, evenly spaced kernel
    elements. So each such class is a correlation of g with these elements, in reverse order and
    without a stride.
    """
    if conv_few.takes(g, w, w.shape[2:], x_shape[2:]):
        x = conv_few.spread(g, w, x_shape, stride, padding, dilation, groups)
        if x is not None:
            return x
    dtype = np.result_type(g, w)
    g, w = widened(g), widened(w)
    if side_by_side(w.shape, stride, padding, dilation, g.shape[2:], groups):
        return patches.spread(g, w, x_shape).astype(dtype, copy=False)
    x = np.empty(x_shape, dtype)
    # what is not finite would meet zeros beyond the edge of g
    if w.shape[1] <= FEW < w.shape[0] // groups or not np.isfinite(w).all():
        return _spread_by_elements(g, w, x, stride, padding, dilation, groups)
    swapped = w.reshape(groups, -1, *w.shape[1:]).swapaxes(1, 2)  # (G, C/G, O/G, *kernel)
    swapped = swapped.reshape(-1, *swapped.shape[2:])
    each = zip(w.shape[2:], stride, padding, dilation, strict=True)
    for alike in product(*(residues(*axis) for axis in each)):
        positions, elements, begin, steps = zip(*alike, strict=True)
        part = x[(slice(None), slice(None), *positions)]
        if None in elements:
            part[...] = 0
            continue
        weights = swapped[(slice(None), slice(None), *elements)]
        _correlate(g, weights, part, (1,) * len(begin), begin, steps, groups)
    return x


def correlate_weight(g, x, w_shape, stride, padding, dilation, groups):
    """The transpose of `correlate` as a function of w: takes g, shaped like y, to w_shape."""
    dtype = np.result_type(g, x)
    if side_by_side(w_shape, stride, padding, dilation, g.shape[2:], groups):
        return patches.correlate_weight(widened(g), widened(x), w_shape).astype(dtype, copy=False)
    if conv_few.takes(x, g, w_shape[2:], g.shape[2:]):
        return conv_few.correlate_weight(g, x, w_shape, stride, padding, dilation, groups)
    x, g = widened(x), widened(g)
    if w_shape[:2] == (groups, 1):
        return _channels_weight(g, x, w_shape, stride, padding, dilation).astype(dtype, copy=False)
    shape = (groups, w_shape[0] // groups, *w_shape[1:])
    geo, x, g = _lifted(x, g, w_shape[2:], stride, padding, dilation)
    k, o = w_shape[1] * math.prod(geo.kernel), shape[1]
    if geo.pointwise:
        def add_image(total, n):
            flat = x[n].reshape(groups, k, -1)
            total += np.matmul(g[n].reshape(groups, o, -1), flat.swapaxes(1, 2))
        total = _total((groups, o, k), g.dtype, lambda: add_image, range(len(x)))
        return total.reshape(w_shape).astype(dtype, copy=False)

    def begin():
        scratch, results = Scratch(x.dtype), Scratch(g.dtype)

        def add_block(total, part):
            images, rows = part
            windows = _unfold(x[images], geo, rows, groups, scratch)
            block = _by_row(g[images, :, rows], groups)
            lines = results.array(*block.shape)
            lines[...] = block
            lines = lines.reshape(*block.shape[:3], -1).swapaxes(2, 3)  # (G, rows, columns, O/G)
            step = max(1, BLOCK // total.size)
            for r in range(0, lines.shape[1], step):     # threads get on with few and long calls
                total += np.matmul(windows[:, r:r + step], lines[:, r:r + step]).sum(1)
        return add_block
    blocks = [*geo.blocks(g.shape[0], x.shape[1])]
    total = _total((groups, k, o), g.dtype, begin, blocks)
    total = total.reshape(groups, geo.kernel[0], w_shape[1], *geo.kernel[1:], o)
    total = total.transpose(0, total.ndim - 1, 2, 1, *range(3, total.ndim - 1))
    return np.ascontiguousarray(total, dtype).reshape(w_shape)


def bias_gradient(g):
    """Gradient with respect to b: the sum of g over all but the channels."""
    n, c = g.shape[:2]
    return widened(g).reshape(n, c, math.prod(g.shape[2:])).sum(2).sum(0).astype(
        g.dtype, copy=False)


def _correlate(x, w, y, stride, padding, dilation, groups, b=None):
    """`correlate`, written to y, a view of any layout."""
    geo, x, y = _lifted(x, y, w.shape[2:], stride, padding, dilation)
    w = w.reshape(groups, w.shape[0] // groups, w.shape[1], *geo.kernel)
    wm = w.swapaxes(2, 3).reshape(*w.shape[:2], -1)  # (G, O/G, k0 * C/G * k1 ...)
    if geo.pointwise:
        cols = x.reshape(x.shape[0], groups, wm.shape[2], math.prod(x.shape[2:]))
        bias = 0 if b is None else _per_channel(b, y.ndim)

        def fill(images):
            target = y[images]
            product = np.matmul(wm, cols[images]).reshape(target.shape)
            np.add(product, bias, out=target, casting="same_kind")
        share_products(lambda: fill, [*_image_blocks(y.shape)])
        return

    def begin():
        scratch, result = Scratch(x.dtype), Scratch(np.result_type(x, w))

        def work(part):
            images, rows = part
            windows = _unfold(x[images], geo, rows, groups, scratch)
            target = y[images, :, rows]
            block = _by_row(target, groups)
            lines = result.array(*block.shape)
            flat = lines.reshape(*block.shape[:3], -1)
            np.matmul(wm[:, None], windows, out=flat)  # (G, rows, O/G, columns)
            if b is not None:
                flat += b.reshape(groups, 1, -1, 1)
            target[...] = lines.transpose(3, 0, 2, 1, *range(4, lines.ndim)).reshape(target.shape)
        return work
    share_products(begin, [*geo.blocks(x.shape[0], x.shape[1])])


def _total(shape, dtype, begin, parts):
    """The sum of what begin()(zeros, part) adds for each part, TOTALS at most of them at once."""
    size = max(1, -(-len(parts) // TOTALS))

    def begin_group():
        add = begin()

        def work(group):
            total = np.zeros(shape, dtype)
            for part in group:
                add(total, part)
            return total
        return work
    totals = share_products(begin_group, [parts[i:i + size] for i in range(0, len(parts), size)])
    return sum(totals[1:], totals[0]) if totals else np.zeros(shape, dtype)


def _lifted(x, y, kernel, stride, padding, dilation):
    """Geometry, input and result, with a first axis of length 1 where one is wanted."""
    if len(kernel) == 1 or dilation[0] > 1:
        x, y = x[:, :, None], y[:, :, None]
        kernel, stride, dilation = (1, *kernel), (1, *stride), (1, *dilation)
        padding = (0, *padding)
    sizes = (kernel, stride, padding, dilation, x.shape[2:], y.shape[2:])
    return _geometry_of(*map(tuple, sizes)), x, y


_geometry_of = lru_cache(maxsize=256)(Geometry)


def _unfold(x, geo, rows, groups, scratch):
    """Windows of some rows of results: (n, C, *space) -> (G, rows, k0 * C/G * k1 ..., columns)."""
    by_row = _by_row(x, groups)  # (G, H, C/G, n, ...)
    count = rows.stop - rows.start
    height = geo.height(count)
    first = rows.start * geo.stride[0] - geo.padding[0]
    kept, taken = meeting(first, geo.hop, geo.space[0], height)
    cols = scratch.array(groups, height, by_row.shape[2], *geo.kernel[1:], x.shape[0], *geo.out[1:])
    cols[...] = 0
    for k, results, inputs in geo.elements:
        here, there = (slice(None), kept, slice(None)), (slice(None), taken, slice(None))
        cols[(*here, *k, slice(None), *results)] = by_row[(*there, slice(None), *inputs)]
    columns = x.shape[0] * geo.columns
    line = by_row.shape[2] * math.prod(geo.kernel[1:])
    steps = (height * line * columns, geo.stride[0] // geo.hop * line * columns, columns, 1)
    shape = (groups, count, geo.kernel[0] * line, columns)
    return as_strided(cols, shape, [t * cols.itemsize for t in steps], writeable=False)


def _by_row(a, groups):
    """View (n, C, rows, ...) -> (G, rows, C/G, n, ...)."""
    a = a.reshape(a.shape[0], groups, a.shape[1] // groups, *a.shape[2:])
    return a.transpose(1, 3, 2, 0, *range(4, a.ndim))


def _channels_weight(g, x, w_shape, stride, padding, dilation):
    """`correlate_weight` of each channel by itself: the products are too thin for the BLAS."""
    total = np.zeros(w_shape, g.dtype)
    letters = "ncxyz"[: x.ndim] + "," + "ncxyz"[: x.ndim] + "->c"
    elements = list(meetings(w_shape[2:], x.shape[2:], g.shape[2:], stride, padding, dilation))
    for images in _image_blocks(g.shape):
        for k, results, inputs in elements:
            a = g[(images, slice(None), *results)]
            b = x[(images, slice(None), *inputs)]
            total[(slice(None), 0, *k)] += np.einsum(letters, a, b)
    return total


def _image_blocks(shape):
    """Slices of about as many images as have BLOCK / 4 elements."""
    count = max(1, BLOCK // 4 // max(1, math.prod(shape[1:])))
    return (slice(n, n + count) for n in range(0, shape[0], count))


def residues(size, stride, padding, dilation):
    """For each residue of positions to the stride: what makes its part of `spread`.

    Slice of the positions, reversed slice of the kernel elements that meet them (or None), padding
    and dilation of the correlation.
    """
    shared = math.gcd(stride, dilation)
    for residue in range(stride):
        at = (residue - padding) % stride           # the first position of this class
        positions = slice(at, None, stride)
        met = [k for k in range(size) if (k * dilation - residue) % stride == 0]
        if not met:
            yield positions, None, 0, 1
            continue
        last = (at + padding - met[-1] * dilation) // stride
        step = stride // shared
        elements = slice(met[-1], met[0] - 1 if met[0] else None, -step)
        yield positions, elements, -last, dilation // shared


def _spread_by_elements(g, w, x, stride, padding, dilation, groups):
    """`spread` one kernel element at a time, so that none meets a zero beyond the edge of g."""
    edges = list(zip(x.shape[2:], padding, strict=True))
    reach = [max(n + p, (m - 1) * s + (k - 1) * d + 1) for (n, p), m, s, k, d in zip(
        edges, g.shape[2:], stride, w.shape[2:], dilation, strict=True)]
    padded = np.zeros((*x.shape[:2], *reach), g.dtype)
    flat = g.reshape(g.shape[0], groups, g.shape[1] // groups, math.prod(g.shape[2:]))
    for k in np.ndindex(*w.shape[2:]):
        wm = w[(slice(None), slice(None), *k)].reshape(groups, -1, w.shape[1]).swapaxes(1, 2)
        at = (slice(i * d, i * d + (m - 1) * s + 1, s)
              for i, d, s, m in zip(k, dilation, stride, g.shape[2:], strict=True))
        part = np.matmul(wm, flat).reshape(*x.shape[:2], *g.shape[2:])
        padded[(slice(None), slice(None), *at)] += part
    x[...] = padded[(slice(None), slice(None), *(slice(p, p + n) for n, p in edges))]
    return x


def _per_channel(b, ndim):
    return b.reshape(-1, *(1,) * (ndim - 2))
