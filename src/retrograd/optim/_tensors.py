"""The arithmetic of updates on Tensors: the namespace of differentiable steps.

The names of `_arrays.py`. What an operator saves for its backward is cloned first wherever a
later step writes to it in place, so that gradients flow through any number of steps.
"""

from __future__ import annotations

import retrograd as rg

from .._tensor import Tensor


def absolute(x: Tensor) -> Tensor:
    return x.clone().abs()


def clip(x: Tensor, low: float, high: float) -> Tensor:
    return x.clone().clamp(low, high)


def equal(x: Tensor, y) -> Tensor:
    return x.eq(y)


def maximum(x: Tensor, y: Tensor) -> Tensor:
    return rg.maximum(x.clone(), y.clone())


def multiply(x: Tensor, y: Tensor) -> Tensor:
    return x.clone() * y.clone()


def sign(x: Tensor) -> Tensor:
    return x.sign()


def sqrt(x) -> Tensor:
    return x.sqrt()


def where(condition: Tensor, x, y) -> Tensor:
    return rg.where(condition, x, y)


def copy_(x: Tensor, source: Tensor) -> None:
    x.copy_(source)


def mul_(x: Tensor, factor) -> None:
    x *= factor


def lerp_(x: Tensor, end: Tensor, weight) -> None:
    x += (end - x) * weight


def add_(x: Tensor, y: Tensor, alpha) -> None:
    x += y.clone() * alpha


def addcmul_(x: Tensor, a: Tensor, b: Tensor, value) -> None:
    x += a.clone() * value * b.clone()


def addcdiv_(x: Tensor, a: Tensor, b: Tensor, value) -> None:
    x += a.clone() * value / b.clone()


def real(x: Tensor) -> Tensor:
    return rg.view_as_real(x)


def value(scalar: Tensor) -> Tensor:
    return scalar.clone()


def assign(scalar: Tensor, number) -> None:
    scalar.copy_(rg.as_tensor(number, dtype=scalar.dtype))
