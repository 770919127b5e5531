"""The functions that generated operators call in uncommon cases, and those that wrap results."""

from __future__ import annotations

from functools import lru_cache
from math import copysign

import numpy as np

from .. import _dtype
from .._lazy import LazyModule
from .._state import features, state
from .._tensor import Tensor, creation_flags, new, wrap
from .._torch_function import meets_a_foreign_class
from ..autograd.node import edge
from ..kernels.checks import check_broadcast
from ..kernels.half import in_dtype, is_half
from ..kernels.shape import repeated
from . import arguments, dtype_errors
from .declare import F
from .dtype_errors import ONE_TENSOR, TENSOR_FIRST, TENSORS_ONLY
from .factory import check_number
from .mistyped import of_call

recording = LazyModule("..autograd.recording", __package__)
special_modes = LazyModule(".special_modes", __package__)
dual = LazyModule(".dual", __package__)

F32, F64, I64 = np.dtype("float32"), np.dtype("float64"), np.dtype("int64")
U8 = np.dtype("uint8")
C128 = np.dtype("complex128")
NUMBERS = (int, float, complex, bool, np.number, np.bool_)
_float32_numbers: dict[float, Tensor] = {}
_float64_numbers: dict[float, Tensor] = {}
_int64_numbers: dict[int, Tensor] = {}


# --------------------------------------------------------------------------- numbers and promotion

COMPARISONS = frozenset(("eq", "ne", "lt", "le", "gt", "ge"))
# In PyTorch these take a number after half precision as float32: 1e5 is no float16, but 1e-3 * 1e5
# is. One that comes first is rounded.
FACTORS = ("mul", "div", "floor_divide", "div_rounded")


def number(value, like, factor=False):
    """A Python float or int as a 0-d Tensor of the dtype it will have beside `like`.

    Converting costs as much as arithmetic on a few elements, so common numbers are kept. (But not
    -0.0, which would share the entry of 0.0, nor nan, whose entry would never be found.)
    """
    try:
        dt = like._data.dtype
    except AttributeError:
        return value
    if dt is F32:
        kept = _float32_numbers
    elif dt is F64:
        kept = _float64_numbers
    elif dt is I64 and value.__class__ is int:
        kept = _int64_numbers
    else:
        return wrapped_number(value, F32 if factor and is_half(dt) else dt)
    found = kept.get(value)
    if found is not None and (value != 0 or copysign(1, value) == 1):
        return found
    made = wrapped_number(value, dt)
    if value == value and (value != 0 or copysign(1, value) == 1):
        if len(kept) > 2000:
            kept.clear()
        kept[value] = made
    return made


def plain(value):
    """One of NumPy's scalars as a Python number, which does not take part in promotion."""
    return value.item() if isinstance(value, np.generic) else value


def number_of(value, name="alpha"):
    """A factor as a number: that of a 0-d tensor, if it is not differentiated."""
    if value.__class__ is int or value.__class__ is float:
        return value
    if isinstance(value, Tensor) and not (value._flags & 1 or value._data.ndim):
        return value.item()
    if isinstance(value, (Tensor, list, tuple)):
        raise of_call(TypeError(f"argument '{name}' must be Number, not {type(value).__name__}"))
    return plain(value)


def wrapped_number(value, like_dtype=None):
    """A Python number as a 0-d Tensor that yields to every other operand's dtype."""
    value = plain(value)
    d = _dtype.of_number(value)
    np_dtype = d.np
    if like_dtype is not None and _dtype.KINDS[like_dtype.kind] >= d.rank > 0:
        np_dtype = like_dtype
    elif d.rank == 3 and like_dtype is F64:
        np_dtype = C128
    try:
        array = np.asarray(value).astype(np_dtype)
        if np_dtype is like_dtype and np_dtype.kind in "iu" and array != value:
            array = np.asarray(value, np.int64)    # division and comparison need the number itself
    except OverflowError:
        raise RuntimeError(f"value cannot be converted to type {d.name} without overflow") from None
    made = wrap(array)
    made._flags = 0            # kept numbers outlive the inference mode they are first met in
    made._wrapped = True
    return made


