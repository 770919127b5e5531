"""torch.linalg's functions and their older relatives: arguments, checks, compositions."""

from __future__ import annotations

import math

import numpy as np

from .. import kernels as K
from .. import return_types
from .._tensor import Tensor, wrap
from ..kernels.linalg import LinAlgError, check_float, check_matrix, check_square, first_zero_pivot
from .declare import F as T
from .dims import wrap_dim
from .out import fill_checked
from .public import method, public
from .reduce import vector_norm
from .support import result_dtype


def _given(name, res, out):
    return res if out is None else fill_checked(name, out, res)


def _tuple(name, made, out):
    if out is not None:
        made = [fill_checked(name, o, r) for o, r in zip(out, made, strict=True)]
    return getattr(return_types, name)(made)


def _info(a, value=0):
    return wrap(np.full(a._data.shape[:-2], value, np.int32))


# --------------------------------------------------------------------------- solving

def _check_solve(A, B, left):
    a, b = A._data, B._data
    check_square("linalg.solve", a)
    if a.dtype != b.dtype:
        raise RuntimeError(
            "linalg.solve: Expected A and B to have the same dtype, but found A of type "
            f"{A.dtype.tensor_name} and B of type {B.dtype.tensor_name} instead")
    check_float("linalg.solve", a)
    if K.is_vector(a.shape, b.shape):
        rows = b.shape[-1]
        if not left:
            raise RuntimeError("linalg.solve: Vector broadcasting of the left hand side is not "
                               "supported for left=False. In this case linalg.solve is equivalent "
                               "to B / A.squeeze(-1)")
        shown = f"{rows}"
    else:
        rows = b.shape[-2] if left else b.shape[-1]
        shown = f"{b.shape[-2]}x{b.shape[-1]}"
    if rows != a.shape[-1]:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation "
                           f"{equation} ({a.shape[-2]}x{a.shape[-1]} and {shown})")


def solve(A, B, *, left=True, out=None):
    """X with ``A X = B`` (``X A = B`` if not left), for batches; B may hold vectors.

    Raises LinAlgError for a singular A.

    >>> import retrograd as torch
    >>> torch.linalg.solve(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 2.]))
    tensor([1.0000, 0.5000])
    """
    _check_solve(A, B, left)
    return _given("linalg_solve", T.linalg_solve(A, B, left), out)


def _with_info(compute, failed, a, check_errors):
    """(result, info) where the failure of a matrix is told by info, unless check_errors."""
    try:
        return compute(), _info(a)
    except LinAlgError:
        if check_errors:
            raise
        flat = a._data.reshape(-1, *a._data.shape[-2:])
        info = np.array([failed(m) for m in flat], np.int32).reshape(a._data.shape[:-2])
        return None, wrap(info)


def _zero_pivot(matrix):
    lu, _ = K.lu_factor(matrix)
    return first_zero_pivot(matrix)[1] if (np.diagonal(lu) == 0).any() else 0


def solve_ex(A, B, *, left=True, check_errors=False, out=None):
    """(solve(A, B), info): info is the place of a zero pivot, 0 for a regular matrix."""
    _check_solve(A, B, left)
    res, info = _with_info(lambda: T.linalg_solve(A, B, left), _zero_pivot, A, check_errors)
    if res is None:
        res = wrap(np.full(B._data.shape, np.nan, B._data.dtype))
    return _tuple("linalg_solve_ex", (res, info), out)


@public(name="inverse")
def inverse(input, *, out=None):
    """torch.linalg.inv."""
    return inv(input, out=out)


def inv(A, *, out=None):
    """The inverses of square matrices.

    Raises LinAlgError for a singular matrix.
    """
    check_square("linalg.inv", A._data)
    check_float("linalg.inv", A._data)
    return _given("linalg_inv", T.linalg_inv_ex(A), out)


def inv_ex(A, *, check_errors=False, out=None):
    """(inv(A), info): info is the place of a zero pivot, 0 for a regular matrix."""
    check_square("linalg.inv", A._data)
    check_float("linalg.inv", A._data)
    res, info = _with_info(lambda: T.linalg_inv_ex(A), _zero_pivot, A, check_errors)
    if res is None:
        res = wrap(np.full(A._data.shape, np.nan, A._data.dtype))
    return _tuple("linalg_inv_ex", (res, info), out)


