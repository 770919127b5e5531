"""Arithmetic of two and three operands: sums and products; quotients are in division.py.

The declarations come first: every formula is there. The functions below them take the arguments
that no formula knows of (alpha, out) and choose among the operators. `x + y` does not pass through
them: it is the operator itself.
"""

from __future__ import annotations

import numpy as np

from .. import kernels as K
from .._callers import written
from .._dtype import result_type_of
from .._tensor import Tensor
from ..kernels.half import in_dtype
from . import samples as S
from .arguments import must_be
from .convert import result_type
from .declare import F as T
from .declare import op
from .deprecated import factor_first
from .factory import check_number, factor
from .formulas import both, conj_number, scaled
from .in_place import check_cast, written_at_once
from .mistyped import is_number, of_call
from .nn_checks import cpp_name
from .out import fill_checked
from .public import alias, method, public
from .support import need_tensors, number_of, plain

NUMBERS = (int, float, complex)

# --------------------------------------------------------------------------- sums and products

op("add(self, other)", "AddBackward0", broadcasts=True, inplace="operator", public=False,
    samples=S.pairs,
    self  = lambda F, g: g,
    other = lambda F, g: g,
    jvp   = lambda F, self, other, self_t, other_t: both(self_t, other_t))

op("add_scaled(self, other | alpha)", "AddBackward0", broadcasts=True, inplace=True, public=False,
    samples=S.with_consts(S.pairs, 2.5),
    self  = lambda F, g: g,
    other = lambda F, g, alpha: g * conj_number(alpha),
    jvp   = lambda F, self, other, self_t, other_t, alpha: both(self_t, scaled(other_t, alpha)))

op("sub(self, other)", "SubBackward0", broadcasts=True, inplace="operator", public=False,
    samples=S.pairs,
    self  = lambda F, g: g,
    other = lambda F, g: -g,
    jvp   = lambda F, self, other, self_t, other_t: both(self_t, scaled(other_t, -1)))

op("sub_scaled(self, other | alpha)", "SubBackward0", broadcasts=True, inplace=True, public=False,
    samples=S.with_consts(S.pairs, 2.5),
    self  = lambda F, g: g,
    other = lambda F, g, alpha: g * -conj_number(alpha),
    jvp   = lambda F, self, other, self_t, other_t, alpha: both(self_t, scaled(other_t, -alpha)))

# 1 - x, and torch.rsub(x, y) of two tensors
for _name, _grad_fn, _shown in (("rsub", "RsubBackward1", (0,)),
                                ("rsub_tensor", "RsubBackward0", None)):
    op(f"{_name}(self, other)", _grad_fn, broadcasts=True, public=False, samples=S.pairs,
       kernel="rsub", shown=_shown,
       self  = lambda F, g: -g,
       other = lambda F, g: g,
       jvp   = lambda F, self, other, self_t, other_t: both(other_t, scaled(self_t, -1)))
    op(f"{_name}_scaled(self, other | alpha)", _grad_fn, broadcasts=True, public=False,
       samples=S.with_consts(S.pairs, 2.5), shown=_shown,
       kernel=lambda a, b, alpha: K.sub_scaled(b, a, alpha),
       self  = lambda F, g, alpha: g * -conj_number(alpha),
       other = lambda F, g: g,
       jvp   = lambda F, self, other, self_t, other_t, alpha:
                   both(other_t, scaled(self_t, -alpha)))

op("mul(self, other)", "MulBackward0", broadcasts=True, inplace="operator", samples=S.pairs,
    self  = lambda F, g, other: g * F.conj(other),
    other = lambda F, g, self:  g * F.conj(self),
    jvp   = lambda F, self, other, self_t, other_t:
                both(scaled(self_t, other), scaled(other_t, self)))

# What PyTorch's functions record where they themselves multiply by a number. In a program the
# number becomes a tensor first: `x * 2` records the product of two tensors, MulBackward0.
op("mul_number(self | other)", "MulBackward1", floats=True, public=False,
    kernel=lambda a, other: in_dtype(K.mul(a, other), a.dtype),
    samples=S.with_consts(S.singles, 2.5),
    self = lambda F, g, other: g * conj_number(other),
    jvp  = "elementwise")

