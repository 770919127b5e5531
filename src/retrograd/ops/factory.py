"""What the functions that make tensors share: sizes, options, out=, and their errors."""

from __future__ import annotations

import math
from functools import cache
from inspect import CO_VARARGS, CO_VARKEYWORDS

import numpy as np

from .. import _dtype
from .._attributes import CPU, META, require_here, strided
from .._attributes import device as Device
from .._attributes import layout as Layout
from .._callers import called, entered, name_of
from .._dtype import as_dtype
from .._meta import NO_DATA, Meta, as_zeros, blank, without_numbers
from .._moving import resize
from .._state import features, state
from .._tensor import ON_META, SPARSE, Tensor, wrap
from ..kernels import layout
from ..kernels.half import is_half
from ..kernels.shape import fill_with
from .arguments import (
    NUMBERS,
    c_name,
    call_of,
    format_name,
    invalid_combination,
    must_be,
    not_given,
)
from .mistyped import of_call

TENSOR_OPTIONS = (
    "torch.dtype dtype = None, torch.layout layout = None, torch.device device = None, "
    "bool pin_memory = False, bool requires_grad = False"
)
OVERLOADED: dict[str, list[str]] = {}    # signatures of the factories that have several
LARGE = 2**16  # sizes from here on are multiplied to see whether they overflow
C_TYPES = {
    "int32": "int",
    "float32": "float",
    "float64": "double",
    "float16": "c10::Half",
    "bfloat16": "c10::BFloat16",
    "complex64": "c10::complex<float>",
}
NO_PINNED_MEMORY = (
    "pin_memory=True requires a CUDA or other accelerator backend; no pinned memory allocator is "
    "available on this system."
)


def sizes(name: str, args: tuple, size=None, signatures=()) -> tuple[int, ...]:
    """The shape that f(2, 3), f((2, 3)) or f(size=(2, 3)) asks for.

    Raises TypeError for what is not an integer, RuntimeError for negative or too many elements.
    """
    shape = args[0] if len(args) == 1 and args[0].__class__ in (tuple, list) else args
    if size is None and args:
        for n in shape:
            if n.__class__ is not int or not 0 <= n < LARGE:
                break
        else:
            return tuple(shape)
    if size is not None:
        if args:
            raise _two_sizes(name, signatures)
        if not isinstance(size, (tuple, list)):
            raise must_be("tuple of ints", entered_as(name), "size", None, size)
        args = (size,)
    in_one = len(args) == 1 and isinstance(args[0], (tuple, list))
    if in_one:
        args = args[0]
    elif not args or isinstance(args[0], (tuple, list)):
        raise _no_size(name, args, signatures)
    shape = tuple(
        [n if n.__class__ is int else _length(name, k, n, in_one) for k, n in enumerate(args, 1)]
    )
    for n in shape:
        if not 0 <= n < LARGE:
            _check_size(name, shape)
    return shape


def entered_as(name: str) -> str:
    """The name by which a factory was called: a tensor's new_zeros() calls zeros()."""
    found = called()
    return found if found == f"new_{name}" else name


def _no_size(name, args, signatures):
    name = entered_as(name)
    if signatures:
        return invalid_combination(name, args, {}, signatures)
    if args:
        return TypeError(f"{name}() takes 1 positional argument but {len(args)} were given")
    return not_given(name, ["size"])


def _two_sizes(name, signatures):
    if not signatures:
        return TypeError(f"{entered_as(name)}() got multiple values for argument 'size'")
    args, kwargs = arguments_of(entered())
    return invalid_combination(name, args, kwargs, signatures, handed_on=True)


def _check_size(name, shape):
    for n in shape:
        if n < 0 and entered_as(name) == "zeros":
            raise RuntimeError("zeros: Dimension size must be non-negative.")
        if n < 0:
            raise negative_size(shape)
    if math.prod(shape) >= 2**60:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)}")
    if math.prod(max(n, 1) for n in shape) >= 2**63:
        raise RuntimeError("Stride calculation overflowed")


def negative_size(shape) -> RuntimeError:
    """PyTorch's error for a shape with a negative size; it names the first."""
    n = next(n for n in shape if n < 0)
    return RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(shape)}")


