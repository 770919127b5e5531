"""Covariance and correlation of rows; integrals by the trapezoidal rule."""

from __future__ import annotations

import numpy as np

from .. import _dtype
from .._warnings import warn
from .declare import F as T
from .dims import wrap_dim
from .public import alias, numpy_names, public


@public
def cov(input, *, correction=1, fweights=None, aweights=None):
    """The covariance matrix of n variables, the rows of input: (n, m) -> (n, n).

    The columns are m observations: c[i, j] = sum over k of (x[i, k] - mean_i) conj(x[j, k] -
    mean_j) / (m - correction). fweights says how often each observation was made, aweights how much
    it counts; both are (m). A vector is one variable, and gives its variance (). Raises
    RuntimeError for more dimensions and for weights that are negative or of another size.

    >>> import retrograd as torch
    >>> torch.cov(torch.tensor([[1., 2., 3.], [3., 2., 1.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input._data.dtype.kind == "b":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    if input._data.ndim > 2:
        raise RuntimeError("cov(): expected input to have two or fewer dimensions but got an input "
                           f"with {input._data.ndim} dimensions")
    x = input if input._data.ndim == 2 else input.reshape(1, -1)
    _check_weights("fweights", fweights, "integral", "iu", x)
    _check_weights("aweights", aweights, "floating point", "fV", x)
    w = fweights
    if aweights is not None:
        w = aweights if w is None else w * aweights
    n = x._data.shape[1]
    total = n if w is None else w.sum()
    mean = x.sum(1) / n if w is None else (x * w).sum(1) / total
    spread = total if aweights is None or correction == 0 else (w * aweights).sum() / total
    norm = total - correction * (1 if aweights is None else spread)
    centered = x - mean.unsqueeze(1)
    weighted = centered if w is None else centered * w
    if norm <= 0:
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the "
             "number of observations.")
        norm = 0
    products = weighted @ centered.t().conj()
    if products._data.__class__ is np.ndarray and products._data.dtype.kind == "c":
        np.einsum("ii->i", products._data).imag = 0         # BLAS leaves rounding errors there
    return (products / norm).squeeze()


def _check_weights(name, weights, kind, kinds, x):
    """Raise unless `weights`, if there are any, are a number >= 0 for each observation."""
    if weights is None:
        return
    array = weights._data
    if array.ndim > 1:
        raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {name} "
                           f"with {array.ndim} dimensions")
    if array.dtype.kind not in kinds:
        raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with "
                           f"{_dtype.of(array).tensor_name} dtype")
    if array.size != x._data.shape[1]:
        raise RuntimeError(f"cov(): expected {name} to have the same numel as there are "
                           f"observations in the input but got {array.size} != "
                           f"{x._data.shape[1]}")
    if (array < 0).any():
        raise RuntimeError(f"cov(): {name} cannot be negative")


@public
def corrcoef(input):
    """Pearson's correlations of the rows: c[i, j] / sqrt(c[i, i] c[j, j]), with c = cov(input).

    (n, m) -> (n, n), between -1 and 1; nan for a row whose elements are all equal. A vector gives
    1. Raises RuntimeError for more than two dimensions.

    >>> import retrograd as torch
    >>> torch.corrcoef(torch.tensor([[1., 2., 3.], [3., 2., 1.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input._data.ndim > 2:
        raise RuntimeError("corrcoef(): expected input to have two or fewer dimensions but got an "
                           f"input with {input._data.ndim} dimensions")
    c = cov(input)
    if c._data.ndim == 0:
        return c / c
    deviation = c.diagonal().real.sqrt() if c.is_complex() else c.diagonal().sqrt()
    res = c / deviation.view(-1, 1) / deviation.view(1, -1)
    if not c.is_complex():
        return res.clamp(-1, 1)
    parts = T.view_as_real(res)
    return T.make_complex(parts.select(-1, 0).clamp(-1, 1), parts.select(-1, 1).clamp(-1, 1))


def _steps(name, y, x, dx, dim):
    """(y without its last element, y without its first, the steps between places) along dim."""
    n = y._data.shape[dim]
    if x is not None and dx is not None:
        raise TypeError(f"{name}() received an invalid combination of arguments: x or dx, not both")
    _check_step(name, dx)
    if x is not None and x._data.ndim == 1 and x._data.size != n:
        raise RuntimeError(f"{name}: There must be one `x` value for each sample point")
    if n == 0:
        return y, y, 1
    left, right = y.narrow(dim, 0, n - 1), y.narrow(dim, 1, n - 1)
    if x is None:
        return left, right, 1.0 if dx is None else dx
    if not x._data.ndim:                                     # a single place has no distances
        return left, right, x.reshape(1).narrow(0, 0, 0)
    if x._data.ndim == 1:
        x = x.reshape([-1 if d == dim else 1 for d in range(y._data.ndim)])
        at = dim
    else:
        # PyTorch counts x's dimension from the front
        at = min(dim, dim - y._data.ndim + x._data.ndim)
    m = x._data.shape[at]
    return left, right, x.narrow(at, 1, m - 1) - x.narrow(at, 0, m - 1)


def _check_step(name, dx):
    if isinstance(dx, complex):
        raise RuntimeError(f"{name}: Currently, we only support dx as a real number.")


@public(method=False)
@numpy_names
def trapezoid(y, x=None, *, dx=None, dim=-1):
    """The integral of y along dim by the trapezoidal rule: the sum of (y[i] + y[i + 1]) / 2 * step.

    The steps are those between the places x (a vector or of the shape of y), or dx, by default 1.
    The result lacks dim. Raises TypeError if x and dx are both given.

    >>> import retrograd as torch
    >>> torch.trapezoid(torch.tensor([1., 5., 10.]))
    tensor(10.5000)
    """
    if not y._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, y._data.ndim)
    if not y._data.shape[dim]:
        return y.detach().sum(dim).to(y.dtype)
    _refuse_bool("trapezoid", y, x)
    if x is None:
        _check_step("trapezoid", dx)
        ends = T.select(y, dim, 0) + T.select(y, dim, y._data.shape[dim] - 1)
        return T.mul_number(y.sum(dim) - T.mul_number(ends, 0.5), 1.0 if dx is None else dx)
    left, right, widths = _steps("trapezoid", y, x, dx, dim)
    return T.div_number(((left + right) * widths).sum(dim), 2.0)


@public(method=False)
@numpy_names
def cumulative_trapezoid(y, x=None, *, dx=None, dim=-1):
    """The running integral of y along dim by the trapezoidal rule: out[k] is the sum up to step k.

    dim is one shorter in the result. Arguments are those of trapezoid().

    >>> import retrograd as torch
    >>> torch.cumulative_trapezoid(torch.tensor([1., 5., 10.]))
    tensor([ 3.0000, 10.5000])
    """
    if not y._data.ndim:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    dim = wrap_dim(dim, y._data.ndim)
    _refuse_bool("cumulative_trapezoid", y, x)
    left, right, widths = _steps("cumulative_trapezoid", y, x, dx, dim)
    if x is None:
        return T.mul_number(left + right, widths / 2.0).cumsum(dim)
    return T.div_number(((left + right) * widths).cumsum(dim), 2.0)


def _refuse_bool(name, y, x):
    if "b" in [t._data.dtype.kind for t in (y, x) if t is not None]:
        which = "`y`" if x is None else "`x` or `y`"
        raise RuntimeError(f"{name}: received a bool input for {which}, but bool is not supported")


alias("trapz", "trapezoid")
