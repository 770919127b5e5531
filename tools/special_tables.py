"""Compute kernels/special_tables.py: polynomials for special functions, from mpmath at 60 digits.

Each table interpolates a smooth part of a function at Chebyshev nodes over a piece of the axis, is
cut where the terms fall below half a unit in the last place of float64 (of float32 for those named
so), and is written as a polynomial in t, the piece mapped to [-1, 1], lowest power first.

    python tools/special_tables.py > src/retrograd/kernels/special_tables.py
"""

import mpmath as mp

mp.mp.dps = 60
NODES = 64


def chebyshev_series(f):
    """Coefficients of f on [-1, 1] in Chebyshev polynomials, from its values at Chebyshev nodes."""
    angles = [mp.pi * (2 * k + 1) / (2 * NODES) for k in range(NODES)]
    values = [f(mp.cos(a)) for a in angles]
    series = []
    for j in range(NODES):
        total = mp.fsum(v * mp.cos(j * a) for v, a in zip(values, angles, strict=True))
        series.append(total * (1 if j == 0 else 2) / NODES)
    return series


def cut(series, bits):
    """The series without the tail below 2**-bits of its largest term."""
    limit = max(abs(c) for c in series) * mp.mpf(2) ** -bits
    tail = mp.mpf(0)
    while tail + abs(series[-1]) < limit:
        tail += abs(series.pop())
    return series


def monomial(series):
    """A Chebyshev series as a polynomial in t, lowest power first."""
    before, current = [mp.mpf(1)], [mp.mpf(0), mp.mpf(1)]
    total = [mp.mpf(0)] * len(series)
    for c in series:
        for k, a in enumerate(before):
            total[k] += c * a
        doubled = [mp.mpf(0)] + [2 * a for a in current]
        for k, a in enumerate(before):
            doubled[k] -= a
        before, current = current, doubled
    return total


def table(name, f):
    bits = 28 if name.endswith("_SINGLE") else 56
    return [float(a) for a in monomial(cut(chebyshev_series(f), bits))]


def over(low, high, f):
    """f(x) for x in [low, high]."""
    return lambda t: f(low + (high - low) * (t + 1) / 2)


def erfinv_of_w(w):
    """erfinv(sqrt(1 - exp(-w))) by Newton's method on log(erfc)."""
    q = mp.exp(-w) / (1 + mp.sqrt(1 - mp.exp(-w)))  # 1 - sqrt(1 - exp(-w))
    if w < 8:
        return mp.erfinv(1 - q)
    start = mp.sqrt(w - mp.log(4) - mp.log(mp.sqrt(w)) if w > 3 else w)
    return mp.findroot(lambda z: mp.log(mp.erfc(z)) - mp.log(q), start)


def erfinv_center(w):
    x = mp.sqrt(1 - mp.exp(-w))
    return mp.erfinv(x) / x


def erfcx_scaled(t):
    x = mp.mpf(15) / 4 * (1 + t) / (1 - t)
    return (1 + 2 * x) * mp.exp(x * x) * mp.erfc(x) if x < 1000 else erfcx_far(x)


def erfcx_far(x):
    terms = [mp.mpf(1)]
    for k in range(1, 12):
        terms.append(-terms[-1] * (2 * k - 1) / (2 * x * x))
    return (1 + 2 * x) / (x * mp.sqrt(mp.pi)) * mp.fsum(terms)


def stirling(u):
    """x times the error of Stirling's formula for lgamma, at u = 1 / x**2."""
    x = 1 / mp.sqrt(u)
    formula = (x - mp.mpf(1) / 2) * mp.log(x) - x + mp.log(2 * mp.pi) / 2
    return (mp.loggamma(x) - formula) * x


def digamma_far(u):
    x = 1 / mp.sqrt(u)
    return (mp.log(x) - 1 / (2 * x) - mp.digamma(x)) * x * x


ROOT = mp.findroot(mp.digamma, 1.4616)