def _length(name, position, n, in_one):
    try:
        return n.__index__()
    except (AttributeError, TypeError):
        pass
    name, kind = entered_as(name), c_name(n)
    if position == 1:
        found = f"but found element of type {kind} at pos 0" if in_one else f"not {kind}"
        raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, {found}")
    raise TypeError(
        f"{name}(): argument 'size' failed to unpack the object at pos {position} with error "
        f'"type must be tuple of ints,but got {kind}"'
    )


def number(name: str, argument: str, value, position: int):
    """A Python number from a number or a tensor without dimensions; TypeError for the rest."""
    if isinstance(value, (bool, int, float, complex)):
        return value
    if isinstance(value, np.generic) or (
            isinstance(value, Tensor) and not (value._flags & 1 or value._data.ndim)):
        return value.item()
    raise must_be("Number", entered_as(name), argument, position, value)


def check_number(value, dtype, type_name: str | None = None) -> None:
    """Raise RuntimeError if `dtype` cannot hold the number; unsigned ones wrap -max .. -1, whole
    numbers only."""
    if dtype.rank == 1:
        least, most = _range(dtype)
        if not (dtype.is_signed or isinstance(value, int)):
            least = 0
        fits = value.imag == 0 and least <= value.real <= most
    elif dtype.rank == 2:
        least, most = _range(dtype)
        fits = value.imag == 0 and (
            least <= value.real <= most
            or dtype is _dtype.float64
            or not math.isfinite(value.real)
        )
    elif dtype is _dtype.complex64:
        least, most = _range(dtype)
        fits = all(least <= x <= most or not math.isfinite(x) for x in (value.real, value.imag))
    else:
        fits = True
    if not fits:
        name = type_name or C_TYPES.get(dtype.name, f"{dtype.name}_t")
        raise RuntimeError(f"value cannot be converted to type {name} without overflow")


@cache
def _range(dtype):
    """The least and the largest number that check_number() lets pass."""
    limits = (_dtype.iinfo if dtype.rank == 1 else _dtype.finfo)(dtype)
    return limits.min or -limits.max, limits.max


def fitting(value, like: Tensor, name: str):
    """The number as the dtype of `like` holds it: unsigned integers wrap; RuntimeError for what
    does not fit, TypeError for anything that is not a number."""
    if like._data.dtype.kind == "f" and value.__class__ in (float, int) and -6e4 < value < 6e4:
        return value
    d = _dtype.of(like._data)
    if not isinstance(value, (int, float, complex)) or d is _dtype.bool_:
        if not isinstance(value, (*NUMBERS, np.generic, Tensor)):
            raise of_call(must_be("Number", name, "value", None, value))
        return value
    check_number(value, d)
    if value.__class__ is complex and d.rank < 3:
        value = value.real
    if d.rank == 1:
        whole = int(value.real)
        return whole % 2 ** (8 * d.itemsize) if whole < 0 and not d.is_signed else whole
    return value


def factor(value, like: Tensor, name: str):
    """The number as arithmetic with `like` holds it, in which halves are float32: fitting()'s
    conversions and errors."""
    if value.__class__ in (float, int) and 0 <= value <= 127:
        return value
    if is_half(like._data.dtype):
        check_number(value, _dtype.float32)
        return value
    return fitting(value, like, name)


def full_array(shape, value, dtype) -> np.ndarray:
    """An array of the number `value`, which `dtype` must be able to hold."""
    if not (is_half(dtype.np) and value.imag == 0 and math.prod(shape) == 1):
        check_number(value, dtype)  # PyTorch's way for one element lets halves overflow
    if dtype.rank == 1:
        value = int(value.real) % 2 ** (8 * dtype.itemsize)  # two's complement
        unsigned = np.full(shape, value, f"u{dtype.itemsize}")
        return unsigned if unsigned.dtype == dtype.np else unsigned.view(dtype.np)
    if dtype.rank == 0:
        value = bool(value)                                # any number but 0 is True
    return fill_with(np.empty(shape, dtype.np), value if dtype.is_complex else value.real)


