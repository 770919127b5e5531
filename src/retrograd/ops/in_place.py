"""Writes in place: how the result of an operator is put into its first argument."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from .. import _dtype, kernels
from .._state import features, state
from .._tensor import Tensor, wrap
from .._warnings import warn
from ..autograd.windows import check_overlap, is_expanded
from ..kernels import fast
from ..kernels.half import is_half
from ..kernels.layout import memory_order
from ..kernels.shape import assign, fill_with
from . import dtype_errors
from .overlap import check_partial_overlap, same_memory, same_place
from .support import (
    F32,
    F64,
    FACTORS,
    check_shapes,
    dtype_error,
    promoted,
    shape_error,
    to_float,
    unobserved,
)

# Operators that may write to an expanded tensor, after a warning: PyTorch's names for them in it
PLACEWISE = {"masked_fill": "masked_fill_", "masked_fill_tensor": "masked_fill_",
             "index_fill": "index_fill_", "index_fill_tensor": "index_fill_",
             "write_at": "index_put_"}
# Operators whose kernel, given `out`, writes only to some places of it
UPDATES = {*PLACEWISE, "scatter", "scatter_value", "scatter_add", "scatter_combine",
           "scatter_reduce", "index_add", "index_copy", "index_reduce", "put"}
# Kernels that can write their result over their first array
ONTO = {"add_scaled", "sub_scaled", "lerp_scalar", "addcmul", "addcdiv", "tril", "triu",
        "clamp_numbers", "clamp_min_number", "clamp_max_number", "clamp_low", "clamp_high",
        "clamp_min_tensor", "clamp_max_tensor", "uniform", "relu", "abs", "round", "sigmoid",
        "square", "deg2rad", "rad2deg"}
# The same for small arrays; from `onto_from` elements on the compiled kernel is quicker, also where
# these lie apart
FEW_ONTO = {"hardtanh", "hardsigmoid", "hardswish", "silu", "mish", "elu_1", "celu_1",
            "leaky_relu_1"}
# From this many elements on zeros are written byte by byte, which takes a third of the time
BYTEWISE = 1 << 10
# Operators that write one value everywhere, so that overlapping elements do no harm.
CONSTANT = ("fill", "zero", "threshold_1")
# Operators whose last input is the single number they write; it may be one of the elements written.
FILLS = ("fill_tensor", "masked_fill_tensor", "index_fill_tensor")


def store(op, kernel, input, others, consts):
    """Compute the operator and write the result into `input`'s memory.

    Most writes only need a look at dtypes and memory, and then take a short way: the compiled twin
    for large arrays; `x op= y`, `x = f(x)` or a constant straight into the memory; a write to some
    places; or any kernel for arrays of one kind. All others are checked first.
    """
    target = input._data
    if (target.size >= op.onto_half and (target.itemsize == 2 or target.size >= op.onto_from)
            and _written_by_twin(op, target, others, consts)):
        return
    if kernel.__class__ is UFUNC:
        if _combined_directly(op, kernel, target, *others) if others \
                else _mapped_directly(op, kernel, target):
            return
    elif op.name in ("zero", "fill") and target.dtype.char in "fd" \
            and filled_directly(target, consts[0] if consts else 0):
        return
    if op.name in UPDATES:
        if _updated_directly(op, kernel, target, others, consts):
            return
    else:
        arrays = _alike(target, others)
        if arrays is not None:
            onto = op.name in ONTO or op.name in FEW_ONTO and target.size < op.onto_from
            _write(op, kernel, target, arrays, consts, onto)
            return
    _store_checked(op, kernel, input, others, consts)


def _store_checked(op, kernel, input, others, consts):
    """store() where dtypes differ, memory is shared or expanded, or writes are observed."""
    target = input._data
    if op.name == "copy" and same_place(target, others[0]._data):
        return                                   # a tensor written to itself may be expanded
    expanded = op.name in PLACEWISE and is_expanded(target) and placewise(op, input, others, consts)
    if op.name not in CONSTANT and not expanded:
        check_overlap(target)
    for other in others[:-1] if op.name in FILLS else others:
        if other is not None and same_memory(target, other._data):
            check_partial_overlap(target, other._data)
    for look in features.before_write:
        look(input, op)
    if expanded:
        warn_expanded(PLACEWISE[op.name])
    onto = expanded or op.name in UPDATES and _only_written(target, others, consts)
    _write(op, kernel, target, _promoted(op, target, (input, *others)), consts, onto)


UFUNC = np.ufunc
WHOLE = (np.add, np.subtract, np.multiply)     # their results of integers are integers


def _combined_directly(op, kernel, target, other, *more):
    """Try the common case x op= y with equal dtypes; whether it applied."""
    if more or features.before_write:
        return False
    other, dtype = other._data, target.dtype
    if dtype is not other.dtype:
        return _combined_with_whole(op, kernel, target, other)
    apart = not target.flags.c_contiguous
    if (dtype is not F32 and dtype.kind not in ("fi" if kernel in WHOLE else "f")
            or other is not target and same_memory(target, other) or apart and 0 in target.strides):
        return False
    try:
        if not (apart and _combined_by_lines(op, target, other)):
            kernel(target, other, target)
    except ValueError:
        raise broadcast_error(target, (target, other)) from None
    except TypeError:
        raise _refusal(op, target, (target, other)) from None
    return True


def _combined_by_lines(op, target, other):
    """Try the compiled kernel on rows with gaps between; whether it applied."""
    return (op.kernel_name in fast.BY_LINES and op.onto_from < math.inf
            and fast.written_by_lines(op.kernel_name, target, other))


def _combined_with_whole(op, kernel, target, other):
    """Try x op= n for floats x and integers or bools n; whether it applied."""
    if (target.dtype is not F32 and target.dtype is not F64 or other.dtype.kind not in "biu"
            or op.name in dtype_errors.BEFORE_PROMOTION or same_memory(target, other)):
        return False
    return _combined_directly(op, kernel, target, wrap(other.astype(target.dtype)))


def _mapped_directly(op, kernel, target):
    """Try the common case x = f(x) for floats; returns whether it applied."""
    if (features.before_write or target.dtype.kind != "f" or kernel.nout > 1
            or not target.flags.c_contiguous):
        return False
    try:
        kernel(target, target)
    except TypeError:
        raise dtype_error(op, target) from None
    return True


def _alike(target, others):
    """The arrays of `target` and the others in the common case, else None.

    It is: all float32 or all float64, none expanded, no memory shared with `target`, and nobody
    observes writes.
    """
    dtype = target.dtype
    if (dtype is not F32 and dtype is not F64 or features.before_write
            or not target.flags.c_contiguous and 0 in target.strides):
        return None
    arrays = [target]
    for t in others:
        array = t._data
        if array.dtype is not dtype or array is not target and same_memory(target, array):
            return None
        arrays.append(array)
    return arrays


def _updated_directly(op, kernel, target, others, consts):
    """Try the common write to some places; whether it applied.

    It does if nothing is expanded, `target` shares no memory with what is read, and nobody observes
    writes.
    """
    if (features.before_write or not target.flags.c_contiguous and 0 in target.strides
            or not _only_written(target, others, consts)):
        return False
    _write(op, kernel, target, [target, *[t._data for t in others]], consts, True)
    return True


def _promoted(op, target, tensors):
    """The tensors' arrays in the dtype to compute in; RuntimeError if `target` cannot hold it."""
    arrays = [None if t is None else t._data for t in tensors]
    if op.broadcasts and any([a.dtype is not target.dtype for a in arrays]):
        *arrays, _ = promoted(op, *tensors)
    if op.floats:
        arrays = to_float(*arrays)
    if arrays[0].dtype is not target.dtype and op.name not in dtype_errors.PREDICATES:
        if op.broadcasts:
            _check_fit(target, arrays)
        check_cast(arrays[0].dtype, target.dtype)
    if arrays[0].dtype.char in dtype_errors.REFUSED.get(op.name, ""):
        raise _refusal(op, target, arrays)
    return arrays


