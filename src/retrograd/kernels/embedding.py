"""Rows looked up by index, alone or in bags, and the scattering of their gradients."""

from __future__ import annotations

import numpy as np

from . import fast
from .checks import as_intp
from .indexing import add_rows


def embedding_rows(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """weight[indices]: (V, D) and any shape of indices -> (*indices.shape, D)."""
    return weight.take(indices, 0)


def embedding_dense_gather(x, indices, padding_idx, scale_grad_by_freq):
    """The transpose of `embedding_dense_backward`."""
    rows = x.take(indices, 0)
    if scale_grad_by_freq:
        counts = np.bincount(as_intp(indices.ravel()))[indices]
        rows = rows / counts[..., None].astype(x.dtype)
    if padding_idx >= 0:
        rows[indices == padding_idx] = 0
    return rows


def embedding_dense_backward(g, indices, num_weights, padding_idx=-1, scale_grad_by_freq=False):
    """g's rows added by index: the transpose of `embedding_rows`; padding_idx gets nothing.

    scale_grad_by_freq divides each row by how often its index occurs.
    """
    width = g.shape[-1]
    flat = indices.reshape(-1)
    rows = g.reshape(flat.size, width)
    if padding_idx >= 0:
        kept = flat != padding_idx
        if not kept.all():
            flat, rows = flat[kept], rows[kept]
    if rows.size >= fast.limit("add_rows") and not 0 <= flat.min() <= flat.max() < num_weights:
        raise IndexError("index out of range in self")       # it was changed since it was looked up
    total = add_rows(np.zeros((num_weights, width), rows.dtype), flat, rows)
    if scale_grad_by_freq:
        counts = np.bincount(as_intp(flat), minlength=num_weights)
        total /= np.maximum(counts, 1)[:, None].astype(total.dtype)
    return total


def embedding_sparse_backward(g, indices, num_weights, padding_idx=-1, scale_grad_by_freq=False):
    """embedding_dense_backward() as a sparse array, which lists g's rows as they come."""
    from .sparse import Coo

    if scale_grad_by_freq:
        raise RuntimeError(
            "embedding_backward: scale_grad_by_freq not supported with sparse gradients")
    flat = indices.reshape(-1)
    rows = g.reshape(flat.size, g.shape[-1])
    if padding_idx >= 0:
        kept = flat != padding_idx
        flat, rows = flat[kept], rows[kept]
    return Coo(flat.astype(np.int64)[None], rows, (num_weights, rows.shape[1]))


def embedding_renorm(weight, indices, max_norm, norm_type):
    """Scale the rows of weight that indices name to at most max_norm, in place."""
    rows = np.unique(indices)
    norms = np.linalg.norm(weight[rows], norm_type, axis=1)
    large = norms > max_norm
    weight[rows[large]] *= (max_norm / (norms[large] + 1e-7))[:, None].astype(weight.dtype)


def embedding_bag_of(
    weight, indices, offsets, per_sample_weights, scale_grad_by_freq, mode, include_last_offset,
    padding_idx, sparse=False,
):
    """Sum (mode 0), mean (1) or maximum (2) of the rows of each bag of indices.

    -> result, bag of each index, counted indices of each bag, index of each maximum.
    """
    starts, ends = bounds(offsets, indices.size, include_last_offset)
    bags = np.repeat(np.arange(starts.size), as_intp(ends - starts))
    counted = bags if padding_idx < 0 else bags[indices != padding_idx]
    sizes = np.bincount(as_intp(counted), minlength=starts.size)
    result, which = np.zeros((starts.size, weight.shape[1]), weight.dtype), np.zeros(0, np.int64)
    if mode == 2:
        which = np.full(result.shape, -1, np.int64)
        _bag_maxima(result, which, starts, ends, indices, weight, padding_idx)
    else:
        _bag_sums(result, starts, ends, indices, weight, per_sample_weights, padding_idx)
    if mode == 1:
        result /= np.maximum(sizes, 1)[:, None].astype(result.dtype)
    return result, bags, sizes, which


def bounds(offsets, total, include_last_offset):
    """Where the bags of `total` indices begin and end."""
    if include_last_offset:  # the last bag ends with the indices all the same
        offsets = offsets[:-1]
    ends = np.empty(offsets.size, np.int64)
    ends[:-1], ends[-1:] = offsets[1:], total
    return offsets, ends


def bag_sums(out, starts, ends, indices, weight, scale, padding_idx):
    """The sums of each bag's rows, `scale` for each of them, added to `out`."""
    bags = np.repeat(np.arange(starts.size), as_intp(ends - starts))
    if padding_idx >= 0:
        kept = indices != padding_idx
        bags, indices = bags[kept], indices[kept]
        scale = None if scale is None else scale[kept]
    rows = weight[indices]
    add_rows(out, bags, rows if scale is None else rows * scale[:, None])
    return out


def bag_maxima(out, which, starts, ends, indices, weight, padding_idx):
    """The maxima of each bag that is not empty, and the rows that have them."""
    for bag, (start, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        members = indices[start:end]
        members = members[members != padding_idx]
        if members.size:
            rows = weight[members]
            at = rows.argmax(0)
            out[bag] = rows[at, np.arange(rows.shape[1])]
            which[bag] = members[at]
    return out, which


def bag_spread(g, indices, bags, num_weights):
    """The transpose of `bag_sums`, without scale or padding: (B, D) -> (V, D)."""
    return embedding_dense_backward(g[bags], indices, num_weights)


_bag_sums = fast.either("bag_sums", bag_sums)
_bag_maxima = fast.either("bag_maxima", bag_maxima)
_bag_spread = fast.either("bag_spread", bag_spread)


def embedding_bag_backward(
    g, indices, per_sample_weights, bags, sizes, which, num_weights, mode, padding_idx,
    scale_by_freq, sparse=False,
):
    """Gradient of `embedding_bag_of` with respect to weight."""
    if mode == 2:
        total = np.zeros((num_weights, g.shape[1]), g.dtype)
        bag, column = np.nonzero(which >= 0)
        np.add.at(total, (which[bag, column], column), g[bag, column])
        return total
    if mode == 1:
        g = g / np.maximum(sizes, 1)[:, None].astype(g.dtype)
    if per_sample_weights is None and padding_idx < 0 and not (scale_by_freq or sparse):
        return _bag_spread(g, indices, bags, num_weights)
    rows = g[bags]
    if per_sample_weights is not None:
        rows = rows * per_sample_weights[:, None]
    back = embedding_sparse_backward if sparse else embedding_dense_backward
    return back(rows, indices, num_weights, padding_idx, scale_by_freq)


def embedding_bag_weights_backward(g, weight, indices, bags, padding_idx):
    """Gradient of a summing `embedding_bag_of` with respect to per_sample_weights."""
    dots = np.vecdot(g[bags], weight[indices])
    return np.where(indices != padding_idx, dots, 0).astype(weight.dtype, copy=False)
