"""For type checkers and editors, written by tools/stubs.py from what is there."""

# ruff: noqa
from builtins import bool as _bool, float as _float, int as _int
from typing import Any

from retrograd import Tensor
def airy_ai(input: Any, *, out: Any = None) -> Tensor:
    r"""The Airy function Ai."""
def bessel_j0(input: Any, *, out: Any = None) -> Tensor:
    r"""The Bessel function of the first kind of order 0."""
def bessel_j1(input: Any, *, out: Any = None) -> Tensor:
    r"""The Bessel function of the first kind of order 1."""
def bessel_y0(input: Any, *, out: Any = None) -> Tensor:
    r"""The Bessel function of the second kind of order 0: -inf at 0, nan below."""
def bessel_y1(input: Any, *, out: Any = None) -> Tensor:
    r"""The Bessel function of the second kind of order 1: -inf at 0, nan below."""
def chebyshev_polynomial_t(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""T_n(x): Chebyshev polynomials of the first kind."""
def chebyshev_polynomial_u(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""U_n(x): Chebyshev polynomials of the second kind."""
def chebyshev_polynomial_v(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""V_n(x): Chebyshev polynomials of the third kind."""
def chebyshev_polynomial_w(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""W_n(x): Chebyshev polynomials of the fourth kind."""
def digamma(input: Any, *, out: Any = None) -> Tensor:
    r"""The derivative of lgamma."""
def entr(input: Any, *, out: Any = None) -> Tensor:
    r"""-input * log(input): 0 at 0, -inf below."""
def erf(input: Any, *, out: Any = None) -> Tensor:
    r"""The error function, 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x."""
def erfc(input: Any, *, out: Any = None) -> Tensor:
    r"""1 - erf(input), exact for large elements too."""
def erfcx(input: Any, *, out: Any = None) -> Tensor:
    r"""exp(input ** 2) * erfc(input): neither over- nor underflows where these do."""
def erfinv(input: Any, *, out: Any = None) -> Tensor:
    r"""The inverse of erf; infinite at -1 and 1, nan beyond."""
def exp2(input: Any, *, out: Any = None) -> Tensor:
    r"""2 to the power of each element."""
def expit(input: Any, *, out: Any = None) -> Tensor:
    r"""1 / (1 + e**-x): every number into (0, 1)."""
def expm1(input: Any, *, out: Any = None) -> Tensor:
    r"""exp(input) - 1, exact for small elements too."""
def gammainc(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The regularised lower incomplete gamma function P(input, other). Differentiable in"""
def gammaincc(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""The regularised upper incomplete gamma function, 1 - igamma(input, other)."""
def gammaln(input: Any, *, out: Any = None) -> Tensor:
    r"""log |Gamma(input)|."""
def hermite_polynomial_h(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""H_n(x): the physicists' Hermite polynomials."""
def hermite_polynomial_he(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""He_n(x): the probabilists' Hermite polynomials."""
def i0(input: Any, *, out: Any = None) -> Tensor:
    r"""The modified Bessel function of the first kind, of order 0."""
def i0e(input: Any, *, out: Any = None) -> Tensor:
    r"""exp(-|input|) * i0(input)."""
def i1(input: Any, *, out: Any = None) -> Tensor:
    r"""The modified Bessel function of the first kind of order 1."""
def i1e(input: Any, *, out: Any = None) -> Tensor:
    r"""exp(-|input|) * i1(input)."""
def laguerre_polynomial_l(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""L_n(x): Laguerre polynomials."""
def legendre_polynomial_p(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""P_n(x): Legendre polynomials."""
def log1p(input: Any, *, out: Any = None) -> Tensor:
    r"""log(1 + input), exact for small elements too."""
def log_ndtr(input: Any, *, out: Any = None) -> Tensor:
    r"""log(ndtr(input)), exact in the far tail too."""
def log_softmax(input: Any, dim: Any = None, dtype: Any = None, *, out: Any = None, axis: Any = None) -> Tensor:
    r"""input - log(sum(exp(input))) along `dim`."""
def logit(input: Any, eps: Any = None, *, out: Any = None) -> Tensor:
    r"""log(x / (1 - x)), the inverse of sigmoid; with `eps`, x is first clamped to [eps, 1"""
def logsumexp(input: Any, dim: Any, keepdim: Any = False, *, out: Any = None) -> Tensor:
    r"""log(sum(exp(x))) over `dim`, an int or several, computed so that nothing overflows."""
def modified_bessel_i0(input: Any, *, out: Any = None) -> Tensor:
    r"""The modified Bessel function of the first kind of order 0."""
def modified_bessel_i1(input: Any, *, out: Any = None) -> Tensor:
    r"""The modified Bessel function of the first kind of order 1."""
def modified_bessel_k0(input: Any, *, out: Any = None) -> Tensor:
    r"""The modified Bessel function of the second kind of order 0: inf at 0."""
def modified_bessel_k1(input: Any, *, out: Any = None) -> Tensor:
    r"""The modified Bessel function of the second kind of order 1: inf at 0."""
def multigammaln(input: Any, p: Any, *, out: Any = None) -> Tensor:
    r"""The logarithm of the multivariate gamma function of dimension p."""
def ndtr(input: Any, *, out: Any = None) -> Tensor:
    r"""The normal distribution's cumulative, `erfc(-x / sqrt(2)) / 2`."""
def ndtri(input: Any, *, out: Any = None) -> Tensor:
    r"""The x with ndtr(x) = input: -inf at 0, inf at 1, nan outside."""
def polygamma(n: Any, input: Any, *, out: Any = None) -> Tensor:
    r"""The n-th derivative of digamma."""
def psi(input: Any, *, out: Any = None) -> Tensor:
    r"""The derivative of lgamma."""
def round(input: Any, *, decimals: Any = 0, out: Any = None) -> Tensor:
    r"""The nearest number with `decimals` digits after the point, halves to even: torch.round."""
def scaled_modified_bessel_k0(input: Any, *, out: Any = None) -> Tensor:
    r"""exp(input) * modified_bessel_k0(input)."""
def scaled_modified_bessel_k1(input: Any, *, out: Any = None) -> Tensor:
    r"""exp(input) * modified_bessel_k1(input)."""
def shifted_chebyshev_polynomial_t(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""T_n(2 x - 1) for x in [0, 1]."""
def shifted_chebyshev_polynomial_u(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""U_n(2 x - 1) for x in [0, 1]."""
def shifted_chebyshev_polynomial_v(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""V_n(2 x - 1) for x in [0, 1]."""
def shifted_chebyshev_polynomial_w(x: Any, n: Any, *, out: Any = None) -> Tensor:
    r"""W_n(2 x - 1) for x in [0, 1]."""
def sinc(input: Any, *, out: Any = None) -> Tensor:
    r"""sin(pi x) / (pi x), and 1 at 0."""
def softmax(input: Any, dim: Any = None, dtype: Any = None, *, out: Any = None, axis: Any = None) -> Tensor:
    r"""exp(input) / sum(exp(input)) along `dim`, of the shape of input; nothing overflows."""
def spherical_bessel_j0(input: Any, *, out: Any = None) -> Tensor:
    r"""sin(input) / input, and 1 at 0."""
def xlog1py(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""input * log(1 + other): 0 where input is 0, unless other is nan."""
def xlogy(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""`input * log(other)`, and 0 where input is 0."""
def zeta(input: Any, other: Any, *, out: Any = None) -> Tensor:
    r"""Hurwitz's zeta: the sum of (k + other) ** -input over k = 0, 1, 2 ..."""
