"""Methods about a tensor's layout: dense ones answer here, sparse ones in ops/sparse.py."""

from __future__ import annotations

from .._attributes import strided
from .._tensor import SPARSE, wrap
from .public import FUNCTIONS, method, public, reporting


def _sparse():
    """ops/sparse.py, ready for a sparse tensor."""
    from . import sparse
    sparse.arm()
    return sparse


KINDS = {"sparse_csr": "SparseCsr", "sparse_csc": "SparseCsc"}


def _kind(t):
    return KINDS[t._data.layout] if t._flags & SPARSE else "Strided"


def _need_coo(t, name, kind="coordinate "):
    if not t._flags & SPARSE or kind and t._data.layout != "sparse_coo":
        raise RuntimeError(f"{name} expected sparse {kind}tensor layout but got {_kind(t)}")
    return t._data


def _need_rows(t, name, layout):
    if not t._flags & SPARSE or t._data.layout != layout:
        line = "row" if layout == "sparse_csr" else "column"
        got = "Sparse" if t.is_sparse else _kind(t)
        raise RuntimeError(f"{name} expected sparse {line} compressed tensor layout but got {got}")
    return t._data


def _need_backend(t, name):
    if not t._flags & SPARSE:
        from ..kernels.sparse_array import could_not_run
        raise could_not_run(name, "CPU")
    return t._data


@method
def sparse_dim(self):
    """How many dimensions are sparse: none of a dense tensor's.

    >>> import retrograd as torch
    >>> torch.eye(2).to_sparse().sparse_dim()
    2
    """
    return len(self._data.indices) if self._flags & SPARSE else 0


@method
def dense_dim(self):
    """How many dimensions are dense: those of each of the values() of a sparse tensor.

    >>> import retrograd as torch
    >>> torch.eye(2).to_sparse(1).dense_dim()
    1
    """
    return self._data.ndim - sparse_dim(self)


@method
def to_dense(self, dtype=None, *, masked_grad=None):
    """The dense tensor of a sparse one; a dense one is itself.

    The gradient of a sparse tensor is sparse: what arrives in its places, or everything with
    `masked_grad=False`.

    >>> import retrograd as torch
    >>> torch.sparse_coo_tensor([[0, 2]], [3., 4.], (3,)).to_dense()
    tensor([3., 0., 4.])
    """
    if not self._flags & SPARSE:
        return self if dtype is None else self.to(dtype)
    if dtype is not None:
        raise RuntimeError("dtype argument is not supported by sparse_to_dense")
    return _sparse().run("sparse_to_dense", (self,), (masked_grad is not False,))


@method
def to_sparse(self, sparse_dim=None, *, layout=None, blocksize=None, dense_dim=None):
    """The nonzero elements as a sparse tensor, in coordinates of the first `sparse_dim` dimensions.

    >>> import retrograd as torch
    >>> torch.tensor([[0., 2.], [0., 0.]]).to_sparse()
    tensor(indices=tensor([[0],
                           [1]]),
           values=tensor([2.]),
           size=(2, 2), nnz=1, layout=torch.sparse_coo)
    """
    if layout is strided and blocksize is dense_dim is None:
        return self.to_dense()
    name = "sparse_coo" if layout is None else layout.name
    if name not in ("sparse_coo", *KINDS) or blocksize or dense_dim:
        raise NotImplementedError(f"to_sparse(): the layout {layout}, blocks and dense dimensions "
                                  "are not supported")
    if name in KINDS:
        return _sparse().as_rows(self, name)
    if self._flags & SPARSE and self._data.layout != "sparse_coo":
        return _sparse().as_coordinates(self)
    if self._flags & SPARSE:
        if sparse_dim not in (None, len(self._data.indices)):
            raise RuntimeError("to_sparse: conversion from Sparse to Sparse with sparse_dim "
                               "argument !=self.sparse_dim() is not supported")
        return self
    if sparse_dim is None:
        return _sparse().run("to_sparse_all", (self,))
    if not 0 <= sparse_dim <= self._data.ndim:
        raise RuntimeError(f"dense_to_sparse: sparse_dim argument must be in [0,{self._data.ndim}] "
                           f"range, but {sparse_dim} is given")
    if sparse_dim == 0 and self._data.ndim:
        raise RuntimeError("dense_to_sparse: sparse_dim argument must be in >0 when self.dim()>0")
    return _sparse().run("to_sparse_some", (self,), (sparse_dim,))