def _write(op, kernel, target, arrays, consts, onto=False):
    """Compute into `target`: directly, if the kernel can write `onto` the array; else by a copy."""
    try:
        if onto:
            kernel(*arrays, *consts, out=target)
        elif kernel.__class__ is UFUNC and arrays[0] is target and kernel.nout == 1:
            if kernel is np.negative and (target.dtype.kind == "c" or not target.flags.forc):
                _negate(target)
            else:
                kernel(*arrays, target)
        else:
            by_size = kernel if op.kernel_name is None else getattr(kernels, op.kernel_name)
            res = same_shape(by_size(*arrays, *consts), target)
            if res.dtype is not target.dtype and op.name != "copy":   # copy_ converts
                check_cast(res.dtype, target.dtype)
            target[...] = res
    except ValueError:
        raise broadcast_error(target, arrays) from None
    except TypeError:
        if consts:
            raise                        # with_numbers() says why, or tries again
        raise _refusal(op, target, arrays) from None


def _negate(a):
    """Change the sign of every element in place.

    Complex numbers are negated as pairs of reals, for which NumPy has vector instructions. Elements
    that lie apart are read from a copy: for some strides (every fourth float32, every eighth
    float64) NumPy 2.4 otherwise negates the wrong ones, as if they lay side by side.
    """
    parts = a if a.flags.c_contiguous else a.T
    if a.ndim and parts.flags.c_contiguous and a.dtype.kind == "c":
        parts = parts.view(a.real.dtype)
        np.negative(parts, parts)
    else:
        np.negative(a.copy(), a)


