"""Linear algebra on batches of matrices: NumPy's LAPACK routines with PyTorch's errors."""

import math
from bisect import bisect_left
from functools import lru_cache

import numpy as np

from .._named import HasPyTorchsName
from . import fast
from .checks import all_finite, scalar_name
from .half import is_half, refuse, widened
from .lapack import LOOPS, SMALL, gelsy, geqrf, getrf, lapack, on_one_thread
from .order import has_nan
from .shape import KEPT, tril, triu
from .triangular import linalg_solve_triangular


class LinAlgError(RuntimeError, metaclass=HasPyTorchsName):
    """A matrix that cannot be inverted or factorized."""


LinAlgError.__name__ = LinAlgError.__qualname__ = "_LinAlgError"
LinAlgError.__module__ = "torch._C"


def mH(a):
    """Conjugate transpose of the last two dimensions."""
    turned = a.swapaxes(-1, -2)
    return turned.conj() if a.dtype.kind == "c" else turned


# ---------------------------------------------------------------- solving
@on_one_thread
def linalg_solve(self, other, left):
    """X with `self X = other` (or `X self = other`); other may be a batch of vectors."""
    check_lapack("lu_cpu", self)
    vector = is_vector(self.shape, other.shape)
    b = other[..., None] if vector else other
    try:
        if left:
            res = lapack("solve", self, b)
        else:
            res = lapack("solve", self.swapaxes(-1, -2), b.swapaxes(-1, -2)).swapaxes(-1, -2)
    except np.linalg.LinAlgError:
        raise singular(self, "torch.linalg.solve: ", "The solver failed because the input matrix "
                       "is singular.") from None
    if np.isnan(res).any():
        res = _spread_nans(self, res)
    return res[..., 0] if vector else res


def _spread_nans(a, res):
    """The results, all nan for a matrix that has one: LAPACK may leave some numbers finite."""
    return np.where(np.isnan(a).any((-2, -1), keepdims=True), res.dtype.type(np.nan), res)


def is_vector(a_shape, b_shape):
    """Whether b holds vectors, not matrices, beside the matrices of a."""
    return len(b_shape) == 1 or len(a_shape) - 1 == len(b_shape) and b_shape == a_shape[:-1]


def singular(a, start, text):
    """The error for the first singular matrix of a batch."""
    return LinAlgError(start + batch_text(a, first_zero_pivot(a)) + text)


def first_zero_pivot(a):
    """(number of the matrix in the batch, place of the zero in U's diagonal), counted from 0, 1."""
    lu, _ = lu_factor(a.reshape(-1, *a.shape[-2:]))
    zeros = np.diagonal(lu, axis1=-2, axis2=-1) == 0
    which = int(zeros.any(-1).argmax())
    return which, int(zeros[which].argmax()) + 1


def batch_text(a, found):
    return f"(Batch element {found[0]}): " if a.ndim > 2 else ""


@on_one_thread
def linalg_inv_ex(self):
    """The inverses."""
    try:
        res = lapack("inv", self)
        return _spread_nans(self, res) if np.isnan(res).any() else res
    except np.linalg.LinAlgError:
        which, place = first_zero_pivot(self)
        raise LinAlgError(
            f"linalg.inv: {batch_text(self, (which, place))}The diagonal element {place} is zero, "
            "the inversion could not be completed because the input matrix is singular."
        ) from None


_inverses = fast.either("linalg_inv_ex", linalg_inv_ex)


def inverted(a):
    """The inverses; inf and nan for singular matrices."""
    try:
        return _inverses(a)
    except LinAlgError:
        lu, pivots = lu_factor(a)
        swaps = permutation(pivots, a.shape[-1], a.dtype).swapaxes(-1, -2)
        half = linalg_solve_triangular(lu, swaps, False, True, True)
        return linalg_solve_triangular(lu, half, True, True, False)


