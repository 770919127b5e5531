"""LU factorizations with exchanged rows, and systems that are solved by them."""

from __future__ import annotations

import numpy as np

from .._tensor import ON_META, wrap
from ..kernels.checks import scalar_name
from ..kernels.linalg import (
    check_float,
    check_lapack,
    check_matrix,
    check_square,
    row_order,
)
from .batching import in_layers, layers, physical
from .declare import F as T
from .deprecated import warn_old
from .out import given, given_pair
from .public import public
from .support import unobserved


def lu(A, *, pivot=True, out=None):
    """(P, L, U) with `A = P L U`: a permutation, a lower and an upper triangular matrix.

    L has ones on its diagonal. A is (*, m, n); with k the smaller of m and n, P is (*, m, m), L
    (*, m, k) and U (*, k, n). Raises RuntimeError for pivot=False, as PyTorch does on the CPU.

    >>> import retrograd as torch
    >>> torch.linalg.lu(torch.tensor([[2., 0.], [1., 1.]])).L
    tensor([[1.0000, 0.0000],
            [0.5000, 1.0000]])
    """
    if A._data.ndim < 2:
        raise RuntimeError("linalg.lu: Expected tensor with 2 or more dimensions. Got size: "
                           f"{list(A._data.shape)} instead")
    _check_pivot(pivot)
    return given_pair("linalg_lu", T.linalg_lu(A, True), out)


def _check_pivot(pivot):
    if not pivot:
        raise RuntimeError("linalg.lu_factor: LU without pivoting is not implemented on the CPU")


def lu_factor(A, *, pivot=True, out=None):
    """(LU, pivots): the L and U of `A = P L U` in one matrix, and P as a list of exchanges.

    A and LU are (*, m, n). L is below LU's diagonal, with ones on its own that are not stored; U is
    on and above it. Row i was exchanged with row pivots[i] - 1. Raises RuntimeError where U has a
    zero on its diagonal, by which lu_solve would divide.

    >>> import retrograd as torch
    >>> torch.linalg.lu_factor(torch.tensor([[1., 2.], [3., 4.]])).pivots
    tensor([2, 2], dtype=torch.int32)
    """
    LU, pivots, info = _lu_factor_ex(A, pivot)
    _check_regular("lu_factor", info)
    return given_pair("linalg_lu_factor", (LU, pivots), out)


def lu_factor_ex(A, *, pivot=True, check_errors=False, out=None):
    """(LU, pivots, info): info is the place of a zero on U's diagonal, 0 where there is none.

    With check_errors it raises lu_factor's RuntimeError instead.

    >>> import retrograd as torch
    >>> torch.linalg.lu_factor_ex(torch.zeros(1, 1)).info
    tensor(1, dtype=torch.int32)
    """
    made = _lu_factor_ex(A, pivot)
    if check_errors:
        _check_regular("lu_factor_ex", made[2])
    return given_pair("linalg_lu_factor_ex", made, out)


def _lu_factor_ex(A, pivot):
    if A._data.ndim < 2:
        raise RuntimeError("torch.lu_factor: Expected tensor with 2 or more dimensions. Got size: "
                           f"{list(A._data.shape)} instead")
    _check_pivot(pivot)
    LU, pivots = T.linalg_lu_factor_ex(A)
    value, numbers = layers(LU)
    zeros = value._data.diagonal(0, -2, -1) == 0
    info = np.zeros(zeros.shape[:-1], np.int32)
    if np.count_nonzero(zeros):
        info[...] = np.where(zeros.any(-1), zeros.argmax(-1) + 1, 0)
    return LU, pivots, in_layers(wrap(info), numbers)


def _check_regular(name, info):
    """Raise for the first matrix whose U has a zero on its diagonal."""
    if info._flags & ON_META:
        return
    found = physical(info)._data
    (bad,) = np.nonzero(found.reshape(-1))
    if bad.size:
        where = f"(Batch element {bad[0]}): " if found.ndim else ""
        k = found.reshape(-1)[bad[0]]
        raise RuntimeError(
            f"torch.linalg.{name}: {where}U[{k},{k}] is zero and using it on lu_solve would result "
            "in a division by zero. If you still want to perform the factorization, consider "
            "calling linalg.lu(A, pivot) or linalg.lu_factor_ex(A, pivot)")


@public(name="lu")
def torch_lu(A, pivot=True, get_infos=False, out=None):
    """(LU, pivots), with get_infos also info: torch.linalg.lu_factor_ex under an older name.

    L is below the diagonal of LU, with ones that are not stored, U on and above it. Row i was
    exchanged with row pivots[i] - 1. PyTorch warns: use torch.linalg.lu_factor.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> LU, pivots = torch.lu(torch.tensor([[1., 2.], [4., 4.]]))
    >>> LU
    tensor([[4.0000, 4.0000],
            [0.2500, 1.0000]])
    >>> pivots
    tensor([2, 2], dtype=torch.int32)
    """
    warn_old("lu")
    made = tuple(lu_factor_ex(A, pivot=pivot))[: 3 if get_infos else 2]
    if out is None:
        return made
    if not isinstance(out, (tuple, list)):
        raise TypeError(f"argument 'out' must be tuple of Tensors, not {type(out).__name__}")
    if len(out) != len(made):
        raise TypeError(f"expected tuple of {len(made)} elements but got {len(out)}")
    for tensor, result in zip(out, made, strict=True):
        tensor.resize_as_(result).copy_(result)
    return out