def _refusal(op, target, arrays):
    """PyTorch's error for a dtype that `op` does not take in place; shapes come first."""
    if op.broadcasts:
        _check_fit(target, arrays)
    return dtype_error(op, *arrays)


def _check_fit(target, arrays):
    """Raise PyTorch's error unless the arrays broadcast to the shape of `target`."""
    check_shapes(arrays)
    if np.broadcast_shapes(*(a.shape for a in arrays)) != target.shape:
        raise broadcast_error(target, arrays)


def _written_by_twin(op, target, others, consts):
    """Try the compiled kernel, for equal dtypes in separate memory; whether it applied."""
    name, flags = op.kernel_name, target.flags
    order = None if flags.carray else memory_order(target)
    if not flags.carray and order is None and not (name in fast.BY_LINES and flags.behaved
                                                   and not is_expanded(target)):
        return False
    arrays = _alike(target, others) or _alike_narrow(name, target, others)
    if arrays is None:
        return False
    if any(a.ndim and a.shape != target.shape for a in arrays):
        _check_fit(target, arrays)
    if order is not None and all(a.ndim in (0, target.ndim) for a in arrays):
        arrays = [a.transpose(order) if a.ndim else a for a in arrays]
        target = arrays[0]
    return fast.twin(name)(*arrays, *consts, out=target) is not None


def written_at_once(name, t, others, number):
    """Try one call of the kernel `name` on the float tensor `t`, and count the write; whether it
    applied, which it does not if the write is recorded or observed."""
    array, flags = t._data, t._flags
    dtype = array.dtype
    if dtype.char not in "fd" or features.before_write or not array.flags.c_contiguous:
        return False
    for other in others:
        if other.__class__ is not Tensor:
            return False
        flags |= other._flags
    if not unobserved(flags):                # a sparse tensor among them has no memory to look at
        return False
    arrays = [other._data for other in others]
    for other in arrays:
        if other.dtype is not dtype or same_memory(array, other):
            return False
    try:
        if array.size < fast.IN_PLACE[name] or not fast.has(name):
            plain_kernel(name)(array, *arrays, number, out=array)
        elif fast.twin(name)(array, *arrays, number, out=array) is None:
            return False
    except ValueError:                       # shapes that do not fit: store() says how
        return False
    t._cell[0] += 1
    return True


