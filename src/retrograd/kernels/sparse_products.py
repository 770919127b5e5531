"""Sums and products of sparse arrays in coordinates, and softmax over what they list."""

from __future__ import annotations

import numpy as np

from . import fast
from .indexing import add_rows
from .sparse import (
    Coo,
    add,
    check_inside,
    coalesce,
    lookup,
    on_listed,
    places,
    scaled,
    select,
    sparse_dim,
    t,
    total,
    transpose,
)

CHUNK = 1 << 22               # elements that a product of matrices makes at a time


def sum_all(a, dtype=None):
    return np.asarray(a.values.sum(dtype=dtype or summed_dtype(a)))


def summed_dtype(a):
    return np.int64 if a.dtype.kind in "biu" else a.dtype


def sum_dim(a, dim, keepdim=False, dtype=None):
    """Sums over dimensions: a Coo as long as a dimension is sparse."""
    lead = sparse_dim(a)
    dims = range(a.ndim) if dim is None else [dim] if isinstance(dim, int) else dim
    dims = {d % a.ndim for d in dims} or set(range(a.ndim))
    values = a.values.sum(tuple(d - lead + 1 for d in dims if d >= lead), keepdims=keepdim,
                          dtype=dtype or summed_dtype(a))
    kept = [d for d in range(lead) if d not in dims]
    shape = [1 if d in dims else n for d, n in enumerate(a.shape) if keepdim or d not in dims]
    if not kept and not keepdim:
        return values.sum(0)
    indices = a.indices[kept]
    if keepdim:
        indices = np.where([[d in dims] for d in range(lead)], 0, a.indices)
    res = Coo(indices, values, shape, a.coalesced and len(kept) == lead)
    return coalesce(res).flagged(False) if keepdim else coalesce(res)


def sum_back(g, a, dim):
    """The gradient of sum_dim() without keepdim, in the places of `a`."""
    a = coalesce(a)
    lead = sparse_dim(a)
    dims = sorted(d % a.ndim for d in dim)
    kept = [d for d in range(lead) if d not in dims]
    values = g
    if isinstance(g, Coo):
        values = lookup(coalesce(g), places(a, kept))
    elif kept:
        raise RuntimeError("_sparse_sum_backward_cpu: expected grad_ Tensor to be sparse, but got "
                           "dense")
    else:
        values = np.broadcast_to(g, (len(a.values), *g.shape))
    values = np.expand_dims(values, [d - lead + 1 for d in dims if d >= lead])
    return a.with_values(np.broadcast_to(values, a.values.shape).astype(g.dtype))


def mm(a, b):
    """The product of two matrices, one of which is a Coo at least: a Coo if both are."""
    if not isinstance(a, Coo):
        return mm(t(b), a.T).T
    rows, columns = check_matrix(a)
    if isinstance(b, Coo):
        return mm_sparse(a, b)
    out = np.zeros((a.shape[0], b.shape[1]), np.result_type(a.dtype, b.dtype))
    many = rows.size * b.shape[1] >= fast.limit("add_products") and fast.has("add_products")
    if not many or fast.twin("add_products")(out, rows, columns, a.values, b) is None:
        add_products(out, rows, columns, a.values, b)
    return out


def add_products(out, rows, columns, values, b):
    """`out[rows] += values * b[columns]`, repeated rows included."""
    step = max(1, CHUNK // max(b.shape[1], 1))
    for i in range(0, len(rows), step):
        part = slice(i, i + step)
        add_rows(out, rows[part], values[part, None] * b[columns[part]])
    return out


def check_matrix(a):
    """The row and column numbers of a Coo that is a matrix."""
    if len(a.indices) != 2 or a.values.ndim != 1:
        raise RuntimeError(f"addmm: matrices expected, got {len(a.indices)}D tensor"
                           if len(a.indices) != 2 else
                           f"addmm: scalar values expected, got {a.values.ndim}D values")
    for d in (0, 1):
        check_inside(a.indices[d], d, a.shape[d])
    return a.indices


def mv(a, b):
    return mm(a, b[:, None])[:, 0]


def bmm(a, b):
    """The products of a Coo of matrices and an array of them."""
    if not isinstance(a, Coo):
        return bmm(transpose(b, 1, 2), a.swapaxes(1, 2)).swapaxes(1, 2)
    return np.stack([mm(select(a, 0, k), x) for k, x in enumerate(b)])


def addmm(c, a, b, beta=1, alpha=1):
    """beta c + alpha a b."""
    if isinstance(b, Coo) and isinstance(a, Coo):
        return add(on_listed(np.multiply)(c, c.dtype.type(beta)), mm(a, b), alpha)
    res = mm(a, b)
    return (scaled(res, alpha) + scaled(np.broadcast_to(c, res.shape), beta)
            if beta else scaled(res, alpha))


def hspmm(a, b):
    """The product of a Coo and an array, as a Coo of the rows that `a` has: (n, k) (k, m)."""
    rows, columns = check_matrix(a)
    listed, at = np.unique(rows, return_inverse=True)
    out = np.zeros((len(listed), b.shape[1]), a.dtype)
    return Coo(listed[None], add_products(out, at, columns, a.values, b), (a.shape[0], b.shape[1]))


def sspaddmm(c, a, b, beta=1, alpha=1):
    """beta c + alpha a b, a Coo that lists the elements of `c` and then those of hspmm(a, b)."""
    check_matrix(c)
    product = hspmm(a, b)
    count, width = product.values.shape
    places = [np.repeat(product.indices[0], width), np.tile(np.arange(width), count)]
    return Coo(np.concatenate([c.indices, places], 1),
               np.concatenate([scaled(c.values, beta), scaled(product.values.ravel(), alpha)]),
               product.shape)


def mm_sparse(a, b):
    """The product of two Coos: each element of `a` meets a row of `b`."""
    b = coalesce(b)
    rows, columns = check_matrix(a)
    inner, right = check_matrix(b)
    first, last = (np.searchsorted(inner, columns, side) for side in ("left", "right"))
    counts = last - first
    mine = np.repeat(np.arange(len(columns)), counts)
    theirs = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())
    indices = np.stack([rows[mine], right[theirs]])
    return coalesce(Coo(indices, a.values[mine] * b.values[theirs], (a.shape[0], b.shape[1])))


