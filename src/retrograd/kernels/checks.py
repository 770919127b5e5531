"""Argument checks and dtype names that the kernels share."""

import numpy as np

INT64 = np.dtype(np.int64)
INDEX_DTYPES = (INT64, np.dtype(np.int32))
UINT64 = np.dtype(np.uint64)
_UNSIGNED = {n: np.dtype(f"u{n}") for n in (1, 2, 4, 8)}

_SCALAR_NAMES = {
    "bool": "Bool",
    "uint8": "Byte",
    "int8": "Char",
    "int16": "Short",
    "int32": "Int",
    "int64": "Long",
    "uint16": "UInt16",
    "uint32": "UInt32",
    "uint64": "UInt64",
    "float16": "Half",
    "bfloat16": "BFloat16",
    "float32": "Float",
    "float64": "Double",
    "complex64": "ComplexFloat",
    "complex128": "ComplexDouble",
}


def scalar_name(dtype):
    """The name error messages use for an array's dtype: float32 -> "Float"."""
    return _SCALAR_NAMES[dtype.name]


def not_implemented(kernel, dtype):
    """PyTorch's error for a dtype that a kernel does not take."""
    return NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(dtype)}'")


def complex_beside(dtype):
    """Raise where a complex number meets arrays of this dtype, unless they are complex, too."""
    if dtype.kind != "c":
        name = {"d": "double", "e": "float", "f": "float", "V": "float"}.get(
            dtype.char if dtype.kind != "V" else "V", f"{dtype.name}_t")
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")


def fitting(number, dtype):
    """A Python int in an integer dtype; PyTorch's error if it does not fit."""
    try:
        return dtype.type(number)
    except OverflowError:
        name = "int" if dtype.name == "int32" else f"{dtype.name}_t"
        raise RuntimeError(
            f"value cannot be converted to type {name} without overflow") from None


# NOTE [32 bits]
#   Where pointers have 32 bits, as in a browser, so have the places and counts that NumPy returns,
#   and those that bincount, repeat and reduceat take; PyTorch's are of 64 bits everywhere. And the
#   character of int64 is "l" on one system and "q" on another: ask for the dtype.

def as_int64(places):
    """Places and counts from NumPy as PyTorch has them; see NOTE [32 bits]."""
    return places if places.dtype is INT64 else places.astype(INT64)


def as_intp(places):
    """Places and counts as NumPy takes them; see NOTE [32 bits]."""
    return places.astype(np.intp, copy=False)


def wrap_dim(dim, ndim):
    """dim counted from the front; a 0-d array accepts 0 and -1."""
    size = ndim or 1
    if not -size <= dim < size:
        raise no_dim(dim, size)
    return dim + size if dim < 0 else dim


def no_dim(dim, ndim) -> IndexError:
    """The error for a dimension that an array of `ndim` does not have."""
    return IndexError(f"Dimension out of range (expected to be in range of [{-ndim}, {ndim - 1}], "
                      f"but got {dim})")


def check_broadcast(a, b):
    """Raise unless the shapes a and b broadcast together."""
    for k in range(1, min(len(a), len(b)) + 1):
        if a[-k] != b[-k] and 1 not in (a[-k], b[-k]):
            raise RuntimeError(
                f"The size of tensor a ({a[-k]}) must match the size of tensor b ({b[-k]}) "
                f"at non-singleton dimension {max(len(a), len(b)) - k}"
            )


def all_below(index, size):
    """Whether every one of these integers lies in [0, size)."""
    if index.size == 0:
        return True
    if index.dtype is INT64:                 # a negative number is huge if read as unsigned
        index = index.view(UINT64)
    elif index.dtype.kind == "i":
        index = index.view(_UNSIGNED[index.itemsize])
    if index.size < 1024:                    # a reduction takes half a microsecond to begin
        return index.item(index.argmax()) < size
    return np.maximum.reduce(index, None) < size


def all_finite(a):
    """Whether all numbers are finite: as the sum of their squares tells, unless it is too large."""
    return bool(np.isfinite(np.vdot(a, a)) or np.isfinite(a).all())


def is_inexact(dtype):
    """True for floating-point and complex dtypes, bfloat16 (of kind V) included."""
    return dtype.kind in "fcV"
