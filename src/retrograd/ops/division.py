"""Quotients and remainders. As in arithmetic.py, the declarations come first.

Where PyTorch's graph has a node of its own for a Python number, there are two operators behind one
function: remainder(self, other) and remainder_scalar(self | other), of which the second keeps the
number as it is.
"""

from __future__ import annotations

import numpy as np

from .. import kernels as K
from .._callers import written
from .._tensor import Tensor
from ..autograd.views import leaf_first
from ..kernels.half import in_dtype
from . import samples as S
from .arithmetic import NUMBERS, held, is_operand
from .declare import F as T
from .declare import op
from .deprecated import factor_first
from .formulas import both, conj_number, missing, scaled
from .in_place import written_at_once
from .out import fill_checked
from .public import alias, method, public
from .support import plain

# --------------------------------------------------------------------------- quotients

op("div(self, other)", "DivBackward0", broadcasts=True, floats=True, inplace="operator",
    public=False, samples=S.positive_pairs,
    self  = lambda F, g, other: g / F.conj(other),
    other = lambda F, g, self, other: -g * F.conj(self / other / other),
    jvp   = lambda F, self, other, self_t, other_t:
                both(None if self_t is None else self_t / other,
                     scaled(other_t, -(self / other / other))))

# what PyTorch's functions record where they themselves divide by a number
op("div_number(self | other)", "DivBackward1", floats=True, public=False,
    kernel=lambda a, other: in_dtype(K.div(a, other), a.dtype),
    samples=S.with_consts(S.singles, 2.5),
    self = lambda F, g, other: g / conj_number(other),
    jvp  = "elementwise")

op("div_rounded(self, other | rounding_mode)", "DivBackward2", broadcasts=True, inplace=True,
    public=False, samples=S.with_consts(S.positive_pairs, "floor"),
    self  = lambda F, g: F.zeros_like(g),
    other = lambda F, g: F.zeros_like(g),
    jvp   = lambda F, self, other, self_t, other_t, rounding_mode:
                both(scaled(self_t, 0), scaled(other_t, 0)))

op("floor_divide(self, other)", "NotImplemented", broadcasts=True, inplace="operator",
    samples=S.positive_pairs,
    self  = missing("floor_divide"),
    other = missing("floor_divide"))

op("remainder(self, other)", "RemainderBackward1", broadcasts=True, inplace=True, public=False,
    samples=S.positive_pairs,
    self  = lambda F, g: g,
    other = lambda F, g, self, other: -g * F.div_rounded(self, other, "floor"),
    jvp   = lambda F, self, other, self_t, other_t:
                both(self_t, scaled(other_t, -F.div_rounded(self, other, "floor"))))

op("remainder_scalar(self | other)", "RemainderBackward0", inplace=True, public=False,
    samples=S.with_consts(S.singles, 0.7),
    self = lambda F, g: g,
    jvp  = "elementwise")

op("fmod(self, other)", "FmodBackward1", broadcasts=True, inplace=True, public=False,
    samples=S.positive_pairs,
    self  = lambda F, g: g,
    other = lambda F, g, self, other: -g * F.div_rounded(self, other, "trunc"),
    jvp   = lambda F, self, other, self_t, other_t:
                both(self_t, scaled(other_t, -F.div_rounded(self, other, "trunc"))))

op("fmod_scalar(self | other)", "FmodBackward0", inplace=True, public=False,
    samples=S.with_consts(S.singles, 0.7),
    self = lambda F, g: g,
    jvp  = "elementwise")

op("addcdiv(self, tensor1, tensor2 | value)", "AddcdivBackward0", broadcasts=True, inplace=True,
    public=False, samples=S.with_consts(S.positive_triples, 0.5),
    self    = lambda F, g: g,
    tensor1 = lambda F, g, tensor2, value: g * F.conj(value / tensor2),
    tensor2 = lambda F, g, tensor1, tensor2, value:
                  -g * F.conj(tensor1 * value / (tensor2 * tensor2)),
    jvp = lambda F, self, tensor1, tensor2, self_t, tensor1_t, tensor2_t, value:
              both(self_t, both(scaled(tensor1_t, value / tensor2),
                                scaled(tensor2_t, -(value * tensor1 / (tensor2 * tensor2))))))

