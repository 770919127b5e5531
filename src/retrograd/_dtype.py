"""dtypes: PyTorch's names for NumPy's, and PyTorch's promotion rules.

A `dtype` wraps one NumPy dtype. Tensors do not store theirs: it is read off the array, through
`of`. Promotion follows PyTorch, not NumPy: an integer tensor never widens a floating one, and
tensors without dimensions and Python numbers only decide between *kinds* (bool < integer <
floating < complex).
"""

from __future__ import annotations

from functools import cache

import numpy as np

KINDS = {"b": 0, "i": 1, "u": 1, "f": 2, "V": 2, "c": 3}   # V: bfloat16, as ml_dtypes registers it

_name = type.__dict__["__name__"]
full_name = _name.__get__


class InC(type):
    """Makes classes that PyTorch writes in C, which Python's errors call by their full names.

    "unsupported operand type(s) for -: 'torch.Size' and 'int'", though Size.__name__ is "Size".
    """

    __name__: str = property(                               # pyright: ignore
        lambda cls: full_name(cls).rpartition(".")[2])

    def lie_in(cls, module: str) -> None:
        """Say that the class belongs to this module."""
        cls.__module__ = module
        _name.__set__(cls, f"{module}.{cls.__qualname__}")


class dtype(metaclass=InC):
    """An element type, such as `torch.float32`; there is one object of each, compared by identity.

    >>> import retrograd as torch
    >>> torch.float32.itemsize, torch.float32.is_floating_point, torch.float is torch.float32
    (4, True, True)
    """

    def __init__(self, name: str, numpy_name: str | None, letter_name: str, size: int, kind: str):
        self.name = name
        self.numpy_name = numpy_name
        self.tensor_name = letter_name        # "Float" in torch.FloatTensor and in messages
        self.itemsize = size
        self.rank = KINDS[kind]               # bool 0, integer 1, floating 2, complex 3
        self.is_floating_point = self.rank == 2
        self.is_complex = self.rank == 3
        self.is_signed = kind not in "bu"
        if numpy_name is not None:
            self.np = np.dtype(numpy_name)

    def __getattr__(self, name):
        if name == "np" and self is bfloat16:         # its type is an extra's
            self.np = _bfloat16()
            return self.np
        if name == "np":
            raise NotImplementedError(f"{self}: NumPy has no such type")
        raise AttributeError(f"'torch.dtype' object has no attribute '{name}'")

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        from ._utils import _public
        return _public, (self.name,)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self

    @property
    def c_name(self) -> str:
        """C++'s name of it, which some messages use: float, double, long long."""
        return _C_NAMES.get(self.tensor_name, self.tensor_name)

    @property
    def option_name(self) -> str:
        """C++'s longer name of it, as in `TensorOptions(dtype=long int, ...)`."""
        return _OPTION_NAMES.get(self.tensor_name, self.c_name)

    def to_real(self) -> dtype:
        """The dtype of the real part: complex64 -> float32; real dtypes are their own."""
        return _REAL.get(self, self)

    def to_complex(self) -> dtype:
        """The complex dtype whose parts have this one: float64 -> complex128.

        Raises RuntimeError for integers and bool.
        """
        if self.rank < 2:
            raise RuntimeError(f"Unknown Complex ScalarType for {self.tensor_name}")
        return complex32 if self is float16 else _COMPLEX.get(self, self)


dtype.lie_in("torch")


def _bfloat16():
    try:
        import ml_dtypes
    except ImportError:
        raise ImportError("torch.bfloat16 needs the package ml_dtypes: "
                          "pip install 'retrograd[bfloat16]'") from None
    if np.lib.NumpyVersion(np.__version__) < "2.1.0":     # which makes float32 of it and a number
        raise ImportError("torch.bfloat16 needs NumPy 2.1 or later: pip install -U numpy")
    found = np.dtype(ml_dtypes.bfloat16)
    BY_NUMPY[found] = bfloat16
    return found


