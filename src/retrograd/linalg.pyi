"""For type checkers and editors, written by tools/stubs.py from what is there."""

# ruff: noqa
from builtins import bool as _bool, float as _float, int as _int
from typing import Any

from retrograd import Tensor
from retrograd.kernels.linalg import LinAlgError as LinAlgError
def cholesky(input: Any, *, upper: Any = False, out: Any = None) -> Tensor:
    r"""L with `L L^H = input` for positive definite matrices (*, n, n) (U = L^H if upper)."""
def cholesky_ex(input: Any, *, upper: Any = False, check_errors: Any = False, out: Any = None) -> Any:
    r"""(cholesky(input), info): info is the order of the first minor that is not positive."""
def cond(input: Any, p: Any = None, *, out: Any = None) -> Tensor:
    r"""The condition number in the norm p (2 by default)."""
def cross(input: Any, other: Any, *, dim: Any = -1, out: Any = None) -> Tensor:
    r"""The cross product of 3-vectors along dim."""
def det(A: Any, *, out: Any = None) -> Tensor:
    r"""The determinants of square matrices."""
def diagonal(A: Any, *, offset: Any = 0, dim1: Any = -2, dim2: Any = -1) -> Tensor:
    r"""The diagonals, as a view."""
def eig(input: Any, *, out: Any = None) -> Any:
    r"""(complex eigenvalues, eigenvectors) of square matrices."""
def eigh(input: Any, UPLO: Any = 'L', *, out: Any = None) -> Any:
    r"""(L, V) with `A = V diag(L) V^H` for Hermitian (*, n, n) matrices, L ascending."""
def eigvals(input: Any, *, out: Any = None) -> Tensor:
    r"""The complex eigenvalues."""
def eigvalsh(input: Any, UPLO: Any = 'L', *, out: Any = None) -> Tensor:
    r"""The eigenvalues of Hermitian matrices, ascending."""
def householder_product(input: Any, tau: Any, *, out: Any = None) -> Tensor:
    r"""The first columns of the product of the reflections `1 - tau_i v_i v_i^H`."""
def inv(A: Any, *, out: Any = None) -> Tensor:
    r"""The inverses of square matrices: (*, n, n) -> (*, n, n)."""
def inv_ex(A: Any, *, check_errors: Any = False, out: Any = None) -> Any:
    r"""(inv(A), info): info is the place of a zero pivot, 0 for a regular matrix."""
def ldl_factor(input: Any, *, hermitian: Any = False, out: Any = None) -> Any:
    r"""(LD, pivots) of symmetric matrices, or complex Hermitian ones; see kernels/ldl.py."""
def ldl_factor_ex(input: Any, *, hermitian: Any = False, check_errors: Any = False, out: Any = None) -> Any:
    r"""(LD, pivots, info): info is the place of the first zero pivot, counted from 1, or 0."""
def ldl_solve(LD: Any, pivots: Any, B: Any, *, hermitian: Any = False, out: Any = None) -> Tensor:
    r"""X with A X = B for A factored by ldl_factor."""
def lstsq(input: Any, b: Any, rcond: Any = None, *, driver: Any = None) -> Any:
    r"""(solution, residuals, rank, singular_values) of min `|A X - b|` for A = input."""
def lu(A: Any, *, pivot: Any = True, out: Any = None) -> Any:
    r"""(P, L, U) with `A = P L U`. Raises RuntimeError for pivot=False, as PyTorch on the CPU."""
def lu_factor(A: Any, *, pivot: Any = True, out: Any = None) -> Any:
    r"""(LU in one matrix, pivots counted from 1)."""
def lu_factor_ex(A: Any, *, pivot: Any = True, check_errors: Any = False, out: Any = None) -> Any:
    r"""(LU, pivots, info): info is the place of a zero on U's diagonal, 0 where there is none."""
def lu_solve(LU: Any, pivots: Any, B: Any, *, left: Any = True, adjoint: Any = False, out: Any = None) -> Tensor:
    r"""X with `A X = B` (`X A = B`; A^H if adjoint) from lu_factor's result."""
def matmul(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""torch.matmul."""
def matrix_exp(input: Any) -> Tensor:
    r"""The exponential of square matrices."""
def matrix_norm(input: Any, ord: Any = 'fro', dim: Any = ..., keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
    r""""fro", "nuc", 1, 2, inf and their negatives, over the two dimensions dim."""
def matrix_power(input: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""The n-th power of square matrices; inverses for n < 0."""
def matrix_rank(input: Any, tol: Any = None, hermitian: Any = False, *, atol: Any = None, rtol: Any = None, out: Any = None) -> Tensor:
    r"""How many singular values exceed max(atol, rtol * largest)."""
def multi_dot(tensors: Any, *, out: Any = None) -> Tensor:
    r"""The product of several matrices in the cheapest order; the ends may be vectors."""
def norm(input: Any, ord: Any = None, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
    r"""A norm of vectors or matrices: vector_norm, or matrix_norm for an `ord` and two dimensions."""
def pinv(input: Any, rcond: Any = None, hermitian: Any = False, *, atol: Any = None, rtol: Any = None, out: Any = None) -> Tensor:
    r"""The pseudoinverse; singular values up to max(atol, rtol * largest) count as zero."""
def qr(A: Any, mode: Any = 'reduced', *, out: Any = None) -> Any:
    r"""(Q, R) with `A = Q R`, Q orthonormal and R upper triangular; A is (*, m, n)."""
def slogdet(A: Any, *, out: Any = None) -> Any:
    r"""(sign, log of the absolute value) of the determinants."""
def solve(A: Any, B: Any, *, left: Any = True, out: Any = None) -> Tensor:
    r"""X with `A X = B` (`X A = B` if not left): (*, n, n), (*, n, k) or (*, n)."""
def solve_ex(A: Any, B: Any, *, left: Any = True, check_errors: Any = False, out: Any = None) -> Any:
    r"""(solve(A, B), info): info is the place of a zero pivot, 0 for a regular matrix."""
def solve_triangular(input: Any, B: Any, *, upper: Any, left: Any = True, unitriangular: Any = False, out: Any = None) -> Tensor:
    r"""X with `input X = B` (`X input = B` if not left), reading one triangle of input."""
def svd(A: Any, full_matrices: Any = True, *, driver: Any = None, out: Any = None) -> Any:
    r"""(U, S, Vh) with `A = U diag(S) Vh`, singular values descending; A is (*, m, n)."""
def svdvals(A: Any, *, driver: Any = None, out: Any = None) -> Tensor:
    r"""The singular values, descending."""
def tensorinv(input: Any, ind: Any = 2, *, out: Any = None) -> Tensor:
    r"""The inverse of input read as a matrix whose rows are its first ind dimensions."""
def tensorsolve(input: Any, other: Any, dims: Any = None, *, out: Any = None) -> Tensor:
    r"""X with `tensordot(input, X, X.ndim) = other`."""
def vander(x: Any, *, N: Any = None) -> Tensor:
    r"""Rows of powers 1, x, x**2 .. up to N of them (as many as x has elements)."""
def vecdot(x: Any, y: Any, *, dim: Any = -1, out: Any = None) -> Tensor:
    r"""Sums of `conj(x) * y` along dim."""
def vector_norm(input: Any, ord: Any = 2, dim: Any = None, keepdim: Any = False, *, dtype: Any = None, out: Any = None) -> Tensor:
    r"""(sum |x|^ord)^(1/ord) over `dim` (all dimensions by default); ord may be 0, inf or -inf."""