def operand(value):
    """A Tensor from a Tensor or a number; None if it is neither (arrays are not, as in PyTorch)."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return wrapped_number(value)
    return None


def element(value, tensor):
    """The value of `x[i] = value` as a Tensor: a number becomes a 0-d Tensor of x's dtype.

    None if PyTorch refuses it: NumPy's numbers, unless they are integers or instances of Python's
    float or complex. Raises RuntimeError for a number that the dtype cannot hold; half precision
    takes 1e6 as inf.
    """
    if not isinstance(value, (int, float, complex, np.integer)):
        return value if isinstance(value, Tensor) else None
    value, dtype = plain(value), tensor._data.dtype
    if value.__class__ in (float, int) and (dtype is F32 or dtype is F64) and -6e4 < value < 6e4:
        return number(value, tensor)
    if is_half(dtype):
        check_number(value, _dtype.float64, "double")
        with np.errstate(over="ignore"):
            array = in_dtype(np.asarray(value), dtype)
    else:
        check_number(value, _dtype.of(tensor._data))
        array = np.asarray(value).astype(dtype)
    made = wrap(array)
    made._wrapped = True
    return made


def operands(op, *values, in_place=False):
    """All operands as Tensors; TypeError in PyTorch's words if one cannot be."""
    made = [operand(v) for v in values]
    tensors = [t for t in made if t is not None and not t._wrapped]
    if made[0] is not values[0] and None not in made and (
            op.name in TENSOR_FIRST or not tensors and (op.in_special or op.name in ONE_TENSOR)):
        name = arguments.shown(op, in_place)
        raise arguments.invalid_combination(name, values, {}, arguments.listed_signatures(name))
    if tensors:       # numbers in the dtype they will have: no double passes through float32
        like = result_dtype(tensors).np
        made = [wrapped_number(v, like) if t is not None and t._wrapped and t is not v else t
                for v, t in zip(values, made, strict=True)]
    for k, (value, t) in enumerate(zip(values, made, strict=True)):
        if t is None or t is not value and op.name in TENSORS_ONLY:
            if meets_a_foreign_class(values, op.in_place if in_place else op.fn):
                return values           # the operator, called again, calls __torch_function__
            raise arguments.no_tensor(op, values, k, in_place)
    if all(t is v for t, v in zip(made, values, strict=True)):
        # else this would be an endless loop
        raise AssertionError(f"{op.name}: a Tensor without its slots")
    return made


def dunder_operands(op, left, right, variant):
    """x * y or x *= y for a y that is not a Tensor: convert it, or return NotImplemented."""
    converted = operand(right)
    if isinstance(right, NUMBERS):  # in the dtype that it will have, as in x64 * np.float64(0.1)
        like = left._data.dtype
        converted = wrapped_number(right, F32 if op.name in FACTORS and is_half(like) else like)
    elif isinstance(right, np.ndarray) and op.name in ("eq", "ne"):
        converted = wrap(right)               # == and != take arrays, the others leave it to NumPy
    if converted is None and meets_a_foreign_class((right,), op.build()[variant]):
        return op.build()[variant](left, right)
    if converted is None or converted is right:
        return NotImplemented
    return op.build()[variant](left, converted)


def no_complex_gradient(name):
    """PyTorch's error for an operator that it does not record on complex numbers."""
    return RuntimeError(f"{name} does not support automatic differentiation for "
                        "outputs with complex dtype.")


def not_a_tensor(op, values, consts, in_place=False):
    """Raise PyTorch's TypeError for an argument that must be a Tensor.

    If its class has `__torch_function__`, that is called instead.
    """
    again = op.in_place if in_place else op.fn
    if meets_a_foreign_class(values, again):
        return again(*values, *consts)
    for k, (i, value) in enumerate(zip(op.inputs, values, strict=True)):
        if not isinstance(value, Tensor) and not (value is None and i in op.optional):
            raise arguments.no_tensor(op, (*values, *consts), k, in_place)
    raise       # the AttributeError that led here


def need_tensors(name, input, **others):
    """TypeError unless these arguments are Tensors."""
    for k, (argument, value) in enumerate((("input", input), *others.items())):
        if not isinstance(value, Tensor):
            raise arguments.no_tensor_for(name, argument, k, (input, *others.values()))


def answer_or_error(function, **given):
    """What the `__torch_function__` of an argument of a foreign class returns; else TypeError."""
    if meets_a_foreign_class(given.values(), function):
        return function(**given)
    return need_tensors(function.__name__, **given)


def result_dtype(tensors):
    """PyTorch's result dtype of an operation over these Tensors: see _dtype.result_type_of for the
    ranks of tensors, 0-d ones and numbers."""
    return _result_dtype(*[
        (t._data.dtype, 0 if t._data.ndim else 2 if t._wrapped else 1) for t in tensors])