def solve_triangular(A, B, *, upper, left=True, unitriangular=False, out=None):
    """X with ``A X = B`` (``X A = B`` if not left), reading one triangle of A."""
    check_square("linalg.solve_triangular", A._data)
    check_matrix("linalg.solve_triangular", B._data, "B")
    a, b = A._data.shape, B._data.shape
    if a[-1] != (b[-2] if left else b[-1]):
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(f"linalg.solve_triangular: Incompatible shapes of A and B for the "
                           f"equation {equation} ({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})")
    res = T.linalg_solve_triangular(A, B, bool(upper), bool(left), bool(unitriangular))
    return _given("linalg_solve_triangular", res, out)


@public
def triangular_solve(input, A, upper=True, transpose=False, unitriangular=False, *, out=None):
    """(solution, A) of ``A X = input`` for a triangular A, or of its transpose."""
    a = A.mT if transpose else A
    res = T.linalg_solve_triangular(a, input, bool(upper) != bool(transpose), True,
                                    bool(unitriangular))
    return _tuple("triangular_solve", (res, A.clone()), out)


def lstsq(A, B, rcond=None, *, driver=None):
    """(solution, residuals, rank, singular_values) of min ``|A X - B|``; vectors only by columns.

    As in PyTorch residuals is empty unless A has full rank, more rows than columns and the driver
    is not the default "gelsy"; singular_values is empty for "gels" and "gelsy".
    """
    a, b = A._data, B._data
    check_matrix("torch.linalg.lstsq", a, "input")
    vector = K.is_vector(a.shape, b.shape)
    rows = b.shape[-1] if vector else b.shape[-2]
    if rows != a.shape[-2]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size(-2)")
    m, n = a.shape[-2:]
    rtol = np.finfo(a.dtype).eps * max(m, n) if rcond is None else rcond
    right = B.unsqueeze(-1) if vector else B
    solution = T.linalg_pinv(A, rtol, False) @ right
    s = np.linalg.svd(a, compute_uv=False)
    rank = (s > rtol * s[..., :1]).sum(-1)
    residuals = solution.flatten().narrow(0, 0, 0)
    residuals = residuals.real if residuals.is_complex() else residuals
    if driver in ("gels", "gelsd", "gelss") and m > n and (rank == n).all():
        gap = A @ solution - right
        residuals = (gap * gap.conj()).real.sum(-2) if gap.is_complex() else (gap * gap).sum(-2)
    values = s if driver in ("gelsd", "gelss") else np.empty(0, s.dtype)
    rank = rank if driver in (None, "gelsy", "gelsd", "gelss") else np.empty(0)
    return return_types.linalg_lstsq((
        solution.squeeze(-1) if vector else solution, residuals,
        wrap(np.asarray(rank, np.int64)), wrap(values)))


# --------------------------------------------------------------------------- determinants

@public
def det(A, *, out=None):
    """The determinants of square matrices."""
    check_square("linalg.det", A._data)
    check_float("linalg.det", A._data)
    return _given("linalg_det", T.linalg_det(A), out)


def slogdet(A, *, out=None):
    """(sign, log of the absolute value) of the determinants."""
    check_square("linalg.slogdet", A._data)
    check_float("linalg.slogdet", A._data)
    return _tuple("linalg_slogdet", T.linalg_slogdet(A), out)


@public(name="slogdet")
def torch_slogdet(input):
    """(sign, log of the absolute value) of the determinants."""
    return return_types.slogdet(slogdet(input))


@public
def logdet(input):
    """The log of the determinants; nan where it is negative."""
    check_square("linalg.logdet", input._data)
    sign, log = T.linalg_slogdet(input)
    if input.is_complex():
        return log + sign.log()
    return T.where(sign == -1.0, math.nan, log)


# --------------------------------------------------------------------------- factorizations

def cholesky(A, *, upper=False, out=None):
    """L with ``L L^H = A`` for positive definite matrices (U = L^H if upper).

    Raises LinAlgError where A is not positive definite.
    """
    check_square("linalg.cholesky", A._data)
    check_float("linalg.cholesky", A._data)
    return _given("linalg_cholesky", T.linalg_cholesky_ex(A, bool(upper)), out)


