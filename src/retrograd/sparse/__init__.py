"""torch.sparse: tensors that list the elements which are not zero.

A sparse tensor in coordinates (`torch.sparse_coo`) is made by `torch.sparse_coo_tensor` or
`Tensor.to_sparse()`, and as the gradient of `nn.Embedding(sparse=True)`. It has sums, products,
products of matrices, and functions that map zero to zero; every other operator raises PyTorch's
error. Matrices by rows or columns (`torch.sparse_csr`, `torch.sparse_csc`) are made by
`torch.sparse_csr_tensor` and so on; the layouts in blocks are refused.
"""

from __future__ import annotations

import math
from typing import Any, NoReturn

import numpy as np

import retrograd as torch
from retrograd import _dtype
from retrograd._attributes import require_cpu
from retrograd._legacy import TensorType
from retrograd._tensor import SPARSE, Tensor, wrap
from retrograd._warnings import warn_once
from retrograd.kernels import sparse as kernels
from retrograd.kernels import sparse_products as products
from retrograd.kernels.half import refuse
from retrograd.kernels.sparse_array import could_not_run
from retrograd.kernels.sparse_rows import NAMES
from retrograd.ops import layouts
from retrograd.ops import sparse as operators
from retrograd.ops.dims import wrap_dim, wrap_dims
from retrograd.ops.matmul import product_error
from retrograd.ops.public import FUNCTIONS

__all__ = ["addmm", "as_sparse_gradcheck", "check_sparse_tensor_invariants", "log_softmax", "mm",
           "softmax", "sum"]

operators.arm()


def sparse_coo_tensor(indices=None, values=None, size=None, *, dtype=None, device=None,
                      pin_memory=False, requires_grad=False, check_invariants=None,
                      is_coalesced=None):
    """A sparse tensor with `values` (n, ...) at `indices` (S, n); places listed twice add up.

    `size` is the least that holds all indices unless it is given; alone it gives an empty tensor.
    A tensor of values that requires grad gets its gradient.

    Raises:
        RuntimeError: the shapes do not fit, or an index is negative; with `check_invariants` also
            if one lies outside of `size`.

    >>> import retrograd as torch
    >>> s = torch.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3., 4., 5.], (2, 3))
    >>> s.to_dense()
    tensor([[0., 0., 3.],
            [4., 0., 5.]])
    >>> s @ torch.ones(3)
    tensor([3., 9.])
    """
    require_cpu(device)
    if values is None and not isinstance(indices, Tensor):
        size, indices = (indices if size is None else size), None
    if indices is None:
        if size is None:
            raise TypeError("sparse_coo_tensor() received an invalid combination of arguments - "
                            "it needs indices and values, or size")
        kind = (_dtype.default if dtype is None else dtype).np
        return _required(wrap(kernels.empty(tuple(size), kind)), requires_grad)
    index = torch.as_tensor(indices)._data.astype(np.int64, copy=False)
    listed = torch.as_tensor(values) if dtype is None else torch.as_tensor(values).to(dtype)
    if not listed._data.ndim:
        listed = listed.reshape(1)
    if index.ndim != 2:
        raise RuntimeError(f"indices must be sparse_dim x nnz, but got: {list(index.shape)}")
    shape = _fitting_shape(index, listed._data, size)
    if check_invariants or check_invariants is None and check_sparse_tensor_invariants.enabled:
        kernels.places(kernels.Coo(index, listed._data, shape))
        if is_coalesced and not kernels.is_sorted(kernels.Coo(index, listed._data, shape)):
            raise RuntimeError("cannot set is_coalesced to true if indices correspond to "
                               "uncoalesced COO tensor")
    res = operators.coo(listed, index, shape, bool(is_coalesced))
    return _required(res.detach(), True) if requires_grad else res


def sparse_csr_tensor(crow_indices, col_indices, values, size=None, *, dtype=None, device=None,
                      pin_memory=False, requires_grad=False, check_invariants=None):
    """The sparse matrix whose row i has values[crow[i]:crow[i + 1]] in the columns col[...].

    Raises RuntimeError where the three do not fit together; batches of matrices are refused.

    >>> import retrograd as torch
    >>> torch.sparse_csr_tensor([0, 1, 3], [1, 0, 1], [1., 2., 3.], (2, 2)).to_dense()
    tensor([[0., 1.],
            [2., 3.]])
    """
    require_cpu(device)
    return _compressed("sparse_csr", crow_indices, col_indices, values, size, dtype, requires_grad)