@lru_cache(1024)       # programs mix few dtypes, and PyTorch's rules take microseconds
def _result_dtype(*operands):
    return _dtype.result_type_of([(_dtype.of(np.empty(0, d)), rank) for d, rank in operands])


def promoted(op, *tensors):
    """(arrays in the common dtype..., the inputs' own dtypes if a gradient must be cast back)."""
    check = dtype_errors.BEFORE_PROMOTION.get(op.name)
    if check is not None:
        check(tensors)
    counted = tensors
    if op.masks:
        counted = [t for i, t in zip(op.inputs, tensors, strict=True) if i not in op.masks]
    target = result_dtype(counted).np
    if op.floats and target.kind in "biu":
        target = _dtype.default.np
    last = tensors[-1]._data
    if op.name in FACTORS and is_half(target) and last.ndim == 0 and (
            last.dtype.char in "fd" or last.dtype.kind in "iu"):
        # NumPy's loops then compute in float32; in_own_dtype() rounds the result
        arrays = [*[_in_common(t._data, target) for t in tensors[:-1]], in_dtype(last, F32)]
    elif op.masks:
        arrays = [t._data if i in op.masks else _in_common(t._data, target)
                  for i, t in zip(op.inputs, tensors, strict=True)]
    else:
        arrays = (op.name in COMPARISONS and as_bytes(*[t._data for t in tensors])
                  or [_in_common(t._data, target) for t in tensors])
    return (*arrays, tuple([t._data.dtype for t in tensors]))


def as_bytes(a, b):
    """Bools, and a number of a byte beside them, as bytes: these compare alike, and are not
    written out as larger integers. None for others."""
    bools, one = (a, b) if b.ndim == 0 else (b, a)
    if bools.dtype.kind != "b" or one.ndim or one.dtype.kind not in "iu" or not 0 <= one < 256 \
            or bools.__class__ is not np.ndarray:
        return None
    return (a.view(U8), b.astype(U8)) if bools is a else (a.astype(U8), b.view(U8))


def _in_common(a, dtype):
    """An operand in the common dtype and its own memory order, which decides that of the result."""
    if a.dtype is dtype:
        return a
    if a.__class__ is np.ndarray and 0 in a.strides:
        return repeated(a, dtype)
    return in_dtype(a, dtype)


def in_own_dtype(res, own, *tensors):
    """A product in its half precision again, since beside a number NumPy computes it in float32."""
    if res.dtype is F32 and any(map(is_half, own)):
        return in_dtype(as_array(res), result_dtype(tensors).np)
    return res


def to_float(*arrays):
    """Integers and bools in the default floating dtype, the rest unchanged."""
    if arrays[0].dtype.kind in "biu":
        return [_in_common(x, _dtype.default.np) for x in arrays]
    return arrays


def unbroadcast(F, undo, grads, graph):
    """Gradients cut back to their inputs' shapes, and to their dtypes where those were promoted."""
    dtypes, shapes = undo
    grads = [g if g is None or g.shape == shape else F.sum_to(g, shape)
             for g, shape in zip(grads, shapes, strict=True)]
    return grads if dtypes is None else cast_back(dtypes, grads, graph)


def cast_back(dtypes, grads, graph):
    """Gradients in their inputs' own dtypes; the imaginary part of a real input's is dropped."""
    cast = _cast_tensor if graph else _cast_array
    return tuple(None if g is None else cast(g, d) for g, d in zip(grads, dtypes, strict=True))


def _cast_array(g, d):
    if g.dtype == d:
        return g
    if g.dtype.kind == "c" and d.kind != "c":
        g = g.real
    return in_dtype(g, d)


def _cast_tensor(g, d):
    if g._data.dtype == d:
        return g
    if g._data.dtype.kind == "c" and d.kind != "c":
        g = F.real(g)
    return F.cast(g, d)


# --------------------------------------------------------------------------- results

def result_tensor(node, output_nr, array, cell, recorded=True):
    """An output (or a saved output, made again) of `node`."""
    if array.__class__ is not np.ndarray:
        array = as_array(array)
        if array.__class__ is not np.ndarray:
            return _sparse_result(node, output_nr, array, cell)
    t = new(Tensor)
    t._data, t._cell = array, cell
    t._flags = 1 if recorded and node is not None else features.creation_modes and creation_flags(t)
    t._grad_fn = node if t._flags & 1 else None
    t._output_nr = output_nr
    t._base = t._grad = None
    if node is not None and node._tangents is not None:
        dual.give_kept_tangents(t, node)
    return t