@public(name="cholesky")
def torch_cholesky(input, upper=False, *, out=None):
    """torch.linalg.cholesky under its older name."""
    return cholesky(input, upper=upper, out=out)


def cholesky_ex(A, *, upper=False, check_errors=False, out=None):
    """(cholesky(A), info): info is the order of the first minor that is not positive."""
    check_square("linalg.cholesky_ex", A._data)
    bad = lambda m: _first_bad(m)  # noqa: E731
    res, info = _with_info(lambda: T.linalg_cholesky_ex(A, bool(upper)), bad, A, check_errors)
    if res is None:
        res = wrap(np.full(A._data.shape, np.nan, A._data.dtype))
    return _tuple("linalg_cholesky_ex", (res, info), out)


def _first_bad(matrix):
    try:
        np.linalg.cholesky(matrix)
    except np.linalg.LinAlgError:
        return K.first_bad_minor(matrix)[1]
    return 0


@public
def cholesky_inverse(L, upper=False, *, out=None):
    """The inverse of a matrix from its Cholesky factor."""
    return _given("cholesky_inverse", T.cholesky_inverse(L, bool(upper)), out)


@public
def cholesky_solve(B, L, upper=False, *, out=None):
    """X with ``A X = B`` from the Cholesky factor of A."""
    return _given("cholesky_solve", T.cholesky_solve(B, L, bool(upper)), out)


def qr(A, mode="reduced", *, out=None):
    """(Q, R) with orthonormal Q; mode "reduced", "complete" or "r" (Q empty)."""
    check_matrix("linalg.qr", A._data)
    if mode not in ("reduced", "complete", "r"):
        raise RuntimeError(f"qr received unrecognized mode '{mode}' but expected one of 'reduced' "
                           "(default), 'r', or 'complete'")
    check_float("linalg.qr", A._data)
    return _tuple("linalg_qr", T.linalg_qr(A, mode), out)


@public(name="qr")
def torch_qr(input, some=True, *, out=None):
    """torch.linalg.qr under its older name: reduced if some, else complete."""
    check_matrix("linalg.qr", input._data)
    check_float("linalg.qr", input._data)
    made = T.linalg_qr(input, "reduced" if some else "complete")
    return _tuple("qr", made, out)


def svd(A, full_matrices=True, *, driver=None, out=None):
    """(U, S, Vh) with ``A = U diag(S) Vh``, singular values descending."""
    check_matrix("linalg.svd", A._data)
    check_float("linalg.svd", A._data)
    return _tuple("linalg_svd", T.linalg_svd(A, bool(full_matrices)), out)


@public(name="svd")
def torch_svd(input, some=True, compute_uv=True, *, out=None):
    """(U, S, V) with ``input = U diag(S) V^H``."""
    if input._data.ndim < 2:
        raise RuntimeError("linalg.svd: input should have at least 2 dimensions, but has "
                           f"{input._data.ndim} dimensions instead")
    check_float("linalg.svd", input._data)
    u, s, vh = T.linalg_svd(input, not some)
    if not compute_uv:
        m, n = input._data.shape[-2:]
        zeros = [wrap(np.zeros((*input._data.shape[:-2], k, k), input._data.dtype)) for k in (m, n)]
        return return_types.svd((zeros[0], s, zeros[1]))
    return _tuple("svd", (u, s, vh.mH), out)


def svdvals(A, *, driver=None, out=None):
    """The singular values, descending."""
    check_matrix("linalg.svdvals", A._data)
    return _given("linalg_svdvals", T.linalg_svd(A, False)[1], out)


def eigh(A, UPLO="L", *, out=None):
    """(eigenvalues ascending, eigenvectors) of Hermitian matrices, read from one triangle."""
    check_square("linalg.eigh", A._data)
    check_float("linalg.eigh", A._data)
    return _tuple("linalg_eigh", T.linalg_eigh(A, UPLO.upper()), out)


def eigvalsh(A, UPLO="L", *, out=None):
    """The eigenvalues of Hermitian matrices, ascending."""
    check_square("linalg.eigvalsh", A._data)
    return _given("linalg_eigvalsh", T.linalg_eigh(A, UPLO.upper())[0], out)


