"""Sparse arrays in coordinates: the arrays of tensors of the layout torch.sparse_coo.

A Coo lists n elements: `indices` (S, n) say where they are in the first S dimensions, `values`
(n, *the other dimensions) what is there; where a place is listed twice, the sum. It is *coalesced*
if the places are sorted and none is listed twice.

The functions below take a Coo where they say so, and return one. Places are also given by number:
the number of a place is its position in the flattened dense array of the first S dimensions. Sums
and products are in sparse_products.py.
"""

from __future__ import annotations

import math

import numpy as np

from .checks import all_below
from .indexing import add_rows
from .sparse_array import Sparse, could_not_run, refusal

TOO_LARGE = "numel: integer multiplication overflow"


class Coo(Sparse):
    """A sparse array in coordinates."""

    __slots__ = ("indices",)
    layout = "sparse_coo"

    def __init__(self, indices, values, shape, coalesced=False):
        self.indices, self.values = indices, values
        self.shape = tuple(shape)
        self.coalesced = coalesced or indices.shape[1] < 2

    def parts(self):
        """What it consists of, as its repr names it."""
        return {"indices": self.indices, "values": self.values}

    def with_values(self, values):
        return Coo(self.indices, values, self.shape, self.coalesced)

    def flagged(self, coalesced):
        """The same elements, said to be coalesced or not."""
        return Coo(self.indices, self.values, self.shape, coalesced)

    def uncounted(self):
        """The array as a leaf's gradient keeps it: no longer known to be coalesced."""
        return self.flagged(False)

    def copy(self):
        return Coo(self.indices.copy(), self.values.copy(), self.shape, self.coalesced)

    def reshape(self, *shape):
        """The one element, for item(), float() and the like."""
        return to_dense(self).reshape(()) if shape == ((),) and self.size == 1 else refusal()

    def added(self, other):
        return add(self, other)

    def added_to(self, dense):
        return add_to(dense, self)


def sparse_dim(a):
    """S, how many of the dimensions of a Coo are sparse."""
    return len(a.indices)


def empty(shape, dtype, sparse=None):
    """A Coo without elements, whose first `sparse` dimensions are sparse (None: all)."""
    sparse = len(shape) if sparse is None else sparse
    return Coo(np.zeros((sparse, 0), np.int64), np.zeros((0, *shape[sparse:]), dtype), shape, True)


def places(a, dims=None):
    """The number of each element's place, or of its place in the sparse dimensions `dims`."""
    dims = range(len(a.indices)) if dims is None else dims
    if math.prod(a.shape[:len(a.indices)]) >= 2**63:
        raise RuntimeError(TOO_LARGE)
    number = np.zeros(a.indices.shape[1], np.int64)
    for d in dims:
        check_inside(a.indices[d], d, a.shape[d])
        number = number * a.shape[d] + a.indices[d]
    return number


def check_inside(index, dim, size):
    """RuntimeError unless all of the indices name one of `size` places."""
    if all_below(index, size):
        return
    if index.min() < 0:
        raise RuntimeError(f"found negative index {index.min()} for dim {dim}")
    raise RuntimeError(f"size is inconsistent with indices: for dim {dim}, size is {size} but "
                       f"found index {index.max()}")


def total(values, group, count):
    """The sums of the values of each group: (n, ...), (n) -> (count, ...)."""
    return add_rows(np.zeros((count, *values.shape[1:]), values.dtype), group, values)


def coalesce(a):
    """The same array with its places sorted and each listed once."""
    if a.coalesced:
        return a
    number = places(a)
    order = np.argsort(number, kind="stable")
    number, values = number[order], a.values[order]
    first = np.concatenate([[True], number[1:] != number[:-1]])
    if not first.all():
        values = total(values, np.cumsum(first) - 1, np.count_nonzero(first))
    return Coo(a.indices[:, order[first]], values, a.shape, True)


def to_dense(a):
    """The dense array."""
    rows = np.zeros((math.prod(a.shape[:sparse_dim(a)]), *a.values.shape[1:]), a.dtype)
    return add_rows(rows, places(a), a.values).reshape(a.shape)