def _check_unpacked(lu, pivots, wanted):
    if lu.ndim < 2:
        raise RuntimeError("torch.lu_unpack: Expected tensor with 2 or more dimensions. Got size: "
                           f"{list(lu.shape)} instead")
    if not wanted:
        return
    if pivots.dtype != np.int32:
        raise RuntimeError("torch.lu_unpack: LU_pivots is expected to be a contiguous tensor of "
                           "torch.int32 dtype.\nNote: this function is intended to be used with "
                           "the output produced by torch.linalg.lu_factor")
    rows = lu.shape[-2]
    if pivots.shape[-1] != min(lu.shape[-2:]) or ((pivots < 1) | (pivots > rows)).any():
        raise RuntimeError("pivots passed to lu_unpack must be between 1 and LU.size(-2) inclusive."
                           "Did you properly pass the result of lu_factor?")


@public(method=False)
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None):
    """(P, L, U) with `A = P L U`, from the (LU, pivots) that lu_factor returns for A.

    LU (*, m, n) -> (*, m, m), (*, m, k), (*, k, n), with k the smaller of m and n. L and U are
    empty with unpack_data=False, P with unpack_pivots=False. Raises RuntimeError for pivots that
    are not int32.

    >>> import retrograd as torch
    >>> A = torch.tensor([[1., 2.], [3., 4.]])
    >>> P, L, U = torch.lu_unpack(*torch.linalg.lu_factor(A))
    >>> (P @ L @ U - A).abs().max() < 1e-6
    tensor(True)
    """
    _check_unpacked(LU_data._data, physical(LU_pivots)._data, unpack_pivots)
    p, low, up = T.lu_parts(LU_data, LU_pivots)
    empty = wrap(np.empty(0, LU_data._data.dtype))
    made = (p if unpack_pivots else empty, *((low, up) if unpack_data else (empty, empty)))
    return given_pair("lu_unpack", made, out)


def _check_lu_solve(lu, pivots, b, left):
    check_square("torch.linalg.lu_solve", lu)
    check_float("torch.linalg.lu_solve", lu, low_precision=False)
    check_lapack("linalg.lu_solve_cpu", lu)
    check_matrix("torch.linalg.lu_solve", b, "B")
    n = lu.shape[-1]
    if lu.dtype != b.dtype:
        found, other = scalar_name(lu.dtype), scalar_name(b.dtype)
        raise RuntimeError("linalg.lu_solve: Expected LU and B to have the same dtype, but found "
                           f"LU of type {found} and B of type {other} instead")
    if pivots.dtype != np.int32:
        raise RuntimeError("linalg.lu_solve: pivots should be a Tensor of scalar type torch.int32")
    if n != (b.shape[-2] if left else b.shape[-1]):
        raise RuntimeError(f"linalg.lu_solve: Incompatible shapes of A and B for the equation "
                           f"{'AX = B' if left else 'XA = B'} ({n}x{n} and "
                           f"{b.shape[-2]}x{b.shape[-1]})")
    if pivots.shape[-1] != n:
        raise RuntimeError("linalg.lu_solve: Number of pivots per batch should be same as the "
                           "dimension of the matrix")
    for wrong, words in ((pivots < 1, "greater or equal to 1"),
                         (pivots > n, "smaller or equal to LU.size(-2)")):
        if wrong.any():
            raise RuntimeError(f"Pivots given to lu_solve must all be {words}. Did you properly "
                               "pass the result of lu_factor?")


def lu_solve(LU, pivots, B, *, left=True, adjoint=False, out=None):
    """X with `A X = B`, from what lu_factor returns for A; B and X are (*, n, k).

    `left=False` solves `X A = B`, with B (*, k, n); `adjoint` takes A^H for A. Raises RuntimeError
    for shapes that do not fit.

    >>> import retrograd as torch
    >>> torch.linalg.lu_solve(*torch.linalg.lu_factor(torch.eye(2)), torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    _check_lu_solve(LU._data, physical(pivots)._data, B._data, left)
    tri = T.linalg_solve_triangular
    if left and not adjoint and LU._data.ndim == 2 == B._data.ndim \
            and unobserved(LU._flags | pivots._flags | B._flags):      # no matrix need be made
        permuted = wrap(B._data.take(row_order(pivots._data.tolist(), len(LU._data)), 0))
        res = tri(LU, tri(LU, permuted, False, True, True), True, True, False)
        return given("linalg_lu_solve", res, out)
    p, low, up = T.lu_parts(LU, pivots)
    if adjoint != (not left):
        a, b = (up.mH, low.mH) if adjoint else (up, low)
        if left:
            half = tri(a, B, False, True, False)
            res = p @ tri(b, half, True, True, True)
        else:
            res = tri(b, tri(a, B, True, False, False), False, False, True) @ p.mT
    elif left:
        res = tri(up, tri(low, p.mT @ B, False, True, True), True, True, False)
    else:
        res = tri(up.mH, tri(low.mH, B @ p, True, False, True), False, False, False)
    return given("linalg_lu_solve", res, out)


@public(name="lu_solve")
def torch_lu_solve(input, LU_data, LU_pivots, *, out=None):
    """torch.linalg.lu_solve with the right-hand side first, with PyTorch's warning.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> LU, pivots = torch.linalg.lu_factor(torch.tensor([[2., 0.], [0., 4.]]))
    >>> torch.lu_solve(torch.ones(2, 1), LU, pivots)
    tensor([[0.5000],
            [0.2500]])
    """
    warn_old("lu_solve")
    return lu_solve(LU_data, LU_pivots, input, out=out)
