"""Which dtypes a kernel takes: half precision is computed in float32, integers are refused."""

from __future__ import annotations

import inspect
from functools import wraps

import numpy as np

from . import fast
from .checks import not_implemented

SINGLE, HALF = np.dtype("float32"), np.dtype("float16")
NORMAL = np.float32(2**-14)             # the smallest normal number of float16
STEP = np.float32(0.75)  # added to this, float32 keeps the digits of float16 below NORMAL
PROBES = 64


def converted(a, dtype):
    """a.astype(dtype); as in PyTorch half precision is made from float32, which rounds float64
    twice, and read as float32."""
    if (is_half(dtype) or is_half(a.dtype)) and dtype not in (SINGLE, a.dtype) \
            and a.dtype is not SINGLE:
        a = _cast_by_size(a, SINGLE)
    return _cast_by_size(a, dtype)


def _cast(a, dtype):
    return (eased(a) if dtype is HALF else a).astype(dtype)


def eased(a):
    """`a`, or, if most of it is tiny, numbers of the same float16 that NumPy converts faster."""
    if a.size > 4 * PROBES and a.dtype.char == "f" and mostly_tiny(a):
        return rounded_below_normal(a)
    return a


def mostly_tiny(a):
    """Whether many numbers of a sample of `a` are below float16's normal numbers: to round one of
    those takes NumPy 70 nanoseconds, any other 2."""
    size = abs(a.reshape(-1)[::a.size // PROBES]) if a.flags.forc else abs(a)
    return np.count_nonzero((size < NORMAL) & (size > 0)) * 16 > size.size


def rounded_below_normal(a):
    """The float32 numbers, but those below NORMAL rounded to numbers of float16."""
    near = a + STEP
    near -= STEP
    np.copysign(near, a, near)
    return np.where(abs(a) < NORMAL, near, a)


_cast_by_size = fast.either("cast", _cast)


def in_dtype(a, dtype):
    """The numbers of `a` in a dtype; `a` itself if that is the one it has."""
    return a if a.dtype is dtype else converted(a, dtype)


def is_half(dtype):
    """Whether dtype is float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind not in "iub"


def widened(a):
    """Half precision as float32, anything else as it is."""
    known = isinstance(a, (np.ndarray, np.generic))
    return in_dtype(a, SINGLE) if known and is_half(a.dtype) else a


def floating(label, also="", round_first=False):
    """Make a kernel take float32 and float64, and half precision by way of float32.

    `also` has the characters of other dtypes that it takes; the rest raise NotImplementedError.
    With `round_first` only the first result becomes half precision, what backward needs does not.
    """
    taken = "fd" + also

    def decorate(kernel):
        def by_single(x, *rest):
            if not is_half(x.dtype):
                refuse(label, x.dtype)
            result = kernel(widened(x), *map(widened, rest))
            if round_first:
                return narrowed(result[0], x.dtype), *result[1:]
            return narrowed(result, x.dtype)
        return usually(kernel, f"{{}}.dtype.char in {taken!r}", by_single)
    return decorate


def usually(kernel, test, otherwise):
    """A function that calls `kernel` if its first argument passes `test`, and `otherwise` if not.

    `test` is source code in which {} stands for the argument. The function is generated with the
    kernel's own parameters, since handing on *rest takes as long as NumPy's calls.
    """
    signature = inspect.signature(kernel)
    first, *_ = names = [*signature.parameters]
    scope = {"kernel": kernel, "otherwise": otherwise}
    text = (f"def run{signature}:\n"
            f"    if {test.format(first)}: return kernel({', '.join(names)})\n"
            f"    return otherwise({', '.join(names)})")
    # the file name makes its frames the package's own
    exec(compile(text, f"{__file__} <{kernel.__name__}>", "exec"), scope)
    return wraps(kernel)(scope["run"])


def check_single(label, dtype):
    """Refuse what is neither float32 nor float64."""
    if dtype.char not in "fd":
        refuse(label, dtype)


def check_floating(label, dtype):
    """Refuse what is neither float32, float64 nor half precision."""
    if dtype.char not in "fd" and not is_half(dtype):
        refuse(label, dtype)


def narrowed(result, dtype):
    if isinstance(result, tuple):
        return tuple(narrowed(r, dtype) for r in result)
    return in_dtype(result, dtype) if result.dtype == SINGLE else result


def refuse(label, dtype):
    """Raise PyTorch's error for a dtype that a kernel does not take."""
    raise not_implemented(label, dtype)