# ---------------------------------------------------------------- determinants
@on_one_thread
def linalg_det(self):
    """The determinants."""
    check_lapack("lu_cpu", self)
    found = _factored(self)
    if found is not None:
        pivots, sign = found
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(pivots.prod(-1) * sign).astype(self.dtype)
    res = np.asarray(np.linalg.det(self))
    if not res.all():                            # NumPy's are 0 where a pivot is, whatever follows
        odd = (res == 0) & ~np.isfinite(self).all((-2, -1))
        res[odd] = _pivots(self[odd]).prod(-1)
    return res


def _factored(a):
    """(the diagonals of U in double precision, the signs of the exchanges of rows) of large
    matrices; or None. np.linalg would factorize float32 in float64, in twice the time."""
    if a.dtype.char not in "fF" or a.shape[-1] * a.shape[-2] < SMALL or not a.size:
        return None
    found = getrf(a.swapaxes(-1, -2))         # the transposed has the same determinant
    if found is None or np.isnan(found[0]).any():
        return None
    lu, swapped = found
    moved = swapped != np.arange(1, swapped.shape[-1] + 1)
    wide = np.complex128 if a.dtype.kind == "c" else np.float64
    return np.diagonal(lu, axis1=-2, axis2=-1).astype(wide), 1 - 2 * (moved.sum(-1) % 2)


def _pivots(a):
    """The diagonal of U."""
    return np.diagonal(lu_factor(a)[0], axis1=-2, axis2=-1)


@on_one_thread
def linalg_slogdet(self):
    """(sign, log of the absolute value) of the determinants."""
    check_lapack("lu_cpu", self)
    found = _factored(self)
    with np.errstate(divide="ignore", invalid="ignore"):
        if found is not None:
            pivots, sign = found
            size = np.abs(pivots)
            if pivots.dtype.kind == "c":
                sign = sign * np.where(size == 0, 0, pivots / size).prod(-1)
            else:
                sign = sign * np.sign(pivots).prod(-1)
            return (np.asarray(sign).astype(self.dtype),
                    np.asarray(np.log(size).sum(-1)).astype(self.real.dtype))
        sign, log = map(np.asarray, np.linalg.slogdet(self))
        odd = ((sign == 0) | np.isnan(log)) & ~np.isfinite(self).all((-2, -1))
        if odd.any():
            log[odd] = np.log(np.abs(_pivots(self[odd]))).sum(-1)
            if self.dtype.kind == "f":
                sign[np.isnan(log)] = 0
    return sign, log


@on_one_thread
def cofactors(a, det):
    """d det / d a; by singular values where a is singular."""
    if det.size and (det != 0).all():
        return det[..., None, None] * _inverses(a).swapaxes(-1, -2)
    u, s, vh = lapack("svd_f", a)
    n = s.shape[-1]
    others = np.where(np.eye(n, dtype=bool), 1, s[..., None, :]).prod(-1)
    turn = np.linalg.det(u) * np.linalg.det(vh)
    return turn[..., None, None] * ((u.conj() * others[..., None, :]) @ vh.conj())


# ---------------------------------------------------------------- factorizations
@on_one_thread
def linalg_cholesky_ex(self, upper):
    """L with `L L^H = self`, or U = L^H."""
    check_lapack("cholesky_cpu", self)
    lower = mH(self) if upper else self
    try:
        low = lower_factor(lower)
    except np.linalg.LinAlgError:
        found = first_bad_minor(lower)
        raise LinAlgError(
            f"linalg.cholesky: {batch_text(self, found)}The factorization could not be completed "
            "because the input is not positive-definite (the leading minor of order "
            f"{found[1]} is not positive-definite)."
        ) from None
    return mH(low) if upper else low


def lower_factor(a):
    """L with `L L^H = a`. OpenBLAS does not stop at a nan, which goes on to the last number."""
    low = lapack("cholesky_lo", a)
    if np.isnan(low[..., -1:, -1:]).any():
        raise np.linalg.LinAlgError
    return low