def phase_parts(order):
    """P and Q x of J = sqrt(2 / pi x) (P cos c - Q sin c), Y likewise, at u = 1 / x**2."""

    def both(u):
        x = 1 / mp.sqrt(u)
        c = x - mp.pi * (2 * order + 1) / 4
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        scale = mp.sqrt(mp.pi * x / 2)
        p = scale * (j * mp.cos(c) + y * mp.sin(c))
        return p, scale * (y * mp.cos(c) - j * mp.sin(c)) * x

    return (lambda u: both(u)[0]), (lambda u: both(u)[1])


def airy_phase_parts():
    def both(u):  # u = 1 / zeta**2
        zeta = 1 / mp.sqrt(u)
        x = (mp.mpf(3) / 2 * zeta) ** (mp.mpf(2) / 3)
        c = zeta - mp.pi / 4
        a, b = mp.airyai(-x), mp.airybi(-x)
        scale = mp.sqrt(mp.pi) * x ** mp.mpf("0.25")
        return scale * (a * mp.cos(c) - b * mp.sin(c)), (
            scale * (a * mp.sin(c) + b * mp.cos(c)) * zeta
        )

    return (lambda u: both(u)[0]), (lambda u: both(u)[1])


def airy_far(v):  # v = 1 / zeta
    zeta = 1 / v
    x = (mp.mpf(3) / 2 * zeta) ** (mp.mpf(2) / 3)
    return mp.airyai(x) * mp.exp(zeta) * x ** mp.mpf("0.25")


