"""Linear algebra under PyTorch's names in torch.linalg.

>>> import retrograd as torch
>>> torch.linalg.det(torch.tensor([[2., 0.], [0., 3.]]))
tensor(6.)
"""

from .kernels.linalg import LinAlgError
from .ops.factor import (
    cholesky,
    cholesky_ex,
    eig,
    eigh,
    eigvals,
    eigvalsh,
    householder_product,
    qr,
    svd,
    svdvals,
)
from .ops.ldl import ldl_factor, ldl_factor_ex, ldl_solve
from .ops.lu import lu, lu_factor, lu_factor_ex, lu_solve
from .ops.matrix import cond, matrix_exp, matrix_norm, matrix_power, matrix_rank, norm, pinv
from .ops.products import cross, diagonal, matmul, multi_dot, tensorinv, tensorsolve, vander, vecdot
from .ops.public import reporting as _reporting
from .ops.reduce import vector_norm
from .ops.solve import det, inv, inv_ex, lstsq, slogdet, solve, solve_ex, solve_triangular

__all__ = [
    "LinAlgError", "cholesky", "cholesky_ex", "cond", "cross", "det", "diagonal", "eig", "eigh",
    "eigvals", "eigvalsh", "householder_product", "inv", "inv_ex", "ldl_factor",
    "ldl_factor_ex", "ldl_solve", "lstsq", "lu", "lu_factor",
    "lu_factor_ex", "lu_solve", "matmul", "matrix_exp", "matrix_norm", "matrix_power",
    "matrix_rank", "multi_dot", "norm", "pinv", "qr", "slogdet", "solve", "solve_ex",
    "solve_triangular", "svd", "svdvals", "tensorinv", "tensorsolve", "vander", "vecdot",
    "vector_norm",
]

for _name in __all__[1:]:
    globals()[_name] = _reporting(globals()[_name], _name, __name__, f"linalg_{_name}")