def from_dense(x, sparse=None):
    """The elements of an array that are not zero, or its rows that are not all zero."""
    sparse = x.ndim if sparse is None else sparse
    used = (x != 0).any(tuple(range(sparse, x.ndim)))
    indices = np.array(np.nonzero(used.reshape(used.shape or 1)), np.int64)[:sparse or 0]
    if not x.ndim:                       # one place, which needs no index
        return Coo(np.zeros((0, int(used)), np.int64), x.reshape(1)[:int(used)], (), True)
    return Coo(indices, x[tuple(indices)], x.shape, True)


def lookup(a, number):
    """The values of a coalesced Coo at the places of these numbers, zeros where it has none."""
    at, found = find(a, number)
    values = np.zeros((len(number), *a.values.shape[1:]), a.dtype)
    values[found] = a.values[at[found]]
    return values


def find(a, number):
    """(which element of a coalesced Coo is at each of these places, whether there is one)."""
    mine = places(a)
    at = np.searchsorted(mine, number)
    found = at < len(mine)
    found[found] = mine[at[found]] == number[found]
    return at, found


def mask(x, like):
    """What the array or Coo `x` has in the places of `like`."""
    if isinstance(x, Coo):
        return like.with_values(lookup(coalesce(x), places(like)))
    places(like)
    return like.with_values(x[tuple(like.indices)])


def values_at(x, indices):
    """The values of an array or Coo in the places of these indices."""
    if isinstance(x, Coo):
        return lookup(coalesce(x), places(Coo(indices, None, x.shape)))
    return x[tuple(indices)]


# --------------------------------------------------------------------------- elementwise

def on_values(kernel):
    """A kernel that leaves zeros zeros, for a Coo."""
    def run(a, *args):
        a = coalesce(a)
        return a.with_values(np.asarray(kernel(a.values, *args)))
    return run


def on_listed(kernel):
    """A linear kernel, which may take the values one by one."""
    return lambda a, *args: a.with_values(np.asarray(kernel(a.values, *args)))


def add(a, b, alpha=1):
    """a + alpha b: of two Coos a Coo, of an array and a Coo an array."""
    if not isinstance(b, Coo):
        raise RuntimeError("add(sparse, dense) is not supported. Use add(dense, sparse) instead.")
    if not isinstance(a, Coo):
        if a.shape != b.shape:
            raise RuntimeError(
                f"add: expected 'self' and 'other' to have same size, but self has size "
                f"{list(a.shape)} while other has size {list(b.shape)} (FYI: dense-sparse addition "
                "does not currently support broadcasting)")
        return add_to(a.astype(np.result_type(a, b.dtype)), b, alpha)
    if a.shape != b.shape:
        raise RuntimeError(f"add: expected sizes of 'self' and 'other' to match, but "
                           f"{list(a.shape)} != {list(b.shape)}")
    if sparse_dim(a) != sparse_dim(b):
        raise RuntimeError(f"add: expected 'self' and 'other' to have same number of sparse "
                           f"dimensions, but {sparse_dim(a)} != {sparse_dim(b)}")
    merged = a.values.flags.c_contiguous and b.values.flags.c_contiguous     # PyTorch's condition
    if merged and np.array_equal(a.indices, b.indices):
        return a.with_values(a.values + scaled(b.values, alpha)).flagged(
            a.coalesced and b.coalesced)
    both = Coo(np.concatenate([a.indices, b.indices], 1),
               np.concatenate([a.values, scaled(b.values, alpha)]), a.shape)
    crowded = both.indices.shape[1] > math.prod(a.shape)     # or they would grow without bound
    if not crowded and not (merged and is_sorted(a) and is_sorted(b)):
        return both
    both = coalesce(both)
    both.coalesced = merged and a.coalesced and b.coalesced
    return both


def relu_back(g, a, threshold):
    """The gradient of relu(): what of `g` lies where the Coo `a` is larger than `threshold`."""
    if not isinstance(g, Coo):
        raise could_not_run("_nnz", "CPU")
    a = coalesce(a)
    values = lookup(coalesce(g), places(a))
    return a.with_values(np.where(a.values > threshold, values, 0).astype(g.dtype))


def no_expand(a, shape):
    raise RuntimeError("expand is unsupported for Sparse tensors")


def subtract(a, b, alpha=1):
    if b.dtype == np.bool_:
        np.subtract(False, False)         # says that it cannot
    return add(a, b, -alpha)


def scaled(values, alpha):
    return values if alpha == 1 else values * np.asarray(alpha).astype(values.dtype)


