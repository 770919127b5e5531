"""Operators on the bits of integers and bools."""

from __future__ import annotations

from . import samples as S
from .arithmetic import is_operand
from .declare import F as T
from .declare import op
from .public import method

for _name in ("bitwise_and", "bitwise_or", "bitwise_xor", "bitwise_left_shift",
              "bitwise_right_shift"):
    op(f"{_name}(self, other)", broadcasts=True, inplace="operator", samples=S.integer_pairs)
op("bitwise_not(self)", inplace=True, samples=S.integers)


@method(name="__invert__")
def invert(self):
    if self._data.dtype.kind not in "biu":
        raise TypeError("~ (operator.invert) is only implemented on integer and Boolean-type "
                        "tensors")
    return T.bitwise_not(self)


@method(name="__rlshift__")
def reflected_left_shift(self, other):
    return T.bitwise_left_shift(other, self) if is_operand(other) else NotImplemented


@method(name="__rrshift__")
def reflected_right_shift(self, other):
    return T.bitwise_right_shift(other, self) if is_operand(other) else NotImplemented
