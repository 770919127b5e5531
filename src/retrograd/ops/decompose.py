"""Derivatives of factorizations: QR, singular values, eigenvalues, LU.

Eigenvectors and singular vectors are defined only up to a phase; a loss must not depend on it.
Sources are given with the formulas and in `linalg.py`. In the docstrings a prime means a gradient
where the function computes gradients, and a tangent where it computes tangents; / divides element
by element.
"""

from __future__ import annotations

import numpy as np

from .. import kernels as K
from .._tensor import wrap
from . import samples as S
from .batching import in_layers, layers
from .declare import F as T
from .declare import composite, op
from .linalg import columns, cut, differences, rectangles, rows, skew
from .mapped import is_batched


def check_qr(m, n, mode):
    """Raise where the derivative is not defined by what was computed."""
    if mode == "r":
        raise RuntimeError(
            "The derivative of linalg.qr depends on Q, which is not computed when mode='r'. Please "
            "use linalg.qr(A, mode='reduced') if you are going to differentiate through "
            "linalg.qr.")
    if mode == "complete" and m > n:
        raise RuntimeError("The QR decomposition is not differentiable when mode='complete' and "
                           "nrows > ncols.")


def qr_gradient(F, gs, self_shape, Q, R, mode):
    """Seeger et al., "Auto-differentiating linear algebra" (2017); wide matrices in two parts."""
    m, n = self_shape[-2:]
    check_qr(m, n, mode)
    g_q, g_r = gs
    g_q = Q * 0 if g_q is None else g_q
    g_r = R * 0 if g_r is None else g_r
    if m >= n:
        return square_qr_gradient(F, g_q, g_r, Q, R)
    u, v = cut(F, R, None, m), F.take_part(R, (Ellipsis, slice(m, None)))
    g_u, g_v = cut(F, g_r, None, m), F.take_part(g_r, (Ellipsis, slice(m, None)))
    first = square_qr_gradient(F, g_q + Q @ v @ F.mH(g_v), g_u, Q, u)
    return F.cat([first, Q @ g_v], len(self_shape) - 1)


def square_qr_gradient(F, g_q, g_r, q, r):
    """A' = (Q' + Q M) R^-H, M Hermitian with the upper triangle of R' R^H - Q^H Q'."""
    inner = F.triu(g_r @ F.mH(r) - F.mH(q) @ g_q, 0)
    middle = F.half_lower(F.mH(inner))                   # lower, its Hermitian completion below
    whole = middle + F.mH(middle)
    return F.linalg_solve_triangular(F.mH(r), g_q + q @ whole, False, False, False)


def qr_tangent(F, self_shape, Q, R, self_t, mode):
    """Q^H Q' is skew; what is below the diagonal of Q^H A' R^-1 says which."""
    m, n = self_shape[-2:]
    check_qr(m, n, mode)
    k = min(m, n)
    right = cut(F, self_t, None, k)
    right = F.linalg_solve_triangular(cut(F, R, None, k), right, True, False, False)
    inner = F.mH(Q) @ right
    low = F.tril(inner, -1)
    skew = low - F.mH(low)
    if F.is_complex(Q):
        skew = skew + F.diagonal_matrix(F.as_type_of(F.imag(F.diagonal_of(inner)), Q) * 1j)
    return right - Q @ (inner - skew), F.mH(Q) @ self_t - skew @ R


op("linalg_qr(self | mode)", "LinalgQrBackward0", public=False, outputs=("Q", "R"),
    columns={"Q": "True", "R": "True"},
    samples=lambda: [(a, "reduced") for a, in rectangles()],
    self = qr_gradient,
    jvp  = qr_tangent)


PHASE = ("{}: The {} in the complex case are specified up to multiplication by e^{{i phi}}. The "
         "specified loss function depends on this ")


def check_phase(F, words, *products):
    """Raise where a loss depends on the phases of vectors, which are arbitrary.

    The derivative by the phase of vector i is the imaginary part of V^H V' at (i, i), to be 0.
    Under vmap there are no numbers to look at, and PyTorch does not either.
    """
    if F.is_complex(products[0]) and not is_batched(*products):
        diagonals = [np.asarray(getattr(F.diagonal_of(p), "_data", F.diagonal_of(p)))
                     for p in products]
        if (np.abs(sum(diagonals).imag) > 1e-2).any():
            raise RuntimeError(words)


