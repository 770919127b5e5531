"""Fourier transforms: the operators, and the functions of torch.fft on them."""

from __future__ import annotations

from operator import index

import numpy as np

from .. import _dtype
from .arguments import must_be
from .complex import is_complex
from .convert import to_dtype
from .declare import F as T
from .declare import op
from .dims import wrap_dim
from .factory import check_options, negative_size, np_dtype, tensor_of
from .mistyped import is_int, starts_with_bool
from .out import given, warn_of_another_size
from .public import numpy_names
from .resize import constant_pad_nd
from .support import number_of


def _complex(*shape):
    draw = np.random.default_rng(sum(shape)).standard_normal((2, *shape))
    return draw[0] + 1j * draw[1]


def real_gradient(F, g, shape, dim, scale, onesided):
    """Gradient of fft_r2c: the real part of the transform back, with zeros for the other half.

    It is not fft_c2r of the half spectrum, which would count the inner frequencies twice.
    """
    if not onesided:
        return F.real(F.fft_c2c(g, dim, scale, False))
    last, size = dim[-1], shape[dim[-1]]
    return F.fft_c2r(F.scale_middle(g, last, size - g.shape[last], 0.5), dim, scale, size)


def half_gradient(F, g, dim, scale, last_size):
    """Gradient of fft_c2r: each inner frequency stands for two of them, so it counts twice."""
    spectrum = F.fft_r2c(g, dim, scale, True)
    return F.scale_middle(spectrum, dim[-1], last_size - spectrum.shape[dim[-1]], 2)


op("fft_c2c(self | dim, scale, forward)", "FftC2CBackward0", public=False,
    samples=lambda: [(_complex(3, 4), (0, 1), "none", True), (_complex(3, 4), (1,), "root", False)],
    self = lambda F, g, dim, scale, forward: F.fft_c2c(g, dim, scale, not forward),
    jvp  = "linear")

op("fft_r2c(self | dim, scale, onesided)", "FftR2CBackward0", public=False,
    samples=lambda: [(_complex(3, 4).real, (0, 1), "none", True),
                     (_complex(3, 5).real, (1,), "whole", True),
                     (_complex(3, 4).real, (1,), "none", False)],
    self = lambda F, g, self_shape, dim, scale, onesided:
               real_gradient(F, g, self_shape, dim, scale, onesided),
    jvp  = "linear")

op("fft_c2r(self | dim, scale, last_size)", "FftC2RBackward0", public=False,
    samples=lambda: [(_complex(3, 3), (0, 1), "none", 4), (_complex(3, 3), (1,), "whole", 5)],
    self = lambda F, g, dim, scale, last_size: half_gradient(F, g, dim, scale, last_size),
    jvp  = "linear")

op("scale_middle(self | dim, count, factor)", "MulBackward0", public=False,
    samples=lambda: [(_complex(3, 4), 1, 2, 0.5)],
    self = lambda F, g, dim, count, factor: F.scale_middle(g, dim, count, factor),
    jvp  = "linear")

op("overlap_add(self | hop)", "UnfoldBackwardBackward0", public=False,
    samples=lambda: [(_complex(2, 3, 4).real, 2)],
    self = lambda F, g, self_shape, hop: F.unfold_copy(g, self_shape[-1], hop),
    jvp  = "linear")

op("unfold_copy(self | length, hop)", "UnfoldBackward0", public=False,
    samples=lambda: [(_complex(2, 8).real, 4, 2)],
    self = lambda F, g, hop: F.overlap_add(g, hop),
    jvp  = "linear")


# --------------------------------------------------------------------------- arguments

def _scale(norm, forward):
    """How the result is scaled: PyTorch's norm names the direction that is scaled by 1/n."""
    if norm == "ortho":
        return "root"
    if norm not in (None, "forward", "backward"):
        raise RuntimeError(f'Invalid normalization mode: "{norm}"')
    return "whole" if (norm == "forward") == forward else "none"


def _floating(t):
    if t._data.dtype.itemsize == 2 and t._data.dtype.kind not in "biu":
        raise RuntimeError(f"Unsupported dtype {t.dtype.tensor_name}")
    return t.to(_dtype.get_default_dtype()) if t._data.dtype.kind in "biu" else t


