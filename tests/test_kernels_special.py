"""Special functions against 50-digit values, and their behaviour at the edges."""

import json
import math
from pathlib import Path

import numpy as np
import pytest

import retrograd as torch
from retrograd import kernels
from retrograd.kernels import by_scipy, polynomials, special

TABLE = json.loads((Path(__file__).parent / "data" / "special.json").read_text())
OSCILLATING = {"bessel_j0", "bessel_j1", "bessel_y0", "bessel_y1", "airy_ai"}
LOOSER = {"log_ndtr": 3e-13, "erfc": 3e-15, "ndtr": 3e-13, "igamma": 2e-14, "igammac": 2e-14}


@pytest.fixture(params=["scipy", "numpy"], autouse=True)
def library(request, monkeypatch):
    """With SciPy's loops and without."""
    if request.param == "numpy":
        monkeypatch.setattr(by_scipy, "loop", lambda name: None)
    elif by_scipy.loop("erfcx") is None:
        pytest.skip("without SciPy, or with RETROGRAD_FAST=0")
    return request.param


@pytest.mark.parametrize("name", TABLE)
def test_accuracy(name):
    *arguments, expected = np.array(TABLE[name]).T
    got = getattr(kernels, name)(*arguments)
    if name in OSCILLATING:  # near a zero only the absolute error can be small
        np.testing.assert_allclose(got, expected, rtol=2e-15, atol=2e-15)
    else:
        np.testing.assert_allclose(got, expected, rtol=LOOSER.get(name, 2e-15), atol=0)


@pytest.mark.parametrize("name", ["erfc", "erfinv", "lgamma", "digamma", "i0", "ndtri"])
def test_float32_is_the_rounded_float64(name):
    x = np.linspace(0.05, 0.95, 50, dtype=np.float32)
    kernel = getattr(kernels, name)
    got = kernel(x)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, kernel(x.astype(np.float64)).astype(np.float32))


def test_scipy_is_asked_where_it_is_installed(library):
    few, many = np.full(3, 0.4), np.full(by_scipy.FEW + 1, 0.4)
    asked = []
    kernel = by_scipy.by_scipy("erfcx", by_scipy.FEW)(lambda x: asked.append("numpy") or x)
    for x in (few, many, few.astype(np.float16)):
        kernel(x)
    assert asked == ["numpy"] * (2 if library == "scipy" else 3)


def test_erf_in_float32():
    x = np.concatenate([np.linspace(-6, 6, 20001), 10.0 ** np.arange(-37, 0)]).astype(np.float32)
    got, whole = special.erf(x), special.erf(x.astype(np.float64))
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, whole, rtol=2.5e-7)


def test_blocks_and_shapes():
    x = np.random.default_rng(0).standard_normal((3, special.BLOCK))[:, ::2]
    got = special.erf(x)
    assert got.shape == x.shape
    np.testing.assert_array_equal(got[2, -7:], special.erf(x[2, -7:]))
    assert special.erf(np.array(0.5)).shape == ()
    assert special.erf(np.zeros((0, 3))).shape == (0, 3)


@pytest.mark.parametrize(
    ("name", "x", "expected"),
    [
        ("erf", np.inf, 1), ("erf", -np.inf, -1), ("erfc", -np.inf, 2), ("erfc", np.inf, 0),
        ("erfinv", 1, np.inf), ("erfinv", -1, -np.inf), ("erfinv", 1.5, np.nan),
        ("ndtri", 0, -np.inf), ("ndtri", 1, np.inf), ("ndtri", -0.1, np.nan),
        ("lgamma", 0, np.inf), ("lgamma", -3, np.inf), ("lgamma", -np.inf, np.inf),
        ("digamma", 0.0, -np.inf), ("digamma", -0.0, np.inf), ("digamma", -2, np.nan),
        ("trigamma", np.inf, 0), ("entr", 0, 0), ("entr", -1, -np.inf),
        ("logit", 1, np.inf), ("logit", 2, np.nan), ("bessel_y0", 0, -np.inf),
        ("modified_bessel_k1", 0, np.inf), ("modified_bessel_k0", -1, np.nan),
    ],
)
def test_edges(name, x, expected):
    np.testing.assert_equal(getattr(kernels, name)(np.array([x], float))[0], expected)