def svd_gradient(F, gs, U, S, Vh, self_shape):
    """A' = U ([U^H U'] / E S + S [V^H V'] / E + diag(S')) V^H, [X] = X - X^H, E_ij = s_j^2 - s_i^2.

    Then what U' and V' have outside of the spaces of their columns. Townsend, "Differentiating the
    singular value decomposition" (2016).
    """
    g_u, g_s, g_vh = gs
    k = min(self_shape[-2:])
    if g_u is None and g_vh is None:
        u, vh = cut(F, U, None, k), cut(F, Vh, k, None)
        return (u * columns(F, F.as_type_of(g_s, U))) @ vh
    u, vh = cut(F, U, None, k), cut(F, Vh, k, None)
    g_u = None if g_u is None else cut(F, g_u, None, k)
    g_vh = None if g_vh is None else cut(F, g_vh, k, None)
    gaps = differences(F, S * S)
    inner, products = 0, []
    if g_u is not None:
        products.append(F.mH(u) @ g_u)
        of_u = skew(F, products[0])
        inner = of_u / gaps * columns(F, S)
    if g_vh is not None:
        products.append(vh @ F.mH(g_vh))
        inner = inner + rows(F, S) * (skew(F, products[-1]) / gaps)
    check_phase(F, PHASE.format("svd_backward", "singular vectors")
                + "phase term, making it ill-defined.", *products)
    if g_s is not None:
        inner = inner + F.diagonal_matrix(F.as_type_of(g_s, U))
    if g_u is not None and g_vh is not None and F.is_complex(U):
        inner = inner + F.diagonal_matrix(F.diagonal_of(of_u) / (2 * S))
    left = u @ inner
    if g_u is not None and self_shape[-2] > k:
        scaled_u = g_u / columns(F, S)
        left = left + scaled_u - u @ (F.mH(u) @ scaled_u)
    found = left @ vh
    if g_vh is not None and self_shape[-1] > k:
        scaled_vh = g_vh / rows(F, S)
        found = found + u @ (scaled_vh - scaled_vh @ F.mH(vh) @ vh)
    return found


@composite
def as_type_of(x, like):
    """The real x in like's dtype."""
    return x if x._data.dtype == like._data.dtype else x.to(like.dtype)


op("linalg_svd(self | full_matrices, compute_uv=True)", "LinalgSvdBackward0", public=False,
    outputs=("U", "S", "Vh"), columns={"U": "True", "Vh": "True"},
    samples=lambda: [(a, False) for a, in rectangles()],
    self = svd_gradient,
    jvp  = lambda F, U, S, Vh, self_t: svd_tangent(F, U, S, Vh, self_t))


def svd_tangent(F, U, S, Vh, self_t):
    """With P = U^H A' V and E_ij = s_j^2 - s_i^2: S' = Re diag(P), and off the diagonal
    U' = U (P S + S P^H) / E, V' = V (S P + P^H S) / E; then what leaves the columns' space.

    On the diagonal U' and V' share the imaginary part of P, as svd_gradient() has it.
    """
    k = S.shape[-1]
    u, vh = cut(F, U, None, k), cut(F, Vh, k, None)
    inner = F.mH(u) @ self_t @ F.mH(vh)
    gaps = differences(F, S * S)
    s_t = F.real(F.diagonal_of(inner))
    sym_u = inner * columns(F, S) + rows(F, S) * F.mH(inner)
    sym_v = rows(F, S) * inner + F.mH(inner) * columns(F, S)
    zero_diagonal = F.diagonal_matrix(F.diagonal_of(inner) * 0 + 1) * -1 + 1
    u_t = u @ (sym_u / gaps * zero_diagonal)
    v_t = F.mH(vh) @ (sym_v / gaps * zero_diagonal)
    if F.is_complex(U):
        turns = F.as_type_of(F.imag(F.diagonal_of(inner)) / (2 * S), U) * 1j
        turns = F.diagonal_matrix(turns)
        u_t, v_t = u_t + u @ turns, v_t - F.mH(vh) @ turns
    if u.shape[-2] > k:
        rest = self_t @ F.mH(vh) / columns(F, S)
        u_t = u_t + rest - u @ (F.mH(u) @ rest)
    if vh.shape[-1] > k:
        rest = F.mH(self_t) @ u / columns(F, S)
        v_t = v_t + rest - F.mH(vh) @ (vh @ rest)
    return u_t, s_t, F.mH(v_t)


