"""Normalisations: forward with the statistics that backward needs, and joint backward functions.

Every backward returns (input, weight, bias) gradients; those not asked for are None. Rows are
taken by blocks: NOTE [blocks] in blocks.py.
"""

from __future__ import annotations

import math

import numpy as np

from .blocks import line_sums, over_blocks
from .half import check_floating, in_dtype, is_half, widened
from .layout import channels_innermost, channels_last, like, moved
from .reduce import mean_dim
from .sums import THREADED, column_of_ones, number, ones, sum_over

SHORT = 1 << 12  # the norm of so few elements costs what its calls cost
PIECE = 1024  # the most elements summed one after another, which loses digits


def native_layer_norm_of(x, weight, bias, normalized_shape, eps):
    """(x - mean) / sqrt(var + eps) * weight + bias over the last axes; -> y, mean, rstd."""
    if _is_short(x, weight, bias, normalized_shape):
        return _short_layer_norm(x, weight, bias, eps)
    check_floating("LayerNormKernelImpl", x.dtype)
    rows = widened(_rows(x, len(normalized_shape)))
    y, mean, rstd = _standardize(rows, eps, _flat(weight), _flat(bias))
    kept = (*x.shape[: x.ndim - len(normalized_shape)], *(1,) * len(normalized_shape))
    y = y.reshape(x.shape).astype(x.dtype, copy=False)
    kind = _statistics_dtype(x, weight, mean)
    return (y, mean.reshape(kept).astype(kind, copy=False),
            rstd.reshape(kept).astype(kind, copy=False))


def native_layer_norm_backward(g, x, normalized_shape, mean, rstd, weight, bias, mask):
    """Gradients of `native_layer_norm_of`; mask says which of (x, weight, bias) are wanted."""
    if _is_short(x, weight, g, normalized_shape):
        return _short_layer_norm_backward(g, x, mean, rstd, weight, bias, mask)
    width = len(normalized_shape)
    g_rows, rows = widened(_rows(g, width)), widened(_rows(x, width))
    mean, rstd = widened(mean).reshape(-1, 1), widened(rstd).reshape(-1, 1)
    gx = np.empty(rows.shape, rows.dtype) if mask[0] else None
    factor = None if weight is None else widened(weight.ravel())
    of_weight, of_bias = mask[1] and weight is not None, mask[2] and bias is not None

    def work(part, centered, term):
        g, scale, gw = g_rows[part], rstd[part], None
        gb = ones(len(g), g.dtype.char).dot(g) if of_bias else None
        np.subtract(rows[part], mean[part], centered)
        if of_weight:
            np.multiply(g, centered, term)
            gw = scale[:, 0].dot(term)
        if gx is not None:
            if factor is not None:
                g = np.multiply(g, factor, term)
            _standardize_backward(g, centered, scale, gx[part])
        return gw, gb
    gw, gb = (_added(of) for of in zip(*over_blocks(work, rows, 2), strict=True))
    return _shaped(gx, x), _shaped(gw, weight), _shaped(gb, bias)


def _is_short(x, weight, other, normalized_shape):
    """Whether NumPy's calls take longer than the sums: few rows, of one dimension and dtype."""
    dtype = x.dtype
    return (0 < x.size < THREADED and len(normalized_shape) == 1 and dtype.char in "fd"
            and (x.size <= SHORT or x.shape[-1] <= PIECE)
            and (weight is None or weight.dtype is dtype)
            and (other is None or other.dtype is dtype))


def _short_layer_norm(x, weight, bias, eps):
    """`native_layer_norm_of` in the fewest calls; a product with ones is the quickest sum."""
    dtype, width = x.dtype, x.shape[-1]
    if x.size == width:
        return _layer_norm_of_a_row(x, weight, bias, eps)
    rows = np.ascontiguousarray(x) if x.ndim == 2 else x.reshape(-1, width)
    size, first = number(width, dtype.char), rows[:, :1]
    y = rows - first                # so that equal numbers are 0, however their mean is rounded
    mean = y.dot(column_of_ones(width, dtype.char))      # (N, width) -> (N, 1)
    mean /= size
    y -= mean
    mean += first
    rstd = np.vecdot(y, y, keepdims=True)
    rstd /= size
    rstd += number(eps, dtype.char)
    np.sqrt(rstd, rstd)
    np.reciprocal(rstd, rstd)
    y *= rstd
    if weight is not None:
        y *= weight
    if bias is not None:
        y += bias
    kept = (*x.shape[:-1], 1)
    return y.reshape(x.shape), mean.reshape(kept), rstd.reshape(kept)