uint8 = dtype("uint8", "uint8", "Byte", 1, "u")
int8 = dtype("int8", "int8", "Char", 1, "i")
int16 = dtype("int16", "int16", "Short", 2, "i")
int32 = dtype("int32", "int32", "Int", 4, "i")
int64 = dtype("int64", "int64", "Long", 8, "i")
uint16 = dtype("uint16", "uint16", "UInt16", 2, "u")
uint32 = dtype("uint32", "uint32", "UInt32", 4, "u")
uint64 = dtype("uint64", "uint64", "UInt64", 8, "u")
float16 = dtype("float16", "float16", "Half", 2, "f")
bfloat16 = dtype("bfloat16", None, "BFloat16", 2, "f")
float32 = dtype("float32", "float32", "Float", 4, "f")
float64 = dtype("float64", "float64", "Double", 8, "f")
complex32 = dtype("complex32", None, "ComplexHalf", 4, "c")
complex64 = dtype("complex64", "complex64", "ComplexFloat", 8, "c")
complex128 = dtype("complex128", "complex128", "ComplexDouble", 16, "c")
bool_ = dtype("bool", "bool", "Bool", 1, "b")

# Names that programs mention; NumPy has no arrays of these
float8_e4m3fn = dtype("float8_e4m3fn", None, "Float8_e4m3fn", 1, "f")
float8_e5m2 = dtype("float8_e5m2", None, "Float8_e5m2", 1, "f")
float8_e4m3fnuz = dtype("float8_e4m3fnuz", None, "Float8_e4m3fnuz", 1, "f")
float8_e5m2fnuz = dtype("float8_e5m2fnuz", None, "Float8_e5m2fnuz", 1, "f")
float8_e8m0fnu = dtype("float8_e8m0fnu", None, "Float8_e8m0fnu", 1, "f")
quint8 = dtype("quint8", None, "QUInt8", 1, "u")
qint8 = dtype("qint8", None, "QInt8", 1, "i")
qint32 = dtype("qint32", None, "QInt32", 4, "i")
quint4x2 = dtype("quint4x2", None, "QUInt4x2", 1, "u")
quint2x4 = dtype("quint2x4", None, "QUInt2x4", 1, "u")

ALL = (uint8, int8, int16, int32, int64, uint16, uint32, uint64, float16, bfloat16, float32,
       float64, complex32, complex64, complex128, bool_, float8_e4m3fn, float8_e5m2,
       float8_e4m3fnuz, float8_e5m2fnuz, float8_e8m0fnu, quint8, qint8, qint32, quint4x2, quint2x4)
BY_NUMPY = {d.np: d for d in ALL if d.numpy_name}
ALIASES = {"half": float16, "float": float32, "double": float64, "short": int16, "int": int32,
           "long": int64, "chalf": complex32, "cfloat": complex64, "cdouble": complex128,
           "bool": bool_}

_C_NAMES = {"Float": "float", "Double": "double", "Long": "long long", "Int": "int",
            "Short": "short", "Char": "signed char", "Byte": "unsigned char", "Bool": "bool",
            "Half": "c10::Half", "BFloat16": "c10::BFloat16",
            "ComplexFloat": "c10::complex<float>", "ComplexDouble": "c10::complex<double>"}
_OPTION_NAMES = {"Long": "long int", "Short": "short int", "UInt16": "short unsigned int",
                 "UInt32": "unsigned int", "UInt64": "long unsigned int", "Bool": "bool"}
_REAL = {complex32: float16, complex64: float32, complex128: float64}
_COMPLEX = {float16: complex64, bfloat16: complex64, float32: complex64, float64: complex128}
_WIDE_UNSIGNED = (uint16, uint32, uint64)

_LIMITS = {         # what NumPy does not know: eps, max, smallest normal number, resolution
    bfloat16: (2**-7, (2 - 2**-7) * 2.0**127, 2.0**-126, 0.01),
    float8_e4m3fn: (2**-3, 448.0, 2**-6, 1.0),
    float8_e5m2: (2**-2, 57344.0, 2**-14, 1.0),
    float8_e4m3fnuz: (2**-3, 240.0, 2**-7, 1.0),
    float8_e5m2fnuz: (2**-3, 57344.0, 2**-15, 1.0),
    float8_e8m0fnu: (1.0, 2.0**127, 2.0**-127, 1.0),
}