op("addcmul(self, tensor1, tensor2 | value)", "AddcmulBackward0", broadcasts=True, inplace=True,
    public=False, samples=S.with_consts(S.triples, 0.5),
    self    = lambda F, g: g,
    tensor1 = lambda F, g, tensor2, value: g * F.conj(tensor2 * value),
    tensor2 = lambda F, g, tensor1, value: g * F.conj(tensor1 * value),
    jvp = lambda F, self, tensor1, tensor2, self_t, tensor1_t, tensor2_t, value:
              both(self_t, both(scaled(tensor1_t, tensor2 * value),
                                scaled(tensor2_t, tensor1 * value))))

op("lerp(self, end, weight)", "LerpBackward1", broadcasts=True, inplace=True, public=False,
    samples=S.triples,
    self   = lambda F, g, weight: g * F.conj(1 - weight),
    end    = lambda F, g, weight: g * F.conj(weight),
    weight = lambda F, g, self, end: g * F.conj(end - self),
    jvp = lambda F, self, end, weight, self_t, end_t, weight_t:
              both(scaled(self_t, 1 - weight),
                   both(scaled(end_t, weight), scaled(weight_t, end - self))))

op("lerp_scalar(self, end | weight)", "LerpBackward0", broadcasts=True, inplace=True, public=False,
    samples=lambda: [(a, b, w) for a, b in S.pairs() for w in (0.25, 0.75)],
    self = lambda F, g, weight: g * (1 - conj_number(weight)),
    end  = lambda F, g, weight: g * conj_number(weight),
    jvp  = lambda F, self, end, self_t, end_t, weight:
               both(scaled(self_t, 1 - weight), scaled(end_t, weight)))

# --------------------------------------------------------------------------- public functions

def check_alpha(input, other, alpha):
    """PyTorch's rules for `alpha` beside integer and bool operands; returns it as a number."""
    if alpha.__class__ is float and -128 <= alpha <= 127 and isinstance(input, Tensor) \
            and input._data.dtype.kind == "f":
        return alpha
    alpha = number_of(alpha)
    kinds = {t._data.dtype.kind if isinstance(t, Tensor) else _dtype_kind(t)
             for t in (input, other)}
    if isinstance(alpha, bool):
        if kinds != {"b"}:
            raise RuntimeError("Boolean alpha only supported for Boolean results.")
    elif isinstance(alpha, float) and not kinds & {"f", "c", "V"}:
        raise RuntimeError("For integral input tensors, argument alpha must not be a floating "
                           "point number.")
    elif isinstance(alpha, complex) and "c" not in kinds:
        raise RuntimeError("For non-complex input tensors, argument alpha must not be a complex "
                           "number.")
    # other numbers fit every dtype
    if isinstance(alpha, NUMBERS) and not -128 <= alpha.real <= 127:
        check_number(alpha, result_type(input, other))
    return alpha


def _dtype_kind(value):
    return {bool: "b", int: "i", float: "f", complex: "c"}.get(type(value), "f")


@public
def add(input, other, tensor=None, *, alpha=1, out=None):
    """`input + alpha * other`.

    Shapes broadcast and dtypes promote; either operand may be a number. Raises RuntimeError for
    shapes that do not broadcast, and for a float `alpha` with integer operands.

    >>> import retrograd as torch
    >>> torch.add(torch.tensor([1., 2.]), 10, alpha=2)
    tensor([21., 22.])
    """
    if tensor is not None:
        (other,), alpha = factor_first("add", "alpha", other, (tensor,))
    if alpha.__class__ is int and alpha == 1:
        res = T.add(input, other)
    else:
        alpha = check_alpha(input, other, alpha)
        res = T.add_scaled(input, other, alpha)
    return res if out is None else fill_checked("add", out, res, input, other)


@method
def add_(self, other, tensor=None, *, alpha=1):
    """Add `alpha * other` to self in place; the shape and dtype of self stay.

    Raises RuntimeError if self would have to be expanded, or cannot hold the result's dtype.

    >>> import retrograd as torch
    >>> torch.ones(2).add_(2)
    tensor([3., 3.])
    """
    if tensor is not None:
        (other,), alpha = factor_first("add_", "alpha", other, (tensor,))
    if alpha.__class__ is int and alpha == 1:
        return written(T.add_(self, other), "add_")
    alpha = check_alpha(self, other, alpha)
    if not written_at_once("add_scaled", self, (other,), alpha):
        T.add_scaled_(self, other, alpha)
    return written(self, "add_")