def mm_at(a, b, like):
    """The product of two arrays, in the places of a coalesced Coo: (n, k) (k, m) -> (n, m)."""
    rows, columns = check_matrix(like)
    right, step = np.ascontiguousarray(b.T), max(1, CHUNK // max(a.shape[1], 1))
    values = np.empty(len(rows), np.result_type(a.dtype, b.dtype))
    for i in range(0, len(rows), step):
        part = slice(i, i + step)
        np.einsum("ij,ij->i", a[rows[part]], right[columns[part]], out=values[part])
    return like.with_values(values)


# --------------------------------------------------------------------------- softmax

def _slices(a, dim):
    """(the number of the slice along `dim` that each element lies in, how many there are)."""
    number = places(a, [d for d in range(sparse_dim(a)) if d != dim])
    found, group = np.unique(number, return_inverse=True)
    return group, len(found)


def softmax(a, dim, log=False):
    """Along `dim`, over the elements that are listed: the others count as minus infinity."""
    a, lead = coalesce(a), sparse_dim(a)
    if dim >= lead:
        axis = dim - lead + 1
        off = a.values - a.values.max(axis, keepdims=True)
        power = np.exp(off)
        whole = power.sum(axis, keepdims=True)
    else:
        group, count = _slices(a, dim)
        largest = np.full((count, *a.values.shape[1:]), -np.inf, a.dtype)
        np.maximum.at(largest, group, a.values)
        off = a.values - largest[group]
        power = np.exp(off)
        whole = total(power, group, count)[group]
    return a.with_values(off - np.log(whole) if log else power / whole)


def log_softmax(a, dim):
    return softmax(a, dim, log=True)


def softmax_back(g, result, dim, log=False):
    """The gradient of softmax(), or of log_softmax(), from its result."""
    if not isinstance(g, Coo):
        raise RuntimeError("coalesce expected sparse coordinate tensor layout but got Strided")
    g = lookup(coalesce(g), places(result))
    out, lead = result.values, sparse_dim(result)
    each = g if log else g * out
    if dim >= lead:
        whole = each.sum(dim - lead + 1, keepdims=True)
    else:
        group, count = _slices(result, dim)
        whole = total(each, group, count)[group]
    return result.with_values(g - np.exp(out) * whole if log else out * (g - whole))


# --------------------------------------------------------------------------- reduced by rows

REDUCE = {"sum": np.add, "mean": np.add, "amax": np.maximum, "amin": np.minimum,
          "max": np.maximum, "min": np.minimum}


def mm_reduce(a, b, reduce):
    """Row i: the sum, mean, maximum or minimum of a[i, j] * b[j] over the j that row i lists."""
    made = a.values[:, None] * b[a.others]                        # (n listed, columns of b)
    counts = np.diff(a.starts)
    res = np.zeros((a.shape[0], b.shape[1]), a.dtype)
    if made.size:
        res[counts > 0] = REDUCE[reduce].reduceat(made, a.starts[:-1][counts > 0], axis=0)
    if reduce == "mean":
        res /= np.maximum(counts, 1)[:, None].astype(a.dtype)
    return res


def mm_reduce_back(g, a, b, result, reduce, of_a):
    """The gradient of mm_reduce: that of `a` in its places, or that of `b`.

    A maximum or minimum gives it to the first element that is it.
    """
    lines, counts = a.indices[0], np.diff(a.starts)
    g = g[lines]                                                  # (n listed, columns of b)
    if reduce == "mean":
        g = g / counts[lines, None].astype(g.dtype)
    elif reduce != "sum" and len(lines):
        there = a.values[:, None] * b[a.others] == result[lines]
        number = np.where(there, np.arange(len(lines))[:, None], len(lines))
        first = np.full(result.shape, len(lines))
        first[counts > 0] = np.minimum.reduceat(number, a.starts[:-1][counts > 0], axis=0)
        g = np.where(number == first[lines], g, 0)
    if of_a:
        return a.with_values((g * b[a.others]).sum(1))
    res = np.zeros_like(b)
    np.add.at(res, a.others, g * a.values[:, None])
    return res