def as_array(value):
    """NumPy's scalars as 0-d arrays; arrays, sparse ones too, as they are."""
    return np.asarray(value) if isinstance(value, np.generic) else value


def _sparse_result(node, output_nr, array, cell):
    t = wrap(array)
    t._cell, t._grad_fn, t._output_nr = cell, node, output_nr
    t._flags |= node is not None
    return t


def _without_base(input, array, node=None):
    """Stands in for view_of() where autograd should see no view of `input`."""
    t = wrap(as_array(array))
    if node is not None:
        t._grad_fn, t._flags = node, t._flags | 1
    return t


def _finish_later(node):
    """Stands in for finish() where hooks must wait until the saved tensors have their flags."""


# What generated code is given under these names for arrays that are not NumPy's
OTHER_ARRAYS = {"asarray": as_array, "view_of": _without_base, "finish": _finish_later}


def saved_copy(array, history, output_nr):
    """What an in-place operator saves of `self`: a copy of its values, with their history."""
    t = wrap(array.copy())
    if history is not None:
        t._grad_fn, t._output_nr = history, output_nr
        t._flags = 1
    return t


def input_error(*tensors):
    """The error of a view whose history cannot be brought up to date, or None. It comes first."""
    try:
        for t in tensors:
            if state.grad and t is not None:
                edge(t)
    except RuntimeError as error:
        return error
    return None


def check_shapes(arrays):
    """Raise PyTorch's error for shapes that do not broadcast."""
    first, *rest = (x.shape for x in arrays)
    for shape in rest:
        try:
            check_broadcast(first, shape)
        except RuntimeError as error:
            from .hints import of_broadcast
            raise RuntimeError(f"{error}{of_broadcast(first, shape)}") from None
        first = np.broadcast_shapes(first, shape)


def shape_error(*arrays):
    """PyTorch's error for shapes that do not broadcast."""
    try:
        check_shapes(arrays)
    except RuntimeError as error:
        return error
    raise AssertionError(f"these shapes do broadcast: {[x.shape for x in arrays]}")


def dtype_error(op, *arrays):
    """PyTorch's error for a dtype that an operator does not take; most look at shapes first."""
    if op.broadcasts and op.name not in dtype_errors.COMPLEX_AT_RUN_TIME:
        check_shapes(arrays)
    return dtype_errors.explain(op, _dtype.of(arrays[0]))


def with_numbers(op, name, tensors, consts):
    """Call operator `name`, whose kernel has failed, again with numbers for 0-d tensors.

    Raises TypeError for a tensor with dimensions, or one that requires grad.
    """
    if not any(isinstance(value, Tensor) for value in consts):
        wrong = of_call(None)
        if wrong is not None:
            raise wrong from None
        for const, value in zip(op.consts, consts, strict=True):
            if isinstance(value, str):
                raise arguments.must_be("Number", arguments.shown(op), const, None, value) from None
        if op.inplace or op.broadcasts:
            raise dtype_error(op, *[t._data for t in tensors]) from None
        raise       # the kernel's TypeError
    numbers = [number_of(value, const) if isinstance(value, Tensor) else value
               for const, value in zip(op.consts, consts, strict=True)]
    return getattr(F, name)(*tensors, *numbers)


# --------------------------------------------------------------------------- the unusual

def unusual(flags) -> bool:
    """The test of `_flags` that generated code makes, for functions written by hand."""
    return flags > 1 and (flags > 3 or not state.inference)


def unobserved(flags) -> bool:
    """Whether one kernel call may replace several operators on tensors with these bits of `_flags`,
    because nothing records or observes the operators."""
    return not (flags & 1 and state.grad or unusual(flags) or features.recording)


def special(op, tensors, consts):
    """An operator on tensors with rare bits of `_flags`: dual, batched, sparse, meta ..."""
    return special_modes.call(op, op.fn, tensors, consts)


def refuse_write(t):
    """Raise if an inference tensor would be written to outside inference mode."""
    special_modes.refuse_write(t)


def special_(op, tensors, consts):
    """The in-place operator on such tensors."""
    return special_modes.call_in_place(op, op.in_place, tensors, consts)


def special_views(function, input, *args):
    """several_views() on such a tensor."""
    return special_modes.call_views(function, input, args)


def finish(node):
    """Show the new node to the hooks on saved tensors, the anomaly mode or the trace that is on."""
    if features.recording == 1 and features.trace is not None:
        features.trace(node)              # nothing else is on: tracing is to cost little
        return
    recording.finish(node)