_FLOAT8 = (float8_e4m3fn, float8_e5m2, float8_e4m3fnuz, float8_e5m2fnuz, float8_e8m0fnu)


def complex_for(d: dtype) -> dtype:
    """The complex dtype that arithmetic in dtype `d` gives; NumPy has none of half precision."""
    return d if d.is_complex else _COMPLEX.get(d, complex64)


class _Default:
    """The process-wide default floating dtype; `np` is read on every promotion of a number."""
    dtype = float32
    np = float32.np


default = _Default()


def of(array) -> dtype:
    """The dtype of an array: of(np.zeros(1)) is float64."""
    found = BY_NUMPY.get(array.dtype)
    if found is None:
        if array.dtype.name == "bfloat16":
            _bfloat16()
            return bfloat16
        raise TypeError(
            f"can't convert np.ndarray of type {array.dtype.type.__module__}."
            f"{array.dtype.type.__name__}. The only supported types are: float64, float32, "
            "float16, complex64, complex128, int64, int32, int16, int8, uint64, uint32, uint16, "
            "uint8, and bool.")
    return found


def as_dtype(d) -> dtype:
    """A dtype from a dtype or from Python's own float, int, bool, complex."""
    if isinstance(d, dtype):
        return d
    if d in _PYTHON:
        return _PYTHON[d]
    from .ops.factory import wrong_option
    raise wrong_option("torch.dtype", "dtype", d)


_PYTHON = {float: float64, int: int64, bool: bool_, complex: complex128}


def get_default_dtype() -> dtype:
    """The dtype that floating-point numbers get when none is given (float32 at start).

    >>> import retrograd as torch
    >>> torch.get_default_dtype()
    torch.float32
    """
    return default.dtype


def set_default_dtype(d: dtype) -> None:
    """Set the dtype of floating-point numbers that are given none.

    Raises TypeError unless `d` is a floating dtype.

    >>> import retrograd as torch
    >>> torch.set_default_dtype(torch.float64); torch.tensor(1.).dtype
    torch.float64
    >>> torch.set_default_dtype(torch.float32)
    """
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the "
                        "default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    default.dtype, default.np = d, d.np


def of_number(value) -> dtype:
    """The dtype a Python number counts as: float -> the default, int -> int64."""
    if isinstance(value, bool):
        return bool_
    if isinstance(value, int):
        return int64
    if isinstance(value, float):
        return default.dtype
    return complex_for(default.dtype)


def _complex_beside(a, b):
    """The promotion of a complex dtype and a floating one."""
    least = complex32 if b is float16 else _COMPLEX[b]
    return a if least.itemsize <= a.itemsize else least


def _check(name: str, **given: dtype) -> None:
    """Raise PyTorch's TypeError for the first argument that is no dtype."""
    for k, (argument, value) in enumerate(given.items(), 1):
        if not isinstance(value, dtype):
            raise TypeError(f"{name}(): argument '{argument}' (position {k}) must be torch.dtype, "
                            f"not {type(value).__name__}")


def promote_types(type1: dtype, type2: dtype) -> dtype:
    """The smallest dtype that both can become, by PyTorch's table.

    >>> import retrograd as torch
    >>> torch.promote_types(torch.int64, torch.float16)
    torch.float16
    """
    if type1 is type2:
        return type1
    _check("promote_types", type1=type1, type2=type2)
    if type1 in _FLOAT8 or type2 in _FLOAT8:
        raise RuntimeError("Promotion for Float8 Types is not supported, attempted to promote "
                           f"{type1.tensor_name} and {type2.tensor_name}")
    a, b = (type1, type2) if type1.rank >= type2.rank else (type2, type1)
    if {a, b} & set(_WIDE_UNSIGNED) and a.rank != 2:
        raise RuntimeError("Promotion for uint16, uint32, uint64 types is not supported, "
                           f"attempted to promote {type1.tensor_name} and {type2.tensor_name}")
    if a.rank == 3 and b.rank == 2:
        return _complex_beside(a, b)
    if a.rank != b.rank:
        return a
    if {a, b} == {float16, bfloat16}:
        return float32
    if bfloat16 in (a, b):
        return a if b is bfloat16 else b
    if a.is_complex:
        return a if a.itemsize >= b.itemsize else b
    return BY_NUMPY[np.promote_types(a.np, b.np)]