def _to_complex(t):
    t = _floating(t)
    return to_dtype(t, _dtype.complex_for(t.dtype))


def _real(name, t):
    if is_complex(t):
        real = "real-valued" if name == "rfftn" else "real"
        raise RuntimeError(f"{name} expects a {real} input tensor, but got {t.dtype.tensor_name}")
    return _floating(t)


def _resized(t, dims, sizes):
    """t cut or filled up with zeros to the given sizes (None: as it is)."""
    for d, n in zip(dims, sizes, strict=True):
        have = t._data.shape[d]
        if n is None or n == have:
            continue
        if n < have:
            t = T.slice_dim(t, d, 0, n, 1)
        else:
            t = constant_pad_nd(t, [0, 0] * (t._data.ndim - 1 - d) + [0, n - have])
    return t


def _check_size(n):
    if n < 1:
        raise RuntimeError(f"Invalid number of data points ({n}) specified")


def _one(t, n, dim):
    if not t._data.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = wrap_dim(dim, t._data.ndim)
    _check_size(t._data.shape[dim] if n is None else n)
    return dim


def _several(t, s, dim):
    """(dimensions, sizes) from PyTorch's s and dim, either of which may be left out."""
    ndim = t._data.ndim
    s = (s,) if is_int(s) else s
    if s is not None and (not isinstance(s, (tuple, list)) or starts_with_bool(s)):
        raise TypeError                        # reporting() replaces it by PyTorch's error
    dim = (dim,) if isinstance(dim, int) or is_int(dim) else dim
    if dim and not ndim:
        raise IndexError(f"Dimension specified as {dim[0]} but tensor has no dimensions")
    if dim is None:
        if s is not None and len(s) > ndim:
            raise RuntimeError(f"Got shape with {len(s)} values but input tensor only has {ndim} "
                               "dimensions.")
        dims = tuple(range(0 if s is None else ndim - len(s), ndim))
    else:
        if dim and not ndim:
            raise IndexError(f"Dimension specified as {dim[0]} but tensor has no dimensions")
        dims = tuple([wrap_dim(d, ndim) for d in dim])
        if len(set(dims)) != len(dims):
            raise RuntimeError("FFT dims must be unique")
        if s is not None and len(s) != len(dims):
            raise RuntimeError("When given, dim and shape arguments must have the same length")
    sizes = [None if s is None or s[k] == -1 else s[k] for k in range(len(dims))]
    for d, n in zip(dims, sizes, strict=True):
        _check_size(t._data.shape[d] if n is None else n)
    return dims, sizes


# --------------------------------------------------------------------------- one dimension

@numpy_names
def fft(input, n=None, dim=-1, norm=None, *, out=None):
    """The Fourier transform `sum of x[j] exp(-2 pi i j k / n)` along dim.

    input is first cut or filled up with zeros to n elements. norm "forward" divides by n, "ortho"
    by sqrt(n), "backward" (the default) leaves that to the inverse. Raises RuntimeError for n < 1,
    IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.fft.fft(torch.tensor([1., 0., 0., 0.])).real
    tensor([1., 1., 1., 1.])
    """
    return given("fft_fft", _along(input, n, dim, norm, True), out)


@numpy_names
def ifft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of fft: `sum over k of X[k] exp(2 pi i j k / n) / n` along dim.

    input is first cut, or filled up with zeros, to n elements. The factor 1 / n is there for norm
    "backward" (the default); "ortho" divides by sqrt(n), "forward" by nothing. Raises RuntimeError
    for n < 1, IndexError for a dimension out of range.

    >>> import retrograd as torch
    >>> torch.fft.ifft(torch.tensor([1, 1, 1, 1], dtype=torch.complex64))
    tensor([1.+0.j, 0.+0.j, 0.+0.j, 0.+0.j])
    """
    return given("fft_ifft", _along(input, n, dim, norm, False), out)


def _along(input, n, dim, norm, forward):
    t = _floating(input)
    dim = _one(t, n, dim)
    t = _resized(t, (dim,), (n,))
    scale = _scale(norm, forward)
    if is_complex(t):
        return T.fft_c2c(t, (dim,), scale, forward)
    spectrum = T.fft_r2c(t, (dim,), scale, False)
    return spectrum if forward else spectrum.conj()


@numpy_names
def rfft(input, n=None, dim=-1, norm=None, *, out=None):
    """fft of a real input, n // 2 + 1 elements of it: the others are conjugates of these.

    Raises RuntimeError for complex input.

    >>> import retrograd as torch
    >>> torch.fft.rfft(torch.tensor([1., 0., 0., 0.]))
    tensor([1.+0.j, 1.+0.j, 1.+0.j])
    """
    t = _real("rfft", input)
    dim = _one(t, n, dim)
    t = _resized(t, (dim,), (n,))
    return given("fft_rfft", T.fft_r2c(t, (dim,), _scale(norm, True), True), out)


@numpy_names
def irfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of rfft: m elements -> n real ones, by default 2 (m - 1).

    Give `n` where it is odd: m does not tell. Raises RuntimeError for n < 1.

    >>> import retrograd as torch
    >>> torch.fft.irfft(torch.tensor([4, 0, 0], dtype=torch.complex64))
    tensor([1., 1., 1., 1.])
    """
    return given("fft_irfft", _to_real(input, n, dim, norm, False), out)


