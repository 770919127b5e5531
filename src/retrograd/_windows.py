"""Window functions of signal processing: hann, hamming, bartlett, blackman, kaiser."""

from __future__ import annotations

import math
from functools import wraps

import numpy as np

from . import _dtype
from ._dtype import as_dtype
from .kernels.checks import not_implemented
from .ops.arguments import invalid_combination, must_be
from .ops.factory import TENSOR_OPTIONS, check_options, tensor_of
from .ops.mistyped import is_int, refused
from .ops.public import public

PLACES = {"window_length": "int", "periodic": "bool", "alpha": "float", "beta": "float"}


def _overloaded(window):
    """`window` as PyTorch takes it: with its first arguments, each only beside those before it."""
    name, code = window.__name__, window.__code__
    places = [f"{PLACES[p]} {p}" for p in code.co_varnames[:code.co_argcount]]
    ways = [f"{', '.join(places[:n])}, *, {TENSOR_OPTIONS}" for n in range(1, len(places) + 1)]

    @wraps(window)
    def call(*args, **kwargs):
        length = args[0] if args else kwargs.get("window_length")
        if (length is None or is_int(length)) and all(
                refused(name, way, args, kwargs) for way in ways):
            raise invalid_combination(name, args, kwargs, ways)
        return window(*args, **kwargs)
    return call


def _window(name, length, periodic, formula, dtype, options, requires_grad):
    """formula(i, n) at i = 0 .. n-1; a periodic window is one of n + 1 without its last value."""
    if not is_int(length):
        raise must_be("int", name, "window_length", 1, length)
    length = int(length)
    check_options(*options)
    d = _dtype.default.dtype if dtype is None else as_dtype(dtype)
    if d.is_complex:
        raise not_implemented("arange_cpu", d.np)
    if not d.is_floating_point:
        kind = "Strided" if options[0] is not None else "Strided (default)"
        raise RuntimeError(
            f"{name} expects floating point dtypes, got: TensorOptions(dtype={d.option_name}, "
            f"device=cpu, layout={kind}, requires_grad=false (default), pinned_memory=false, "
            "memory_format=(nullopt))")
    if length < 0:
        raise RuntimeError(f"{name} requires non-negative window_length, got "
                           f"window_length={length}")
    if length < 2:
        return tensor_of(np.ones(length, d.np), requires_grad, options[1])
    n = length + 1 if periodic else length
    i = np.arange(n).astype(np.float32 if d.itemsize == 2 else d.np)
    return tensor_of(formula(i, n)[:length].astype(d.np, copy=False), requires_grad, options[1])


def _cosine(alpha, beta):
    alpha, beta = float(alpha), float(beta)
    return lambda i, n: np.cos(i * i.dtype.type(2 * math.pi / (n - 1))) * -beta + alpha


@public(method=False)
@_overloaded
def hann_window(window_length, periodic=True, *, dtype=None, layout=None, device=None,
                pin_memory=False, requires_grad=False):
    """1/2 - 1/2 cos(2 pi i / N).

    i is 0 .. window_length - 1; N is window_length or, with periodic=False, one less. Raises
    RuntimeError for a negative length, and for a dtype that is not floating.

    >>> import retrograd as torch
    >>> torch.hann_window(4)
    tensor([0.0000, 0.5000, 1.0000, 0.5000])
    """
    return _window("hann_window", window_length, periodic, _cosine(0.5, 0.5), dtype,
                   (layout, device, pin_memory), requires_grad)


@public(method=False)
@_overloaded
def hamming_window(window_length, periodic=True, alpha=0.54, beta=0.46, *, dtype=None, layout=None,
                   device=None, pin_memory=False, requires_grad=False):
    """alpha - beta cos(2 pi i / N).

    i is 0 .. window_length - 1; N is window_length or, with periodic=False, one less. Raises
    RuntimeError for a negative length, and for a dtype that is not floating.

    >>> import retrograd as torch
    >>> torch.hamming_window(4)
    tensor([0.0800, 0.5400, 1.0000, 0.5400])
    """
    return _window("hamming_window", window_length, periodic, _cosine(alpha, beta), dtype,
                   (layout, device, pin_memory), requires_grad)


@public(method=False)
@_overloaded
def bartlett_window(window_length, periodic=True, *, dtype=None, layout=None, device=None,
                    pin_memory=False, requires_grad=False):
    """A triangle: 2 i / N up to the middle, then 2 - 2 i / N.

    i is 0 .. window_length - 1; N is window_length or, with periodic=False, one less. Raises
    RuntimeError for a negative length, and for a dtype that is not floating.

    >>> import retrograd as torch
    >>> torch.bartlett_window(5)
    tensor([0.0000, 0.4000, 0.8000, 0.8000, 0.4000])
    """
    def triangle(i, n):
        rise = i * i.dtype.type(2 / (n - 1))
        return np.where(i <= (n - 1) // 2, rise, 2 - rise)

    return _window("bartlett_window", window_length, periodic, triangle, dtype,
                   (layout, device, pin_memory), requires_grad)


@public(method=False)
@_overloaded
def blackman_window(window_length, periodic=True, *, dtype=None, layout=None, device=None,
                    pin_memory=False, requires_grad=False):
    """0.42 - 0.5 cos(2 pi i / N) + 0.08 cos(4 pi i / N).

    i is 0 .. window_length - 1; N is window_length or, with periodic=False, one less. Raises
    RuntimeError for a negative length, and for a dtype that is not floating.

    >>> import retrograd as torch
    >>> torch.blackman_window(4).shape
    torch.Size([4])
    """
    def formula(i, n):
        x = i * i.dtype.type(math.pi / (n - 1))
        return np.cos(x * 4) * 0.08 - np.cos(x * 2) * 0.5 + 0.42

    return _window("blackman_window", window_length, periodic, formula, dtype,
                   (layout, device, pin_memory), requires_grad)


@public(method=False)
@_overloaded
def kaiser_window(window_length, periodic=True, beta=12.0, *, dtype=None, layout=None, device=None,
                  pin_memory=False, requires_grad=False):
    """I0(beta sqrt(1 - (2 i / N - 1)^2)) / I0(beta), I0 a Bessel function.

    i is 0 .. window_length - 1; N is window_length or, with periodic=False, one less. Raises
    RuntimeError for a negative length, and for a dtype that is not floating.

    >>> import retrograd as torch
    >>> torch.kaiser_window(3, periodic=False)
    tensor([5.2773e-05, 1.0000e+00, 5.2773e-05])
    """
    def formula(i, n):
        x = 2 * i.astype(np.float64) / (n - 1) - 1
        return np.i0(float(beta) * np.sqrt(1 - x * x)) / np.i0(float(beta))

    return _window("kaiser_window", window_length, periodic, formula, dtype,
                   (layout, device, pin_memory), requires_grad)
