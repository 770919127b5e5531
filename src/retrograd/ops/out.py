"""out= arguments: the result is written into a tensor that the caller gives.

Most operators convert their result to the dtype of `out` where such a cast is allowed. The others
raise an error unless `out` has the result's dtype, each in its own words.
"""

from __future__ import annotations

import numpy as np

from .. import _dtype, return_types
from .._callers import note_write
from .._moving import resize
from .._state import features, state
from .._tensor import BATCHED, DUAL, ON_META, SPARSE, Tensor
from .._warnings import warn
from ..autograd.windows import check_overlap
from .arguments import must_be, shown
from .mistyped import of_call
from .overlap import PARTIAL, check_partial_overlap, share_elements

WITHOUT_ARRAY = BATCHED | ON_META | SPARSE

_EXPECTED = "Expected out tensor to have dtype {want_c}, but got {have_c} instead"
_FOUND = "Found dtype {have} but expected {want}"
_SCALARS = "{name}(): self and result must have the same scalar type"
_BOOLEANS = "{name} does not support non-boolean outputs."
_ONLY_BOOL = "{name} only supports bool tensor for result, got: {have}"
_PLACES = ("torch.searchsorted(): output tensor's dtype is wrong, it can only be Int(int32) or "
           "Long(int64) depending on whether out_int32 flag is True, but we got output tensor's "
           "dtype {have} and out_int32 flag is {small}")
_COMPLEX = "{short} expects a complex output tensor, but got {have}"
_REAL = "{short} expects a floating point output tensor, but got {have}"
_CAN_CAST = ("Expected canCast( typeMetaToScalarType(self.dtype()), "
             "typeMetaToScalarType(out.dtype())) to be true, but got false.  (Could this error "
             "message be improved?  If so, please report an enhancement request to PyTorch.)")

_FFT = {"fft_ifftn": "fftn"}      # the name that it gives itself

