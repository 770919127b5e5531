"""Fourier transforms of overlapping windows, and back: stft and istft."""

from __future__ import annotations

import numpy as np

from .._tensor import Tensor, wrap
from .._warnings import warn_once
from ..kernels.checks import no_dim
from ..kernels.half import is_half
from .complex import is_complex
from .declare import F as T
from .nn_checks import backend_name
from .public import public
from .resize import constant_pad_nd

NO_WINDOW = "A window was not provided. A rectangular window will be applied"
WITH_ONES = ("To suppress this warning and use a rectangular window, explicitly set "
             "`window=torch.ones(n_fft, device=<device>)`.")


def _window(window, win_length, n_fft, like):
    """The window in the middle of n_fft places."""
    if window is None:
        window = wrap(np.ones(win_length, like._data.real.dtype))
    left = (n_fft - win_length) // 2
    return constant_pad_nd(window, [left, n_fft - win_length - left]) if win_length < n_fft \
        else window


def _spectra(frames, is_complex, onesided, normalized):
    """The transforms of frames: (batch, frames, n_fft) -> (batch, frames, frequencies)."""
    if is_complex and onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    scale = "root" if normalized else "none"
    if is_complex:
        return T.fft_c2c(frames, (2,), scale, True)
    return T.fft_r2c(frames, (2,), scale, onesided is None or bool(onesided))