def check_options(layout=None, device=None, pin_memory=False) -> None:
    """Raise for a device, layout or kind of memory that is not here."""
    if device is not None and device is not CPU:
        require_here(device, empty=True)
    if layout is not None and layout is not strided:
        if not isinstance(layout, Layout):
            raise wrong_option("torch.layout", "layout", layout)
        raise NotImplementedError(f"layout={layout!r}: this function makes strided tensors "
                                  "only")
    if pin_memory is not False and pin_memory is not None:
        if pin_memory.__class__ is not bool:
            raise wrong_option("bool", "pin_memory", pin_memory)
        raise RuntimeError(NO_PINNED_MEMORY)


def check_legacy_device(device, here: str = "cpu") -> None:
    """Raise RuntimeError if an older constructor is given a device of another type."""
    if device is not None and Device(device).type != here:
        raise RuntimeError(f"legacy constructor expects device type: {here} but device type: "
                           f"{Device(device).type} was passed")


def check_storage(storage, dtype, place="", wanted=None):
    """Raise RuntimeError unless a storage is untyped or of this dtype."""
    found = getattr(storage, "dtype", dtype)
    if found is not dtype:
        raise RuntimeError(f"Expected a Storage of type {wanted or dtype.tensor_name} or an "
                           f"UntypedStorage, but got {'type ' if place else ''}"
                           f"{found.tensor_name}{place}")


NOT_WHOLE = ("Only Tensors of floating point and complex dtype can require gradients\n\n"
             "Whole numbers and True/False have no gradient: they cannot change a little.\n"
             "Cure: write 1. instead of 1, or give dtype=torch.float32.")


def np_dtype(dtype):
    """The NumPy dtype for `dtype`, the default floating one for None."""
    return _dtype.default.np if dtype is None else as_dtype(dtype).np


def is_meta(device) -> bool:
    """Whether a new tensor for `device` (None: the thread's default) has no numbers."""
    meta = (state.device if device is None else require_here(device, empty=True)) is META
    if meta:
        from .meta import arm
        arm()
    return meta


def new_array(make, shape, kind, device) -> np.ndarray:
    """make(shape, kind), or a Meta array if that is for the device "meta"."""
    if (device is not None or features.meta) and is_meta(device):
        return blank(shape, kind).view(Meta)
    return make(shape, kind)


def undefined(array: np.ndarray) -> np.ndarray:
    """New memory with arbitrary contents; filled with nan, or the largest integer, if algorithms
    have to be deterministic."""
    if features.deterministic and array.__class__ is not Meta:
        from ..utils import deterministic
        if deterministic.fill_uninitialized_memory:
            kind = array.dtype
            array[...] = np.iinfo(kind).max if kind.kind in "iu" else kind.kind == "b" or np.nan
    return array


def tensor_of(array: np.ndarray, requires_grad: bool, device=None) -> Tensor:
    """Wrap a new array for `device`, requiring grad if asked."""
    if (device is not None and device is not CPU or features.meta) and is_meta(device):
        array = without_numbers(array)
    elif array.__class__ is Meta and device is not None:
        raise NotImplementedError(NO_DATA)
    t = wrap(array)
    if array.__class__ is Meta:
        t._flags |= ON_META
    if requires_grad is not False:
        if not is_asked(requires_grad):
            return t
        if array.dtype.kind in "biu":
            raise RuntimeError(NOT_WHOLE)
        t._flags |= 1
    return t


def is_asked(requires_grad) -> bool:
    """`requires_grad`, a bool or None; PyTorch's TypeError for anything else."""
    if requires_grad.__class__ is bool:
        return requires_grad
    if requires_grad is None and called() not in ("tensor", "new_tensor", "frombuffer"):
        return False
    raise wrong_option("bool", "requires_grad", requires_grad)


def wrong_option(what: str, option: str, value) -> TypeError:
    """PyTorch's error for an option of the function that the program called, which is no `what`.

    A function with several signatures lists them, others name the option.
    """
    frame = entered()
    name = name_of(frame)
    if name not in OVERLOADED or frame.f_back is None:
        return must_be(what, name, option, None, value)
    args, kwargs = arguments_of(frame)
    return invalid_combination(name, args, kwargs, OVERLOADED[name], handed_on=True)


