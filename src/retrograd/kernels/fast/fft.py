"""Fourier transforms by scipy.fft, if SciPy is there: it takes several rows at once."""

from __future__ import annotations

from .. import fast
from ..fft import FORWARD, INVERSE, ordered

try:
    from scipy import fft
except ImportError:                        # then these twins decline
    fft = None


MANY = 1 << 18              # numbers, from which on threads gain more than it costs to wake them


def workers(a):
    """How many threads share a transform of `a`."""
    return fast.threads if a.size >= MANY else 1


def usable(a):
    return fft is not None and a.size and a.dtype.char in "fdFD"


@ordered
def fft_c2c(self, dim, scale, forward):
    if not usable(self):
        return None
    if forward:
        return fft.fftn(self, axes=dim, norm=FORWARD[scale], workers=workers(self))
    return fft.ifftn(self, axes=dim, norm=INVERSE[scale], workers=workers(self))


@ordered
def fft_r2c(self, dim, scale, onesided):
    if not usable(self):
        return None
    transform = fft.rfftn if onesided else fft.fftn
    return transform(self, axes=dim, norm=FORWARD[scale], workers=workers(self))


@ordered
def fft_c2r(self, dim, scale, last_size):
    if not usable(self):
        return None
    shape = [self.shape[d] for d in dim[:-1]] + [last_size]
    return fft.irfftn(self, shape, dim, norm=INVERSE[scale], workers=workers(self))
