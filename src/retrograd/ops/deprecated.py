"""Calls that name a factor before its tensors: x.add_(2, y) for x.add_(y, alpha=2).

PyTorch still takes them, as older optimizers write them, and warns of the first in a process.
"""

from __future__ import annotations

import warnings

from .._tensor import Tensor

_TENSORS = {                    # what the two tensors of a product are called
    "addmm": ("mat1", "mat2"), "addmv": ("mat", "vec"), "addr": ("vec1", "vec2"),
    "baddbmm": ("batch1", "batch2"), "addbmm": ("batch1", "batch2"),
}
_warned = False


def factor_first(name, keyword, given, tensors):
    """(tensors, factor) of name(factor, *tensors); TypeError where that is not what was given."""
    number, *rest = (given, *tensors)
    if isinstance(number, Tensor) and (number.dim() or number.requires_grad):
        raise TypeError(f"{name}() takes {len(tensors)} positional argument"
                        f"{'s' * (len(tensors) > 1)} but {len(tensors) + 1} were given")
    names = ("other",) if len(rest) == 1 else ("tensor1", "tensor2")
    _check_tensors(name, (given, *tensors), rest)
    listed = ", ".join(f"Tensor {each}" for each in names)
    _warn(name, f"Number {keyword}, {listed}", f"{listed}, *, Number {keyword} = 1")
    return rest, number.item() if isinstance(number, Tensor) else number


def factors_first(name, given):
    """(input, a, b, beta, alpha) of name(beta, input, alpha, a, b), alpha being optional.

    As a method, beta stands after the tensor it is called on.
    """
    numbers = [each for each in given if not isinstance(each, Tensor)]
    tensors = [each for each in given if isinstance(each, Tensor)]
    if len(tensors) != 3 or not 1 <= len(numbers) <= 2:
        raise TypeError(f"{name}() received an invalid combination of arguments")
    a, b = _TENSORS[name.removesuffix("_")]
    listed = f"Tensor {a}, Tensor {b}"
    factors = ", ".join(f"Number {each}" for each in ("beta", "alpha")[:len(numbers)])
    _warn(name, f"{factors}, {listed}", f"{listed}, *, Number beta = 1, Number alpha = 1")
    return (*tensors, *numbers, 1)[:5]


def _check_tensors(name, given, tensors):
    if not all(isinstance(tensor, Tensor) for tensor in tensors):
        got = ", ".join(type(each).__name__ for each in given)
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({got})")


def _warn(name, old, new):
    global _warned
    if not _warned:
        _warned = True
        warnings.warn(f"This overload of {name} is deprecated:\n\t{name}({old})\nConsider using "
                      f"one of the following signatures instead:\n\t{name}({new})", stacklevel=4)
