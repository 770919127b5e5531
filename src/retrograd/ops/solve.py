"""Linear systems, inverses and determinants: torch.linalg's functions and their older names."""

from __future__ import annotations

import math

import numpy as np

from .. import _dtype, return_types
from .. import kernels as K
from .._tensor import wrap
from ..kernels.checks import check_broadcast
from ..kernels.linalg import (
    LinAlgError,
    check_float,
    check_has_eps,
    check_matrix,
    check_square,
    first_zero_pivot,
)
from .batching import physical
from .declare import F as T
from .deprecated import warn_old
from .out import given, given_pair
from .public import public
from .support import unobserved


def info_of(a):
    """The status that *_ex functions return with a batch of matrices: 0, no error."""
    return wrap(np.zeros(a._data.shape[:-2], np.int32))


# --------------------------------------------------------------------------- solving

def check_sides(b, a):
    """What the older functions say of two dtypes."""
    if a.dtype != b.dtype:
        names = [_dtype.of(x).tensor_name for x in (b, a)]
        raise RuntimeError("Expected b and A to have the same dtype, but found b of type "
                           f"{names[0]} and A of type {names[1]} instead.")


def _check_solve(A, B, left):
    """Raise PyTorch's errors for matrices that solve() cannot take."""
    a, b = A._data, B._data
    check_float("linalg.solve", a, low_precision=False)
    if a.dtype != b.dtype:
        raise RuntimeError(
            "linalg.solve: Expected A and B to have the same dtype, but found A of type "
            f"{A.dtype.tensor_name} and B of type {B.dtype.tensor_name} instead")
    check_square("linalg.solve", a)
    if not b.ndim:
        raise RuntimeError("linalg.solve: The input tensor B must have at least 2 dimensions.")
    if K.is_vector(a.shape, b.shape):
        rows = b.shape[-1] if left else 1                  # B as a matrix of one column
        shown = f"{b.shape[-1]}x1"
    else:
        rows = b.shape[-2] if left else b.shape[-1]
        shown = f"{b.shape[-2]}x{b.shape[-1]}"
    if rows != a.shape[-1]:
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(f"linalg.solve: Incompatible shapes of A and B for the equation "
                           f"{equation} ({a.shape[-2]}x{a.shape[-1]} and {shown})")
    if not left and K.is_vector(a.shape, b.shape):
        raise RuntimeError("linalg.solve: Vector broadcasting of the left hand side is not "
                           "supported for left=False. In this case linalg.solve is equivalent to "
                           "B / A.squeeze(-1)")
    if not K.is_vector(a.shape, b.shape):
        check_broadcast(b.shape[:-2], a.shape[:-2])


def solve(A, B, *, left=True, out=None):
    """X with `A X = B` (`X A = B` if not left): (*, n, n), (*, n, k) or (*, n).

    Raises LinAlgError for a singular A, RuntimeError for shapes that do not fit.

    >>> import retrograd as torch
    >>> torch.linalg.solve(torch.tensor([[2., 0.], [0., 4.]]), torch.tensor([2., 2.]))
    tensor([1.0000, 0.5000])
    """
    _check_solve(A, B, left)
    return given("linalg_solve", T.linalg_solve(A, B, left), out)


def with_info(compute, failed, A, check_errors, dims=2, stopped=None):
    """(compute(A), info), where info reports a matrix that failed, unless check_errors.

    The last `dims` dimensions of the result belong to one matrix. For those that fail it is nan, or
    stopped(matrix, info); the others are computed as usual.
    """
    try:
        return compute(A), info_of(A)
    except LinAlgError as error:
        if check_errors:
            name, _, said = str(error).partition(": ")
            raise LinAlgError(f"{name}_ex: {said}") from None
    array = A._data
    flat = array.reshape(-1, *array.shape[-2:])
    info = np.array([failed(m) for m in flat], np.int32).reshape(array.shape[:-2])
    bad = info != 0
    regular = T.where(wrap(bad[..., None, None]), wrap(np.eye(array.shape[-1], dtype=array.dtype)),
                      A)
    shown = wrap(bad.reshape(bad.shape + (1,) * dims))
    res = compute(regular)
    if stopped is None:
        return T.where(shown, math.nan, res), wrap(info)
    made = [stopped(m, k) if k else m for m, k in zip(flat, info.ravel(), strict=True)]
    return T.where(shown, wrap(np.reshape(made, array.shape)), res), wrap(info)