op("reciprocal(self)", "ReciprocalBackward0", floats=True, inplace=True, samples=S.positive,
    self = lambda F, g, result: -g * F.conj(result * result),
    jvp  = "elementwise")

# --------------------------------------------------------------------------- public functions

ROUNDINGS = None, "trunc", "floor"


def check_rounding(mode):
    if mode not in ROUNDINGS:
        raise RuntimeError("div expected rounding_mode to be one of None, 'trunc', or 'floor' but "
                           f"found '{mode}'")


@public
def div(input, other, *, rounding_mode=None, out=None):
    """`input / other`; with rounding_mode "trunc" or "floor" the quotient rounded to an integer.

    Shapes broadcast and dtypes promote; either operand may be a number. True division of integers
    gives the default floating dtype; rounded division keeps integers, and raises RuntimeError for
    one by zero. Derivatives: 1 / other, -input / other**2; none where the quotient is rounded.

    >>> import retrograd as torch
    >>> torch.div(torch.tensor([7, -7]), 2, rounding_mode="floor")
    tensor([ 3, -4])
    """
    if rounding_mode is None:
        res = T.div(input, other)
    else:
        check_rounding(rounding_mode)
        res = T.div_rounded(input, other, rounding_mode)
    return res if out is None else fill_checked("div", out, res, input, other)


@method
def div_(self, other, *, rounding_mode=None):
    """Divide self by other in place.

    >>> import retrograd as torch
    >>> torch.ones(2).div_(2)
    tensor([0.5000, 0.5000])
    """
    if rounding_mode is None:
        return written(T.div_(self, other), "div_")
    if rounding_mode not in ROUNDINGS:
        leaf_first(self)
        check_rounding(rounding_mode)
    return written(T.div_rounded_(self, other, rounding_mode), "div_")


@public
def true_divide(input, other, *, out=None):
    """input / other; the same as div without rounding.

    >>> import retrograd as torch
    >>> torch.true_divide(torch.tensor([1, 2]), 2)
    tensor([0.5000, 1.0000])
    """
    return div(input, other, out=out)


@method(name="true_divide_")
def true_divide_(self, other):
    """Divide self by other in place.

    >>> import retrograd as torch
    >>> torch.tensor([1., 3.]).true_divide_(2)
    tensor([0.5000, 1.5000])
    """
    return written(T.div_(self, other), "true_divide_")


@method(name="__rtruediv__")
def reflected_div(self, other):
    takes = is_operand(other) or isinstance(other, np.ndarray)
    return T.reciprocal(self) * other if takes else NotImplemented


method(reflected_div, name="__rdiv__")


@method(name="__floordiv__")
def dunder_floordiv(self, other):
    return T.floor_divide(self, other) if is_operand(other) else NotImplemented


@method(name="__rfloordiv__")
def reflected_floordiv(self, other):
    return T.floor_divide(other, self) if is_operand(other) else NotImplemented


@public
def remainder(input, other, *, out=None):
    """Python's modulus: input - other * floor(input / other), which has the sign of `other`.

    Shapes broadcast and dtypes promote; either operand may be a number. Derivatives: 1 by input,
    -floor(input / other) by other. Raises RuntimeError for an integer divided by zero.

    >>> import retrograd as torch
    >>> torch.remainder(torch.tensor([-3., 5.]), 2)
    tensor([1., 1.])
    """
    other = plain(other)
    res = (T.remainder_scalar if isinstance(other, NUMBERS) else T.remainder)(input, other)
    return res if out is None else fill_checked("remainder", out, res, input, other)


