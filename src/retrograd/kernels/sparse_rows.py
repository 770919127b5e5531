"""Sparse matrices row by row or column by column: the layouts torch.sparse_csr and sparse_csc."""

from __future__ import annotations

import numpy as np

from .sparse import Coo, add, add_to, coalesce, from_dense, is_sorted, permute
from .sparse_array import Sparse
from .sparse_products import sum_dim as sums_of_coordinates

NAMES = {"sparse_csr": ("crow_indices", "col_indices"),
         "sparse_csc": ("ccol_indices", "row_indices")}


class Rows(Sparse):
    """A sparse matrix that lists the elements of one row (by columns: column) after the other.

    Those of row i are the values from starts[i] to starts[i + 1], in the columns `others`.
    """

    __slots__ = ("starts", "others", "layout")
    backend = "SparseCsrCPU"

    def __init__(self, starts, others, values, shape, layout="sparse_csr"):
        self.starts, self.others, self.values = starts, others, values
        self.shape, self.layout, self.coalesced = tuple(shape), layout, True

    @property
    def indices(self):
        """(2, n): the row and the column of each element, in the order listed."""
        lines = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        pair = (lines, self.others) if self.layout == "sparse_csr" else (self.others, lines)
        return np.stack(pair).astype(np.int64, copy=False)

    def parts(self):
        """What it consists of, as its repr names it."""
        starts, others = NAMES[self.layout]
        return {starts: self.starts, others: self.others, "values": self.values}

    def with_values(self, values):
        return Rows(self.starts, self.others, values, self.shape, self.layout)

    def uncounted(self):
        return self

    def copy(self):
        return Rows(self.starts.copy(), self.others.copy(), self.values.copy(), self.shape,
                    self.layout)

    def added(self, other):
        return in_rows(add(in_coordinates(self), in_coordinates(other)), self.layout)

    def added_to(self, dense):
        return add_to(dense, in_coordinates(self))


def in_coordinates(a):
    """The same array as a Coo."""
    if a.__class__ is not Rows:
        return a
    found = Coo(a.indices, a.values, a.shape)
    return found.flagged(is_sorted(found))


def in_rows(a, layout):
    """A Coo that is a matrix, row by row or column by column."""
    if a.ndim != 2 or len(a.indices) != 2:
        raise NotImplementedError(f"{layout}: only matrices are supported, not batches of them nor "
                                  "dense dimensions")
    by_rows = layout == "sparse_csr"
    a = coalesce(a if by_rows else permute(a, (1, 0)))
    lines, others = a.indices
    counts = np.bincount(lines, minlength=a.shape[0])
    found = Rows(np.concatenate([[0], np.cumsum(counts)]), others.copy(), a.values, a.shape)
    return found if by_rows else t(found)


def of_dense(x, layout):
    """An array that is a matrix, row by row or column by column: what is not zero."""
    if layout == "sparse_csc" and x.ndim == 2:                        # in order at once
        return t(in_rows(from_dense(x.T), "sparse_csr"))
    return in_rows(from_dense(x), layout)


def empty(shape, dtype, layout):
    """A matrix without elements."""
    lines = shape[0] if layout == "sparse_csr" else shape[1]
    places = np.zeros(0, np.int64)
    return Rows(np.zeros(lines + 1, np.int64), places, np.zeros(0, dtype), shape, layout)


def t(a):
    """The transpose, of the other of the two layouts."""
    other = "sparse_csc" if a.layout == "sparse_csr" else "sparse_csr"
    return Rows(a.starts, a.others, a.values, a.shape[::-1], other)


def sum_dim(a, dim, keepdim=False, dtype=None):
    """Sums over rows or columns, as a matrix: PyTorch has no other sums of these layouts."""
    if a.layout != "sparse_csr":
        raise RuntimeError("Currently the only compressed sparse format supported for "
                           "sum.dim_IntList is CSR, but got layout SparseCsc")
    if not keepdim:
        raise RuntimeError("reduction operations on CSR tensors with keepdim=False is unsupported")
    if a.dtype.kind == "b":
        raise NotImplementedError("\"_sparse_csr_sum_cpu\" not implemented for 'Bool'")
    return in_rows(sums_of_coordinates(in_coordinates(a), dim, True, dtype), a.layout)


def by_coordinates(kernel):
    """A kernel of Coos for Rows; a result that is a matrix is in the layout of the first."""
    def run(*args):
        layout = next(a.layout for a in args if a.__class__ is Rows)
        res = kernel(*map(in_coordinates, args))
        return in_rows(res, layout) if res.__class__ is Coo and res.ndim == 2 else res
    return run