@on_one_thread
def stopped_cholesky(matrix, minor, upper):
    """What LAPACK leaves of a matrix whose leading minor of this order is not positive: the rows
    and columns done before, the pivot that ended it, and the rest as it was."""
    low, done = np.tril(mH(matrix) if upper else matrix), minor - 1
    low[:done, :done] = lower_factor(low[:done, :done])
    low[done:, :done] = mH(lapack("solve", low[:done, :done], mH(low[done:, :done])))
    low[done, done] -= np.vdot(low[done, :done], low[done, :done])
    return mH(low) if upper else low


@on_one_thread
def cholesky_inverse(self, upper):
    """The inverse of a matrix from its Cholesky factor."""
    check_lapack("cholesky_inverse_out_cpu", self)
    low = tril(mH(self) if upper else self)
    _check_diagonal(low)
    n = low.shape[-1]
    half = linalg_solve_triangular(low, identity(n, n, low.dtype), False, True, False)
    return mH(half) @ half


def _check_diagonal(factor):
    """LinAlgError for a zero on the diagonal of a Cholesky factor."""
    diagonal = factor.diagonal(axis1=-2, axis2=-1)
    if np.count_nonzero(diagonal) < diagonal.size:
        found = np.argwhere(diagonal.reshape(-1, diagonal.shape[-1]) == 0)[0]
        raise LinAlgError(f"cholesky_inverse: {batch_text(factor, found)}The diagonal element "
                          f"{found[1] + 1} is zero, the inversion could not be completed because "
                          "the input matrix is singular.")


def cholesky_solve(self, input2, upper):
    """X with `A X = self` from the Cholesky factor of A."""
    check_lapack("cholesky_solve_cpu", input2)
    low = mH(input2) if upper else input2
    solve = fast.either("linalg_solve_triangular", linalg_solve_triangular)
    return solve(mH(low), solve(low, self, False, True, False), True, True, False)


def trace(self):
    """The sum of the diagonal; integers sum in int64."""
    if self.dtype.kind == "b":
        raise NotImplementedError('"trace" not implemented for \'Bool\'')
    if self.ndim != 2:
        raise RuntimeError("trace: expected a matrix, but got tensor with dim " + str(self.ndim))
    return np.asarray(self.trace(dtype=np.int64 if self.dtype.kind in "iu" else None))


def put_on_diagonal(g, shape):
    """g on the diagonal of zeros."""
    return g * np.eye(*shape, dtype=g.dtype)


@on_one_thread
def first_bad_minor(a):
    """(number of the matrix, order of its first leading minor that is not positive); or None."""
    for which, matrix in enumerate(a.reshape(-1, *a.shape[-2:])):
        if not has_factor(matrix):           # once a minor is not positive, no larger one has one
            smaller = range(len(matrix))
            return which, 1 + bisect_left(
                smaller, True, key=lambda k: not has_factor(matrix[:k + 1, :k + 1]))
    return None


def has_factor(matrix):
    """Whether there is a Cholesky factor."""
    try:
        lower_factor(matrix)
    except np.linalg.LinAlgError:
        return False
    return True


@on_one_thread
def linalg_qr(self, mode):
    """(Q, R); Q is empty for mode "r"."""
    check_lapack("geqrf_cpu", self)
    if mode == "r":
        return np.empty(0, self.dtype), np.linalg.qr(self, "r")
    if 0 in self.shape:
        return _empty_qr(self, mode)
    found = None
    if self.shape[-1] * self.shape[-2] >= SMALL:                     # worth two calls for each
        found = geqrf(self, mode == "complete")
    return found or _qr_in_double(self, mode == "complete")


