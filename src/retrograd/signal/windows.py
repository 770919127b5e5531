"""Windows under PyTorch's names in torch.signal.windows.

Each has M values; a symmetric window (sym) is for filters, a periodic one, the first M values of a
symmetric window of M + 1, for spectra.

>>> import retrograd as torch
>>> torch.signal.windows.hann(4, sym=False)
tensor([0.0000, 0.5000, 1.0000, 0.5000])
"""

from __future__ import annotations

import math

import numpy as np

from .. import _dtype
from .._attributes import require_cpu, strided
from .._tensor import wrap
from ..kernels.bessel import i0
from ..ops.support import number_of

__all__ = [
    "bartlett", "blackman", "cosine", "exponential", "gaussian", "general_cosine",
    "general_hamming", "hamming", "hann", "kaiser", "nuttall",
]


def _window(name, M, sym, formula, dtype, layout, device, requires_grad):
    """formula(i, n) at i = 0 .. M-1, n the number of steps in the whole window."""
    require_cpu(device)
    dtype = _dtype.get_default_dtype() if dtype is None else dtype
    M = number_of(M, "steps")
    _check(name, M, dtype, layout)
    i = np.arange(M, dtype=np.float64)
    values = np.ones(M) if M == 1 else formula(i, M - 1 if sym else M)
    res = wrap(values.astype(dtype.np))
    return res._set_requires_grad(True) if requires_grad else res


def _check(name, M, dtype, layout):
    if M < 0:
        raise ValueError(f"{name} requires non-negative window length, got M={M}")
    if layout not in (None, strided):
        raise ValueError(f"{name} is implemented for strided tensors only, got: {layout}")
    if dtype not in (_dtype.float32, _dtype.float64):
        raise ValueError(f"{name} expects float32 or float64 dtypes, got: {dtype}")


