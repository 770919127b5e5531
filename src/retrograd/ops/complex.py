"""Complex numbers: parts, conjugate, angle, and complex tensors seen as pairs of real ones."""

from __future__ import annotations

from .. import _dtype
from .._tensor import Tensor
from . import samples as S
from .arguments import must_be
from .batching import physical
from .declare import F as T
from .declare import composite, op
from .formulas import both
from .out import fill_checked
from .public import method, public
from .support import element, need_tensors

op("conj_complex(self)", "ConjBackward0", public=False, samples=S.complex_singles,
    self = lambda F, g: F.conj(g),
    jvp  = "linear")

op("conj_physical_complex(self)", "ConjPhysicalBackward0", public=False, inplace=True,
    samples=S.complex_singles,
    self = lambda F, g: F.conj(g),
    jvp  = "linear")

op("conj_physical_here(self)", "ConjPhysicalBackward1", public=False, inplace=True,
    kernel="conj_physical_complex", samples=S.complex_singles,
    self = lambda F, g: F.conj(g),
    jvp  = "linear")

op("view_as_real(self)", "ViewAsRealBackward0", view=True, public="function",
    samples=S.complex_singles,
    self = lambda F, g: F.view_as_complex(F.contiguous(g)),
    jvp  = "linear")

op("view_as_complex(self)", "ViewAsComplexBackward0", view=True, public=False,
    samples=S.complex_as_real,
    self = lambda F, g: F.view_as_real(g),
    jvp  = "linear")

op("real_part(self)", "SelectBackward0", view=True, public=False, samples=S.complex_singles,
    self = lambda F, g: F.make_complex(g, F.zeros_like(g)),
    jvp  = "linear")

op("imag_part(self)", "SelectBackward0", view=True, public=False, samples=S.complex_singles,
    self = lambda F, g: F.make_complex(F.zeros_like(g), g),
    jvp  = "linear")

op("make_complex(real, imag)", "ComplexBackward0", broadcasts=True, public=False, samples=S.pairs,
    real = lambda F, g: F.real(g),
    imag = lambda F, g: F.imag(g),
    jvp  = lambda F, real, imag, real_t, imag_t:
               F.make_complex(F.zeros_like(real) if real_t is None else real_t,
                              F.zeros_like(imag) if imag_t is None else imag_t))

op("polar(abs, angle)", "PolarBackward0", broadcasts=True, public=False, samples=S.positive_pairs,
    abs   = lambda F, g, result: F.real(F.conj(g) * F.sgn(result)),
    angle = lambda F, g, result: F.real(F.conj(g) * result * 1j),
    jvp   = lambda F, abs, angle, abs_t, angle_t:
                both(None if abs_t is None else F.polar(abs_t, angle),
                     None if angle_t is None else F.polar(abs, angle) * 1j * angle_t))

op("angle(self)", "AngleBackward0", floats=True, samples=S.singles,
    self = lambda F, g, self: angle_gradient(F, g, self),
    jvp  = lambda F, self, self_t: angle_tangent(F, self_t, self))


def angle_gradient(F, g, z):
    """(-im + i re) g / |z|^2 for complex z; zero for real."""
    if not F.is_complex(z):
        return F.zeros_like(g)
    size = F.real(z * F.conj(z))
    scale = F.where(size == 0, 0, g / size)
    return F.make_complex(F.imag(z) * -scale, F.real(z) * scale)


def angle_tangent(F, t, z):
    if not F.is_complex(z):
        return F.zeros_like(t)
    size = F.real(z * F.conj(z))
    return F.where(size == 0, 0, F.imag(F.conj(z) * t) / size)


# --------------------------------------------------------------------------- for formulas

@composite
def is_complex(t):
    return t._data.dtype.kind == "c"


@composite
def conj(t):
    """The conjugate; a real Tensor is its own."""
    return T.conj_complex(t) if t._data.dtype.kind == "c" else t


@composite
def real(t):
    """The real part; a real Tensor is its own."""
    return T.real_part(t) if t._data.dtype.kind == "c" else t


@composite
def imag(t):
    """The imaginary part, zero for a real Tensor."""
    return T.imag_part(t) if t._data.dtype.kind == "c" else T.zeros_like(t)


@composite
def contiguous(t):
    return t if t._data.flags.c_contiguous else T.clone(t)


# --------------------------------------------------------------------------- public functions

@public(name="conj")
def public_conj(input):
    """The complex conjugate, a - b i of a + b i; a real tensor is returned as it is.

    PyTorch marks the same memory as conjugated; here the conjugate is computed, in memory of its
    own.

    >>> import retrograd as torch
    >>> torch.conj(torch.tensor([1 + 2j])).resolve_conj()
    tensor([1.-2.j])
    """
    return conj(input)


@public
def conj_physical(input, *, out=None):
    """The complex conjugate in memory of its own; a real tensor is returned as it is.

    >>> import retrograd as torch
    >>> torch.conj_physical(torch.tensor([1 + 2j]))
    tensor([1.-2.j])
    """
    res = T.conj_physical_complex(input) if is_complex(input) else input
    return res if out is None else fill_checked("conj_physical", out, res, input)


@method
def conj_physical_(self):
    """`conj_physical` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `conj_physical` raises, and RuntimeError where
    self cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([1 + 2j]).conj_physical_()
    tensor([1.-2.j])
    """
    return self if self._data.dtype.kind == "b" else T.conj_physical_here_(self)


@public
def resolve_conj(input):
    """The tensor itself: conjugates are always in memory here.

    >>> import retrograd as torch
    >>> torch.resolve_conj(torch.tensor([1j]).conj())
    tensor([0.-1.j])
    """
    need_tensors("resolve_conj", input)
    return input