def tables():
    root = mp.sqrt
    log, exp = mp.log, mp.exp
    yield "ERF", "erf(x) / x; x**2 in [0, 1]", over(0, 1, lambda v: mp.erf(root(v)) / root(v))
    yield "ERF_SINGLE", "the same for float32", over(
        0, 1, lambda v: mp.erf(root(v)) / root(v)
    )
    yield "ERFCX_SINGLE", "erfcx for float32, as below", erfcx_scaled
    yield "ERFCX", "(1 + 2 x) erfcx(x); t = (x - 3.75) / (x + 3.75)", erfcx_scaled
    yield "ERFINV_CENTER", "erfinv(x) / x; w = -log(1 - x**2) in [0, 3]", over(0, 3, erfinv_center)
    yield "ERFINV_3", "erfinv(x); w in [3, 8]", over(3, 8, erfinv_of_w)
    for low, high in ((8, 25), (25, 100), (100, 800)):
        yield (
            f"ERFINV_{low}",
            f"erfinv(x); sqrt(w) in [sqrt({low}), sqrt({high})]",
            over(root(low), root(high), lambda s: erfinv_of_w(s * s)),
        )
    yield (
        "LGAMMA",
        "lgamma(x) / ((x - 1) (x - 2)); x in [1, 3]",
        over(1, 3, lambda x: mp.loggamma(x) / ((x - 1) * (x - 2))),
    )
    ninth = mp.mpf(1) / 9
    yield "STIRLING", "x times Stirling's error; 1 / x**2 in [0, 1/9]", over(0, ninth, stirling)
    yield (
        "DIGAMMA",
        "digamma(x) / (x - root); x in [1, 3]",
        over(1, 3, lambda x: mp.digamma(x) / (x - ROOT)),
    )
    yield (
        "DIGAMMA_FAR",
        "x**2 (log(x) - 1 / 2x - digamma(x)); 1 / x**2 in [0, 1/9]",
        over(0, mp.mpf(1) / 9, digamma_far),
    )
    yield "I0E", "exp(-x) I0(x); x in [0, 8]", over(0, 8, lambda x: exp(-x) * mp.besseli(0, x))
    yield (
        "I0E_FAR",
        "sqrt(x) exp(-x) I0(x); 1 / x in [0, 1/8]",
        over(0, mp.mpf(1) / 8, lambda v: root(1 / v) * exp(-1 / v) * mp.besseli(0, 1 / v)),
    )
    yield "I1E", "exp(-x) I1(x) / x; x in [0, 8]", over(
        0, 8, lambda x: exp(-x) * mp.besseli(1, x) / x
    )
    yield (
        "I1E_FAR",
        "sqrt(x) exp(-x) I1(x); 1 / x in [0, 1/8]",
        over(0, mp.mpf(1) / 8, lambda v: root(1 / v) * exp(-1 / v) * mp.besseli(1, 1 / v)),
    )
    yield "J0", "J0(x); x**2 in [0, 64]", over(0, 64, lambda v: mp.besselj(0, root(v)))
    yield "J1", "J1(x) / x; x**2 in [0, 64]", over(
        0, 64, lambda v: mp.besselj(1, root(v)) / root(v)
    )
    yield "Y0", "Y0(x) - 2/pi log(x) J0(x); x**2 in [0, 64]", over(
        0, 64, lambda v: mp.bessely(0, root(v)) - log(v) / mp.pi * mp.besselj(0, root(v))
    )
    yield "Y1", "(Y1(x) - 2/pi (log(x) J1(x) - 1/x)) / x; x**2 in [0, 64]", over(
        0,
        64,
        lambda v: (
            mp.bessely(1, root(v))
            - (log(v) * mp.besselj(1, root(v)) - 2 / root(v)) / mp.pi
        )
        / root(v),
    )
    for order in (0, 1):
        p, q = phase_parts(order)
        u = mp.mpf(1) / 64
        yield f"P{order}", f"P of J{order}, Y{order}; 1 / x**2 in [0, 1/64]", over(0, u, p)
        yield f"Q{order}", f"x Q of J{order}, Y{order}; 1 / x**2 in [0, 1/64]", over(0, u, q)
    yield "K0", "K0(x) + log(x / 2) I0(x); x**2 in [0, 4]", over(
        0, 4, lambda v: mp.besselk(0, root(v)) + log(root(v) / 2) * mp.besseli(0, root(v))
    )
    yield "K1", "x (K1(x) - log(x / 2) I1(x)); x**2 in [0, 4]", over(
        0,
        4,
        lambda v: root(v) * (mp.besselk(1, root(v)) - log(root(v) / 2) * mp.besseli(1, root(v))),
    )
    for order in (0, 1):
        yield (
            f"K{order}_FAR",
            f"sqrt(x) exp(x) K{order}(x); 1 / x in [0, 1/2]",
            over(
                0,
                mp.mpf(1) / 2,
                lambda v, order=order: root(1 / v) * exp(1 / v) * mp.besselk(order, 1 / v),
            ),
        )
    for low in (-8, -4, 0):
        name = f"AIRY_{low}".replace("-", "M")
        yield name, f"Ai(x); x in [{low}, {low + 4}]", over(low, low + 4, mp.airyai)
    yield "AIRY_FAR", "x**(1/4) exp(z) Ai(x), z = 2/3 x**(3/2); 1 / z in [0, 3/16]", over(
        0, mp.mpf(3) / 16, airy_far
    )
    p, q = airy_phase_parts()
    far = (mp.mpf(3) / 2 / 8 ** mp.mpf("1.5")) ** 2
    yield "AIRY_P", "cosine part of Ai(-x); 1 / z**2 in [0, 9/2048]", over(0, far, p)
    yield "AIRY_Q", "z times the sine part of Ai(-x); 1 / z**2 in [0, 9/2048]", over(0, far, q)


def main():
    print('"""Polynomials for the special functions, in t in [-1, 1], lowest power first.')
    print()
    print("Computed from mpmath at 60 digits by tools/special_tables.py; do not edit.")
    print('"""')
    print()
    print(f"DIGAMMA_ROOT = ({float(ROOT)!r}, {float(ROOT - mp.mpf(float(ROOT)))!r})")
    for name, meaning, f in tables():
        print()
        print(f"# {meaning}")
        print(f"{name} = (")
        for a in table(name, f):
            print(f"    {a!r},")
        print(")", flush=True)


if __name__ == "__main__":
    main()