def eigh_gradient(F, gs, L, V):
    """A' = V ((V^H V' - V'^H V) / 2 / E + diag(L')) V^H, E_ij = l_j - l_i."""
    g_l, g_v = gs
    if g_v is None:
        return (V * columns(F, F.as_type_of(g_l, V))) @ F.mH(V)
    product = F.mH(V) @ g_v
    check_phase(F, PHASE.format("linalg_eigh_backward", "eigenvectors")
                + "quantity, so it is ill-defined.", product)
    inner = skew(F, product) / 2 / differences(F, L)
    if g_l is not None:
        inner = inner + F.diagonal_matrix(F.as_type_of(g_l, V))
    return V @ inner @ F.mH(V)


def eigh_tangent(F, L, V, self_t):
    """With P = V^H A' V: L' = Re diag(P), V' = V (P / E) off the diagonal."""
    inner = F.mH(V) @ self_t @ V
    moved = inner / differences(F, L)
    return F.real(F.diagonal_of(inner)), V @ (moved - F.diagonal_matrix(F.diagonal_of(moved)))


def with_sizes(F, values, vectors):
    """Eigenvalues, and what does not depend on the vectors' phases."""
    return values, F.abs(vectors)


op("linalg_eigh(self | uplo, compute_v=True)", "LinalgEighBackward0", public=False,
    outputs=("L", "V"), columns={"V": "True"},
    samples=lambda: [(a, uplo) for a, in S.definite() for uplo in "LU"],
    smooth=lambda F, self, uplo: with_sizes(F, *F.linalg_eigh(self + F.mH(self), uplo)),
    self = eigh_gradient,
    jvp  = eigh_tangent)


def eig_gradient(F, gs, L, V, self_dtype):
    """A' = V^-H ((V^H V' - V^H V Re diag(V^H V')) / conj(E) + diag(L')) V^H, E_ij = l_j - l_i."""
    g_l, g_v = gs
    if g_v is None:
        inner = F.diagonal_matrix(g_l)
    else:
        product = F.mH(V) @ g_v
        check_phase(F, PHASE.format("linalg_eig_backward", "eigenvectors")
                    + "quantity, so it is ill-defined.", product)
        real_part = F.as_type_of(F.real(F.diagonal_of(product)), V)
        inner = (product - F.mH(V) @ (V * columns(F, real_part))) / differences(F, F.conj(L))
        inner = inner - F.diagonal_matrix(F.diagonal_of(inner))
        if g_l is not None:
            inner = inner + F.diagonal_matrix(g_l)
    found = F.linalg_solve(F.mH(V), inner @ F.mH(V), True)
    return found if self_dtype.kind == "c" else F.real(found)


def eig_tangent(F, L, V, self_t):
    """With P = V^-1 A' V: L' = diag(P), V' = V (P / E) off the diagonal, columns of length 1."""
    inner = F.linalg_solve(V, F.as_type_of(self_t, V) @ V, True)
    moved = inner / differences(F, L)
    moved = moved - F.diagonal_matrix(F.diagonal_of(moved))
    v_t = V @ moved
    along = F.real(F.diagonal_of(F.mH(V) @ v_t))
    return F.diagonal_of(inner), v_t - V * columns(F, F.as_type_of(along, V))


op("linalg_eig(self)", "LinalgEigBackward0", public=False, outputs=("L", "V"), samples=S.definite,
    columns={"V": "True"},
    smooth=lambda F, self: with_sizes(F, *F.linalg_eig(self)),
    self = eig_gradient,
    jvp  = eig_tangent)


# --------------------------------------------------------------------------- LU

def lu_gradient(F, g_l, g_u, p, low, up):
    """A' = P (L^-H [strict lower of L^H L' + upper of U' U^H] U^-H), by parts if not square."""
    m, n = low.shape[-2], up.shape[-1]
    k = min(m, n)
    l_1, u_1 = cut(F, low, k, None), cut(F, up, None, k)
    lower, upper = F.mH(l_1) @ cut(F, g_l, k, None), cut(F, g_u, None, k) @ F.mH(u_1)
    last = low.ndim - 1
    if m < n:
        g_right = F.take_part(g_u, (Ellipsis, slice(k, None)))
        lower = lower - g_right @ F.mH(F.take_part(up, (Ellipsis, slice(k, None))))
    if m > n:
        g_below = F.take_part(g_l, (Ellipsis, slice(k, None), slice(None)))
        upper = upper - F.mH(F.take_part(low, (Ellipsis, slice(k, None), slice(None)))) @ g_below
    inner = F.tril(lower, -1) + F.triu(upper, 0)
    if m < n:
        inner = F.linalg_solve_triangular(F.mH(u_1), inner, False, False, False)
        inner = F.cat([inner, g_right], last)
        found = F.linalg_solve_triangular(F.mH(l_1), inner, True, True, True)
    else:
        found = F.linalg_solve_triangular(F.mH(l_1), inner, True, True, True)
        if m > n:
            found = F.cat([found, g_below], last - 1)
        found = F.linalg_solve_triangular(F.mH(u_1), found, False, False, False)
    return found if p is None else p @ found