def sparse_csc_tensor(ccol_indices, row_indices, values, size=None, *, dtype=None, device=None,
                      pin_memory=False, requires_grad=False, check_invariants=None):
    """The sparse matrix whose column i has values[ccol[i]:ccol[i + 1]] in the rows row[...].

    >>> import retrograd as torch
    >>> torch.sparse_csc_tensor([0, 1, 3], [1, 0, 1], [1., 2., 3.], (2, 2)).to_dense()
    tensor([[0., 2.],
            [1., 3.]])
    """
    require_cpu(device)
    return _compressed("sparse_csc", ccol_indices, row_indices, values, size, dtype, requires_grad)


def sparse_compressed_tensor(compressed_indices, plain_indices, values, size=None, *, dtype=None,
                             layout=None, device=None, pin_memory=False, requires_grad=False,
                             check_invariants=None):
    """sparse_csr_tensor() or sparse_csc_tensor(), by the layout.

    >>> import retrograd as torch
    >>> t = torch.sparse_compressed_tensor(
    ...     torch.tensor([0, 1, 2]), torch.tensor([1, 0]), torch.tensor([5., 6.]), (2, 2),
    ...     layout=torch.sparse_csr)
    >>> t.to_dense()
    tensor([[0., 5.],
            [6., 0.]])
    """
    require_cpu(device)
    if layout not in (torch.sparse_csr, torch.sparse_csc):
        raise NotImplementedError(f"torch.sparse_compressed_tensor(): the layout {layout} is not "
                                  "supported")
    return _compressed(layout.name, compressed_indices, plain_indices, values, size, dtype,
                       requires_grad)


def _compressed(layout, starts, others, values, size, dtype, requires_grad):
    starts, others = torch.as_tensor(starts)._data, torch.as_tensor(others)._data
    listed = torch.as_tensor(values) if dtype is None else torch.as_tensor(values).to(dtype)
    names, n = NAMES[layout], len(listed._data)
    if starts.ndim != 1 or others.ndim != 1 or listed._data.ndim != 1:
        raise NotImplementedError(f"torch.{layout}_tensor(): batches of matrices and dense "
                                  "dimensions are not supported")
    across = int(others.max(initial=-1)) + 1
    by_rows = layout == "sparse_csr"
    if size is None:
        size = (len(starts) - 1, across) if by_rows else (across, len(starts) - 1)
    size = tuple(size)
    lines, width = size if by_rows else size[::-1]
    if len(starts) != lines + 1:
        raise RuntimeError(f"{names[0]}.shape[-1] must be equal to the number of "
                           f"{'rows' if by_rows else 'columns'} + 1 "
                           f"(={lines + 1}), but got {len(starts)}")
    if len(others) != n:
        raise RuntimeError(f"{names[1]}.shape[-1] must be equal to nnz (={n}) as defined by "
                           f"values.shape[0], but got {len(others)}")
    _check_compressed(starts, others, names, width, n, "ncols" if by_rows else "nrows")
    operators.warn_of_beta(layout)
    res = operators.run("sparse_compressed", (listed,), (starts, others, size, layout))
    return _required(res.detach(), True) if requires_grad else res


def _check_compressed(starts, others, names, width, nnz, bound):
    """Raise for indices that no compressed matrix of `width` columns (or rows) has."""
    steps = np.diff(starts)
    for held, law in (
            (starts[0] == 0, f"{names[0]}[..., 0] == 0"),
            (starts[-1] == nnz, f"{names[0]}[..., -1] == nnz"),
            (((steps >= 0) & (steps <= width)).all(),
             f"0 <= {names[0]}[..., 1:] - {names[0]}[..., :-1] <= {bound}"),
            (((others >= 0) & (others < width)).all(), f"0 <= {names[1]} < {bound}")):
        if not held:
            raise RuntimeError(f"`{law}` is not satisfied.")


def _required(t, requires_grad):
    if requires_grad and t._data.dtype.kind in "biu":
        raise RuntimeError("Only Tensors of floating point and complex dtype can require gradients")
    return t._set_requires_grad(True) if requires_grad else t