def _zero_pivot(matrix):
    lu, _ = K.lu_factor(matrix)
    return first_zero_pivot(matrix)[1] if (np.diagonal(lu) == 0).any() else 0


def solve_ex(A, B, *, left=True, check_errors=False, out=None):
    """(result, info): solve(A, B), which raises no error for a singular matrix.

    info (*) is the place of a pivot that is zero, counted from 1, or 0. With check_errors it raises
    LinAlgError, as linalg.solve does.

    >>> import retrograd as torch
    >>> torch.linalg.solve_ex(torch.eye(2), torch.ones(2)).result
    tensor([1., 1.])
    """
    _check_solve(A, B, left)
    dims = 1 if K.is_vector(A._data.shape, B._data.shape) else 2
    res, info = with_info(lambda a: T.linalg_solve(a, B, left), _zero_pivot, A, check_errors, dims)
    return given_pair("linalg_solve_ex", (res, info), out)


@public(name="inverse")
def inverse(input, *, out=None):
    """The inverses of square matrices, (*, n, n) -> (*, n, n): torch.linalg.inv by its older name.

    Raises LinAlgError for a singular matrix, RuntimeError for one that is not square.

    >>> import retrograd as torch
    >>> torch.inverse(torch.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return inv(input, out=out)


def inv(A, *, out=None):
    """The inverses of square matrices: (*, n, n) -> (*, n, n).

    Raises LinAlgError for a singular matrix, RuntimeError for one that is not square.

    >>> import retrograd as torch
    >>> torch.linalg.inv(torch.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    check_square("linalg.inv", A._data)
    check_float("linalg.inv", A._data)
    return given("linalg_inv", T.linalg_inv_ex(A), out)


def inv_ex(A, *, check_errors=False, out=None):
    """(inverse, info): inv(A), which raises no error for a singular matrix.

    info (*) is the place of a pivot that is zero, counted from 1, or 0. With check_errors it raises
    LinAlgError, as linalg.inv does.

    >>> import retrograd as torch
    >>> torch.linalg.inv_ex(torch.zeros(1, 1)).info
    tensor(1, dtype=torch.int32)
    """
    check_square("linalg.inv", A._data)
    check_float("linalg.inv", A._data)
    res, info = with_info(T.linalg_inv_ex, _zero_pivot, A, check_errors)
    return given_pair("linalg_inv_ex", (res, info), out)


def solve_triangular(input, B, *, upper, left=True, unitriangular=False, out=None):
    """X with `input X = B` (`X input = B` if not left) for triangular matrices, by substitution.

    input (*, n, n), B and X (*, n, k), or (*, k, n) if not left; the batches broadcast. Only the
    upper triangle is read, or the lower one with upper=False; with unitriangular its diagonal is
    not read either, and counts as ones. A zero on the diagonal gives inf or nan, not an error.
    Dtypes promote. Raises RuntimeError for sizes that do not fit, NotImplementedError for integers.

    >>> import retrograd as torch
    >>> A = torch.tensor([[2., 0.], [1., 1.]])
    >>> torch.linalg.solve_triangular(A, torch.tensor([[2.], [3.]]), upper=False)
    tensor([[1.],
            [2.]])
    """
    check_square("linalg.solve_triangular", input._data)
    check_matrix("linalg.solve_triangular", B._data, "B")
    a, b = input._data.shape, B._data.shape
    if a[-1] != (b[-2] if left else b[-1]):
        equation = "AX = B" if left else "XA = B"
        raise RuntimeError(f"linalg.solve_triangular: Incompatible shapes of A and B for the "
                           f"equation {equation} ({a[-2]}x{a[-1]} and {b[-2]}x{b[-1]})")
    check_broadcast(b[:-2], a[:-2])
    if B._data.dtype != input._data.dtype:
        B = B.to(input.dtype)
    res = T.linalg_solve_triangular(input, B, bool(upper), bool(left), bool(unitriangular))
    return given("linalg_solve_triangular", res, out)


@public
def triangular_solve(input, A, upper=True, transpose=False, unitriangular=False, *, out=None):
    """(solution, A) of `A X = input` for a triangular A, or of its transpose.

    input (*, n, k), A (*, n, n). With PyTorch's warning to use torch.linalg.solve_triangular.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.triangular_solve(torch.ones(2, 1), torch.tensor([[2., 0.], [0., 4.]])).solution
    tensor([[0.5000],
            [0.2500]])
    """
    shape, rows = A._data.shape, input._data.shape
    for name, found in (("b", rows), ("A", shape)):
        if len(found) < 2:
            raise RuntimeError(f"torch.triangular_solve: Expected {name} to have at least 2 "
                               f"dimensions, but it has {len(found)} dimensions instead")
    check_sides(input._data, A._data)
    check_square("", A._data)
    if shape[-1] != rows[-2]:
        raise RuntimeError("Incompatible matrix sizes for triangular_solve: each A matrix is "
                           f"{shape[-2]} by {shape[-1]} but each b matrix is {rows[-2]} by "
                           f"{rows[-1]}")
    check_broadcast(rows[:-2], shape[:-2])
    a = A.mT if transpose else A
    res = T.linalg_solve_triangular(a, input, bool(upper) != bool(transpose), True,
                                    bool(unitriangular))
    if out is None:
        warn_old("triangular_solve")
    return given_pair("triangular_solve", (res, A.clone()), out)


def lstsq(input, b, rcond=None, *, driver=None):
    """(solution, residuals, rank, singular_values) of min `|A X - b|` for A = input.

    (*, m, n), (*, m, k) -> X (*, n, k), or (*, m) -> (*, n); the batches broadcast. As in PyTorch
    residuals is empty unless A has full rank, more rows than columns and the driver is not the
    default "gelsy"; singular_values is empty for "gels" and "gelsy". Singular values up to rcond
    times the largest count as zero. Raises RuntimeError for sizes and dtypes that do not fit.

    >>> import retrograd as torch
    >>> torch.linalg.lstsq(torch.tensor([[1.], [1.]]), torch.tensor([[1.], [3.]])).solution
    tensor([[2.0000]])
    """
    vector = _check_lstsq(input, b, driver)
    a = input._data
    right = b.unsqueeze(-1) if vector else b
    if right._data.ndim < a.ndim:           # a dimension is missing, and they are no vectors
        check_broadcast(a.shape[:-2], b._data.shape[:-1])
        raise RuntimeError(LSTSQ_DIMS)
    check_broadcast(a.shape[:-2], right._data.shape[:-2])
    cut = _cut(a, rcond, driver)
    by_columns = driver in (None, "gels", "gelsy")          # whose gradients cut off nothing more
    solution, rank, s = T.linalg_lstsq_of(input, right, *(
        (_cut(a, None, driver), cut) if by_columns else (cut, None)))
    rank, s = _of_matrices(a.shape[:-2], rank, s)
    residuals = _squared_residuals(input, solution, right, rank, driver)
    return return_types.linalg_lstsq((
        solution.squeeze(-1) if vector else solution, residuals,
        rank.new_empty(0) if driver == "gels" else rank,
        s if driver in ("gelsd", "gelss") else s.new_empty(0)))


def _cut(a, rcond, driver):
    """The part of the largest singular value up to which all others, from 1 on it, too, are zero.

    From 1 on "gelsd" cuts off none that exceeds the precision, and "gelsy" never the largest.
    """
    eps = float(np.finfo(a.dtype).eps)
    if rcond is None or driver == "gels":
        return eps * max(a.shape[-2:])
    if rcond >= 1 and driver != "gelss":
        return eps if driver == "gelsd" else 1 - eps
    return rcond if rcond > 0 else eps


def _of_matrices(batch, rank, s):
    """Ranks and singular values of the matrices alone, not once more for each right side."""
    for dim, size in enumerate(batch):
        here = rank._data.shape[dim]
        if here < size:                             # there are no right sides: nothing was computed
            return rank.new_zeros(batch), s.new_zeros((*batch, s._data.shape[-1]))
        if here != size:
            rank, s = rank.narrow(dim, 0, size), s.narrow(dim, 0, size)
    return rank, s


LSTSQ_DIMS = ("torch.linalg.lstsq: input.dim() must be greater or equal to other.dim() and "
              "(input.dim() - other.dim()) <= 1")


def _check_lstsq(input, b, driver) -> bool:
    """Whether `b` holds vectors (..., m), not matrices (..., m, k); raises if it fits neither."""
    a, wanted = input._data, b._data.shape
    if a.ndim < 2:
        raise RuntimeError("torch.linalg.lstsq: input must have at least 2 dimensions.")
    check_has_eps(a)
    if not wanted:
        raise RuntimeError("torch.linalg.lstsq: other must have at least 1 dimension.")
    if a.ndim - len(wanted) not in (0, 1):
        raise RuntimeError(LSTSQ_DIMS)
    vector = K.is_vector(a.shape, wanted)
    rows = wanted[-1] if vector else wanted[-2]
    if rows != a.shape[-2]:
        raise RuntimeError("torch.linalg.lstsq: input.size(-2) should match other.size("
                           f"{-1 if vector else -2})")
    if a.dtype != b._data.dtype:
        raise RuntimeError("torch.linalg.lstsq: Expected input and other to have the same dtype, "
                           f"but got input's dtype {input.dtype.tensor_name} and other's dtype "
                           f"{b.dtype.tensor_name}")
    if driver not in (None, "gels", "gelsy", "gelsd", "gelss"):
        raise RuntimeError("torch.linalg.lstsq: parameter `driver` should be one of (gels, gelsy, "
                           "gelsd, gelss)")
    return vector


def _squared_residuals(a, solution, right, rank, driver):
    """sum |A X - B|^2 of each column, where PyTorch gives it; else empty."""
    m, n = a._data.shape[-2:]
    if m > n and (driver == "gels"
                  or driver in ("gelsd", "gelss") and (physical(rank)._data == n).all()):
        gap = a @ solution - right                                            # (..., m, k)
        return (gap * gap.conj()).real.sum(-2) if gap.is_complex() else (gap * gap).sum(-2)
    if unobserved(solution._flags) and not solution.is_complex():
        return solution.new_empty(0)
    empty = solution.flatten().narrow(0, 0, 0)
    return empty.real if empty.is_complex() else empty



# --------------------------------------------------------------------------- determinants

def det(A, *, out=None):
    """The determinants of square matrices: (*, n, n) -> (*).

    Raises RuntimeError for matrices that are not square and for integers.

    >>> import retrograd as torch
    >>> torch.det(torch.tensor([[1., 2.], [3., 4.]]))
    tensor(-2.)
    """
    check_square("linalg.det", A._data)
    check_float("linalg.det", A._data, low_precision=False)
    return given("linalg_det", T.linalg_det(A), out)


@public(name="det")
def torch_det(input):
    """torch.linalg.det by its older name: (*, n, n) -> (*).

    >>> import retrograd as torch
    >>> torch.det(torch.tensor([[2., 1.], [0., 3.]]))
    tensor(6.)
    """
    return det(input)


def slogdet(A, *, out=None):
    """(sign, log of the absolute value) of the determinants: (*, n, n) -> (*), (*).

    The log is finite where det would overflow. Raises RuntimeError for matrices that are not square
    and for integers.

    >>> import retrograd as torch
    >>> torch.linalg.slogdet(torch.tensor([[2., 0.], [0., -3.]]))
    torch.return_types.linalg_slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(1.7918))
    """
    check_square("linalg.slogdet", A._data)
    check_float("linalg.slogdet", A._data)
    return given_pair("linalg_slogdet", T.linalg_slogdet(A), out)


@public(name="slogdet")
def torch_slogdet(input, *, out=None):
    """(sign, log of the absolute value) of the determinants: (*, n, n) -> (*), (*).

    The log is finite where det would overflow. Raises RuntimeError for matrices that are not square
    and for integers.

    >>> import retrograd as torch
    >>> torch.slogdet(torch.tensor([[2., 0.], [0., -3.]]))
    torch.return_types.slogdet(
    sign=tensor(-1.),
    logabsdet=tensor(1.7918))
    """
    return given_pair("slogdet", slogdet(input), out)


@public
def logdet(input):
    """The logarithm of the determinants: (*, n, n) -> (*); nan where one is negative, -inf for 0.

    Raises RuntimeError for matrices that are not square and for integers.

    >>> import retrograd as torch
    >>> torch.logdet(torch.tensor([[2., 0.], [0., 3.]]))
    tensor(1.7918)
    """
    check_square("logdet", input._data)
    check_float("logdet", input._data)
    sign, log = T.linalg_slogdet(input)
    if input.is_complex():
        return log + sign.log()
    return T.where(sign == -1.0, math.nan, log)