@method
def to_sparse_coo(self):
    """The nonzero elements as a sparse tensor of coordinates: to_sparse().

    >>> import retrograd as torch
    >>> torch.tensor([0., 5.]).to_sparse_coo()
    tensor(indices=tensor([[1]]),
           values=tensor([5.]),
           size=(2,), nnz=1, layout=torch.sparse_coo)
    """
    return to_sparse(self)


@method
def to_sparse_csr(self, dense_dim=None):
    """The matrix row by row, of the layout torch.sparse_csr.

    >>> import retrograd as torch
    >>> torch.tensor([[0., 2.], [0., 3.]]).to_sparse_csr()
    tensor(crow_indices=tensor([0, 1, 2]),
           col_indices=tensor([1, 1]),
           values=tensor([2., 3.]), size=(2, 2), nnz=2, layout=torch.sparse_csr)
    """
    _refuse_dense_dim("to_sparse_csr", dense_dim)
    return _sparse().as_rows(self, "sparse_csr")


@method
def to_sparse_csc(self, dense_dim=None):
    """The matrix column by column, of the layout torch.sparse_csc.

    >>> import retrograd as torch
    >>> torch.eye(2).to_sparse_csc().values()
    tensor([1., 1.])
    """
    _refuse_dense_dim("to_sparse_csc", dense_dim)
    return _sparse().as_rows(self, "sparse_csc")


def _no_blocks(name):
    def refuse(self, *args, **kwargs):
        raise NotImplementedError(f"{name}(): there are no sparse tensors in blocks")
    refuse.__doc__ = "Raises NotImplementedError: there are no sparse tensors in blocks."
    method(refuse, name=name)


_no_blocks("to_sparse_bsr")
_no_blocks("to_sparse_bsc")


def _refuse_dense_dim(name, dense_dim):
    if dense_dim:
        raise NotImplementedError(f"{name}(): dense_dim={dense_dim} is not supported")


@method
def crow_indices(self):
    """Where each row begins in values() of a matrix of the layout torch.sparse_csr, and the end.

    >>> import retrograd as torch
    >>> torch.tensor([[0., 5.], [6., 7.]]).to_sparse_csr().crow_indices()
    tensor([0, 1, 3])
    """
    return wrap(_need_rows(self, "crow_indices", "sparse_csr").starts)


@method
def col_indices(self):
    """The column of each of the values() of a matrix of the layout torch.sparse_csr.

    >>> import retrograd as torch
    >>> torch.tensor([[0., 5.], [6., 7.]]).to_sparse_csr().col_indices()
    tensor([1, 0, 1])
    """
    return wrap(_need_rows(self, "col_indices", "sparse_csr").others)


@method
def ccol_indices(self):
    """Where each column begins in values() of a matrix of the layout torch.sparse_csc.

    >>> import retrograd as torch
    >>> torch.eye(2).to_sparse_csc().ccol_indices()
    tensor([0, 1, 2])
    """
    return wrap(_need_rows(self, "ccol_indices", "sparse_csc").starts)


@method
def row_indices(self):
    """The row of each of the values() of a matrix of the layout torch.sparse_csc.

    >>> import retrograd as torch
    >>> torch.eye(2).to_sparse_csc().row_indices()
    tensor([0, 1])
    """
    return wrap(_need_rows(self, "row_indices", "sparse_csc").others)


@method
def coalesce(self):
    """The sparse tensor with its places sorted and each listed once; itself if it is so already.

    >>> import retrograd as torch
    >>> torch.sparse_coo_tensor([[1, 0, 1]], [1., 2., 3.]).coalesce().values()
    tensor([2., 4.])
    """
    if _need_coo(self, "coalesce").coalesced:
        return self
    return _sparse().run("sparse_coalesce", (self,))


@method
def is_coalesced(self):
    """Whether the places of a sparse tensor are known to be sorted and different.

    >>> import retrograd as torch
    >>> torch.sparse_coo_tensor([[1, 0]], [1., 2.]).is_coalesced()
    False
    """
    return _need_coo(self, "is_coalesced").coalesced


