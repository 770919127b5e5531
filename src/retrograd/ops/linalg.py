"""Linear algebra: solving, determinants, Cholesky, functions of matrices; and their derivatives.

Sources of the formulas: Giles, "An extended collection of matrix derivative results" (2008);
Walter and Lehmann, "Algorithmic differentiation of linear algebra functions" (2010).
"""

from __future__ import annotations

import numpy as np

from .. import kernels as K
from .._tensor import wrap
from ..kernels.linalg import LinAlgError, is_vector
from . import samples as S
from .declare import F as T
from .declare import composite, op
from .formulas import both


def squares():
    """Samples: well-conditioned square matrices, one and a batch."""
    return [(S.normal(3, 3) + 3 * np.eye(3),), (S.normal(2, 3, 3) + 3 * np.eye(3),)]


def rectangles():
    return [(S.normal(3, 3),), (S.normal(4, 3),), (S.normal(3, 4),)]


def systems():
    return [(a, S.normal(3, 2, seed=1)) for a, in squares()]


# --------------------------------------------------------------------------- parts of formulas

@composite
def half_lower(x):
    """The lower triangle with half of the diagonal."""
    return (T.tril(x, 0) + T.tril(x, -1)) / 2


@composite
def with_unit_diagonal(x):
    """x plus the identity."""
    return x + wrap(np.eye(*x._data.shape[-2:], dtype=x._data.dtype))


@composite
def diagonal_of(x):
    """The diagonal of the last two dimensions.  # (.., n, n) -> (.., n)"""
    return x.diagonal(0, -2, -1)


@composite
def diagonal_matrix(v):
    """Matrices with v on the diagonal.  # (.., n) -> (.., n, n)"""
    return v.diag_embed()


def columns(F, v):
    """v as a row that scales columns.  # (.., n) -> (.., 1, n)"""
    return F.unsqueeze(v, v.ndim - 1)


def rows(F, v):
    """v as a column that scales rows.  # (.., n) -> (.., n, 1)"""
    return F.unsqueeze(v, v.ndim)


def differences(F, v):
    """v_j - v_i, with ones on the diagonal so that one can divide."""
    return F.with_unit_diagonal(columns(F, v) - rows(F, v))


def skew(F, x):
    """x - x^H."""
    return x - F.mH(x)


def cut(F, x, rows, columns):
    """The first `rows` and `columns` of matrices; None: all."""
    return F.take_part(x, (Ellipsis, slice(rows), slice(columns)))


# --------------------------------------------------------------------------- solving

def solve_gradient(F, g, need, self, result, self_shape, other_shape, left):
    """B' = A^-H X', A' = -B' X^H, for one or many right-hand sides."""
    vector = is_vector(tuple(self_shape), tuple(other_shape))
    g_b = F.linalg_solve(F.mH(self), g, left)
    g_a = None
    if need[0]:
        x, d = (rows(F, result), rows(F, g_b)) if vector else (result, g_b)
        g_a = F.sum_to(-(d @ F.mH(x) if left else F.mH(x) @ d), self_shape)
    return g_a, F.sum_to(g_b, other_shape) if need[1] else None


def solve_tangent(F, self, result, self_t, other_t, left):
    """X' = A^-1 (B' - A' X)."""
    if self_t is not None:
        if result.ndim == self.ndim - 1:
            moved = F.squeeze_dim(self_t @ rows(F, result), result.ndim)
        else:
            moved = self_t @ result if left else result @ self_t
        other_t = both(other_t, -moved)
    return F.linalg_solve(self, other_t, left)


op("linalg_solve(self, other | left)", "LinalgSolveExBackward0", public=False,
    columns={"result": "left"},
    samples=lambda: [(a, b, True) for a, b in systems()]
                    + [(a, b.T, False) for a, b in systems()[:1]],
    joint = solve_gradient,
    jvp   = solve_tangent)

op("linalg_inv_ex(self)", "LinalgInvExBackward0", public=False, samples=squares,
    columns={"result": "True"},
    self = lambda F, g, result: -(F.mH(result) @ g @ F.mH(result)),
    jvp  = lambda F, result, self_t: -(result @ self_t @ result))