def arguments_of(frame) -> tuple[list, dict]:
    """The arguments by position and by name that a function was called with, from its frame."""
    code, values = frame.f_code, frame.f_locals
    written, named = call_of(frame.f_back)
    count = code.co_argcount + code.co_kwonlyargcount
    given = [values[x] for x in code.co_varnames[:code.co_argcount]]
    names = list(code.co_varnames[count:])
    if code.co_flags & CO_VARARGS:
        given += values[names.pop(0)]
    if code.co_flags & CO_VARKEYWORDS:
        values = {**values, **values[names.pop(0)]}
    return given[:int(min(written, 99)) - len(named)], {x: values[x] for x in named}


def empty_like(array: np.ndarray, dtype=None, memory_format=None) -> np.ndarray:
    """Uninitialised memory of the array's shape; its order too, unless a format is asked for."""
    kind = array.dtype if dtype is None else as_dtype(dtype).np
    array = array if array.__class__ is not Meta else as_zeros(array)
    name = "preserve_format" if memory_format is None else format_name(memory_format)
    if (name, array.ndim) in (("channels_last", 4), ("channels_last_3d", 5)):
        n, c, *rest = array.shape
        return np.moveaxis(np.empty((n, *rest, c), kind), -1, 1)  # (N, *, C) -> (N, C, *)
    if name.startswith("channels_last"):
        dims = 4 if name == "channels_last" else 5
        raise RuntimeError(f"required rank {dims} tensor to use {name} format")
    return layout.empty_like(array, kind) if name == "preserve_format" \
        else np.empty(array.shape, kind)


def dtype_of_out(out: Tensor, dtype=None, layout=None, device=None) -> _dtype.dtype:
    """The dtype of `out`; an error if it is no Tensor, or unlike what other options ask for."""
    if not isinstance(out, Tensor):
        raise wrong_option("Tensor", "out", out)
    if dtype is not None and as_dtype(dtype) is not out.dtype:
        raise RuntimeError(
            f"dtype {as_dtype(dtype).tensor_name} does not match dtype of out parameter "
            f"({out.dtype.tensor_name})"
        )
    if layout not in (None, out.layout):
        raise RuntimeError(f"layout {c_layout(layout)} does not match layout of out parameter "
                           f"({c_layout(out.layout)})")
    kind = out.device.type if device is None else Device(device).type
    if kind != out.device.type:
        raise RuntimeError(f"device type {kind} does not match device type of out parameter "
                           f"({out.device.type})")
    if out._flags & 1 and state.grad:
        raise RuntimeError(_recorded(called()))
    return out.dtype


def _recorded(name: str) -> str:
    """The error of a function that makes a tensor, if autograd would have to follow its out=."""
    if name in ("empty", "randn"):
        return "cannot resize variables that require grad"
    return (f"aten::{name}(): functions with out=... arguments don't support automatic "
            "differentiation, but one of the arguments requires grad.")


def c_layout(layout) -> str:
    """What C calls a layout: Strided, Sparse for torch.sparse_coo, SparseCsr."""
    return repr(layout).removeprefix("torch.").title().replace("_", "").removesuffix("Coo")


def requiring(out: Tensor, requires_grad: bool) -> Tensor:
    """`out`, which has been written, requiring grad if that was asked for."""
    if is_asked(requires_grad):
        if not (out.dtype.is_floating_point or out.dtype.is_complex):
            raise RuntimeError(NOT_WHOLE)
        out.requires_grad_()
    return out


def resized(out: Tensor, shape: tuple[int, ...], dtype=None, layout=None, device=None) -> Tensor:
    """`out` with the given shape, its elements undefined if that is new."""
    dtype_of_out(out, dtype, layout, device)
    if out._flags & SPARSE:
        from ..kernels.sparse import empty
        out._data = empty(shape, out._data.dtype)
        return out
    if out._data.shape != shape:
        resize(out, shape)
    return out
