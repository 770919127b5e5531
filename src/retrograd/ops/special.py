"""Special functions: error function, gamma and Bessel families, their derivatives.

Most derivatives are simpler than the function itself (that of erf is a bell curve) or belong to the
same family (that of lgamma is digamma, that of digamma is polygamma). Where PyTorch has no
derivative, retrograd has none either.
"""

from __future__ import annotations

import math

from . import samples as S
from .declare import F as T
from .declare import op
from .formulas import both, floated, scaled, underived
from .mistyped import is_int
from .out import fill_checked
from .public import method, public

ROOT_PI = math.sqrt(math.pi)


def probabilities():
    return [(abs(a) * 0.9 + 0.05,) for a, in S.units()]


def positive_and_number():
    return [(a, 2) for a, in S.positive()]


# --------------------------------------------------------------------------- the error function

op("erf(self)", "ErfBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, self: g * (F.exp(-self * self) * (2 / ROOT_PI)),
    jvp  = "elementwise")

op("erfc(self)", "ErfcBackward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, self: g * (F.exp(-self * self) * (-2 / ROOT_PI)),
    jvp  = "elementwise")

op("erfinv(self)", "ErfinvBackward0", floats=True, inplace=True, samples=S.units,
    self = lambda F, g, self: g * (F.exp(F.square(F.erfinv(self))) * (ROOT_PI / 2)),
    jvp  = "elementwise")

op("erfcx(self)", "SpecialErfcxBackward0", floats=True, in_special=True, samples=S.singles,
    self = lambda F, g, self, result: g * (2 * self * result - 2 / ROOT_PI),
    jvp  = "elementwise")

op("log_ndtr(self)", "SpecialLogNdtrBackward0", floats=True, in_special=True, samples=S.singles,
    self = lambda F, g, self: g / F.erfcx(self * -math.sqrt(0.5)) * math.sqrt(2 / math.pi),
    jvp  = "elementwise")

op("ndtri(self)", "SpecialNdtriBackward0", floats=True, in_special=True, samples=probabilities,
    self = lambda F, g, result: g * (F.exp(result * result / 2) * math.sqrt(2 * math.pi)),
    jvp  = "elementwise")


# --------------------------------------------------------------------------- gamma

op("lgamma(self)", "LgammaBackward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, self: g * F.digamma(self),
    jvp  = "elementwise")

op("digamma(self)", "DigammaBackward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, self: g * F.polygamma(self, 1),
    jvp  = "elementwise")

op("polygamma(self | n)", "PolygammaBackward0", floats=True, inplace=True, public=False,
    samples=positive_and_number,
    self = lambda F, g, self, n: g * F.polygamma(self, n + 1),
    jvp  = "elementwise")

op("mvlgamma(self | p)", "MvlgammaBackward0", floats=True, inplace=True, public=False,
    contiguous=True,
    samples=positive_and_number,
    self = lambda F, g, self, p: g * sum(F.digamma(self - j / 2) for j in range(p)),
    jvp  = "elementwise")

op("zeta(self, other)", "SpecialZetaBackward0", broadcasts=True, floats=True, in_special=True,
    of_numbers={"self": "SpecialZetaBackward1", "other": "SpecialZetaBackward2"},
    samples=lambda: [(a + 1, b) for a, b in S.positive_pairs()],
    self  = underived("zeta"),
    other = lambda F, g, self, other: -g * self * F.zeta(self + 1, other),
    jvp   = lambda F, self, other, self_t, other_t:
                scaled(other_t, -(self * F.zeta(self + 1, other))))


def gamma_density(F, a, x):
    """d igamma(a, x) / dx."""
    a = floated(F, a, x)                # lgamma of an integer would be rounded to one
    return F.exp((a - 1) * F.log(x) - x - F.lgamma(a))