def eig(A, *, out=None):
    """(complex eigenvalues, eigenvectors) of square matrices."""
    check_square("linalg.eig", A._data)
    check_float("linalg.eig", A._data)
    return _tuple("linalg_eig", T.linalg_eig(A), out)


def eigvals(A, *, out=None):
    """The complex eigenvalues."""
    check_square("linalg.eigvals", A._data)
    return _given("linalg_eigvals", T.linalg_eig(A)[0], out)


def lu(A, *, pivot=True, out=None):
    """(P, L, U) with ``A = P L U``; without pivot P is empty."""
    check_matrix("linalg.lu", A._data)
    return _tuple("linalg_lu", T.linalg_lu(A, bool(pivot)), out)


def lu_factor(A, *, pivot=True, out=None):
    """(LU in one matrix, pivots counted from 1)."""
    check_matrix("torch.lu_factor", A._data)
    if not pivot:
        raise NotImplementedError("linalg.lu_factor: pivot=False is not supported")
    return _tuple("linalg_lu_factor", T.linalg_lu_factor_ex(A), out)


def lu_factor_ex(A, *, pivot=True, check_errors=False, out=None):
    """(LU, pivots, info)."""
    LU, pivots = lu_factor(A, pivot=pivot)
    zeros = np.diagonal(LU._data, axis1=-2, axis2=-1) == 0
    info = np.where(zeros.any(-1), zeros.argmax(-1) + 1, 0) if zeros.size else 0
    info = np.broadcast_to(np.asarray(info, np.int32), A._data.shape[:-2]).copy()
    return _tuple("linalg_lu_factor_ex", (LU, pivots, wrap(info)), out)


@public(name="lu")
def torch_lu(A, pivot=True, get_infos=False, out=None):
    """(LU, pivots), with get_infos also info."""
    made = lu_factor_ex(A, pivot=pivot)
    return tuple(made) if get_infos else tuple(made)[:2]


@public(method=False)
def lu_unpack(LU_data, LU_pivots, unpack_data=True, unpack_pivots=True, *, out=None):
    """(P, L, U) from what lu_factor returns."""
    p, low, up = T.lu_parts(LU_data, LU_pivots)
    empty = wrap(np.empty(0, LU_data._data.dtype))
    made = (p if unpack_pivots else empty, *((low, up) if unpack_data else (empty, empty)))
    return _tuple("lu_unpack", made, out)


def lu_solve(LU, pivots, B, *, left=True, adjoint=False, out=None):
    """X with ``A X = B`` (``X A = B``; A^H if adjoint) from lu_factor's result."""
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
    return _given("linalg_lu_solve", res, out)


@public(name="lu_solve")
def torch_lu_solve(b, LU_data, LU_pivots, *, out=None):
    """torch.linalg.lu_solve with the right-hand side first."""
    return lu_solve(LU_data, LU_pivots, b, out=out)


def householder_product(A, tau, *, out=None):
    """The first columns of the product of the reflections ``1 - tau_i v_i v_i^H``."""
    m, n = A._data.shape[-2:]
    shape = (*A._data.shape[:-2], m, n)
    res = wrap(np.broadcast_to(np.eye(m, n, dtype=A._data.dtype), shape).copy())
    if not tau._data.shape[-1]:
        return _given("linalg_householder_product", res + T.triu(A, n), out)
    low = T.tril(A, -1) + wrap(np.eye(m, n, dtype=A._data.dtype))
    for k in reversed(range(tau._data.shape[-1])):
        v = low.narrow(-1, k, 1)
        res = res - tau.narrow(-1, k, 1).unsqueeze(-1) * (v @ (v.mH @ res))
    return _given("linalg_householder_product", res, out)


@public
def orgqr(input, tau, *, out=None):
    """torch.linalg.householder_product."""
    return householder_product(input, tau, out=out)


# --------------------------------------------------------------------------- functions of a matrix