def triangle(F, x, upper, strict):
    """The triangle that is read; strict: without the diagonal, where ones are taken for it."""
    return F.triu(x, int(strict)) if upper else F.tril(x, -int(strict))


def triangular_gradient(F, g, need, self, result, self_shape, other_shape, upper, left,
                        unitriangular):
    """As solve_gradient(), of the triangle of A that is read."""
    g_b = F.linalg_solve_triangular(F.mH(self), g, not upper, left, unitriangular)
    g_a = None
    if need[0]:
        product = g_b @ F.mH(result) if left else F.mH(result) @ g_b
        g_a = F.sum_to(-triangle(F, product, upper, unitriangular), self_shape)
    return g_a, F.sum_to(g_b, other_shape) if need[1] else None


def triangular_tangent(F, self, result, self_t, other_t, upper, left, unitriangular):
    """As solve_tangent(), of the triangle of A that is read."""
    if self_t is not None:
        part = triangle(F, self_t, upper, unitriangular)
        other_t = both(other_t, -(part @ result if left else result @ part))
    return F.linalg_solve_triangular(self, other_t, upper, left, unitriangular)


op("linalg_solve_triangular(self, other | upper, left, unitriangular)",
    "LinalgSolveTriangularBackward0", public=False, columns={"result": "True"},
    samples=lambda: [(a, b, u, True, unit) for a, b in systems() for u in (True, False)
                     for unit in (True, False)],
    joint = triangular_gradient,
    jvp   = triangular_tangent)


# --------------------------------------------------------------------------- determinants

@composite
def cofactors(a, det):
    """d det / d a; singular matrices have it as values only, not to be differentiated again."""
    if (det._data == 0).any():
        return wrap(K.cofactors(a._data, det._data))
    return rows(T, rows(T, det)) * T.linalg_inv_ex(a).mT


@composite
def inverted(a):
    """The inverses; those of singular matrices, inf and nan, are not differentiated again."""
    try:
        return T.linalg_inv_ex(a)
    except LinAlgError:
        return wrap(K.inverted(a._data))


def det_gradient(F, g, self, result):
    """A' = det' det(A) A^-H: by cofactors, which a singular matrix has too."""
    if self.shape[-1] <= 1 or 0 in tuple(self.shape):
        return F.expand(g, tuple(self.shape))
    return g * F.conj(F.cofactors(self, result))


op("linalg_det(self)", "LinalgDetBackward0", public=False, samples=squares,
    self = lambda F, g, self, result: det_gradient(F, rows(F, rows(F, g)), self, result),
    jvp  = lambda F, self, result, self_t:
               F.sum_dim(F.cofactors(self, result) * self_t, (self.ndim - 2, self.ndim - 1), False))


def slogdet_gradient(F, gs, self, sign):
    """A' = (logabsdet' - i Im(conj(sign') sign)) A^-H."""
    g_sign, g_log = gs
    weight = g_log
    if g_sign is not None and F.is_complex(self):
        turn = F.imag(F.conj(g_sign) * sign) * -1j
        weight = turn if g_log is None else g_log + turn
    if weight is None:
        return self * 0
    return rows(F, rows(F, weight)) * F.mH(F.inverted(self))


def slogdet_tangent(F, self, sign, self_t):
    """tr(A^-1 A'): its real part moves logabsdet, its imaginary part turns the sign."""
    trace = F.sum_dim(F.diagonal_of(F.linalg_solve(self, self_t, True)), self.ndim - 2, False)
    if F.is_complex(self):
        return F.imag(trace) * 1j * sign, F.real(trace)
    return sign * 0, trace


op("linalg_slogdet(self)", "LinalgSlogdetBackward0", public=False, samples=squares,
    outputs=("sign", "logabsdet"),
    self = slogdet_gradient,
    jvp  = slogdet_tangent)


# --------------------------------------------------------------------------- factorizations
#
# Cholesky and eigh read one triangle and give a Hermitian gradient, eigenvectors are defined up to
# a phase: `smooth` says what the laws can check.