@public
def resolve_neg(input):
    """The tensor itself: negated values are always in memory here.

    >>> import retrograd as torch
    >>> torch.resolve_neg(torch.ones(1))
    tensor([1.])
    """
    need_tensors("resolve_neg", input)
    return input


@public
def is_conj(input):
    """False: a conjugate is never pending here.

    >>> import retrograd as torch
    >>> torch.is_conj(torch.tensor([1j]))
    False
    """
    need_tensors("is_conj", input)
    return False


@public
def is_neg(input):
    """False: a negation is never pending here.

    >>> import retrograd as torch
    >>> torch.is_neg(torch.ones(1))
    False
    """
    need_tensors("is_neg", input)
    return False


@public(name="real", method=False)
def public_real(input):
    """The real part of complex numbers, as a view; a real tensor is returned as it is.

    A write to the result changes `input`.

    >>> import retrograd as torch
    >>> torch.real(torch.tensor([1 + 2j]))
    tensor([1.])
    """
    return real(input)


@public(name="imag", method=False)
def public_imag(input):
    """The imaginary part of complex numbers, as a view.

    A write to the result changes `input`. Raises RuntimeError for real tensors.

    >>> import retrograd as torch
    >>> torch.imag(torch.tensor([1 + 2j]))
    tensor([2.])
    """
    if not is_complex(input):
        raise RuntimeError("imag is not implemented for tensors with non-complex dtypes.")
    return T.imag_part(input)


@public(name="view_as_complex", method=False)
def public_view_as_complex(input):
    """Pairs of real numbers in the last dimension as complex ones, a view: (*, 2) -> (*).

    Raises RuntimeError for integers, for a last dimension of another size, and for strides that do
    not put the two numbers of a pair side by side.

    >>> import retrograd as torch
    >>> torch.view_as_complex(torch.tensor([[1., 2.]]))
    tensor([1.+2.j])
    """
    array = input._data
    if array.dtype.kind != "f":
        raise RuntimeError("view_as_complex is only supported for half, float and double tensors, "
                           f"but got a tensor of scalar type: {input.dtype.tensor_name}")
    if not array.ndim:
        raise RuntimeError("Input tensor must have one or more dimensions")
    if array.shape[-1] != 2:
        raise RuntimeError("Tensor must have a last dimension of size 2")
    strides = physical(input)._data.strides
    if array.size and strides[-1] != array.itemsize:
        raise RuntimeError("Tensor must have a last dimension with stride 1")
    if array.size and any(s % (2 * array.itemsize) for s in strides[:-1]):
        raise RuntimeError("Tensor must have a stride divisible by 2 for all but last dimension")
    return T.view_as_complex(input)


@public(method=False)
def complex(real, imag, *, out=None):
    """real + i imag, from two floating tensors of one dtype; shapes broadcast.

    float32 gives complex64, float64 complex128. Raises RuntimeError for other dtypes.

    >>> import retrograd as torch
    >>> torch.complex(torch.tensor([1., 2.]), torch.tensor([3., 4.]))
    tensor([1.+3.j, 2.+4.j])
    """
    check_parts("complex", ("real", "imag"), real, imag, out)
    res = T.make_complex(real, imag)
    return res if out is None else fill_checked("complex", out, res, real, imag)


@public(method=False, name="polar")
def public_polar(abs, angle, *, out=None):
    """abs (cos angle + i sin angle), from two floating tensors of one dtype; shapes broadcast.

    float32 gives complex64, float64 complex128. Raises RuntimeError for other dtypes.

    >>> import retrograd as torch
    >>> torch.polar(torch.tensor([2.]), torch.tensor([0.]))
    tensor([2.+0.j])
    """
    check_parts("polar", ("abs", "angle"), abs, angle, out)
    res = T.polar(abs, angle)
    return res if out is None else fill_checked("polar", out, res, abs, angle)


def check_parts(function, names, real, imag, out):
    """Raise unless both parts are floating tensors of one dtype, and `out` complex of theirs."""
    for k, (name, part) in enumerate(zip(names, (real, imag), strict=True), 1):
        if not isinstance(part, Tensor):
            raise must_be("Tensor", function, name, k, part)
    a, b = real._data, imag._data
    if a.dtype.kind != "f" or b.dtype.kind != "f":
        raise RuntimeError("Expected both inputs to be Half, Float or Double tensors but got "
                           f"{real.dtype.tensor_name} and {imag.dtype.tensor_name}")
    if a.dtype != b.dtype:
        raise RuntimeError(f"Expected object of scalar type {real.dtype.tensor_name} but got "
                           f"scalar type {imag.dtype.tensor_name} for second argument")
    if out is not None and out.dtype is not _dtype.complex_for(real.dtype):
        raise RuntimeError("Expected object of scalar type "
                           f"{_dtype.complex_for(real.dtype).tensor_name} but got scalar type "
                           f"{out.dtype.tensor_name} for argument 'out'")


def set_real(self, value):
    part = real(self)
    part.copy_(element(value, part))


def set_imag(self, value):
    part = public_imag(self)
    part.copy_(element(value, part))


Tensor.real = property(real, set_real,
                       doc="""The real part as a view; the tensor itself if it is real.

    >>> import retrograd as torch
    >>> torch.tensor([1 + 2j]).real
    tensor([1.])
    """)
Tensor.imag = property(public_imag, set_imag, doc="""The imaginary part as a view.

    RuntimeError for real tensors.

    >>> import retrograd as torch
    >>> z = torch.tensor([1 + 2j])
    >>> z.imag = 5.0; z
    tensor([1.+5.j])
    """)