def lu_outputs_gradient(F, gs, P, L, U, pivot):
    """lu_gradient() where some of the outputs have no gradient."""
    _, g_l, g_u = gs
    g_l = L * 0 if g_l is None else g_l
    g_u = U * 0 if g_u is None else g_u
    return lu_gradient(F, g_l, g_u, P if pivot else None, L, U)


def lu_tangent(F, moved, low, up):
    """(L', U') where P^T A moves along `moved`: L^-1 A' U^-1 falls into its two triangles."""
    k = min(low.shape[-2], up.shape[-1])
    l_1, u_1 = cut(F, low, k, None), cut(F, up, None, k)
    inner = cut(F, cut(F, moved, k, None), None, k)
    inner = F.linalg_solve_triangular(l_1, inner, False, True, True)
    inner = F.linalg_solve_triangular(u_1, inner, True, False, False)
    low_t, up_t = l_1 @ F.tril(inner, -1), F.triu(inner, 0) @ u_1
    rest, last = slice(k, None), low.ndim - 1
    if up.shape[-1] > k:
        right = (Ellipsis, rest)
        more = F.take_part(moved, right) - low_t @ F.take_part(up, right)
        up_t = F.cat([up_t, F.linalg_solve_triangular(l_1, more, False, True, True)], last)
    if low.shape[-2] > k:
        below = (Ellipsis, rest, slice(None))
        more = F.take_part(moved, below) - F.take_part(low, below) @ up_t
        low_t = F.cat([low_t, F.linalg_solve_triangular(u_1, more, True, False, False)], last - 1)
    return low_t, up_t


op("linalg_lu(self | pivot)", "LinalgLuBackward0", public=False, outputs=("P", "L", "U"),
    nondiff=("P",), samples=lambda: [(a, True) for a, in rectangles()],
    self = lu_outputs_gradient,
    jvp  = lambda F, P, L, U, self_t, pivot: (
               None, *lu_tangent(F, F.mH(P) @ self_t if pivot else self_t, L, U)))


@composite
def lu_parts(lu, pivots):
    """(P, L, U) as matrices, from a factorization in one matrix."""
    m, n = lu._data.shape[-2:]
    k = min(m, n)
    turns, numbers = layers(pivots)
    p = in_layers(wrap(K.permutation(turns._data, m, lu._data.dtype)), numbers)
    low = T.with_unit_diagonal(T.tril(cut(T, lu, None, k), -1))
    return p, low, T.triu(cut(T, lu, k, None), 0)


def lu_factor_gradient(F, g, LU, pivots):
    """lu_gradient() where L and U are the triangles of one matrix."""
    p, low, up = F.lu_parts(LU, pivots)
    k = min(tuple(LU.shape)[-2:])
    return lu_gradient(F, F.tril(cut(F, g, None, k), -1), F.triu(cut(F, g, k, None), 0), p, low, up)


def lu_factor_tangent(F, LU, pivots, self_t):
    """lu_tangent() where L and U are the triangles of one matrix."""
    p, low, up = F.lu_parts(LU, pivots)
    low_t, up_t = lu_tangent(F, F.mH(p) @ self_t, low, up)
    m, n = LU.shape[-2:]
    if m > n:
        up_t = F.pad_end(up_t, tuple(LU.shape))
    elif n > m:
        low_t = F.pad_end(low_t, tuple(LU.shape))
    return F.tril(low_t, -1) + F.triu(up_t, 0), None


op("linalg_lu_factor_ex(self)", "LinalgLuFactorExBackward0", public=False,
    outputs=("LU", "pivots"), columns={"LU": "True"}, nondiff=("pivots",), samples=rectangles,
    self = lu_factor_gradient,
    jvp  = lu_factor_tangent)