def _qr_in_double(a, complete):
    """(Q, R) as np.linalg.qr has them, whose checks take twice as long as a small matrix."""
    m, n = a.shape[-2:]
    if not hasattr(LOOPS, "qr_r_raw"):                               # NumPy 2.0
        return tuple(np.linalg.qr(a, "complete" if complete else "reduced"))
    found = np.array(a, np.complex128 if a.dtype.kind == "c" else np.float64, order="C")
    scales, whole = lapack("qr_r_raw", found), complete and m > n
    q = lapack("qr_complete" if whole else "qr_reduced", found, scales)
    r = found if whole else found[..., :min(m, n), :]
    return q.astype(a.dtype, copy=False), triu(r, out=r).astype(a.dtype)


def _empty_qr(a, mode):
    *batch, m, n = a.shape
    k = m if mode == "complete" else min(m, n)
    q = np.zeros((*batch, m, k), a.dtype)
    if mode == "complete":
        q[...] = np.eye(m, dtype=a.dtype)
    return q, np.zeros((*batch, k, n), a.dtype)


@on_one_thread
def linalg_svd(self, full_matrices, compute_uv=True):
    """(U, S, Vh) with `self = U diag(S) Vh`; U and Vh empty unless compute_uv."""
    check_lapack("linalg_svd_cpu", self)
    if not np.isfinite(self).all():
        which = np.isfinite(self).all((-2, -1)).argmin()
        raise LinAlgError(f"linalg.svd: {batch_text(self, (which,))}The algorithm failed to "
                          "converge because the input matrix contained non-finite values.")
    if 0 in self.shape[-2:]:
        *batch, m, n = self.shape
        k = min(m, n)
        eye = np.eye(max(m, n), dtype=self.dtype)
        sizes = (m, n) if full_matrices else (k, k)
        u = np.broadcast_to(eye[:m, : sizes[0]], (*batch, m, sizes[0])).copy()
        vh = np.broadcast_to(eye[: sizes[1], :n], (*batch, sizes[1], n)).copy()
        return u, np.zeros((*batch, 0), self.real.dtype), vh
    if not compute_uv:
        return np.empty(0, self.dtype), lapack("svd", self), np.empty(0, self.dtype)
    return lapack("svd_f" if full_matrices else "svd_s", self)


@on_one_thread
def linalg_eigh(self, uplo, compute_v=True):
    """(ascending eigenvalues, eigenvectors) of Hermitian matrices, from one triangle; the vectors
    empty unless compute_v."""
    check_lapack("linalg_eigh_cpu", self)
    triangle = "up" if uplo == "U" else "lo"
    try:
        if not compute_v:
            return lapack(f"eigvalsh_{triangle}", self), np.empty(0, self.dtype)
        return lapack(f"eigh_{triangle}", self)
    except np.linalg.LinAlgError:
        which = np.isfinite(self).all((-2, -1)).argmin()
        raise LinAlgError(
            f"linalg.eigh: {batch_text(self, (which,))}The algorithm failed to converge because "
            "the input matrix is ill-conditioned or has too many repeated eigenvalues (error code: "
            f"{self.shape[-1] - 1}).") from None


@on_one_thread
def linalg_eig(self):
    """(complex eigenvalues, eigenvectors)."""
    check_lapack("linalg_eig_out_cpu", self)
    if not np.isfinite(self).all():
        raise RuntimeError("torch.linalg.eig: input tensor should not contain infs or NaNs.")
    complex_type = np.result_type(self.dtype, np.complex64)
    values, vectors = lapack("eig", self)
    return values.astype(complex_type), vectors.astype(complex_type)


@on_one_thread
def lu_factor(a):
    """(LU in one matrix, rows that were swapped, counted from 1) with partial pivoting."""
    check_lapack("lu_cpu", a)
    found = getrf(a)
    # LAPACK does not divide by a pivot of nan; it leaves columns one after the other
    if found is None or has_nan(found[0].swapaxes(-1, -2)):
        return _lu_by_panels(a)
    return found