def cholesky_gradient(F, g, result, upper):
    """A' = L^-H P L^-1, P the lower triangle of L^H L' completed by its conjugate, halved."""
    low, g_low = (F.mH(result), F.mH(g)) if upper else (result, g)
    inner = F.mH(low) @ g_low
    inner = (F.tril(inner, 0) + F.mH(F.tril(inner, -1))) / 2
    left = F.linalg_solve_triangular(F.mH(low), inner, True, True, False)
    return F.linalg_solve_triangular(low, left, False, False, False)


def cholesky_tangent(F, result, self_t, upper):
    """L' = L P, P the lower triangle of L^-1 A' L^-H with half of its diagonal."""
    low = F.mH(result) if upper else result
    left = F.linalg_solve_triangular(low, self_t, False, True, False)
    inner = F.linalg_solve_triangular(F.mH(low), left, True, False, False)
    found = low @ F.half_lower(inner)
    return F.mH(found) if upper else found


for _name, _grad_fn in (("linalg_cholesky_ex", "LinalgCholeskyExBackward0"),
                        ("cholesky_by_its_old_name", "CholeskyBackward0")):
    op(f"{_name}(self | upper)", _grad_fn, public=False, kernel="linalg_cholesky_ex",
       columns={"result": "True"},
       samples=lambda: [(a, upper) for a, in S.definite() for upper in (False, True)],
       smooth=lambda F, self, upper: F.linalg_cholesky_ex(self + F.mH(self), upper),
       self = cholesky_gradient,
       jvp  = cholesky_tangent)


def cholesky_inverse_gradient(F, g, self, result, upper):
    """L' = -R (R' + R'^H) R L for R = (L L^H)^-1, U' = -U R (R' + R'^H) R."""
    inner = result @ (g + F.mH(g)) @ result
    return -(self @ inner) if upper else -(inner @ self)


def product_tangent(F, factor, moved, upper):
    """How L L^H (U^H U if upper) moves with the factor."""
    half = F.mH(moved) @ factor if upper else moved @ F.mH(factor)
    return half + F.mH(half)


op("cholesky_inverse(self | upper)", "CholeskyInverseBackward0", public=False,
    columns={"result": "True"},
    samples=lambda: [(a, upper) for a, in S.definite() for upper in (False, True)],
    smooth=lambda F, self, upper: F.cholesky_inverse(triangle(F, self, upper, False), upper),
    self = cholesky_inverse_gradient,
    jvp  = lambda F, self, result, self_t, upper:
               -(result @ product_tangent(F, self, self_t, upper) @ result))


def cholesky_solve_gradient(F, g, need, input2, result, self_shape, input2_shape, upper):
    """A' = -(B' X^H + X B'^H) L; of few columns without a product of two square matrices."""
    g_b = F.cholesky_solve(g, input2, upper)
    if 3 * result.shape[-1] > input2.shape[-1]:
        inner = g_b @ F.mH(result)
        inner = inner + F.mH(inner)
        g_l = input2 @ inner if upper else inner @ input2
    elif upper:
        g_l = (input2 @ g_b) @ F.mH(result) + (input2 @ result) @ F.mH(g_b)
    else:
        g_l = g_b @ (F.mH(result) @ input2) + result @ (F.mH(g_b) @ input2)
    return F.sum_to(g_b, self_shape), F.sum_to(-g_l, input2_shape)


op("cholesky_solve(self, input2 | upper)", "CholeskySolveBackward0", public=False,
    columns={"result": "True"},
    samples=lambda: [(a[..., :k].copy(), a, upper)
                     for a, in S.definite() for upper in (False, True) for k in (1, 2)],
    smooth=lambda F, self, input2, upper:
               F.cholesky_solve(self, triangle(F, input2, upper, False), upper),
    joint = cholesky_solve_gradient,
    jvp   = lambda F, self, input2, result, self_t, input2_t, upper: F.cholesky_solve(
                both(self_t, None if input2_t is None else
                     -(product_tangent(F, input2, input2_t, upper) @ result)), input2, upper))


# --------------------------------------------------------------------------- functions of a matrix