def _combine(high: dtype | None, low: dtype | None) -> dtype | None:
    """Let `low`, of a weaker class of operand, lift only the kind of `high`."""
    if high is None or low is None:
        return high or low
    if low.rank > high.rank:
        if high is bool_:
            return promote_types(high, low)
        return complex_for(high) if low.is_complex and high.is_floating_point else low
    return high


def result_type_of(operands) -> dtype:
    """The result dtype of an operation over (dtype, class) pairs.

    The class is 0 for a tensor with dimensions, 1 for a 0-d tensor, 2 for a Python number; a
    weaker class only lifts the kind.
    """
    best: list[dtype | None] = [None, None, None]
    for d, rank in operands:
        best[rank] = d if best[rank] is None else promote_types(best[rank], d)
    found = _combine(best[0], _combine(best[1], best[2]))
    assert found is not None
    return found


def can_cast(from_: dtype, to: dtype) -> bool:
    """Whether a result of dtype `from_` may be written into a tensor of dtype `to`.

    >>> import retrograd as torch
    >>> torch.can_cast(torch.float32, torch.int64)
    False
    """
    _check("can_cast", from_=from_, to=to)
    return from_.rank <= to.rank


class _Limits:
    """What finfo and iinfo have in common: they are equal if their numbers are."""

    dtype: str
    bits: int

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    def __hash__(self):
        return hash((type(self), self.dtype))


def _limits_of(name, type):
    try:
        return as_dtype(type)
    except TypeError:
        raise TypeError(f"{name}(): argument 'type' (position 1) must be torch.dtype, not "
                        f"{type.__class__.__name__}") from None


class finfo(_Limits, metaclass=InC):
    """Numerical limits of a floating dtype: eps, max, min, tiny, smallest_normal, resolution.

    >>> import retrograd as torch
    >>> torch.finfo(torch.float32).eps
    1.1920928955078125e-07
    """

    def __init__(self, type: dtype | None = None):
        d = default.dtype if type is None else _limits_of("finfo", type)
        if d.rank < 2:
            raise TypeError("torch.finfo() requires a floating point input type. Use torch.iinfo "
                            "to handle 'torch.finfo'")
        d = d.to_real()
        if d in _LIMITS:
            limits = _LIMITS[d]
        else:
            info = np.finfo(d.np)  # pyright: ignore
            limits = info.eps, info.max, info.smallest_normal, f"1e-{info.precision}"
        self.bits, self.dtype = d.itemsize * 8, d.name
        self.eps, self.max, self.smallest_normal, self.resolution = map(float, limits)
        self.tiny = self.smallest_normal
        self.min = self.smallest_normal if d is float8_e8m0fnu else -self.max

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, "
                f"eps={self.eps:g}, smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, "
                f"dtype={self.dtype})")


limits = cache(finfo)           # for operators: read only


class iinfo(_Limits, metaclass=InC):
    """Numerical limits of an integer dtype: bits, max, min.

    >>> import retrograd as torch
    >>> torch.iinfo(torch.int8).max
    127
    """

    def __init__(self, type: dtype):
        d = _limits_of("iinfo", type)
        if d is bool_:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if d.rank != 1:
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to "
                            "handle 'torch.iinfo'")
        info = np.iinfo(d.np)  # pyright: ignore
        self.bits, self.dtype = info.bits, d.name
        self.max, self.min = int(info.max), int(info.min)

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


finfo.lie_in("torch")
iinfo.lie_in("torch")