def _lu_by_panels(a):
    """The same where NumPy has another BLAS: all matrices of a batch at once."""
    lu = a.copy()
    *batch, m, n = a.shape
    flat = lu.reshape(math.prod(batch), m, n)
    pivots = np.empty((len(flat), min(m, n)), np.int32)
    with np.errstate(all="ignore"):
        for start in range(0, min(m, n), PANEL):
            end = min(start + PANEL, m, n)
            _lu_panel(flat, pivots, start, end)
            right = flat[:, start:end, end:]
            for k in range(1, end - start):              # L^-1 times what lies right of the panel
                right[:, k] -= (flat[:, start + k, None, start:start + k] @ right[:, :k])[:, 0]
            flat[:, end:, end:] -= flat[:, end:, start:end] @ right
    return flat.reshape(a.shape), pivots.reshape(*batch, min(m, n))


PANEL = 32       # columns eliminated one by one; the rest of the matrix follows by products


def _lu_panel(flat, pivots, start, end):
    """Eliminate the columns start .. end, exchanging whole rows."""
    every = np.arange(len(flat))
    for k in range(start, end):
        p = _pivot_size(flat[:, k:, k]).argmax(1) + k
        pivots[:, k] = p + 1
        flat[every, k], flat[every, p] = flat[every, p], flat[every, k].copy()
        pivot = flat[:, k, k, None]
        flat[:, k + 1:, k] /= np.where(pivot == 0, 1, pivot)
        flat[:, k + 1:, k + 1:end] -= flat[:, k + 1:, k, None] * flat[:, None, k, k + 1:end]


def _pivot_size(column):
    """LAPACK compares complex numbers by |re| + |im|."""
    return np.abs(column.real) + np.abs(column.imag) if column.dtype.kind == "c" else np.abs(column)


def linalg_lu_factor_ex(self):
    """(LU, pivots) of `self = P L U`."""
    return lu_factor(self)


def permutation(pivots, m, dtype):
    """P as matrices, from the rows that were swapped."""
    batch = pivots.shape[:-1]
    p, eye = np.empty((math.prod(batch), m, m), dtype), identity(m, m, dtype)
    for k, swaps in enumerate(pivots.reshape(len(p), pivots.shape[-1]).tolist()):
        p[k] = eye.take(row_order(swaps, m), 1)
    return p.reshape(*batch, m, m)


def row_order(swaps, m):
    """The numbers of m rows after these swaps, each with the row counted from 1."""
    rows = list(range(m))
    for k, other in enumerate(swaps):
        rows[k], rows[other - 1] = rows[other - 1], rows[k]
    return rows


def identity(m, n, dtype):
    """np.eye(); that of a small matrix is kept, and only to be read."""
    return (_small_identity if m * n <= KEPT else np.eye)(m, n, 0, dtype)


_small_identity = lru_cache(maxsize=32)(np.eye)


def linalg_lu(self, pivot):
    """(P, L, U); without pivot P is empty and no rows are swapped."""
    *_, m, n = self.shape
    k = min(m, n)
    if pivot:
        lu, pivots = lu_factor(self)
        p = permutation(pivots, m, self.dtype)
    else:
        lu, p = _lu_in_order(self), np.empty(0, self.dtype)
    low = tril(lu[..., :, :k], -1) + identity(m, k, self.dtype)
    return p, low, triu(lu[..., :k, :])


def _lu_in_order(a):
    lu = a.copy()
    for k in range(min(a.shape[-2:])):
        lu[..., k + 1 :, k] /= lu[..., k, k, None]
        lu[..., k + 1 :, k + 1 :] -= lu[..., k + 1 :, k, None] * lu[..., None, k, k + 1 :]
    return lu


