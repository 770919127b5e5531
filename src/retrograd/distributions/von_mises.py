"""VonMises."""

from __future__ import annotations

import math

import retrograd as torch

from . import constraints
from .distribution import Distribution
from .utils import broadcast_all, lazy_property

__all__ = ["VonMises"]

# Abramowitz and Stegun, 9.8.1 to 9.8.4: I0 and I1 / x as polynomials of (x / 3.75)^2 up to 3.75,
# I0 and I1 times sqrt(x) exp(-x) as polynomials of 3.75 / x beyond.
SMALL = (
    (1.0, 3.5156229, 3.0899424, 1.2067492, 0.2659732, 0.0360768, 0.0045813),
    (0.5, 0.87890594, 0.51498869, 0.15084934, 0.02658733, 0.00301532, 0.00032411),
)
LARGE = (
    (0.39894228, 0.01328592, 0.00225319, -0.00157565, 0.00916281, -0.02057706, 0.02635537,
     -0.01647633, 0.00392377),
    (0.39894228, -0.03988024, -0.00362018, 0.00163801, -0.01031555, 0.02282967, -0.02895312,
     0.01787654, -0.00420059),
)


def _polynomial(coefficients, y):
    """`c_0 + c_1 y + c_2 y^2 + ...` by Horner's rule."""
    total = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = c + y * total
    return total


def _log_modified_bessel_fn(x, order=0):
    """`log I0(x)` or `log I1(x)`, x > 0."""
    if order not in (0, 1):
        raise AssertionError(f"order must be 0 or 1, got {order}")
    small = _polynomial(SMALL[order], (x / 3.75).square())
    if order == 1:
        small = x.abs() * small
    large = x - 0.5 * x.log() + _polynomial(LARGE[order], 3.75 / x).log()
    return torch.where(x < 3.75, small.log(), large)


class VonMises(Distribution):
    """Angles: `p(x) = exp(concentration cos(x - loc)) / (2 pi I0(concentration))`.

    Values lie between -pi and pi, and the period is 2 pi. Samples are drawn by Best and Fisher's
    rejection from a wrapped Cauchy envelope (1979), in float64.

    loc (any number) and concentration (positive) broadcast. The mean is loc, the variance the
    circular one, `1 - I1 / I0`. Samples have no gradient.

    >>> import retrograd as torch
    >>> torch.distributions.VonMises(0.0, 1.0).variance
    tensor(0.5536)
    """

    arg_constraints = {"loc": constraints.real, "concentration": constraints.positive}
    support = constraints.real
    has_rsample = False
    _parts = ("loc", "concentration")

    def __init__(self, loc, concentration, validate_args=None):
        self.loc, self.concentration = broadcast_all(loc, concentration)
        super().__init__(self.loc.shape, torch.Size(), validate_args)

    @property
    def mean(self):
        """The circular mean."""
        return self.loc

    @property
    def mode(self):
        return self.loc

    @lazy_property
    def variance(self):
        """The circular variance, `1 - I1 / I0`."""
        k = self.concentration
        return 1 - (_log_modified_bessel_fn(k, 1) - _log_modified_bessel_fn(k, 0)).exp()

    def log_prob(self, value):
        if self._validate_args:
            self._validate_sample(value)
        return (self.concentration * torch.cos(value - self.loc) - math.log(2 * math.pi)
                - _log_modified_bessel_fn(self.concentration))

    @lazy_property
    def _proposal_r(self):
        """The envelope's parameter; for small concentrations by its Taylor series."""
        k = self.concentration.double()
        tau = 1 + (1 + 4 * k ** 2).sqrt()
        rho = (tau - (2 * tau).sqrt()) / (2 * k)
        return torch.where(k < 1e-5, 1 / k + k, (1 + rho ** 2) / (2 * rho))

    def sample(self, sample_shape=()):
        with torch.no_grad():
            loc, k, r = self.loc.double(), self.concentration.double(), self._proposal_r
            shape = self._extended_shape(sample_shape)
            x = torch.zeros(shape, dtype=torch.float64, device=loc.device)
            done = torch.zeros(shape, dtype=torch.bool, device=loc.device)
            while not done.all():
                u1, u2, u3 = torch.rand((3, *shape), dtype=loc.dtype, device=loc.device).unbind()
                z = torch.cos(math.pi * u1)
                f = (1 + r * z) / (r + z)
                c = k * (r - f)
                accept = (c * (2 - c) - u2 > 0) | ((c / u2).log() + 1 - c >= 0)
                x = torch.where(accept, (u3 - 0.5).sign() * f.acos(), x)
                done = done | accept
            return ((x + math.pi + loc) % (2 * math.pi) - math.pi).to(self.loc.dtype)