def _layer_norm_of_a_row(x, weight, bias, eps):
    """The same where the statistics are two numbers: half the time, as nothing broadcasts."""
    width, kept = x.shape[-1], (*x.shape[:-1], 1)
    row = x.reshape(width)
    y = row - row[0]
    mean = y.dot(ones(width, x.dtype.char)) / width
    y -= mean
    mean += row[0]
    rstd = 1 / np.sqrt(y.dot(y) / width + eps)
    y *= rstd
    if weight is not None:
        y *= weight
    if bias is not None:
        y += bias
    return y.reshape(x.shape), np.asarray(mean).reshape(kept), np.asarray(rstd).reshape(kept)


def _short_layer_norm_backward(g, x, mean, rstd, weight, bias, mask):
    char, width = x.dtype.char, x.shape[-1]
    g_rows, rows = g.reshape(-1, width), x.reshape(-1, width)
    one, size, rstd = ones(len(rows), char), number(width, char), rstd.reshape(-1, 1)
    normal = rows - mean.reshape(-1, 1)
    normal *= rstd
    gx = gw = None
    if mask[1] and weight is not None:
        gw = one.dot(g_rows * normal)
    gb = one.dot(g_rows) if mask[2] and bias is not None else None
    if mask[0]:
        scaled = g_rows if weight is None else g_rows * weight
        slope, level = np.vecdot(scaled, normal), scaled.dot(ones(width, char))
        slope /= size
        level /= size
        normal *= slope[:, None]
        gx = scaled - normal
        gx -= level[:, None]
        gx *= rstd
        gx = gx.reshape(x.shape)
    return gx, gw, gb