# ---------------------------------------------------------------- functions of a matrix
@on_one_thread
def linalg_pinv(self, rtol, hermitian, atol=None):
    """The pseudoinverse; singular values up to max(atol, rtol * largest) count as zero."""
    if 0 in self.shape:
        return np.zeros((*self.shape[:-2], self.shape[-1], self.shape[-2]), self.dtype)
    if hermitian:
        values, u = linalg_eigh(self, "L")
        s, vh = np.abs(values), mH(u)
        u = u * np.where(values < 0, -1, 1).astype(self.dtype)[..., None, :]
        largest = s.max(-1, keepdims=True)
    else:
        u, s, vh = linalg_svd(self, False)
        largest = s[..., :1]
    cutoff = np.maximum(rtol * largest, 0 if atol is None else atol)
    keep = s > cutoff
    inverse = np.where(keep, 1 / np.where(keep, s, 1), 0).astype(self.dtype)
    return np.matmul(mH(vh) * inverse[..., None, :], mH(u))


@on_one_thread
def linalg_lstsq_of(self, b, rtol, rcond=None):
    """(the shortest X that minimises |A X - B|, the rank of A, its singular values); singular
    values up to rtol * largest count as zero, all of them where rtol is 1 or more. With rcond,
    LAPACK's gelsy, where it is there, cuts off columns by it instead, and there are no values."""
    if not (all_finite(self) and all_finite(b)):                    # LAPACK would print complaints
        raise LinAlgError("torch.linalg.lstsq: The matrices contain values that are not finite.")
    if rcond is not None and self.size and b.size:
        pair, batch = (self, b), self.shape[:-2]
        if b.shape[:-2] != batch:
            batch = np.broadcast_shapes(batch, b.shape[:-2])
            pair = [np.broadcast_to(a, (*batch, *a.shape[-2:])) for a in pair]
        found = gelsy(*pair, rcond)
        if found is not None:
            return (*found, np.empty((*batch, 0), self.real.dtype))
    if self.size and b.size:
        rtol = rtol if rcond is None else rcond
        x, _, rank, values = lapack("lstsq", self, b, self.real.dtype.type(rtol))
        if rtol >= 1:                               # LAPACK takes this for no bound at all
            x, rank = np.zeros_like(x), np.zeros_like(rank)
        return x, np.asarray(rank, np.int64), values
    batch = np.broadcast_shapes(self.shape[:-2], b.shape[:-2])
    return (np.zeros((*batch, self.shape[-1], b.shape[-1]), self.dtype),
            np.zeros(batch, np.int64),
            np.zeros((*batch, min(self.shape[-2:])), self.real.dtype))


# Coefficients of the Pade approximant of order 13 (Higham 2005).
_PADE = (
    64764752532480000, 32382376266240000, 7771770303897600, 1187353796428800, 129060195264000,
    10559470521600, 670442572800, 33522128640, 1323241920, 40840800, 960960, 16380, 182, 1,
)  # fmt: skip


@on_one_thread
def linalg_matrix_exp(self):
    """exp of matrices by scaling and squaring with the Pade approximant of order 13."""
    if is_half(self.dtype):
        return linalg_matrix_exp(widened(self)).astype(self.dtype)
    n = self.shape[-1]
    if not self.size:
        return self.copy()
    norm = np.abs(self).sum(-2).max(-1, initial=0)
    with np.errstate(divide="ignore"):
        squarings = np.ceil(np.log2(norm / 5.371920351148152))
    squarings = np.maximum(np.where(np.isfinite(squarings), squarings, 0), 0).astype(int)
    a = self / (2.0 ** squarings[..., None, None]).astype(self.real.dtype)
    eye = np.eye(n, dtype=self.dtype)
    a2 = a @ a
    a4 = a2 @ a2
    a6 = a4 @ a2
    b = _PADE
    u = a @ (a6 @ (b[13] * a6 + b[11] * a4 + b[9] * a2)
             + b[7] * a6 + b[5] * a4 + b[3] * a2 + b[1] * eye)
    v = (a6 @ (b[12] * a6 + b[10] * a4 + b[8] * a2)
         + b[6] * a6 + b[4] * a4 + b[2] * a2 + b[0] * eye)
    res = lapack("solve", v - u, v + u)
    for k in range(int(squarings.max())):
        res = np.where((squarings > k)[..., None, None], res @ res, res)
    return res.astype(self.dtype, copy=False)


