"""Factorizations of matrices: Cholesky, QR, SVD, eigenvalues, reflections; what they solve.

LU is in lu.py, LDL in ldl.py.
"""

from __future__ import annotations

import numpy as np

from .. import kernels as K
from .. import return_types
from .._tensor import wrap
from ..kernels import lapack
from ..kernels.checks import check_broadcast
from ..kernels.linalg import (
    LinAlgError,
    check_float,
    check_lapack,
    check_matrix,
    check_square,
)
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
        res = T.cholesky_by_its_old_name(input, bool(upper))
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

    def failed(matrix):
        found = K.first_bad_minor(K.mH(matrix) if upper else matrix)
        return found[1] if found else 0

    res, info = with_info(lambda a: T.linalg_cholesky_ex(a, bool(upper)), failed, input,
                          check_errors, stopped=stopped)
    return given_pair("linalg_cholesky_ex", (res, info), out)


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
    (*, m, n); "r": R alone, Q is empty. Raises RuntimeError for another mode.

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
    the eigenvalues differ. Raises RuntimeError for matrices that are not square.

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
def orgqr(input, input2, *, out=None):
    """torch.linalg.householder_product under its older name: Q from what geqrf gives.

    >>> import retrograd as torch
    >>> torch.orgqr(*torch.geqrf(torch.eye(2))).abs()
    tensor([[1., 0.],
            [0., 1.]])
    """
    return householder_product(input, input2, out=out)


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
