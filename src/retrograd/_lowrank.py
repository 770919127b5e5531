"""svd_lowrank and pca_lowrank: the largest singular values by random projections.

After Halko, Martinsson and Tropp, Finding structure with randomness (2009), algorithm 5.1 on the
basis of their algorithm 4.4.
"""

from __future__ import annotations

import retrograd as torch

from ._tensor import Tensor

__all__ = ["pca_lowrank", "svd_lowrank"]


def _basis(A: Tensor, q: int, niter: int, M: Tensor | None) -> Tensor:
    """Orthonormal columns (m, q) that span about the space of the q largest singular vectors."""
    inexact = A.is_floating_point() or A.is_complex()
    R = torch.randn(A.shape[-1], q, dtype=A.dtype if inexact else torch.float32)
    Q = torch.linalg.qr(_product(A, M, R)).Q
    for _ in range(niter):
        Q = torch.linalg.qr(_product(A.mH, None if M is None else M.mH, Q)).Q
        Q = torch.linalg.qr(_product(A, M, Q)).Q
    return Q


def _product(A: Tensor, M: Tensor | None, X: Tensor) -> Tensor:
    """(A - M) X; a sparse A stays sparse."""
    return A @ X if M is None else A @ X - M @ X


def svd_lowrank(A: Tensor, q: int | None = 6, niter: int | None = 2,
                M: Tensor | None = None) -> tuple[Tensor, Tensor, Tensor]:
    """(U, S, V) with A - M about U diag(S) V^H: (*, m, n) -> (*, m, q), (*, q), (*, n, q).

    Args:
        A: the matrix.
        q: how many singular values, better some more than its rank.
        niter: power iterations, for singular values that decay slowly.
        M: what is subtracted from A, (*, m, n) or what expands to it.

    A may be a sparse matrix.

    >>> import retrograd as torch
    >>> A = torch.arange(1., 4.).outer(torch.ones(4))
    >>> U, S, V = torch.svd_lowrank(A, q=2)
    >>> bool(torch.allclose(U * S @ V.mH, A, atol=1e-5))
    True
    """
    q, niter = 6 if q is None else q, 2 if niter is None else niter
    if M is not None:
        M = M.broadcast_to(A.size())
        if A.layout is torch.strided:
            A, M = A - M, None
    wide = A.shape[-2] < A.shape[-1]
    if wide:
        A, M = A.mH, None if M is None else M.mH
    Q = _basis(A, q, niter, M)
    B = Q.mH @ A if M is None else Q.mH @ A - Q.mH @ M
    U, S, Vh = torch.linalg.svd(B, full_matrices=False)
    U, V = Q @ U, Vh.mH
    return (V, S, U) if wide else (U, S, V)


def pca_lowrank(A: Tensor, q: int | None = None, center: bool = True,
                niter: int = 2) -> tuple[Tensor, Tensor, Tensor]:
    """`svd_lowrank` of a matrix whose columns have mean 0, by `center` if need be.

    The matrix may be sparse; its means are then subtracted from what it is multiplied by.

    Raises:
        ValueError: q is not between 0 and min(m, n), niter is negative, or a sparse tensor is no
            matrix.

    >>> import retrograd as torch
    >>> [tuple(part.shape) for part in torch.pca_lowrank(torch.randn(8, 5), q=2)]
    [(8, 2), (2,), (5, 2)]
    """
    m, n = A.shape[-2:]
    if q is None:
        q = min(6, m, n)
    elif not 0 <= q <= min(m, n):
        raise ValueError(f"q(={q}) must be non-negative integer and not greater than "
                         f"min(m, n)={min(m, n)}")
    if niter < 0:
        raise ValueError(f"niter(={niter}) must be non-negative integer")
    if not center:
        return svd_lowrank(A, q, niter)
    if A.layout is torch.sparse_coo:
        if A.dim() != 2:
            raise ValueError("pca_lowrank input is expected to be 2-dimensional tensor")
        return svd_lowrank(A, q, niter, torch.sparse.sum(A, 0).to_dense() / m)
    return svd_lowrank(A - A.mean(dim=-2, keepdim=True), q, niter)
