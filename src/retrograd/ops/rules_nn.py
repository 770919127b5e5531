"""Batching rules of layers, losses, paddings and tables; rules.py says what a rule is.

Where parameters differ from slice to slice (per-sample gradients) a layer is taken apart: its
kernel runs without them on all slices at once, and they are applied after it.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from .._tensor import wrap
from .declare import F as T
from .rules import (
    DYNAMIC,
    RULES,
    NoRule,
    aligned,
    all_lifted,
    folded,
    leading,
    lifted,
    logical_ndim,
    moved,
    pointwise,
    reshape,
)


def behind_batch(t, ndim):
    """(B, ...) with dimensions of size 1 after the batch, `ndim` in all."""
    shape = t._data.shape
    return reshape(t, (shape[0], *(1,) * (ndim - len(shape)), *shape[1:]))


def joined(t):
    """(B, N, ...) -> (B N, ...); None stays None."""
    return None if t is None else reshape(t, (-1, *t._data.shape[2:])) if t._data.size else \
        reshape(t, (t._data.shape[0] * t._data.shape[1], *t._data.shape[2:]))


def parted(t, size):
    """(B N, ...) -> (B, N, ...)."""
    return reshape(t, (size, t._data.shape[0] // max(size, 1), *t._data.shape[1:]))


# --------------------------------------------------------------------------- norms

def _affine(res, weight, bias, shape):
    """weight * res + bias; both as `shape(t, has a batch)` lays them out, or None."""
    (weight, has_weight), (bias, has_bias) = weight, bias
    if weight is not None:
        res = res * shape(weight, has_weight)
    return res if bias is None else res + shape(bias, has_bias)


def _layer_norm(op, size, values, flags, consts):
    x, weight, bias = values
    if flags[0] and not (flags[1] or flags[2]):
        return op.fn(x, weight, bias, *consts)
    res, mean, rstd = op.fn(lifted(x, flags[0], size), None, None, *consts)
    ndim = res._data.ndim
    return _affine(res, (weight, flags[1]), (bias, flags[2]),
                   lambda t, has: behind_batch(t, ndim) if has else t), mean, rstd


def _channels(ndim):
    """Lays out (C,) or (B, C) beside (B, N, C, ...)."""
    def shape(t, has):
        c = t._data.shape[-1]
        return reshape(t, (t._data.shape[0] if has else 1, 1, c, *(1,) * (ndim - 3)))
    return shape


def _grouped_mm(op, size, values, flags, consts):
    """Group by group, and the parts put together."""
    ends, = consts
    if ends is None:
        return folded(op, size, values, flags, consts)
    a, b = all_lifted(values, flags, size)
    rows, columns = a._data.ndim == 3, b._data.ndim == 3  # which operands are cut into groups
    products = []
    for k, (start, end) in enumerate(pairwise((0, *ends))):
        left = T.slice_dim(a, 2 if columns else 1, start, end, 1) if rows else T.select(a, 1, k)
        right = T.slice_dim(b, 1 if rows else 2, start, end, 1) if columns else T.select(b, 1, k)
        products.append(T.bmm(left, right))
    if rows and columns:
        return T.stack(products, 1)
    dim = 1 if rows else 2
    rest = list(products[0]._data.shape)
    rest[dim] = max((a if rows else b)._data.shape[dim] - ends[-1], 0)
    return T.cat([*products, wrap(np.zeros(rest, a._data.dtype))], dim)


def _group_norm(op, size, values, flags, consts):
    """(B, N, C, ...) -> (B N, C, ...)."""
    x, weight, bias = lifted(values[0], flags[0], size), *values[1:]
    n, *rest = consts
    res = op.fn(joined(x), None, None, n * size, *rest)
    res, mean, rstd = (parted(r, size) for r in res)
    return _affine(res, (weight, flags[1]), (bias, flags[2]), _channels(x._data.ndim)), mean, rstd


def _batch_norm(op, size, values, flags, consts):
    """(B, N, C, ...) -> (N, B C, ...): every slice has channels of its own."""
    x, weight, bias, *running = values
    training = consts[0]
    if training and any(r is not None and not f for r, f in zip(running, flags[3:], strict=True)):
        raise RuntimeError(
            "Batch norm got a batched tensor as input while the running_mean or running_var, which "
            "will be updated in place, were not batched.\nIf you are using a module and do not "
            "need eval mode, please set `track_running_stats` to be False.If you are using a "
            "prebuilt module and do not need eval mode, please see the functorch website for "
            "resources on how to patch your module to work with vmap")
    x = lifted(x, flags[0], size)
    n, c = x._data.shape[1:3]
    wide = reshape(T.transpose(x, 0, 1), (n, size * c, *x._data.shape[3:]))
    running = [r if r is None else reshape(lifted(r, f, size), (size * c,))
               for r, f in zip(running, flags[3:], strict=True)]
    res, mean, rstd = op.fn(wide, None, None, *running, *consts)
    res = T.transpose(reshape(res, (n, size, c, *x._data.shape[3:])), 0, 1)
    res = _affine(res, (weight, flags[1]), (bias, flags[2]), _channels(x._data.ndim))
    return res, *(parted(r, size) if r._data.size else lifted(r, False, size) for r in (mean, rstd))


# --------------------------------------------------------------------------- losses

def _reduced(each, reduction):
    """The loss of each element (B, ...), summed or averaged over each slice."""
    over = tuple(range(1, each._data.ndim))
    if reduction == 0 or not over:
        return each
    return T.mean_dim(each, over, False) if reduction == 1 else T.sum_dim(each, over, False)


def _classes_first(x, target, flags, size):
    """x as (B, N, C, ...), target as (B, N, ...), and whether there was no N."""
    x, target = lifted(x, flags[0], size), lifted(target, flags[1], size)
    single = x._data.ndim == 2
    return (T.unsqueeze(x, 1), T.unsqueeze(target, 1), True) if single else (x, target, False)


def _scale(target, weight, has, ignore_index, dtype):
    """(the weight of each target's class, 0 where ignored; the targets, 0 where ignored)."""
    weight = None if weight is None else weight.detach()
    kept = target != ignore_index
    safe = T.where(kept, target, 0)
    scale = kept.to(dtype)
    if weight is not None and has:
        flat = reshape(safe, (safe._data.shape[0], -1))
        scale = scale * reshape(T.gather(weight, flat, 1), safe._data.shape)
    elif weight is not None:
        scale = scale * weight[safe]
    return scale, safe


def _nll_loss(op, size, values, flags, consts):
    """Pick the targets' entries; the mean is over the classes' weights."""
    x, target, weight = values
    reduction, ignore_index = consts
    x, target, single = _classes_first(x, target, flags, size)
    scale, safe = _scale(target, weight, flags[2], ignore_index, x.dtype)
    picked = T.squeeze_dim(T.gather(x, T.unsqueeze(safe, 2), 2), 2)
    each, total = -(picked * scale), _reduced(scale, 2)
    if reduction == 0:
        return (T.squeeze_dim(each, 1) if single else each), total * 0
    summed = _reduced(each, 2)
    return (summed / total if reduction == 1 else summed), total


def _nll_gather(op, size, values, flags, consts):
    """As _nll_loss, with the total given."""
    x, target, weight, total = values
    reduction, ignore_index = consts
    each, _ = _nll_loss(op, size, (x, target, weight), flags[:3], (0, ignore_index))
    summed = _reduced(each, 2 if reduction else 0)
    return summed / total if reduction == 1 else summed


def _nll_backward(op, size, values, flags, consts):
    """-g * weight at each target's entry."""
    g, target, weight, total, x = values
    reduction, ignore_index = consts
    like, target, single = _classes_first(x, target, (flags[4], flags[1]), size)
    g = lifted(g, flags[0], size)
    if reduction:
        g = reshape(g / total if reduction == 1 else g, (size, *(1,) * (target._data.ndim - 1)))
    elif single:
        g = T.unsqueeze(g, 1)
    scale, safe = _scale(target, weight, flags[2], ignore_index, g.dtype)
    zeros = T.zeros_like(like)
    res = T.scatter(zeros, T.unsqueeze(safe, 2), T.unsqueeze(-g * scale, 2), 2)
    return T.squeeze_dim(res, 1) if single else res


def _by_rows(several):
    """Losses of rows (N, C): all rows at once, then the mean or sum of each slice."""
    def rule(op, size, values, flags, consts):
        *rows, weight = values if len(values) == 3 else (*values, None)
        if len(values) == 3 and flags[2]:
            raise NoRule
        rows = all_lifted(rows, flags[:2], size)
        shape = rows[0]._data.shape
        single = len(shape) < 3
        classes = shape[-1] if len(shape) > 1 else 1
        flat = [reshape(rows[0], (-1, classes)),
                reshape(rows[1], (-1, classes) if several else (-1,))]
        tensors = (*flat, weight) if len(values) == 3 else flat
        res = op.fn(*tensors, *consts[:-1], 0)
        each, *more = res if isinstance(res, tuple) else (res,)
        each = parted(each, size)
        if single and consts[-1] == 0:
            each = T.squeeze_dim(each, 1)
        loss = _reduced(each, consts[-1])
        if not more:
            return loss
        return loss, reshape(more[0], shape)
    return rule


def _margin_backward(op, size, values, flags, consts):
    """Gradients of losses of rows: each row gets its share of its slice's gradient."""
    (g, x, target), weight = values[:3], values[3:]
    if any(flags[3:]):
        raise NoRule
    g, x, target = all_lifted((g, x, target), flags[:3], size)
    classes = x._data.shape[-1] if x._data.ndim > 1 else 1
    rows = reshape(x, (-1, classes))
    n = rows._data.shape[0] // max(size, 1)
    g = g / n if consts[-1] == 1 else g
    g = T.expand(behind_batch(g, 2) if g._data.ndim < 2 else g, (size, n))
    target = reshape(target, (size * n, -1)) if op.name.startswith("multilabel") else \
        reshape(target, (size * n,))
    res = op.fn(reshape(g, (size * n,)), rows, target, *weight, *consts[:-1], 0)
    return reshape(res, x._data.shape)


def _ctc(op, size, values, flags, consts):
    """Sequences of all slices side by side: (B, T, N, C) -> (T, B N, C)."""
    at = op.inputs.index("log_probs")
    values = all_lifted(values, flags, size)
    inputs, lengths, *rest = consts
    n = len(lengths)
    values[at] = _sequences(values[at])
    for k in range(len(values)):
        if op.inputs[k] == "targets" and values[k]._data.ndim == 2:
            ends = np.cumsum(lengths)
            wide = [T.pad_constant(values[k][:, e - m:e], (0, max(lengths) - m), 0)
                    for e, m in zip(ends.tolist(), lengths, strict=True)]
            values[k] = T.stack(wide, 1)
        values[k] = values[k] if k == at else joined(values[k])
    res = op.fn(*values, inputs * size, lengths * size, *rest)
    if op.name == "ctc_loss_forward":
        return tuple(parted(r, size) for r in res)
    return T.transpose(reshape(res, (res._data.shape[0], size, n, res._data.shape[2])), 0, 1)


def _sequences(x):
    """(B, T, N, C) -> (T, B N, C)."""
    b, t, n, c = x._data.shape
    return reshape(T.transpose(x, 0, 1), (t, b * n, c))


# --------------------------------------------------------------------------- tables

def _one_table(weight, indices, flags, size):
    """(a table of all slices' rows, indices into it, (B, ...)); a shared table stays as it is."""
    indices = lifted(indices, flags[1], size)
    if not flags[0]:
        return weight, indices
    rows = weight._data.shape[1]
    return reshape(weight, (size * rows, weight._data.shape[2])), indices + _starts(size, rows,
                                                                                  indices)


def _starts(size, rows, like):
    """0, rows, 2 rows, ...: where each slice's rows begin, laid out beside `like`."""
    return reshape(wrap(np.arange(size) * rows), (size, *(1,) * (like._data.ndim - 1)))


def _embedding(op, size, values, flags, consts):
    padding, by_frequency, sparse = consts
    if by_frequency:                                    # each slice counts for itself
        values, flags = all_lifted(values, flags, size), (True, True)
    if not flags[0]:
        return op.fn(*values, *consts)
    rows = op.fn(*_one_table(*values, flags, size), -1, by_frequency, sparse)
    if padding < 0:
        return rows
    pad = T.unsqueeze(lifted(values[1], flags[1], size) == padding, -1 % rows._data.ndim)
    return T.where(pad, rows.detach(), rows)            # no gradient flows to that row


def _embedding_back(op, size, values, flags, consts):
    """Each slice has rows of its own in one long table."""
    grad, indices = all_lifted(values, flags, size)
    count, padding, by_frequency = consts
    if padding >= 0:
        grad = T.where(T.unsqueeze(indices == padding, indices._data.ndim), 0.0, grad)
    res = op.fn(grad, indices + _starts(size, count, indices), size * count, -1, by_frequency)
    return reshape(res, (size, count, res._data.shape[-1]))


def _embedding_gather(op, size, values, flags, consts):
    padding, by_frequency = consts
    values = all_lifted(values, flags, size)
    table, places = _one_table(*values, (True, True), size)
    res = op.fn(table, places, -1, by_frequency)
    if padding >= 0:
        res = T.where(T.unsqueeze(values[1] == padding, values[1]._data.ndim), 0.0, res)
    return res


def _embedding_bag(op, size, values, flags, consts):
    """All bags of all slices in one call."""
    by_frequency, mode, include_last, padding, _ = consts
    weight, indices, offsets, scale = values
    if by_frequency:                                    # each slice counts for itself
        weight, flags = lifted(weight, flags[0], size), (True, *flags[1:])
    table, places = _one_table(weight, indices, flags[:2], size)
    if padding >= 0 and flags[0]:                       # one more row stands for every padding
        table = T.cat([table, T.zeros_like(table[:1].detach())], 0)
        shared = table._data.shape[0] - 1
        places = T.where(lifted(indices, flags[1], size) == padding, shared, places)
        padding = shared
    offsets = lifted(offsets, flags[2], size)
    if include_last:                                    # the last offset is the end of the indices
        offsets = offsets[:, :-1]
    n, bags = places._data.shape[1], offsets._data.shape[1]
    scale = scale if scale is None else joined(lifted(scale, flags[3], size))
    starts = joined(offsets + _starts(size, n, offsets))
    res, bag, sizes, which = op.fn(table, joined(places), starts, scale, by_frequency, mode, False,
                                   padding)
    bag = parted(bag, size) - _starts(size, bags, places) if bag._data.size else lifted(
        bag, False, size)
    rows = weight._data.shape[-2]
    if which._data.ndim > 1 and flags[0]:
        which = parted(which, size)
        which = T.where(which < 0, which, which - _starts(size, rows, which))
    else:
        which = parted(which, size)
    return parted(res, size), bag, parted(sizes, size), which


# --------------------------------------------------------------------------- parts and places

def _with_size(*names):
    """As folded(), for operators that take the shape (N, ...) of their result or input."""
    def rule(op, size, values, flags, consts):
        at = list(op.consts)
        for name in names:
            n, *rest = consts[at.index(name)]
            consts[at.index(name)] = (n * size, *rest)
        return folded(op, size, values, flags, consts)
    return rule


def _to_shape(op, size, values, flags, consts):
    return op.fn(values[0], (size, *consts[0]))


def _each(op, size, values, flags, consts):
    return op.fn(*all_lifted(values, flags, size), *consts)


def _window(op, size, values, flags, consts):
    return op.fn(*all_lifted(values, flags, size), consts[0].stacked(size))


def _masked_scatter(op, size, values, flags, consts):
    """The k-th place of the mask gets the k-th element of the source."""
    x, mask, source = values
    x, mask = aligned([lifted(x, flags[0], size), lifted(mask, flags[1], size)], [True, True])
    shape = np.broadcast_shapes(x._data.shape, mask._data.shape)
    x, mask = T.expand(x, shape), T.expand(mask, shape)
    places = reshape(T.cumsum(reshape(mask, (size, -1)).to(wrap(np.zeros(0, np.int64)).dtype), 1)
                     - 1, shape)
    source = lifted(source, flags[2], size)
    flat = reshape(source, (size, -1))
    last = flat._data.shape[1] - 1
    if int(places._data.max(initial=-1)) > last:
        raise RuntimeError("masked_scatter: expected self and source to have same dtypes and "
                           "number of elements in source >= number of ones in mask")
    taken = T.gather(flat, reshape(T.clamp_numbers(places, 0, max(last, 0)), (size, -1)), 1)
    return T.where(mask, reshape(taken, shape), x)


def _of_dynamic_shape(op, size, values, flags, consts):
    if op.name == "masked_select":
        raise RuntimeError(
            "vmap: Attempted to vmap over `mask` in torch.masked_select(self, mask) We cannot "
            "support this because for each batch this would return a differently shaped Tensor. "
            "Please file an issue at https://github.com/pytorch/pytorch/issues if you need this "
            "feature.")
    name = "_unique2" if op.name == "unique2" else op.name
    raise RuntimeError(DYNAMIC.format(name))


def _masked_select(op, size, values, flags, consts):
    """With one mask for all slices they have as many elements each."""
    if flags[1]:
        _of_dynamic_shape(op, size, values, flags, consts)
    x, mask = values
    shape = np.broadcast_shapes(x._data.shape[1:], mask._data.shape)
    at = wrap(np.flatnonzero(np.broadcast_to(mask._data, shape)))
    wide = T.expand(behind_batch(x, len(shape) + 1), (size, *shape))
    return T.index_select(reshape(wide, (size, -1)), at, 1)


def _put(op, size, values, flags, consts):
    x, index, source = all_lifted(values, flags, size)
    flat, index = reshape(x, (size, -1)), reshape(index, (size, -1))
    index = T.where(index < 0, index + flat._data.shape[1], index)
    source = reshape(source, (size, -1))
    res = (T.scatter_add if consts[0] else T.scatter)(flat, index, source, 1)
    return reshape(res, x._data.shape)


def _index_fill_tensor(op, size, values, flags, consts):
    """A mask of the places, and where()."""
    x, index, value = values
    x = lifted(x, flags[0], size)
    dim = consts[0] + 1
    scalar = x._data.ndim == 1
    wide = T.unsqueeze(x, 1) if scalar else x
    n = wide._data.shape[dim]
    index = reshape(lifted(index, flags[1], size), (size, -1))
    index = T.where(index < 0, index + n, index)
    mask = T.scatter_value(wrap(np.zeros((size, n), bool)), index, 1, True)
    mask = reshape(mask, (size, *(n if d == dim else 1 for d in range(1, wide._data.ndim))))
    if flags[2]:
        value = behind_batch(value, wide._data.ndim)
    res = T.where(mask, value.to(x.dtype), wide)
    return reshape(res, (size,)) if scalar else res


# --------------------------------------------------------------------------- distances, products

def _dist(op, size, values, flags, consts):
    a, b = aligned(values, flags)
    gap = reshape(lifted(a - b, True, size), (size, -1))
    return T.linalg_vector_norm(gap, consts[0], (1,), False)


def _pdist(op, size, values, flags, consts):
    i, j = (wrap(np.ascontiguousarray(k)) for k in np.triu_indices(values[0]._data.shape[1], 1))
    gap = T.index_select(values[0], i, 1) - T.index_select(values[0], j, 1)
    return T.linalg_vector_norm(gap, consts[0], (2,), False)


def _matrices_alike(op, size, values, flags, consts):
    """Stacks of matrices: (B, ..., n, m), with dimensions of size 1 where one has fewer."""
    values = all_lifted(values, flags, size)
    ndim = max(v._data.ndim for v in values)
    return op.fn(*(behind_batch(v, ndim) for v in values), *consts)


def _ldl_solve(op, size, values, flags, consts):
    """Pivots have a dimension less than the matrices."""
    factors, pivots, b = all_lifted(values, flags, size)
    ndim = max(factors._data.ndim, b._data.ndim)
    return op.fn(behind_batch(factors, ndim), behind_batch(pivots, ndim - 1),
                 behind_batch(b, ndim), *consts)


def _solve(op, size, values, flags, consts):
    """A vector beside each matrix stays one."""
    a, b = all_lifted(values, flags, size)
    vectors = logical_ndim(values[1], flags[1]) == 1 or (
        b._data.ndim == a._data.ndim - 1 and b._data.shape == a._data.shape[:-1])
    if not vectors:
        return _matrices_alike(op, size, [a, b], [True, True], consts)
    if b._data.ndim == a._data.ndim - 1:
        return op.fn(a, b, *consts)
    column = behind_batch(T.unsqueeze(b, b._data.ndim), a._data.ndim)
    return T.squeeze_dim(op.fn(a, column, *consts), a._data.ndim - 1)


def _plus(bias, has, product, beta, alpha):
    """beta * bias + alpha * product."""
    product = product if alpha == 1 else product * alpha
    if beta == 0:
        return product
    if has:
        bias = behind_batch(bias, product._data.ndim)
    return product + (bias if beta == 1 else bias * beta)


def _addbmm(op, size, values, flags, consts):
    from .matmul import matmul
    summed = T.sum_dim(matmul(*all_lifted(values[1:], flags[1:], size)), 1, False)
    return _plus(values[0], flags[0], summed, *consts)


def _addr(op, size, values, flags, consts):
    a, b = all_lifted(values[1:], flags[1:], size)
    return _plus(values[0], flags[0], T.unsqueeze(a, 2) * T.unsqueeze(b, 1), *consts)


def _aminmax(op, size, values, flags, consts):
    x, (dim, keepdim) = values[0], consts
    if dim is not None and x._data.ndim > 1:
        return op.fn(x, moved(dim), keepdim)
    res = op.fn(reshape(x, (size, -1)), 1, False)
    ones = (1,) * (x._data.ndim - 1 if keepdim else 0)
    return tuple(reshape(r, (size, *ones)) for r in res)


def _overwritten(*names):
    """A copy with a part overwritten: `names` are its plain values that are dimensions."""
    def rule(op, size, values, flags, consts):
        consts = [c + (name in names) for name, c in zip(op.consts, consts, strict=True)]
        return op.fn(*all_lifted(values, flags, size), *consts)
    return rule


def _renorm(op, size, values, flags, consts):
    x, (p, dim, maxnorm) = values[0], consts
    norms = T.linalg_vector_norm(x, p, tuple(
        d for d in range(1, x._data.ndim) if d != dim + 1), True)
    return x * T.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)