@public
def sub(input, other, tensor=None, *, alpha=1, out=None):
    """`input - alpha * other`.

    Shapes broadcast and dtypes promote; either operand may be a number. Raises RuntimeError for two
    bools, for shapes that do not broadcast, and for a float `alpha` with integer operands.

    >>> import retrograd as torch
    >>> torch.sub(torch.tensor([1., 2.]), torch.tensor([0.5, 0.5]))
    tensor([0.5000, 1.5000])
    """
    if tensor is not None:
        (other,), alpha = factor_first("sub", "alpha", other, (tensor,))
    if alpha.__class__ is int and alpha == 1:
        res = T.sub(input, other)
    else:
        alpha = check_alpha(input, other, alpha)
        res = T.sub_scaled(input, other, alpha)
    return res if out is None else fill_checked("sub", out, res, input, other)


@method
def sub_(self, other, tensor=None, *, alpha=1):
    """Subtract alpha * other from self in place.

    >>> import retrograd as torch
    >>> torch.ones(2).sub_(2)
    tensor([-1., -1.])
    """
    if tensor is not None:
        (other,), alpha = factor_first("sub_", "alpha", other, (tensor,))
    if alpha.__class__ is int and alpha == 1:
        return written(T.sub_(self, other), "sub_")
    alpha = check_alpha(self, other, alpha)
    if not written_at_once("sub_scaled", self, (other,), alpha):
        T.sub_scaled_(self, other, alpha)
    return written(self, "sub_")


def _alpha(other, third, alpha):
    """alpha, which may also be given third where `other` is a number."""
    if third is None:
        return alpha
    if not is_number(other):
        raise of_call(TypeError("alpha is given by name"))
    return third


@public
def subtract(input, other, third=None, *, alpha=1, out=None):
    """sub(), by another name: behind a number, alpha may be given by position.

    >>> import retrograd as torch
    >>> torch.subtract(torch.tensor([1., 2.]), 1, 2)
    tensor([-1.,  0.])
    """
    return sub(input, other, alpha=_alpha(other, third, alpha), out=out)


@method
def subtract_(self, other, third=None, *, alpha=1):
    """`subtract` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `subtract` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.ones(2).subtract_(2)
    tensor([-1., -1.])
    """
    return sub_(self, other, alpha=_alpha(other, third, alpha))


@public(method=False)
def rsub(input, other, third=None, *, alpha=1):
    """`other - alpha * input`: sub() with the operands exchanged.

    Shapes broadcast and dtypes promote; `other` may be a number. Raises RuntimeError for bools.

    >>> import retrograd as torch
    >>> torch.rsub(torch.tensor([1., 2.]), 10)
    tensor([9., 8.])
    """
    need_tensors("rsub", input)
    alpha = _alpha(other, third, alpha)
    if alpha != 1:
        alpha = check_alpha(other, input, alpha)
        scaled_of = T.rsub_tensor_scaled if isinstance(other, Tensor) else T.rsub_scaled
        return scaled_of(input, other, alpha)
    return (T.rsub_tensor if isinstance(other, Tensor) else T.rsub)(input, other)


def is_operand(value):
    """Whether an operator takes `value` beside a Tensor: a Tensor or a number, no array."""
    return isinstance(value, (Tensor, *NUMBERS, np.generic))


@public
def lerp(input, end, weight, *, out=None):
    """input + weight * (end - input), which goes from input (weight 0) to end (weight 1).

    `weight` is a number or a tensor; shapes broadcast. Raises RuntimeError for several dtypes.

    >>> import retrograd as torch
    >>> torch.lerp(torch.tensor([0., 10.]), torch.tensor([1., 20.]), 0.5)
    tensor([ 0.5000, 15.0000])
    """
    input, end, weight = _lifted_by(weight, input, end)
    check_lerp(input, end, weight)
    res = (T.lerp_scalar if isinstance(weight, NUMBERS) else T.lerp)(input, end, weight)
    return res if out is None else fill_checked("lerp", out, res, input, end, weight)