@public
def fmod(input, other, *, out=None):
    """C's fmod: input - other * trunc(input / other), which has the sign of `input`.

    Shapes broadcast and dtypes promote; `other` may be a number. Derivatives: 1 by input,
    -trunc(input / other) by other. Raises RuntimeError for an integer divided by zero.

    >>> import retrograd as torch
    >>> torch.fmod(torch.tensor([5., -5.]), 3)
    tensor([ 2., -2.])
    """
    other = plain(other)
    res = (T.fmod_scalar if isinstance(other, NUMBERS) else T.fmod)(input, other)
    return res if out is None else fill_checked("fmod", out, res, input, other)


@method
def remainder_(self, other):
    """`remainder` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `remainder` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([-5., 5.]).remainder_(3)
    tensor([1., 2.])
    """
    other = plain(other)
    change = T.remainder_scalar_ if isinstance(other, NUMBERS) else T.remainder_
    return written(change(self, other), "remainder_")


@method
def fmod_(self, other):
    """`fmod` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `fmod` raises, and RuntimeError where self cannot
    hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([-5., 5.]).fmod_(3)
    tensor([-2.,  2.])
    """
    other = plain(other)
    change = T.fmod_scalar_ if isinstance(other, NUMBERS) else T.fmod_
    return written(change(self, other), "fmod_")


@method(name="__mod__")
def dunder_mod(self, other):
    return remainder(self, other) if is_operand(other) else NotImplemented


@method(name="__rmod__")
def reflected_mod(self, other):
    return T.remainder(other, self) if is_operand(other) else NotImplemented


@method(name="__imod__")
def in_place_mod(self, other):
    return written(remainder_(self, other), "remainder_") if is_operand(other) else NotImplemented


INTEGER_ADDCDIV = (
    "Integer division with addcdiv is no longer supported, and in a future  release addcdiv will "
    "perform a true division of tensor1 and tensor2. The historic addcdiv behavior can be "
    "implemented as (input + value * torch.trunc(tensor1 / tensor2)).to(input.dtype) for integer "
    "inputs and as (input + value * tensor1 / tensor2) for float inputs. The future addcdiv "
    "behavior is just the latter implementation: (input + value * tensor1 / tensor2), for all "
    "dtypes.")


def check_addcdiv(tensor1, tensor2):
    if all(isinstance(t, Tensor) and t._data.dtype.kind in "biu" for t in (tensor1, tensor2)):
        raise RuntimeError(INTEGER_ADDCDIV)


@public
def addcdiv(input, tensor1, tensor2, tensor=None, *, value=1, out=None):
    """input + value * tensor1 / tensor2.

    Shapes broadcast and dtypes promote. Derivatives: 1, value / tensor2 and -value * tensor1 /
    tensor2**2. Raises RuntimeError if tensor1 and tensor2 are both integers.

    >>> import retrograd as torch
    >>> torch.addcdiv(torch.ones(2), torch.tensor([1., 2.]), torch.tensor([2., 4.]))
    tensor([1.5000, 1.5000])
    """
    if tensor is not None:
        (tensor1, tensor2), value = factor_first("addcdiv", "value", tensor1, (tensor2, tensor))
    check_addcdiv(tensor1, tensor2)
    res = T.addcdiv(input, tensor1, tensor2, held(value, input))
    return res if out is None else fill_checked("addcdiv", out, res, input, tensor1, tensor2)


@method
def addcdiv_(self, tensor1, tensor2, tensor=None, *, value=1):
    """`addcdiv` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `addcdiv` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.ones(2).addcdiv_(torch.tensor([2., 4.]), torch.tensor([1., 2.]), value=10)
    tensor([21., 21.])
    """
    if tensor is not None:
        (tensor1, tensor2), value = factor_first("addcdiv_", "value", tensor1, (tensor2, tensor))
    value = held(value, self)
    if not written_at_once("addcdiv", self, (tensor1, tensor2), value):
        check_addcdiv(tensor1, tensor2)
        T.addcdiv_(self, tensor1, tensor2, value)
    return written(self, "addcdiv_")


for _new, _old in (("divide", "div"), ("divide_", "div_")):
    alias(_new, _old)