@numpy_names
def hfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The real fft of a Hermitian signal, x[-j] = conj(x[j]), of which input is the first half.

    m elements along dim -> n real ones, by default 2 (m - 1). `norm` as for fft. Raises
    RuntimeError for n < 1.

    >>> import retrograd as torch
    >>> torch.fft.hfft(torch.tensor([1, 1, 1], dtype=torch.complex64))
    tensor([4., 0., 0., 0.])
    """
    return given("fft_hfft", _to_real(input, n, dim, norm, True), out)


def _to_real(input, n, dim, norm, forward):
    t = _to_complex(input)
    dim = _one(t, 1, dim)                      # an empty input may give a result, of zeros only
    n = 2 * (t._data.shape[dim] - 1) if n is None else n
    _check_size(n)
    t = _resized(t, (dim,), (n // 2 + 1,))
    return T.fft_c2r(t.conj() if forward else t, (dim,), _scale(norm, forward), n)


@numpy_names
def ihfft(input, n=None, dim=-1, norm=None, *, out=None):
    """The inverse of hfft: n real elements along dim -> the first n // 2 + 1 of a Hermitian signal.

    `norm` as for ifft. Raises RuntimeError for complex input.

    >>> import retrograd as torch
    >>> torch.fft.ihfft(torch.ones(4))
    tensor([1.-0.j, 0.-0.j, 0.-0.j])
    """
    t = _real("ihfft", input)
    dim = _one(t, n, dim)
    t = _resized(t, (dim,), (n,))
    return given("fft_ihfft", T.fft_r2c(t, (dim,), _scale(norm, False), True).conj(), out)


# --------------------------------------------------------------------------- several dimensions

@numpy_names
def fftn(input, s=None, dim=None, norm=None, *, out=None):
    """fft along each of the dimensions `dim`, by default all.

    In two of them, X[k, l] = `sum over p, q of x[p, q] exp(-2 pi i (p k / n + q l / m))`. input is
    first cut, or filled up with zeros, to the sizes s in these dimensions. `norm` as for fft, with
    the product of the sizes for n. Raises RuntimeError for a dimension that is named twice.

    >>> import retrograd as torch
    >>> torch.fft.fftn(torch.ones(2, 2))
    tensor([[4.+0.j, 0.+0.j],
            [0.+0.j, 0.+0.j]])
    """
    return given("fft_fftn", _over(input, s, dim, norm, True), out)


@numpy_names
def ifftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of fftn: ifft along each dimension in `dim`, by default all.

    input is first cut, or filled up with zeros, to the sizes s in these dimensions. Raises
    RuntimeError for a dimension that is named twice.

    >>> import retrograd as torch
    >>> torch.fft.ifftn(torch.ones(2, 2)).real
    tensor([[1., 0.],
            [0., 0.]])
    """
    return given("fft_ifftn", _over(input, s, dim, norm, False), out)


def _over(input, s, dim, norm, forward):
    t = _to_complex(input)
    dims, sizes = _several(t, s, dim)
    t = _resized(t, dims, sizes)
    return T.fft_c2c(t, dims, _scale(norm, forward), forward) if dims else t