def _fitting_shape(index, values, size):
    """The shape of a sparse tensor with these indices and values."""
    sparse, n = index.shape
    if values.shape[0] != n:
        raise RuntimeError(f"indices and values must have same nnz, but got nnz from indices: {n}, "
                           f"nnz from values: {values.shape[0]}")
    dense = values.shape[1:]
    if size is None:
        for d in range(sparse):
            if n and index[d].min() < 0:
                raise RuntimeError(f"found negative index {index[d].min()} for dim {d}")
        return (*(int(row.max()) + 1 if n else 0 for row in index), *dense)
    size = tuple(size)
    if min(size, default=0) < 0 or math.prod(size) >= 2**63:
        raise RuntimeError(kernels.TOO_LARGE)
    if len(size) != sparse + len(dense):
        raise RuntimeError("'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = "
                           f"{len(size)}, sparse_dim = {sparse}, dense_dim = {len(dense)}")
    if size[sparse:] != dense:
        raise RuntimeError(f"values has incorrect size, expected {[n, *size[sparse:]]}, got "
                           f"{list(values.shape)}")
    return size


class check_sparse_tensor_invariants:
    """Whether sparse_coo_tensor() checks indices: enable(), disable(), or for a `with` block.

    >>> import retrograd as torch
    >>> with torch.sparse.check_sparse_tensor_invariants():
    ...     torch.sparse.check_sparse_tensor_invariants.is_enabled()
    True
    """

    enabled = False

    def __init__(self, enable=True):
        self.state, self.saved = enable, []

    @staticmethod
    def is_enabled():
        return check_sparse_tensor_invariants.enabled

    @staticmethod
    def enable():
        check_sparse_tensor_invariants.enabled = True

    @staticmethod
    def disable():
        check_sparse_tensor_invariants.enabled = False

    def __enter__(self):
        self.saved.append(check_sparse_tensor_invariants.enabled)
        check_sparse_tensor_invariants.enabled = self.state

    def __exit__(self, *exc_info):
        check_sparse_tensor_invariants.enabled = self.saved.pop()


def mm(input, mat2, reduce=None, *, out=None):
    """A sparse matrix times a matrix; the gradient of a sparse factor has its sparsity pattern.

    (n, m), (m, k) -> (n, k); the result is sparse where both are. With `reduce`, "sum", "mean",
    "amax" or "amin", the products of a row are reduced that way instead of summed; `input` has the
    layout torch.sparse_csr. Raises RuntimeError for sizes and dtypes that do not fit.

    >>> import retrograd as torch
    >>> a = torch.eye(2).to_sparse().requires_grad_()
    >>> torch.sparse.mm(a, torch.ones(2, 2)).sum().backward()
    >>> a.grad.to_dense()
    tensor([[2., 0.],
            [0., 2.]])
    """
    if out is not None:
        raise NotImplementedError("torch.sparse.mm(): out is not supported")
    if reduce is not None:
        _check_reduced(input, mat2, reduce)
        return operators.run("sparse_mm_reduce", (input, mat2), (reduce,))
    if input._flags & mat2._flags & SPARSE:
        _check_product(input, mat2, "mat1 and mat2 shapes cannot be multiplied ({}x{} and {}x{})")
        if input._data.dtype != mat2._data.dtype:
            raise product_error(input._data, mat2._data)
        return operators.run("sparse_sparse_matmul", (input, mat2))
    if not (input._flags | mat2._flags) & SPARSE:
        return torch.mm(input, mat2)
    if mat2._flags & SPARSE:
        return mm(mat2.t(), input.t()).t()
    start = wrap(np.zeros((), input._data.dtype))
    return addmm(start, input, mat2, beta=0)