@method
def lerp_(self, end, weight):
    """`lerp` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `lerp` raises, and RuntimeError where self cannot
    hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([0., 10.]).lerp_(torch.tensor([1., 20.]), 0.5)
    tensor([ 0.5000, 15.0000])
    """
    if weight.__class__ is not float or not written_at_once("lerp_scalar", self, (end,), weight):
        lifted, _, weight = _lifted_by(weight, self, end)
        if lifted is not self:
            check_cast(lifted._data.dtype, self._data.dtype)
            weight = weight.to(self.dtype)
        check_lerp(self, end, weight, self)
        change = T.lerp_scalar_ if isinstance(weight, NUMBERS) else T.lerp_
        change(self, end, weight)
    return written(self, "lerp_")


def _lifted_by(weight, input, end):
    """input, end and weight; one without dimensions may have another dtype, to lift theirs."""
    if not isinstance(weight, Tensor):
        return input, end, plain(weight)
    if weight._data.ndim or weight.dtype is input.dtype or end.dtype is not input.dtype:
        return input, end, weight
    dtype = result_type_of((t.dtype, t._data.ndim == 0) for t in (input, end, weight))
    return input.to(dtype), end.to(dtype), weight.to(dtype)


def check_lerp(input, end, weight, self=None):
    """Raise unless the tensors share one floating dtype; `self` is what will be written to."""
    have = input._data.dtype
    if not isinstance(end, Tensor):
        raise must_be("Tensor", "lerp", "end", 2, end, 3)
    for name, t in (("end", end), ("weight", weight)):
        if isinstance(t, Tensor) and t._data.dtype is not have and t._data.dtype != have:
            raise RuntimeError(f"expected dtype {cpp_name(input)} for `{name}` but got dtype "
                               f"{cpp_name(t)}")
    if have.kind in "biu":
        _check_shapes(self, input, end, weight)
        kernel = "lerp_kernel_scalar" if isinstance(weight, NUMBERS) else "lerp_kernel_tensor"
        raise NotImplementedError(f'"{kernel}" not implemented for \'{input.dtype.tensor_name}\'')
    if isinstance(weight, NUMBERS):
        factor(weight, input, "weight")


def _check_shapes(self, *operands):
    """Raise unless the operands broadcast, and to the shape of `self`, if that is given."""
    shape = ()
    for t in operands:
        if isinstance(t, Tensor):
            shape = K.check_broadcast(shape, t._data.shape) or np.broadcast_shapes(
                shape, t._data.shape)
    if self is not None and shape != self._data.shape:
        raise RuntimeError(f"output with shape {list(self._data.shape)} doesn't match the "
                           f"broadcast shape {list(shape)}")


def held(value, input):
    """The factor `value` as arithmetic with the input holds it."""
    value = number_of(value, "value")
    return value if value.__class__ is bool else factor(value, input, "value")


@public
def addcmul(input, tensor1, tensor2, tensor=None, *, value=1, out=None):
    """input + value * tensor1 * tensor2.

    Shapes broadcast and dtypes promote. Derivatives: 1, value * tensor2 and value * tensor1. Raises
    RuntimeError for shapes that do not broadcast.

    >>> import retrograd as torch
    >>> torch.addcmul(torch.ones(2), torch.tensor([1., 2.]), torch.tensor([3., 4.]), value=10)
    tensor([31., 81.])
    """
    if tensor is not None:
        (tensor1, tensor2), value = factor_first("addcmul", "value", tensor1, (tensor2, tensor))
    res = T.addcmul(input, tensor1, tensor2, held(value, input))
    return res if out is None else fill_checked("addcmul", out, res, input, tensor1, tensor2)


@method
def addcmul_(self, tensor1, tensor2, tensor=None, *, value=1):
    """`addcmul` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `addcmul` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.ones(2).addcmul_(torch.tensor([2., 4.]), torch.tensor([1., 2.]), value=10)
    tensor([21., 81.])
    """
    if tensor is not None:
        (tensor1, tensor2), value = factor_first("addcmul_", "value", tensor1, (tensor2, tensor))
    value = held(value, self)
    if not written_at_once("addcmul", self, (tensor1, tensor2), value):
        T.addcmul_(self, tensor1, tensor2, value)
    return written(self, "addcmul_")


for _new, _old in (("multiply", "mul"), ("multiply_", "mul_")):
    alias(_new, _old)