AFTER, BEFORE = np.array([1, 2, 0]), np.array([2, 0, 1])       # of each component, the other two
FEW = 1 << 10            # numbers from which on going through memory by components pays


def linalg_cross(self, other, dim):
    """The cross product of 3-vectors along dim."""
    if self.dtype.kind == "b":
        refuse("cross", self.dtype)
    if self.size + other.size < FEW:
        return (self.take(AFTER, dim) * other.take(BEFORE, dim)
                - self.take(BEFORE, dim) * other.take(AFTER, dim))
    before = (slice(None),) * dim
    a, b = ([x[(*before, k)] for k in range(3)] for x in (self, other))
    parts = [a[k - 2] * b[k - 1] - a[k - 1] * b[k - 2] for k in range(3)]
    if not dim:
        return np.array(parts)
    res = np.empty((*parts[0].shape[:dim], 3, *parts[0].shape[dim:]), parts[0].dtype)
    for k in range(3):
        res[(*before, k)] = parts[k]
    return res


# ---------------------------------------------------------------- checks
def check_float(name, a, low_precision=True):
    """Raise unless a holds floating-point or complex numbers that the routines take."""
    if a.dtype.kind in "biu":
        raise RuntimeError(f"{name}: Expected a floating point or complex tensor as input. Got "
                           f"{scalar_name(a.dtype)}")
    if low_precision and a.dtype.itemsize == 2:
        raise RuntimeError(f"{name}: Low precision dtypes not supported. Got "
                           f"{scalar_name(a.dtype)}")


def check_lapack(label, a):
    """Refuse what LAPACK has no routines for, with PyTorch's name of the kernel."""
    if a.dtype.char not in "fdFD":
        refuse(label, a.dtype)


def check_has_eps(a):
    """Raise where PyTorch asks for the machine precision of other than float and double."""
    if a.dtype.char not in "fdFD":
        raise RuntimeError("This function doesn't handle types other than float and double")


def check_matrix(name, a, argument="A"):
    if a.ndim < 2:
        raise RuntimeError(f"{name}: The input tensor {argument} must have at least 2 dimensions.")


def check_square(name, a, argument="A"):
    check_matrix(name, a, argument)
    if a.shape[-1] != a.shape[-2]:
        prefix = f"{name}: " if name else ""
        raise RuntimeError(f"{prefix}{argument} must be batches of square matrices, but they are "
                           f"{a.shape[-2]} by {a.shape[-1]} matrices")


# ---------------------------------------------------------------- parts of formulas
def half_lower(x):
    """The lower triangle with half of the diagonal."""
    return (np.tril(x) + np.tril(x, -1)) / 2


def with_unit_diagonal(x):
    """x plus the identity."""
    return x + np.eye(*x.shape[-2:], dtype=x.dtype)


def diagonal_of(x):
    """The diagonals.  # (.., n, n) -> (.., n)"""
    return np.diagonal(x, axis1=-2, axis2=-1)


def diagonal_matrix(v):
    """Matrices with v on the diagonal.  # (.., n) -> (.., n, n)"""
    return v[..., None] * np.eye(v.shape[-1], dtype=v.dtype)


def as_type_of(x, like):
    """The real x in like's dtype."""
    return x.astype(like.dtype, copy=False)


def lu_parts(lu, pivots):
    """(P, L, U) as matrices, from a factorization in one matrix."""
    m, n = lu.shape[-2:]
    k = min(m, n)
    low = np.tril(lu[..., :, :k], -1) + np.eye(m, k, dtype=lu.dtype)
    return permutation(pivots, m, lu.dtype), low, np.triu(lu[..., :k, :])
