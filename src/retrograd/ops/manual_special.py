"""What help() says of the functions of torch.special that are declared: see manual.py.

DLMF is the Digital Library of Mathematical Functions, https://dlmf.nist.gov.
"""

from __future__ import annotations

SPECIAL = {
    "airy_ai": """The Airy function Ai, a solution of y'' = x y (DLMF 9.2).
>>> torch.special.airy_ai(torch.tensor([0.0]))
tensor([0.3550])
""",
    "bessel_j0": """The Bessel function of the first kind of order 0 (DLMF 10.2.2).
>>> torch.special.bessel_j0(torch.tensor([0.0, 1.0]))
tensor([1.0000, 0.7652])
""",
    "bessel_j1": """The Bessel function of the first kind of order 1 (DLMF 10.2.2).
>>> torch.special.bessel_j1(torch.tensor([0.0, 1.0]))
tensor([0.0000, 0.4401])
""",
    "bessel_y0": """The Bessel function of the second kind of order 0 (DLMF 10.2.3): -inf at 0, nan
below.
>>> torch.special.bessel_y0(torch.tensor([1.0]))
tensor([0.0883])
""",
    "bessel_y1": """The Bessel function of the second kind of order 1 (DLMF 10.2.3): -inf at 0, nan
below.
>>> torch.special.bessel_y1(torch.tensor([1.0]))
tensor([-0.7812])
""",
    "entr": """-input * log(input), the terms of an entropy: 0 at 0, -inf below.
Derivative: -log(input) - 1.
>>> torch.special.entr(torch.tensor([0.0, 0.5, 1.0]))
tensor([0.0000, 0.3466, -0.0000])
""",
    "erfcx": """exp(input**2) * erfc(input), without the overflow and underflow of the factors.
Derivative: 2 * input * erfcx(input) - 2 / sqrt(pi).
>>> torch.special.erfcx(torch.tensor([0.0, 10.0]))
tensor([1.0000, 0.0561])
""",
    "i0e": """exp(-|input|) * i0(input), which does not overflow.
Derivative: i1e(input) - sign(input) * i0e(input).
>>> torch.special.i0e(torch.tensor([0.0, 1.0]))
tensor([1.0000, 0.4658])
""",
    "i1": """The modified Bessel function of the first kind of order 1 (DLMF 10.25.2).
Derivative: i0(input) - i1(input) / input, and 1/2 at 0.
>>> torch.special.i1(torch.tensor([0.0, 1.0]))
tensor([0.0000, 0.5652])
""",
    "i1e": """exp(-|input|) * i1(input), which does not overflow.
Derivative: i0e(input) - i1e(input) * (sign(input) + 1 / input), and 1/2 at 0.
>>> torch.special.i1e(torch.tensor([0.0, 1.0]))
tensor([0.0000, 0.2079])
""",
    "log_ndtr": """log(ndtr(input)), accurate even where ndtr(input) underflows to 0.
Derivative: exp(-input**2 / 2) / (sqrt(2 pi) * ndtr(input)).
>>> torch.special.log_ndtr(torch.tensor([0.0]))
tensor([-0.6931])
""",
    "modified_bessel_i0": """The modified Bessel function of the first kind of order 0
(DLMF 10.25.2); `i0` is the same with a gradient.
>>> torch.special.modified_bessel_i0(torch.tensor([0.0, 1.0]))
tensor([1.0000, 1.2661])
""",
    "modified_bessel_i1": """The modified Bessel function of the first kind of order 1
(DLMF 10.25.2); `i1` is the same with a gradient.
>>> torch.special.modified_bessel_i1(torch.tensor([0.0, 1.0]))
tensor([0.0000, 0.5652])
""",
    "modified_bessel_k0": """The modified Bessel function of the second kind of order 0
(DLMF 10.25.3): inf at 0, nan below.
>>> torch.special.modified_bessel_k0(torch.tensor([1.0]))
tensor([0.4210])
""",
    "modified_bessel_k1": """The modified Bessel function of the second kind of order 1
(DLMF 10.25.3): inf at 0, nan below.
>>> torch.special.modified_bessel_k1(torch.tensor([1.0]))
tensor([0.6019])
""",
    "scaled_modified_bessel_k0": """exp(input) * modified_bessel_k0(input), without underflow.
>>> torch.special.scaled_modified_bessel_k0(torch.tensor([1.0]))
tensor([1.1445])
""",
    "scaled_modified_bessel_k1": """exp(input) * modified_bessel_k1(input), without underflow.
>>> torch.special.scaled_modified_bessel_k1(torch.tensor([1.0]))
tensor([1.6362])
""",
    "ndtri": """The quantile of the normal distribution: the x with ndtr(x) = input; -inf at 0,
inf at 1, nan outside.
Derivative: sqrt(2 pi) * exp(ndtri(input)**2 / 2).
>>> torch.special.ndtri(torch.tensor([0.5, 0.975]))
tensor([0.0000, 1.9600])
""",
    "spherical_bessel_j0": """The spherical Bessel function of order 0 (DLMF 10.49.3): sin(x) / x,
and 1 at 0.
>>> torch.special.spherical_bessel_j0(torch.tensor([0.0, 1.0]))
tensor([1.0000, 0.8415])
""",
    "xlog1py": """input * log(1 + other): 0 where input is 0, unless other is nan.
Derivatives: log(1 + other) by input, input / (1 + other) by other.
>>> torch.special.xlog1py(torch.tensor([0.0, 2.0]), torch.tensor([-1.0, 1.0]))
tensor([0.0000, 1.3863])
""",
    "zeta": """Hurwitz's zeta function, the sum of (k + other)**-input over k = 0, 1, 2 ...
(DLMF 25.11.1).
Derivative: -input * zeta(input + 1, other) by other; none by input.
>>> torch.special.zeta(torch.tensor([2.0]), 1)
tensor([1.6449])
""",
    "chebyshev_polynomial_t": """The Chebyshev polynomials of the first kind: T_n(cos t) = cos(n t)
(DLMF 18.5.1).
>>> torch.special.chebyshev_polynomial_t(torch.tensor([0.5]), 2)
tensor([-0.5000])
""",
    "chebyshev_polynomial_u": """The Chebyshev polynomials of the second kind:
U_n(cos t) = sin((n + 1) t) / sin(t) (DLMF 18.5.2).
>>> torch.special.chebyshev_polynomial_u(torch.tensor([0.5]), 3)
tensor([-1.])
""",
    "chebyshev_polynomial_v": """The Chebyshev polynomials of the third kind:
V_n(cos t) = cos((n + 1/2) t) / cos(t / 2) (Mason and Handscomb 2003, 1.2.3).
>>> torch.special.chebyshev_polynomial_v(torch.tensor([0.5]), 2)
tensor([-1.])
""",
    "chebyshev_polynomial_w": """The Chebyshev polynomials of the fourth kind:
W_n(cos t) = sin((n + 1/2) t) / sin(t / 2) (Mason and Handscomb 2003, 1.2.3).
>>> torch.special.chebyshev_polynomial_w(torch.tensor([0.5]), 2)
tensor([1.])
""",
    "shifted_chebyshev_polynomial_t": """T_n(2 x - 1) for x in [0, 1], of chebyshev_polynomial_t.
>>> torch.special.shifted_chebyshev_polynomial_t(torch.tensor([0.75]), 2)
tensor([-0.5000])
""",
    "shifted_chebyshev_polynomial_u": """U_n(2 x - 1) for x in [0, 1], of chebyshev_polynomial_u.
>>> torch.special.shifted_chebyshev_polynomial_u(torch.tensor([0.75]), 3)
tensor([-1.])
""",
    "shifted_chebyshev_polynomial_v": """V_n(2 x - 1) for x in [0, 1], of chebyshev_polynomial_v.
>>> torch.special.shifted_chebyshev_polynomial_v(torch.tensor([0.75]), 2)
tensor([-1.])
""",
    "shifted_chebyshev_polynomial_w": """W_n(2 x - 1) for x in [0, 1], of chebyshev_polynomial_w.
>>> torch.special.shifted_chebyshev_polynomial_w(torch.tensor([0.75]), 2)
tensor([1.])
""",
    "hermite_polynomial_h": """The physicists' Hermite polynomials: H_0 = 1, H_1 = 2 x,
H_{n+1} = 2 x H_n - 2 n H_{n-1} (DLMF 18.9.1).
>>> torch.special.hermite_polynomial_h(torch.tensor([0.5]), 2)
tensor([-1.])
""",
    "hermite_polynomial_he": """The probabilists' Hermite polynomials: He_0 = 1, He_1 = x,
He_{n+1} = x He_n - n He_{n-1} (DLMF 18.9.1).
>>> torch.special.hermite_polynomial_he(torch.tensor([0.5]), 2)
tensor([-0.7500])
""",
    "laguerre_polynomial_l": """The Laguerre polynomials: L_0 = 1, L_1 = 1 - x,
(n + 1) L_{n+1} = (2 n + 1 - x) L_n - n L_{n-1} (DLMF 18.9.1).
>>> torch.special.laguerre_polynomial_l(torch.tensor([0.5]), 2)
tensor([0.1250])
""",
    "legendre_polynomial_p": """The Legendre polynomials: P_0 = 1, P_1 = x,
(n + 1) P_{n+1} = (2 n + 1) x P_n - n P_{n-1} (DLMF 18.9.1).
>>> torch.special.legendre_polynomial_p(torch.tensor([0.5]), 2)
tensor([-0.1250])
""",
}