def _check_reduced(a, b, reduce):
    """Raise PyTorch's errors for what mm() cannot reduce."""
    if not (a._flags | b._flags) & SPARSE or isinstance(a._data, kernels.Coo):
        raise could_not_run("_sparse_mm_reduce_impl",
                            "SparseCPU" if a._flags & SPARSE else "CPU")
    kinds = ["".join(map(str.title, t.layout.name.split("_"))) for t in (a, b)]
    if kinds[0] != "SparseCsr":
        raise RuntimeError(f"sparse_mm_reduce: expect self to be SparseCsr, got {kinds[0]}")
    if kinds[1] != "Strided":
        raise RuntimeError(f"Expected tensor to have Strided Layout, but got tensor with {kinds[1]}"
                           " Layout (while checking arguments for sparse_mm_reduce)")
    if a.dtype is not b.dtype:
        raise RuntimeError(
            f"Expected tensor for argument #1 'other' to have scalar type {a.dtype.tensor_name}; "
            f"but got torch.{b.dtype.tensor_name}Tensor instead (while checking arguments for "
            "sparse_mm_reduce)")
    if b.dim() != 2 or len(b) != a.shape[1]:
        raise RuntimeError(
            f"Expected a tensor of dimension 2 and tensor.size[0] == {a.shape[1]} but got: "
            f"dimension {b.dim()} and tensor.size[0] = {len(b)}")
    if reduce not in products.REDUCE:
        raise RuntimeError(f"sparse_mm_reduce: reduce type of {reduce} has not been enabled.")
    if not a.is_floating_point():
        refuse("spmm_reduce_kernel", a._data.dtype)


def _check_product(a, b, message):
    shapes = (*a._data.shape, *b._data.shape)
    if len(a._data.shape) != 2 or len(b._data.shape) != 2 or shapes[1] != shapes[2]:
        raise RuntimeError(message.format(*shapes[:4]))


def addmm(mat, mat1, mat2, *, beta=1, alpha=1):
    """beta mat + alpha (mat1 @ mat2) with a sparse mat1.

    >>> import retrograd as torch
    >>> torch.sparse.addmm(torch.ones(2, 2), torch.eye(2).to_sparse(), torch.eye(2))
    tensor([[2., 1.],
            [1., 2.]])
    """
    if mat1._data.ndim != 2 or mat2._data.ndim != 2 or mat1._data.shape[1] != mat2._data.shape[0]:
        raise RuntimeError(f"addmm: Argument #3 (dense): Expected dim 0 size "
                           f"{mat1._data.shape[-1]}, got {mat2._data.shape[0]}")
    if mat1._data.dtype != mat2._data.dtype:
        raise RuntimeError(f"expected scalar type {mat1.dtype.tensor_name} but found "
                           f"{mat2.dtype.tensor_name}")
    if not mat1._flags & SPARSE:
        return torch.addmm(mat, mat1, mat2, beta=beta, alpha=alpha)
    return operators.run("sparse_addmm", (mat, mat1, mat2), (beta, alpha))


def sum(input, dim=None, dtype=None):
    """The sum of all elements, or over dimensions; sparse while a sparse dimension remains.

    The gradient has the sparsity pattern of `input`.

    >>> import retrograd as torch
    >>> torch.sparse.sum(torch.eye(2).to_sparse(), 0).to_dense()
    tensor([1., 1.])
    """
    if dtype is not None and input._flags & SPARSE:
        input = input.to(dtype)
    if dim is None:
        return layouts.coalesce(input).values().sum()
    dims = wrap_dims(dim, input._data.ndim)
    layouts._need_backend(input, "_sparse_sum.dim")
    return operators.run("sparse_sum", (input,), (dims if dims.__class__ is tuple else (dims,),))


def softmax(input, dim, *, dtype=None):
    """softmax over the elements that a sparse tensor lists; the others count as -inf.

    >>> import retrograd as torch
    >>> torch.sparse.softmax(torch.eye(2).to_sparse(), 1).to_dense()
    tensor([[1., 0.],
            [0., 1.]])
    """
    return _softmax("softmax", input, dim, dtype)


def log_softmax(input, dim, *, dtype=None):
    """The logarithm of softmax(), of the elements that a sparse tensor lists.

    >>> import retrograd as torch
    >>> t = torch.sparse.log_softmax(torch.tensor([[1., 1.]]).to_sparse(), 1)
    >>> t.to_dense()
    tensor([[-0.6931, -0.6931]])
    """
    return _softmax("log_softmax", input, dim, dtype)


def _softmax(name, input, dim, dtype):
    layouts._need_backend(input, f"_sparse_{name}")
    if dtype is not None:
        input = input.to(dtype)
    return operators.run(f"sparse_{name}", (input,), (wrap_dim(dim, input._data.ndim),))


def as_sparse_gradcheck(gradcheck):
    """gradcheck itself, which takes sparse inputs."""
    return gradcheck