op("igamma(self, other)", "IgammaBackward0", broadcasts=True, inplace=True,
    samples=S.positive_pairs,
    self  = underived("igamma: input"),
    other = lambda F, g, self, other: g * gamma_density(F, self, other),
    jvp   = lambda F, self, other, self_t, other_t:
                scaled(other_t, gamma_density(F, self, other)))

op("igammac(self, other)", "IgammacBackward0", broadcasts=True, inplace=True,
    samples=S.positive_pairs,
    self  = underived("igammac: input"),
    other = lambda F, g, self, other: -g * gamma_density(F, self, other),
    jvp   = lambda F, self, other, self_t, other_t:
                scaled(other_t, -gamma_density(F, self, other)))


# --------------------------------------------------------------------------- logarithms

op("xlogy(self, other)", "XlogyBackward0", broadcasts=True, floats=True, inplace=True,
    of_numbers={"self": "XlogyBackward1", "other": "XlogyBackward2"},
    samples=S.positive_pairs,
    self  = lambda F, g, self, other: times_log(F.xlogy, 0, F, g, self, floated(F, other, g)),
    other = lambda F, g, self, other: g * self / other,
    jvp   = lambda F, self, other, self_t, other_t: both(
                times_log(F.xlogy, 0, F, self_t, self, floated(F, other, self_t, other_t)),
                scaled(other_t, self / other)))

op("xlog1py(self, other)", "SpecialXlog1PyBackward0", broadcasts=True, floats=True, in_special=True,
    of_numbers={"self": "SpecialXlog1PyBackward1", "other": "SpecialXlog1PyBackward2"},
    samples=S.positive_pairs,
    self  = lambda F, g, self, other: times_log(F.xlog1py, -1, F, g, self, floated(F, other, g)),
    other = lambda F, g, self, other: g * self / (other + 1),
    jvp   = lambda F, self, other, self_t, other_t: both(
                times_log(F.xlog1py, -1, F, self_t, self, floated(F, other, self_t, other_t)),
                scaled(other_t, self / (other + 1))))


def times_log(product, pole, F, g, x, y):
    """g times the derivative of product(x, y) by x: 0 where g is, or where x = 0 and y <= pole."""
    if g is None:
        return None
    skip = F.where(x == 0, F.where(y <= pole, 1, 0), 0) == 1
    return F.where(skip, 0, product(g, F.where(skip, 1, y)))


op("entr(self)", "SpecialEntrBackward0", floats=True, in_special=True, samples=S.positive,
    self = lambda F, g, self: g * -(1 + F.log(self)),
    jvp  = "elementwise")

op("logit(self | eps=None)", "LogitBackward0", floats=True, inplace=True,
    samples=lambda: [(a, eps) for a, in probabilities() for eps in (None, 0.1)],
    self = lambda F, g, self, eps: logit_slope(F, g, self, eps),
    jvp  = "elementwise")


def logit_slope(F, g, x, eps):
    low, other = (0.0, math.nan) if eps is None else (eps, 0.0)
    return F.where((x < low) | (x > 1 - low), other, g / (x * (1 - x)))


# --------------------------------------------------------------------------- Bessel functions

op("i0(self)", "I0Backward0", floats=True, inplace=True, samples=S.singles,
    self = lambda F, g, self: g * F.i1(self),
    jvp  = "elementwise")

op("i0e(self)", "SpecialI0EBackward0", floats=True, in_special=True, samples=S.singles,
    self = lambda F, g, self, result: g * (F.i1e(self) - F.sgn(self) * result),
    jvp  = "elementwise")


def near_zero(x):
    """Where the derivatives of i1 and i1e are taken at 0 (and at nan)."""
    return ~(abs(x) > 1e-16)


op("i1(self)", "SpecialI1Backward0", floats=True, in_special=True, samples=S.singles,
    self = lambda F, g, self, result:
               g * F.where(near_zero(self), 0.5,
                           F.i0(self) - result / F.where(near_zero(self), 1, self)),
    jvp  = "elementwise")

