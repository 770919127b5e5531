"""torch._foreach_*: an operator over lists of tensors, one after another.

PyTorch fuses these into one launch on a GPU; here each is the plain operator, so results, graph
and errors of the single steps are those of `torch.<name>`. Of few float numbers, where nobody
records or observes the steps, each is a call of NumPy's kernel (`_at_once`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

import retrograd as torch

from ._callers import caller
from ._state import features
from ._tensor import Tensor, wrap
from .nn.parameter import Parameter
from .ops.in_place import plain_kernel
from .ops.overlap import same_memory
from .ops.support import F32, F64, unobserved

UNARY = frozenset((
    *("abs", "acos", "asin", "atan", "ceil", "clone", "cos", "cosh", "erf", "erfc", "exp", "expm1"),
    *("floor", "frac", "lgamma", "log", "log10", "log1p", "log2", "neg", "reciprocal", "round"),
    *("rsqrt", "sigmoid", "sign", "sin", "sinh", "sqrt", "tan", "tanh", "trunc", "zero", "max"),
))
BINARY = {         # name: the operator
    "add": "add", "sub": "sub", "mul": "mul", "div": "div", "pow": "pow", "maximum": "clamp_min",
    "minimum": "clamp_max", "clamp_max": "clamp_max", "clamp_min": "clamp_min", "copy": "copy",
    "mm": "mm",
}
TERNARY = ("addcmul", "addcdiv", "lerp")
ONLY_IN_PLACE = ("copy", "zero")
NEVER_IN_PLACE = ("clone", "max", "mm", "norm", "powsum")


def function(name: str) -> Callable | None:
    """torch.<name>, or None.

    >>> import retrograd as torch
    >>> torch._foreach_add([torch.ones(2), torch.zeros(1)], 1)
    (tensor([2., 2.]), tensor([1.]))
    """
    base = name.removeprefix("_foreach_").removesuffix("_")
    inplace = name.endswith("_")
    if base in (NEVER_IN_PLACE if inplace else ONLY_IN_PLACE):
        return None
    if base == "max":
        made = _max
    elif base in UNARY:
        made = _unary(base, inplace)
    elif base in BINARY:
        made = _binary(base, inplace)
    elif base in TERNARY:
        made = _ternary(base, inplace)
    elif base == "norm":
        made = _norm
    elif base == "powsum":
        made = _powsum
    else:
        return None
    made.__name__ = made.__qualname__ = name
    made.__doc__ = f"{base} of each tensor of the list."
    return made


def _steps(name: str, base: str, self: Any, inplace: bool) -> tuple[Any, Callable]:
    """The tensors, and the operator for one of them."""
    if not isinstance(self, (list, tuple)):
        raise TypeError(f"_foreach_{name}(): argument 'self' (position 1) must be tuple of "
                        f"Tensors, not {type(self).__name__}")
    if not self:
        raise RuntimeError("Tensor list must have at least one tensor.")
    return self, getattr(Tensor, base + "_" * inplace)


def _finish(self: Any, results: list, inplace: bool) -> Any:
    return self if inplace else tuple(results)


FEW = 1 << 12        # elements from which compiled kernels and other threads may pay
EXACT = 1 << 24      # whole numbers that float32 holds
ADDS = {"add": "add_scaled", "sub": "sub_scaled", "lerp": "lerp_scalar"}    # with a number beside


def _copy(a: Any, b: Any, out: Any) -> None:
    out[...] = b


def _zero(a: Any, out: Any) -> None:
    out.fill(0)


QUICK = {"add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "copy": _copy}


def _at_once(kernel: Callable, name: str, inplace: bool, lists: tuple, numbers: Any = None) -> Any:
    """The results of kernel(the arrays of a step..., its number, out) for each step.

    None, with nothing done, where more is to be seen to than the arithmetic.
    """
    columns, flags = [], 0
    for tensors in lists:
        column = []
        for t in tensors:
            if t.__class__ is not Tensor and t.__class__ is not Parameter:
                return None
            flags |= t._flags
            column.append(t._data)
        columns.append(column)
    if (flags or features.recording) and not unobserved(flags) or features.before_write:
        return None
    firsts = columns[0]
    for a in firsts:
        dtype = a.dtype
        if (dtype is not F32 and dtype is not F64 or not 0 < a.size < FEW or not a.ndim
                or not a.flags.c_contiguous):
            return None
    for others in columns[1:]:
        for a, b in zip(firsts, others, strict=True):
            if a.dtype is not b.dtype or a.shape != b.shape or (
                    inplace and a is not b and same_memory(a, b)):
                return None
    if numbers is not None:
        for number in numbers:
            if number.__class__ is not float and not (
                    number.__class__ is int and -EXACT < number < EXACT):
                return None
        columns.append(numbers)
    if not inplace:
        return [wrap(kernel(*arrays)) for arrays in zip(*columns, strict=True)]
    written = (name + "_", *caller())
    for arrays in zip(*columns, firsts, strict=True):
        kernel(*arrays)
    for t in lists[0]:
        t._cell[0] += 1
        t._cell[1] = written
    return lists[0]


def _check_sources(src: Any) -> None:
    """Raise TypeError unless _foreach_copy_() is given a list of tensors."""
    if not isinstance(src, (list, tuple)):
        raise TypeError("_foreach_copy_(): argument 'src' (position 2) must be tuple of Tensors, "
                        f"not {type(src).__name__}")
    for k, t in enumerate(src):
        if not isinstance(t, Tensor):
            raise TypeError(f"expected Tensor as element {k} in argument 1, but got "
                            f"{type(t).__name__}")


def _spread(self: list, other: Any) -> Any:
    """`other` for each tensor: a list of tensors, a list of numbers, or one for all."""
    if not isinstance(other, (list, tuple)):
        if isinstance(other, Tensor) and other.dim() != 0:
            raise RuntimeError("scalar tensor expected to be 0 dim but it has "
                               f"{other.dim()} dimensions and {other.numel()} elements.")
        return [other] * len(self)
    if len(other) != len(self):
        if other and isinstance(other[0], Tensor):
            raise RuntimeError("Tensor lists must have the same number of tensors, got "
                               f"{len(self)} and {len(other)}")
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")
    return other


def _unary(base: str, inplace: bool) -> Callable:
    found = _zero if base == "zero" else plain_kernel(base)
    quick = found if found is _zero or found.__class__ is np.ufunc else None

    def foreach(self: Any) -> Any:
        tensors, step = _steps(base, base, self, inplace)
        if quick is not None:
            results = _at_once(quick, base, inplace, (tensors,))
            if results is not None:
                return _finish(self, results, inplace)
        return _finish(self, [step(tensor) for tensor in tensors], inplace)

    return foreach


def _binary(name: str, inplace: bool) -> Callable:
    base = BINARY[name]

    def foreach(self: Any, other: Any, alpha: Any = None, **options: Any) -> Any:
        if name == "pow" and not isinstance(self, (list, tuple)):
            return tuple(torch.pow(self, exponent) for exponent in other)
        if name == "copy":                       # whose third argument is non_blocking
            _check_sources(other)
            alpha = None
        if alpha is not None:
            if not isinstance(other, (list, tuple, Tensor)):
                raise TypeError(f"_foreach_{name}(): argument 'other' (position 2) must be tuple "
                                f"of Tensors, not {type(other).__name__}")
            options["alpha"] = alpha
        tensors, step = _steps(name, base, self, inplace)
        others = _spread(tensors, other)
        results = None
        if name in QUICK and alpha is None:
            results = _at_once(QUICK[name], name, inplace, (tensors, others)) \
                if isinstance(others[0], Tensor) \
                else _at_once(QUICK[name], name, inplace, (tensors,), others)
        elif alpha.__class__ is float and name in ADDS:
            results = _at_once(plain_kernel(ADDS[name]), name, inplace, (tensors, others),
                               [alpha] * len(tensors))
        if results is None:
            results = [step(tensor, one, **options)
                       for tensor, one in zip(tensors, others, strict=True)]
        return _finish(self, results, inplace)

    return foreach


def _ternary(name: str, inplace: bool) -> Callable:
    kernel = plain_kernel(ADDS.get(name, name))

    def foreach(self: Any, tensor1: Any, tensor2: Any = None, value: Any = 1, *,
                weight: Any = None, scalars: Any = None) -> Any:
        tensors, step = _steps(name, name, self, inplace)
        firsts = _spread(tensors, tensor1)
        if name == "lerp":
            seconds = _spread(tensors, tensor2 if weight is None else weight)
            results = _at_once(kernel, name, inplace, (tensors, firsts), seconds)
            if results is None:
                results = [step(*each) for each in zip(tensors, firsts, seconds, strict=True)]
        else:
            seconds = _spread(tensors, tensor2)
            values = value if scalars is None else scalars
            values = _spread(tensors, _unpacked(values, len(tensors)))
            results = _at_once(kernel, name, inplace, (tensors, firsts, seconds), values)
            if results is None:
                results = [step(t, a, b, value=v)
                           for t, a, b, v in zip(tensors, firsts, seconds, values, strict=True)]
        return _finish(self, results, inplace)

    return foreach


def _unpacked(scalars: Any, count: int) -> Any:
    """The numbers of a tensor that packs one for each step."""
    if not isinstance(scalars, Tensor):
        return scalars
    if scalars.dim() != 1:                       # PyTorch's words, which are only right below 2
        raise RuntimeError("Expected packed scalar Tensor to be of dimension 1. Got "
                           f"{scalars.dim()} instead.")
    if not scalars.is_contiguous():
        raise RuntimeError("Expected scalars to be contiguous.")
    if len(scalars) != count:
        raise RuntimeError(f"Expected length of scalars to match input of length {count} but got "
                           f"{len(scalars)} instead.")
    return scalars.tolist()


def _max(self: Any) -> Any:
    tensors, step = _steps("max", "max", self, False)
    if any(tensor.numel() == 0 for tensor in tensors):
        raise RuntimeError("_foreach_max cannot compute the maximum of an empty tensor; max over "
                           "zero elements is undefined.")
    return tuple(step(tensor) for tensor in tensors)


def _norm(self: Any, ord: Any = 2, dtype: Any = None) -> Any:
    tensors, _ = _steps("norm", "norm", self, False)
    return tuple(torch.linalg.vector_norm(tensor, ord, dtype=dtype) for tensor in tensors)


def _powsum(self: Any, ord: Any = 2, dtype: Any = None) -> Any:
    tensors, _ = _steps("powsum", "norm", self, False)
    if any(not (tensor.is_floating_point() or tensor.is_complex()) for tensor in tensors):
        raise NotImplementedError('"powsum_cpu" not implemented for \'Long\'')
    return tuple(torch.sum(tensor.abs() ** ord, dtype=dtype) for tensor in tensors)