# The words of operators that do not convert their result to the dtype of `out`.
EXACT = {
    **dict.fromkeys((
        "addmm", "addmv", "baddbmm", "bmm", "mm", "linalg_cross", "diag", "isin", "lu_solve",
        "softmax", "log_softmax", "gather", "index_copy", "index_add", "index_reduce", "scatter",
        "scatter_add", "scatter_reduce", "msort", "renorm", "take_along_dim", "tril", "triu",
        "norm", "argmax", "argmin", "linalg_det", "linalg_cholesky", "linalg_eigvalsh",
        "linalg_ldl_solve", "linalg_lu_solve", "linalg_inv", "linalg_solve", "linalg_svdvals",
        "linalg_vector_norm", "linalg_qr", "linalg_svd", "linalg_eigh", "linalg_slogdet",
        "slogdet", "linalg_cholesky_ex", "linalg_inv_ex",
        "linalg_lu", "linalg_lu_factor", "linalg_lu_factor_ex", "triangular_solve", "sort", "topk",
        "max", "min", "aminmax", "sum", "prod", "cumsum", "cumprod", "view_copy", "linear",
        "avg_pool2d", "avg_pool3d", "slice_scatter", "matmul", "qr", "svd", "lu_unpack",
        "linalg_ldl_factor", "linalg_ldl_factor_ex", "linalg_solve_ex", "unbind_copy",
        "split_with_sizes_copy",
    ), _EXPECTED),
    **dict.fromkeys((
        "abs", "bitwise_not", "ceil", "conj_physical", "frac", "floor", "neg", "round", "sign",
        "sgn", "trunc", "softplus", "softshrink", "gelu", "hardshrink",
    ), _FOUND),
    **dict.fromkeys(("masked_select", "index_select"), _SCALARS),
    **dict.fromkeys(("isposinf", "isneginf", "signbit"), _BOOLEANS),
    **dict.fromkeys(("searchsorted", "bucketize"), _PLACES),
    **dict.fromkeys(("quantile", "nanquantile"),
                    "quantile() out tensor must be same dtype as the input tensor"),
    "logcumsumexp": "expected scalar_type {want} but found {have}",
    **dict.fromkeys(("amax", "amin"),
                    "Expected the dtype for input and out to match, but got {want} for input's "
                    "dtype and {have} for out's dtype."),
    "heaviside": "heaviside is not yet implemented for tensors with different dtypes.",
    **dict.fromkeys(("cummax", "cummin"), "expected scalar_type {want} but found {have}"),
    **dict.fromkeys(("log_sigmoid", "linalg_solve_triangular"),
                    "expected scalar type {want} but found {have}"),
    "addbmm": "self and mat2 must have the same dtype, but got {have} and {want}",
    "mv": "addmv input tensors must have the same dtype, but got {have}, {want}, and {want}",
    "take": "take(): self and out expected to have the same dtype, but got self.dtype = {want} and "
            "out.dtype = {have}",
    "nan_to_num": "nan_to_num: dtype of out: {have} should be same as input: {want}",
    **dict.fromkeys(("dot", "vdot"), "result dtype {have} does not match input dtype {want}"),
    **dict.fromkeys(("tensordot", "inner"),
                    "tensordot: Expected the output tensor to have dtype {want}, but got an output "
                    "tensor with dtype {have}"),
    "hash_tensor": "Expected result to be of dtype uint64, but got {have}",
    "histc": "torch.histogram: input tensor and hist tensor should have the same dtype, but got "
             "input {want_c} and hist {have_c}",
    "linalg_vecdot": "linalg.vecdot: Expected out of dtype{want} but found {have}",
    "linalg_matrix_norm": "linalg.matrix_norm expected out tensor dtype {want} but got: {have}",
    "histogram": "torch.histogram: input tensor and {field} tensor should have the same dtype, but "
                 "got input {want_c} and {field} {have_c}",
    "linalg_multi_dot": "multi_dot(): expected out tensor to have dtype {want_c} but got {have_c}",
    "mode": "expected scalar type '{want}' but got '{have}' for {field} output",
    "kthvalue.values": "output values must be of same type as input",
    "kthvalue.indices": "output indices must be of scalar type Long",
    **dict.fromkeys(
        ("median.values", "nanmedian.values"),
        "Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; but "
        "type torch.{have}Tensor does not equal torch.{want}Tensor (while checking arguments for "
        "median)"),
    **dict.fromkeys(
        ("median.indices", "nanmedian.indices"),
        "Expected tensor for argument #1 'indices' to have scalar type Long; but got "
        "torch.{have}Tensor instead (while checking arguments for median)"),
    "frexp.mantissa": "torch.frexp() expects mantissa to have dtype {want_c} but got {have_c}",
    "frexp.exponent": "torch.frexp() expects exponent to have int dtype but got {have_c}",
}
# The words of operators whose result cannot be cast to the dtype of `out`.
UNCASTABLE = {
    "logsumexp": "logsumexp(): Expected floating point type for result tensor, but got: {have}",
    "ldexp": "ldexp can't be cast to the desired output type {have}",
    **dict.fromkeys(("max_all", "min_all"), _CAN_CAST),
}
# What other operators are called in errors about that.
CASTING = {
    **{name: name for name in ("cholesky", "cholesky_inverse", "cholesky_solve", "matrix_power")},
    **{f"linalg_{name}": name for name in ("tensorinv", "tensorsolve", "matrix_power")},
    **{f"linalg_{name}": f"linalg.{name}" for name in ("cond", "pinv")},
    **{f"linalg_{name}": f"torch.linalg.{name}"
       for name in ("eig", "eigvals", "matrix_rank", "householder_product")},
}
# The functions by which PyTorch computes these, and which it names where out= would be recorded.
INSIDE = {
    "linalg_cholesky": "linalg_cholesky_ex", "linalg_det": "_linalg_det", "qr": "linalg_qr",
    "linalg_inv": "linalg_inv_ex", "linalg_lu_factor": "linalg_lu_factor_ex",
    **dict.fromkeys(("linalg_eigh", "linalg_eigvalsh"), "_linalg_eigh"),
    **dict.fromkeys(("linalg_slogdet", "slogdet"), "_linalg_slogdet"),
    **dict.fromkeys(("linalg_solve", "linalg_solve_ex"), "_linalg_solve_ex"),
    **dict.fromkeys(("linalg_svd", "linalg_svdvals", "svd"), "_linalg_svd"),
    "max_all": "max", "min_all": "min",
}
# Operators whose results are true or false, and so have no derivatives to record.
TRUTHS = frozenset(("eq", "ne", "lt", "le", "gt", "ge", "isposinf", "isneginf", "signbit",
                    "logical_and", "logical_or", "logical_xor", "logical_not"))
# Operators that write while they read: out must not share an element with an input, not even as
# the whole of it.
APART = frozenset(("linalg_cross", "index_select", "take_along_dim", "gather", "cat", "stack",
                   "masked_select", "take", "kthvalue"))