def _block_diag(op, size, values, flags, consts):
    blocks = [T.cast(reshape(t, (size, *(1, 1, *t._data.shape[1:])[-2:])), consts[0])
              for t in all_lifted(values[0], flags[0], size)]
    width, rows, at = sum(t._data.shape[2] for t in blocks), [], 0
    for t in blocks:
        _, n, m = t._data.shape
        sides = [wrap(np.zeros((size, n, k), consts[0])) for k in (at, width - at - m)]
        rows.append(T.cat([sides[0], t, sides[1]], 2))
        at += m
    return T.cat(rows, 1)


RULES.update({
    "grouped_mm_of": _grouped_mm,
    "native_layer_norm_of": _layer_norm, "native_group_norm_of": _group_norm,
    "native_batch_norm_of": _batch_norm,
    "nll_loss_forward": _nll_loss, "nll_loss2d_forward": _nll_loss,
    "nll_loss_gather": _nll_gather, "nll_loss_backward": _nll_backward,
    "multi_margin_loss_of": _by_rows(False), "multilabel_margin_loss_forward": _by_rows(True),
    **dict.fromkeys(("multi_margin_loss_backward", "multilabel_margin_loss_backward"),
                    _margin_backward),
    **dict.fromkeys(("ctc_loss_forward", "ctc_loss_backward"), _ctc),
    "embedding_rows": _embedding, "embedding_dense_backward": _embedding_back,
    "embedding_dense_gather": _embedding_gather, "embedding_bag_of": _embedding_bag,
    "affine_grid_of": _with_size("size"), "affine_grid_backward": _with_size("size"),
    "upsample_backward": _with_size("shape"),
    **dict.fromkeys(("channel_shuffle_by", "col2im_batched", "fractional_max_pool_2d",
                     "fractional_max_pool_3d", "resize_bicubic2d_aa", "resize_bilinear2d_aa",
                     "resize_lanczos2d_aa"),
                    folded),
    **dict.fromkeys(("pad_by", "reflect_1d", "reflect_2d", "reflect_3d", "replicate_1d",
                     "replicate_2d", "replicate_3d"), leading),
    "pad_by_backward": _each, "pad_end": _to_shape, "cut_start": _to_shape,
    **dict.fromkeys(("window_cut", "window_pad", "window_replace"), _window),
    "clone_as": lambda op, size, values, flags, consts: T.clone(values[0]),
    "to_copy": lambda op, size, values, flags, consts: T.to_copy(values[0], consts[0], None),
    "masked_scatter": _masked_scatter, "put": _put, "index_fill_tensor": _index_fill_tensor,
    **dict.fromkeys(("select_scatter", "slice_scatter"), _overwritten("dim")),
    "diagonal_scatter": _overwritten("dim1", "dim2"),
    "block_diag_of": _block_diag, "renorm": _renorm, "dist": _dist, "pdist_forward": _pdist,
    **dict.fromkeys(("cdist_forward", "euclidean_dist", "linalg_solve_triangular",
                     "cholesky_solve", "linalg_lstsq_of"), _matrices_alike),
    "linalg_ldl_solve": _ldl_solve, "linalg_solve": _solve,
    "addbmm": _addbmm, "addr": _addr, "aminmax": _aminmax,
    **dict.fromkeys(("bernoulli_array", "standard_gamma_grad", "dirichlet_grad"), pointwise),
    "masked_select": _masked_select,
    **dict.fromkeys(("unique2", "unique_dim", "unique_consecutive"), _of_dynamic_shape),
})
