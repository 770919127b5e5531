"""Record values of special functions from mpmath: python tests/record/record_special.py"""

import json
from pathlib import Path

import mpmath as mp
import numpy as np

mp.mp.dps = 50

RNG = np.random.default_rng(3)
NORMAL = (RNG.standard_normal(30) * 4).tolist()
POSITIVE = (10 ** RNG.uniform(-3, 2, 40)).tolist()
UNIT = RNG.uniform(-1, 1, 30).tolist() + [1 - 2.0**-k for k in (3, 10, 30, 50)]

FUNCTIONS = {
    "erf": (mp.erf, NORMAL),
    "erfc": (mp.erfc, NORMAL + [10.0, 25.0]),
    "erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [x for x in NORMAL if x > -5] + POSITIVE),
    "erfinv": (mp.erfinv, UNIT),
    "ndtr": (mp.ncdf, NORMAL),
    "log_ndtr": (lambda x: mp.log(mp.ncdf(x)), NORMAL + [-50.0]),
    "ndtri": (lambda p: mp.sqrt(2) * mp.erfinv(2 * p - 1), [abs(u) for u in UNIT] + [1e-20]),
    "lgamma": (mp.loggamma, POSITIVE),
    "digamma": (mp.digamma, POSITIVE + [-0.3, -2.6]),
    "trigamma": (lambda x: mp.psi(1, x), POSITIVE + [-0.3, -2.6]),
    "i0": (lambda x: mp.besseli(0, x), NORMAL),
    "i0e": (lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), NORMAL),
    "i1": (lambda x: mp.besseli(1, x), NORMAL),
    "i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), NORMAL),
    "modified_bessel_k0": (lambda x: mp.besselk(0, x), POSITIVE),
    "modified_bessel_k1": (lambda x: mp.besselk(1, x), POSITIVE),
    "bessel_j0": (lambda x: mp.besselj(0, x), NORMAL),
    "bessel_j1": (lambda x: mp.besselj(1, x), NORMAL),
    "bessel_y0": (lambda x: mp.bessely(0, x), POSITIVE),
    "bessel_y1": (lambda x: mp.bessely(1, x), POSITIVE),
    "airy_ai": (mp.airyai, NORMAL + [-20.0]),
}

PAIRS = {
    "zeta": (mp.zeta, [(s, q) for s in (1.5, 2.0, 7.3) for q in POSITIVE[:12]]),
    "igamma": (
        lambda a, x: mp.gammainc(a, 0, x, regularized=True),
        [(a, a * f) for a in (0.05, 0.7, 3.0, 40.0, 20000.0) for f in (0.5, 0.99, 1.0, 1.3)],
    ),
    "igammac": (
        lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True),
        [(a, a * f) for a in (0.05, 0.7, 3.0, 40.0, 20000.0) for f in (0.5, 0.99, 1.0, 1.01)],
    ),
}


def main():
    table = {name: [[x, float(f(mp.mpf(x)))] for x in xs] for name, (f, xs) in FUNCTIONS.items()}
    for name, (f, pairs) in PAIRS.items():
        table[name] = [[*p, float(f(*map(mp.mpf, p)))] for p in pairs]
    path = Path(__file__).resolve().parent.parent / "data" / "special.json"
    path.write_text(json.dumps(table, indent=0) + "\n")


if __name__ == "__main__":
    main()
