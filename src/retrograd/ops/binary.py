"""Functions of two operands: hypotenuse, sums of logarithms, signs, exponents of two, divisors."""

from __future__ import annotations

import math

from .._callers import written
from .._tensor import Tensor
from . import samples as S
from .arithmetic import NUMBERS
from .declare import F as T
from .declare import op
from .formulas import both, missing, scaled
from .out import fill_checked, given_pair
from .public import method, public

op("hypot(self, other)", "HypotBackward0", broadcasts=True, inplace=True, samples=S.pairs,
    self  = lambda F, g, self, result: g * (self / result),
    other = lambda F, g, other, result: g * (other / result),
    jvp   = lambda F, self, other, self_t, other_t, result:
                both(scaled(self_t, self / result), scaled(other_t, other / result)))

op("logaddexp(self, other)", "LogaddexpBackward0", broadcasts=True, samples=S.pairs,
    self  = lambda F, g, self, other: g / F.conj(1 + F.exp(other - self)),
    other = lambda F, g, self, other: g / F.conj(1 + F.exp(self - other)),
    jvp   = lambda F, self, other, self_t, other_t:
                both(scaled(self_t, 1 / (1 + F.exp(other - self))),
                     scaled(other_t, 1 / (1 + F.exp(self - other)))))

op("logaddexp2(self, other)", "Logaddexp2Backward0", broadcasts=True, samples=S.pairs,
    self  = lambda F, g, self, other: g / (1 + F.exp2(other - self)),
    other = lambda F, g, self, other: g / (1 + F.exp2(self - other)),
    jvp   = lambda F, self, other, self_t, other_t:
                both(scaled(self_t, 1 / (1 + F.exp2(other - self))),
                     scaled(other_t, 1 / (1 + F.exp2(self - other)))))

op("copysign(self, other)", "CopysignBackward0", broadcasts=True, floats=True, inplace=True,
    public=False, samples=S.pairs,
    self  = lambda F, g, self, result: g * same_sign(F, self, result),
    other = lambda F, g: F.zeros_like(g),
    jvp   = lambda F, self, other, self_t, other_t, result:
                both(scaled(self_t, same_sign(F, self, result)), scaled(other_t, 0)))

op("copysign_number(self | other)", "CopysignBackward1", floats=True, inplace=True, public=False,
    samples=S.with_consts(S.singles, -1.5),
    self = lambda F, g, self, result: g * same_sign(F, self, result),
    jvp  = "elementwise")

op("ldexp(self, other)", "LdexpBackward0", broadcasts=True, floats=True, inplace=True,
    samples=S.pairs,
    self  = lambda F, g, other: g * F.conj(F.exp2(other)),
    other = lambda F, g, result: g * F.conj(result * math.log(2)),
    jvp   = lambda F, self, other, self_t, other_t, result:
                both(scaled(self_t, F.exp2(other)), scaled(other_t, result * math.log(2))))

op("frexp(self)", "FrexpBackward0", outputs=("mantissa", "exponent"), nondiff=("exponent",),
    public=False, samples=S.singles,
    self = lambda F, g, exponent: F.ldexp(g, -exponent),
    jvp  = lambda F, self, self_t, exponent: F.ldexp(self_t, -exponent))

op("heaviside(self, values)", "NotImplemented", broadcasts=True, inplace=True, samples=S.pairs,
    self   = missing("heaviside"),
    values = missing("heaviside"))

op("nextafter(self, other)", "NextafterBackward0", broadcasts=True, inplace=True, samples=S.pairs,
    self  = lambda F, g, self, other: F.where(self == other, 0, g),
    other = lambda F, g, self, other: F.zeros_like(g),
    jvp   = lambda F, self, other, self_t, other_t:
                both(scaled(self_t, self != other), scaled(other_t, 0)))

for _name in ("gcd", "lcm"):
    op(f"{_name}(self, other)", broadcasts=True, inplace=True, samples=S.integer_pairs)


def same_sign(F, x, result):
    """1 where the sign was kept, -1 where it changed, 0 at 0."""
    return F.where(x == 0, 0, result / x)


@public
def copysign(input, other, *, out=None):
    """|input| with the sign of `other`, a tensor or a number; that of -0.0 is negative.

    Shapes broadcast and dtypes promote; integers become the default floating dtype. The derivative
    by input is 1 where its sign was kept, -1 where it was changed, and 0 at 0; that by other is 0.
    Raises RuntimeError for shapes that do not broadcast, NotImplementedError for complex numbers.

    >>> import retrograd as torch
    >>> torch.copysign(torch.tensor([1., 2.]), torch.tensor([-1., 1.]))
    tensor([-1.,  2.])
    """
    res = (T.copysign_number if isinstance(other, NUMBERS) else T.copysign)(input, other)
    return res if out is None else fill_checked("copysign", out, res, input, other)


@method
def copysign_(self, other):
    """`copysign` in place: writes into self and returns it.

    The shape and dtype of self stay. Raises what `copysign` raises, and RuntimeError where self
    cannot hold the result or is a leaf that requires grad while recording is on.

    >>> import retrograd as torch
    >>> torch.tensor([1., 2.]).copysign_(torch.tensor([-1., 1.]))
    tensor([-1.,  2.])
    """
    change = T.copysign_number_ if isinstance(other, NUMBERS) else T.copysign_
    return written(change(self, other), "copysign_")


@method
def ldexp_(self, other):
    """ldexp in place; RuntimeError for a tensor of integers.

    >>> import retrograd as torch
    >>> torch.tensor([1., 3.]).ldexp_(torch.tensor([2, 0]))
    tensor([4., 3.])
    """
    if isinstance(other, Tensor) and self._data.dtype.kind in "biu":
        raise RuntimeError("ldexp can't be cast to the desired output type "
                           f"{self.dtype.tensor_name}")
    return written(T.ldexp_(self, other), "ldexp_")


@public
def frexp(input, *, out=None):
    """(mantissa, exponent) with input = mantissa * 2**exponent, 0.5 <= |mantissa| < 1.

    Both are 0 for 0. Raises RuntimeError for integers.

    >>> import retrograd as torch
    >>> torch.frexp(torch.tensor([8.]))
    torch.return_types.frexp(
    mantissa=tensor([0.5000]),
    exponent=tensor([4], dtype=torch.int32))
    """
    if input._data.dtype.kind not in "fV":
        raise RuntimeError("torch.frexp() only supports floating-point dtypes")
    return given_pair("frexp", T.frexp(input), out)