op("i1e(self)", "SpecialI1EBackward0", floats=True, in_special=True, samples=S.singles,
    self = lambda F, g, self, result: g * F.where(
               near_zero(self), 0.5,
               F.i0e(self) - result * (F.sgn(self) + 1 / F.where(near_zero(self), 1, self))),
    jvp  = "elementwise")

for _name in ("bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "modified_bessel_i0",
              "modified_bessel_i1", "modified_bessel_k0", "modified_bessel_k1",
              "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0",
              "airy_ai"):
    op(f"{_name}(self)", floats=True, in_special=True, samples=S.positive)

for _name in ("chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v",
              "chebyshev_polynomial_w", "shifted_chebyshev_polynomial_t",
              "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
              "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he",
              "laguerre_polynomial_l", "legendre_polynomial_p"):
    op(f"{_name}(x, n)", broadcasts=True, floats=True, in_special=True,
        samples=S.positive_pairs)


# --------------------------------------------------------------------------- argument order

def _order(n):
    """The number of a derivative, which is a whole one."""
    if n.__class__ is int:
        return n
    if not is_int(n):
        raise TypeError                           # reporting() replaces it by PyTorch's error
    return int(n)


@public(method=False)
def polygamma(n, input, *, out=None):
    """The n-th derivative of digamma, psi^(n)(input), element by element (DLMF 5.15).

    Its derivative is polygamma(n + 1, input). Raises RuntimeError for a negative n.

    >>> import retrograd as torch
    >>> torch.polygamma(1, torch.tensor([1.]))
    tensor([1.6449])
    """
    res = T.polygamma(input, _order(n))
    return res if out is None else fill_checked("polygamma", out, res, input)


@method(name="polygamma")
def polygamma_method(self, n):
    """The n-th derivative of digamma: torch.polygamma(n, self).

    >>> import retrograd as torch
    >>> torch.tensor([1.]).polygamma(1)          # pi^2 / 6
    tensor([1.6449])
    """
    return T.polygamma(self, _order(n))


@method
def polygamma_(self, n):
    """`polygamma` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `polygamma` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([1., 2.]).polygamma_(1)
    tensor([1.6449, 0.6449])
    """
    return T.polygamma_(self, _order(n))


def _check_dimension(p):
    if p < 1:
        raise RuntimeError("p has to be greater than or equal to 1")


@public
def mvlgamma(input, p, *, out=None):
    """The logarithm of the multivariate gamma function of dimension p (DLMF 35.3.1).

    It is p (p - 1) / 4 log(pi) + the sum of lgamma(input - i / 2) over i = 0 ... p - 1. Raises
    RuntimeError for p < 1.

    >>> import retrograd as torch
    >>> torch.mvlgamma(torch.tensor([2.]), 2)
    tensor([0.4516])
    """
    _check_dimension(p)
    if input._data.dtype.kind == "b":
        raise RuntimeError("The input tensor may not be a boolean tensor.")
    res = T.mvlgamma(input, p)
    return res if out is None else fill_checked("mvlgamma", out, res)


@method
def mvlgamma_(self, p):
    """`mvlgamma` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `mvlgamma` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([2., 3.]).mvlgamma_(2)
    tensor([0.4516, 1.5502])
    """
    _check_dimension(p)
    return T.mvlgamma_(self, p)


def ndtr(input, *, out=None):
    """The distribution function of the normal distribution, P(X <= x) = erfc(-x / sqrt(2)) / 2.

    Integers become the default floating dtype. Derivative: exp(-x**2 / 2) / sqrt(2 pi).

    >>> import retrograd as torch
    >>> torch.special.ndtr(torch.tensor([0., 1.]))
    tensor([0.5000, 0.8413])
    """
    res = T.mul_number(T.erfc(T.mul_number(input, -math.sqrt(0.5))), 0.5)
    return res if out is None else fill_checked("special_ndtr", out, res)