@numpy_names
def rfftn(input, s=None, dim=None, norm=None, *, out=None):
    """fftn of a real input, the first half of it: (..., m, n) -> (..., m, n // 2 + 1).

    The other half are conjugates of it. Arguments are those of fftn. Raises RuntimeError for
    complex input.

    >>> import retrograd as torch
    >>> torch.fft.rfftn(torch.ones(2, 4)).shape
    torch.Size([2, 3])
    """
    t = _real("rfftn", input)
    dims, sizes = _several(t, s, dim)
    if not dims:
        raise RuntimeError("rfftn must transform at least one axis")
    t = _resized(t, dims, sizes)
    return given("fft_rfftn", T.fft_r2c(t, dims, _scale(norm, True), True), out)


def _half_sizes(name, t, s, dim):
    """(dimensions, sizes of the half spectrum, size of the last dimension of the result)."""
    dims, sizes = _several(t, s, dim)
    if not dims:
        raise RuntimeError(f"{name} must transform at least one axis")
    last = 2 * (t._data.shape[dims[-1]] - 1) if sizes[-1] is None else index(sizes[-1])
    _check_size(last)
    return dims, [*sizes[:-1], last // 2 + 1], last


@numpy_names
def irfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of rfftn: (..., m, k) -> (..., m, n) of real numbers, n by default 2 (k - 1).

    Arguments are those of ifftn. Give the last of the sizes `s` where it is odd: k does not tell.
    Raises RuntimeError for a dimension that is named twice.

    >>> import retrograd as torch
    >>> torch.fft.irfftn(torch.fft.rfftn(torch.eye(2)))
    tensor([[1., 0.],
            [0., 1.]])
    """
    t = _to_complex(input)
    dims, sizes, last = _half_sizes("irfftn", t, s, dim)
    t = _resized(t, dims, sizes)
    return given("fft_irfftn", T.fft_c2r(t, dims, _scale(norm, False), last), out)


@numpy_names
def hfftn(input, s=None, dim=None, norm=None, *, out=None):
    """hfft along the last dimension in `dim`, and fft along the others: the result is real.

    input is the first half of a Hermitian signal, in the last dimension. Arguments are those of
    fftn. Raises RuntimeError for a dimension that is named twice.

    >>> import retrograd as torch
    >>> torch.fft.hfftn(torch.ones(2, 2)).shape
    torch.Size([2, 2])
    """
    t = _to_complex(input)
    dims, sizes, last = _half_sizes("hfftn", t, s, dim)
    t = _resized(t, dims, sizes)
    scale = _scale(norm, True)
    if len(dims) > 1:
        t = T.fft_c2c(t, dims[:-1], scale, True)
    return given("fft_hfftn", T.fft_c2r(t.conj(), dims[-1:], scale, last), out)


@numpy_names
def ihfftn(input, s=None, dim=None, norm=None, *, out=None):
    """The inverse of hfftn: ihfft along the last dimension in `dim`, and ifft along the others.

    Arguments are those of ifftn. Raises RuntimeError for complex input.

    >>> import retrograd as torch
    >>> torch.fft.ihfftn(torch.ones(2, 4)).shape
    torch.Size([2, 3])
    """
    if is_complex(input):
        raise RuntimeError("Only supports floating-point dtypes, but found: "
                           f"{input.dtype.tensor_name}")
    t = _floating(input)
    dims, sizes = _several(t, s, dim)
    if not dims:
        raise RuntimeError("ihfftn must transform at least one axis")
    t = _resized(t, dims, sizes)
    scale = _scale(norm, False)
    res = T.fft_r2c(t, dims[-1:], scale, True).conj()
    if len(dims) > 1:
        res = T.fft_c2c(res, dims[:-1], scale, False)
    return given("fft_ihfftn", res, out)


def _two(function, name, text, shape, columns=4):
    @numpy_names
    def two(input, s=None, dim=(-2, -1), norm=None, *, out=None):
        return function(input, s, dim, norm, out=out)
    two.__name__ = two.__qualname__ = name
    two.__doc__ = f"""{text}

    In the dimensions `dim`, by default the last two: {shape}. Formula, arguments and errors
    are those of {function.__name__}.

    >>> import retrograd as torch
    >>> torch.fft.{name}(torch.ones(2, 4)).shape
    torch.Size([2, {columns}])
    """
    return two


fft2 = _two(fftn, "fft2", "fft over two dimensions.", "(*, n, m) -> (*, n, m)")
ifft2 = _two(ifftn, "ifft2", "The inverse of fft2.", "(*, n, m) -> (*, n, m)")
rfft2 = _two(rfftn, "rfft2", "rfft over two dimensions.", "(*, n, m) -> (*, n, m // 2 + 1)", 3)
irfft2 = _two(irfftn, "irfft2", "The inverse of rfft2.", "(*, n, k) -> (*, n, 2 (k - 1))", 6)
hfft2 = _two(hfftn, "hfft2", "hfft over two dimensions.", "(*, n, k) -> (*, n, 2 (k - 1))", 6)
ihfft2 = _two(ihfftn, "ihfft2", "The inverse of hfft2.", "(*, n, m) -> (*, n, m // 2 + 1)", 3)


# --------------------------------------------------------------------------- frequencies, shifts

def _frequencies(name, counts, length, dtype, out, options, requires_grad):
    check_options(*options)
    kind = np_dtype(dtype)
    if kind.kind in "biu":
        raise RuntimeError(f"{name} requires a floating point or complex dtype")
    with np.errstate(divide="ignore", invalid="ignore"):
        made = counts.astype(kind) * (1.0 / np.float64(length)).astype(kind)
    res = tensor_of(made, requires_grad, options[1])
    if out is not None and out._data.size != made.size:
        warn_of_another_size(out, made.size)
        out.resize_(made.size)
    return given("fft_fftfreq", res, out)


def fftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """The frequencies that the elements of an fft belong to, for n samples d apart: (n,).

    These are [0, 1, ..., -2, -1] / (d n), the positive ones first. `rfftfreq` has those of rfft.

    >>> import retrograd as torch
    >>> torch.fft.fftfreq(4)
    tensor([ 0.0000,  0.2500, -0.5000, -0.2500])
    """
    n, d = _count(n, "fft_fftfreq"), number_of(d, "d")
    if n < 0:
        raise negative_size([n])
    counts = np.r_[:(n + 1) // 2, -(n // 2):0]
    return _frequencies("fftfreq", counts, n * d, dtype, out, (layout, device), requires_grad)


def rfftfreq(n, d=1.0, *, out=None, dtype=None, layout=None, device=None, requires_grad=False):
    """The frequencies that the elements of an rfft belong to, for n samples d apart: (n // 2 + 1,).

    These are [0, 1, ..., n // 2] / (d n).

    >>> import retrograd as torch
    >>> torch.fft.rfftfreq(4)
    tensor([0.0000, 0.2500, 0.5000])
    """
    n, d = _count(n, "fft_rfftfreq"), number_of(d, "d")
    counts = np.arange(int(n / 2) + 1)
    return _frequencies("rfftfreq", counts, n * d, dtype, out, (layout, device), requires_grad)


def _count(n, name):
    if not hasattr(n, "__index__") or isinstance(n, bool):
        raise must_be("int", name, "n", 1, n)
    return index(n)


def _shifted(input, dim, half):
    ndim = input._data.ndim
    if dim is None:
        dim = range(ndim)
    elif not isinstance(dim, (tuple, list)):
        dim = (dim,)
    if not dim:
        raise RuntimeError("`shifts` required")
    for d in [wrap_dim(d, ndim) for d in dim]:             # one given twice is rolled twice
        input = input.roll(half(input._data.shape[d]), d)
    return input


@numpy_names
def fftshift(input, dim=None):
    """input rolled by half its size along `dim`, by default along all dimensions.

    y[n // 2] is x[0]. It puts the frequency 0 of an fft into the middle.

    >>> import retrograd as torch
    >>> torch.fft.fftshift(torch.tensor([0, 1, -2, -1]))
    tensor([-2, -1,  0,  1])
    """
    return _shifted(input, dim, lambda n: n // 2)


@numpy_names
def ifftshift(input, dim=None):
    """The inverse of fftshift: input rolled back, so that the middle element comes first.

    It differs from fftshift where a size is odd.

    >>> import retrograd as torch
    >>> torch.fft.ifftshift(torch.tensor([-2, -1, 0, 1]))
    tensor([ 0,  1, -2, -1])
    """
    return _shifted(input, dim, lambda n: (n + 1) // 2)