def pinv_gradient(F, g, self, result):
    """Golub and Pereyra, "The differentiation of pseudo-inverses" (1973)."""
    p, p_h, g_h = result, F.mH(result), F.mH(g)
    if self.shape[-2] <= self.shape[-1]:
        k = g_h @ p
        kp = k @ p_h
        return -F.mH(p @ k) + kp - self @ p @ kp + p_h @ p @ (g_h - k @ self)
    k = p @ g_h
    pk = p_h @ k
    return -F.mH(k @ p) + (g_h - self @ k) @ p @ p_h + pk - pk @ p @ self


def pinv_tangent(F, self, result, self_t):
    """-P A' P, and the part of A' outside the row and column spaces of P; see pinv_gradient()."""
    p, p_h, t_h = result, F.mH(result), F.mH(self_t)
    along = -(p @ self_t @ p)
    first = t_h - p @ (self @ t_h)
    second = t_h - t_h @ self @ p
    return along + first @ p_h @ p + p @ p_h @ second


op("linalg_pinv(self | rtol, hermitian, atol=None)", "LinalgPinvBackward0", public=False,
    samples=lambda: [(a, 1e-15, False) for a, in rectangles()],
    self = pinv_gradient,
    jvp  = pinv_tangent)


def lstsq_gradient(F, g, need, self, b, self_shape, b_shape, rtol):
    """Of X = P B with the pseudoinverse P: P' = X' B^H, see pinv_gradient(), and B' = P^H X'."""
    p = F.linalg_pinv(self, rtol, False)
    return (F.sum_to(pinv_gradient(F, g @ F.mH(b), self, p), self_shape) if need[0] else None,
            F.sum_to(F.mH(p) @ g, b_shape) if need[1] else None)


def lstsq_tangent(F, self, b, self_t, b_t, rtol):
    """X' = P' B + P B'."""
    p = F.linalg_pinv(self, rtol, False)
    return (both(None if self_t is None else pinv_tangent(F, self, p, self_t) @ b,
                 None if b_t is None else p @ b_t), None, None)


op("linalg_lstsq_of(self, b | rtol, rcond=None)", "LinalgLstsqBackward0", public=False,
    outputs=("solution", "rank", "singular_values"), columns={"solution": "True"},
    nondiff=("rank", "singular_values"),
    samples=lambda: [(a, S.normal(*a.shape[:-1], 2, seed=1), 1e-15) for a, in rectangles()],
    joint = lstsq_gradient,
    jvp   = lstsq_tangent)


def exp_gradient(F, g, self):
    """The upper right block of exp([[A^H, G], [0, A^H]])."""
    return block_exp(F, F.mH(self), g)


def block_exp(F, a, g):
    """How exp(A) moves along G: the upper right block of exp([[A, G], [0, A]])."""
    n, last = a.shape[-1], a.ndim - 1
    top, bottom = F.cat([a, g], last), F.cat([a * 0, a], last)
    whole = F.linalg_matrix_exp(F.cat([top, bottom], last - 1))
    return F.take_part(whole, (Ellipsis, slice(n), slice(n, None)))


op("linalg_matrix_exp(self)", "LinalgMatrixExpBackward0", public=False, samples=squares,
    self = exp_gradient,
    jvp  = lambda F, self, self_t: block_exp(F, self, self_t))

op("trace(self)", "TraceBackward0", samples=lambda: rectangles(),
    self = lambda F, g, self_shape: F.put_on_diagonal(g, self_shape),
    jvp  = "linear")

op("put_on_diagonal(grad_output | shape)", "TraceBackwardBackward0", public=False,
    samples=lambda: [(np.array(2.5), (2, 3))],
    grad_output = lambda F, g: F.trace(g),
    jvp = "linear")

op("linalg_cross(self, other | dim)", "LinalgCrossBackward0", public=False,
    samples=lambda: [(S.normal(2, 3), S.normal(2, 3, seed=1), 1)],
    self  = lambda F, g, self_shape, other, dim:
                F.sum_to(F.linalg_cross(F.conj(other), g, dim), self_shape),
    other = lambda F, g, other_shape, self, dim:
                F.sum_to(F.linalg_cross(g, F.conj(self), dim), other_shape),
    jvp   = lambda F, self, other, self_t, other_t, dim: both(
                None if self_t is None else F.linalg_cross(self_t, other, dim),
                None if other_t is None else F.linalg_cross(self, other_t, dim)))
