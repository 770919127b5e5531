"""Factorizations as LAPACK keeps them: ldl_factor and its solver, geqrf."""

from __future__ import annotations

import numpy as np

from ..kernels.checks import not_implemented, scalar_name
from ..kernels.linalg import check_float, check_lapack, check_square
from . import samples as S
from .batching import physical
from .declare import F as T
from .declare import op
from .formulas import missing, underived
from .out import fill_checked, given_pair
from .public import public

op("linalg_ldl_factor_ex(self | hermitian)", "LinalgLdlFactorExBackward0", public=False,
    outputs=("LD", "pivots", "info"), columns={"LD": "True"}, nondiff=("pivots", "info"),
    samples=S.with_consts(S.definite, True),
    self = missing("linalg_ldl_factor_ex"))

op("linalg_ldl_solve(LD, pivots, B | hermitian)", "NotImplemented", public=False,
    columns={"result": "True"},
    samples=lambda: [(a, np.arange(1, 4, dtype=np.int32), a, False) for a, in S.definite()[:1]],
    LD = missing("linalg_ldl_solve"),
    B  = missing("linalg_ldl_solve"))


def geqrf_kernel(a):
    """NumPy's qr in LAPACK's form; it keeps the reflections in rows."""
    check_lapack("geqrf_cpu", a)
    h, tau = np.linalg.qr(a, mode="raw")
    return np.swapaxes(h, -1, -2), tau


op("geqrf(self)", "GeqrfBackward0", public=False, outputs=("a", "tau"), kernel=geqrf_kernel,
    columns={"a": "True"}, of_complex=False,
    samples=S.definite,
    self = underived("geqrf"))


def ldl_factor(input, *, hermitian=False, out=None):
    """(LD, pivots) with `A = P L D L^T P^T` for symmetric matrices, or `L^H` with hermitian=True.

    (*, n, n) -> (*, n, n), (*, n). D has blocks of 1 or 2 on its diagonal (LAPACK's sytrf; see
    kernels/ldl.py). `ldl_solve` takes the result. Raises RuntimeError for a singular D.

    >>> import retrograd as torch
    >>> torch.linalg.ldl_factor(torch.tensor([[2., 0.], [0., 3.]])).LD
    tensor([[2., 0.],
            [0., 3.]])
    """
    made = T.linalg_ldl_factor_ex(input, hermitian)
    _check_errors("torch.linalg.ldl_factor", made[2])
    return given_pair("linalg_ldl_factor", made[:2], out)


def ldl_factor_ex(input, *, hermitian=False, check_errors=False, out=None):
    """(LD, pivots, info): ldl_factor(), which raises no error for a singular D.

    info (*) is the place of the first pivot that is zero, counted from 1, or 0. With check_errors
    it raises ldl_factor's RuntimeError.

    >>> import retrograd as torch
    >>> LD, pivots, info = torch.linalg.ldl_factor_ex(torch.diag(torch.tensor([2., 3.])))
    >>> LD
    tensor([[2., 0.],
            [0., 3.]])
    >>> pivots, info
    (tensor([1, 2], dtype=torch.int32), tensor(0, dtype=torch.int32))
    """
    made = T.linalg_ldl_factor_ex(input, hermitian)
    if check_errors:
        _check_errors("torch.linalg.ldl_factor_ex", made[2])
    return given_pair("linalg_ldl_factor_ex", made, out)


def _check_errors(name, info):
    bad = physical(info)._data.reshape(-1)
    if bad.any():
        code = bad[bad != 0][0]
        raise RuntimeError(f"{name}: Unknown error code: {code}.\n\nThe matrix is singular: D has "
                           f"a zero on its diagonal, at place {code} counted from 1.")


def ldl_solve(LD, pivots, B, *, hermitian=False, out=None):
    """X with `A X = B`, from what ldl_factor returns for A: B and X are (*, n, k).

    Raises RuntimeError for sizes that do not fit.

    >>> import retrograd as torch
    >>> torch.linalg.ldl_solve(*torch.linalg.ldl_factor(torch.eye(2)), torch.ones(2, 1))
    tensor([[1.],
            [1.]])
    """
    ld, b = LD._data, B._data
    check_square("torch.linalg.ldl_solve", ld, "LD")
    check_float("torch.linalg.ldl_solve", ld, low_precision=False)
    if b.ndim < 2:
        raise RuntimeError("torch.linalg.ldl_solve: Expected B to have at least 2 dimensions, but "
                           f"it has {b.ndim} dimensions instead")
    if ld.shape[-1] != b.shape[-2]:
        raise RuntimeError("Incompatible matrix sizes for torch.linalg.ldl_solve: each A matrix is "
                           f"{ld.shape[-1]} by {ld.shape[-1]} but each b matrix is {b.shape[-2]} "
                           f"by {b.shape[-1]}")
    if ld.dtype != b.dtype:
        raise RuntimeError("Expected b and A to have the same dtype, but found b of type "
                           f"{scalar_name(b.dtype)} and A of type {scalar_name(ld.dtype)} instead.")
    res = T.linalg_ldl_solve(LD, pivots, B, hermitian)
    return res if out is None else fill_checked("linalg_ldl_solve", out, res)


@public(name="geqrf")
def public_geqrf(input, *, out=None):
    """(a, tau): the `Q R` of a matrix as LAPACK has it, Q as a product of reflections.

    (*, m, n) -> (*, m, n), (*, min(m, n)). R is on and above a's diagonal; below it are the vectors
    v_i of the reflections 1 - tau_i v_i v_i^H, which begin with a one that is not stored.
    `linalg.householder_product` makes Q of it, `ormqr` multiplies with Q. There is no derivative:
    backward through it raises an error.

    >>> import retrograd as torch
    >>> torch.geqrf(torch.eye(2)).tau.shape
    torch.Size([2])
    """
    array = input._data
    if array.ndim < 2:
        raise RuntimeError("torch.geqrf: input must have at least 2 dimensions.")
    if array.dtype.kind not in "fc":
        raise not_implemented("geqrf_cpu", array.dtype)
    return given_pair("geqrf", T.geqrf(input), out)