def pinv(A, *, atol=None, rtol=None, hermitian=False, rcond=None, out=None):
    """The pseudoinverse; singular values up to max(atol, rtol * largest) count as zero.

    rtol is max(m, n) * eps unless it or atol is given.
    """
    check_matrix("linalg.pinv", A._data)
    rtol = rtol if rcond is None else rcond
    res = T.linalg_pinv(A, *_tolerances(A, rtol, hermitian, atol))
    return _given("linalg_pinv", res, out)


def _tolerances(A, rtol, hermitian, atol):
    plain = [t._data if isinstance(t, Tensor) else t for t in (rtol, atol)]
    rtol, atol = [t[..., None] if isinstance(t, np.ndarray) and t.ndim else t for t in plain]
    if rtol is None:
        given = atol is not None and np.any(np.asarray(atol) > 0)
        rtol = 0.0 if given else max(A._data.shape[-2:]) * np.finfo(A._data.dtype).eps
    return rtol, bool(hermitian), atol


@public
def pinverse(input, rcond=1e-15):
    """torch.linalg.pinv with rtol = rcond."""
    return pinv(input, rtol=rcond)


def matrix_rank(A, tol=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """How many singular values exceed max(atol, rtol * largest)."""
    check_matrix("linalg.matrix_rank", A._data)
    rtol, hermitian, atol = _tolerances(A, rtol, hermitian, tol if atol is None else atol)
    a = A._data
    s = np.abs(np.linalg.eigvalsh(a)) if hermitian else np.linalg.svd(a, compute_uv=False)
    if not s.shape[-1]:
        return _given("linalg_matrix_rank", wrap(np.zeros(a.shape[:-2], np.int64)), out)
    limit = np.maximum(rtol * s.max(-1, keepdims=True), 0 if atol is None else atol)
    return _given("linalg_matrix_rank", wrap(np.asarray((s > limit).sum(-1))), out)


@public
def matrix_exp(A):
    """The exponential of square matrices."""
    check_square("linalg.matrix_exp", A._data)
    check_float("linalg.matrix_exp", A._data)
    return T.linalg_matrix_exp(A)


@public
def matrix_power(A, n, *, out=None):
    """The n-th power of square matrices; inverses for n < 0."""
    check_square("linalg.matrix_power", A._data)
    if n == 0:
        eye = np.eye(A._data.shape[-1], dtype=A._data.dtype)
        res = A.clone().copy_(wrap(eye))
        return _given("linalg_matrix_power", res, out)
    base, n, res = (inv(A), -n, None) if n < 0 else (A, n, None)
    while n:
        if n & 1:
            res = base if res is None else res @ base
        n >>= 1
        if n:
            base = base @ base
    return _given("linalg_matrix_power", res.clone() if res is A else res, out)


# --------------------------------------------------------------------------- norms

def _orders(ord):
    return math.inf if ord == "inf" else ord


def matrix_norm(A, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """"fro", "nuc", 1, 2, inf and their negatives, over the two dimensions dim."""
    check_matrix("linalg.matrix_norm", A._data)
    check_float("linalg.matrix_norm", A._data, low_precision=False)
    A = A if dtype is None else A.to(dtype)
    first, second = (wrap_dim(d, A._data.ndim) for d in dim)
    if ord == "fro":
        return vector_norm(A, 2, (first, second), keepdim, out=out)
    if ord == "nuc" or isinstance(ord, (int, float)) and abs(ord) == 2:
        values = svdvals(A.movedim((first, second), (-2, -1)))
        res = values.sum(-1) if ord == "nuc" else values.amax(-1) if ord > 0 else values.amin(-1)
        if keepdim:
            for d in sorted((first, second)):
                res = res.unsqueeze(d)
    elif isinstance(ord, (int, float)) and abs(ord) in (1, math.inf):
        summed, other = (first, second) if abs(ord) == 1 else (second, first)
        sums = vector_norm(A, 1, summed, True)
        res = sums.amax(other, True) if ord > 0 else sums.amin(other, True)
        res = res if keepdim else res.squeeze((first, second))
    else:
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    return _given("linalg_matrix_norm", res, out)


def norm(A, ord=None, dim=None, keepdim=False, *, dtype=None, out=None):
    """vector_norm, or matrix_norm where two dimensions and an order are given."""
    dims = (dim,) if isinstance(dim, int) else dim
    if ord is not None:
        if dims is None and A._data.ndim not in (1, 2):
            raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be "
                               f"1D or 2D. Got {A._data.ndim}D.")
        if isinstance(ord, str) or len(dims or A._data.shape) == 2:
            return matrix_norm(A, ord, dims or (-2, -1), keepdim, dtype=dtype, out=out)
    return vector_norm(A, 2 if ord is None else ord, dims, keepdim, dtype=dtype, out=out)


def cond(A, p=None, *, out=None):
    """The condition number in the norm p (2 by default)."""
    check_matrix("linalg.cond", A._data)
    if p in (None, 2, -2):
        s = svdvals(A)
        largest, least = s.narrow(-1, 0, 1), s.narrow(-1, s._data.shape[-1] - 1, 1)
        res = (least / largest if p == -2 else largest / least).squeeze(-1)
    else:
        check_square(f"linalg.cond(ord={p})", A._data)
        res = matrix_norm(A, p) * matrix_norm(inv_ex(A)[0], p)
        res = res.nan_to_num(nan=math.inf)
    return _given("linalg_cond", res, out)


@public
def renorm(input, p, dim, maxnorm, *, out=None):
    """input with every slice along dim scaled down to the p-norm maxnorm at most."""
    others = tuple(d for d in range(input._data.ndim) if d != wrap_dim(dim, input._data.ndim))
    norms = vector_norm(input, p, others, True)
    factor = T.where(norms > maxnorm, maxnorm / (norms + 1e-7), 1.0)
    return _given("renorm", input * factor, out)


@method
def renorm_(self, p, dim, maxnorm):
    """renorm() in place."""
    return self.copy_(renorm(self, p, dim, maxnorm))


# --------------------------------------------------------------------------- products

def matmul(input, other, *, out=None):
    """torch.matmul."""
    from .matmul import matmul
    return matmul(input, other, out=out)


def cross(input, other, *, dim=-1, out=None):
    """The cross product of 3-vectors along dim."""
    a, b = input._data, other._data
    if a.ndim != b.ndim:
        raise RuntimeError("linalg.cross: inputs must have the same number of dimensions.")
    dim = wrap_dim(dim, a.ndim)
    if a.shape[dim] != 3 or b.shape[dim] != 3:
        raise RuntimeError(f"linalg.cross: inputs dimension {dim} must have length 3. Got "
                           f"{a.shape[dim]} and {b.shape[dim]}")
    K.check_broadcast(a.shape, b.shape)
    if a.dtype != b.dtype:
        common = result_dtype([input, other])
        input, other = input.to(common), other.to(common)
    return _given("linalg_cross", T.linalg_cross(input, other, dim), out)


@public(name="cross")
def torch_cross(input, other, dim=None, *, out=None):
    """The cross product along dim, by default the first dimension of size 3."""
    if dim is None:
        K.check_broadcast(input._data.shape, other._data.shape)
        dim = next((k for k, n in enumerate(input._data.shape) if n == 3), None)
        if dim is None:
            raise RuntimeError("no dimension of size 3 in input")
    return cross(input, other, dim=dim, out=out)


def vecdot(x, y, *, dim=-1, out=None):
    """Sums of ``conj(x) * y`` along dim."""
    return _given("linalg_vecdot", (x.conj() * y).sum(dim), out)


def diagonal(A, *, offset=0, dim1=-2, dim2=-1):
    """The diagonals, as a view."""
    return A.diagonal(offset, dim1, dim2)


def multi_dot(tensors, *, out=None):
    """The product of several matrices in the cheapest order; the ends may be vectors."""
    tensors = list(tensors)
    if len(tensors) < 2:
        raise RuntimeError(f"multi_dot(): expected at least 2 tensors but got {len(tensors)}")
    first, last = tensors[0]._data.ndim == 1, tensors[-1]._data.ndim == 1
    if first:
        tensors[0] = tensors[0].unsqueeze(0)
    if last:
        tensors[-1] = tensors[-1].unsqueeze(1)
    for k, t in enumerate(tensors):
        if t._data.ndim != 2:
            raise RuntimeError(f"multi_dot(): tensor {k} must be 2D but got {t._data.ndim}D")
    res = _chain(tensors)
    shape = ([] if first else [res._data.shape[0]]) + ([] if last else [res._data.shape[1]])
    return _given("linalg_multi_dot", res.view(shape), out)


def _chain(matrices):
    """The product with the fewest multiplications (dynamic programming over where to split)."""
    sizes = [m._data.shape[0] for m in matrices] + [matrices[-1]._data.shape[1]]
    n = len(matrices)
    cost, split = np.zeros((n, n)), np.zeros((n, n), int)
    for length in range(1, n):
        for i in range(n - length):
            j = i + length
            choices = [cost[i, k] + cost[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1]
                       for k in range(i, j)]
            cost[i, j], split[i, j] = min(choices), i + int(np.argmin(choices))
    return _product(matrices, split, 0, n - 1)


def _product(matrices, split, i, j):
    """The product of the matrices i to j, split as `split` says."""
    if i == j:
        return matrices[i]
    k = split[i, j]
    return _product(matrices, split, i, k).mm(_product(matrices, split, k + 1, j))


@public(method=False)
def chain_matmul(*matrices, out=None):
    """torch.linalg.multi_dot of the matrices given one by one."""
    return matrices[0].clone() if len(matrices) == 1 else multi_dot(matrices, out=out)


@public
def kron(input, other, *, out=None):
    """The Kronecker product."""
    n = max(input._data.ndim, other._data.ndim)
    a = (1,) * (n - input._data.ndim) + input._data.shape
    b = (1,) * (n - other._data.ndim) + other._data.shape
    left = input.reshape([k for s in a for k in (s, 1)])
    right = other.reshape([k for s in b for k in (1, s)])
    res = (left * right).reshape([s * t for s, t in zip(a, b, strict=True)])
    return _given("kron", res, out)


# --------------------------------------------------------------------------- tensors as matrices

def tensorinv(A, ind=2, *, out=None):
    """The inverse of A read as a matrix whose rows are its first ind dimensions."""
    if ind <= 0:
        raise RuntimeError(f"Expected a strictly positive integer for 'ind', got {ind}")
    shape = A._data.shape
    rows, cols = math.prod(shape[:ind]), math.prod(shape[ind:])
    if rows != cols:
        raise RuntimeError("Expected self to satisfy the requirement prod(self.shape[ind:]) == "
                           f"prod(self.shape[:ind]), but got {cols} != {rows}")
    res = inv(A.reshape(rows, cols)).reshape(*shape[ind:], *shape[:ind])
    return _given("linalg_tensorinv", res, out)


def tensorsolve(A, B, dims=None, *, out=None):
    """X with ``tensordot(A, X, X.ndim) = B``."""
    if dims is not None:
        A = A.movedim(tuple(dims), tuple(range(A._data.ndim - len(dims), A._data.ndim)))
    shape = A._data.shape[B._data.ndim:]
    n = math.prod(shape)
    if math.prod(A._data.shape[: B._data.ndim]) != n:
        raise RuntimeError(
            "Expected self to satisfy the requirement prod(self.shape[other.ndim:]) == "
            f"prod(self.shape[:other.ndim]), but got {n} != "
            f"{math.prod(A._data.shape[: B._data.ndim])}")
    return _given("linalg_tensorsolve", solve(A.reshape(n, n), B.flatten()).reshape(shape), out)


def vander(x, *, N=None):
    """Rows of powers 1, x, x**2 .. up to N of them (as many as x has elements)."""
    x = x.reshape(1) if not x._data.ndim else x
    n = x._data.shape[-1] if N is None else N
    if n <= 1:
        raise RuntimeError("N must be greater than 1.")
    powers = x.unsqueeze(-1).expand(*x._data.shape, n - 1).cumprod(-1)
    ones = wrap(np.ones((*x._data.shape, 1), powers._data.dtype))
    return T.cat([ones, powers], x._data.ndim)


@public(name="vander", method=False)
def torch_vander(x, N=None, increasing=False):
    """Powers of the vector x, highest first unless increasing."""
    n = x._data.shape[0] if N is None else N
    if n < 2:
        res = wrap(np.ones((x._data.shape[0], n), x._data.dtype))
    else:
        res = vander(x, N=n)
    return res if increasing else res.flip(1)