@cache
def plain_kernel(name):
    """NumPy's kernel of this name."""
    found = getattr(kernels, name)
    return getattr(found, "plain", found)


def _alike_narrow(name, target, others):
    """_alike() for integers and half precision; a number beside the latter is float32."""
    half = is_half(target.dtype)
    if features.before_write or target.dtype.kind not in "iu" and not half:
        return None
    arrays = [t._data for t in others]
    factor = half and name in FACTORS
    if any(a.dtype is not target.dtype and not (factor and a.dtype is F32 and not a.ndim)
           or same_memory(target, a) for a in arrays):
        return None
    return [target, *arrays]


def copied_directly(target, source):
    """Try the common copy, from an array of the same shape and dtype; whether it applied."""
    if (target.shape != source.shape or target.dtype is not source.dtype
            or features.before_write or same_memory(target, source)
            or not target.flags.c_contiguous and 0 in target.strides):
        return False
    assign(target, source)
    return True


def filled_directly(target, number):
    """Try the common write of a number that the array's dtype holds; whether it applied."""
    dense = target.flags.c_contiguous
    if features.before_write or not dense and 0 in target.strides:
        return False
    if target.size > BYTEWISE and dense and number.__class__ is int and number == 0:
        target.view(np.uint8).fill(0) if target.size < fast.SHARED else fill_with(target, 0)
    else:
        fill_with(target, number)
    return True


def filled_alone(t, number):
    """Try filled_directly() on a tensor whose write is neither recorded nor observed."""
    return (not t._flags and state.on_call is None and t._data.dtype.char in "fd"
            and filled_directly(t._data, number))


def _only_written(target, others, consts):
    """Whether nothing that is read, indices included, lies in the memory that is written."""
    for t in others:
        if t is not None and same_memory(target, t._data):
            return False
    for c in consts:
        if c.__class__ in (int, float, str, bool):
            continue
        for a in getattr(c, "arrays", ()):
            if a is not None and same_memory(target, a):
                return False
    return True


def placewise(op, input, others, consts):
    """Whether an expanded tensor may be written: nothing is recorded, nothing added."""
    recorded = state.grad and any(t._flags for t in (input, *others))
    return not recorded and not (op.name == "write_at" and consts[-1])


def warn_expanded(name):
    """Give PyTorch's warning that writing through an expanded tensor is deprecated."""
    example = "indices] = tensor" if name == "index_put_" else "mask] = scalar"
    warn(f"Use of {name} on expanded tensors is deprecated. Please clone() the tensor "
         "before performing this operation. This also applies to advanced indexing e.g. "
         f"tensor[{example}")


def check_cast(source, target):
    """Raise unless results of dtype `source` may be written into `target`."""
    if source != target and _dtype.KINDS[source.kind] > _dtype.KINDS[target.kind]:
        a, b = _dtype.of(np.empty(0, source)), _dtype.of(np.empty(0, target))
        raise RuntimeError(f"result type {a.tensor_name} can't be cast to the desired output type "
                           f"{b.tensor_name}")


def same_shape(result, target):
    if result.shape != target.shape:
        raise RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast "
                           f"shape {list(result.shape)}")
    return result


def broadcast_error(target, arrays):
    """The error for operands that do not broadcast into `target`."""
    if not target.flags.writeable:
        return RuntimeError("this tensor's memory cannot be written: it belongs to an array that "
                            "is read-only, or to a sparse tensor whose values() are recorded")
    try:
        shape = np.broadcast_shapes(*(x.shape for x in arrays))
    except ValueError:
        return shape_error(*arrays)
    return RuntimeError(f"output with shape {list(target.shape)} doesn't match the broadcast shape "
                        f"{list(shape)}")
