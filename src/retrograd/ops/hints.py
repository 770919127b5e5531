"""The text below PyTorch's sentence where tensors do not fit: the rule, and what would fit.

It is made from the tensors alone. While a Module is being called there is no such text, because the
Module tells which layer was given what (autograd/explain.py, add_module).
"""

from __future__ import annotations

import sys
from inspect import unwrap
from math import prod

from .. import _dtype
from .._tensor import Tensor


def _below(text: str) -> str:
    """The text as it follows a sentence; "" while a Module is called."""
    modules = sys.modules.get("retrograd.nn.modules.module")
    if modules is not None:
        call, frame = modules.Module.__call__.__code__, sys._getframe(2)
        while frame is not None:
            if frame.f_code is call:
                return ""
            frame = frame.f_back
    return f"\n\n{text}"


def of_broadcast(a: tuple, b: tuple) -> str:
    """For two shapes that do not broadcast."""
    text = (f"The shapes are {a} and {b}. Sizes are compared from the last one on: they must be "
            "equal, or one of them 1.")
    if len(a) == 2 and b == a[:1] or len(b) == 2 and a == b[:1]:
        text += (f"\nCure: if each of the {min(a, b, key=len)[0]} numbers belongs to a row, make "
                 "them a column: `.unsqueeze(1)` on them, or keepdim=True in the mean(), sum() or "
                 "the like that gave them.")
    return _below(text)


def of_product(a: tuple, b: tuple) -> str:
    """For two matrices that do not multiply."""
    (n, k), (rows, m) = a, b
    text = f"The left one has {k} columns, the right one {rows} rows: these must be equal."
    if k == m:
        text += "\nCure: the right one transposed fits: `a @ b.T`."
    elif n == rows:
        text += "\nCure: the left one transposed fits: `a.T @ b`."
    return _below(text)


def of_dtypes(a, b) -> str:
    """For the arrays of a product, of two dtypes: which of them to convert."""
    first, second = sorted((_dtype.of(a), _dtype.of(b)), key=lambda d: (
        "biufc".find(d.np.kind), d is _dtype.float32))     # the goal: a wider kind, or float32
    from_numpy = ", as NumPy's floats are" if first is _dtype.float64 else ""
    return _below(f"The operands of a product must have one dtype.\nCure: `.to({second})` on the "
                  f"one that is {first}{from_numpy}.")


def of_view(shape: tuple, numel: int) -> str:
    """For a shape that does not have as many elements as the tensor."""
    rest = prod(n for n in shape if n != -1)
    if -1 in shape:
        return _below(f"The other sizes make {rest}, and {numel} is no multiple of that.")
    return _below(f"A tensor of this shape has {rest} elements.\nCure: -1 in place of one size "
                  "lets it be computed from the others.")


def add_to_loss(error: Exception, loss, args: tuple, kwargs: dict) -> None:
    """Add to an error of cross_entropy, nll_loss or binary_cross_entropy what would fit."""
    if not isinstance(error, (RuntimeError, ValueError, IndexError)) or "\n\n" in str(error):
        return
    names = unwrap(loss).__code__.co_varnames            # autocast may stand before it
    named = {**dict(zip(names, args, strict=False)), **kwargs}
    given = [named.get("input"), named.get("target")]
    if all(isinstance(t, Tensor) for t in given):
        from ..debug.misfits import fitting
        cure = fitting(loss.__name__, given)
        if cure:
            error.args = (f"{error}{_below(f'Cure: {cure}')}",)