@public
def stft(input, n_fft, hop_length=None, win_length=None, window=None, center=True,
         pad_mode="reflect", normalized=False, onesided=None, return_complex=None,
         align_to_window=None):
    """Fourier transforms of overlapping frames of a signal: (*, n) -> (*, frequencies, frames).

    X[k, t] = sum over j of window[j] x[t hop_length + j] exp(-2 pi i j k / n_fft), for j < n_fft.
    hop_length is n_fft // 4 by default; a window of win_length elements is filled up with zeros,
    and ones are taken without one. `center` pads the signal by n_fft // 2 on both sides first, by
    pad_mode. `onesided` (for real signals) gives the first n_fft // 2 + 1 frequencies, `normalized`
    divides by sqrt(n_fft). Raises RuntimeError unless return_complex is given for a real input.

    >>> import retrograd as torch
    >>> torch.stft(torch.ones(8), 4, return_complex=True, window=torch.ones(4)).shape
    torch.Size([3, 9])
    """
    if center and align_to_window is not None:
        raise RuntimeError("stft align_to_window should only be set when center = false")
    hop = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    complex_input = is_complex(input) or window is not None and is_complex(window)
    t = _padded(input, n_fft // 2, pad_mode) if center else input    # fails before it warns
    if window is None:
        warn_once(NO_WINDOW + ",which is known to cause spectral leakage. Other windows such as "
                  "torch.hann_window or torch.hamming_window are recommended to reduce spectral "
                  "leakage." + WITH_ONES)
    if return_complex is None and not complex_input:
        raise RuntimeError("stft requires the return_complex parameter be given for real inputs, "
                           "and will further require that return_complex=True in a future PyTorch "
                           "release.")
    if return_complex is False:
        warn_once("stft with return_complex=False is deprecated. In a future pytorch release, stft "
                  "will return complex tensors for all inputs, and return_complex=False will raise "
                  "an error.\nNote: you can still call torch.view_as_real on the complex output to "
                  "recover the old return format.")
    described = (
        f"stft(torch.{input.dtype.tensor_name}Tensor{list(t._data.shape)}, n_fft={n_fft}, "
        f"hop_length={hop}, win_length={win_length}, window={_shown(window)}, "
        f"normalized={int(normalized)}, onesided={_shown(onesided)}, "
        f"return_complex={_shown(return_complex)}, align_to_window={_shown(align_to_window)})")
    if input._data.ndim not in (1, 2):
        raise RuntimeError(f"{described} : expected a 1D or 2D tensor")
    t = t if t._data.ndim == 2 else t.unsqueeze(0)
    _check_stft(t, n_fft, hop, win_length, window, described)
    if align_to_window:                                          # frames begin where windows do
        t = _padded(t, (n_fft - win_length) // 2, pad_mode)
    frames = t.unfold(-1, n_fft, hop)                            # (batch, frames, n_fft)
    if window is not None or win_length < n_fft:
        frames = frames * _window(window, win_length, n_fft, input)
    res = _spectra(frames, complex_input, onesided, normalized).transpose_(1, 2)
    res = res if input._data.ndim == 2 else res.squeeze_(0)
    return T.view_as_real(res) if return_complex is False else res


def _padded(t, more, mode):
    """t with `more` values on either side of its last dimension."""
    from ..nn.functional import pad
    shape = t._data.shape
    if not (more and shape):
        return t
    t = t.reshape((1,) * (3 - len(shape)) + shape)
    return pad(t, (more, more), mode).reshape((*shape[:-1], -1))


def _check_stft(t, n_fft, hop, win_length, window, described):
    """RuntimeError for what stft cannot take; `described` is how the error shows the call."""
    if is_half(t._data.dtype):
        raise RuntimeError(f"MKL FFT doesn't support tensors of type: {t.dtype.tensor_name}")
    length, expected = t._data.shape[-1], ""
    if t._data.dtype.kind not in "fcV":
        expected = "a tensor of floating point or complex values"
    elif not 0 < n_fft <= length:
        expected = f"0 < n_fft < {length}, but got n_fft={win_length}"
    elif hop <= 0:
        expected = f"hop_length > 0, but got hop_length={hop}"
    elif not 0 < win_length <= n_fft:
        expected = f"0 < win_length <= n_fft, but got win_length={win_length}"
    elif window is not None and window._data.shape != (win_length,):
        expected = (f"a 1D window tensor of size equal to win_length={win_length}, but got window "
                    f"with size {list(window._data.shape)}")
    if expected:
        raise RuntimeError(f"{described} : expected {expected}")


def _shown(value):
    """An optional argument as C++ prints it."""
    if isinstance(value, Tensor):
        name = f"torch.{value.dtype.tensor_name}Tensor"
        name = backend_name(value.dtype) if is_complex(value) else name
        return f"{name}{{{list(value._data.shape)}}}"
    return value if value is None else int(value)


def _check_istft(input, n_fft, hop, win_length, window, onesided, return_complex, described):
    """RuntimeError for what istft cannot take; `described` is how the error shows the call."""
    x = input._data
    bins, what = (n_fft // 2 + 1, "/ 2 + 1 ") if onesided else (n_fft, "")
    wrong = ""
    if not x.size:
        wrong = "input tensor cannot be empty."
    elif x.ndim > 3:
        wrong = f"expected a tensor with 3 or 4 dimensions, but got {x.ndim + 1}"
    elif x.shape[-2] != bins:
        wrong = ("expected the frequency dimension (3rd to the last) of the input tensor to match "
                 f"n_fft {what}when onesided={bool(onesided)}, but got {x.shape[-2]}")
    elif not 0 < hop <= win_length:
        wrong = "expected 0 < hop_length <= win_length"
    elif not 0 < win_length <= n_fft:
        wrong = "expected 0 < win_length <= n_fft"
    elif window is not None and window._data.shape != (win_length,):
        wrong = "Invalid window shape. window has to be 1D and length of `win_length`"
    if wrong:
        raise RuntimeError(f"{described} : {wrong}")
    if return_complex and onesided:
        raise RuntimeError("Cannot have onesided output if window or input is complex")
    if not return_complex and window is not None and is_complex(window):
        raise RuntimeError("Complex windows are incompatible with return_complex=False")


def _frames(input, n_fft, normalized, onesided, return_complex):
    """The frames that the spectra are those of: ([batch,] frequencies, frames) ->
    (batch, frames, n_fft)."""
    t = input if input._data.ndim == 3 else input.unsqueeze(0)
    spectrum = t.transpose(1, 2)                                 # (batch, frames, frequencies)
    scale = "root" if normalized else "whole"
    if return_complex:
        return T.fft_c2c(spectrum, (2,), scale, False)
    half = spectrum if onesided else T.slice_dim(spectrum, 2, 0, n_fft // 2 + 1, 1)
    return T.fft_c2r(half, (2,), scale, n_fft)


@public
def istft(input, n_fft, hop_length=None, win_length=None, window=None, center=True,
          normalized=False, onesided=None, length=None, return_complex=False):
    """The signal whose stft is input: (*, frequencies, frames) -> (*, length).

    The inverse transforms of the frames, times the window, are added where they overlap and divided
    by the sum of the squared windows (Griffin and Lim 1984). Arguments are those of stft(), and a
    `length` to cut the result to. Raises RuntimeError where that sum is 0.

    >>> import retrograd as torch
    >>> w = torch.ones(4)
    >>> frames = torch.stft(torch.ones(8), 4, window=w, return_complex=True)
    >>> torch.istft(frames, 4, window=w)
    tensor([1., 1., 1., 1., 1., 1., 1., 1.])
    """
    hop = n_fft // 4 if hop_length is None else hop_length
    win_length = n_fft if win_length is None else win_length
    if window is None:
        warn_once(NO_WINDOW + ".Please provide the same window used by stft to make the inversion "
                  "lossless." + WITH_ONES)
    shape = input._data.shape
    if not is_complex(input):
        raise RuntimeError("istft requires a complex-valued input tensor matching the output from "
                           "stft with return_complex=True.")
    if len(shape) < 2:
        raise no_dim(-3, len(shape) + 1)
    described = (
        f"istft({backend_name(input.dtype)}{list(shape)}, n_fft={n_fft}, hop_length={hop}, "
        f"win_length={win_length}, window={_shown(window)}, center={int(center)}, "
        f"normalized={int(normalized)}, onesided={_shown(onesided)}, length={length}, "
        f"return_complex={int(return_complex)})")
    if onesided is None:
        onesided = shape[-2] != n_fft
    _check_istft(input, n_fft, hop, win_length, window, onesided, return_complex, described)
    frames = _frames(input, n_fft, normalized, onesided, return_complex)
    window = _window(window, win_length, n_fft, input)
    signal = T.overlap_add(frames * window, hop)
    squares = (window * window).expand(1, frames._data.shape[1], n_fft)
    envelope = T.overlap_add(squares, hop)
    total = signal._data.shape[-1]
    start = n_fft // 2 if center else 0
    end = total - start if length is None else min(start + length, total)
    signal, envelope = (t.narrow(-1, start, end - start) for t in (signal, envelope))
    if (np.abs(envelope._data) < 1e-11).any():
        raise RuntimeError(f"{described} window overlap add min: 1\n[ CPUBoolType{{}} ]")
    res = signal / envelope
    if length is not None and length > end - start:
        warn_once("The length of signal is shorter than the length parameter. Result is being "
                  "padded with zeros in the tail. Please check your center and hop_length "
                  "settings.")
        res = constant_pad_nd(res, [0, length - (end - start)])
    return res if input._data.ndim == 3 else res.squeeze(0)