@method
def _coalesced_(self, coalesced):
    """Say whether the places are sorted and different; nothing is checked."""
    _need_backend(self, "_coalesced_")
    self._data = self._data.flagged(coalesced)
    return self


def _need_coalesced(t, what):
    if not _need_coo(t, what, "" if what == "values" else "coordinate ").coalesced:
        raise RuntimeError(f"Cannot get {what} on an uncoalesced tensor, please call .coalesce() "
                           "first")
    return t


@method
def indices(self):
    """(S, n): where the n elements of a coalesced sparse tensor are in its S sparse dimensions.

    >>> import retrograd as torch
    >>> torch.tensor([[0., 5.], [6., 0.]]).to_sparse().indices()
    tensor([[0, 1],
            [1, 0]])
    """
    return wrap(_need_coalesced(self, "indices")._data.indices)


@method
def values(self):
    """(n, ...): the elements of a coalesced sparse tensor; recorded.

    >>> import retrograd as torch
    >>> torch.tensor([[0., 5.], [6., 0.]]).to_sparse().values()
    tensor([5., 6.])
    """
    res = _sparse().run("sparse_values", (_need_coalesced(self, "values"),))
    if res._flags & 1:                   # a write into it could not be followed back
        res._data = res._data.view()
        res._data.flags.writeable = False
    return res


@method
def _indices(self):
    """indices() of any sparse tensor."""
    return wrap(_need_backend(self, "_indices").indices)


@method
def _values(self):
    """values() of any sparse tensor, in its own memory and not recorded."""
    return wrap(_need_backend(self, "_values").values)


@method
def _nnz(self):
    """How many elements a sparse tensor lists."""
    return len(_need_backend(self, "_nnz").values)


@method
def _dimI(self):
    """sparse_dim()."""
    return len(_need_backend(self, "_dimI").indices)


@method
def _dimV(self):
    """dense_dim()."""
    return _need_backend(self, "_dimV").values.ndim - 1


@method
def sparse_mask(self, mask):
    """The elements in the places that the sparse tensor `mask` lists, as a sparse tensor.

    >>> import retrograd as torch
    >>> mask = torch.tensor([1., 0., 1.]).to_sparse()
    >>> torch.tensor([5., 6., 7.]).sparse_mask(mask).values()
    tensor([5., 7.])
    """
    _need_backend(mask, "sparse_mask")
    if self._data.shape != mask._data.shape:
        raise RuntimeError("sparse_mask(): operands have incompatible sizes; self has size "
                           f"{list(self._data.shape)} but mask has size {list(mask._data.shape)}")
    places = mask._data.with_values(mask._data.values)  # not changed by later writes into `mask`
    return _sparse().T.masked_as(self, places)


def _check_factors(name, mat1, mat2):
    """Raise unless these are a sparse and a dense matrix whose product exists."""
    width = len(mat1._data.indices)
    if width != 2:
        raise RuntimeError(f"{name}: Argument #2: matrices expected, got {width}D tensor")
    if mat1._data.ndim != 2:
        raise RuntimeError(f"{name}: Argument #2: scalar values expected, got "
                           f"{mat1._data.values.ndim}D values")
    if mat2._data.ndim != 2:
        raise RuntimeError(f"{name}: Argument #3: matrices expected, got {mat2._data.ndim}D tensor")
    if len(mat2) != mat1._data.shape[1]:
        raise RuntimeError(f"{name}: Argument #3: Expected dim 0 size {mat1._data.shape[1]}, got "
                           f"{len(mat2)}")
    if mat1.dtype is not mat2.dtype:
        raise RuntimeError(f"expected scalar type {mat1.dtype.tensor_name} but found "
                           f"{mat2.dtype.tensor_name}")