def is_sorted(a):
    """Whether it might be called coalesced."""
    number = places(a)
    return a.coalesced or bool((number[1:] > number[:-1]).all())


def add_to(x, a, alpha=1):
    """Add alpha times a Coo to an array in place."""
    lead = sparse_dim(a)
    rows = x.reshape(math.prod(x.shape[:lead]), *x.shape[lead:])
    values = a.values
    if values.dtype.kind in "iu":                   # before the product: -1 times a byte is 255
        values = values.astype(x.dtype, copy=False)
    add_rows(rows, places(a), scaled(values, alpha).astype(x.dtype, copy=False))
    if not np.may_share_memory(rows, x):
        x[...] = rows.reshape(x.shape)
    return x


def multiply(a, b):
    """The product of two arrays, one of which is a Coo at least: a Coo."""
    if not isinstance(a, Coo):
        a, b = b, a
    if not isinstance(b, Coo):
        shape = np.broadcast_shapes(a.shape, b.shape)
        a = broadcast_to(a, shape)
        if b.ndim == 0:
            return a.with_values(a.values * b)
        places(a)
        return a.with_values(a.values * np.broadcast_to(b, shape)[tuple(a.indices)])
    if a.shape != b.shape or sparse_dim(a) != sparse_dim(b):
        raise RuntimeError(
            "sparse_binary_op_intersection_cpu(): expects sparse inputs with equal dimensionality, "
            "number of sparse dimensions, and shape of sparse dimensions")
    larger = a.nnz >= b.nnz              # one is searched; the other's places stand in the result
    if a.coalesced if a.coalesced != b.coalesced else larger:
        a, b = b, a
    if not (a.coalesced and b.coalesced):
        return a.with_values(a.values * lookup(coalesce(b), places(a)))
    at, found = find(b, places(a))
    return Coo(a.indices[:, found], a.values[found] * b.values[at[found]], a.shape, True)


def divide(a, b):
    if isinstance(b, Coo) or b.ndim:
        raise RuntimeError("Sparse division requires a scalar or zero-dim dense tensor divisor "
                           f"(got shape {list(b.shape)} for divisor)")
    return a.with_values(np.asarray(a.values / b))


def divide_rounded(a, b, rounding_mode):
    quotient = divide(a, b)
    round_ = {"floor": np.floor, "trunc": np.trunc}[rounding_mode]
    return quotient.with_values(round_(quotient.values).astype(a.dtype))


