"""lobpcg: some eigenvalues of a symmetric matrix; here all are computed."""

from __future__ import annotations

from . import linalg
from ._tensor import Tensor

__all__ = ["lobpcg"]


def lobpcg(A: Tensor, k: int | None = None, B: Tensor | None = None, X: Tensor | None = None,
           n: int | None = None, iK: Tensor | None = None, niter: int | None = None,
           tol: float | None = None, largest: bool | None = None, method: str | None = None,
           tracker: None = None, ortho_iparams: dict[str, int] | None = None,
           ortho_fparams: dict[str, float] | None = None,
           ortho_bparams: dict[str, bool] | None = None) -> tuple[Tensor, Tensor]:
    """The k largest (or smallest) eigenvalues of A U = B U diag(E), and their eigenvectors.

    A        (..., m, m), symmetric or Hermitian; m is at least three times k (default: the columns
             of X, or 1)
    B        (..., m, m), positive definite; the identity if left out. Both may be sparse.
    largest  the largest, in falling order (default), or the smallest, in rising order

    E is (..., k), U (..., m, k) with U^H B U = 1. PyTorch iterates from X until the residual is
    below tol; here linalg.eigh computes all eigenvalues and the others are dropped, so what steers
    the iteration (X, n, iK, niter, tol, method, the ortho parameters) is not needed, the result is
    as exact as it gets, and its gradient with respect to B exists too.

    Raises ValueError if m is too small, AssertionError if the shapes do not fit,
    NotImplementedError for a tracker.

    >>> import retrograd as torch
    >>> torch.lobpcg(torch.diag(torch.tensor([1., 2., 3., 4.])))[0]
    tensor([4.])
    """
    if tracker is not None:
        raise NotImplementedError("lobpcg: retrograd does not iterate, so tracker= is never called")
    if A.shape[-2] != A.shape[-1]:
        raise AssertionError(f"A must be square, got shape {A.shape}")
    if B is not None and A.shape != B.shape:
        raise AssertionError(f"A and B must have same shape, got {A.shape} vs {B.shape}")
    if k is None:
        k = 1 if X is None else X.shape[-1]
    wanted = X.shape[-1] if X is not None else k if n is None else n
    m = A.shape[-1]
    if m < 3 * wanted:
        raise ValueError(f"LOBPCG algorithm is not applicable when the number of A rows (={m}) is "
                         f"smaller than 3 x the number of requested eigenpairs (={wanted})")
    A, B = A.to_dense(), None if B is None else B.to_dense()
    values, vectors = _eigh((A + A.mH) / 2, B)
    if largest is None or largest:
        values, vectors = values.flip(-1), vectors.flip(-1)
    return values[..., :k], vectors[..., :k]


def _eigh(A, B):
    """All of them, rising: with B = L L^H, those of L^-1 A L^-H."""
    if B is None:
        return linalg.eigh(A)
    L = linalg.cholesky(B)
    half = linalg.solve_triangular(L, A, upper=False)                        # L^-1 A
    values, vectors = linalg.eigh(linalg.solve_triangular(L, half.mH, upper=False))
    return values, linalg.solve_triangular(L.mH, vectors, upper=True)        # L^-H Y
