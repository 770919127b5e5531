"""Arguments for the twins of special functions: common numbers, and the edges of each function."""

from __future__ import annotations

import numpy as np

from . import FAMILIES


class Special:
    """Argument lists for examples.Calls, whose arrays they are made of."""

    def numbers(self, *values):
        return np.array(values, self.x.dtype)

    def lgamma(self):
        edges = self.numbers(0, -0.0, -2, 1, 2, 3, 1e-30, 1e30, np.inf, np.nan)
        return [(self.away * 10,), (np.exp(3 * self.x),), (edges,)]

    def digamma(self):
        return [(self.away * 3,), (self.x.round(),)]

    def erfinv(self):
        edges = self.numbers(-1, 1, 0, 2, np.nan, 1e-30)
        return [(np.tanh(self.x * 3),), (np.tanh(self.x / 9),), (edges,)]

    def ndtri(self):
        edges = self.numbers(0, 1, 0.5, -1, 2, np.nan, 1e-30)
        return [((1 + np.tanh(self.x * 3)) / 2,), (edges,)]

    def log_ndtr(self):
        edges = self.numbers(0, -0.0, -1, 12, -12, -200, np.inf, -np.inf, np.nan)
        return [(self.x * 4,), (edges,)]

    def entr(self):
        return [(self.away * 3,), (self.numbers(0, -0.0, 1, -1, 1e-30, np.inf, np.nan),)]

    def both_kinds(self):
        """Of numbers near zero and far from it, and the edges."""
        edges = self.numbers(0, -0.0, 1e-30, 2, 8, 1e9, -1e9, np.inf, -np.inf, np.nan)
        return [(self.x * 3,), (self.x * 20,), (edges,)]

    def of_positive(self):
        edges = self.numbers(0, -0.0, -2, 1e-30, 2, 8, 50, np.inf, np.nan)
        return [(self.away,), (self.away * 12,), (edges,)]

    i0 = i0e = i1 = i1e = modified_bessel_i0 = modified_bessel_i1 = both_kinds
    bessel_j0 = bessel_j1 = spherical_bessel_j0 = both_kinds
    bessel_y0 = bessel_y1 = modified_bessel_k0 = modified_bessel_k1 = of_positive
    scaled_modified_bessel_k0 = scaled_modified_bessel_k1 = of_positive

    def igamma(self):
        a, x = self.away * 3, np.exp(2 * self.x)
        wide = a ** 6, np.abs(a ** 6 * (1 + self.x / 9))
        ends = np.meshgrid(*[self.numbers(0, 1, 2.5, 1e5, np.inf, -1, np.nan)] * 2)
        return [(a, x), wide, (a, x[0]), tuple(ends)]

    igammac = igamma

    def zeta(self):
        return [(1.1 + self.away * 3, self.away), (self.x.round(), self.away),
                (1.1 + self.away * 9, self.away[0] * 12),
                (self.numbers(2, 31, 40, 150), self.numbers(1e-20, 9, 10, 9))]

    def polygamma(self):
        edges = self.numbers(0, -2, 1e-30, 1e30, np.inf, -np.inf, np.nan)
        return [(x, n) for n in (1, 2, 5) for x in (np.exp(3 * self.x), self.away * 10)] + [
            (edges, 1)]

    def degrees(self):
        """A degree for each number, one for each column, and one for all."""
        n = np.arange(self.x.size).reshape(self.x.shape) * 7 % 13 - 1.0
        n = n.astype(self.x.dtype)
        return [(self.x, n), (self.x, n[0]), (self.x, np.asarray(n[0, 5])), (self.x, n - 0.3)]

    def angle(self):
        return [(self.x,), (self.numbers(0, -0.0, np.inf, -np.inf, np.nan),)]

    def copysign(self):
        ends = [0, -0.0, 1, -1, np.inf, -np.inf, np.nan, 1e-45, -1e-45, 3.4e38]
        return [(self.g, self.x), tuple(np.meshgrid(self.numbers(*ends), self.numbers(*ends)))]

    heaviside = nextafter = copysign

    def copysign_number(self):
        return [(self.x, number) for number in (2, -1.0, -0.0)]

    def sinc(self):
        return [(self.x * 3,), (self.numbers(0, -0.0, 1, 2, 1e9, np.inf, np.nan),)] \
            if self.x.dtype.char == "d" else []

    def round_decimals(self):
        return [(self.x * 1000, decimals) for decimals in (2, -2, 0)]

    def erfc(self):
        edges = self.numbers(0, -0.0, 0.5, 30, -30, np.inf, -np.inf, np.nan)
        return [(self.x * 3,), (self.x * 9,), (edges,)]

    def hypot(self):
        ends = self.numbers(0, -0.0, 1, np.inf, -np.inf, np.nan, 3e-45, 3e38)
        whole = [(self.g, self.x), tuple(np.meshgrid(ends, ends)), (self.g, self.x[0])]
        return whole if self.x.dtype.char == "f" else [
            *whole, (self.g * 1e200, self.x * 1e201), (self.g * 1e-310, self.x * 1e-310)]


for _name in FAMILIES["polynomials"]:
    setattr(Special, _name, Special.degrees)