def general_cosine(M, *, a, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`sum of (-1)**k a[k] cos(2 pi i k / n)`.

    At i = 0, ..., M - 1, with n = M - 1 for a symmetric window (sym), M for a periodic one: (M,)
    floats, of the default dtype unless given. Raises ValueError for a negative M, no coefficients,
    and dtypes other than float32 and float64, TypeError for coefficients in no list or tuple. What
    is said here of i, n, M and dtypes holds for all these windows.

    >>> import retrograd as torch
    >>> torch.signal.windows.general_cosine(5, a=[0.5, 0.5])
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    if not isinstance(a, (list, tuple)):
        raise TypeError("Coefficients must be a list/tuple")
    if not a:
        raise ValueError("Coefficients cannot be empty")

    def formula(i, n):
        terms = [(-1) ** k * c * np.cos(2 * math.pi * k * i / n) for k, c in enumerate(a)]
        return np.sum(terms, 0)
    return _window("general_cosine", M, sym, formula, dtype, layout, device, requires_grad)


def general_hamming(M, *, alpha=0.54, sym=True, dtype=None, layout=None, device=None,
                    requires_grad=False):
    """`alpha - (1 - alpha) cos(2 pi i / n)`.

    i and n as for general_cosine, of which it is the case (alpha, 1 - alpha).

    >>> import retrograd as torch
    >>> torch.signal.windows.general_hamming(5, alpha=0.5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return general_cosine(M, a=[alpha, 1 - alpha], sym=sym, dtype=dtype, layout=layout,
                          device=device, requires_grad=requires_grad)


def hamming(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`0.54 - 0.46 cos(2 pi i / n)`.

    i and n as for general_cosine.

    >>> import retrograd as torch
    >>> torch.signal.windows.hamming(5)
    tensor([0.0800, 0.5400, 1.0000, 0.5400, 0.0800])
    """
    return general_hamming(M, sym=sym, dtype=dtype, layout=layout, device=device,
                           requires_grad=requires_grad)


def hann(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`0.5 - 0.5 cos(2 pi i / n)`.

    i and n as for general_cosine. Its ends are 0, so that in a symmetric one they add nothing.

    >>> import retrograd as torch
    >>> torch.signal.windows.hann(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return general_hamming(M, alpha=0.5, sym=sym, dtype=dtype, layout=layout, device=device,
                           requires_grad=requires_grad)


def blackman(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """general_cosine with 0.42, 0.5, 0.08.

    Side lobes are below -58 dB, where those of hann are below -31.

    >>> import retrograd as torch
    >>> torch.signal.windows.blackman(4)
    tensor([-1.3878e-17,  6.3000e-01,  6.3000e-01, -1.3878e-17])
    """
    _check("blackman", M, _dtype.get_default_dtype() if dtype is None else dtype, layout)
    return general_cosine(M, a=[0.42, 0.5, 0.08], sym=sym, dtype=dtype, device=device,
                          requires_grad=requires_grad)


def nuttall(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """general_cosine with Nuttall's four coefficients of minimal side lobes.

    >>> import retrograd as torch
    >>> torch.signal.windows.nuttall(5)
    tensor([3.6280e-04, 2.2698e-01, 1.0000e+00, 2.2698e-01, 3.6280e-04])
    """
    return general_cosine(M, a=[0.3635819, 0.4891775, 0.1365995, 0.0106411], sym=sym, dtype=dtype,
                          layout=layout, device=device, requires_grad=requires_grad)


def bartlett(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`1 - abs(2 i / n - 1)`.

    A triangle, whose ends are 0; i and n as for general_cosine.

    >>> import retrograd as torch
    >>> torch.signal.windows.bartlett(5)
    tensor([0.0000, 0.5000, 1.0000, 0.5000, 0.0000])
    """
    return _window("bartlett", M, sym, lambda i, n: 1 - np.abs(2 * i / n - 1), dtype, layout,
                   device, requires_grad)


def cosine(M, *, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`sin(pi (i + 1/2) / (n + 1))`.

    i and n as for general_cosine.

    >>> import retrograd as torch
    >>> torch.signal.windows.cosine(4)
    tensor([0.3827, 0.9239, 0.9239, 0.3827])
    """
    return _window("cosine", M, sym, lambda i, n: np.sin(math.pi * (i + 0.5) / (n + 1)), dtype,
                   layout, device, requires_grad)


def exponential(M, *, center=None, tau=1.0, sym=True, dtype=None, layout=None, device=None,
                requires_grad=False):
    """`exp(-abs(i - center) / tau)`; the center is the middle unless given.

    Raises ValueError for tau <= 0, or for a center given to a symmetric window.

    i as for general_cosine.

    >>> import retrograd as torch
    >>> torch.signal.windows.exponential(5, tau=1.0)
    tensor([0.1353, 0.3679, 1.0000, 0.3679, 0.1353])
    """
    tau = number_of(tau, "tau")
    if tau <= 0:
        raise ValueError(f"Tau must be positive, got: {tau} instead.")
    if sym and center is not None:
        raise ValueError("Center must be None for symmetric windows")
    return _window(
        "exponential", M, sym,
        lambda i, n: np.exp(-np.abs(i - (n / 2 if center is None else center)) / tau),
        dtype, layout, device, requires_grad)


def gaussian(M, *, std=1.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`exp(-((i - n / 2) / std)**2 / 2)`. Raises ValueError for std <= 0.

    i and n as for general_cosine.

    >>> import retrograd as torch
    >>> torch.signal.windows.gaussian(5, std=1.0)
    tensor([0.1353, 0.6065, 1.0000, 0.6065, 0.1353])
    """
    std = number_of(std, "std")
    if std <= 0:
        raise ValueError(f"Standard deviation must be positive, got: {std} instead.")
    return _window("gaussian", M, sym, lambda i, n: np.exp(-(((i - n / 2) / std) ** 2) / 2), dtype,
                   layout, device, requires_grad)


def kaiser(M, *, beta=12.0, sym=True, dtype=None, layout=None, device=None, requires_grad=False):
    """`i0(beta sqrt(1 - (2 i / n - 1)**2)) / i0(beta)`. Raises ValueError for beta < 0.

    i and n as for general_cosine. The larger beta is, the lower the side lobes and the wider the
    main one.

    >>> import retrograd as torch
    >>> torch.signal.windows.kaiser(5, beta=4.0)
    tensor([0.0885, 0.6334, 1.0000, 0.6334, 0.0885])
    """
    beta = number_of(beta, "beta")
    if beta < 0:
        raise ValueError(f"beta must be non-negative, got: {beta} instead.")

    def formula(i, n):
        inside = np.maximum(1 - (2 * i / n - 1) ** 2, 0)
        return i0(beta * np.sqrt(inside)) / i0(np.array(float(beta)))
    return _window("kaiser", M, sym, formula, dtype, layout, device, requires_grad)