def test_zero_times_a_logarithm():
    zero, one = np.zeros(4), np.ones(4)
    y = np.array([0.0, np.inf, np.nan, 2.0])
    np.testing.assert_array_equal(special.xlogy(zero, y), [0, 0, np.nan, 0])
    np.testing.assert_array_equal(special.xlog1py(zero, -one), zero)


@pytest.mark.parametrize("n", range(6))
def test_orthogonal_polynomials(n):
    x = np.linspace(-0.9, 0.9, 7)
    order = np.full_like(x, n)
    np.testing.assert_allclose(
        polynomials.chebyshev_polynomial_t(x, order), np.cos(n * np.arccos(x)), atol=1e-14
    )
    np.testing.assert_allclose(
        polynomials.legendre_polynomial_p(x, order),
        np.polynomial.legendre.legval(x, [0] * n + [1]),
        atol=1e-14,
    )
    np.testing.assert_allclose(
        polynomials.laguerre_polynomial_l(x, order),
        np.polynomial.laguerre.lagval(x, [0] * n + [1]),
        atol=1e-14,
    )
    np.testing.assert_allclose(
        polynomials.hermite_polynomial_h(x, order),
        np.polynomial.hermite.hermval(x, [0] * n + [1]),
        atol=1e-11,
    )


@pytest.mark.parametrize("function", [torch.igamma, torch.igammac])
def test_the_slope_of_igamma_at_a_whole_number(function):
    """lgamma(3) is no whole number."""
    slopes = []
    for a in (torch.tensor([1, 3, 5]), torch.tensor([1., 3., 5.])):
        x = torch.tensor([0.5, 1., 2.], requires_grad=True)
        function(a, x).sum().backward()
        slopes.append(x.grad)
    torch.testing.assert_close(*slopes, rtol=1e-6, atol=0)


def test_zeta_of_large_powers():
    """Of a large q as well, terms come before the Euler-Maclaurin formula, which else diverges."""
    x, q = np.array([[31.5, 9.0], [40.0, 10.0], [60.0, 9.0], [120.0, 12.0]]).T
    terms = [math.fsum((b + k) ** -a for k in range(400)) for a, b in zip(x, q, strict=True)]
    np.testing.assert_allclose(kernels.zeta(x, q), terms, rtol=1e-14)


@pytest.mark.parametrize("repeats", [1, 20000])
def test_zeta_at_its_ends(repeats):
    """Few numbers are computed by SciPy, if it is there, many by the formula: to the same ends."""
    inf, nan = math.inf, math.nan
    ends = [(inf, 1, 1), (inf, 0.5, inf), (inf, 2, nan), (1, nan, inf), (nan, 0, inf),
            (nan, -1, inf), (nan, 2, nan), (2, nan, nan), (0, 0, nan), (2, -1, inf), (2.5, -1, inf),
            (2.5, -0.5, nan), (-1, 1, nan), (2, inf, nan), (1, inf, inf)]
    x, q, expected = torch.tensor(ends, dtype=torch.float64).repeat(repeats, 1).T
    torch.testing.assert_close(torch.special.zeta(x, q), expected, equal_nan=True)


@pytest.mark.parametrize("name", polynomials.CLOSED)
def test_chebyshev_polynomials_of_a_large_degree(name):
    """They take no more time: a million steps would be a minute."""
    angle = np.linspace(0.1, 3, 7)
    x, n = np.cos(angle), np.full(7, 1e6)
    got = getattr(kernels, name)(np.append(x, 1.0), np.append(n, 100.0))
    exact = polynomials.CLOSED[name](np.arccos(x), n)
    np.testing.assert_allclose(got[:-1], exact, rtol=1e-12)
    ends = {"t": 1, "u": 101, "v": 1, "w": 201}
    assert got[-1] == ends[name[-1]]