CROSS_DEVICE = ("Attempting to copy from device {} to device {}, but cross-device copies are not "
                "allowed!")


def refuse_dtype(name, have, want, field="result"):
    """Raise unless operator `name` may write a result of dtype `want` into one of dtype `have`.

    `field` is the result's name, where there are several.
    """
    words = EXACT.get(name) or EXACT.get(f"{name}.{field}")
    if name in ("all", "any") and have is not _dtype.uint8:
        words = _ONLY_BOOL
    if name.startswith("fft_") and want.is_complex and not have.is_complex:
        words = _COMPLEX
    if name.startswith("fft_") and want.is_floating_point and not have.is_floating_point:
        words = _REAL
    if words is None and not _dtype.can_cast(want, have):
        words = UNCASTABLE.get(name)
    if words is not None:
        raise RuntimeError(words.format(
            name=name, field=field, have=have.tensor_name, want=want.tensor_name,
            have_c=have.option_name, want_c=want.option_name,
            small="True" if want is _dtype.int32 else "False",
            short=_FFT.get(name, name.removeprefix("fft_"))))
    if not _dtype.can_cast(want, have):
        if name in CASTING:
            raise RuntimeError(f"{CASTING[name]}: Expected {field} to be safely castable from "
                               f"{want.tensor_name} dtype, but got {field} with dtype "
                               f"{have.tensor_name}")
        raise RuntimeError(f"result type {want.tensor_name} can't be cast to the desired output "
                           f"type {have.tensor_name}")


def refuse_overlap(name, out, inputs):
    """Raise if writing `out` would change an input while it is read."""
    cell = out._cell
    for t in inputs:
        if isinstance(t, Tensor) and t._cell is cell:
            if name in APART and share_elements(out._data, t._data):
                raise RuntimeError(PARTIAL)
            check_partial_overlap(out._data, t._data)


def refuse_growth(out, shape, inputs):
    """RuntimeError if `out` is also an operand, and the operands broadcast to a larger shape."""
    tensors = [t for t in inputs if isinstance(t, Tensor)]
    if len(tensors) > 1 and any(t is out for t in tensors) \
            and broadcast(*(t._data.shape for t in tensors)) == shape:
        raise RuntimeError(f"output with shape {list(out._data.shape)} doesn't match the broadcast "
                           f"shape {list(shape)}")


def broadcast(*shapes):
    """The shape that all of these broadcast to, None if they do not."""
    try:
        return np.broadcast_shapes(*shapes)
    except ValueError:
        return None


def write_out(op, out, fn, args):
    """fn(*args, out=out): compute, then write into `out`, which is resized if necessary."""
    if not isinstance(out, Tensor):
        raise must_be("Tensor", shown(op), "out", None, out)
    flags = out._flags
    for a in args:
        if isinstance(a, Tensor):
            flags |= a._flags
    if flags:
        refuse_dual(op.name, out, *args)
        if flags & 1 and state.grad and op.name not in TRUTHS:
            raise recorded(op.name)
    return fill(op.name, out, fn(*args), args)


def fill(name, out, res, inputs=(), field="result"):
    """Write operator `name`'s result into `out`, whose shape is adapted, and return `out`."""
    if (out._flags | res._flags) & WITHOUT_ARRAY:
        return _fill_without_array(name, out, res)
    for look in features.before_write:
        look(out)
    refuse_misfit(name, out, res, inputs, field)
    target, source = out._data, res._data
    if target.shape != source.shape:
        if target.size:
            warn(
                f"An output with one or more elements was resized since it had shape "
                f"{list(target.shape)}, which does not match the required output shape "
                f"{list(source.shape)}. This behavior is deprecated, and in a future PyTorch "
                "release outputs will not be resized unless they have zero elements. You can "
                "explicitly reuse an out tensor t by resizing it, inplace, to zero elements with "
                "t.resize_(0).")
        del target                # so that nothing but `out` is seen to hold its memory
        resize(out, source.shape, np.empty_like(source, out._data.dtype).strides)
    out._data[...] = source
    note_write(out, "out=")
    return out


def refuse_misfit(name, out, res, inputs=(), field="result"):
    """Raise unless operator `name`'s result may be written into `out`."""
    if out._flags > 1:
        from .special_modes import refuse_write
        refuse_write(out)
    target, source = out._data, res._data
    if target.dtype is not source.dtype:
        of_complex = name == "abs" and inputs[0]._data.dtype.kind == "c"    # these convert
        refuse_dtype("" if of_complex else name, _dtype.of(target), _dtype.of(source), field)
    if not target.flags.c_contiguous:
        check_overlap(target)
    refuse_overlap(name, out, inputs)
    if target.shape != source.shape:
        refuse_growth(out, source.shape, inputs)