def spdiags(diagonals, offsets, shape, layout=None):
    """The sparse matrix with the rows of `diagonals` on the diagonals `offsets` above the main one.

    >>> import retrograd as torch
    >>> torch.sparse.spdiags(torch.ones(1, 2), torch.tensor([1]), (2, 2)).to_dense()
    tensor([[0., 1.],
            [0., 0.]])
    """
    if len(shape) != 2:
        raise RuntimeError("Output shape must be 2d")
    if diagonals.dim() not in (1, 2):
        raise RuntimeError("Diagonals must be vector or matrix")
    if offsets.dim() > 1:
        raise RuntimeError("Offsets must be scalar or vector")
    table, above = torch.atleast_2d(diagonals), torch.atleast_1d(offsets)
    if len(table) != len(above):
        raise RuntimeError(f"Number of diagonals ({len(table)}) does not match the number of "
                           f"offsets ({len(above)})")
    if layout not in (None, torch.sparse_coo, torch.sparse_csr, torch.sparse_csc):
        name = layout.name.title().replace("_", "")
        raise RuntimeError("Only output layouts (Sparse, SparseCsc, SparseCsr) are supported, got "
                           + name)
    if above.dtype is not torch.int64:
        raise RuntimeError(f"Offset Tensor must have dtype Long but got {above.dtype.tensor_name}")
    if len(above.unique()) != len(above):
        raise RuntimeError("Offset tensor contains duplicate values")
    columns = torch.arange(table.shape[1]).expand(table.shape)
    rows = columns - above[:, None]
    kept = (rows >= 0) & (rows < shape[0]) & (columns < shape[1])
    res = torch.sparse_coo_tensor(torch.stack((rows[kept], columns[kept])), table[kept], shape)
    return res if layout in (None, torch.sparse_coo) else operators.as_rows(res, layout.name)


# --------------------------------------------------------------------------- older constructors

class _SparseType(TensorType):
    """The class of torch.sparse.FloatTensor and so on: isinstance() asks for layout and dtype."""

    def __instancecheck__(cls, instance):
        return super().__instancecheck__(instance) and instance.is_sparse

    def __call__(cls, *args, device=None):
        parts = [name for name, x in zip(("indices", "values"), args, strict=False)
                 if isinstance(x, Tensor)]
        if not parts or len(args) > 2:
            parts += ["shape"] * bool(args)
        shown = ", ".join(parts)
        empty = wrap(kernels.empty((0,), cls.dtype.np))
        made = operators.new(empty, *args, device=device, name="torch.sparse.SparseTensor")
        warn_once(f"torch.sparse.SparseTensor({shown}{', *, device=' * bool(args)}) is deprecated. "
                  f" Please use torch.sparse_coo_tensor({shown or '(0,)'}, dtype="
                  f"{', device=' * bool(args)}).")
        return made


for _d in _dtype.ALL:
    if f"{_d.tensor_name}Tensor" in FUNCTIONS and _d is not _dtype.bool_:
        globals()[f"{_d.tensor_name}Tensor"] = _SparseType(f"{_d.tensor_name}Tensor", (), {
            "dtype": _d, "layout": torch.sparse_coo, "is_cuda": False, "__module__": "torch.sparse",
            "__doc__": f"A sparse tensor of {_d} from sizes, or from indices and values."})


# --------------------------------------------------------------------------- what is not there

def _refused(name: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name}: retrograd has no sparse tensors of this kind")

    function.__name__ = function.__qualname__ = name.rpartition(".")[2]
    function.__doc__ = "Raises NotImplementedError."
    return function


solve = _refused("torch.sparse.solve")
sparse_bsr_tensor = _refused("torch.sparse_bsr_tensor")
sparse_bsc_tensor = _refused("torch.sparse_bsc_tensor")


def _convert_indices_from_coo_to_csr(input, size, *, out_int32=False):
    """How many of the sorted row numbers `input` are below 0, 1, ..., `size`."""
    rows = torch.arange(size + 1, dtype=input.dtype)
    return torch.searchsorted(input, rows, out_int32=out_int32)


def _convert_indices_from_csr_to_coo(crow_indices, col_indices, *, out_int32=False,
                                     transpose=False):
    """(2, n): a row and a column for each entry; columns first with `transpose`."""
    rows = torch.arange(crow_indices.shape[-1] - 1).repeat_interleave(crow_indices.diff())
    pair = (col_indices, rows) if transpose else (rows, col_indices)
    return torch.stack(pair).to(torch.int32 if out_int32 else crow_indices.dtype)