def native_group_norm_of(x, weight, bias, n, c, size, groups, eps):
    """Standardizes each group of channels of each image; -> y, mean, rstd, both (N, groups)."""
    check_floating("GroupNormKernelImpl", x.dtype)
    rows = widened(np.ascontiguousarray(x).reshape(n * groups, c // groups * size))
    y, mean, rstd = _standardize(rows, eps)
    y = y.reshape(n, c, size)
    if weight is not None:
        y *= weight.reshape(c, 1)
    if bias is not None:
        y += bias.reshape(c, 1)
    y = like(y.reshape(x.shape).astype(x.dtype, copy=False), x)
    kind, shape = _statistics_dtype(x, weight, mean), (n, groups)
    return (y, mean.reshape(shape).astype(kind, copy=False),
            rstd.reshape(shape).astype(kind, copy=False))


def native_group_norm_backward(g, x, mean, rstd, weight, n, c, size, groups, mask):
    """Gradients of `native_group_norm_of`."""
    if 0 < x.size <= SHORT and x.dtype.char in "fd" and g.dtype is x.dtype is mean.dtype \
            and (weight is None or weight.dtype is x.dtype):
        return _short_group_norm_backward(g, x, mean, rstd, weight, n, c, size, groups, mask)
    per = c // groups                                             # channels
    rows = widened(x.reshape(n * groups, per * size))
    g_planes = widened(g.reshape(n, c, size))
    scaled = g_planes if weight is None else g_planes * weight.reshape(c, 1)
    g_rows, scaled = g_planes.reshape(rows.shape), scaled.reshape(rows.shape)
    mean, rstd = widened(mean).reshape(-1, 1), widened(rstd).reshape(-1, 1)
    gx, gw, gb = np.empty(rows.shape, rows.dtype) if mask[0] else None, None, None
    dots = np.empty((len(rows) * per, 1), rows.dtype) if mask[1] and weight is not None else None

    def work(part, centered):
        np.subtract(rows[part], mean[part], centered)
        if dots is not None:
            channels = slice(part.start * per, part.stop * per)
            shape = (channels.stop - channels.start, size)
            dots[channels] = _row_dots(*(a.reshape(shape) for a in (g_rows[part], centered)))
        if gx is not None:
            _standardize_backward(scaled[part], centered, rstd[part], gx[part])
    over_blocks(work, rows, 1)
    if dots is not None:
        gw = sum_over((dots.reshape(-1, per) * rstd).reshape(n, c), 0)
    if mask[2]:
        gb = _channel_sum(g_planes).astype((g if weight is None else weight).dtype, copy=False)
    return _shaped(gx, x), _shaped(gw, weight), gb


def _short_group_norm_backward(g, x, mean, rstd, weight, n, c, size, groups, mask):
    rows, planes, char = x.reshape(n * groups, -1), g.reshape(n, c, size), x.dtype.char
    gw = gb = None
    if mask[1] and weight is not None:
        normal = rows - mean.reshape(-1, 1)
        normal *= rstd.reshape(-1, 1)
        gw = ones(n, char).dot(np.vecdot(planes, normal.reshape(planes.shape)))
    if mask[2]:
        gb = ones(n, char).dot(planes.dot(ones(size, char)))
    scaled = planes if weight is None else planes * weight.reshape(c, 1)
    gx = _short_layer_norm_backward(scaled.reshape(rows.shape), rows, mean, rstd, None, None,
                                    (mask[0], False, False))[0]
    return _shaped(gx, x), gw, gb


def alone(x, training, running_mean):
    """Whether a batch norm sees one image, as instance_norm() makes of a batch, and keeps nothing
    of it: each channel is then a group of group_norm."""
    return (training and running_mean is None and x.ndim > 2 and len(x) == 1
            and x.flags.c_contiguous and x.size > 0)


def of_channels(x, weight, bias, eps):
    """The arguments of `native_group_norm_of` for such an image."""
    c = x.shape[1]
    return x, weight, bias, 1, c, math.prod(x.shape[2:]), c, eps


def of_channels_backward(x, weight, mean, rstd, mask):
    """Those of `native_group_norm_backward`, after the gradient."""
    c = x.shape[1]
    return x, mean.reshape(1, c), rstd.reshape(1, c), weight, 1, c, math.prod(x.shape[2:]), c, mask


def native_batch_norm_of(x, weight, bias, running_mean, running_var, training, momentum, eps):
    """Standardizes each channel by the batch (training) or by running statistics (otherwise).

    Training also moves the running statistics in place, the variance unbiased.
    -> y, mean, rstd (of the batch; empty when not training).
    """
    if training and _is_short_batch(x, weight, bias, running_mean):
        return _short_batch_norm(x, weight, bias, running_mean, running_var, momentum, eps)
    check_floating("batch_norm", x.dtype)
    if alone(x, training, running_mean):
        y, mean, rstd = native_group_norm_of(*of_channels(x, weight, bias, eps))
        return y, mean.reshape(-1), rstd.reshape(-1)
    planes = _planes(x)  # (N, C, size)
    count = planes.shape[0] * planes.shape[2]
    wide = widened(planes)
    if training:
        mean = _channel_sum(wide) / count
        centered = wide - mean[:, None]
        var = _channel_dot(centered, centered) / count
        rstd = 1 / np.sqrt(var + wide.dtype.type(eps))
        _move(running_mean, mean, momentum)
        _move(running_var, var * (count / max(count - 1, 1)), momentum)
        kind = _statistics_dtype(x, weight, mean)
        saved = (mean.astype(kind, copy=False), rstd.astype(kind, copy=False))
    else:
        mean, rstd = widened(running_mean), 1 / np.sqrt(widened(running_var) + wide.dtype.type(eps))
        centered = wide - mean[:, None]
        saved = (np.empty(0, wide.dtype), np.empty(0, wide.dtype))
    centered *= (rstd if weight is None else rstd * weight)[:, None]
    if bias is not None:
        centered += bias[:, None]
    y = centered.reshape(x.shape).astype(x.dtype, copy=False)
    return (channels_innermost(y) if _by_pixels(x) else like(y, x), *saved)


def _is_short_batch(x, *others):
    """Whether NumPy's calls take longer than the sums: x (N, C, ...) is small, all of one dtype."""
    dtype = x.dtype
    return (0 < x.size <= SHORT and x.size <= PIECE * x.shape[1] and dtype.char in "fd"
            and x.flags.c_contiguous
            and all([other is None or other.dtype is dtype for other in others]))


def _short_batch_norm(x, weight, bias, running_mean, running_var, momentum, eps):
    """`native_batch_norm_of` in training, in the fewest calls."""
    planes, char = _table_or_planes(x), x.dtype.char
    rows = x.size // x.shape[1]
    count = number(rows, char)
    mean = _short_sum(planes)                           # (N, C) or (N, C, size) -> (C)
    mean /= count
    y = planes - _beside(mean, planes)
    var = _short_dot(y, y)
    var /= count
    rstd = var + number(eps, char)
    np.sqrt(rstd, rstd)
    np.reciprocal(rstd, rstd)
    if running_mean is not None:
        _move(running_mean, mean, momentum)
        _move(running_var, var * number(rows / max(rows - 1, 1), char), momentum)
    y *= _beside(rstd if weight is None else rstd * weight, planes)
    if bias is not None:
        y += _beside(bias, planes)
    return y.reshape(x.shape), mean, rstd


def _short_batch_norm_backward(g, x, weight, mean, rstd, training, mask):
    """`native_batch_norm_backward` in the fewest calls."""
    g_planes, planes, char = _table_or_planes(g), _table_or_planes(x), x.dtype.char
    centered = planes - _beside(mean, planes)
    total, dot = _short_sum(g_planes), _short_dot(g_planes, centered)
    dot *= rstd
    gx = None
    if mask[0]:
        factor = _beside(rstd if weight is None else rstd * weight, planes)
        if training:
            count = number(x.size // x.shape[1], char)
            centered *= _beside(rstd * dot / count, planes)
            gx = g_planes - centered
            gx -= _beside(total / count, planes)
            gx *= factor
        else:
            gx = g_planes * factor
        gx = gx.reshape(x.shape)
    return gx, dot if mask[1] and weight is not None else None, total if mask[2] else None


def _table_or_planes(x):
    """(N, C, ...) as (N, C), if that is all, else (N, C, size)."""
    n, c = x.shape[:2]
    return x.reshape(n, c) if x.size == n * c else x.reshape(n, c, -1)


def _beside(of_channels, planes):
    """A vector with an element for each channel, to broadcast with (N, C) or (N, C, size)."""
    return of_channels if planes.ndim == 2 else of_channels[:, None]


def _short_sum(a):
    """The sum of each channel of (N, C) or (N, C, size)."""
    char = a.dtype.char
    return ones(len(a), char).dot(a if a.ndim == 2 else a.dot(ones(a.shape[2], char)))


def _short_dot(a, b):
    """The sum of products of each channel of (N, C) or (N, C, size)."""
    return ones(len(a), a.dtype.char).dot(a * b if a.ndim == 2 else np.vecdot(a, b))


def _by_pixels(x):
    """Whether x is dense with its channels innermost, if need be because sizes are 1."""
    return (x.ndim in (4, 5) and not x.flags.c_contiguous
            and moved(x, 1, -1).flags.c_contiguous)


def native_batch_norm_backward(
    g, x, weight, running_mean, running_var, save_mean, save_rstd, training, eps, mask
):
    """Gradients of `native_batch_norm_of`; when not training the statistics are constants."""
    if alone(x, training, running_mean):
        return native_group_norm_backward(g, *of_channels_backward(
            x, weight, save_mean, save_rstd, mask))
    if _is_short_batch(x, g, weight, save_mean if training else running_mean):
        if not training:
            save_mean, save_rstd = running_mean, 1 / np.sqrt(running_var + x.dtype.type(eps))
        return _short_batch_norm_backward(g, x, weight, save_mean, save_rstd, training, mask)
    g_planes, planes = widened(_planes(g)), widened(_planes(x))
    if training:
        mean, rstd = widened(save_mean), widened(save_rstd)
    else:
        mean = widened(running_mean)
        rstd = 1 / np.sqrt(widened(running_var) + planes.dtype.type(eps))
    centered = planes - mean[:, None]
    gx = gw = gb = None
    total = _channel_sum(g_planes)
    dot = _channel_dot(g_planes, centered) * rstd
    if mask[0]:
        factor = rstd if weight is None else rstd * weight
        if training:
            count = planes.shape[0] * planes.shape[2]
            centered *= (rstd * dot / count)[:, None]
            np.subtract(g_planes, centered, out=centered)
            centered -= (total / count)[:, None]
            centered *= factor[:, None]
            gx = centered
        else:
            gx = g_planes * factor[:, None]
        gx = gx.reshape(x.shape).astype(x.dtype, copy=False)
    if mask[1] and weight is not None:
        gw = dot.astype(weight.dtype, copy=False)
    if mask[2]:
        gb = total.astype(g.dtype if weight is None else weight.dtype, copy=False)
    return gx, gw, gb


def _standardize(rows, eps, weight=None, bias=None):
    """(rows - mean) * rstd * weight + bias, and mean and rstd as columns."""
    if 0 < rows.size < SHORT:
        return _short_layer_norm(rows, weight, bias, eps)
    y, mean, rstd = np.empty(rows.shape, rows.dtype), *np.empty((2, len(rows), 1), rows.dtype)
    size, eps = rows.dtype.type(max(rows.shape[1], 1)), rows.dtype.type(eps)

    def work(part, centered):
        first = rows[part, :1] if rows.size else 0
        np.subtract(rows[part], first, centered)
        off = line_sums(centered) / size
        np.subtract(centered, off, centered)
        np.add(first, off, mean[part])
        rstd[part] = 1 / np.sqrt(_row_dots(centered, centered) / size + eps)
        steps = [(np.multiply, rstd[part])]
        if weight is not None:
            steps.append((np.multiply, weight))
        if bias is not None:
            steps.append((np.add, bias))
        *first, (function, operand) = steps
        for step, value in first:
            step(centered, value, centered)
        function(centered, operand, y[part])
    over_blocks(work, rows, 1)
    return y, mean, rstd


def standardize_backward(g, x, mean, rstd, axes):
    """rstd (g - m(g) - normal m(g normal)), normal = (x - mean) rstd, m the mean along axes."""
    dtype = g.dtype
    g, x, mean, rstd = map(widened, (g, x, mean, rstd))
    normal = (x - mean) * rstd
    along = normal * mean_dim(g * normal, axes, True)
    return in_dtype(rstd * (g - mean_dim(g, axes, True) - along), dtype)


def restandardized(x, mean, rstd, axes):
    """((x - mean) * rstd, rstd), of statistics that broadcast with x."""
    return (x - mean) * rstd, rstd


def _standardize_backward(g, centered, rstd, out):
    """out = rstd * (g - mean(g) - normal * mean(g * normal)) for rows, normal = centered * rstd.

    `centered` is used up.
    """
    size = g.dtype.type(max(g.shape[1], 1))
    np.multiply(centered, _row_dots(g, centered) * rstd / size * rstd, centered)
    np.subtract(g, centered, centered)
    np.subtract(centered, line_sums(g) / size, centered)
    np.multiply(centered, rstd, out)


def weight_norm_of(v, length, dims):
    """length v / |v|, the norm over dims."""
    with np.errstate(all="ignore"):
        return v * (length / np.sqrt(np.square(v).sum(dims, keepdims=True)))


def _statistics_dtype(x, weight, computed):
    """Half precision throughout has statistics in it too; with wider weights they stay float32."""
    if is_half(x.dtype) and (weight is None or is_half(weight.dtype)):
        return x.dtype
    return computed.dtype


def _added(parts):
    """The sum of arrays, or None of Nones."""
    return None if parts[0] is None else sum(parts[1:], parts[0])


def _shaped(a, like):
    return None if a is None else a.reshape(like.shape).astype(like.dtype, copy=False)


def _flat(a):
    return None if a is None else a.ravel()


def _rows(x, width):
    size = math.prod(x.shape[x.ndim - width :])
    return np.ascontiguousarray(x).reshape(math.prod(x.shape[: x.ndim - width]), size)


def _planes(x):
    if not (x.flags.c_contiguous or channels_last(x)):
        x = x.copy()
    return x.reshape(x.shape[0], x.shape[1], math.prod(x.shape[2:]))


def _row_dots(a, b):
    """The dot product of each row, as a column; of long rows piece by piece."""
    rows, size = a.shape
    if size <= PIECE:
        return np.vecdot(a, b)[:, None]
    whole = size - size % PIECE
    shape = (rows, whole // PIECE, PIECE)
    pieces = np.vecdot(a[:, :whole].reshape(shape), b[:, :whole].reshape(shape)).sum(1)
    return (pieces + np.vecdot(a[:, whole:], b[:, whole:]))[:, None]


def _channel_sum(planes):
    return sum_over(planes[:, :, 0] if planes.shape[2] == 1 else sum_over(planes, 2), 0)


def _channel_dot(a, b):
    n, c, size = a.shape
    if size == 1 and a.size <= SHORT:
        return sum_over(a[:, :, 0] * b[:, :, 0], 0)
    if size == 1:
        return np.einsum("nc,nc->c", a[:, :, 0], b[:, :, 0])
    rows = _row_dots(a.reshape(n * c, size), b.reshape(n * c, size))
    return sum_over(rows.reshape(n, c), 0)


def _move(running, value, momentum):
    if running is not None:
        running *= number(1 - momentum, running.dtype)
        running += (value * number(momentum, value.dtype)).astype(running.dtype, copy=False)