def floor_divide(a, b):
    if isinstance(b, Coo) or b.ndim:
        raise RuntimeError("Sparse floor division requires a scalar or zero-dim dense tensor "
                           f"divisor (got shape {list(b.shape)} for divisor)")
    return a.with_values(np.asarray(a.values // b))


def broadcast_to(a, shape):
    """The Coo expanded; new dimensions stand in front."""
    if a.shape == shape:
        return a
    a = coalesce(a)
    for _ in range(len(shape) - a.ndim):
        a = unsqueeze(a, 0)
    for d in range(sparse_dim(a)):
        if a.shape[d] != shape[d]:
            n = a.indices.shape[1]
            indices = np.tile(a.indices, shape[d])
            indices[d] = np.repeat(np.arange(shape[d]), n)
            a = Coo(indices, np.concatenate([a.values] * shape[d]) if shape[d] else a.values[:0],
                    (*a.shape[:d], shape[d], *a.shape[d + 1:]))
    values = np.broadcast_to(a.values, (len(a.values), *shape[sparse_dim(a):]))
    return coalesce(Coo(a.indices, values, shape))


# --------------------------------------------------------------------------- shape

def permute(a, dims):
    """Its dimensions in another order; sparse ones stay in front."""
    lead = sparse_dim(a)
    for d, old in enumerate(dims[:lead]):
        if old >= lead:
            raise RuntimeError("sparse transpose: transposed dimensions must be sparse Got "
                               f"sparse_dim: {lead}, d0: {d}, d1: {old}")
    values = a.values.transpose(0, *(d - lead + 1 for d in dims[lead:]))
    same = list(dims[:lead]) == list(range(lead))
    return Coo(a.indices[list(dims[:lead])], values, [a.shape[d] for d in dims],
               a.coalesced and same)


def transpose(a, dim0, dim1):
    dims = list(range(a.ndim))
    dims[dim0], dims[dim1] = dim1, dim0
    return permute(a, dims)


def t(a):
    return permute(a, (1, 0)) if a.ndim == 2 else a


def unsqueeze(a, dim):
    dim %= a.ndim + 1
    shape = (*a.shape[:dim], 1, *a.shape[dim:])
    lead = sparse_dim(a)
    if dim > lead:
        return Coo(a.indices, np.expand_dims(a.values, dim - lead + 1), shape, a.coalesced)
    return Coo(np.insert(a.indices, dim, 0, 0), a.values, shape, a.coalesced)


def select(a, dim, index):
    """Without one dimension: what lies at `index` in it. An array, if no dimension is sparse."""
    lead = sparse_dim(a)
    shape = a.shape[:dim] + a.shape[dim + 1:]
    if dim >= lead:
        return Coo(a.indices, a.values.take(index % a.shape[dim], dim - lead + 1), shape,
                   a.coalesced)
    kept = a.indices[dim] == index % a.shape[dim]
    if lead == 1:
        return a.values[kept].sum(0, dtype=a.dtype)
    return Coo(np.delete(a.indices, dim, 0)[:, kept], a.values[kept], shape, a.coalesced)


def index_select(a, index, dim):
    """Its slices along `dim` in the order of `index`."""
    lead = sparse_dim(a)
    index = index.reshape(-1)
    if index.size and not -a.shape[dim] <= index.min() <= index.max() < a.shape[dim]:
        raise IndexError("index_select(): index contains "
                         f"{index.max()} that is out of range for tensor of size "
                         f"{list(a.shape)} at dimension {dim}")
    index = index % max(a.shape[dim], 1)
    shape = (*a.shape[:dim], len(index), *a.shape[dim + 1:])
    if dim >= lead:
        return Coo(a.indices, a.values.take(index, dim - lead + 1), shape, a.coalesced)
    rows = a.indices[dim]
    order = np.argsort(rows, kind="stable")
    first, last = (np.searchsorted(rows[order], index, side) for side in ("left", "right"))
    counts = last - first
    source = order[np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(counts.sum())]
    indices = a.indices[:, source]
    indices[dim] = np.repeat(np.arange(len(index)), counts)
    return Coo(indices, a.values[source], shape)


def cat(arrays, dim):
    """Coos side by side along `dim`."""
    first = arrays[0]
    for k, a in enumerate(arrays):
        if not isinstance(a, Coo):
            raise RuntimeError("Concatenating sparse tensors, but a dense tensor was found at "
                               f"position {k}.")
        if a.ndim != first.ndim or any(n != m and d != dim for d, (n, m) in enumerate(
                zip(a.shape, first.shape, strict=True))):
            raise RuntimeError(
                f"All tensors must have the same shape: {list(first.shape)} (except in the "
                f"concatenating dimension), but found shape: {list(a.shape)} at position {k}.")
        lead = sparse_dim(first)
        if sparse_dim(a) != lead:
            raise RuntimeError(
                f"All tensors must have the same sparse_dim and dense_dim: {lead}, "
                f"{first.ndim - lead}, but tensor at position {k} has {sparse_dim(a)}, "
                f"{a.ndim - sparse_dim(a)}.")
    lead, shape = sparse_dim(first), list(first.shape)
    dtype = np.result_type(*(a.dtype for a in arrays))
    shape[dim] = sum(a.shape[dim] for a in arrays)
    indices = np.concatenate([a.indices for a in arrays], 1)
    values = [a.values for a in arrays]
    ends = np.cumsum([a.shape[dim] for a in arrays])
    if dim < lead:
        n = [a.indices.shape[1] for a in arrays]
        indices[dim] += np.repeat(ends - [a.shape[dim] for a in arrays], n)
    else:                                # each fills its part of wider rows
        for k, a in enumerate(arrays):
            wide = np.zeros((len(a.values), *shape[lead:]), dtype)
            part = [slice(None)] * wide.ndim
            part[dim - lead + 1] = slice(ends[k] - a.shape[dim], ends[k])
            wide[tuple(part)] = a.values
            values[k] = wide
    return Coo(indices, np.concatenate(values).astype(dtype, copy=False), shape)


def stack(arrays, dim):
    return cat([unsqueeze(a, dim) if isinstance(a, Coo) else a for a in arrays], dim)
