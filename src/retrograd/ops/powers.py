"""Powers of tensors and numbers: x ** y.

Three operators, as PyTorch has three nodes: tensor ** number, tensor ** tensor, number ** tensor.
The derivatives, y x ** (y - 1) and x ** y log(x), need care at x = 0, where the product of 0 and
infinity would be nan.
"""

from __future__ import annotations

import cmath
import math

from .. import _dtype
from .._callers import written
from .._tensor import Tensor
from . import samples as S
from .arguments import invalid_combination, listed_signatures
from .arithmetic import NUMBERS, is_operand
from .declare import F as T
from .declare import op
from .formulas import both, floated, pow_gradient
from .out import fill_checked
from .public import method, public
from .support import plain


def pow_self_gradient(F, g, self, exponent):
    """d(x ** y)/dx for tensors; zero where y = 0."""
    return F.where(exponent == 0, 0, g * F.conj(exponent * F.pow(self, exponent - 1)))


def pow_exponent_gradient(F, g, self, exponent, result):
    """d(x ** y)/dy = x ** y * log(x); zero at x = 0 for y >= 0."""
    settled = (self == 0) & (F.real(exponent) >= 0)
    base = self * (1 + 0j) if F.is_complex(exponent) and not F.is_complex(self) else self
    return g * F.where(settled, 0, F.conj(result * F.log(floated(F, base, g))))


def pow_tangent(F, self, exponent, self_t, exponent_t, result):
    """How x ** y moves with x and y: the transposes of the two gradients."""
    by_self = by_exponent = None
    if self_t is not None:
        by_self = F.conj(pow_self_gradient(F, F.conj(self_t), self, exponent))
    if exponent_t is not None:
        by_exponent = F.conj(
            pow_exponent_gradient(F, F.conj(exponent_t), self, exponent, result))
    return both(by_self, by_exponent)


def rpow_gradient(F, g, exponent, result, self):
    """d(base ** y)/dy for a number `base` (named self)."""
    if self == 0:
        return F.where(F.real(exponent) >= 0, 0, g * F.conj(result * -math.inf))
    is_complex = isinstance(self, complex) or F.is_complex(exponent)
    log = cmath.log(self) if is_complex else math.log(self) if self > 0 else math.nan
    return g * F.conj(result * log)


op("pow_scalar(self | exponent)", "PowBackward0", inplace=True, public=False,
    samples=lambda: [(a, p) for a, in S.positive() for p in (2, 3, 0.5, -1.5, 1, 0)],
    self = lambda F, g, self, exponent: pow_gradient(F, g, self, exponent),
    jvp  = "elementwise")

op("pow(self, exponent)", "PowBackward1", broadcasts=True, inplace=True, public=False,
    samples=S.positive_pairs,
    self     = pow_self_gradient,
    exponent = pow_exponent_gradient,
    jvp      = pow_tangent)

op("rpow(exponent | self)", "PowBackward2", public=False, contiguous=True,
    samples=S.with_consts(S.singles, 2.5),
    exponent = rpow_gradient,
    jvp      = "elementwise")


# --------------------------------------------------------------------------- public functions

@public
def pow(input, exponent, *, out=None):
    """input ** exponent; either may be a number, dtypes promote.

    Raises RuntimeError for an integer tensor and a negative integer exponent.

    >>> import retrograd as torch
    >>> torch.pow(2, torch.tensor([1., 3.]))
    tensor([2., 8.])
    """
    input, exponent = plain(input), plain(exponent)
    if isinstance(exponent, NUMBERS) and isinstance(input, Tensor):
        res = T.pow_scalar(input, exponent)
    elif isinstance(input, NUMBERS) and isinstance(exponent, Tensor):
        res = T.rpow(exponent, input)
    elif isinstance(input, Tensor) and isinstance(exponent, Tensor):
        res = T.pow(input, exponent)
    else:
        raise invalid_combination("pow", (input, exponent), {}, listed_signatures("pow"))
    return res if out is None else fill_checked("pow", out, res, input, exponent)


@method
def pow_(self, exponent):
    """Raise self to a power in place.

    >>> import retrograd as torch
    >>> torch.tensor([2., 3.]).pow_(2)
    tensor([4., 9.])
    """
    exponent = plain(exponent)
    change = T.pow_scalar_ if isinstance(exponent, NUMBERS) else T.pow_
    return written(change(self, exponent), "pow_")


@method(name="__pow__")
def dunder_pow(self, exponent):
    if exponent.__class__ in NUMBERS:        # np.float64 is a float, too, but has a dtype
        return T.pow_scalar(self, exponent)
    return pow(self, exponent) if is_operand(exponent) else NotImplemented


@method(name="__ipow__")
def in_place_pow(self, other):
    return written(pow_(self, other), "pow_") if is_operand(other) else NotImplemented


@method(name="__rpow__")
def reflected_pow(self, other):
    return pow(other, self) if is_operand(other) else NotImplemented


@public
def float_power(input, exponent, *, out=None):
    """input ** exponent computed in float64 (complex128 for complex operands).

    >>> import retrograd as torch
    >>> torch.float_power(torch.tensor([2, 3]), 2)
    tensor([4., 9.], dtype=torch.float64)
    """
    input, exponent = plain(input), plain(exponent)
    wide = _wide_dtype(input, exponent)
    base, power = (_widened(v, wide) for v in (input, exponent))
    if out is not None and out.dtype is not wide:
        raise RuntimeError("the output given to float_power has dtype "
                           f"{out.dtype.tensor_name} but the operation's result requires dtype "
                           f"{wide.tensor_name}")
    return pow(base, power, out=out)


def _wide_dtype(*values):
    is_complex = any(isinstance(v, complex) or isinstance(v, Tensor) and v.is_complex()
                     for v in values)
    return _dtype.complex128 if is_complex else _dtype.float64


def _widened(value, d):
    """A Tensor in the dtype `d`; a number as it is."""
    if not isinstance(value, Tensor) or value._data.dtype == d.np:
        return value
    return T.cast(value, d.np)


@method
def float_power_(self, exponent):
    """float_power in place; self must be float64 (or complex128).

    >>> import retrograd as torch
    >>> torch.tensor([2., 3.], dtype=torch.float64).float_power_(2)
    tensor([4., 9.], dtype=torch.float64)
    """
    wide = _wide_dtype(self, exponent)
    if self.dtype is not wide:
        raise RuntimeError(f"the base given to float_power_ has dtype {self.dtype.tensor_name} but "
                           f"the operation's result requires dtype {wide.tensor_name}")
    return written(pow_(self, exponent), "float_power_")
