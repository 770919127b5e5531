"""Functions and norms of matrices."""

from __future__ import annotations

import math
from operator import index

import numpy as np

from .. import _dtype
from .._callers import written
from .._tensor import Tensor, wrap
from ..kernels.linalg import check_float, check_has_eps, check_matrix, check_square
from .arguments import must_be
from .declare import F as T
from .declare import op
from .deprecated import warn_old
from .dims import wrap_dim
from .factor import eigvalsh, svdvals
from .formulas import rounded_once
from .mapped import each_slice, is_batched
from .mistyped import is_int
from .nn_checks import no_gradient
from .out import given
from .public import method, numpy_names, public
from .reduce import (
    check_has_norm,
    check_norm_dtype,
    check_norm_of_nothing,
    norm_dim,
    norm_gradient,
    vector_norm,
)
from .solve import inv, inv_ex
from .support import number_of
from .views import matrices

# --------------------------------------------------------------------------- functions of a matrix


def pinv(input, rcond=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """The pseudoinverse `V diag(1 / s) U^H` of `U diag(s) V^H`: (*, m, n) -> (*, n, m).

    Singular values s up to max(atol, rtol * the largest) count as zero; rtol is max(m, n) * eps
    unless it or atol is given. With hermitian it is computed from eigenvalues. Raises RuntimeError
    for fewer than two dimensions.

    >>> import retrograd as torch
    >>> torch.linalg.pinv(torch.tensor([[2., 0.], [0., 0.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.0000]])
    """
    if input._data.ndim < 2 or input._data.dtype.char not in "fdFD":
        raise RuntimeError(f"linalg.pinv({input.dtype.tensor_name}"
                           f"{{{list(input._data.shape)}}}): expected "
                           "a tensor with 2 or more dimensions of float, double, cfloat or cdouble "
                           "types")
    if hermitian:
        check_square("linalg.eigh", input._data)
    rtol = rtol if rcond is None else rcond
    if isinstance(rtol, complex) or isinstance(atol, complex):
        raise TypeError                           # its words are found where arguments do not fit
    for name, t in (("atol", atol), ("rtol" if rcond is None else "rcond", rtol)):
        if isinstance(t, Tensor) and t.is_complex():
            raise RuntimeError(f"torch.linalg.pinv: {name} tensor of complex type is not "
                               f"supported. Got {t.dtype.tensor_name}")
    no_gradient("linalg_pinv", **{name: t for name, t in (("atol", atol), ("rtol", rtol))
                                  if isinstance(t, Tensor)})
    if is_batched(rtol, atol):
        return each_slice(pinv, input, hermitian=hermitian, atol=atol, rtol=rtol)
    rtol, atol = (t._data if isinstance(t, Tensor) else t for t in _tolerances(input, rtol, atol))
    *lead, m, n = input._data.shape
    wide = np.broadcast_shapes(lead, *(np.shape(t)[:-1] for t in (rtol, atol)))
    input = input if wide == tuple(lead) else T.expand(input, (*wide, m, n))
    return given("linalg_pinv", T.linalg_pinv(input, rtol, bool(hermitian), atol), out)


def _tolerances(A, rtol, atol):
    """(rtol, atol): numbers, or tensors with a dimension for the singular values."""
    rtol, atol = (t.unsqueeze(-1) if isinstance(t, Tensor) else t for t in (rtol, atol))
    atol = 0 if atol is None else atol
    if rtol is None:
        eps = float(max(A._data.shape[-2:]) * np.finfo(A._data.dtype).eps)
        rtol = T.where(atol > 0, 0.0, eps) if isinstance(atol, Tensor) else eps * (atol <= 0)
    return rtol, atol


@public
def pinverse(input, rcond=1e-15):
    """torch.linalg.pinv with rtol = rcond.

    >>> import retrograd as torch
    >>> torch.pinverse(torch.tensor([[2., 0.], [0., 4.]]))
    tensor([[0.5000, 0.0000],
            [0.0000, 0.2500]])
    """
    return pinv(input, rtol=rcond)


def matrix_rank(input, tol=None, hermitian=False, *, atol=None, rtol=None, out=None):
    """How many singular values exceed max(atol, rtol * largest): (*, m, n) -> (*) of int64.

    With `hermitian`, eigenvalues by their size. By default atol is 0 and rtol is max(m, n) times
    the dtype's epsilon, or 0 if only atol is given and positive. No gradient flows through it.
    Raises RuntimeError for vectors.

    >>> import retrograd as torch
    >>> torch.linalg.matrix_rank(torch.ones(3, 3))
    tensor(1)
    """
    check_matrix("torch.linalg.matrix_rank", input._data, "input")
    check_has_eps(input._data)
    rtol, atol = _tolerances(input, rtol, tol if atol is None else atol)
    a = input.detach()
    s = eigvalsh(a).abs() if hermitian else svdvals(a)
    if s._data.shape[-1]:
        s = (s > rtol * s.amax(-1, keepdim=True)).logical_and(s > atol)
    return given("linalg_matrix_rank", s.sum(-1, dtype=_dtype.int64), out)


@public
def matrix_exp(input):
    """The sum of A^k / k! over all k, for square matrices: (*, n, n) -> (*, n, n).

    Raises RuntimeError for matrices that are not square and for integers.

    >>> import retrograd as torch
    >>> torch.matrix_exp(torch.zeros(2, 2))
    tensor([[1., 0.],
            [0., 1.]])
    """
    check_square("linalg.matrix_exp", input._data)
    check_float("linalg.matrix_exp", input._data, low_precision=False)
    return T.linalg_matrix_exp(input)


@public
def matrix_power(input, n, *, out=None):
    """The n-th power of square matrices, of the inverses for n < 0: (*, m, m) -> (*, m, m).

    Raises RuntimeError for matrices that are not square and, for n < 0, LinAlgError for singular
    ones.

    >>> import retrograd as torch
    >>> torch.matrix_power(torch.tensor([[1., 1.], [0., 1.]]), 3)
    tensor([[1., 3.],
            [0., 1.]])
    """
    if not is_int(n):
        raise must_be("int", "linalg_matrix_power", "n", 2, n)
    n = index(n)                       # an int, since a tensor would be halved in place below
    check_square("linalg.matrix_power", input._data)
    if n == 0:
        eye = np.eye(input._data.shape[-1], dtype=input._data.dtype)
        res = input.clone().copy_(wrap(eye))
        return given("linalg_matrix_power", res, out)
    name = "linalg_matrix_power"
    if n != 1 and isinstance(out, Tensor) and _dtype.can_cast(input.dtype, out.dtype):
        name = "mm"                                    # writes into `out`, and only its own dtype
    base, n, res = (inv(input), -n, None) if n < 0 else (input, n, None)
    if n == 3:
        n, res = 0, (base @ base) @ base                  # PyTorch's order
    while n:
        if n & 1:
            res = base if res is None else res @ base
        n >>= 1
        if n:
            base = base @ base
    return given(name, res.clone() if res is input else res, out)


# --------------------------------------------------------------------------- norms


def _two_dims(A, dim):
    """The dimensions of the matrices that a norm is taken of."""
    dims = tuple(dim) if isinstance(dim, (tuple, list)) else (dim,)
    if len(dims) != 2:
        raise RuntimeError("linalg.matrix_norm: dim must be a 2-tuple. Got "
                           f"{' '.join(map(str, dims))}")
    first, second = (wrap_dim(d, A._data.ndim) for d in dims)
    if first == second:
        raise RuntimeError(f"linalg.matrix_norm: dims must be different. Got ({dims[0]}, "
                           f"{dims[1]})")
    return first, second


def largest(sizes, dim, keepdim=False):
    """The largest of numbers that are not negative: of none, 0."""
    return (sizes.amax if sizes._data.shape[dim] else sizes.sum)(dim, keepdim)


@numpy_names
def matrix_norm(input, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None, out=None):
    """A norm of matrices: `ord` is "fro", "nuc", or 1, 2, inf and their negatives.

    "fro" is sqrt(sum |a_ij|^2) and "nuc" the sum of the singular values. 2 is the largest singular
    value, 1 the largest sum of absolute values in a column, inf in a row; -2, -1 and -inf are the
    smallest. The matrices are the two dimensions `dim`: (*, n, m) -> (*), or (*, 1, 1) with
    keepdim. `dtype` is that of the computation and the result. Raises RuntimeError for integers,
    for fewer than two dimensions, and for any other `ord`.

    >>> import retrograd as torch
    >>> torch.linalg.matrix_norm(torch.tensor([[3., 0.], [0., 4.]]))
    tensor(5.)
    """
    check_matrix("linalg.matrix_norm", input._data)
    check_float("linalg.matrix_norm", input._data, low_precision=False)
    if dtype is not None:
        check_norm_dtype("linalg.matrix_norm", input.dtype, dtype)
        input = input.to(dtype)
    first, second = _two_dims(input, dim)
    ord = number_of(ord, "ord")
    if ord == "fro":
        return vector_norm(input, 2, (first, second), keepdim, out=out)
    if ord == "nuc" or isinstance(ord, (int, float)) and abs(ord) == 2:
        check_float("linalg.matrix_norm", input._data)
        values = svdvals(input.movedim((first, second), (-2, -1)))
        res = values.sum(-1, keepdim) if ord == "nuc" else largest(values, -1, keepdim) if ord > 0 \
            else values.amin(-1, keepdim)
        if keepdim:
            res = res.unsqueeze(-1).movedim((-2, -1), (first, second))
    elif isinstance(ord, (int, float)) and abs(ord) in (1, math.inf):
        summed, other = (first, second) if abs(ord) == 1 else (second, first)
        sums = vector_norm(input, 1, summed, keepdim)
        other -= summed < other and not keepdim
        res = largest(sums, other, keepdim) if ord > 0 else sums.amin(other, keepdim)
    elif isinstance(ord, complex):
        raise RuntimeError("linalg.matrix_norm: Expected a non-complex scalar as the order of "
                           "norm.")
    else:
        raise RuntimeError(f"linalg.matrix_norm: Order {ord} not supported.")
    return given("linalg_matrix_norm", res, out)


@numpy_names
def norm(input, ord=None, dim=None, keepdim=False, *, dtype=None, out=None):
    """A norm of vectors or matrices: vector_norm, or matrix_norm for an `ord` and two dimensions.

    Without `ord` it is the 2-norm of all elements, or over `dim`.

    >>> import retrograd as torch
    >>> torch.linalg.norm(torch.tensor([3., 4.]))
    tensor(5.)
    """
    dims = (dim,) if hasattr(dim, "__index__") else dim
    if dims is not None and len(dims) not in (1, 2):
        raise RuntimeError("linalg.norm: If dim is specified, it must be of length 1 or 2. Got "
                           f"{list(dims)}")
    if ord is not None:
        if dims is None and input._data.ndim not in (1, 2):
            raise RuntimeError("linalg.norm: If dim is not specified but ord is, the input must be "
                               f"1D or 2D. Got {input._data.ndim}D.")
        if isinstance(ord, str) or len(dims or input._data.shape) == 2:
            return matrix_norm(input, ord, dims or (-2, -1), keepdim, dtype=dtype, out=out)
    return vector_norm.__wrapped__(input, 2 if ord is None else ord, dims, keepdim, dtype=dtype,
                                   out=out)


def cond(input, p=None, *, out=None):
    """The condition number norm(A) * norm(inverse of A): (*, n, n) -> (*).

    p is the norm: None or 2, -2 (by singular values, for (*, m, n) too), 1, -1, inf, -inf, 'fro' or
    'nuc'. A singular matrix has inf. Raises RuntimeError for another p, and for p other than 2 and
    -2 if the matrices are not square.

    >>> import retrograd as torch
    >>> torch.linalg.cond(torch.tensor([[4., 0.], [0., 2.]]))
    tensor(2.)
    """
    if input._data.ndim < 2:
        raise RuntimeError("linalg.cond: The input tensor must have at least 2 dimensions.")
    known = p is None or p in ("fro", "nuc", math.inf, -math.inf, 1, -1, 2, -2)
    if p not in (None, 2, -2) and input._data.size and (known or isinstance(p, str)):
        check_square(f"linalg.cond(ord={p})", input._data)
    if not known:
        raise RuntimeError(f"linalg.cond got an invalid norm type: {p}")
    if not input._data.size:
        res = wrap(np.zeros(input._data.shape[:-2], input._data.real.dtype))
    elif p in (None, 2, -2):
        s = svdvals(input)
        largest, least = s.narrow(-1, 0, 1), s.narrow(-1, s._data.shape[-1] - 1, 1)
        res = (least / largest if p == -2 else largest / least).squeeze(-1)
    else:
        inverse, info = inv_ex(input)
        singular = wrap(info._data != 0)
        inverse = T.where(singular[..., None, None], 0.0, inverse)
        res = T.where(singular, math.inf, matrix_norm(input, p) * matrix_norm(inverse, p))
    return given("linalg_cond", res, out)


@public(method=False)
@numpy_names
def frobenius_norm(input, dim, keepdim=False, *, out=None):
    """torch.linalg.vector_norm of order 2 under an older name, with PyTorch's warning.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.frobenius_norm(torch.tensor([[3., 4.], [0., 0.]]), dim=(0, 1))
    tensor(5.)
    """
    warn_old("frobenius_norm")
    if isinstance(dim, (tuple, list)) and len(dim) > 2:
        raise RuntimeError(f"Expected at most 2 dimensions, but got {len(dim)} dimensions instead.")
    if input._data.dtype.kind not in "fcV":
        raise RuntimeError("norm(): input dtype should be either floating point or complex. Got "
                           f"{input.dtype.tensor_name} instead.")
    return given("norm", norm_dim(input, 2.0, dim, keepdim), out)


@public(method=False)
@numpy_names
def nuclear_norm(input, dim=(-2, -1), keepdim=False, *, out=None):
    """torch.linalg.matrix_norm of order "nuc" under an older name, with PyTorch's warning.

    >>> import retrograd as torch
    >>> import warnings; warnings.simplefilter("ignore")   # it is deprecated
    >>> torch.nuclear_norm(torch.diag(torch.tensor([3., 4.])))
    tensor(7.)
    """
    warn_old("nuclear_norm")
    if isinstance(dim, bool):
        dim, keepdim = (-2, -1), dim
    return matrix_norm(input, "nuc", dim, keepdim, out=out)


def renorm_gradient(F, g, self, p, dim, maxnorm):
    """Of x maxnorm / (||x|| + 1e-7), where the norm is larger than maxnorm; else g."""
    others = all_but(dim, self.ndim)
    norm = F.linalg_vector_norm(self, p, others, True)
    along = F.sum_dim(F.real(F.conj(self) * g), others, True)
    inverse = 1 / (norm + 1e-7)
    slope = norm_gradient(F, along, self, p, norm, others)
    return F.where(norm > maxnorm, maxnorm * inverse * (g - inverse * slope), g)


def renorm_tangent(F, self, self_t, p, dim, maxnorm):
    others = all_but(dim, self.ndim)
    norm = F.linalg_vector_norm(self, p, others, True)
    slope = norm_gradient(F, None, self, p, norm, others)
    norm_t = F.sum_dim(F.real(F.conj(slope) * self_t), others, True)
    inverse = 1 / (norm + 1e-7)
    return F.where(norm > maxnorm, maxnorm * inverse * (self_t - self * (inverse * norm_t)), self_t)


def all_but(dim, ndim):
    return tuple(d for d in range(ndim) if d != dim)


op("renorm(self | p, dim, maxnorm)", "RenormBackward0", public=False, inplace=True,
    contiguous=True,
    samples=lambda: [(a, p, d, 1.0) for a in matrices() for p in (1, 2, 3.5, math.inf)
                     for d in (0, 1)],
    self = rounded_once(renorm_gradient),
    jvp  = renorm_tangent)


def _checked(input, p, dim, maxnorm):
    """renorm()'s arguments as the operator takes them; RuntimeError for what PyTorch refuses."""
    p, maxnorm = number_of(p, "p"), number_of(maxnorm, "maxnorm")
    for name, number in (("p", p), ("maxnorm", maxnorm)):
        if isinstance(number, complex):
            raise RuntimeError(f"renorm: {name} must be real-valued")
    if p <= 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if input._data.ndim < 2:
        raise RuntimeError("renorm: input needs at least 2 dimensions, got "
                           f"{input._data.ndim} dimensions")
    check_has_norm(input)
    dim = wrap_dim(dim, input._data.ndim)
    check_norm_of_nothing(input._data, all_but(dim, input._data.ndim), p)
    return p, dim, maxnorm


@public
@numpy_names
def renorm(input, p, dim, maxnorm, *, out=None):
    """input with every slice along dim scaled down to the p-norm maxnorm at most.

    A slice x becomes x maxnorm / (||x||_p + 1e-7) if ||x||_p > maxnorm, and is kept otherwise.
    RuntimeError for fewer than 2 dimensions, p <= 0 or maxnorm < 0.

    >>> import retrograd as torch
    >>> torch.renorm(torch.tensor([[3., 4.], [0.3, 0.4]]), 2, 0, 1.0)
    tensor([[0.6000, 0.8000],
            [0.3000, 0.4000]])
    """
    return given("renorm", T.renorm(input, *_checked(input, p, dim, maxnorm)), out, input)


@method
def renorm_(self, p, dim, maxnorm):
    """`renorm` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `renorm` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([[3., 4.], [0.6, 0.8]]).renorm_(2, 0, 1)
    tensor([[0.6000, 0.8000],
            [0.6000, 0.8000]])
    """
    return written(T.renorm_(self, *_checked(self, p, dim, maxnorm)), "renorm_")