def _fill_without_array(name, out, res):
    """fill() where one of the tensors is batched, sparse or on the device meta."""
    if (out._flags | res._flags) & BATCHED:
        raise RuntimeError(f"Batching rule not implemented for aten::{name}.out; the fallback path "
                           "doesn't work on out= or view ops.")
    if (out._flags ^ res._flags) & ON_META:
        raise RuntimeError(CROSS_DEVICE.format(res.device, out.device))
    if out._flags & ON_META:
        out._data = res._data
        return out
    if (out._flags ^ res._flags) & SPARSE or out._data.layout != res._data.layout:
        raise RuntimeError(f"{name}(): the layout of out, {out.layout}, is not that of the "
                           f"result, {res.layout}")
    out._data = res._data.astype(out._data.dtype)
    return out


def refuse_dual(name, *tensors):
    """Raise if one of the tensors carries a tangent: forward mode does not follow out=."""
    if any(isinstance(t, Tensor) and t._flags & DUAL for t in tensors):
        raise NotImplementedError(f"Trying to use forward AD with {name}_out that does not support "
                                  "it because it is an out= function")


def recorded(name) -> RuntimeError:
    """The error for out= with tensors that require grad."""
    return RuntimeError(f"{INSIDE.get(name, name)}(): functions with out=... arguments don't "
                        "support automatic differentiation, but one of the arguments requires "
                        "grad.")


def check_out(name, out):
    """PyTorch's TypeError unless `out` is a Tensor."""
    if not isinstance(out, Tensor):
        raise of_call(must_be("Tensor", name, "out", None, out))


def fill_checked(name, out, res, *inputs, field="result"):
    """fill(), refusing what autograd cannot follow; `res` tells whether an input is recorded.

    `inputs` are the arguments that `out` must not lie partly over.
    """
    check_out(name, out)
    refuse_recorded(name, out, res)
    return fill(name, out, res, inputs, field)


def refuse_recorded(name, out, res):
    """Raise if autograd, or forward mode, would have to follow the write of `res` into `out`."""
    flags = out._flags | res._flags
    if flags:
        refuse_dual(name, out, res)
        if flags & 1 and state.grad:
            raise recorded(name)


def reduced_into(name, out, reduction, dtype, *args):
    """reduction(*args), computed in the dtype of `out`, which `dtype` may only repeat."""
    check_out(name, out)
    have = out.dtype
    if dtype is not None and dtype is not have:
        raise RuntimeError(_EXPECTED.format(want_c=dtype.option_name, have_c=have.option_name))
    refuse_recorded(name, out, args[0])          # the sum of integers would not tell
    return fill_checked(name, out, reduction(*args, dtype=have), args[0])


def given(name, res, out, *inputs, field="result"):
    """`res`, written into `out` if one is given."""
    return res if out is None else fill_checked(name, out, res, *inputs, field=field)


def given_pair(name, made, out, *inputs):
    """PyTorch's named tuple of the results, written into those of `out` if there are some.

    Nothing is written unless all of them fit. `inputs` are what they must not lie partly over.
    """
    cls = getattr(return_types, name if out is None else f"{name}_out")
    if out is None:
        return cls(made)
    fields = cls.__match_args__
    places = list(zip(fields, several(name, out, len(fields)), made, strict=True))
    for field, o, r in places:
        check_out(name, o)
        refuse_recorded(name, o, r)
        if not (o._flags | r._flags) & WITHOUT_ARRAY:
            refuse_misfit(name, o, r, inputs, field)
    return cls([fill(name, o, r, (), field) for field, o, r in places])


def several(name, out, count):
    """`out` as a sequence; TypeError unless it is `count` tensors."""
    if not isinstance(out, (tuple, list)):
        raise must_be("tuple of Tensors", name, "out", None, out)
    if len(out) != count:
        raise TypeError(f"expected tuple of {count} elements but got {len(out)}")
    return out


def warn_of_another_size(out, n) -> None:
    """Warn that `out`, given for `n` computed numbers, has another size."""
    warn(f"The number of elements in the out tensor of shape {list(out._data.shape)} is "
         f"{out._data.size} which does not match the computed number of elements {n}. Note that "
         "this may occur as a result of rounding error. The out tensor will be resized to a tensor "
         f"of shape ({n},).")
