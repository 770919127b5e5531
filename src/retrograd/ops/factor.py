"""Factorizations of matrices and what is solved by them."""

from __future__ import annotations

import numpy as np

from .. import kernels as K
from .. import return_types
from .._tensor import ON_META, wrap
from ..kernels import lapack
from ..kernels.checks import check_broadcast
from ..kernels.linalg import (
    LinAlgError,
    check_float,
    check_lapack,
    check_matrix,
    check_square,
    lower_factor,
)
from .batching import in_layers, layers, physical
from .declare import F as T
from .deprecated import warn_old
from .out import given, given_pair
from .public import public
from .solve import check_sides, with_info
from .support import unobserved


def cholesky(input, *, upper=False, out=None):
    """L with `L L^H = input` for positive definite matrices (*, n, n) (U = L^H if upper).

    Raises LinAlgError where input is not positive definite.

    >>> import retrograd as torch
    >>> torch.linalg.cholesky(torch.tensor([[4., 2.], [2., 2.]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    check_square("linalg.cholesky", input._data)
    check_float("linalg.cholesky", input._data, low_precision=False)
    return given("linalg_cholesky", T.linalg_cholesky_ex(input, bool(upper)), out)


@public(name="cholesky")
def torch_cholesky(input, upper=False, *, out=None):
    """torch.linalg.cholesky under its older name, with PyTorch's warning.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.cholesky(torch.tensor([[4., 2.], [2., 2.]]))
    tensor([[2., 0.],
            [1., 1.]])
    """
    warn_old("cholesky")
    check_square("cholesky", input._data)
    try:
        res = T.linalg_cholesky_ex(input, bool(upper))
    except LinAlgError as error:
        raise LinAlgError(str(error).removeprefix("linalg.")) from None
    return given("cholesky", res, out)


def cholesky_ex(input, *, upper=False, check_errors=False, out=None):
    """(cholesky(input), info), which raises no error for a matrix that is not positive definite.

    (*, n, n) -> (*, n, n), (*). info is the order of the first leading minor that is not positive,
    0 where there is none. With check_errors it raises LinAlgError, as linalg.cholesky does.

    >>> import retrograd as torch
    >>> torch.linalg.cholesky_ex(torch.tensor([[-1.]])).info
    tensor(1, dtype=torch.int32)
    """
    check_square("linalg.cholesky", input._data)
    check_float("linalg.cholesky", input._data, low_precision=False)
    check_lapack("cholesky_cpu", input._data)

    def stopped(matrix, minor):
        return K.stopped_cholesky(matrix, minor, upper)

    res, info = with_info(lambda a: T.linalg_cholesky_ex(a, bool(upper)), _first_bad, input,
                          check_errors, stopped=stopped)
    return given_pair("linalg_cholesky_ex", (res, info), out)


def _first_bad(matrix):
    try:
        lower_factor(matrix)
    except np.linalg.LinAlgError:
        return K.first_bad_minor(matrix)[1]
    return 0


@public
def cholesky_inverse(input, upper=False, *, out=None):
    """The inverse of A from its Cholesky factor L, `A = L L^H`: (*, n, n) -> (*, n, n).

    With `upper` the factor is U of `A = U^H U`. Raises RuntimeError if it is not square.

    >>> import retrograd as torch
    >>> torch.cholesky_inverse(torch.tensor([[2.]]))
    tensor([[0.2500]])
    """
    check_square("cholesky_inverse", input._data)
    return given("cholesky_inverse", T.cholesky_inverse(input, bool(upper)), out)


def _check_cholesky_solve(b, a):
    for name, x in (("b", b), ("u", a)):
        if x.ndim < 2:
            raise RuntimeError(f"{name} should have at least 2 dimensions, but has {x.ndim} "
                               "dimensions instead")
    check_sides(b, a)
    check_square("", a)
    if a.shape[-1] != b.shape[-2]:
        raise RuntimeError("Incompatible matrix sizes for cholesky_solve: each A matrix is "
                           f"{a.shape[-2]} by {a.shape[-1]} but each b matrix is {b.shape[-2]} by "
                           f"{b.shape[-1]}")
    check_broadcast(b.shape[:-2], a.shape[:-2])


@public
def cholesky_solve(input, input2, upper=False, *, out=None):
    """X with `A X = input`, given a Cholesky factor of A: (*, n, k), (*, n, n) -> (*, n, k).

    The factor, input2, is L of `A = L L^H` or, with `upper`, U of `A = U^H U`. Raises
    RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> torch.cholesky_solve(torch.ones(2, 1), torch.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.2500],
            [0.0625]])
    """
    _check_cholesky_solve(input._data, input2._data)
    return given("cholesky_solve", T.cholesky_solve(input, input2, bool(upper)), out)


def qr(A, mode="reduced", *, out=None):
    """(Q, R) with `A = Q R`, Q orthonormal and R upper triangular; A is (*, m, n).

    mode "reduced": (*, m, k) and (*, k, n), k the smaller of m and n; "complete": (*, m, m) and
    (*, m, n); "r": R alone, Q is empty.

    >>> import retrograd as torch
    >>> torch.linalg.qr(torch.ones(3, 2)).R.shape
    torch.Size([2, 2])
    """
    check_matrix("linalg.qr", A._data)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' "
                           "(default), 'r', or 'complete'")
    check_float("linalg.qr", A._data, low_precision=False)
    return given_pair("linalg_qr", T.linalg_qr(A, mode), out)


@public(name="qr")
def torch_qr(input, some=True, *, out=None):
    """torch.linalg.qr under its older name, with PyTorch's warning; some=False is complete.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> q, r = torch.qr(torch.tensor([[3., 1.], [4., 2.]]))
    >>> torch.dist(q @ r, torch.tensor([[3., 1.], [4., 2.]])) < 1e-5
    tensor(True)
    """
    warn_old("qr")
    check_matrix("linalg.qr", input._data)
    check_float("linalg.qr", input._data, low_precision=False)
    made = T.linalg_qr(input, "reduced" if some else "complete")
    return given_pair("qr", made, out)


def _refuse_driver(driver):
    if driver is not None:
        raise RuntimeError("torch.linalg.svd: keyword argument `driver=` is only supported on CUDA "
                           "inputs with cuSOLVER backend.")


def svd(A, full_matrices=True, *, driver=None, out=None):
    """(U, S, Vh) with `A = U diag(S) Vh`, singular values descending; A is (*, m, n).

    With full_matrices U is (*, m, m) and Vh (*, n, n), else (*, m, k) and (*, k, n) with k the
    smaller of m and n.

    Raises RuntimeError for a driver: there are none on the CPU.

    >>> import retrograd as torch
    >>> torch.linalg.svd(torch.tensor([[3., 0.], [0., 2.]])).S
    tensor([3., 2.])
    """
    check_matrix("linalg.svd", A._data)
    check_float("linalg.svd", A._data, low_precision=False)
    _refuse_driver(driver)
    return given_pair("linalg_svd", T.linalg_svd(A, bool(full_matrices)), out)


@public(name="svd")
def torch_svd(input, some=True, compute_uv=True, *, out=None):
    """(U, S, V) with `input = U diag(S) V^H`: V, where torch.linalg.svd returns V^H.

    (*, m, n) -> (*, m, k), (*, k), (*, n, k), with k the smaller of m and n; with some=False U is
    (*, m, m) and V (*, n, n). S is descending. With compute_uv=False U and V are zeros.

    >>> import retrograd as torch
    >>> torch.svd(torch.tensor([[3., 0.], [0., 2.]])).S
    tensor([3., 2.])
    """
    if input._data.ndim < 2:
        raise RuntimeError("linalg.svd: input should have at least 2 dimensions, but has "
                           f"{input._data.ndim} dimensions instead")
    check_float("linalg.svd", input._data, low_precision=False)
    u, s, vh = T.linalg_svd(input, not some, compute_uv or bool(input._flags))
    if not compute_uv:
        m, n = input._data.shape[-2:]
        zeros = [wrap(np.zeros((*input._data.shape[:-2], k, k), input._data.dtype)) for k in (m, n)]
        return return_types.svd((zeros[0], s, zeros[1]))
    return given_pair("svd", (u, s, vh.mH), out)


def svdvals(A, *, driver=None, out=None):
    """The singular values, descending: (*, m, n) -> (*, min(m, n)).

    Raises RuntimeError for integers and for fewer than two dimensions.

    >>> import retrograd as torch
    >>> torch.linalg.svdvals(torch.tensor([[3., 0.], [0., 2.]]))
    tensor([3., 2.])
    """
    check_matrix("linalg.svd", A._data)
    check_float("linalg.svd", A._data, low_precision=False)
    _refuse_driver(driver)
    return given("linalg_svdvals", T.linalg_svd(A, False, bool(A._flags))[1], out)


def _triangle(uplo):
    if uplo.upper() not in ("L", "U"):
        raise RuntimeError(f"Expected UPLO argument to be 'L' or 'U', but got {uplo}")
    return uplo.upper()


def eigh(input, UPLO="L", *, out=None):
    """(L, V) with `A = V diag(L) V^H` for Hermitian (*, n, n) matrices, L ascending.

    Only the lower triangle is read, or with UPLO="U" the upper one. Gradients of V exist only where
    the eigenvalues differ.

    >>> import retrograd as torch
    >>> torch.linalg.eigh(torch.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([1., 2.])
    """
    check_square("linalg.eigh", input._data)
    return given_pair("linalg_eigh", T.linalg_eigh(input, _triangle(UPLO)), out)


def eigvalsh(input, UPLO="L", *, out=None):
    """The eigenvalues of Hermitian matrices, real and ascending: (*, n, n) -> (*, n).

    Only the lower triangle is read, or with UPLO="U" the upper one. Raises RuntimeError for
    matrices that are not square.

    >>> import retrograd as torch
    >>> torch.linalg.eigvalsh(torch.tensor([[2., 1.], [1., 2.]]))
    tensor([1., 3.])
    """
    check_square("linalg.eigh", input._data)
    return given("linalg_eigvalsh", T.linalg_eigh(input, _triangle(UPLO), bool(input._flags))[0],
                 out)


def _check_has_complex(input):
    if input._data.dtype.kind in "biu":
        raise RuntimeError(f"Unknown Complex ScalarType for {input.dtype.tensor_name}")


def eig(input, *, out=None):
    """(L, V) with `A V = V diag(L)`, both complex: (*, n, n) -> (*, n), (*, n, n).

    The columns of V have norm 1. Raises RuntimeError for matrices that are not square, for
    integers, and for inf or nan.

    >>> import retrograd as torch
    >>> torch.linalg.eig(torch.tensor([[2., 0.], [0., 1.]])).eigenvalues
    tensor([2.+0.j, 1.+0.j])
    """
    _check_has_complex(input)
    check_square("linalg.eig", input._data)
    return given_pair("linalg_eig", T.linalg_eig(input), out)


def eigvals(input, *, out=None):
    """The eigenvalues of square matrices, complex: (*, n, n) -> (*, n).

    Raises RuntimeError for matrices that are not square, for integers, and for inf or nan.

    >>> import retrograd as torch
    >>> torch.linalg.eigvals(torch.tensor([[2., 0.], [0., 1.]]))
    tensor([2.+0.j, 1.+0.j])
    """
    _check_has_complex(input)
    check_square("linalg.eigvals", input._data)
    return given("linalg_eigvals", T.linalg_eig(input)[0], out, field="eigenvalues")


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
    zeros = np.diagonal(value._data, axis1=-2, axis2=-1) == 0
    info = np.where(zeros.any(-1), zeros.argmax(-1) + 1, 0) if zeros.size else 0
    info = np.broadcast_to(np.asarray(info, np.int32), value._data.shape[:-2]).copy()
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
    p, low, up = T.lu_parts(LU, pivots)
    tri = T.linalg_solve_triangular
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


def _check_reflections(name, a, tau, tall=False):
    """PyTorch's demands on the reflections below the diagonal of `a`, scaled by `tau`."""
    if a._data.ndim < 2:
        raise RuntimeError(f"{name}: input must have at least 2 dimensions.")
    m, n = a._data.shape[-2:]
    if tall and m < n:
        raise RuntimeError(f"{name}: input.shape[-2] must be greater than or equal to "
                           "input.shape[-1]")
    if tall and n < tau._data.shape[-1]:
        raise RuntimeError(f"{name}: input.shape[-1] must be greater than or equal to "
                           "tau.shape[-1]")
    if a._data.ndim - tau._data.ndim != 1:
        raise RuntimeError(f"{name}: Expected tau to have one dimension less than input, but got "
                           f"tau.ndim equal to {tau._data.ndim} and input.ndim is equal to "
                           f"{a._data.ndim}")
    if a._data.shape[:-2] != tau._data.shape[:-1]:
        raise RuntimeError(f"{name}: Expected batch dimensions of tau to be equal to "
                           f"input.shape[:-2], but got {list(tau._data.shape[:-1])}")
    if a._data.dtype != tau._data.dtype:
        raise RuntimeError(f"{name}: tau dtype {tau.dtype.tensor_name} does not match input dtype "
                           f"{a.dtype.tensor_name}")


def householder_product(input, tau, *, out=None):
    """The first n columns of a product of reflections, H_1 H_2 ... H_k, H_i = 1 - tau_i v_i v_i^H.

    v_i is 0 above the diagonal, 1 on it, and below it what stands in column i of input (*, m, n).
    tau is (*, k), the result (*, m, n). With what geqrf returns for A, it is the Q of `A = Q R`
    (LAPACK's orgqr). Raises RuntimeError unless m >= n >= k.

    >>> import retrograd as torch
    >>> torch.linalg.householder_product(*torch.geqrf(torch.eye(2))).abs()
    tensor([[1., 0.],
            [0., 1.]])
    """
    _check_reflections("torch.linalg.householder_product", input, tau, tall=True)
    check_lapack("orgqr_cpu", input._data)
    m, n = input._data.shape[-2:]
    if input._data.size and tau._data.size and unobserved(input._flags | tau._flags):
        found = lapack.orgqr(input._data, tau._data)
        if found is not None:
            return given("linalg_householder_product", wrap(found), out)
    eye = wrap(np.eye(m, n, dtype=input._data.dtype, order="F"))
    eye = eye.expand(*input._data.shape[:-2], m, n)
    if not tau._data.shape[-1]:           # nothing to reflect, yet the result hangs on input
        return given("linalg_householder_product", eye + T.triu(input, n), out)
    return given("linalg_householder_product", _reflected(input, tau, eye), out)


def _reflected(A, tau, start):
    """The reflections below the diagonal of A, the last one first, applied to `start`."""
    m, n = A._data.shape[-2:]
    low = T.tril(A, -1) + wrap(np.eye(m, n, dtype=A._data.dtype))
    res = start
    for k in reversed(range(tau._data.shape[-1])):
        v = low.narrow(-1, k, 1)
        res = res - tau.narrow(-1, k, 1).unsqueeze(-1) * (v @ (v.mH @ res))
    return res


@public
def orgqr(input, tau, *, out=None):
    """torch.linalg.householder_product under its older name: Q from what geqrf gives.

    >>> import retrograd as torch
    >>> torch.orgqr(*torch.geqrf(torch.eye(2))).abs()
    tensor([[1., 0.],
            [0., 1.]])
    """
    return householder_product(input, tau, out=out)


@public
def ormqr(input, tau, other, left=True, transpose=False, *, out=None):
    """Q @ other, with the (m, m) matrix Q that geqrf gives as reflections in `input` and `tau`.

    input is (*, m, k), tau (*, k), other (*, m, n). With left=False it is other @ Q, with transpose
    Q^H takes the place of Q. Q itself is never made (LAPACK's ormqr). Raises RuntimeError for sizes
    that do not fit.

    >>> import retrograd as torch
    >>> a = torch.tensor([[3., 1.], [4., 2.]])
    >>> r = torch.ormqr(*torch.geqrf(a), a, transpose=True)
    >>> torch.allclose(r.tril(-1), torch.zeros(2, 2), atol=1e-6)
    True
    """
    _check_reflections("torch.ormqr", input, tau)
    check_matrix("torch.ormqr", other._data, "other")
    side = -2 if left else -1
    rows, columns = input._data.shape[-2:]
    if other._data.shape[side] != rows:
        raise RuntimeError(f"torch.ormqr: other.shape[{side}] must be equal to input.shape[-2]")
    if tau._data.shape[-1:] != (min(rows, columns),):
        raise RuntimeError("torch.ormqr: tau.shape[-1] must be equal to "
                           f"min(other.shape[{side}], input.shape[-1])")
    check_lapack("ormqr_cpu", input._data)
    input = input[..., :rows]               # one reflection for each row of a wide matrix
    eye = wrap(np.eye(rows, dtype=input._data.dtype))
    q = _reflected(input, tau, eye.expand(*input._data.shape[:-2], rows, rows))
    q = q.mH if transpose else q
    return given("ormqr", q @ other if left else other @ q, out)
