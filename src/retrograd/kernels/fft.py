"""Discrete Fourier transforms by numpy.fft.

How results are scaled: "none", "root" (by 1 / sqrt(n)) or "whole" (by 1 / n).
"""

from functools import wraps

import numpy as np

from .layout import inverse

FORWARD = {"none": "backward", "root": "ortho", "whole": "forward"}
INVERSE = {"none": "forward", "root": "ortho", "whole": "backward"}


def ordered(transform):
    """Lay the results of a transform out as PyTorch does: where the transformed dimensions are not
    those that follow one another in memory, they come to do so, and the others come before them."""
    real, complex_ = (transform.__name__ == name for name in ("fft_c2r", "fft_c2c"))
    plain = transform.__module__ == __name__

    @wraps(transform)
    def in_order(self, dim, scale, how):
        ndim = self.ndim
        if ndim == 1 or self.flags.c_contiguous and dim == tuple(range(ndim - len(dim), ndim)):
            return transform(self, dim, scale, how)
        last = () if complex_ else dim[-1:]
        by_stride = sorted(range(ndim), key=[-n for n in self.strides].__getitem__)
        rest = dim[:-1] if real else dim
        order = [d for d in by_stride if d not in rest] + [d for d in by_stride if d in rest]
        order = [d for d in order if d not in last] + list(last)
        dim = tuple(order.index(d) for d in dim)
        turned = self.transpose(order)
        if plain:              # NumPy keeps the order of its input, and is fastest along rows
            turned = np.ascontiguousarray(turned)
        res = transform(turned, dim, scale, how)
        return None if res is None else np.ascontiguousarray(res).transpose(inverse(order))
    return in_order


@ordered
def fft_c2c(self, dim, scale, forward):
    """Complex to complex over the dimensions dim."""
    transform, norm = (np.fft.fft, FORWARD) if forward else (np.fft.ifft, INVERSE)
    for d in reversed(dim):      # as in np.fft.fftn, which looks at sizes for half as long again
        self = transform(self, None, d, norm[scale])
    return self


@ordered
def fft_r2c(self, dim, scale, onesided):
    """Real to complex; onesided keeps the first half of the last dimension of dim."""
    first = np.fft.rfft if onesided else np.fft.fft
    res = first(self, None, dim[-1], FORWARD[scale])
    for d in dim[-2::-1]:
        res = np.fft.fft(res, None, d, FORWARD[scale])
    return res


@ordered
def fft_c2r(self, dim, scale, last_size):
    """The inverse of a onesided fft_r2c with last_size elements in the last dimension of dim."""
    for d in dim[:-1]:
        self = np.fft.ifft(self, None, d, INVERSE[scale])
    return np.fft.irfft(self, last_size, dim[-1], INVERSE[scale])


def scale_middle(self, dim, count, factor):
    """self with its elements 1 .. count along dim multiplied by factor."""
    out = self.copy()
    out[(slice(None),) * dim + (slice(1, 1 + count),)] *= factor
    return out


def overlap_add(frames, hop):
    """Sums of frames that begin hop apart.  # (.., count, length) -> (.., total)"""
    *batch, count, length = frames.shape
    total, parts = (count - 1) * hop + length, -(-length // hop)
    if parts > count:
        out = np.zeros((*batch, total), frames.dtype)
        for k in range(count):
            out[..., k * hop : k * hop + length] += frames[..., k, :]
        return out
    out = np.zeros((*batch, count - 1 + parts, hop), frames.dtype)
    for k in reversed(range(parts)):         # each place adds up its frames in their order, too
        part = frames[..., k * hop : (k + 1) * hop]
        out[..., k : k + count, : part.shape[-1]] += part
    out = out.reshape((*batch, -1))
    return out if out.shape[-1] == total else out[..., :total].copy()


def unfold_copy(self, length, hop):
    """Frames that begin hop apart.  # (.., total) -> (.., count, length)"""
    return np.lib.stride_tricks.sliding_window_view(self, length, -1)[..., ::hop, :].copy()