@public(method=False)
def hspmm(mat1, mat2):
    """The product of a sparse and a dense matrix, a sparse tensor of the rows that mat1 has.

    sparse (n, k), dense (k, m) -> (n, m) with one sparse and one dense dimension. Raises
    RuntimeError for other shapes and for two dtypes. It has no derivative, as in PyTorch.

    >>> import retrograd as torch
    >>> rows = torch.hspmm(torch.tensor([[0., 0.], [0., 2.]]).to_sparse(), torch.ones(2, 3))
    >>> rows.indices(), rows.values()
    (tensor([[1]]), tensor([[2., 2., 2.]]))
    """
    _need_backend(mat1, "hspmm")
    _need_coo(mat1, "hspmm")
    if mat2._flags & SPARSE:
        raise RuntimeError("addmm_sparse_dense: expected strided result tensor, got tensor with "
                           "layout Sparse")
    _check_factors("hspmm", mat1, mat2)
    return _sparse().run("sparse_hspmm", (mat1, mat2))


@public
def sspaddmm(input, mat1, mat2, *, beta=1, alpha=1):
    """beta input + alpha mat1 @ mat2 of two sparse matrices and a dense one, as a sparse matrix.

    It lists the elements of `input`, then all of the rows that mat1 has; coalesce() adds them up.
    sparse (n, m), sparse (n, k), dense (k, m) -> (n, m). Raises RuntimeError for other shapes and
    for two dtypes. It has no derivative, as in PyTorch.

    >>> import retrograd as torch
    >>> eye = torch.eye(2).to_sparse()
    >>> torch.sspaddmm(eye, eye, torch.ones(2, 2), alpha=3).to_dense()
    tensor([[4., 3.],
            [3., 4.]])
    """
    if not (input.is_sparse and mat1.is_sparse):
        raise RuntimeError("tensor.sspaddmm(...) can only be called on sparse tensors")
    if mat2._flags & SPARSE:
        raise RuntimeError("sspaddmm: expected 'mat2' to have strided layout, got 'mat2' with "
                           "layout Sparse")
    _check_factors("sspaddmm", mat1, mat2)
    for d, (size, wanted) in enumerate(zip(input.shape, (len(mat1), mat2.shape[1]), strict=True)):
        if size != wanted:
            raise RuntimeError(f"sspaddmm: Argument #1: Expected dim {d} size {wanted}, got {size}")
    return _sparse().run("sparse_sspaddmm", (input, mat1, mat2), (beta, alpha))


@public
def smm(input, mat2):
    """The product of a sparse and a dense matrix, a sparse one that lists the rows of `input`.

    sspaddmm() with nothing added: the same shapes and errors.

    >>> import retrograd as torch
    >>> torch.smm(torch.tensor([[0., 0.], [0., 2.]]).to_sparse(), torch.ones(2, 1)).to_dense()
    tensor([[0.],
            [2.]])
    """
    nothing = input.new_zeros((*input.shape[:1], *mat2.shape[1:2]))
    return sspaddmm(nothing, input, mat2, beta=0)


@method
def sparse_resize_(self, size, sparse_dim, dense_dim):
    """Give a sparse tensor another size in place: no smaller, unless it is empty.

    >>> import retrograd as torch
    >>> torch.tensor([0., 5.]).to_sparse().sparse_resize_((4,), 1, 0).shape
    torch.Size([4])
    """
    return _sparse().resize(self, _need_backend(self, "sparse_resize_"), size, sparse_dim,
                            dense_dim)


@method
def sparse_resize_and_clear_(self, size, sparse_dim, dense_dim):
    """Give a sparse tensor another size in place and remove its elements.

    >>> import retrograd as torch
    >>> torch.tensor([0., 5.]).to_sparse().sparse_resize_and_clear_((4,), 1, 0)._nnz()
    0
    """
    return _sparse().resize(self, _need_backend(self, "sparse_resize_and_clear_"), size, sparse_dim,
                            dense_dim, True)


@public(method=False)
def spmm(input, mat2):
    """The product of two matrices, sparse or not.

    >>> import retrograd as torch
    >>> torch.spmm(torch.eye(2).to_sparse(), torch.tensor([[1.], [2.]]))
    tensor([[1.],
            [2.]])
    """
    from .matmul import mm
    return mm(input, mat2)


for _other, _function in (("dsmm", spmm), ("hsmm", hspmm), ("saddmm", sspaddmm)):
    FUNCTIONS[_other] = reporting(_function, _other)
