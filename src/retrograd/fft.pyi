"""For type checkers and editors, written by tools/stubs.py from what is there."""

# ruff: noqa
from builtins import bool as _bool, float as _float, int as _int
from typing import Any

from retrograd import Tensor
def fft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The Fourier transform `sum of x[j] exp(-2 pi i j k / n)` along dim."""
def fft2(input: Any, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Any = None) -> Tensor:
    r"""fft over two dimensions."""
def fftfreq(n: Any, d: Any = 1.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: Any = False) -> Tensor:
    r"""The frequencies of fft's results for samples d apart."""
def fftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""fft over several dimensions (all by default), resized to s."""
def fftshift(input: Any, dim: Any = None) -> Tensor:
    r"""input rolled so that frequency zero is in the middle."""
def hfft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The real fft of a Hermitian signal given by its first half."""
def hfft2(input: Any, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Any = None) -> Tensor:
    r"""hfft over two dimensions."""
def hfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""hfft over several dimensions."""
def ifft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The inverse of fft."""
def ifft2(input: Any, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The inverse of fft2."""
def ifftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The inverse of fftn."""
def ifftshift(input: Any, dim: Any = None) -> Tensor:
    r"""The inverse of fftshift."""
def ihfft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The inverse of hfft."""
def ihfft2(input: Any, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The inverse of hfft2."""
def ihfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The inverse of hfftn."""
def irfft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The inverse of rfft, with n elements (default: an even number)."""
def irfft2(input: Any, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The inverse of rfft2."""
def irfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The inverse of rfftn."""
def rfft(input: Any, n: Any = None, dim: Any = -1, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""The first half of fft of a real input; the rest are conjugates."""
def rfft2(input: Any, s: Any = None, dim: Any = ..., norm: Any = None, *, out: Any = None) -> Tensor:
    r"""rfft over two dimensions."""
def rfftfreq(n: Any, d: Any = 1.0, *, out: Any = None, dtype: Any = None, layout: Any = None, device: Any = None, requires_grad: Any = False) -> Tensor:
    r"""The frequencies of rfft's results for samples d apart."""
def rfftn(input: Any, s: Any = None, dim: Any = None, norm: Any = None, *, out: Any = None) -> Tensor:
    r"""fftn of a real input, the first half of the last dimension."""
